"""Ways to run the command line, and the plans that its tests share."""

from __future__ import annotations

import inspect
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click.testing
import psutil

from planspec_lark.cli.app import cli

PLAN = """\
# Plan: Move the library
Goal: All books stand in the new house
> The old lease ends in May.
Constraints:
- No book leaves its shelf unlabelled
## Steps
1. [x] [act] Label the shelves → labels | 212 shelves
  > Two colours, one a floor.
2. [>] [subtask] Move the books → moved
  > ← labels
  2.1. [!] [act] Hire a lorry → lorry | None is free before Friday
    > Twelve tonnes at least.
  2.2. [reason] Find the best order of the rooms → room_order
    > ← labels
3. [~] [act] Paint the old shelves → paint
"""

# The same plan, written with less care.
SLOPPY = PLAN.replace("Goal: ", "**Goal**:  ").replace("\n  ", "\n\t").replace("1. [x]", "1.   [x]").rstrip("\n")

# No plan, for two reasons.
BROKEN = "# Plan: x\nGoal: y\n## Steps\n1. [X] [act] one\n2. two\n"

# What the environment of a person may hold and a test must not depend on.
_COLOUR_NAMES = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM", "TTY_COMPATIBLE")
_SIZE_NAMES = ("COLUMNS", "LINES")
_LOCALE_NAMES = ("LANG", "LC_ALL", "LC_CTYPE", "PYTHONIOENCODING", "PYTHONUTF8", "PYTHONCOERCECLOCALE")

MAIN = "from planspec_lark.cli import main; main()"

# click before 8.2 puts both streams in one unless it is told not to.
_APART: dict[str, Any] = (
    {"mix_stderr": False} if "mix_stderr" in inspect.signature(click.testing.CliRunner).parameters else {}
)


def write_files(files: Mapping[str, str | bytes]) -> None:
    """Write these to the current folder, and folders as they need them."""
    for name, text in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def run(*arguments: str | Path, stdin: str | bytes = "") -> click.testing.Result:
    """Run the command line inside this process; whatever it raises but an exit, this raises as well."""
    runner = click.testing.CliRunner(**_APART)
    result = runner.invoke(cli, list(map(str, arguments)), input=stdin, prog_name="planspec")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment without what decides on colours and encodings, and with ``more``."""
    kept = {
        name: value for name, value in os.environ.items() if name not in (*_COLOUR_NAMES, *_SIZE_NAMES, *_LOCALE_NAMES)
    }
    return {**kept, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", **(more or {})}


def command_line(arguments: Sequence[str | Path], before: str = "") -> list[str]:
    """What starts the command line as a process of its own, with a line of Python ``before`` it."""
    return [sys.executable, "-c", f"{before}\n{MAIN}", *map(str, arguments)]


def call(
    *arguments: str | Path, stdin: bytes = b"", env: Mapping[str, str] | None = None, before: str = ""
) -> subprocess.CompletedProcess[bytes]:
    """Run the command line as a process of its own, all its streams pipes."""
    return subprocess.run(
        command_line(arguments, before),
        input=stdin,
        capture_output=True,
        env=environment(env),
        timeout=120,
        check=False,
    )


def to_nobody(*arguments: str | Path) -> subprocess.CompletedProcess[bytes]:
    """Run the command line as a process of its own, whose standard output nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run(
            command_line(arguments),
            stdin=subprocess.DEVNULL,
            stdout=writer,
            stderr=subprocess.PIPE,
            env=environment(),
            timeout=120,
            check=False,
        )
    finally:
        os.close(writer)


@contextmanager
def at_work(arguments: Sequence[str | Path]) -> Iterator[subprocess.Popen[bytes]]:
    """The command line as a process, once a program that it has started has named itself in the file `pid`."""
    with subprocess.Popen(
        command_line(arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # Nothing is written at once unless the command sees to it.
        env=environment({"PYTHONUNBUFFERED": ""}),
    ) as process:
        wait_for_pid()
        try:
            yield process
        finally:
            process.kill()


def wait_for_pid() -> None:
    """Wait until a program has named itself in the file `pid`."""
    end = time.monotonic() + 180
    while not Path("pid").exists():
        assert time.monotonic() < end
        time.sleep(0.01)


def wait_for_view(path: str, text: str) -> str:
    """What stands in a plan's file, once this does: while it is run, it is written now and then."""
    end = time.monotonic() + 60
    while text not in (found := Path(path).read_text(encoding="utf-8")):
        assert time.monotonic() < end
        time.sleep(0.01)
    return found


def is_gone(number: int) -> bool:
    """Whether a process has ended, or does so soon."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        if not psutil.pid_exists(number) or psutil.Process(number).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.01)
    return False


def on_terminal(
    *arguments: str | Path, stdin: bytes = b"", env: Mapping[str, str] | None = None, before: str = ""
) -> bytes:
    """Run the command line with a terminal as its output; returns every byte that reached the terminal."""
    ours, theirs = pty.openpty()
    # A file, which need not be read to its end.
    with tempfile.TemporaryFile() as source:
        source.write(stdin)
        source.seek(0)
        with subprocess.Popen(
            command_line(arguments, before), stdin=source, stdout=theirs, stderr=theirs, env=environment(env)
        ) as process:
            os.close(theirs)
            try:
                return _drain(ours)
            finally:
                os.close(ours)
                process.kill()


def _drain(terminal: int) -> bytes:
    written = bytearray()
    while True:
        ready, _, _ = select.select([terminal], [], [], 60)
        assert ready, f"nothing more comes, after {bytes(written[-200:])!r}"
        try:
            data = os.read(terminal, 65536)
        except OSError:  # what Linux says at the end
            data = b""
        if not data:
            return bytes(written)
        written += data


SGR = re.compile(r"\x1b\[[0-9;]*m")

# All that steers a terminal or the direction of writing, apart from tabs and line breaks.
STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def harmless(written: bytes, *, colours: bool) -> str:
    """The text that reached a terminal, after a check that nothing but colours could have steered it."""
    text = written.decode("utf-8").replace("\r\n", "\n")
    if colours:
        text = SGR.sub("", text)
    found = STEERING.search(text)
    assert found is None, f"{text[max(0, found.start() - 60) : found.end() + 20]!r}"
    return text
