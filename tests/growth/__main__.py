"""The long run by hand: ``python -m tests.growth``."""

from __future__ import annotations

import argparse
import os
import resource
import signal
import sys
from collections.abc import Sequence
from itertools import pairwise, product
from time import perf_counter, process_time

from attrs import frozen

from tests.growth.families import FAMILIES, Family
from tests.growth.work import EXCEPTIONS, Work

_SMALLEST = 40_000
# The largest growth that is allowed when the input doubles, and what a megabyte may take at most, in seconds.
_ALLOWED, _SLOW = 2.5, 5.0
# Seconds: shorter runs are repeated.
_SHORT = 2.0


@frozen
class Sample:
    """One size: characters, seconds, and bytes of memory taken on top of what was there."""

    size: int
    seconds: float
    memory: int


@frozen
class _Cell:
    """What is measured: a shape, and a work of its family."""

    shape: str
    name: str
    family: Family


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure each shape with each reader; 1 where one grows too fast, else 0."""
    options = _parse_options(arguments)
    bad = tried = 0
    _warm_up()
    _write(f"{'shape':<36}{'what':<24}{'MB':>6}{'s/MB':>9}{'growth':>8}{'B/char':>8}")
    for family in FAMILIES.values():
        for shape, name in product(family.shapes, family.work):
            if any(word not in f"{shape}: {name}" for word in options.only):
                continue
            tried += 1
            bad += _measure(_Cell(shape, name, family), options)
    _write(f"{bad} of {tried} grow too fast, are too slow, or end with an error")
    return 1 if bad else 0


def _warm_up() -> None:
    """Load what is loaded once, so that the processes that measure do not have to."""
    for name, family in FAMILIES.items():
        # Those go to the readers of all the others, and with a fault there even the shortest might not end.
        if name != "pumped texts":
            for make, work in product(family.shapes.values(), family.work.values()):
                work.run(work.make(make(200)))


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.growth", description="Measure growth on hostile texts.")
    parser.add_argument("--largest", type=float, default=10, metavar="MB", help="up to this size (default 10)")
    parser.add_argument("--limit", type=float, default=60, metavar="S", help="seconds for each measurement (60)")
    parser.add_argument("--memory", type=float, default=6, metavar="GB", help="memory for each measurement (6)")
    parser.add_argument("--only", action="append", default=[], metavar="TEXT", help="those with this in their line")
    parser.add_argument("--all", action="store_true", help="show what is as it should be, too")
    return parser.parse_args(arguments)


def _measure(cell: _Cell, options: argparse.Namespace) -> bool:
    samples: list[Sample] = []
    size, note = _SMALLEST, ""
    while size <= options.largest * 1e6 and not note:
        # What a linear reader would take longer for than there is time is not tried.
        if samples and samples[-1].seconds * 4 > options.limit:
            break
        sample, note = _in_a_child(cell, size, options)
        if sample:
            samples.append(sample)
        size *= 4
    if not samples:
        _write(f"{cell.shape:<36}{cell.name:<24}  {note}")
        return True
    last = samples[-1]
    # Of a doubling, from a fourfold size; times too short to be told apart from noise do not count.
    growth = max([1.0, *(_growth(a, b) for a, b in pairwise(samples))])
    per_mb = last.seconds / last.size * 1e6
    is_bad = growth > _ALLOWED or per_mb > _SLOW or bool(note)
    note = f"{note} {EXCEPTIONS.get((cell.shape, cell.name), '')}".strip()
    if is_bad or options.all:
        _write(
            f"{cell.shape:<36}{cell.name:<24}{last.size / 1e6:>6.2f}{per_mb:>9.3f}{growth:>8.2f}"
            f"{last.memory / last.size:>8.0f}  {note}"
        )
    return is_bad


def _growth(small: Sample, large: Sample) -> float:
    return float((large.seconds / max(small.seconds, 0.005)) ** 0.5)


def _in_a_child(cell: _Cell, size: int, options: argparse.Namespace) -> tuple[Sample | None, str]:
    """Measure in a process of its own, so that its memory is its own and nothing can hang."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        status = 1
        try:
            status = _run_child(cell, size, options, write)
        finally:
            os._exit(status)
    os.close(write)
    with os.fdopen(read) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    first, _, rest = said.partition(" ")
    if first == "ok":
        length, seconds, memory = rest.split()
        return Sample(int(length), float(seconds), int(memory)), ""
    return None, f"{size / 1e6:.2f} MB: {said or 'took too long'}"


def _run_child(cell: _Cell, size: int, options: argparse.Namespace, write: int) -> int:
    limit = int(options.memory * 1e9)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    # The alarm ends the process by its default; making the input has its share of the time.
    signal.alarm(int(options.limit * 3))
    try:
        text = cell.family.shapes[cell.shape](size)
        work = cell.family.work[cell.name]
        value = work.make(text)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        signal.alarm(int(options.limit))
        seconds = _time(work, value)
        memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
        # The least of three where that is quick: the first run has to get its memory from the system.
        for _ in range(2 if seconds < _SHORT else 0):
            seconds = min(seconds, _time(work, work.make(text)))
        said = f"ok {len(text)} {seconds} {memory}"
    except BaseException as error:  # whatever it is, the parent tells
        said = f"{type(error).__name__}: {error}"[:200]
    os.write(write, said.encode("utf-8", "backslashreplace"))
    return 0


def _time(work: Work, value: object) -> float:
    start = process_time()
    work.run(value)
    return process_time() - start


def _write(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    start = perf_counter()
    status = main()
    _write(f"{perf_counter() - start:.0f} s")
    sys.exit(status)
