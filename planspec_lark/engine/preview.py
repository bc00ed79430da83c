"""What a run would do first, without doing any of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from attrs import frozen

from planspec_lark.engine.desk import OPEN
from planspec_lark.engine.order import is_loop
from planspec_lark.planspec.models import CONTAINER_TYPES, PlanSpec, PlanStatus, PlanStep

__all__ = ["Planned", "preview"]


@frozen
class Planned:
    """A step that is to be done.

    Attributes:
        step: the step.
        sources: for each declared input the id of the step that puts it out, "" where it is given, or None where
            nobody puts it out.
        is_planning: whether the planner has to write steps below it first.
    """

    step: PlanStep
    sources: Mapping[str, str | None]
    is_planning: bool


def preview(plan: PlanSpec, given: Collection[str] = ()) -> list[Planned]:
    """The steps that a run of this plan would do, in their order, if all of them go well.

    Of a decide step all branches are listed, as nobody knows yet which one holds.

    Args:
        plan: the plan as it stands.
        given: names of values that the run is given.
    """
    found: list[Planned] = []
    outputs: dict[str, str] = {}
    stack = list(reversed(plan.steps))
    while stack:
        step = stack.pop()
        if step.status in (*OPEN, PlanStatus.DONE):
            if step.status in OPEN and _is_work(step):
                sources = {name: outputs.get(name, "" if name in given else None) for name in step.inputs}
                found.append(Planned(step, sources, not step.children and _is_bare(step)))
            if not step.children:
                outputs |= dict.fromkeys(step.outputs, step.step_id)
            stack.extend(reversed(step.children))
    return found


def _is_work(step: PlanStep) -> bool:
    """Whether somebody is asked about the step itself."""
    return step.step_type != "subtask" or not step.children


def _is_bare(step: PlanStep) -> bool:
    return step.step_type in CONTAINER_TYPES and not is_loop(step)
