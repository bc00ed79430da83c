"""Commands for the files of other tools: `import` and `export`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from planspec_lark.cli.arguments import count_option, exclude_each_other, flag, folder_option, plan_argument
from planspec_lark.cli.help import READ, Choice, command
from planspec_lark.cli.output import (
    FINDINGS,
    change_text,
    check_inputs,
    complain,
    complain_of,
    json_text,
    label,
    leave,
    out_option,
    read_plan,
    read_text,
    stop_at,
    stop_on_faults,
    write_diagnostics,
    write_out,
)
from planspec_lark.exchange import (
    FORMATS,
    NoListError,
    export_into,
    export_plan,
    import_text,
    update_text,
)
from planspec_lark.syntax.diagnostics import count_of, join_words

if TYPE_CHECKING:
    from planspec_lark.exchange import ExchangeReport, ExportResult

# The most losses that are listed.
_SHOWN = 20


@command(
    "import",
    examples=[
        "planspec import tasks.md -o plan.md",
        "planspec import .kiro/specs/login/tasks.md --from kiro",
        "planspec import tasks.md --into plan.md --statuses source",
    ],
    files={
        "FILE": "The task list: a file, or - for standard input.",
        "standard output": "The plan in canonical form, unless --out or --into names a file.",
        "standard error": "What could not be read, what has changed, and a count of lines.",
    },
    exits={
        0: "The plan was written.",
        1: "There is nothing to import; with --strict, or a kept line looks like a task.",
    },
)
@click.argument("file")
@click.option(
    "--from",
    "form",
    type=Choice(FORMATS),
    metavar="FORMAT",
    show_default="detected",
    help=f"The format of the task list: {join_words(FORMATS, 'or')}.",
)
@out_option
@click.option("--into", metavar="PLAN", help="Update this plan's file instead; what the list does not say stays.")
@click.option(
    "--statuses",
    type=Choice(["plan", "source"]),
    default="plan",
    help="With --into: keep the plan's statuses, or take those of the list.",
)
@count_option("--list", "number", metavar="NUMBER", help="Of several lists, take this one.")
@flag("--strict", help="Exit with 1 if a line that is kept as text looks like a task.")
@click.option("--report", metavar="FILE", help="Write to this file, as JSON, where each line has gone.")
def import_command(  # noqa: PLR0913, PLR0917  (one for each option)
    file: str,
    form: str | None,
    out: str,
    into: str | None,
    statuses: str,
    number: int | None,
    strict: bool,
    report: str | None,
) -> None:
    """Import a task list of another tool as a plan.

    --from markdown reads any plan in Markdown. What cannot be imported is named, and the rest is imported. With --into,
    new tasks are added to a plan, texts follow the list, and no step is removed.
    """
    _check_call(file, out, into)
    is_missing = stop_at(NoListError, lead="--list: ", kind=lambda said: click.UsageError(f"{said}."))
    with stop_on_faults(file, "nothing was imported"), is_missing:
        imported = import_text(read_text(file), form, list=number or 0, name=label(file))
    write_diagnostics(imported.report.found)
    if into is None or (into != "-" and not os.path.lexists(into)):
        write_out(into or out, imported.text)
    else:

        def change(text: str) -> tuple[str, list[str]]:
            return update_text(text, imported.plan, takes_statuses=statuses == "source", name=label(into))

        with stop_on_faults(into, "left as it is, since it is not a plan"):
            before, after, said = change_text(into, change)
        imported.report.changes = said
        for line in said:
            complain(line)
        complain_of(into, _outcome(before, after))
    _report(file, imported.report, report)
    if strict and imported.report.similar:
        leave(FINDINGS)


def _check_call(file: str, out: str, into: str | None) -> None:
    check_inputs(file, into)
    exclude_each_other(into=into is not None, out=out != "-")
    # Another format has no place for all that is in the file.
    if out != "-" and os.path.isfile(out) and os.path.isfile(file) and os.path.samefile(file, out):
        raise click.UsageError("--out names the file that is read: write to another one.")


def _outcome(before: str, after: str) -> str:
    return "updated" if before != after else "nothing to change"


def _report(file: str, report: ExchangeReport, target: str | None) -> None:
    if target is not None:
        write_out(target, json_text(report.to_dict()))
    counts = f"{count_of(report.tasks, 'task')}, {report.done} done"
    similar = f"; {count_of(len(report.similar), 'kept line')} may be tasks" if report.similar else ""
    complain_of(file, f"{report.format}, {counts}; {report.summary}{similar}")


@command(
    "export",
    examples=["planspec export plan.md --to spec-kit -o tasks.md", "planspec export plan.md --into tasks.md"],
    files={
        "FILE": READ,
        "standard output": "The task list, unless --out or --into names a file.",
        "standard error": "What the other format cannot say.",
    },
    exits={0: "The task list was written.", 1: "FILE is not a plan, or ORIGINAL is not a task list."},
)
@plan_argument()
@click.option(
    "--to",
    "form",
    type=Choice(FORMATS),
    metavar="FORMAT",
    help="The format to write, one of those of `planspec import`; with --into it is detected.",
)
@out_option
@click.option("--into", metavar="ORIGINAL", help="Update this task list instead, where the plan differs.")
@click.option("--report", metavar="FILE", help="Write to this file, as JSON, the format, and all that it cannot say.")
@folder_option
def export_command(file: str, form: str | None, out: str, into: str | None, report: str | None) -> None:
    """Export a plan as a task list of another tool.

    What the other format cannot say is named. With --into, statuses and texts of a list follow the plan, new steps are
    added, and all else stays.
    """
    _check_call(file, out, into)
    plan = read_plan(file)
    if into is not None:

        def change(text: str) -> tuple[str, ExportResult]:
            exported = export_into(plan, text, form, name=label(into))
            return exported.text, exported

        with stop_on_faults(into, "left as it is, since it cannot be read as a task list"):
            before, after, exported = change_text(into, change)
        complain_of(into, _outcome(before, after))
    elif form is None:
        raise click.UsageError(f"Missing option '--to': one of {', '.join(FORMATS)}.")
    else:
        exported = export_plan(plan, form)
        write_out(out, exported.text)
    if report is not None:
        write_out(report, json_text({"format": exported.format, "lost": exported.lost}))
    for line in exported.lost[:_SHOWN]:
        complain(f"lost: {line}" if into is None else line)
    more = len(exported.lost) - _SHOWN
    if more > 0:
        complain(f"and {more} more; --report has them all")
