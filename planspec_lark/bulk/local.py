"""The engine for one machine: a pool of processes of the standard library."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import partial

from planspec_lark.bulk.models import BulkError, BulkTask, Engine, Outcome, ShardReport
from planspec_lark.bulk.shards import perform
from planspec_lark.processes import process_pool

__all__ = ["count_cores", "run_locally"]

# Tasks that wait at each process, so that none is ever idle; what is in flight does not grow with the corpus.
_AHEAD = 2
_NO_PROCESS = 'no process can be started: a script that calls run_bulk needs `if __name__ == "__main__":`, or jobs=1'
_KILLED = "its process was killed twice, with no other beside it; there may be too little memory"


def count_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_locally(jobs: int) -> Engine:
    """An engine with so many processes. With one, the work is done in this process, and nothing is started."""
    return _run_here if jobs == 1 else partial(_run_in_pool, jobs=jobs)


def _run_here(tasks: Sequence[BulkTask]) -> Iterator[Outcome]:
    for task in tasks:
        yield task, perform(task)


def _run_in_pool(tasks: Sequence[BulkTask], jobs: int) -> Iterator[Outcome]:
    left = list(reversed(tasks))
    while left:
        suspects: list[BulkTask] = []
        yield from _run_until_broken(left, suspects, jobs)
        # A process was killed, and nobody can say over which task: each gets a process, and the machine, for itself.
        for task in suspects:
            yield task, _run_alone(task)


def _run_until_broken(left: list[BulkTask], suspects: list[BulkTask], jobs: int) -> Iterator[Outcome]:
    """Take tasks off ``left`` until it is empty or a process has died; then ``suspects`` are those it may have had."""
    with _started_pool(jobs) as pool:
        running: dict[Future[ShardReport | str], BulkTask] = {}
        while (left or running) and not suspects:
            while left and len(running) < jobs * _AHEAD:
                task = left.pop()
                try:
                    running[pool.submit(perform, task)] = task
                except BrokenProcessPool:
                    suspects.append(task)
                    break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                task = running.pop(future)
                try:
                    yield task, future.result()
                except BrokenProcessPool:
                    suspects.append(task)
        suspects += [task for future, task in running.items() if not _is_fine(future)]
        for future, task in running.items():
            if task not in suspects:
                yield task, future.result()


def _is_fine(future: Future[ShardReport | str]) -> bool:
    return not isinstance(future.exception(), BrokenProcessPool)


def _run_alone(task: BulkTask) -> ShardReport | str:
    for _ in range(2):
        with process_pool(1) as pool, suppress(BrokenProcessPool):
            return pool.submit(perform, task).result()
    return _KILLED


@contextmanager
def _started_pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of which a process has answered. One that is killed while it starts is no reason to give up."""
    for _ in range(2):
        with process_pool(jobs) as pool:
            try:
                pool.submit(os.getpid).result()
            except BrokenProcessPool:
                continue
            yield pool
            return
    raise BulkError(_NO_PROCESS)
