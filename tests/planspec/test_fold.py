"""What folded views show, and the functions that fold, unfold and replace."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest

from planspec_lark import (
    PlanSpec,
    PlanStatus,
    PlanStep,
    collapse_step,
    expand_step,
    iter_steps,
    parse_plan,
    replace_children,
    serialize_plan,
    step_order,
)


def folded(plan: PlanSpec) -> list[str]:
    return serialize_plan(plan, fold=True).split("\n")[:-1]


# The table of the language: does the body show, do the children show.
TABLE = [
    pytest.param(status, expanded, body, children, id=f"{status}-{expanded}")
    for expanded, bodies, children in (
        (None, {"active", "blocked"}, True),
        (True, {"pending", "done", "active", "blocked", "skipped"}, True),
        (False, set[str](), False),
    )
    for status in ("pending", "done", "active", "blocked", "skipped")
    for body in [status in bodies]
]


@pytest.mark.parametrize(("status", "expanded", "body", "children"), TABLE)
def test_the_flag_decides_and_else_the_status(status: str, expanded: bool | None, body: bool, children: bool) -> None:
    child = PlanStep("1.1", step_type="act", detail=["below"], status=PlanStatus.ACTIVE)
    step = PlanStep("1", step_type="subtask", inputs=["a"], detail=["d"], status=PlanStatus(status), expanded=expanded)
    step.children = [child]
    mark = {"pending": "", "done": "[x] ", "active": "[>] ", "blocked": "[!] ", "skipped": "[~] "}[status]
    expected = [
        "## Steps",
        f"1. {mark}[subtask]",
        *(["  > ← a", "  > d"] if body else []),
        *(["  1.1. [>] [act]", "    > below"] if children else []),
    ]
    assert folded(PlanSpec(steps=[step])) == expected


def test_summary_lines_and_the_head_always_show_in_full() -> None:
    text = "# Plan: t\nGoal: g\n> d\nConstraints:\n- c\n## Steps\n1. [x] n [act] a → b | r | Progress: 1/2\n"
    assert serialize_plan(parse_plan(text), fold=True) == text
    plan = parse_plan(text)
    collapse_step(plan, "1")
    assert serialize_plan(plan, fold=True) == text


def test_nothing_shows_below_a_collapsed_step_whatever_its_own_flag() -> None:
    plan = parse_plan("## Steps\n1. [subtask] a\n1.1. [subtask] b\n> c\n1.1.1. [act] d\n2. [act] e\n")
    assert expand_step(plan, "1.1") == ""
    assert collapse_step(plan, "1") == ""
    assert folded(plan) == ["## Steps", "1. [subtask] a", "2. [act] e"]


@pytest.mark.parametrize(("change", "flag"), [(expand_step, True), (collapse_step, False)])
def test_expand_and_collapse_set_the_flag_of_one_step(change: Callable[[PlanSpec, str], str], flag: bool) -> None:
    plan = parse_plan("## Steps\n1. [subtask] a\n1.1. [act] b\n2. [act] c\n")
    before = copy.deepcopy(plan)
    assert change(plan, "1.1") == ""
    assert {step.step_id: step.expanded for step in iter_steps(plan)} == {"1": None, "1.1": flag, "2": None}
    assert plan == before
    assert serialize_plan(plan) == serialize_plan(before)


@pytest.mark.parametrize("change", [expand_step, collapse_step])
@pytest.mark.parametrize("step_id", ["9", "", "1.", "ALL"])
def test_an_unknown_step_is_named(change: Callable[[PlanSpec, str], str], step_id: str) -> None:
    plan = parse_plan("## Steps\n1. [act] a\n")
    assert change(plan, step_id) == f"step {step_id} does not exist"
    assert plan.steps[0].expanded is None


@pytest.mark.parametrize("kind", ["subtask", "decide"])
def test_replacing_children(kind: str) -> None:
    plan = parse_plan(f"## Steps\n1. [x] [{kind}] a → b | r | Progress: 1/2\n> d\n1.1. [act] old\n")
    new = [PlanStep("1.1", step_type="act", description="new"), PlanStep("1.2", step_type="act")]
    assert replace_children(plan, "1", new) == ""
    assert serialize_plan(plan) == (
        f"## Steps\n1. [>] [{kind}] a → b | r | Progress: 1/2\n  > d\n  1.1. [act] new\n  1.2. [act]\n"
    )
    assert plan.steps[0].children == new
    assert plan.steps[0].children[0] is not new[0]


def test_children_are_copied() -> None:
    plan, source = parse_plan("## Steps\n4. [subtask] a\n"), parse_plan("## Steps\n1. [subtask] b\n1.1. [act] c\n")
    before = copy.deepcopy(source)
    assert replace_children(plan, "4", source.steps) == ""
    assert serialize_plan(plan) == "## Steps\n4. [>] [subtask] a\n  4.1. [subtask] b\n    4.1.1. [act] c\n"
    assert source == before
    assert not {*map(id, iter_steps(source))}.intersection(map(id, iter_steps(plan)))


@pytest.mark.parametrize(
    ("step_id", "message"),
    [
        ("1", "step 1 is of type 'act', and only subtask and decide have children"),
        ("2", "step 2 is of type 'LLM', and only subtask and decide have children"),
        ("3", "step 3 does not exist"),
    ],
)
def test_children_are_replaced_below_containers_only(step_id: str, message: str) -> None:
    plan = parse_plan("## Steps\n1. [act] a\n2. [LLM] b\n")
    before = copy.deepcopy(plan)
    assert replace_children(plan, step_id, [PlanStep("1.1", step_type="act")]) == message
    assert plan == before


def test_a_copy_of_a_step_can_be_put_below_it() -> None:
    plan = parse_plan("## Steps\n1. [subtask] a\n1.1. [subtask] b\n")
    assert replace_children(plan, "1.1", [plan.steps[0]]) == ""
    assert step_order(plan) == ["1", "1.1", "1.1.1", "1.1.1.1"]


def test_a_list_of_something_else_changes_nothing() -> None:
    plan = parse_plan("## Steps\n1. [subtask] a\n1.1. [act] b\n")
    before = copy.deepcopy(plan)
    with pytest.raises(TypeError, match=r"\Achildren: expected a PlanStep, not str"):
        replace_children(plan, "1", ["1.1"])  # type: ignore[list-item]
    assert plan == before
