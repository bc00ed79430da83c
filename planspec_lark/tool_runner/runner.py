"""Runs a tool plan: calls what is ready side by side, and records what comes of it."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from contextvars import copy_context
from pathlib import Path
from threading import Event
from typing import Any

from attrs import evolve

from planspec_lark.awaitables import OverdueError, OwnThread, call_until, drop, ignore
from planspec_lark.runs.ledger import Ledger, LedgerError, check_name
from planspec_lark.runs.telemetry import telling
from planspec_lark.tool_runner.call_ledger import RUN, open_calls
from planspec_lark.tool_runner.callables import AtomCallable, Call, find_caller
from planspec_lark.tool_runner.results import RunEvent, ToolRun
from planspec_lark.tool_runner.scheduler import LOG, CallOutcome, CallScheduler, ToolCall
from planspec_lark.toolplan.models import Registry, ToolPlan

__all__ = ["arun_toolplan", "run_toolplan"]

_JOBS = 4
_Registry = Registry | Mapping[str, Any] | list[Any]
_Find = Callable[[str], AtomCallable]
_Future = Future[CallOutcome] | asyncio.Task[CallOutcome]
_Running = dict[Any, ToolCall]


def run_toolplan(  # noqa: PLR0913  (all but three are keywords)
    plan: ToolPlan,
    registry: _Registry,
    call: Call,
    *,
    jobs: int = _JOBS,
    timeout: float | None = None,
    ledger: Ledger | Path | str | None = None,
    run_id: str = RUN,
    on_event: Callable[[RunEvent], None] = ignore,
    dry_run: bool = False,
) -> ToolRun:
    """Call the tools of a plan, each once all that its step depends on is done, several at a time in threads.

    A step has failed if its callable raises an exception, or does not give all outputs that its tool declares; the
    steps that depend on it are skipped, and all others continue. Other exceptions, such as KeyboardInterrupt, end the
    run once the callables that are at work have ended; so does whatever ``on_event`` raises.

    Args:
        plan: the plan.
        registry: the tools: a model, definitions by id, or a list of them.
        call: callables by atom id, which get the inputs by name as a dict; or one callable, which gets the atom id
            first. They return the outputs by name.
        jobs: how many calls there are at a time.
        timeout: seconds for each call; None is no limit. A step that takes longer has failed. What is asynchronous is
            cancelled; a thread cannot be stopped, so its :func:`~planspec_lark.awaitables.stop_event` is set, and
            nobody waits for it.
        ledger: keeps what is done: a ledger, or the path of one, which is made if need be. A later run with it calls no
            step again that is done and has the same definition and the same inputs. What is passed from step to step is
            JSON then.
        run_id: the run of the ledger that has the steps, where a ledger has those of several plans.
        on_event: told of everything that happens, in the thread of the caller.
        dry_run: call nothing and write nothing. Results say what would be called, in which wave, with which inputs.

    Returns:
        The outcome of each step.

    Raises:
        ToolPlanError: there are errors in the plan.
        ToolRunError: a tool has no callable.
        RunBusyError: another process is at work with the ledger.
        LedgerError: the ledger cannot be used.
        TypeError: a callable is asynchronous.
    """
    scheduler = CallScheduler(plan, registry, on_event, dry_run)
    with _begun(scheduler, call, jobs, timeout, ledger, run_id) as find:
        _drive(scheduler, find, jobs, timeout)
        return _close(scheduler)


async def arun_toolplan(  # noqa: PLR0913  (as above)
    plan: ToolPlan,
    registry: _Registry,
    call: Call,
    *,
    jobs: int = _JOBS,
    timeout: float | None = None,
    ledger: Ledger | Path | str | None = None,
    run_id: str = RUN,
    on_event: Callable[[RunEvent], None] = ignore,
    dry_run: bool = False,
) -> ToolRun:
    """As :func:`run_toolplan`, for callables that are asynchronous; others are run in threads.

    To cancel it cancels the callables that are at work; those in threads it waits for.
    """
    scheduler = CallScheduler(plan, registry, on_event, dry_run)
    with _begun(scheduler, call, jobs, timeout, ledger, run_id) as find:
        await _adrive(scheduler, find, jobs, timeout)
        return _close(scheduler)


@contextmanager
def _begun(  # noqa: PLR0913, PLR0917  (the arguments of both)
    scheduler: CallScheduler,
    call: Call,
    jobs: int,
    timeout: float | None,
    ledger: Ledger | Path | str | None,
    run_id: str,
) -> Iterator[_Find]:
    """What finds the callables of a run. Nothing is written before all is known to be there."""
    if jobs < 1:
        raise ValueError(f"jobs: {jobs} is not at least 1")
    if timeout is not None and not timeout > 0:
        raise ValueError(f"timeout: {timeout} is not more than 0")
    check_name("run_id", run_id)
    # A dry run takes no task, and so looks for none.
    find = find_caller(call, () if scheduler.is_dry else scheduler.atom_ids())
    with ExitStack() as held:
        if ledger is not None:
            opened = open_calls(ledger, run_id, scheduler.plan.target, read_only=scheduler.is_dry)
            scheduler.calls = held.enter_context(opened)
        if not scheduler.is_dry:
            scheduler.telemetry = held.enter_context(telling(LOG, run_id, "toolplan"))
        yield find


def _close(scheduler: CallScheduler) -> ToolRun:
    done = scheduler.close()
    scheduler.telemetry.outcome = "done" if done.is_done else "failed"
    return done


# ---------------------------------------------------------------- calls side by side


def _begin(scheduler: CallScheduler, running: _Running, jobs: int, begin: Callable[[ToolCall], _Future]) -> bool:
    """Begin as many calls as there may be at a time; says whether any is at work."""
    while len(running) < jobs and (task := scheduler.take()) is not None:
        with scheduler.at_work(task):
            running[begin(task)] = task
    return bool(running)


def _finish(scheduler: CallScheduler, running: _Running, done: Iterable[_Future]) -> None:
    """Take the results of calls. Until one is written down, an interrupt leaves it to be rescued."""
    for future in sorted(done, key=lambda one: running[one].index):
        ended = future.result()
        if ended.stop is not None:
            raise ended.stop
        fields = scheduler.record(running[future], ended)
        scheduler.settle(running.pop(future), fields)


def _rescue(scheduler: CallScheduler, running: _Running) -> None:
    """Write down what has ended while the run was being given up."""
    for future, task in running.items():
        # To ask a thread for its exception waits for its end.
        if not future.cancelled() and not future.exception() and future.result().stop is None:
            # The ledger may be why it is given up; that is what is raised then.
            with suppress(LedgerError):
                scheduler.record(task, future.result())


# ---------------------------------------------------------------- threads


def _drive(scheduler: CallScheduler, find: _Find, jobs: int, timeout: float | None) -> None:
    running: _Running = {}
    with ThreadPoolExecutor(jobs, thread_name_prefix="toolplan") as pool:

        def begin(task: ToolCall) -> _Future:
            return pool.submit(copy_context().run, _call_at_once, find(task.atom_id), task.inputs, timeout)

        try:
            while _begin(scheduler, running, jobs, begin):
                _finish(scheduler, running, wait(running, return_when=FIRST_COMPLETED).done)
        except BaseException:
            _rescue(scheduler, running)
            raise


def _call_at_once(call: AtomCallable, inputs: dict[str, Any], timeout: float | None) -> CallOutcome:
    ended = _call(call, inputs, timeout)
    if not inspect.isawaitable(ended.value):
        return ended
    drop(ended.value)
    return evolve(ended, stop=TypeError("a callable is asynchronous, so await arun_toolplan() here"))


def _call(call: AtomCallable, inputs: dict[str, Any], timeout: float | None) -> CallOutcome:
    started, clock = time.time(), time.monotonic()
    value, failure = None, None
    try:
        value = call(inputs) if timeout is None else _call_within(call, inputs, timeout)
    except Exception as error:
        failure = error
    return CallOutcome(value, failure, started, time.monotonic() - clock)


def _call_within(call: AtomCallable, inputs: dict[str, Any], timeout: float) -> Any:
    """Call in a thread of its own, for which nobody waits longer than that."""
    stop, thread = Event(), OwnThread()

    def work() -> Any:
        value = call(inputs)
        if stop.is_set():
            drop(value)
        return value

    future = thread.submit(copy_context().run, call_until, stop, work)
    wait([future], timeout)
    if not future.done():
        stop.set()
        raise OverdueError(timeout, has_ended=False)
    return future.result()


# ---------------------------------------------------------------- event loops


async def _adrive(scheduler: CallScheduler, find: _Find, jobs: int, timeout: float | None) -> None:
    running: _Running = {}
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="toolplan")

    def begin(task: ToolCall) -> _Future:
        return asyncio.create_task(_acall(pool, find(task.atom_id), task.inputs, timeout))

    try:
        while _begin(scheduler, running, jobs, begin):
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            _finish(scheduler, running, done)
    except BaseException:
        for future in running:
            future.cancel()
        if running:
            await asyncio.wait(running)
        _rescue(scheduler, running)
        raise
    finally:
        pool.shutdown(wait=False)


async def _acall(
    pool: ThreadPoolExecutor, call: AtomCallable, inputs: dict[str, Any], timeout: float | None
) -> CallOutcome:
    started, clock = time.time(), time.monotonic()
    value, failure, stop = None, None, None
    try:
        if inspect.iscoroutinefunction(call):
            value = await _await_within(call(inputs), timeout)
        else:
            ended = await _in_thread(pool, call, inputs, timeout)
            if not inspect.isawaitable(ended.value):
                return ended
            value = await _await_within(ended.value, timeout)
    except Exception as error:
        failure = error
    except asyncio.CancelledError:
        raise
    except BaseException as error:  # in a task of its own it would end the event loop
        stop = error
    return CallOutcome(value, failure, started, time.monotonic() - clock, stop)


async def _await_within(answer: Awaitable[Any], timeout: float | None) -> Any:
    try:
        async with asyncio.timeout(timeout) as limit:
            return await answer
    except TimeoutError:
        # It may be the call's own.
        if not limit.expired() or timeout is None:
            raise
        raise OverdueError(timeout, has_ended=True) from None


async def _in_thread(
    pool: ThreadPoolExecutor, call: AtomCallable, inputs: dict[str, Any], timeout: float | None
) -> CallOutcome:
    """Call what would keep all others waiting. A thread cannot be cancelled, so what it gives is taken in any case."""
    # No future can have StopIteration as its exception, so it is a part of what the thread gives.
    work = asyncio.get_running_loop().run_in_executor(pool, copy_context().run, _call, call, inputs, timeout)
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait([work])
        if work.exception() is None and inspect.isawaitable(work.result().value):
            drop(work.result().value)
            raise
        return work.result()
