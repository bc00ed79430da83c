"""The six rules: their exact messages and their order."""

from __future__ import annotations

import pytest

from planspec_lark import PlanSpec, PlanStep, Severity, parse_plan, validate_plan
from planspec_lark.planspec.rules import check_rules


def check(steps: str, goal: str = "Goal: g\n") -> list[str]:
    return validate_plan(parse_plan(f"{goal}## Steps\n{steps}"))


def test_a_valid_plan() -> None:
    assert check("1. [reason] a\n2. [subtask] b\n2.1. [act] c\n3. [decide] d\n3.1. [act] e\n") == []


@pytest.mark.parametrize(
    ("steps", "messages"),
    [
        ("1. [LLM] a\n", ["step 1: invalid type 'LLM'"]),
        ("1. foo [LLM] a\n", ["step 1 (foo): invalid type 'LLM'"]),
        ("1. [Act] a\n", ["step 1: invalid type 'Act'"]),
        ("1. foo [act] a\n2. foo [act] b\n", ["step 2 (foo): duplicate name, first seen at step 1"]),
        (
            "1. foo [act] a\n2. [subtask] b\n2.1. foo [act] c\n3. foo [act] d\n",
            [
                "step 2.1 (foo): duplicate name, first seen at step 1",
                "step 3 (foo): duplicate name, first seen at step 1",
            ],
        ),
        ("1. foo [act] a\n2. Foo [act] b\n3. [act] c\n4. [act] d\n", []),
        ("1. [reason] a\n1.1. [act] b\n", ["step 1: type 'reason' cannot have children"]),
        ("1. foo [act] a\n1.1. [act] b\n", ["step 1 (foo): type 'act' cannot have children"]),
        (
            "1. [LLM] a\n1.1. [act] b\n",
            ["step 1: invalid type 'LLM'", "step 1: type 'LLM' cannot have children"],
        ),
        ("1. [subtask] a\n", ["warn: step 1: type 'subtask' has no children"]),
        ("1. foo [decide] a\n", ["warn: step 1 (foo): type 'decide' has no children"]),
        (
            "1. [subtask] a\n1.1. [decide] b\n",
            ["warn: step 1.1: type 'decide' has no children"],
        ),
    ],
)
def test_each_rule_has_its_message(steps: str, messages: list[str]) -> None:
    assert check(steps) == messages


def test_an_empty_plan_has_neither_steps_nor_goal() -> None:
    assert validate_plan(PlanSpec()) == ["plan has no steps", "plan has no goal"]


def test_goal_detail_is_no_goal() -> None:
    assert check("1. [act] a\n", "Goal:\n> d\n") == ["plan has no goal"]


def test_messages_come_rule_by_rule_and_each_in_document_order() -> None:
    steps = "3. [subtask] a\n1. n [call] b\n1.1. n [act] c\n1.1.1. [code] d\n2. n [decide] e\n"
    assert check(steps, "") == [
        "step 1 (n): invalid type 'call'",
        "step 1.1.1: invalid type 'code'",
        "step 1.1 (n): duplicate name, first seen at step 1",
        "step 2 (n): duplicate name, first seen at step 1",
        "step 1 (n): type 'call' cannot have children",
        "step 1.1 (n): type 'act' cannot have children",
        "plan has no goal",
        "warn: step 3: type 'subtask' has no children",
        "warn: step 2 (n): type 'decide' has no children",
    ]


def test_only_the_last_rule_warns() -> None:
    plan = parse_plan("## Steps\n1. n [LLM] a\n1.1. n [decide] b\n")
    assert [(found.code, found.severity, found.part) for found in check_rules(plan)] == [
        ("PS202", Severity.ERROR, "step_type"),
        ("PS203", Severity.ERROR, "step_name"),
        ("PS204", Severity.ERROR, "step_type"),
        ("PS205", Severity.ERROR, "goal"),
        ("PS206", Severity.WARNING, "step_type"),
    ]


@pytest.mark.parametrize(
    ("line", "help"),
    [
        ("[LLM] a", "did you mean `[reason]`? "),
        ("[code] a", "did you mean `[act]`? "),
        ("[Branch] a", "did you mean `[decide]`? "),
        ("[loop] a", "did you mean `[subtask]`? "),
        ("[subtasks] a", "did you mean `[subtask]`? "),
        ("[banana] a", ""),
    ],
)
def test_a_wrong_type_gets_advice(line: str, help: str) -> None:
    (found,) = check_rules(parse_plan(f"Goal: g\n## Steps\n1. {line}\n"))
    assert found.help == help + "the types are `[reason]`, `[act]`, `[decide]` and `[subtask]`"


@pytest.mark.parametrize(
    ("line", "help"),
    [
        (
            "[done] [act] a",
            "if `[done]` is meant as a mark, write `[x]`, `[>]`, `[!]` or `[~]` before `[act]`",
        ),
        ("[X] a", "if `[x]` is meant as a mark, write a type after it, such as `[x] [act]`"),
    ],
)
def test_a_type_that_looks_like_a_mark_gets_other_advice(line: str, help: str) -> None:
    (found,) = check_rules(parse_plan(f"Goal: g\n## Steps\n1. {line}\n"))
    assert found.help == help


def test_a_name_that_comes_twice_with_the_same_id_is_a_duplicate_too() -> None:
    steps = [PlanStep("1", "n", "act"), PlanStep("1", "n", "act")]
    assert validate_plan(PlanSpec(goal="g", steps=steps)) == ["step 1 (n): duplicate name, first seen at step 1"]


def test_a_long_id_is_not_repeated_with_every_step_of_the_same_name() -> None:
    step_id = ".".join("1" * 1000)
    rows = "".join(f"2.{number}. same [act] a\n" for number in range(100))
    messages = validate_plan(parse_plan(f"Goal: g\n## Steps\n{step_id}. same [act] a\n{rows}"))
    assert len(messages) == 100
    assert max(map(len, messages)) < 300
