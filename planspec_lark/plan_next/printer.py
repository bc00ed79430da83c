"""Models of messages → JSON texts."""

from __future__ import annotations

from planspec_lark.plan_next.models import PlanNext, PlanReturn
from planspec_lark.plan_next.structure import to_json

__all__ = ["message_to_json"]


def message_to_json(message: PlanNext | PlanReturn, *, indent: int | None = 2) -> str:
    """A message as JSON text, without characters that could steer a terminal.

    Raises:
        TypeError, ValueError: ``inputs``, a ``result`` or an ``extra`` holds something that no JSON text can say, such
            as NaN or half of a surrogate pair.
    """
    return to_json(message, indent=indent)
