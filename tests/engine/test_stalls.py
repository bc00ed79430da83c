"""A step that fails for the same reason again, whatever was changed for it, is given up before its round is over."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec_lark import parse_plan, serialize_plan
from planspec_lark.engine import Budget, EngineLimits, Outcome
from tests.engine.worlds import Story, World, each_story, failed


@each_story(
    """
a step that is put in front changes nothing about the failure
    dig: FAIL no ? PLAN_CMD: ADD 1 [act] help
    log: run 1, reflect 1, run 1, run 2, run 3
    left: 1. [x] [act] help; 2. [!] [act] dig | no; stalled: it has failed 2 times for the same reason;
        3. [x] [act] fill
    ends: blocked: steps are blocked: 2

neither does the same text
    dig: FAIL no ? PLAN_CMD: REVISE 1 [act] dig
    log: run 1, reflect 1, run 1, run 2
    ends: blocked: steps are blocked: 1

white space and numbers are no other reason
    dig: FAIL 3 of 10 boxes are  missing / FAIL 12 of 10 boxes are missing ? PLAN_CMD: ADD 1 [act] help
    log: run 1, reflect 1, run 1, run 2, run 3
    ends: blocked: steps are blocked: 2

other words are another reason
    dig: FAIL no ? PLAN_CMD: ADD 1 [act] help / FAIL never / OK
    log: run 1, reflect 1, run 1, run 2, reflect 2, run 1, run 3, run 4

another text is another step
    dig: FAIL no ? PLAN_CMD: REVISE 1 [act] dig deep
    dig deep: FAIL no ? PLAN_CMD: REVISE 1 [act] dig deeper
    log: run 1, reflect 1, run 1, reflect 1, run 1, run 2

steps in place of those that fail are counted
    plan: 1. [act] dig
    dig: FAIL no ? PLAN_CMD: ADD 1 [act] dig; PLAN_CMD: SKIP 2
    log: run 1, reflect 1, run 1
    ends: blocked: steps are blocked: 1

the limit can be set
    limits: max_same_failures 4
    dig: FAIL no ? PLAN_CMD: REVISE 1 [act] dig
    log: run 1, reflect 1, run 1, reflect 1, run 1, reflect 1, run 1, run 2
    ends: blocked: steps are blocked: 1

retries have a limit of their own
    limits: max_retries 3
    dig: FAIL no ? RETRY / ? RETRY / ? RETRY / ? PLAN_CMD: REVISE 1 [act] dig
    log: run 1, reflect 1, run 1, reflect 1, run 1, reflect 1, run 1, reflect 1, run 1, run 2
    ends: blocked: steps are blocked: 1

a step that was done since starts over
    dig: FAIL no ? PLAN_CMD: REVISE 1 [act] dig / OK / FAIL no / OK
    fill: FAIL empty ? PLAN_CMD: REVISE 1 [act] dig; PLAN_CMD: REVISE 2 [act] fill / OK
    log: run 1, reflect 1, run 1, run 2, reflect 2, run 1, reflect 1, run 1, run 2

a new round starts over
    plan: 1. [act] dig
    limits: max_rounds 2
    dig: FAIL no ? PLAN_CMD: REVISE 1 [act] dig
    planner: PLAN_CMD: REVISE 1 [act] dig
    log: run 1, reflect 1, run 1, plan changes, run 1, reflect 1, run 1
    ends: blocked: steps are blocked: 1; neither the planner nor the last round has changed anything

a round of a loop starts over
    plan: 1. [subtask] s | Progress: 0/3; 1.1. [act] dig
    dig: FAIL no ? PLAN_CMD: REVISE 1.1 [act] dig / OK / FAIL no / OK / FAIL no / OK
    log: run 1.1, reflect 1.1, run 1.1, run 1.1, reflect 1.1, run 1.1, run 1.1, reflect 1.1, run 1.1

what was finished is known after unusable plans
    plan: 1. [subtask] s; 1.1. [act] a; 1.2. [act] b
    b: FAIL ? PLAN_CMD: REPLAN 1 | another way
    s: ? PLAN_CMD: REPLAN 1 | another way
    planner: no / no / no / 1. [act] a; 2. [act] c
    log: run 1.1, run 1.2, reflect 1.2, plan children 1, plan children 1, plan children 1, reflect 1, plan children 1,
        run 1.2

what was finished in a part is known when all around it is planned again
    plan: 1. [act] o; 2. [subtask] t; 2.1. [subtask] s; 2.1.1. [act] a; 2.1.2. [act] b
    b: FAIL ? PLAN_CMD: REPLAN 2.1 | why
    s: ? PLAN_CMD: ADD 1 [act] d; PLAN_CMD: REPLAN 3 | why
    planner: no / no / no / 1. [act] a
    log: run 1, run 2.1.1, run 2.1.2, reflect 2.1.2, plan children 2.1, plan children 2.1, plan children 2.1,
        reflect 2.1, run 1, plan children 3
    left: 1. [x] [act] d; 2. [x] [act] o; 3. [x] [subtask] t; 3.1. [x] [act] a

unusable plans are one reason, whatever is wrong with each of them
    plan: 1. [subtask] s; 1.1. [act] b
    limits: max_repairs 0
    b: FAIL ? PLAN_CMD: REPLAN 1 | another way
    s: ? PLAN_CMD: REPLAN 1 | another way
    planner: no / 1. [cook] b / no
    log: run 1.1, reflect 1.1, plan children 1, reflect 1, plan children 1, plan changes
    ends: blocked: steps are blocked: 1; neither the planner nor the last round has changed anything

plans that are refused count
    plan: 1. [subtask] s; 1.1. [act] b
    limits: max_plannings 3, max_same_failures 9, max_repairs 0
    b: FAIL ? PLAN_CMD: REPLAN 1 | another way
    s: ? PLAN_CMD: REPLAN 1 | another way
    planner: no / no / no / no
    log: run 1.1, reflect 1.1, plan children 1, reflect 1, plan children 1, reflect 1, plan children 1, reflect 1,
        plan changes
    ends: blocked: steps are blocked: 1; neither the planner nor the last round has changed anything
""",
    "1. [act] dig; 2. [act] fill",
)
def test_stalls(story: Story) -> None:
    found, expected = story.play()
    assert found == expected


def test_a_limit_of_one_is_none() -> None:
    with pytest.raises(ValueError, match="max_same_failures"):
        EngineLimits(max_same_failures=1)


def test_a_run_that_goes_on_starts_over(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_text("Goal: g\n## Steps\n1. [act] dig\n", encoding="utf-8")
    world = World({"dig": [failed("no")]}, {"dig": ["PLAN_CMD: REVISE 1 [act] dig"]})
    assert world.run(path).outcome is Outcome.BLOCKED
    path.write_text(path.read_text(encoding="utf-8").replace("1. [!]", "1."), encoding="utf-8")
    world.run(path, resume=True)
    assert len(world.reflections) == 2


def test_a_crash_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planspec_lark.engine.run_writer._BETWEEN_SNAPSHOTS", 1)
    path = tmp_path / "plan.md"
    path.write_text(serialize_plan(parse_plan("Goal: g\n## Steps\n1. [act] dig\n2. [act] fill\n")), encoding="utf-8")
    world = World({"dig": [failed("no")]}, {"dig": ["RETRY", "PLAN_CMD: ADD 1 [act] help"]})
    outcome, calls = Outcome.BUDGET, 0
    while outcome is Outcome.BUDGET and calls < 20:
        outcome = world.run(path, resume=calls > 0, budget=Budget(steps=1)).outcome
        calls += 1
    assert outcome is Outcome.BLOCKED
    assert world.log == ["run 1", "reflect 1", "run 1", "reflect 1", "run 1", "run 2", "run 3"]
