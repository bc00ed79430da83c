"""The state of a plan: the block at hand and all blocks around it; as JSON, and what a message does to it.

A context is never changed: opening and closing a block give a new one. Writing it down is the kernel's.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from operator import attrgetter
from typing import Any

from attrs import Attribute, evolve, field, frozen
from attrs.validators import deep_iterable, instance_of, optional

from planspec_lark.json_text.findings import ValueFinding, first_findings
from planspec_lark.json_text.model_values import ALWAYS_WRITTEN, to_value
from planspec_lark.json_text.parser import read_json
from planspec_lark.plan_next.conversion import build, value_to_json
from planspec_lark.plan_next.identity import says_goal
from planspec_lark.plan_next.models import (
    Block,
    DoneItem,
    DoneStatus,
    Goal,
    Phase,
    PlanNext,
    goal_text,
)
from planspec_lark.syntax.diagnostics import PlanSyntaxError, has_errors
from planspec_lark.syntax.fields import require_whole
from planspec_lark.syntax.limits import Limits

__all__ = [
    "CONTEXT_LIMITS",
    "DEFAULT_DEPTH",
    "Context",
    "ContextError",
    "close_block",
    "context_from_json",
    "context_to_json",
    "open_block",
    "start_context",
]

DEFAULT_DEPTH = 5
# Deeper plans than this are lost plans, and a file of limited depth is read without recursion to speak of.
_DEEPEST = 32
CONTEXT_LIMITS = Limits(max_bytes=100_000_000, max_depth=200, max_findings=1000)


class ContextError(PlanSyntaxError):
    """A text that is no context. ``diagnostics`` holds all its faults."""


def _is_depth(_instance: object, attribute: Attribute[Any], value: object) -> None:
    if not 1 <= require_whole(attribute.name, value) <= _DEEPEST:
        raise ValueError(f"{attribute.name}: {value} is not between 1 and {_DEEPEST}")


def _is_count(_instance: object, attribute: Attribute[Any], value: object) -> None:
    if require_whole(attribute.name, value) < 0:
        raise ValueError(f"{attribute.name}: {value} is less than 0")


@frozen
class Context:
    """What a planner or an executor is given.

    Attributes:
        think: the current block.
        path: the blocks around it, from the nearest to the root; empty at the root.
        max_depth: from this depth on, blocks are executed without being planned; 1 to 32.
        revision: how many blocks were opened and closed. It changes with the state and with nothing else, so an
            executor can recognise a call that is made again after a crash.
        outcome: the root, once it has ended.
    """

    think: Block = field(validator=instance_of(Block))
    path: list[Block] = field(
        factory=list, validator=deep_iterable(instance_of(Block), instance_of(list)), metadata=ALWAYS_WRITTEN
    )
    max_depth: int = field(default=DEFAULT_DEPTH, validator=_is_depth, metadata=ALWAYS_WRITTEN)
    revision: int = field(default=0, validator=_is_count, metadata=ALWAYS_WRITTEN)
    outcome: DoneItem | None = field(default=None, validator=optional(instance_of(DoneItem)))

    @property
    def depth(self) -> int:
        """How many blocks are around the current one."""
        return len(self.path)

    @property
    def phase(self) -> Phase:
        """A block with items to do is planned, unless it is too deep; any other is executed."""
        return Phase.PLANNING if self.think.plan and self.depth < self.max_depth else Phase.EXECUTION

    @property
    def may_split(self) -> bool:
        """Whether a new block may have a plan of its own."""
        return self.depth < self.max_depth - 1

    @property
    def failures(self) -> int:
        """How many attempts in a row have failed in the current block."""
        return len([*takewhile(attrgetter("failed"), reversed(self.think.done))])


# ---------------------------------------------------------------- changes


def start_context(goal: Goal, plan: Sequence[str] | None = None, *, max_depth: int = DEFAULT_DEPTH) -> Context:
    """The context of a new goal.

    Without a plan, the goal itself is the one item of its plan, so that it is planned first. An empty plan has it
    executed as it is.

    Raises:
        ValueError: the goal or an item says nothing, or ``max_depth`` is out of range.
    """
    if not goal_text(goal).strip():
        raise ValueError("goal: it is empty")
    if plan is not None and not all(item.strip() for item in plan):
        raise ValueError("plan: an item is empty")
    return Context(Block(goal, [goal_text(goal)] if plan is None else list(plan)), max_depth=max_depth)


def open_block(context: Context, message: PlanNext) -> Context:
    """The context inside the block that a message asks for."""
    parent, new = context.think, message.new_block
    if message.update_plan is not None:
        parent = evolve(parent, plan=list(message.update_plan))
    child = Block(
        new.goal,
        list(new.plan),
        plan_type=message.plan_type,
        success_signal=message.success_signal,
        executor_call=message.executor_call,
        takes_item=_takes_item(message),
    )
    return evolve(context, think=child, path=[parent, *context.path], revision=context.revision + 1)


def _takes_item(message: PlanNext) -> bool:
    """Whether the first item of the plan is the new block's: it is, but for a new plan that begins with another one."""
    update = message.update_plan
    return update is None or bool(update and says_goal(update[0], message.new_block.goal))


def close_block(context: Context, result: str | dict[str, Any], status: DoneStatus) -> Context:
    """The context around the block at hand, in which that is done.

    With it goes the first item of the parent's plan, unless that came by an ``update_plan`` that begins with something
    else. What was not done, or in part only, takes nothing off: it is still to do, and where ``update_plan`` has taken
    it off already it comes back to the front.
    """
    block = context.think
    ended = DoneItem(block.goal, result, status, block.opened_with, block.executor_call, block.plan, block.done)
    revision = context.revision + 1
    if not context.path:
        return evolve(context, revision=revision, outcome=ended)
    parent, *around = context.path
    plan = parent.plan
    if block.takes_item and not ended.failed:
        plan = plan[1:]
    elif ended.failed and not block.takes_item:
        plan = [goal_text(block.goal), *plan]
    think = evolve(parent, plan=plan, done=[*parent.done, ended])
    return evolve(context, think=think, path=around, revision=revision)


# ---------------------------------------------------------------- JSON


def context_to_json(context: Context, *, indent: int | None = 2) -> str:
    """A context as JSON text, safe to show on a terminal.

    Raises:
        TypeError, ValueError: a program has put something into it that no JSON text can say.
    """
    return value_to_json(to_value(context), indent=indent)


def context_from_json(text: str, *, name: str = "<text>", limits: Limits = CONTEXT_LIMITS) -> Context:
    """The context that a JSON text describes. Fields other than `think` with its goal, plan and done may be missing.

    Raises:
        ContextError: it describes none, with all that is wrong.
    """
    read = read_json(text, name=name, limits=limits)
    context, findings = build(read.value, Context) if read.has_value else (None, [])
    if context is not None and context.depth > context.max_depth:
        message = f"there are {context.depth} blocks around this one, and the limit `max_depth` is {context.max_depth}"
        findings.append(ValueFinding("PN305", message, ("path",)))
    found = first_findings(findings, read, limits.max_findings, read.diagnostics)
    if context is None or has_errors(found):
        raise ContextError(found, read.source)
    return context
