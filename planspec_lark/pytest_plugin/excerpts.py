"""The part of a plan that a failed assertion speaks of, as lines for people."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from attrs import frozen

from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.planspec.printer import canonical_summary
from planspec_lark.planspec.tree import iter_with_parents
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.source import one_line

__all__ = ["Outline", "show_step"]

# An excerpt has so many lines, and indents so many levels.
_LINES = 16
_LEVELS = 10


def show_step(step: PlanStep) -> str:
    """A step as its summary line, safe to show."""
    try:
        line = canonical_summary(step)
    except ValueError:
        # A model that no text could spell can still be shown.
        line = f"{step.step_id}. [{step.step_type}] {step.description}"
    return one_line(shorten(line))


@frozen(eq=False)
class Outline:
    """The steps of a plan in document order, and for each where it stands: as its place in that order, its parent, and
    the place behind the last step below it.

    Steps are told apart as objects, since nothing else about them has to be unique in a model.
    """

    steps: list[PlanStep]
    places: dict[int, int]
    parents: dict[int, PlanStep | None]
    ends: dict[int, int]

    @classmethod
    def of(cls, plan: PlanSpec) -> Outline:
        """The outline of a plan."""
        steps: list[PlanStep] = []
        parents: dict[int, PlanStep | None] = {}
        for step, parent in iter_with_parents(plan):
            parents[id(step)] = parent
            steps.append(step)
        places = {id(step): at for at, step in enumerate(steps)}
        ends = {id(step): at + 1 for at, step in enumerate(steps)}
        for step in reversed(steps):
            above = parents[id(step)]
            if above is not None:
                ends[id(above)] = max(ends[id(above)], ends[id(step)])
        return cls(steps, places, parents, ends)

    def place(self, step: PlanStep) -> int:
        """The place of a step in document order, from 0."""
        return self.places[id(step)]

    def end(self, step: PlanStep) -> int:
        """The place behind the last step below a step."""
        return self.ends[id(step)]

    def below(self, steps: Iterable[PlanStep]) -> set[int]:
        """The places of all that stands below any of these steps."""
        starts = {self.place(step): self.end(step) for step in steps}
        found: set[int] = set()
        end = 0
        for place in range(len(self.steps)):
            if place < end:
                found.add(place)
            end = max(end, starts.get(place, 0))
        return found

    def show(self, marked: Collection[PlanStep]) -> list[str]:
        """The marked steps and what stands above them; the start of the plan where none is marked."""
        if not marked:
            return self._rows(range(len(self.steps)), set())
        marks = {self.place(step) for step in marked}
        return self._rows(sorted(self._with_parents(marks)), marks)

    def _with_parents(self, places: set[int]) -> set[int]:
        found: set[int] = set()
        for place in sorted(places)[:_LINES]:
            step: PlanStep | None = self.steps[place]
            while step is not None and self.place(step) not in found:
                found.add(self.place(step))
                step = self.parents[id(step)]
        return found

    def _rows(self, places: Collection[int], marks: set[int]) -> list[str]:
        if len(places) > _LINES:
            # The marked steps first: what stands above them only says where they are.
            chosen = sorted(marks)[:_LINES]
            rest = [place for place in places if place not in marks][: _LINES - len(chosen)]
            shown = sorted([*chosen, *rest])
        else:
            shown = list(places)
        rows = [self._row(place, is_marked=place in marks) for place in shown]
        left = len(marks or self.steps) - len(marks.intersection(shown) if marks else shown)
        return [*rows, f"  … and {left} more"] if left else rows

    def _row(self, place: int, *, is_marked: bool) -> str:
        step: PlanStep | None = self.steps[place]
        assert step is not None
        line, depth = show_step(step), 0
        while depth < _LEVELS and (step := self.parents[id(step)]) is not None:
            depth += 1
        return f"{'>' if is_marked else ' '} {'  ' * depth}{line}"
