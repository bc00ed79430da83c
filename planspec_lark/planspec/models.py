"""What a plan is: attrs models of a PlanSpec document.

Every model that can be built can be written down: the validators refuse what the format cannot express, when a model
is built and whenever a field is set. The models are mutable; a list is checked when it is assigned and once more when
the plan is printed.

Comparing, copying and walking use no recursion, so plans may be nested as deeply as memory allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from operator import attrgetter
from typing import Any

from attrs import Attribute, define, field

from planspec_lark.planspec import fields

__all__ = [
    "CONTAINER_TYPES",
    "MARKS",
    "STEP_TYPES",
    "PlanSpec",
    "PlanStatus",
    "PlanStep",
    "StepDraft",
    "are_alike",
    "copy_own",
    "iter_steps",
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


def _is_total(instance: object, attribute: Attribute[Any], value: object) -> None:
    if value is not None:
        fields.count(instance, attribute, value)


def _are_steps(_instance: object, attribute: Attribute[Any], value: object) -> None:
    if not isinstance(value, list):
        raise TypeError(f"{attribute.name}: expected a list, not {type(value).__name__}")
    for item in value:
        if not isinstance(item, PlanStep):
            raise TypeError(f"{attribute.name}: expected steps, not {type(item).__name__}")


def _ids(steps: list[PlanStep]) -> str:
    return f"[{', '.join(step.step_id for step in steps)}]"


_IS_ID = fields.matches("ID", "numbers joined by dots, such as '2.1'")
_IS_NAME = fields.optional(fields.matches("WORD", "a name (letters, digits, `_` and `-`)"))
_IS_TYPE = fields.optional(fields.matches("VARIABLE", "a type (a letter or `_`, then letters, digits and `_`)"))
_IS_VARIABLE = fields.matches("VARIABLE", "a variable (a letter or `_`, then letters, digits and `_`)")


class _Step:
    # Where two classes add the same slots to the same base, an object of one can become one of the other. Room for weak
    # references, which each would add for itself, is no such slot.
    __slots__ = ("__weakref__",)


@define(eq=False)
class PlanStep(_Step):
    """One step of a plan, with all that stands below it.

    ``expanded`` says whether a folded view shows the step's body and children: yes, no, or (None) by its status. It
    takes no part in comparing, parsing or printing. ``total_count`` is None for a step that does not count rounds.
    """

    step_id: str = field(converter=fields.exact, validator=_IS_ID)
    step_name: str = field(converter=fields.exact, default="", validator=_IS_NAME)
    step_type: str = field(converter=fields.exact, default="", validator=_IS_TYPE)
    description: str = field(converter=fields.exact, default="", validator=fields.text)
    inputs: list[str] = field(converter=fields.exact_items, factory=list, validator=fields.each(_IS_VARIABLE))
    outputs: list[str] = field(converter=fields.exact_items, factory=list, validator=fields.each(_IS_VARIABLE))
    detail: list[str] = field(converter=fields.exact_items, factory=list, validator=fields.each(fields.line))
    result: str = field(converter=fields.exact, default="", validator=fields.text)
    status: PlanStatus = field(default=PlanStatus.PENDING, converter=_to_status)
    expanded: bool | None = field(default=None, validator=_is_flag)
    done_count: int = field(default=0, validator=fields.count)
    total_count: int | None = field(default=None, validator=_is_total)
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

    title: str = field(converter=fields.exact, default="", validator=fields.text)
    goal: str = field(converter=fields.exact, default="", validator=fields.text)
    goal_detail: list[str] = field(converter=fields.exact_items, factory=list, validator=fields.each(fields.line))
    constraints: list[str] = field(
        converter=fields.exact_items, factory=list, validator=fields.each(fields.text, empty=False)
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


_HEAD = attrgetter("title", "goal", "goal_detail", "constraints")
_OWN = attrgetter(
    "step_id",
    "step_name",
    "step_type",
    "description",
    "inputs",
    "outputs",
    "detail",
    "result",
    "status",
    "done_count",
    "total_count",
)


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


class StepDraft(_Step):
    """A step under construction, for values that come out of a model or that the grammar has let through.

    Its fields are those of :class:`PlanStep` and take anything. Once all are set it becomes a step, by
    ``draft.__class__ = PlanStep``: that costs a fraction of passing every value through its validator.
    """

    __slots__ = tuple(PlanStep.__slots__)


def copy_own(step: PlanStep) -> PlanStep:
    """A copy of a step by itself: its lists are copied, the steps below it are not."""
    copy: Any = StepDraft()
    for name in _NAMES:
        value = getattr(step, name)
        setattr(copy, name, list(value) if isinstance(value, list) else value)
    copy.__class__ = PlanStep
    return copy  # type: ignore[no-any-return]  # it has just become one


def _copy_step(step: PlanStep) -> PlanStep:
    root = copy_own(step)
    stack = [root]
    while stack:
        copy = stack.pop()
        # In place: nothing else has this list, and assigning one would check every child of it.
        copy.children[:] = map(copy_own, copy.children)
        stack += copy.children
    return root


_NAMES = StepDraft.__slots__
