"""Where in a text every step and field of a plan stands.

What a reader keeps for this is small: from where to where each line goes. What is in a line is looked up when it is
asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from itertools import chain
from re import Match, Pattern
from typing import NamedTuple

from attrs import define, field, frozen

from planspec_lark.planspec.builder import SUMMARY, split_segments
from planspec_lark.planspec.models import BLANKS, STEP_FIELDS
from planspec_lark.syntax import grammars
from planspec_lark.syntax.source import Source, Span, end_last_line

__all__ = ["Fields", "LineBounds", "Positions", "StepPositions", "cut_indentation", "iter_rows", "line_pattern"]

# Field name → its spans: one for a text or a number, one an item for a list. Absent parts are left out.
Fields = dict[str, tuple[Span, ...]]

# The tokens of a summary line in its order, each with its field: of several that one token spells, the first.
_SUMMARY = {
    token: next(name for name, info in STEP_FIELDS.items() if info.token == token)
    for token in SUMMARY
    if any(info.token == token for info in STEP_FIELDS.values())
}
# What a line of the plan itself says.
_PLAN_GROUPS = {
    "title": "title_TEXT",
    "goal": "goal_TEXT",
    "constraint": "constraint_TEXT",
    "body_line": "body_line",
}
# The parts of a plan that a line adds to, where the line is called otherwise.
_PARTS = {"constraint": "constraints", "body_line": "goal_detail"}
_AROUND = f"{BLANKS}\r\n\ufeff"
# A line, and all of it that follows on its indentation, to which a byte-order mark before the text belongs.
_ROW = re.compile(rf"(?:\A\ufeff)?[{BLANKS}]*+([^\n]*\n)")


@cache
def line_pattern() -> Pattern[str]:
    """What matches as much of a text as the grammar's rule ``line`` takes."""
    return grammars.regular("planspec").pattern("line")


def cut_indentation(line: str, start: int) -> tuple[str, int]:
    """A line from its first character on that is no white space, and that one's offset; ``start`` is the line's own.

    A byte-order mark at the start of a text counts as white space.
    """
    row = (line if start else line.removeprefix("\ufeff")).lstrip(BLANKS)
    return row, start + len(line) - len(row)


def iter_rows(text: str, at: int) -> Iterator[tuple[str, int]]:
    """The lines of a text, the last of them ended, from an offset on, without their indentation."""
    for match in _ROW.finditer(text, at):
        yield match[1], match.start(1)


class LineBounds(NamedTuple):
    """Where a line that was read starts and ends, without its indentation and its line break.

    A line that had to be repaired has its parts not where the grammar finds them; ``part`` is the field that it says,
    if that is one only.
    """

    start: int
    end: int
    is_repaired: bool = False
    part: str = ""

    def repaired(self, part: str = "") -> LineBounds:
        """The same for a line that had to be repaired."""
        return LineBounds(self.start, self.end, True, part)

    def bounds_of_id(self, step_id: str) -> tuple[int, int]:
        """Where the id is in the summary line of a step."""
        return self.start, self.end if self.is_repaired else self.start + len(step_id)


@frozen
class StepPositions:
    """Where one step stands: its summary line and body, and each of its fields."""

    span: Span
    fields: Fields


@define(eq=False, slots=False)
class Positions:
    """Where a plan's parts are in its source.

    ``fields`` has those of the plan itself (title, goal, goal_detail, constraints). ``step`` and ``steps`` have those
    of the steps, by id. A field of a line that had to be repaired has the span of that line.
    """

    source: Source
    # The text that was read: that of the source, but for its reasoning.
    text: str = field(default="", repr=False)
    # From where to where the lines of a text without faults are still to be found; None where all are.
    _unread: tuple[int, int] | None = field(default=None, repr=False)
    _plan_lines: list[tuple[str, LineBounds]] = field(factory=list, repr=False)
    _step_lines: dict[str, list[LineBounds]] = field(factory=dict, repr=False)

    @classmethod
    def of_plan(cls, source: Source) -> Positions:
        """Those of a text without faults. They take longer than the plan, so they are found on demand."""
        return cls(source, source.text, (0, source.length))

    def add(self, name: str, line: LineBounds) -> None:
        """Note a line that holds a part of the plan itself."""
        self._plan_lines.append((name, line))

    def add_step(self, step_id: str, line: LineBounds) -> None:
        """Note a line of a step: its first is the summary line, any others are its body."""
        self._step_lines.setdefault(step_id, []).append(line)

    def rename(self, ids: Mapping[str, str]) -> None:
        """Call steps by other ids."""
        self._step_lines = {ids.get(step_id, step_id): lines for step_id, lines in self._step_lines.items()}

    def extend_last(self, line: LineBounds) -> None:
        """Let the last line of the plan itself go further."""
        self._plan_lines[-1] = (self._plan_lines[-1][0], line)

    def extend_step(self, step_id: str, line: LineBounds) -> None:
        """Let the summary line of a step go further."""
        self._step_lines[step_id][0] = line

    @property
    def bounds(self) -> tuple[int, int] | None:
        """From the first line that was read to the last; None where none was."""
        if self._unread is not None:
            start, end = self._unread
            bare = self.text[start:end].lstrip(_AROUND)
            start = end - len(bare)
            return (start, start + len(bare.rstrip(_AROUND))) if bare else None
        lines = [line for _, line in self._plan_lines]
        lines += chain.from_iterable(self._step_lines.values())
        if not lines:
            return None
        end = max(line.end for line in lines)
        return min(lines).start, len(self.text[:end].rstrip(_AROUND))

    def start_of(self, step_id: str) -> int:
        """The offset at which a step starts."""
        return self.id_of(step_id)[0]

    def id_of(self, step_id: str) -> tuple[int, int]:
        """From where to where a step's id goes."""
        self._find()
        return self._step_lines[step_id][0].bounds_of_id(step_id)

    def bounds_of(self, step_id: str) -> list[tuple[int, int]]:
        """From where to where each of the lines goes that a step was read from, in the order of the text."""
        self._find()
        return [line[:2] for line in self._step_lines[step_id]]

    def _find(self) -> None:
        """Find the lines of a text without faults."""
        if self._unread is None:
            return
        (start, end), self._unread = self._unread, None
        self.text = end_last_line(self.text)
        # Nothing is out of place: a line with an id is a step, and one of a body belongs to the last, or to the goal.
        match_id, lines = grammars.pattern("planspec", "STEP_ID").match, None
        for row, at in iter_rows(self.text, start):
            if at >= end:
                return
            line = LineBounds(at, at + len(row.rstrip("\r\n")))
            if found := match_id(row):
                lines = self._step_lines[found["value"]] = [line]
            elif lines is None:
                if match := line_pattern().match(row):
                    kind = str(match.lastgroup)
                    self.add(_PARTS.get(kind, kind), line)
            elif row[0] == ">":
                lines.append(line)

    @cached_property
    def fields(self) -> Fields:
        """The places of the plan's own fields."""
        self._find()
        return _gather(found for name, line in self._plan_lines for found in self._plan_fields(name, line))

    def __contains__(self, step_id: object) -> bool:
        self._find()
        return step_id in self._step_lines

    def step(self, step_id: str) -> StepPositions:
        """The places of one step.

        Raises:
            KeyError: no step with this id was read.
        """
        self._find()
        lines = self._step_lines[step_id]
        found = (found for line in lines for found in self._step_fields(line))
        return StepPositions(self._trimmed(lines[0].start, lines[-1].end), _gather(found))

    @cached_property
    def steps(self) -> dict[str, StepPositions]:
        """The places of all steps, by id."""
        self._find()
        return {step_id: self.step(step_id) for step_id in self._step_lines}

    def _trimmed(self, start: int, end: int) -> Span:
        text = self.text[start:end].rstrip(" \t\r\n")
        return self.source.span(end - len(self.text[start:end].lstrip(" \t")), start + len(text))

    def _match(self, line: LineBounds) -> Match[str]:
        match = line_pattern().match(self.text, line.start, self.text.index("\n", line.end) + 1)
        assert match is not None, "the line was read"
        return match

    def _plan_fields(self, name: str, line: LineBounds) -> Iterator[tuple[str, Span]]:
        if line.is_repaired:
            yield name, self.source.span(line.start, line.end)
            return
        match = self._match(line)
        group = _PLAN_GROUPS.get(str(match.lastgroup))
        if group and match[group] is not None:
            yield name, self._trimmed(*match.span(group))
        elif name == "goal":
            # One without a text stands where its mark does.
            yield name, self._trimmed(*match.span())

    def _step_fields(self, line: LineBounds) -> Iterator[tuple[str, Span]]:
        if line.is_repaired:
            names = (line.part,) if line.part else _SUMMARY.values()
            yield from ((name, self.source.span(line.start, line.end)) for name in names)
            return
        match = self._match(line)
        if match["body_line_INPUTS"] is not None:
            yield from self._variables("inputs", *match.span("body_line_INPUTS"))
        elif match["body_line"] is not None:
            yield "detail", self._trimmed(*match.span())
        else:
            yield from self._summary_fields(match)

    def _summary_fields(self, match: Match[str]) -> Iterator[tuple[str, Span]]:
        for terminal, name in _SUMMARY.items():
            start, end = match.span(f"step_{terminal}")
            if terminal == "OUTPUTS" and start >= 0:
                yield from self._variables(name, start, end)
            elif start >= 0 and terminal not in ("RESULT", "PROGRESS"):
                brackets = terminal == "TYPE"
                yield name, self.source.span(start - brackets, end + brackets)
        start, end = match.span("step__segments")
        for segment in split_segments(self.text[start:end]) if start < end else ():
            bar = self.text.index("|", start + segment.start()) + 1
            yield _SUMMARY[str(segment.lastgroup)], self._trimmed(bar, start + segment.end())

    def _variables(self, name: str, start: int, end: int) -> Iterator[tuple[str, Span]]:
        for match in grammars.pattern("planspec", "VARIABLE").finditer(self.text, start, end):
            yield name, self.source.span(*match.span())


def _gather(found: Iterable[tuple[str, Span]]) -> Fields:
    fields: dict[str, list[Span]] = {}
    for name, span in found:
        fields.setdefault(name, []).append(span)
    return {name: tuple(spans) for name, spans in fields.items()}
