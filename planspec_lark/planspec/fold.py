"""What a folded view shows of every step.

A step's flag ``expanded`` decides; where it is None, its status does: active and blocked steps show their body, and
children always show.
"""

from __future__ import annotations

from copy import deepcopy

from planspec_lark.planspec.models import (
    AT_WORK,
    CONTAINER_TYPES,
    PlanSpec,
    PlanStatus,
    PlanStep,
    iter_steps,
    list_types,
)
from planspec_lark.planspec.tree import find_step, fit_ids

__all__ = ["collapse_step", "expand_step", "folded", "replace_children", "shows_body", "shows_children"]


def shows_body(step: PlanStep) -> bool:
    """Whether a folded view shows a step's inputs and detail."""
    return step.status in AT_WORK if step.expanded is None else step.expanded


def shows_children(step: PlanStep) -> bool:
    """Whether a folded view shows what is below a step."""
    return step.expanded is not False


def folded(plan: PlanSpec) -> PlanSpec:
    """A copy without what a folded view hides."""
    copy = deepcopy(plan)
    for step in iter_steps(copy):
        # The lists are the copy's own; other ones would be validated.
        if not shows_body(step):
            step.inputs.clear()
            step.detail.clear()
        if not shows_children(step):
            step.children.clear()
    return copy


def expand_step(plan: PlanSpec, step_id: str) -> str:
    """Show a step's body and children whatever its status. Returns "" or what is wrong."""
    return _set_expanded(plan, step_id, expanded=True)


def collapse_step(plan: PlanSpec, step_id: str) -> str:
    """Hide a step's body and children whatever its status. Returns "" or what is wrong."""
    return _set_expanded(plan, step_id, expanded=False)


def _set_expanded(plan: PlanSpec, step_id: str, *, expanded: bool) -> str:
    step = find_step(plan, step_id)
    if step is None:
        return f"step {step_id} does not exist"
    step.expanded = expanded
    return ""


def replace_children(plan: PlanSpec, step_id: str, new_children: list[PlanStep]) -> str:
    """Put new children below a container and make it active. Returns "" or what is wrong (then nothing has changed).

    They are copied, with all below them. Ids that do not fit the new place change: below step 4, 1 and 2 become 4.1 and
    4.2, with their children; 4.7 stays.
    """
    step = find_step(plan, step_id)
    if step is None:
        return f"step {step_id} does not exist"
    if step.step_type not in CONTAINER_TYPES:
        types = list_types("and", containers=True, form="{}")
        return f"step {step_id} is of type '{step.step_type}', and only {types} have children"
    # What is no step is refused before anything has changed.
    step.children = deepcopy([*new_children])
    fit_ids(step)
    step.status = PlanStatus.ACTIVE
    return ""
