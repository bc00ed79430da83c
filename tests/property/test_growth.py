"""Time and memory grow with the size of the input, not with its square.

When the input doubles, time may grow 2.5-fold. What is compared are fourfold sizes, as small as a clock can tell apart,
and of all pairs of a shape and a piece of work one in four, so that each shape and each piece of work has its turn.
`PLANSPEC_PROFILE=full` measures all pairs, and `long` does so up to 10 MB.
"""

from __future__ import annotations

import gc
import os
import re
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from tests.growth.families import CELLS, FAMILIES
from tests.growth.work import EXCEPTIONS, Work
from tests.timing import TooSlowError, time_limit

_PROFILE = os.environ.get("PLANSPEC_PROFILE")
STEP = 4
ALLOWED = 2.5**2
# Sizes in characters. Sizes grow until a run takes long enough for its time to say something about growth.
SMALLEST, LARGEST = 2_000, 10_000_000 if _PROFILE == "long" else 8_000
# Seconds for a single run, which is a few thousand times as much as most take.
LIMIT = 20.0
ENOUGH, FLOOR = 5.0 if _PROFILE == "long" else 0.012, 0.002
# The least time of so many runs counts, where the first ones grew too fast.
TRIES = 20
# What is made of parts that are measured by themselves is left to the run by hand.
LEFT_OUT = ("the error's text", "scan and render")
# What memory is measured for, and what it may come to without saying anything about growth, in bytes.
HUNGRY = ("reports", "lint_plan", "show_plan", "apply_commands", "PlanStream")
MEMORY_SIZES = (500, 4_000)
MEMORY_FLOOR = 500_000
# One pair in so many is measured.
SHARE = 1 if _PROFILE in ("full", "long") else 4


def _seconds(work: Work, text: str) -> float:
    value = work.make(text)
    start = time.process_time()
    with time_limit(LIMIT, on_processor=False):
        work.run(value)
    return time.process_time() - start


def _is_even(work: Work, small_text: str, text: str) -> bool:
    """Whether the least times of some runs are as they should be."""
    small = seconds = float("inf")
    for _ in range(TRIES):
        # What the runs before have left behind makes the heap, and so the larger text, slow.
        gc.collect()
        # A processor may be fast for a moment that only the small text fits into, so that one is run as often as the
        # other is larger.
        small = min(small, sum(_seconds(work, small_text) for _ in range(STEP)) / STEP)
        seconds = min(seconds, _seconds(work, text))
        if seconds <= ALLOWED * max(small, FLOOR):
            return True
    return False


def _grows_evenly(work: Work, make: Callable[[int], str]) -> bool:
    size, text = SMALLEST, make(SMALLEST)
    seconds = _seconds(work, text)
    while True:
        size *= STEP
        small, small_text, text = seconds, text, make(size)
        seconds = _seconds(work, text)
        if seconds > ALLOWED * max(small, FLOOR) and not _is_even(work, small_text, text):
            return False
        if seconds > ENOUGH or size >= LARGEST:
            return True


@pytest.fixture(autouse=True, scope="module")
def _no_passes_of_the_collector() -> Iterator[None]:
    """What others have left behind does not count."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def _share(family: str, shape: str, names: Iterable[str]) -> list[str]:
    """Those of these pieces of work whose turn it is with this shape."""
    turn = list(FAMILIES[family].shapes).index(shape)
    return [name for at, name in enumerate(names) if (at + turn) % SHARE == 0 and (shape, name) not in EXCEPTIONS]


@pytest.mark.parametrize(("family", "shape"), CELLS)
def test_time_grows_evenly(family: str, shape: str) -> None:
    make, work = FAMILIES[family].shapes[shape], FAMILIES[family].work
    names = _share(family, shape, [name for name in work if name not in LEFT_OUT])
    assert not [name for name in names if not _grows_evenly(work[name], make)]


def _peak(work: Work, text: str) -> int:
    value = work.make(text)
    tracemalloc.start()
    try:
        work.run(value)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def _weighs_evenly(work: Work, make: Callable[[int], str]) -> bool:
    small, large = (_peak(work, make(size)) for size in MEMORY_SIZES)
    return large <= max(2.5**3 * small, MEMORY_FLOOR)


@pytest.mark.parametrize("shape", FAMILIES["plans"].shapes)
def test_memory_grows_evenly(shape: str) -> None:
    make, work = FAMILIES["plans"].shapes[shape], FAMILIES["plans"].work
    names = _share("plans", shape, HUNGRY)
    assert not [name for name in names if not _weighs_evenly(work[name], make)]


def test_all_shapes_and_all_work_have_their_turn() -> None:
    for name, family in FAMILIES.items():
        names = [one for one in family.work if one not in LEFT_OUT]
        turns = {shape: _share(name, shape, names) for shape in family.shapes}
        assert {one for listed in turns.values() for one in listed} == set(names)
        assert len(names) < SHARE or not [shape for shape, listed in turns.items() if not listed]


def test_exceptions_are_of_what_there_is() -> None:
    there = {(shape, name) for family in FAMILIES.values() for shape in family.shapes for name in family.work}
    assert set(EXCEPTIONS) <= there


# ---------------------------------------------------------------- faults that are there on purpose


def _square(text: Any) -> object:
    return sum(1 for _ in text for _ in range(len(text) // 64))


def test_a_square_is_noticed() -> None:
    assert not _grows_evenly(Work(_square), lambda size: "x" * size)
    assert _grows_evenly(Work(lambda text: sum(1 for _ in text)), lambda size: "x" * size)


def test_what_does_not_end_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "LIMIT", 0.1)
    with pytest.raises(TooSlowError):
        _grows_evenly(Work(re.compile("(?:a|a)*b").match), lambda size: "a" * size)


def test_a_square_of_memory_is_noticed() -> None:
    assert not _weighs_evenly(Work(lambda text: [text[at:] for at in range(0, len(text), 8)]), lambda n: "x" * n)
    assert _weighs_evenly(Work(lambda text: [*text]), lambda n: "é" * n)
