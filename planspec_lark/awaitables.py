"""Callables of both kinds, asynchronous and not, called from one generator.

A generator yields :class:`Work`, which is begun and not waited for, and later :data:`FIRST`, for which it is sent a
queue of the work that has ended, with what came of it, so that what happens between the calls is written once. It takes
out what it deals with. :func:`drive` and :func:`adrive` do the calling.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import Awaitable, Callable, Generator, Iterable
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from threading import Thread
from typing import Any, TypeAlias, TypeVar

from attrs import frozen

from planspec_lark.cancellation import StopEvent, context_until, stop_event

__all__ = [
    "FIRST",
    "OverdueError",
    "OwnThread",
    "Pause",
    "RunningLoopError",
    "Turn",
    "Work",
    "WorkResult",
    "adrive",
    "awaited",
    "drive",
    "drop",
    "ignore",
    "is_in_loop",
    "wait_for",
]

_T = TypeVar("_T")

# Seconds that a thread gets to end once it was told to.
_GRACE = 2.0


class RunningLoopError(RuntimeError):
    """Something is asynchronous, and a loop runs already."""


class OverdueError(Exception):
    """Work has taken longer than it may.

    Attributes:
        seconds: how long it may take.
        has_ended: whether it was stopped. Otherwise it keeps running in a thread, and its result is ignored.
    """

    def __init__(self, seconds: float, *, has_ended: bool) -> None:
        super().__init__(f"it has taken longer than {seconds:g} seconds")
        self.seconds = seconds
        self.has_ended = has_ended


# What is to be called; it may give an awaitable.
Call: TypeAlias = Callable[[], Any]


@frozen(eq=False)
class Work:
    """A call to begin.

    With a ``timeout`` it ends with an :class:`OverdueError` after so many seconds. What is asynchronous is cancelled
    then; what is not is called in a thread of its own, whose :func:`~planspec_lark.cancellation.stop_event` is set.

    A turn may be left while it is at work. A thread is waited for then, and ``rescue`` gets what came of it.
    """

    call: Call
    timeout: float | None = None
    rescue: Callable[[WorkResult], object] | None = None


@frozen(eq=False)
class Pause:
    """Work that is nothing but to wait for so many seconds."""

    seconds: float


@frozen
class WorkResult:
    """Work that has ended, with what it gave or raised."""

    work: Work | Pause
    value: Any = None
    error: Exception | None = None


class _First:
    """To wait for the work that ends first, and all that has ended by then, in the order in which it was begun."""


FIRST = _First()
# What becomes of work: an interrupt, such as KeyboardInterrupt, ends the turn.
_Ended: TypeAlias = WorkResult | BaseException
Turn: TypeAlias = Generator[Work | Pause | _First, Any, _T]


def ignore(*_: object) -> None:
    """Stands where nobody has to be told."""


def drop(value: object) -> None:
    """Drop a result that is no longer waited for; Python warns of a coroutine that is never awaited."""
    if inspect.iscoroutine(value):
        value.close()


def drive(turn: Turn[_T], runner: asyncio.Runner, instead: str) -> _T:
    """Call what a turn asks for, one after the other, until it ends; gives what it returns.

    What is asynchronous runs in the runner's loop: all of it in one, as clients keep their connections to the loop they
    were made in. For ``instead`` see :func:`wait_for`.
    """
    ended: deque[WorkResult] = deque()
    try:
        asked = next(turn)
        while True:
            if isinstance(asked, _First):
                asked = turn.send(ended)
            else:
                ended.append(_end(asked, runner, instead))
                asked = turn.send(None)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]  # it is what the turn returns
    finally:
        turn.close()
        _rescue(ended)


def _end(work: Work | Pause, runner: asyncio.Runner, instead: str) -> WorkResult:
    if isinstance(work, Pause):
        stop_event().wait(work.seconds)
        return WorkResult(work)
    call = (
        work.call if work.timeout is None else partial(_within, work.call, work.timeout, keeps=work.rescue is not None)
    )
    try:
        return WorkResult(work, wait_for(call, runner, instead))
    except Exception as error:
        return WorkResult(work, error=error)


def wait_for(call: Call, runner: asyncio.Runner, instead: str) -> Any:
    """Call something and wait for what it gives. What is asynchronous runs in the runner's loop.

    It is cancelled where this call is to stop.

    Raises:
        RunningLoopError: it is, and a loop runs already; ``instead`` says what to await.
    """
    answer = _call(call)
    if not inspect.isawaitable(answer):
        return answer
    if is_in_loop():
        drop(answer)
        raise RunningLoopError(f"an event loop is running already, so await {instead} here")
    # Each call as its caller has it: the runner would continue with what was there at its first one.
    return runner.run(_until_stopped(answer), context=copy_context())


async def _until_stopped(answer: Awaitable[Any]) -> Any:
    stop, task = stop_event(), asyncio.current_task()
    assert task is not None
    with stop.telling(partial(asyncio.get_running_loop().call_soon_threadsafe, task.cancel)):
        given = await answer
    if task.cancelling() and not stop.is_set():
        # What keeps its result has done so for who stops it, and not for an interrupt, which ends all.
        raise asyncio.CancelledError
    return given


def is_in_loop() -> bool:
    """Whether an event loop runs in this thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _call(call: Call) -> Any:
    try:
        return call()
    except (StopIteration, CancelledError) as error:
        # No future can hold the first: waiting for it would never end. One that holds the other, mostly that
        # of a future which another task has cancelled, looks as if the run had been cancelled.
        raise RuntimeError(f"what was called raised {type(error).__name__}") from error


async def awaited(answer: Awaitable[Any]) -> Any:
    """An awaitable as a coroutine, which is what event loops run."""
    return await answer


async def adrive(turn: Turn[_T], jobs: int = 1) -> _T:
    """As :func:`drive`, in the running loop, with so much work side by side. What is not asynchronous is in threads.

    A thread cannot be cancelled: a task that is cancelled meanwhile ends when the threads have, or when it is cancelled
    once more.
    """
    tasks: dict[asyncio.Task[_Ended], Work | Pause] = {}
    ended: deque[WorkResult] = deque()
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="planspec")
    try:
        asked = next(turn)
        while True:
            if isinstance(asked, _First):
                await _collect(tasks, ended)
                asked = turn.send(ended)
            else:
                tasks[asyncio.ensure_future(_begin(asked, pool))] = asked
                asked = turn.send(None)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]  # it is what the turn returns
    finally:
        turn.close()
        for task in tasks:
            task.cancel()
        try:
            if tasks:
                await asyncio.wait(tasks)
        finally:
            pool.shutdown(wait=False)
        left = [task.result() for task in tasks if not task.cancelled()]
        _rescue([*ended, *(one for one in left if isinstance(one, WorkResult))])


async def _begin(work: Work | Pause, pool: Executor) -> _Ended:
    """Do it; an interrupt is given back, as one that leaves a task ends the whole loop."""
    try:
        if isinstance(work, Pause):
            await asyncio.sleep(work.seconds)
            return WorkResult(work)
        keeps = work.rescue is not None
        if work.timeout is None:
            return WorkResult(work, await _in_thread(work.call, pool, keeps=keeps))
        return WorkResult(work, await _within(work.call, work.timeout, keeps=keeps))
    except Exception as error:
        return WorkResult(work, error=error)
    except asyncio.CancelledError:
        raise
    except BaseException as error:
        return error


async def _collect(tasks: dict[asyncio.Task[_Ended], Work | Pause], ended: deque[WorkResult]) -> None:
    """Wait for the first task that ends, and move what has ended by then."""
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in [task for task in tasks if task in done]:
        one = task.result()
        if isinstance(one, WorkResult):
            ended.append(one)
        elif not ended:
            raise one
        else:
            # It interrupts the turn when the others have been taken.
            break
        del tasks[task]


def _rescue(results: Iterable[WorkResult]) -> None:
    """Hand out what came of work while its turn was left."""
    for ended in results:
        if isinstance(ended.work, Work) and ended.work.rescue is not None:
            ended.work.rescue(ended)


async def _in_thread(call: Call, pool: Executor, limit: asyncio.Timeout | None = None, *, keeps: bool = False) -> Any:
    stop = StopEvent()
    context = context_until(stop)
    work = asyncio.get_running_loop().run_in_executor(pool, context.run, _call_until, call, stop)
    try:
        answer = await asyncio.shield(work)
    except asyncio.CancelledError:
        stop.set()
        is_late = limit is not None and limit.expired()
        try:
            await asyncio.wait([work], timeout=_GRACE if is_late else None)
        finally:
            # The result of what is still in a thread is ignored.
            if not work.done():
                work.cancel()
            elif work.exception() is None:
                drop(work.result())
        if keeps and not is_late and not inspect.isawaitable(work.result()):
            return work.result()
        raise
    return await answer if inspect.isawaitable(answer) else answer


def _call_until(call: Call, stop: StopEvent) -> Any:
    answer = _call(call)
    if stop.is_set():
        drop(answer)
    return answer


class OwnThread(Executor):
    """A thread for one call. Neither other calls nor the end of the process wait for it."""

    def __init__(self) -> None:
        self._future: Future[Any] = Future()

    @property
    def has_ended(self) -> bool:
        """Whether the call has."""
        return self._future.done()

    def submit(self, fn: Callable[..., _T], /, *args: Any, **kwargs: Any) -> Future[_T]:
        """Begin the call. Whether it is waited for or not, what comes of it is set."""
        self._future.set_running_or_notify_cancel()
        Thread(target=self._run, args=(partial(fn, *args, **kwargs),), name="planspec-call", daemon=True).start()
        return self._future

    def _run(self, call: Call) -> None:
        try:
            answer = call()
        except BaseException as error:
            self._future.set_exception(error)
        else:
            self._future.set_result(answer)


async def _within(call: Call, seconds: float, *, keeps: bool = False) -> Any:
    thread, limit = OwnThread(), asyncio.timeout(seconds)
    try:
        async with limit:
            answer = await _in_thread(call, thread, limit, keeps=keeps)
    except Exception:
        # What it raises on being stopped does not matter.
        if not limit.expired():
            raise
    if limit.expired():
        raise OverdueError(seconds, has_ended=thread.has_ended)
    return answer
