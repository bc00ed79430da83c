"""Whether an expression takes more than its share of time for a longer text."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import product
from time import process_time

from attrs import frozen

from tests.backtracking.loops import Attack, attacks
from tests.timing import TooSlowError, time_limit

__all__ = ["Finding", "find_growth"]

# Characters of a text, and what it may take in seconds without being looked at more closely.
_SIZE, _SOON = 4000, 0.0007
# What takes longer is ended.
_LIMIT = 0.5
_STEP = 4
# The growth of a doubling that is a fault: a square has 4.
_FAULTY = 3.2
# Below this it is none, whatever the machine did meanwhile: a line has 2. Between the two nothing is concluded.
_PROPORTIONAL = 2.4
_SMALLEST = 15


@frozen
class Finding:
    """An attack that works, with a method of a pattern; and the growth of its time when the text doubles."""

    attack: Attack
    method: str
    growth: float


def find_growth(pattern: re.Pattern[str], methods: Collection[str]) -> Finding | None:
    """The first attack that one of these methods falls for."""
    soon = dict.fromkeys(methods, _SOON)
    for attack, method in product(attacks(pattern), methods):
        seconds = _seconds(pattern, method, attack.text(_SIZE))
        if seconds > soon[method]:
            growth = _growth(pattern, method, attack)
            if _FAULTY <= growth < float("inf"):
                growth = min(growth, _growth(pattern, method, attack))
            if growth >= _FAULTY:
                return Finding(attack, method, growth)
            if growth < _PROPORTIONAL:
                # It is slow by itself, and what takes no longer grows no faster. A single time could be a pause of the
                # machine, longer than what is to be found.
                again = (_seconds(pattern, method, attack.text(_SIZE)) for _ in range(3))
                soon[method] = max(soon[method], 1.5 * min(seconds, *again))
    return None


def _growth(pattern: re.Pattern[str], method: str, attack: Attack) -> float:
    """Of a doubling, from the largest sizes that end in time; a size that does not counts as the limit."""
    size, large = _SIZE, _LIMIT
    while size > _SMALLEST:
        seconds = _seconds(pattern, method, attack.text(size))
        if seconds < _LIMIT:
            seconds = min(seconds, *(_seconds(pattern, method, attack.text(size)) for _ in range(2)))
            small = min(_seconds(pattern, method, attack.text(size // _STEP)) for _ in range(5))
            ended = (seconds / small) ** 0.5 if seconds > _SOON else 1.0
            return float(max(ended, (large / seconds) ** 0.5 if size < _SIZE else 1.0))
        size //= _STEP
    return float("inf")


def _seconds(pattern: re.Pattern[str], method: str, text: str) -> float:
    start = process_time()
    try:
        with time_limit(_LIMIT, on_processor=False):
            if method == "finditer":
                for _ in pattern.finditer(text):
                    pass
            else:
                getattr(pattern, method)(text)
    except TooSlowError:
        return _LIMIT
    return process_time() - start
