"""What is known about a plan while many commands change it stays true, and changes nothing about what they do."""

from __future__ import annotations

import copy

import pytest
from hypothesis import example, given, strategies as st

from planspec_lark import (
    CommandError,
    PlanCommand,
    PlanSpec,
    PlanStep,
    apply_commands,
    iter_steps,
    parse_plan,
)
from planspec_lark.plan_cmd import finder as finding
from planspec_lark.plan_cmd.apply import perform, perform_all
from planspec_lark.plan_cmd.finder import Finder
from tests import strategies


@pytest.fixture(autouse=True, scope="module")
def _index_at_once() -> object:
    """The index is used from the first command on."""
    patch = pytest.MonkeyPatch()
    patch.setattr(finding, "_MANY", 0)
    yield
    patch.undo()


def _plan(*ids: str) -> PlanSpec:
    return parse_plan("## Steps\n" + "".join(f"{step_id}. [subtask] was {step_id}\n" for step_id in ids))


def _adds(*ids: str) -> list[PlanCommand]:
    return [PlanCommand("ADD", step_id, "subtask", f"new {step_id}") for step_id in ids]


def _others(*ids: str) -> list[PlanCommand]:
    """Commands that leave ids as they are, of each kind for each step."""
    ops = [("DONE", ""), ("REVISE", "subtask"), ("COLLAPSE", "")]
    return [PlanCommand(op, step_id, step_type) for step_id in ids for op, step_type in ops]


@example(_plan("1", "2", "3"), _adds("1", "1", "3", "2.1", "2"))
@example(_plan("3", "1", "2"), _adds("2", "1", "3", "9", "4"))
@example(_plan("1", "1.3.1", "1.2.7", "1.4"), _adds("1.3", "1.2", "1.2", "1.4.1"))
@example(_plan("1", "1.1", "2", "2.1"), [*_adds("1"), PlanCommand("REPLAN", "2"), *_adds("2.1", "2.1", "1.1", "3.1")])
@example(_plan("1", "1.1", "2", "2.1"), [*_adds("1"), *_others("1", "1.1", "2", "2.1", "3", "4"), *_adds("2")])
@example(_plan("1", "1.1", "1.1.1", "3"), [*_adds("1.1"), *_others("1", "1.1.1", "1.2.1", "3"), *_adds("1.1")])
@example(_plan("1", "1.1", "2"), [*_adds("1"), PlanCommand("REPLAN", "2"), PlanCommand("DONE", "2.1"), *_adds("1")])
@example(_plan("1", "1.1", "1.2"), [*_adds("1.1"), PlanCommand("REPLAN", "1"), *_others("1", "1.1"), *_adds("1.1")])
@given(strategies.workable_plans, st.lists(strategies.workable_commands, max_size=12))
def test_many_commands_do_what_each_does_by_itself(plan: PlanSpec, commands: list[PlanCommand]) -> None:
    single = copy.deepcopy(plan)
    expected = [report for command in commands for report in perform_all(Finder(single), [command], atomic=False)[0]]
    assert perform_all(Finder(plan), commands, atomic=False)[0] == expected
    assert plan == single


@example(_plan("1", "1.1", "1.1.1"), [PlanCommand("REPLAN", "1")])
@example(_plan("1", "2", "2.1"), _adds("1"))
@given(strategies.workable_plans, st.lists(strategies.workable_commands, max_size=12))
def test_every_step_is_found_after_every_command(plan: PlanSpec, commands: list[PlanCommand]) -> None:
    finder = Finder(plan)
    for command in commands:
        known = {step.step_id for step in iter_steps(plan)}
        try:
            perform(command, finder)
        except CommandError:
            continue
        for step in iter_steps(plan):
            assert finder.find(step.step_id) is step
            known.discard(step.step_id)
        assert all(finder.find(step_id) is None for step_id in known)


def test_the_first_of_two_steps_with_an_id_counts() -> None:
    first, second = PlanStep("1", step_type="act"), PlanStep("1", step_type="act")
    assert Finder(PlanSpec(steps=[first, second])).find("1") is first


def test_a_step_in_a_strange_place_is_not_adopted() -> None:
    plan = PlanSpec(steps=[PlanStep("1", step_type="subtask", children=[PlanStep("3.2", step_type="act")])])
    assert apply_commands(plan, _adds("1.3")) == []
    assert [step.step_id for step in plan.steps[0].children] == ["1.3", "3.2"]
