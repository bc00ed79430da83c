"""What is to be done next, as far as a plan says so: the first step in document order that is open."""

from __future__ import annotations

from enum import Enum

from planspec_lark.planspec.models import CONTAINER_TYPES, PlanSpec, PlanStatus, PlanStep

__all__ = ["Todo", "find_next"]

_OPEN = frozenset({PlanStatus.PENDING, PlanStatus.ACTIVE})
_BEGUN = frozenset({PlanStatus.ACTIVE, PlanStatus.DONE, PlanStatus.BLOCKED})


class Todo(str, Enum):
    """What is to be done with a step."""

    # It is carried out.
    DO = "do"
    # One of its branches is chosen.
    DECIDE = "decide"
    # The steps below it are written.
    PLAN = "plan"
    # All below it has been dealt with, and so its own status is to be set.
    CLOSE = "close"


def find_next(plan: PlanSpec) -> tuple[Todo, PlanStep] | None:
    """What is to be done next, and with which step; None where no step is open.

    A run of the plan takes the same step, unless it knows more than the plan says.
    """
    above: PlanStep | None = None
    siblings = plan.steps
    while True:
        step = next((step for step in siblings if step.status in _OPEN), None)
        if step is None:
            return None if above is None else (Todo.CLOSE, above)
        todo = _look_at(step)
        if todo is not None:
            return todo, step
        above, siblings = step, step.children


def _look_at(step: PlanStep) -> Todo | None:
    """What is to be done with an open step; None where one below it comes first."""
    if step.step_type not in CONTAINER_TYPES and not step.children:
        return Todo.DO
    counts = step.step_type == "subtask" and step.total_count is not None
    if counts and step.done_count >= (step.total_count or 0):
        return Todo.CLOSE
    if not step.children:
        return Todo.DO if counts else Todo.PLAN
    return Todo.DECIDE if step.step_type == "decide" and _is_undecided(step) else None


def _is_undecided(step: PlanStep) -> bool:
    """Whether no branch has begun, and more than one may still be the one."""
    if any(branch.status in _BEGUN for branch in step.children):
        return False
    count = sum(branch.status in _OPEN for branch in step.children)
    return count > 1 or count == len(step.children) or (count > 0 and step.status is PlanStatus.PENDING)
