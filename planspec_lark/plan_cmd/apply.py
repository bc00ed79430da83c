"""Commands change a plan, in place and predictably. A command that is refused changes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy

import attrs
from attrs import frozen

from planspec_lark.plan_cmd.finding import Finder, Gap
from planspec_lark.plan_cmd.models import VIEW_OPS, PlanCommand
from planspec_lark.plan_cmd.parser import read_headline
from planspec_lark.planspec.escapes import read_description
from planspec_lark.planspec.fields import COUNT_LIMIT
from planspec_lark.planspec.models import (
    CONTAINER_TYPES,
    STEP_FIELDS,
    STEP_TYPES,
    PlanSpec,
    PlanStatus,
    PlanStep,
    iter_steps,
)
from planspec_lark.planspec.tokens import read_body, split_variables
from planspec_lark.syntax.diagnostics import CommandError, shorten

__all__ = [
    "Report",
    "Room",
    "apply_command",
    "apply_commands",
    "count_steps",
    "find_known",
    "find_room",
    "perform",
    "perform_all",
]

_STATUSES = {"DONE": PlanStatus.DONE, "BLOCKED": PlanStatus.BLOCKED, "SKIP": PlanStatus.SKIPPED}


def apply_command(plan: PlanSpec, cmd: PlanCommand) -> str:
    """Let a command change a plan, in place.

    ``REPLAN ALL`` changes nothing here: making a new plan is for the caller.

    Returns:
        "" on success, else why the command was refused; then the plan is as it was.
    """
    return "" if (report := _report(plan, cmd)).done else report.message


def apply_commands(plan: PlanSpec, commands: Iterable[PlanCommand], *, atomic: bool = False) -> list[str]:
    """Let commands change a plan, in place and one after the other.

    Args:
        plan: the plan to change.
        commands: what to do.
        atomic: change nothing at all unless every command succeeds.

    Returns:
        Why commands were refused, in their order; empty if all succeeded. A refused command does not stop the others.
    """
    reports, _ = perform_all(plan, commands, atomic=atomic)
    return [report.message for report in reports if not report.done]


@frozen
class Report:
    """What became of a command: in words what it did, or the code and the reason of its refusal."""

    done: bool
    message: str
    code: str = ""


def perform_all(
    plan: PlanSpec, commands: Iterable[PlanCommand], *, atomic: bool, finder: Finder | None = None
) -> tuple[list[Report], bool]:
    """The same as :func:`apply_commands`, for callers that want to tell what was done.

    Args:
        plan: the plan to change.
        commands: what to do.
        atomic: change nothing at all unless every command succeeds.
        finder: as for :func:`perform`.

    Returns:
        A report for each command, and whether anything was done (with ``atomic`` nothing is if any was refused).
    """
    commands = list(commands)
    finder = finder or Finder(plan)
    if not atomic:
        reports = [_report(plan, command, finder) for command in commands]
        return reports, any(report.done for report in reports)
    # Tried on a copy, so that the steps that a caller holds stay the plan's own either way.
    trial = deepcopy(plan)
    trial_finder = Finder(trial)
    reports = [_report(trial, command, trial_finder) for command in commands]
    if not all(report.done for report in reports):
        return reports, False
    for command in commands:
        perform(plan, command, finder)
    return reports, bool(commands)


def _report(plan: PlanSpec, command: PlanCommand, finder: Finder | None = None) -> Report:
    try:
        return Report(True, perform(plan, command, finder))
    except CommandError as error:
        return Report(False, str(error), error.code)


def perform(plan: PlanSpec, command: PlanCommand, finder: Finder | None = None) -> str:
    """The same as :func:`apply_command`, for callers that want the code of a refusal or to tell what was done.

    Args:
        plan: the plan to change.
        command: what to do.
        finder: what is known about the steps of the plan from the commands before, if they were performed with it and
            nothing else has changed the plan.

    Returns:
        What the command did, in words.

    Raises:
        CommandError: the command is refused, and the plan is as it was.
    """
    try:
        attrs.validate(command)
    except (TypeError, ValueError) as error:
        raise CommandError("PC118", f"{command.op} {command.step_id}: {error}") from None
    finder = finder or Finder(plan)
    if command.op == "REPLAN" and command.step_id in ("", "ALL"):
        return "REPLAN ALL: nothing changed here, as making a new plan is the caller's task"
    if not command.step_id or command.step_id == "ALL":
        raise CommandError("PC118", f"{command.op}: it needs a step id")
    if command.op == "ADD":
        return _add(command, finder)
    step = find_known(command.step_id, finder, f"{command.op} {command.step_id}")
    if command.op == "REVISE":
        return _revise(step, command)
    if command.op == "REPLAN":
        return _replan(step, finder)
    if command.op in VIEW_OPS:
        step.expanded = command.op == "EXPAND"
        return f"step {step.step_id} is {'expanded' if step.expanded else 'collapsed'} in folded views"
    return _set_status(step, command)


def find_known(step_id: str, finder: Finder, what: str) -> PlanStep:
    """The step with this id.

    Raises:
        CommandError: there is none; ``what`` names what is refused.
    """
    step = finder.find(step_id)
    if step is None:
        raise CommandError("PC111", f"{what}: there is no step {step_id}")
    return step


def _set_status(step: PlanStep, command: PlanCommand) -> str:
    was, step.status = step.status, _STATUSES[command.op]
    step.result = command.result or step.result
    return f"step {step.step_id}: {was.value} → {step.status.value}"


def _replan(step: PlanStep, finder: Finder) -> str:
    if step.step_type not in CONTAINER_TYPES:
        raise CommandError("PC115", f"REPLAN {step.step_id}: only subtask and decide can be planned anew")
    removed = sum(1 for _ in iter_steps(step)) - 1
    finder.remove_below(step)
    step.children = []
    step.status = PlanStatus.PENDING
    return f"step {step.step_id}: {count_steps(removed)} below it removed"


def count_steps(steps: int) -> str:
    """So many steps, in words."""
    return f"{steps} step{'' if steps == 1 else 's'}"


# ---------------------------------------------------------------- ADD and REVISE


def _read_step(command: PlanCommand) -> PlanStep:
    """The step that a command writes, with the id that it names."""
    if command.step_type not in STEP_TYPES:
        known = ", ".join(STEP_TYPES)
        raise CommandError("PC114", f"{command.op} {command.step_id}: '{command.step_type}' is none of {known}")
    headline = read_headline(command.description)
    outputs = [] if headline.outputs is None else split_variables(headline.outputs)
    inputs, detail = read_body("".join(f"> {line}\n" for line in command.detail))
    return PlanStep(
        command.step_id,
        step_type=command.step_type,
        description=read_description(headline.description, has_outputs=bool(outputs)),
        inputs=inputs,
        outputs=outputs,
        detail=detail,
    )


def _revise(step: PlanStep, command: PlanCommand) -> str:
    revised = _read_step(command)
    if step.children and revised.step_type not in CONTAINER_TYPES:
        message = f"REVISE {step.step_id}: it has children, and type '{revised.step_type}' cannot have any"
        raise CommandError("PC116", message)
    for name, info in STEP_FIELDS.items():
        # All of the summary line but what the step is called, and the body where there is a new one.
        if name not in ("step_id", "step_name") and (command.detail or not info.is_in_body):
            setattr(step, name, getattr(revised, name))
    return f"step {step.step_id} revised, pending again"


def _add(command: PlanCommand, finder: Finder) -> str:
    step = _read_step(command)
    room = find_room(step, command.step_id, finder, f"ADD {command.step_id}")
    moved = room.take(step, finder)
    finder.add(step)
    return f"step {step.step_id} added{moved}"


@frozen
class Room:
    """Where a step can be put in: under which id, among which siblings, and what has to give way."""

    step_id: str
    siblings: list[PlanStep]
    gap: Gap

    def take(self, step: PlanStep, finder: Finder) -> str:
        """Put a step there, with the id that is meant; returns in words who has given way."""
        gap = self.gap
        finder.move_up(gap.moved, self.step_id.rpartition(".")[0])
        if step.step_id != self.step_id:
            finder.move_to(step, self.step_id)
        self.siblings.insert(gap.at, step)
        if gap.adopted:
            step.children = gap.adopted
            # By identity: comparing would go through whole subtrees.
            gone = {id(other) for other in gap.adopted}
            self.siblings[:] = [other for other in self.siblings if id(other) not in gone]
        return f", {count_steps(sum(map(len, gap.moved.values())))} behind it moved up by one" if gap.moved else ""


def find_room(step: PlanStep, step_id: str, finder: Finder, what: str) -> Room:
    """Where a step goes that is to have this id. It stands nowhere in the plan.

    Args:
        step: the step. Nothing changes yet.
        step_id: the id that it is to have.
        finder: what is known about the steps of the plan.
        what: how a refusal names what is refused.

    Raises:
        CommandError: it cannot go there.
    """
    head = step_id.rpartition(".")[0]
    siblings = _siblings(head, finder, what)
    gap = finder.gap(siblings, step_id)
    if gap.adopted and step.step_type not in CONTAINER_TYPES:
        below = shorten(gap.adopted[0].step_id)
        raise CommandError("PC113", f"{what}: step {below} would belong to it, and a leaf has no children")
    if gap.adopted and step.children:
        below = shorten(gap.adopted[0].step_id)
        raise CommandError("PC117", f"{what}: it has children, and step {below} would be one more")
    if COUNT_LIMIT in gap.moved:
        last = shorten(gap.moved[COUNT_LIMIT][0].step_id)
        raise CommandError("PC117", f"{what}: the step {last} can not move up")
    return Room(step_id, siblings, gap)


def _siblings(head: str, finder: Finder, what: str) -> list[PlanStep]:
    if not head:
        return finder.plan.steps
    parent = finder.find(head)
    if parent is None:
        raise CommandError("PC112", f"{what}: there is no step {head} to add it to")
    if parent.step_type not in CONTAINER_TYPES:
        raise CommandError("PC113", f"{what}: step {head} is of type '{parent.step_type}' and has no children")
    return parent.children
