"""Messages as texts, for tests in which something is to be planned and done."""

from __future__ import annotations

import json
from typing import Any

from planspec_lark.plan_next import Context, DoneStatus, PlanNext, parse_message
from planspec_lark.plan_next.context import close_block, open_block

__all__ = ["STEPS", "close", "execute", "open_", "probes", "returned", "steps"]

STEPS = ["read the log", "mend the code", "run the checks"]


def steps(goal: Any, plan: list[str] | None = None, **more: Any) -> str:
    """A plan-next message with PLAN_STEPS."""
    return _next("PLAN_STEPS", goal, STEPS if plan is None else plan, success_signal="it works", **more)


def probes(goal: Any, plan: list[str] | None = None, **more: Any) -> str:
    """A plan-next message with PLAN_PROBES."""
    return _next("PLAN_PROBES", goal, STEPS if plan is None else plan, success_signal="one is true", **more)


def execute(goal: Any, command: str = "shell: true", **more: Any) -> str:
    """A plan-next message with EXECUTE."""
    call = {"command": command, "inputs": {}, "expected_observations": []}
    return _next("EXECUTE", goal, [], executor_call=call, **more)


def _next(plan_type: str, goal: Any, plan: list[str], **more: Any) -> str:
    block = {"goal": goal, "plan": plan, "done": []}
    return json.dumps({"type": "plan-next", "plan_type": plan_type, "new_block": block, **more}, ensure_ascii=False)


def returned(result: Any = "it is there", status: str | None = None) -> str:
    """A plan-return message."""
    more = {} if status is None else {"status": status}
    return json.dumps({"type": "plan-return", "result": result, **more}, ensure_ascii=False)


def open_(context: Context, text: str) -> Context:
    """The context inside the block that a text asks for."""
    message = parse_message(text, "planning")
    assert isinstance(message, PlanNext)
    return open_block(context, message)


def close(context: Context, result: Any = "it is there", *, failed: bool = False) -> Context:
    """The context around the block at hand."""
    return close_block(context, result, DoneStatus.FAILED if failed else DoneStatus.DONE)
