"""What carries out tasks: processes of this machine, or a cluster of dask (which is loaded when it is needed)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from logging import getLogger
from time import monotonic, sleep
from typing import Any

from planspec_lark.bulk.models import BulkError, BulkTask, Engine, Outcome, ShardReport, describe_error
from planspec_lark.bulk.shard import perform_task
from planspec_lark.clusters import LOOK_SECONDS, WAIT_SECONDS, ClusterError, connect
from planspec_lark.process_pool import process_pool
from planspec_lark.syntax.safe_text import visible, visible_name

__all__ = ["count_cores", "run_locally", "run_on_dask"]

# Tasks in flight for each process or thread, so that none is ever idle; they do not grow with the corpus.
_AHEAD = 2

# ---------------------------------------------------------------- processes

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
        yield task, perform_task(task)


def _run_in_pool(tasks: Sequence[BulkTask], jobs: int) -> Iterator[Outcome]:
    left = list(reversed(tasks))
    while left:
        suspects: list[BulkTask] = []
        yield from _run_until_broken(left, suspects, jobs)
        # A process was killed, and it is unknown by which task: each runs alone, in a process of its own.
        for task in suspects:
            yield task, _run_alone(task)


def _run_until_broken(left: list[BulkTask], suspects: list[BulkTask], jobs: int) -> Iterator[Outcome]:
    """Take tasks off ``left`` until it is empty or a process has died; then ``suspects`` are those it may have had."""
    with _started_pool(jobs) as pool:
        running: dict[Future[ShardReport | str], BulkTask] = {}
        while running or (left and not suspects):
            while left and not suspects and len(running) < jobs * _AHEAD:
                task = left.pop()
                try:
                    running[pool.submit(perform_task, task)] = task
                except BrokenProcessPool:
                    suspects.append(task)
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                task = running.pop(future)
                try:
                    yield task, future.result()
                except BrokenProcessPool:
                    suspects.append(task)


def _run_alone(task: BulkTask) -> ShardReport | str:
    for _ in range(2):
        with process_pool(1) as pool, suppress(BrokenProcessPool):
            return pool.submit(perform_task, task).result()
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


# ---------------------------------------------------------------- dask

# Seconds between two looks whether something has come.
_STEP = 0.02

_log = getLogger(__name__)


def run_on_dask(address: str) -> Engine:
    """An engine that sends tasks to the scheduler at ``address``, such as ``tcp://host:8786``.

    The workers need this package, and inputs and results have to be at the same paths for all of them. A task whose
    worker dies is given to another one by the scheduler. Where there is no worker at all, a warning is logged, and
    after five minutes the run ends with a :class:`BulkError`.
    """
    return partial(_run, address=address)


def _run(tasks: Sequence[BulkTask], address: str) -> Iterator[Outcome]:
    shown = visible_name(address)
    try:
        client = connect(address, "cluster")
    except ClusterError as error:
        raise BulkError(str(error)) from None
    try:
        with client:
            yield from _run_with(client, tasks, shown)
    except OSError as error:
        raise BulkError(
            f"the scheduler at {shown} was lost, run this again: {visible(describe_error(error))}"
        ) from None


def _run_with(client: Any, tasks: Sequence[BulkTask], shown: str) -> Iterator[Outcome]:
    left = list(reversed(tasks))
    running: dict[str, BulkTask] = {}
    completed = import_module("distributed").as_completed(loop=client.loop)
    while left or running:
        # Workers may come and go.
        room = _wait_for_workers(client, shown) * _AHEAD - len(running)
        for _ in range(min(room, len(left))):
            task = left.pop()
            future = client.submit(perform_task, task, pure=False)
            running[future.key] = task
            completed.add(future)
        look = monotonic() + LOOK_SECONDS
        while not completed.has_ready() and monotonic() < look:
            sleep(_STEP)
        if completed.has_ready():
            future = next(completed)
            yield running.pop(future.key), _result_of(future)


def _wait_for_workers(client: Any, shown: str) -> int:
    """How many threads the workers have, once there are any."""
    if not client.nthreads():
        _log.warning("waiting for workers: the scheduler at %s has none", shown)
        try:
            client.wait_for_workers(1, timeout=WAIT_SECONDS)
        except TimeoutError:
            raise BulkError(f"the scheduler at {shown} has had no workers for {WAIT_SECONDS:.0f} seconds") from None
    return sum(client.nthreads().values())


def _result_of(future: Any) -> Any:
    if future.status == "finished":
        return future.result()
    error = future.exception() if future.status == "error" else None
    return f"the cluster gave up on it: {describe_error(error) if error else future.status}"
