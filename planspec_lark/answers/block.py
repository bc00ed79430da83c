"""Where the plan is in an answer: what is set aside first, and the one block of lines that hold it.

Rules 0 and 1 of the reading of answers (``docs/reference/answers.md``). All is found by structure, never by what a
sentence says. A text keeps its length through all of this, so that places in it are those in the answer; only escapes
and values of JSON make another text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from attrs import field, frozen

from planspec_lark.planspec.dialect import DIALECT, WIDE, LineReading, names_type, read_columns, read_line
from planspec_lark.planspec.positions import line_pattern
from planspec_lark.planspec.recovery import indent_of
from planspec_lark.syntax.fences import Fence, find_fences, unquote
from planspec_lark.syntax.source import BLANKS

__all__ = ["Block", "Stretch", "find_blocks", "find_strays", "is_plan_line"]

# Behind a line break, which is found faster than the start of a line.
_QUOTED = re.compile(r"\n((?:[ \t]*+>[^\n]*+(?:\n|\Z)){2,})")
# A title that only the line below it makes one of a plan.
_HEADING = re.compile(r"#[ \t]+[^ \t\r\n]")
_LABELS = ("inputs", "outputs", "status", "progress")
_PARTS = ("title", "goal", "constraints", "steps")


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
    return re.compile(DIALECT.terminal("MAYBE").pattern, re.MULTILINE)


# ---------------------------------------------------------------- lines


def _iter_lines(text: str, start: int, end: int, written: str = "") -> Iterator[tuple[int, int, str, int]]:
    """The lines between two offsets: start, end with the line break, content, and how far it is indented."""
    while start < end:
        newline = text.find("\n", start, end)
        behind = end if newline < 0 else newline + 1
        row = text[start:behind].rstrip("\r\n")
        content = row.strip(f"{BLANKS}{WIDE}")
        at = start + len(row) - len(row.lstrip(f"{BLANKS}{WIDE}"))
        indent = indent_of(written or text, at) if content else 0
        yield start, behind, content, indent
        start = behind


def is_plan_line(content: str, default_type: str = "") -> bool:
    """Whether a line is a step with a type, or the header of the steps."""
    if DIALECT.terminal("MAYBE").search(content) is None:
        return False
    reading = read_line(content, default_type=default_type)
    return reading is not None and reading.kind in ("step", "steps")


def _has_plan_line(text: str, start: int, end: int) -> bool:
    return any(is_plan_line(content) for _, _, content, _ in _iter_lines(text, start, end) if content)


# ---------------------------------------------------------------- blocks


def find_blocks(text: str, default_type: str = "", written: str = "") -> list[Block]:
    """The blocks of a text that hold plans: its code blocks and quotes; without one, stretches of lines.

    ``written`` is the text before anything was set aside, which shows how lines are indented.
    """
    fences = list(find_fences(text))
    found = [block for fence in fences if (block := _block_of(text, fence))]
    found += _quoted_blocks(text, fences)
    if found:
        return sorted(found, key=lambda block: block.start)
    return list(_find_stretches(text, fences, default_type, written or text))


def _block_of(text: str, fence: Fence) -> Block | None:
    whole = text
    if fence.is_quoted:
        whole = text[: fence.body_start] + unquote(text[fence.body_start : fence.body_end]) + text[fence.body_end :]
    if not _has_plan_line(whole, fence.body_start, fence.body_end):
        return None
    return Block(fence.body_start, fence.body_end, fence.start, fence.end, not fence.is_closed, whole)


def _quoted_blocks(text: str, fences: list[Fence]) -> Iterator[Block]:
    """Quotes of two lines or more with a plan line in them."""
    if ">" not in text:
        return
    for match in _QUOTED.finditer(f"\n{text}"):
        start, end = match.start(), match.end() - 1
        if any(fence.start < end and start < fence.end for fence in fences) or _is_owned(text, start):
            continue
        inner = unquote(match[1])
        if _has_plan_line(inner, 0, len(inner)):
            yield Block(start, end, start, end, is_open=False, text=text[:start] + inner + text[end:])


def _is_owned(text: str, start: int) -> bool:
    """Whether lines with `>` stand directly below a step or a goal, whose detail they are."""
    above = text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : start].strip(f"{BLANKS}{WIDE}\r\n")
    reading = read_line(above) if above else None
    return reading is not None and reading.kind in ("step", "goal")


def _find_stretches(text: str, fences: list[Fence], default_type: str, written: str) -> Iterator[Block]:
    """Lines outside of code blocks that hold a plan, each from where it begins to where it ends."""
    at = 0
    while at < len(text):
        stretch = Stretch(text, fences, default_type, written)
        at = stretch.read(at)
        if stretch.has_plan_line and stretch.start is not None:
            end = stretch.start + len(text[stretch.start : stretch.end].rstrip(f"{BLANKS}\r\n"))
            end += text[end : stretch.end].find("\n") + 1
            yield Block(stretch.start, max(end, stretch.start), stretch.start, end, is_open=False, text=text)


class Stretch:
    """Reads lines from an offset on up to the end of the first stretch that may be a plan; or is given line by line.

    Attributes:
        start, end: its bounds; without a start, it has not begun.
        has_plan_line: whether it is known to hold a plan.
        indent: how far its first line is indented.
        heading: where a heading stands that may begin it.
    """

    def __init__(self, text: str = "", fences: Sequence[Fence] = (), default_type: str = "", written: str = "") -> None:
        self.text = text
        self.written = written or text
        self.fences = {fence.start: fence for fence in fences}
        self.default_type = default_type
        self.start: int | None = None
        self.end = 0
        self.has_plan_line = False
        self.seen: set[str] = set()
        self.indent = 0
        self.is_set_off = True
        self.heading: int | None = None
        self.wants_text = False
        self.has_table = False

    def read(self, at: int) -> int:
        """Read on; returns where the next stretch may begin."""
        while at < len(self.text):
            fence = self.fences.get(at)
            if fence is not None and (self.start is None or fence.indent <= self.indent or not self.has_plan_line):
                if self.start is not None:
                    return at
                at, self.heading = fence.end, None
                continue
            start, behind, content, indent = next(_iter_lines(self.text, at, len(self.text), self.written))
            if not self.take(start, behind, content, indent):
                return start
            at = behind
        return at

    def take(self, start: int, behind: int, content: str, indent: int) -> bool:
        """Take the next line; False where it is none of the stretch, which ends before it."""
        if not content:
            self.is_set_off = True
        elif self.start is None:
            self._begin(start, behind, content, indent)
        elif self._goes_on(content, indent):
            self.end = behind
            self.is_set_off = False
        else:
            return False
        return True

    def _begin(self, start: int, behind: int, content: str, indent: int) -> None:
        reading = self._reading(content)
        kind = reading.kind if reading else ""
        if kind == "step" or kind in _PARTS or (kind == "table" and read_columns(content)):
            self.start = start if self.heading is None or kind == "title" else self.heading
            self.end, self.indent = behind, indent
            self._note(kind, reading)
            self.is_set_off = False
        elif _HEADING.match(content) and not content.startswith("##"):
            self.heading = start
        else:
            self.heading = None

    def _reading(self, content: str) -> LineReading | None:
        is_table = content.startswith("|")
        if self.start is None and not is_table and DIALECT.terminal("MAYBE").search(content) is None:
            return None
        return read_line(content, default_type=self.default_type if self.has_plan_line else "")

    def _note(self, kind: str, reading: LineReading | None) -> None:
        self.has_plan_line = self.has_plan_line or kind in ("step", "steps") or kind == "table"
        self.has_table = self.has_table or kind == "table"
        self.seen.add(kind)
        # A goal has its text in the line below its header.
        self.wants_text = kind == "goal" and reading is not None and not reading.rows

    def _goes_on(self, content: str, indent: int) -> bool:
        """Whether a line is one of the same stretch."""
        if self.wants_text:
            self.wants_text = False
            reading = read_line(content)
            if reading is None or reading.kind in ("bullet", "untyped"):
                return True
        if indent > self.indent:
            reading = self._reading(content)
            if reading is not None and reading.kind == "step":
                self._note("step", reading)
            return True
        reading = self._reading(content)
        kind = reading.kind if reading else ""
        form = line_pattern().match(f"{content}\n")
        # A heading is the title only where the plan begins.
        is_heading = form is not None and form.lastgroup == "title" and kind != "title" and "Plan:" not in content
        is_again = kind in ("title", "goal", "steps") and kind in self.seen
        if is_heading or is_again or (self.is_set_off and kind in _LABELS):
            return False
        if kind in ("bullet", "untyped"):
            is_step = "step" in self.seen
            return not (is_step and self.is_set_off) and bool(self.seen & {"step", "steps", "constraints"})
        return self._takes(kind, content, reading, is_form=form is not None) or (
            # It may be a step in a form that is not known, and is not to be lost.
            not kind and not self.is_set_off and names_type(content)
        )

    def _takes(self, kind: str, content: str, reading: LineReading | None, *, is_form: bool) -> bool:
        """Whether a line of a kind is one of a plan; it is noted."""
        self.has_table = self.has_table or (kind == "table" and read_columns(content) is not None)
        if kind and (kind != "table" or self.has_table):
            self._note(kind, reading)
        return kind != "fence" and (is_form or (bool(kind) and (kind != "table" or self.has_table)))


# ---------------------------------------------------------------- strays


def find_strays(text: str, start: int, end: int) -> Iterator[tuple[int, int, LineReading]]:
    """The lines between two offsets that are a step with a type, or head a part of a plan, each with its bounds."""
    at = start
    for match in _maybe().finditer(text, start, end):
        if match.start() < at:
            continue
        first = text.rfind("\n", start, match.start()) + 1 or start
        last = text.find("\n", match.end(), end)
        last = end if last < 0 else last
        at = last + 1
        content = text[first:last].strip(f"{BLANKS}\r")
        content = content.lstrip(f"> {BLANKS}") if content.startswith(">") else content
        reading = read_line(content)
        if reading is not None and reading.kind in ("step", "goal", "constraints", "steps"):
            yield first, last, reading
