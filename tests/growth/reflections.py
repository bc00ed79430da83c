"""Hostile answers about a step, of any size, and what reads them. Their plan is long as well."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from planspec_lark import PlanSpec, parse_plan, render_all
from planspec_lark.engine import read_reflection, read_replan
from tests.growth.work import Work

__all__ = ["REFLECTION_SHAPES", "REFLECTION_WORK"]


def _many(piece: str, size: int) -> str:
    return "".join(piece.format(number) for number in range(1, 2 + size // len(piece)))


# Name → the text of about so many characters.
REFLECTION_SHAPES: dict[str, Callable[[int], str]] = {
    "decisions": lambda n: "RETRY\n" * (n // 6),
    "decisions of all kinds": lambda n: "RETRY\nACCEPT\nINTERACT | a\n" * (n // 26),
    "almost decisions": lambda n: "- retry\n" * (n // 8),
    "almost decisions and one": lambda n: "- retry: x\n" * (n // 11) + "RETRY",
    "decisions as commands": lambda n: "PLAN_CMD: RETRY\n" * (n // 16),
    "text that points at commands": lambda n: "PLAN_CMD: SKIP 1\n" + "These are last, step 1, 2: " * (n // 27),
    "blanks in text": lambda n: "PLAN_CMD: SKIP 1\nSo 1 " + " " * n + "x\nPLAN_CMD: SKIP 1\n",
    "a long reason": lambda n: "RETRY | " + "| " * (n // 2),
    "a long almost reason": lambda n: "retry: " + ": " * (n // 2),
    "signs in front of a decision": lambda n: "*- `" * (n // 4) + "RETRY",
    "signs behind a decision": lambda n: "RETRY" + "* `)" * (n // 4) + "x",
    "signs behind a label": lambda n: "Decision:" + "* `-" * (n // 4) + "x",
    "signs without a decision": lambda n: "*- `" * (n // 4),
    "spaces behind a decision": lambda n: "RETRY" + " \t" * (n // 2) + "x",
    "stops behind a decision": lambda n: "RETRY" + "." * n + "x",
    "digits behind a decision": lambda n: "RETRY " + "1." * (n // 2) + "x",
    "words of decisions": lambda n: "RETRY " * (n // 6),
    "control characters behind a decision": lambda n: "RETRY" + "\x00" * n,
    "line breaks behind a decision": lambda n: "RETRY" + "\n" * n,
    "skipped steps": lambda n: _many("PLAN_CMD: SKIP {0}\n", n),
    "skipped and revised steps": lambda n: _many("PLAN_CMD: SKIP {0}\nPLAN_CMD: REVISE {0} [act] a\n", n),
    "the step itself": lambda n: "ACCEPT\n" + "PLAN_CMD: SKIP 1\n" * (n // 17),
    "the steps around it": lambda n: "ACCEPT\n" + "PLAN_CMD: REPLAN 2\nPLAN_CMD: ADD 2.1 [act] a\n" * (n // 45),
    "misplaced commands": lambda n: _many("PLAN_CMD: DONE {0}\n", n),
    "steps that are not there": lambda n: _many("PLAN_CMD: SKIP 9.{0}\n", n),
    "new steps": lambda n: _many("PLAN_CMD: ADD 3.{0} [act] a\n", n),
    "whole plans": lambda n: "PLAN_CMD: REPLAN ALL\n" * (n // 21),
    "details with decisions": lambda n: "ACCEPT\nPLAN_CMD: ADD 3.1 [act] a\n" + "> - RETRY\n" * (n // 10),
    "prose": lambda n: "I would accept this, or retry.\n" * (n // 31),
}


@lru_cache(maxsize=2)
def _plan(size: int) -> PlanSpec:
    """A plan of about so many characters, whose first step has a long id."""
    long_id = ".".join(["1"] * (size // 8))
    steps = "".join(f"{number}. [act] a\n" for number in range(4, 4 + size // 20))
    return parse_plan(f"## Steps\n{long_id}. [>] [act] a\n2. [subtask] b\n3. [subtask] c\n{steps}")


def _read_with_plan(text: str) -> tuple[str, PlanSpec]:
    return text, _plan(len(text))


def _reflect(given: tuple[str, PlanSpec]) -> None:
    text, plan = given
    for able in (True, False):
        render_all(read_reflection(text, plan, plan.steps[0], can_interact=able, can_retry=able).diagnostics)


REFLECTION_WORK = {
    "read_reflection": Work(_reflect, _read_with_plan),
    "read_replan": Work(lambda given: render_all(read_replan(*given).diagnostics), _read_with_plan),
}
