"""Whether an answer was cut off: its model reached a limit, or lost its connection.

That is shown by the caller's reason, by a code block that nothing closes, and by a last line that ends in an arrow, a
comma or an open bracket. What a last sentence says shows nothing.
"""

from __future__ import annotations

import re

from planspec_lark.planspec.dialect import DIALECT
from planspec_lark.syntax.diagnostics import Diagnostic, Severity
from planspec_lark.syntax.source import Source

__all__ = ["CUT", "has_open_end", "is_cut_short", "name_cut", "start_of_last_line"]

# The finding that an answer was cut off. It is an error where that is not allowed.
CUT = "PS129"

# What interfaces of models call the end of an answer that has reached its limit, or was stopped by a filter or a fault:
# in small letters, without signs between the words.
_CUT_REASONS = """
    length limit maxlength maxtokens maxtokensreached maxoutputtokens maxcompletiontokens maxnewtokens modellength
    tokenlimit tokenlimitreached lengthlimit contextlength contextlengthexceeded contextwindowexceeded
    modelcontextwindowexceeded outputlimit insufficientsystemresource
    filter filtered contentfilter contentfiltered safety imagesafety recitation blocklist prohibited prohibitedcontent
    spii language refusal guardrail guardrails guardrailintervened contentpolicy contentpolicyviolation errortoxic
    incomplete truncated timeout timedout error errorlimit internalerror servererror networkerror
    malformedfunctioncall abort aborted cancel cancelled canceled usercancel interrupt interrupted
"""
_CUT_SHORT = frozenset(_CUT_REASONS.split())


def is_cut_short(finish_reason: str) -> bool:
    """Whether the reason why a model stopped is a limit, a filter or a fault."""
    # The name of a type may be in front.
    last = finish_reason.strip().rpartition(".")[2]
    return re.sub(r"[^a-z]+", "", last.lower()) in _CUT_SHORT


def has_open_end(text: str) -> bool:
    """Whether the last line of a text cannot be the last."""
    ended = text.rstrip(" \t\r\n")
    return DIALECT.terminal("OPEN_END").search(ended[-3:]) is not None


def start_of_last_line(text: str) -> int:
    """Where the last line of a text begins that is not blank."""
    ended = text.rstrip(" \t\r\n")
    return ended.rfind("\n") + 1


def name_cut(source: Source, cut: int, *, is_allowed: bool = False) -> Diagnostic:
    """That an answer was cut off, from an offset on: an error, unless it is allowed."""
    severity = Severity.WARNING if is_allowed else Severity.ERROR
    span = source.span(cut, source.length)
    help = "ask for the rest, or allow a truncated answer"
    return Diagnostic(CUT, "the answer is truncated here", severity, span, source=source, help=help)
