"""What all commands share: reading their input and writing to a terminal.

Texts of plans come from strangers. To a terminal they go through :func:`planspec_lark.source.visible` and never
through markup; to a pipe or a file, what a command is asked for goes as it is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from difflib import unified_diff
from typing import TYPE_CHECKING, NoReturn

import click

from planspec_lark.diagnostics import Diagnostic, PlanSyntaxError, Severity, decode, render
from planspec_lark.source import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = [
    "FINDINGS",
    "UNREADABLE",
    "Unreadable",
    "complain",
    "console",
    "fail",
    "read_text",
    "stop_on_faults",
    "write_diagnostics",
    "write_diff",
    "write_text",
]

# Exit codes: something is wrong with a plan or a command; a call or a file cannot be used.
FINDINGS = 1
UNREADABLE = 2

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.INFO: "cyan"}


class Unreadable(click.FileError):
    """A file that cannot be read."""

    exit_code = UNREADABLE


def console(*, to_stderr: bool = False) -> Console:
    """A console that draws colours on a terminal only, and none where NO_COLOR is set."""
    from rich.console import Console  # noqa: PLC0415  (machine formats do not need it)

    stream = sys.stderr if to_stderr else sys.stdout
    plain = bool(os.environ.get("NO_COLOR")) or not stream.isatty()
    return Console(
        file=stream,
        color_system=None if plain else "auto",
        force_terminal=False if plain else None,
        markup=False,
        highlight=False,
        emoji=False,
        soft_wrap=True,
    )


def read_text(file: str) -> str:
    """The text of a file, or of standard input for ``-``.

    Raises:
        Unreadable: it cannot be read (exit code 2).
        PlanSyntaxError: it is not UTF-8.
    """
    try:
        if file == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(file, "rb") as stream:
                data = stream.read()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Unreadable(visible(file), reason or "cannot be read") from None
    return decode(data, "<stdin>" if file == "-" else file)


def write_text(text: str) -> None:
    """Write what a command was asked for to standard output: as it is to a pipe, made harmless to a terminal."""
    if sys.stdout.isatty():
        text = visible(text)
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def complain(message: str) -> None:
    """Write a line to standard error."""
    click.echo(visible(message), err=True)


def fail(message: str, code: int) -> NoReturn:
    """Write a line to standard error and leave with this exit code."""
    complain(message)
    raise click.exceptions.Exit(code)


def write_diagnostics(diagnostics: Iterable[Diagnostic], *, to_stderr: bool = False) -> None:
    """Write diagnostics for people: infos in a line each, all others with their source line."""
    target = console(to_stderr=to_stderr)
    for diagnostic in diagnostics:
        target.print(_styled(diagnostic))


def _styled(diagnostic: Diagnostic) -> Text:
    from rich.text import Text  # noqa: PLC0415  (machine formats do not need it)

    brief = diagnostic.severity is Severity.INFO
    text = Text(_in_a_line(diagnostic) if brief else render(diagnostic) + "\n")
    text.stylize(_STYLES[diagnostic.severity], 0, len(f"{diagnostic.severity.value}[{diagnostic.code}]"))
    return text


def _in_a_line(diagnostic: Diagnostic) -> str:
    name = diagnostic.source.name if diagnostic.source else ""
    place = f" {name}:{diagnostic.line}:{diagnostic.column}" if diagnostic.span else ""
    return visible(f"{diagnostic.severity.value}[{diagnostic.code}]{place}: {diagnostic.message}")


def stop_on_faults(error: PlanSyntaxError, message: str) -> NoReturn:
    """Write a text's faults and ``message`` to standard error and leave with exit code 1."""
    write_diagnostics(error.diagnostics, to_stderr=True)
    fail(message, FINDINGS)


def write_diff(before: str, after: str, name: str) -> None:
    """Write the difference between two texts as a unified diff, coloured on a terminal."""
    from rich.text import Text  # noqa: PLC0415  (only needed here)

    if not sys.stdout.isatty():
        write_text("".join(_diff(before, after, name)))
        return
    target = console()
    styles = {"+": "green", "-": "red", "@": "cyan"}
    for row in _diff(before, after, name):
        target.print(Text(visible(row.rstrip("\n")), style=styles.get(row[:1], "")))


def _diff(before: str, after: str, name: str) -> Iterable[str]:
    for row in unified_diff(_rows(before), _rows(after), f"a/{name.lstrip('/')}", f"b/{name.lstrip('/')}"):
        yield row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n"


def _rows(text: str) -> list[str]:
    rows = [f"{row}\n" for row in text.split("\n")]
    last = rows.pop().removesuffix("\n")
    return [*rows, last] if last else rows
