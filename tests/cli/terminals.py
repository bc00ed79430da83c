"""A terminal with a person at it: what is typed there, and what is shown."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from attrs import define, field

from tests.cli.running import SGR, command_line, environment, harmless

# What a display that changes is drawn with, besides colours.
_DRAWING = re.compile(rb"\x1b\[(?:\?25[lh]|2K|[0-9]*A)|\r(?!\n)")


def undrawn(written: bytes) -> str:
    """The text that reached a terminal, after a check that nothing but drawing and colours could have steered it."""
    return harmless(_DRAWING.sub(b"", written), colours=True)


@define
class Terminal:
    """A process on a terminal of its own, which is the one that Ctrl-C is typed on."""

    process: subprocess.Popen[bytes]
    _ours: int
    written: bytes = field(default=b"", init=False)

    def type(self, text: str) -> None:
        os.write(self._ours, text.encode())

    def wait_for(self, text: str) -> None:
        """Read until this is shown."""
        end = time.monotonic() + 60
        while text not in SGR.sub("", self.written.decode("utf-8", "replace")):
            assert self._read(end), f"{text!r} is not in {self.written[-2000:]!r}"

    def wait(self) -> int:
        """Read to the end; gives the exit code."""
        end = time.monotonic() + 60
        while self._read(end):
            pass
        return self.process.wait(30)

    def shown(self) -> str:
        """All that was shown, after a check that nothing but the drawing could have steered the terminal."""
        return undrawn(self.written)

    def _read(self, end: float) -> bool:
        ready, _, _ = select.select([self._ours], [], [], max(end - time.monotonic(), 0))
        try:
            data = os.read(self._ours, 65536) if ready else b""
        except OSError:  # what Linux says at the end
            data = b""
        self.written += data
        return bool(data)


@contextmanager
def terminal(
    *arguments: str | Path,
    rows: int = 24,
    columns: int = 80,
    env: Mapping[str, str] | None = None,
    stdout: int | None = None,
) -> Iterator[Terminal]:
    """The command line on a terminal of this size; ``stdout`` may lead elsewhere."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    with subprocess.Popen(
        command_line(arguments),
        stdin=theirs,
        stdout=theirs if stdout is None else stdout,
        stderr=theirs,
        env=environment(env),
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509  (there is no thread)
    ) as process:
        os.close(theirs)
        try:
            yield Terminal(process, ours)
        finally:
            process.kill()
            os.close(ours)
