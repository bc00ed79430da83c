"""What all commands share: reading their input, writing to a terminal, and leaving.

Texts of plans come from strangers. To a terminal they go through :func:`planspec_lark.syntax.safe_text.visible` and
never through markup; to a pipe or a file, what a command is asked for goes as it is.
"""

from __future__ import annotations

import math
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from difflib import unified_diff
from io import StringIO
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click

from planspec_lark.cli import give_up
from planspec_lark.document.file import WAIT, PlanFile, PlanFileError
from planspec_lark.files import reason_of
from planspec_lark.planspec import PlanSpec, parse_plan
from planspec_lark.syntax import Diagnostic, Limits, PlanSyntaxError, Severity, decode, limits as bounds, render
from planspec_lark.syntax.diagnostics import excerpt
from planspec_lark.syntax.safe_text import safe_json, visible, visible_name

__all__ = [
    "FINDINGS",
    "UNFINISHED",
    "UNREADABLE",
    "CliError",
    "Row",
    "UnreadableFileError",
    "change_text",
    "changing",
    "check_inputs",
    "complain",
    "complain_of",
    "diagnostic_rows",
    "diff_rows",
    "fail",
    "fail_on",
    "json_text",
    "label",
    "leave",
    "leave_after",
    "needing_extra",
    "note_option",
    "out_option",
    "read_as",
    "read_bytes",
    "read_plan",
    "read_text",
    "readable",
    "replace_file",
    "shown",
    "still_heard",
    "stop_at",
    "stop_on_faults",
    "terminal_width",
    "tool_plan_hint",
    "wait_option",
    "wait_seconds",
    "write_bytes",
    "write_diagnostics",
    "write_diff",
    "write_json",
    "write_lines",
    "write_out",
    "write_rows",
    "write_text",
]

# Exit codes: something is wrong with a plan or a command; a call or a file cannot be used; not ended yet, although
# nothing is wrong.
FINDINGS = 1
UNREADABLE = 2
UNFINISHED = 3

# The pieces of a line, each with its style as rich names it.
Row = Sequence[tuple[str, str]]

Command = TypeVar("Command", bound=Callable[..., Any])
Value = TypeVar("Value")

# Characters of a text in which it shows what it is.
_HEAD = 1000
# What is said of lines that are around a plan, or between its parts.
_AROUND = frozenset(("PS101", "PS103"))
_STYLES = {Severity.ERROR: "bold red", Severity.WARNING: "bold yellow", Severity.INFO: "cyan"}


# ---------------------------------------------------------------- leaving


class CliError(click.ClickException):
    """A file or folder that holds something else than it should, or cannot be used now."""

    exit_code = UNREADABLE


@contextmanager
def needing_extra(name: str, *packages: str) -> Iterator[None]:
    """Leave where a package of an extra is missing, which has the name of the command that is to serve a program."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in packages:
            raise
        raise CliError(f"planspec {name} needs its extra: pip install 'planspec-lark[{name}]'") from None


class UnreadableFileError(CliError):
    """A file that cannot be read or written."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(f"{visible_name(file)}: {reason}")


def leave(code: int) -> NoReturn:
    """Leave with this exit code."""
    raise click.exceptions.Exit(code)


def complain(message: str) -> None:
    """Write a line to standard error."""
    click.echo(visible(message), err=True)


def fail(message: str, code: int = FINDINGS, found: Iterable[Diagnostic] = ()) -> NoReturn:
    """Write diagnostics and a line to standard error and leave with this exit code."""
    write_diagnostics(found)
    complain(message)
    leave(code)


def complain_of(file: str, said: str) -> None:
    """Write what there is to say of a file to standard error."""
    complain(f"{shown(file)}: {said}")


def fail_on(file: str, said: str, code: int = FINDINGS, found: Iterable[Diagnostic] = ()) -> NoReturn:
    """Write diagnostics and what there is to say of a file to standard error and leave with this exit code."""
    fail(f"{shown(file)}: {said}", code, found)


@contextmanager
def stop_on_faults(
    file: str, said: str = "this is not a plan", code: int = FINDINGS, *, is_plan: bool = False
) -> Iterator[None]:
    """Leave with the faults of a text, and with what follows from them for its file.

    With ``is_plan`` it was to be a plan, and what reads plans of tool calls, or takes plans out of other text, is named
    where it is rather one of these.
    """
    try:
        yield
    except PlanSyntaxError as error:
        hint = tool_plan_hint(file, error.source.text) or _answer_hint(file, error.diagnostics) if is_plan else ""
        fail_on(file, f"{said}{hint}", code, error.diagnostics)


def _answer_hint(file: str, found: Iterable[Diagnostic]) -> str:
    """What to add to a sentence that a file is not a plan, where there is text around one, as in answers of models."""
    if not any(one.code in _AROUND for one in found):
        return ""
    name = file if file == "-" else shlex.quote(shown(file))
    return f"\nIf it is a model's answer, `planspec extract {name}` takes the plan out of it"


def tool_plan_hint(file: str, text: str) -> str:
    """What to add to a sentence that a file is not a plan, where it is most likely a plan of tool calls."""
    is_json = text[:_HEAD].lstrip("\ufeff \t\r\n").startswith("{")
    if not is_json and not file.lower().endswith((".yaml", ".yml")):
        return ""
    return "\nplanspec tools check and planspec tools run are for plans of tool calls, which are JSON or YAML"


def leave_after(files: Iterable[str], work: Callable[[str], int]) -> NoReturn:
    """Do work on each file, say which of them cannot be used, and leave with the highest exit code."""
    codes = [0]
    for file in files:
        try:
            codes.append(work(file))
        except click.exceptions.Exit as left:
            codes.append(left.exit_code)
        except (CliError, PlanFileError) as error:
            complain(f"Error: {error}")
            codes.append(UNREADABLE)
    leave(max(codes))


@contextmanager
def stop_at(
    *errors: type[Exception], lead: str = "", kind: Callable[[str], click.ClickException] = CliError
) -> Iterator[None]:
    """Leave with the text of an error of these classes, and with ``lead`` in front of it."""
    try:
        yield
    except errors as error:
        raise kind(f"{lead}{error}") from None


@contextmanager
def still_heard(after: str) -> Iterator[None]:
    """Leave where standard output takes no more, and say ``after``: how to go on with what has ended at that."""
    try:
        yield
    except OSError as error:
        give_up(sys.stdout)
        raise CliError(f"standard output: {reason_of(error)}{after}") from None


@contextmanager
def readable(file: str) -> Iterator[None]:
    """Leave with the reason where a file cannot be opened or written; faults of its text are not such a reason."""
    try:
        yield
    except PlanSyntaxError:
        raise
    except (OSError, ValueError) as error:
        raise UnreadableFileError(file, reason_of(error)) from None


# ---------------------------------------------------------------- reading


def check_inputs(*files: str | None) -> None:
    """Refuse a call that would read standard input twice."""
    if files.count("-") > 1:
        raise click.UsageError("Standard input can be read only once.")


def label(file: str) -> str:
    """What diagnostics call a file."""
    return "<stdin>" if file == "-" else file


def shown(file: str) -> str:
    """What messages call a file."""
    return visible_name(label(file))


def read_text(file: str, limits: Limits = bounds.NO_LIMITS) -> str:
    """The text of a file, or of standard input for ``-``.

    Raises:
        UnreadableFileError: it cannot be read.
        PlanSyntaxError: it is not UTF-8, or has more bytes than it may, of which no more are read.
    """
    return decode(read_bytes(file, limits), label(file))


def read_bytes(file: str, limits: Limits = bounds.NO_LIMITS) -> bytes:
    """What is in a file, or in standard input for ``-``.

    Raises:
        UnreadableFileError: it cannot be read.
        PlanSyntaxError: it has more bytes than it may.
    """
    if file == "-" and sys.stdin is None:
        raise UnreadableFileError(label(file), "is closed")
    # To open one waits for somebody who writes to it. Those that a shell makes for `<(…)` have one.
    if not file.startswith(("/dev/", "/proc/")) and Path(file).is_fifo():
        raise UnreadableFileError(file, "this is a pipe; give it as standard input, with `-` for the file")
    with readable(label(file)), nullcontext(sys.stdin.buffer) if file == "-" else open(file, "rb") as stream:
        return bounds.read_bytes(stream, limits, label(file))


def read_as(
    file: str,
    parse: Callable[..., Value],
    said: str = "this is not a plan",
    code: int = FINDINGS,
    limits: Limits = bounds.NO_LIMITS,
) -> Value:
    """What ``parse`` makes of the text of a file; leaves with its faults, and with what follows from them."""
    with stop_on_faults(file, said, code):
        return parse(read_text(file, limits), name=label(file))


def read_plan(file: str) -> PlanSpec:
    """The plan in a file; leaves with its faults, and with what follows from them."""
    with stop_on_faults(file, is_plan=True):
        return parse_plan(read_text(file), name=label(file))


# ---------------------------------------------------------------- writing


def write_text(text: str) -> None:
    """Write what a command was asked for to standard output: as it is to a pipe, made harmless to a terminal."""
    _write((visible(text) if sys.stdout.isatty() else text).encode("utf-8", "backslashreplace"))


def write_bytes(data: bytes) -> None:
    """The same for what may be no UTF-8."""
    if sys.stdout.isatty():
        write_text(data.decode("utf-8", "replace"))
    else:
        _write(data)


def _write(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write_lines(lines: Iterable[str]) -> None:
    """Write lines to standard output, as :func:`write_text` does."""
    write_text("".join(f"{line}\n" for line in lines))


def json_text(value: object, indent: int | None = 2) -> str:
    """A value as JSON that is safe to show, with a line break behind it."""
    return safe_json(value, allow_nan=False, indent=indent) + "\n"


def write_json(value: object, indent: int | None = 2) -> None:
    """Write a value to standard output as :func:`json_text` has it."""
    write_text(json_text(value, indent))


_WAIT = "wait"


def note_option(ctx: click.Context, option: click.Parameter, value: Any) -> None:
    """Keep what an option says in the call, for what is shared by commands: they do not take it themselves."""
    ctx.meta[option.name or ""] = value


def _note_wait(ctx: click.Context, option: click.Parameter, value: float) -> None:
    if math.isnan(value):
        raise click.BadParameter("this is no number of seconds", ctx, option)
    note_option(ctx, option, value)


wait_option = click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=WAIT,
    metavar="SECONDS",
    expose_value=False,
    callback=_note_wait,
    help="How long to wait for a process that runs the plan or writes in its folder.",
)


def wait_seconds(ctx: click.Context) -> float:
    """What --wait says in a call."""
    seconds: float = ctx.meta.get(_WAIT, WAIT)
    return seconds


def out_option(command: Command) -> Command:
    """The options for what :func:`write_out` writes."""
    help = "Write to this file; - is standard output."
    return click.option("-o", "--out", default="-", metavar="FILE", help=help)(wait_option(command))


def write_out(out: str, text: str) -> None:
    """Write what a command was asked for to a file, whole or not at all, or to standard output for ``-``.

    Raises:
        UnreadableFileError: the file cannot be written.
        PlanFileError: it cannot be written now.
    """
    if not out:
        raise click.UsageError("--out: an empty name is not a file's; - is standard output")
    if out == "-":
        write_text(text)
        return
    with readable(out):
        data = text.encode("utf-8")
    replace_file(out, data)


def replace_file(file: str, data: bytes) -> None:
    """Write a file; what is not a regular file, such as a pipe, is written to as it is.

    Raises:
        UnreadableFileError: it cannot be written.
        PlanFileError: it cannot be written now.
    """
    path = Path(file)
    with readable(file):
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
    changing(file).rewrite(lambda _: data, make=True)


def changing(file: str, limits: Limits = bounds.NO_LIMITS) -> PlanFile:
    """A file to be changed, which waits for others as long as the call says."""
    return PlanFile(file, wait=wait_seconds(click.get_current_context()), limits=limits)


def change_text(
    file: str,
    change: Callable[[str], tuple[str, Value]],
    *,
    is_dry: bool = False,
    limits: Limits = bounds.NO_LIMITS,
) -> tuple[str, str, Value]:
    """Change the text of a file, or on its way from standard input to standard output for ``-``.

    Args:
        file: its name.
        change: makes the new text, and what there is to say of it; it is called again where another program has changed
            the file meanwhile.
        is_dry: call it, and write nothing.
        limits: how much to read.

    Returns:
        The text before, the text after, and what there is to say.

    Raises:
        UnreadableFileError, PlanFileError: the file cannot be read or written, or not now.
        PlanSyntaxError: it is not UTF-8, or too long.
    """
    done: list[tuple[str, str, Value]] = []

    def write(before: str) -> str:
        done.append((before, *change(before)))
        return done[-1][1]

    if is_dry or file == "-":
        after = write(read_text(file, limits))
        if not is_dry:
            write_text(after)
    else:
        changing(file, limits).change(write)
    return done[-1]


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


# ---------------------------------------------------------------- diagnostics


def write_diagnostics(diagnostics: Iterable[Diagnostic], *, to_stderr: bool = True) -> None:
    """Write diagnostics for people: infos in a line each, others with their source line."""
    write_rows((row for one in diagnostics for row in diagnostic_rows(one)), to_stderr=to_stderr)


def diagnostic_rows(diagnostic: Diagnostic) -> list[Row]:
    """A diagnostic as :func:`write_diagnostics` writes it."""
    head = diagnostic.head, _STYLES[diagnostic.severity]
    if diagnostic.severity is Severity.INFO:
        name = visible_name(diagnostic.source.name) if diagnostic.source else ""
        place = f" {name}:{diagnostic.line}:{diagnostic.column}" if diagnostic.span else ""
        return [(head, (f"{place}: {excerpt(diagnostic.message)}", ""))]
    first, *others = render(diagnostic).removeprefix(diagnostic.head).split("\n")
    return [(head, (first, "")), *(((line, ""),) for line in (*others, ""))]


# ---------------------------------------------------------------- differences


def write_diff(before: str, after: str, name: str, *, to_stderr: bool = False) -> None:
    """Write the difference between two texts as a unified diff, coloured on a terminal."""
    if to_stderr or sys.stdout.isatty():
        write_rows(diff_rows(before, after, name), to_stderr=to_stderr)
    else:
        write_text("".join(_diff(before, after, name)))


def diff_rows(before: str, after: str, name: str) -> Iterator[Row]:
    """The lines of a unified diff, harmless and coloured."""
    styles = {"+": "green", "-": "red", "@": "cyan"}
    for row in _diff(before, after, name):
        yield ((visible(row.rstrip("\n")), styles.get(row[:1], "")),)


def _diff(before: str, after: str, name: str) -> Iterator[str]:
    name = shown(name).lstrip("/")
    # Lines end where git ends them, and nowhere else.
    old, new = (list(StringIO(text, newline="\n")) for text in (before, after))
    for row in unified_diff(old, new, f"a/{name}", f"b/{name}"):
        yield row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n"
