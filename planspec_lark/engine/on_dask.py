"""Steps that are run by a cluster of Dask.

A call goes there without the plan, the history and, where none are declared, the inputs: most operators look at none of
them. One that does gets them from the engine then.
"""

from __future__ import annotations

import asyncio
import inspect
import pickle
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib import import_module
from itertools import count
from logging import getLogger
from threading import Event
from time import monotonic
from typing import Any

from attrs import define, evolve

from planspec_lark.awaitables import awaited
from planspec_lark.cancellation import stop_event
from planspec_lark.clusters import LOOK_SECONDS, WAIT_SECONDS, ClusterError, connect
from planspec_lark.engine.models import FatalError, Operator, OperatorResult, Runner, StepCall
from planspec_lark.runs.history import History, HistoryEvent
from planspec_lark.syntax.safe_text import visible

__all__ = ["dask_runner"]

# Seconds between two checks whether a call is still waited for.
_GLANCE = 0.2
# Seconds that a worker waits for a part of a call.
_ANSWER_SECONDS = 60

_log = getLogger(__name__)


def dask_runner(client: Any) -> Runner:
    """Sends an operator's calls to the workers of a Dask cluster.

    The key of a task is the key of its call. A step whose worker dies is run again with this key on another one, as
    often as the scheduler allows it (``distributed.scheduler.allowed-failures``); after that it has failed. The workers
    need this package and all that the operator needs. An asynchronous operator is run to its end there. Where the
    scheduler is lost, or has had no workers for five minutes, the run ends with
    :class:`~planspec_lark.engine.FatalError`, and the step has not failed. What a worker has begun continues there
    where a step takes longer than its policy allows, or the run is stopped.

    Plan, history and inputs that are not declared are got from the engine where the operator asks for them.

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

    parts = _PartServer(made)

    def run(operator: Operator, call: StepCall) -> OperatorResult:
        try:
            with parts.opened(call) as sent:
                return _run(made, operator, sent)
        except lost as error:
            raise FatalError(f"the cluster was lost: {visible(str(error))}") from None

    return run


# ---------------------------------------------------------------- what a worker asks for


class _PartServer:
    """Answers workers that ask for parts of calls.

    Args:
        client: of the cluster.
    """

    def __init__(self, client: Any) -> None:
        self._client, self._topic = client, f"planspec-{secrets.token_hex(8)}"
        # By the names that the calls under way have there.
        self._calls: dict[str, StepCall] = {}
        self._answers: dict[str, list[Any]] = {}
        self._numbers = count()
        client.subscribe_topic(self._topic, self._answer)

    @contextmanager
    def opened(self, call: StepCall) -> Iterator[StepCall]:
        """The call as it is sent. It is known as long as this block lasts."""
        # Another try has the key of the one before.
        name = f"{self._topic} {next(self._numbers)}"
        self._calls[name] = call
        plan, history, inputs = (_Part(self._topic, name, part) for part in ("plan_state", "history", "inputs"))
        sent = evolve(call, plan_state=_RemotePlan(plan), history=_RemoteHistory(history))
        try:
            yield sent if call.step.inputs else evolve(sent, inputs=_RemoteInputs(inputs))
        finally:
            del self._calls[name]
            for answer in self._answers.pop(name, ()):
                with suppress(Exception):
                    answer.delete()

    async def _answer(self, event: tuple[float, tuple[str, str]]) -> None:
        name, part = event[1]
        call = self._calls.get(name)
        if call is None:
            return
        data = await asyncio.to_thread(_pack, getattr(call, part))
        answer = import_module("distributed").Variable(f"{name} {part}", client=self._client)
        self._answers.setdefault(name, []).append(answer)
        await answer.set(data)


def _pack(part: object) -> bytes:
    """A part of a call, or what keeps it from being read."""
    try:
        return pickle.dumps(part)
    except Exception as error:
        return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))


@define(eq=False, slots=False)
class _Part:
    """A part of a call that the engine has, and gives where it is asked for."""

    topic: str
    call: str
    part: str

    @cached_property
    def value(self) -> Any:
        """The part, as any other process would have got it with the call."""
        distributed = import_module("distributed")
        distributed.get_worker().log_event(self.topic, (self.call, self.part))
        answer = distributed.Variable(f"{self.call} {self.part}", client=distributed.get_client())
        value = pickle.loads(answer.get(timeout=_ANSWER_SECONDS))  # noqa: S301  (of the engine that has sent the call)
        if isinstance(value, Exception):
            raise value
        return value


@define(eq=False)
class _RemotePlan:
    _part: _Part

    def __call__(self, most: int | None = None) -> str:
        return str(self._part.value(most))


class _RemoteHistory(History):
    def __init__(self, part: _Part) -> None:
        self._part = part

    def __iter__(self) -> Iterator[HistoryEvent]:
        return iter(self._part.value)

    def __len__(self) -> int:
        return len(self._part.value)

    def last(self, count: int) -> list[HistoryEvent]:
        events: list[HistoryEvent] = self._part.value.last(count)
        return events

    def __reduce__(self) -> tuple[Any, ...]:
        return _RemoteHistory, (self._part,)


@define(eq=False)
class _RemoteInputs(Mapping[str, Any]):
    _part: _Part

    def __getitem__(self, name: str) -> Any:
        return self._part.value[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._part.value)

    def __len__(self) -> int:
        return len(self._part.value)


# ---------------------------------------------------------------- calls


def _run(client: Any, operator: Operator, call: StepCall) -> OperatorResult:
    future = client.submit(_perform, operator, call, key=call.key, pure=False)
    try:
        _wait_for(client, future)
        return future.result()  # type: ignore[no-any-return]  # the engine looks at what it is
    except BaseException:
        # A call that is no longer waited for is not begun.
        with suppress(Exception):
            future.cancel()
        raise


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
