"""A summary line that is to say something else: only the tokens that have to change do, white space and all."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from operator import attrgetter
from re import Match, Pattern

from attrs import frozen

from planspec_lark.planspec.escapes import write_description, write_segments
from planspec_lark.planspec.fields import BLANKS
from planspec_lark.planspec.models import MARKS, STEP_FIELDS, PlanStatus, PlanStep
from planspec_lark.planspec.printer import canonical_summary, progress_text
from planspec_lark.planspec.tokens import SUMMARY, build_step, split_segments
from planspec_lark.syntax import grammars

__all__ = ["edit_summary", "indent_of", "new_summary", "read_summary", "says"]

# What stands in front of a token's value where the token is new, in the order of the line.
_LEADS = {
    "STEP_ID": "",
    "MARK": " ",
    "NAME": " ",
    "TYPE": " [",
    "DESCRIPTION": " ",
    "OUTPUTS": " → ",
    "RESULT": " | ",
    "PROGRESS": " | ",
    "_behind": " | ",
}
_TAILS = {"STEP_ID": ".", "TYPE": "]"}
_SAID = attrgetter(*(name for name, info in STEP_FIELDS.items() if not info.is_in_body))


@cache
def _pattern() -> Pattern[str]:
    return grammars.regular("planspec").pattern("_summary", groups=SUMMARY)


def indent_of(row: str) -> str:
    """The white space at the start of a line."""
    return row[: len(row) - len(row.lstrip(BLANKS))]


def says(one: PlanStep, other: PlanStep) -> bool:
    """Whether two steps have the same summary line."""
    return bool(_SAID(one) == _SAID(other))


def _match(row: str) -> Match[str] | None:
    match = _pattern().match(row + "\n", len(indent_of(row)))
    return match if match and match.end() == len(row) + 1 else None


def read_summary(row: str) -> PlanStep | None:
    """The step that a line without its end spells, or None where it is no summary line."""
    match = _match(row)
    return build_step(*match.group(*SUMMARY)) if match else None


def new_summary(step: PlanStep, *, marks_pending: bool) -> str:
    """The canonical summary line of a step, but for the pending mark where that is wanted."""
    row = canonical_summary(step)
    if not marks_pending or step.status is not PlanStatus.PENDING:
        return row
    cells = _Cells.of(row)
    cells.put("MARK", "[ ]")
    return _first_right([cells.text], step) or row


def edit_summary(row: str, step: PlanStep, *, marks_pending: bool) -> str:
    """A line that says what a step says: the same one where it does already.

    Args:
        row: a summary line without its end, or another line that is to become one.
        step: what to say.
        marks_pending: write the pending mark where another mark has to go, instead of none.
    """
    was = read_summary(row)
    if was is None:
        return indent_of(row) + new_summary(step, marks_pending=marks_pending)
    if says(was, step):
        return row
    edited = _first_right(_candidates(row, was, step, marks_pending), step)
    blanks = row[len(row.rstrip(BLANKS)) :]
    return edited or f"{indent_of(row)}{canonical_summary(step)}{blanks}"


def _first_right(rows: Iterator[str] | list[str], step: PlanStep) -> str | None:
    """The first line that reads as the step. Words may come to look like other tokens where their neighbours change."""
    for row in rows:
        read = read_summary(row)
        if read is not None and says(read, step):
            return row
    return None


def _candidates(row: str, was: PlanStep, step: PlanStep, marks_pending: bool) -> Iterator[str]:
    cells = _Cells.of(row)
    cells.put("STEP_ID", step.step_id)
    if was.status is not step.status:
        is_marked = marks_pending or step.status is not PlanStatus.PENDING
        cells.put("MARK", f"[{MARKS[step.status]}]" if is_marked else "")
    cells.put("NAME", step.step_name)
    cells.put("TYPE", step.step_type)
    arrow_comes_or_goes = bool(was.outputs) != bool(step.outputs)
    if was.description != step.description or (arrow_comes_or_goes and _needs_care(step.description)):
        cells.put("DESCRIPTION", write_description(step.description, has_outputs=bool(step.outputs)))
    if was.outputs != step.outputs:
        cells.put("OUTPUTS", ", ".join(step.outputs))
    if was.result != step.result:
        cells.put_result(write_segments(step.result) if step.result else "")
    if (was.done_count, was.total_count) != (step.done_count, step.total_count):
        counts = step.done_count or step.total_count is not None
        cells.put("PROGRESS", progress_text(step) if counts else "")
    yield cells.text
    if step.status is PlanStatus.PENDING and not cells.has("MARK"):
        cells.put("MARK", "[ ]")
        yield cells.text


def _needs_care(text: str) -> bool:
    return "→" in text or "\\" in text


@frozen
class _Cells:
    """The tokens of a summary line, each as what stands in front of its value, the value, and the sign behind it."""

    indent: str
    cells: dict[str, tuple[str, str, str]]
    blanks: str

    @classmethod
    def of(cls, row: str) -> _Cells:
        """Those of a line that is known to be one."""
        match = _match(row)
        assert match is not None, "it is a summary line"
        indent = indent_of(row)
        cells, at = {}, len(indent)
        for name in _LEADS:
            start, end = _span(match, name)
            if start < end:
                tail = _TAILS.get(name, "")
                cells[name] = row[at:start], row[start:end], tail
                at = end + len(tail)
        return cls(indent, cells, row[at:])

    @property
    def text(self) -> str:
        """The line."""
        return self.indent + "".join("".join(self.cells[name]) for name in _LEADS if name in self.cells) + self.blanks

    def has(self, name: str) -> bool:
        """Whether there is such a token."""
        return name in self.cells

    def put(self, name: str, value: str) -> None:
        """Give a token another value, put it in, or (where the value is empty) take it out."""
        if not value:
            self.cells.pop(name, None)
        else:
            lead, _, tail = self.cells.get(name, (_LEADS[name], "", _TAILS.get(name, "")))
            self.cells[name] = lead, value, tail

    def put_result(self, value: str) -> None:
        """The same for all pieces of the result, where the first of them stands."""
        if "RESULT" in self.cells or "_behind" not in self.cells:
            self.put("_behind", "")
            self.put("RESULT", value)
        else:
            self.put("_behind", value)


def _span(match: Match[str], name: str) -> tuple[int, int]:
    """Where the value of a token stands; all pieces of a result on one side of the progress are one value."""
    start, end = match.span(name)
    if name == "RESULT":
        return start, max(end, match.end("_more"))
    if name == "PROGRESS" and start >= 0:
        return match.string.rindex("|", 0, start) + 1, end
    if name == "_behind" and start < end:
        first = next(split_segments(match.string[start:end]))
        return start + first.start("RESULT"), end
    return start, end
