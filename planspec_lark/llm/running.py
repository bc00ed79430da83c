"""One run of a program: bytes in, bytes out, within bounds of time and size, and nothing left behind."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import Enum
from threading import Event
from time import monotonic
from typing import IO

from attrs import define, field, frozen

__all__ = ["End", "Outcome", "run_program"]

# What is read at once, and what is kept of standard error.
_CHUNK = 1 << 16
_TAIL = 4096
# Seconds between looks whether the program has ended, or is to be stopped. Once its output is closed, it is most likely
# about to end: then the first looks follow each other more quickly.
_LOOK = 0.05
_FIRST_LOOK = 0.001
# Seconds for what a program has started to close the output, once the program itself has ended.
_GRACE = 1.0
# Seconds for a killed program to end. One that has become another user's is not killed, and nobody waits for that.
_PATIENCE = 2.0


class End(Enum):
    """Why a run is over."""

    ENDED = "ended"
    STOPPED = "stopped"
    TIMEOUT = "timeout"
    TOO_LARGE = "too large"


@frozen
class Outcome:
    """What became of a run. The return code is that of :mod:`subprocess`; ``stderr`` is the end of it."""

    end: End
    returncode: int | None
    stdout: bytes
    stderr: bytes


def run_program(  # noqa: PLR0913  (each bounds another thing)
    command: Sequence[str],
    data: bytes,
    *,
    timeout: float,
    max_bytes: int,
    stop: Event,
    cwd: str | None,
    env: Mapping[str, str],
) -> Outcome:
    """Run a program in a session of its own, and kill all of its process group when this is left.

    The run is over once the program has ended and its output is closed, or a second after its end if something that it
    has started keeps the output open; besides when ``stop`` is set, by an exception such as an interrupt, and beyond a
    bound. Whether the program reads ``data`` is its own affair.

    Raises:
        OSError, ValueError: it cannot be started.
    """
    with selectors.DefaultSelector() as selector:
        process = subprocess.Popen(  # noqa: S603  (no shell; which program is run is up to the user)
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=cwd,
            env=env,
            start_new_session=True,
        )
        try:
            run = _Run(process, selector, data, max_bytes)
            end = run.follow(monotonic() + timeout, stop)
        finally:
            _end(process)
    return Outcome(end, process.returncode, bytes(run.stdout), bytes(run.stderr))


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill all that is left of a program's group, then take note of its end.

    In this order: until then, the number of the group is in use, and cannot be that of somebody else's processes.
    """
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_PATIENCE)
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether a program has ended, without taking note of it where the system can tell so."""
    if not hasattr(os, "waitid"):  # macOS, before Python 3.13
        return process.poll() is not None
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None


@define
class _Run:
    """The pipes of a program, and what came out of them."""

    process: subprocess.Popen[bytes]
    selector: selectors.BaseSelector
    data: bytes
    max_bytes: int
    stdout: bytearray = field(factory=bytearray, init=False)
    stderr: bytearray = field(factory=bytearray, init=False)
    _written: int = field(default=0, init=False)
    _open: int = field(default=2, init=False)

    def __attrs_post_init__(self) -> None:
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for pipe, event, handle in (
            (process.stdin, selectors.EVENT_WRITE, self._write),
            (process.stdout, selectors.EVENT_READ, self._read),
            (process.stderr, selectors.EVENT_READ, self._read_error),
        ):
            os.set_blocking(pipe.fileno(), False)
            self.selector.register(pipe, event, handle)

    def follow(self, deadline: float, stop: Event) -> End:
        """Serve the pipes until the run is over."""
        grace: float | None = None
        look = _FIRST_LOOK
        while True:
            pause = _LOOK if self._open else look
            for key, _ in self.selector.select(max(0.0, min(pause, deadline - monotonic()))):
                key.data(key.fileobj)
            if not self._open:
                look = min(2 * look, _LOOK)
            if len(self.stdout) > self.max_bytes:
                return End.TOO_LARGE
            if stop.is_set():
                return End.STOPPED
            now = monotonic()
            if grace is None and _has_ended(self.process):
                grace = now + _GRACE
            if grace is not None and (not self._open or now >= min(grace, deadline)):
                return End.ENDED
            if now >= deadline:
                return End.TIMEOUT

    def _write(self, pipe: IO[bytes]) -> None:
        try:
            self._written += os.write(pipe.fileno(), self.data[self._written : self._written + _CHUNK])
        except BlockingIOError:
            return
        except OSError:
            # The program has closed its input: it needs no more of this.
            self._written = len(self.data)
        if self._written >= len(self.data):
            self._close(pipe)

    def _read(self, pipe: IO[bytes]) -> None:
        self.stdout += self._take(pipe)

    def _read_error(self, pipe: IO[bytes]) -> None:
        self.stderr += self._take(pipe)
        del self.stderr[:-_TAIL]

    def _take(self, pipe: IO[bytes]) -> bytes:
        try:
            chunk = os.read(pipe.fileno(), _CHUNK)
        except BlockingIOError:
            return b""
        if not chunk:
            self._open -= 1
            self._close(pipe)
        return chunk

    def _close(self, pipe: IO[bytes]) -> None:
        self.selector.unregister(pipe)
        with suppress(OSError):
            pipe.close()
