"""`planspec check`."""

from __future__ import annotations

import click

from planspec_lark import __version__
from planspec_lark.cli.output import (
    FINDINGS,
    UNREADABLE,
    Unreadable,
    complain,
    label,
    read_text,
    write_diagnostics,
    write_text,
)
from planspec_lark.diagnostics import Diagnostic, PlanSyntaxError, Severity
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
@click.option("--max-bytes", type=_COUNT, help="Refuse a longer file.")
@click.option("--max-steps", type=_COUNT, help="Refuse a plan with more steps.")
@click.option("--max-depth", type=_COUNT, help="Refuse a plan with more levels.")
@click.option("--max-findings", type=_COUNT, default=1000, show_default=True, help="List so many of each file.")
def command(files: tuple[str, ...], form: str, strict: bool, **most: int | None) -> None:
    """Check plans: syntax, the six rules, and lint.

    Exits with 0 where nothing is wrong, 1 where something is, and 2 where a file cannot be read.
    """
    if files.count("-") > 1:
        raise click.UsageError("Standard input can be read only once.")
    limits = Limits(**most)
    found: list[Diagnostic] = []
    read: list[str] = []
    for file in files:
        try:
            text = read_text(file, limits.max_bytes)
            read.append(label(file))
            found += check_text(text, name=label(file), limits=limits)
        except PlanSyntaxError as error:
            read.append(label(file))
            found += error.diagnostics
        except Unreadable as error:
            complain(f"Error: {error.format_message()}")
    _write(found, read, form)
    failing = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
    if len(read) < len(files):
        raise click.exceptions.Exit(UNREADABLE)
    if any(diagnostic.severity in failing for diagnostic in found):
        raise click.exceptions.Exit(FINDINGS)


def _write(found: list[Diagnostic], files: list[str], form: str) -> None:
    from planspec_lark import reports  # noqa: PLC0415  (one format needs only a part)

    if form == "json":
        write_text(reports.to_json(found, files) + "\n")
    elif form == "sarif":
        write_text(reports.to_sarif(found, __version__) + "\n")
    elif form == "github":
        write_text("".join(f"{row}\n" for row in reports.to_github(found).split("\n") if row))
    else:
        write_diagnostics(found)
        if not files:
            return
        counts = ", ".join(_plural(count, kind) for kind, count in reports.summarize(found).items() if count)
        write_text(f"{_plural(len(files), 'file')} checked: {counts or 'nothing to say'}\n")


def _plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
