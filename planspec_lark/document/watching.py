"""Where commands find the steps of a plan, its text keeps up with them.

Whoever finds a step may change it, so its lines are looked at again; whoever adds, renumbers or removes some says so
anyway.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice

from planspec_lark.document.chain import Chain, Place
from planspec_lark.plan_cmd.finding import Finder, Gap
from planspec_lark.planspec.models import PlanSpec, PlanStep, iter_steps

__all__ = ["Watcher"]


class Watcher(Finder):
    """Finds steps of a plan, and keeps the lines of a text in step with them."""

    def __init__(self, plan: PlanSpec, chain: Chain) -> None:
        super().__init__(plan, {step.step_id: step for step in iter_steps(plan)})
        self._chain = chain
        self._placed: dict[int, PlanStep] = {}
        self._place = Place(None, None)
        self._names: Counter[str] | None = None

    @property
    def count(self) -> int:
        """How many ids of steps there are."""
        return len(self._index or ())

    def take_placed(self) -> list[PlanStep]:
        """The steps that are new or have got new ids since this was asked last; some may have been taken out."""
        placed = [*self._placed.values()]
        self._placed.clear()
        return placed

    def find(self, step_id: str) -> PlanStep | None:
        """The step with this id, or None."""
        step = super().find(step_id)
        if step is not None:
            self._chain.touch(step)
        return step

    def gap(self, siblings: list[PlanStep], step_id: str) -> Gap:
        """Where a new step with this id goes."""
        gap = super().gap(siblings, step_id)
        self._place = Place(
            siblings[gap.at - 1] if gap.at else None, siblings[gap.at] if gap.at < len(siblings) else None
        )
        return gap

    def add(self, step: PlanStep) -> None:
        """Put in the lines of a new step, where there was a gap last."""
        super().add(step)
        self._placed[id(step)] = step
        self._chain.insert(step, self._find_place(step))
        if self._names is not None:
            self._names[step.step_name] += 1

    def move_lines(self, steps: list[PlanStep]) -> None:
        """Put the lines of a step, and of those below it that came with it, where there was a gap last."""
        self._chain.move(steps, self._find_place(steps[0]))

    def remove_lines(self, steps: Iterable[PlanStep]) -> None:
        """Take out the lines of steps."""
        gone = list(steps)
        self._chain.remove(gone)
        if self._names is not None:
            self._names.subtract(step.step_name for step in gone)

    def remove_below(self, step: PlanStep) -> None:
        """Take out the lines of all steps below a step."""
        self.remove_lines(islice(iter_steps(step), 1, None))
        super().remove_below(step)

    def move_up(self, moved: dict[int, list[PlanStep]], head: str, by: int = 1) -> None:
        """Let steps below ``head`` move up, with all below them."""
        super().move_up(moved, head, by)
        for steps in moved.values():
            for step in steps:
                self._touch_all(step)

    def move_to(self, step: PlanStep, step_id: str) -> None:
        """Give a step that has been removed another id, and all below it such as begin with it."""
        super().move_to(step, step_id)
        self._touch_all(step)

    def is_called(self, name: str) -> bool:
        """Whether a step has this name."""
        if self._names is None:
            self._names = Counter(step.step_name for step in iter_steps(self.plan))
        return self._names[name] > 0

    def call(self, step: PlanStep, name: str) -> None:
        """Give a step another name."""
        if self._names is not None:
            self._names.subtract([step.step_name])
            self._names[name] += 1
        step.step_name = name

    def _touch_all(self, step: PlanStep) -> None:
        for below in iter_steps(step):
            self._placed[id(below)] = below
            self._chain.touch(below)

    def _find_place(self, step: PlanStep) -> Place:
        if self._place.behind or self._place.before:
            return self._place
        return Place(None, None, self.parent_of(step))
