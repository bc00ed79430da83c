"""Whether what was read from an answer is safe to act on: one rule for plans and for commands, and for all readers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Protocol, TypeVar

from attrs import evolve, frozen

from planspec_lark.answers.risk import Risk
from planspec_lark.answers.truncation import CUT
from planspec_lark.syntax.diagnostics import Diagnostic, Severity
from planspec_lark.syntax.limits import OVER_LIMIT

__all__ = ["Rated", "RatedFinding", "Verdict", "decide", "explain", "reach_verdict"]

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


_R = TypeVar("_R", bound="Rated")


class Rated(Protocol):
    """A finding, and how likely it is that what was made of it changes what is meant."""

    @property
    def diagnostic(self) -> Diagnostic:
        """What was found."""

    @property
    def risk(self) -> Risk:
        """See :class:`Risk`."""


@frozen
class RatedFinding:
    """The same as a value."""

    diagnostic: Diagnostic
    risk: Risk


def reach_verdict(entries: Sequence[Rated], max_risk: Risk, *, is_there: bool, is_lost: bool = False) -> Verdict:
    """The verdict on a reading.

    Args:
        entries: all that was found, each with its risk.
        max_risk: the highest risk that is allowed.
        is_there: whether anything was read that could be acted on.
        is_lost: whether something of the kind was there that could not be read.
    """
    if any(one.diagnostic.code in _UNREADABLE for one in entries) or not (is_there or is_lost):
        return Verdict.REFUSED
    return Verdict.NEEDS_REVIEW if decide(entries, max_risk) or not is_there else Verdict.ACCEPTED


def decide(entries: Iterable[_R], max_risk: Risk) -> list[_R]:
    """The entries that keep a reading from being accepted, in the order of the text."""
    deciding = [one for one in entries if one.risk.rank > max_risk.rank or _is_fatal(one.diagnostic)]
    return sorted(deciding, key=lambda one: one.diagnostic.line or 1)


def _is_fatal(found: Diagnostic) -> bool:
    """Whether no allowed risk is high enough for a finding."""
    return found.code in _UNREADABLE or (found.code == CUT and found.severity is Severity.ERROR)


def explain(entries: Iterable[Rated], max_risk: Risk) -> list[Diagnostic]:
    """The same as errors whose messages end with their risks."""
    return [
        evolve(one.diagnostic, severity=Severity.ERROR, message=f"{one.diagnostic.message} (risk: {one.risk.value})")
        for one in decide(entries, max_risk)
    ]
