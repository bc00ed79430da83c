"""The command that changes a plan in place by what a model has written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from planspec_lark.answers import Verdict
from planspec_lark.cli.answers import allow_truncated_option, finish_reason_option, max_risk_option
from planspec_lark.cli.arguments import flag, folder_option, plan_argument
from planspec_lark.cli.help import CHANGED, command
from planspec_lark.cli.output import (
    Row,
    change_text,
    complain_of,
    fail,
    fail_on,
    read_as,
    stop_on_faults,
    wait_option,
    write_diagnostics,
    write_diff,
    write_rows,
)
from planspec_lark.cli.steps import diff_option, open_document
from planspec_lark.plan_cmd import scan_plan_commands
from planspec_lark.syntax.safe_text import visible

if TYPE_CHECKING:
    from planspec_lark.document import StaleMention
    from planspec_lark.plan_cmd.apply import CommandOutcome


@command(
    "apply",
    examples=[
        "echo 'PLAN_CMD: DONE 1' | planspec apply plan.md",
        "planspec apply plan.md commands.txt --dry-run",
        "planspec apply plan.md commands.txt --keep-going --diff",
    ],
    files={
        "FILE": CHANGED,
        "COMMANDS": "Text with PLAN_CMD: lines, such as a model's answer; the rest is ignored. A file, or"
        " - for standard input (the default).",
        "standard output": "What each command did, or why it was refused.",
    },
    exits={
        0: "All commands were carried out.",
        1: "A command was refused, the answer needs review, or there was no command.",
        2: "A file cannot be read or written, another process runs the plan, or the arguments are wrong.",
    },
)
@plan_argument()
@click.argument("commands", metavar="[COMMANDS]", default="-")
@flag("--dry-run", help="Write nothing; show what would be done.")
@diff_option
@flag("--keep-going", help="Carry out the other commands where one is refused.")
@max_risk_option
@finish_reason_option
@allow_truncated_option
@wait_option
@folder_option
def apply_command(  # noqa: PLR0913, PLR0917  (its options)
    file: str,
    commands: str,
    dry_run: bool,
    diff: bool,
    keep_going: bool,
    allow_truncated: bool,
    **reading: Any,
) -> None:
    """Apply the PLAN_CMD lines of an answer to a plan.

    Commands such as `PLAN_CMD: DONE 2.1 | result` are found also behind a bullet, in bold or in backticks. All act or
    none: if one is refused, or a line only begins like a command, the plan stays as it is, unless --keep-going is
    given. An answer that was cut off, or has two versions, changes nothing.
    """
    if file == commands == "-":
        raise click.UsageError("The plan and the commands cannot both come from standard input.")
    read = partial(scan_plan_commands, allow_truncated=allow_truncated, **reading)
    # All of them, before the plan is looked at: it may take long until the last one comes.
    scan = read_as(commands, read, "no commands were read")
    to_stderr = file == "-" or diff
    write_diagnostics(scan.diagnostics, to_stderr=to_stderr)
    if not scan.commands and not scan.errors:
        fail_on(commands, "there is no line that starts with PLAN_CMD:")
    is_cut = scan.truncated and not allow_truncated
    is_held = not scan.is_usable and (not keep_going or is_cut or scan.verdict is Verdict.REFUSED)

    stale: list[StaleMention] = []

    def change(before: str) -> tuple[str, list[CommandOutcome]]:
        document = open_document(file, before)
        # Where a line is wrong, the others are still tried: all that is to be repaired is told at once.
        reports = document.apply(scan.commands, atomic=not keep_going)
        stale[:] = () if is_held else document.stale_mentions()
        return before if is_held else document.text, reports

    with stop_on_faults(file, "left as it is, since it is not a plan"):
        before, after, reports = change_text(file, change, is_dry=dry_run)
    # A line may have several faults.
    unread = len({found.line for found in scan.errors})
    refused = unread + sum(not report.done for report in reports)
    is_undone = is_held or not keep_going
    write_rows(_rows(reports, is_held=bool(refused) and is_undone), to_stderr=to_stderr)
    for mention in stale:
        complain_of(file, str(mention))
    if diff:
        write_diff(before, after, file, to_stderr=file == "-" and not dry_run)
    if is_cut:
        why = "the answer was cut off (--allow-truncated takes what there is)"
        fail_on(commands, f"{why}: nothing was changed")
    if refused:
        has_acted = not (is_undone or dry_run) and any(report.done for report in reports)
        what = "the others were carried out" if has_acted else "nothing was changed"
        fail(f"{refused} of {len(scan.commands) + unread} commands refused: {what}")


def _rows(reports: Iterable[CommandOutcome], *, is_held: bool) -> Iterator[Row]:
    done = ("held   ", "yellow") if is_held else ("ok     ", "green")
    for report in reports:
        word = done if report.done else (f"{report.code}  ", "bold red")
        yield [word, (visible(report.message), "")]
