"""Marks tests with the obligations of tests/plan_next/obligations.md that they hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["holds", "numbers_of"]

Test = TypeVar("Test", bound=Callable[..., Any])

_NAME = "held_obligations"


def holds(*numbers: str) -> Callable[[Test], Test]:
    """The test fails once one of these obligations is held no more."""

    def mark(test: Test) -> Test:
        setattr(test, _NAME, numbers)
        return test

    return mark


def numbers_of(test: object) -> tuple[str, ...]:
    """The obligations that a test holds."""
    numbers: tuple[str, ...] = getattr(test, _NAME, ())
    return numbers
