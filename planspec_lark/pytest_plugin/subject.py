"""What a test is about: a plan, or the plan in a language model's answer; and as much of it as a failure shows."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from itertools import islice

from attrs import define, field, frozen

from planspec_lark.answers.extract import Extraction, Repair, extract_plan
from planspec_lark.answers.truncation import CUT
from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.planspec.printer import canonical_summary
from planspec_lark.planspec.tree import walk
from planspec_lark.syntax.codes import Risk
from planspec_lark.syntax.diagnostics import PlanSpecError, brief, count_of, render_all

__all__ = ["Subject", "SubjectStep", "UnreadablePlanError", "show_nodes", "show_some", "take"]

# The most findings of a message, and the most lines of a plan in it and levels of indentation of these.
_SHOWN = 10
_LINES = 16
_LEVELS = 10


class UnreadablePlanError(PlanSpecError, AssertionError):
    """A text that holds no plan, or one that is not safe to act on."""


@define(eq=False)
class SubjectStep:
    """A step and where it is: its place in document order from 0, the place after the last step below it, and the
    node above it.

    Steps are told apart as objects, since nothing else about them has to be unique in a model.
    """

    step: PlanStep
    place: int
    level: int
    above: SubjectStep | None = field(repr=False)
    end: int = 0


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
        nodes: list[SubjectStep] = []
        above: SubjectStep | None = None
        for step, is_entered in walk(self.plan):
            if is_entered:
                above = SubjectStep(step, len(nodes), 0 if above is None else above.level + 1, above)
                nodes.append(above)
            elif above is not None:
                above.end = len(nodes)
                above = above.above
        return nodes


def _describe(repair: Repair) -> str:
    said = f"line {repair.line}: {repair.code} {brief(repair.message)}"
    return f"{said}; read as: {brief(repair.became)}" if repair.became else said


def take(
    value: PlanSpec | str,
    *,
    max_risk: Risk | str = Risk.MEDIUM,
    default_type: str = "",
    finish_reason: str = "",
    allow_truncated: bool = False,
) -> Subject:
    """The plan that is meant.

    Args:
        value: a plan, or a text with one.
        max_risk, default_type, finish_reason, allow_truncated: of a text, as for :func:`planspec_lark.extract_plan`.

    Raises:
        UnreadablePlanError: the verdict on the text is not ``accepted``.
        TypeError: this is neither a plan nor a text.
        ValueError: there is no such risk or type.
    """
    if isinstance(value, PlanSpec):
        return Subject(value)
    if not isinstance(value, str):
        raise TypeError(f"expected a plan or a text, not {type(value).__name__}")
    found = extract_plan(
        value,
        max_risk=max_risk,
        default_type=default_type,
        finish_reason=finish_reason,
        allow_truncated=allow_truncated,
        name="<answer>",
    )
    if not found.is_usable:
        raise UnreadablePlanError(_explain(found, value))
    return Subject(found.plan, found.repairs)


def _explain(found: Extraction, text: str) -> str:
    """Why the plan of a text is not accepted, and what would allow it."""
    faults = found.holds
    if all(one.code == "PS201" for one in faults):
        start = brief(text)
        return f"there is no plan in this text: {start}" if start else "there is no plan: the text is empty"
    more = f"\n\nand {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    said = f"the plan in this text is not accepted: {found.verdict.value}\n{render_all(faults[:_SHOWN])}{more}"
    return "\n\n".join([said, *_allow(found)])


def _allow(found: Extraction) -> list[str]:
    """What a caller may say so that the plan is accepted."""
    ways = []
    if any(one.code == "PS112" and one.message.endswith("is missing") for one in found.holds):
        ways.append('if steps without a type are meant as acts: assert_plan(…, default_type="act")')
    is_cut = any(one.code == CUT for one in found.holds)
    if is_cut and found.plan.steps:
        ways.append("to take what there is, without the last line: assert_plan(…, allow_truncated=True)")
    if found.plan.steps and all(one.risk for one in found.holds):
        ways.append(f'to take the plan as it was read: assert_plan(…, max_risk="{found.risk.value}")')
    return ["\n".join(ways)] if ways else []


# ---------------------------------------------------------------- excerpts


def show_some(items: Iterable[str], count: int, more: str = "… and") -> list[str]:
    """The first of ``count`` items, each in rows of its own, and how many more there are."""
    rows = [f"  {row}" for item in islice(items, _SHOWN) for row in item.split("\n")]
    return [*rows, f"  {more} {count - _SHOWN} more"] if count > _SHOWN else rows


def show_nodes(nodes: list[SubjectStep], marked: Iterable[SubjectStep]) -> list[str]:
    """The marked steps and what is above them; the start of the plan where none is marked."""
    marks = {node.place for node in marked}
    # The marked steps first: what is above them only says where they are.
    chosen = sorted(marks)[:_LINES]
    room = _LINES - len(chosen)
    rest = _places_above(nodes[place] for place in chosen) if marks else range(len(nodes))
    shown = sorted([*chosen, *[place for place in rest if place not in marks][:room]])
    rows = [_show_node(nodes[place], is_marked=place in marks) for place in shown]
    left = len(marks) - len(chosen) if marks else len(nodes) - len(shown)
    return [*rows, f"  … and {left} more"] if left else rows


def _places_above(nodes: Iterable[SubjectStep]) -> list[int]:
    found: set[int] = set()
    for node in nodes:
        above = node.above
        while above is not None and above.place not in found:
            found.add(above.place)
            above = above.above
    return sorted(found)


def _show_node(node: SubjectStep, *, is_marked: bool) -> str:
    return f"{'>' if is_marked else ' '} {'  ' * min(node.level, _LEVELS)}{_show_step(node.step)}"


def _show_step(step: PlanStep) -> str:
    """A step as its summary line, safe to show."""
    try:
        line = canonical_summary(step)
    except ValueError:
        # A model that no text could spell can still be shown.
        line = f"{step.step_id}. [{step.step_type}] {step.description}"
    return brief(line)
