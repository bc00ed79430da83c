"""One run of a program: bytes in, bytes out, within bounds of time and size, and nothing left behind."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from time import monotonic
from typing import IO, Any

from attrs import define, field, frozen

__all__ = ["End", "ProcessResult", "run_program"]

# What is read or written at once, and what is kept of standard error.
_CHUNK = 1 << 16
_TAIL = 4096
# Seconds between looks whether the program has ended, or is to be stopped. Once its output is closed, it is most likely
# about to end.
_LOOK = 0.05
_LAST_LOOK = 0.005
# Seconds for what a program has started to close the output, once the program itself has ended.
_GRACE = 1.0
# Seconds for a killed program to end, and for killing what it goes on starting. One that has become another user's is
# not killed, and is not waited for.
_EXIT_TIMEOUT = 2.0
# A guard reads which session a program is, and then waits for the end of its input. That comes when this process is
# gone, however it has ended: no other process has the other end. A signal at the death of a parent would not do: Linux
# ties it to the thread that has started the program, and what the program has started does not get it.
# It kills the group of that number, and what is in other groups of the session, as far as there is a /proc. There is
# a second pass for what has been started during the first.
_GUARD = """
read -r session && ! read -r _ || exit
kill -s KILL -- "-$session"
for stat in /proc/[0-9]*/stat /proc/[0-9]*/stat; do
  read -r line <"$stat" || continue
  set -- "${line%% *}" ${line##*") "}
  [ "$5" = "$session" ] && kill -s KILL "$1"
done
"""


class End(Enum):
    """Why a run is over."""

    ENDED = "ended"
    STOPPED = "stopped"
    TIMEOUT = "timeout"
    TOO_LARGE = "too large"


@frozen
class ProcessResult:
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
    is_stopped: Callable[[], bool],
    cwd: str | None,
    env: Mapping[str, str],
) -> ProcessResult:
    """Run a program in a session of its own, and kill all of that session when this is left, or this process dies.

    The run is over once the program has ended and its output is closed, or a second after its end if something that it
    has started keeps the output open; besides when ``is_stopped`` says so, by an exception such as an interrupt, and
    beyond a bound. Whether the program reads ``data`` is its own affair.

    Raises:
        OSError, ValueError: it cannot be started.
    """
    pipe = subprocess.PIPE
    with (
        _started(["/bin/sh", "-c", _GUARD], stderr=subprocess.DEVNULL, cwd="/", env={}) as guard,
        _started(command, stdout=pipe, stderr=pipe, cwd=cwd, env=env) as process,
        selectors.DefaultSelector() as selector,
    ):
        # Before the program gets anything to work on.
        assert guard.stdin is not None
        guard.stdin.write(b"%d\n" % process.pid)
        run = _Run(process, selector, memoryview(data), max_bytes)
        end = run.follow(monotonic() + timeout, is_stopped)
    return ProcessResult(end, process.returncode, bytes(run.stdout), bytes(run.stderr))


@contextmanager
def _started(command: Sequence[str], **settings: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process in a session of its own. In the end, all that is left of that session is killed."""
    process = subprocess.Popen(  # noqa: S603  (no shell; which program is run is up to the user)
        command, stdin=subprocess.PIPE, bufsize=0, start_new_session=True, **settings
    )
    try:
        yield process
    finally:
        # First this: until the end is noted, the number of the session cannot be that of other processes.
        _kill_session(process.pid)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_EXIT_TIMEOUT)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


def _kill_session(session: int) -> None:
    """Kill all processes of a session: first the group of that number, then those that are in other groups."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(session, signal.SIGKILL)
    # What is killed stays in the list until its end is noted. What is new there was started meanwhile.
    killed: set[int] = set()
    deadline = monotonic() + _EXIT_TIMEOUT
    while left := {number for number in _all_processes() if _session_of(number) == session} - killed:
        if monotonic() >= deadline:
            break
        for number in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)
        killed |= left


def _all_processes() -> list[int]:
    try:
        names = os.listdir("/proc")
    except FileNotFoundError:  # macOS
        listed = subprocess.run(["/bin/ps", "-A", "-o", "pid="], capture_output=True, text=True, check=False)
        names = listed.stdout.split()
    return [int(name) for name in names if name.isdecimal()]


def _session_of(number: int) -> int | None:
    try:
        return os.getsid(number)
    except OSError:
        return None


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether a program has ended, without taking note of it where the system can tell so."""
    if not hasattr(os, "waitid"):  # macOS, before Python 3.13
        return process.poll() is not None
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None


@define
class _Run:
    """The pipes of a program, what is still to be written, and what came out of them."""

    process: subprocess.Popen[bytes]
    selector: selectors.BaseSelector
    data: memoryview
    max_bytes: int
    stdout: bytearray = field(factory=bytearray, init=False)
    stderr: bytearray = field(factory=bytearray, init=False)

    def follow(self, deadline: float, is_stopped: Callable[[], bool]) -> End:
        """Serve the pipes until the run is over."""
        self._register(self.process.stdin, selectors.EVENT_WRITE, None)
        self._register(self.process.stdout, selectors.EVENT_READ, self.stdout)
        self._register(self.process.stderr, selectors.EVENT_READ, self.stderr)
        has_ended, grace = False, deadline
        while True:
            is_open = any(key.data is not None for key in self.selector.get_map().values())
            now = monotonic()
            # Even then, what the program has written before its end is read: it may have been long ago.
            is_over = has_ended and (now >= grace or not is_open)
            if now >= deadline and not is_over:
                return End.TIMEOUT
            pause = 0 if is_over else min(_LOOK if is_open else _LAST_LOOK, deadline - now)
            for key, _ in self.selector.select(pause):
                self._serve(key.fileobj, key.data)
            if len(self.stdout) > self.max_bytes:
                return End.TOO_LARGE
            if is_over:
                return End.ENDED
            if is_stopped():
                return End.STOPPED
            if not has_ended and _has_ended(self.process):
                has_ended, grace = True, min(deadline, monotonic() + _GRACE)

    def _register(self, pipe: IO[bytes] | None, event: int, into: bytearray | None) -> None:
        assert pipe is not None
        os.set_blocking(pipe.fileno(), False)
        self.selector.register(pipe, event, into)

    def _serve(self, pipe: Any, into: bytearray | None) -> None:
        """Write or read as much as there is room for."""
        try:
            if into is None:
                self.data = self.data[os.write(pipe.fileno(), self.data[:_CHUNK]) :]
                is_over = not self.data
            else:
                chunk = os.read(pipe.fileno(), _CHUNK)
                into += chunk
                is_over = not chunk
        except BlockingIOError:
            return
        except OSError:
            # The program has closed its input: it needs no more of this.
            is_over = True
        del self.stderr[:-_TAIL]
        if is_over:
            self.selector.unregister(pipe)
            pipe.close()
