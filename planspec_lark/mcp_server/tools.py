"""The five tools: what clients are told of them, and calls from their arguments to results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import frozen
from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations
from pydantic import ValidationError

from planspec_lark.mcp_server import tool_functions
from planspec_lark.mcp_server.errors import MAX_FINDINGS, RefusedError
from planspec_lark.mcp_server.plans import Plans
from planspec_lark.mcp_server.tool_models import (
    ApplyArguments,
    Arguments,
    CheckArguments,
    CreateArguments,
    ListArguments,
    ReadArguments,
)
from planspec_lark.syntax.diagnostics import excerpt

__all__ = ["TOOLS", "ToolEntry", "call"]

_APPLY = """\
Change a plan by a list of actions, or by PLAN_CMD lines: all of it, or nothing where one is refused. A step is named by
its id or name.

{"do": "start", "step": "2.1"}
{"do": "done", "step": "2.1", "text": "what came of it in one line"}
{"do": "block", "step": "2.1", "text": "why"}
{"do": "skip", "step": "2.1", "text": "why"}
{"do": "reopen", "step": "2.1"}
{"do": "add", "text": "What to do", "type": "act", "inputs": ["rows"], "outputs": ["sums"], "detail": ["A line."]}
{"do": "move", "step": "2.1", "to": "3.1"}
{"do": "rename", "step": "2.1", "name": "a_name"}
{"do": "remove", "step": "2.1", "renumber": true}
{"do": "archive"}

add puts a step last of all, last below a step ("below": "2") or at an id ("to": "2.1"). reopen, move and remove take
along all below. archive moves a finished plan away, alone in its list.

PLAN_CMD: DONE 2.1 | what came of it
PLAN_CMD: BLOCKED 2.1 | why
PLAN_CMD: SKIP 2.1 | why
PLAN_CMD: ADD 3 [act] What to do → sums
> ← rows
> A line of detail.
PLAN_CMD: REVISE 3 [reason] What to do instead → sums
PLAN_CMD: REPLAN 3 | why; all below 3 is removed

Steps from an id that is taken on move up by one, for what comes later too. Set a step to done as soon as it is, a
container once all below it is."""

_CREATE = """\
Create a plan from a whole PlanSpec document. None that exists is replaced.

# Plan: Short title
Goal: What is to be reached, in one line
Constraints:
- One line each
## Steps
1. [act] What is to be done → name_of_output
  > ← name_of_input
  > A line of detail.
2. [subtask] What the steps below make up
  2.1. [reason] A step below it

Types are reason, act, subtask, decide; only the last two hold steps. An input is an output of an earlier step."""

# Where the words of the validator say too little.
_WORDS = {"missing": "it is missing", "extra_forbidden": "there is no such argument"}


@frozen
class ToolEntry:
    """A tool: what it is called and does, what it takes, and what clients may expect of it."""

    title: str
    description: str
    takes: type[Arguments]
    work: Callable[[Plans, Any], str]
    reads: bool = True
    destroys: bool = False

    def describe(self, name: str) -> Tool:
        """The tool as it is listed."""
        return Tool(
            name=name,
            title=self.title,
            description=self.description,
            input_schema=self.takes.model_json_schema(),
            annotations=ToolAnnotations(
                title=self.title,
                read_only_hint=self.reads,
                destructive_hint=self.destroys,
                idempotent_hint=self.reads,
                open_world_hint=False,
            ),
        )


TOOLS: Mapping[str, ToolEntry] = {
    "list_plans": ToolEntry(
        "List plans",
        "List the plans of the folder with title, goal and progress, 50 at a time.",
        ListArguments,
        tool_functions.list_plans,
    ),
    "read_plan": ToolEntry(
        "Read a plan",
        "Read a plan. Views: `plan`, all of it ([x] done, [>] active, [!] blocked, [~] skipped, no mark pending); "
        "`next`, the next step to do with all that it needs; `step`, the one named by step_id; `tree`, to show people.",
        ReadArguments,
        tool_functions.read_plan,
    ),
    "check_plan": ToolEntry(
        "Check a plan",
        f"Check a text, or a plan of the folder: up to {MAX_FINDINGS} errors and warnings, each with its line and, "
        "where known, what to write instead.",
        CheckArguments,
        tool_functions.check_plan,
    ),
    "apply_commands": ToolEntry(
        "Change a plan",
        _APPLY,
        ApplyArguments,
        tool_functions.apply_commands,
        reads=False,
        destroys=True,
    ),
    "create_plan": ToolEntry("Create a plan", _CREATE, CreateArguments, tool_functions.create_plan, reads=False),
}


def call(plans: Plans, entry: ToolEntry, arguments: Mapping[str, Any]) -> CallToolResult:
    """Call a tool.

    Raises:
        RefusedError: the arguments do not fit, or it refuses.
        All else: what the plan's folder and file refuse.
    """
    try:
        taken = entry.takes.model_validate(arguments)
    except ValidationError as error:
        raise RefusedError(_explain(error)) from None
    return CallToolResult(content=[TextContent(text=entry.work(plans, taken))])


def _explain(error: ValidationError) -> str:
    """What is wrong with arguments, in a line each, without the values."""
    rows = [
        f"- {excerpt('.'.join(map(str, one['loc'])))}: {_WORDS.get(one['type']) or one['msg']}"
        for one in error.errors(include_url=False, include_input=False)[:MAX_FINDINGS]
    ]
    return "\n".join(["The arguments do not fit:", *rows])
