"""Near misses: what people and language models write instead of a plan's lines, and what they mean by it.

Nothing here says what a plan is. A repair is a guess, and every guess is put to the grammar before anybody sees it:
the callers offer a repaired line only where the grammar accepts it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from re import Match

from attrs import frozen

from planspec_lark.planspec.heading_words import HEADER_KINDS
from planspec_lark.planspec.models import BLANKS
from planspec_lark.syntax import grammars

__all__ = [
    "EMOJI",
    "LIKE_ARROW",
    "NOTHING",
    "RIGHT_ARROW",
    "SPACE",
    "SPACES",
    "WIDE_SPACES",
    "AlmostList",
    "NearMiss",
    "blank_quoted",
    "compiled",
    "find_arrow",
    "find_comment",
    "find_inputs",
    "find_outputs",
    "has_any",
    "is_plain_label",
    "is_quoted",
    "plain_name",
    "read_title",
    "repair_bullet",
    "repair_header",
    "repeats_arrow",
    "unwrap",
    "variables_of",
]


# A pattern, compiled when it is first used: most texts have nothing to repair.
compiled = cache(re.compile)


def has_any(text: str, parts: Iterable[str]) -> bool:
    """Whether one of some parts is in a text, which is found much sooner than what an expression says of it."""
    return any(map(text.__contains__, parts))


@frozen
class NearMiss:
    """What is wrong with a line: code, message, and where (offsets in the line)."""

    code: str
    message: str
    start: int
    end: int


# What people write where there is nothing to say.
NOTHING = ("", "-", "–", "—", "none", "n/a", "nothing", "无", "没有", "/")
# White space, and what looks like it.
SPACES = " \t\xa0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u200b\u200e\u200f\u202f\u205f\u2060\u3000\ufeff"
SPACE = f"[{SPACES}]"
WIDE_SPACES = tuple(set(SPACES) - set(BLANKS))
# Marks of Markdown that are in pairs around all of a text.
_PAIRS = ("**", "__", "`", "*")


def unwrap(text: str) -> str:
    """A text without the white space and the pairs of stars, ``__`` and backticks that are around all of it."""
    text = text.strip(SPACES)
    for mark in _PAIRS:
        inner = text[len(mark) : -len(mark)]
        if text.startswith(mark) and text.endswith(mark) and inner.strip(SPACES) and mark not in inner:
            return unwrap(inner)
    return text


# Signs such as emoji before a label.
EMOJI = r"[^\x00-\x1f\x7f\ufeff\w\s#*_`\[\](){}<>|:：.,;!?\"'“”‘’（）【】「」+→←-]*+"
# A line as a header in disguise: signs, a label, a colon or a dash or none, and the rest. Possessive, as it never has
# to go back.
_HEADER = (
    rf"(?P<hashes>[#＃]{{0,6}}+){SPACE}*+(?P<number>(?:[一二三四五六七八九十]{{1,2}}、)?+){SPACE}*+"
    rf"{EMOJI}{SPACE}*+"
    rf"(?P<marks>[*_]*+){SPACE}*+{EMOJI}{SPACE}*+"
    rf"(?P<label>[^\W\d_]++(?:[ \xa0-][^\W\d_]++){{0,2}}+){SPACE}*+"
    rf"(?:[(（](?P<alias>[^\W\d_]{{2,12}}+)[)）]{SPACE}*+)?+(?P<inner>[*_]*+){SPACE}*+"
    rf"(?P<colon>[:：]|(?<=[ *_])[-–—](?={SPACE})|)(?P<outer>[*_]*+){SPACE}*+(?P<rest>.*)"
)
_FRAMED = r"[#＃* ]*[【「\[]([^\W\d_]{2,12})[】」\]][:：]?(?:\*\*(?=[:： ]|\Z)[:：]?)?"


def _match_header(line: str) -> Match[str] | None:
    framed = compiled(_FRAMED).match(line)
    return compiled(_HEADER).fullmatch(f"{framed[1]}：{line[framed.end() :]}" if framed else line)


def repair_header(line: str) -> tuple[NearMiss, str] | None:
    """A line that is almost a header: its fault and the header."""
    if line[:1] == "#" and line[1:2] not in ("", "#", *SPACES, "*", "_"):
        return NearMiss("PS104", "white space is missing after `#`", 0, len(line)), f"# {line[1:]}"
    if (inner := unwrap(line)) != line and inner[:2] in ("# ", "##"):
        is_title = grammars.pattern("planspec", "TITLE_MARK").match(inner) is not None
        miss = NearMiss("PS104", "the header has markup around it", 0, len(line))
        return repair_header(inner) or ((miss, inner) if is_title else None)
    match = _match_header(line)
    kind = _kind_of(match) if match else None
    rest = _text_of_header(match) if match else None
    if match is None or kind is None or rest is None:
        return None
    has_colon = bool(match["colon"])
    is_set_off = has_colon or bool(match["hashes"] or match["marks"] or match["number"])
    written = _write_header(kind, unwrap(rest), has_colon=has_colon, is_set_off=is_set_off)
    what = {"goal": "goal", "title": "title"}.get(kind, f"header of the {kind}")
    return (NearMiss("PS104", f"the {what} has the wrong form", 0, len(line)), written) if written else None


def _kind_of(match: Match[str]) -> str | None:
    """What the label of a header heads; it may be said in two languages: `Goal（目标）`."""
    kind = HEADER_KINDS.get(match["label"].lower())
    return kind if not match["alias"] or HEADER_KINDS.get(match["alias"].lower()) == kind else None


def _text_of_header(match: Match[str]) -> str | None:
    """What is behind the label of a header, without marks around the line; None where these are not closed."""
    marks, closed, rest = match["marks"], match["inner"] or match["outer"], match["rest"].strip(SPACES)
    if marks and not closed:
        # They go around the whole line.
        return rest.removesuffix(marks) if rest.endswith(marks) else None
    return closed + rest if closed and not marks else rest


def read_title(line: str) -> str | None:
    """The text of a title whose label is in other words, signs or marks: ``# **Plan:** Roof``; None for any other."""
    if ":" not in line and "：" not in line:
        return None
    match = _match_header(f"#{line}")
    is_title = (
        match is not None and HEADER_KINDS.get(match["label"].lower()) == "title" and match["colon"] in (":", "：")
    )
    header = repair_header(f"#{line}") if is_title else None
    return header[1].removeprefix("# Plan: ") if header else None


# Labels that stand for nothing but a plan's goal or constraints.
_PLAIN_LABELS = ("goal", "the goal", "constraint", "constraints", "目标", "总目标", "约束", "约束条件")


def is_plain_label(line: str) -> bool:
    """Whether a line that is almost a header is called by the very word for it."""
    match = _match_header(line)
    return match is not None and match["label"].lower() in _PLAIN_LABELS


def _write_header(kind: str, rest: str, *, has_colon: bool, is_set_off: bool) -> str | None:
    if kind == "goal":
        return f"Goal: {rest}".rstrip(BLANKS) if has_colon or (is_set_off and not rest) else None
    if kind == "title":
        return f"# Plan: {rest}" if has_colon and rest else None
    if kind == "steps":
        return None if rest else "## Steps"
    if not rest:
        return "Constraints:"
    return f"Constraints:\n- {rest}" if has_colon else None


# What begins a comment after other text: white space around it, and before it so much that it is set off.
_COMMENT = r"(?<=[ \t][ \t])#[ \t]++(?=[^\r\n])"


def find_comment(text: str) -> int | None:
    """Where a comment starts that text is followed by. One set off less, such as in ``C # 5``, is text."""
    match = compiled(_COMMENT).search(text)
    return match.start() if match else None


_BULLET = rf"(?P<bullet>[*+•·‣▪◦–—－-]|[0-9０-９]{{1,3}}[.)、．）])(?P<space>{SPACE}*)(?P<text>[^{SPACES}].*)"


def repair_bullet(line: str) -> tuple[NearMiss, str] | None:
    """A line that is almost a constraint: its fault and the constraint."""
    match = compiled(_BULLET).fullmatch(line)
    is_tight = match is not None and not match["space"]
    if match is None or (is_tight and (match["bullet"] in "*–—" or not match["text"][0].isalpha())):
        # Without white space these are more likely to be something else: a ruler, bold text, a negative number.
        return None
    if (
        match["bullet"][0].isdigit()
        and match["text"][0] in "[［【"
        and not compiled(r".*[\]］】]").match(match["text"])
    ):
        # A number with a bracket that is left open is half a step.
        return None
    return NearMiss("PS118", "a constraint must start with `- `", 0, match.end("bullet")), f"- {unwrap(match['text'])}"


# A list of variables, each in marks or not, joined by commas of any width.
_QUOTES = "`*\"'‘’“”„‚«»‹›「」"
_NAME_OF_LIST = rf"[{_QUOTES}]*[A-Za-z_]\w*[{_QUOTES}]*"
_COMMA = rf"{SPACE}*[,，、;；]{SPACE}*"
_NAMES = rf"{SPACE}*(?P<names>{_NAME_OF_LIST}(?:{_COMMA}{_NAME_OF_LIST})*+){SPACE}*"
_ARROW_HEAD = r"[>⇒➜➔⟶→]"
_PLAIN_NAME = r"(?a:[A-Za-z_]\w*|`[A-Za-z_]\w*`|\*\*[A-Za-z_]\w*\*\*)"
# Stars that are around an arrow and its list, or around the arrow.
_STARS = r"\*{0,3}"
RIGHT_ARROW = rf"(?<![^{SPACES}]){_STARS}(?:[-=–—]{{1,2}}>|[⇒➜➔⟶→])"
# Those that may be meant so, as TeX and HTML spell them, too, or may be text: what a key shows, or what is explained.
LIKE_ARROW = (
    rf"(?<![^{SPACES}]){_STARS}(?i:[➝➞➡⮕🡒]\ufe0f?|\$?\\(?:long)?rightarrow\b\$?|&(?:rarr|rightarrow|\#8594|\#x2192);)"
)
_ALMOST_OUTPUTS = rf"(?a){RIGHT_ARROW}{_STARS}(?=[^-=>⇒➜➔⟶→]*\Z){_NAMES}\Z"
# Directly behind a word, an arrow of the format with names in marks, or between other commas.
_TIGHT_OUTPUTS = rf"(?<=[\w)）])→(?=[^→]*\Z){SPACE}*(?P<names>{_PLAIN_NAME}(?:{_COMMA}{_PLAIN_NAME})*+){SPACE}*\Z"
_ALMOST_INPUTS = rf"(?a){SPACE}*(?:<[-=]{{1,2}}|[⇐⟵←]){_NAMES}"
_LEFT_SIGNS = ("<", "⇐", "⟵", "←")
# Code, which may be left open, and what is in quotes.
_QUOTED = (
    r"`[^`]*+(?:`|\Z)|\"[^\"]*+\"|“[^“”]*+”|„[^„“”]*+[“”]|«[^«»]*+»|‹[^‹›]*+›|「[^「」]*+」|『[^『』]*+』"
    r"|(?<!\w)'[^']*+'(?!\w)|(?<!\w)‘[^‘’]*+’(?!\w)"
)


@frozen
class AlmostList:
    """Text that is almost an arrow with a variable list.

    Where it starts, the variables, and how it is written.
    """

    start: int
    names: list[str]
    written: str


def plain_name(written: str) -> str:
    """A variable without quotes and marks around it."""
    name = written.strip(_QUOTES)
    return name[2:-2] if len(name) > 4 and name.startswith("__") and name.endswith("__") else name


def variables_of(text: str) -> list[str] | None:
    """The variables of a list in any marks and with any commas; None where it is none."""
    text = unwrap(text)
    if text[:1] + text[-1:] in ("[]", "()", "［］", "（）"):
        text = text[1:-1]
    match = compiled(f"(?a){_NAMES}").fullmatch(text)
    return [plain_name(name) for name in compiled(_COMMA).split(match["names"])] if match else None


def find_outputs(description: str) -> AlmostList | None:
    """What looks like outputs at the end of a description: a foreign arrow (``->``), or foreign commas."""
    # Most descriptions have no arrow, which is seen far sooner than that there is no list.
    is_pointing = compiled(_ARROW_HEAD).search(description) is not None
    if not is_pointing:
        return None
    match = compiled(_ALMOST_OUTPUTS).search(description) or compiled(_TIGHT_OUTPUTS).search(description)
    return None if match is None or is_quoted(description, match.start()) else _almost("→", match)


def blank_quoted(text: str) -> str:
    """A text with control characters in place of code and of what is in quotes, which are text themselves."""
    bare: str = compiled(_QUOTED).sub(lambda one: "\0" * len(one[0]), text)
    return bare


def is_quoted(text: str, at: int) -> bool:
    """Whether what is at an offset of a text is inside of code or quotes."""
    return blank_quoted(text)[at] == "\0"


def repeats_arrow(description: str, almost: AlmostList) -> bool:
    """Whether the arrow of what looks like outputs is not the first of its kind: it may be text as the others are."""
    sign = description[almost.start :].strip(f"{SPACES}*")[:2]
    return sign in description[: almost.start]


def find_inputs(line: str) -> AlmostList | None:
    """A detail line that looks like inputs, but for its arrow or its commas."""
    return (
        _almost("←", compiled(_ALMOST_INPUTS).fullmatch(line)) if line.lstrip(SPACES).startswith(_LEFT_SIGNS) else None
    )


def find_arrow(line: str) -> str | None:
    """A line that declares inputs without the sign of a detail line: what is after that sign, or None."""
    names = variables_of(line[1:]) if line.startswith("←") else None
    almost = find_inputs(line)
    return f"← {', '.join(names)}" if names else almost.written if almost else None


def _almost(arrow: str, match: Match[str] | None) -> AlmostList | None:
    if match is None:
        return None
    names = [plain_name(name) for name in compiled(_COMMA).split(match["names"])]
    written = f"{arrow} {', '.join(names)}"
    # A list in the right form only comes here where a backslash made text of it.
    found = match[0].strip(SPACES)
    right = found.startswith(arrow) and grammars.pattern("planspec", "VARIABLES").fullmatch(found[1:].strip(BLANKS))
    return None if right else AlmostList(match.start(), names, written)
