"""What stands below other steps: subtasks, decisions, loops, and where inputs come from."""

from __future__ import annotations

from typing import Any

import pytest

from planspec_lark import PlanStatus
from planspec_lark.engine import EngineLimits, HopStatus, MissingInput, Outcome
from tests.engine.worlds import Story, World, chosen, each_story, failed, ok, plan, shown

BRANCHES = "1. [decide] which?\n  1.1. [act] a\n  1.2. [subtask] b\n    1.2.1. [act] c\n2. [act] d\n"


# ---------------------------------------------------------------- decisions


@pytest.mark.parametrize(
    ("branch", "message"),
    [
        (" ", "no branch was named (1.1, 1.2); the operator says: wet"),
        ("1.3", "'1.3' is not one of the branches (1.1, 1.2); the operator says: wet"),
        ("1.2.1", "'1.2.1' is not one of the branches (1.1, 1.2); the operator says: wet"),
        ("\x1b[2J", "'\\x1b[2J' is not one of the branches (1.1, 1.2); the operator says: wet"),
    ],
)
def test_a_decision_for_no_branch_is_a_failure(branch: str, message: str) -> None:
    world = World({"which?": [chosen(branch, "wet"), chosen(" 1.2. ", "dry")]}, {"which?": ["RETRY"]})
    result = world.run(BRANCHES)
    assert (world.reflections[0].status, world.reflections[0].result) == (HopStatus.FAIL, message)
    # A branch may be named with its dot.
    assert world.ran == ["1", "1", "1.2.1", "2"]
    assert result.outcome is Outcome.CONVERGED


@each_story(
    """
a branch that was skipped cannot be chosen
    plan: 1. [decide] which?; 1.1. [~] [act] a; 1.2. [act] b
    which?: OK > 1.1 ? ACCEPT
    heard: '1.1' is not one of the branches (1.2)
    left: 1. [x] [decide] which? | '1.1' is not one of the branches (1.2); 1.1. [~] [act] a; 1.2. [~] [act] b

a decision that is accepted holds
    which?: UNCERTAIN wet > 1.2 ? ACCEPT
    log: run 1, reflect 1, run 1.2.1, run 2
    left: 1. [x] [decide] which? | 1.2: wet; 1.1. [~] [act] a; 1.2. [x] [subtask] b; 1.2.1. [x] [act] c; 2. [x] [act] d

what a decision puts out is there for its branch and behind it
    plan: 1. [decide] a? → kind; 1.1. [act] b; > ← kind; 2. [act] c; > ← kind
    a?: OK {"kind": "wet"} > 1.1
    given: {} / {"kind": "wet"} / {"kind": "wet"}
    outputs: {"kind": "wet"}

a branch that is skipped leaves nothing
    plan: 1. [decide] which?; 1.1. [act] a; 1.2. [act] b
    a: FAIL ? PLAN_CMD: SKIP 1.1
    left: 1. [~] [decide] which? | all steps below it were skipped; 1.1. [~] [act] a; 1.2. [~] [act] b

a decision that is settled already is not asked for
    plan: 1. [>] [decide] which?; 1.1. [x] [act] a; 1.2. [~] [act] b; 2. [act] c
    log: run 2

a decision that is revised is made again, and all but what was done can be chosen
    a: FAIL ? PLAN_CMD: REVISE 1 [decide] which then?; PLAN_CMD: SKIP 1.1
    which?: OK > 1.1
    which then?: OK > 1.2
    log: run 1, run 1.1, reflect 1.1, run 1, run 1.2.1, run 2

a branch that is planned again does not open the others
    which?: OK > 1.2
    c: FAIL ? PLAN_CMD: REPLAN 1.2 | x
    planner: 1. [act] e
    log: run 1, run 1.2.1, reflect 1.2.1, plan children 1.2, run 1.2.1, run 2

a decision that is planned again is made again
    plan: 1. [decide] which?; 1.1. [act] a; 1.2. [act] b; 2. [act] d
    which?: OK > 1.1 / OK > 1.2
    a: FAIL ? PLAN_CMD: REPLAN 1 | x
    planner: 1. [act] e; 2. [act] f; 3. [act] g
    log: run 1, run 1.1, reflect 1.1, plan children 1, run 1, run 1.2, run 2
    left: 1. [x] [decide] which? | 1.2; 1.1. [~] [act] e; 1.2. [x] [act] f; 1.3. [~] [act] g; 2. [x] [act] d

a step put beside a branch does not run
    plan: 1. [decide] which?; 1.1. [act] a; 1.2. [act] b; 2. [act] d
    a: FAIL ? RETRY; PLAN_CMD: ADD 1.1 [act] x / OK
    log: run 1, run 1.1, reflect 1.1, run 1.2, run 2
    left: 1. [x] [decide] which? | 1.2; 1.1. [~] [act] x; 1.2. [x] [act] a; 1.3. [~] [act] b; 2. [x] [act] d
""",
    "1. [decide] which?; 1.1. [act] a; 1.2. [subtask] b; 1.2.1. [act] c; 2. [act] d",
)
def test_decisions(story: Story) -> None:
    found, expected = story.play()
    assert found == expected


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


def test_retries_and_attempts_are_counted_from_zero_in_each_round() -> None:
    said = [failed(), failed(), ok()] * 3
    for steps in ("1. [subtask] a | Progress: 0/3\n", "1. [subtask] s | Progress: 0/3\n  1.1. [act] a\n"):
        world = World({"a": said}, {"a": ["RETRY"]})
        assert world.run(steps, limits=EngineLimits(max_attempts=3)).outcome is Outcome.CONVERGED
        assert [call.attempt for call in world.calls] == [*range(1, 10)]


@each_story("""
a round of a loop that is accepted is one round
    plan: 1. [subtask] s → x | Progress: 0/3
    s: FAIL one ? ACCEPT / OK two / FAIL three {"x": 3}
    log: run 1, reflect 1, run 1, run 1, reflect 1
    left: 1. [x] [subtask] s → x | three | Progress: 3/3
    outputs: {"x": 3}

what fails in a loop blocks it
    plan: 1. [subtask] s | Progress: 0/3; 1.1. [act] a; 1.2. [act] b
    a: OK / FAIL no
    log: run 1.1, run 1.2, run 1.1, run 1.2
    left: 1. [!] [subtask] s | step 1.1 is blocked | Progress: 1/3; 1.1. [!] [act] a | no; 1.2. [x] [act] b
    ends: blocked: steps are blocked: 1, 1.1

loops below loops
    plan: 1. [subtask] s | Progress: 0/2; 1.1. [subtask] t | Progress: 0/2; 1.1.1. [act] a; 1.2. [act] b
    log: run 1.1.1, run 1.1.1, run 1.2, run 1.1.1, run 1.1.1, run 1.2
    left: 1. [x] [subtask] s | Progress: 2/2; 1.1. [x] [subtask] t | Progress: 2/2; 1.1.1. [x] [act] a; 1.2. [x] [act] b

a decision that was skipped is made in the next round
    plan: 1. [subtask] s | Progress: 0/2; 1.1. [decide] a?; 1.1.1. [act] b; 1.1.2. [act] c
    a?: OK > 1.1.1 / OK > 1.1.2
    b: FAIL ? PLAN_CMD: SKIP 1.1.1
    log: run 1.1, run 1.1.1, reflect 1.1.1, run 1.1, run 1.1.2

a round sees what the round before has put out, but for what is the step's own
    plan: 1. [subtask] s | Progress: 0/2; 1.1. [act] a → x; > ← y; 1.2. [act] b → y; > ← x; 2. [act] c
    a: OK {"x": 1} / OK {"x": 2}
    b: OK {"y": 1} / OK {"y": 2}
    given: {} / {"x": 1} / {"y": 1} / {"x": 2} / {"x": 2, "y": 2}

a loop that lacks its outputs runs its last round again
    plan: 1. [subtask] s → x | Progress: 0/2; 1.1. [act] a
    a: OK / OK / OK {"x": 1}
    s:  ? RETRY
    log: run 1.1, run 1.1, reflect 1, run 1.1
    left: 1. [x] [subtask] s → x | Progress: 2/2; 1.1. [x] [act] a

a value of a step that says something else now is none
    plan: 1. [subtask] s | Progress: 0/2; 1.1. [act] a; > ← y; 1.2. [act] b → y
    a: OK / FAIL ? RETRY; PLAN_CMD: REVISE 1.2 [act] b2 → y / OK
    log: run 1.1, run 1.2, run 1.1, reflect 1.1, run 1.1, run 1.2
    given: {} / {} / {"y": "b"} / {} / {}
""")
def test_loops(story: Story) -> None:
    found, expected = story.play()
    assert found == expected


# ---------------------------------------------------------------- subtasks


@each_story("""
a subtask has to put out what it declares
    plan: 1. [subtask] s → x, y; 1.1. [act] a → y
    s:  ? ACCEPT
    heard: declared outputs are missing: x: no step below produced them
    left: 1. [x] [subtask] s → x, y | declared outputs are missing: x: no step below produced them; 1.1. [x] [act] a → y
    outputs: {"y": "a"}

a subtask is tried again with all below it
    plan: 1. [subtask] s → x; 1.1. [act] a; 1.2. [decide] which?; 1.2.1. [act] b; 1.2.2. [act] c
    a: OK / OK {"x": 1}
    s:  ? RETRY
    log: run 1.1, run 1.2, run 1.2.1, reflect 1, run 1.1, run 1.2, run 1.2.1

a subtask without steps gets some
    plan: 1. [subtask] s → x; 2. [act] c
    planner: Here they are:; ; 1. [act] a → x; 2. [act] b
    log: plan children 1, run 1.1, run 1.2, run 2
    left: 1. [x] [subtask] s → x; 1.1. [x] [act] a → x; 1.2. [x] [act] b; 2. [x] [act] c

without a planner a subtask without steps has failed
    plan: 1. [decide] s
    s:  ? PLAN_CMD: SKIP 1
    heard: there are no steps below it, and no planner to write them

what stands below a skipped step is skipped
    plan: 1. [subtask] s; 1.1. [act] a; 1.2. [subtask] t; 1.2.1. [act] b; 2. [act] c
    a: FAIL ? PLAN_CMD: SKIP 1 | no use
    log: run 1.1, reflect 1.1, run 2
    left: 1. [~] [subtask] s | no use; 1.1. [~] [act] a; 1.2. [~] [subtask] t; 1.2.1. [~] [act] b; 2. [x] [act] c

what is added to a skipped step is done, as commands count one after the other
    plan: 1. [subtask] s; 1.1. [act] a; 1.2. [act] b
    a: FAIL ? PLAN_CMD: SKIP 1; PLAN_CMD: ADD 1.3 [act] d
    log: run 1.1, reflect 1.1, run 1.3

numbers that are used up
    plan: 1. [subtask] s; 1.1. [act] f
    f: FAIL ? PLAN_CMD: REPLAN 1 | why; PLAN_CMD: ADD 1.2 [act] a; PLAN_CMD: ADD 1.999999999 [act] d
    planner: 1. [act] b; 2. [act] c
    log: run 1.1, reflect 1.1, plan children 1, run 1.2, run 1.999999999, run 1.1, run 1.3

a container without steps cannot be accepted
    plan: 1. [subtask] s; 1.1. [act] a
    limits: max_rounds 1
    a: FAIL ? PLAN_CMD: REPLAN 1
    s:  ? ACCEPT
    planner: no / no / no
    log: run 1.1, reflect 1.1, plan children 1, plan children 1, plan children 1, reflect 1, reflect 1, reflect 1
    ends: blocked: steps are blocked: 1; 1 rounds are over
""")
def test_subtasks(story: Story) -> None:
    found, expected = story.play()
    assert found == expected


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
    assert (call.step and call.step.step_id, call.step and call.step.children, call.commands) == ("2", [], ())
    assert result.outcome is Outcome.CONVERGED


def test_what_has_failed_is_at_work() -> None:
    """A container may fail before anything below it was begun."""
    seen: list[str] = []
    world = World(answers={"s": ["PLAN_CMD: SKIP 1"]})
    world.run("1. [subtask] s\n", on_event=lambda event: seen.append(f"{event.kind.value} {shown(event.plan)}"))
    assert seen[1] == "failed 1. [>] [subtask] s\n"


# ---------------------------------------------------------------- inputs


def test_inputs_are_given_and_put_out() -> None:
    world = World({"a": [ok(x=1)]})
    world.run("1. [act] a → x\n2. [act] b\n  > ← x, y, z\n", inputs={"x": 7, "y": [8]})
    assert world.inputs == [{"x": 7, "y": [8]}, {"x": 1, "y": [8]}]
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
    assert result.plan.steps[1].status is PlanStatus.BLOCKED
    assert not {"run 2", "reflect 2"}.intersection(world.log)
    assert result.lacking == (MissingInput("2", "x", "1"),)


def test_required_outputs() -> None:
    result = World({"a": [ok(x=1)]}).run("1. [act] a\n", required=["x", "y"])
    assert (result.outcome, result.reason) == (Outcome.BLOCKED, "outputs are missing: y")


@each_story("""
what was put out another time counts no longer
    plan: 1. [decide] q → kind; 1.1. [act] a; 1.2. [act] b; 2. [act] c; > ← kind
    q: OK {"kind": 1} > 1.1 / FAIL no ? ACCEPT
    a: FAIL ? PLAN_CMD: REVISE 1 [decide] q → kind
    given: {} / {"kind": 1} / {}
    ends: blocked: steps are blocked: 2
    outputs: {}

a value of a step that was skipped then is none
    plan: 1. [act] a → x; 2. [act] b; > ← x
    a: OK {"x": 1} / FAIL ? PLAN_CMD: SKIP 1
    b: FAIL ? RETRY; PLAN_CMD: REVISE 1 [act] a → x / OK /  ? ACCEPT
    given: {} / {"x": 1} / {}
    left: 1. [~] [act] a → x; 2. [!] [act] b | inputs are missing: x (step 1 is skipped); > ← x
    ends: blocked: steps are blocked: 2
    outputs: {}
""")
def test_inputs(story: Story) -> None:
    found, expected = story.play()
    assert found == expected
