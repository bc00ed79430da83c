"""Whether an answer was cut off: its model reached a limit, or lost its connection."""

from __future__ import annotations

import re

from planspec_lark.planspec.near_misses import SPACE, SPACES
from planspec_lark.syntax.diagnostics import Diagnostic, Severity
from planspec_lark.syntax.fences import FENCE
from planspec_lark.syntax.reasoning import leave_out_reasoning
from planspec_lark.syntax.source import Source

__all__ = ["CUT", "find_cut", "name_cut"]

# The finding that an answer was cut off. It is an error where that is not allowed.
CUT = "PS129"

# How a last line ends, or all of it looks, that cannot be the last. A table's row ends in a bar.
_OPEN_END = (
    r"[→,，、(（\[［【]|\b(?:and|or|the|an|of|to|with|so that|that|their|your|its|into|between|because|whether|than)"
    r"|并且|以及|然后|或者|是否|所有|如果|因为|但是|直到|为了|例如|比如|包括|以便|从而|使得|由于|按照|关于|(?<!如)是"
)
_CUT = re.compile(
    rf"(?i)(?:(?!\|).*\||.*(?:{_OPEN_END}|\b(?:a|in|for|by|from)"
    rf"| [-–—]|\|{SPACE}*(?:Pr|Prog?|Progre?|Progress?|Progress:{SPACE}*(?:[0-9]+/)?)"
    rf"|并|(?<![总饱温柔])和|(?<![参给赋])与|(?<![普涉波顾])及|将|把|每|[各该其]|向|使|由(?<![理自缘事]由)){SPACE}*"
    rf"|{SPACE}*(?:[-*+•]|[0-9]+(?:\.[0-9]+)*[.)、]?){SPACE}*|.*\[[A-Za-z_]*)"
)
# More ends of a last line that has no line break: a word of two letters that is none, a number with the singular of a
# unit, words that something has to follow; a clause in Chinese that is only a place, or only begins to give a reason.
_TWO_LETTERS = """
    am an as at be by do go he hi if in is it me my no of oh ok on or so to up us we ad ax ox ex tv pc id pm cm km kg mg
    ml mm mb gb tb kb oz lb ft hr qa pr ci cd db ui ux vm vs hp hz eg ie la le de el en et du un os re pi sh js py ai
"""
_CUT_SHORT_LINE = re.compile(
    rf"(?:.*(?:(?<=[a-z,] )(?!(?:{'|'.join(_TWO_LETTERS.split())})\Z)[a-z]{{2}}"
    r"|(?<=[ \W])(?!1 )[0-9]+ (?:hour|minute|second|day|week|month|year)"
    r"|(?i:\b(?:my|our|every|such as|as well as|at least|including|per|via|if|while|until|e\.g\.|i\.e\."
    r"|will|must|cannot|(?:do|does|is|are|was)n['’]t|(?:this|there|steps?|plan) (?:is|are)))"
    r"|[，；](?:并且?|再|然后|接着|随后|同时)在[^，。；]{1,20}[里上中内下前后旁]"
    r"|(?:因为|由于|如果|虽然|一旦)[^，。；]{1,4}))[ \t]*"
)
# The last word of a text, behind another one, and how a word of the same stem goes on.
_LAST_WORD = re.compile(r"(?<=[a-z,] )[A-Za-z]{3,}\Z")
_ENDINGS = """
    s es ed er ers ing ings d ly r rs n or ors al y ies ied ation ations ion ions ment ments able ness est e ful less t
    th ance ances ity ism ist ists ive age ages en ry
"""
# How a line ends that is a sentence, and one of prose that goes on behind another sentence.
_STOPS = frozenset(".。!！?？;；…:：)）\"”'*`~|")
_ITEM = re.compile(r"[ \t]*(?:[0-9]+(?:\.[0-9]+)*[.)、]?|[-*+•>])[ \t]+(?=\S)")
_GOES_ON = re.compile(r"(?![ \t]*(?:[0-9#>|*+•-]|(?i:goal)\b)).*[a-z][.!?] [A-Z][^.!?:]*[a-z,] [a-z]*[a-z]")
_IS_ENDED = re.compile(r".*[.。!！]\r?")
# Lines above the last one that are looked at, and how many of them show how items end.
_MOST_LINES, _LEAST_ITEMS = 12, 3
# How one ends after which a program may have put a line break. A letter may be the name of something, and an arrow
# right after a word is none.
_CUT_LINE = re.compile(rf"(?:(?!(?<=\S)→)(?:{_OPEN_END})){SPACE}*\r?\n\Z")
# A step that has nothing behind its type, and a line of detail without a text.
_EMPTY = re.compile(
    rf"{SPACE}*(?:(?:[-*+•]{SPACE}+)?[0-9.]+[.)、]?{SPACE}*(?:\[[ xX>!~]\]{SPACE}*)?\[[A-Za-z]+\]"
    rf"|>{SPACE}*[←→]?){SPACE}*"
)
# Characters at the end of a text that are enough to see that.
_TAIL = 30


_FENCES = re.compile(rf"\n[ \t>]*+{FENCE}")

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


def find_cut(text: str, *, finish_reason: str = "") -> int | None:
    """Where the last line starts that may be a part of one only; None where nothing shows that the text was cut off.

    That is shown by the caller's ``finish_reason``, by a code block that is never closed, and by a last line that
    cannot be the last. One line break after it says little: programs put it there.
    """
    text = leave_out_reasoning(text).text
    ended = text.rstrip(" \t")
    start = ended.rfind("\n") + 1
    last = ended[start:]
    before = ended.rfind("\n", 0, max(start - 1, 0)) + 1
    if not last and start and _is_cut_line(ended[before:start].strip("\r\n"), ended[-_TAIL:]):
        return before
    is_cut = (
        _is_open(last)
        or _is_cut_short(finish_reason)
        or _has_open_fence(text)
        or (last and (_CUT.fullmatch(last) or _EMPTY.fullmatch(last) or _breaks_off(ended[:start], last)))
    )
    return start if is_cut and ended else None


def _is_cut_line(row: str, tail: str) -> bool:
    """Whether a line that is ended cannot be the last one of an answer; ``tail`` is the end of that."""
    # An empty line of detail is one that a plan may end with.
    is_empty = row.strip(SPACES) != ">" and _EMPTY.fullmatch(row) is not None
    return is_empty or row.count("**") % 2 == 1 or _CUT_LINE.search(tail) is not None


def _is_open(last: str) -> bool:
    """Whether a last line has marks, a parenthesis or a quotation that are not closed."""
    pairs = (("(（", ")）"), ("“", "”"))
    if last.count("**") % 2 == 1 or any(sum(map(last.count, one)) > sum(map(last.count, end)) for one, end in pairs):
        return True
    behind = (last.rpartition(f" {sign}") for sign in '"`')
    return any(sign and text and sign[1] not in text for _, sign, text in behind)


def _breaks_off(above: str, last: str) -> bool:
    """Whether a last line without a line break ends within a sentence, as its words show or the lines above it do."""
    if _CUT_SHORT_LINE.fullmatch(last) or _GOES_ON.fullmatch(last) or _ends_in_word(above + last):
        return True
    if _has_stop(last) or _ITEM.match(last) is None:
        return False
    items = [
        row for row in above.rsplit("\n", _MOST_LINES)[-_MOST_LINES:] if _ITEM.match(row) and row.lstrip()[0] != ">"
    ]
    return len(items) >= _LEAST_ITEMS and all(map(_IS_ENDED.fullmatch, items))


def _has_stop(line: str) -> bool:
    """Whether a line ends with a stop, inside of marks or not."""
    bare = line.rstrip(" \t")
    return bare.rstrip("*_`")[-1:] in _STOPS or bare.rstrip("_")[-1:] in _STOPS


def _ends_in_word(text: str) -> bool:
    """Whether a text ends with the beginning of a word that it has elsewhere, and that is no word of it by itself."""
    match = _LAST_WORD.search(text, max(len(text) - _TAIL, 0))
    if match is None:
        return False
    same = re.compile(rf"(?i)(?<![^\W\d_]){match[0]}(?P<ending>[^\W\d_]*+)")
    endings = {one["ending"].lower() for one in same.finditer(text, 0, match.start())}
    return bool(endings.difference(_ENDINGS.split())) and "" not in endings


def name_cut(source: Source, cut: int, *, is_allowed: bool = False) -> Diagnostic:
    """That an answer was cut off, from an offset on: an error, unless it is allowed."""
    severity = Severity.WARNING if is_allowed else Severity.ERROR
    span = source.span(min(cut, max(source.length - 1, 0)), source.length)
    help = "ask for the rest, or allow a truncated answer"
    return Diagnostic(CUT, "the answer is truncated here", severity, span, source=source, help=help)


def _is_cut_short(finish_reason: str) -> bool:
    # The name of a type may be in front.
    last = finish_reason.strip().rpartition(".")[2]
    return re.sub(r"[^a-z]+", "", last.lower()) in _CUT_SHORT


def _has_open_fence(text: str) -> bool:
    return len(_FENCES.findall(f"\n{text}")) % 2 == 1
