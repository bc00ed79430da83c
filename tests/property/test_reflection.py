"""Answers: any text gives a result, and what is usable can be done to the plan."""

from __future__ import annotations

from hypothesis import assume, given, strategies as st

from planspec_lark import PlanSpec, iter_steps
from planspec_lark.engine import read_reflection
from tests import strategies
from tests.property import promises

_texts = st.one_of(strategies.answers, strategies.plain_answers, strategies.any_text)


@given(_texts, strategies.workable_plans, st.integers(0, 7), st.booleans(), st.booleans())
def test_a_reflection_is_sound(text: str, plan: PlanSpec, at: int, can_interact: bool, can_retry: bool) -> None:
    steps = [*iter_steps(plan)]
    assume(steps)
    promises.reflection_is_sound(text, plan, steps[at % len(steps)], can_interact=can_interact, can_retry=can_retry)


@given(strategies.plain_answers, strategies.workable_plans, st.integers(0, 7))
def test_a_plain_reflection_is_sound(text: str, plan: PlanSpec, at: int) -> None:
    steps = [*iter_steps(plan)]
    assume(steps)
    promises.reflection_is_sound(text, plan, steps[at % len(steps)], can_interact=True, can_retry=True)


@given(_texts, strategies.workable_plans)
def test_a_replan_is_sound(text: str, plan: PlanSpec) -> None:
    promises.replan_is_sound(text, plan)


@given(strategies.answers.map(lambda text: text.replace("<", "")), strategies.workable_plans)
def test_a_decision_in_prose_is_found(text: str, plan: PlanSpec) -> None:
    """A line with a decision behind any text counts, unless the text has another one (or opens reasoning)."""
    assume(plan.steps)
    alone = read_reflection(text, plan, plan.steps[0], can_interact=True)
    found = read_reflection(f"{text}\n\nACCEPT\n", plan, plan.steps[0], can_interact=True)
    if alone.decision is None and not any(one.code == "PE203" for one in alone.diagnostics):
        assert found.decision is not None
    assert found.commands == alone.commands
