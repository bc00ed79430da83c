"""A text that says one plan → the same text once it says another one: only lines of what differs are others."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from planspec_lark.document.blocks import Blocks, StepPlace
from planspec_lark.document.round_trip import RoundTripError
from planspec_lark.planspec import fast_reader
from planspec_lark.planspec.models import PlanSpec, PlanStep, are_alike, iter_steps

__all__ = ["rewrite"]


def rewrite(
    text: str, was: PlanSpec, plan: PlanSpec, known: Mapping[int, PlanStep], lines: Mapping[int, str] | None = None
) -> Blocks:
    """The text of a plan, made of one that says another plan.

    Args:
        text: the text.
        was: the plan that it says.
        plan: the plan to say.
        known: the step of the old plan for each step of the new one that stays where it is, by ``id()``. Among those
            below one step, their order is the same in both. All other steps are put in.
        lines: the lines that such a step has elsewhere, by ``id()``; by default it gets new ones.

    Raises:
        RoundTripError: the text would not read as the new plan.
    """
    steps = {old.step_id: step for step in iter_steps(plan) if (old := known.get(id(step))) is not None}
    gone = [step for step in iter_steps(was) if step.step_id not in steps]
    blocks = Blocks(text, was, steps | {step.step_id: step for step in gone})
    blocks.remove(gone)
    lines = lines or {}
    for step, place in _places(plan, known):
        if place is not None:
            blocks.insert(step, place, lines.get(id(step), ""))
        elif not are_alike(known[id(step)], step):
            blocks.touch(step)
    blocks.edit_head(plan)
    if fast_reader.read(blocks.text) != plan:
        raise RoundTripError("internal fault, and nothing was changed: the text would read otherwise")
    return blocks


def _places(plan: PlanSpec, known: Container[int]) -> Iterator[tuple[PlanStep, StepPlace | None]]:
    """All steps, above before below, each with its place if it is to be put in; then all before it are there."""
    families = [(step, step.children) for step in iter_steps(plan) if step.children]
    for parent, siblings in ((None, plan.steps), *families):
        before: list[PlanStep | None] = [None]
        for step in reversed(siblings[1:]):
            before.append(step if id(step) in known else before[-1])
        last: PlanStep | None = None
        for step in siblings:
            place = StepPlace(last, before.pop(), parent)
            yield step, None if id(step) in known else place
            last = step
