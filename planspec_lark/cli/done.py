"""`planspec done` and `planspec reopen`: what a person says of steps, and the ledger of a run has to know."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from planspec_lark.cli.arguments import complete_steps, folder_option, plan_argument
from planspec_lark.cli.help import CHANGED, command
from planspec_lark.cli.output import complain, stop_on_faults, wait_option, wait_seconds
from planspec_lark.cli.steps import (
    change_step,
    find_step,
    how_options,
    open_document,
    refuse_steps,
    step_argument,
    step_command,
    stop_on_refusal,
    text_argument,
    write_done,
)
from planspec_lark.cli.values import read_values, value_options
from planspec_lark.document import PlanFile
from planspec_lark.planspec import PlanStatus, find_step as step_of
from planspec_lark.planspec.models import CONTAINER_TYPES
from planspec_lark.runs.sqlite_ledger import ledger_path
from planspec_lark.syntax import one_line
from planspec_lark.syntax.source import visible_name

if TYPE_CHECKING:
    from planspec_lark.document import PlanDocument
    from planspec_lark.planspec import PlanStep


def _was_run(file: str) -> bool:
    return file != "-" and ledger_path(PlanFile(file).path).exists()


@step_command(
    "done",
    "planspec done plan.md 1 212 shelves",
    "planspec done bakery 1 'lit at five' --diff",
    "planspec done plan.md 1 'all of them' --output labels=212",
    TEXT="The result of the step; several words need no quotes. Without it, a result that is there stays.",
    **{"FILE.ledger": "With --output or --outputs, the values are noted there for `planspec run --resume`."},
)
@plan_argument()
@step_argument
@text_argument
@click.option("--result", metavar="TEXT", help="The result, where it could be taken for other steps.")
@value_options("output", "that the step puts out, for a plan that is run")
@how_options
@click.pass_context
def done_command(  # noqa: PLR0913, PLR0917  (its options)
    ctx: click.Context,
    file: str,
    step: str,
    why: tuple[str, ...],
    result: str | None,
    outputs: tuple[str, ...],
    outputs_file: str | None,
    dry_run: bool,
    diff: bool,
) -> None:
    """Mark a step as done, with its result.

    In the plan its line gets the mark [x]. A step without any result is a warning; it is refused where the project
    requires results (see `planspec new --require-result`). What a person puts out in place of a program comes with
    --output; all that the step declares has to be there.
    """
    if why and result is not None:
        raise click.UsageError("--result and TEXT both say what came of it.")
    said = one_line(" ".join(why) if result is None else result) or None
    has_outputs = bool(outputs) or outputs_file is not None
    warnings: list[str] = []

    def change(document: PlanDocument) -> str:
        step_id = find_step(document, step)
        advice = f"Call it once for each. If this is the result of step {step_id}, write it behind --result."
        refuse_steps(document, why, advice)
        done = document.set_status(step_id, PlanStatus.DONE, said)
        warnings[:] = _warn(file, step_of(document.plan, step_id), has_outputs=has_outputs)
        return done

    if has_outputs:
        if dry_run or diff:
            raise click.UsageError("--output writes to the ledger, so there is no --dry-run or --diff of it.")
        values = read_values("output", outputs_file, outputs)
        done = _finish(ctx, file, step, change, values)
        write_done([f"{done}, with {', '.join(map(visible_name, values))}"])
    else:
        change_step(file, change, dry_run=dry_run, diff=diff)
    for line in warnings:
        complain(f"warning: {line}")


def _warn(file: str, step: PlanStep | None, *, has_outputs: bool) -> Iterator[str]:
    """What may have been forgotten about a step that is done."""
    assert step is not None, "it was found"
    if not step.result:
        yield f"step {step.step_id} is done without a result; a result can be given after the step's id"
    if step.outputs and not has_outputs and step.step_type not in CONTAINER_TYPES and _was_run(file):
        names = ", ".join(step.outputs)
        yield f"step {step.step_id} declares outputs that the run does not get: {names}; --output NAME=TEXT gives them"


def _finish(
    ctx: click.Context, file: str, step: str, change: Callable[[PlanDocument], str], values: Mapping[str, Any]
) -> str:
    """Note in the ledger what a person has put out; returns what ``change`` says of the step."""
    if not _was_run(file):
        message = "no run has begun for this plan: a run takes values with `planspec run --input NAME=TEXT`"
        raise click.UsageError(f"--output: {message}")
    # Most steps are done without a run, and an engine is slow to load.
    from planspec_lark.cli.run import RunCall, run_errors  # noqa: PLC0415
    from planspec_lark.engine.think import finish_step  # noqa: PLC0415

    said: list[str] = []

    def find(text: str) -> PlanStep:
        with stop_on_faults(file):
            document = open_document(file, text)
        said.append(change(document))
        found = step_of(document.plan, find_step(document, step))
        assert found is not None, "it was changed"
        return found

    with stop_on_refusal(file), run_errors(file, RunCall()):
        finish_step(PlanFile(file, wait=wait_seconds(ctx), command="planspec done"), find, values)
    return said[0]


@command(
    "reopen",
    examples=["planspec reopen plan.md 1", "planspec reopen bakery 1 2"],
    files={
        "FILE": CHANGED,
        "STEP": "The ids or names of steps.",
        "FILE.ledger": "Noted there, if the plan was run: `planspec run --resume` does the steps again.",
        "standard output": "What was done, or why it was refused.",
    },
    exits={
        0: "The plan was changed.",
        1: "There is no such step, or the file is not a plan; nothing was changed.",
        2: "The file or its ledger cannot be used, another process runs the plan, or the call is wrong.",
    },
)
@plan_argument()
@click.argument("step_ids", metavar="STEP...", nargs=-1, required=True, shell_complete=complete_steps)
@wait_option
@folder_option
@click.pass_context
def reopen_command(ctx: click.Context, /, file: str, step_ids: Sequence[str]) -> None:
    """Set steps back to pending, with all steps below them.

    Their results are removed, and steps around them are not done any more.
    """
    if not _was_run(file):
        change_step(file, lambda document: [document.reopen(find_step(document, step)) for step in step_ids])
        return

    def find(text: str) -> list[str]:
        with stop_on_faults(file):
            document = open_document(file, text)
        return [find_step(document, step) for step in step_ids]

    # As above.
    from planspec_lark.cli.run import RunCall, run_errors  # noqa: PLC0415
    from planspec_lark.engine.think import reopen_steps  # noqa: PLC0415

    with stop_on_refusal(file), run_errors(file, RunCall()):
        said = reopen_steps(PlanFile(file, wait=wait_seconds(ctx), command="planspec reopen"), find)
    write_done(said)
