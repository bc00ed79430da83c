"""`planspec fmt`."""

from __future__ import annotations

import click

from planspec_lark.cli.arguments import folder_option, plan_argument
from planspec_lark.cli.output import (
    FINDINGS,
    UNREADABLE,
    Unreadable,
    complain,
    label,
    read_text,
    write_back,
    write_diagnostics,
    write_diff,
)
from planspec_lark.diagnostics import PlanSyntaxError
from planspec_lark.planspec.printing import serialize_plan
from planspec_lark.planspec.reading import parse_plan
from planspec_lark.source import visible_name

__all__ = ["command"]


@click.command("fmt")
@plan_argument("files", metavar="FILE...", many=True)
@click.option("--check", is_flag=True, help="Write nothing; fail if a file is not in canonical form.")
@click.option("--diff", is_flag=True, help="Write nothing; show what would change.")
@folder_option
def command(files: tuple[str, ...], check: bool, diff: bool) -> None:
    """Write plans in canonical form.

    A file that is no plan is not touched. With - the plan goes from standard input to standard output. Exits with 1
    where a file is no plan or, with --check, not in canonical form, and with 2 where it cannot be read or written.
    """
    if files.count("-") > 1:
        raise click.UsageError("Standard input can be read only once.")
    code = max([_format(file, check=check, diff=diff) for file in files])
    if code:
        raise click.exceptions.Exit(code)


def _format(file: str, *, check: bool, diff: bool) -> int:
    try:
        before = read_text(file)
        after = serialize_plan(parse_plan(before, name=label(file)))
    except PlanSyntaxError as error:
        write_diagnostics(error.diagnostics, to_stderr=True)
        complain(f"{visible_name(label(file))}: left as it is, since it is no plan")
        return FINDINGS
    except Unreadable as error:
        complain(f"Error: {error.format_message()}")
        return UNREADABLE
    if diff:
        write_diff(before, after, file)
    if check or diff:
        if check and before != after:
            complain(f"{visible_name(label(file))}: not in canonical form")
        return FINDINGS if check and before != after else 0
    return _write(file, before, after)


def _write(file: str, before: str, after: str) -> int:
    try:
        if write_back(file, before, after):
            complain(f"{visible_name(file)}: written in canonical form")
    except Unreadable as error:
        complain(f"Error: {error.format_message()}")
        return UNREADABLE
    return 0
