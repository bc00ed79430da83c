"""`planspec fmt`."""

from __future__ import annotations

import click

from planspec_lark.cli.arguments import folder_option, plan_argument
from planspec_lark.cli.output import (
    FINDINGS,
    UNREADABLE,
    Unreadable,
    Unusable,
    change_text,
    complain,
    label,
    write_diagnostics,
    write_diff,
)
from planspec_lark.cli.waiting import wait_option
from planspec_lark.planspec.parser import parse_plan
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.syntax.diagnostics import PlanSyntaxError
from planspec_lark.syntax.source import visible_name

__all__ = ["command"]


@click.command("fmt")
@plan_argument("files", metavar="FILE...", many=True)
@click.option("--check", is_flag=True, help="Write nothing; fail if a file is not in canonical form.")
@click.option("--diff", is_flag=True, help="Write nothing; show what would change.")
@wait_option
@folder_option
def command(files: tuple[str, ...], check: bool, diff: bool) -> None:
    """Write plans in canonical form.

    A file that is no plan is not touched. With - the plan goes from standard input to standard output. Exits with 1
    where a file is no plan or, with --check, not in canonical form, and with 2 where it cannot be read or written, or
    another process runs it.
    """
    if files.count("-") > 1:
        raise click.UsageError("Standard input can be read only once.")
    code = max([_format(file, check=check, diff=diff) for file in files])
    if code:
        raise click.exceptions.Exit(code)


def _format(file: str, *, check: bool, diff: bool) -> int:
    texts = ("", "")

    def change(before: str) -> str:
        nonlocal texts
        texts = before, serialize_plan(parse_plan(before, name=label(file)))
        return texts[1]

    try:
        change_text(file, change, is_dry=check or diff)
    except PlanSyntaxError as error:
        write_diagnostics(error.diagnostics, to_stderr=True)
        complain(f"{visible_name(label(file))}: left as it is, since it is no plan")
        return FINDINGS
    except (Unreadable, Unusable) as error:
        complain(f"Error: {error.format_message()}")
        return UNREADABLE
    before, after = texts
    if diff:
        write_diff(before, after, file)
    if before == after:
        return 0
    if check:
        complain(f"{visible_name(label(file))}: not in canonical form")
        return FINDINGS
    if not diff and file != "-":
        complain(f"{visible_name(file)}: written in canonical form")
    return 0
