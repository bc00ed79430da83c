"""Turns are driven alike, whether what they call is asynchronous or not."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError
from contextlib import closing
from functools import partial

import pytest

from planspec_lark.awaitables import FIRST, Turn, Work, WorkResult, adrive, drive


def run(turn: Turn[object]) -> object:
    with closing(asyncio.Runner()) as runner:
        return drive(turn, runner, "arun()")


def arun(turn: Turn[object]) -> object:
    return asyncio.run(adrive(turn))


both = pytest.mark.parametrize("way", [run, arun])


async def later(value: object) -> object:
    await asyncio.sleep(0)
    if isinstance(value, BaseException):
        raise value
    return value


def now(value: object) -> object:
    if isinstance(value, BaseException):
        raise value
    return value


def sums(give: Callable[[object], object], *values: object) -> Turn[object]:
    got = []
    for value in values:
        yield Work(partial(give, value))
        queue: deque[WorkResult] = yield FIRST
        ended = queue.popleft()
        if ended.error is not None and not isinstance(ended.error, ValueError):
            raise ended.error
        got.append(str(ended.error) if ended.error else ended.value)
    return got


@both
@pytest.mark.parametrize("give", [now, later])
def test_what_is_called_is_sent_back(
    way: Callable[[Turn[object]], object], give: Callable[[object], object | Awaitable[object]]
) -> None:
    assert way(sums(give, 1, "b", None)) == [1, "b", None]
    assert way(sums(give)) == []


@both
@pytest.mark.parametrize("give", [now, later])
def test_an_exception_comes_where_the_call_was(
    way: Callable[[Turn[object]], object], give: Callable[[object], object]
) -> None:
    assert way(sums(give, 1, ValueError("wrong"), 3)) == [1, "wrong", 3]
    with pytest.raises(KeyError, match="gone"):
        way(sums(give, 1, KeyError("gone"), 3))


@both
def test_a_call_that_ends_an_iteration_does_not_end_the_turn(way: Callable[[Turn[object]], object]) -> None:
    with pytest.raises(RuntimeError, match=r"^what was called raised StopIteration$"):
        way(sums(now, StopIteration(7)))


@both
def test_a_call_that_waits_for_what_was_cancelled_does_not_cancel_the_turn(
    way: Callable[[Turn[object]], object],
) -> None:
    with pytest.raises(RuntimeError, match=r"^what was called raised CancelledError$"):
        way(sums(now, CancelledError()))


@both
def test_an_interrupt_closes_the_turn(way: Callable[[Turn[object]], object]) -> None:
    closed = []

    def turn() -> Turn[object]:
        try:
            yield Work(partial(now, KeyboardInterrupt()))
            yield FIRST
        finally:
            closed.append(True)
        return None

    with pytest.raises(KeyboardInterrupt):
        way(turn())
    assert closed == [True]


def test_a_running_loop_is_not_waited_in() -> None:
    async def inside() -> object:
        return run(sums(later, 1))

    with pytest.raises(RuntimeError, match=r"^an event loop is running already, so await arun\(\) here$"):
        asyncio.run(inside())
