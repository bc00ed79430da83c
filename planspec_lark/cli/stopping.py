"""Signals that ask a long command to stop, so that it ends what it has started and says how to go on."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from types import FrameType
from typing import Any

from planspec_lark.cli.output import fail

__all__ = ["stoppable"]

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
    before: dict[int, Any] = {}
    try:
        with suppress(AttributeError):
            for name in _NAMES if current_thread() is main_thread() else ():
                number = getattr(signal, name)
                # Whoever ignores a signal, as nohup does, has asked for that.
                if signal.getsignal(number) is signal.SIG_DFL:
                    before[number] = signal.signal(number, _stop)
        yield
    except KeyboardInterrupt as stop:
        number = stop.args[0] if isinstance(stop, _Stopped) else signal.SIGINT
        fail(message, 128 + number)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
