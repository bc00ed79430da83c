"""Whether what was read from an answer is safe to act on: one rule for plans and for commands, and for all readers."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from attrs import evolve

from planspec_lark.syntax.codes import Risk
from planspec_lark.syntax.diagnostics import Diagnostic, Severity
from planspec_lark.syntax.limits import OVER_LIMIT

__all__ = ["Verdict", "find_holds", "reach_verdict"]

# What nothing can be put together from.
_UNREADABLE = OVER_LIMIT | {"PS128"}


class Verdict(str, Enum):
    """Whether what was read from an answer is safe to act on.

    Attributes:
        ACCEPTED: it is.
        NEEDS_REVIEW: something can be read, but something may be missing or may be meant otherwise.
        REFUSED: there is nothing, or what there is cannot be put together.
    """

    ACCEPTED = "accepted"
    NEEDS_REVIEW = "needs_review"
    REFUSED = "refused"


def find_holds(found: Iterable[Diagnostic], max_risk: Risk) -> list[Diagnostic]:
    """What of a reading keeps it from being accepted: its errors, and repairs with a risk above the allowed one.

    The latter become errors that say so.
    """
    holds = []
    for one in found:
        if one.severity is Severity.ERROR:
            holds.append(one)
        elif one.risk is not None and one.risk.rank > max_risk.rank:
            message = f"{one.message} (risk {one.risk.value}, allowed: {max_risk.value})"
            holds.append(evolve(one, message=message, severity=Severity.ERROR))
    return holds


def reach_verdict(holds: Iterable[Diagnostic], *, is_there: bool) -> Verdict:
    """The verdict on a reading, by what holds it; ``is_there`` says whether anything was read."""
    codes = {one.code for one in holds}
    if not is_there or codes & _UNREADABLE:
        return Verdict.REFUSED
    return Verdict.NEEDS_REVIEW if codes else Verdict.ACCEPTED
