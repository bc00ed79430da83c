"""What differs between two versions of a plan, and what comes of merging three."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from attrs import frozen

from planspec_lark.planspec.models import (
    PLAN_FIELDS,
    STEP_FIELDS,
    FieldInfo,
    PlanSpec,
    PlanStatus,
    PlanStep,
    default_of,
    make_step,
)

__all__ = [
    "FRESH",
    "HEAD_FIELDS",
    "ChangeKind",
    "FieldChange",
    "MergeConflict",
    "MergeResult",
    "PlanDiff",
    "StepChange",
    "Value",
    "label_of",
    "own_values",
    "step_of",
]

Value = str | PlanStatus | tuple[str, ...] | tuple[int, int | None]


def _by_rank(infos: Mapping[str, FieldInfo]) -> dict[str, tuple[str, ...]]:
    """Value → the fields that it is made of, in the order in which values are told."""
    values: dict[str, tuple[str, ...]] = {}
    for name, info in sorted(infos.items(), key=lambda item: item[1].rank):
        value = info.value or name
        values[value] = (*values.get(value, ()), name)
    return values


# The own values of a plan and of a step, but for its id. Some are made of several fields.
HEAD_FIELDS = tuple(_by_rank(PLAN_FIELDS))
_STEP_VALUES = _by_rank({name: info for name, info in STEP_FIELDS.items() if name != "step_id"})
_LABELS = {info.value or name: info.label for name, info in (*PLAN_FIELDS.items(), *STEP_FIELDS.items())}


def label_of(value: str) -> str:
    """What people call a value."""
    return _LABELS[value]


# What the values are that say how far a step has come, before anything has happened to it.
FRESH: dict[str, Value] = {
    value: tuple(default_of(PlanStep, name) for name in names) if len(names) > 1 else default_of(PlanStep, value)
    for value, names in _STEP_VALUES.items()
    if STEP_FIELDS[names[0]].is_state
}


def own_values(step: PlanStep) -> dict[str, Value]:
    """What a step says itself, but for its id. Lists are tuples."""
    found: dict[str, Value] = {}
    for value, names in _STEP_VALUES.items():
        if len(names) > 1:
            found[value] = tuple(getattr(step, name) for name in names)
        else:
            single = getattr(step, value)
            found[value] = tuple(single) if isinstance(single, list) else single
    return found


def step_of(step_id: str, values: Mapping[str, Value]) -> PlanStep:
    """The step, without children, that says this."""
    made: dict[str, Any] = {}
    for value, names in _STEP_VALUES.items():
        said: Any = values[value]
        if len(names) > 1:
            made |= zip(names, said, strict=True)
        else:
            made[value] = [*said] if isinstance(said, tuple) else said
    return make_step(step_id=step_id, expanded=None, children=[], **made)


class ChangeKind(str, Enum):
    """What became of a step.

    Attributes:
        ADDED: only the second version has it.
        REMOVED: only the first version has it.
        CHANGED: it says something else, or stands elsewhere.
        RENUMBERED: it only has another id, as others came or went in front of it or above it.
    """

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    RENUMBERED = "renumbered"


@frozen
class FieldChange:
    """A value that differs: the field's name, and what it was and is.

    Lists are tuples here, and the progress of a step is the pair of its two counts.
    """

    name: str
    old: Value
    new: Value


@frozen
class StepChange:
    """What became of a step.

    Attributes:
        kind: in a word.
        old: the step in the first version; None where it was added.
        new: the step in the second version; None where it was removed.
        is_moved: whether it stands below another step than before, or in another order among those beside it.
        fields: the values that differ.
    """

    kind: ChangeKind
    old: PlanStep | None
    new: PlanStep | None
    is_moved: bool = False
    fields: tuple[FieldChange, ...] = ()

    @property
    def step(self) -> PlanStep:
        """The step as it is, or as it was where it is gone."""
        step = self.new or self.old
        assert step is not None
        return step


@frozen
class PlanDiff:
    """What differs between two versions of a plan. It is false where nothing does.

    Attributes:
        head: what differs in title, goal, its detail, and constraints.
        steps: the steps that are not the same, in the order of the second version; one that is gone stands behind the
            step that was in front of it.
    """

    head: tuple[FieldChange, ...] = ()
    steps: tuple[StepChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.head or self.steps)

    def of_kind(self, kind: ChangeKind) -> list[StepChange]:
        """The steps of which this became."""
        return [change for change in self.steps if change.kind is kind]


@frozen
class MergeConflict:
    """What two sides have changed, each in its own way.

    Attributes:
        step_id: the step, by its id in the merged plan; empty for the plan itself.
        names: the fields in dispute; ``place`` where the step was moved, ``removal`` where one side has removed it.
        message: what has happened, in words.
    """

    step_id: str
    names: tuple[str, ...]
    message: str

    def __str__(self) -> str:
        return f"step {self.step_id}: {self.message}" if self.step_id else self.message


@frozen
class MergeResult:
    """What comes of a merge.

    Attributes:
        plan: the merged plan; what is in conflict is as ours has it.
        conflicts: what both sides have changed, the plan itself first, then its steps in their order.
        text: the text of the merged plan, where texts were merged; a conflict has both sides in it, between markers.
    """

    plan: PlanSpec
    conflicts: tuple[MergeConflict, ...] = ()
    text: str = ""
