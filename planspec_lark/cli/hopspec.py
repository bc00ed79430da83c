"""`planspec hopspec`: `check`, `fmt`, `to-plan` and `from-plan`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from planspec_lark import hopspec, planspec
from planspec_lark.cli.arguments import folder_option, language_option, plan_argument
from planspec_lark.cli.check import check_or_fix, fix_options, report_options
from planspec_lark.cli.help import READ, Group
from planspec_lark.cli.output import (
    complain,
    complain_of,
    out_option,
    read_as,
    read_plan,
    shown,
    stop_at,
    wait_option,
    write_out,
)
from planspec_lark.cli.plans import format_files, format_options
from planspec_lark.syntax.diagnostics import count_of

if TYPE_CHECKING:
    from planspec_lark.hopspec.vocabulary import Language

_file_argument = click.argument("file", type=click.Path(allow_dash=True))
_files_argument = click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(allow_dash=True))


_READ = "The document to read: a file, or - for standard input."


@click.group(
    "hopspec",
    cls=Group,
    sections={"Check and edit": ["check", "fmt"], "Convert": ["to-plan", "from-plan"]},
    examples=["planspec hopspec check document.md", "planspec hopspec to-plan document.md -o plan.md"],
)
def hopspec_command() -> None:
    """Check, format and convert HopSpec documents.

    These describe a task and its steps in sections with fixed names, in Chinese or English.
    """


@hopspec_command.command(
    "check",
    examples=["planspec hopspec check document.md", "planspec hopspec check --fix document.md"],
    files={
        "FILE": f"{_READ} With --fix or --unsafe-fixes it is changed in place.",
        "standard output": "The findings in the chosen format; with --fix and -, the fixed document.",
        "standard error": "What was fixed; with --fix and -, the findings as well.",
    },
    exits={
        0: "No errors (with --strict: no warnings either).",
        1: "There are errors; with --diff, a fix would change something.",
    },
)
@_files_argument
@report_options()
@fix_options("document")
def check_command(files: tuple[str, ...], **how: Any) -> None:
    """Check documents for errors, and fix them with --fix.

    All findings come at once: syntax errors, and broken rules of the format.
    """
    check_or_fix(hopspec.check_hopspec, hopspec.fix_hopspec, files, **how)


@hopspec_command.command(
    "fmt",
    examples=["planspec hopspec fmt --diff document.md", "planspec hopspec fmt --lang zh document.md"],
    files={
        "FILE": "The document to change in place: a file, or -, from standard input to standard output.",
        "standard output": "With --diff, what would change.",
    },
    exits={1: "A file is not a document or, with --check, not in canonical form."},
)
@_files_argument
@format_options
@language_option("Translate the document's names.", default=None, name="--lang", said="the document's language")
@wait_option
def fmt_command(files: tuple[str, ...], language: Language | None, **how: bool) -> None:
    """Format documents, or translate their names.

    A translation changes the names of sections, attributes and values, not what people have written. A file that is not
    a document is not touched.
    """

    def rewrite(text: str, name: str) -> str:
        return hopspec.serialize_hopspec(hopspec.parse_hopspec(text, name=name), language=language)

    format_files(files, rewrite, "left as it is, since it is not a HopSpec document", **how)


@hopspec_command.command(
    "to-plan",
    examples=["planspec hopspec to-plan document.md -o plan.md"],
    files={
        "FILE": _READ,
        "standard output": "The plan, unless --out names a file.",
        "standard error": "What a plan cannot hold.",
    },
    exits={1: "FILE is not a HopSpec document."},
)
@_file_argument
@out_option
def to_plan_command(file: str, out: str) -> None:
    """Write a document as a plan."""
    document = read_as(file, hopspec.parse_hopspec, "this is not a HopSpec document")
    with stop_at(ValueError, lead=f"{shown(file)}: "):
        plan, losses = hopspec.hopspec_to_plan(document)
        text = planspec.serialize_plan(plan)
    write_out(out, text)
    _tell(file, losses, "the plan")


@hopspec_command.command(
    "from-plan",
    examples=["planspec hopspec from-plan plan.md -o document.md", "planspec hopspec from-plan plan.md --lang zh"],
    files={
        "FILE": READ,
        "standard output": "The document, unless --out names a file.",
        "standard error": "What a document cannot hold.",
    },
    exits={1: "FILE is not a plan."},
)
@plan_argument()
@language_option("The language of the document.", default=None, name="--lang", said="zh where the plan has Chinese")
@out_option
@folder_option
def from_plan_command(file: str, language: Language | None, out: str) -> None:
    """Write a plan as a document."""
    with stop_at(ValueError, lead=f"{shown(file)}: "):
        document, losses = hopspec.plan_to_hopspec(read_plan(file), language=language)
        text = hopspec.serialize_hopspec(document)
    write_out(out, text)
    _tell(file, losses, "the document")


def _tell(file: str, losses: list[hopspec.ConversionLoss], where: str) -> None:
    for loss in losses:
        complain(f"lost: {loss}")
    if losses:
        complain_of(file, f"{count_of(len(losses), 'value')} without a place in {where}")
