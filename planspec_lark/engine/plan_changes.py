"""Commands that change a running plan: what was done stays done, and what is to be done can be reached."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

from attrs import define, field

from planspec_lark.engine.run_writer import OPEN, Patch, RunWriter
from planspec_lark.plan_cmd.apply import Finder, perform
from planspec_lark.plan_cmd.models import PlanCommand
from planspec_lark.planspec.models import CONTAINER_TYPES, PlanSpec, PlanStatus, PlanStep, iter_steps
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.planspec.tree import iter_with_parents
from planspec_lark.syntax.diagnostics import CommandError

__all__ = ["Reshaping", "find_refusal", "keep_done", "reshape"]


@define
class Reshaping:
    """What commands have come to; steps by their ids as they are then, but for ``gone`` and the keys of ``moves``.

    Attributes:
        moves: new ids by old ones.
        gone: steps that are no more.
        reset: steps whose status has changed.
        unplanned: containers that need new steps, and why.
        unchosen: decide steps whose branch holds no longer.
        new: steps that were not there before.
    """

    moves: dict[str, str] = field(factory=dict)
    gone: list[str] = field(factory=list)
    reset: list[str] = field(factory=list)
    unplanned: dict[str, str] = field(factory=dict)
    unchosen: list[str] = field(factory=list)
    new: list[str] = field(factory=list)

    def data(self) -> dict[str, Any]:
        """The same for a record."""
        return {
            "moves": self.moves,
            "gone": self.gone,
            "reset": self.reset,
            "unplanned": self.unplanned,
            "unchosen": self.unchosen,
            "new": self.new,
        }


def find_refusal(plan: PlanSpec, commands: Sequence[PlanCommand]) -> CommandError | None:
    """Why commands cannot be performed as :func:`reshape` does it, if they cannot; the plan stays as it is.

    A reader tries commands on a copy as well, but there REPLAN keeps nothing.
    """
    trial = deepcopy(plan)
    try:
        _perform(trial, commands)
        serialize_plan(trial)
    except CommandError as error:
        return error
    except ValueError as error:
        return CommandError("PC118", f"the commands make a plan that cannot be written: {error}")
    return None


def reshape(writer: RunWriter, commands: Sequence[PlanCommand], patches: Iterable[Patch] = ()) -> Reshaping:
    """Perform commands that were tried before, behind some patches. They change the plan, and nothing else yet.

    Raises:
        CommandError: one is refused nevertheless; the plan may have changed by then.
    """
    before: _Before = {id(step): (step, step.step_id, step.status) for step in iter_steps(writer.plan)}
    for patch in patches:
        patch.apply()
    emptied = _perform(writer.plan, commands)
    above = {id(step): parent for step, parent in iter_with_parents(writer.plan)}
    after = list(iter_steps(writer.plan))
    done = Reshaping()
    for key, (step, step_id, _) in before.items():
        if key not in above:
            done.gone.append(step_id)
        elif step.step_id != step_id:
            done.moves[step_id] = step.step_id
    done.new = [step.step_id for step in after if id(step) not in before]
    done.unplanned = {
        step.step_id: reason for step, reason in emptied if id(step) in above and step.step_type in CONTAINER_TYPES
    }
    _Reopening(writer, before, above, done).reopen([step for step in after if _is_fresh(step, before.get(id(step)))])
    done.reset = [step.step_id for step in after if id(step) in before and before[id(step)][2] is not step.status]
    return done


# Steps as they were before the commands, by their identity, with their ids and statuses.
_Before: TypeAlias = dict[int, tuple[PlanStep, str, PlanStatus]]


def _is_fresh(step: PlanStep, was: tuple[PlanStep, str, PlanStatus] | None) -> bool:
    """Whether a step is to be done that was not, or was not there, or is to be done anew."""
    if step.status not in OPEN:
        return False
    return was is None or was[2] not in OPEN or (was[2] is PlanStatus.ACTIVE and step.status is PlanStatus.PENDING)


def _perform(plan: PlanSpec, commands: Sequence[PlanCommand]) -> list[tuple[PlanStep, str]]:
    """Perform commands; gives the containers that are to be planned anew, and why."""
    finder, emptied = Finder(plan), []
    for command in commands:
        step = None if command.op == "ADD" else finder.find(command.step_id)
        kept = keep_done(step.children) if step is not None and command.op == "REPLAN" else []
        perform(plan, command, finder)
        if step is None:
            continue
        if command.op == "SKIP":
            skip_open(step.children)
        elif command.op == "REVISE" and step.children:
            _begin_again(step)
        elif command.op == "REPLAN":
            step.children, step.result = kept, ""
            for below in iter_steps(step):
                finder.add(below)
            emptied.append((step, command.result))
    return emptied


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


def keep_done(steps: Sequence[PlanStep]) -> list[PlanStep]:
    """What stays of the children of a container that is planned anew: what was done, and what it stands below."""
    plan = PlanSpec(steps=list(steps))
    above = {id(step): parent for step, parent in iter_with_parents(plan)}
    holds: set[int] = set()
    for step in iter_steps(plan):
        at: PlanStep | None = step if step.status is PlanStatus.DONE else None
        while at is not None and id(at) not in holds:
            holds.add(id(at))
            at = above[id(at)]
    kept = [step for step in steps if id(step) in holds]
    for step, _ in iter_with_parents(PlanSpec(steps=kept), lambda step: step.status is not PlanStatus.DONE):
        if step.status is not PlanStatus.DONE:
            step.status = PlanStatus.SKIPPED
            step.children = [child for child in step.children if id(child) in holds]
    return kept


def skip_open(steps: Iterable[PlanStep]) -> None:
    """Pass over those that are open, and what is open below any of them."""
    for step in steps:
        for below in iter_steps(step):
            if below.status in OPEN:
                below.status = PlanStatus.SKIPPED


@define
class _Reopening:
    """Lets steps that are to be done be reached: what they stand below is open again."""

    writer: RunWriter
    before: _Before
    above: dict[int, PlanStep | None]
    done: Reshaping

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
            if each.status not in OPEN:
                each.status, each.result = PlanStatus.ACTIVE, ""

    def _admits(self, decide: PlanStep, child: PlanStep) -> bool:
        """Whether a branch of a decide step can still be gone into."""
        if decide.status is PlanStatus.PENDING:
            return True
        was = self.before.get(id(decide))
        chosen = self.writer.state.chosen.get(was[1]) if was else None
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
        was = self.before.get(id(step))
        return was[1] if was else ""

    def _unchoose(self, decide: PlanStep) -> None:
        if decide.step_id not in self.done.unchosen and self._was(decide) in self.writer.state.chosen:
            self.done.unchosen.append(decide.step_id)
