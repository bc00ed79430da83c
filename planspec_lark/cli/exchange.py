"""Commands for the files of other tools: `import` and `export`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from planspec_lark.cli.arguments import folder_option, plan_argument
from planspec_lark.cli.output import (
    change_text,
    check_inputs,
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
from planspec_lark.exchange import FORMATS, export_into, export_plan, import_folder, import_text, update_text
from planspec_lark.syntax.diagnostics import count_of

if TYPE_CHECKING:
    from planspec_lark.exchange import Exported, Imported, Report
    from planspec_lark.planspec import PlanSpec

_report_option = click.option("--report", metavar="REPORT.json", help="Write where each line has gone.")


@click.command("import")
@click.argument("file", metavar="FILE|FOLDER")
@click.option("--from", "form", type=click.Choice(FORMATS), help="The format; by default it is found out.")
@out_option
@click.option("--into", metavar="PLAN", help="Update this plan instead, which keeps what is its own.")
@click.option(
    "--statuses",
    type=click.Choice(["plan", "source"]),
    default="plan",
    help="For --into: whose statuses hold.",
)
@_report_option
def import_command(  # noqa: PLR0913, PLR0917  (one for each option)
    file: str, form: str | None, out: str, into: str | None, statuses: str, report: str | None
) -> None:
    """Make a plan of a task list in another format.

    FILE may be a folder of Kiro, spec-kit or OpenSpec as well. What is wrong is named, and the rest is imported. With
    --into, steps are found again by their names, or by their texts: those that are new are added, texts follow the
    source, and nothing is taken out. Exits with 1 where there is nothing to import, and with 2 where a file cannot be
    read or written.
    """
    check_inputs(file, into)
    if into is not None and out != "-":
        raise click.UsageError("--into and --out exclude each other.")
    with stop_on_faults(file, "nothing was imported"):
        imported = _import(file, form)
    write_diagnostics(imported.report.found, to_stderr=True)
    if into is None or (into != "-" and not os.path.lexists(into)):
        write_out(into or out, imported.text)
    else:
        _update(into, imported, takes_statuses=statuses == "source")
    _report(file, imported.report, report)


def _import(file: str, form: str | None) -> Imported:
    if os.path.isdir(file):
        return import_folder(Path(file), form)
    return import_text(read_text(file), form, name=label(file))


def _update(into: str, imported: Imported, *, takes_statuses: bool) -> None:
    def change(text: str) -> tuple[str, list[str]]:
        return update_text(text, imported.plan, takes_statuses=takes_statuses, name=label(into))

    with stop_on_faults(into, "left as it is, since it is no plan"):
        before, after, said = change_text(into, change)
    imported.report.changes = said
    for line in said:
        complain(line)
    complain(f"{shown(into)}: {'updated' if before != after else 'nothing to change'}")


def _report(file: str, report: Report, target: str | None) -> None:
    if target is not None:
        write_out(target, json_text(report.to_dict()))
    counts = f"{count_of(report.tasks, 'task')}, {report.done} done"
    of = "fields" if any(entry.keys for entry in report.carried) else "lines"
    lines = f"{len(report.carried)} {of} carried, {len(report.kept)} kept, {len(report.left_out)} left out"
    complain(f"{shown(file)}: {report.format}, {counts}; {lines}")


@click.command("export")
@plan_argument()
@click.option("--to", "form", type=click.Choice(FORMATS), help="The format; with --into, it is found out.")
@out_option
@click.option("--into", metavar="ORIGINAL", help="Change this file instead, where the plan says something else.")
@_report_option
@folder_option
def export_command(file: str, form: str | None, out: str, into: str | None, report: str | None) -> None:
    """Write a plan as a task list in another format.

    What the format has no words for is named. With --into, statuses and texts of a file that is there follow the plan,
    new steps are added, and everything else in it stays as it is. Exits with 1 where the plan or that file cannot be
    read as one, and with 2 where a file cannot be read or written.
    """
    check_inputs(file, into)
    if into is not None and out != "-":
        raise click.UsageError("--into and --out exclude each other.")
    plan = read_plan(file)
    if into is not None:
        exported = _export_into(plan, into, form)
    elif form is None:
        raise click.UsageError("Missing option '--to'.")
    else:
        exported = export_plan(plan, form)
        write_out(out, exported.text)
    if report is not None:
        write_out(report, json_text({"format": form, "lost": exported.lost}))
    elif exported.lost:
        more = len(exported.lost) - _SHOWN
        for line in exported.lost[:_SHOWN]:
            complain(f"lost: {line}" if into is None else line)
        if more > 0:
            complain(f"and {more} more; --report has them all")


# So many of a list of things that are lost.
_SHOWN = 20


def _export_into(plan: PlanSpec, into: str, form: str | None) -> Exported:
    def change(text: str) -> tuple[str, Exported]:
        exported = export_into(plan, text, form, name=label(into))
        return exported.text, exported

    with stop_on_faults(into, "left as it is, since it cannot be read as a task list"):
        before, after, exported = change_text(into, change)
    complain(f"{shown(into)}: {'updated' if before != after else 'nothing to change'}")
    return exported
