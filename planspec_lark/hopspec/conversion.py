"""HopSpec document ↔ plan, with an account of what is lost.

Steps go as in :mod:`planspec_lark.hopspec.step_conversion`. What is lost is found by going back: it is what has not
come back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any

import attrs
from attrs import frozen

from planspec_lark.hopspec.blocks import indent_of
from planspec_lark.hopspec.models import HopSpec, StepInfo, iter_infos
from planspec_lark.hopspec.step_conversion import plan_to_steps, steps_to_plan, text_field
from planspec_lark.hopspec.vocabulary import Language
from planspec_lark.planspec.models import STEP_FIELDS, PlanSpec, iter_steps
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.safe_text import one_line
from planspec_lark.syntax.source import BLANKS
from planspec_lark.syntax.transliteration import has_han
from planspec_lark.syntax.tree import iter_tree

__all__ = ["ConversionLoss", "hopspec_to_plan", "plan_to_hopspec"]

_STEP = tuple(one.name for one in attrs.fields(StepInfo) if one.name != "children")


@frozen
class ConversionLoss:
    """A value that has no place in the other language.

    Attributes:
        step_id: the step that has it; empty for the document or plan itself.
        field: the name of the field; empty where all of the step is lost.
        value: what it holds.
    """

    step_id: str
    field: str
    value: Any

    def __str__(self) -> str:
        value = self.value.value if isinstance(self.value, Enum) else self.value
        listed = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        return ": ".join(filter(None, [self.step_id and f"step {self.step_id}", self.field, shorten(one_line(listed))]))


def hopspec_to_plan(document: HopSpec) -> tuple[PlanSpec, list[ConversionLoss]]:
    """The plan of a document, and what a plan cannot hold of it.

    The first line of the overview is the goal, the others are its detail. Each line of the constraints is one, with the
    lines below it that are indented more.

    Raises:
        ValueError: as :func:`steps_to_plan` does.
    """
    goal, *detail = [line.strip(BLANKS) for line in document.overview.split("\n")]
    plan = steps_to_plan(document.steps, document.title, goal, _read_constraints(document.constraints))
    plan.goal_detail = detail
    parts = ("mode", "input_definition", "comments", "output_format", "input_example")
    losses = [ConversionLoss("", name, value) for name in parts if (value := getattr(document, name))]
    back = plan_to_hopspec(plan)[0].steps
    kept = iter_infos(back)
    gone: set[int] = set()
    for step, above in iter_tree(document.steps):
        if id(above) in gone:
            # What is below a flow step goes with it.
            gone.add(id(step))
            losses.append(ConversionLoss(step.step_id, "", step.step_type))
        elif step.step_type == "flow":
            gone.add(id(step))
            # Only the exit that each plan gets comes back.
            if step is not document.steps[-1] or step != back[-1]:
                losses.append(ConversionLoss(step.step_id, "", f"flow {step.action}"))
        else:
            # What a plan says in the description of a step, and in its detail.
            said = {text_field(step), "condition" if step.step_type == "loop" else ""}
            losses += _compare(step.step_id, (name for name in _STEP if name not in said), step, next(kept))
    return plan, losses


def plan_to_hopspec(plan: PlanSpec, *, language: Language | None = None) -> tuple[HopSpec, list[ConversionLoss]]:
    """The document of a plan, and what a document cannot hold of it. That is how far the plan has come, and detail of
    steps.

    The goal and its detail are the overview; what a plan does not say, such as the inputs, is for its reader to add.

    Args:
        plan: any plan.
        language: the one of the document; by default Chinese where the plan has Chinese signs.

    Raises:
        ValueError: as :func:`plan_to_steps` does.
    """
    steps = plan_to_steps(plan)
    for info in iter_infos(steps):
        if info.expand_mode == "think":
            # In documents, what such a subtask is to do has an attribute of its own.
            info.task, info.description = info.description, ""
    texts = (plan.title, plan.goal, *plan.constraints, *(step.description for step in iter_steps(plan)))
    overview = "\n".join(line.rstrip(BLANKS) for line in (plan.goal, *plan.goal_detail)).strip("\n")
    document = HopSpec(
        plan.title,
        overview=overview,
        constraints="\n".join(f"- {constraint}" for constraint in plan.constraints),
        steps=steps,
        language=language or ("zh" if any(map(has_han, texts)) else "en"),
    )
    back = steps_to_plan(steps)
    pairs = zip(iter_steps(plan), iter_steps(back), strict=True)
    return document, [loss for step, other in pairs for loss in _compare(step.step_id, STEP_FIELDS, step, other)]


def _read_constraints(text: str) -> list[str]:
    items: list[str] = []
    indent = 0
    for line in text.split("\n"):
        said = line.strip(BLANKS)
        if items and said and indent_of(line) > indent:
            items[-1] += f" {said}"
        elif said:
            indent = indent_of(line)
            items.append(said)
    return [said for item in items if (said := item.removeprefix("- ").strip(BLANKS))]


def _compare(step_id: str, names: Iterable[str], given: object, back: object) -> Iterator[ConversionLoss]:
    """The fields of a step that have not come back."""
    for name in names:
        value = getattr(given, name)
        if value and value != getattr(back, name):
            yield ConversionLoss(step_id, name, value)
