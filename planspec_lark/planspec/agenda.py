"""Which steps of a plan can be done now, and why each other one cannot.

Views, commands, servers and runs ask here. A run knows more than its plan says: it overrides what is said of one step,
and keeps the agenda, so that what has been dealt with is not looked at again.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property

from attrs import frozen

from planspec_lark.planspec.data_flow import Order, find_users
from planspec_lark.planspec.models import (
    CONTAINER_TYPES,
    OPEN,
    PlanSpec,
    PlanStatus,
    PlanStep,
    has_progress,
    iter_steps,
)
from planspec_lark.syntax.diagnostics import brief
from planspec_lark.syntax.tree import iter_tree

__all__ = [
    "Agenda",
    "NextAction",
    "StepState",
    "next_state",
    "next_step",
    "ready_steps",
    "step_states",
]

_BEGUN = frozenset({PlanStatus.ACTIVE, PlanStatus.DONE, PlanStatus.BLOCKED})


class NextAction(str, Enum):
    """What is to be done with a step."""

    # It is carried out.
    DO = "do"
    # One of its branches is chosen.
    DECIDE = "decide"
    # The steps below it are written.
    PLAN = "plan"
    # All below it has been dealt with, and so its own status is to be set.
    CLOSE = "close"
    # In a run alone: its failure is reflected on.
    REFLECT = "reflect"


@frozen
class StepState:
    """What is to be done with a step, and what holds it back.

    Attributes:
        step: the step.
        todo: what is to be done with it; None where steps below it come first, or nothing is to be done.
        why: why that cannot be done now, in words; empty where it can.
        lacks: inputs that nothing will bring, unless the plan is changed or what is blocked is opened.
    """

    step: PlanStep
    todo: NextAction | None
    why: str = ""
    lacks: tuple[str, ...] = ()

    @property
    def is_ready(self) -> bool:
        """Whether something can be done with it now."""
        return self.todo is not None and not self.why


@frozen
class _Level:
    """Steps beside one another that are gone through, and what holds all of them back."""

    steps: Iterator[PlanStep]
    why: str = ""


class Agenda:
    """What is to be done of a plan.

    Args:
        plan: the plan.
        order: what orders steps. In that of the "text", one that declares no inputs waits for all before it; by "data",
            only inputs are waited for.
        given: inputs that are there whatever the steps produce.
    """

    def __init__(self, plan: PlanSpec, *, order: Order = "text", given: Collection[str] = ()) -> None:
        self.plan, self.order, self.given = plan, order, given
        self.renew()

    def renew(self) -> None:
        """Take account of any change of the plan."""
        # Of each step by identity: its number in document order, and what it is below.
        self._starts: dict[int, int] = {}
        self._parents: dict[int, PlanStep | None] = {}
        self.__dict__.pop("_flow", None)
        # By variable, the place of the first finished step that produces it.
        self._first_done: dict[str, int] = {}
        for at, (step, parent) in enumerate(iter_tree(self.plan.steps)):
            key = id(step)
            self._starts[key], self._parents[key] = at, parent
            if step.status is PlanStatus.DONE:
                for name in step.outputs:
                    self._first_done.setdefault(name, at)
        # The number of the last one below it, or its own.
        self._ends = dict(self._starts)
        for key, above in reversed(self._parents.items()):
            if above is not None and self._ends[id(above)] < self._ends[key]:
                self._ends[id(above)] = self._ends[key]
        self.forget()

    @cached_property
    def _flow(self) -> tuple[dict[str, list[PlanStep]], dict[str, list[PlanStep]]]:
        """By variable, the steps that produce it and those that take it: not asked for where all is there."""
        return find_users(self.plan)

    def forget(self) -> None:
        """Take account of steps that are open again."""
        # By what they are below, how many steps have been dealt with from the first on.
        self._through: dict[int, int] = {}
        # By variable, and by the open loop or decision around who asks, how many of the steps that produce it have
        # been dealt with for good.
        self._settled: dict[tuple[str, int], int] = {}
        # Steps that were found to lack inputs.
        self._stuck: set[int] = set()
        # The open steps, and of finished ones with some of them below, the number of the first that may be open still.
        self._open = [step for step in iter_steps(self.plan) if step.status in OPEN]
        self._torn: dict[int, int] = {}
        for at, step in enumerate(self._open):
            above = self._parents[id(step)]
            while above is not None and above.status is PlanStatus.DONE and id(above) not in self._torn:
                self._torn[id(above)] = at
                above = self._parents[id(above)]

    # ---------------------------------------------------------------- what a run knows better

    def top(self) -> list[PlanStep]:
        """The steps that are gone through."""
        return self.plan.steps

    def is_loop(self, step: PlanStep) -> bool:
        """Whether a step counts rounds: ``Progress: 0/3``, or ``Progress: 1`` where their number is unknown."""
        return step.step_type == "subtask" and has_progress(step)

    def todo(self, step: PlanStep) -> NextAction | None:
        """What is to be done with an open step; None if what is below it decides."""
        if step.step_type not in CONTAINER_TYPES and not step.children:
            return NextAction.DO
        is_loop = self.is_loop(step)
        if is_loop and step.total_count is not None and step.done_count >= step.total_count:
            return NextAction.CLOSE
        if not step.children:
            return NextAction.DO if is_loop else NextAction.PLAN
        return NextAction.DECIDE if step.step_type == "decide" and self.is_undecided(step) else None

    def is_undecided(self, step: PlanStep) -> bool:
        """Whether no branch of a decide step has begun, and more than one can still be chosen."""
        if any(branch.status in _BEGUN for branch in step.children):
            return False
        count = sum(branch.status in OPEN for branch in step.children)
        return count > 1 or count == len(step.children) or (count > 0 and step.status is PlanStatus.PENDING)

    def is_there(self, name: str, step: PlanStep) -> bool:
        """Whether a step has this input: one before it has produced it, or one in a loop around both has earlier."""
        start = self._start(step)
        if self._first_done.get(name, start) < start:
            return True
        return any(
            (above.step_type == "decide" and name in above.outputs)
            or (above.done_count and self.is_loop(above) and self._has_later(name, start, above))
            for above in self.ancestors(step)
        )

    # ---------------------------------------------------------------- all steps

    def states(self, *, is_complete: bool = False) -> Iterator[StepState]:
        """The open steps in document order; ``is_complete`` for what is blocked, and what is below it, as well.

        What is below a step that waits is passed over otherwise.
        """
        first: PlanStep | None = None
        levels = [_Level(self._left(None, self.top(), is_complete))]
        while levels:
            level = levels[-1]
            step = next(level.steps, None)
            if step is None:
                levels.pop()
                continue
            state = self._look_at(step, level, first)
            if step.status is not PlanStatus.DONE:
                yield state
            if state.lacks:
                self._stuck.add(id(step))
            # What the caller has done meanwhile is not waited for.
            elif state.todo is not None and not level.why and first is None and step.status in OPEN:
                first = step
            if step.children and state.todo in (None, NextAction.DECIDE):
                why = level.why or self._holds_below(state, is_first=first in (None, step))
                if is_complete or not why:
                    levels.append(_Level(self._left(step, step.children, is_complete), why))

    def _left(self, above: PlanStep | None, steps: Sequence[PlanStep], is_complete: bool) -> Iterator[PlanStep]:
        """Those of these steps that are open, or finished with open ones below them."""
        key, at = id(above), 0
        if not is_complete:
            at = self._through.get(key, 0)
            while at < len(steps) and not self._is_left(steps[at]):
                at += 1
            self._through[key] = at
        for number in range(at, len(steps)):
            step = steps[number]
            if self._is_left(step) or (is_complete and (step.status is PlanStatus.BLOCKED or step.children)):
                yield step

    def _is_left(self, step: PlanStep) -> bool:
        return step.status in OPEN or self._is_torn(step)

    def _is_torn(self, step: PlanStep) -> bool:
        """Whether a finished step has an open one below it."""
        at = self._torn.get(id(step), len(self._open))
        while at < len(self._open) and self._open[at].status not in OPEN:
            at += 1
        if id(step) in self._torn:
            self._torn[id(step)] = at
        return at < len(self._open) and self._start(self._open[at]) <= self._end(step)

    def _look_at(self, step: PlanStep, level: _Level, first: PlanStep | None) -> StepState:
        if step.status not in OPEN:
            said = f": {brief(step.result)}" if step.result and step.status is PlanStatus.BLOCKED else ""
            return StepState(step, None, "" if self._is_torn(step) else f"it is {step.status.value}{said}")
        todo = self.todo(step)
        if todo is None and next(self._left(step, step.children, False), None) is None:
            todo = NextAction.CLOSE
        if level.why:
            return StepState(step, todo, level.why)
        needs = step.inputs and todo not in (NextAction.CLOSE, NextAction.REFLECT)
        lacks, why = self._find_lacks(step) if needs else ({}, "")
        if lacks and not why:
            said = ", ".join(f"{name} ({cause})" for name, cause in lacks.items())
            return StepState(step, todo, f"inputs are missing: {said}", tuple(lacks))
        if not why and first is not None and self.order == "text" and step.status is not PlanStatus.ACTIVE:
            waits = todo and (not step.inputs or todo not in (NextAction.DO, NextAction.DECIDE))
            why = f"step {first.step_id} comes first" if waits else ""
        if not why and first is not None and todo in (NextAction.DO, NextAction.DECIDE):
            why = self._find_clash(step)
        return StepState(step, todo, why or ("" if todo else "steps below it come first"))

    def _holds_below(self, state: StepState, *, is_first: bool) -> str:
        """What holds back the steps below one; empty where they can be gone into."""
        step = state.step
        if step.status in (PlanStatus.BLOCKED, PlanStatus.SKIPPED):
            return f"step {step.step_id} above it is {step.status.value}"
        if step.status is PlanStatus.DONE:
            return ""
        if state.todo is NextAction.DECIDE:
            return f"step {step.step_id} has not chosen a branch"
        if step.inputs and (state.lacks or not all(self._has(name, step) for name in step.inputs)):
            return f"step {step.step_id} above it waits: {state.why}"
        is_late = step.step_type == "decide" or self.is_loop(step)
        if step.status is PlanStatus.PENDING and is_late and not is_first and self.order == "text":
            return f"step {step.step_id} above it has not begun"
        return ""

    # ---------------------------------------------------------------- inputs

    def _has(self, name: str, step: PlanStep) -> bool:
        return self._find_late(name, step) is None and self.find_lack(name, step) is None

    def _find_lacks(self, step: PlanStep) -> tuple[Mapping[str, str], str]:
        """The inputs that nothing will bring, each with why; and what the step waits for, if anything is to come."""
        lacks: dict[str, str] = {}
        for name in dict.fromkeys(step.inputs):
            if (late := self._find_late(name, step)) is not None:
                return {}, f"its input `{name}` comes from step {late.step_id}, which is {late.status.value}"
            if (lack := self.find_lack(name, step)) is not None:
                lacks[name] = self._say_lack(lack, step)
        return lacks, ""

    def producers(self, name: str) -> Sequence[PlanStep]:
        """The steps that declare an output, in document order."""
        return self._flow[0].get(name, ())

    def find_lack(self, name: str, step: PlanStep) -> PlanStep | None:
        """The step that does not bring an input, where that is not there; None for one from outside the plan."""
        if name in self.given or name not in self._flow[0] or self.is_there(name, step):
            return None
        start = self._start(step)
        loops = map(self._end, self._loops_around(step))
        producers = self._flow[0][name]
        for one in producers:
            if self._start(one) > start:
                break
            if one is not step and (self._end(one) < start or one.step_type == "decide"):
                return one
        # What comes later in a loop around both is there from its second round on. A container has what is below it.
        own = self._end(step) if step.step_type != "decide" else start
        later = bisect_right(producers, max([own, *loops]), key=self._start)
        return producers[later] if later < len(producers) else None

    def _say_lack(self, lack: PlanStep, step: PlanStep) -> str:
        if self._start(lack) > self._start(step):
            return f"step {lack.step_id} comes later"
        if id(lack) in self._stuck:
            return f"step {lack.step_id} cannot be done"
        return f"step {lack.step_id} is {lack.status.value}{' without it' if lack.status is PlanStatus.DONE else ''}"

    def _find_late(self, name: str, step: PlanStep) -> PlanStep | None:
        """A step before this one that has still to produce something, or that is to be done once more."""
        start, producers = self._start(step), self._flow[0].get(name, ())
        around = next((id(above) for above in self.ancestors(step) if self._is_repeated(above)), 0)
        key, is_settled = (name, around), True
        begin = max(self._settled.get(key, 0), self._settled.get((name, 0), 0))
        for number in range(begin, len(producers)):
            one = producers[number]
            if self._start(one) >= start:
                break
            late = self._late(one, step)
            if late is not None:
                return late
            is_settled = is_settled and (one.status not in OPEN or id(one) in self._stuck)
            if is_settled:
                self._settled[key] = number + 1
        return None

    def _is_repeated(self, step: PlanStep) -> bool:
        """Whether what was done below a step may be done once more, or be replaced, before it is through."""
        return step.status in OPEN and (step.step_type == "decide" or self.is_loop(step))

    def _late(self, one: PlanStep, step: PlanStep) -> PlanStep | None:
        """What is to be through before a step after another one has its last value: that one, or what it is below."""
        if self._holds(one, step):
            return None
        late = one if one.status in OPEN and id(one) not in self._stuck else None
        for above in self.ancestors(one):
            if self._holds(above, step):
                break
            if above.status in (PlanStatus.BLOCKED, PlanStatus.SKIPPED) or id(above) in self._stuck:
                return None
            if late is None and self._is_repeated(above):
                late = above
        return late

    def _find_clash(self, step: PlanStep) -> str:
        """Why a step has to wait although its inputs are there: another one would get what it is not meant to get.

        An earlier step has still to produce one of its outputs, which would replace the newer value; or, in a loop
        around both, has still to take one as the round before has left it.
        """
        for name in step.outputs:
            if (late := self._find_late(name, step)) is not None:
                return f"step {late.step_id} comes first, as both produce `{name}`"
            for user in self._flow[1].get(name, ()):
                if self._start(user) >= self._start(step):
                    break
                if self._shares_loop(step, user) and self._late(user, step) is not None:
                    return f"step {user.step_id} comes first, which takes `{name}` from the round before"
        return ""

    # ---------------------------------------------------------------- places

    def _start(self, step: PlanStep) -> int:
        return self._starts[id(step)]

    def _end(self, step: PlanStep) -> int:
        return self._ends[id(step)]

    def _holds(self, above: PlanStep, step: PlanStep) -> bool:
        """Whether a step is below another one."""
        return self._start(above) < self._start(step) <= self._end(above)

    def ancestors(self, step: PlanStep) -> Iterator[PlanStep]:
        """The steps that a step is below, the nearest first."""
        above = self._parents[id(step)]
        while above is not None:
            yield above
            above = self._parents[id(above)]

    def _loops_around(self, step: PlanStep) -> Iterator[PlanStep]:
        return filter(self.is_loop, self.ancestors(step))

    def _shares_loop(self, step: PlanStep, other: PlanStep) -> bool:
        return any(self._holds(loop, other) for loop in self._loops_around(step))

    def _has_later(self, name: str, start: int, loop: PlanStep) -> bool:
        """Whether a loop around a step has a later one that produces this."""
        producers = self._flow[0].get(name, ())
        at = bisect_left(producers, start, key=self._start)
        return at < len(producers) and self._start(producers[at]) <= self._end(loop)


# ---------------------------------------------------------------- of a plan alone


def step_states(plan: PlanSpec, *, order: Order = "text", given: Collection[str] = ()) -> list[StepState]:
    """What is to be done with each open step, or why it cannot be, in document order.

    A step can be done when its inputs are there: a step that is done has produced them, or no step does, so that they
    come from outside. One that is blocked or skipped, or comes later, brings none. A step that declares no inputs waits
    for all before it that can still be done; so does what is in a loop, or below a decision, that has not begun.

    Args:
        plan: the plan.
        order: "data" where only declared inputs are to be waited for.
        given: inputs that are there in any case.
    """
    agenda = Agenda(plan, order=order, given=given)
    return [one for one in agenda.states(is_complete=True) if one.step.status is not PlanStatus.SKIPPED]


def next_state(plan: PlanSpec, *, order: Order = "text") -> StepState | None:
    """What is to be done next: with a step that was begun, or else with the first that can be; None where none can."""
    first, has_begun = None, any(step.status is PlanStatus.ACTIVE for step in iter_steps(plan))
    for one in Agenda(plan, order=order).states():
        if one.is_ready:
            if one.step.status is PlanStatus.ACTIVE and one.todo in (NextAction.DO, NextAction.DECIDE):
                return one
            first = first or one
            if not has_begun:
                break
    return first


def next_step(plan: PlanSpec) -> PlanStep | None:
    """The step to do next, or None if none can be done.

    >>> next_step(parse_plan("Goal: Ship it\\n## Steps\\n1. [x] [act] Test\\n2. [act] Upload\\n")).description
    'Upload'

    A step that was begun and has not ended comes first, then the first pending one whose inputs are there. A container
    comes after the steps below it, or at once if they have still to be written or one is to be chosen.
    """
    found = next_state(plan)
    return found.step if found else None


def ready_steps(plan: PlanSpec, *, order: Order = "text") -> list[PlanStep]:
    """The steps that can be worked on side by side, in document order. See :func:`step_states`."""
    return [one.step for one in Agenda(plan, order=order).states() if one.is_ready]
