"""Commands change a plan, in place and predictably. A command that is refused changes nothing.

One command looks at the plan itself. For many, a :class:`~planspec_lark.plan_cmd.finder.Finder` keeps what they need to
know.
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs
from attrs import frozen

from planspec_lark.plan_cmd.finder import Finder, Gap, SiblingRun, tell_moved
from planspec_lark.plan_cmd.models import STATUS_OPS, VIEW_OPS, PlanCommand, command_pattern
from planspec_lark.planspec.builder import read_body, read_words, split_variables
from planspec_lark.planspec.escapes import read_description
from planspec_lark.planspec.models import (
    BLANKS,
    CONTAINER_TYPES,
    STEP_FIELDS,
    STEP_TYPES,
    PlanSpec,
    PlanStatus,
    PlanStep,
    iter_steps,
    list_types,
)
from planspec_lark.syntax.diagnostics import CommandError, count_of, shorten
from planspec_lark.syntax.fields import COUNT_LIMIT

__all__ = [
    "CommandOutcome",
    "apply_command",
    "apply_commands",
    "find_known",
    "find_room",
    "leaf_with_children",
    "perform",
    "perform_all",
    "put_in",
    "unknown_type",
]


def apply_command(plan: PlanSpec, cmd: PlanCommand) -> str:
    """Let a command change a plan, in place.

    ``REPLAN ALL`` changes nothing here: making a new plan is for the caller.

    Returns:
        "" on success, else why the command was refused; then the plan is as it was.
    """
    return "".join(apply_commands(plan, [cmd]))


def apply_commands(plan: PlanSpec, commands: Iterable[PlanCommand], *, atomic: bool = False) -> list[str]:
    """Let commands change a plan, in place and one after the other.

    >>> plan = parse_plan("Goal: Ship it\\n## Steps\\n1. [act] Test\\n")
    >>> apply_commands(plan, parse_plan_commands("PLAN_CMD: DONE 1 | all green\\nPLAN_CMD: DONE 7"))
    ['DONE 7: step 7 does not exist']
    >>> plan.steps[0].result
    'all green'

    Args:
        atomic: change nothing unless every command succeeds.

    Returns:
        Why commands were refused, in their order. A refused command does not stop the others.
    """
    reports, _ = perform_all(Finder(plan), commands, atomic=atomic)
    return [report.message for report in reports if not report.done]


@frozen
class CommandOutcome:
    """What became of a command: in words what it did, or the code and the reason of its refusal."""

    done: bool
    message: str
    code: str = ""


def perform_all(finder: Finder, commands: Iterable[PlanCommand], *, atomic: bool) -> tuple[list[CommandOutcome], bool]:
    """The same as :func:`apply_commands`, for callers that want to tell what was done.

    Args:
        finder: as for :func:`perform`.
        commands: what to do.
        atomic: change nothing at all unless every command succeeds.

    Returns:
        A report for each command, and whether anything was done (with ``atomic`` nothing is if any was refused).
    """
    commands = list(commands)
    # Tried on a copy, so that the steps that a caller holds stay the plan's own either way.
    trial = finder.for_trial() if atomic else finder
    reports = _perform_each(commands, trial)
    if not atomic:
        return reports, any(report.done for report in reports)
    if not all(report.done for report in reports):
        return reports, False
    _perform_each(commands, finder)
    return reports, bool(commands)


def _perform_each(commands: list[PlanCommand], finder: Finder) -> list[CommandOutcome]:
    reports: list[CommandOutcome] = []
    run = SiblingRun(finder)
    try:
        for command in commands:
            try:
                reports.append(CommandOutcome(True, perform(command, finder, run)))
            except CommandError as error:
                reports.append(CommandOutcome(False, str(error), error.code))
    finally:
        run.settle()
    return reports


def perform(command: PlanCommand, finder: Finder, run: SiblingRun | None = None) -> str:
    """The same as :func:`apply_command`, for callers that want the code of a refusal or to tell what was done.

    Args:
        command: what to do.
        finder: the plan to change, with what is known about its steps from the commands before; nothing else may have
            changed the plan since.
        run: for many commands, the steps that those among them that add steps move up; to be settled after the last.

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
        return "REPLAN ALL: nothing was changed here: the caller makes the new plan"
    if not command.step_id or command.step_id == "ALL":
        raise CommandError("PC118", f"{command.op}: the step id is missing")
    what = f"{command.op} {command.step_id}"
    if command.op == "ADD":
        return _add(command, finder, what, run)
    # The step's own id is another one until the run is settled.
    step = find_known(command.step_id, run or finder, what)
    if command.op == "REVISE":
        return _revise(step, command, what)
    if command.op == "REPLAN":
        return _replan(step, finder, what, run)
    if command.op in VIEW_OPS:
        step.expanded = command.op == "EXPAND"
        return f"step {command.step_id} is {'expanded' if step.expanded else 'collapsed'} in folded views"
    status, result = STATUS_OPS[command.op], command.result or step.result
    finder.check_result(status, result, what)
    was, step.status, step.result = step.status, status, result
    return f"step {command.step_id}: {was.value} → {step.status.value}"


def _add(command: PlanCommand, finder: Finder, what: str, run: SiblingRun | None) -> str:
    return f"step {command.step_id} added{put_in(_read_step(command, what), finder, what, run)}"


def put_in(step: PlanStep, finder: Finder, what: str, run: SiblingRun | None = None) -> str:
    """Put in a new step by its id; returns in words who has given way, and otherwise does as :func:`perform`."""
    if run is None or not run.takes(step.step_id):
        if run is not None:
            run.settle()
        room = find_room(step, step.step_id, finder, what)
        if run is None or not run.begin(room):
            moved = room.take(step, finder)
            finder.add(step)
            return moved
    return tell_moved(run.put(step))


def find_known(step_id: str, finder: Finder | SiblingRun, what: str) -> PlanStep:
    """The step with this id.

    Raises:
        CommandError: there is none; ``what`` names what is refused.
    """
    step = finder.find(step_id)
    if step is None:
        raise CommandError("PC111", f"{what}: step {step_id} does not exist")
    return step


def _replan(step: PlanStep, finder: Finder, what: str, run: SiblingRun | None) -> str:
    if step.step_type not in CONTAINER_TYPES:
        types = list_types("and", containers=True, form="{}")
        raise CommandError("PC115", f"{what}: only {types} can be replanned")
    if run is not None:
        run.settle()
    removed = sum(1 for _ in iter_steps(step)) - 1
    finder.remove_below(step)
    step.children = []
    step.status = PlanStatus.PENDING
    return f"step {step.step_id}: {count_of(removed, 'step')} below it removed"


def unknown_type(step_type: str, what: str) -> CommandError:
    """That a step cannot have this type; ``what`` names what is refused."""
    return CommandError("PC114", f"{what}: unknown type `{step_type}`; the types are {list_types('and')}")


def leaf_with_children(step_type: str, what: str) -> CommandError:
    """That a step with children cannot become one of this type."""
    return CommandError("PC116", f"{what}: the step has children, and a step of type `{step_type}` cannot have any")


def _read_step(command: PlanCommand, what: str) -> PlanStep:
    """The step that ADD or REVISE writes, with the id that it names."""
    if command.step_type not in STEP_TYPES:
        raise unknown_type(command.step_type, what)
    headline = command_pattern("headline").fullmatch(f"{command.description}\n")
    assert headline is not None, "any text of one line is a headline"
    outputs = split_variables(headline["OUTPUTS"]) if headline["OUTPUTS"] else []
    words, description = read_words((headline["HEADLINE"] or "").strip(BLANKS))
    inputs, detail = read_body("".join(f"> {line}\n" for line in command.detail))
    return PlanStep(
        command.step_id,
        step_type=command.step_type,
        description=read_description(description, has_outputs=bool(outputs)),
        inputs=inputs,
        outputs=outputs,
        detail=detail,
        **words,
    )


def _revise(step: PlanStep, command: PlanCommand, what: str) -> str:
    revised = _read_step(command, what)
    if step.children and revised.step_type not in CONTAINER_TYPES:
        raise leaf_with_children(revised.step_type, what)
    for name, info in STEP_FIELDS.items():
        # All of the summary line but what the step is called, and the body where there is a new one.
        if name not in ("step_id", "step_name") and (command.detail or not info.is_in_body):
            setattr(step, name, getattr(revised, name))
    return f"step {command.step_id} revised, pending again"


# ---------------------------------------------------------------- where a step goes


def find_room(step: PlanStep, step_id: str, finder: Finder, what: str) -> Gap:
    """Where a step goes that is to have this id. It is nowhere in the plan.

    Args:
        step: the step. Nothing changes yet.
        step_id: the id that it is to have.
        finder: what is known about the steps of the plan.
        what: how a refusal names what is refused.

    Raises:
        CommandError: it cannot go there.
    """
    room = finder.room_at(_siblings(step_id.rpartition(".")[0], finder, what), step_id)
    below = shorten(room.adopted[0].step_id) if room.adopted else ""
    if below and step.step_type not in CONTAINER_TYPES:
        raise CommandError("PC113", f"{what}: step {below} would become its child, and a leaf cannot have children")
    if below and step.children:
        raise CommandError("PC117", f"{what}: the step has children already, and step {below} would become another one")
    if COUNT_LIMIT in room.moved:
        last = shorten(room.moved[COUNT_LIMIT][0].step_id)
        raise CommandError("PC117", f"{what}: the number of step {last} cannot be raised")
    return room


def _siblings(head: str, finder: Finder, what: str) -> list[PlanStep]:
    if not head:
        return finder.plan.steps
    parent = finder.find(head)
    if parent is None:
        raise CommandError("PC112", f"{what}: the parent step {head} does not exist")
    if parent.step_type not in CONTAINER_TYPES:
        raise CommandError("PC113", f"{what}: step {head} is of type `{parent.step_type}`, which cannot have children")
    return parent.children
