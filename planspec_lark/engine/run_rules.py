"""What has to hold for a plan, or a subtask of one, to be run."""

from __future__ import annotations

from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.rules import check_rules
from planspec_lark.planspec.tree import find_step
from planspec_lark.syntax.diagnostics import PlanSpecError, Severity
from planspec_lark.syntax.source import visible_name

__all__ = ["PlanRunError", "check_runnable", "check_subtask"]


class PlanRunError(PlanSpecError):
    """A plan that cannot be run, or a run that cannot be resumed; the text says why."""


def check_runnable(plan: PlanSpec) -> None:
    """Raises PlanRunError where the plan breaks a rule."""
    faults = [found.message for found in check_rules(plan) if found.severity is Severity.ERROR]
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise PlanRunError(f"the plan cannot be run: {faults[0]}{more}")


def check_subtask(plan: PlanSpec, step_id: str) -> None:
    """Raises PlanRunError where there is no such subtask."""
    step = find_step(plan, step_id)
    if step is None or step.step_type != "subtask":
        what = "there is no such step" if step is None else f"it is of type {step.step_type}"
        raise PlanRunError(f"step {visible_name(step_id)} is no subtask: {what}")
