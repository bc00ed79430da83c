"""Commands that change a running plan: what is known of its steps moves along, and open steps stay reachable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import TypeAlias

from attrs import define, frozen

from planspec_lark.engine.entries import Reshaped, StepPatch
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.plan_cmd.apply import perform
from planspec_lark.plan_cmd.finder import Finder
from planspec_lark.plan_cmd.models import PlanCommand
from planspec_lark.planspec.models import CONTAINER_TYPES, OPEN, PlanSpec, PlanStatus, PlanStep, hash_of, iter_steps
from planspec_lark.planspec.printer import canonical_step
from planspec_lark.planspec.tree import iter_with_parents

__all__ = ["reshape"]


# Gives what else becomes of the plan, knowing the steps that the commands have made open, in document order.
Settle: TypeAlias = Callable[[list[PlanStep]], Iterable[StepPatch]]


def reshape(
    writer: RunWriter, commands: Sequence[PlanCommand], patches: Iterable[StepPatch] = (), settle: Settle | None = None
) -> Reshaped:
    """Perform commands that were tried when they were read, between some patches.

    They change the plan, and nothing else yet.
    """
    before = {id(step): _StepBefore(step, step.step_id, step.status) for step in iter_steps(writer.plan)}
    loops = {id(step): hash_of(step) for step in map(writer.find, writer.state.loops) if step is not None}
    for patch in patches:
        patch.apply()
    emptied = _perform(writer.plan, commands)
    above = {id(step): parent for step, parent in iter_with_parents(writer.plan)}
    after = list(iter_steps(writer.plan))
    done = Reshaped()
    for key, was in before.items():
        if key not in above:
            done.gone.append(was.step_id)
        elif was.step.step_id != was.step_id:
            done.moves[was.step_id] = was.step.step_id
    done.revised.extend(one.step_id for one in after if id(one) in loops and loops[id(one)] != hash_of(one))
    done.new.extend(step.step_id for step in after if id(step) not in before)
    for one in emptied:
        if id(one.step) in above and one.step.step_type in CONTAINER_TYPES:
            removed = (_look_up(before.get(id(step)), writer) for step in one.removed)
            done.unplanned[one.step.step_id] = one.reason
            done.cleared[one.step.step_id] = [*filter(None, removed)]

    def fresh() -> list[PlanStep]:
        return [step for step in after if _is_fresh(step, before.get(id(step)))]

    reopening = _Reopening(writer, before, above, done)
    reopening.reopen(fresh())
    if settle is not None:
        for patch in settle(fresh()):
            patch.apply()
        reopening.reopen(fresh())
    changed = (one for one in after if id(one) in before and before[id(one)].status is not one.status)
    done.reset.extend(one.step_id for one in changed)
    return done


@frozen
class _StepBefore:
    """A step, and its id and status before the commands."""

    step: PlanStep
    step_id: str
    status: PlanStatus


def _is_fresh(step: PlanStep, was: _StepBefore | None) -> bool:
    """Whether a step is to be done that was not, or was not there, or is to be done again."""
    if step.status not in OPEN:
        return False
    if was is None or was.status not in OPEN:
        return True
    return was.status is PlanStatus.ACTIVE and step.status is PlanStatus.PENDING


def _look_up(was: _StepBefore | None, writer: RunWriter) -> tuple[str, str] | None:
    """The id and the text of a leaf that was done; None for any other step."""
    if was is None or was.step.children or was.step.status is not PlanStatus.DONE:
        return None
    finished = writer.state.finished.get(was.step_id)
    is_same = finished is not None and finished.hash == hash_of(was.step)
    return (was.step_id, canonical_step(was.step, 0)) if is_same else None


@frozen
class _Emptied:
    """A container that is to be planned again: why, and what was below it."""

    step: PlanStep
    reason: str
    removed: list[PlanStep]


def _perform(plan: PlanSpec, commands: Sequence[PlanCommand]) -> list[_Emptied]:
    """Perform commands; gives the containers that are to be planned again."""
    finder, emptied = Finder(plan), dict[int, _Emptied]()
    for command in commands:
        step = None if command.op == "ADD" else finder.find(command.step_id)
        below = list(iter_steps(step)) if step is not None and command.op == "REPLAN" else []
        perform(command, finder)
        if step is None:
            continue
        if command.op == "SKIP":
            skip_open(step.children)
        elif command.op == "REVISE" and step.children:
            _begin_again(step)
        elif command.op == "REPLAN":
            step.result = ""
            # What was removed from a part of it before has been done all the same.
            earlier = (emptied.pop(id(one)).removed for one in below if id(one) in emptied)
            emptied[id(step)] = _Emptied(step, command.result, [*below[1:], *chain.from_iterable(earlier)])
    return list(emptied.values())


def _begin_again(container: PlanStep) -> None:
    """What is at work below a container that is revised waits for its turn; what a decision has skipped is open."""
    if container.step_type == "decide" and any(child.status not in _UNDECIDED for child in container.children):
        for child in container.children:
            for step in iter_steps(child) if child.status is PlanStatus.SKIPPED else ():
                if step.status is PlanStatus.SKIPPED:
                    step.status, step.result = PlanStatus.PENDING, ""
    for step in iter_steps(container):
        is_active = step.status is PlanStatus.ACTIVE
        if is_active and all(child.status is not PlanStatus.ACTIVE for child in step.children):
            step.status = PlanStatus.PENDING


# What the branches of a decide step are that has not chosen any.
_UNDECIDED = (PlanStatus.PENDING, PlanStatus.SKIPPED)


def skip_open(steps: Iterable[PlanStep]) -> None:
    """Pass over those that are open, and what is open below any of them."""
    for step in steps:
        for below in iter_steps(step):
            if below.status in OPEN:
                below.status = PlanStatus.SKIPPED


@define
class _Reopening:
    """Lets steps that are to be done be reached: what they are below is open again."""

    writer: RunWriter
    before: dict[int, _StepBefore]
    above: dict[int, PlanStep | None]
    done: Reshaped

    def reopen(self, fresh: Iterable[PlanStep]) -> None:
        """See the class."""
        for step in fresh:
            if step.step_type == "decide" and step.status is PlanStatus.PENDING:
                self._unchoose(step)
        for step in fresh:
            self._reach(step)

    def _reach(self, step: PlanStep) -> None:
        path: list[PlanStep] = []
        child, parent = step, self.above[id(step)]
        while parent is not None:
            if parent.step_type == "decide" and not self._admits(parent, child):
                skip_open([child])
                return
            path.append(parent)
            child, parent = parent, self.above[id(parent)]
        for each in path:
            if each.status not in OPEN and self.writer.is_run(each.step_id):
                each.status, each.result = PlanStatus.ACTIVE, ""

    def _admits(self, decide: PlanStep, child: PlanStep) -> bool:
        """Whether a branch of a decide step can still be gone into."""
        if decide.status is PlanStatus.PENDING:
            return True
        chosen = self.writer.state.chosen.get(self._was(decide))
        if chosen is None or decide.step_id in self.done.unchosen:
            return True
        held = next((one for one in decide.children if self._was(one) == chosen), None)
        if held is child:
            return True
        if held is not None and (held.status in OPEN or held.status is PlanStatus.DONE):
            return False
        self._unchoose(decide)
        return True

    def _was(self, step: PlanStep) -> str:
        """The id that a step had; "" if it was not there."""
        was = self.before.get(id(step))
        return was.step_id if was else ""

    def _unchoose(self, decide: PlanStep) -> None:
        if decide.step_id not in self.done.unchosen and self._was(decide) in self.writer.state.chosen:
            self.done.unchosen.append(decide.step_id)
