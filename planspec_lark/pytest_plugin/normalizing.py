"""Normalisers: what makes two plans alike that differ only in what a test does not care about."""

from __future__ import annotations

import copy
from collections.abc import Callable

from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep, iter_steps

__all__ = ["PARTS", "Normalizer", "normalize", "plan_without"]

Normalizer = Callable[[PlanSpec], PlanSpec]


def _drop_progress(step: PlanStep) -> None:
    step.done_count, step.total_count = 0, None


# What can be left out of a plan, and of each step.
_OF_PLAN: dict[str, Callable[[PlanSpec], None]] = {
    "title": lambda plan: setattr(plan, "title", ""),
    "goal": lambda plan: setattr(plan, "goal", ""),
    "detail": lambda plan: setattr(plan, "goal_detail", []),
    "constraints": lambda plan: setattr(plan, "constraints", []),
}
_OF_STEP: dict[str, Callable[[PlanStep], None]] = {
    "names": lambda step: setattr(step, "step_name", ""),
    "descriptions": lambda step: setattr(step, "description", ""),
    "inputs": lambda step: setattr(step, "inputs", []),
    "outputs": lambda step: setattr(step, "outputs", []),
    "detail": lambda step: setattr(step, "detail", []),
    "results": lambda step: setattr(step, "result", ""),
    "statuses": lambda step: setattr(step, "status", PlanStatus.PENDING),
    "progress": _drop_progress,
}
# Words for several of them.
_GROUPS = {
    "wording": ("title", "goal", "constraints", "descriptions", "detail", "results"),
    "state": ("results", "statuses", "progress"),
}
PARTS = (*dict.fromkeys([*_OF_PLAN, *_OF_STEP]), *_GROUPS)


def plan_without(*parts: str) -> Normalizer:
    """A normaliser that leaves parts out of a plan. It answers with a copy.

    Args:
        parts: of ``title``, ``goal``, ``constraints``, ``detail`` (also the goal's), ``names``, ``descriptions``,
            ``inputs``, ``outputs``, ``results``, ``statuses`` (all steps are pending then) and ``progress``;
            ``wording`` is all that is written for people (title, goal, constraints, descriptions, detail, results),
            ``state`` all that changes while the plan runs (results, statuses, progress).

    Raises:
        ValueError: there is no such part.
    """
    for part in parts:
        if part not in PARTS:
            raise ValueError(f"a plan has no part {part!r}; there are {', '.join(PARTS)}")
    names = {name for part in parts for name in _GROUPS.get(part, (part,))}
    of_plan = [drop for name, drop in _OF_PLAN.items() if name in names]
    of_step = [drop for name, drop in _OF_STEP.items() if name in names]

    def leave_out(plan: PlanSpec) -> PlanSpec:
        changed = copy.deepcopy(plan)
        for drop in of_plan:
            drop(changed)
        for step in iter_steps(changed):
            for drop_of_step in of_step:
                drop_of_step(step)
        return changed

    return leave_out


def normalize(plan: PlanSpec, *normalizers: Normalizer) -> PlanSpec:
    """What a plan is after all normalisers, one after the other."""
    for normalizer in normalizers:
        plan = normalizer(plan)
        if not isinstance(plan, PlanSpec):
            raise TypeError(f"a normaliser has to answer with a plan, not with {type(plan).__name__}")
    return plan
