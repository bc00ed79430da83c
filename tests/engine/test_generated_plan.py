"""Plans and steps in a planner's answers: what they may leave out, and how their ids may count."""

from __future__ import annotations

import pytest

from planspec_lark import PlanSpec, PlanStep, iter_steps
from planspec_lark.engine import EngineLimits, read_children
from planspec_lark.engine.generated_plan import read_new_plan

LIMITS = EngineLimits()
TALK = "Here are the steps, as asked.\n\n```\n{}```\n\nOnly if the budget allows it.\n"


def _container(step_id: str = "2", *children: str) -> PlanStep:
    below = [PlanStep(one, step_type="act", description="old") for one in children]
    return PlanStep(step_id, step_type="subtask", description="Build", children=below)


def _ids(plan: PlanSpec) -> list[str]:
    return [step.step_id for step in iter_steps(plan)]


@pytest.mark.parametrize(
    "text",
    [
        "2.1. [act] a\n2.2. [subtask] b\n  2.2.1. [act] c\n",
        "1. [act] a\n2. [subtask] b\n  2.1. [act] c\n",
        "2. [subtask] Build\n  2.1. [act] a\n  2.2. [subtask] b\n    2.2.1. [act] c\n",
        "1) [act] a\n2) [subtask] b\n   - [act] c\n",
        "- [act] a\n- [subtask] b\n  - [act] c\n",
        "## Steps\n2.1. [act] a\n2.2. [subtask] b\n2.2.1. [act] c\n",
    ],
)
@pytest.mark.parametrize("around", ["{}", TALK], ids=["bare", "fenced"])
def test_steps_below_a_container_need_no_goal_and_count_as_they_like(text: str, around: str) -> None:
    read = read_children(around.format(text), _container(), (), LIMITS)
    assert read.is_usable, read.diagnostics
    assert _ids(read.plan) == ["2.1", "2.2", "2.2.1"]


def test_new_steps_are_numbered_behind_those_that_the_container_has() -> None:
    read = read_children("2.3. [act] a\n2.4. [act] b\n", _container("2", "2.1", "2.2"), (), LIMITS)
    assert (read.is_usable, _ids(read.plan)) == (True, ["2.3", "2.4"])
    text = "1. [subtask] a\n  1.1. [act] c\n2. [act] b\n"
    read = read_children(text, _container("2", "2.1", "2.5"), (), LIMITS)
    assert (read.is_usable, _ids(read.plan)) == (True, ["2.6", "2.6.1", "2.7"])


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("I would rather not.", "PE301"),
        ("2.1. [act] a\n2.1. [act] b\n", "PS117"),
        ("2.1. [act] ...\n", "PS127"),
        ("2.1. [act] a →\n", "PS129"),
        ("```\n2.1. Load it\n2.2. [act] b\n```\n", "PS112"),
        ("2.1. [bake] a\n", "PS202"),
    ],
)
def test_what_cannot_be_used_is_named(text: str, code: str) -> None:
    read = read_children(text, _container(), (), LIMITS)
    assert not read.is_usable
    assert code in [one.code for one in read.diagnostics]


def test_a_new_plan_needs_no_goal() -> None:
    read = read_new_plan(TALK.format("## Steps\n1. [act] a\n2. [act] b\n"), LIMITS)
    assert (read.is_usable, _ids(read.plan)) == (True, ["1", "2"])
