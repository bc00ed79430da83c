"""Messages to start from, and copies of them with one thing changed."""

from __future__ import annotations

import copy
import json
from typing import Any

from planspec_lark import Diagnostic
from planspec_lark.plan_next import MessageError, parse_message

__all__ = [
    "CALL",
    "CORE4",
    "EXECUTE",
    "OBJECT",
    "PROBES",
    "RESULT",
    "SECTIONS",
    "STEPS",
    "VALID",
    "Path",
    "changed",
    "find",
    "within",
    "without",
    "write",
]

CORE4 = {"intent": "Dry hall", "deliverable": "A mended roof", "metric": "No drop in a week", "constraint": "No crane"}
CALL = {"command": "shell: ls", "inputs": {}, "expected_observations": ["exit code 0"]}
PROBES: dict[str, Any] = {
    "type": "plan-next",
    "plan_type": "PLAN_PROBES",
    "new_block": {"goal": CORE4, "plan": ["The gutter leaks", "A tile slipped", "The wall is wet"], "done": []},
    "success_signal": "One spot is wet",
}
STEPS: dict[str, Any] = {
    "type": "plan-next",
    "plan_type": "PLAN_STEPS",
    "new_block": {"goal": "Mend the roof", "plan": ["Buy tiles", "Lay tiles", "Test with water"], "done": []},
    "success_signal": "The hall stays dry",
    "update_plan": ["Paint the hall"],
}
EXECUTE: dict[str, Any] = {
    "type": "plan-next",
    "plan_type": "EXECUTE",
    "new_block": {"goal": "List the tiles", "plan": [], "done": []},
    "executor_call": CALL,
}
SECTIONS = "### Completion\nDone\n### Deliverables\nNone\n### Metrics\nNo drop fell\n### Constraints\nKept"
RESULT: dict[str, Any] = {"type": "plan-return", "result": SECTIONS, "status": "done"}
OBJECT: dict[str, Any] = {"type": "plan-return", "result": {"path": "roof.txt", "id": 7}}
VALID = {"probes": PROBES, "steps": STEPS, "execute": EXECUTE, "result": RESULT, "object": OBJECT}

Path = tuple[str | int, ...]


def changed(message: Any, path: Path, value: Any) -> Any:
    """A copy in which something else stands at a path; an index behind the last one adds an item."""
    message = copy.deepcopy(message)
    owner = message
    for step in path[:-1]:
        owner = owner[step]
    if isinstance(owner, list) and path[-1] == len(owner):
        owner.append(value)
    else:
        owner[path[-1]] = value
    return message


def without(message: Any, path: Path) -> Any:
    message = copy.deepcopy(message)
    owner = message
    for step in path[:-1]:
        owner = owner[step]
    del owner[path[-1]]
    return message


def within(message: dict[str, Any], **fields: Any) -> Any:
    """A copy with other fields in its new block."""
    return {**message, "new_block": {**message["new_block"], **fields}}


def write(message: object) -> str:
    return json.dumps(message, ensure_ascii=False)


def find(text: str | dict[str, Any], phase: str = "planning") -> list[Diagnostic]:
    """All that strict reading finds in a message."""
    try:
        read = parse_message(text if isinstance(text, str) else write(text), phase)
    except MessageError as error:
        return error.diagnostics
    return list(read.warnings)
