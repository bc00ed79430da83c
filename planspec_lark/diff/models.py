"""What differs between two versions of a plan, and what comes of merging three."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from operator import attrgetter
from typing import Any

from attrs import frozen

from planspec_lark.planspec.models import PLAN_FIELDS, STEP_FIELDS, FieldInfo, PlanSpec, PlanStatus, PlanStep

__all__ = [
    "FRESH",
    "ChangeKind",
    "FieldChange",
    "MergeConflict",
    "MergeResult",
    "PlanDiff",
    "StepChange",
    "Value",
    "fields_of",
    "label_of",
    "values_of",
]

Value = str | PlanStatus | tuple[str, ...] | tuple[int, int | None]


def _by_rank(infos: Iterable[tuple[str, FieldInfo]]) -> dict[str, list[str]]:
    """Value → the fields that it is made of, in the order in which values are told."""
    values: dict[str, list[str]] = {}
    for name, info in sorted(infos, key=lambda item: item[1].rank):
        values.setdefault(info.value or name, []).append(name)
    return values


# The own values of a plan and of a step, but for its id. Some are made of several fields.
_PLAN = _by_rank(PLAN_FIELDS.items())
_STEP = _by_rank((name, info) for name, info in STEP_FIELDS.items() if name != "step_id")
_PLAN_READERS, _STEP_READERS = (
    [(value, attrgetter(*names)) for value, names in found.items()] for found in (_PLAN, _STEP)
)
_FIELDS = _PLAN | _STEP
_INFOS = {**PLAN_FIELDS, **STEP_FIELDS}


def label_of(value: str) -> str:
    """What people call a value."""
    return _INFOS[_FIELDS[value][0]].label


def values_of(model: PlanSpec | PlanStep) -> dict[str, Value]:
    """What a plan says above its steps, or a step itself, but for its id. Lists are tuples."""
    readers = _STEP_READERS if isinstance(model, PlanStep) else _PLAN_READERS
    said = {value: read(model) for value, read in readers}
    return {value: tuple(found) if isinstance(found, list) else found for value, found in said.items()}


def fields_of(values: Mapping[str, Value]) -> dict[str, Any]:
    """The fields of a plan or a step that says this."""
    fields: dict[str, Any] = {}
    for value, said in values.items():
        names = _FIELDS[value]
        if len(names) > 1 and isinstance(said, tuple):
            fields |= zip(names, said, strict=True)
        else:
            fields[value] = list(said) if isinstance(said, tuple) else said
    return fields


# What the values are that say how far a step has come, before anything has happened to it.
FRESH = {name: said for name, said in values_of(PlanStep("0")).items() if STEP_FIELDS[_FIELDS[name][0]].is_state}


class ChangeKind(str, Enum):
    """What became of a step.

    Attributes:
        ADDED: only the second version has it.
        REMOVED: only the first version has it.
        CHANGED: it says something else, or is elsewhere.
        RENUMBERED: it only has another id, as others came or went before it or above it.
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
        is_moved: whether it is below another step than before, or in another order among those beside it.
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
        steps: the steps that are not the same, in the order of the second version; one that is gone is after the
            step that was before it.
    """

    head: tuple[FieldChange, ...] = ()
    steps: tuple[StepChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.head or self.steps)


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
