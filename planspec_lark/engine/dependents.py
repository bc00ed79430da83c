"""Which finished steps have taken what other steps have produced, as far as the plan declares it."""

from __future__ import annotations

from collections.abc import Iterable

from planspec_lark.planspec.models import PlanSpec, PlanStatus, iter_steps

__all__ = ["find_dependents"]


def find_dependents(plan: PlanSpec, step_ids: Iterable[str]) -> list[str]:
    """The later steps that are done with what these, or those below them, have produced, and in turn those of them.

    Of several finished steps that produce a value, the last one before counts. Steps below one of these, or of those
    found, are not named. Ids that the plan does not have are left out.
    """
    given = {*step_ids}
    # What was produced by a step that is opened, and by no other one since.
    stale: set[str] = set()
    found = []
    # How the ids below the last step that is opened begin; none begins with a dot.
    lead = "."
    for step in iter_steps(plan):
        is_done, is_inside = step.status is PlanStatus.DONE, step.step_id.startswith(lead)
        takes_stale = is_done and not stale.isdisjoint(step.inputs)
        if not is_inside and (step.step_id in given or takes_stale):
            lead, is_inside = f"{step.step_id}.", True
            if step.step_id not in given:
                found.append(step.step_id)
        if is_inside:
            stale.update(step.outputs)
        elif is_done:
            stale.difference_update(step.outputs)
    return found
