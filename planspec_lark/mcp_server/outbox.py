"""Messages to standard output, which nobody has to wait for: a thread writes them that ends with the process.

A client that has stopped reading would keep any other thread, and with it the process, for as long as it lives.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread

__all__ = ["Outbox"]


class Outbox:
    """Writes texts to a file descriptor, which is its own, in their order."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._waiting: SimpleQueue[tuple[bytes, asyncio.Future[None]] | None] = SimpleQueue()
        Thread(target=self._go_on, daemon=True).start()

    async def write(self, text: str) -> None:
        """Write a text; whoever waits for that may be cancelled.

        Raises:
            OSError: it cannot be written.
        """
        written = asyncio.get_running_loop().create_future()
        self._waiting.put((text.encode("utf-8"), written))
        await written

    async def flush(self) -> None:
        """Do nothing: what is written is on its way."""

    def close(self) -> None:
        """Close the file descriptor when all is written. Nobody waits for that."""
        self._waiting.put(None)

    def _go_on(self) -> None:
        while (item := self._waiting.get()) is not None:
            data, written = item
            error = None
            try:
                left = memoryview(data)
                while left:
                    left = left[os.write(self._handle, left) :]
            except OSError as failure:
                error = failure
            # Nobody may be there any more.
            with suppress(RuntimeError):
                written.get_loop().call_soon_threadsafe(_settle, written, error)
        os.close(self._handle)


def _settle(written: asyncio.Future[None], error: OSError | None) -> None:
    if written.done():
        return
    if error is None:
        written.set_result(None)
    else:
        written.set_exception(error)
