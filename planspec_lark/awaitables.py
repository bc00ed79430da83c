"""Callables of both kinds, asynchronous and not, called from one generator.

A generator yields what is to be called and is sent what came of it, or gets the exception that it raised, so that what
goes on between the calls is written once. :func:`drive` and :func:`adrive` do the calling.

For calls side by side it yields :class:`Work`, which is begun and not waited for, and later :data:`FIRST`, for which it
is sent the work that has ended, with what came of it.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import Awaitable, Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeAlias, TypeVar

from attrs import frozen

__all__ = ["FIRST", "Call", "Ended", "RunningLoopError", "Turn", "Work", "adrive", "drive", "drop"]

_T = TypeVar("_T")


class RunningLoopError(RuntimeError):
    """Something is asynchronous, and a loop runs already."""


# What is to be called; it may give an awaitable.
Call: TypeAlias = Callable[[], Any]


@frozen(eq=False)
class Work:
    """A call to begin."""

    call: Call


@frozen
class Ended:
    """Work that has ended, with what it gave or raised."""

    work: Work
    value: Any = None
    error: Exception | None = None


class _First:
    """To wait for the work that ends first; of several, for the one that was begun first."""


FIRST = _First()
Turn: TypeAlias = Generator[Call | Work | _First, Any, _T]


def drop(value: object) -> None:
    """Let go of what nobody waits for; Python warns of a coroutine that was just forgotten."""
    if inspect.iscoroutine(value):
        value.close()


def drive(turn: Turn[_T], runner: asyncio.Runner, instead: str) -> _T:
    """Call what a turn asks for, one after the other, until it ends; gives what it returns.

    What is asynchronous runs in the runner's loop: all of it in one, as clients keep their connections to the loop they
    were made in.

    Raises:
        RunningLoopError: there is something asynchronous, and a loop runs already; ``instead`` says what to await.
    """
    ended: deque[Ended] = deque()
    try:
        asked = next(turn)
        while True:
            if isinstance(asked, Work):
                ended.append(_end(asked, runner, instead))
                asked = turn.send(None)
            elif isinstance(asked, _First):
                asked = turn.send(ended.popleft())
            else:
                try:
                    answer = _wait(asked, runner, instead)
                except Exception as error:
                    asked = turn.throw(error)
                else:
                    asked = turn.send(answer)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]  # it is what the turn returns
    finally:
        turn.close()


def _end(work: Work, runner: asyncio.Runner, instead: str) -> Ended:
    try:
        return Ended(work, _wait(work.call, runner, instead))
    except Exception as error:
        return Ended(work, error=error)


def _wait(call: Call, runner: asyncio.Runner, instead: str) -> Any:
    answer = _call(call)
    if not inspect.isawaitable(answer):
        return answer
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        # Each call as its caller has it: the runner would go on with what was there at its first one.
        return runner.run(_await(answer), context=copy_context())
    drop(answer)
    raise RunningLoopError(f"an event loop is running already, so await {instead} here")


def _call(call: Call) -> Any:
    try:
        return call()
    except StopIteration as error:
        # No future can hold that: whoever waits for it would wait for ever.
        raise RuntimeError("what was called raised StopIteration") from error


async def _await(answer: Awaitable[Any]) -> Any:
    return await answer


async def adrive(turn: Turn[_T], jobs: int = 1) -> _T:
    """As :func:`drive`, in the running loop, with so much work side by side. What is not asynchronous is in threads.

    A thread cannot be cancelled: a task that is cancelled meanwhile ends when the threads have, or when it is cancelled
    once more.
    """
    tasks: dict[asyncio.Task[Any], Work] = {}
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="planspec")
    try:
        asked = next(turn)
        while True:
            if isinstance(asked, Work):
                tasks[asyncio.ensure_future(_in_thread(asked.call, pool))] = asked
                asked = turn.send(None)
            elif isinstance(asked, _First):
                asked = turn.send(await _first(tasks))
            else:
                try:
                    answer = await _in_thread(asked, pool)
                except Exception as error:
                    asked = turn.throw(error)
                else:
                    asked = turn.send(answer)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]  # it is what the turn returns
    finally:
        turn.close()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        pool.shutdown(wait=False)


async def _first(tasks: dict[asyncio.Task[Any], Work]) -> Ended:
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    task = next(task for task in tasks if task in done)
    work, error = tasks.pop(task), task.exception()
    if error is not None and not isinstance(error, Exception):
        raise error
    return Ended(work, error=error) if error is not None else Ended(work, task.result())


async def _in_thread(call: Call, pool: ThreadPoolExecutor) -> Any:
    loop, context = asyncio.get_running_loop(), copy_context()
    work = asyncio.ensure_future(loop.run_in_executor(pool, context.run, _call, call))
    try:
        answer = await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait([work])
        if work.exception() is None:  # nobody else asks for what came of it
            drop(work.result())
        raise
    return await answer if inspect.isawaitable(answer) else answer
