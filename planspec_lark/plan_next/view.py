"""A context as a PlanSpec document, so that whatever reads plans can show it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from planspec_lark.plan_next.context import Context
from planspec_lark.plan_next.models import Block, Core4, DoneItem, DoneStatus, PlanType, goal_text
from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep
from planspec_lark.syntax.safe_text import one_line

__all__ = ["context_to_plan"]

_ENDS = {
    DoneStatus.DONE: PlanStatus.DONE,
    DoneStatus.PARTLY_DONE: PlanStatus.BLOCKED,
    DoneStatus.FAILED: PlanStatus.BLOCKED,
}
_NO_TEXT = "(no text)"


def context_to_plan(context: Context) -> PlanSpec:
    """The tree of blocks as a plan.

    The root is the one step at the top. Blocks that are open are active, the one at hand being the innermost; what is
    done is before it with its results (a failure is blocked), what is still to do after it. A block whose end
    takes an item off its parent's plan is in that item's place. Texts of several lines become one line.
    """
    root = context.path[-1] if context.path else context.think
    plan = PlanSpec(title=_line(goal_text(root.goal)), goal=_line(goal_text(root.goal)))
    if isinstance(root.goal, Core4):
        plan.goal_detail = list(_sides(root.goal))
        plan.constraints = [_line(root.goal.constraint)] if _line(root.goal.constraint, "") else []
    if context.outcome is not None:
        plan.steps = [_done_step(context.outcome, "1")]
    else:
        plan.steps = [_open_step([*reversed(context.path), context.think])]
    return plan


def _open_step(blocks: list[Block]) -> PlanStep:
    """The outermost of these blocks, each of which is inside the one before it, as a step."""
    root = current = _make_step(blocks[0], "1", PlanStatus.ACTIVE)
    for block, inner in zip(blocks, [*blocks[1:], None], strict=True):
        steps = [_done_step(item, f"{current.step_id}.{at}") for at, item in enumerate(block.done, 1)]
        todo = block.plan
        child = None
        if inner is not None:
            child = _make_step(inner, f"{current.step_id}.{len(steps) + 1}", PlanStatus.ACTIVE)
            steps.append(child)
            todo = todo[1:] if inner.takes_item else todo
        kind = "reason" if block.plan_type is PlanType.PLAN_PROBES else "act"
        start = len(steps) + 1
        steps += [PlanStep(f"{current.step_id}.{at}", "", kind, _line(text)) for at, text in enumerate(todo, start)]
        current.children = steps
        current.step_type = "subtask" if steps else "act"
        if child is not None:
            current = child
    return root


def _make_step(of: Block | DoneItem, step_id: str, status: PlanStatus) -> PlanStep:
    step = PlanStep(step_id, "", "act", _line(goal_text(of.goal)), status=status)
    # What the goal of the root says is in the head of the plan.
    step.detail = [*_details(of)] if step_id != "1" else []
    return step


def _done_step(item: DoneItem, step_id: str) -> PlanStep:
    step = _make_step(item, step_id, _ENDS[item.status])
    step.result = _line(item.result if isinstance(item.result, str) else _json(item.result), "")
    step.children = [_done_step(below, f"{step_id}.{at}") for at, below in enumerate(item.done, 1)]
    step.children += [
        PlanStep(f"{step_id}.{at}", "", "act", _line(text), status=PlanStatus.SKIPPED)
        for at, text in enumerate(item.left, len(step.children) + 1)
    ]
    step.step_type = "subtask" if step.children else "act"
    return step


def _details(of: Block | DoneItem) -> Iterator[str]:
    goal, call = of.goal, of.executor_call
    if isinstance(goal, Core4):
        yield from _sides(goal)
        if _line(goal.constraint, ""):
            yield f"Constraint: {_line(goal.constraint)}"
    if isinstance(of, Block) and of.success_signal:
        yield f"Success signal: {_line(of.success_signal)}"
    if call is not None:
        yield f"Command: {_line(call.command)}"
        if call.inputs:
            yield f"Inputs: {_line(_json(call.inputs))}"
        yield from (f"Expected: {_line(text)}" for text in call.expected_observations)


def _sides(goal: Core4) -> Iterator[str]:
    for name, text in (("Deliverable", goal.deliverable), ("Metric", goal.metric)):
        if _line(text, ""):
            yield f"{name}: {_line(text)}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _line(text: str, otherwise: str = _NO_TEXT) -> str:
    """A text in one line of a plan, with nothing in it that could steer a terminal."""
    return one_line(text) or otherwise
