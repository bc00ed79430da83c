"""The tree of steps: walks, ids that fit it, and the step that is to be done next.

The parent of a step is the step with the longest proper prefix of its id among all ids of the plan; siblings are in
the order in which they appear. All walks are safe at any depth: :func:`~planspec_lark.planspec.models.iter_steps` in
document order, :func:`iter_with_parents` with parents, :func:`walk` on entering and on leaving a step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum

from planspec_lark.planspec.models import CONTAINER_TYPES, OPEN, PlanSpec, PlanStatus, PlanStep, iter_steps
from planspec_lark.syntax.fields import COUNT_LIMIT
from planspec_lark.syntax.tree import iter_tree, refuse_loops, walk_tree

__all__ = [
    "NextAction",
    "available_outputs",
    "find_next",
    "find_step",
    "fit_ids",
    "iter_with_parents",
    "next_pending_step",
    "step_order",
    "todo_of",
    "walk",
]

_BEGUN = frozenset({PlanStatus.ACTIVE, PlanStatus.DONE, PlanStatus.BLOCKED})


# ---------------------------------------------------------------- walks


def iter_with_parents(
    plan: PlanSpec, enters: Callable[[PlanStep], bool] | None = None
) -> Iterator[tuple[PlanStep, PlanStep | None]]:
    """All steps in document order, each with its parent (None at the top level).

    The children of a step are left out if ``enters`` refuses it.
    """
    return iter_tree(plan.steps, enters)


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
    """The first pending step in document order (a container comes before its children), or None."""
    return next((step for step in iter_steps(plan) if step.status is PlanStatus.PENDING), None)


def available_outputs(plan: PlanSpec) -> set[str]:
    """The variables that the steps done so far have declared as their outputs."""
    return {name for step in iter_steps(plan) if step.status is PlanStatus.DONE for name in step.outputs}


# ---------------------------------------------------------------- what is to be done next


class NextAction(str, Enum):
    """What is to be done with a step."""

    # It is carried out.
    DO = "do"
    # One of its branches is chosen.
    DECIDE = "decide"
    # The steps below it are written.
    PLAN = "plan"
    # All below it has been dealt with, and so its own status is to be set.
    CLOSE = "close"


def find_next(plan: PlanSpec) -> tuple[NextAction, PlanStep] | None:
    """What is to be done next, and with which step; None if no step is open.

    A run takes the same step, unless its ledger knows more than the plan.
    """
    above: PlanStep | None = None
    siblings = plan.steps
    around: set[int] = set()
    while True:
        step = next((step for step in siblings if step.status in OPEN), None)
        if step is None:
            return None if above is None else (NextAction.CLOSE, above)
        todo = todo_of(step)
        if todo is not None:
            return todo, step
        if id(step) in around:
            refuse_loops(plan.steps)
        around.add(id(step))
        above, siblings = step, step.children


def todo_of(step: PlanStep) -> NextAction | None:
    """What is to be done with an open step; None if one of its children comes first."""
    if step.step_type not in CONTAINER_TYPES and not step.children:
        return NextAction.DO
    counts = step.step_type == "subtask" and step.total_count is not None
    if counts and step.done_count >= (step.total_count or 0):
        return NextAction.CLOSE
    if not step.children:
        return NextAction.DO if counts else NextAction.PLAN
    return NextAction.DECIDE if step.step_type == "decide" and _is_undecided(step) else None


def _is_undecided(step: PlanStep) -> bool:
    """Whether no branch has begun, and more than one can still be chosen."""
    if any(branch.status in _BEGUN for branch in step.children):
        return False
    count = sum(branch.status in OPEN for branch in step.children)
    return count > 1 or count == len(step.children) or (count > 0 and step.status is PlanStatus.PENDING)
