"""Finding one's way in the tree of steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from unittest import mock

import pytest

from planspec_lark import (
    PlanSpec,
    PlanStep,
    apply_commands,
    available_outputs,
    diff_plans,
    find_step,
    iter_steps,
    lint_plan,
    next_pending_step,
    parse_plan,
    parse_plan_commands,
    plan_to_json,
    step_order,
    validate_plan,
)
from planspec_lark.exchange import export_plan
from planspec_lark.planspec import plan_to_dict
from planspec_lark.planspec.tree import iter_with_parents, walk
from planspec_lark.syntax import PlanSpecError, tree
from planspec_lark.syntax.tree import find_parents, grow, iter_nodes, iter_tree, walk_tree
from tests.planspec.test_models import chain

PLAN = """\
## Steps
1. [x] [subtask] a → one
  1.1. [x] [act] b → two, three
  1.2. [~] [act] c → four
2. [>] [decide] d → five
  2.2. [act] e
  2.1. [act] f → six
3. [!] [act] g → seven
10. [x] [act] h → two
"""


@pytest.mark.parametrize(
    ("ids", "parents"),
    [
        ([], []),
        (["1"], [None]),
        (["1.1"], [None]),
        (["1", "1.1", "1.1.1"], [None, "1", "1.1"]),
        (["1.1.1", "1"], ["1", None]),
        (["1.2.3.4", "1.2", "1", "1.2.4"], ["1.2", "1", None, "1.2"]),
        (["1", "10.1", "1.10.1", "1.1"], [None, None, "1", "1"]),
        (["1.1", "1.1.5.6", "1.10.1", "1.1.5.6.7.8"], [None, "1.1", None, "1.1.5.6"]),
    ],
    ids=lambda value: ",".join(map(str, value)),
)
def test_parents_are_the_longest_prefixes_present(ids: list[str], parents: list[str | None]) -> None:
    assert find_parents(ids) == parents


def test_growing_hangs_steps_below_their_parents_in_order_of_appearance() -> None:
    steps = [PlanStep(step_id) for step_id in ("2.2", "1", "2", "2.1.1", "2.1")]
    top = grow(steps)
    assert [step.step_id for step in top] == ["1", "2"]
    assert [step.step_id for step in top[1].children] == ["2.2", "2.1"]
    assert top[1].children[1].children == [steps[3]]
    assert top[1] is steps[2]


# ---------------------------------------------------------------- a step below itself


def _short_circle() -> PlanSpec:
    step = PlanStep("1", step_type="subtask")
    step.children = [step]
    return PlanSpec(goal="round", steps=[step])


def _long_circle() -> PlanSpec:
    plan = chain(100)
    [*_, last] = iter_steps(plan)
    last.children.append(plan.steps[0])
    return plan


def _circle_beside_others() -> PlanSpec:
    """Before each round, the same other steps are walked through."""
    step, other = (PlanStep(number, step_type="subtask") for number in ("1", "1.1"))
    other.children = [PlanStep("1.1.1", step_type="decide", children=[PlanStep("1.1.1.1", step_type="act")])]
    step.children += [other] * 5 + [step]
    return PlanSpec(goal="round", steps=[PlanStep("2", step_type="act"), step])


_WALKS: dict[str, Callable[[PlanSpec], object]] = {
    "iter_steps": lambda plan: [*iter_steps(plan)],
    "iter_with_parents": lambda plan: [*iter_with_parents(plan)],
    "walk": lambda plan: [*walk(plan)],
    "progress": lambda plan: plan.progress,
    "==": lambda plan: plan == PlanSpec(goal=plan.goal, steps=plan.steps),
    "deepcopy": deepcopy,
    "step_order": step_order,
    "available_outputs": available_outputs,
    "find_step": lambda plan: find_step(plan, "9"),
    "validate_plan": validate_plan,
    "lint_plan": lint_plan,
    "plan_to_dict": plan_to_dict,
    "plan_to_json": plan_to_json,
    "diff_plans": lambda plan: diff_plans(plan, plan),
    "apply_commands": lambda plan: apply_commands(plan, parse_plan_commands("PLAN_CMD: DONE 9")),
    "export_plan": lambda plan: export_plan(plan, "checklist"),
}


@pytest.mark.parametrize("circle", [_short_circle, _long_circle, _circle_beside_others])
@pytest.mark.parametrize("walked", _WALKS.values(), ids=_WALKS)
def test_a_step_below_itself_is_refused_and_does_not_hang(
    walked: Callable[[PlanSpec], object], circle: Callable[[], PlanSpec]
) -> None:
    with pytest.raises(ValueError, match=r"\Asteps: 1 is below itself\Z") as refused:
        walked(circle())
    assert isinstance(refused.value, PlanSpecError)


def test_a_step_in_several_places_is_not_below_itself() -> None:
    step = PlanStep("1", step_type="subtask", children=[PlanStep("1.1", step_type="act")])
    plan = PlanSpec(goal="g", steps=[step] * 5)
    assert step_order(plan) == ["1", "1.1"] * 5
    assert [parent and parent.step_id for _, parent in iter_with_parents(plan)] == [None, "1"] * 5
    assert [is_entered for _, is_entered in walk(plan)] == [True, True, False, False] * 5
    assert deepcopy(plan) == plan


@pytest.mark.parametrize("walked", [iter_nodes, iter_tree, walk_tree])
def test_only_once_is_a_circle_looked_for(walked: Callable[..., Iterator[object]]) -> None:
    with mock.patch.object(tree, "refuse_loops") as refuse_loops:
        assert [*walked([PlanStep("1", step_type="subtask", children=[PlanStep("1.1")])] * 9)]
    assert refuse_loops.call_count == 1


def test_steps_with_one_id_make_no_tree() -> None:
    with pytest.raises(ValueError, match="an id comes twice"):
        grow([PlanStep("1"), PlanStep("1.1"), PlanStep("1")])


def test_steps_come_with_their_parents() -> None:
    pairs = [(step.step_id, parent and parent.step_id) for step, parent in iter_with_parents(parse_plan(PLAN))]
    assert pairs == [
        ("1", None), ("1.1", "1"), ("1.2", "1"), ("2", None), ("2.2", "2"), ("2.1", "2"), ("3", None), ("10", None),
    ]  # fmt: skip


def test_steps_run_in_document_order() -> None:
    assert step_order(parse_plan(PLAN)) == ["1", "1.1", "1.2", "2", "2.2", "2.1", "3", "10"]
    assert step_order(PlanSpec()) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PLAN, "2.2"),
        ("## Steps\n1. [x] [act] a\n2. [~] [act] b\n", None),
        ("## Steps\n1. [subtask] a\n1.1. [act] b\n", "1"),
        ("## Steps\n1. [>] [subtask] a\n1.1. [!] [act] b\n1.2. [act] c\n2. [act] d\n", "1.2"),
        ("## Steps\n2. [act] a\n1. [act] b\n", "2"),
        ("", None),
    ],
    ids=["nested", "none", "a container first", "behind a blocked one", "text order", "empty"],
)
def test_the_next_pending_step(text: str, expected: str | None) -> None:
    found = next_pending_step(parse_plan(text))
    assert (found and found.step_id) == expected


def test_outputs_are_available_once_their_step_is_done() -> None:
    assert available_outputs(parse_plan(PLAN)) == {"one", "two", "three"}
    assert available_outputs(PlanSpec()) == set()
