"""Where the plan is in an answer: what is set aside first, and the one block of lines that hold it.

Rules 0 and 1 of the reading of answers (``docs/reference/answers.md``). All is found by structure, never by what a
sentence says. A text keeps its length through all of this, so that places in it are those in the answer; only escapes
and values of JSON make another text.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache

from attrs import define, field, frozen

from planspec_lark.planspec.dialect import (
    DIALECT,
    NO_SIGNS,
    WIDE,
    LineReading,
    is_elision,
    names_type,
    read_columns,
    read_line,
    read_row,
)
from planspec_lark.planspec.models import STEP_TYPES
from planspec_lark.planspec.positions import line_pattern
from planspec_lark.planspec.recovery import indent_of
from planspec_lark.syntax import grammars
from planspec_lark.syntax.fences import Fence, find_fences, unquote
from planspec_lark.syntax.source import BLANKS

__all__ = ["Block", "Lines", "Stretch", "bare_line", "find_blocks", "find_strays"]

# Behind a line break, which is found faster than the start of a line.
_QUOTED = re.compile(r"\n((?:[ \t]*+>[^\n]*+(?:\n|\Z)){2,})")
# A title that only the line below it makes one of a plan.
_HEADING = re.compile(r"#[ \t]+[^ \t\r\n]")
_ROW = re.compile(r"[^\n]+")
_LABELS = ("inputs", "outputs", "status", "progress")
_PARTS = ("title", "goal", "constraints", "steps")
# How lines begin that belong to a part.
_SIGNS = {"goal": ">", "step": ">", "constraints": "-"}
_WHITE = f"{BLANKS}{WIDE}"


@frozen
class Block:
    """The lines that hold a plan.

    Attributes:
        start, end: their bounds.
        around_start, around_end: the same with the signs of the code block or quote around them.
        is_open: whether they stand in a code block that nothing closes.
        text: the whole text, in which the signs of a quote are white space.
    """

    start: int
    end: int
    around_start: int
    around_end: int
    is_open: bool
    text: str = field(repr=False)


@cache
def _maybe() -> re.Pattern[str]:
    """What finds the lines of a text that may be a plan's."""
    return re.compile(grammars.expression(DIALECT.language, "MAYBE"), re.MULTILINE)


@cache
def _steps_header() -> re.Pattern[str]:
    """What finds the header of the steps as the form has it."""
    return re.compile(
        f"^[{BLANKS}]*+{grammars.regular('planspec').make('pattern', 'steps_header', None, ())}", re.MULTILINE
    )


@define(eq=False)
class Lines:
    """What lines say that may be the first of a plan, given one after the other.

    What a row of a table says hangs on the row that names the columns; it is a step only with a type that is known.
    """

    _columns: Collection[str] = ()

    def read(self, content: str) -> LineReading | None:
        """What the next line says."""
        if not content.startswith("|"):
            return read_line(content) if _maybe().search(content) else None
        if not DIALECT.match("table", content):
            return None
        self._columns = read_columns(content) or self._columns
        found = read_row(content, self._columns, NO_SIGNS) if self._columns else None
        is_step = found is not None and found[0].step is not None and found[0].step.type in STEP_TYPES
        return found[0] if found and is_step else None

    def is_plan_line(self, content: str) -> bool:
        """Whether the next line is a step with a type, or the header of the steps."""
        reading = self.read(content)
        return reading is not None and reading.kind in ("step", "steps")


# ---------------------------------------------------------------- blocks


def find_blocks(text: str, default_type: str = "", written: str = "") -> list[Block]:
    """The blocks of a text that hold plans: its code blocks and quotes; without one, stretches of lines.

    ``written`` is the text before anything was set aside, which shows how lines are indented.
    """
    stretches = _Stretches(text, default_type, written or text)
    for fence in find_fences(text, stretches.has_line):
        stretches.fences[fence.start] = fence
    fences = list(stretches.fences.values())
    found = [*_find_fenced(text, fences), *_find_quoted(text, fences)]
    found.sort(key=lambda block: block.start)
    return found or stretches.find_all()


def _has_plan_line(lines: str) -> bool:
    # What the form shows needs no dialect, which takes long to load.
    if _steps_header().search(lines):
        return True
    # Most of those that have any have it among their first lines.
    is_plan_line = Lines().is_plan_line
    return any(is_plan_line(row[0].strip(f"{_WHITE}\r")) for row in _ROW.finditer(lines))


def _find_fenced(text: str, fences: Sequence[Fence]) -> Iterator[Block]:
    for fence in fences:
        start, end = fence.body_start, fence.body_end
        inner = unquote(text[start:end]) if fence.is_quoted else text[start:end]
        if _has_plan_line(inner):
            whole = text[:start] + inner + text[end:] if fence.is_quoted else text
            yield Block(start, end, fence.start, fence.end, not fence.is_closed, whole)


def _find_quoted(text: str, fences: Sequence[Fence]) -> Iterator[Block]:
    """Quotes of two lines or more with a plan line in them."""
    for match in _QUOTED.finditer(f"\n{text}") if ">" in text else ():
        start, end = match.start(), match.end() - 1
        above = text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : start]
        is_fenced = any(fence.start < end and start < fence.end for fence in fences)
        if not (is_fenced or _has_detail(above)) and _has_plan_line(inner := unquote(match[1])):
            yield Block(start, end, start, end, is_open=False, text=text[:start] + inner + text[end:])


def bare_line(line: str) -> str:
    """What a line says: behind text, what only looks like white space is text to the form."""
    return line.lstrip(f"{_WHITE}\r\n").rstrip(f"{BLANKS}\r\n")


def _has_detail(line: str) -> bool:
    """Whether lines with `>` directly below a line are its detail."""
    reading = read_line(line.strip(f"{_WHITE}\r\n"))
    return reading is not None and reading.kind in ("step", "goal")


@define(eq=False)
class _Stretches:
    """Lines outside of code blocks that hold a plan, each stretch from where it begins to where it ends.

    Attributes:
        fences: the code blocks that are known so far, by where they start.
    """

    text: str
    default_type: str
    written: str
    fences: dict[int, Fence] = field(factory=dict)
    _stretch: Stretch = field(init=False)
    _found: list[Block] = field(factory=list)
    _at: int = 0

    def __attrs_post_init__(self) -> None:
        self._stretch = Stretch(self.default_type)

    def find_all(self) -> list[Block]:
        """All of them."""
        self._read(len(self.text))
        self._end()
        return self._found

    def has_line(self, sign: re.Match[str]) -> bool:
        """Whether a line that may open a code block is one of a plan that has begun above it."""
        if not sign["lead"].strip(BLANKS):
            return False
        self._read(sign.start())
        return self._stretch.has_line(sign["lead"])

    def _read(self, until: int) -> None:
        text = self.text
        while (at := self._at) < until:
            end = text.find("\n", at) + 1 or len(text)
            content = bare_line(text[at:end])
            indent = indent_of(self.written, text.index(content, at)) if content else 0
            fence = self.fences.get(at)
            if (fence and self._stretch.is_left_by(fence.indent)) or not self._stretch.take(at, end, content, indent):
                self._end()
                end = fence.end if fence else at
            self._at = end

    def _end(self) -> None:
        self._found += self._stretch.find_block(self.text)
        self._stretch = Stretch(self.default_type)


@define(eq=False)
class Stretch:
    """Lines that may be a plan, given one after the other.

    Attributes:
        default_type: the type of steps that have none. It makes no plan of a list.
        start, end: their bounds; without a start, they have not begun.
        has_plan_line: whether it is known that they are a plan.
        indent: how far the first line is indented.
        heading: where a heading, or the first row of a table, stands that may begin them.
    """

    default_type: str = ""
    start: int | None = None
    end: int = 0
    has_plan_line: bool = False
    indent: int = 0
    heading: int | None = None
    _lines: Lines = field(factory=Lines)
    _seen: set[str] = field(factory=set)
    # What a line that begins with a sign belongs to, if it is one of the form.
    _owner: str = ""
    # Whether a blank line stands in front, and whether a goal has its text in the next line.
    _is_set_off: bool = True
    _wants_text: bool = False

    def take(self, start: int, end: int, content: str, indent: int) -> bool:
        """Take the next line; False where it is none of the stretch, which ends before it."""
        if not content:
            self._is_set_off = True
            return True
        if self.start is None:
            self._begin(start, content, indent)
        elif not self._goes_on(content, indent):
            return False
        self.end, self._is_set_off = end, False
        return True

    def is_left_by(self, indent: int) -> bool:
        """Whether a code block that is indented so far is none of the stretch."""
        return not self.has_plan_line or indent <= self.indent

    def has_line(self, lead: str) -> bool:
        """Whether a line with the sign of a quote or a list in front is one of the form, directly below its owner."""
        sign = _SIGNS.get(self._owner)
        return not self._is_set_off and sign is not None and lead.lstrip(BLANKS).startswith(sign)

    def find_block(self, text: str) -> Iterator[Block]:
        """The block that the lines are, if they are a plan."""
        if self.start is not None and self.has_plan_line:
            yield Block(self.start, self.end, self.start, self.end, is_open=False, text=text)

    def _begin(self, start: int, content: str, indent: int) -> None:
        reading = self._lines.read(content)
        if reading and (reading.kind == "step" or reading.kind in _PARTS):
            self.start = start if self.heading is None or reading.kind == "title" else self.heading
            self.indent = indent
            self._note(reading, content)
        elif content.startswith("|") and read_columns(content):
            self.heading = start if self.heading is None else self.heading
        elif not (content.startswith("|") and DIALECT.terminal("TABLE_RULER").fullmatch(content)):
            self.heading = start if _HEADING.match(content) else None

    def _note(self, reading: LineReading, content: str) -> None:
        if content.startswith("|"):
            self._seen.add("table")
            reading = self._lines.read(content) or reading
        self.has_plan_line = self.has_plan_line or reading.kind in ("step", "steps")
        self._seen.add(reading.kind)
        self._owner = reading.kind if reading.kind in ("step", *_PARTS) else self._owner
        self._wants_text = reading.kind == "goal" and not reading.rows

    def _goes_on(self, content: str, indent: int) -> bool:
        """Whether a line is one of the same stretch."""
        reading = read_line(content, default_type=self.default_type if self.has_plan_line else "")
        kind = reading.kind if reading else ""
        is_text = self._wants_text and kind in ("", "bullet", "untyped")
        self._wants_text = False
        if is_text:
            return True
        if indent <= self.indent and not self._is_line(kind, content):
            return False
        if reading and (indent <= self.indent or kind == "step"):
            self._note(reading, content)
        return True

    def _is_line(self, kind: str, content: str) -> bool:
        """Whether a line that is not indented is one of the plan."""
        if not kind and _HEADING.match(content) and "Plan:" not in content:
            # A heading is the title only where the plan begins.
            return False
        if kind in ("bullet", "untyped"):
            return not ("step" in self._seen and self._is_set_off) and not self._seen.isdisjoint(
                ("step", "steps", "constraints")
            )
        if kind == "table":
            # Below steps and a blank line, a table is one of something else, or another plan.
            is_other = "step" in self._seen and self._is_set_off
            return "table" in self._seen or (not is_other and read_columns(content) is not None)
        if kind in _LABELS:
            return not self._is_set_off
        if kind:
            return kind != "fence" and not (kind in ("title", "goal", "steps") and kind in self._seen)
        return line_pattern().match(f"{content}\n") is not None or self._stands_for_steps(content)

    def _stands_for_steps(self, content: str) -> bool:
        """Whether a line stands for steps that were left out, or may be one in a form that is not known."""
        if self._is_set_off:
            return DIALECT.terminal("DOTS").fullmatch(content) is not None
        return is_elision(content) or names_type(content)


# ---------------------------------------------------------------- strays


def find_strays(text: str, start: int, end: int) -> Iterator[tuple[int, int, LineReading]]:
    """The lines between two offsets that are a step with a type, or head a part of a plan, each with its bounds."""
    at, lines = start, Lines()
    for match in _maybe().finditer(text, start, end):
        if match.start() < at:
            continue
        first = text.rfind("\n", start, match.start()) + 1 or start
        last = text.find("\n", match.end(), end)
        last = end if last < 0 else last
        at = last + 1
        line = text[first:last].lstrip(BLANKS)
        reading = lines.read(line.strip(f"{BLANKS}\r").lstrip(f">{BLANKS}"))
        if reading is not None and reading.kind in ("step", *_PARTS):
            # Blanks in front may stand for reasoning that was left out, of the lines above.
            yield last - len(line), last, reading
