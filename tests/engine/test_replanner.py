"""The end of a round: what the planner may change, and when a run gives up."""

from __future__ import annotations

import pytest
from attrs import evolve

from planspec_lark import iter_steps, parse_plan, serialize_plan
from planspec_lark.engine import Budget, EngineLimits, Outcome
from planspec_lark.engine.replanner import _match
from planspec_lark.runs import MemoryLedger, RecordKind
from tests.engine.worlds import Story, World, each_story, failed, ok, plan, shown

ONE = "1. [act] a → x\n2. [act] b\n"


def _blocked(**options: object) -> World:
    return World({"b": [failed("no")]}, **options)  # type: ignore[arg-type]


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
    world = World(plannings=["PLAN_CMD: ADD 1.2 [act] c → y"])
    result = world.run("1. [subtask] s\n  1.1. [subtask] t\n    1.1.1. [act] a\n", required=["y"])
    assert world.planned[0].reason == "outputs are missing: y"
    # What is added below what is settled is done.
    assert (result.outcome, world.ran) == (Outcome.CONVERGED, ["1.1.1", "1.2"])
    assert shown(result.plan).startswith("1. [x] [subtask] s\n  1.1. [x] [subtask] t\n")


@each_story(
    """
a plan that has converged is not planned again
    b: OK
    planner: PLAN_CMD: ADD 3 [act] c
    log: run 1, run 2

steps that move keep what they have put out
    planner: PLAN_CMD: ADD 1 [act] c; PLAN_CMD: REVISE 3 [act] d; > ← x
    log: run 1, run 2, plan changes, run 1, run 3
    given: {} / {"x": "a"} / {} / {"x": "a"}
    left: 1. [x] [act] c; 2. [x] [act] a → x; 3. [x] [act] d; > ← x

of two that put out the same, the last one counts
    planner: PLAN_CMD: ADD 1 [act] c → x; PLAN_CMD: REVISE 3 [act] d; > ← x
    given: {} / {"x": "a"} / {} / {"x": "c"}

a part is planned again
    plan: 1. [subtask] s; 1.1. [act] a; 1.2. [act] b; 2. [act] e
    planner: PLAN_CMD: REPLAN 1 | cheaper / 1. [act] c; 2. [act] d
    log: run 1.1, run 1.2, run 2, plan changes, plan children 1, run 1.1, run 1.2
    left: 1. [x] [subtask] s; 1.1. [x] [act] c; 1.2. [x] [act] d; 2. [x] [act] e

what was not done is done again, whatever it says
    b: FAIL no / OK
    planner: PLAN_CMD: REPLAN ALL / 1. [x] [act] b
    log: run 1, run 2, plan changes, plan plan, run 1

what was done and is not marked is done again
    planner: PLAN_CMD: REPLAN ALL / 1. [act] a → x
    log: run 1, run 2, plan changes, plan plan, run 1

steps that are done are done once
    b: FAIL ? RETRY; PLAN_CMD: REVISE 1 [act] a → x / OK
    log: run 1, run 2, reflect 2, run 1, run 2

a hostile new plan is shown safely, and a line that cannot be read is skipped
    planner: PLAN_CMD: REPLAN ALL | \x1b[2J; PLAN_CMD: REPLAN ALL / 1. [act] c \x1b[2J
    left: 1. [x] [act] c [2J

containers without steps are planned so often and not more
    plan: 1. [subtask] s; 2. [subtask] s
    limits: max_plannings 1
    s: ? PLAN_CMD: SKIP 2
    planner: 1. [act] a / 1. [act] a
    log: plan children 1, run 1.1, reflect 2
    heard: the planner was asked for steps 1 times

steps that cannot be reached are said
    plan: 1. [~] [subtask] s; 1.1. [act] a
    ends: blocked: steps are pending that cannot be reached

many blocked steps are not all named
    plan: 1. [act] b; 2. [act] b; 3. [act] b; 4. [act] b; 5. [act] b; 6. [act] b; 7. [act] b; 8. [act] b; 9. [act] b;
        10. [act] b; 11. [act] b; 12. [act] b; 13. [act] b
    ends: blocked: steps are blocked: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 3 more

a run gives up where the planner changes nothing
    planner: nothing
    log: run 1, run 2, plan changes
    ends: blocked: steps are blocked: 2; neither the planner nor the last round has changed anything

it gives up where a round changes nothing
    planner: PLAN_CMD: REVISE 2 [act] b
    log: run 1, run 2, plan changes, run 2
    ends: blocked: steps are blocked: 2; neither the planner nor the last round has changed anything

it gives up where commands are refused
    planner: PLAN_CMD: SKIP 2 / RETRY / PLAN_CMD: ADD 1.1 [act] x
    log: run 1, run 2, plan changes, plan changes, plan changes
    ends: blocked: steps are blocked: 2; the planner was refused 3 times, the last time for: ADD 1.1: step 1 is of type
        `act`, which cannot have children

it gives up where plans are refused
    planner: PLAN_CMD: REPLAN ALL / no / no / no
    log: run 1, run 2, plan changes, plan plan, plan plan, plan plan
    ends: blocked: steps are blocked: 2; the planner was refused 3 times, the last time for: the answer has no steps

it gives up when rounds are over
    planner: PLAN_CMD: ADD 3 [act] c0 / PLAN_CMD: ADD 3 [act] c1 / PLAN_CMD: ADD 3 [act] c2
    log: run 1, run 2, plan changes, run 3, plan changes, run 3
    ends: blocked: steps are blocked: 2; 3 rounds are over
""",
    "1. [act] a → x; 2. [act] b",
)
def test_rounds(story: Story) -> None:
    found, expected = evolve(story, told={"b": "FAIL no", "limits": "max_rounds 3", **story.told}).play()
    assert found == expected


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


def test_what_is_used_up_is_not_offered() -> None:
    limits = EngineLimits(max_plannings=0, max_added=1)
    world = World(
        {"b": [failed("no"), failed("no")]}, plannings=["PLAN_CMD: ADD 3 [act] c\nPLAN_CMD: REVISE 2 [act] b", ""]
    )
    world.run(ONE, limits=limits)
    assert [call.commands for call in world.planned] == [("REVISE", "ADD"), ("REVISE",)]
