"""What stands below other steps: subtasks, decisions, loops, and where inputs come from."""

from __future__ import annotations

from typing import Any

import pytest

from planspec_lark import PlanStatus
from planspec_lark.engine import EngineLimits, HopStatus, MissingInput, OperatorResult, Outcome
from tests.engine.worlds import World, chosen, failed, ok, plan, shown

BRANCHES = "1. [decide] which?\n  1.1. [act] a\n  1.2. [subtask] b\n    1.2.1. [act] c\n2. [act] d\n"


# ---------------------------------------------------------------- decisions


@pytest.mark.parametrize(
    ("branch", "message"),
    [
        ("", "no branch was named (1.1, 1.2); the operator says: wet"),
        (" ", "no branch was named (1.1, 1.2); the operator says: wet"),
        ("1.3", "'1.3' is not one of the branches (1.1, 1.2); the operator says: wet"),
        ("2", "'2' is not one of the branches (1.1, 1.2); the operator says: wet"),
        ("1.2.1", "'1.2.1' is not one of the branches (1.1, 1.2); the operator says: wet"),
        ("\x1b[2J", "'\\x1b[2J' is not one of the branches (1.1, 1.2); the operator says: wet"),
    ],
)
def test_a_decision_for_no_branch_is_a_failure(branch: str, message: str) -> None:
    world = World({"which?": [chosen(branch, "wet"), chosen("1.2", "dry")]}, {"which?": ["RETRY"]})
    result = world.run(BRANCHES)
    assert (world.reflections[0].status, world.reflections[0].result) == (HopStatus.FAIL, message)
    assert world.ran == ["1", "1", "1.2.1", "2"]
    assert result.outcome is Outcome.CONVERGED


def test_a_branch_may_be_named_with_its_dot() -> None:
    world = World({"which?": [chosen(" 1.2. ")]})
    world.run(BRANCHES)
    assert world.ran == ["1", "1.2.1", "2"]


def test_a_branch_that_was_skipped_cannot_be_chosen() -> None:
    world = World({"which?": [chosen("1.1")]}, {"which?": ["ACCEPT"]})
    result = world.run("1. [decide] which?\n  1.1. [~] [act] a\n  1.2. [act] b\n")
    assert [branch.step_id for branch in world.calls[0].branches] == ["1.2"]
    assert world.reflections[0].result == "'1.1' is not one of the branches (1.2)"
    assert shown(result.plan) == (
        "1. [x] [decide] which? | '1.1' is not one of the branches (1.2)\n  1.1. [~] [act] a\n  1.2. [~] [act] b\n"
    )


def test_a_decision_that_is_accepted_holds() -> None:
    world = World({"which?": [OperatorResult(HopStatus.UNCERTAIN, "wet", {}, "1.2")]}, {"which?": ["ACCEPT"]})
    result = world.run(BRANCHES)
    assert world.ran == ["1", "1.2.1", "2"]
    assert shown(result.plan).startswith("1. [x] [decide] which? | 1.2: wet\n  1.1. [~] [act] a\n")


def test_decisions_below_decisions() -> None:
    steps = "1. [decide] a?\n  1.1. [decide] b?\n    1.1.1. [act] c\n    1.1.2. [act] d\n"
    steps += "  1.2. [decide] e?\n    1.2.1. [act] f\n"
    world = World({"a?": [chosen("1.1")], "b?": [chosen("1.1.2")]})
    result = world.run(steps)
    assert world.ran == ["1", "1.1", "1.1.2"]
    assert shown(result.plan) == (
        "1. [x] [decide] a? | 1.1\n  1.1. [x] [decide] b? | 1.1.2\n    1.1.1. [~] [act] c\n    1.1.2. [x] [act] d\n"
        "  1.2. [~] [decide] e?\n    1.2.1. [~] [act] f\n"
    )


def test_what_a_decision_puts_out_is_there_for_its_branch_and_behind_it() -> None:
    steps = "1. [decide] a? → kind\n  1.1. [act] b\n    > ← kind\n2. [act] c\n  > ← kind\n"
    world = World({"a?": [chosen("1.1", kind="wet")]})
    result = world.run(steps)
    assert world.inputs == [{}, {"kind": "wet"}, {"kind": "wet"}]
    assert result.outputs == {"kind": "wet"}


def test_a_branch_that_is_skipped_leaves_nothing() -> None:
    world = World({"a": [failed()]}, {"a": ["PLAN_CMD: SKIP 1.1"]})
    result = world.run("1. [decide] which?\n  1.1. [act] a\n  1.2. [act] b\n")
    assert shown(result.plan) == (
        "1. [~] [decide] which? | all steps below it were skipped\n  1.1. [~] [act] a\n  1.2. [~] [act] b\n"
    )


def test_a_branch_that_is_blocked_blocks_the_decision() -> None:
    result = World({"a": [failed("no")]}).run(BRANCHES)
    assert shown(result.plan).startswith("1. [!] [decide] which? | step 1.1 is blocked\n  1.1. [!] [act] a | no\n")
    assert (result.outcome, result.reason) == (Outcome.BLOCKED, "steps are blocked: 1, 1.1")


def test_a_decision_that_is_settled_already_is_not_asked_for() -> None:
    world = World()
    world.run("1. [>] [decide] which?\n  1.1. [x] [act] a\n  1.2. [~] [act] b\n2. [act] c\n")
    assert world.ran == ["2"]


def test_a_decision_that_is_revised_is_made_again() -> None:
    """All branches can be chosen again, but for what was done."""
    world = World({"a": [failed()], "which?": [chosen("1.1")], "which then?": [chosen("1.2")]})
    world.answers = {"a": ["PLAN_CMD: REVISE 1 [decide] which then?\nPLAN_CMD: SKIP 1.1"]}
    result = world.run(BRANCHES)
    assert world.ran == ["1", "1.1", "1", "1.2.1", "2"]
    assert result.outcome is Outcome.CONVERGED


def test_a_branch_that_is_planned_again_does_not_open_the_others() -> None:
    world = World({"which?": [chosen("1.2")], "c": [failed()]}, {"c": ["PLAN_CMD: REPLAN 1.2 | x"]}, ["1. [act] e\n"])
    world.run(BRANCHES)
    assert world.ran == ["1", "1.2.1", "1.2.1", "2"]


def test_a_decision_that_is_planned_again_is_made_again() -> None:
    world = World({"which?": [chosen("1.1"), chosen("1.2")], "a": [failed()]}, {"a": ["PLAN_CMD: REPLAN 1 | x"]})
    world.plannings = ["1. [act] e\n2. [act] f\n3. [act] g\n"]
    result = world.run(BRANCHES)
    assert [branch.step_id for branch in world.calls[2].branches] == ["1.1", "1.2", "1.3"]
    assert world.ran == ["1", "1.1", "1", "1.2", "2"]
    assert shown(result.plan).startswith(
        "1. [x] [decide] which? | 1.2\n  1.1. [~] [act] e\n  1.2. [x] [act] f\n  1.3. [~] [act] g\n"
    )


def test_a_step_put_beside_a_branch_does_not_run() -> None:
    world = World({"a": [failed(), ok()]}, {"a": ["RETRY\nPLAN_CMD: ADD 1.1 [act] x"]})
    result = world.run(BRANCHES)
    assert world.ran == ["1", "1.1", "1.2", "2"]
    assert shown(result.plan).startswith("1. [x] [decide] which? | 1.2\n  1.1. [~] [act] x\n  1.2. [x] [act] a\n")


# ---------------------------------------------------------------- loops


@pytest.mark.parametrize(("progress", "count"), [("0/3", 3), ("1/3", 2), ("3/3", 0), ("5/3", 0), ("0/0", 0)])
def test_a_loop_runs_as_often_as_is_left(progress: str, count: int) -> None:
    world = World()
    result = world.run(f"1. [subtask] s | Progress: {progress}\n  1.1. [act] a\n  1.2. [act] b\n")
    assert world.ran == ["1.1", "1.2"] * count
    done, total = progress.split("/")
    assert f"Progress: {max(int(done), int(total))}/{total}" in shown(result.plan)
    assert result.outcome is Outcome.CONVERGED


def test_a_loop_shows_how_far_it_is() -> None:
    world, seen = World(), []
    world.run(
        "1. [subtask] s | Progress: 0/2\n  1.1. [act] a → b\n", on_event=lambda event: seen.append(shown(event.plan))
    )
    assert list(dict.fromkeys(seen)) == [
        "1. [subtask] s | Progress: 0/2\n  1.1. [act] a → b\n",
        # A step that begins is shown with what has led to it.
        "1. [>] [subtask] s | Progress: 0/2\n  1.1. [>] [act] a → b\n",
        "1. [>] [subtask] s | Progress: 0/2\n  1.1. [x] [act] a → b\n",
        "1. [>] [subtask] s | Progress: 1/2\n  1.1. [>] [act] a → b\n",
        "1. [>] [subtask] s | Progress: 1/2\n  1.1. [x] [act] a → b\n",
        "1. [x] [subtask] s | Progress: 2/2\n  1.1. [x] [act] a → b\n",
    ]


def test_a_loop_without_steps_is_the_operator_s() -> None:
    world = World({"s": [ok("one"), ok("two"), ok("three", x=3)]})
    result = world.run("1. [subtask] s → x | Progress: 0/3\n")
    assert [(call.step.done_count, call.attempt) for call in world.calls] == [(0, 1), (1, 2), (2, 3)]
    assert shown(result.plan) == "1. [x] [subtask] s → x | three | Progress: 3/3\n"
    assert result.outputs == {"x": 3}


def test_a_round_of_a_loop_that_is_accepted_is_one_round() -> None:
    world = World({"s": [failed("one"), ok("two"), failed("three")]}, {"s": ["ACCEPT"]})
    result = world.run("1. [subtask] s | Progress: 0/3\n")
    assert world.log == ["run 1", "reflect 1", "run 1", "run 1", "reflect 1"]
    assert shown(result.plan) == "1. [x] [subtask] s | three | Progress: 3/3\n"


def test_retries_and_attempts_are_counted_from_zero_in_each_round() -> None:
    said = [failed(), failed(), ok()] * 3
    for steps in ("1. [subtask] a | Progress: 0/3\n", "1. [subtask] s | Progress: 0/3\n  1.1. [act] a\n"):
        world = World({"a": said}, {"a": ["RETRY"]})
        assert world.run(steps, limits=EngineLimits(max_attempts=3)).outcome is Outcome.CONVERGED
        assert [call.attempt for call in world.calls] == [*range(1, 10)]


def test_what_fails_in_a_loop_blocks_it() -> None:
    world = World({"a": [ok(), failed("no")]})
    result = world.run("1. [subtask] s | Progress: 0/3\n  1.1. [act] a\n  1.2. [act] b\n")
    assert world.ran == ["1.1", "1.2", "1.1", "1.2"]
    assert shown(result.plan) == (
        "1. [!] [subtask] s | step 1.1 is blocked | Progress: 1/3\n  1.1. [!] [act] a | no\n  1.2. [x] [act] b\n"
    )


def test_loops_below_loops() -> None:
    world = World()
    result = world.run(
        "1. [subtask] s | Progress: 0/2\n  1.1. [subtask] t | Progress: 0/2\n    1.1.1. [act] a\n  1.2. [act] b\n"
    )
    assert world.ran == ["1.1.1", "1.1.1", "1.2"] * 2
    assert "1.1. [x] [subtask] t | Progress: 2/2" in shown(result.plan)


def test_decisions_in_loops_are_made_in_each_round() -> None:
    world = World({"a?": [chosen("1.1.1"), chosen("1.1.2")]})
    world.run("1. [subtask] s | Progress: 0/2\n  1.1. [decide] a?\n    1.1.1. [act] b\n    1.1.2. [act] c\n")
    assert world.ran == ["1.1", "1.1.1", "1.1", "1.1.2"]


def test_a_round_sees_what_the_round_before_has_put_out() -> None:
    world = World({"a": [ok(x=1), ok(x=2)], "b": [ok(y=1), ok(y=2)]})
    world.run(
        "1. [subtask] s | Progress: 0/2\n  1.1. [act] a → x\n    > ← y\n  1.2. [act] b → y\n    > ← x\n2. [act] c\n"
    )
    assert world.inputs == [{}, {"x": 1}, {"y": 1}, {"x": 2}, {"x": 2, "y": 2}]
    assert [call.missing for call in world.calls][:2] == [("y",), ()]


def test_a_loop_that_lacks_its_outputs_runs_its_last_round_again() -> None:
    world = World({"a": [ok(), ok(), ok(x=1)]}, {"s": ["RETRY"]})
    result = world.run("1. [subtask] s → x | Progress: 0/2\n  1.1. [act] a\n")
    assert world.log == ["run 1.1", "run 1.1", "reflect 1", "run 1.1"]
    assert shown(result.plan) == "1. [x] [subtask] s → x | Progress: 2/2\n  1.1. [x] [act] a\n"


# ---------------------------------------------------------------- subtasks


def test_a_subtask_has_to_put_out_what_it_declares() -> None:
    world = World(answers={"s": ["ACCEPT"]})
    result = world.run("1. [subtask] s → x, y\n  1.1. [act] a → y\n")
    assert world.reflections[0].result == "declared outputs are missing: x: no step below produced them"
    assert result.plan.steps[0].status.value == "done"
    assert result.outputs == {"y": "a"}


def test_a_subtask_is_tried_again_with_all_below_it() -> None:
    world = World({"a": [ok(), ok(x=1)]}, {"s": ["RETRY"]})
    steps = "1. [subtask] s → x\n  1.1. [act] a\n  1.2. [decide] which?\n    1.2.1. [act] b\n    1.2.2. [act] c\n"
    assert world.run(steps).outcome is Outcome.CONVERGED
    assert world.log == [*("run 1.1", "run 1.2", "run 1.2.1"), "reflect 1", *("run 1.1", "run 1.2", "run 1.2.1")]


def test_a_subtask_without_steps_gets_some() -> None:
    world = World(plannings=["Here they are:\n\n1. [act] a → x\n2. [act] b\n"])
    result = world.run("1. [subtask] s → x\n2. [act] c\n")
    assert shown(result.plan) == (
        "1. [x] [subtask] s → x\n  1.1. [x] [act] a → x | \n  1.2. [x] [act] b\n2. [x] [act] c\n".replace(" | \n", "\n")
    )
    (call,) = world.planned
    assert (call.purpose.value, call.step and call.step.step_id, call.commands) == ("children", "1", ())


def test_without_a_planner_a_subtask_without_steps_has_failed() -> None:
    world = World(answers={"s": ["PLAN_CMD: SKIP 1"], "t": ["PLAN_CMD: SKIP 2"]})
    world.run("1. [subtask] s\n2. [decide] t\n")
    assert [call.result for call in world.reflections] == [
        "there are no steps below it, and no planner to write them"
    ] * 2


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("no", "the answer has no steps"),
        ("1. [act] a\n2. [cook] b\n", "step 1.2: invalid type 'cook'"),
        ("1. [act] a\n1.1. [act] b\n", "step 1: type 'act' cannot have children"),
        ("1. [act] a\n2. [act] b\n3. [act] c\n", "3 steps: an answer may have at most 2"),
        ("1. [subtask] a | Progress: 0/9\n", "step 1: a loop of 9 rounds: a loop may have at most 5"),
        ("1. taken [act] a\n", "step 1: the plan already has a step `taken`"),
        ("1. one [act] a\n2. one [act] b\n", "step 1.2 (one): duplicate name, first seen at step 1.1"),
    ],
)
def test_steps_that_are_refused(answer: str, message: str) -> None:
    world = World(answers={"s": ["PLAN_CMD: SKIP 1"]}, plannings=[answer] * 3)
    world.run("1. [subtask] s\n2. taken [act] c\n", limits=EngineLimits(max_steps=2, max_loop=5))
    assert world.log[:4] == [*["plan children 1"] * 3, "reflect 1"]
    assert world.planned[1].refusal is not None
    assert world.reflections[0].result == f"the planner was refused 3 times, the last time for: {message}"


@pytest.mark.parametrize(
    ("answer", "steps"),
    [
        ("1. [act] b\n2. [x] [act] c | done long ago\n", ["2.1", "2.2"]),
        ("2.1. [x] [act] a\n2.2. [act] b\n2.3. [act] c\n", ["2.2", "2.3"]),
        ("2. [subtask] s\n  2.1. [act] a\n  2.2. [act] b\n  2.3. [act] c\n", ["2.2", "2.3"]),
        ("2.1. [x] [act] another\n", ["2.1"]),
        ("7. [subtask] t\n  7.1. [act] b\n  7.2.1. [act] c\n", ["2.1.1", "2.1.2.1"]),
        ("1. [act] f\n2. [act] e\n", ["2.1"]),
    ],
)
def test_a_part_that_is_planned_again_is_empty(answer: str, steps: list[str]) -> None:
    """What was done in it and comes again is not done again."""
    world = World({"f": [failed(), ok()]}, {"f": ["PLAN_CMD: REPLAN 2 | why"]}, [answer])
    result = world.run(
        "1. [act] o\n2. [subtask] s\n  2.1. [act] a\n  2.2. [subtask] g\n    2.2.1. [act] e\n    2.2.2. [act] f\n"
    )
    assert world.ran == ["1", "2.1", "2.2.1", "2.2.2", *steps]
    (call,) = world.planned
    assert (call.reason, [step.description for step in call.finished]) == ("why", ["a", "e"])
    assert call.step is not None
    assert call.step.children == []
    assert result.outcome is Outcome.CONVERGED


def test_numbers_that_are_used_up() -> None:
    answer = "PLAN_CMD: REPLAN 1 | why\nPLAN_CMD: ADD 1.2 [act] a\nPLAN_CMD: ADD 1.999999999 [act] d"
    world = World({"f": [failed()]}, {"f": [answer]}, ["1. [act] b\n2. [act] c\n"])
    result = world.run("1. [subtask] s\n  1.1. [act] f\n")
    assert world.ran == ["1.1", "1.2", "1.999999999", "1.1", "1.3"]
    assert result.outcome is Outcome.CONVERGED


# ---------------------------------------------------------------- inputs


def test_inputs_are_given_and_put_out() -> None:
    world = World({"a": [ok(x=1)]})
    world.run("1. [act] a → x\n2. [act] b\n  > ← x, y, z\n", inputs={"x": 7, "y": [8]})
    assert world.inputs[0] == {"x": 7, "y": [8]}
    assert world.inputs[1] == {"x": 1, "y": [8]}
    assert world.calls[1].missing == ("z",)


def test_no_operator_changes_what_others_get() -> None:
    def spoil(call: Any) -> Any:
        call.inputs["x"].append(1)
        return ok(y=call.inputs["y"] + [1] if "y" in call.inputs else [])

    world = World()
    engine = world.engine(plan("1. [act] a → y\n2. [act] b → y\n"), inputs={"x": []})
    object.__setattr__(engine, "operator", spoil)
    assert engine.run().outputs == {"y": [1]}


@pytest.mark.parametrize("status", ["!", ">"])
def test_a_step_whose_inputs_cannot_be_there_does_not_run(status: str) -> None:
    world = World({"a": [failed("no")]}, {"a": ["hm"]})
    result = world.run(f"1. [{status}] [act] a → x\n2. [act] b\n  > ← x\n")
    assert result.plan.steps[1].result == "inputs are missing: x (step 1 is blocked)"
    assert not {"run 2", "reflect 2"}.intersection(world.log)
    assert result.lacking == (MissingInput("2", "x", "1"),)


def test_a_value_goes_with_the_step_that_has_put_it_out_last() -> None:
    world = World({"a": [ok(x=1)], "b": [ok(x=2)]})
    result = world.run("1. [act] a → x\n2. [act] b → x\n3. [act] c\n  > ← x\n")
    assert world.inputs[2] == {"x": 2}
    assert result.outputs == {"x": 2}


def test_required_outputs() -> None:
    result = World({"a": [ok(x=1)]}).run("1. [act] a\n", required=["x", "y"])
    assert (result.outcome, result.reason) == (Outcome.BLOCKED, "outputs are missing: y")


# ---------------------------------------------------------------- what is forgotten in time


def test_a_decision_that_was_skipped_is_made_in_the_next_round() -> None:
    world = World({"a?": [chosen("1.1.1"), chosen("1.1.2")], "b": [failed()]}, {"b": ["PLAN_CMD: SKIP 1.1.1"]})
    world.run("1. [subtask] s | Progress: 0/2\n  1.1. [decide] a?\n    1.1.1. [act] b\n    1.1.2. [act] c\n")
    assert world.log == ["run 1.1", "run 1.1.1", "reflect 1.1.1", "run 1.1", "run 1.1.2"]


def test_a_container_without_steps_cannot_be_accepted() -> None:
    world = World({"a": [failed()]}, {"a": ["PLAN_CMD: REPLAN 1"], "s": ["ACCEPT"]}, ["no", "no", "no"])
    result = world.run("1. [subtask] s\n  1.1. [act] a\n", limits=EngineLimits(max_rounds=1))
    assert [call.can_accept for call in world.reflections] == [True, False, False, False]
    assert result.plan.steps[0].status is PlanStatus.BLOCKED


def test_what_stands_below_a_skipped_step_is_skipped() -> None:
    world = World({"a": [failed()]}, {"a": ["PLAN_CMD: SKIP 1 | no use"]})
    result = world.run("1. [subtask] s\n  1.1. [act] a\n  1.2. [subtask] t\n    1.2.1. [act] b\n2. [act] c\n")
    assert (world.ran, result.outcome) == (["1.1", "2"], Outcome.CONVERGED)
    assert shown(result.plan) == (
        "1. [~] [subtask] s | no use\n  1.1. [~] [act] a\n  1.2. [~] [subtask] t\n    1.2.1. [~] [act] b\n"
        "2. [x] [act] c\n"
    )


def test_what_is_added_to_a_skipped_step_is_done() -> None:
    """Commands count one after the other."""
    answer = "PLAN_CMD: SKIP 1\nPLAN_CMD: ADD 1.3 [act] d"
    world = World({"a": [failed()]}, {"a": [answer]})
    result = world.run("1. [subtask] s\n  1.1. [act] a\n  1.2. [act] b\n")
    assert (world.ran, result.outcome) == (["1.1", "1.3"], Outcome.CONVERGED)


def test_what_was_put_out_another_time_counts_no_longer() -> None:
    world = World({"q": [chosen("1.1", kind=1), failed("no")], "a": [failed()]})
    world.answers = {"a": ["PLAN_CMD: REVISE 1 [decide] q → kind"], "q": ["ACCEPT"]}
    result = world.run("1. [decide] q → kind\n  1.1. [act] a\n  1.2. [act] b\n2. [act] c\n  > ← kind\n")
    assert world.ran == ["1", "1.1", "1"]
    assert (result.plan.steps[1].result, result.outputs) == (
        "inputs are missing: kind (step 1 is done without it)",
        {},
    )


def test_what_has_failed_is_at_work() -> None:
    """A container may fail before anything below it was begun."""
    seen: list[str] = []
    world = World(answers={"s": ["PLAN_CMD: SKIP 1"]})
    world.run("1. [subtask] s\n", on_event=lambda event: seen.append(f"{event.kind.value} {shown(event.plan)}"))
    assert seen[1] == "failed 1. [>] [subtask] s\n"


def test_a_value_of_a_step_that_says_something_else_now_is_none() -> None:
    world = World({"a": [ok(), failed(), ok()]}, {"a": ["RETRY\nPLAN_CMD: REVISE 1.2 [act] b2 → y"]})
    world.run("1. [subtask] s | Progress: 0/2\n  1.1. [act] a\n    > ← y\n  1.2. [act] b → y\n")
    assert world.ran == ["1.1", "1.2", "1.1", "1.1", "1.2"]
    assert world.inputs[2:4] == [{"y": "b"}, {}]


def test_a_value_of_a_step_that_was_skipped_then_is_none() -> None:
    world = World({"a": [ok(x=1), failed()], "b": [failed(), ok()]})
    world.answers = {"b": ["RETRY\nPLAN_CMD: REVISE 1 [act] a → x", "ACCEPT"], "a": ["PLAN_CMD: SKIP 1"]}
    result = world.run("1. [act] a → x\n2. [act] b\n  > ← x\n")
    assert world.inputs == [{}, {"x": 1}, {}]
    assert (result.plan.steps[1].result, result.outputs) == ("inputs are missing: x (step 1 is skipped)", {})
