"""Work on many files in several processes, for commands that a person may interrupt."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

import click

__all__ = ["map_in_processes"]

Item = TypeVar("Item")
Result = TypeVar("Result")

# How many items a process gets at once, enough to make up for sending them, and how many such lots wait for each.
_CHUNK = 25
_AHEAD = 3


def map_in_processes(work: Callable[[Item], Result], items: Sequence[Item], jobs: int) -> Iterator[Result]:
    """What ``work`` gives for each item, in their order; both have to be picklable.

    With one job, or too few items for more, it is done in this process. An interrupt ends all processes at once.

    Raises:
        click.ClickException: a process was killed.
    """
    jobs = min(jobs, -(-len(items) // _CHUNK))
    if jobs <= 1:
        yield from map(work, items)
        return
    chunks = [items[at : at + _CHUNK] for at in range(0, len(items), _CHUNK)]
    pool = ProcessPoolExecutor(jobs, initializer=_leave_interrupts_alone)
    is_done = False
    try:
        running = [pool.submit(_work_on, work, chunk) for chunk in chunks[: jobs * _AHEAD]]
        for number in range(len(chunks)):
            yield from running[number].result()
            if len(running) < len(chunks):
                running.append(pool.submit(_work_on, work, chunks[len(running)]))
        is_done = True
    except BrokenProcessPool:
        raise _Killed from None
    finally:
        if not is_done:
            for process in list((pool._processes or {}).values()):
                process.terminate()
        pool.shutdown(cancel_futures=True)


class _Killed(click.ClickException):
    exit_code = 2

    def __init__(self) -> None:
        super().__init__("a process was killed; there may be too little memory for so many at once")


def _leave_interrupts_alone() -> None:
    # An interrupt reaches all processes of a terminal; the first one decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _work_on(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    return list(map(work, items))
