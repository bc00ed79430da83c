"""Models of messages → JSON texts."""

from __future__ import annotations

import json

from planspec_lark.plan_next.models import PlanNext, PlanReturn
from planspec_lark.plan_next.structure import to_value
from planspec_lark.source import escape_json

__all__ = ["message_to_json"]


def message_to_json(message: PlanNext | PlanReturn, *, indent: int | None = 2) -> str:
    """A message as JSON text, which :func:`planspec_lark.parse_message` reads as an equal one.

    Characters that could steer a terminal are written as JSON's escapes.

    Raises:
        TypeError, ValueError: ``inputs``, a ``result`` or an ``extra`` holds something that JSON has no word for.
    """
    return escape_json(json.dumps(to_value(message), ensure_ascii=False, allow_nan=False, indent=indent))
