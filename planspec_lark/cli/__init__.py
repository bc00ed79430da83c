"""The command line `planspec`: one file a group of commands, no logic of its own."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any, NoReturn, TextIO

__all__ = ["READER_GONE", "give_up", "main"]

# The exit code where the reader of standard output has seen enough: that of a program that SIGPIPE ends.
READER_GONE = 141


class _Lossy(FileIO):
    """A file that takes what it is given also where that cannot be written."""

    def write(self, data: Any, /) -> int:
        with suppress(OSError):
            return super().write(data)
        return len(data)


def main() -> NoReturn:
    """Run the command line and leave with its exit code."""
    if sys.argv[1:2] == ["hook"] and not {"-h", "--help"} & set(sys.argv):
        _run_hook(sys.argv[2:])
    if sys.stderr is not None:
        # A message that cannot be written changes nothing else.
        raw = _Lossy(sys.stderr.fileno(), "w", closefd=False)
        sys.stderr = TextIOWrapper(BufferedWriter(raw), sys.stderr.encoding, sys.stderr.errors, line_buffering=True)
    try:
        from planspec_lark.cli.app import run  # noqa: PLC0415  (an interrupt may come before it is there)
    except KeyboardInterrupt:
        _leave("Aborted!", 130)
    if sys.stdout is None or sys.stderr is None:
        _leave("Error: standard output or standard error is closed", 2)
    try:
        code = run()
        sys.stdout.flush()
    except OSError as error:
        give_up(sys.stdout)
        if isinstance(error, BrokenPipeError):
            sys.exit(READER_GONE)
        _leave(f"Error: {error.strerror}", 2)
    sys.exit(code)


def _run_hook(arguments: list[str]) -> NoReturn:
    """It runs at every edit of any file, so there is a way to it that takes next to no time."""
    from planspec_lark.agents import hook  # noqa: PLC0415  (only this call needs it)

    try:
        code = hook.main(arguments)
    except KeyboardInterrupt:
        _leave("Aborted!", 130)
    for stream in filter(None, (sys.stdout, sys.stderr)):
        try:
            stream.flush()
        except OSError:
            give_up(stream)
    sys.exit(code)


def give_up(stream: TextIO) -> None:
    """What is written from now on is lost; Python is not to try once more, at its end, what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _leave(message: str, code: int) -> NoReturn:
    if sys.stderr is not None:
        sys.stderr.write(message + "\n")
    sys.exit(code)
