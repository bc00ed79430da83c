"""The difference between two plans."""

from __future__ import annotations

import pytest
from hypothesis import given
from syrupy.assertion import SnapshotAssertion

from planspec_lark import PlanSpec, PlanStep, apply_commands, iter_steps, parse_plan, parse_plan_commands, plan_without
from planspec_lark.pytest_plugin.differing import diff_rows
from tests import strategies
from tests.pytest_plugin.plans import PLAN

CHANGES = {
    "status": "DONE 2.3 | brown\n",
    "added at the end": "ADD 4 [act] Count the money → money\n> ← customers\n",
    "added in front": "ADD 1 [act] Switch on the light → light\n",
    "removed": "SKIP 3.2\n",
}


def show(before: PlanSpec, after: PlanSpec) -> str:
    return "\n".join(f"{change.sign}|{change.text}" for change in diff_rows(before, after))


@pytest.mark.parametrize("command", CHANGES.values(), ids=CHANGES)
def test_commands(command: str, snapshot: SnapshotAssertion) -> None:
    plan = parse_plan(PLAN)
    assert apply_commands(plan, parse_plan_commands(f"PLAN_CMD: {command}")) == []
    assert show(parse_plan(PLAN), plan) == snapshot


TEXTS = {
    "reworded": PLAN.replace("Knead the dough", "Knead the dough twice"),
    "body": PLAN.replace("    > Up to 250 degrees\n", "    > Up to 230 degrees\n    > And wait\n"),
    "gone": PLAN.replace("  2.2. [>] heat [act] Heat the oven → heat | Progress: 2/3\n    > Up to 250 degrees\n", ""),
    "reworded behind a new one": PLAN.replace(
        "3. [decide] Is the bread good?", "3. [act] Cool the loaves → cold\n4. [decide] Good?"
    ).replace("3.1. [act] Yes: open the door → customers", "4.1. [act] Open up → customers"),
    "moved": PLAN.replace("  3.2. [act] No: call the baker → baker\n", "").replace(
        "2. [>] [subtask]", "4. [act] No: call the baker → baker\n2. [>] [subtask]"
    ),
    "head": PLAN.replace("at six", "at seven").replace("- Only flour from the mill\n", "- No sugar\n- No salt\n"),
    "other": "Goal: Something else\n## Steps\n1. [act] Sleep\n",
    "empty": "",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_texts(text: str, snapshot: SnapshotAssertion) -> None:
    assert show(parse_plan(PLAN), parse_plan(text)) == snapshot


def test_steps_without_words_are_told_apart_by_id() -> None:
    before = plan_without("wording")(parse_plan(PLAN))
    after = plan_without("wording", "statuses")(parse_plan(PLAN))
    assert show(before, after).split("\n")[0] == "|changed: 1, 2, 2.1, 2.2"


def test_many_ids_are_counted() -> None:
    plan = PlanSpec(steps=[PlanStep(str(number), step_type="act") for number in range(1, 13)])
    assert show(PlanSpec(), plan).startswith("|new: 1, 2, 3, 4, 5, 6, 7, 8 and 4 more\n")


def test_plans_that_are_too_long_are_not_compared_step_by_step(snapshot: SnapshotAssertion) -> None:
    def count(last: int, name: str) -> PlanSpec:
        steps = [PlanStep(str(number), step_type="act", description=f"a{number}") for number in range(1, last)]
        steps[7].description = name
        return PlanSpec(steps=steps)

    assert show(count(2101, "x"), count(2101, "y")) == snapshot(name="one")
    assert show(count(2101, "x"), count(2102, "x")) == snapshot(name="length")
    assert show(count(2101, "x"), count(2101, "x")) == ""


@given(strategies.plans, strategies.plans)
def test_a_difference_has_every_line_that_differs(before: PlanSpec, after: PlanSpec) -> None:
    assert diff_rows(before, before) == []
    changes = diff_rows(before, after)
    assert bool(changes) == (before != after)
    named = "".join(change.text for change in changes if not change.sign)
    gone = {change.text.lstrip(" ") for change in changes if change.sign == "-"}
    kept = {step.step_id for step in iter_steps(after)}
    for step in iter_steps(before):
        if step.step_id not in kept:
            assert any(row.startswith(f"{step.step_id}. ") for row in gone) or f"{step.step_id} → " in named
