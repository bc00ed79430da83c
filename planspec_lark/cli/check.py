"""`planspec check`."""

from __future__ import annotations

from functools import partial

import click

from planspec_lark.cli.arguments import folder_option, plan_argument
from planspec_lark.cli.findings import Outcome, format_option, report
from planspec_lark.cli.output import Unreadable, label, read_text
from planspec_lark.cli.processes import map_in_processes
from planspec_lark.planspec.check import check_text
from planspec_lark.planspec.lint import OPTIONAL
from planspec_lark.syntax.diagnostics import PlanSyntaxError
from planspec_lark.syntax.limits import Limits

__all__ = ["command"]

_COUNT = click.IntRange(min=1)


@click.command("check")
@plan_argument("files", metavar="FILE...", many=True)
@format_option
@click.option("--strict", is_flag=True, help="Let warnings fail the check as well.")
@click.option("--also", type=click.Choice(OPTIONAL), multiple=True, help="Look for this as well.")
@click.option("--jobs", type=_COUNT, default=1, show_default=True, help="Use so many processes.")
@click.option("--max-bytes", type=_COUNT, help="Refuse a longer file.")
@click.option("--max-steps", type=_COUNT, help="Refuse a plan with more steps.")
@click.option("--max-depth", type=_COUNT, help="Refuse a plan with more levels.")
@click.option("--max-findings", type=_COUNT, default=1000, show_default=True, help="List so many of each file.")
@folder_option
def command(
    files: tuple[str, ...], form: str, strict: bool, also: tuple[str, ...], jobs: int, **most: int | None
) -> None:
    """Check plans: syntax, the six rules, and lint.

    Exits with 0 where nothing is wrong, 1 where something is, and 2 where a file cannot be read.
    """
    if files.count("-") > 1:
        raise click.UsageError("Standard input can be read only once.")
    check = partial(_check, limits=Limits(**most), form=form, also=also)
    # Standard input is this process's own.
    outcomes = map_in_processes(check, files, 1 if "-" in files else jobs)
    report(form, zip(files, outcomes, strict=True), strict=strict)


def _check(file: str, limits: Limits, form: str, also: tuple[str, ...]) -> Outcome | str:
    try:
        found = check_text(read_text(file, limits.max_bytes), name=label(file), limits=limits, also=also)
    except PlanSyntaxError as error:
        found = error.diagnostics
    except Unreadable as error:
        return error.format_message()
    return Outcome.of(found, form)
