"""`planspec diff`, by hand and as a diff driver of git."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain

import click

from planspec_lark.cli.output import (
    FINDINGS,
    UNREADABLE,
    Row,
    check_inputs,
    diff_rows,
    json_text,
    label,
    read_text,
    stop_on_faults,
    write_rows,
    write_text,
)
from planspec_lark.diff.compare import diff_plans
from planspec_lark.diff.models import PlanDiff
from planspec_lark.diff.render import diff_to_dict, show_diff
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.parser import parse_plan
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.syntax.diagnostics import PlanSyntaxError
from planspec_lark.syntax.source import visible_name

__all__ = ["command"]

_STYLES = {
    "label": "bold",
    "id": "bold",
    "added": "green",
    "removed": "red",
    "changed": "yellow",
    "moved": "magenta",
    "text": "",
    "note": "dim",
}
# How many arguments git gives: a path that is not merged yet, a changed file, one that was renamed as well.
_UNMERGED, _CHANGED, _RENAMED = 1, 7, 9


@click.command("diff")
@click.argument("files", nargs=-1, required=True, metavar="A B")
@click.option("--json", "as_json", is_flag=True, help="Write the difference as JSON.")
@click.option("--textconv", is_flag=True, help="For git: write the canonical form of one file, or else its text.")
def command(files: tuple[str, ...], as_json: bool, textconv: bool) -> None:
    """Show what differs between two plans, step by step.

    Exits with 0 where nothing does, 1 where something does, and 2 where a file is no plan or cannot be read.

    As git's diff driver it is called with what git passes on, and exits with 0.
    """
    if textconv:
        if len(files) != 1:
            raise click.UsageError("--textconv takes one file.")
        _convert(files[0])
    elif len(files) in (_CHANGED, _RENAMED):
        _answer_git(files)
    elif len(files) == _UNMERGED and "GIT_DIFF_PATH_COUNTER" in os.environ:
        write_rows([((f"* Unmerged path {visible_name(files[0])}", ""),)])
    elif len(files) == 2:
        _compare(files[0], files[1], as_json=as_json)
    else:
        raise click.UsageError("Two files are compared.")


def _compare(old: str, new: str, *, as_json: bool) -> None:
    check_inputs(old, new)
    diff = diff_plans(_read(old), _read(new))
    if as_json:
        write_text(json_text(diff_to_dict(diff)))
    elif diff:
        write_rows([*_names(label(old), label(new)), *_rows(diff)])
    if diff:
        raise click.exceptions.Exit(FINDINGS)


def _read(file: str) -> PlanSpec:
    try:
        return parse_plan(read_text(file), name=label(file))
    except PlanSyntaxError as error:
        stop_on_faults(error, f"{visible_name(label(file))}: this is no plan", UNREADABLE)


def _names(old: str, new: str) -> list[Row]:
    return [((f"{sign} {visible_name(name)}", "bold"),) for sign, name in (("---", old), ("+++", new))]


def _rows(diff: PlanDiff) -> Iterator[Row]:
    for line in show_diff(diff):
        yield tuple((piece.text, _STYLES[piece.role]) for piece in line if piece.text)


# ---------------------------------------------------------------- what git asks for


def _answer_git(arguments: tuple[str, ...]) -> None:
    """Write the difference that git asks for: path, old file, hash and mode, new file, hash and mode, new path, more.

    Whatever the files hold, git has to be answered with 0, or it would stop.
    """
    path, old_file, _, _, new_file = arguments[:5]
    new_path = arguments[_CHANGED] if len(arguments) == _RENAMED else path
    old, new = _text_for_git(old_file), _text_for_git(new_file)
    names = _names(_git_name("a", path, old_file), _git_name("b", new_path, new_file))
    rows: Iterable[Row]
    try:
        rows = [*names, *_rows(diff_plans(parse_plan(old), parse_plan(new)))]
    except PlanSyntaxError:
        note = (("not both are plans, so their lines are compared", _STYLES["note"]),)
        rows = chain([note], diff_rows(old, new, path))
    write_rows(rows, is_paged="GIT_PAGER_IN_USE" in os.environ)


def _git_name(side: str, path: str, file: str) -> str:
    return file if file == os.devnull else f"{side}/{path}"


def _text_for_git(file: str) -> str:
    with open(file, "rb") as stream:
        return stream.read().decode("utf-8", "replace")


def _convert(file: str) -> None:
    """Write what git is to compare line by line: a plan in its canonical form, anything else as it is."""
    text = _text_for_git(file)
    with suppress(PlanSyntaxError):
        text = serialize_plan(parse_plan(text))
    write_text(text)
