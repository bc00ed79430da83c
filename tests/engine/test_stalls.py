"""A step that fails for the same reason again, whatever was changed for it, is given up before its round is over."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec_lark import PlanStatus, parse_plan, serialize_plan
from planspec_lark.engine import Budget, EngineLimits, Outcome
from tests.engine.worlds import World, failed, ok, plan

STALLED = "stalled: it has failed 2 times for the same reason"
TWO = "1. [act] dig\n2. [act] fill\n"
HELP = "PLAN_CMD: ADD 1 [act] help"


@pytest.mark.parametrize("answer", [HELP, f"RETRY\n{HELP}", "PLAN_CMD: REVISE 1 [act] dig"])
def test_what_changes_nothing_about_a_failure_is_noticed(answer: str) -> None:
    world = World({"dig": [failed("no")]}, {"dig": [answer]})
    result = world.run(TWO)
    assert result.outcome is Outcome.BLOCKED
    assert (len(world.reflections), world.log[-1]) == (1, f"run {result.plan.steps[-1].step_id}")
    assert result.plan.steps[-2].result == f"no; {STALLED}"


def test_white_space_and_numbers_are_no_other_reason() -> None:
    world = World(
        {"dig": [failed("3 of 10 boxes are  missing"), failed("12 of 10 boxes are missing ")]}, {"dig": [HELP]}
    )
    assert world.run(TWO).plan.steps[1].result.endswith(f"; {STALLED}")


def test_other_words_are_another_reason() -> None:
    world = World({"dig": [failed("no"), failed("never"), ok()]}, {"dig": [HELP]})
    assert world.run(TWO).outcome is Outcome.CONVERGED


def test_another_text_is_another_step() -> None:
    answers = ["PLAN_CMD: REVISE 1 [act] dig deep"], ["PLAN_CMD: REVISE 1 [act] dig deeper"]
    world = World(
        {"dig": [failed("no")], "dig deep": [failed("no")]}, dict(zip(("dig", "dig deep"), answers, strict=True))
    )
    assert world.run(TWO).outcome is Outcome.CONVERGED


def test_steps_in_place_of_those_that_fail_are_counted() -> None:
    world = World({"dig": [failed("no")]}, {"dig": ["PLAN_CMD: ADD 1 [act] dig\nPLAN_CMD: SKIP 2"]})
    world.run("1. [act] dig\n")
    assert (len(world.calls), len(world.reflections)) == (2, 1)


def test_the_limit_can_be_set() -> None:
    world = World({"dig": [failed("no")]}, {"dig": [HELP]})
    world.run(TWO, limits=EngineLimits(max_same_failures=8))
    assert len(world.reflections) == 7
    with pytest.raises(ValueError, match="max_same_failures"):
        EngineLimits(max_same_failures=1)


def test_retries_have_a_limit_of_their_own() -> None:
    world = World({"dig": [failed("no")]}, {"dig": [*["RETRY"] * 8, HELP]})
    result = world.run(TWO, limits=EngineLimits(max_retries=8))
    assert world.ran == [*["1"] * 9, "1", "2", "3"]
    assert result.plan.steps[1].result == f"no; {STALLED}"


def test_a_step_that_was_done_since_starts_over() -> None:
    answers = ["PLAN_CMD: REVISE 1 [act] dig"], ["PLAN_CMD: REVISE 1 [act] dig\nPLAN_CMD: REVISE 2 [act] fill", HELP]
    world = World(
        {"dig": [failed("no"), ok(), failed("no"), ok()], "fill": [failed("empty"), ok()]},
        dict(zip(("dig", "fill"), answers, strict=True)),
    )
    assert world.run(TWO).outcome is Outcome.CONVERGED


def test_a_new_round_starts_over() -> None:
    world = World({"dig": [failed("no")]}, {"dig": ["PLAN_CMD: REVISE 1 [act] dig"]})
    world.engine(plan("1. [act] dig\n"), planner=lambda _: "PLAN_CMD: REVISE 1 [act] dig").run()
    assert any(event.kind == "replanned" for event in world.events)
    assert len(world.reflections) > 1


def test_a_run_that_goes_on_starts_over(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_text("Goal: g\n## Steps\n1. [act] dig\n", encoding="utf-8")
    world = World({"dig": [failed("no")]}, {"dig": ["PLAN_CMD: REVISE 1 [act] dig"]})
    assert world.run(path).outcome is Outcome.BLOCKED
    path.write_text(path.read_text(encoding="utf-8").replace("1. [!]", "1."), encoding="utf-8")
    world.run(path, resume=True)
    assert len(world.reflections) == 2


def test_a_round_of_a_loop_starts_over() -> None:
    world = World({"dig": [failed("no"), ok()] * 6}, {"dig": ["PLAN_CMD: REVISE 1.1 [act] dig"]})
    assert world.run("1. [subtask] s | Progress: 0/6\n  1.1. [act] dig\n").outcome is Outcome.CONVERGED


def test_a_crash_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planspec_lark.engine.run_writer._BETWEEN_SNAPSHOTS", 1)
    path = tmp_path / "plan.md"
    path.write_text(serialize_plan(parse_plan(f"Goal: g\n## Steps\n{TWO}")), encoding="utf-8")
    world = World({"dig": [failed("no")]}, {"dig": ["RETRY", HELP]})
    outcome, calls = Outcome.BUDGET, 0
    while outcome is Outcome.BUDGET and calls < 20:
        outcome = world.run(path, resume=calls > 0, budget=Budget(steps=1)).outcome
        calls += 1
    assert outcome is Outcome.BLOCKED
    assert world.log == ["run 1", "reflect 1", "run 1", "reflect 1", "run 1", "run 2", "run 3"]


# ---------------------------------------------------------------- planning

SUB = "1. [subtask] s\n  1.1. [act] a\n  1.2. [act] b\n"


def test_what_was_finished_is_known_after_unusable_plans() -> None:
    again = "PLAN_CMD: REPLAN 1 | another way"
    world = World({"b": [failed()]}, {"b": [again], "s": [again]}, [*["no"] * 3, "1. [act] a\n2. [act] c\n"])
    result = world.run(SUB)
    assert result.outcome is Outcome.CONVERGED
    assert world.ran == ["1.1", "1.2", "1.2"]
    assert [step.description for step in world.planned[-1].finished] == ["a"]


def test_what_was_finished_in_a_part_is_known_when_all_around_it_is_planned_again() -> None:
    answers = {"b": ["PLAN_CMD: REPLAN 2.1 | why"], "s": ["PLAN_CMD: ADD 1 [act] d\nPLAN_CMD: REPLAN 3 | why"]}
    world = World({"b": [failed()]}, answers, [*["no"] * 3, "1. [act] a\n"])
    result = world.run("1. [act] o\n2. [subtask] t\n  2.1. [subtask] s\n    2.1.1. [act] a\n    2.1.2. [act] b\n")
    assert result.outcome is Outcome.CONVERGED
    assert world.ran == ["1", "2.1.1", "2.1.2", "1"]
    assert result.plan.steps[2].children[0].status is PlanStatus.DONE


def test_unusable_plans_are_one_reason() -> None:
    """Whatever is wrong with each of them."""
    bad = ["no", "1. [cook] b\n", "1. [act] a\n1.1. [act] b\n"]
    again = "PLAN_CMD: REPLAN 1 | another way"
    world = World({"b": [failed()]}, {"b": [again], "s": [again]}, [*bad, *reversed(bad), *bad * 9])
    result = world.run(SUB)
    assert (world.log.count("plan children 1"), len(world.reflections)) == (6, 2)
    assert result.plan.steps[0].result.endswith(STALLED)


def test_plans_that_are_refused_count() -> None:
    again = "PLAN_CMD: REPLAN 1 | another way"
    limits = EngineLimits(max_plannings=3, max_same_failures=9, max_repairs=0)
    world = World({"b": [failed()]}, {"b": [again], "s": [again]}, ["no"] * 9)
    world.run(SUB, limits=limits)
    assert world.log.count("plan children 1") == 3
    assert "REPLAN" not in world.reflections[-1].commands
