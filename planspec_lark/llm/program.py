"""Any program as a language model: a text on its standard input, its answer on its standard output."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event
from typing import Any

from attrs import field, frozen
from attrs.validators import ge, instance_of

from planspec_lark.cancellation import stop_event
from planspec_lark.llm.models import ProgramError, encode, is_amount
from planspec_lark.llm.process import End, ProcessResult, run_program
from planspec_lark.runs.telemetry import trace_environment
from planspec_lark.syntax.safe_text import visible, visible_name

__all__ = ["Program"]

_MISSING = "there is no such program"
# Seconds between looks whether a signal has come.
_LOOK = 0.2
_MOST_OF_STDERR = 2000
_MOST_OF_NAME = 200


def _to_command(value: Sequence[str]) -> tuple[str, ...]:
    if isinstance(value, str) or not all(isinstance(part, str) for part in value):
        raise TypeError("command: expected a sequence of texts; use Program.from_text for a command line")
    command = tuple(value)
    if not command or not command[0]:
        raise ValueError("there is no program in the command")
    if any("\0" in part for part in command):
        raise ValueError("the command holds a NUL")
    return command


def _to_env(value: Mapping[str, str] | None) -> dict[str, str]:
    return dict(value or {})


def _to_path(value: str | os.PathLike[str] | None) -> str | None:
    return None if value is None else os.fspath(value)


@frozen
class Program:
    """A program that answers texts: ``Program(["my-llm", "--quiet"])("prompt")``. Runs on POSIX systems.

    Each call runs it again, without a shell and in a session of its own. When a call ends, however it does, or this
    process dies, the program and all of its session are killed; only what has begun a session of its own (`setsid`)
    continues. On macOS, when this process dies, so does what is in another process group.

    Attributes:
        command: the program and its arguments.
        timeout: seconds for a call.
        max_bytes: bytes of an answer. A program that writes more is killed.
        cwd: the folder in which it runs; by default the current one.
        env: variables of its environment besides those of this process.

    Raises:
        TypeError, ValueError: a setting cannot be one.
    """

    command: tuple[str, ...] = field(converter=_to_command)
    timeout: float = field(default=300.0, validator=is_amount, kw_only=True)
    max_bytes: int = field(default=10_000_000, validator=[instance_of(int), ge(1)], kw_only=True)
    cwd: str | None = field(default=None, converter=_to_path, kw_only=True)
    env: Mapping[str, str] = field(factory=dict, converter=_to_env, kw_only=True, repr=False)

    @classmethod
    def from_text(cls, text: str, **settings: Any) -> Program:
        """The program of a command line, with the quotes of a shell and nothing else of it.

        Raises:
            ProgramError: the line is empty, or a quote in it is open.
        """
        try:
            command = _to_command(shlex.split(text))
        except ValueError as error:
            raise ProgramError(f"the command cannot be run: {error}") from None
        return cls(command, **settings)

    def check(self) -> None:
        """Look for the program, without running it.

        Raises:
            ProgramError: there is none of this name that can be run here.
        """
        file = self.command[0]
        if os.path.dirname(file) and self.cwd is not None:
            file = os.path.join(self.cwd, file)
        if shutil.which(file, path=self._environment(None).get("PATH")) is None:
            why = "it is not an executable file" if os.path.exists(file) else _MISSING
            raise ProgramError(f"{self._name} cannot be run: {why}")

    def __call__(self, text: str) -> str:
        """The program's answer to a text."""
        return self.complete(text)

    def complete(self, text: str, *, env: Mapping[str, str] | None = None) -> str:
        """The program's answer to a text, with more variables for this call. White space stays as it is.

        Raises:
            LlmError: the text cannot be sent.
            ProgramError: it cannot be run, fails, is killed, takes too long, writes too much, or something else than
                UTF-8.
        """
        data = encode(text)
        stop, called_off = Event(), stop_event()

        def is_stopped() -> bool:
            return stop.is_set() or called_off.is_set()

        # In a thread as well: an interrupt in the midst of starting a process would leave it behind.
        with ThreadPoolExecutor(1) as thread:
            try:
                running = thread.submit(self._run, data, self._environment(env), is_stopped)
                # A signal may reach the other thread, which does not wake this one.
                while not wait([running], _LOOK).done:
                    pass
            finally:
                stop.set()
            outcome = running.result()
        return self._answer(outcome)

    @property
    def _name(self) -> str:
        name = visible_name(self.command[0])
        return f"`{name if len(name) <= _MOST_OF_NAME else name[:_MOST_OF_NAME] + '…'}`"

    def _environment(self, env: Mapping[str, str] | None) -> dict[str, str]:
        # Here, as the thread that starts the program knows of no span.
        return {**os.environ, **trace_environment(), **self.env, **(env or {})}

    def _run(self, data: bytes, env: Mapping[str, str], is_stopped: Callable[[], bool]) -> ProcessResult:
        try:
            return run_program(
                self.command,
                data,
                timeout=self.timeout,
                max_bytes=self.max_bytes,
                is_stopped=is_stopped,
                cwd=self.cwd,
                env=env,
            )
        except (OSError, ValueError, TypeError) as error:
            raise ProgramError(self._why_not(error)) from None

    def _why_not(self, error: Exception) -> str:
        if not isinstance(error, OSError):
            return f"{self._name} cannot be run: {visible(str(error))}"
        if self.cwd is not None and error.filename == self.cwd:
            return f"{self._name} cannot be run in {visible_name(self.cwd)}: {error.strerror}"
        return f"{self._name} cannot be run: {_MISSING if isinstance(error, FileNotFoundError) else error.strerror}"

    def _answer(self, outcome: ProcessResult) -> str:
        code = outcome.returncode if outcome.end is End.ENDED else None
        if outcome.end is End.TIMEOUT:
            what = f"did not end within {self.timeout:g} seconds"
        elif outcome.end is End.STOPPED:
            what = "was stopped, as it is no longer needed"
        elif outcome.end is End.TOO_LARGE:
            what = f"wrote more than {self.max_bytes:,} bytes"
        elif code:
            what = f"was killed by {_name_signal(-code)}" if code < 0 else f"ended with exit code {code}"
        else:
            try:
                return outcome.stdout.decode("utf-8")
            except UnicodeDecodeError as error:
                what = f"wrote something that is not UTF-8, at byte {error.start:,}"
        stderr = _show_tail(outcome.stderr)
        silent = ", and wrote nothing to standard error" if code else ""
        message = f"{self._name} {what}:\n{stderr}" if stderr else f"{self._name} {what}{silent}"
        is_late = outcome.end is End.TIMEOUT
        raise ProgramError(message, retryable=is_late, has_answered=True, exit_code=code, stderr=stderr)


def _name_signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _show_tail(data: bytes) -> str:
    """The end of what a program wrote, from the beginning of a line where that is near."""
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").strip()
    if len(text) > _MOST_OF_STDERR:
        text = text[-_MOST_OF_STDERR:]
        text = "…" + text[text.find("\n", 0, _MOST_OF_STDERR // 2) + 1 :]
    return visible(text)
