"""The planner's messages and what they are about: goals, blocks, calls of executors. No rules, no texts, no files.

A model that can be built can be written as JSON: every field is checked when it is set. Which values make a *good*
message is for the rules.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Final, TypeAlias

from attrs import Attribute, Factory, field, frozen
from attrs.converters import optional as to_optional
from attrs.validators import deep_iterable, deep_mapping, instance_of, optional

from planspec_lark.json_text.model_values import ALWAYS_WRITTEN
from planspec_lark.json_text.models import JsonText
from planspec_lark.syntax.diagnostics import Diagnostic

__all__ = [
    "REQUIRED",
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


_TEXT, _TEXTS = instance_of(str), deep_iterable(instance_of(str), instance_of(list))
_OBJECT = deep_mapping(instance_of(str), instance_of(object), instance_of(dict))


def _says_something(_instance: object, attribute: Attribute[Any], value: object) -> None:
    if value == "":
        raise ValueError(f"{attribute.name}: a goal has some text")


def _is_empty(_instance: object, attribute: Attribute[Any], value: object) -> None:
    if value != []:
        raise ValueError(f"{attribute.name}: the field `done` of a new block must be empty")


# ---------------------------------------------------------------- pieces

# Marks a field that has to be there although a model can be built without it.
REQUIRED: Final = {"required": True}


@frozen
class Core4:
    """A goal by its four sides: why, what, how good, and within which bounds.

    ``extra`` holds what else the object has; it is kept and written as it came.
    """

    intent: str = field(validator=_TEXT)
    deliverable: str = field(validator=_TEXT)
    metric: str = field(validator=_TEXT)
    constraint: str = field(validator=_TEXT)
    extra: dict[str, Any] = field(factory=dict, validator=_OBJECT)


_GOAL: Any = [instance_of((str, Core4)), _says_something]
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

    command: str = field(validator=_TEXT)
    inputs: dict[str, Any] = field(factory=dict, validator=_OBJECT, metadata=REQUIRED)
    expected_observations: list[str] = field(factory=list, validator=_TEXTS, metadata=REQUIRED)
    extra: dict[str, Any] = field(factory=dict, validator=_OBJECT)


@frozen
class Executor:
    """A tool: what it promises, what it cannot do, and what it changes besides. ``extra`` holds what else is said."""

    id: str = field(validator=_TEXT)
    description: str = field(default="", validator=_TEXT)
    guarantees: list[str] = field(factory=list, validator=_TEXTS)
    limits: list[str] = field(factory=list, validator=_TEXTS)
    side_effects: list[str] = field(factory=list, validator=_TEXTS)
    extra: dict[str, Any] = field(factory=dict, validator=_OBJECT)


@frozen
class NewBlock:
    """The block that a planner asks for. Its ``plan`` holds hypotheses, steps, or nothing, by the type of the plan."""

    goal: Goal = field(validator=_GOAL)
    plan: list[str] = field(factory=list, validator=_TEXTS, metadata=REQUIRED)
    done: list[DoneItem] = field(factory=list, validator=[instance_of(list), _is_empty], metadata=REQUIRED)


@frozen
class DoneItem:
    """A block that has ended: its goal, how it ended, and all that was done inside it.

    ``plan`` and ``executor_call`` are what it was opened with, so that a failed one is not tried again. ``left`` is
    what was still to do.
    """

    goal: Goal = field(validator=_GOAL)
    result: str | dict[str, Any] = field(default="", validator=instance_of((str, dict)), metadata=ALWAYS_WRITTEN)
    status: DoneStatus = field(default=DoneStatus.DONE, converter=DoneStatus, metadata=ALWAYS_WRITTEN)
    plan: list[str] = field(factory=list, validator=_TEXTS)
    executor_call: ExecutorCall | None = field(default=None, validator=optional(instance_of(ExecutorCall)))
    left: list[str] = field(factory=list, validator=_TEXTS)
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

    ``plan_type``, ``success_signal``, ``opened_with`` (the first plan) and ``executor_call`` come from the message that
    opened it. ``takes_item`` says whether its end removes the first item of its parent's plan.
    """

    goal: Goal = field(validator=_GOAL)
    plan: list[str] = field(factory=list, validator=_TEXTS, metadata=REQUIRED)
    done: list[DoneItem] = field(factory=list, metadata=REQUIRED)
    plan_type: PlanType | None = field(default=None, converter=to_optional(PlanType))
    success_signal: str | None = field(default=None, validator=optional(_TEXT))
    executor_call: ExecutorCall | None = field(default=None, validator=optional(instance_of(ExecutorCall)))
    opened_with: list[str] = field(default=Factory(_copy_plan, takes_self=True), validator=_TEXTS)
    takes_item: bool = field(default=True, validator=instance_of(bool))


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
    new_block: NewBlock = field(validator=instance_of(NewBlock))
    success_signal: str | None = field(default=None, validator=optional(_TEXT))
    executor_call: ExecutorCall | None = field(default=None, validator=optional(instance_of(ExecutorCall)))
    update_plan: list[str] | None = field(default=None, validator=optional(_TEXTS))


@frozen
class PlanReturn(Message):
    """An executor's answer: the block has ended, this is its result.

    ``status`` is None where the message does not say it; see
    :func:`~planspec_lark.plan_next.results.status_of`.
    """

    result: str | dict[str, Any] = field(validator=instance_of((str, dict)))
    status: DoneStatus | None = field(default=None, converter=to_optional(DoneStatus))
