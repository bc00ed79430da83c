"""Messages for tests: good ones, to be made bad in one place."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

__all__ = ["call", "codes_of", "encode", "execute", "paths_of", "probes", "returned", "steps"]

from planspec_lark import Diagnostic

GOAL: dict[str, Any] = {
    "intent": "Dry the cellar",
    "deliverable": "a dry floor",
    "metric": "below 60 %",
    "constraint": "this week",
}
HYPOTHESES = ["The drain is blocked", "A pipe leaks", "Ground water rises"]
STEPS = ["Rent a pump", "Pump the cellar dry", "Seal the wall"]


def encode(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _next(kind: str, plan: Sequence[str], goal: Any, **more: Any) -> dict[str, Any]:
    block = {"goal": GOAL if goal is None else goal, "plan": list(plan), "done": []}
    return {"type": "plan-next", "plan_type": kind, "new_block": block, **more}


def probes(plan: Sequence[str] = HYPOTHESES, goal: Any = None, **more: Any) -> dict[str, Any]:
    return _next("PLAN_PROBES", plan, goal, **{"success_signal": "one of them holds", **more})


def steps(plan: Sequence[str] = STEPS, goal: Any = None, **more: Any) -> dict[str, Any]:
    return _next("PLAN_STEPS", plan, goal, **{"success_signal": "the floor is dry", **more})


def call(command: str = "shell: pump --start", **inputs: Any) -> dict[str, Any]:
    return {"command": command, "inputs": inputs, "expected_observations": ["the pump runs"]}


def execute(command: str = "shell: pump --start", goal: Any = None, **more: Any) -> dict[str, Any]:
    return _next("EXECUTE", [], goal, **{"executor_call": call(command), **more})


def returned(result: Any = "the floor is dry", **more: Any) -> dict[str, Any]:
    return {"type": "plan-return", "result": result, **more}


def codes_of(found: Sequence[Diagnostic]) -> list[str]:
    return [one.code for one in found]


def paths_of(found: Sequence[Diagnostic]) -> list[tuple[str, str]]:
    return [(one.code, one.path) for one in found]
