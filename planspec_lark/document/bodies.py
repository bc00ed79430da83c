"""The lines below a summary line that are to say something else: those that stay are not touched."""

from __future__ import annotations

from functools import cache
from re import Match, Pattern

from attrs import define, field

from planspec_lark.document.summaries import indent_of
from planspec_lark.planspec.escapes import read_detail, write_detail
from planspec_lark.planspec.fields import BLANKS
from planspec_lark.planspec.models import PlanStep
from planspec_lark.planspec.tokens import BODY, split_variables
from planspec_lark.syntax import grammars

__all__ = ["Row", "cut_rows", "edit_body", "join_rows", "read_rows", "replace_body"]


@define
class Row:
    """A line, and what ends it: nothing where that is for others to know."""

    content: str
    end: str = ""


def cut_rows(lines: str) -> list[Row]:
    """The lines of a text, the last of which is not ended."""
    *rows, last = lines.split("\n")
    return [*map(_cut_end, rows), Row(last)]


def _cut_end(row: str) -> Row:
    return Row(row[:-1], "\r\n") if row.endswith("\r") else Row(row, "\n")


def join_rows(rows: list[Row], end: str) -> str:
    """The inverse of cutting; lines that have no end of their own get this one."""
    return "".join(row.content + (row.end or end) for row in rows[:-1]) + rows[-1].content


@cache
def _pattern() -> Pattern[str]:
    return grammars.regular("planspec").pattern("_body", groups=BODY)


def _match(content: str) -> Match[str] | None:
    return _pattern().match(content + "\n", len(indent_of(content)))


def read_rows(rows: list[Row]) -> tuple[list[str], list[str]]:
    """The inputs and the detail of these lines. Other lines among them are passed over."""
    inputs: list[str] = []
    detail: list[str] = []
    for row in rows:
        if match := _match(row.content):
            if match["INPUTS"]:
                inputs += split_variables(match["INPUTS"])
            else:
                detail.append(read_detail(match["DETAIL"]))
    return inputs, detail


def edit_body(rows: list[Row], step: PlanStep, indent: str) -> list[Row]:
    """Lines that have the inputs and the detail of a step.

    Args:
        rows: the lines below its summary line.
        step: what to say.
        indent: the indentation of new lines where no line is there already.
    """
    inputs, detail = read_rows(rows)
    changes = _Changes()
    matches = [_match(row.content) for row in rows]
    indent = next((indent_of(row.content) for row, match in zip(rows, matches, strict=True) if match), indent)
    if inputs != step.inputs:
        places = {at: match for at, match in enumerate(matches) if match and match["INPUTS"]}
        changes.put_inputs(places, step.inputs, indent)
    if detail != step.detail:
        places = {at: match for at, match in enumerate(matches) if match and not match["INPUTS"]}
        changes.put_detail([*places], detail, step.detail, indent, len(rows) - 1)
    return changes.make(rows)


def replace_body(rows: list[Row], step: PlanStep, indent: str, kept: set[int]) -> list[Row]:
    """The same where all lines have to go but those that are kept, and blank ones."""
    edited = edit_body([], step, indent)
    return edited + [row for at, row in enumerate(rows) if at in kept or not row.content.strip(BLANKS)]


@define
class _Changes:
    """What is to be put in place of lines (nothing where they go), and behind a line (-1: in front of all)."""

    replaced: dict[int, str | None] = field(factory=dict)
    first: list[str] = field(factory=list)
    extra: list[str] = field(factory=list)
    anchor: int = -1

    def put_inputs(self, places: dict[int, Match[str]], inputs: list[str], indent: str) -> None:
        """Let the first line of inputs name all, and the others go."""
        names = ", ".join(inputs)
        self.replaced |= dict.fromkeys(places)
        if inputs and not places:
            self.first = [f"{indent}> ← {names}"]
        elif inputs:
            at, match = next(iter(places.items()))
            start, end = match.span("INPUTS")
            self.replaced[at] = f"{match.string[:start]}{names}{match.string[end:-1]}"

    def put_detail(self, places: list[int], was: list[str], now: list[str], indent: str, last: int) -> None:
        """Let the lines at both ends that say the same stay."""
        same = _count_same(was, now)
        behind = _count_same(was[same:][::-1], now[same:][::-1])
        old, new = places[same : len(was) - behind], now[same : len(now) - behind]
        lines = [f"{indent}> {write_detail(text)}" if text else f"{indent}>" for text in new]
        self.replaced |= dict.fromkeys(old) | dict(zip(old, lines, strict=False))
        self.extra = lines[len(old) :]
        if old:
            self.anchor = old[-1]
        elif same:
            self.anchor = places[same - 1]
        else:
            self.anchor = places[0] - 1 if places else last

    def make(self, rows: list[Row]) -> list[Row]:
        """The lines with these changes."""
        edited = [Row(line) for line in self.first]
        edited += [Row(line) for line in self.extra if self.anchor < 0]
        for at, row in enumerate(rows):
            line = self.replaced.get(at, row.content)
            if line is not None:
                edited.append(Row(line, row.end))
            if at == self.anchor:
                edited += [Row(extra) for extra in self.extra]
        return edited


def _count_same(some: list[str], others: list[str]) -> int:
    """How many items at the start of both are the same."""
    pairs = zip(some, others, strict=False)
    return next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(some), len(others)))
