"""How time grows: what takes time with the square of the size is noticed, on a busy machine as well."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

__all__ = ["grows_evenly"]

# Eightfold sizes, where twofold ones may take 2.5 times as long. The least time of so many runs counts.
_FACTOR, _ALLOWED, _TRIES = 8, 2.5**3, 8
_FLOOR = 0.005


def grows_evenly(make: Callable[[int], Any], run: Callable[[Any], object], size: int) -> bool:
    """Whether ``run`` on what ``make`` makes takes time in proportion to the size, from this size on."""
    small, large = _seconds(run, make(size)), _seconds(run, make(_FACTOR * size))
    if large <= _ALLOWED * max(small, _FLOOR):
        return True
    small = float("inf")
    for _ in range(_TRIES):
        # A processor may be fast for a moment that only the small one fits into, so that one is run as often as the
        # other is larger.
        small = min(small, sum(_seconds(run, make(size)) for _ in range(_FACTOR)) / _FACTOR)
        large = min(large, _seconds(run, make(_FACTOR * size)))
        if large <= _ALLOWED * max(small, _FLOOR):
            return True
    return False


def _seconds(run: Callable[[Any], object], value: Any) -> float:
    # The package itself keeps the collector away while it works on large plans.
    gc.collect()
    gc.disable()
    try:
        start = time.process_time()
        run(value)
        return time.process_time() - start
    finally:
        gc.enable()
