"""What operators may return."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import frozen

from planspec_lark import PlanStep
from planspec_lark.engine import HopStatus, OperatorResult, Outcome, StepCall, ThinkEngine
from planspec_lark.engine.operator_values import take_result
from tests.engine.worlds import plan


@frozen
class Weights:
    x: int
    y: str = "b"


class Model:
    """As those of pydantic are."""

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        return {"x": 1, "y": mode}


def step(*outputs: str, step_type: str = "act") -> PlanStep:
    return PlanStep("1", "", step_type, "a", outputs=list(outputs))


@pytest.mark.parametrize(
    ("value", "outputs", "result", "produced"),
    [
        (None, [], "", {}),
        ("done", [], "done", {}),
        ("done", ["x"], "done", {"x": "done"}),
        ("done", ["x", "y"], "done", {}),
        (0, ["x"], "", {"x": 0}),
        ([1], ["x"], "", {"x": [1]}),
        ({}, [], "", {}),
        ({"x": 1, "z": 2}, ["x"], "", {"x": 1, "z": 2}),
        ({"status": "OK", "result": "r", "outputs": {"x": 1}}, ["x"], "r", {"x": 1}),
        ({"status": "new"}, ["status"], "", {"status": "new"}),
        ({"result": "r"}, ["x"], "", {"result": "r"}),
        (Weights(1), ["x", "y"], "", {"x": 1, "y": "b"}),
        (Model(), ["x", "y"], "", {"x": 1, "y": "json"}),
    ],
)
def test_a_value_that_is_ok(value: object, outputs: list[str], result: str, produced: dict[str, Any]) -> None:
    assert take_result(value, step(*outputs)) == OperatorResult(result=result, outputs=produced)


class Broken:
    def model_dump(self, **_: object) -> None:
        raise LookupError("gone")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (5, "TypeError: it is of type int, and the step has not one output that it could be"),
        ({"status": "good"}, "ValueError: 'good' is not a valid HopStatus"),
        ({"status": "OK", "outputs": 5}, "TypeError: outputs: expected a mapping, not int"),
        (Broken(), "LookupError: gone"),
    ],
)
def test_a_value_that_says_nothing_fails_the_step(value: object, why: str) -> None:
    made = take_result(value, step())
    assert (made.status, made.result) == (HopStatus.FAIL, f"what the operator has returned cannot be used: {why}")


def test_a_run_goes_on_with_any_value() -> None:
    steps = "1. [decide] which?\n  1.1. [act] a → x\n  1.2. [act] b → y\n2. [act] c → z\n3. [act] d\n"
    values = {"1": "1.2", "1.2": "warm", "2": {1: 2}, "3": object()}

    def operate(call: StepCall) -> object:
        return values[call.step.step_id]

    result = ThinkEngine(plan(steps), operate).run()
    assert (result.outcome, result.blocked, result.outputs) == (Outcome.BLOCKED, ("2", "3"), {"y": "warm"})
