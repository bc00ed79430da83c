"""What differs between two versions of a plan, and what comes of merging three."""

from __future__ import annotations

from enum import Enum
from typing import Any

from attrs import frozen

from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep, StepDraft

__all__ = [
    "FIELD_NAMES",
    "HEAD_FIELDS",
    "STEP_FIELDS",
    "ChangeKind",
    "FieldChange",
    "MergeConflict",
    "MergeResult",
    "PlanDiff",
    "StepChange",
    "Value",
    "own_values",
    "step_of",
]

# The own values of a plan and of a step, in the order in which they are told. The progress is the pair of both counts.
HEAD_FIELDS = ("title", "goal", "goal_detail", "constraints")
STEP_FIELDS = (
    "status",
    "step_name",
    "step_type",
    "description",
    "outputs",
    "inputs",
    "detail",
    "result",
    "progress",
)
# Fields as one speaks of them.
FIELD_NAMES = {"goal_detail": "detail of the goal", "step_name": "name", "step_type": "type"}

Value = str | PlanStatus | tuple[str, ...] | tuple[int, int | None]


def own_values(step: PlanStep) -> dict[str, Value]:
    """What a step says itself, but for its id."""
    return {
        "status": step.status,
        "step_name": step.step_name,
        "step_type": step.step_type,
        "description": step.description,
        "outputs": tuple(step.outputs),
        "inputs": tuple(step.inputs),
        "detail": tuple(step.detail),
        "result": step.result,
        "progress": (step.done_count, step.total_count),
    }


def step_of(step_id: str, values: dict[str, Value]) -> PlanStep:
    """The step, without children, that says this."""
    step: Any = StepDraft()
    step.step_id, step.expanded, step.children = step_id, None, []
    for name, value in values.items():
        if name == "progress":
            step.done_count, step.total_count = tuple(value)
        else:
            setattr(step, name, list(value) if isinstance(value, tuple) else value)
    step.__class__ = PlanStep
    return step  # type: ignore[no-any-return]  # it has just become one


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
