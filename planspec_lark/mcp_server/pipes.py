"""Standard input and output of a server, which the end of the process does not wait for.

A thread that waits at a pipe cannot be stopped, and Python waits at its end for threads of the usual kind. So each read
and each write has a thread that ends with the process: also where a client keeps a pipe open, or has stopped reading.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from threading import Thread
from typing import Any, TypeVar

from planspec_lark.syntax.diagnostics import PlanSpecError

__all__ = ["InputError", "Output", "read_lines"]

Result = TypeVar("Result")

# The largest text that a tool takes, with each of its characters as an escape of JSON.
_LONGEST = 64_000_000


class InputError(PlanSpecError):
    """Something has come that is no message."""


async def _call(function: Callable[..., Result], *arguments: Any) -> Result:
    """Call a function in a thread of its own, which keeps running if this is cancelled."""
    future: Future[Result] = Future()
    # From here on, a result can be set whether it is waited for or not.
    future.set_running_or_notify_cancel()

    def call() -> None:
        try:
            result = function(*arguments)
        except Exception as error:
            future.set_exception(error)
        else:
            future.set_result(result)

    Thread(target=call, daemon=True).start()
    return await asyncio.wrap_future(future)


async def read_lines(handle: int, at_end: Callable[[], None]) -> AsyncIterator[str]:
    """The lines that come from a file descriptor, until it is closed; then ``at_end`` is called.

    Raises:
        InputError: a line is longer than any message may be.
        OSError: it cannot be read.
    """
    # Never closed, as that would wait for a thread that reads.
    file = open(handle, "rb", closefd=False)  # noqa: SIM115
    while line := await _call(file.readline, _LONGEST + 1):
        if len(line) > _LONGEST:
            raise InputError(f"a message has more than {_LONGEST:,} bytes")
        yield line.decode("utf-8", "replace")
    at_end()


class Output:
    """Writes texts to a file descriptor, one after the other."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    async def write(self, text: str) -> None:
        """Write a text.

        Raises:
            OSError: it cannot be written.
        """
        await _call(self._write, text.encode("utf-8"))

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(self._handle, left) :]

    async def flush(self) -> None:
        """Do nothing: what is written is on its way."""
