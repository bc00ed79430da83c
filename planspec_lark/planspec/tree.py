"""The tree of steps: how ids spell it, and how to find one's way in it.

The parent of a step is the step with the longest proper prefix of its id among all ids of the plan; siblings stand in
the order in which they appear.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planspec_lark.planspec.fields import COUNT_LIMIT
from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep, iter_steps

__all__ = [
    "available_outputs",
    "find_parents",
    "find_step",
    "fit_ids",
    "grow",
    "iter_with_parents",
    "next_pending_step",
    "step_order",
    "walk",
]


def find_parents(ids: Sequence[str]) -> list[str | None]:
    """The parent's id of each id, None at the top level. The ids must differ."""
    present = set(ids)
    parents: list[str | None] = []
    lost = False
    for step_id in ids:
        head = step_id.rpartition(".")[0]
        if not head:
            parents.append(None)
        elif head in present:
            parents.append(head)
        else:
            parents.append(None)
            lost = True
    return _find_far_parents(ids) if lost else parents


def _find_far_parents(ids: Sequence[str]) -> list[str | None]:
    # A dot sorts before every digit, so all that is below an id follows it directly: one pass with a stack finds each
    # parent, in time linear in the length of the ids but for the sorting.
    found: dict[str, str | None] = {}
    stack: list[str] = []
    for step_id in sorted(ids):
        while stack and not step_id.startswith(stack[-1] + "."):
            stack.pop()
        found[step_id] = stack[-1] if stack else None
        stack.append(step_id)
    return [found[step_id] for step_id in ids]


def grow(steps: Sequence[PlanStep]) -> list[PlanStep]:
    """Hang steps, given in document order and without children, below their parents; returns the top level."""
    by_id = {step.step_id: step for step in steps}
    top: list[PlanStep] = []
    for step, parent in zip(steps, find_parents([step.step_id for step in steps]), strict=True):
        (top if parent is None else by_id[parent].children).append(step)
    return top


def fit_ids(container: PlanStep) -> None:
    """Give all steps below a container ids that spell the places in which they stand.

    An id that does so stays; of siblings where one's id would be read below the other's, the outer one keeps it, and of
    two with the same id the first. What stands below a step that gets another id moves with it. All others are
    numbered, above the numbers of the siblings in front of them.
    """
    todo = [(container, container.step_id)]
    while todo:
        step, was = todo.pop()
        ids = _fit_siblings([child.step_id for child in step.children], step.step_id, was)
        for child, step_id in zip(step.children, ids, strict=True):
            todo.append((child, child.step_id))
            if child.step_id != step_id:
                child.step_id = step_id


def _fit_siblings(ids: Sequence[str], parent: str, parent_was: str) -> Iterator[str]:
    tails: list[str] = []
    for step_id in ids:
        lead = next((lead for lead in (f"{parent}.", f"{parent_was}.") if step_id.startswith(lead)), None)
        tails.append("" if lead is None else step_id[len(lead) :])
    # In this order, all that would be read below an id follows it directly.
    outer = ""
    for at in sorted(range(len(ids)), key=tails.__getitem__):
        if outer and (tails[at] == outer or tails[at].startswith(f"{outer}.")):
            tails[at] = ""
        else:
            outer = tails[at]
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


def iter_with_parents(plan: PlanSpec) -> Iterator[tuple[PlanStep, PlanStep | None]]:
    """All steps in document order, each with its parent (None at the top level)."""
    stack: list[tuple[PlanStep, PlanStep | None]] = [(step, None) for step in reversed(plan.steps)]
    while stack:
        step, parent = stack.pop()
        yield step, parent
        stack.extend((child, step) for child in reversed(step.children))


def walk(plan: PlanSpec) -> Iterator[tuple[PlanStep, bool]]:
    """All steps as they run: each when it is entered (True), and once all below it are through (False)."""
    todo = [(step, True) for step in reversed(plan.steps)]
    while todo:
        step, is_entered = todo.pop()
        yield step, is_entered
        if is_entered:
            todo.append((step, False))
            todo += ((child, True) for child in reversed(step.children))


def find_step(plan: PlanSpec, step_id: str) -> PlanStep | None:
    """The step with this id, or None."""
    siblings = plan.steps
    while siblings:
        # Where all ids fit their places, only what has an id that starts this one can be above it.
        for step in siblings:
            if step.step_id == step_id:
                return step
            if step_id.startswith(step.step_id + "."):
                siblings = step.children
                break
        else:
            break
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
