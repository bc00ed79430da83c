"""Commands that change a running plan: what was done stays done, and what is to be done can be reached."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from attrs import define, field

from planspec_lark.engine.desk import OPEN, Desk
from planspec_lark.plan_cmd.applying import perform
from planspec_lark.plan_cmd.finding import Finder
from planspec_lark.plan_cmd.models import PlanCommand
from planspec_lark.planspec.models import PlanStatus, PlanStep, iter_steps

__all__ = ["Reshaping", "keep_done", "reshape"]


@define
class Reshaping:
    """What commands have come to; steps by their ids as they are then, but for ``gone`` and the keys of ``moves``.

    Attributes:
        moves: new ids by old ones.
        gone: steps that are no more.
        reset: steps whose status has changed.
        unplanned: containers that need new steps, and why.
        unchosen: decide steps whose branch holds no longer.
        added: how many steps are new.
    """

    moves: dict[str, str] = field(factory=dict)
    gone: list[str] = field(factory=list)
    reset: list[str] = field(factory=list)
    unplanned: dict[str, str] = field(factory=dict)
    unchosen: list[str] = field(factory=list)
    added: int = 0

    def data(self) -> dict[str, Any]:
        """The same for a record."""
        return {
            "moves": self.moves,
            "gone": self.gone,
            "reset": self.reset,
            "unplanned": self.unplanned,
            "unchosen": self.unchosen,
            "added": self.added,
        }


def reshape(desk: Desk, commands: Sequence[PlanCommand]) -> Reshaping:
    """Perform commands that were tried on a copy before. They change the plan, and nothing else yet.

    Raises:
        CommandError: one is refused nevertheless; the plan may have changed by then.
    """
    before = {id(step): (step, step.step_id, step.status) for step in iter_steps(desk.plan)}
    emptied = _perform(desk, commands)
    after = {id(step): step for step in iter_steps(desk.plan)}
    done = Reshaping()
    for key, (step, step_id, _) in before.items():
        if key not in after:
            done.gone.append(step_id)
        elif step.step_id != step_id:
            done.moves[step_id] = step.step_id
    done.added = sum(1 for key in after if key not in before)
    done.unplanned = {step.step_id: reason for step, reason in emptied if id(step) in after}
    above = _parents(desk)
    fresh = [step for key, step in after.items() if step.status in OPEN and _is_fresh(step, before.get(key))]
    for step in fresh:
        _reopen(desk, step, above, done)
    for step in after.values():
        if step.status is PlanStatus.SKIPPED:
            skip_open(below for below in iter_steps(step) if below is not step)
    done.reset = [step.step_id for key, step in after.items() if key in before and before[key][2] is not step.status]
    return done


def _is_fresh(step: PlanStep, was: tuple[PlanStep, str, PlanStatus] | None) -> bool:
    """Whether a step is to be done that was not, or was not there."""
    return was is None or was[2] not in OPEN or (was[2] is PlanStatus.ACTIVE and step.status is PlanStatus.PENDING)


def _perform(desk: Desk, commands: Sequence[PlanCommand]) -> list[tuple[PlanStep, str]]:
    """Perform commands; gives the containers that are to be planned anew, and why."""
    finder, emptied = Finder(desk.plan), []
    for command in commands:
        step = finder.find(command.step_id) if command.op == "REPLAN" else None
        kept = keep_done(step.children) if step is not None else []
        perform(desk.plan, command, finder)
        if step is not None:
            step.children = kept
            for below in iter_steps(step):
                finder.add(below)
            emptied.append((step, command.result))
    return emptied


def keep_done(steps: Iterable[PlanStep]) -> list[PlanStep]:
    """What stays of the children of a container that is planned anew: what was done, and what it stands below."""
    kept = [step for step in steps if any(below.status is PlanStatus.DONE for below in iter_steps(step))]
    for step in kept:
        stack = [step] if step.status is not PlanStatus.DONE else []
        while stack:
            cut = stack.pop()
            cut.status = PlanStatus.SKIPPED
            cut.children = [
                child for child in cut.children if any(one.status is PlanStatus.DONE for one in iter_steps(child))
            ]
            stack += [child for child in cut.children if child.status is not PlanStatus.DONE]
    return kept


def skip_open(steps: Iterable[PlanStep]) -> None:
    """Pass over those that are open."""
    for step in steps:
        if step.status in OPEN:
            step.status = PlanStatus.SKIPPED


def _parents(desk: Desk) -> dict[int, PlanStep]:
    return {id(child): step for step in iter_steps(desk.plan) for child in step.children}


def _reopen(desk: Desk, step: PlanStep, above: dict[int, PlanStep], done: Reshaping) -> None:
    """Let a step that is to be done be reached: what it stands below is open again."""
    child, parent = step, above.get(id(step))
    while parent is not None:
        if parent.step_type == "decide" and not _admits(desk, parent, child, done):
            skip_open(iter_steps(child))
            return
        if parent.status not in OPEN:
            parent.status, parent.result = PlanStatus.ACTIVE, ""
        child, parent = parent, above.get(id(parent))


def _admits(desk: Desk, decide: PlanStep, child: PlanStep, done: Reshaping) -> bool:
    """Whether a branch of a decide step can still be gone into."""
    old = {new: was for was, new in done.moves.items()}.get(decide.step_id, decide.step_id)
    chosen = desk.state.chosen.get(old)
    if chosen is None:
        return True
    chosen = done.moves.get(chosen, chosen)
    held = next((one for one in decide.children if one.step_id == chosen), None)
    if held is child:
        return True
    if held is not None and (held.status in OPEN or held.status is PlanStatus.DONE):
        return False
    if decide.step_id not in done.unchosen:
        done.unchosen.append(decide.step_id)
    return True
