"""What all commands share: reading their input and writing to a terminal.

Texts of plans come from strangers. To a terminal they go through :func:`planspec_lark.syntax.source.visible` and never
through markup; to a pipe or a file, what a command is asked for goes as it is.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import unified_diff
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from planspec_lark.cli.waiting import wait_option, wait_seconds
from planspec_lark.document.file import PlanFile, PlanFileError
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.parser import parse_plan
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSyntaxError, Severity, decode, render, shorten
from planspec_lark.syntax.limits import too_many_bytes
from planspec_lark.syntax.source import Source, escape_json, visible, visible_name

__all__ = [
    "FINDINGS",
    "UNREADABLE",
    "Row",
    "Unreadable",
    "Unusable",
    "change_text",
    "changing",
    "check_inputs",
    "complain",
    "diagnostic_rows",
    "diff_rows",
    "fail",
    "json_text",
    "label",
    "out_option",
    "read_bytes",
    "read_plan",
    "read_text",
    "replace_file",
    "stop_on_faults",
    "terminal_width",
    "write_bytes",
    "write_diagnostics",
    "write_diff",
    "write_out",
    "write_rows",
    "write_text",
]

# Exit codes: something is wrong with a plan or a command; a call or a file cannot be used.
FINDINGS = 1
UNREADABLE = 2

# The pieces of a line, each with its style as rich names it.
Row = Sequence[tuple[str, str]]

Command = TypeVar("Command", bound=Callable[..., Any])

_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.INFO: "cyan"}


class Unreadable(click.ClickException):
    """A file that cannot be read or written."""

    exit_code = UNREADABLE

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"{visible_name(file)}: {reason}")


class Unusable(click.ClickException):
    """A file or folder that holds something else than it should, or cannot be used now."""

    exit_code = UNREADABLE


# ---------------------------------------------------------------- reading


def check_inputs(*files: str | None) -> None:
    """Refuse a call that would read standard input twice."""
    if files.count("-") > 1:
        raise click.UsageError("Standard input can be read only once.")


def label(file: str) -> str:
    """What diagnostics call a file."""
    return "<stdin>" if file == "-" else file


def read_text(file: str, max_bytes: int | None = None) -> str:
    """The text of a file, or of standard input for ``-``.

    Raises:
        Unreadable: it cannot be read.
        PlanSyntaxError: it is not UTF-8, or has more than ``max_bytes``, of which no more are read.
    """
    data = read_bytes(file, -1 if max_bytes is None else max_bytes + 1)
    if max_bytes is not None and len(data) > max_bytes:
        source = Source("", label(file))
        raise PlanSyntaxError([too_many_bytes(max_bytes, source)], source)
    return decode(data, label(file))


def read_bytes(file: str, most: int = -1) -> bytes:
    """What is in a file, or in standard input for ``-``, and no more than ``most`` bytes of it.

    Raises:
        Unreadable: it cannot be read.
    """
    try:
        return _read_bytes(file, most)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Unreadable(label(file), reason or "cannot be read") from None


def _read_bytes(file: str, most: int) -> bytes:
    if file != "-":
        with open(file, "rb") as stream:
            return stream.read(most)
    if sys.stdin is None:
        raise Unreadable(label(file), "is closed")
    return sys.stdin.buffer.read(most)


def read_plan(file: str) -> tuple[str, PlanSpec]:
    """The text of a file and the plan that it is; leaves with its faults, and with what follows from them."""
    try:
        text = read_text(file)
        return text, parse_plan(text, name=label(file))
    except PlanSyntaxError as error:
        stop_on_faults(error, f"{visible_name(label(file))}: this is no plan")


# ---------------------------------------------------------------- writing


def write_text(text: str) -> None:
    """Write what a command was asked for to standard output: as it is to a pipe, made harmless to a terminal."""
    if sys.stdout.isatty():
        text = visible(text)
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def write_bytes(data: bytes) -> None:
    """The same for what may be no UTF-8."""
    if sys.stdout.isatty():
        write_text(data.decode("utf-8", "replace"))
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def json_text(value: object, indent: int | None = 2) -> str:
    """A value as JSON that is safe to show, with a line break behind it."""
    return escape_json(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)) + "\n"


def out_option(command: Command) -> Command:
    """The options for what :func:`write_out` writes."""
    option = click.option("-o", "--out", default="-", metavar="FILE", help="Write to this file; - is standard output.")
    return option(wait_option(command))


def write_out(out: str, text: str) -> None:
    """Write what a command was asked for to a file, whole or not at all, or to standard output for ``-``.

    Raises:
        Unreadable: the file cannot be written.
        Unusable: it cannot be written now.
    """
    if not out:
        raise click.UsageError("--out: an empty name is no file's; - is standard output")
    if out == "-":
        write_text(text)
        return
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Unreadable(out, str(error)) from None
    replace_file(out, data)


def replace_file(file: str, data: bytes) -> None:
    """Write a file, whatever there is of this name; one that is none, such as a pipe, is written to as it is.

    Raises:
        Unreadable: it cannot be written.
        Unusable: it cannot be written now.
    """
    path = Path(file)
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Unreadable(file, reason or "cannot be written") from None
    with changing(file) as plan:
        plan.rewrite(lambda _: data, make=True)


@contextmanager
def changing(file: str) -> Iterator[PlanFile]:
    """A file to be changed; leaves with the reason where that cannot be.

    Raises:
        Unusable: it cannot be read or written, or not now.
    """
    try:
        yield PlanFile(file, wait=wait_seconds(click.get_current_context()))
    except PlanFileError as error:
        raise Unusable(str(error)) from None


def change_text(file: str, change: Callable[[str], str], *, is_dry: bool = False) -> None:
    """Change the text of a file, or on its way from standard input to standard output for ``-``.

    Args:
        file: its name.
        change: makes the new text; it is called again where somebody has changed the file meanwhile.
        is_dry: call it, and write nothing.

    Raises:
        Unreadable, Unusable: the file cannot be read or written, or not now.
        PlanSyntaxError: it is no UTF-8.
    """
    if is_dry or file == "-":
        after = change(read_text(file))
        if not is_dry:
            write_text(after)
        return
    with changing(file) as plan:
        plan.change(change)


def write_rows(rows: Iterable[Row], *, to_stderr: bool = False, is_paged: bool = False) -> None:
    """Write lines of harmless text, in colours on a terminal, and in none where NO_COLOR is set.

    With ``is_paged`` a pager shows them on a terminal, which takes colours as well.
    """
    stream = sys.stderr if to_stderr else sys.stdout
    if os.environ.get("NO_COLOR") or not (is_paged or stream.isatty()):
        for row in rows:
            stream.write("".join(text for text, _ in row) + "\n")
        return
    from rich.console import Console  # noqa: PLC0415  (only a terminal needs it)
    from rich.text import Text  # noqa: PLC0415

    console = Console(
        file=stream, force_terminal=is_paged or None, markup=False, highlight=False, emoji=False, soft_wrap=True
    )
    for row in rows:
        console.print(Text.assemble(*row))


def terminal_width() -> int | None:
    """How many columns standard output has, or None where it is no terminal."""
    return os.get_terminal_size(sys.stdout.fileno()).columns or None if sys.stdout.isatty() else None


def complain(message: str) -> None:
    """Write a line to standard error."""
    click.echo(visible(message), err=True)


def fail(message: str, code: int) -> NoReturn:
    """Write a line to standard error and leave with this exit code."""
    complain(message)
    raise click.exceptions.Exit(code)


# ---------------------------------------------------------------- diagnostics


def write_diagnostics(diagnostics: Iterable[Diagnostic], *, to_stderr: bool = False, is_brief: bool = False) -> None:
    """Write diagnostics for people: infos, or all if ``is_brief``, in a line each, others with their source line."""
    rows = (row for one in diagnostics for row in (_brief_rows(one) if is_brief else diagnostic_rows(one)))
    write_rows(rows, to_stderr=to_stderr)


def diagnostic_rows(diagnostic: Diagnostic) -> list[Row]:
    """A diagnostic as :func:`write_diagnostics` writes it."""
    if diagnostic.severity is Severity.INFO:
        return _brief_rows(diagnostic)
    first, *others = [*render(diagnostic).split("\n"), ""]
    return [_colour(diagnostic, first), *(((line, ""),) for line in others)]


def _brief_rows(diagnostic: Diagnostic) -> list[Row]:
    return [_colour(diagnostic, _in_a_line(diagnostic))]


def _colour(diagnostic: Diagnostic, line: str) -> Row:
    head = len(diagnostic.head)
    return (line[:head], _STYLES[diagnostic.severity]), (line[head:], "")


def _in_a_line(diagnostic: Diagnostic) -> str:
    name = visible_name(diagnostic.source.name) if diagnostic.source else ""
    place = f" {name}:{diagnostic.line}:{diagnostic.column}" if diagnostic.span else ""
    return f"{diagnostic.head}{place}: {shorten(visible(diagnostic.message))}"


def stop_on_faults(error: PlanSyntaxError, message: str, code: int = FINDINGS) -> NoReturn:
    """Write a text's faults and ``message`` to standard error and leave with an exit code."""
    write_diagnostics(error.diagnostics, to_stderr=True)
    fail(message, code)


# ---------------------------------------------------------------- differences


def write_diff(before: str, after: str, name: str, *, to_stderr: bool = False) -> None:
    """Write the difference between two texts as a unified diff, coloured on a terminal."""
    stream = sys.stderr if to_stderr else sys.stdout
    if not stream.isatty() and not to_stderr:
        write_text("".join(_diff(before, after, name)))
        return
    write_rows(diff_rows(before, after, name), to_stderr=to_stderr)


def diff_rows(before: str, after: str, name: str) -> Iterator[Row]:
    """The lines of a unified diff, harmless and coloured."""
    styles = {"+": "green", "-": "red", "@": "cyan"}
    for row in _diff(before, after, name):
        yield ((visible(row.rstrip("\n")), styles.get(row[:1], "")),)


def _diff(before: str, after: str, name: str) -> Iterator[str]:
    name = visible_name(label(name)).lstrip("/")
    for row in unified_diff(_split(before), _split(after), f"a/{name}", f"b/{name}"):
        yield row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n"


def _split(text: str) -> list[str]:
    rows = [f"{row}\n" for row in text.split("\n")]
    last = rows.pop().removesuffix("\n")
    return [*rows, last] if last else rows
