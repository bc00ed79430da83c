"""Comparing and merging versions of plans of any size."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from planspec_lark import (
    PlanSpec,
    PlanStatus,
    PlanStep,
    diff_plans,
    iter_steps,
    merge_plans,
    parse_plan,
    scan_plan,
    serialize_plan,
)
from planspec_lark.diff import merge_texts
from planspec_lark.diff.render import show_diff
from tests.growth.shapes import PLAN_SHAPES
from tests.growth.work import Work

__all__ = ["VERSION_SHAPES", "VERSION_WORK"]

_HEAD = "Goal: g\n## Steps\n"
_KNOWN = (
    "one long line",
    "many inputs",
    "different outputs",
    "dotted digits",
    "a long name",
    "CRLF",
    "deep ids",
    "details in the deep",
    "ids without parents",
    "ids backwards",
    "steps",
    "branches",
    "the same output",
    "the same name",
    "details",
    "lines of inputs",
    "details of the goal",
    "constraints",
    "a long id and many details",
    "a long id and many steps",
    "a long id and its output",
)


def _steps(line: str, size: int) -> str:
    return _HEAD + "".join(line.format(number, number % 7) for number in range(1, size // len(line) + 1))


VERSION_SHAPES: dict[str, Callable[[int], str]] = {
    **{name: PLAN_SHAPES[name] for name in _KNOWN},
    "the same step": lambda n: _steps("{0}. [act] a\n", n),
    "steps with a word of their own": lambda n: _steps("{0}. [act] paint all of the shelves in room {0} at once\n", n),
    "steps with words in common": lambda n: _steps("{0}. [act] paint {1} shelves in {1} rooms\n", n),
    "names in common": lambda n: _steps("{0}. n{1} [act] paint {0}\n", n),
    "containers with the same below": lambda n: _steps("{0}. [subtask] a\n{0}.1. [act] b\n{0}.2. [act] c {1}\n", n),
}


def _vary(plan: PlanSpec, which: int) -> PlanSpec:
    """An edited plan: other words here, another status there, a step less and one more."""
    plan = copy.deepcopy(plan)
    for number, step in enumerate(iter_steps(plan)):
        if number % 5 == which:
            step.description = f"{step.description} again {number}".strip(" \t")
        if number % 7 == which:
            step.status = PlanStatus.DONE
    del plan.steps[which : which + 1]
    top = {step.step_id for step in iter_steps(plan)}
    plan.steps.append(
        next(PlanStep(str(n), step_type="act") for n in range(900_000_000, 999_999_999) if str(n) not in top)
    )
    plan.constraints.append(f"constraint {which}")
    return plan


def _turned(plan: PlanSpec) -> PlanSpec:
    """The steps beside each other in the opposite order."""
    plan = copy.deepcopy(plan)
    plan.steps.reverse()
    for step in iter_steps(plan):
        step.children.reverse()
    return plan


def _plan(text: str) -> PlanSpec:
    return scan_plan(text).plan


def _versions(text: str) -> tuple[PlanSpec, PlanSpec, PlanSpec]:
    plan = _plan(text)
    return plan, _vary(plan, 0), _vary(plan, 1)


def _texts(text: str) -> tuple[str, str, str]:
    base, ours, theirs = map(serialize_plan, _versions(text))
    with suppress(ValueError):
        parse_plan(text)
        base = text
    return base, ours, theirs


VERSION_WORK = {
    "diff_plans": Work(lambda both: deque(show_diff(diff_plans(*both)), maxlen=0), lambda text: _versions(text)[1:]),
    "diff_plans, turned": Work(lambda both: diff_plans(*both), lambda text: (_plan(text), _turned(_plan(text)))),
    "merge_plans": Work(lambda versions: merge_plans(*versions), _versions),
    "merge_plans, turned": Work(
        lambda versions: merge_plans(*versions), lambda text: (_plan(text), _turned(_plan(text)), _vary(_plan(text), 1))
    ),
    "merge_texts": Work(lambda texts: merge_texts(*texts), _texts),
}
