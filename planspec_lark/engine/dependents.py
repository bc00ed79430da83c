"""Which finished steps have taken what other steps have produced, as far as the plan declares it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from planspec_lark.planspec.data_flow import find_data_flow
from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep, iter_steps
from planspec_lark.planspec.tree import iter_with_parents

__all__ = ["find_dependents"]


def find_dependents(plan: PlanSpec, step_ids: Iterable[str]) -> list[str]:
    """The steps that are done with what these, or those below them, have produced, and in turn those of them.

    Steps below one of these, or of those found, are not named. Ids that the plan does not have are left out.
    """
    above = {step.step_id: parent for step, parent in iter_with_parents(plan)}
    steps = {step.step_id: step for step in iter_steps(plan)}
    users = _find_users(plan)
    opened: dict[str, PlanStep] = {}
    waiting = [steps[step_id] for step_id in step_ids if step_id in steps]
    given = {step.step_id for step in waiting}
    while waiting:
        step = waiting.pop()
        if _is_inside(step, opened, above):
            continue
        opened[step.step_id] = step
        waiting += (user for key in _produced(step, above) for user in users.get(key, ()))
    inner = (step for step in opened.values() if step.step_id not in given)
    found = {step.step_id for step in inner if not _is_inside(above[step.step_id], opened, above)}
    return [step_id for step_id in steps if step_id in found]


def _find_users(plan: PlanSpec) -> dict[tuple[str, str], list[PlanStep]]:
    """The finished steps that take a value, by the step that it comes from and its name."""
    users: dict[tuple[str, str], list[PlanStep]] = {}
    flow = find_data_flow(plan)
    for step in iter_steps(plan):
        for name, origin in flow.origins.get(step.step_id, {}).items():
            if origin is not None and not origin.is_feedback and step.status is PlanStatus.DONE:
                users.setdefault((origin.step.step_id, name), []).append(step)
    return users


def _produced(step: PlanStep, above: dict[str, PlanStep | None]) -> Iterator[tuple[str, str]]:
    """What a step and those below it produce: the steps that it may come from, of which some are around it."""
    names: dict[str, None] = {}
    for below in iter_steps(step):
        for name in below.outputs:
            names[name] = None
            yield below.step_id, name
    around = above[step.step_id]
    while around is not None:
        yield from ((around.step_id, name) for name in names)
        around = above[around.step_id]


def _is_inside(step: PlanStep | None, opened: dict[str, PlanStep], above: dict[str, PlanStep | None]) -> bool:
    """Whether a step is one of these, or below one."""
    while step is not None:
        if step.step_id in opened:
            return True
        step = above[step.step_id]
    return False
