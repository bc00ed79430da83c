"""What a snapshot says of a plan that is not the same any more."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import PlanSpec, parse_plan, serialize_plan
from planspec_lark.pytest_plugin import plan_without
from planspec_lark.pytest_plugin.snapshots import PlanSnapshotExtension
from tests.pytest_plugin.plans import PLAN


@pytest.fixture(autouse=True)
def _no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


def show(before: PlanSpec, after: PlanSpec) -> str:
    return "\n".join(PlanSnapshotExtension().diff_lines(serialize_plan(after), serialize_plan(before)))


TEXTS = {
    "reworded": PLAN.replace("Knead the dough", "Knead the dough twice"),
    "body": PLAN.replace("    > Up to 250 degrees\n", "    > Up to 230 degrees\n    > And wait\n"),
    "moved and changed": PLAN.replace("  3.2. [act] No: call the baker → baker\n", "").replace(
        "1. [x] [reason]", "4. [act] No: call the baker → miller\n1. [x] [reason]"
    ),
    "head": PLAN.replace("at six", "at seven").replace("- Only flour from the mill\n", "- No sugar\n- No salt\n"),
    "other": "Goal: Something else\n## Steps\n1. [act] Sleep\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_texts(text: str, snapshot: SnapshotAssertion) -> None:
    assert show(parse_plan(PLAN), parse_plan(text)) == snapshot


def test_steps_without_words_are_told_apart_by_id() -> None:
    before = plan_without("wording")(parse_plan(PLAN))
    after = plan_without("wording", "statuses")(parse_plan(PLAN))
    assert (
        show(before, after)
        == """\
steps
  ~ 1 [reason]
      status: done → pending
  ~ 2 [subtask]
      status: active → pending
  ~ 2.1 [act]
      status: done → pending
  ~ 2.2 warm_up
      status: active → pending"""
    )


def test_a_new_step_without_words() -> None:
    after = plan_without("wording")(parse_plan("## Steps\n1. [act] Knead → dough\n"))
    assert show(PlanSpec(), after) == "steps\n  + 1 [act] → dough"


def test_the_body_of_a_new_step_steers_no_terminal() -> None:
    after = parse_plan("## Steps\n1. [act] Knead\n> For \u202eten minutes\n")
    assert show(PlanSpec(), after) == "steps\n  + 1 [act] Knead\n      For \\u202eten minutes"
