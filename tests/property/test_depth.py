"""A thousand levels are not too deep for anything."""

from __future__ import annotations

import copy
import sys

import pytest

from planspec_lark import (
    PlanCommand,
    PlanSpec,
    PlanStatus,
    apply_commands,
    available_outputs,
    check_text,
    iter_steps,
    lint_plan,
    next_pending_step,
    parse_plan,
    plan_to_json,
    scan_plan,
    serialize_plan,
    step_order,
    validate_plan,
)
from planspec_lark.hopspec import plan_to_steps, steps_to_plan
from planspec_lark.planspec import PlanTransformer, parse_tree, plan_from_dict, plan_to_dict

DEPTH = 1000


@pytest.fixture(scope="module")
def text() -> str:
    """A canonical chain of steps, each below the one before it."""
    rows = ["Goal: down", "## Steps"]
    for depth in range(DEPTH):
        rows += [f"{'  ' * depth}{'1.' * (depth + 1)} [subtask] go → v{depth}", f"{'  ' * (depth + 1)}> detail"]
    return "\n".join([*rows, ""])


@pytest.fixture
def plan(text: str) -> PlanSpec:
    """The plan of the chain."""
    return parse_plan(text)


def test_a_deep_plan_reads_and_prints(plan: PlanSpec, text: str) -> None:
    assert len(step_order(plan)) == DEPTH
    assert serialize_plan(plan) == text
    assert scan_plan(text).plan == plan
    assert PlanTransformer().transform(parse_tree(text)) == plan


def test_a_deep_plan_folds(plan: PlanSpec) -> None:
    folded = serialize_plan(plan, fold=True)
    assert len(folded.split("\n")) == DEPTH + 3
    plan.steps[0].expanded = False
    assert len(serialize_plan(plan, fold=True).split("\n")) == 4


def test_a_deep_plan_is_copied_and_compared(plan: PlanSpec) -> None:
    twin = copy.deepcopy(plan)
    assert twin == plan
    list(iter_steps(twin))[-1].result = "other"
    assert twin != plan
    assert repr(plan).startswith("PlanSpec(")


def test_a_deep_plan_is_checked(plan: PlanSpec, text: str) -> None:
    assert validate_plan(plan) == [f"warn: step {'.'.join('1' * DEPTH)}: type 'subtask' has no children"]
    # The container that has no steps is the rules' concern, and a container needs no outputs.
    assert lint_plan(plan) == []
    assert [found.code for found in check_text(text)] == ["PS206"]
    assert plan.progress["total"] == DEPTH
    assert not plan.is_converged
    assert next_pending_step(plan) is plan.steps[0]
    assert available_outputs(plan) == set()


def test_a_deep_plan_goes_through_its_values(plan: PlanSpec) -> None:
    assert plan_from_dict(plan_to_dict(plan)) == plan
    assert plan_to_json(plan).count('"step_id"') == DEPTH


def test_a_deep_plan_goes_through_hopspec(plan: PlanSpec) -> None:
    steps = plan_to_steps(plan)
    assert steps == copy.copy(steps)
    assert step_order(steps_to_plan(steps)) == step_order(plan)
    assert repr(steps)


def test_commands_reach_the_bottom(plan: PlanSpec) -> None:
    last = ".".join("1" * DEPTH)
    edits = [PlanCommand("DONE", last), PlanCommand("ADD", f"{last}.1", "act", "more"), PlanCommand("ADD", "1", "act")]
    assert apply_commands(plan, edits, atomic=True) == []
    assert next(iter_steps(plan)).step_type == "act"
    assert [step.status for step in iter_steps(plan)][-2:] == [PlanStatus.DONE, PlanStatus.PENDING]
    assert parse_plan(serialize_plan(plan)) == plan


def test_the_depth_is_beyond_what_recursion_allows() -> None:
    assert sys.getrecursionlimit() <= DEPTH
