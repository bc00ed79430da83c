"""`planspec done` and `planspec reopen`: what a person says of steps, and the ledger of a run has to know."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import click

from planspec_lark.cli.arguments import complete_steps, flag, folder_option, plan_argument
from planspec_lark.cli.help import CHANGED, command
from planspec_lark.cli.ledgers import LedgerPlace, database_options
from planspec_lark.cli.output import complain, stop_on_faults, wait_option, wait_seconds
from planspec_lark.cli.steps import (
    change_step,
    find_step,
    how_options,
    open_document,
    refuse_steps,
    step_command,
    stop_on_refusal,
    text_argument,
    write_done,
)
from planspec_lark.cli.values import read_values, value_options
from planspec_lark.document import PlanFile
from planspec_lark.engine.dependents import find_dependents
from planspec_lark.planspec import PlanStatus, find_step as step_of, iter_steps
from planspec_lark.planspec.models import CONTAINER_TYPES, OPEN
from planspec_lark.runs.ledger import LedgerError, NoLedgerError
from planspec_lark.syntax import one_line
from planspec_lark.syntax.diagnostics import name_some
from planspec_lark.syntax.safe_text import visible_name

if TYPE_CHECKING:
    from planspec_lark.document import PlanDocument
    from planspec_lark.planspec import PlanStep
    from planspec_lark.runs import Ledger


_KEPT = {"FILE.ledger": "The values and the branch are noted there for `planspec run --resume`; or in --database."}


def _find_run(place: LedgerPlace) -> str | None:
    """The last run of a plan: its id in a database, empty for that of the ledger beside it; None without a run.

    Raises:
        LedgerError: the database cannot be read.
    """
    if place.label == "-":
        return None
    if place.database is None:
        return "" if place.file.exists() else None
    with suppress(NoLedgerError), place.opened() as ledger:
        info = place.last_run(ledger)
        return None if info is None else info.run
    return None


@contextmanager
def _writing(place: LedgerPlace) -> Iterator[tuple[PlanFile, Ledger | None]]:
    """The file and the ledger of a plan that has been run, to change both; leaves with what keeps it from that."""
    from planspec_lark.cli.run import RunCall, run_errors  # noqa: PLC0415  (slow to load, and most plans have no run)

    ctx, file = click.get_current_context(), place.label
    with stop_on_refusal(file), run_errors(file, RunCall()), place.in_database() as ledger:
        yield PlanFile(file, wait=wait_seconds(ctx), command=f"planspec {ctx.info_name}"), ledger


@step_command(
    "done",
    "planspec done plan.md 1 212 shelves",
    "planspec done bakery 1 'lit at five' --diff",
    "planspec done plan.md 1 'all of them' --output labels=212",
    "planspec done plan.md 4 'it rains' --branch 4.1",
    TEXT="The result of the step; several words need no quotes. Without it, a result that is there stays.",
    **_KEPT,
)
@text_argument
@click.option("--result", metavar="TEXT", help="The result, where it could be taken for other steps.")
@value_options("output", "that the step produces in a run")
@click.option("--branch", metavar="ID", help="For a decision, the branch to take; the others are skipped.")
@database_options
@how_options
def done_command(  # noqa: PLR0913, PLR0917  (its options)
    file: str,
    step: str,
    why: tuple[str, ...],
    result: str | None,
    outputs: tuple[str, ...],
    outputs_file: str | None,
    branch: str | None,
    dry_run: bool,
    diff: bool,
) -> None:
    """Mark a step as done, with its result.

    In the plan its line gets the mark [x]. A step without a result is a warning, or refused where the project requires
    results (see `planspec new --require-result`). For a step of a run that a person does, --output gives each declared
    output; for a decision, --branch makes it active, and the run continues with the branch.
    """
    if why and result is not None:
        raise click.UsageError("--result and TEXT both say what came of it.")
    if branch is not None and not branch.strip():
        raise click.UsageError("--branch: expected the id or the name of a step.")
    said = one_line(" ".join(why) if result is None else result) or None
    place = LedgerPlace.of(file)
    is_for_run = bool(outputs) or outputs_file is not None or branch is not None
    status = PlanStatus.DONE if branch is None else PlanStatus.ACTIVE
    found: list[PlanStep] = []

    def change(document: PlanDocument) -> str:
        step_id = find_step(document, step)
        advice = f"Call it once for each. If this is the result of step {step_id}, write it behind --result."
        refuse_steps(document, why, advice)
        done = document.set_status(step_id, status, said)
        now = step_of(document.plan, step_id)
        assert now is not None, "it was changed"
        found[:] = [now]
        return done

    if is_for_run:
        if dry_run or diff:
            option = "output" if branch is None else "branch"
            raise click.UsageError(f"--{option} writes to the ledger, so there is no --dry-run or --diff of it.")
        values = read_values("output", outputs_file, outputs)
        done: list[str] = []

        def find(text: str) -> PlanStep:
            with stop_on_faults(file):
                done.append(change(open_document(file, text)))
            return found[0]

        _finish(place, find, values, branch)
        told = [*map(visible_name, values), *([] if branch is None else [f"branch {visible_name(branch)}"])]
        write_done([f"{done[0]}, with {', '.join(told)}"])
    else:
        change_step(file, change, dry_run=dry_run, diff=diff)
    for line in _warn(place, found[0], is_for_run=is_for_run):
        complain(f"warning: {line}")


def _warn(place: LedgerPlace, step: PlanStep, *, is_for_run: bool) -> Iterator[str]:
    """What may have been forgotten about a step that is done."""
    id = step.step_id
    if not step.result:
        yield f"step {id} is done without a result; a result can be given after the step's id"
    below = next((one for one in iter_steps(step) if one is not step and one.status in OPEN), None)
    if below is not None and step.status is PlanStatus.DONE:
        yield f"step {id} is done, but step {below.step_id} below it is not"
    missed = bool(step.outputs) if step.step_type not in CONTAINER_TYPES else below and step.step_type == "decide"
    run = None
    # The step is done; a database that cannot be reached is no reason to fail now.
    with suppress(LedgerError):
        run = _find_run(place) if missed and not is_for_run else None
    if run is not None and step.step_type == "decide":
        yield f"step {id} is a decision of which the run does not know the branch; --branch ID gives it"
    elif run is not None:
        names = ", ".join(step.outputs)
        yield f"step {id} declares outputs that the run does not get: {names}; --output NAME=TEXT gives them"


def _finish(place: LedgerPlace, find: Callable[[str], PlanStep], values: Mapping[str, Any], branch: str | None) -> None:
    """Note in the ledger what a person has produced or decided."""
    from planspec_lark.engine.think import finish_step  # noqa: PLC0415  (slow to load, and most steps have no run)

    run = _find_run(place)
    if run is None:
        if branch is not None:
            raise click.UsageError("--branch: no run has begun for this plan: `planspec skip` the other branches")
        message = "no run has begun for this plan: a run takes values with `planspec run --input NAME=TEXT`"
        raise click.UsageError(f"--output: {message}")
    with _writing(place) as (plan_file, ledger):
        finish_step(plan_file, find, values, branch or "", ledger=ledger, run=run)


@command(
    "reopen",
    examples=["planspec reopen plan.md 1", "planspec reopen bakery 1 2", "planspec reopen plan.md 1 --dependents"],
    files={
        "FILE": CHANGED,
        "STEP": "The ids or names of steps.",
        "FILE.ledger": "Noted there, or in --database, if the plan was run: `planspec run --resume` does the"
        " steps again.",
        "standard output": "What was done, or why it was refused.",
        "standard error": "The finished steps that depend on these, where they stay as they are.",
    },
    exits={
        0: "The plan was changed.",
        1: "There is no such step, or the file is not a plan; nothing was changed.",
        2: "The file or its ledger cannot be used, another process runs the plan, or the arguments are wrong.",
    },
)
@plan_argument()
@click.argument("step_ids", metavar="STEP...", nargs=-1, required=True, shell_complete=complete_steps)
@flag("--dependents", help="Set back finished steps, too, that use what these produce, and so on.")
@database_options
@wait_option
@folder_option
def reopen_command(file: str, step_ids: Sequence[str], dependents: bool) -> None:
    """Set steps back to pending, with all steps below them.

    Their results are removed, and steps around them are not done any more.
    """
    place, stale = LedgerPlace.of(file), list[str]()

    def look(document: PlanDocument) -> list[str]:
        found = [find_step(document, step) for step in step_ids]
        stale[:] = find_dependents(document.plan, found)
        return found

    def find(text: str) -> list[str]:
        with stop_on_faults(file):
            document = open_document(file, text)
        return look(document)

    def change(document: PlanDocument) -> list[str]:
        found = look(document)
        return [document.reopen(step) for step in dict.fromkeys((*found, *(stale if dependents else ())))]

    run = _find_run(place)
    if run is None:
        change_step(file, change)
    else:
        from planspec_lark.engine.think import reopen_steps  # noqa: PLC0415  (as above)

        with _writing(place) as (plan_file, ledger):
            said = reopen_steps(plan_file, find, dependents=dependents, ledger=ledger, run=run)
        write_done(said)
    if stale and not dependents:
        are = "step depends on this and is" if len(stale) == 1 else "steps depend on this and are"
        complain(f"warning: {len(stale):,} {are} still done: {name_some(stale)}; --dependents opens what depends on it")
