"""How a call learns that it is no longer waited for."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from threading import Event
from typing import TypeVar

__all__ = ["call_until", "context_until", "stop_event"]

_T = TypeVar("_T")

_STOP: ContextVar[Event | None] = ContextVar("stop", default=None)


def stop_event() -> Event:
    """What tells the thread of a call that it is no longer waited for: it was cancelled, or has taken too long.

    A thread cannot be stopped from outside. Whatever takes long in one looks at this from time to time.
    """
    return _STOP.get() or Event()


def context_until(stop: Event) -> Context:
    """The context of this call, in which ``stop`` is the :func:`stop_event`."""
    context = copy_context()
    context.run(_STOP.set, stop)
    return context


def call_until(stop: Event, call: Callable[[], _T]) -> _T:
    """Call in this thread, where ``stop`` is the :func:`stop_event` meanwhile."""
    return context_until(stop).run(call)
