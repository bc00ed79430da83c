"""Signals that ask a long command to stop, so that it ends what it has started and says how to go on."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType
from typing import Any, TypeVar

from planspec_lark.cli.output import complain, fail

__all__ = ["stoppable", "until_stopped"]

Result = TypeVar("Result")
Handler = Callable[[int, FrameType | None], None]

# Beside an interrupt, which is an exception already. Not every system has both.
_NAMES = ("SIGTERM", "SIGHUP")


class _Stopped(KeyboardInterrupt):
    """A signal has come; its number is the argument."""


def _stop(number: int, _: FrameType | None) -> None:
    raise _Stopped(number)


@contextmanager
def stoppable(message: str) -> Iterator[None]:
    """Leave with ``message`` where the command is asked to stop: with 130 at an interrupt, 143 at SIGTERM.

    Without this, SIGTERM would end the process at once, and leave alone the programs that it has started.
    """
    try:
        with _handled(_NAMES, _stop):
            yield
    except KeyboardInterrupt as stop:
        number = stop.args[0] if isinstance(stop, _Stopped) else signal.SIGINT
        fail(message, 128 + number)


@contextmanager
def _handled(names: tuple[str, ...], handler: Handler) -> Iterator[None]:
    """Let ``handler`` have these signals, as long as this block lasts."""
    before: dict[int, Any] = {}
    try:
        for name in names if current_thread() is main_thread() else ():
            number = getattr(signal, name, None)
            # Whoever ignores a signal, as nohup does, has asked for that.
            if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, handler)
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


async def until_stopped(work: Coroutine[Any, Any, Result], waiting: str) -> Result:
    """Await ``work``, and cancel it where the command is asked to stop; inside of :func:`stoppable`.

    Ending may take as long as it likes, so ``waiting`` says that it has begun, and a second signal ends the process at
    once.
    """
    task, loop = asyncio.ensure_future(work), asyncio.get_running_loop()
    numbers: list[int] = []

    def stop(number: int, _: FrameType | None) -> None:
        numbers.append(number)
        if len(numbers) > 1:
            os._exit(128 + number)
        # Whatever is going on at this moment is not to be torn apart.
        loop.call_soon_threadsafe(end)

    def end() -> None:
        task.cancel()
        complain(waiting)

    try:
        with _woken(loop), _handled(("SIGINT", *_NAMES), stop):
            return await task
    except asyncio.CancelledError:
        if numbers:
            raise _Stopped(numbers[0]) from None
        raise


@contextmanager
def _woken(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Let every signal wake the loop.

    A signal that comes just before the loop begins to wait would otherwise be heard when something else wakes it.
    """
    if current_thread() is not main_thread():
        # No signals come.
        yield
        return
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.setblocking(False)
        theirs.setblocking(False)
        try:
            loop.add_reader(ours, ours.recv, 4096)
        except NotImplementedError:
            # Some systems have loops that wait for no sockets.
            yield
            return
        before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            loop.remove_reader(ours)
