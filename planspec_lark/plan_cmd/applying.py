"""Commands change a plan, in place and predictably. A command that is refused changes nothing."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy

import attrs
from attrs import frozen

from planspec_lark.diagnostics import CommandError
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
from planspec_lark.planspec.tree import find_step

__all__ = ["Report", "apply_command", "apply_commands", "perform", "perform_all"]

# An id that moves up by one is still an id (but for the limit, which is looked at before): no need to check each again.
_set_id = PlanStep.__dict__["step_id"].__set__

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
        reports = [_report(plan, command) for command in commands]
        return reports, any(report.done for report in reports)
    # Tried on a copy, so that the steps that a caller holds stay the plan's own either way.
    trial = deepcopy(plan)
    reports = [_report(trial, command) for command in commands]
    if not all(report.done for report in reports):
        return reports, False
    for command in commands:
        perform(plan, command)
    return reports, bool(commands)


def _report(plan: PlanSpec, command: PlanCommand) -> Report:
    try:
        return Report(True, perform(plan, command))
    except CommandError as error:
        return Report(False, str(error), error.code)


def perform(plan: PlanSpec, command: PlanCommand) -> str:
    """The same as :func:`apply_command`, for callers that want the code of a refusal or to tell what was done.

    Returns:
        What the command did, in words.

    Raises:
        CommandError: the command is refused, and the plan is as it was.
    """
    try:
        attrs.validate(command)
    except (TypeError, ValueError) as error:
        raise CommandError("PC118", f"{command.op} {command.step_id}: {error}") from None
    if command.op == "REPLAN" and command.step_id in ("", "ALL"):
        return "REPLAN ALL: nothing changed here, as making a new plan is the caller's task"
    if not command.step_id or command.step_id == "ALL":
        raise CommandError("PC118", f"{command.op}: it needs a step id")
    if command.op == "ADD":
        return _add(plan, command)
    step = find_step(plan, command.step_id)
    if step is None:
        raise CommandError("PC111", f"{command.op} {command.step_id}: there is no step {command.step_id}")
    if command.op == "REVISE":
        return _revise(step, command)
    if command.op == "REPLAN":
        return _replan(step)
    if command.op in VIEW_OPS:
        step.expanded = command.op == "EXPAND"
        return f"step {step.step_id} is {'expanded' if step.expanded else 'collapsed'} in folded views"
    return _set_status(step, command)


def _set_status(step: PlanStep, command: PlanCommand) -> str:
    was, step.status = step.status, _STATUSES[command.op]
    step.result = command.result or step.result
    return f"step {step.step_id}: {was.value} → {step.status.value}"


def _replan(step: PlanStep) -> str:
    if step.step_type not in CONTAINER_TYPES:
        raise CommandError("PC115", f"REPLAN {step.step_id}: only subtask and decide can be planned anew")
    removed = sum(1 for _ in iter_steps(step)) - 1
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


def _add(plan: PlanSpec, command: PlanCommand) -> str:
    content = _read_content(command)
    head, _, last = command.step_id.rpartition(".")
    number = int(last)
    siblings = _siblings(plan, command, head)
    moved = _run(siblings, head, number) if any(step.step_id == command.step_id for step in siblings) else {}
    adopted = [] if moved else [step for step in siblings if step.step_id.startswith(f"{command.step_id}.")]
    if adopted and content.step_type not in CONTAINER_TYPES:
        message = f"ADD {command.step_id}: step {adopted[0].step_id} would belong to it, and a leaf has no children"
        raise CommandError("PC113", message)
    if moved and max(moved) == COUNT_LIMIT:
        raise CommandError("PC117", f"ADD {command.step_id}: the step {moved[COUNT_LIMIT][0].step_id} can not move up")
    step = PlanStep(
        command.step_id,
        step_type=content.step_type,
        description=content.description,
        inputs=content.inputs,
        outputs=content.outputs,
        detail=content.detail,
        children=adopted,
    )
    at = next((i for i, other in enumerate(siblings) if _number(other, head) >= number), len(siblings))
    for old, steps in moved.items():
        for other in steps:
            _renumber(other, f"{head}.{old}".lstrip("."), f"{head}.{old + 1}".lstrip("."))
    siblings.insert(at, step)
    # By identity: comparing would go through whole subtrees.
    gone = {id(other) for other in adopted}
    siblings[:] = [other for other in siblings if id(other) not in gone]
    up = f", {_count(sum(map(len, moved.values())))} behind it moved up by one" if moved else ""
    return f"step {step.step_id} added{up}"


def _siblings(plan: PlanSpec, command: PlanCommand, head: str) -> list[PlanStep]:
    if not head:
        return plan.steps
    parent = find_step(plan, head)
    if parent is None:
        raise CommandError("PC112", f"ADD {command.step_id}: there is no step {head} to add it to")
    if parent.step_type not in CONTAINER_TYPES:
        message = f"ADD {command.step_id}: step {head} is of type '{parent.step_type}' and has no children"
        raise CommandError("PC113", message)
    return parent.children


def _number(step: PlanStep, head: str) -> int:
    """The number of a step, or of the missing step that it stands in for, among those below ``head``."""
    return int(step.step_id.removeprefix(f"{head}." if head else "").partition(".")[0])


def _run(siblings: list[PlanStep], head: str, number: int) -> dict[int, list[PlanStep]]:
    """The run of numbers from ``number`` on that are taken, each with the steps that stand there."""
    taken: dict[int, list[PlanStep]] = {}
    for step in siblings:
        taken.setdefault(_number(step, head), []).append(step)
    run = {}
    while number in taken:
        run[number] = taken[number]
        number += 1
    return run


def _renumber(step: PlanStep, old: str, new: str) -> None:
    for below in iter_steps(step):
        _set_id(below, new + below.step_id[len(old) :])
