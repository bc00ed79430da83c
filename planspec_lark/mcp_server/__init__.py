"""An MCP server for the plans of a folder. All of it needs the extra `mcp`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.mcp_server.stdio_server import InputError as InputError, serve as serve
else:
    __getattr__, __dir__, __all__ = attach(__name__, {"stdio_server": "InputError serve"})
