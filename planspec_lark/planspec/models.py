"""What a plan is: attrs models of a PlanSpec document.

Every model that can be built can be written down: the validators refuse what the format cannot express, when a model
is built and whenever a field is set. The models are mutable; a list is checked when it is assigned and once more when
the plan is printed.

Comparing, copying and walking use no recursion, so plans may be nested as deeply as memory allows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from operator import attrgetter
from typing import Any

import attrs
from attrs import Attribute, define, field, frozen

from planspec_lark.planspec import fields

__all__ = [
    "CONTAINER_TYPES",
    "MARKS",
    "PLAN_FIELDS",
    "STEP_FIELDS",
    "STEP_TYPES",
    "FieldInfo",
    "PlanSpec",
    "PlanStatus",
    "PlanStep",
    "are_alike",
    "copy_own",
    "default_of",
    "iter_steps",
    "make_step",
    "reset",
]


class PlanStatus(str, Enum):
    """Where a step stands."""

    PENDING = "pending"
    ACTIVE = "active"
    DONE = "done"
    BLOCKED = "blocked"
    SKIPPED = "skipped"


# The character that stands for a status between the brackets of a mark.
MARKS = {
    PlanStatus.PENDING: " ",
    PlanStatus.DONE: "x",
    PlanStatus.ACTIVE: ">",
    PlanStatus.BLOCKED: "!",
    PlanStatus.SKIPPED: "~",
}

# The four types of step, in the order in which they are always listed, and those that may have children.
STEP_TYPES = ("reason", "act", "decide", "subtask")
CONTAINER_TYPES = frozenset({"decide", "subtask"})


def _to_status(value: object) -> PlanStatus:
    try:
        return PlanStatus(value)
    except ValueError:
        raise ValueError(f"status: {value!r} is none of {', '.join(s.value for s in PlanStatus)}") from None


def _is_flag(_instance: object, attribute: Attribute[Any], value: object) -> None:
    if value is not None and not isinstance(value, bool):
        raise TypeError(f"{attribute.name}: expected True, False or None, not {type(value).__name__}")


def _are_steps(_instance: object, attribute: Attribute[Any], value: object) -> None:
    if not isinstance(value, list):
        raise TypeError(f"{attribute.name}: expected a list, not {type(value).__name__}")
    for item in value:
        if not isinstance(item, PlanStep):
            raise TypeError(f"{attribute.name}: expected steps, not {type(item).__name__}")


def _ids(steps: list[PlanStep]) -> str:
    return f"[{', '.join(step.step_id for step in steps)}]"


# ---------------------------------------------------------------- the table of fields


@frozen
class FieldInfo:
    """What is known of a field beside its type and its validator.

    All that goes through the fields of a plan or a step takes them from here: comparing, hashes, differences, merges,
    JSON and its schema, places, edits.

    Attributes:
        label: what people call it.
        token: the terminal of the grammar that spells it in a summary line, or in a line of a body.
        is_in_body: whether that is a line of the body.
        is_state: whether it says how far a step has come, and not what it asks for.
        value: the name of what it is compared as: fields of the same value differ, and are merged, together.
        rank: its place where several values are told.
    """

    label: str
    token: str
    is_in_body: bool = False
    is_state: bool = False
    value: str = ""
    rank: int = 0


_INFO = "planspec"


def _part(label: str, token: str, **more: Any) -> dict[str, FieldInfo]:
    return {_INFO: FieldInfo(label, token, **more)}


def _infos(model: type[attrs.AttrsInstance]) -> Mapping[str, FieldInfo]:
    return {one.name: one.metadata[_INFO] for one in attrs.fields(model) if _INFO in one.metadata}


_ID = fields.Matches("ID", "numbers joined by dots, such as '2.1'")
_NAME = fields.Matches(
    "WORD",
    "a name (letters, digits, `_` and `-`)",
    # Dialects disagree about letters beyond ASCII, so there this is wider than the rule.
    {
        "type": "string",
        "pattern": r"^[^\s\u0000-\u002c./:-@\[-^`{-\u007f]*$(?!\n)",
        "description": "Letters, digits, `_` and `-` of any script, or empty.",
    },
)
_TYPE = fields.Matches("VARIABLE", "a type (a letter or `_`, then letters, digits and `_`)")
_VARIABLES = fields.Each(fields.Matches("VARIABLE", "a variable (a letter or `_`, then letters, digits and `_`)"))
_STATUS = fields.Choice(tuple(status.value for status in PlanStatus))


@define(eq=False)
class PlanStep:
    """One step of a plan, with all that stands below it.

    ``expanded`` says whether a folded view shows the step's body and children: yes, no, or (None) by its status. It
    takes no part in comparing, parsing or printing. ``total_count`` is None for a step that does not count rounds.
    """

    step_id: str = field(converter=fields.exact, validator=_ID, metadata=_part("id", "STEP_ID"))
    step_name: str = field(
        converter=fields.exact, default="", validator=fields.Optional(_NAME), metadata=_part("name", "NAME", rank=2)
    )
    step_type: str = field(
        converter=fields.exact, default="", validator=fields.Optional(_TYPE), metadata=_part("type", "TYPE", rank=3)
    )
    description: str = field(
        converter=fields.exact,
        default="",
        validator=fields.Text(),
        metadata=_part("description", "DESCRIPTION", rank=4),
    )
    inputs: list[str] = field(
        converter=fields.exact_items,
        factory=list,
        validator=_VARIABLES,
        metadata=_part("inputs", "INPUTS", is_in_body=True, rank=6),
    )
    outputs: list[str] = field(
        converter=fields.exact_items, factory=list, validator=_VARIABLES, metadata=_part("outputs", "OUTPUTS", rank=5)
    )
    detail: list[str] = field(
        converter=fields.exact_items,
        factory=list,
        validator=fields.Each(fields.Line()),
        metadata=_part("detail", "DETAIL", is_in_body=True, rank=7),
    )
    result: str = field(
        converter=fields.exact,
        default="",
        validator=fields.Text(),
        metadata=_part("result", "RESULT", is_state=True, rank=8),
    )
    status: PlanStatus = field(
        default=PlanStatus.PENDING,
        converter=_to_status,
        validator=_STATUS,
        metadata=_part("status", "MARK", is_state=True, rank=1),
    )
    expanded: bool | None = field(default=None, validator=_is_flag)
    done_count: int = field(
        default=0,
        validator=fields.Count(),
        metadata=_part("progress", "PROGRESS", is_state=True, value="progress", rank=9),
    )
    total_count: int | None = field(
        default=None,
        validator=fields.Count(is_none_allowed=True),
        metadata=_part("progress", "PROGRESS", is_state=True, value="progress", rank=9),
    )
    children: list[PlanStep] = field(factory=list, validator=_are_steps, repr=_ids)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PlanStep):
            return NotImplemented
        return _same_steps([self], [other])

    def __deepcopy__(self, memo: dict[int, Any]) -> PlanStep:
        return _copy_step(self)


@define(eq=False)
class PlanSpec:
    """A whole plan: title, goal with its detail lines, constraints, and the tree of steps."""

    title: str = field(
        converter=fields.exact, default="", validator=fields.Text(), metadata=_part("title", "TEXT", rank=1)
    )
    goal: str = field(
        converter=fields.exact, default="", validator=fields.Text(), metadata=_part("goal", "TEXT", rank=2)
    )
    goal_detail: list[str] = field(
        converter=fields.exact_items,
        factory=list,
        validator=fields.Each(fields.Line()),
        metadata=_part("detail of the goal", "DETAIL", rank=3),
    )
    constraints: list[str] = field(
        converter=fields.exact_items,
        factory=list,
        validator=fields.Each(fields.Text(is_empty_allowed=False)),
        metadata=_part("constraints", "TEXT", rank=4),
    )
    steps: list[PlanStep] = field(factory=list, validator=_are_steps, repr=_ids)

    @property
    def progress(self) -> dict[str, int]:
        """How many steps, children included, there are in all (``total``) and in each status."""
        counts = {"total": 0, "done": 0, "active": 0, "blocked": 0, "pending": 0, "skipped": 0}
        for step in iter_steps(self):
            counts["total"] += 1
            counts[step.status.value] += 1
        return counts

    @property
    def is_converged(self) -> bool:
        """Whether no step is pending or active any more. A blocked step counts as dealt with."""
        return not any(step.status in (PlanStatus.PENDING, PlanStatus.ACTIVE) for step in iter_steps(self))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PlanSpec):
            return NotImplemented
        return _HEAD(self) == _HEAD(other) and _same_steps(self.steps, other.steps)


def iter_steps(plan: PlanSpec | PlanStep) -> Iterator[PlanStep]:
    """All steps of a plan, or a step and all below it, in document order: each before its children."""
    stack = [plan] if isinstance(plan, PlanStep) else plan.steps[::-1]
    while stack:
        step = stack.pop()
        yield step
        stack.extend(reversed(step.children))


# The own fields of a plan and of a step: all but the steps below it and the state of a view.
PLAN_FIELDS = _infos(PlanSpec)
STEP_FIELDS = _infos(PlanStep)

_HEAD = attrgetter(*PLAN_FIELDS)
_OWN = attrgetter(*STEP_FIELDS)


def are_alike(one: PlanStep, other: PlanStep) -> bool:
    """Whether two steps are the same but for what stands below them."""
    return bool(_OWN(one) == _OWN(other))


def _same_steps(ours: list[PlanStep], theirs: list[PlanStep]) -> bool:
    pairs = [(ours, theirs)]
    while pairs:
        left, right = pairs.pop()
        if left is right:
            continue
        if len(left) != len(right) or not all(map(are_alike, left, right)):
            return False
        pairs.extend((a.children, b.children) for a, b in zip(left, right, strict=True))
    return True


# ---------------------------------------------------------------- steps of values that are known to be right


def _trusting(model: type[attrs.AttrsInstance]) -> Callable[..., Any]:
    """A constructor that looks at no value again, for values out of a model or that the grammar has let through.

    It takes every field by name. Passing each value through its validator would cost ten times as much.
    """
    names = [one.name for one in attrs.fields(model)]
    known: dict[str, Any] = {f"set_{name}": getattr(model, name).__set__ for name in names}
    known |= {"new": object.__new__, "model": model}
    rows = [f"def make(*, {', '.join(names)}):", "  made = new(model)"]
    rows += [*(f"  set_{name}(made, {name})" for name in names), "  return made"]
    # As attrs makes its own methods: from the names of the fields and nothing else.
    exec("\n".join(rows), known)  # noqa: S102
    made: Callable[..., Any] = known["make"]
    return made


make_step: Callable[..., PlanStep] = _trusting(PlanStep)


def reset(model: PlanSpec | PlanStep, *names: str) -> None:
    """Give fields of a plan or a step the values that they have by default."""
    for name in names:
        setattr(model, name, default_of(type(model), name))


def default_of(model: type[PlanSpec | PlanStep], name: str) -> Any:
    """The value that a field has by default."""
    default = attrs.fields_dict(model)[name].default
    factory = getattr(default, "factory", None)
    return factory() if factory else default


def copy_own(step: PlanStep) -> PlanStep:
    """A copy of a step by itself: its lists are copied, the steps below it are not."""
    values = {name: getattr(step, name) for name in _NAMES}
    return make_step(**{name: [*value] if isinstance(value, list) else value for name, value in values.items()})


def _copy_step(step: PlanStep) -> PlanStep:
    root = copy_own(step)
    stack = [root]
    while stack:
        copy = stack.pop()
        # In place: nothing else has this list, and assigning one would check every child of it.
        copy.children[:] = map(copy_own, copy.children)
        stack += copy.children
    return root


_NAMES = tuple(one.name for one in attrs.fields(PlanStep))
