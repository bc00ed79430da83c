"""`planspec apply`."""

from __future__ import annotations

import click

from planspec_lark.cli.arguments import folder_option, plan_argument
from planspec_lark.cli.output import (
    FINDINGS,
    fail,
    label,
    read_text,
    stop_on_faults,
    write_back,
    write_diagnostics,
    write_diff,
    write_rows,
)
from planspec_lark.diagnostics import PlanSyntaxError
from planspec_lark.document.document import PlanDocument
from planspec_lark.plan_cmd.applying import Report
from planspec_lark.plan_cmd.reading import CommandScan, scan_plan_commands
from planspec_lark.source import visible, visible_name

__all__ = ["command"]


@click.command("apply")
@plan_argument()
@click.argument("commands", metavar="[COMMANDS]", default="-")
@click.option("--dry-run", is_flag=True, help="Write nothing; tell what the commands would do.")
@click.option("--diff", is_flag=True, help="Show how the plan's text changes.")
@click.option("--keep-going", is_flag=True, help="Let the other commands act where one is refused.")
@folder_option
def command(file: str, commands: str, dry_run: bool, diff: bool, keep_going: bool) -> None:
    """Let PLAN_CMD lines change a plan, in place.

    COMMANDS is a file with any text, such as a language model's answer, that holds lines starting with PLAN_CMD: (by
    default -, standard input). Where one of them is wrong or refused, the plan stays as it is, unless --keep-going.
    With - as FILE, the plan goes from standard input to standard output. Exits with 1 where a command was refused, or
    where there was none, and with 2 where a file cannot be read or written.
    """
    if file == commands == "-":
        raise click.UsageError("The plan and the commands cannot both come from standard input.")
    document = _read_document(file)
    before = document.text
    scan = _read_commands(commands)
    to_stderr = file == "-" or diff
    write_diagnostics(scan.diagnostics, to_stderr=to_stderr)
    if not scan.commands and not scan.diagnostics:
        fail(f"{visible_name(label(commands))}: there is no line that starts with PLAN_CMD:", FINDINGS)
    # Where a line is wrong, the others are still tried: all that is to be mended is told at once.
    reports = document.apply(scan.commands, atomic=not keep_going)
    changed = any(report.done for report in reports) if keep_going else all(report.done for report in reports)
    held = not keep_going and (bool(scan.diagnostics) or not changed)
    _tell(reports, "held   " if held else "ok     ", to_stderr)
    refused = len(scan.diagnostics) + sum(not report.done for report in reports)
    after = before if held else document.text
    if diff:
        write_diff(before, after, file, to_stderr=file == "-" and not dry_run)
    if not dry_run:
        write_back(file, before, after)
    if refused:
        what = "the others were carried out" if changed and not (held or dry_run) else "nothing was changed"
        fail(f"{refused} of {len(scan.commands) + len(scan.diagnostics)} commands refused: {what}", FINDINGS)


def _read_document(file: str) -> PlanDocument:
    try:
        return PlanDocument.from_text(read_text(file), name=label(file))
    except PlanSyntaxError as error:
        stop_on_faults(error, f"{visible_name(label(file))}: left as it is, since it is no plan")


def _read_commands(file: str) -> CommandScan:
    try:
        return scan_plan_commands(read_text(file), name=label(file))
    except PlanSyntaxError as error:
        stop_on_faults(error, f"{visible_name(label(file))}: no commands were read")


def _tell(reports: list[Report], done: str, to_stderr: bool) -> None:
    style = "green" if done.startswith("ok") else "yellow"
    for report in reports:
        mark = (done, style) if report.done else (f"{report.code}  ", "bold red")
        write_rows([(mark, (visible(report.message), ""))], to_stderr=to_stderr)
