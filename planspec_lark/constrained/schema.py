"""The JSON Schema of a planner's messages, as engines can follow it.

The strict file in ``grammar/`` is for checking: it names the keys that must not be there. Engines work the other way
round, by the keys that may come next, so objects of known keys are closed for them. What they let through, the file
allows.
"""

from __future__ import annotations

import json
from typing import Any

from planspec_lark.syntax import grammars

__all__ = ["closed_schema"]


def closed_schema(language: str) -> str:
    """The schema's text, with ``additionalProperties: false`` in the place of forbidden keys."""
    schema = json.loads(grammars.schema_path(language).read_text(encoding="utf-8"))
    return json.dumps(_close(schema), indent=2, ensure_ascii=False) + "\n"


def _close(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_close(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: _close(value) for key, value in schema.items()}
    properties = closed.get("properties", {})
    if False in properties.values():
        closed["properties"] = {key: value for key, value in properties.items() if value is not False}
        closed["additionalProperties"] = False
    return closed
