"""Commands change a plan, in place and predictably. A command that is refused changes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy

import attrs
from attrs import frozen

from planspec_lark.diagnostics import CommandError, shorten
from planspec_lark.plan_cmd.finding import Finder
from planspec_lark.plan_cmd.models import VIEW_OPS, PlanCommand
from planspec_lark.plan_cmd.reading import read_headline
from planspec_lark.planspec.building import read_body, split_variables
from planspec_lark.planspec.escapes import read_description
from planspec_lark.planspec.fields import COUNT_LIMIT
from planspec_lark.planspec.models import (
    CONTAINER_TYPES,
    STEP_TYPES,
    PlanSpec,
    PlanStatus,
    PlanStep,
    iter_steps,
)

__all__ = ["Report", "apply_command", "apply_commands", "perform", "perform_all"]

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


def perform_all(plan: PlanSpec, commands: Iterable[PlanCommand], *, atomic: bool) -> tuple[list[Report], bool]:
    """The same as :func:`apply_commands`, for callers that want to tell what was done.

    Returns:
        A report for each command, and whether anything was done (with ``atomic`` nothing is if any was refused).
    """
    commands = list(commands)
    if not atomic:
        finder = Finder(plan)
        reports = [_report(plan, command, finder) for command in commands]
        return reports, any(report.done for report in reports)
    # Tried on a copy, so that the steps that a caller holds stay the plan's own either way.
    trial = deepcopy(plan)
    finder = Finder(trial)
    reports = [_report(trial, command, finder) for command in commands]
    if not all(report.done for report in reports):
        return reports, False
    finder = Finder(plan)
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
        return _add(plan, command, finder)
    step = finder.find(command.step_id)
    if step is None:
        raise CommandError("PC111", f"{command.op} {command.step_id}: there is no step {command.step_id}")
    if command.op == "REVISE":
        return _revise(step, command)
    if command.op == "REPLAN":
        return _replan(step, finder)
    if command.op in VIEW_OPS:
        step.expanded = command.op == "EXPAND"
        return f"step {step.step_id} is {'expanded' if step.expanded else 'collapsed'} in folded views"
    return _set_status(step, command)


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
    return f"step {step.step_id}: {_count(removed)} below it removed"


def _count(steps: int) -> str:
    return f"{steps} step{'' if steps == 1 else 's'}"


# ---------------------------------------------------------------- ADD and REVISE


@frozen
class _Content:
    step_type: str
    description: str
    outputs: list[str]
    inputs: list[str]
    detail: list[str]


def _read_content(command: PlanCommand) -> _Content:
    if command.step_type not in STEP_TYPES:
        known = ", ".join(STEP_TYPES)
        raise CommandError("PC114", f"{command.op} {command.step_id}: '{command.step_type}' is none of {known}")
    headline = read_headline(command.description)
    outputs = [] if headline.outputs is None else split_variables(headline.outputs)
    inputs, detail = read_body("".join(f"> {line}\n" for line in command.detail))
    description = read_description(headline.description, has_outputs=bool(outputs))
    return _Content(command.step_type, description, outputs, inputs, detail)


def _revise(step: PlanStep, command: PlanCommand) -> str:
    content = _read_content(command)
    if step.children and content.step_type not in CONTAINER_TYPES:
        message = f"REVISE {step.step_id}: it has children, and type '{content.step_type}' cannot have any"
        raise CommandError("PC116", message)
    step.step_type = content.step_type
    step.description = content.description
    step.outputs = content.outputs
    step.status = PlanStatus.PENDING
    step.result = ""
    step.done_count, step.total_count = 0, None
    if command.detail:
        step.inputs, step.detail = content.inputs, content.detail
    return f"step {step.step_id} revised, pending again"


def _add(plan: PlanSpec, command: PlanCommand, finder: Finder) -> str:
    content = _read_content(command)
    head = command.step_id.rpartition(".")[0]
    siblings = _siblings(plan, command, head, finder)
    gap = finder.gap(siblings, command.step_id)
    if gap.adopted and content.step_type not in CONTAINER_TYPES:
        below = shorten(gap.adopted[0].step_id)
        message = f"ADD {command.step_id}: step {below} would belong to it, and a leaf has no children"
        raise CommandError("PC113", message)
    if COUNT_LIMIT in gap.moved:
        last = shorten(gap.moved[COUNT_LIMIT][0].step_id)
        raise CommandError("PC117", f"ADD {command.step_id}: the step {last} can not move up")
    step = PlanStep(
        command.step_id,
        step_type=content.step_type,
        description=content.description,
        inputs=content.inputs,
        outputs=content.outputs,
        detail=content.detail,
        children=gap.adopted,
    )
    finder.move_up(gap.moved, head)
    siblings.insert(gap.at, step)
    if gap.adopted:
        # By identity: comparing would go through whole subtrees.
        gone = {id(other) for other in gap.adopted}
        siblings[:] = [other for other in siblings if id(other) not in gone]
    finder.add(step)
    up = f", {_count(sum(map(len, gap.moved.values())))} behind it moved up by one" if gap.moved else ""
    return f"step {step.step_id} added{up}"


def _siblings(plan: PlanSpec, command: PlanCommand, head: str, finder: Finder) -> list[PlanStep]:
    if not head:
        return plan.steps
    parent = finder.find(head)
    if parent is None:
        raise CommandError("PC112", f"ADD {command.step_id}: there is no step {head} to add it to")
    if parent.step_type not in CONTAINER_TYPES:
        message = f"ADD {command.step_id}: step {head} is of type '{parent.step_type}' and has no children"
        raise CommandError("PC113", message)
    return parent.children
