"""`planspec splice`."""

from __future__ import annotations

import click

from planspec_lark.answers.patch import Spliced, splice
from planspec_lark.cli.arguments import folder_option, plan_argument
from planspec_lark.cli.output import (
    FINDINGS,
    change_text,
    check_inputs,
    complain,
    fail,
    label,
    read_text,
    stop_on_faults,
    write_diagnostics,
    write_diff,
)
from planspec_lark.cli.waiting import wait_option
from planspec_lark.syntax.diagnostics import PlanSyntaxError, Severity
from planspec_lark.syntax.source import visible_name

__all__ = ["command"]


@click.command("splice")
@plan_argument()
@click.argument("answer", metavar="[ANSWER]", default="-")
@click.option("--dry-run", is_flag=True, help="Write nothing; tell what is wrong with the answer and the result.")
@click.option("--diff", is_flag=True, help="Show how the plan's text changes.")
@wait_option
@folder_option
def command(file: str, answer: str, dry_run: bool, diff: bool) -> None:
    """Put the mended lines of an answer into a plan, in place.

    ANSWER is a file with a language model's answer to planspec repair-prompt (by default -, standard input). All other
    lines of the plan stay as they are. Where the answer writes a line that was not asked for, the plan stays as it is.
    With - as FILE, the plan goes from standard input to standard output. Exits with 1 where the answer is refused, or
    the plan still has faults, and with 2 where a file cannot be read or written, or another process runs the plan.
    """
    check_inputs(file, answer)
    results: list[tuple[str, Spliced]] = []
    try:
        # All of it, before the plan is looked at: it may take long until the last line comes.
        text = read_text(answer)

        def change(before: str) -> str:
            done = splice(before, text, name=label(file), answer_name=label(answer))
            results[:] = [(before, done)]
            return done.text

        change_text(file, change, is_dry=dry_run)
    except PlanSyntaxError as error:
        stop_on_faults(error, f"{visible_name(error.source.name)}: nothing was read")
    before, done = results[0]
    write_diagnostics(done.diagnostics, to_stderr=True)
    if diff:
        write_diff(before, done.text, file, to_stderr=file == "-" and not dry_run)
    _tell(done, file)


def _tell(done: Spliced, file: str) -> None:
    """Say what has come of it, and leave with the exit code."""
    name = visible_name(label(file))
    if not done.is_usable:
        fail(f"{name}: the answer is refused, and the plan stays as it is", FINDINGS)
    count = len(done.lines)
    complain(f"{name}: {count} {'line' if count == 1 else 'lines'} written anew")
    faults = [one for one in done.findings if one.severity is Severity.ERROR]
    if faults:
        write_diagnostics(faults, to_stderr=True)
        fail(f"{name}: {len(faults)} {'fault is' if len(faults) == 1 else 'faults are'} left", FINDINGS)
