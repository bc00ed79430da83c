"""`planspec apply`."""

from __future__ import annotations

import click
from attrs import frozen

from planspec_lark.cli.arguments import folder_option, plan_argument
from planspec_lark.cli.output import (
    FINDINGS,
    change_text,
    fail,
    label,
    read_text,
    stop_on_faults,
    write_diagnostics,
    write_diff,
    write_rows,
)
from planspec_lark.cli.waiting import wait_option
from planspec_lark.document.document import PlanDocument
from planspec_lark.plan_cmd.apply import Report
from planspec_lark.plan_cmd.parser import CommandScan, scan_plan_commands
from planspec_lark.syntax.diagnostics import PlanSyntaxError
from planspec_lark.syntax.source import visible, visible_name

__all__ = ["command"]


@click.command("apply")
@plan_argument()
@click.argument("commands", metavar="[COMMANDS]", default="-")
@click.option("--dry-run", is_flag=True, help="Write nothing; tell what the commands would do.")
@click.option("--diff", is_flag=True, help="Show how the plan's text changes.")
@click.option("--keep-going", is_flag=True, help="Let the other commands act where one is refused.")
@wait_option
@folder_option
def command(file: str, commands: str, dry_run: bool, diff: bool, keep_going: bool) -> None:
    """Let PLAN_CMD lines change a plan, in place.

    COMMANDS is a file with any text, such as a language model's answer, that holds lines starting with PLAN_CMD: (by
    default -, standard input). Where one of them is wrong or refused, the plan stays as it is, unless --keep-going.
    With - as FILE, the plan goes from standard input to standard output. Exits with 1 where a command was refused, or
    where there was none, and with 2 where a file cannot be read or written, or another process runs the plan.
    """
    if file == commands == "-":
        raise click.UsageError("The plan and the commands cannot both come from standard input.")
    # All of them, before the plan is looked at: it may take long until the last one comes.
    scan = _read_commands(commands)
    to_stderr = file == "-" or diff
    write_diagnostics(scan.diagnostics, to_stderr=to_stderr)
    if not scan.commands and not scan.errors:
        fail(f"{visible_name(label(commands))}: there is no line that starts with PLAN_CMD:", FINDINGS)
    applied = _apply(file, scan, dry_run=dry_run, keep_going=keep_going)
    _tell(applied.reports, "held   " if applied.is_held else "ok     ", to_stderr)
    if diff:
        write_diff(applied.before, applied.after, file, to_stderr=file == "-" and not dry_run)
    refused = len(scan.errors) + sum(not report.done for report in applied.reports)
    if refused:
        is_changed = any(report.done for report in applied.reports) and not (applied.is_held or dry_run)
        what = "the others were carried out" if is_changed else "nothing was changed"
        fail(f"{refused} of {len(scan.commands) + len(scan.errors)} commands refused: {what}", FINDINGS)


@frozen
class _Applied:
    """What the commands have made of a text; it is held back where one of them is wrong or refused."""

    before: str
    after: str
    reports: list[Report]
    is_held: bool


def _apply(file: str, scan: CommandScan, *, dry_run: bool, keep_going: bool) -> _Applied:
    applied: list[_Applied] = []

    def change(before: str) -> str:
        document = PlanDocument.from_text(before, name=label(file))
        # Where a line is wrong, the others are still tried: all that is to be repaired is told at once.
        reports = document.apply(scan.commands, atomic=not keep_going)
        is_held = not keep_going and (bool(scan.errors) or not all(report.done for report in reports))
        applied[:] = [_Applied(before, before if is_held else document.text, reports, is_held)]
        return applied[0].after

    try:
        change_text(file, change, is_dry=dry_run)
    except PlanSyntaxError as error:
        stop_on_faults(error, f"{visible_name(label(file))}: left as it is, since it is no plan")
    return applied[0]


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
