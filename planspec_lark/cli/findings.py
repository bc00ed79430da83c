"""What is found in files, in the formats of all commands that check something."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any, TypeVar

import click
from attrs import frozen

from planspec_lark import __version__
from planspec_lark.cli.output import (
    FINDINGS,
    UNREADABLE,
    complain,
    diagnostic_rows,
    label,
    write_rows,
    write_text,
)
from planspec_lark.syntax import reports
from planspec_lark.syntax.diagnostics import Diagnostic, Severity

__all__ = ["Outcome", "format_option", "format_option_with", "report"]

Command = TypeVar("Command", bound=Callable[..., Any])

_ITEMS = {
    "text": diagnostic_rows,
    "json": reports.json_item,
    "github": reports.github_item,
    "sarif": reports.sarif_item,
}


def format_option_with(*others: str) -> Callable[[Command], Command]:
    """The option --format, with formats of a command's own besides those of :func:`report`."""
    return click.option(
        "--format",
        "form",
        type=click.Choice([*_ITEMS, *others]),
        default="text",
        show_default=True,
        help="How to write what is found.",
    )


format_option = format_option_with()


@frozen
class Outcome:
    """What was found in a file: how many of each severity, and an item of the format for each.

    The items rather than the diagnostics, as another process may have made them.
    """

    counts: dict[str, int]
    items: list[Any]

    @classmethod
    def of(cls, found: Sequence[Diagnostic], form: str) -> Outcome:
        """What was found, in this format."""
        return cls(reports.summarize(found), list(map(_ITEMS[form], found)))


def report(form: str, outcomes: Iterable[tuple[str, Outcome | str]], *, strict: bool) -> None:
    """Write what was found in each file (a text says why one could not be read), and leave with the exit code.

    That is 2 where a file could not be read, 1 where there are errors (or warnings, if ``strict``).
    """
    read: list[str] = []
    items: list[Any] = []
    counts = dict.fromkeys([severity.value for severity in Severity], 0)
    is_complete = True
    for file, outcome in outcomes:
        if isinstance(outcome, str):
            complain(f"Error: {outcome}")
            is_complete = False
            continue
        read.append(label(file))
        items += outcome.items
        for severity, count in outcome.counts.items():
            counts[severity] += count
    _write(form, items, read, counts)
    if not is_complete:
        raise click.exceptions.Exit(UNREADABLE)
    if counts["error"] or (strict and counts["warning"]):
        raise click.exceptions.Exit(FINDINGS)


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
