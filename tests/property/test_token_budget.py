"""Views of a bounded size, of any plan and any budget."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from hypothesis import assume, given, strategies as st

from planspec_lark import PlanSpec, PlanStatus, iter_steps, parse_plan, serialize_plan
from planspec_lark.planspec import StepView, focus_view, next_step_view
from planspec_lark.syntax import estimate_tokens
from planspec_lark.syntax.token_estimate import TokenCounter
from tests import strategies

COUNTERS = st.sampled_from([len, estimate_tokens, lambda text: text.count("\n") + 1, lambda text: len(text.split())])


def fitting(write: Callable[[], str]) -> str | None:
    """A view, or None where there is none so small."""
    try:
        return write()
    except ValueError as error:
        if "is too few: what is never left out takes" not in str(error):
            raise
        return None


def bounded(plan: PlanSpec, budget: int, count: TokenCounter) -> str | None:
    return fitting(lambda: serialize_plan(plan, max_tokens=budget, count_tokens=count))


@given(strategies.workable_plans, st.integers(1, 400), COUNTERS)
def test_a_view_fits_and_is_a_plan(plan: PlanSpec, budget: int, count: TokenCounter) -> None:
    view = bounded(plan, budget, count)
    assume(view is not None)
    assert view is not None
    assert count(view) <= budget
    assert serialize_plan(parse_plan(view)) == view
    assert bounded(plan, budget, count) == view


@given(strategies.workable_plans, st.integers(1, 400))
def test_goal_constraints_and_what_is_at_work_stay(plan: PlanSpec, budget: int) -> None:
    text = bounded(plan, budget, len)
    assume(text is not None)
    assert text is not None
    view = parse_plan(text)
    assert (view.title, view.goal, view.constraints) == (plan.title, plan.goal, plan.constraints)
    assert view.goal_detail[: len(plan.goal_detail)] == plan.goal_detail
    shown = {step.step_id: step for step in iter_steps(view)}
    for step in iter_steps(plan):
        if step.status in (PlanStatus.ACTIVE, PlanStatus.BLOCKED):
            kept = shown[step.step_id]
            assert (kept.description, kept.result, kept.inputs) == (step.description, step.result, step.inputs)
            assert kept.detail[: len(step.detail)] == step.detail


@given(strategies.workable_plans, st.integers(1, 300), st.integers(0, 300), COUNTERS)
def test_a_larger_budget_never_shows_less(plan: PlanSpec, budget: int, more: int, count: TokenCounter) -> None:
    less_text, more_text = bounded(plan, budget, count), bounded(plan, budget + more, count)
    if less_text is None:
        return
    assert more_text is not None
    less = {step.step_id: step for step in iter_steps(parse_plan(less_text))}
    larger = {step.step_id: step for step in iter_steps(parse_plan(more_text))}
    assert less.keys() <= larger.keys()
    by_id = {step.step_id: step for step in iter_steps(plan)}
    for step_id, step in less.items():
        own = [line for line in step.detail if not line.startswith("… left out")]
        assert set(own) <= set(larger[step_id].detail)
        assert set(step.inputs) <= set(larger[step_id].inputs)
        assert larger[step_id].result in (step.result, by_id[step_id].result)


@given(strategies.workable_plans)
def test_what_is_left_out_is_counted(plan: PlanSpec) -> None:
    text = serialize_plan(plan)
    for budget in range(len(text), 0, -7):
        view = bounded(plan, budget, len)
        if view is None:
            return
        marks = [
            line.partition("… left out: ")[2]
            for step in iter_steps(parse_plan(view))
            for line in step.detail[-1:]
            if line.startswith("… left out: ")
        ]
        marks += [
            line.partition(": ")[2] for line in parse_plan(view).goal_detail[-1:] if line.startswith("… left out: ")
        ]
        counted = sum(int(part.split()[0]) for mark in marks for part in mark.split(", ") if " step" in part)
        assert len(list(iter_steps(parse_plan(view)))) + counted == len(list(iter_steps(plan)))


def step_views(plan: PlanSpec) -> list[StepView]:
    found = next_step_view(plan)
    return [*([found] if found else []), *(focus_view(plan, step.step_id) for step in iter_steps(plan))]


@given(strategies.workable_plans, st.integers(1, 600), st.integers(0, 300), COUNTERS)
def test_views_of_steps_fit_as_well(plan: PlanSpec, budget: int, more: int, count: TokenCounter) -> None:
    for view in step_views(plan):
        text = fitting(partial(view.to_text, max_tokens=budget, count_tokens=count))
        if text is None:
            continue
        assert count(text) <= budget
        larger = view.to_text(max_tokens=budget + more, count_tokens=count)
        rows = set(larger.split("\n"))
        assert all(row in rows for row in text.split("\n") if "…" not in row)
        if view.plan.goal:
            assert f"Goal: {view.plan.goal}\n" in text
