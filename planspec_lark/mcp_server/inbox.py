"""Lines of standard input, which nobody has to wait for: a thread reads them that ends with the process.

A thread that waits for a pipe cannot be stopped, and Python waits for threads of the usual kind at its end.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from concurrent.futures import CancelledError
from threading import Thread

from planspec_lark.syntax.diagnostics import PlanSpecError

__all__ = ["InboxError", "read_lines"]

_PIECE = 65_536
# The largest text that a tool takes, with each of its characters as an escape of JSON.
_LONGEST = 64_000_000


class InboxError(PlanSpecError):
    """Something has come that is no message."""


async def read_lines(handle: int) -> AsyncIterator[str]:
    """The lines that come from a file descriptor, until it is closed.

    Raises:
        InboxError: a line is longer than any message may be.
    """
    lines: asyncio.Queue[str | Exception | None] = asyncio.Queue(1)
    loop = asyncio.get_running_loop()

    def pass_on(item: str | Exception | None) -> None:
        asyncio.run_coroutine_threadsafe(lines.put(item), loop).result()

    Thread(target=_read, args=(handle, pass_on), daemon=True).start()
    while (line := await lines.get()) is not None:
        if isinstance(line, Exception):
            raise line
        yield line


def _read(handle: int, pass_on: Callable[[str | Exception | None], None]) -> None:
    """What the thread does, until the other side or the loop that it reports to has ended."""
    pieces: list[bytes] = []
    size = 0
    try:
        while piece := os.read(handle, _PIECE):
            *ended, rest = piece.split(b"\n")
            for end in ended:
                pass_on(b"".join([*pieces, end]).decode("utf-8", "replace"))
                pieces, size = [], 0
            pieces.append(rest)
            size += len(rest)
            if size > _LONGEST:
                pass_on(InboxError(f"a message has more than {_LONGEST:,} bytes"))
                return
        pass_on(None)
    except OSError as error:
        pass_on(error)
    except (CancelledError, RuntimeError):
        # Nobody listens any more.
        return
