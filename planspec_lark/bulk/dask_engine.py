"""The engine for many machines: a cluster of dask. This room knows `distributed`, and loads it when it is needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from logging import getLogger
from time import monotonic, sleep
from typing import Any

from planspec_lark.bulk.models import BulkError, BulkTask, Engine, Outcome
from planspec_lark.bulk.reasons import reason_of
from planspec_lark.bulk.shards import perform
from planspec_lark.syntax.source import visible, visible_name

__all__ = ["run_on_dask"]

# Tasks in flight for each thread of the cluster.
_AHEAD = 2
_PATIENCE = "15s"
# How long to wait for a first worker, or for one more where all are gone, and how often to look (seconds).
_WAIT = 300.0
_LOOK = 5.0
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
    distributed = _load()
    shown = visible_name(address)
    try:
        # A client that is made for no address at all does not end for a minute.
        import_module("distributed.comm").get_address_host_port(address)
        client = distributed.Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise BulkError(f"no scheduler answers at {shown}: {visible(reason_of(error))}") from None
    try:
        with client:
            yield from _run_with(client, distributed, tasks, shown)
    except OSError as error:
        raise BulkError(f"the scheduler at {shown} was lost, run this again: {visible(reason_of(error))}") from None


def _load() -> Any:
    try:
        return import_module("distributed")
    except ModuleNotFoundError as error:
        if error.name not in ("distributed", "dask"):
            raise
        raise BulkError("the engine dask needs the extra `cluster`: pip install 'planspec-lark[cluster]'") from None


def _run_with(client: Any, distributed: Any, tasks: Sequence[BulkTask], shown: str) -> Iterator[Outcome]:
    left = list(reversed(tasks))
    running: dict[str, BulkTask] = {}
    completed = distributed.as_completed(loop=client.loop)
    while left or running:
        # Workers may come and go.
        room = _wait_for_workers(client, shown) * _AHEAD - len(running)
        for _ in range(min(room, len(left))):
            task = left.pop()
            future = client.submit(perform, task, pure=False)
            running[future.key] = task
            completed.add(future)
        _wait_for_one(completed, client, shown)
        future = next(completed)
        yield running.pop(future.key), _result_of(future)


def _wait_for_one(completed: Any, client: Any, shown: str) -> None:
    """Wait until a task has ended, as long as there is a worker that may end it."""
    look = monotonic() + _LOOK
    while not completed.has_ready():
        sleep(_STEP)
        if monotonic() >= look:
            _wait_for_workers(client, shown)
            look = monotonic() + _LOOK


def _wait_for_workers(client: Any, shown: str) -> int:
    """How many threads the workers have, once there are any."""
    end = monotonic() + _WAIT
    is_told = False
    while not (threads := sum(client.nthreads().values())):
        if not is_told:
            _log.warning("waiting for workers: the scheduler at %s has none", shown)
            is_told = True
        if monotonic() >= end:
            raise BulkError(f"the scheduler at {shown} has had no workers for {_WAIT:.0f} seconds")
        sleep(min(_LOOK, _WAIT) / 10)
    return int(threads)


def _result_of(future: Any) -> Any:
    if future.status == "finished":
        return future.result()
    error = future.exception() if future.status == "error" else None
    return f"the cluster gave it up: {reason_of(error) if error else future.status}"
