"""JSON texts: values and findings with their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planspec_lark._lazy import attach

if TYPE_CHECKING:
    from planspec_lark.json_text.models import JsonText as JsonText
    from planspec_lark.json_text.parser import read_json as read_json, scan_json as scan_json
else:
    __getattr__, __dir__, __all__ = attach(__name__, {"models": "JsonText", "parser": "read_json scan_json"})
