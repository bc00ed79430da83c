"""Time grows with the size of the input, not with its square: eight times the text takes about eight times as long."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from planspec_lark import (
    PlanSpec,
    check_text,
    lint_plan,
    parse_plan,
    parse_plan_commands,
    scan_plan,
    scan_plan_commands,
    serialize_plan,
)

SMALL = 1000
# At eight times the input a square comes to eight times too much. Below the floor, a clock says nothing about growth.
SLACK, FLOOR = 3.5, 0.0008

_HEAD = "Goal: g\n## Steps\n"
_STEP = f"{_HEAD}1. [act] "


def _deep(size: int) -> str:
    return _HEAD + "".join(f"{'1.' * depth} [subtask] a\n" for depth in range(1, int(size**0.5)))


def _each(line: str, size: int, head: str = _HEAD) -> str:
    return head + "".join(line.format(number) for number in range(1, size // len(line) + 1))


SHAPES: dict[str, Callable[[int], str]] = {
    "one long line": lambda n: _STEP + "word " * (n // 5),
    "arrows": lambda n: _STEP + "→" * n,
    "arrows with variables": lambda n: _STEP + "→ a " * (n // 4),
    "ascii arrows": lambda n: _STEP + "->" * (n // 2),
    "an almost list": lambda n: _STEP + "-> " + "a," * (n // 2) + "!",
    "pipes": lambda n: _STEP + "|" * n,
    "separators": lambda n: _STEP + "a" + " |" * (n // 2),
    "segments": lambda n: _STEP + "a" + " | b" * (n // 4),
    "progress again": lambda n: _STEP + "a" + " | Progress: 1" * (n // 14),
    "backslashes": lambda n: _STEP + "\\" * n + "| x → a",
    "backslashes in detail": lambda n: f"{_STEP}a\n> " + "\\" * n + "← a",
    "spaces": lambda n: _STEP + "a" + " " * n + "b",
    "trailing tabs": lambda n: _STEP + "a" + "\t" * n,
    "spaces without a type": lambda n: f"{_HEAD}1." + " " * n + "b",
    "spaces in a header": lambda n: "##" + " " * n + "x",
    "spaces behind Steps": lambda n: "## Steps" + " " * (n // 16) + "x",
    "spaces behind goal": lambda n: "goal" + " " * n + "x",
    "stars behind steps": lambda n: "steps" + "*" * n + "x",
    "blank lines": lambda n: _HEAD + " \n" * (n // 2) + "1. [act] a",
    "digits": lambda n: _HEAD + "1" * n + ". [act] a",
    "dotted digits": lambda n: _HEAD + "1." * (n // 2) + " [act] a",
    "deep ids": _deep,
    "ids without parents": lambda n: _each("1.{0}.{0}.{0}. [act] a\n", n),
    "duplicate ids": lambda n: _each("1. [act] a\n", n),
    "steps": lambda n: _each("{0}. [act] a → o{0}\n> ← o{0}\n", n),
    "details": lambda n: _each("> d\n", n, f"{_STEP}a\n"),
    "many inputs": lambda n: f"{_STEP}a\n> ← " + "a," * (n // 2) + "a",
    "many outputs": lambda n: _STEP + "a → " + "a," * (n // 2) + "a",
    "missing spaces": lambda n: _each("{0}.[act] a\n", n),
    "missing types": lambda n: _each("{0}. a\n", n),
    "wrong marks": lambda n: _each("{0}. [X] [act] a\n", n),
    "empty segments": lambda n: _each("{0}. [act] a |\n", n),
    "wrong progress": lambda n: _each("{0}. [act] a | Progress: x\n", n),
    "fences": lambda n: _each("```\nx\n", n, ""),
    "prose": lambda n: _each("so it is\n", n, ""),
    "wrong headers": lambda n: _each("Steps:\n", n, ""),
    "orphans": lambda n: _each("> x\n", n, ""),
    "wrong bullets": lambda n: _each("* x\n", n, "Constraints:\n"),
    "constraints": lambda n: _each("- x\n", n, "Constraints:\n"),
    "control characters": lambda n: _HEAD + "\x00" * n,
    "control lines": lambda n: _each("\x00\n", n),
    "a long word in front of a bracket": lambda n: f"{_HEAD}1. " + "a" * n + "[act] a",
    "open brackets": lambda n: f"{_HEAD}1. " + "[" * n,
    "an open bracket": lambda n: f"{_HEAD}1. [" + "a" * n,
    "commands": lambda n: _each("PLAN_CMD: DONE {0}\n", n, ""),
    "commands with detail": lambda n: _each("> d\n", n, "PLAN_CMD: ADD 1 [act] a\n"),
    "wrong commands": lambda n: _each("PLAN_CMD: done {0}\n", n, ""),
    "spaces in a command": lambda n: "PLAN_CMD: DONE 1" + " " * n + "x",
    "digits in a command": lambda n: "PLAN_CMD: DONE " + "1." * (n // 2) + "x",
}


def _parse(text: str) -> None:
    with suppress(ValueError):
        parse_plan(text)


def _plan(shape: str, size: int) -> PlanSpec:
    return scan_plan(SHAPES[shape](size)).plan


def _best(work: Callable[[Any], object], value: Any) -> float:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        work(value)
        times.append(time.perf_counter() - start)
        if times[-1] < FLOOR:
            break
    return min(times)


def _grows_evenly(work: Callable[[Any], object], make: Callable[[int], Any]) -> bool:
    """Whether twice, four and eight times the input stay within their times, in one of three tries."""
    return any(_grows_evenly_once(work, make) for _ in range(3))


def _grows_evenly_once(work: Callable[[Any], object], make: Callable[[int], Any]) -> bool:
    allowed = max(_best(work, make(SMALL)), FLOOR) * SLACK
    return all(_best(work, make(SMALL * times)) <= allowed * times for times in (2, 4, 8))


_WORK: dict[str, Callable[[str], object]] = {
    "parse_plan": _parse,
    "scan_plan": lambda text: scan_plan(text).places.steps,
    "check_text": check_text,
    "parse_plan_commands": parse_plan_commands,
    "scan_plan_commands": scan_plan_commands,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_reading_grows_evenly(shape: str) -> None:
    slow = [name for name, work in _WORK.items() if not _grows_evenly(work, SHAPES[shape])]
    assert not slow


@pytest.mark.parametrize("work", [serialize_plan, lint_plan])
def test_writing_grows_evenly(work: Callable[[Any], object]) -> None:
    slow = [shape for shape in SHAPES if not _grows_evenly(work, partial(_plan, shape))]
    assert not slow


def test_a_square_is_noticed() -> None:
    def square(size: int) -> None:
        sum(1 for _ in range(size) for _ in range(size))

    assert not _grows_evenly(square, lambda size: size // 2)
