"""What the lines of the dialect mean (``grammar/planspec_dialect.lark``), and what takes more than one line to see.

A line is read to a :class:`LineReading`: what kind of line it is, what of it differs from the form, and its canonical
text. :class:`Numbering` gives steps their ids by depth and number. What lines make of a plan is the business of
:mod:`planspec_lark.planspec.recovery`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cache
from itertools import pairwise
from operator import attrgetter
from re import Match
from types import MappingProxyType
from typing import NamedTuple

from attrs import define, evolve, field

from planspec_lark.planspec.models import BLANKS, MARKS, STEP_TYPES, PlanStatus, list_types
from planspec_lark.planspec.positions import line_pattern
from planspec_lark.syntax import grammars
from planspec_lark.syntax.codes import Risk
from planspec_lark.syntax.recovery import Deviation, Dialect, risk_of

__all__ = [
    "DIALECT",
    "NO_SIGNS",
    "WIDE",
    "LineReading",
    "Number",
    "Numbering",
    "StepLine",
    "add_label",
    "cut_comment",
    "find_arrow",
    "is_elision",
    "is_suspect",
    "names_type",
    "read_columns",
    "read_header",
    "read_line",
    "read_progress",
    "read_row",
    "read_status",
    "read_tail",
    "read_type",
    "read_variables",
    "unwrap",
]

DIALECT = Dialect("planspec_dialect")
NO_SIGNS: Mapping[str, PlanStatus] = MappingProxyType({})

_STATUSES = {
    "DONE": PlanStatus.DONE,
    "ACTIVE": PlanStatus.ACTIVE,
    "BLOCKED": PlanStatus.BLOCKED,
    "SKIPPED": PlanStatus.SKIPPED,
    "PENDING": PlanStatus.PENDING,
}
_BY_MARK = {mark: status for status, mark in MARKS.items()}
_WIDE = str.maketrans("０１２３４５６７８９．", "0123456789.", "\ufe0f\u20e3")
_NUMERALS = "一二三四五六七八九"
_SPACES = BLANKS + "".join(
    map(chr, (0xA0, *range(0x2002, 0x200C), 0x200E, 0x200F, 0x202F, 0x205F, 0x2060, 0x3000, 0xFEFF))
)
# The same but for white space itself.
WIDE = _SPACES.strip(BLANKS)
_PAIRS = ("**", "__")
_START = attrgetter("start")

_MESSAGES = {
    "PS104": "{} is not how this part is written",
    "PS107": "{} is not how a line below a step is written",
    "PS110": "{} is not an id with a dot after it",
    "PS111": "{} is not a status mark",
    "PS112": "{} is not a type in square brackets",
    "PS114": "{} is not the separator `|`",
    "PS115": "{} is not `Progress: N` or `Progress: N/M`",
    "PS124": "a comment is not allowed in a plan",
    "PS305": "read as a list of variables",
}
_EXPECTED = {
    "PS110": ("an id such as `1.`",),
    "PS111": ("a mark such as `[x]`",),
    "PS112": ("the type in square brackets, such as `[act]`",),
    "PS113": ("white space",),
}
_HELP = {
    "PS110": "an id is numbers joined by dots, with a final dot: `1.`, `2.1.`; no leading zeros, 9 digits each at most",
    "PS111": "the marks are `[ ]` pending, `[x]` done, `[>]` active, `[!]` blocked, `[~]` skipped; no mark: pending",
    "PS112": f"the type is {list_types('or')}, before the description",
    "PS114": "write a result after `|`, or `\\|` if the bar is part of the text",
    "PS115": "write `Progress: N` or `Progress: N/M`, or `\\Progress:` if it is part of the result",
    "PS116": "write `\\Progress:` if it is part of the result",
    "PS124": "remove comments: in other lines, a strict reading takes them for text",
}


# ---------------------------------------------------------------- words and signs


def read_type(word: str) -> str:
    """The step type that a word stands for; empty for any other word."""
    found = DIALECT.word("type_word", word)
    return found.removesuffix("_WORD").lower() if found else ""


def read_status(word: str) -> PlanStatus | None:
    """The status that a word or a sign stands for, in brackets or not; None for any other."""
    bare = word.strip(f"{_SPACES}[]［］【】*_`").rstrip(".。")
    found = DIALECT.word("status_word", bare) if bare else ""
    return _STATUSES[found.removesuffix("_WORD")] if found else None


def read_variables(text: str) -> list[str] | None:
    """The variables of a list in any signs and with any commas; None where it is none."""
    bare = text.strip(_SPACES).rstrip(".。").strip("[]()（）")
    if DIALECT.terminal("LOOSE_VARIABLES").fullmatch(bare) is None:
        return None
    return list(DIALECT.terminal("WORD").findall(bare))


def is_elision(text: str) -> bool:
    """Whether a text, as a whole, stands for others that were left out."""
    return DIALECT.terminal("ELISION").fullmatch(text.strip(_SPACES)) is not None


def is_suspect(text: str) -> bool:
    """Whether a text of the form may have something that a tolerant reading takes for more than text."""
    return DIALECT.terminal("PLAIN").fullmatch(text) is None


def names_type(text: str) -> bool:
    """Whether the first brackets of a text hold a word for a type, as those of a step do."""
    return DIALECT.terminal("FIRST_BRACKET").match(text) is not None


def unwrap(text: str) -> str:
    """A text without the stars or lines that are around all of it."""
    sign, inner = text[:2], text[2:-2].strip(BLANKS)
    return inner if sign in _PAIRS and text.endswith(sign) and inner and sign not in inner else text


# ---------------------------------------------------------------- what a line says


class Number(IntEnum):
    """What a step is numbered by: the later ones stand below the earlier ones where nothing else says so."""

    DOTTED = 0
    PLAIN = 1
    LETTER = 2
    NONE = 3


@define
class StepLine:
    """What a line says of a step.

    Attributes:
        number: its id or number; empty where it has none.
        kind: what it is numbered by.
        mark: the character of its mark; empty where it has none.
        name, type: as in the model.
        description: as it is written, escapes included.
        outputs: the variables.
        pieces: the segments behind it, as they are written.
    """

    number: str
    kind: Number
    mark: str
    name: str
    type: str
    description: str
    outputs: tuple[str, ...] = ()
    pieces: tuple[str, ...] = ()

    def write(self, step_id: str) -> str:
        """The summary line with an id."""
        mark = f"[{self.mark}]" if self.mark.strip() else ""
        head = " ".join(filter(None, (f"{step_id}.", mark, self.name, f"[{self.type}]", self.description)))
        outputs = f" → {', '.join(self.outputs)}" if self.outputs else ""
        return " | ".join([head + outputs, *self.pieces])


@define
class LineReading:
    """What a line of the dialect says.

    Attributes:
        kind: what kind of line it is: a part of the plan (``title``, ``goal``, ``constraints``, ``steps``), ``step``,
            ``untyped`` (a step without a type), ``bullet``, one of the labels below a step (``inputs``, ``outputs``,
            ``status``, ``progress``), ``detail``, ``table``, ``layout``, ``conflict`` or ``fence``.
        deviations: what differs from the form, from left to right.
        rows: its canonical text, a line each; empty where nothing is to be kept. That of a step hangs on its id.
        step: what a step's line says.
        text: the text of a bullet, or of a step that has the default type; the value of a label.
        names: the variables of a label.
    """

    kind: str
    deviations: tuple[Deviation, ...] = ()
    rows: tuple[str, ...] = ()
    step: StepLine | None = None
    text: str = ""
    names: tuple[str, ...] = ()


def read_line(line: str, *, default_type: str = "", signs: Mapping[str, PlanStatus] = NO_SIGNS) -> LineReading | None:
    """What a line of the dialect says; None where it is none.

    Args:
        line: the line without its line break and the white space around it.
        default_type: the type of steps that have none.
        signs: what signs mean that are in no table.
    """
    return (
        (_read_plain(line, _BY_SIGN[line[:1]]) if line[:1] in _BY_SIGN else None)
        or _read_step(line, signs)
        or _read_label(line)
        or _read_wide_detail(line)
        or _read_plain(line, ("ruler", "comment_line", "tag"))
        or read_header(line)
        or _read_untyped(line, default_type, signs)
    )


# By how a line begins, the rules that it is put to first.
_BY_SIGN = {
    **dict.fromkeys("<>=", ("conflict",)),
    **dict.fromkeys("`~", ("fence",)),
    "|": ("conflict", "table"),
}
_MARKER = "a conflict marker of a merge that was not resolved"
_KEEP = "keep one of the two versions, and remove the lines with `<<<<<<<`, `=======` and `>>>>>>>`"
# What is said of lines that say nothing of a plan.
_PLAIN = {
    "conflict": ("PS128", _MARKER, None, _KEEP),
    "fence": ("PS103", "a code fence is not allowed in a plan", None, "remove the line"),
    "layout": ("PS101", "this line is not part of a plan", Risk.LOW, "remove the line"),
}


def _read_plain(line: str, rules: Sequence[str]) -> LineReading | None:
    """A line of which nothing but its kind is to be known."""
    for rule in rules:
        if DIALECT.match(rule, line):
            if rule == "table":
                return LineReading(rule)
            kind = rule if rule in _PLAIN else "layout"
            code, message, risk, help = _PLAIN[kind]
            return LineReading(kind, (Deviation(code, message, 0, len(line), risk, help),))
    return None


def _read_wide_detail(line: str) -> LineReading | None:
    match = DIALECT.match("wide_detail", line)
    row = f"> {match['TAIL'] or ''}".rstrip(BLANKS) if match else ""
    return LineReading("detail", (deviation_of("PS107", line, 0, 1),), (row,)) if match else None


# ---------------------------------------------------------------- headers


def read_header(line: str) -> LineReading | None:
    """A line that heads a part of a plan, or is a whole part of it; None for any other."""
    if found := _read_wrapped(line):
        return found
    match = DIALECT.match("header", line)
    if match is None:
        return None
    kind = next(name for name, group in _PARTS.items() if match[group])
    if cut := _find_comment(match, kind):
        bare = read_header(line[:cut].rstrip(BLANKS))
        risk = Risk.LOW if kind in ("constraints", "steps") else Risk.MEDIUM
        comment = deviation_of("PS124", line, cut, len(line), risk)
        return None if bare is None else evolve(bare, deviations=(*bare.deviations, comment))
    text = _text_of_header(match)
    if text is None:
        return None
    has_colon = match["colon"] is not None or match["OPEN_FRAME"] is not None
    is_set_off = has_colon or bool(match["hashes"] or match["OPEN_MARKS"])
    rows = _write_header(kind, unwrap(text), has_colon=has_colon, is_set_off=is_set_off)
    if rows is None:
        return None
    is_same = len(rows) == 1 and _say(line) == _say(rows[0])
    return LineReading(kind, () if is_same else (_miss_of_header(line, kind, rows),), rows)


def _read_wrapped(line: str) -> LineReading | None:
    """A title or header with marks around it, or around its text, or without white space behind its sign."""
    if line[:3] in _WRAPPED:
        bare = unwrap(line)
    elif line[:1] != "#":
        return None
    elif text := (_say(line) or ("", ""))[1]:
        bare = line if unwrap(text) == text else f"# {unwrap(text)}"
    elif (tight := DIALECT.rule("tight_title").match(line)) and not read_header(f"# {line[1:]}"):
        deviation = Deviation("PS104", "white space is missing after `#`", 0, len(line))
        return LineReading("title", (deviation,), (f"# {tight['TAIL']}",))
    else:
        return None
    if bare == line:
        return None
    inner = read_header(bare)
    if inner is None and line[0] == "#":
        inner = LineReading("title", rows=(f"# Plan: {bare[2:]}",))
    return inner and evolve(inner, deviations=(_miss_of_header(line, inner.kind, inner.rows),))


_WRAPPED = tuple(f"{sign}#" for sign in _PAIRS)
_PARTS = {
    "title": "part_TITLE_WORD",
    "goal": "part_GOAL_WORD",
    "constraints": "part_CONSTRAINTS_WORD",
    "steps": "part_STEPS_WORD",
}
_CALLED = {
    "title": "the title",
    "goal": "the goal",
    "constraints": "the header of the constraints",
    "steps": "the header of the steps",
}


def _say(line: str) -> tuple[str, str] | None:
    """What a line of the form says: its kind, and the text of a title or goal; None where it is none."""
    match = line_pattern().fullmatch(f"{line}\n")
    return match and (str(match.lastgroup), match["title_TEXT"] or match["goal_TEXT"] or "")


def _miss_of_header(line: str, kind: str, rows: Sequence[str]) -> Deviation:
    if kind == "title" and not rows:
        return Deviation("PS109", "the title has no text", 0, len(line), None, "write some text, or remove the line")
    if kind == "goal" and not rows:
        help = "write `Goal: Text` on one line"
        return Deviation("PS104", "the goal has the wrong form", 0, len(line), None, help)
    return Deviation("PS104", f"{_CALLED[kind]} has the wrong form", 0, len(line))


def _find_comment(match: Match[str], kind: str) -> int:
    """Where the comment at the end of a header begins; 0 where there is none."""
    tail = match["TAIL"] or ""
    start, bare = match.end() - len(tail), tail.lstrip(BLANKS)
    # Behind a header without text, a comment need not be set off.
    is_set_off = bare != tail or match.string[start - 1] in BLANKS
    if bare.startswith("<!--") or (kind in ("constraints", "steps") and bare.startswith("#") and is_set_off):
        return match.end() - len(bare)
    cut = cut_comment(tail)
    return cut and start + cut


def _text_of_header(match: Match[str]) -> str | None:
    """What is behind the word of a header; None where a frame or marks are open."""
    if (match["OPEN_FRAME"] is None) != (match["CLOSE_FRAME"] is None):
        return None
    if match["HEADER_NUMBER"] and not match["hashes"]:
        return None
    tail = match["TAIL"] or ""
    opened, closed = match["OPEN_MARKS"], match["INNER_MARKS"] or match["CLOSE_MARKS"]
    if match["INNER_MARKS"] and match["CLOSE_MARKS"]:
        # Those behind the colon belong to the text.
        tail = f"{match['CLOSE_MARKS']}{tail}"
    if opened and not closed:
        sign = opened.strip(BLANKS)
        if not tail.endswith(sign):
            return None
        tail = tail.removesuffix(sign)
    elif closed and not opened:
        tail = f"{closed}{tail}"
    return tail.strip(_SPACES)


def cut_comment(text: str) -> int:
    """Where the comment at the end of a text begins that is set off; 0 where there is none."""
    for match in DIALECT.tokens("tail").finditer(text) if "#" in text or "<!--" in text else ():
        if match.lastgroup in ("HTML_COMMENT", "COMMENT") and text[: match.start()].strip(f"{BLANKS}>-"):
            return match.start()
    return 0


_WRITTEN = {"title": ("# Plan: {}",), "goal": ("Goal: {}",), "constraints": ("Constraints:", "- {}")}


def _write_header(kind: str, text: str, *, has_colon: bool, is_set_off: bool) -> tuple[str, ...] | None:
    """The canonical lines of a header; None where it is none, empty where its text is missing."""
    if kind == "constraints" and has_colon and DIALECT.terminal("NOTHING").fullmatch(text):
        text = ""
    if text:
        return tuple(row.format(text) for row in _WRITTEN[kind]) if has_colon and kind in _WRITTEN else None
    if kind in ("title", "goal"):
        return () if is_set_off and (has_colon or kind == "goal") else None
    return ("## Steps",) if kind == "steps" else ("Constraints:",)


# ---------------------------------------------------------------- steps


def deviation_of(code: str, line: str, start: int, end: int, risk: Risk | None = Risk.LOW) -> Deviation:
    """A deviation in the words of its code, which show what is written there."""
    said = line[start:end].strip(_SPACES)
    message = _MESSAGES[code].replace("{}", f"`{said[:60]}`")
    return deviate(code, message, start, end, risk)


def deviate(code: str, message: str, start: int, end: int, risk: Risk | None = Risk.LOW) -> Deviation:
    """A deviation with what is expected where it is, and advice, by its code."""
    return Deviation(code, message, start, end, risk, _HELP.get(code, ""), _EXPECTED.get(code, ()))


class _Part(NamedTuple):
    """A part of a step's line: the terminal that it is written in, what that says, and where it goes.

    It ends before the white space behind it.
    """

    terminal: str
    value: str
    start: int
    end: int


_Parts = Mapping[str, _Part]


def _parts_of(rule: str, match: Match[str]) -> _Parts:
    """The parts of a line that a rule for steps has matched, by their names."""
    values, found = match.groups(), {}
    for part, at, terminals in _groups_of(rule):
        if (written := values[at]) is None:
            continue
        start, terminal, value = match.start(part), "", written
        for name, below in terminals:
            if (said := values[below]) is not None:
                terminal, value = name, said
        found[part] = _Part(terminal, value, start, start + len(written.rstrip(_SPACES)))
    return found


@cache
def _groups_of(rule: str) -> list[tuple[str, int, list[tuple[str, int]]]]:
    """The parts of a rule, each with the place of its group, and with the terminals in it and those of theirs."""
    names = [*DIALECT.rule(rule).groupindex]
    return [
        (part, at, [(name[len(part) + 1 :], below) for below, name in enumerate(names) if name.startswith(f"{part}_")])
        for at, part in enumerate(names)
        # Others are called by both: `type_TYPE_LABEL`.
        if part.islower() or part.isupper()
    ]


def _read_step(line: str, signs: Mapping[str, PlanStatus]) -> LineReading | None:
    rules = ["step"]
    if "] [" in line:
        rules.insert(0, "late_step")
    if line.lstrip("-*+•_` ")[:1] in ("[", "［", "【"):
        rules.insert(0, "early_step")
    for rule in rules:
        match = DIALECT.match(rule, line)
        if match and (found := _read_typed(match, _parts_of(rule, match), signs)):
            return found
    return None


def _read_typed(match: Match[str], parts: _Parts, signs: Mapping[str, PlanStatus]) -> LineReading | None:
    """A line with a type, or with what stands in its place."""
    part = parts.get("early_type") or parts["type"]
    word = part.value.strip(BLANKS)
    meant = "" if part.terminal == "TYPE_UNKNOWN" else word if word in STEP_TYPES else read_type(word)
    if "number" not in parts:
        is_listed = "bullet" in parts or DIALECT.terminal("TYPE_NAME").fullmatch(word)
        if not (meant and is_listed) or part.terminal == "TYPE_LABEL" or "name" in parts:
            return None
    if "late" in parts and not meant:
        return None
    step, told = _build_step(match, parts, signs, meant or word)
    if part.terminal in ("TYPE", "TYPE_TIGHT") and meant != word and meant:
        help = f"did you mean `[{meant}]`? {_TYPES}"
        told.append(Deviation("PS202", f"invalid type '{word}'", part.start, part.end, help=help))
    is_typed = part.terminal not in ("TYPE_UNKNOWN", "TYPE_OPEN")
    if not is_typed:
        told = [evolve(one, help=_show_gap(step)) if one.code == "PS112" else one for one in told]
    return LineReading("step" if is_typed else "untyped", tuple(sorted(told, key=_START)), step=step)


def _read_untyped(line: str, default_type: str, signs: Mapping[str, PlanStatus]) -> LineReading | None:
    """A line of a list without a type: a step where there is a default type, else no more than a bullet."""
    rule = "untyped_step"
    match = DIALECT.match(rule, line)
    if match is None:
        rule = "bullet_line"
        match = DIALECT.match(rule, line)
    if match is None:
        return None
    bullet = match.end("bullet") if match["bullet"] else 0
    if rule == "bullet_line" and not default_type:
        deviations = () if line.startswith("- ") else (_miss_of_bullet(bullet),)
        return LineReading("bullet", deviations, text=line[bullet:].strip(_SPACES))
    parts = _parts_of(rule, match)
    step, told = _build_step(match, parts, signs, default_type)
    at = parts["TAIL"].start if "TAIL" in parts else len(line)
    told.append(_miss_of_type(line, at, step, Risk.LOW if default_type else None))
    text = line[match.end("number") if "number" in parts else bullet :].strip(_SPACES)
    return LineReading("step" if default_type else "untyped", tuple(sorted(told, key=_START)), step=step, text=text)


def _build_step(
    match: Match[str], parts: _Parts, signs: Mapping[str, PlanStatus], step_type: str
) -> tuple[StepLine, list[Deviation]]:
    """What the parts of a line say of a step, and which of them differ from the form."""
    line = match.string
    behind = parts.get("TAIL") or _Part("", "", len(line), len(line))
    tail = read_tail(behind.value, behind.start, line)
    statuses = {name: _status_of(parts[name], line, signs) for name in _STATUS_PARTS if name in parts}
    # The mark behind the number counts.
    known = [status for status in statuses.values() if status is not None]
    number, kind = _read_number(parts.get("number"))
    name = parts["name"].value.strip(BLANKS) if "name" in parts else ""
    mark = MARKS[known[-1]] if known else ""
    step = StepLine(number, kind, mark, name, step_type, tail.description, tail.outputs, tail.pieces)
    return step, [*_find_misses(match, parts, statuses), *tail.deviations]


_STATUS_PARTS = ("box", "mark", "late")
_BEFORE_NUMBER = ("STEP_HASHES", "bullet", "box")


def _find_misses(match: Match[str], parts: _Parts, statuses: Mapping[str, PlanStatus | None]) -> Iterator[Deviation]:
    """What of the parts in front of a tail is not of the form: those whose terminals have a row in the table."""
    line, lead = match.string, [match.span(name) for name in _BEFORE_NUMBER if name in parts]
    if "number" not in parts:
        yield deviate("PS110", "the id of the step is missing", 0, lead[-1][1] if lead else 1)
    elif lead:
        yield deviate("PS110", "a step must start with its id", lead[0][0], lead[-1][1])
    forms = DIALECT.forms
    for name, part in parts.items():
        form = None if name == "bullet" else forms.get(part.terminal)
        if form is None:
            continue
        if form.code == "PS113":
            yield _miss_of_space(line, part)
            continue
        risk = form.risk
        if name in statuses:
            # What the caller says of a sign is as good as a table.
            risk = None if statuses[name] is None else risk or Risk.LOW
        said = _SAID.get(part.terminal, _MESSAGES[form.code]).replace("{}", f"`{line[part.start : part.end][:60]}`")
        yield deviate(form.code, said, part.start, part.end, risk)
    if len(statuses) > 1 and None not in statuses.values() and len({*statuses.values()}) > 1:
        *_, last = statuses
        yield deviate("PS111", "two marks that differ", parts[last].start, parts[last].end, None)


_TYPES = f"the types are {list_types('and')}"
# What is said of parts that are written in these terminals.
_SAID = {
    "MARK_LATE": "the mark must come before the type",
    "TYPE_FIRST": "the type must come after the id",
    "TYPE_OPEN": "missing `]` after {}",
}


def _miss_of_space(line: str, part: _Part) -> Deviation:
    said, is_wide = f"`{line[part.start : part.end][:60]}`", line[part.end : part.end + 1] in _SPACES
    message = (
        f"the white space after {said} is not spaces or tabs" if is_wide else f"white space is missing after {said}"
    )
    return deviate("PS113", message, part.end, part.end + 1)


def _read_number(part: _Part | None) -> tuple[str, Number]:
    """The number of a step as digits joined by dots, and its kind."""
    if part is None:
        return "", Number.NONE
    read = _NUMBERS.get(part.terminal)
    if read is None:
        return "", Number.PLAIN
    number = read(part.value.strip(_SPACES))
    if part.terminal == "NUMBER_LETTER":
        return number, Number.LETTER
    return number, Number.DOTTED if "." in number else Number.PLAIN


def _read_digits(written: str) -> str:
    if grammars.pattern("planspec", "ID").fullmatch(written):
        return written
    written = written.replace("🔟", "10")
    return ".".join(number.lstrip("0") or "0" for number in written.translate(_WIDE).strip(".:：").split("."))


def _read_chinese(written: str) -> str:
    tens, ten, units = written.rpartition("十")
    return str(10 * (_NUMERALS.find(tens) + 1 if tens else len(ten)) + _NUMERALS.find(units or " ") + 1)


_NUMBERS: Mapping[str, Callable[[str], str]] = {
    **dict.fromkeys(("NUMBER", "NUMBER_TIGHT"), str),
    **dict.fromkeys(("NUMBER_WORDED", "NUMBER_SIGN", "NUMBER_OPEN", "NUMBER_KEY"), _read_digits),
    "NUMBER_CIRCLED": lambda written: str(ord(written) - ord("①") + 1),
    "NUMBER_CHINESE": _read_chinese,
    "NUMBER_LETTER": lambda written: str(ord(written.lower()) - 96),
}


def _status_of(part: _Part, line: str, signs: Mapping[str, PlanStatus]) -> PlanStatus | None:
    """What a mark means; None for one that is unknown."""
    said = line[part.start : part.end]
    if signs and (told := _told_by(signs, said)):
        return told
    return (
        _BY_MARK[said[1].lower()]
        if part.terminal.startswith("MARK")
        else _STATUSES.get(part.terminal.partition("_")[0])
    )


def _told_by(signs: Mapping[str, PlanStatus], said: str) -> PlanStatus | None:
    """What the caller says that a sign means."""
    bare = said.replace("\ufe0f", "").strip(f"{_SPACES}[]［］【】")
    return signs.get(bare) or signs.get(said)


def _miss_of_bullet(end: int) -> Deviation:
    return Deviation("PS118", "a constraint must start with `- `", 0, max(end - 1, 1))


def _miss_of_type(line: str, at: int, step: StepLine, risk: Risk | None) -> Deviation:
    word = line[at:].split(" ", 1)[0]
    message, help = "the type in square brackets is missing", _HELP["PS112"] if risk else _show_gap(step)
    if any(unicodedata.category(sign)[0] == "M" for sign in word) and "[" in line[at:]:
        message = f"`{word[:60]}` is not a name: it has combining marks, which are no letters"
        risk, help = None, _HELP["PS112"]
    return Deviation("PS112", message, at, at + len(word), risk, help, _EXPECTED["PS112"])


def _show_gap(step: StepLine) -> str:
    """Advice for a step without a type: its line with a gap."""
    return f"{_HELP['PS112']}: `{evolve(step, type='TYPE').write(step.number or 'ID')[:200]}`"


# ---------------------------------------------------------------- tails


@define
class Tail:
    """What is behind the type of a step, see :class:`StepLine`."""

    description: str
    outputs: tuple[str, ...]
    pieces: tuple[str, ...]
    deviations: tuple[Deviation, ...]


def read_tail(text: str, offset: int, line: str) -> Tail:
    """Read what is behind the type of a step.

    Args:
        text: the end of the line.
        offset: where that begins in the line.
        line: the line.
    """
    deviations: list[Deviation] = []
    outputs: tuple[str, ...] = ()
    cuts: list[int] = []
    end, arrow = len(text), len(text)
    for match in DIALECT.tokens("tail").finditer(text):
        kind, start = str(match.lastgroup), match.start()
        if kind == "UNSIGNED":
            continue
        if kind in ("COMMENT", "HTML_COMMENT"):
            deviations.append(deviation_of("PS124", line, offset + start, offset + end, DIALECT.forms[kind].risk))
            end = start
            break
        if kind in ("BAR", "WIDE_BAR", "TIGHT_BAR"):
            cuts.append(start)
            if kind != "BAR":
                deviations.append(deviation_of("PS114", line, offset + start, offset + match.end()))
        elif kind.startswith("OUTPUTS") and not cuts and not outputs:
            arrow = start
            outputs = tuple(read_variables(match[kind]) or ())
            if kind != "OUTPUTS":
                deviations.append(_miss_of_outputs(text, match, offset))
    description = text[: min(arrow, end, cuts[0] if cuts else end)]
    # What only looks like white space is text, as in the form, unless another part in foreign signs follows.
    description = (description.rstrip(_SPACES) if deviations else description).strip(BLANKS)
    if "**" in description or "__" in description:
        description, more = _strip_marks(description, line[:offset], offset)
        deviations += more
    pieces = _read_pieces(text, [*cuts, end], offset, line, deviations) if cuts else []
    deviations.sort(key=_START)
    return Tail(description, outputs, tuple(pieces), tuple(deviations))


def _miss_of_outputs(text: str, match: Match[str], offset: int) -> Deviation:
    """An arrow that declares outputs in other signs. Behind another one of its kind it may be text, as that is."""
    start, end = offset + match.start(), offset + len(text[: match.end()].rstrip(_SPACES))
    sign = match[0].strip("*_ ")[:2]
    if sign in text[: match.start()]:
        message = "this may be text, as the arrow before it is"
        return Deviation("PS305", message, start, end, None, "write `→` before outputs")
    return Deviation("PS305", _MESSAGES["PS305"], start, end, Risk.MEDIUM)


def _strip_marks(description: str, lead: str, offset: int) -> tuple[str, list[Deviation]]:
    """A description without the marks that are around it, or that close those in front of it."""
    plain = unwrap(description)
    for sign in _PAIRS:
        if lead.count(sign) % 2 == 1 and sign in plain:
            plain = plain.removesuffix(sign) if plain.endswith(sign) else plain.replace(sign, "", 1)
    if plain == description:
        return description, []
    message = "the text has markup around it"
    return plain.strip(BLANKS), [Deviation("PS107", message, offset, offset + max(len(description), 1))]


def _read_pieces(text: str, cuts: Sequence[int], offset: int, line: str, deviations: list[Deviation]) -> list[str]:
    """The pieces behind the separators, each as it is written; what differs is added to the deviations."""
    kept: list[str] = []
    has_progress = False
    for bar, stop in pairwise(cuts):
        piece = text[bar + 1 : stop].strip(_SPACES if deviations else BLANKS)
        start = offset + text.index(piece, bar + 1)
        end = start + len(piece)
        match = DIALECT.rule("piece").match(piece)
        kind = str(match.lastgroup) if match else ""
        if not match:
            deviations.append(deviate("PS114", "nothing follows the separator `|`", offset + bar, offset + bar + 1))
            continue
        if kind.startswith("PROGRESS") and has_progress:
            deviations.append(deviate("PS116", "a second `Progress:` in one line", start, end, None))
        elif kind == "PROGRESS_BAD":
            deviations.append(deviation_of("PS115", line, start, end, None))
        elif kind.startswith("PROGRESS"):
            has_progress = True
            kept.append(_write_progress(match[kind]))
            if kind != "PROGRESS":
                deviations.append(deviation_of("PS115", line, start, end))
            continue
        kept.append(f"\\{piece}" if piece.startswith("Progress:") else piece)
    return kept


def _write_progress(rounds: str) -> str:
    counts = DIALECT.terminal("LOOSE_ID").findall(rounds.translate(_WIDE))
    return f"Progress: {'/'.join(str(int(count)) for count in counts)}"


def find_arrow(description: str) -> tuple[int, tuple[str, ...]] | None:
    """Where an arrow in other signs stands at the end of a description, and the variables; None without one."""
    for match in DIALECT.tokens("tail").finditer(description):
        if match.lastgroup in ("OUTPUTS_ARROW", "OUTPUTS_SIGNS"):
            return match.start(), tuple(read_variables(match[match.lastgroup]) or ())
    return None


def read_progress(piece: str) -> str:
    """The progress that is meant by a piece such as ``progress 3/5``; empty for any other, and for one as written."""
    match = DIALECT.rule("piece").match(piece)
    return _write_progress(match["PROGRESS_WORDS"]) if match and match["PROGRESS_WORDS"] else ""


# ---------------------------------------------------------------- labels below a step


def _read_label(line: str) -> LineReading | None:
    """A label below a step with a value that fits, or an arrow with variables."""
    code = "PS107"
    if match := DIALECT.match("flow", line):
        kind = "inputs" if match["inputs"] else "outputs"
        code = "PS107" if match["inputs"] else "PS126"
        value = match["inputs_INPUTS_ARROW"] or match["outputs_OUTPUTS_LINE"]
    elif match := DIALECT.match("label", line):
        kind = next(name for name, group in _FIELDS.items() if match[group])
        value = (match["TAIL"] or "").strip(_SPACES)
        opened = (match["OPEN_MARKS"] or "").strip(BLANKS)
        if opened and not (match["INNER_MARKS"] or match["CLOSE_MARKS"]):
            value = value.removesuffix(opened)
    else:
        return None
    said = _read_value(kind, value)
    if said is None:
        return None
    names, text = said
    listed = ", ".join(names)
    message = _MESSAGES["PS107"].format(f"`{line[:60]}`")
    help = _PLACES[kind].format(listed[:60] or text or "name")
    rows = (f"> ← {listed}",) if kind == "inputs" and names else ()
    return LineReading(kind, (Deviation(code, message, 0, len(line), help=help),), rows, text=text, names=names)


def _read_value(kind: str, value: str) -> tuple[tuple[str, ...], str] | None:
    """The variables that a label has, or else what a step says in its place; None where its value does not fit."""
    if kind in ("inputs", "outputs"):
        names = [] if DIALECT.terminal("NOTHING").fullmatch(value) else read_variables(value)
        return None if names is None else (tuple(names), "")
    if kind == "status":
        status = read_status(value)
        return None if status is None else ((), MARKS[status])
    return ((), _write_progress(value)) if DIALECT.terminal("LOOSE_ROUNDS").fullmatch(value) else None


_FIELDS = {
    "inputs": "field_INPUTS_WORD",
    "outputs": "field_OUTPUTS_WORD",
    "status": "field_STATUS_WORD",
    "progress": "field_PROGRESS_WORD",
}
_PLACES = {
    "inputs": "inputs stand in a line of their own below their step: `> ← {}`",
    "outputs": "outputs come after the description of their step: `→ {}`",
    "status": "a status is a mark after the id of its step, such as `1. [{}] [act]`",
    "progress": "a progress comes at the end of the line of its step: `| {}`",
}


def add_label(step: StepLine, label: LineReading) -> StepLine | None:
    """A step with what a label below it says; None where the step says something else already."""
    if label.kind == "outputs":
        if step.outputs and label.names and step.outputs != label.names:
            return None
        return evolve(step, outputs=label.names or step.outputs)
    if label.kind == "status":
        is_said = step.mark and step.mark != label.text
        return None if is_said else evolve(step, mark=label.text)
    if any(piece.startswith("Progress:") for piece in step.pieces):
        return None
    return evolve(step, pieces=(*step.pieces, label.text))


# ---------------------------------------------------------------- tables


def _cells(row: str) -> list[str]:
    bare = row.strip(BLANKS).removeprefix("|").removesuffix("|")
    cells, start = [], 0
    for match in DIALECT.tokens("cell").finditer(bare):
        if match.lastgroup == "CELL_END":
            cells.append(bare[start : match.start()])
            start = match.end()
    return [unwrap(cell.strip(_SPACES)) for cell in [*cells, bare[start:]]]


def read_columns(row: str) -> list[str] | None:
    """The fields that the first row of a table names, one a column; None where it is no table of steps."""
    found = [DIALECT.word("column", cell).removesuffix("_COLUMN").lower() for cell in _cells(row)]
    if found.count("id") > 1 and "text" not in found:
        # `# | Step`: the number, and what is to be done.
        found[found.index("id", found.index("id") + 1)] = "text"
    is_known = all(found) and len(set(found)) == len(found) and {"type", "text"} <= set(found)
    return found if is_known else None


def read_row(
    row: str, columns: Collection[str], signs: Mapping[str, PlanStatus]
) -> tuple[LineReading, list[str]] | None:
    """A row of a table as a step, and its inputs; None for one that only sets the first row off, or fits no column."""
    cells = _cells(row)
    if len(cells) != len(columns):
        return None
    said = {
        name: cell
        for name, cell in zip(columns, cells, strict=True)
        if cell and not DIALECT.terminal("NOTHING").fullmatch(cell)
    }
    number, word = said.get("id", "").rstrip(".)）"), said.get("type", "").strip("[]【】`*")
    parts = (
        f"{number}." if number else "-",
        f"[{said['status'].strip('[]')}]" if "status" in said else "",
        said.get("name"),
        f"[{word}]",
        said.get("text"),
        f"→ {said['outputs']}" if "outputs" in said else "",
        f"| {said['result']}" if "result" in said else "",
        f"| Progress: {said['progress']}" if "progress" in said else "",
    )
    reading = read_line(" ".join(filter(None, parts)), signs=signs)
    if reading is None or reading.step is None:
        return None
    inputs = read_variables(said["inputs"]) if "inputs" in said else []
    is_clear = reading.kind == "step" and bool(read_type(word)) and risk_of(reading.deviations) is not None
    is_clear = is_clear and inputs is not None and bool(reading.step.outputs) >= ("outputs" in said)
    deviation = Deviation("PS101", "a row of a table is read as a step", 0, len(row), Risk.LOW if is_clear else None)
    return LineReading("step", (deviation,), step=reading.step), inputs or []


# ---------------------------------------------------------------- ids


@define
class _Above:
    """A step that others may stand below: how far its line is indented, its id, what it is numbered by, and how many
    steps without an id of their own it has so far."""

    indent: int
    step_id: str
    kind: Number
    count: int = 0


@define
class Numbering:
    """Gives steps their ids: by depth and number where they have none of their own."""

    _open: list[_Above] = field(factory=list)
    _counts: dict[str, int] = field(factory=dict)

    def place(self, number: str, kind: Number, indent: int) -> str:
        """The id of the next step."""
        if kind is Number.DOTTED:
            # Those that are open stand below each other.
            while self._open and not number.startswith(f"{self._open[-1].step_id}."):
                self._open.pop()
            step_id = number
        else:
            while self._open and not self._holds(self._open[-1], kind, indent):
                self._open.pop()
            parent = self._open[-1].step_id if self._open else ""
            step_id = f"{parent}.{number or self._counts.get(parent, 0) + 1}".lstrip(".")
        parent, _, last = step_id.rpartition(".")
        self._counts[parent] = max(self._counts.get(parent, 0), int(last))
        self._open.append(_Above(indent, step_id, kind))
        return step_id

    @property
    def has_numbers(self) -> bool:
        """Whether a step with a number or an id is open."""
        return any(one.kind <= Number.PLAIN for one in self._open)

    def note(self, step_id: str, indent: int) -> None:
        """Take a step that has its id."""
        self.place(step_id, Number.DOTTED, indent)

    @staticmethod
    def _holds(above: _Above, kind: Number, indent: int) -> bool:
        """Whether a step stands below the one above it."""
        if indent != above.indent:
            return indent > above.indent
        return kind in (Number.LETTER, Number.NONE) and above.kind < kind
