"""Normalisers: they leave out of plans what a test does not compare."""

from __future__ import annotations

import copy
from collections.abc import Callable

from planspec_lark.planspec.models import PlanSpec, iter_steps
from planspec_lark.syntax.fields import reset

__all__ = ["PARTS", "Normalizer", "normalize", "plan_without"]

Normalizer = Callable[[PlanSpec], PlanSpec]


# What can be left out of a plan, and of each step, and the fields that are meant.
_OF_PLAN = {"title": "title", "goal": "goal", "detail": "goal_detail", "constraints": "constraints"}
_OF_STEP: dict[str, tuple[str, ...]] = {
    "names": ("step_name",),
    "descriptions": ("description",),
    "inputs": ("inputs",),
    "outputs": ("outputs",),
    "detail": ("detail",),
    "results": ("result",),
    "statuses": ("status",),
    "progress": ("done_count", "total_count"),
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
    of_plan = [field for name, field in _OF_PLAN.items() if name in names]
    of_step = [field for name, fields in _OF_STEP.items() if name in names for field in fields]

    def leave_out(plan: PlanSpec) -> PlanSpec:
        changed = copy.deepcopy(plan)
        reset(changed, *of_plan)
        for step in iter_steps(changed):
            reset(step, *of_step)
        return changed

    return leave_out


def normalize(plan: PlanSpec, *normalizers: Normalizer) -> PlanSpec:
    """What a plan is after all normalisers, one after the other."""
    for normalizer in normalizers:
        plan = normalizer(plan)
        if not isinstance(plan, PlanSpec):
            raise TypeError(f"a normaliser has to answer with a plan, not with {type(plan).__name__}")
    return plan
