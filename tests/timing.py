"""Limits of time in tests, whose outcome must not depend on the speed of the machine."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import pytest


class TooSlowError(AssertionError):
    """An input that takes longer than any of its kind should."""


@contextmanager
def time_limit(seconds: float, *, on_processor: bool = True) -> Iterator[None]:
    """End what takes longer, with an error; an expression that is being matched as well.

    As long as time on the processor is limited, it can be measured by ticks only.

    Raises:
        TooSlowError: it took longer.
    """
    timer, number = (signal.ITIMER_VIRTUAL, signal.SIGVTALRM) if on_processor else (signal.ITIMER_REAL, signal.SIGALRM)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlowError(f"more than {seconds} seconds{' on the processor' if on_processor else ''}")

    before = signal.signal(number, stop)
    signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        signal.setitimer(timer, 0)
        signal.signal(number, before)


def with_longer_limits(check: Callable[[float], None], first: float) -> None:
    """Check with a short limit of time, so that no test waits for long, and where that fails with longer ones.

    On a machine that is held up, a limit may be over before that has begun which it is to end. What is wrong fails with
    every limit. Of what one check leaves behind, the next one may see nothing.
    """
    for limit in (first, 5.0):
        with suppress(Exception, pytest.fail.Exception):
            check(limit)
            return
    check(30.0)
