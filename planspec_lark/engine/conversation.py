"""Questions to a model until an answer is of use: one that is not goes back with what is wrong, up to a limit."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

from attrs import frozen

from planspec_lark.engine.models import Answer, Effort, take_answer
from planspec_lark.engine.requests import Request
from planspec_lark.syntax.diagnostics import Diagnostic

__all__ = ["AskResult", "Asking", "ask", "ask_async", "asking", "converse"]

Value = TypeVar("Value")
# What reads an answer: the value, or None where it is of no use, and all that was found.
Reader = Callable[[str], tuple[Value | None, Sequence[Diagnostic]]]
# Yields what is to be asked, is sent the answers, and returns what came of it.
Asking: TypeAlias = Generator[Request, Any, Value]


@frozen
class AskResult(Generic[Value]):
    """What came of a question.

    Attributes:
        value: what was read; None where no answer was of use.
        answer: the last answer, as it came.
        diagnostics: what was found in that one.
        calls: how many answers there were.
        effort: what they took.
    """

    value: Value | None
    answer: str
    diagnostics: tuple[Diagnostic, ...]
    calls: int
    effort: Effort


def ask(
    model: Callable[[Request], str | Answer], request: Request, read: Reader[Value], *, max_repairs: int = 1
) -> AskResult[Value]:
    """Put a request to a model, and once more with the diagnostics where its answer is of no use.

    What the model raises is raised.

    Args:
        model: takes a request and gives the answer.
        request: the question.
        read: reads an answer.
        max_repairs: how many times an answer may go back.
    """
    asked = converse(model, asking(request, read, max_repairs))
    assert isinstance(asked, AskResult)
    return asked


async def ask_async(
    model: Callable[[Request], Awaitable[str | Answer]], request: Request, read: Reader[Value], *, max_repairs: int = 1
) -> AskResult[Value]:
    """The same, for asyncio."""
    asked = converse(model, asking(request, read, max_repairs))
    return asked if isinstance(asked, AskResult) else await asked


def asking(request: Request, read: Reader[Value], max_repairs: int) -> Asking[AskResult[Value]]:
    """The same as a generator, for :func:`converse`; what the model raises is raised where it waits."""
    calls, effort = 0, Effort()
    while True:
        answer = take_answer((yield request), "model")
        calls += 1
        effort += answer.effort
        value, found = read(answer.text)
        if value is not None or calls > max_repairs:
            return AskResult(value, answer.text, tuple(found), calls, effort)
        request = request.refuse(answer.text, found)


def converse(model: Callable[[Request], Any], asking: Asking[Value]) -> Value | Awaitable[Value]:
    """Put what a generator asks to a model; gives what it returns, or waits for it."""
    try:
        request = next(asking)
        while True:
            try:
                answer = model(request)
            except Exception as error:
                request = asking.throw(error)
                continue
            if inspect.isawaitable(answer):
                return _converse_async(model, asking, answer)
            request = asking.send(answer)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]  # it is what the generator returns


async def _converse_async(model: Callable[[Request], Any], asking: Asking[Value], answer: Awaitable[Any]) -> Value:
    try:
        while True:
            try:
                got = await answer
            except Exception as error:
                request = asking.throw(error)
            else:
                request = asking.send(got)
            answer = _call(model, request)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]  # it is what the generator returns


async def _call(model: Callable[[Request], Any], request: Request) -> Any:
    # What is raised before there is anything to wait for is raised where it is waited for.
    answer = model(request)
    return await answer if inspect.isawaitable(answer) else answer
