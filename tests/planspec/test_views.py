"""The next step, or any other, with what one needs to know for it."""

from __future__ import annotations

import pytest

from planspec_lark import PlanSpec, PlanStatus, PlanStep, parse_plan
from planspec_lark.planspec import NextAction, StepView, find_data_flow, focus_view, next_step_view

PLAN = """\
# Plan: Move the bookings
Goal: Switch on Sunday night
> At most ten minutes of downtime.
Constraints:
- No booking may be lost
## Steps
1. [x] [reason] Compare both schemas → gaps | 3 columns
2. [x] [act] Look for a quiet night → night | Sunday to Monday
3. [>] [subtask] Copy and verify → copy_report
  > ← gaps
  > One table after the other.
  3.1. [x] [act] Copy all tables → snapshot | 41 GB in 2 h
  3.2. [act] Verify the counts → copy_report
    > ← snapshot, night, key
    > Six digits of floats.
  3.3. [act] Count once more → snapshot
4. [decide] Is the copy complete → verdict
  > ← copy_report
  4.1. [act] Yes: switch → switch_log
    > On Sunday.
  4.2. [act] No: wait → notice
5. [act] Tell everybody → letter
  > ← verdict, night
"""
HEAD = """\
# Plan: Move the bookings
Goal: Switch on Sunday night
> At most ten minutes of downtime.
Constraints:
- No booking may be lost

"""


def upcoming(text: str) -> StepView:
    view = next_step_view(parse_plan(text))
    assert view is not None
    return view


def test_the_next_step() -> None:
    view = upcoming(PLAN)
    assert (view.todo, view.step.step_id, [step.step_id for step in view.path]) == (NextAction.DO, "3.2", ["3"])
    assert (
        view.to_text()
        == HEAD
        + """\
Next: step 3.2 is to be done

Above it:
3. [>] [subtask] Copy and verify → copy_report
  > ← gaps
  > One table after the other.

The step:
3.2. [act] Verify the counts → copy_report
  > ← snapshot, night, key
  > Six digits of floats.

Its inputs:
- snapshot: from 3.1. [x] [act] Copy all tables → snapshot | 41 GB in 2 h
- snapshot: also produced by 3.3. [act] Count once more → snapshot
- night: from 2. [x] [act] Look for a quiet night → night | Sunday to Monday
- key: no step produces it
"""
    )


def test_a_decision_shows_its_branches_with_all_that_they_say() -> None:
    text = PLAN.replace("[act] Verify", "[x] [act] Verify").replace("[act] Count", "[~] [act] Count")
    view = upcoming(text.replace("3. [>]", "3. [x]"))
    assert view.todo is NextAction.DECIDE
    assert (
        view.to_text()
        == HEAD
        + """\
Next: one of the branches of step 4 is to be chosen

The step:
4. [decide] Is the copy complete → verdict
  > ← copy_report

Its inputs:
- copy_report: from 3. [x] [subtask] Copy and verify → copy_report
- copy_report: also produced by 3.2. [x] [act] Verify the counts → copy_report

Its branches:
4.1. [act] Yes: switch → switch_log
  > On Sunday.
4.2. [act] No: wait → notice
"""
    )


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        (
            "1. [subtask] Ask around\n",
            "Next: the steps below step 1 are to be written\n\nThe step:\n1. [subtask] Ask around\n",
        ),
        (
            "1. [>] [subtask] Ask\n1.1. [x] [act] Ann | no\n",
            "Next: all below step 1 has been dealt with, and its status is to be set\n\n"
            "The step:\n1. [>] [subtask] Ask\n\nBelow it:\n1.1. [x] [act] Ann | no\n",
        ),
    ],
)
def test_containers(steps: str, expected: str) -> None:
    assert upcoming(f"## Steps\n{steps}").to_text() == expected


@pytest.mark.parametrize("steps", ["", "1. [x] [act] a\n", "1. [!] [act] a\n2. [~] [act] b\n"])
def test_where_nothing_is_open_there_is_no_next_step(steps: str) -> None:
    assert next_step_view(parse_plan(f"## Steps\n{steps}")) is None


def test_any_step() -> None:
    view = focus_view(parse_plan(PLAN), "4")
    assert view.todo is None
    assert (
        view.to_text()
        == HEAD
        + """\
Step 4

The step:
4. [decide] Is the copy complete → verdict
  > ← copy_report

Its inputs:
- copy_report: from 3. [>] [subtask] Copy and verify → copy_report
- copy_report: also produced by 3.2. [act] Verify the counts → copy_report

Below it:
4.1. [act] Yes: switch → switch_log
4.2. [act] No: wait → notice

Its outputs:
- verdict: to 5. [act] Tell everybody → letter

Beside it:
1. [x] [reason] Compare both schemas → gaps | 3 columns
2. [x] [act] Look for a quiet night → night | Sunday to Monday
3. [>] [subtask] Copy and verify → copy_report
5. [act] Tell everybody → letter
"""
    )


@pytest.mark.parametrize(
    ("step_id", "expected"),
    [
        ("1", ("1", True, ["2", "2.2", "4.1", "4.2"])),
        ("2.1", ("1", False, ["2.2", "4.1", "4.2"])),
        ("2.2", ("1", False, ["4.1", "4.2"])),
        ("3", ("2", False, ["1", "2.2", "4.1", "4.2"])),
        ("4.2", ("2", False, ["1", "2.2", "4.1"])),
        ("5", ("4", False, ["1", "2", "2.2", "4.1", "4.2"])),
    ],
)
def test_where_an_input_comes_from(step_id: str, expected: tuple[str, bool, list[str]]) -> None:
    plan = parse_plan(
        "## Steps\n1. [act] a → v\n> ← v\n2. [subtask] b → v\n2.1. [act] c\n> ← v\n2.2. [act] d → v\n> ← v\n"
        "3. [act] e\n> ← v\n4. [decide] f\n4.1. [act] g → v\n4.2. [act] h → v\n> ← v\n5. [act] i\n> ← v\n"
    )
    (supply,) = focus_view(plan, step_id).supplies
    assert supply.origin is not None
    assert (supply.origin.step_id, supply.is_feedback, [one.step_id for one in supply.others]) == expected
    origin = find_data_flow(plan).origins[step_id]["v"]
    assert origin is not None
    assert (supply.origin, supply.is_feedback) == (origin.step, origin.is_feedback)


def test_of_steps_with_the_same_id_each_has_its_own_origins() -> None:
    done = PlanStatus.DONE
    first, second = PlanStep("2", status=done, inputs=["v"]), PlanStep("2", inputs=["w"])
    plan = PlanSpec(steps=[PlanStep("1", status=done, outputs=["v", "w"]), first, second])
    view = next_step_view(plan)
    assert view is not None
    assert view.step is second
    (supply,) = view.supplies
    assert (supply.name, supply.origin) == ("w", plan.steps[0])


def test_there_has_to_be_such_a_step() -> None:
    with pytest.raises(ValueError, match=r"^step_id: step 9 does not exist$"):
        focus_view(parse_plan(PLAN), "9")


def lost(view: StepView) -> list[list[str]]:
    """What goes, rows that go together in a list, until nothing more may."""
    order: list[list[str]] = []
    found = view.to_text()
    while True:
        try:
            text = view.to_text(max_tokens=len(found) - 1, count_tokens=len)
        except ValueError:
            return order
        kept = text.split("\n")
        order.append([row for row in found.split("\n") if row not in kept and "left out" not in row])
        found = text


def test_the_order_in_which_parts_are_left_out() -> None:
    text = PLAN.replace("41 GB in 2 h", f"41 GB in 2 h{', and no table was locked' * 4}")
    found = [[row[:32] for row in rows] for rows in lost(focus_view(parse_plan(text), "3.2"))]
    assert found == [
        # Beside it the farther ones first (here all are as near), then who takes its outputs.
        ["3.1. [x] [act] Copy all tables →"],
        ["3.3. [act] Count once more → sna"],
        ["- copy_report: to 4. [decide] Is"],
        # The bodies of those above it.
        ["  > ← gaps", "  > One table after the other."],
        # Of several sources of an input, those that are farther away, and ends of results.
        ["- snapshot: also produced by 3.3"],
        ["- snapshot: from 3.1. [x] [act] "],
    ]


def test_the_least_view() -> None:
    view = focus_view(parse_plan(PLAN), "3.2")
    with pytest.raises(ValueError, match=r"^max_tokens: 1 is too few: what is never left out takes \d+$") as caught:
        view.to_text(max_tokens=1, count_tokens=len)
    least = int(str(caught.value).rpartition(" ")[2])
    assert (
        view.to_text(max_tokens=least, count_tokens=len)
        == HEAD
        + """\
Step 3.2

Above it:
3. [>] [subtask] Copy and verify → copy_report
  > … left out: 2 lines

The step:
3.2. [act] Verify the counts → copy_report
  > ← snapshot, night, key
  > Six digits of floats.

Its inputs:
- snapshot: from 3.1. [x] [act] Copy all tables → snapshot | 41 GB in 2 h
- night: from 2. [x] [act] Look for a quiet night → night | Sunday to Monday
- key: no step produces it
… left out: 1 step

Its outputs:
… left out: 1 step

Beside it:
… left out: 2 steps
"""
    )


def test_as_json() -> None:
    value = upcoming(PLAN).to_dict()
    assert [*value] == [
        "todo", "title", "goal", "goal_detail", "constraints", "path", "step", "inputs", "children",
    ]  # fmt: skip
    assert value["todo"] == "do"
    assert value["step"] == {
        "id": "3.2",
        "name": "",
        "type": "act",
        "status": "pending",
        "description": "Verify the counts",
        "result": "",
        "inputs": ["snapshot", "night", "key"],
        "outputs": ["copy_report"],
        "detail": ["Six digits of floats."],
        "done_count": 0,
        "total_count": None,
    }
    assert [
        (one["name"], one["from"] and one["from"]["id"], one["feedback"], [other["id"] for other in one["others"]])
        for one in value["inputs"]
    ] == [("snapshot", "3.1", False, ["3.3"]), ("night", "2", False, []), ("key", None, False, [])]
    seen = focus_view(parse_plan(PLAN), "3.2").to_dict()
    assert "todo" not in seen
    assert [one["id"] for one in seen["siblings"]] == ["3.1", "3.3"]
    assert [(one["name"], [taker["id"] for taker in one["to"]]) for one in seen["outputs"]] == [("copy_report", ["4"])]
