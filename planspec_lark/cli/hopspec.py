"""`planspec hopspec`: `check`, `fmt`, `show`, `to-plan` and `from-plan`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from planspec_lark import hopspec, planspec
from planspec_lark.cli.arguments import count_option, flag, folder_option, language_option, plan_argument
from planspec_lark.cli.check import check_or_fix, fix_options, report_options
from planspec_lark.cli.fixes import Fixer
from planspec_lark.cli.output import (
    Unusable,
    check_inputs,
    complain,
    label,
    leave,
    out_option,
    read_as,
    read_plan,
    read_text,
    shown,
    stop_at,
    wait_option,
    wait_seconds,
    write_out,
    write_text,
)
from planspec_lark.cli.plans import format_file
from planspec_lark.syntax import Diagnostic, Limits, Severity
from planspec_lark.syntax.diagnostics import count_of

if TYPE_CHECKING:
    from planspec_lark.hopspec import HopSpec
    from planspec_lark.hopspec.vocabulary import Language

_NO_DOCUMENT = "this is no HopSpec document"
_file_argument = click.argument("file", type=click.Path(allow_dash=True))
_files_argument = click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(allow_dash=True))


@click.group("hopspec")
def hopspec_command() -> None:
    """HopSpec documents, in Chinese and English.

    FILE may be - for standard input.
    """


@hopspec_command.command("check")
@_files_argument
@report_options()
@fix_options
@wait_option
@count_option("--jobs", default=1, help="Use so many processes; not for fixes.")
@count_option("--max-bytes", help="Refuse a longer file.")
@count_option("--max-steps", help="Refuse a document with more steps.")
@count_option("--max-depth", help="Refuse a document with more levels.")
@count_option("--max-findings", default=1000, help="List so many of each file.")
def check_command(  # noqa: PLR0913  (one for each option)
    *,
    files: tuple[str, ...],
    form: str,
    strict: bool,
    info: bool,
    jobs: int,
    fix: bool,
    unsafe_fixes: bool,
    diff: bool,
    **most: int | None,
) -> None:
    """Check documents: syntax, and the rules of their definition.

    With --fix, faults are fixed in place, and what is left is reported; with - the document goes from standard input to
    standard output. Exits with 0 where nothing is wrong, 1 where something is (with --diff: where something would
    change), and 2 where a file cannot be read or written.
    """
    limits = Limits(**most)
    check = partial(_check, limits=limits, least=Severity.INFO if info else Severity.WARNING)
    fix_text = partial(hopspec.fix_hopspec, unsafe=unsafe_fixes, limits=limits)
    fixer = Fixer(fix_text, unsafe_fixes, limits, wait_seconds(click.get_current_context()))
    is_fixing = fix or unsafe_fixes
    check_or_fix(check, fixer, files, form, strict=strict, info=info, jobs=jobs, fix=is_fixing, diff=diff)


def _check(file: str, limits: Limits, least: Severity) -> list[Diagnostic]:
    return hopspec.check_hopspec(read_text(file, limits), name=label(file), limits=limits, least=least)


@hopspec_command.command("fmt")
@_files_argument
@flag("--check", help="Write nothing; fail if a file is not in canonical form.")
@flag("--diff", help="Write nothing; show what would change.")
@language_option("Of the document; by default its own.", default=None, name="--lang")
@wait_option
def fmt_command(files: tuple[str, ...], check: bool, diff: bool, language: Language | None) -> None:
    """Write documents in canonical form, or in the other language.

    A translation has the names of sections, attributes and values in the other language; what people have written stays
    as it is. A file that is no document is not touched. Exits with 1 where a file is none or, with --check, not in
    canonical form, and with 2 where it cannot be read or written.
    """

    def rewrite(text: str, name: str) -> str:
        return hopspec.serialize_hopspec(hopspec.parse_hopspec(text, name=name), language=language)

    check_inputs(*files)
    said = "left as it is, since it is no HopSpec document"
    leave(max([format_file(file, rewrite, said, check=check, diff=diff) for file in files]))


@hopspec_command.command("show")
@_file_argument
def show_command(file: str) -> None:
    """Show a document as an outline, a line for each step."""
    write_text("".join(f"{row}\n" for row in hopspec.outline_hopspec(_read(file))))


@hopspec_command.command("to-plan")
@_file_argument
@out_option
def to_plan_command(file: str, out: str) -> None:
    """Write a document as a plan.

    What a plan cannot hold is told on standard error.
    """
    with stop_at(ValueError, kind=Unusable, lead=f"{shown(file)}: "):
        plan, losses = hopspec.hopspec_to_plan(_read(file))
        text = planspec.serialize_plan(plan)
    write_out(out, text)
    _tell(file, losses, "the plan")


@hopspec_command.command("from-plan")
@plan_argument()
@language_option("Of the document; by default Chinese where the plan has Chinese signs.", default=None, name="--lang")
@out_option
@folder_option
def from_plan_command(file: str, language: Language | None, out: str) -> None:
    """Write a plan as a document.

    What a document cannot hold is told on standard error.
    """
    with stop_at(ValueError, kind=Unusable, lead=f"{shown(file)}: "):
        document, losses = hopspec.plan_to_hopspec(read_plan(file), language=language)
        text = hopspec.serialize_hopspec(document)
    write_out(out, text)
    _tell(file, losses, "the document")


def _read(file: str) -> HopSpec:
    return read_as(file, hopspec.parse_hopspec, _NO_DOCUMENT)


def _tell(file: str, losses: list[hopspec.Loss], where: str) -> None:
    for loss in losses:
        complain(f"lost: {loss}")
    if losses:
        complain(f"{shown(file)}: {count_of(len(losses), 'value')} without a place in {where}")
