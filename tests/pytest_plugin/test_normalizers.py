"""Normalisers."""

from __future__ import annotations

import copy
from difflib import unified_diff

import pytest
from hypothesis import given, strategies as st
from syrupy.assertion import SnapshotAssertion

from planspec_lark import PlanSpec, parse_plan, serialize_plan
from planspec_lark.pytest_plugin import plan_without
from planspec_lark.pytest_plugin.normalizers import PARTS, normalize
from tests import strategies
from tests.pytest_plugin.plans import PLAN


@pytest.mark.parametrize("part", PARTS)
def test_each_part_can_be_left_out(part: str, snapshot: SnapshotAssertion) -> None:
    before = PLAN.replace("at six\n", "at six\n> On Sundays at eight\n")
    after = serialize_plan(plan_without(part)(parse_plan(before)))
    rows = unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    assert "\n".join(row for row in rows if not row.startswith(("---", "+++", "@@"))) == snapshot


def test_an_unknown_part_is_a_mistake_of_the_test() -> None:
    with pytest.raises(ValueError, match=r"^a plan has no part 'result'; there are title, goal, .*, wording, state$"):
        plan_without("results", "result")


def test_normalisers_are_applied_one_after_the_other() -> None:
    def count(plan: PlanSpec) -> PlanSpec:
        plan.title = f"{len(plan.steps)} steps, {plan.title or 'no title'}"
        return plan

    assert normalize(parse_plan(PLAN), plan_without("title"), count).title == "3 steps, no title"
    assert normalize(parse_plan(PLAN)) == parse_plan(PLAN)


def test_a_normaliser_has_to_answer() -> None:
    with pytest.raises(TypeError, match=r"^a normaliser has to answer with a plan, not with NoneType$"):
        normalize(parse_plan(PLAN), lambda plan: plan.steps.clear())  # type: ignore[arg-type,return-value]


@given(strategies.plans, st.lists(st.sampled_from(PARTS), max_size=4), st.lists(st.sampled_from(PARTS), max_size=4))
def test_what_is_left_is_a_plan(plan: PlanSpec, first: list[str], second: list[str]) -> None:
    before = copy.deepcopy(plan)
    left = plan_without(*second)(plan_without(*first)(plan))
    assert plan == before
    assert left == plan_without(*first, *second)(plan)
    assert plan_without(*first)(left) == left
    assert parse_plan(serialize_plan(left)) == left
