"""Hostile answers that repair lines, of any size. Their plan is as long, and all of it is to be repaired."""

from __future__ import annotations

from collections.abc import Callable

from planspec_lark import render_all
from tests.answers.scripted import answered
from tests.growth.work import Work

__all__ = ["REPAIR_SHAPES", "REPAIR_WORK"]


def _many(piece: str, size: int) -> str:
    return "".join(piece.format(number) for number in range(1, 2 + size // len(piece)))


# Name → the text of about so many characters.
REPAIR_SHAPES: dict[str, Callable[[int], str]] = {
    "repaired lines": lambda n: _many("LINE {0}: {0}. [act] a\n", n),
    "the same line": lambda n: "LINE 3: 1. [act] a\n" * (n // 20),
    "lines that go": lambda n: _many("LINE {0}:\n", n),
    "lines that were not asked for": lambda n: "LINE 999999999: a\n" * (n // 18),
    "almost repaired lines": lambda n: "- line 3: a\n" * (n // 12),
    "full-width colons": lambda n: "LINE 3：a\n" * (n // 9),
    "a long repaired line": lambda n: "LINE 3: " + "| " * (n // 2),
    "a long almost repaired line": lambda n: "line 3: " + ": " * (n // 2),
    "signs in front of a repaired line": lambda n: "*- `" * (n // 4) + "LINE 3: a",
    "signs behind a number": lambda n: "line 3" + "* `_" * (n // 4) + "x",
    "spaces behind LINE": lambda n: "LINE" + " \t" * (n // 2) + "x",
    "digits behind LINE": lambda n: "LINE " + "1" * n + "x",
    "words of repaired lines": lambda n: "LINE " * (n // 5),
    "control characters in a repaired line": lambda n: "LINE 3: " + "\x00" * n,
    "line breaks behind a repaired line": lambda n: "LINE 3: a" + "\n" * n,
    "prose": lambda n: "In line 3 the type is missing.\n" * (n // 31),
}


def _faulty(text: str) -> tuple[str, str]:
    size = len(text)
    return "Goal: g\n## Steps\n" + _many("{0}. a\n", size), text


def _answer(given: tuple[str, str]) -> None:
    render_all(answered(*given).diagnostics)


REPAIR_WORK = {"repair_plan, an answer": Work(_answer, _faulty)}
