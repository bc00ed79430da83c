"""The JSON Schema of a planner's messages: the file that checks them, and the form that engines follow."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import jsonschema
import pytest

from planspec_lark.constrained import export_grammar
from planspec_lark.syntax import grammars
from tests.cases import in_one_test
from tests.constrained.engines import schema_guide

CORE4 = {"intent": "Know why", "deliverable": "A note", "metric": "Reproducible", "constraint": "Read only"}
CALL = {"command": "shell: ls -l", "inputs": {"path": "data"}, "expected_observations": ["exit code 0"]}
ITEMS = ["The index is stale", "The cache is full", "The clock is wrong"]


def message(plan_type: str, goal: Any = CORE4, plan: Any = (), done: Any = (), **other: Any) -> dict[str, Any]:
    block = {"goal": goal, "plan": list(plan), "done": list(done)}
    return {"type": "plan-next", "plan_type": plan_type, "new_block": block, **other}


def probes(**other: Any) -> dict[str, Any]:
    return message("PLAN_PROBES", **{"plan": ITEMS, **other})


def steps(**other: Any) -> dict[str, Any]:
    return message("PLAN_STEPS", **{"plan": ITEMS, **other})


def execute(**other: Any) -> dict[str, Any]:
    return message("EXECUTE", **{"executor_call": CALL, **other})


def without(value: dict[str, Any], *keys: str) -> dict[str, Any]:
    return {key: inner for key, inner in value.items() if key not in keys}


# The messages of each kind, as the protocol's own examples are made.
ACCEPTED = {
    "hypotheses": probes(plan=[*ITEMS, "假设：连接池耗尽"], success_signal="One of them is confirmed"),
    "steps": steps(plan=["建立骨架", "写样式", "写校验", "一起测试"], success_signal="The form can be sent"),
    "call": execute(),
    "goal as text": probes(goal="Find out why"),
    "seven items": steps(plan=[str(number) for number in range(7)]),
    "no success signal": steps(),
    "plan of the parent": steps(update_plan=["Ship it"]),
    "nothing left for the parent": execute(update_plan=[]),
    "a tool's own path": execute(executor_call={**CALL, "inputs": {"path": "x", "id": 3, "children": [1]}}),
    "no inputs": execute(executor_call={**CALL, "inputs": {}, "expected_observations": []}),
}

REFUSED = {
    "other type": {**steps(), "type": "plan-return"},
    "unknown kind": message("PLAN", plan=ITEMS),
    "no kind": without(steps(), "plan_type"),
    "no block": without(steps(), "new_block"),
    "unknown key": {**steps(), "note": "x"},
    "path at the top": {**steps(), "path": []},
    "id in the block": {**steps(), "new_block": {**steps()["new_block"], "id": "3"}},
    "something done": steps(done=["x"]),
    "two items": steps(plan=ITEMS[:2]),
    "eight items": probes(plan=[*"abcdefgh"]),
    "no items": probes(plan=[]),
    "items to execute": execute(plan=ITEMS),
    "no call": without(execute(), "executor_call"),
    "call of steps": steps(executor_call=CALL),
    "call of hypotheses": probes(executor_call=CALL),
    "call without command": execute(executor_call=without(CALL, "command")),
    "call without inputs": execute(executor_call=without(CALL, "inputs")),
    "call without observations": execute(executor_call=without(CALL, "expected_observations")),
    "structure in the call": execute(executor_call={**CALL, "path": "x"}),
    "inputs that are a text": execute(executor_call={**CALL, "inputs": "x"}),
    "empty goal": steps(goal=""),
    "part of a goal": steps(goal=without(CORE4, "metric")),
    "structure in the goal": steps(goal={**CORE4, "new_id": "4"}),
    "items that are no texts": steps(plan=[1, 2, 3]),
    "parent's plan as a text": steps(update_plan="x"),
    "signal that is not a text": steps(success_signal=True),
    "an array": [steps()],
}
# What the protocol leaves open and an engine is not let write.
OPEN = {
    "more in the goal": steps(goal={**CORE4, "non_goals": "x"}),
    "more in the call": execute(executor_call={**CALL, "timeout": 3}),
}


@cache
def schema(name: str) -> dict[str, Any]:
    text = (
        export_grammar("llguidance", language="plan_next")
        if name == "exported"
        else grammars.schema_path("plan_next_strict").read_text(encoding="utf-8")
    )
    value: dict[str, Any] = json.loads(text)
    return value


def is_valid(name: str, value: Any) -> bool:
    return jsonschema.Draft7Validator(schema(name)).is_valid(value)


def is_written(value: Any) -> bool:
    return schema_guide(json.dumps(schema("exported"))).accepts(json.dumps(value, ensure_ascii=False))


@pytest.mark.parametrize("name", ["file", "exported"])
def test_it_is_a_schema(name: str) -> None:
    jsonschema.Draft7Validator.check_schema(schema(name))


@pytest.mark.parametrize("value", ACCEPTED.values(), ids=ACCEPTED)
def test_accepted(value: Any) -> None:
    assert is_valid("file", value)
    assert is_valid("exported", value)
    assert is_written(value)


@in_one_test
@pytest.mark.parametrize("value", REFUSED.values(), ids=REFUSED)
def test_refused(value: Any) -> None:
    assert not is_valid("file", value)
    assert not is_valid("exported", value)
    assert not is_written(value)


@pytest.mark.parametrize("value", OPEN.values(), ids=OPEN)
def test_an_engine_is_held_closer(value: Any) -> None:
    assert is_valid("file", value)
    assert not is_valid("exported", value)
    assert not is_written(value)


@pytest.mark.parametrize("key", ["id", "new_id", "current_id", "path", "children"])
def test_no_structure_is_written(key: str) -> None:
    for value in (
        {**execute(), key: "x"},
        execute(goal={**CORE4, key: "x"}),
        execute(executor_call={**CALL, key: "x"}),
        {**execute(), "new_block": {**execute()["new_block"], key: "x"}},
    ):
        assert not is_valid("file", value)
        assert not is_written(value)


# The keys in the protocol's order.
KEYS = ["type", "plan_type", "new_block", "success_signal", "executor_call", "update_plan"]


@pytest.mark.parametrize("value", [probes, steps, execute])
def test_an_engine_writes_the_keys_in_the_protocols_order(value: Any) -> None:
    full = value(success_signal="It runs", update_plan=["Ship it"])
    ordered = {key: full[key] for key in KEYS if key in full}
    assert is_written(ordered)
    for key, inner in list(ordered.items())[:-1]:
        assert not is_written({**without(ordered, key), key: inner}), key
    assert is_written(without(ordered, "success_signal"))
    assert is_written(without(ordered, "update_plan"))
    block = ordered["new_block"]
    assert not is_written({**ordered, "new_block": dict(reversed(block.items()))})
    # To check, any order will do.
    assert is_valid("file", full)
    assert is_valid("file", dict(reversed(full.items())))


@pytest.mark.parametrize("name", ["file", "exported"])
def test_every_branch_has_the_protocols_order(name: str) -> None:
    for branch in schema(name)["anyOf"]:
        assert list(branch["properties"]) == [key for key in KEYS if key in branch["properties"]]
