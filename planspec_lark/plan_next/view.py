"""A context as a PlanSpec document, so that whatever reads plans can show it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from planspec_lark.plan_next.context import Context
from planspec_lark.plan_next.models import Block, Core4, DoneItem, DoneStatus, PlanType, goal_text
from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep
from planspec_lark.syntax.safe_text import one_line
from planspec_lark.syntax.tree import iter_tree

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
    step = _open_step(context) if context.outcome is None else _done_step(context.outcome)
    # What the goal of the root says is in the head of the plan.
    step.detail = []
    plan.steps = [step]
    for below, _ in iter_tree(plan.steps):
        for at, child in enumerate(below.children, 1):
            child.step_id = f"{below.step_id}.{at}"
    return plan


def _open_step(context: Context) -> PlanStep:
    """The outermost of the blocks that are open, with the others inside."""
    step: PlanStep | None = None
    is_taken = False
    for block in (context.think, *context.path):
        kind = "reason" if block.plan_type is PlanType.PLAN_PROBES else "act"
        todo = _todo(block.plan[1:] if is_taken else block.plan, kind, PlanStatus.PENDING)
        step = _make_step(block, PlanStatus.ACTIVE, [*map(_done_step, block.done), *filter(None, [step]), *todo])
        is_taken = block.takes_item
    assert step is not None, "there is a block at hand"
    return step


def _make_step(of: Block | DoneItem, status: PlanStatus, children: list[PlanStep]) -> PlanStep:
    kind = "subtask" if children else "act"
    return PlanStep("1", "", kind, _line(goal_text(of.goal)), detail=[*_details(of)], status=status, children=children)


def _todo(texts: list[str], kind: str, status: PlanStatus) -> list[PlanStep]:
    return [PlanStep("1", "", kind, _line(text), status=status) for text in texts]


def _done_step(item: DoneItem) -> PlanStep:
    left = _todo(item.left, "act", PlanStatus.SKIPPED)
    step = _make_step(item, _ENDS[item.status], [*map(_done_step, item.done), *left])
    step.result = _line(item.result if isinstance(item.result, str) else _json(item.result), "")
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
