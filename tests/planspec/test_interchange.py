"""Plans as JSON values: every problem is told, each with its path."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from planspec_lark import (
    PlanSpec,
    PlanStatus,
    PlanStep,
    PlanValueError,
    parse_plan,
    plan_from_json,
    plan_json_schema,
    plan_to_json,
)
from planspec_lark.planspec import GRAMMAR_VERSION, plan_from_dict, plan_to_dict
from tests.cases import in_one_test

_ADVICE = "one_line() makes one line of any text"


STEP = {
    "step_id": "1.1",
    "step_name": "n",
    "step_type": "act",
    "description": "a",
    "inputs": ["i"],
    "outputs": ["o"],
    "detail": [""],
    "result": "r",
    "status": "blocked",
    "done_count": 1,
    "total_count": None,
    "children": [],
}
VALUE = {
    "grammar": GRAMMAR_VERSION,
    "title": "t",
    "goal": "g",
    "goal_detail": ["d"],
    "constraints": ["c"],
    "steps": [{**STEP, "step_id": "1", "total_count": 3, "status": "pending", "children": [STEP]}],
}


def problems(value: object) -> list[str]:
    with pytest.raises(PlanValueError) as caught:
        plan_from_dict(value)
    assert str(caught.value) == "\n".join(caught.value.problems)
    return caught.value.problems


def test_all_fields_are_always_there() -> None:
    child = PlanStep("1.1", "n", "act", "a", ["i"], ["o"], [""], "r", PlanStatus.BLOCKED, True, 1)
    step = PlanStep("1", "n", "act", "a", ["i"], ["o"], [""], "r", PlanStatus.PENDING, False, 1, 3, [child])
    plan = PlanSpec("t", "g", ["d"], ["c"], [step])
    assert plan_to_dict(plan) == VALUE
    assert plan_from_dict(VALUE) == plan
    assert list(plan_to_dict(plan)["steps"][0]) == list(STEP)


def test_a_plan_of_another_language_is_refused() -> None:
    assert plan_from_dict({**VALUE, "grammar": "1.7"}) == plan_from_dict(VALUE)
    with pytest.raises(PlanValueError) as caught:
        plan_from_dict({**VALUE, "grammar": "2.0\x1b", "title": 1})
    assert caught.value.problems == [
        "the plan is of grammar 2.0\\x1b, and this reads 1.0 @ $.grammar",
        "expected a string, not a whole number @ $.title",
    ]
    with pytest.raises(PlanValueError, match=r"^expected a string, not a number @ \$\.grammar$"):
        plan_from_dict({"grammar": 1.0})


def test_the_value_shares_no_lists_with_the_plan() -> None:
    plan = parse_plan("## Steps\n1. [act] a → b\n")
    plan_to_dict(plan)["steps"][0]["outputs"].append("c")
    assert plan.steps[0].outputs == ["b"]
    value = plan_to_dict(plan)
    plan_from_dict(value).steps[0].outputs.append("c")
    assert value["steps"][0]["outputs"] == ["b"]


def test_expanded_is_left_out() -> None:
    assert "expanded" not in plan_to_dict(PlanSpec(steps=[PlanStep("1", expanded=True)]))["steps"][0]
    assert plan_from_dict(VALUE).steps[0].expanded is None


@in_one_test
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ["expected an object, not null @ $"]),
        ([], ["expected an object, not a list @ $"]),
        ("", ["expected an object, not a string @ $"]),
        (5, ["expected an object, not a whole number @ $"]),
        ({"title": 5}, ["expected a string, not a whole number @ $.title"]),
        ({"goal": None}, ["expected a string, not null @ $.goal"]),
        ({"goal": " g"}, [f"white space around ' g' would be lost; {_ADVICE} @ $.goal"]),
        (
            {"goal": "a\nb"},
            [f"a line break cannot be written in a plan; {_ADVICE} @ $.goal"],
        ),
        ({"goal_detail": "d"}, ["expected a list, not a string @ $.goal_detail"]),
        ({"goal_detail": ["d", 1]}, ["expected a string at [1], not a whole number @ $.goal_detail"]),
        ({"constraints": [""]}, ["an empty item cannot be written in a plan @ $.constraints"]),
        ({"steps": {}}, ["expected a list, not an object @ $.steps"]),
        ({"steps": None}, ["expected a list, not null @ $.steps"]),
        ({"aim": 1, "Goal": 2}, ["unknown keys: Goal, aim @ $"]),
        ({"steps": [{}]}, ["required field missing @ $.steps[0].step_id"]),
        ({"steps": [5]}, ["expected an object, not a whole number @ $.steps[0]"]),
        ({"steps": [{"step_id": 1}]}, ["expected a string, not a whole number @ $.steps[0].step_id"]),
        (
            {"steps": [{"step_id": "1."}]},
            ["'1.' is not numbers joined by dots, such as '2.1' @ $.steps[0].step_id"],
        ),
        ({"steps": [{"step_id": "1", "expanded": True}]}, ["unknown keys: expanded @ $.steps[0]"]),
        (
            {"steps": [{"step_id": "1", "status": "open"}]},
            ["expected one of pending, active, done, blocked, skipped, not 'open' @ $.steps[0].status"],
        ),
        (
            {"steps": [{"step_id": "1", "status": None}]},
            ["expected one of pending, active, done, blocked, skipped, not None @ $.steps[0].status"],
        ),
        (
            {"steps": [{"step_id": "1", "done_count": True}]},
            ["expected a whole number, not a boolean @ $.steps[0].done_count"],
        ),
        (
            {"steps": [{"step_id": "1", "done_count": None}]},
            ["expected a whole number, not null @ $.steps[0].done_count"],
        ),
        (
            {"steps": [{"step_id": "1", "total_count": 1.5}]},
            ["expected a whole number, not a number @ $.steps[0].total_count"],
        ),
        (
            {"steps": [{"step_id": "1", "total_count": -1}]},
            ["-1 is not between 0 and 999999999 @ $.steps[0].total_count"],
        ),
        (
            {"steps": [{"step_id": "1", "total_count": -1.0}]},
            ["-1 is not between 0 and 999999999 @ $.steps[0].total_count"],
        ),
        (
            {"steps": [{"step_id": "1", "outputs": ["a", "b c"]}]},
            ["'b c' is not a variable (a letter or `_`, then letters, digits and `_`) @ $.steps[0].outputs"],
        ),
        (
            {"steps": [{"step_id": "1", "children": "none"}]},
            ["expected a list, not a string @ $.steps[0].children"],
        ),
        (
            {"steps": [{"step_id": "1", "children": [{"step_id": "1.1"}, {"step_id": "1.2", "result": 0}]}]},
            ["expected a string, not a whole number @ $.steps[0].children[1].result"],
        ),
    ],
)
def test_a_problem_has_its_path(value: object, expected: list[str]) -> None:
    assert problems(value) == expected


def test_all_problems_are_told_at_once() -> None:
    value = {
        "title": 1,
        "goal": " g",
        "steps": [
            {"step_id": "1", "inputs": "a", "children": [{"done_count": -1, "step_id": "x", "description": " a"}]},
            {"step_type": "act"},
        ],
    }
    assert sorted(problems(value)) == sorted(
        [
            "expected a string, not a whole number @ $.title",
            f"white space around ' g' would be lost; {_ADVICE} @ $.goal",
            "expected a list, not a string @ $.steps[0].inputs",
            "-1 is not between 0 and 999999999 @ $.steps[0].children[0].done_count",
            "'x' is not numbers joined by dots, such as '2.1' @ $.steps[0].children[0].step_id",
            f"white space around ' a' would be lost; {_ADVICE} @ $.steps[0].children[0].description",
            "required field missing @ $.steps[1].step_id",
        ]
    )


@pytest.mark.parametrize("indent", [None, 0, 2, 4])
def test_json_text_holds_the_same_value(indent: int | None) -> None:
    plan = plan_from_dict(VALUE)
    assert json.loads(plan_to_json(plan, indent=indent)) == VALUE
    assert plan_from_json(plan_to_json(plan, indent=indent)) == plan


def test_json_text_has_a_line_for_each_field() -> None:
    plan = PlanSpec("t", "g", ["d", ""], [], [PlanStep("1", step_type="act", outputs=["a", "b"])])
    assert plan_to_json(plan) == (
        "{\n"
        f'  "grammar": "{GRAMMAR_VERSION}",\n'
        '  "title": "t",\n'
        '  "goal": "g",\n'
        '  "goal_detail": ["d", ""],\n'
        '  "constraints": [],\n'
        '  "steps": [\n'
        "    {\n"
        '      "step_id": "1",\n'
        '      "step_name": "",\n'
        '      "step_type": "act",\n'
        '      "description": "",\n'
        '      "inputs": [],\n'
        '      "outputs": ["a", "b"],\n'
        '      "detail": [],\n'
        '      "result": "",\n'
        '      "status": "pending",\n'
        '      "done_count": 0,\n'
        '      "total_count": null,\n'
        '      "children": []\n'
        "    }\n"
        "  ]\n"
        "}"
    )


def test_json_text_keeps_letters_and_escapes_what_could_steer_a_terminal() -> None:
    plan = PlanSpec(goal="目标 é \x85 \u202e \u2028")
    assert '"目标 é \\u0085 \\u202e \\u2028"' in plan_to_json(plan)
    assert plan_from_json(plan_to_json(plan)) == plan


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not JSON: Expecting value at line 1, column 1"),
        ('{\n "goal": }', "not JSON: Expecting value at line 2, column 10"),
        ("[" * 100_000, "nested too deeply to decode"),
        ('{"steps": [' * 50_000, "nested too deeply to decode"),
        ('{"steps": [' * 50_000 + "]}" * 50_000, "nested too deeply to decode"),
        ("1" * 5000, "a number has too many digits to decode"),
        ('{"steps": [{"step_id": "1", "done_count": ' + "1" * 5000 + "}]}", "a number has too many digits to decode"),
        ('{"goal": NaN}', "not JSON: NaN is not a number"),
        ('{"steps": [{"step_id": "1", "total_count": -Infinity}]}', "not JSON: -Infinity is not a number"),
        ('{"goal": "a", "goal": "b"}', "the key 'goal' comes twice in one object"),
        ('{"steps": [{"step_id": "1", "\\u001b": 1, "\\u001b": 2}]}', r"the key '\x1b' comes twice in one object"),
        ('{"' + "k" * 999 + '": 1, "' + "k" * 999 + '": 1}', f"the key '{'k' * 199}… comes twice in one object"),
        ("\ufeff{}", "not JSON: Unexpected UTF-8 BOM (decode using utf-8-sig) at line 1, column 1"),
        (
            '{"goal": "\\ud800"}',
            f"the forbidden character U+D800 cannot be written in a plan; {_ADVICE} @ $.goal",
        ),
    ],
    ids=lambda value: value[:16],
)
def test_a_text_that_is_no_json(text: str, problem: str) -> None:
    with pytest.raises(PlanValueError) as caught:
        plan_from_json(text)
    assert caught.value.problems == [problem]


def test_a_number_of_hundreds_of_digits_is_too_large() -> None:
    assert problems({"steps": [{"step_id": "1", "done_count": 10**5000}]}) == [
        "a number of that size is not between 0 and 999999999 @ $.steps[0].done_count"
    ]


def test_what_is_nested_too_deeply_to_be_shown_is_not_shown() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert problems({"steps": [{"step_id": "1", "status": deep}]}) == [
        "expected one of pending, active, done, blocked, skipped, not a list @ $.steps[0].status"
    ]


def test_an_unknown_key_cannot_steer_a_terminal() -> None:
    assert problems({"\x1b[2J\n": 1}) == [r"unknown keys: \x1b[2J\n @ $"]


def test_a_path_into_the_deep_is_cut_in_its_middle() -> None:
    value: dict[str, object] = {"step_id": "", "children": []}
    for _ in range(50):
        value = {"step_id": "1", "children": [value]}
    first, last = "$.steps[0]" + ".children[0]" * 24, ".children[0]" * 25
    said = "'' is not numbers joined by dots, such as '2.1' @ "
    assert problems({"steps": [value]}) == [f"{said}{first}…{last}.step_id"]
    assert problems({"steps": value["children"]}) == [f"{said}{first}{last}.step_id"]


def test_time_and_memory_grow_with_the_depth_only() -> None:
    value: dict[str, object] = {"step_id": "", "children": []}
    for _ in range(20_000):
        value = {"step_id": "", "children": [value]}
    assert sum(map(len, problems({"steps": [value]}))) < 20_000_000


def test_the_schema_is_one_and_accepts_plans() -> None:
    schema = plan_json_schema()
    Draft202012Validator.check_schema(schema)
    assert Draft202012Validator(schema).is_valid(VALUE)


@pytest.mark.parametrize(
    "change",
    [
        {"title": 1},
        {"goal": " g"},
        {"goal": "a\nb"},
        {"goal_detail": ["\x00"]},
        {"constraints": [""]},
        {"aim": ""},
        {"steps": [{}]},
        {"steps": [{"step_id": "01"}]},
        {"steps": [{"step_id": "1", "step_name": "a b"}]},
        {"steps": [{"step_id": "1", "step_type": "a-b"}]},
        {"steps": [{"step_id": "1", "inputs": ["a b"]}]},
        {"steps": [{"step_id": "1", "status": "open"}]},
        {"steps": [{"step_id": "1", "done_count": -1}]},
        {"steps": [{"step_id": "1", "total_count": 1_000_000_000}]},
        {"steps": [{"step_id": "1", "expanded": None}]},
        {"steps": [{"step_id": "1", "children": [{"step_id": ""}]}]},
    ],
)
def test_the_schema_refuses_what_is_not_read(change: dict[str, Any]) -> None:
    value = {**VALUE, **change}
    assert not Draft202012Validator(plan_json_schema()).is_valid(value)
    assert len(problems(value)) == 1


def test_a_whole_number_may_be_written_with_a_point() -> None:
    """JSON has one kind of number, and its schema counts 1.0 as an integer."""
    plan = plan_from_dict({"steps": [{"step_id": "1", "total_count": 3.0}]})
    assert type(plan.steps[0].total_count) is int
    assert plan.steps[0].total_count == 3


def test_the_schema_takes_no_latin_name_in_parts() -> None:
    value = {"steps": [{"step_id": "1", "step_type": "act", "step_name": "café"}]}
    schema = Draft202012Validator(plan_json_schema())
    assert schema.is_valid(value)
    value["steps"][0]["step_name"] = "cafe\u0301"
    assert not schema.is_valid(value)
