"""What a plan is: attrs models of a PlanSpec document, the table of their fields and the table of step types.

Every model that can be built can be printed: the validators refuse what the format cannot express, both when a model
is built and when a field is set. The models are mutable; a list is checked when it is assigned and again when the plan
is printed or leaves as JSON.

Comparison, copies and traversal are iterative, so plans may be nested as deeply as memory allows.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from importlib import import_module
from operator import attrgetter
from typing import Any

import attrs
from attrs import Attribute, define, field, frozen

from planspec_lark._lazy import LATE
from planspec_lark.syntax.fields import (
    Count,
    Each,
    Line,
    Matches,
    Schema,
    Text,
    Validator,
    default_of,
    exact,
    exact_items,
    trusting,
)
from planspec_lark.syntax.source import BLANKS
from planspec_lark.syntax.tree import iter_nodes

__all__ = [
    "AT_WORK",
    "BLANKS",
    "CONTAINER_TYPES",
    "MARKS",
    "OPEN",
    "PLAN_FIELDS",
    "SETTLED",
    "STEP_FIELDS",
    "STEP_TYPES",
    "WORDS",
    "FieldInfo",
    "PlanSpec",
    "PlanStatus",
    "PlanStep",
    "StepType",
    "are_alike",
    "copy_own",
    "has_progress",
    "hash_of",
    "iter_steps",
    "list_types",
    "make_plan",
    "make_step",
    "plain",
    "refuse_fields",
]


# ---------------------------------------------------------------- the table of step types


@frozen
class StepType:
    """A type of step.

    Attributes:
        hopspec: the HopSpec types that are converted to it, each with the field that takes the description; it is
            converted to the first of them.
        is_container: whether it must have child steps.
        meaning: what it is for.
        meaning_zh: the same in Chinese.
    """

    hopspec: Mapping[str, str]
    is_container: bool = False
    meaning: str = ""
    meaning_zh: str = ""


# In the order in which they are always listed.
STEP_TYPES: Mapping[str, StepType] = {
    "reason": StepType(
        {"LLM": "task"},
        meaning="to think something through",
        meaning_zh="想清楚一件事",
    ),
    "act": StepType(
        {"code": "description", "call": "task"},
        meaning="to do or to make something",
        meaning_zh="做一件事，或者做出一样东西",
    ),
    "decide": StepType(
        {"branch": "condition"},
        is_container=True,
        meaning="holds the branches of which one is taken",
        meaning_zh="里面是各个分支，到时只走其中一支",
    ),
    "subtask": StepType(
        {"subtask": "description", "loop": "description"},
        is_container=True,
        meaning="holds the steps that it consists of",
        meaning_zh="由里面的几个步骤合成",
    ),
}
CONTAINER_TYPES = frozenset(name for name, one in STEP_TYPES.items() if one.is_container)


def list_types(word: str, *, containers: bool | None = None, form: str = "`[{}]`") -> str:
    """The step types as a message lists them: all, or only (or all but) the containers, those in reverse order."""
    names = [form.format(name) for name in STEP_TYPES if containers in (None, name in CONTAINER_TYPES)]
    *front, last = names if containers is None else names[::-1]
    return f"{', '.join(front)} {word} {last}" if front else last


# ---------------------------------------------------------------- the table of fields


class PlanStatus(str, Enum):
    """The status of a step."""

    PENDING = "pending"
    ACTIVE = "active"
    DONE = "done"
    BLOCKED = "blocked"
    SKIPPED = "skipped"


# The statuses of steps that are still to be done, of those that somebody is at or waits for, and of those with which
# nothing more is to be done.
OPEN = frozenset({PlanStatus.PENDING, PlanStatus.ACTIVE})
AT_WORK = frozenset({PlanStatus.ACTIVE, PlanStatus.BLOCKED})
SETTLED = frozenset({PlanStatus.DONE, PlanStatus.SKIPPED})
# The character between the brackets of a status mark.
MARKS = {
    PlanStatus.PENDING: " ",
    PlanStatus.DONE: "x",
    PlanStatus.ACTIVE: ">",
    PlanStatus.BLOCKED: "!",
    PlanStatus.SKIPPED: "~",
}
_STATUS_WORDS = [status.value for status in PlanStatus]


@frozen
class _Status:
    """Accepts any value: the converter of the field has made a status of it."""

    def __call__(self, _instance: object, attribute: Attribute[Any], value: object) -> None:
        """See :class:`Validator`."""

    def schema(self) -> Schema:
        """See :class:`Validator`."""
        return {"enum": [*_STATUS_WORDS]}


def _to_status(value: object) -> PlanStatus:
    try:
        return PlanStatus(value)
    except ValueError:
        raise ValueError(f"status: {value!r} is not one of {', '.join(_STATUS_WORDS)}") from None


def _is_flag(_instance: object, attribute: Attribute[Any], value: object) -> None:
    if value is not None and not isinstance(value, bool):
        raise TypeError(f"{attribute.name}: expected True, False or None, not {type(value).__name__}")


def _are_steps(_instance: object, attribute: Attribute[Any], value: object) -> None:
    if not isinstance(value, list):
        raise TypeError(f"{attribute.name}: expected a list, not {type(value).__name__}")
    for item in value:
        if not isinstance(item, PlanStep):
            raise TypeError(f"{attribute.name}: expected a PlanStep, not {type(item).__name__}")


def _ids(steps: list[PlanStep]) -> str:
    return f"[{', '.join(step.step_id for step in steps)}]"


@frozen
class FieldInfo:
    """What is known about a field besides its type and its validator.

    Everything that handles the fields of a plan or a step derives from this table: reading, printing, comparing,
    hashing, diff, merge, JSON and its schema, positions, edits.

    Attributes:
        label: its name for people.
        token: the terminal of the grammar for it, in a summary line or in a line of a body.
        rank: its position where several values are listed.
        is_in_body: whether it is in a line of the body.
        is_state: whether it is part of the progress of a step, and not of its task.
        value: fields with the same value are compared and merged as one, under this name.
        sign: for a field that is one word between type and description: the sign before the word.
    """

    label: str
    token: str
    rank: int = 0
    is_in_body: bool = False
    is_state: bool = False
    value: str = ""
    sign: str = ""


_INFO = "planspec"


def _info(label: str, token: str, rank: int = 0, **flags: Any) -> dict[str, FieldInfo]:
    return {_INFO: FieldInfo(label, token, rank, **flags)}


def _text(validator: Validator, *said: Any, **flags: Any) -> Any:
    """A field for a text, empty by default; the other arguments are those of :class:`FieldInfo`."""
    return field(converter=exact, default="", validator=validator, metadata=_info(*said, **flags))


def _texts(validator: Validator, *said: Any, **flags: Any) -> Any:
    """The same for a list of texts."""
    return field(converter=exact_items, factory=list, validator=Each(validator), metadata=_info(*said, **flags))


def _infos(model: type[attrs.AttrsInstance]) -> Mapping[str, FieldInfo]:
    return {one.name: one.metadata[_INFO] for one in attrs.fields(model) if _INFO in one.metadata}


_ID = Matches("ID", "numbers joined by dots, such as '2.1'")
_NAME = Matches(
    "WORD",
    "a name (letters, digits, `_` and `-`)",
    # Dialects of regular expressions disagree about letters beyond ASCII, so the pattern accepts more than the rule.
    {
        "type": "string",
        "pattern": r"^[^\s\u0000-\u002c./:-@\[-^`{-\u007f\u0300-\u036f]*$(?!\n)",
        "description": "Letters, digits, `_` and `-` of any script, without combining marks, or empty.",
    },
    is_empty_allowed=True,
)
_TYPE = Matches("VARIABLE", "a type (a letter or `_`, then letters, digits and `_`)", is_empty_allowed=True)
_VARIABLE = Matches("VARIABLE", "a variable (a letter or `_`, then letters, digits and `_`)")
_PROGRESS = _info("progress", "PROGRESS", 9, is_state=True, value="progress")


@define(eq=False)
class PlanStep:
    """One step of a plan, with its children.

    ``expanded`` says whether a folded view shows the body and children of the step; None leaves it to the status.
    Comparing, parsing and printing ignore it. ``total_count`` is None for a step that does not count rounds.
    """

    step_id: str = field(converter=exact, validator=_ID, metadata=_info("id", "STEP_ID"))
    step_name: str = _text(_NAME, "name", "NAME", 2)
    step_type: str = _text(_TYPE, "type", "TYPE", 3)
    description: str = _text(Text(), "description", "DESCRIPTION", 4)
    inputs: list[str] = _texts(_VARIABLE, "inputs", "INPUTS", 6, is_in_body=True)
    outputs: list[str] = _texts(_VARIABLE, "outputs", "OUTPUTS", 5)
    detail: list[str] = _texts(Line(), "detail", "DETAIL", 7, is_in_body=True)
    result: str = _text(Text(), "result", "RESULT", 8, is_state=True)
    status: PlanStatus = field(
        default=PlanStatus.PENDING,
        converter=_to_status,
        validator=_Status(),
        metadata=_info("status", "MARK", 1, is_state=True),
    )
    expanded: bool | None = field(default=None, validator=_is_flag)
    done_count: int = field(default=0, validator=Count(), metadata=_PROGRESS)
    total_count: int | None = field(default=None, validator=Count(is_none_allowed=True), metadata=_PROGRESS)
    children: list[PlanStep] = field(factory=list, validator=_are_steps, repr=_ids)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PlanStep):
            return NotImplemented
        return _same_steps([self], [other])

    def __deepcopy__(self, memo: dict[int, Any]) -> PlanStep:
        [root] = _copy_all([self])
        return root


@define(eq=False)
class PlanSpec:
    """A whole plan: title, goal with its detail lines, constraints, and the tree of steps."""

    title: str = _text(Text(), "title", "TEXT", 1)
    goal: str = _text(Text(), "goal", "TEXT", 2)
    goal_detail: list[str] = _texts(Line(), "detail of the goal", "DETAIL", 3)
    constraints: list[str] = _texts(Text(is_empty_allowed=False), "constraints", "TEXT", 4)
    steps: list[PlanStep] = field(factory=list, validator=_are_steps, repr=_ids)

    @property
    def progress(self) -> dict[str, int]:
        """The number of steps, children included: ``total``, and one count for each status."""
        counts = {"total": 0, "done": 0, "active": 0, "blocked": 0, "pending": 0, "skipped": 0}
        for step in iter_steps(self):
            counts["total"] += 1
            counts[step.status.value] += 1
        return counts

    @property
    def is_converged(self) -> bool:
        """Whether no step is pending or active. A blocked step counts as settled."""
        return not any(step.status in OPEN for step in iter_steps(self))

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: object) -> Any:
        """Let pydantic take a plan as a field: see :mod:`planspec_lark.frameworks.pydantic`."""
        return import_module(LATE["pydantic"]).core_schema()

    @classmethod
    def __get_pydantic_json_schema__(cls, _schema: object, _handler: object) -> Any:
        return import_module(LATE["pydantic"]).json_schema()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PlanSpec):
            return NotImplemented
        return _HEAD(self) == _HEAD(other) and _same_steps(self.steps, other.steps)

    def __deepcopy__(self, memo: dict[int, Any]) -> PlanSpec:
        return make_plan(self.title, self.goal, [*self.goal_detail], [*self.constraints], _copy_all(self.steps))


def iter_steps(plan: PlanSpec | PlanStep) -> Iterator[PlanStep]:
    """All steps of a plan, or a step and all below it, in document order: each before its children.

    Raises:
        ValueError: a step is below itself, as only a change of a list of children can have it.
    """
    return iter_nodes([plan] if isinstance(plan, PlanStep) else plan.steps)


def refuse_fields(top: PlanSpec | PlanStep) -> None:
    """Raise what the validators say of a plan, or of a step and all below it: a list may have been changed in place."""
    attrs.validate(top)
    for step in iter_steps(top):
        attrs.validate(step)


# The own fields of a plan and of a step: all but child steps and the state of a view.
PLAN_FIELDS = _infos(PlanSpec)
STEP_FIELDS = _infos(PlanStep)
# Those that are one word of the summary line, each with its sign. They are read and printed without code of their own.
WORDS = {name: info.sign for name, info in STEP_FIELDS.items() if info.sign}

_HEAD = attrgetter(*PLAN_FIELDS)
_OWN = attrgetter(*STEP_FIELDS)
_ASKED = attrgetter(*(name for name, info in STEP_FIELDS.items() if name != "step_id" and not info.is_state))


def are_alike(one: PlanStep, other: PlanStep) -> bool:
    """Whether two steps are equal, apart from their children."""
    return bool(_OWN(one) == _OWN(other))


def _same_steps(ours: list[PlanStep], theirs: list[PlanStep]) -> bool:
    # In document order, the numbers of children determine the tree.
    return len(ours) == len(theirs) and all(
        len(one.children) == len(other.children) and are_alike(one, other)
        for one, other in zip(iter_nodes(ours), iter_nodes(theirs), strict=False)
    )


def has_progress(step: PlanStep) -> bool:
    """Whether a step counts rounds: there are some, or none yet out of some."""
    return bool(step.done_count) or step.total_count is not None


def task_of(step: PlanStep) -> str:
    """The task of a step, wherever it is in the plan: all its own fields but id and progress, in one text."""
    return repr(_ASKED(step))


def hash_of(step: PlanStep) -> str:
    """A hash of the task of a step, wherever it is in the plan: of all its own fields but id and progress.

    32 hexadecimal digits.
    """
    from hashlib import blake2b  # noqa: PLC0415  (slow to load, and most programs compare no tasks)

    return blake2b(json.dumps(_ASKED(step)).encode(), digest_size=16).hexdigest()


def plain(value: object) -> Any:
    """What JSON has for the value of a field."""
    if isinstance(value, PlanStatus):
        return value.value
    return [*value] if isinstance(value, (list, tuple)) else value


# ---------------------------------------------------------------- building models from valid values


make_step: Callable[..., PlanStep] = trusting(PlanStep)
make_plan: Callable[..., PlanSpec] = trusting(PlanSpec)


def copy_own(step: PlanStep) -> PlanStep:
    """A shallow copy of a step: its lists are copied, its children are not."""
    values = [*_ALL(step)]
    for at in _LISTS:
        values[at] = values[at].copy()
    return make_step(*values)


def _copy_all(steps: Sequence[PlanStep]) -> list[PlanStep]:
    """Deep copies of steps."""
    # A walk of the steps themselves refuses one that is below itself: among copies, each would be another one.
    deque(iter_nodes(steps), maxlen=0)
    copies = [*map(copy_own, steps)]
    todo = [*copies]
    while todo:
        step = todo.pop()
        if step.children:
            # In place: the list belongs to this copy alone, and assigning a new one would validate every child.
            step.children[:] = map(copy_own, step.children)
            todo += step.children
    return copies


_NAMES = tuple(one.name for one in attrs.fields(PlanStep))
_LISTS = tuple(at for at, name in enumerate(_NAMES) if isinstance(default_of(PlanStep, name), list))
_ALL = attrgetter(*_NAMES)
