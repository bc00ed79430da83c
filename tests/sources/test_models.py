"""What the source of PlanSpec says of models, HopSpec, views and the folder, where the project once deviated."""

from __future__ import annotations

import logging
from copy import deepcopy

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planspec_lark import (
    PlanSpec,
    PlanStatus,
    PlanStep,
    iter_steps,
    one_line,
    parse_plan,
    parse_plan_commands,
    replace_children,
    serialize_plan,
    step_order,
)
from tests import strategies

_ANY_CHARACTER = st.characters(exclude_categories=[])


@given(st.text(_ANY_CHARACTER, max_size=60))
@example("two\nlines")
@example("  spaces\t\u3000 ")
@example("half of a pair \ud800, an escape \x1b[31m, a lone \r, DEL \x7f, NEL \x85")
@example("| Progress: 1/2")
@example("\n\t \r")
def test_deviation_p7(text: str) -> None:
    step = PlanStep("1", step_type="act")
    step.result = one_line(text)
    assert one_line(step.result) == step.result
    plan = PlanSpec(steps=[step])
    assert parse_plan(serialize_plan(plan)) == plan


@pytest.mark.parametrize("text", ["two\nlines", " space", "tab\t", "\x1b", "\ud800"])
def test_deviation_p7_the_error_names_what_helps(text: str) -> None:
    step = PlanStep("1", step_type="act")
    with pytest.raises(ValueError, match=r"\Aresult: .*; one_line\(\) makes one line of any text\Z"):
        step.result = text
    assert step.result == ""


def test_deviation_p10() -> None:
    """A step without a type can be built, as the source says; printing it says which one it is and what to write."""
    plan = PlanSpec(steps=[PlanStep("1", step_type="subtask", children=[PlanStep("1.1")])])
    with pytest.raises(
        ValueError, match=r"\Astep_type: step 1\.1 has none; give it one: reason, act, decide, subtask\Z"
    ):
        serialize_plan(plan)


def _step(step_id: str, *children: PlanStep) -> PlanStep:
    return PlanStep(step_id, step_type="subtask" if children else "act", children=list(children))


@pytest.mark.parametrize(
    ("children", "ids"),
    [
        ([_step("1"), _step("2")], "4.1 4.2"),
        ([_step("1", _step("1.1", _step("1.1.1")), _step("1.2")), _step("2")], "4.1 4.1.1 4.1.1.1 4.1.2 4.2"),
        ([_step("4.7"), _step("1")], "4.7 4.8"),
        ([_step("1"), _step("4.1"), _step("2"), _step("4.2")], "4.3 4.1 4.4 4.2"),
        ([_step("4.1"), _step("4.1")], "4.1 4.2"),
        ([_step("4.2", _step("1"), _step("4.2.1"))], "4.2 4.2.2 4.2.1"),
        # Read below one another, if they stayed as they are.
        ([_step("4.2.1"), _step("4.2")], "4.1 4.2"),
        ([_step("4.2.1"), _step("4.2.3"), _step("9")], "4.2.1 4.2.3 4.3"),
        ([_step("4")], "4.1"),
        ([_step("40.1")], "4.1"),
        ([_step("4.999999999"), _step("1")], "4.999999999 4.1"),
        ([_step("5", _step("4.1.3"), _step("5.2"))], "4.1 4.1.3 4.1.2"),
    ],
)
def test_deviation_p11(children: list[PlanStep], ids: str) -> None:
    plan = parse_plan("Goal: g\n## Steps\n4. [subtask] a\n  4.1. [act] old\n5. [act] b\n")
    assert replace_children(plan, "4", deepcopy(children)) == ""
    assert step_order(plan) == ["4", *ids.split(), "5"]
    assert parse_plan(serialize_plan(plan)) == plan


@given(st.lists(strategies.ids, max_size=9), st.data())
def test_deviation_p11_in_every_tree(ids: list[str], data: st.DataObject) -> None:
    """Whatever stands below whatever, a text spells it afterwards; what it spelled before stays as it is."""
    steps = [PlanStep(step_id, step_type="subtask") for step_id in ids]
    top = [PlanStep("2", step_type="subtask")]
    for step in steps:
        data.draw(st.sampled_from([*top, *steps[: steps.index(step)]])).children.append(step)
    plan = PlanSpec(steps=top)
    try:
        before = serialize_plan(plan)
    except ValueError:
        before = ""
    children = top[0].children
    assert replace_children(plan, "2", children) == ""
    top[0].status = PlanStatus.PENDING
    assert serialize_plan(plan) == (before or serialize_plan(plan))
    assert parse_plan(serialize_plan(plan)) == plan
    assert list(iter_steps(top[0]))[1:] == [*iter_steps(PlanSpec(steps=children))]


def test_deviation_p12(caplog: pytest.LogCaptureFixture) -> None:
    text = "I go on.\nPLAN_CMD: REPLAN\nPLAN_CMD: DONE 1\nPLAN_CMD: drop\x1b[31m 2\nplan_cmd: skip 3\n"
    with caplog.at_level(logging.DEBUG, "planspec_lark"):
        assert [command.op for command in parse_plan_commands(text)] == ["DONE"]
    assert [(record.name, record.levelname) for record in caplog.records] == [("planspec_lark", "DEBUG")] * 3
    assert caplog.messages == [
        "line 2 skipped: PC105 REPLAN needs an id, or ALL for the whole plan: PLAN_CMD: REPLAN",
        "line 4 skipped: PC108 the control character U+001B cannot stand in a command: PLAN_CMD: drop\\x1b[31m 2",
        "line 5 skipped: PC107 a command starts with `PLAN_CMD:`, and so does its line: plan_cmd: skip 3",
    ]


def test_deviation_p12_says_nothing_unless_it_is_asked(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    assert parse_plan_commands("PLAN_CMD: REPLAN\n") == []
    assert (caplog.records, capfd.readouterr()) == ([], ("", ""))
    assert logging.getLogger("planspec_lark").handlers == []
