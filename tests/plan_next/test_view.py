"""A context as a plan: what stands where, and that any text comes out as one that every tool reads."""

from __future__ import annotations

import re
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import PlanSpec, iter_steps, parse_plan, serialize_plan, validate_plan
from planspec_lark.plan_next import (
    Block,
    Context,
    Core4,
    DoneItem,
    DoneStatus,
    ExecutorCall,
    PlanType,
    context_to_plan,
    start_context,
)
from planspec_lark.plan_next.models import Goal
from tests.plan_next.turns import STEPS, close, execute, open_, probes, steps


def _text(context: Context) -> str:
    plan = context_to_plan(context)
    _is_sound(plan)
    return serialize_plan(plan)


def _is_sound(plan: PlanSpec) -> None:
    assert validate_plan(plan) == []
    assert parse_plan(serialize_plan(plan)) == plan


# ---------------------------------------------------------------- what stands where


def test_a_plan_at_its_start() -> None:
    assert _text(start_context("g", STEPS)) == (
        "# Plan: g\nGoal: g\n## Steps\n1. [>] [subtask] g\n"
        "  1.1. [act] read the log\n  1.2. [act] mend the code\n  1.3. [act] run the checks\n"
    )
    assert _text(start_context("g", [])) == "# Plan: g\nGoal: g\n## Steps\n1. [>] [act] g\n"


def test_a_block_stands_in_place_of_the_item_that_it_takes() -> None:
    assert _text(open_(start_context("g", STEPS), steps("c", ["x", "y", "z"]))).partition("## Steps\n")[2] == (
        "1. [>] [subtask] g\n  1.1. [>] [subtask] c\n    > Success signal: it works\n"
        "    1.1.1. [act] x\n    1.1.2. [act] y\n    1.1.3. [act] z\n"
        "  1.2. [act] mend the code\n  1.3. [act] run the checks\n"
    )


def test_with_update_plan_all_of_the_list_is_still_to_do() -> None:
    assert _text(open_(start_context("g", STEPS), execute("c", update_plan=["x", "y"]))).partition("## Steps\n")[2] == (
        "1. [>] [subtask] g\n  1.1. [>] [act] c\n    > Command: shell: true\n  1.2. [act] x\n  1.3. [act] y\n"
    )


def test_hypotheses_are_to_be_judged() -> None:
    plan = context_to_plan(open_(start_context("g", STEPS), probes("c")))
    assert [step.step_type for step in iter_steps(plan)] == [
        "subtask", "subtask", "reason", "reason", "reason", "act", "act",
    ]  # fmt: skip


def test_what_is_done_has_its_result_and_a_failure_is_blocked() -> None:
    context = close(open_(start_context("g", STEPS), execute("c", "shell: a")), {"files": ["x | y"]})
    context = close(open_(context, execute("d", "shell: b")), "no access\n\nat all", failed=True)
    assert _text(context).partition("## Steps\n")[2] == (
        '1. [>] [subtask] g\n  1.1. [x] [act] c | {"files": ["x | y"]}\n    > Command: shell: a\n'
        "  1.2. [!] [act] d | no access at all\n    > Command: shell: b\n"
        "  1.3. [act] mend the code\n  1.4. [act] run the checks\n"
    )


def test_what_a_failed_block_has_left_is_skipped() -> None:
    context = close(close(open_(start_context("g", STEPS), execute("c")), "it"), "enough", failed=True)
    assert [(step.step_id, step.status.value) for step in iter_steps(context_to_plan(context))] == [
        ("1", "blocked"),
        ("1.1", "done"),
        ("1.2", "skipped"),
        ("1.3", "skipped"),
    ]


def _large() -> Context:
    goal = Core4("Find out why the login fails", "a report", "can be repeated", "no change of real data")
    call = ExecutorCall("shell: grep 401 log", {"path": "/var/log", "n": 5}, ["exit code 0", "lines with 401"])
    item = DoneItem("token has expired", "### 完成情况\n已完成：是的。", executor_call=call)
    failed = DoneItem(
        Core4("ask the gateway", "an answer", "", "read only"),
        {"code": 504, "body": None},
        DoneStatus.FAILED,
        plan=["ping", "trace"],
        left=["trace"],
        done=[DoneItem("ping", "no answer | at all → yet", DoneStatus.FAILED)],
    )
    root = Block(goal, ["write the report", "Progress: 1/2"], [DoneItem("old notes")])
    middle = Block(
        "judge the guesses", ["pool is empty"], [item, failed], PlanType.PLAN_PROBES, "one is true", takes_item=False
    )
    inner = Block("数据库连接池", ["> count", "- and compare", "close"], [], PlanType.PLAN_STEPS, "a number")
    leaf = Block("count", [], [], PlanType.EXECUTE, executor_call=call)
    return Context(leaf, [inner, middle, root], revision=9)


def test_a_large_tree(snapshot: SnapshotAssertion) -> None:
    assert _text(_large()) == snapshot


# ---------------------------------------------------------------- texts of any kind

TEXTS = [
    "", "\t\r\n ", "a\r\n\r\n\tb", "\x00", "\x1b[2J\x1b[31mred", "\x7f", "a\x85b", "\ud800", "a | b", "a \\| b", "|",
    "→ x", "a → b", "\\→ x", "← x", "a | Progress: 1/2", "> x", "- x", "# Plan: x", "## Steps", "Goal: x",
    "```", "1. [act] a", "[x] y", "PLAN_CMD: DONE 1", "a \\", "\u200b", "\u2028", "\u202e", "\u3000", "\ufeff", "𝕏🎉",
    "x" * 3_000, "x\n" * 3_000,
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text[:20]))
def test_any_text_comes_out_as_one_that_is_read(text: str) -> None:
    goals: list[Goal] = [Core4(text, text, text, text, {text: text}), *([text] if text else [])]
    for goal in goals:
        for context in _contexts(goal, text):
            plan = context_to_plan(context)
            _is_sound(plan)
            assert not re.search(
                "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ud800-\udfff]", serialize_plan(plan)
            )


def _contexts(goal: Goal, text: str) -> list[Context]:
    call = ExecutorCall(text, {text: [text, None]}, [text])
    results: list[str | dict[str, Any]] = [text, {text: text}]
    items = [
        DoneItem(goal, result, status, [text], call, [text], [DoneItem(goal, result)])
        for result in results
        for status in DoneStatus
    ]
    block = Block(goal, [text, text], items, PlanType.PLAN_PROBES, text, call)
    return [Context(block), Context(block, [block, block]), Context(block, outcome=items[0])]


@pytest.mark.parametrize("text", ["", " \n", "\u2028"])
def test_a_text_that_says_nothing_has_a_stand_in(text: str) -> None:
    plan = context_to_plan(Context(Block(Core4(text, text, text, text), [text], [DoneItem("a", text)])))
    assert (plan.goal, plan.title, plan.goal_detail, plan.constraints) == ("(no text)", "(no text)", [], [])
    assert [step.description for step in iter_steps(plan)] == ["(no text)", "a", "(no text)"]
    assert plan.steps[0].children[0].result == ""


def test_a_deep_and_wide_tree_is_one_plan() -> None:
    item = DoneItem("d", "r")
    for _ in range(60):
        item = DoneItem("d", "r", done=[item])
    blocks = [Block(f"b{number}", ["x"] * 50, [DoneItem("y")] * 50) for number in range(32)]
    plan = context_to_plan(Context(Block("g", [], [item]), blocks, max_depth=32))
    _is_sound(plan)
    active = [step for step in iter_steps(plan) if step.status.value == "active"]
    assert len(active) == 33
    assert active[-1].description == "g"
