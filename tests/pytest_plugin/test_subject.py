"""What a test hands over."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import PlanSpec, parse_plan
from planspec_lark.pytest_plugin import assert_plan
from planspec_lark.pytest_plugin.subject import take
from tests.pytest_plugin.plans import ANSWER, PLAN


def test_a_plan_is_taken_as_it_is() -> None:
    plan = parse_plan(PLAN)
    assert take(plan).plan is plan
    assert take(plan).list_repairs() == []
    assert take(PlanSpec()).plan == PlanSpec()


def test_a_text_is_read_and_its_repairs_are_listed(snapshot: SnapshotAssertion) -> None:
    taken = take(ANSWER)
    assert [step.outputs for step in taken.plan.steps] == [["dough"], ["loaves"]]
    assert "\n".join(taken.list_repairs()) == snapshot


def test_only_so_many_repairs_are_listed() -> None:
    text = "Goal: g\n## Steps\n" + "".join(f"{number}) [act] a → b\n" for number in range(1, 13))
    rows = take(text).list_repairs()
    assert rows[0] == "the text was read with 12 repairs:"
    assert rows[11:] == ["  and 2 more"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Sorry, I cannot help with that.\x1b[31m",
        "Goal: only\n",
        "```\nGoal: g\n## Steps\n1. [act] a\n2. [act b\n2. [act c\n```\n",
    ],
    ids=["empty", "prose", "no-steps", "in-part"],
)
def test_a_text_without_a_whole_plan_is_refused(text: str, snapshot: SnapshotAssertion) -> None:
    with pytest.raises(AssertionError) as caught:
        take(text)
    assert str(caught.value) == snapshot


def test_only_so_many_faults_are_shown() -> None:
    with pytest.raises(AssertionError) as caught:
        take("```\nGoal: g\n## Steps\n" + "".join(f"{number}. [act b\n" for number in range(1, 13)) + "```\n")
    assert str(caught.value).count("error[PS112]") == 10
    assert str(caught.value).endswith("\n\nand 2 more")


def test_what_would_allow_a_plan_is_said() -> None:
    text = "```\nGoal: x\n## Steps\n1. Buy\n2. [act] Sell\n```\n"
    assert [step.description for step in take(text, default_type="act").plan.steps] == ["Buy", "Sell"]
    risky = "Goal: x\n## Steps\n1) [act] Buy\n"
    with pytest.raises(AssertionError, match=r'max_risk="low"'):
        take(risky, max_risk="none")
    assert take(risky, max_risk="low").plan.steps[0].description == "Buy"
    with pytest.raises(AssertionError, match="the answer is truncated here") as caught:
        take("Goal: x\n## Steps\n1. [act] Buy\n2. [act] Sell →")
    assert "max_risk" not in str(caught.value)
    with pytest.raises(ValueError, match="bake"):
        take(text, default_type="bake")


def test_what_is_neither_is_a_mistake_of_the_test() -> None:
    with pytest.raises(TypeError, match=r"^expected a plan or a text, not int$"):
        take(1)  # type: ignore[arg-type]


def test_a_text_that_the_model_did_not_end_is_cut_off() -> None:
    text = "Goal: g\n## Steps\n1. [act] a\n2. [act] b\n"
    assert_plan(text, finish_reason="stop")
    with pytest.raises(AssertionError, match="allow_truncated=True"):
        assert_plan(text, finish_reason="length")
    assert_plan(text, finish_reason="length", allow_truncated=True)
