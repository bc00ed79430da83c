"""The planner's messages and what they are about: goals, blocks, calls of executors. No rules, no texts, no files.

A model that can be built can be written as JSON: every field is checked when it is set. Which values make a *good*
message is for the rules.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Final, TypeAlias

from attrs import Attribute, Factory, field, frozen

from planspec_lark.json_text.models import JsonText
from planspec_lark.syntax.diagnostics import Diagnostic

__all__ = [
    "ALWAYS_WRITTEN",
    "SIDES",
    "Block",
    "Core4",
    "DoneItem",
    "DoneStatus",
    "Executor",
    "ExecutorCall",
    "Goal",
    "Message",
    "NewBlock",
    "Phase",
    "PlanNext",
    "PlanReturn",
    "PlanType",
    "goal_text",
]


class Phase(str, Enum):
    """What a block waits for: the next block of its plan, or its own result."""

    PLANNING = "planning"
    EXECUTION = "execution"


class PlanType(str, Enum):
    """How a new block continues: by hypotheses, by steps, or by one call of an executor."""

    PLAN_PROBES = "PLAN_PROBES"
    PLAN_STEPS = "PLAN_STEPS"
    EXECUTE = "EXECUTE"


class DoneStatus(str, Enum):
    """How a block ended. What is done in part is not done: what is left of it is the planner's to see."""

    DONE = "done"
    PARTLY_DONE = "partly_done"
    FAILED = "failed"


# ---------------------------------------------------------------- what a field may hold


def _text(_instance: object, attribute: Attribute[Any], value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{attribute.name}: expected a string, not {type(value).__name__}")


def _texts(_instance: object, attribute: Attribute[Any], value: object) -> None:
    if not isinstance(value, list):
        raise TypeError(f"{attribute.name}: expected a list, not {type(value).__name__}")
    for item in value:
        _text(_instance, attribute, item)


def _object(_instance: object, attribute: Attribute[Any], value: object) -> None:
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        raise TypeError(f"{attribute.name}: expected a mapping of strings, not {type(value).__name__}")


def _optional(check: Any) -> Any:
    def unless_none(instance: object, attribute: Attribute[Any], value: object) -> None:
        if value is not None:
            check(instance, attribute, value)

    return unless_none


def _goal(instance: object, attribute: Attribute[Any], value: object) -> None:
    if not isinstance(value, Core4):
        _text(instance, attribute, value)
        if not value:
            raise ValueError(f"{attribute.name}: a goal has some text")


def _result(_instance: object, attribute: Attribute[Any], value: object) -> None:
    if not isinstance(value, str | dict):
        raise TypeError(f"{attribute.name}: expected a string or a mapping, not {type(value).__name__}")


def _nothing(_instance: object, attribute: Attribute[Any], value: object) -> None:
    if value != [] or not isinstance(value, list):
        raise ValueError(f"{attribute.name}: the field `done` of a new block must be empty")


def _is(kind: type) -> Any:
    def check(_instance: object, attribute: Attribute[Any], value: object) -> None:
        if not isinstance(value, kind):
            raise TypeError(f"{attribute.name}: expected {kind.__name__}, not {type(value).__name__}")

    return check


def _to_plan_type(value: object) -> PlanType | None:
    return None if value is None else PlanType(value)


def _to_status(value: object) -> DoneStatus | None:
    return None if value is None else DoneStatus(value)


def _flag(_instance: object, attribute: Attribute[Any], value: object) -> None:
    if not isinstance(value, bool):
        raise TypeError(f"{attribute.name}: expected True or False, not {type(value).__name__}")


# ---------------------------------------------------------------- pieces

# Marks a field that is written as JSON even where it holds its default.
ALWAYS_WRITTEN: Final = {"always": True}


@frozen
class Core4:
    """A goal by its four sides: why, what, how good, and within which bounds.

    ``extra`` holds what else the object has; it is kept and written as it came.
    """

    intent: str = field(validator=_text)
    deliverable: str = field(validator=_text)
    metric: str = field(validator=_text)
    constraint: str = field(validator=_text)
    extra: dict[str, Any] = field(factory=dict, validator=_object)


# The sides, in their order.
SIDES: Final = ("intent", "deliverable", "metric", "constraint")
Goal: TypeAlias = str | Core4


def goal_text(goal: Goal) -> str:
    """A goal in one text: itself, or the first side of a Core4 that says something."""
    if isinstance(goal, str):
        return goal
    return next(filter(None, (getattr(goal, side) for side in SIDES)), "")


@frozen
class ExecutorCall:
    """One call of an executor: a tool's id or `shell: …`, what it is given, and what one should see afterwards."""

    command: str = field(validator=_text)
    inputs: dict[str, Any] = field(factory=dict, validator=_object)
    expected_observations: list[str] = field(factory=list, validator=_texts)
    extra: dict[str, Any] = field(factory=dict, validator=_object)


@frozen
class Executor:
    """A tool: what it promises, what it cannot do, and what it changes besides. ``extra`` holds what else is said."""

    id: str = field(validator=_text)
    description: str = field(default="", validator=_text)
    guarantees: list[str] = field(factory=list, validator=_texts)
    limits: list[str] = field(factory=list, validator=_texts)
    side_effects: list[str] = field(factory=list, validator=_texts)
    extra: dict[str, Any] = field(factory=dict, validator=_object)


@frozen
class NewBlock:
    """The block that a planner asks for. Its ``plan`` holds hypotheses, steps, or nothing, by the type of the plan."""

    goal: Goal = field(validator=_goal)
    plan: list[str] = field(factory=list, validator=_texts)
    done: list[DoneItem] = field(factory=list, validator=_nothing)


@frozen
class DoneItem:
    """What has become of a block: its goal, how it ended, and all that was done inside it.

    ``plan`` and ``executor_call`` are what it was opened with, so that a failed one is not tried again. ``left`` is
    what of its plan was still to do.
    """

    goal: Goal = field(validator=_goal)
    result: str | dict[str, Any] = field(default="", validator=_result, metadata=ALWAYS_WRITTEN)
    status: DoneStatus = field(default=DoneStatus.DONE, converter=DoneStatus, metadata=ALWAYS_WRITTEN)
    plan: list[str] = field(factory=list, validator=_texts)
    executor_call: ExecutorCall | None = field(default=None, validator=_optional(_is(ExecutorCall)))
    left: list[str] = field(factory=list, validator=_texts)
    done: list[DoneItem] = field(factory=list)

    @property
    def failed(self) -> bool:
        """Whether it ended without what it was for."""
        return self.status is not DoneStatus.DONE


def _copy_plan(block: Block) -> list[str]:
    return list(block.plan)


@frozen
class Block:
    """One block of work: what it is for, what is still to be done inside it, and what has been done.

    ``plan_type``, ``success_signal``, ``opened_with`` (the plan as it was at first) and ``executor_call`` come from the
    message that opened it. ``takes_item`` says whether the end of the block takes the first item off its parent's plan.
    """

    goal: Goal = field(validator=_goal)
    plan: list[str] = field(factory=list, validator=_texts)
    done: list[DoneItem] = field(factory=list)
    plan_type: PlanType | None = field(default=None, converter=_to_plan_type)
    success_signal: str | None = field(default=None, validator=_optional(_text))
    executor_call: ExecutorCall | None = field(default=None, validator=_optional(_is(ExecutorCall)))
    opened_with: list[str] = field(default=Factory(_copy_plan, takes_self=True), validator=_texts)
    takes_item: bool = field(default=True, validator=_flag)


# ---------------------------------------------------------------- messages


@frozen(kw_only=True)
class Message:
    """What all messages have beside their own fields: what was found at reading, and the text that they came from."""

    warnings: tuple[Diagnostic, ...] = field(default=(), eq=False, repr=False)
    origin: JsonText | None = field(default=None, eq=False, repr=False)


@frozen
class PlanNext(Message):
    """A planner's answer: open this block next.

    ``update_plan``, if given, is all that is still to do. Its first item is the new block's if it says the same as the
    block's goal; otherwise the whole list is to be done after the block.
    """

    plan_type: PlanType = field(converter=PlanType)
    new_block: NewBlock = field(validator=_is(NewBlock))
    success_signal: str | None = field(default=None, validator=_optional(_text))
    executor_call: ExecutorCall | None = field(default=None, validator=_optional(_is(ExecutorCall)))
    update_plan: list[str] | None = field(default=None, validator=_optional(_texts), metadata=ALWAYS_WRITTEN)


@frozen
class PlanReturn(Message):
    """An executor's answer: the block has ended, this is its result.

    ``status`` is None where the message does not say it; see
    :func:`~planspec_lark.plan_next.results.status_of`.
    """

    result: str | dict[str, Any] = field(validator=_result)
    status: DoneStatus | None = field(default=None, converter=_to_status)
