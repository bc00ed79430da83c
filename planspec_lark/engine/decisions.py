"""Decision lines of an answer, such as `RETRY | reason`, and lines that only look like one.

A near miss is never taken for what it seems to mean. It is reported, with the line as it should be; what one looks like
stands in ``grammar/reflection_dialect.lark``.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum
from functools import cache
from re import Pattern

from attrs import frozen

from planspec_lark.planspec.models import BLANKS
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, join_words
from planspec_lark.syntax.recovery import Deviation, Dialect, report
from planspec_lark.syntax.source import Source

__all__ = ["Decision", "DecisionLine", "NearDecision", "diagnose_decision", "match_decision"]


class Decision(str, Enum):
    """What may be decided about a step: to run it again, to take its result as it is, to ask a person."""

    RETRY = "RETRY"
    ACCEPT = "ACCEPT"
    INTERACT = "INTERACT"


@frozen
class DecisionLine:
    """A decision line: what it says, and its bounds."""

    decision: Decision
    reason: str
    start: int
    end: int


@frozen
class NearDecision:
    """A line that is almost a decision: what is wrong, and the decision as it is written; empty where none is meant."""

    deviation: Deviation
    repaired: str

    def report(self, source: Source, start: int, end: int) -> list[Diagnostic]:
        """The finding about a line with these bounds."""
        return report(source, start, end, [self.deviation], [self.repaired] if self.repaired else None)


@cache
def _line() -> Pattern[str]:
    return grammars.regular("reflection").pattern("decision")


def match_decision(text: str, at: int) -> DecisionLine | None:
    """The decision in the line that starts at ``at`` and is ended; None if it holds none."""
    match = _line().match(text, at)
    if match is None:
        return None
    reason = (match["RESULT"] or "").partition("|")[2].strip(BLANKS)
    end = match.end("DECISION") if match["RESULT"] is None else match.end("RESULT")
    return DecisionLine(Decision(match["DECISION"]), reason, match.start("DECISION"), end)


# ---------------------------------------------------------------- near misses

_DIALECT = Dialect("reflection_dialect")
# What may still be before a reason, and after it where the whole line is decorated.
_BARS = f"{BLANKS}:：|｜—–-"
_CLOSING = f"{BLANKS}*`_\"'"


def diagnose_decision(line: str, step_id: str, able: Collection[Decision]) -> NearDecision | None:
    """A line (trimmed) that is almost a decision about a step: what is wrong with it. None if it is not.

    It has to consist of the word and what decorates it, and perhaps a reason after a sign. Prose about retrying is
    prose. The line is repaired where it is about this step and the decision is one of those that are possible.
    """
    clean = grammars.pattern("planspec", "FORBIDDEN").sub("", line)
    match = _DIALECT.rule("near").match(clean)
    if match is None or match.end() != len(clean):
        return None
    decision = next(one for one in Decision if match[f"word_{one.value}_WORD"])
    is_decorated = match.start("word") > 0 or match["BEHIND"]
    reason = (match["REASON"] or "").lstrip(_BARS).rstrip(_CLOSING if is_decorated else BLANKS)
    is_meant = decision in able and match["target_TARGET"] in (None, step_id)
    repaired = f"{decision.value} | {reason}" if reason else decision.value
    words = join_words([f"`{one.value}`" for one in able])
    help = f"write {words} alone on a line, or with ` | reason` after it"
    message = f"this is almost a decision ({decision.value}), and does not count as one"
    return NearDecision(Deviation("PE202", message, 0, len(line), help=help), repaired if is_meant else "")
