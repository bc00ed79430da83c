"""Asking until an answer is of use: one that is not goes back with what is wrong, so many times and no more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import Generic, TypeVar

from attrs import frozen

from planspec_lark.diagnostics import Diagnostic
from planspec_lark.engine.requests import Request

__all__ = ["Asked", "ask", "ask_async"]

Value = TypeVar("Value")
# What reads an answer: the value, or None where it is of no use, and all that was found.
Reader = Callable[[str], tuple[Value | None, Sequence[Diagnostic]]]


@frozen
class Asked(Generic[Value]):
    """What came of a question.

    Attributes:
        value: what was read; None where no answer was of use.
        answer: the last answer, as it came.
        diagnostics: what was found in that one.
        calls: how many answers there were.
    """

    value: Value | None
    answer: str
    diagnostics: tuple[Diagnostic, ...]
    calls: int


def ask(
    model: Callable[[Request], str], request: Request, read: Reader[Value], *, max_repairs: int = 1
) -> Asked[Value]:
    """Put a request to a model, and once more with the diagnostics where its answer is of no use.

    What the model raises is raised.

    Args:
        model: takes a request and gives the answer.
        request: the question.
        read: reads an answer.
        max_repairs: how many times an answer may go back.
    """
    asking = _ask(request, read, max_repairs)
    asked = next(asking)
    while True:
        answer = model(asked)
        try:
            asked = asking.send(answer)
        except StopIteration as end:
            outcome: Asked[Value] = end.value
            return outcome


async def ask_async(
    model: Callable[[Request], Awaitable[str]], request: Request, read: Reader[Value], *, max_repairs: int = 1
) -> Asked[Value]:
    """The same, for asyncio."""
    asking = _ask(request, read, max_repairs)
    asked = next(asking)
    while True:
        answer = await model(asked)
        try:
            asked = asking.send(answer)
        except StopIteration as end:
            outcome: Asked[Value] = end.value
            return outcome


def _ask(request: Request, read: Reader[Value], max_repairs: int) -> Generator[Request, str, Asked[Value]]:
    """Yields what is to be asked, and is sent the answers."""
    calls = 0
    while True:
        answer = yield request
        calls += 1
        value, found = read(answer)
        if value is not None or calls > max_repairs:
            return Asked(value, answer, tuple(found), calls)
        request = request.refuse(answer, found)
