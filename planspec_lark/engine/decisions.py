"""Decision lines of an answer, such as `RETRY | reason`, and lines that only look like one.

As with commands, a near miss is never taken for what it seems to mean. It is reported, with the line as it should be.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import Enum
from functools import cache
from re import Match, Pattern

from attrs import frozen

from planspec_lark.planspec.models import BLANKS
from planspec_lark.syntax import grammars
from planspec_lark.syntax.diagnostics import Diagnostic, join_words
from planspec_lark.syntax.recovery import Deviation, report
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

# What people and models write in place of the words.
_WORDS = {
    **{decision.value.lower(): decision for decision in Decision},
    "重试": Decision.RETRY,
    "接受": Decision.ACCEPT,
    "交互": Decision.INTERACT,
    "询问": Decision.INTERACT,
}
# Signs that decorate a line: before a word, after it, and on either side. All of it is possessive, as what is
# between them begins with none of them.
_BEFORE = r"[-*+•>#`_\"'“‘「『【\[(（<{ \t\ufeff]*+"
_BEHIND = r"[*`_\"'”’」』】\])）>} \t]*+"
_AROUND = r"[-*>`_\"'“”‘’「」『』【】\[\](){}（）< \t]*+"
_LABELS = r"(?:(?:final|my)[ \t]+)?(?:decision|action|verdict|answer)|(?:最终)?(?:决策|决定)|动作|结论"
_LABEL = rf"(?:{_LABELS}){_BEHIND}[:：=]{_AROUND}"
_COMMAND = rf"(?P<command>plan[_ -]?cmd{_BEHIND}[:：]?{_AROUND})"
_NEAR = re.compile(
    rf"(?P<head>{_BEFORE}(?:[0-9]{{1,3}}[.)、．]{_BEFORE})?+(?:{_LABEL}|{_COMMAND})?+)"
    rf"(?P<word>{'|'.join(_WORDS)})(?![^\W_])"
    r"(?P<target>[ \t]*+(?:(?:step|步骤)[ \t]*+)?+(?P<id>[0-9]++(?:\.[0-9]++)*+)\.?(?![^\W_]))?+"
    rf"(?P<signs>{_BEHIND})(?:(?P<stop>[.。!！,，;；]++){_BEHIND}|"
    r"(?P<bar>[:：|｜—–→]|->|-(?=[ \t]|\Z))(?P<reason>.*+))?+",
    re.I | re.S,
)
# What may still be before a reason, and after it where the whole line is decorated.
_BARS = f"{BLANKS}:：|｜—–-"
_CLOSING = f"{BLANKS}*`_\"'"


def diagnose_decision(line: str, step_id: str, able: Collection[Decision]) -> NearDecision | None:
    """A line (trimmed) that is almost a decision about a step: what is wrong with it. None if it is not.

    It has to consist of the word and what decorates it, and perhaps a reason after a sign. Prose about retrying is
    prose. The line is repaired where it is about this step and the decision is one of those that are possible.
    """
    forbidden = grammars.pattern("planspec", "FORBIDDEN")
    control = forbidden.search(line)
    if control is None:
        return _diagnose(line, step_id, able)
    clean = forbidden.sub("", line).strip(BLANKS)
    message = f"the control character U+{ord(control[0]):04X} is not allowed in a decision"
    deviation = Deviation("PE202", message, *control.span(), help="remove it")
    if decided := match_decision(f"{clean}\n", 0):
        return NearDecision(deviation, clean if decided.decision in able else "")
    near = _diagnose(clean, step_id, able)
    return near and NearDecision(deviation, near.repaired)


def _diagnose(line: str, step_id: str, able: Collection[Decision]) -> NearDecision | None:
    match = _NEAR.fullmatch(line)
    decision = _WORDS.get(match["word"].lower()) if match else None
    if match is None or decision is None:
        return None
    reason = (match["reason"] or "").lstrip(_BARS).rstrip(_CLOSING if match["head"] or match["signs"] else BLANKS)
    is_meant = decision in able and match["id"] in (None, step_id)
    repaired = f"{decision.value} | {reason}" if reason else decision.value
    words = join_words([f"`{one.value}`" for one in able])
    help = f"write {words} alone on a line, or with ` | reason` after it"
    return NearDecision(Deviation("PE202", *_explain(match, decision), help=help), repaired if is_meant else "")


def _explain(match: Match[str], decision: Decision) -> tuple[str, int, int]:
    """The first thing that is wrong, and where."""
    if match["command"]:
        return f"{decision.value} is a decision, not a command", *match.span("head")
    if match["head"]:
        return "a decision must be at the start of its line", *match.span("head")
    if match["word"] != decision.value:
        what = "in upper case" if match["word"].isascii() else "one of the three words"
        return f"`{match['word']}` is not {what}", *match.span("word")
    if match["target"]:
        return "a decision is about the current step and names no step", *match.span("target")
    if match["bar"]:
        return "the reason must follow ` | `, with white space on both sides", *match.span("bar")
    return "only ` | ` and a reason may follow a decision", match.end("word"), match.end()
