"""What has to hold for a plan, or a subtask of one, to be run."""

from __future__ import annotations

from collections.abc import Collection

from planspec_lark.planspec.lint import lint_plan
from planspec_lark.planspec.models import CONTAINER_TYPES, PlanSpec, PlanStep, iter_steps
from planspec_lark.planspec.rules import check_rules
from planspec_lark.planspec.tree import find_step
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSpecError, Severity, quote
from planspec_lark.syntax.safe_text import visible_name

__all__ = [
    "PlanRunError",
    "check_person",
    "check_persons",
    "check_runnable",
    "check_subtask",
    "find_doubts",
]


class PlanRunError(PlanSpecError):
    """A plan that cannot be run, or a run that cannot be resumed; the text says why."""


def check_runnable(plan: PlanSpec) -> None:
    """Raises PlanRunError where the plan breaks a rule."""
    faults = [found.message for found in check_rules(plan) if found.severity is Severity.ERROR]
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        raise PlanRunError(f"the plan cannot be run: {faults[0]}{more}")


def find_doubts(plan: PlanSpec, given: Collection[str]) -> list[Diagnostic]:
    """What a check finds in a plan that can be run all the same: its warnings, and inputs that nothing brings.

    Args:
        plan: the plan.
        given: names of the values that the run is given.
    """
    named = {step.step_id: step for step in iter_steps(plan)}

    def is_said(one: Diagnostic) -> bool:
        if one.code not in ("PS307", "PS316"):
            return one.severity is not Severity.INFO
        return one.item is None or named[one.step_id].inputs[one.item] not in given

    return [one for one in lint_plan(plan) if is_said(one)]


def check_subtask(plan: PlanSpec, step_id: str) -> None:
    """Raises PlanRunError where there is no such subtask."""
    step = find_step(plan, step_id)
    if step is None or step.step_type != "subtask":
        what = "there is no such step" if step is None else f"it is of type {step.step_type}"
        raise PlanRunError(f"step {visible_name(step_id)} is not a subtask: {what}")


def check_persons(plan: PlanSpec, names: Collection[str]) -> None:
    """Raises PlanRunError where no step that a person can do has one of these names.

    Ids would not do: steps that are added while a plan is run move them.
    """
    steps = {step.step_name: step for step in iter_steps(plan)}
    for name in names:
        step = steps.get(name) if name else None
        if step is None:
            has_id = find_step(plan, name) is not None
            why = ": a person's step needs a name, as ids move" if has_id else ""
            raise PlanRunError(f"no step has the name {quote(name)}{why}")
        check_person(step)


def check_person(step: PlanStep) -> None:
    """Raises PlanRunError where a person cannot do a step: what is below it says when it is done."""
    if step.step_type in CONTAINER_TYPES and step.step_type != "decide":
        said = f"step {step.step_id} is of type {step.step_type}"
        raise PlanRunError(f"{said}: a person's step is of type reason, act or decide")
