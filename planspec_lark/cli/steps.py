"""Commands that change one step of a plan: `start`, `block`, `skip`, `remove`, `move`, `rename` and `add`.

What the ledger of a run may have to know of is in :mod:`planspec_lark.cli.done`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from planspec_lark.cli.arguments import (
    complete_steps,
    flag,
    folder_option,
    options,
    plan_argument,
    repeated_option,
    words_for_steps,
)
from planspec_lark.cli.help import CHANGED, command, did_you_mean
from planspec_lark.cli.output import (
    change_text,
    complain_of,
    fail_on,
    label,
    stop_on_faults,
    wait_option,
    write_diff,
    write_rows,
)
from planspec_lark.document import PlanDocument, StaleMention
from planspec_lark.folder import settings_of
from planspec_lark.planspec import PlanStatus
from planspec_lark.planspec.models import STEP_FIELDS, STEP_TYPES, WORDS
from planspec_lark.syntax import CommandError, one_line
from planspec_lark.syntax.diagnostics import quote
from planspec_lark.syntax.safe_text import visible, visible_name

__all__ = [
    "change_step",
    "diff_option",
    "find_step",
    "how_options",
    "open_document",
    "refuse_steps",
    "step_command",
    "stop_on_refusal",
    "text_argument",
    "write_done",
]

diff_option = flag("--diff", help="Show how the plan's text changes, as a unified diff.")
how_options = options(
    flag("--dry-run", help="Write nothing; show what would be done."),
    diff_option,
    wait_option,
    folder_option,
)
# Several words need no quotes.
text_argument = click.argument("why", metavar="[TEXT]...", nargs=-1)

_STEP = "The id of a step, such as 2.1, or its name."
_SAID = "What was done, or why it was refused."
_EXITS = {
    0: "The plan was changed.",
    1: "The change was refused, or the file is not a plan; nothing was changed.",
    2: "The file cannot be read or written, another process runs the plan, or the arguments are wrong.",
}


def step_command(name: str, *examples: str, **files: str) -> Callable[[Any], Any]:
    """A command that changes one step of a plan, which it gets first; ``files`` say what more arguments are."""
    read = {"FILE": CHANGED, "STEP": _STEP, **files, "standard output": _SAID}
    step = click.argument("step", shell_complete=complete_steps)
    return options(command(name, examples=examples, files=read, exits=_EXITS), plan_argument(), step)


def find_step(document: PlanDocument, id_or_name: str) -> str:
    """The id of the step that has this id or name.

    Raises:
        CommandError: there is none, or there are several; the text asks whether a word like it is meant.
    """
    try:
        return document.find(id_or_name)
    except CommandError as error:
        # Where several steps have this name, it is known.
        known = words_for_steps(document.plan)
        near = "" if id_or_name in known else did_you_mean(id_or_name, known)
        raise CommandError(error.code, f"{error}.{near}" if near else str(error)) from None


def open_document(file: str, text: str) -> PlanDocument:
    """The document in a plan's file, which keeps to the settings of its folder."""
    is_strict = file != "-" and settings_of(Path(file)).require_result
    return PlanDocument.from_text(text, name=label(file), requires_result=is_strict)


def change_step(
    file: str, change: Callable[[PlanDocument], str | Sequence[str]], *, dry_run: bool = False, diff: bool = False
) -> None:
    """Change a plan, and say what was done; leaves where that is refused."""

    stale: list[StaleMention] = []

    def edit(text: str) -> tuple[str, str | Sequence[str]]:
        document = open_document(file, text)
        said = change(document)
        stale[:] = document.stale_mentions()
        return document.text, said

    to_stderr = file == "-" or diff
    said = "left as it is, since it is not a plan"
    with stop_on_faults(file, said, is_plan=True), stop_on_refusal(file, to_stderr=to_stderr):
        before, after, done = change_text(file, edit, is_dry=dry_run)
    write_done((done,) if isinstance(done, str) else done, to_stderr=to_stderr)
    for mention in stale:
        complain_of(file, str(mention))
    if diff:
        write_diff(before, after, file, to_stderr=file == "-" and not dry_run)


@contextmanager
def stop_on_refusal(file: str, *, to_stderr: bool = False) -> Iterator[None]:
    """Leave with why a change of a plan is refused."""
    try:
        yield
    except CommandError as error:
        write_rows([((f"{error.code}  ", "bold red"), (visible_name(str(error)), ""))], to_stderr=to_stderr)
        fail_on(file, "nothing was changed")


def write_done(said: Sequence[str], *, to_stderr: bool = False) -> None:
    """Say what has become of a plan, a line each."""
    write_rows(((("ok     ", "green"), (visible(line), "")) for line in said), to_stderr=to_stderr)
    # What is said to standard error comes after it, in one file as well.
    sys.stdout.flush()


def refuse_steps(document: PlanDocument, words: Sequence[str], advice: str) -> None:
    """Refuse a text that is nothing but steps: most likely, all of them were meant.

    Raises:
        click.UsageError: every word is the id or the name of a step.
    """
    if words and set(words).issubset(words_for_steps(document.plan)):
        said = ", ".join(map(quote, words))
        are = "is a step" if len(words) == 1 else "are steps"
        raise click.UsageError(f"{said} {are} of this plan, and a call changes one step. {advice}")


def _set_status(file: str, step: str, status: PlanStatus, why: Sequence[str], **how: bool) -> None:
    result = one_line(" ".join(why)) or None

    def change(document: PlanDocument) -> str:
        step_id = find_step(document, step)
        refuse_steps(document, why, "Call it once for each; a reason says more than that.")
        return document.set_status(step_id, status, result)

    change_step(file, change, **how)


@step_command("start", "planspec start plan.md 3", "planspec start bakery 1 --diff")
@how_options
def start_command(file: str, step: str, **how: bool) -> None:
    """Mark a step as active: work on it has begun.

    In the plan its line gets the mark [>].
    """
    _set_status(file, step, PlanStatus.ACTIVE, (), **how)


@step_command(
    "block",
    "planspec block plan.md 3 no paint is left",
    TEXT="The reason; several words need no quotes.",
)
@text_argument
@how_options
def block_command(file: str, step: str, why: tuple[str, ...], **how: bool) -> None:
    """Mark a step as blocked, with the reason.

    In the plan its line gets the mark [!].
    """
    _set_status(file, step, PlanStatus.BLOCKED, why, **how)


@step_command(
    "skip",
    "planspec skip plan.md 3 the shelves are new",
    TEXT="The reason; several words need no quotes.",
)
@text_argument
@how_options
def skip_command(file: str, step: str, why: tuple[str, ...], **how: bool) -> None:
    """Mark a step as skipped, with the reason.

    In the plan its line gets the mark [~].
    """
    _set_status(file, step, PlanStatus.SKIPPED, why, **how)


@step_command("remove", "planspec remove plan.md 3", "planspec remove plan.md 2.1 --renumber")
@flag("--renumber", help="Give the steps after it the ids that become free.")
@how_options
def remove_command(file: str, step: str, renumber: bool, **how: bool) -> None:
    """Remove a step, with all steps below it.

    The ids of the steps behind it stay as they are, unless --renumber is given.
    """
    change_step(file, lambda document: document.remove(find_step(document, step), renumber=renumber), **how)


@step_command(
    "move",
    "planspec move plan.md 3 1",
    "planspec move plan.md 3 2.1 --dry-run",
    ID="The id that the step gets; the steps from there on move up by one.",
)
@click.argument("to", metavar="ID")
@how_options
def move_command(file: str, step: str, to: str, **how: bool) -> None:
    """Move a step, with all steps below it."""
    change_step(file, lambda document: document.move(find_step(document, step), to), **how)


@step_command(
    "rename",
    "planspec rename plan.md 1 label_shelves",
    "planspec rename plan.md 1 ''",
    NAME="The new name: letters, digits, _ and -, not digits alone; an empty one removes the name.",
)
@click.argument("name")
@how_options
def rename_command(file: str, step: str, name: str, **how: bool) -> None:
    """Rename a step.

    A name comes before a step's type, and can be used like its id.
    """
    change_step(file, lambda document: document.rename(find_step(document, step), name), **how)


def _word_option(name: str) -> Callable[[Any], Any]:
    """The option for a field of a step that is one word."""
    said = f"Its {STEP_FIELDS[name].label}."
    return click.option(f"--{name.replace('_', '-')}", name, default="", show_default=False, metavar="NAME", help=said)


@command(
    "add",
    examples=[
        "planspec add plan.md Sell the old shelves --output money",
        "planspec add plan.md 'Ask for prices' --type reason --below 2 --input labels",
        "planspec add plan.md 'Order boxes' --at 1 --name boxes",
    ],
    files={
        "FILE": CHANGED,
        "TEXT": "What the step is to do; several words need no quotes.",
        "standard output": _SAID,
    },
    exits=_EXITS,
)
@plan_argument()
@click.argument("description", metavar="TEXT...", nargs=-1, required=True)
@click.option(
    "--at",
    metavar="ID",
    show_default="after all others",
    help="Give it this id; the steps from there on move up by one.",
)
@click.option("--below", metavar="STEP", help="Add it as the last child of this step.")
@click.option("--type", "step_type", default="act", metavar="TYPE", help=f"Its type: {', '.join(STEP_TYPES)}.")
@click.option("--name", default="", show_default=False, metavar="NAME", help="Its name.")
@options(*map(_word_option, WORDS))
@repeated_option("--input", "inputs", metavar="NAME", help="A value it needs; repeatable.")
@repeated_option("--output", "outputs", metavar="NAME", help="A value it produces; repeatable.")
@repeated_option("--detail", metavar="TEXT", help="A line of detail below it; repeatable.")
@how_options
def add_command(  # noqa: PLR0913, PLR0917  (its options)
    file: str,
    description: tuple[str, ...],
    at: str | None,
    below: str | None,
    step_type: str,
    dry_run: bool,
    diff: bool,
    **parts: Any,
) -> None:
    """Add a step.

    It becomes the last step, the last child of another step (--below), or gets an id (--at).
    """
    if at and below:
        raise click.UsageError("--at and --below both say where it goes.")
    text = one_line(" ".join(description))
    if not text:
        raise click.UsageError("TEXT is empty: it says what the step is to do.")

    def change(document: PlanDocument) -> str:
        step_id = at or document.free_id(find_step(document, below) if below else "")
        return document.add(step_id, step_type, text, **parts)

    change_step(file, change, dry_run=dry_run, diff=diff)
