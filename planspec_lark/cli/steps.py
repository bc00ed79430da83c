"""Commands that change one step of a plan: `start`, `done`, `block`, `skip`, `remove`, `move`, `rename` and `add`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from planspec_lark.cli.arguments import complete_steps, flag, folder_option, options, plan_argument
from planspec_lark.cli.output import (
    change_text,
    complain,
    fail,
    label,
    shown,
    stop_on_faults,
    wait_option,
    write_diff,
    write_rows,
)
from planspec_lark.document import PlanDocument
from planspec_lark.folder import settings_of
from planspec_lark.planspec import PlanStatus
from planspec_lark.syntax import CommandError, one_line
from planspec_lark.syntax.source import visible

__all__ = ["change_step", "open_document", "stop_on_refusal", "write_done"]

_how = options(
    flag("--dry-run", help="Write nothing; tell what would be done."),
    flag("--diff", help="Show how the plan's text changes."),
    wait_option,
    folder_option,
)
_step_argument = click.argument("step", metavar="STEP", shell_complete=complete_steps)
# Several words need no quotes.
_why_argument = click.argument("why", metavar="[TEXT]...", nargs=-1)


def open_document(file: str, text: str) -> PlanDocument:
    """The document in a plan's file, which keeps to the settings of its folder."""
    is_strict = file != "-" and settings_of(Path(file)).require_result
    return PlanDocument.from_text(text, name=label(file), requires_result=is_strict)


def change_step(
    file: str, change: Callable[[PlanDocument], str | Sequence[str]], *, dry_run: bool = False, diff: bool = False
) -> None:
    """Change a plan, and say what was done; leaves where that is refused."""

    def edit(text: str) -> tuple[str, str | Sequence[str]]:
        document = open_document(file, text)
        said = change(document)
        return document.text, said

    to_stderr = file == "-" or diff
    with stop_on_faults(file, "left as it is, since it is no plan"), stop_on_refusal(file, to_stderr=to_stderr):
        before, after, said = change_text(file, edit, is_dry=dry_run)
    write_done((said,) if isinstance(said, str) else said, to_stderr=to_stderr)
    if diff:
        write_diff(before, after, file, to_stderr=file == "-" and not dry_run)


@contextmanager
def stop_on_refusal(file: str, *, to_stderr: bool = False) -> Iterator[None]:
    """Leave with why a change of a plan is refused."""
    try:
        yield
    except CommandError as error:
        write_rows([((f"{error.code}  ", "bold red"), (visible(str(error)), ""))], to_stderr=to_stderr)
        fail(f"{shown(file)}: nothing was changed")


def write_done(said: Sequence[str], *, to_stderr: bool = False) -> None:
    """Say what has become of a plan, a line each."""
    write_rows(((("ok     ", "green"), (visible(line), "")) for line in said), to_stderr=to_stderr)
    # What is said to standard error comes behind it, in one file as well.
    sys.stdout.flush()


def _set_status(file: str, step: str, status: PlanStatus, why: Sequence[str], **how: bool) -> None:
    result = one_line(" ".join(why)) or None

    def change(document: PlanDocument) -> str:
        return document.set_status(document.find(step), status, result)

    change_step(file, change, **how)


@click.command("start")
@plan_argument()
@_step_argument
@_how
def start_command(file: str, step: str, **how: bool) -> None:
    """Set a step to active: somebody is at work on it.

    STEP is an id, or the name of a step. Exits with 1 where there is no such step, and with 2 where the file cannot be
    read or written, or another process runs the plan.
    """
    _set_status(file, step, PlanStatus.ACTIVE, (), **how)


@click.command("done")
@plan_argument()
@_step_argument
@_why_argument
@_how
def done_command(file: str, step: str, why: tuple[str, ...], **how: bool) -> None:
    """Set a step to done, with what came of it.

    Without a text, a result that the step has already stays; with none there is a warning, or a refusal where the
    settings of the folder require results (`planspec new --require-result`).
    """
    bare: list[str] = []

    def change(document: PlanDocument) -> str:
        step_id = document.find(step)
        said = document.set_status(step_id, PlanStatus.DONE, one_line(" ".join(why)) or None)
        bare[:] = [] if document.result_of(step_id) else [step_id]
        return said

    change_step(file, change, **how)
    for step_id in bare:
        complain(f"warning: step {step_id} is done without a result; what came of it can stand behind the step")


@click.command("block")
@plan_argument()
@_step_argument
@_why_argument
@_how
def block_command(file: str, step: str, why: tuple[str, ...], **how: bool) -> None:
    """Set a step to blocked, with why it cannot be done."""
    _set_status(file, step, PlanStatus.BLOCKED, why, **how)


@click.command("skip")
@plan_argument()
@_step_argument
@_why_argument
@_how
def skip_command(file: str, step: str, why: tuple[str, ...], **how: bool) -> None:
    """Set a step to skipped, with why it is left out."""
    _set_status(file, step, PlanStatus.SKIPPED, why, **how)


@click.command("remove")
@plan_argument()
@_step_argument
@flag("--renumber", help="Let the steps behind it move down by one.")
@_how
def remove_command(file: str, step: str, renumber: bool, **how: bool) -> None:
    """Take a step out, with all below it."""
    change_step(file, lambda document: document.remove(document.find(step), renumber=renumber), **how)


@click.command("move")
@plan_argument()
@_step_argument
@click.argument("to", metavar="ID")
@_how
def move_command(file: str, step: str, to: str, **how: bool) -> None:
    """Give a step another place.

    All below it goes along. It gets the id ID, where other steps make room.
    """
    change_step(file, lambda document: document.move(document.find(step), to), **how)


@click.command("rename")
@plan_argument()
@_step_argument
@click.argument("name", metavar="NAME")
@_how
def rename_command(file: str, step: str, name: str, **how: bool) -> None:
    """Give a step another name; an empty one takes it away."""
    change_step(file, lambda document: document.rename(document.find(step), name), **how)


@click.command("add")
@plan_argument()
@click.argument("description", metavar="TEXT...", nargs=-1, required=True)
@click.option("--at", metavar="ID", help="Give it this id; what is there makes room. By default it comes last.")
@click.option("--below", metavar="STEP", help="Put it last below this step.")
@click.option("--type", "step_type", default="act", metavar="TYPE", help="By default act.")
@click.option("--name", default="", metavar="NAME", help="What it is called.")
@click.option("--input", "inputs", multiple=True, metavar="NAME", help="What it takes.")
@click.option("--output", "outputs", multiple=True, metavar="NAME", help="What it puts out.")
@click.option("--detail", multiple=True, metavar="TEXT", help="A line of detail.")
@_how
def add_command(  # noqa: PLR0913, PLR0917  (its options)
    file: str,
    description: tuple[str, ...],
    at: str | None,
    below: str | None,
    step_type: str,
    name: str,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    detail: tuple[str, ...],
    **how: bool,
) -> None:
    """Put a step in: last of all, below another one, or at an id."""
    if at and below:
        raise click.UsageError("--at and --below both say where it goes.")
    text = one_line(" ".join(description))

    def change(document: PlanDocument) -> str:
        step_id = at or document.free_id(document.find(below) if below else "")
        return document.add(step_id, step_type, text, name=name, inputs=inputs, outputs=outputs, detail=detail)

    change_step(file, change, **how)
