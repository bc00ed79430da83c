"""A run in which nothing goes on is noticed before its round is over."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from planspec_lark import PlanStatus, parse_plan, serialize_plan
from planspec_lark.engine import Budget, EngineLimits, Outcome, ReflectionCall
from tests.engine.worlds import Said, World, failed, ok, plan

TWO = "1. [act] dig\n2. [act] fill\n"
AGAIN = "RETRY\nPLAN_CMD: ADD 1 [act] help"


class Adding(World):
    """The reflector puts a step before each one that has failed, and tries it again."""

    def reflector(self, call: ReflectionCall) -> str:
        self.reflections.append(call)
        if "ADD" not in call.commands or not call.can_retry:
            return "RETRY"
        return f"RETRY | once more\nPLAN_CMD: ADD {call.step.step_id} [act] help"


def adding(dig: Sequence[Said], help: Sequence[Said], fill: Sequence[Said] = ()) -> Adding:
    steps = {"dig": dig, "help": help, "fill": fill}
    return Adding({name: said for name, said in steps.items() if said}, {"": ["it is there"]})


def test_a_run_that_stalls_is_noticed() -> None:
    world = adding([failed("no")], [failed("no")])
    result = world.run(TWO)
    # Five fail one after the other; then each of the four that are left has one more try.
    assert (len(world.calls), len(world.reflections)) == (5 + 4 + 1, 4)
    assert result.outcome is Outcome.BLOCKED
    *blocked, last = result.plan.steps
    assert last.status is PlanStatus.DONE
    assert [step.result for step in blocked] == [
        f"no; the same {count} times in a row, and nothing was done in between" for count in (5, 6, 7, 8, 9)
    ]


def test_steps_in_place_of_those_that_fail_are_counted() -> None:
    answer = "PLAN_CMD: ADD 1 [act] dig\nPLAN_CMD: SKIP 2"
    world = World({"dig": [failed("no")]}, {"dig": [answer]})
    world.run("1. [act] dig\n")
    assert (len(world.calls), len(world.reflections)) == (5, 4)


def test_the_limit_can_be_set() -> None:
    world = adding([failed("no")], [failed("no")])
    world.run(TWO, limits=EngineLimits(max_same_failures=8))
    assert (len(world.calls), len(world.reflections)) == (8 + 7 + 1, 7)
    with pytest.raises(ValueError, match="max_same_failures"):
        EngineLimits(max_same_failures=1)


def test_steps_that_have_nothing_to_do_with_it_are_asked_about() -> None:
    world = adding([failed("no")], [failed("no")], [failed("no")])
    world.run(TWO)
    assert len(world.calls) == 2 * (5 + 4)
    assert len(world.reflections) == 2 * 4


def test_retries_that_are_allowed_are_made() -> None:
    world = World({"dig": [failed("no")]}, {"dig": ["RETRY"]})
    result = world.run(TWO, limits=EngineLimits(max_retries=8))
    assert world.ran == ["1"] * 9 + ["2"]
    assert result.plan.steps[0].result == "no; the same 9 times in a row, and nothing was done in between"


def test_a_step_that_is_done_in_between_is_progress() -> None:
    world = adding([failed("no")] * 3 + [ok()], [failed("no"), ok(), ok()] * 3)
    assert world.run(TWO, limits=EngineLimits(max_retries=3)).outcome is Outcome.CONVERGED
    failures = [event for event in world.events if event.kind == "failed"]
    assert len(failures) > 5


def test_other_words_are_no_stall() -> None:
    said = [failed(f"no {number}") for number in range(9)]
    world = adding(said[:1], [*said[1:], ok()])
    world.run(TWO)
    assert len(world.reflections) > 5


@pytest.mark.parametrize("answer", ["PLAN_CMD: REVISE 1 [act] dig", f"{AGAIN}\nPLAN_CMD: REVISE 3 [act] fill"])
def test_what_changes_the_plan_in_other_ways_is_no_stall(answer: str) -> None:
    world = World({"dig": [failed("no")], "help": [failed("no")]}, {"dig": [answer], "help": [answer]})
    world.run(TWO, limits=EngineLimits(max_attempts=7, max_added=6))
    assert len([event for event in world.events if event.kind == "reflected"]) > 5


def test_a_new_round_starts_over() -> None:
    world = adding([failed("no")], [failed("no")])
    engine = world.engine(plan("1. [act] dig\n"), planner=lambda _: "PLAN_CMD: REVISE 5 [act] dig")
    engine.run()
    assert any(event.kind == "replanned" for event in world.events)
    assert len(world.reflections) > 4


def test_a_run_that_goes_on_starts_over(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_text("Goal: g\n## Steps\n1. [act] dig\n", encoding="utf-8")
    world = adding([failed("no")], [failed("no")])
    assert world.run(path).outcome is Outcome.BLOCKED
    path.write_text(path.read_text(encoding="utf-8").replace("5. [!]", "5."), encoding="utf-8")
    world.run(path, resume=True)
    assert len(world.reflections) == 2 * 4


def test_a_round_of_a_loop_is_progress() -> None:
    world = World({"dig": [failed("no"), ok()] * 6}, {"dig": ["RETRY"]})
    assert world.run("1. [subtask] dig | Progress: 0/6\n").outcome is Outcome.CONVERGED


def test_a_crash_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_text(serialize_plan(parse_plan(f"Goal: g\n## Steps\n{TWO}")), encoding="utf-8")
    world = adding([failed("no")], [failed("no")])
    outcome, calls = Outcome.BUDGET, 0
    while outcome is Outcome.BUDGET and calls < 20:
        outcome = world.run(path, resume=calls > 0, budget=Budget(steps=1)).outcome
        calls += 1
    assert outcome is Outcome.BLOCKED
    assert (len(world.calls), len(world.reflections)) == (5 + 4 + 1, 4)
