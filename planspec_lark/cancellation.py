"""How a call learns that it is no longer waited for."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context
from threading import Event, Lock
from types import FrameType
from typing import NoReturn, TypeVar

__all__ = ["StopEvent", "call_until", "context_until", "interrupt", "interrupt_main_thread", "stop_event"]

_T = TypeVar("_T")


class StopEvent(Event):
    """An event that tells of it when it is set."""

    def __init__(self) -> None:
        super().__init__()
        self._told: list[Callable[[], object]] = []
        self._telling = Lock()

    def set(self) -> None:
        """Set it, and tell of that, in this thread."""
        with self._telling:
            super().set()
            for tell in self._told:
                tell()

    @contextmanager
    def telling(self, tell: Callable[[], object]) -> Iterator[None]:
        """Call ``tell`` when this is set within the block, or was before; after the block it is never called."""
        with self._telling:
            self._told.append(tell)
            if self.is_set():
                tell()
        try:
            yield
        finally:
            with self._telling:
                self._told.remove(tell)


_STOP: ContextVar[StopEvent | None] = ContextVar("stop", default=None)


def stop_event() -> StopEvent:
    """What tells the thread of a call that it is no longer waited for: it was cancelled, or has taken too long.

    A thread cannot be stopped from outside. Whatever takes long in one looks at this from time to time.
    """
    return _STOP.get() or StopEvent()


def context_until(stop: StopEvent) -> Context:
    """The context of this call, in which ``stop`` is the :func:`stop_event`."""
    context = copy_context()
    context.run(_STOP.set, stop)
    return context


def call_until(stop: StopEvent, call: Callable[[], _T]) -> _T:
    """Call in this thread, where ``stop`` is the :func:`stop_event` meanwhile."""
    return context_until(stop).run(call)


def interrupt(number: int, _: FrameType | None) -> NoReturn:
    """What handles a signal by a KeyboardInterrupt with its number."""
    raise KeyboardInterrupt(number)


def interrupt_main_thread() -> None:
    """Interrupt the main thread as Ctrl-C does, unless that would do something else there."""
    if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, interrupt):
        os.kill(os.getpid(), signal.SIGINT)
