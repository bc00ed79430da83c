"""Finding the steps that commands name, and the places of new ones, while the commands change the plan.

One command looks at the plan itself. For many, what they need to know is kept and kept up, so that each costs what it
changes and not what the plan is long.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import partial
from itertools import pairwise

from attrs import frozen

from planspec_lark.planspec.models import PlanSpec, PlanStep, iter_steps
from planspec_lark.planspec.tree import find_step

__all__ = ["Finder", "Gap"]

# An id that moves up by one is still an id (but for the limit, which is looked at before): no need to check each again.
_set_id = PlanStep.__dict__["step_id"].__set__
# An index pays for itself where a plan is asked for more steps than this.
_MANY = 20


def _number(head: str, step: PlanStep) -> int:
    """The number of a step, or of the missing step that it stands in for, among those below ``head``."""
    return int(step.step_id.removeprefix(f"{head}." if head else "").partition(".")[0])


@frozen
class Gap:
    """Where a new step goes among its siblings: at which index, and which of them have its number.

    ``moved`` is the run of numbers from its own on that are taken, each with the steps that stand there; it is empty
    where its id is free. ``adopted`` are the steps that its own id would take in: only one of the two is not empty.
    """

    at: int
    moved: dict[int, list[PlanStep]]
    adopted: list[PlanStep]


class Finder:
    """Finds steps of a plan. Whoever adds, renumbers or removes some says so here.

    All steps should have different ids. In a plan made by hand that has not, the first in document order counts.
    """

    def __init__(self, plan: PlanSpec, index: dict[str, PlanStep] | None = None) -> None:
        self.plan = plan
        self._asked = 0
        # All steps by their ids, where that is known.
        self._index = index
        # Whether the siblings below an id stand in the order of their numbers, where that is known.
        self._in_order: dict[str, bool] = {}

    def find(self, step_id: str) -> PlanStep | None:
        """The step with this id, or None. Whoever asks may change it."""
        return self.look_up(step_id)

    def look_up(self, step_id: str) -> PlanStep | None:
        """The same for those who do not."""
        if self._index is None:
            self._asked += 1
            if self._asked <= _MANY:
                return find_step(self.plan, step_id)
            self._index = {}
            for step in iter_steps(self.plan):
                self._index.setdefault(step.step_id, step)
        return self._index.get(step_id)

    def gap(self, siblings: list[PlanStep], step_id: str) -> Gap:
        """Where a new step with this id goes."""
        head, _, last = step_id.rpartition(".")
        number, key = int(last), partial(_number, head)
        in_order = self.stand_in_order(siblings, head)
        if in_order:
            at = bisect_left(siblings, number, key=key)
            same = siblings[at : bisect_right(siblings, number, key=key)]
        else:
            at = next((i for i, other in enumerate(siblings) if key(other) >= number), len(siblings))
            same = [other for other in siblings if key(other) == number]
        if all(other.step_id != step_id for other in same):
            return Gap(at, {}, [other for other in same if other.step_id.startswith(f"{step_id}.")])
        if in_order:
            return Gap(at, _run(siblings, at, number, key), [])
        ordered = sorted(siblings, key=key)
        return Gap(at, _run(ordered, bisect_left(ordered, number, key=key), number, key), [])

    def run_behind(self, siblings: list[PlanStep], step_id: str) -> dict[int, list[PlanStep]]:
        """The run of numbers behind a step's own that are taken, each with the siblings that stand there."""
        head, _, last = step_id.rpartition(".")
        key = partial(_number, head)
        # A step whose parent is missing has siblings that are none of its parent's.
        ordered = sorted((other for other in siblings if not head or other.step_id.startswith(f"{head}.")), key=key)
        number = int(last)
        run = _run(ordered, bisect_right(ordered, number, key=key), number, key)
        return {taken: steps for taken, steps in run.items() if steps}

    def parent_of(self, step: PlanStep) -> PlanStep | None:
        """The step that a step stands below, or None at the top level."""
        head = step.step_id.rpartition(".")[0]
        for _ in range(_MANY):
            if not head or (parent := self.look_up(head)):
                return parent if head else None
            head = head.rpartition(".")[0]
        return self._find_above(step.step_id)

    def _find_above(self, step_id: str) -> PlanStep | None:
        """The same from the top of the tree, for an id with so many numbers that trying them all takes too long."""
        parent: PlanStep | None = None
        siblings = self.plan.steps
        while below := next((step for step in siblings if step_id.startswith(f"{step.step_id}.")), None):
            parent, siblings = below, below.children
        return parent

    def siblings_of(self, step: PlanStep) -> tuple[list[PlanStep], str]:
        """Among which siblings a step stands, and below which id; empty at the top level."""
        parent = self.parent_of(step)
        return (parent.children, parent.step_id) if parent else (self.plan.steps, "")

    def index_of(self, siblings: list[PlanStep], head: str, step: PlanStep) -> int:
        """At which index among its siblings, below this id, a step stands; -1 where it does not."""
        key = partial(_number, head)
        at = bisect_left(siblings, key(step), key=key) if self.stand_in_order(siblings, head) else 0
        # By identity: comparing would go through whole subtrees.
        return next((index for index in range(at, len(siblings)) if siblings[index] is step), -1)

    def stand_in_order(self, siblings: list[PlanStep], head: str) -> bool:
        """Whether the siblings below an id stand in the order of their numbers.

        That is found out once, and with all of them in place: without one that stands out of order it may seem so.
        """
        if head not in self._in_order:
            self._in_order[head] = all(a <= b for a, b in pairwise(map(partial(_number, head), siblings)))
        return self._in_order[head]

    def add(self, step: PlanStep) -> None:
        """Note a new step. Its children are known already."""
        self._note(step)

    def remove(self, step: PlanStep) -> None:
        """Note that a step is to go, with all below it."""
        for gone in iter_steps(step):
            self._forget(gone)

    def remove_below(self, step: PlanStep) -> None:
        """Note that all steps below a step are to go."""
        for gone in iter_steps(step):
            self._forget(gone)
        self._note(step)

    def move_up(self, moved: dict[int, list[PlanStep]], head: str, by: int = 1) -> None:
        """Let steps below ``head`` move up by one, with all below them; or down, where ``by`` is -1."""
        lead = f"{head}." if head else ""
        for steps in moved.values():
            for step in steps:
                for below in iter_steps(step):
                    self._forget(below)
        for old, steps in moved.items():
            for step in steps:
                self._set_ids(step, f"{lead}{old}", f"{lead}{old + by}")

    def move_to(self, step: PlanStep, step_id: str) -> None:
        """Give a step that has been removed another id, and all below it such as begin with it."""
        self._set_ids(step, step.step_id, step_id)

    def _set_ids(self, step: PlanStep, old: str, new: str) -> None:
        for below in iter_steps(step):
            _set_id(below, new + below.step_id[len(old) :])
            self._note(below)

    def _note(self, step: PlanStep) -> None:
        self._in_order.pop(step.step_id, None)
        if self._index is not None:
            self._index[step.step_id] = step

    def _forget(self, step: PlanStep) -> None:
        self._in_order.pop(step.step_id, None)
        if self._index is not None:
            self._index.pop(step.step_id, None)


def _run(ordered: list[PlanStep], at: int, number: int, key: Callable[[PlanStep], int]) -> dict[int, list[PlanStep]]:
    """The run of numbers from ``number`` on that are taken, each with the steps that stand there."""
    run: dict[int, list[PlanStep]] = {number: []}
    for index in range(at, len(ordered)):
        step = ordered[index]
        if key(step) > number + 1:
            break
        number = key(step)
        run.setdefault(number, []).append(step)
    return run
