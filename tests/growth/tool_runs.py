"""Tool plans of any size that are run, shown and drawn."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from planspec_lark import PlanSpec
from planspec_lark.tool_runner import ToolRun, run_toolplan
from planspec_lark.toolplan import (
    ToolPlan,
    draw_toolplan,
    tool_plan_from_dict,
    toolplan_to_plan,
    validate_plan_doc,
)
from tests.growth.work import Work

__all__ = ["TOOL_RUN_WORK"]

_TOOLS = {"a": {"inputs": {"text": {}, "before": {}, "all": {}}, "outputs": {"b": "string", "c": "array"}}}


# So many characters have a step of their own.
_STRETCH = 200


def _document(text: str) -> dict[str, Any]:
    """A step for each run of lines, which gets them and an output of the step in front; and one that gets all."""
    lines = text.split("\n")
    count = -(-len(lines) * _STRETCH // max(len(text), 1))
    steps: list[dict[str, Any]] = [{"id": "a", "target": "", "inputs": {}}]
    for at in range(0, len(lines), count):
        inputs = {"text": lines[at : at + count], "before": f"${{{len(steps) - 1}.outputs.b}}"}
        depends_on = [str(len(steps) - 1), "0"]
        steps.append({"id": "a", "target": lines[at], "inputs": inputs, "depends_on": depends_on})
    everything = [f"${{{at}.outputs.c}}" for at in range(len(steps))]
    steps.append({"id": "a", "target": "", "inputs": {"all": everything}})
    return {"target": lines[0], "plan": {"steps": steps, "outputs": {"all": everything}}}


def _plan(text: str) -> ToolPlan:
    """The same as a plan that can be run: references to what is not there are none."""
    document = _document(text)
    if not validate_plan_doc(document, _TOOLS)["valid"]:
        document = _document(text.replace("${", "$${"))
    return tool_plan_from_dict(document)


def _call(inputs: dict[str, Any]) -> dict[str, Any]:
    return {"b": "${0.outputs.b}", "c": [str(inputs.get("text"))[:20]]}


def _fail(_: dict[str, Any]) -> dict[str, Any]:
    raise ValueError("x" * 1_000)


def _run(plan: ToolPlan, **options: Any) -> ToolRun:
    return run_toolplan(plan, _TOOLS, {"a": _call}, **options)


def _run_twice(plan: ToolPlan) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for is_reused in (False, True):
            done = _run(plan, ledger=Path(folder, "j"))
            assert {one.is_reused for one in done.results} == {is_reused}


def _view(plan: ToolPlan) -> PlanSpec:
    return toolplan_to_plan(plan, _TOOLS)


TOOL_RUN_WORK = {
    "run_toolplan": Work(_run, _plan),
    "run_toolplan, failing": Work(lambda plan: run_toolplan(plan, _TOOLS, {"a": _fail}), _plan),
    "run_toolplan, dry": Work(lambda plan: _run(plan, dry_run=True), _plan),
    "run_toolplan, twice": Work(_run_twice, _plan),
    "toolplan_to_plan": Work(_view, _plan),
    "draw_toolplan": Work(draw_toolplan, _plan),
}
