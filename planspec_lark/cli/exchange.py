"""Commands for the files of other tools: `import` and `export`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from planspec_lark.cli.arguments import folder_option, plan_argument
from planspec_lark.cli.output import (
    complain,
    json_text,
    label,
    out_option,
    read_plan,
    read_text,
    shown,
    stop_on_faults,
    write_diagnostics,
    write_out,
)
from planspec_lark.exchange import FORMATS, export_plan, import_text
from planspec_lark.syntax.diagnostics import count_of

if TYPE_CHECKING:
    from planspec_lark.exchange import Report

_report_option = click.option("--report", metavar="REPORT.json", help="Write where each line has gone.")


@click.command("import")
@click.argument("file", metavar="FILE|FOLDER")
@click.option("--from", "form", type=click.Choice(FORMATS), help="The format; by default it is found out.")
@out_option
@_report_option
def import_command(file: str, form: str | None, out: str, report: str | None) -> None:
    """Make a plan of a task list in another format.

    FILE may be a folder of Kiro, spec-kit or OpenSpec as well. What is wrong is named, and the rest is imported.
    """
    with stop_on_faults(file, "nothing was imported"):
        imported = import_text(read_text(file), form, name=label(file))
    write_diagnostics(imported.report.found, to_stderr=True)
    write_out(out, imported.text)
    _report(file, imported.report, report)


def _report(file: str, report: Report, target: str | None) -> None:
    if target is not None:
        write_out(target, json_text(report.to_dict()))
    counts = f"{count_of(report.tasks, 'task')}, {report.done} done"
    lines = f"{len(report.carried)} lines carried, {len(report.kept)} kept, {len(report.left_out)} left out"
    complain(f"{shown(file)}: {report.format}, {counts}; {lines}")


@click.command("export")
@plan_argument()
@click.option("--to", "form", type=click.Choice(FORMATS), required=True, help="The format.")
@out_option
@folder_option
def export_command(file: str, form: str, out: str) -> None:
    """Write a plan as a task list in another format."""
    write_out(out, export_plan(read_plan(file), form))
