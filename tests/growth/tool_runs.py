"""Tool plans of any size that are run, shown and drawn."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, get_args

from planspec_lark import (
    ToolPlan,
    ToolRun,
    draw_toolplan,
    parse_plan,
    plan_to_toolplan_skeleton,
    run_toolplan,
    serialize_plan,
    tool_plan_from_dict,
    toolplan_to_plan,
    validate_plan_doc,
)
from planspec_lark.toolplan.drawing import Drawing
from tests.growth.work import Work

__all__ = ["TOOL_RUN_WORK"]

_TOOLS = {"a": {"inputs": {"text": {}, "before": {}, "all": {}}, "outputs": {"b": "string", "c": "array"}}}


def _document(text: str) -> dict[str, Any]:
    """A step for each line, which gets that line and an output of the step in front; and one that gets it all."""
    steps: list[dict[str, Any]] = [{"id": "a", "target": "", "inputs": {}}]
    for at, line in enumerate(text.split("\n")):
        inputs = {"text": line, "before": f"${{{at}.outputs.b}}"}
        steps.append({"id": "a", "target": line, "inputs": inputs, "depends_on": [str(at), "0"]})
    everything = [f"${{{at}.outputs.c}}" for at in range(len(steps))]
    steps.append({"id": "a", "target": text, "inputs": {"all": everything}})
    return {"target": text, "plan": {"steps": steps, "outputs": {line[:20]: line for line in text.split("\n")}}}


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
            done = _run(plan, journal=Path(folder, "j"))
            assert {one.is_reused for one in done.results} == {is_reused}


def _there_and_back(plan: ToolPlan) -> None:
    plan_to_toolplan_skeleton(parse_plan(serialize_plan(toolplan_to_plan(plan, _TOOLS))), _TOOLS)


def _draw(plan: ToolPlan) -> None:
    for language in get_args(Drawing):
        draw_toolplan(plan, language)


TOOL_RUN_WORK = {
    "run_toolplan": Work(_run, _plan),
    "run_toolplan, failing": Work(lambda plan: run_toolplan(plan, _TOOLS, {"a": _fail}), _plan),
    "run_toolplan, dry": Work(lambda plan: _run(plan, dry_run=True), _plan),
    "run_toolplan, twice": Work(_run_twice, _plan),
    "the view of a tool plan": Work(_there_and_back, _plan),
    "draw_toolplan": Work(_draw, _plan),
}
