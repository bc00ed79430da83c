"""The language server, for editors. It needs the extra `lsp`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.lsp.server import serve as serve
else:
    __getattr__, __dir__, __all__ = attach(__name__, {"server": "serve"})
