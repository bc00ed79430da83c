"""Work on many files in several processes, for commands that a person may interrupt."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

import click

from planspec_lark.processes import process_pool

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
    with process_pool(jobs) as pool:
        try:
            running = deque(pool.submit(_work_on, work, chunk) for chunk in chunks[: jobs * _AHEAD])
            for chunk in [*chunks[len(running) :], *[None] * len(running)]:
                yield from running.popleft().result()
                if chunk is not None:
                    running.append(pool.submit(_work_on, work, chunk))
        except BrokenProcessPool:
            raise _Killed from None


class _Killed(click.ClickException):
    exit_code = 2

    def __init__(self) -> None:
        super().__init__("a process was killed; there may be too little memory for so many at once")


def _work_on(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    return list(map(work, items))
