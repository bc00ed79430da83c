"""Timing and memory: several things side by side, each round all of them, so that a slow moment hits all alike."""

from __future__ import annotations

import gc
import subprocess
import tracemalloc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import ceil
from statistics import median
from time import perf_counter, process_time
from typing import Any

__all__ = ["Task", "Timing", "collector_off", "measure_memory", "race", "time_processes"]


# Seconds; no run is taken to be faster.
_TICK = 1e-7


@dataclass(frozen=True)
class Task:
    """Something to time: ``run`` on what ``make`` gives. With ``fresh``, each run gets its own (it may change it)."""

    run: Callable[[Any], object]
    make: Callable[[], Any]
    fresh: bool = False

    @classmethod
    def on(cls, run: Callable[[Any], object], value: object) -> Task:
        """Run on one value, which stays as it is."""
        return cls(run, lambda: value)


@dataclass
class Timing:
    """The times of one run, in seconds, one a round."""

    samples: list[float] = field(default_factory=list)
    # What all the runs took together, with what it took to prepare them.
    spent: float = 0.0

    @property
    def best(self) -> float:
        """The fastest round: the time with the least disturbance."""
        return min(self.samples)

    @property
    def median(self) -> float:
        """The round in the middle."""
        return median(self.samples)


def race(tasks: Mapping[str, Task], *, rounds: int, floor: float = 0.02, budget: float = 20.0) -> dict[str, Timing]:
    """Time tasks side by side: A B C A B C and so on.

    Args:
        tasks: what to time, by name.
        rounds: how often; a task that has used up its ``budget`` sits out the rest.
        floor: seconds that a sample takes at least; fast tasks run several times in one.
        budget: seconds for each task in all.
    """
    loops = {name: _calibrate(task, floor) for name, task in tasks.items()}
    timings = {name: Timing() for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            if timings[name].spent < budget:
                start = perf_counter()
                timings[name].samples.append(_sample(task, loops[name]))
                timings[name].spent += perf_counter() - start
    return timings


def _calibrate(task: Task, floor: float) -> int:
    """How many runs make a sample; the first run is for the caches."""
    once = _sample(task, 1)
    if once < floor:
        once = _sample(task, 1)
    return max(1, ceil(floor / max(once, _TICK)))


def _sample(task: Task, loops: int) -> float:
    values = [task.make() for _ in range(loops)] if task.fresh else [task.make()] * loops
    run = task.run
    gc.collect()
    # Time on the processor: what else runs on the machine does not count.
    start = process_time()
    for value in values:
        run(value)
    return (process_time() - start) / loops


@contextmanager
def collector_off() -> Iterator[None]:
    """No passes of the cyclic garbage collector inside."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def measure_memory(run: Callable[[], object]) -> tuple[int, int]:
    """Bytes that a run takes at its peak, and those that its result keeps."""
    gc.collect()
    tracemalloc.start()
    try:
        kept = run()
        gc.collect()
        current, peak = tracemalloc.get_traced_memory()
        del kept
    finally:
        tracemalloc.stop()
    return peak, current


def time_processes(commands: Mapping[str, Sequence[str]], *, rounds: int) -> dict[str, Timing]:
    """Time fresh processes side by side, from start to end.

    Raises:
        subprocess.CalledProcessError: a process fails.
    """
    timings = {name: Timing() for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            start = perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            timings[name].samples.append(perf_counter() - start)
    return timings
