"""The tree of steps: walks, and ids that fit it.

The parent of a step is the step with the longest proper prefix of its id among all ids of the plan; siblings are in
the order in which they appear. All walks are safe at any depth: :func:`~planspec_lark.planspec.models.iter_steps` in
document order, :func:`iter_with_parents` with parents, :func:`walk` on entering and on leaving a step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep, iter_steps
from planspec_lark.syntax.fields import COUNT_LIMIT
from planspec_lark.syntax.tree import iter_tree, walk_tree

__all__ = [
    "available_outputs",
    "find_step",
    "fit_ids",
    "iter_with_parents",
    "next_pending_step",
    "step_order",
    "walk",
]

# ---------------------------------------------------------------- walks


def iter_with_parents(plan: PlanSpec) -> Iterator[tuple[PlanStep, PlanStep | None]]:
    """All steps in document order, each with its parent (None at the top level)."""
    return iter_tree(plan.steps)


def walk(plan: PlanSpec) -> Iterator[tuple[PlanStep, bool]]:
    """All steps as they run: each when it is entered (True), and again after all its children (False)."""
    return walk_tree(plan.steps)


# ---------------------------------------------------------------- ids


def fit_ids(container: PlanStep) -> None:
    """Give all steps below a container ids that fit their places.

    An id that fits stays. If the id of one sibling would be read as below that of another, the outer one keeps its id;
    of two equal ids the first stays. The children of a step move with its new id. All other steps are numbered, each
    with a higher number than the siblings before it.
    """
    was = {id(container): container.step_id}
    for step in iter_steps(container):
        ids = [child.step_id for child in step.children]
        was |= zip(map(id, step.children), ids, strict=True)
        for child, step_id in zip(step.children, _fit_siblings(ids, step.step_id, was[id(step)]), strict=True):
            if child.step_id != step_id:
                child.step_id = step_id


def _fit_siblings(ids: Sequence[str], parent: str, parent_was: str) -> Iterator[str]:
    tails = _kept_tails(ids, (f"{parent}.", f"{parent_was}."))
    taken = {int(tail.partition(".")[0]) for tail in tails if tail}
    is_tight = max(taken, default=0) + len(ids) > COUNT_LIMIT
    number = 0
    for tail in tails:
        if tail and not is_tight:
            number = max(number, int(tail.partition(".")[0]))
        elif not tail:
            number += 1
            while number in taken:
                number += 1
        yield f"{parent}.{tail or number}"


def _kept_tails(ids: Sequence[str], leads: Sequence[str]) -> list[str]:
    """What each id has behind one of the leads; nothing where it begins otherwise or would be read as below another."""
    tails = [next((one[len(lead) :] for lead in leads if one.startswith(lead)), "") for one in ids]
    # In this order, ids that would be read as below another one directly follow it.
    outer = ""
    for at in sorted(range(len(ids)), key=tails.__getitem__):
        if outer and (tails[at] == outer or tails[at].startswith(f"{outer}.")):
            tails[at] = ""
        else:
            outer = tails[at]
    return tails


# ---------------------------------------------------------------- steps


def find_step(plan: PlanSpec, step_id: str) -> PlanStep | None:
    """The step with this id, or None."""
    return next((step for step in iter_steps(plan) if step.step_id == step_id), None)


def step_order(plan: PlanSpec) -> list[str]:
    """The ids of all steps in document order, which is the order in which they run."""
    return [step.step_id for step in iter_steps(plan)]


def next_pending_step(plan: PlanSpec) -> PlanStep | None:
    """The first pending step in document order (a container comes before its children), or None.

    It passes over active steps and does not look at inputs, unlike :func:`~planspec_lark.planspec.next_step`.
    """
    return next((step for step in iter_steps(plan) if step.status is PlanStatus.PENDING), None)


def available_outputs(plan: PlanSpec) -> set[str]:
    """The variables that the steps done so far have declared as their outputs."""
    return {name for step in iter_steps(plan) if step.status is PlanStatus.DONE for name in step.outputs}
