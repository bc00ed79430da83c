"""Assertions on the structure of plans."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import PlanSpec, PlanStep, parse_plan
from planspec_lark.pytest_plugin import PlanAssertion, assert_plan
from tests.pytest_plugin.plans import ANSWER, PLAN

# The oven's heat is taken by no step, and no step produces the flour.
WITH_INFOS = PLAN.replace("← dough, heat", "← dough, flour")

Chain = Callable[[PlanAssertion], object]

HOLD: dict[str, Chain] = {
    "by id": lambda plan: plan.has_step("2.1"),
    "by name": lambda plan: plan.has_step("warm_up"),
    "by words": lambda plan: plan.has_step("knead THE"),
    "by pattern": lambda plan: plan.has_step(re.compile("^Knead .* dough$")),
    "any": lambda plan: plan.has_step(type="decide"),
    "type": lambda plan: plan.has_step("2", type="subtask"),
    "name": lambda plan: plan.has_step("2.2", name="warm_up"),
    "status": lambda plan: plan.has_step("2.1", status="done"),
    "output": lambda plan: plan.has_step("2.1", outputs="dough"),
    "inputs": lambda plan: plan.has_step("2.3", inputs=["heat", re.compile("do.*")]),
    "result": lambda plan: plan.has_step("1", result="three"),
    "before": lambda plan: plan.has_step("Knead").before("Bake the loaves"),
    "before a container": lambda plan: plan.has_step("2.3").before("3"),
    "before the last that is meant": lambda plan: plan.has_step("2.3").before(type="act"),
    "after": lambda plan: plan.has_step("3").after("2.3"),
    "after the first that is meant": lambda plan: plan.has_step("3").after(type="reason"),
    "under": lambda plan: plan.has_step("Knead").under("2"),
    "produces": lambda plan: plan.has_step("2.1").produces("dough"),
    "consumes": lambda plan: plan.has_step("2.3").consumes("dough", re.compile("heat")),
    "one of several": lambda plan: plan.has_step(type="act").under("2").consumes("dough").after("heat"),
    "no step": lambda plan: plan.has_no_step("burn").has_no_step("2.1", status="pending"),
    "goal": lambda plan: plan.has_goal("bread").has_goal(re.compile("six$")),
    "constraint": lambda plan: plan.has_constraint("OVEN").has_constraint(re.compile("^Only")),
    "valid": lambda plan: plan.is_valid(),
    "no findings": lambda plan: plan.has_no_findings(),
    "ignored findings": lambda _: assert_plan(WITH_INFOS).has_no_findings(least="info", ignore={"PS307", "PS309"}),
    "no repair": lambda plan: plan.needs_no_repair(),
    "count": lambda plan: plan.step_count(8),
    "count of a type": lambda plan: plan.step_count(5, type="act").step_count(2, status="done"),
    "count in between": lambda plan: plan.step_count(at_least=8, at_most=8),
    "on and on": lambda plan: plan.has_step("2").is_valid().before("3").has_step("1").step_count(8),
}

FAIL: dict[str, Chain] = {
    "no id": lambda plan: plan.has_step("2.4"),
    "an id is not a word": lambda plan: plan.has_step("2.10"),
    "no words": lambda plan: plan.has_step("knead the dogh"),
    "type": lambda plan: plan.has_step("2.1", type="reason"),
    "several criteria": lambda plan: plan.has_step("loaves", type="act", status="done", outputs=["loaves", "crumbs"]),
    "no outputs": lambda plan: plan.has_step("3", outputs=re.compile("cust.*")),
    "result": lambda plan: plan.has_step("1", result="four"),
    "before": lambda plan: plan.has_step("2.3").before("2.1"),
    "before itself": lambda plan: plan.has_step("2.3").before("2.3"),
    "before nothing": lambda plan: plan.has_step("2.1").before("Bake the cake"),
    "after": lambda plan: plan.has_step("1").after("2"),
    "after nothing": lambda plan: plan.has_step("2.1").after("9", type="act"),
    "under": lambda plan: plan.has_step("3.1").under("2"),
    "produces": lambda plan: plan.has_step("2.1").produces("dough", "steam"),
    "consumes": lambda plan: plan.has_step("2.3").consumes(re.compile("hea")),
    "no step for all of it": lambda plan: plan.has_step(type="act").under("2").consumes("dough").before("heat"),
    "a step": lambda plan: plan.has_no_step("oven"),
    "criteria of words": lambda plan: plan.has_step("Bake", inputs="flour"),
    "goal": lambda plan: plan.has_goal("cake"),
    "constraint": lambda plan: plan.has_constraint("the mill only"),
    "count": lambda plan: plan.step_count(7),
    "too few": lambda plan: plan.step_count(at_least=6, at_most=9, type="act"),
    "one": lambda plan: plan.step_count(0, type="decide"),
    "infos": lambda _: assert_plan(WITH_INFOS).has_no_findings(least="info", ignore={"PS307"}),
}
# With messages as above.
FAIL_ALIKE: dict[str, Chain] = {
    "no id anywhere near": lambda plan: plan.has_step("7.1.3"),
    "no words anywhere near": lambda plan: plan.has_step("Zzyzx"),
    "no pattern": lambda plan: plan.has_step(re.compile("the loaf$")),
    "part of a name": lambda plan: plan.has_step("warm"),
    "a pattern for a name": lambda plan: plan.has_step(re.compile("^warm_up$")),
    "type of any": lambda plan: plan.has_step(type="llm"),
    "name": lambda plan: plan.has_step("2.1", name="knead"),
    "status": lambda plan: plan.has_step("2.1", status="pending"),
    "input": lambda plan: plan.has_step("2.3", inputs="flour"),
    "part of an output": lambda plan: plan.has_step("2.1", outputs="dou"),
    "no result": lambda plan: plan.has_step("2.1", result="four"),
    "before what is below it": lambda plan: plan.has_step("2").before("2.3"),
    "before what is above it": lambda plan: plan.has_step("2.1").before("2"),
    "after what is above it": lambda plan: plan.has_step("2.3").after("2"),
    "after what is below it": lambda plan: plan.has_step("2").after("2.1"),
    "under itself": lambda plan: plan.has_step("2").under("2"),
    "under what comes first": lambda plan: plan.has_step("3").under("2"),
    "produces nothing": lambda plan: plan.has_step("3").produces("dough"),
    "too many": lambda plan: plan.step_count(at_least=1, at_most=4, type="act"),
}


@pytest.fixture
def plan() -> PlanAssertion:
    return assert_plan(PLAN)


def test_steps_without_a_type_get_the_one_that_is_given() -> None:
    assert_plan("Goal: x\n## Steps\n1. Buy\n2. Sell\n", default_type="act").has_step("Buy", type="act")


def message(chain: Chain, plan: PlanAssertion) -> str:
    with pytest.raises(AssertionError) as caught:
        chain(plan)
    return str(caught.value)


@pytest.mark.parametrize("chain", HOLD.values(), ids=HOLD)
def test_what_is_so_passes(plan: PlanAssertion, chain: Chain) -> None:
    chain(plan)
    chain(assert_plan(parse_plan(PLAN)))


@pytest.mark.parametrize("chain", FAIL.values(), ids=FAIL)
def test_what_is_not_so_fails(plan: PlanAssertion, chain: Chain, snapshot: SnapshotAssertion) -> None:
    assert message(chain, plan) == snapshot


@pytest.mark.parametrize("chain", FAIL_ALIKE.values(), ids=FAIL_ALIKE)
def test_what_is_not_so_either_fails(plan: PlanAssertion, chain: Chain) -> None:
    assert message(chain, plan)


def test_a_chain_keeps_those_steps_for_which_it_holds(plan: PlanAssertion) -> None:
    found = plan.has_step(type="act")
    assert [step.step_id for step in found.steps] == ["2.1", "2.2", "2.3", "3.1", "3.2"]
    assert [step.step_id for step in found.under("2").steps] == ["2.1", "2.2", "2.3"]
    assert [step.step_id for step in found.after("2.2").before("3.2").steps] == ["2.3", "3.1"]
    assert found.plan == plan.plan == parse_plan(PLAN)


BAD = "Goal: x\n## Steps\n1. [act] a → b\n  1.1. [reson] c\n2. [subtask] d → e\n"


def test_a_plan_against_the_rules_is_not_valid(snapshot: SnapshotAssertion) -> None:
    assert message(lambda plan: plan.is_valid(), assert_plan(parse_plan(BAD))) == snapshot


def test_a_text_with_a_type_that_is_none_is_not_accepted() -> None:
    with pytest.raises(AssertionError, match=r"PS202\]: step 1\.1: invalid type 'reson'"):
        assert_plan(BAD)


def test_warnings_are_findings_but_do_not_make_a_plan_invalid(snapshot: SnapshotAssertion) -> None:
    warned = assert_plan("Goal: x\n## Steps\n1. [subtask] d → e\n").is_valid().has_no_findings(least="error")
    assert message(lambda plan: plan.has_no_findings(), warned) == snapshot


def test_many_findings_are_counted() -> None:
    text = "Goal: x\n## Steps\n" + "".join(f"{number}. [subtask] d → e{number}\n" for number in range(1, 21))
    said = message(lambda plan: plan.has_no_findings(), assert_plan(text))
    assert said.count("PS206") == 10
    assert "\n  … and 10 more\n" in said


def test_a_message_tells_of_repairs(snapshot: SnapshotAssertion) -> None:
    answer = assert_plan(ANSWER).has_step("Knead").produces("dough").before("Bake")
    assert message(lambda plan: plan.needs_no_repair(), answer) == snapshot(name="asked")
    assert message(lambda plan: plan.has_step("oven"), answer) == snapshot(name="told")


def test_text_around_a_plan_is_no_repair() -> None:
    assert_plan(f"Here you are:\n\n{PLAN}\nBye\n").needs_no_repair()


def test_a_message_shows_a_part_of_a_long_plan(snapshot: SnapshotAssertion) -> None:
    steps = [PlanStep(str(number), step_type="act", description=f"Slice {number}") for number in range(1, 101)]
    long = assert_plan(PlanSpec(goal="Toast", steps=steps))
    assert message(lambda plan: plan.has_step("butter"), long) == snapshot(name="start")
    assert message(lambda plan: plan.has_no_step("slice"), long) == snapshot(name="marked")
    assert message(lambda plan: plan.has_constraint("x"), long) == snapshot(name="no constraints")


def test_a_message_shows_a_part_of_a_deep_plan() -> None:
    steps = [PlanStep("1" + ".1" * depth, step_type="subtask", description=f"level {depth}") for depth in range(2000)]
    for above, below in pairwise(steps):
        above.children.append(below)
    deep = assert_plan(PlanSpec(steps=steps[:1])).has_step("level 1999").under("level 0")
    said = message(lambda plan: plan.has_no_step("level 1999"), deep).split("\n")
    assert said[:2] == ["there is a step with 'level 1999'", "the plan:"]
    assert len(said) == 3
    assert max(map(len, said)) < 250
    assert said[-1].startswith(">")


def test_a_message_steers_no_terminal() -> None:
    text = "Goal: g\u202e\nConstraints:\n- c\u202e\n## Steps\n1. [act] a\u202eb → c\n"
    for chain in (FAIL["no words"], FAIL["goal"], FAIL["constraint"]):
        said = message(chain, assert_plan(text))
        assert "\u202e" not in said
        assert "\\u202e" in said
    for words in ("\x1b[31m", re.compile("\x1b")):
        assert "\x1b" not in message(lambda plan, words=words: plan.has_step(words), assert_plan(text))  # type: ignore[misc]


def test_a_plan_that_no_text_could_spell_is_shown_as_well() -> None:
    said = message(lambda plan: plan.has_step("b"), assert_plan(PlanSpec(steps=[PlanStep("1", description="a")])))
    assert said.endswith("\n  1. [] a")


def test_a_mistake_of_the_test_is_no_failed_assertion(plan: PlanAssertion) -> None:
    with pytest.raises(
        ValueError, match=r"^there is no status 'finished'; there are pending, active, done, blocked, skipped$"
    ):
        plan.has_step(status="finished")
    with pytest.raises(TypeError, match=r"^unknown field output of a step; there are name, type, status, inputs, outp"):
        plan.has_step(output="x")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"^step_count: say how many: a number, at_least or at_most$"):
        plan.step_count()
    with pytest.raises(ValueError, match=r"^least: 'note' is not one of error, warning, info$"):
        plan.has_no_findings(least="note")


@pytest.mark.parametrize("then", ['has_step("2.3").before("2.1")', "is_valid()", 'has_goal("cake")', "step_count(1)"])
def test_a_failure_is_the_message_alone(pytester: pytest.Pytester, then: str) -> None:
    """Also where the text itself is refused: nothing of this package is shown, and the summary has short names."""
    text = PLAN.replace("[decide]", "[guess]") if then == "is_valid()" else PLAN
    pytester.makepyfile(
        f"""
        from planspec_lark.pytest_plugin import assert_plan

        TEXT = {text!r}

        def test_plan():
            assert_plan(TEXT).{then}
        """
    )
    lines = pytester.runpytest_subprocess("-p", "no:cacheprovider").stdout.lines
    places = [line for line in lines if line.endswith((": AssertionError", ".py:6: "))]
    assert [Path(line).name for line in places] == ["test_a_failure_is_the_message_alone.py:6: AssertionError"]
    (summary,) = [line for line in lines if line.startswith("FAILED")]
    assert " - AssertionError: " in summary
    assert not any("planspec_lark/" in line for line in lines)


pytest_plugins = ["pytester"]
