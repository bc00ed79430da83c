"""`planspec check`."""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import Any

import click
from attrs import frozen

from planspec_lark import __version__, reports
from planspec_lark.cli.output import (
    FINDINGS,
    UNREADABLE,
    Unreadable,
    complain,
    diagnostic_rows,
    label,
    read_text,
    write_rows,
    write_text,
)
from planspec_lark.cli.processes import map_in_processes
from planspec_lark.diagnostics import PlanSyntaxError, Severity
from planspec_lark.limits import Limits
from planspec_lark.planspec.checking import check_text

__all__ = ["command"]

_COUNT = click.IntRange(min=1)


@click.command("check")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "github", "sarif"]),
    default="text",
    show_default=True,
    help="How to write what is found.",
)
@click.option("--strict", is_flag=True, help="Let warnings fail the check as well.")
@click.option("--jobs", type=_COUNT, default=1, show_default=True, help="Use so many processes.")
@click.option("--max-bytes", type=_COUNT, help="Refuse a longer file.")
@click.option("--max-steps", type=_COUNT, help="Refuse a plan with more steps.")
@click.option("--max-depth", type=_COUNT, help="Refuse a plan with more levels.")
@click.option("--max-findings", type=_COUNT, default=1000, show_default=True, help="List so many of each file.")
def command(files: tuple[str, ...], form: str, strict: bool, jobs: int, **most: int | None) -> None:
    """Check plans: syntax, the six rules, and lint.

    Exits with 0 where nothing is wrong, 1 where something is, and 2 where a file cannot be read.
    """
    if files.count("-") > 1:
        raise click.UsageError("Standard input can be read only once.")
    read: list[str] = []
    items: list[Any] = []
    counts = dict.fromkeys([severity.value for severity in Severity], 0)
    check = partial(_check, limits=Limits(**most), form=form)
    # Standard input is this process's own.
    outcomes = map_in_processes(check, files, 1 if "-" in files else jobs)
    for file, outcome in zip(files, outcomes, strict=True):
        if isinstance(outcome, str):
            complain(f"Error: {outcome}")
            continue
        read.append(label(file))
        items += outcome.items
        for severity, count in outcome.counts.items():
            counts[severity] += count
    _write(form, items, read, counts)
    if len(read) < len(files):
        raise click.exceptions.Exit(UNREADABLE)
    if counts["error"] or (strict and counts["warning"]):
        raise click.exceptions.Exit(FINDINGS)


@frozen
class _Outcome:
    """What was found in a file: how many of each severity, and an item of the format for each.

    The items rather than the diagnostics, as another process may have made them.
    """

    counts: dict[str, int]
    items: list[Any]


def _check(file: str, limits: Limits, form: str) -> _Outcome | str:
    try:
        found = check_text(read_text(file, limits.max_bytes), name=label(file), limits=limits)
    except PlanSyntaxError as error:
        found = error.diagnostics
    except Unreadable as error:
        return error.format_message()
    make_item = {
        "text": diagnostic_rows,
        "json": reports.json_item,
        "github": reports.github_item,
        "sarif": reports.sarif_item,
    }[form]
    return _Outcome(reports.summarize(found), list(map(make_item, found)))


def _write(form: str, items: list[Any], files: list[str], counts: dict[str, int]) -> None:
    if form == "json":
        write_text(reports.to_json(items, files, counts) + "\n")
    elif form == "sarif":
        write_text(reports.to_sarif(items, __version__) + "\n")
    elif form == "github":
        write_text("".join(f"{row}\n" for row in items))
    else:
        write_rows(chain.from_iterable(items))
        if files:
            listed = ", ".join(_plural(count, kind) for kind, count in counts.items() if count)
            write_text(f"{_plural(len(files), 'file')} checked: {listed or 'nothing to say'}\n")


def _plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
