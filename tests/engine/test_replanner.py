"""The end of a round: what the planner may change, and when a run gives up."""

from __future__ import annotations

import pytest

from planspec_lark import iter_steps, parse_plan, serialize_plan
from planspec_lark.engine import Budget, EngineLimits, Outcome
from planspec_lark.engine.replanner import _match
from planspec_lark.runs import MemoryLedger, RecordKind
from tests.engine.worlds import World, failed, ok, plan, shown

ONE = "1. [act] a → x\n2. [act] b\n"


def _blocked(**options: object) -> World:
    return World({"b": [failed("no")]}, **options)  # type: ignore[arg-type]


def test_a_plan_that_has_converged_is_not_planned_again() -> None:
    world = World(plannings=["PLAN_CMD: ADD 3 [act] c"])
    assert world.run(ONE).rounds == 1
    assert world.planned == []


def test_what_the_planner_is_told() -> None:
    world = _blocked(plannings=["PLAN_CMD: REVISE 2 [act] c"])
    result = world.run(ONE)
    (call,) = world.planned
    assert (call.purpose.value, call.step, call.reason) == ("changes", None, "steps are blocked: 2")
    assert call.commands == ("REVISE", "ADD", "REPLAN", "REPLAN ALL")
    assert call.plan_state == "Goal: g\n## Steps\n1. [x] [act] a → x\n2. [!] [act] b | no\n"
    assert [event.kind.value for event in call.history] == ["done", "failed", "blocked", "replanned", "done"]
    assert (result.outcome, result.rounds) == (Outcome.CONVERGED, 2)
    assert world.ran == ["1", "2", "2"]
    assert shown(result.plan) == "1. [x] [act] a → x\n2. [x] [act] c\n"


def test_lines_that_cannot_be_read_are_skipped_and_the_ledger_says_so() -> None:
    answer = (
        "PLAN_CMD: REPLAN\n步骤 2 执行失败，原因是权限不足。\n- PLAN_CMD: BLOCK 2 | x\nPLAN_CMD: REVISE 2 [act] c\n"
    )
    world, ledger = _blocked(plannings=[answer]), MemoryLedger()
    result = world.run(ONE, ledger=ledger)
    assert (result.outcome, shown(result.plan)) == (Outcome.CONVERGED, "1. [x] [act] a → x\n2. [x] [act] c\n")
    [record] = [one for one in ledger.records(ledger.runs()[0].run) if one.kind is RecordKind.REPLANNED]
    assert record.data["commands"] == "PLAN_CMD: REVISE 2 [act] c\n"
    assert [str(told).split(":")[:2] for told in record.data["warnings"]] == [
        ["line 1", " PC105"],
        ["line 3", " PC107"],
        ["line 3", " PC101"],
    ]


def test_a_reflection_skips_what_it_cannot_read() -> None:
    ledger = MemoryLedger()
    world = World({"b": [failed("no"), ok()]}, {"b": ["PLAN_CMD: REPLAN | why\nRETRY | once more"]})
    result = world.run(ONE, ledger=ledger)
    assert result.outcome is Outcome.CONVERGED
    [record] = [one for one in ledger.records(ledger.runs()[0].run) if one.kind is RecordKind.REFLECTED]
    assert record.data["decision"] == "RETRY"
    assert [str(told)[:14] for told in record.data["warnings"]] == ["line 1: PC105:"]


def test_outputs_that_are_missing_are_for_the_planner() -> None:
    world = World(plannings=["PLAN_CMD: ADD 3 [act] c → y"])
    result = world.run(ONE, required=["y"])
    assert world.planned[0].reason == "outputs are missing: y"
    assert (result.outcome, world.ran) == (Outcome.CONVERGED, ["1", "2", "3"])


def test_steps_that_move_keep_what_they_have_put_out() -> None:
    world = _blocked(plannings=["PLAN_CMD: ADD 1 [act] c → x\nPLAN_CMD: REVISE 3 [act] d\n> ← x"])
    result = world.run("1. [act] a → x\n2. [act] b\n")
    assert world.ran == ["1", "2", "1", "3"]
    assert world.inputs[3] == {"x": "c"}
    assert [(step.step_id, step.status.value) for step in result.plan.steps] == [
        ("1", "done"),
        ("2", "done"),
        ("3", "done"),
    ]


def test_a_step_that_moves_is_not_taken_for_another() -> None:
    world = _blocked(plannings=["PLAN_CMD: ADD 1 [act] c\nPLAN_CMD: REVISE 3 [act] d\n> ← x"])
    world.run("1. [act] a → x\n2. [act] b\n")
    assert world.inputs[3] == {"x": "a"}


def test_what_is_added_below_what_is_settled_is_done() -> None:
    world = World(plannings=["PLAN_CMD: ADD 1.2 [act] c → y"])
    result = world.run("1. [subtask] s\n  1.1. [subtask] t\n    1.1.1. [act] a\n", required=["y"])
    assert world.ran == ["1.1.1", "1.2"]
    assert shown(result.plan).startswith("1. [x] [subtask] s\n  1.1. [x] [subtask] t\n")


def test_a_part_is_planned_again() -> None:
    world = World({"b": [failed("no")]}, plannings=["PLAN_CMD: REPLAN 1 | cheaper", "1. [act] c\n2. [act] d\n"])
    result = world.run("1. [subtask] s\n  1.1. [act] a\n  1.2. [act] b\n2. [act] e\n")
    assert world.ran == ["1.1", "1.2", "2", "1.1", "1.2"]
    assert [(call.purpose.value, call.reason) for call in world.planned] == [
        ("changes", "steps are blocked: 1, 1.2"),
        ("children", "cheaper"),
    ]
    assert shown(result.plan).startswith("1. [x] [subtask] s\n  1.1. [x] [act] c\n  1.2. [x] [act] d\n")


def test_a_whole_new_plan() -> None:
    steps = "1. [act] z\n2. [x] [act] a → x | so they say\n3. [x] [act] y\n"
    new = f"# Plan: new\nGoal: another\nConstraints:\n- none\n## Steps\n{steps}"
    world = _blocked(plannings=["PLAN_CMD: REPLAN ALL | all wrong", new])
    given = parse_plan(f"# Plan: old\nGoal: g\n> d\nConstraints:\n- c\n## Steps\n{ONE}")
    result = world.run(given)
    assert world.ran == ["1", "2", "1", "3"]
    assert [(call.purpose.value, call.reason) for call in world.planned] == [
        ("changes", "steps are blocked: 2"),
        ("plan", "all wrong"),
    ]
    made = result.plan
    assert (made.title, made.goal, made.goal_detail, made.constraints) == ("new", "g", ["d"], ["c"])
    assert "so they say" not in serialize_plan(made)
    assert shown(made) == "1. [x] [act] z\n2. [x] [act] a → x\n3. [x] [act] y\n"
    assert (result.outcome, result.rounds, result.outputs) == (Outcome.CONVERGED, 2, {"x": "a"})
    (renewed,) = [event for event in world.events if event.kind.value == "renewed"]
    assert parse_plan(renewed.data["old"]).steps[1].result == "no"
    assert renewed.data["kept"] == {"2": "1"}


def test_of_two_steps_that_say_the_same_one_is_known_to_be_done() -> None:
    world = _blocked(plannings=["PLAN_CMD: REPLAN ALL", "1. [x] [act] a → x\n2. [x] [act] a → x\n"])
    world.run(ONE)
    assert world.ran == ["1", "2", "2"]
    assert len({call.key for call in world.calls}) == 3


@pytest.mark.parametrize("new", ["1. [act] a → x\n", "1. [x] [act] b\n"])
def test_what_was_not_done_or_is_not_marked_is_done_again(new: str) -> None:
    world = _blocked(plannings=["PLAN_CMD: REPLAN ALL", new])
    world.run(ONE)
    assert world.ran == ["1", "2", "1"]


@pytest.mark.parametrize(
    ("new", "same"),
    [
        ("1. [subtask] a | Progress: 0/2\n", [("1", 0)]),
        ("1. [subtask] a | Progress: 0/3\n", []),
        ("1. [subtask] a | Progress: 0/2\n1.1. [act] b\n", []),
        ("1. [subtask] c\n", []),
    ],
)
def test_only_leaves_that_ask_for_the_same_are_the_same(new: str, same: list[tuple[str, int]]) -> None:
    old = plan("1. [x] [subtask] a | Progress: 2/2\n2. [x] [subtask] c\n2.1. [x] [act] d\n").steps
    assert [(step.step_id, at) for step, at in _match(old, iter_steps(plan(new)))] == same


def test_a_new_plan_is_waited_for_over_budgets() -> None:
    """What the planner has said is not asked for again."""
    ledger = MemoryLedger()
    world = _blocked(plannings=["PLAN_CMD: REPLAN ALL", "no", "1. [act] c\n"])
    made, log = plan(ONE), []
    for _ in range(9):
        result = world.run(made, ledger=ledger, resume=bool(ledger.runs()), budget=Budget(llm_calls=1))
        made, log = result.plan, world.log
        if result.outcome is not Outcome.BUDGET:
            break
    assert log == ["run 1", "run 2", "plan changes", "plan plan", "plan plan", "run 1"]
    assert world.planned[2].refusal is not None
    assert (result.outcome, result.effort.llm_calls) == (Outcome.CONVERGED, 6)


@pytest.mark.parametrize(
    ("plannings", "reason", "log"),
    [
        (
            [""],
            "steps are blocked: 2; neither the planner nor the last round has changed anything",
            ["plan changes"],
        ),
        (
            ["PLAN_CMD: REVISE 2 [act] b"],
            "steps are blocked: 2; neither the planner nor the last round has changed anything",
            ["plan changes", "run 2"],
        ),
        (
            ["PLAN_CMD: SKIP 2", "RETRY", "PLAN_CMD: ADD 1.1 [act] x"],
            "steps are blocked: 2; the planner was refused 3 times, the last time for: "
            "ADD 1.1: step 1 is of type `act`, which cannot have children",
            ["plan changes"] * 3,
        ),
        (
            ["PLAN_CMD: REPLAN ALL", "no", "no", "no"],
            "steps are blocked: 2; the planner was refused 3 times, the last time for: the answer has no steps",
            ["plan changes", *["plan plan"] * 3],
        ),
        (
            [f"PLAN_CMD: ADD 3 [act] c{number}" for number in range(9)],
            "steps are blocked: 2; 3 rounds are over",
            ["plan changes", "run 3", "plan changes", "run 3"],
        ),
    ],
)
def test_a_run_gives_up(plannings: list[str], reason: str, log: list[str]) -> None:
    world = _blocked(plannings=plannings)
    result = world.run(ONE, limits=EngineLimits(max_rounds=3))
    assert (result.outcome, result.reason) == (Outcome.BLOCKED, reason)
    assert world.log == ["run 1", "run 2", *log]


def test_plannings_are_bounded() -> None:
    world = _blocked(
        plannings=["PLAN_CMD: REPLAN ALL", "1. [act] b\n", "PLAN_CMD: REPLAN ALL", *["PLAN_CMD: REPLAN 9"] * 2]
    )
    result = world.run(ONE, limits=EngineLimits(max_plannings=1))
    assert [call.purpose.value for call in world.planned] == ["changes", "plan", *["changes"] * 3]
    refusal = world.planned[3].refusal
    assert refusal is not None
    assert [found.message for found in refusal.diagnostics] == [
        "REPLAN is no longer possible: the run has used all of its replans"
    ]
    assert result.outcome is Outcome.BLOCKED


def test_steps_that_cannot_be_reached_are_said() -> None:
    result = World().run("1. [~] [subtask] s\n  1.1. [act] a\n")
    assert (result.outcome, result.reason) == (Outcome.BLOCKED, "steps are pending that cannot be reached")


def test_many_blocked_steps_are_not_all_named() -> None:
    result = World({"a": [failed()]}).run("".join(f"{number}. [act] a\n" for number in range(1, 14)))
    assert result.reason == "steps are blocked: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 3 more"


def test_a_hostile_new_plan_is_shown_safely() -> None:
    # A line that cannot be read is skipped.
    world = _blocked(plannings=["PLAN_CMD: REPLAN ALL | \x1b[2J\nPLAN_CMD: REPLAN ALL", "1. [act] c \x1b[2J\n"])
    result = world.run(ONE)
    assert result.outcome is Outcome.CONVERGED
    assert shown(result.plan) == "1. [x] [act] c [2J\n"


def test_done_steps_are_done_once() -> None:
    world = World({"b": [failed(), ok()]}, {"b": ["RETRY\nPLAN_CMD: REVISE 1 [act] a → x"]})
    world.run(ONE)
    assert world.ran == ["1", "2", "1", "2"]


def test_containers_without_steps_are_planned_so_often_and_not_more() -> None:
    world = World(answers={"s": ["PLAN_CMD: SKIP 2"]}, plannings=["1. [act] a\n"] * 2)
    world.run("1. [subtask] s\n2. [subtask] s\n", limits=EngineLimits(max_plannings=1))
    assert world.log == ["plan children 1", "run 1.1", "reflect 2"]
    assert world.reflections[0].result == "the planner was asked for steps 1 times"


def test_what_is_used_up_is_not_offered() -> None:
    limits = EngineLimits(max_plannings=0, max_added=1)
    world = World(
        {"b": [failed("no"), failed("no")]}, plannings=["PLAN_CMD: ADD 3 [act] c\nPLAN_CMD: REVISE 2 [act] b", ""]
    )
    world.run(ONE, limits=limits)
    assert [call.commands for call in world.planned] == [("REVISE", "ADD"), ("REVISE",)]
