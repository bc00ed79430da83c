"""What a stream says while a plan is being written: events, and what is known of the line that is not complete."""

from __future__ import annotations

from enum import Enum

from attrs import frozen

from planspec_lark.planspec.models import PlanStep
from planspec_lark.syntax.diagnostics import Diagnostic

__all__ = ["PlanEvent", "PlanEventKind", "Provisional"]


class PlanEventKind(str, Enum):
    """What was read, or what is known from now on."""

    TITLE = "title"
    GOAL = "goal"
    GOAL_DETAIL = "goal_detail"
    CONSTRAINT = "constraint"
    STEP = "step"
    INPUTS = "inputs"
    DETAIL = "detail"
    STEP_ENDED = "step_ended"
    FINDING = "finding"
    DRAFT_ENDED = "draft_ended"
    SETTLED = "settled"
    HOPELESS = "hopeless"


@frozen
class PlanEvent:
    """Something that is certain: no text that is still to come takes it back.

    Attributes:
        kind: what it is.
        draft: which plan of the text it belongs to, from 0.
        text: a title, a goal, a constraint, or a detail line of the goal or of a step.
        step_id: of an input or a detail line, its step.
        names: the variables of a line that declares inputs.
        step: a step of its own, without children: what its summary line says, or (at its end) its body as well.
        diagnostic: a finding, or the fault that makes the text hopeless.
    """

    kind: PlanEventKind
    draft: int
    text: str = ""
    step_id: str = ""
    names: tuple[str, ...] = ()
    step: PlanStep | None = None
    diagnostic: Diagnostic | None = None


@frozen
class Provisional:
    """The line that is being written. All of it may change with the next character.

    Attributes:
        text: what there is of it.
        step: the step that it would be if it ended here; None where it would be none, or is too long to try.
    """

    text: str = ""
    step: PlanStep | None = None
