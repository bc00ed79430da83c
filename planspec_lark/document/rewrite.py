"""The lines of a plan's text, and these lines once the plan says something else.

What the lines of a step become depends on how they were read, on where they go and on what the step says now, and on
nothing in between. So a change that is undone leaves no trace, and it makes no difference when the text is asked for.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from attrs import define, evolve, frozen

from planspec_lark.document.head import BOM, edit_head
from planspec_lark.document.layout import edit_lines, end_of, find_style, indent_of, split_rows
from planspec_lark.document.pieces import cut_accepted
from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.models import STEP_FIELDS, PlanSpec, PlanStep, iter_steps
from planspec_lark.syntax.diagnostics import PlanSpecError
from planspec_lark.syntax.source import WHITE, newline_of

__all__ = ["PlanLines", "RoundTripError", "StepPlace", "WrittenPlan", "WrittenStep", "rewrite"]

_said = attrgetter(*STEP_FIELDS)
_rank = attrgetter("rank")


class RoundTripError(PlanSpecError, RuntimeError):
    """A text that would not read as its plan, and so is not given. That is a fault of this library."""


@define(eq=False)
class _StepLines:
    """The lines of a step, all of them ended.

    Attributes:
        step: whose they are.
        lines: as they were read, but for their indentation where they are put elsewhere; empty for a new step.
        said: what they say; empty for a new step.
        rank: where they are. It is odd for lines that stay where they were read; what is put before line ``n`` of
            these, which has the rank ``2 * n + 1``, has the rank ``2 * n``, and is there in the order of the plan.
        indent: how they are indented.
        newline: how new ones end.
        gap: the blank lines after them; None where they are to be as is usual there.
    """

    step: PlanStep
    lines: str
    said: tuple[Any, ...]
    rank: int
    indent: str
    newline: str
    gap: str | None = None

    def shift(self, old: str, new: str) -> None:
        """Indent lines with ``new`` that are indented with ``old``."""
        rows = split_rows(self.lines)
        self.lines = "".join(new + row[len(old) :] if row.startswith(old) and row.strip() else row for row in rows)
        if self.indent.startswith(old):
            self.indent = new + self.indent[len(old) :]


@frozen
class StepPlace:
    """Where a step is: after a sibling, before other steps, below a parent; None for what is not there."""

    behind: PlanStep | None
    before: Sequence[PlanStep]
    parent: PlanStep | None


class WrittenStep(NamedTuple):
    """The lines of a step in a text, and the blank lines after them."""

    step: PlanStep
    lines: str
    gap: str


@frozen
class WrittenPlan:
    """The text of a plan.

    Attributes:
        head: the lines of its head by what they say.
        gap: the blank lines after them.
        steps: the lines of its steps, in the order of the text.
        open_end: how these end where the text's last line does not; else empty.
    """

    head: Mapping[str, str]
    gap: str
    steps: Sequence[WrittenStep]
    open_end: str

    @property
    def above(self) -> str:
        """All that is before the steps."""
        return "".join(self.head.values()) + self.gap

    @property
    def text(self) -> str:
        """All of it."""
        rows = [self.above]
        for one in self.steps:
            rows += one.lines, one.gap
        return "".join(rows).removesuffix(self.open_end)


class PlanLines:
    """The lines of a text, by the steps whose they are."""

    def __init__(self, text: str, plan: PlanSpec, steps: Mapping[str, PlanStep] | None = None) -> None:
        """Cut a text that says a plan. Its lines are those of its own steps, or of those that have these ids."""
        head, *pieces = cut_accepted(text)
        self._style = find_style(plan, pieces)
        # What the head says, and its lines, all of them ended.
        self._plan, self._head = evolve(plan, steps=[]), head.lines
        self._newline = newline = end_of(head.lines) or newline_of(text)
        own = {step.step_id: step for step in iter_steps(plan)}
        steps = steps or {}
        self._read: list[_StepLines] = []
        for number, piece in enumerate(pieces):
            step = own[piece.step_id or ""]
            newline = end_of(piece.lines) or newline
            rank = 2 * number + 1
            known = steps.get(step.step_id, step)
            self._read.append(
                _StepLines(known, piece.lines, _said(step), rank, indent_of(piece.lines), newline, piece.gap)
            )
        self._lines = {id(lines.step): lines for lines in self._read}
        # What ends the text stays at its end: blank lines, and a line that is not ended.
        last = pieces[-1] if pieces else head
        self._tail, self._is_open = last.gap, not end_of(last.lines) and last.lines not in {"", BOM}
        self._gap = head.gap if pieces else ""
        if self._is_open and not self._read:
            self._head += newline
        elif self._read:
            self._read[-1].gap = None
            self._read[-1].lines += newline if self._is_open else ""

    def id_read(self, step: PlanStep) -> str:
        """The id that a step was read with; empty for one that was put in."""
        said = self._lines[id(step)].said
        return said[0] if said else ""

    # ---------------------------------------------------------------- steps that come and move

    def put(self, step: PlanStep, place: StepPlace, lines: str = "") -> None:
        """Put in the lines of a new step; they are made of those that it has elsewhere."""
        rank = self._rank_at(place)
        newline = end_of(lines) or (self._read[rank // 2 - 1].newline if rank else self._newline)
        made = _StepLines(step, lines, (), rank, indent_of(lines), newline)
        made.shift(made.indent, self._indent_at(place))
        self._lines[id(step)] = made

    def move(self, steps: Iterable[PlanStep], place: StepPlace) -> None:
        """Put the lines of a step and of all below it elsewhere. The place must be named by other steps than these."""
        moved = [self._lines[id(step)] for step in steps]
        rank, old, new = self._rank_at(place), moved[0].indent, self._indent_at(place)
        for lines in moved:
            lines.rank = rank
            lines.shift(old, new)
        moved[-1].gap = None

    def _rank_at(self, place: StepPlace) -> int:
        if place.before:
            rank = min(self._lines[id(step)].rank for step in place.before)
            return rank - rank % 2
        above = place.behind or place.parent
        rank = self._lines[id(above)].rank if above else 0
        rank += rank % 2
        if place.behind:
            # After all that is below the step before it.
            lead = f"{place.behind.step_id}."
            while rank < 2 * len(self._read):
                lines = self._read[rank // 2]
                if lines.rank == rank + 1 and not lines.step.step_id.startswith(lead):
                    break
                rank += 2
        return rank

    def _indent_at(self, place: StepPlace) -> str:
        if beside := place.behind or next(iter(place.before), None):
            return self._lines[id(beside)].indent
        if place.parent:
            return self._lines[id(place.parent)].indent + self._style.child
        return indent_of(self._head[: -len(self._newline)].rpartition("\n")[2].removeprefix(BOM))

    # ---------------------------------------------------------------- the text

    def write(self, plan: PlanSpec) -> WrittenPlan:
        """The text of a plan, each step of which is one of the text or was put in.

        Raises:
            RoundTripError: it would not read as the plan.
        """
        # Those of one rank are in the order of the plan.
        order = sorted((self._lines[id(step)] for step in iter_steps(plan)), key=_rank)
        head = edit_head(self._head, self._plan, plan, self._newline)
        if order and not head["steps"] and not any(lines.rank % 2 for lines in order):
            # As the printer heads them.
            is_spaced = any(not row.strip(WHITE) for row in split_rows(self._head.lstrip()))
            head["steps"] = (self._newline if is_spaced else "") + f"## Steps{self._newline}"
        steps = [*self._write_steps(order)]
        is_open = self._is_open and (not self._read or any(lines is self._read[-1] for lines in order))
        end = (end_of(steps[-1].lines) if steps else self._newline) if is_open else ""
        written = WrittenPlan(head, self._gap if order else self._tail, steps, end)
        if fast_reader.read(written.text) != plan:
            raise RoundTripError("internal fault, and nothing was changed: the text would read otherwise")
        return written

    def _write_steps(self, order: Sequence[_StepLines]) -> Iterator[WrittenStep]:
        before, gap, newline = "", "", self._newline
        for lines, usual in zip(order, _find_usual_gaps(order), strict=True):
            step, text, own = lines.step, lines.lines, lines.gap
            if _said(step) != lines.said:
                text = edit_lines(text, step, self._style, indent=lines.indent, newline=lines.newline)
            if own is None:
                is_first = step.step_id.startswith(before)
                is_spaced = usual if is_first and usual is not None else "\n" in gap
                own = newline if is_spaced else ""
            gap = self._tail if lines is order[-1] else own
            before, newline = f"{step.step_id}.", lines.newline
            yield WrittenStep(step, text, gap)


def _find_usual_gaps(order: Sequence[_StepLines]) -> list[bool | None]:
    """Whether a blank line is usual after the first of some siblings: what shows between those after it, or None."""
    found: list[bool | None] = []
    usual: bool | None = None
    behind: _StepLines | None = None
    for lines in reversed(order):
        found.append(usual)
        if lines.gap is not None:
            head, dot, _ = lines.step.step_id.rpartition(".")
            is_beside = behind is not None and behind.step.step_id.startswith(head + dot)
            usual = "\n" in lines.gap if is_beside else None
        behind = lines
    return found[::-1]


def rewrite(
    text: str, was: PlanSpec, plan: PlanSpec, known: Mapping[int, PlanStep], lines: Mapping[int, str] | None = None
) -> WrittenPlan:
    """The text of a plan, made of one that says another plan: only lines of what differs are others.

    Args:
        text: the text.
        was: the plan that it says.
        plan: the plan to say.
        known: the step of the old plan for each step of the new one that stays where it is, by ``id()``. Among those
            below one step, their order is the same in both. All other steps are put in.
        lines: the lines that such a step has elsewhere, by ``id()``; by default it gets new ones.

    Raises:
        RoundTripError: the text would not read as the new plan.
    """
    steps = {old.step_id: step for step in iter_steps(plan) if (old := known.get(id(step))) is not None}
    plan_lines = PlanLines(text, was, steps)
    lines = lines or {}
    for step, place in _places(plan, known):
        plan_lines.put(step, place, lines.get(id(step), ""))
    return plan_lines.write(plan)


def _places(plan: PlanSpec, known: Container[int]) -> Iterator[tuple[PlanStep, StepPlace]]:
    """All steps to put in, above before below, each with its place; then all before it are there."""
    families = [(step, step.children) for step in iter_steps(plan) if step.children]
    for parent, siblings in ((None, plan.steps), *families):
        behind: list[list[PlanStep]] = [[]]
        for step in reversed(siblings[1:]):
            behind.append([step] if id(step) in known else behind[-1])
        last: PlanStep | None = None
        for step in siblings:
            place = StepPlace(last, behind.pop(), parent)
            if id(step) not in known:
                yield step, place
            last = step
