"""Steps that are run by a cluster of Dask."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from logging import getLogger
from threading import Event
from time import monotonic
from typing import Any

from planspec_lark.awaitables import awaited
from planspec_lark.cancellation import stop_event
from planspec_lark.clusters import LOOK_SECONDS, WAIT_SECONDS, ClusterError, connect
from planspec_lark.engine.models import FatalError, Operator, OperatorResult, Runner, StepCall
from planspec_lark.syntax.safe_text import visible

__all__ = ["dask_runner"]

# Seconds between two checks whether a call is still waited for.
_GLANCE = 0.2

_log = getLogger(__name__)


def dask_runner(client: Any) -> Runner:
    """What sends the calls of an engine's operator to the workers of a cluster.

    The key of a task is the key of its call. A step whose worker dies is run again with this key on another one, as
    often as the scheduler allows it (``distributed.scheduler.allowed-failures``); after that it has failed. The workers
    need this package and all that the operator needs. An asynchronous operator is run to its end there. Where the
    scheduler is lost, or has had no workers for five minutes, the run ends with
    :class:`~planspec_lark.engine.FatalError`, and the step has not failed. What a worker has begun continues there
    where a step takes longer than its policy allows, or the run is stopped.

    Args:
        client: a ``distributed.Client``, or the address of a scheduler, such as ``tcp://host:8786``.

    Raises:
        FatalError: Dask is not installed, or the address does not answer.
    """
    try:
        made = connect(client, "distributed") if isinstance(client, str) else client
    except ClusterError as error:
        raise FatalError(str(error)) from None
    lost = (
        import_module("distributed.client").FutureCancelledError,
        import_module("distributed.core").CommClosedError,
    )

    def run(operator: Operator, call: StepCall) -> OperatorResult:
        try:
            future = made.submit(_perform, operator, call, key=call.key, pure=False)
            try:
                _wait_for(made, future)
                return future.result()  # type: ignore[no-any-return]  # the engine looks at what it is
            except BaseException:
                # A call that is no longer waited for is not begun.
                with suppress(Exception):
                    future.cancel()
                raise
        except lost as error:
            raise FatalError(f"the cluster was lost: {visible(str(error))}") from None

    return run


def _perform(operator: Callable[[StepCall], Any], call: StepCall) -> Any:
    """On a worker: an operator that is asynchronous is waited for there."""
    given = operator(call)
    return asyncio.run(awaited(given)) if inspect.isawaitable(given) else given


def _wait_for(client: Any, future: Any) -> None:
    is_done, stop, waited = Event(), stop_event(), 0.0
    future.add_done_callback(lambda _: is_done.set())
    looked = monotonic()
    while not is_done.wait(_GLANCE):
        if stop.is_set():
            raise FatalError("this call is no longer needed")
        if monotonic() - looked < LOOK_SECONDS:
            continue
        looked = monotonic()
        waited = 0.0 if client.nthreads() else waited + LOOK_SECONDS
        if waited == LOOK_SECONDS:
            _log.warning("waiting for workers: the cluster has none")
        if waited >= WAIT_SECONDS:
            raise FatalError(f"the cluster has had no workers for {WAIT_SECONDS:.0f} seconds")
