"""Finding the steps of a plan while it changes, and where a new one goes: what is before it, and what has to move up.

A :class:`Finder` keeps what many changes need to know of a plan and keeps it up, so that each costs what it changes and
not what the plan is long.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence
from copy import deepcopy
from functools import partial
from itertools import pairwise
from typing import TypeAlias

from attrs import define, field, frozen

from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep, iter_steps
from planspec_lark.planspec.tree import find_step
from planspec_lark.syntax.diagnostics import CommandError, count_of
from planspec_lark.syntax.fields import COUNT_LIMIT

__all__ = ["Finder", "Gap", "Move", "SiblingRun", "tell_moved"]

# An id that moves up by one is still an id (but for the limit, which is looked at before): no need to check each again.
_set_id = PlanStep.__dict__["step_id"].__set__
# A step, how its id begins, and how that is to begin.
Move = tuple[PlanStep, str, str]
# Numbers that are taken, each with the siblings that have it.
_Taken: TypeAlias = "dict[int, list[PlanStep]]"
# An index is made where a plan is asked for more steps than this.
_MANY = 20


def _number(head: str, step: PlanStep) -> int:
    """The number of a step, or of the missing step that it replaces, among those below ``head``."""
    return int(step.step_id.removeprefix(f"{head}." if head else "").partition(".")[0])


@frozen
class Gap:
    """Where a step can be put in, and what has to give way.

    Attributes:
        step_id: the id that it gets.
        siblings: the steps that it is among.
        at: at which index it goes there.
        moved: the run of numbers from its own on that are taken, each with the siblings that have it; empty where its
            id is free.
        adopted: the siblings that its id would take in. Only one of the two is not empty.
    """

    step_id: str
    siblings: list[PlanStep]
    at: int
    moved: _Taken
    adopted: list[PlanStep]

    def take(self, step: PlanStep, finder: Finder) -> str:
        """Put a step there, with the id that is meant; returns in words who has given way."""
        finder.move_up(self.moved, self.step_id.rpartition(".")[0])
        if step.step_id != self.step_id:
            finder.renumber([(step, step.step_id, self.step_id)], {id(step)})
        self.siblings.insert(self.at, step)
        if self.adopted:
            step.children = self.adopted
            # By identity: comparing would go through whole subtrees.
            gone = {id(other) for other in self.adopted}
            self.siblings[:] = [other for other in self.siblings if id(other) not in gone]
        return tell_moved(sum(map(len, self.moved.values())))


def tell_moved(steps: int) -> str:
    """In words, how many steps have given way."""
    return f", {count_of(steps, 'step')} after it moved up by one" if steps else ""


class Finder:
    """Finds steps of a plan. Code that adds, renumbers or removes steps says so here.

    All steps should have different ids. In a plan made by hand that has not, the first in document order counts. With
    ``requires_result``, no step is set to done without one.
    """

    def __init__(
        self, plan: PlanSpec, index: dict[str, PlanStep] | None = None, *, requires_result: bool = False
    ) -> None:
        self.plan = plan
        self._requires_result = requires_result
        self._asked = 0
        # All steps by their ids, where that is known.
        self._index = index
        # Whether the siblings below an id are in the order of their numbers, where that is known.
        self._in_order: dict[str, bool] = {}

    def for_trial(self) -> Finder:
        """One for a copy of the plan, which refuses the same."""
        return Finder(deepcopy(self.plan), requires_result=self._requires_result)

    def find(self, step_id: str) -> PlanStep | None:
        """The step with this id, or None. The caller may change it."""
        step = self.look_up(step_id)
        if step is not None:
            self.touch(step)
        return step

    def touch(self, step: PlanStep) -> None:
        """Note that a step may change."""

    def look_up(self, step_id: str) -> PlanStep | None:
        """The step with this id, or None, for those who do not change it."""
        if self._index is None:
            self._asked += 1
            if self._asked <= _MANY:
                return find_step(self.plan, step_id)
            self._index = {}
            for step in iter_steps(self.plan):
                self._index.setdefault(step.step_id, step)
        return self._index.get(step_id)

    def check_result(self, status: PlanStatus, result: str, what: str) -> None:
        """Refuse a step that is done although it says nothing of what came of it, where that is not enough."""
        if self._requires_result and status is PlanStatus.DONE and not result:
            raise CommandError("PC122", f"{what}: a step needs a result to be done here, and it has none")

    def room_at(self, siblings: list[PlanStep], step_id: str) -> Gap:
        """Where a new step with this id goes."""
        head, _, last = step_id.rpartition(".")
        number, key = int(last), partial(_number, head)
        in_order = self.stand_in_order(siblings, head)
        ordered = siblings if in_order else sorted(siblings, key=key)
        first = bisect_left(ordered, number, key=key)
        # Before the first that has this number or a higher one, wherever that is.
        at = first if in_order else next((i for i, other in enumerate(siblings) if key(other) >= number), len(siblings))
        same = ordered[first : bisect_right(ordered, number, key=key)]
        if any(other.step_id == step_id for other in same):
            return Gap(step_id, siblings, at, _run(ordered, first, number, key), [])
        return Gap(step_id, siblings, at, {}, [other for other in same if other.step_id.startswith(f"{step_id}.")])

    def run_behind(self, siblings: list[PlanStep], step_id: str) -> _Taken:
        """The run of numbers after a step's own that are taken, each with the siblings that are there."""
        head, _, last = step_id.rpartition(".")
        number, key = int(last), partial(_number, head)
        # A step whose parent is missing has siblings that are none of its parent's.
        ordered = sorted((other for other in siblings if not head or other.step_id.startswith(f"{head}.")), key=key)
        return _run(ordered, bisect_right(ordered, number, key=key), number, key)

    def parent_of(self, step: PlanStep) -> PlanStep | None:
        """The step that a step is below, or None at the top level."""
        head = step.step_id.rpartition(".")[0]
        for _ in range(_MANY):
            if not head or (parent := self.look_up(head)):
                return parent if head else None
            head = head.rpartition(".")[0]
        # From the top of the tree: an id may have so many numbers that trying them all takes too long.
        parent, siblings = None, self.plan.steps
        while below := next((one for one in siblings if step.step_id.startswith(f"{one.step_id}.")), None):
            parent, siblings = below, below.children
        return parent

    def siblings_of(self, step: PlanStep) -> tuple[list[PlanStep], str]:
        """Among which siblings a step is, and below which id; empty at the top level."""
        parent = self.parent_of(step)
        return (parent.children, parent.step_id) if parent else (self.plan.steps, "")

    def index_of(self, siblings: list[PlanStep], head: str, step: PlanStep) -> int:
        """At which index among its siblings, below this id, a step is; -1 where it is not among them."""
        key = partial(_number, head)
        at = bisect_left(siblings, key(step), key=key) if self.stand_in_order(siblings, head) else 0
        # By identity: comparing would go through whole subtrees.
        return next((index for index in range(at, len(siblings)) if siblings[index] is step), -1)

    def stand_in_order(self, siblings: list[PlanStep], head: str) -> bool:
        """Whether the siblings below an id are in the order of their numbers.

        That is found out once, and with all of them in place: without one that is out of order it may seem so.
        """
        if head not in self._in_order:
            self._in_order[head] = all(a <= b for a, b in pairwise(map(partial(_number, head), siblings)))
        return self._in_order[head]

    def add(self, step: PlanStep) -> None:
        """Note a new step. Its children are known already."""
        self._note(step)

    def add_at(self, step: PlanStep, siblings: list[PlanStep], at: int) -> None:
        """Note that a new step is at an index of its siblings. Its id is not its own before :meth:`renumber`."""

    def renumber(self, moves: Sequence[Move], new: Collection[int] = ()) -> None:
        """Give steps, and all below them, ids that begin otherwise. Of those in ``new``, none is known yet."""
        for step, _, _ in moves:
            if id(step) not in new:
                self.remove(step)
        for step, old, lead in moves:
            for below in iter_steps(step):
                _set_id(below, lead + below.step_id[len(old) :])
                self._note(below)

    def remove(self, step: PlanStep) -> None:
        """Note that a step is to go, with all below it."""
        for gone in iter_steps(step):
            self._in_order.pop(gone.step_id, None)
            if self._index is not None:
                self._index.pop(gone.step_id, None)

    def remove_below(self, step: PlanStep) -> None:
        """Note that all steps below a step are to go."""
        self.remove(step)
        self._note(step)

    def move_up(self, moved: _Taken, head: str, by: int = 1) -> None:
        """Let steps below ``head`` move up by one, with all below them; or down, where ``by`` is -1."""
        lead = f"{head}." if head else ""
        self.renumber([(step, f"{lead}{old}", f"{lead}{old + by}") for old, steps in moved.items() for step in steps])

    def _note(self, step: PlanStep) -> None:
        self._in_order.pop(step.step_id, None)
        if self._index is not None:
            self._index[step.step_id] = step


@define
class SiblingRun:
    """Siblings with numbers that follow each other, among which new steps are put before any gets its new id.

    So commands that move the same steps up again and again cost what one costs. Until it is settled, the steps in it
    have the ids that they had, or that they were added with, and :meth:`find` alone may look for them.

    Attributes:
        finder: what knows the plan.
        siblings: all siblings; empty where no run has begun.
        head: the id that they are below.
        first: the index of the first one of the run.
        number: the number of that one.
        size: how many steps are in the run.
        added: those of them that are new.
    """

    finder: Finder
    siblings: list[PlanStep] = field(factory=list)
    head: str = ""
    first: int = 0
    number: int = 0
    size: int = 0
    added: list[PlanStep] = field(factory=list)

    def begin(self, room: Gap) -> bool:
        """Begin with the steps that would have to give way; returns whether there are any, each with its own number."""
        head, _, last = room.step_id.rpartition(".")
        is_plain = bool(room.moved) and self.finder.stand_in_order(room.siblings, head)
        if not is_plain or any(len(steps) != 1 for steps in room.moved.values()):
            return False
        self.siblings, self.head, self.first, self.number = room.siblings, head, room.at, int(last)
        self._grow()
        if self.size != len(room.moved) or not self.takes(room.step_id):
            self.size = 0
        return self.size > 0

    def _grow(self) -> None:
        """Take in the steps that follow without a gap."""
        lead = f"{self.head}." if self.head else ""
        while (at := self.first + self.size) < len(self.siblings):
            if self.siblings[at].step_id != f"{lead}{self.number + self.size}":
                break
            self.size += 1

    def takes(self, step_id: str) -> bool:
        """Whether a step with this id goes between these or after them."""
        head, _, last = step_id.rpartition(".")
        end = self.number + self.size
        at = self.first + self.size
        is_free = at >= len(self.siblings) or _number(self.head, self.siblings[at]) > end
        is_among = head == self.head and self.number <= int(last) <= end
        return self.size > 0 and is_free and end < COUNT_LIMIT and is_among

    def find(self, step_id: str) -> PlanStep | None:
        """The step that has this id once all are settled, or None. The caller may change it."""
        lead = f"{self.head}." if self.head else ""
        number, dot, below = step_id.removeprefix(lead).partition(".")
        offset = int(number) - self.number
        if not step_id.startswith(lead) or not 0 <= offset < self.size:
            return self.finder.find(step_id)
        step = self.siblings[self.first + offset]
        if dot:
            # None is below a new one, which has the id that an old one is still known by.
            return self.finder.find(f"{step.step_id}.{below}") if step.children else None
        self.finder.touch(step)
        return step

    def put(self, step: PlanStep) -> int:
        """Put in a step that it takes; returns how many have to move up."""
        offset = _number(self.head, step) - self.number
        moved = self.size - offset
        self.siblings.insert(self.first + offset, step)
        self.size += 1
        self.added.append(step)
        self.finder.add_at(step, self.siblings, self.first + offset)
        self._grow()
        return moved

    def settle(self) -> None:
        """Give all steps the ids that go with their places."""
        lead = f"{self.head}." if self.head else ""
        run = self.siblings[self.first : self.first + self.size]
        moves = [(step, step.step_id, f"{lead}{number}") for number, step in enumerate(run, self.number)]
        self.finder.renumber(moves, {*map(id, self.added)})
        self.siblings, self.size, self.added = [], 0, []


def _run(ordered: list[PlanStep], at: int, number: int, key: Callable[[PlanStep], int]) -> _Taken:
    """The run of numbers from ``number`` on that are taken, each with the steps that are there."""
    run: _Taken = {}
    for index in range(at, len(ordered)):
        step, last = ordered[index], number
        number = key(step)
        if number > last + 1:
            break
        run.setdefault(number, []).append(step)
    return run
