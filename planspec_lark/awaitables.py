"""Callables of both kinds, asynchronous and not, called from one generator.

A generator yields what is to be called and is sent what came of it, or gets the exception that it raised, so that what
goes on between the calls is written once. :func:`drive` and :func:`adrive` do the calling.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Generator
from typing import Any, TypeAlias, TypeVar

__all__ = ["Call", "RunningLoopError", "Turn", "adrive", "drive", "drop"]

_T = TypeVar("_T")


class RunningLoopError(RuntimeError):
    """Something is asynchronous, and a loop runs already."""


# What is to be called; it may give an awaitable.
Call: TypeAlias = Callable[[], Any]
Turn: TypeAlias = Generator[Call, Any, _T]


def drop(value: object) -> None:
    """Let go of what nobody waits for; Python warns of a coroutine that was just forgotten."""
    if inspect.iscoroutine(value):
        value.close()


def drive(turn: Turn[_T], runner: asyncio.Runner, instead: str) -> _T:
    """Call what a turn asks for, until it ends; gives what it returns.

    What is asynchronous runs in the runner's loop: all of it in one, as clients keep their connections to the loop they
    were made in.

    Raises:
        RunningLoopError: there is something asynchronous, and a loop runs already; ``instead`` says what to await.
    """
    try:
        call = next(turn)
        while True:
            try:
                answer = _wait(call, runner, instead)
            except Exception as error:
                call = turn.throw(error)
            else:
                call = turn.send(answer)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]  # it is what the turn returns
    finally:
        turn.close()


def _wait(call: Call, runner: asyncio.Runner, instead: str) -> Any:
    answer = _call(call)
    if not inspect.isawaitable(answer):
        return answer
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return runner.run(_await(answer))
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


async def adrive(turn: Turn[_T]) -> _T:
    """As :func:`drive`, in the running loop. What is not asynchronous is called in a thread.

    A thread cannot be cancelled: a task that is cancelled meanwhile ends when the thread has, or when it is cancelled
    once more.
    """
    try:
        call = next(turn)
        while True:
            try:
                answer = await _in_thread(call)
                answer = await answer if inspect.isawaitable(answer) else answer
            except Exception as error:
                call = turn.throw(error)
            else:
                call = turn.send(answer)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]  # it is what the turn returns
    finally:
        turn.close()


async def _in_thread(call: Call) -> Any:
    work = asyncio.ensure_future(asyncio.to_thread(_call, call))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        await asyncio.wait([work])
        if work.exception() is None:  # nobody else asks for what came of it
            drop(work.result())
        raise
