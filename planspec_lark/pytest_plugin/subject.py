"""What a test is about: a plan, or the plan in a language model's answer; and as much of it as a failure shows."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import islice
from operator import attrgetter
from typing import Any

from attrs import frozen

from planspec_lark.answers.extract import Extraction, Repair, extract_plan
from planspec_lark.answers.truncation import CUT
from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.planspec.printer import canonical_summary
from planspec_lark.planspec.tree import walk
from planspec_lark.syntax.diagnostics import brief, count_of, render_all

__all__ = ["Subject", "SubjectStep", "show_nodes", "show_some", "take"]

# A failure is shown where the test has asked, not where that is found out here.
__tracebackhide__ = True

# The most findings of a message, and the most lines of a plan in it.
_SHOWN = 10
_LINES = 16


@frozen(eq=False)
class SubjectStep:
    """A step and where it is: its place in document order from 0, and the place after the last step below it.

    Steps are told apart as objects, since nothing else about them has to be unique in a model.
    """

    step: PlanStep
    place: int
    end: int


@frozen
class Subject:
    """A plan, and what had to be repaired in its text (nothing if it came as a model)."""

    plan: PlanSpec
    repairs: tuple[Repair, ...] = ()

    def list_repairs(self) -> list[str]:
        """The repairs, a line each, below a line that counts them."""
        repairs = self.repairs
        if not repairs:
            return []
        head = f"the text was read with {count_of(len(repairs), 'repair')}:"
        return [head, *show_some(map(_describe, repairs), len(repairs), "and")]

    @cached_property
    def nodes(self) -> list[SubjectStep]:
        """All steps in document order."""
        places: dict[int, int] = {}
        nodes = []
        for step, is_entered in walk(self.plan):
            if is_entered:
                places[id(step)] = len(places)
            else:
                nodes.append(SubjectStep(step, places[id(step)], len(places)))
        return sorted(nodes, key=attrgetter("place"))


def _describe(repair: Repair) -> str:
    said = f"line {repair.line}: {repair.code} {brief(repair.message)}"
    return f"{said}; read as: {brief(repair.became)}" if repair.became else said


def take(value: PlanSpec | str, **how: Any) -> Subject:
    """The plan that is meant.

    Args:
        value: a plan, or a text with one.
        how: of a text, as for :func:`planspec_lark.extract_plan`.

    Raises:
        AssertionError: the verdict on the text is not ``accepted``.
        TypeError: this is neither a plan nor a text.
        ValueError: there is no such risk or type.
    """
    if isinstance(value, PlanSpec):
        return Subject(value)
    if not isinstance(value, str):
        raise TypeError(f"expected a plan or a text, not {type(value).__name__}")
    found = extract_plan(value, name="<answer>", **how)
    if not found.is_usable:
        raise AssertionError(_explain(found, value))
    return Subject(found.plan, found.repairs)


def _explain(found: Extraction, text: str) -> str:
    """Why the plan of a text is not accepted, and what would allow it."""
    faults = found.holds
    if all(one.code == "PS201" for one in faults):
        start = brief(text)
        return f"there is no plan in this text: {start}" if start else "there is no plan: the text is empty"
    more = f"\n\nand {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    said = f"the plan in this text is not accepted: {found.verdict.value}\n{render_all(faults[:_SHOWN])}{more}"
    ways = []
    if any(one.code == CUT for one in faults):
        ways.append("to take what there is, without the last line: assert_plan(…, allow_truncated=True)")
    if all(one.risk for one in faults):
        ways.append(f'to take the plan as it was read: assert_plan(…, max_risk="{found.risk.value}")')
    return "\n\n".join([said, *ways]) if found.plan.steps else said


# ---------------------------------------------------------------- excerpts


def show_some(items: Iterable[str], count: int, more: str = "… and") -> list[str]:
    """The first of ``count`` items, each in rows of its own, and how many more there are."""
    rows = [f"  {row}" for item in islice(items, _SHOWN) for row in item.split("\n")]
    return [*rows, f"  {more} {count - _SHOWN} more"] if count > _SHOWN else rows


def show_nodes(nodes: list[SubjectStep], marked: Iterable[SubjectStep]) -> list[str]:
    """The marked steps; the start of the plan where none is marked."""
    marks = sorted({node.place for node in marked})
    chosen = marks or range(len(nodes))
    rows = [f"{'>' if marks else ' '} {_show_step(nodes[place].step)}" for place in chosen[:_LINES]]
    return [*rows, f"  … and {len(chosen) - _LINES} more"] if len(chosen) > _LINES else rows


def _show_step(step: PlanStep) -> str:
    """A step as its summary line, safe to show."""
    try:
        line = canonical_summary(step)
    except ValueError:
        # A model that no text could spell can still be shown.
        line = f"{step.step_id}. [{step.step_type}] {step.description}"
    return brief(line)
