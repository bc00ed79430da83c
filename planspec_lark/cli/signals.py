"""Signals that ask a long command to stop, so that it ends what it has started and says how to go on."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from types import FrameType
from typing import Any, TypeVar

from planspec_lark.cancellation import interrupt
from planspec_lark.cli.output import complain, fail

__all__ = ["stoppable", "until_stopped"]

Result = TypeVar("Result")

# Not every system has all of them.
_NUMBERS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def stoppable(message: str) -> Iterator[None]:
    """Leave with ``message`` where the command is asked to stop: with 130 at an interrupt, 143 at SIGTERM.

    Without this, SIGTERM would end the process at once, and leave alone the programs that it has started.
    """
    try:
        with _handled(interrupt):
            yield
    except KeyboardInterrupt as stop:
        fail(message, 128 + (stop.args[0] if stop.args else signal.SIGINT))


@contextmanager
def _handled(handler: Callable[[int, FrameType | None], None]) -> Iterator[list[int]]:
    """Let ``handler`` have the signals, as long as this block lasts; gives those that it gets."""
    before: dict[int, Any] = {}
    try:
        for number in _NUMBERS if current_thread() is main_thread() else ():
            # A signal that is ignored, as under nohup, stays ignored.
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, handler)
        yield list(before)
    finally:
        for number, old in before.items():
            signal.signal(number, old)


async def until_stopped(work: Coroutine[Any, Any, Result], waiting: str = "") -> Result:
    """Await ``work``, and cancel it where the command is asked to stop; inside of :func:`stoppable`.

    Ending may take as long as it likes, so ``waiting`` says that it has begun, where it is given, and a second signal
    ends the process at once.
    """
    import asyncio  # noqa: PLC0415  (slow to load, and most commands that can be stopped do without)

    task, loop = asyncio.ensure_future(work), asyncio.get_running_loop()
    numbers: list[int] = []

    def stop(number: int, _: FrameType | None) -> None:
        numbers.append(number)
        if len(numbers) > 1:
            os._exit(128 + number)
        # Not at once: that would interrupt the loop in the middle of a callback.
        loop.call_soon_threadsafe(end)

    def end() -> None:
        task.cancel()
        if waiting:
            complain(waiting)

    try:
        with _handled(stop) as heard:
            # What the loop itself has a handler for wakes it, also from the wait that it is about to begin. But that
            # handler has to wait for the loop, which may be busy, so it is not the one that counts.
            for number in heard:
                with suppress(NotImplementedError):
                    loop.add_signal_handler(number, lambda: None)
                    signal.signal(number, stop)
            return await task
    except asyncio.CancelledError:
        if numbers:
            raise KeyboardInterrupt(numbers[0]) from None
        raise
