"""Hypothesis strategies for versions of a plan: what an edit may have made of another one."""

from __future__ import annotations

import copy

from hypothesis import strategies as st

from planspec_lark import PlanSpec, PlanStatus, PlanStep, apply_command, iter_steps
from tests.strategies import known_types, plans, trimmed, workable_commands, workable_plans

__all__ = ["changed", "pairs", "renumber", "triples"]

_words = st.sampled_from(["label the shelves", "hire a lorry", "move the books", "paint the old house", "", "rest"])


def renumber(plan: PlanSpec) -> PlanSpec:
    """Give all steps of a plan numbers in their order."""
    todo = [(plan.steps, "")]
    while todo:
        steps, lead = todo.pop()
        for number, step in enumerate(steps, 1):
            step.step_id = f"{lead}{number}"
            todo.append((step.children, f"{step.step_id}."))
    return plan


def _all_lists(plan: PlanSpec) -> list[list[PlanStep]]:
    return [plan.steps, *(step.children for step in iter_steps(plan))]


def _take_out(draw: st.DrawFn, plan: PlanSpec) -> PlanStep | None:
    lists = [steps for steps in _all_lists(plan) if steps]
    if not lists:
        return None
    steps = draw(st.sampled_from(lists))
    return steps.pop(draw(st.integers(0, len(steps) - 1)))


def _edit(draw: st.DrawFn, plan: PlanSpec) -> None:
    """Change something of a plan."""
    kind = draw(st.sampled_from(["command", "command", "step", "head", "remove", "move", "add", "swap"]))
    steps = list(iter_steps(plan))
    if kind == "command":
        apply_command(plan, draw(workable_commands))
    elif kind == "head":
        name = draw(st.sampled_from(["title", "goal", "constraints", "goal_detail"]))
        texts = draw(st.lists(st.sampled_from(["one", "two", "three", "four"]), max_size=3))
        setattr(plan, name, texts if name in ("constraints", "goal_detail") else draw(trimmed))
    elif kind == "step" and steps:
        step = draw(st.sampled_from(steps))
        name = draw(st.sampled_from(["status", "result", "description", "step_name", "step_type", "detail", "outputs"]))
        values = {
            "status": st.sampled_from(PlanStatus),
            "step_name": st.sampled_from(["", "a", "b"]),
            "step_type": known_types,
            "detail": st.lists(_words, max_size=2),
            "outputs": st.lists(st.sampled_from(["a", "b"]), max_size=2, unique=True),
        }
        setattr(step, name, draw(values.get(name, _words)))
    elif kind in ("remove", "move"):
        gone = _take_out(draw, plan)
        if kind == "move" and gone is not None:
            steps = draw(st.sampled_from(_all_lists(plan)))
            steps.insert(draw(st.integers(0, len(steps))), gone)
            renumber(plan)
        elif draw(st.booleans()):
            renumber(plan)
    elif kind == "add":
        steps = draw(st.sampled_from(_all_lists(plan)))
        new = PlanStep("0", step_type=draw(known_types), description=draw(_words))
        steps.insert(draw(st.integers(0, len(steps))), new)
        renumber(plan)
    elif kind == "swap":
        steps = draw(st.sampled_from(_all_lists(plan)))
        steps[:] = draw(st.permutations(steps))
        if draw(st.booleans()):
            renumber(plan)


@st.composite
def changed(draw: st.DrawFn, plan: PlanSpec) -> PlanSpec:
    """A plan with a few changes."""
    plan = copy.deepcopy(plan)
    for _ in range(draw(st.integers(0, 4))):
        _edit(draw, plan)
    return plan


@st.composite
def _related(draw: st.DrawFn, count: int) -> tuple[PlanSpec, ...]:
    base = draw(workable_plans)
    if draw(st.booleans()):
        renumber(base)
    return base, *(draw(changed(base)) for _ in range(count))


# Two plans: one and what became of it, or two that have nothing in common.
pairs = st.one_of(_related(1), _related(1), st.tuples(plans, plans))
# Three: one and what two have made of it, or three that have nothing in common.
triples = st.one_of(_related(2), _related(2), _related(2), st.tuples(plans, plans, plans))
