"""A plan as pydantic models, with the same fields and the same limits as the package's own models."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Plan", "Step"]

_LINE = r"[^\x00-\x08\x0a-\x1f\x7f]"
_EDGE = r"[^\x00-\x20\x7f]"
_WORD = "[A-Za-z_][A-Za-z0-9_]*"
_NUMBER = "(?:0|[1-9][0-9]{0,8})"

Text = Annotated[str, Field(pattern=rf"^(?:{_EDGE}(?:{_LINE}*{_EDGE})?)?$")]
Line = Annotated[str, Field(pattern=rf"^{_LINE}*$")]
Variable = Annotated[str, Field(pattern=f"^{_WORD}$")]
Count = Annotated[int, Field(ge=0, le=999_999_999)]


class Status(str, Enum):
    """Where a step stands."""

    PENDING = "pending"
    ACTIVE = "active"
    DONE = "done"
    BLOCKED = "blocked"
    SKIPPED = "skipped"


class Step(BaseModel):
    """One step."""

    model_config = ConfigDict(extra="forbid")

    step_id: Annotated[str, Field(pattern=rf"^{_NUMBER}(?:\.{_NUMBER})*$")]
    step_name: Annotated[str, Field(pattern=r"^[\w-]*$")] = ""
    step_type: Annotated[str, Field(pattern=f"^(?:{_WORD})?$")] = ""
    description: Text = ""
    inputs: list[Variable] = []
    outputs: list[Variable] = []
    detail: list[Line] = []
    result: Text = ""
    status: Status = Status.PENDING
    done_count: Count = 0
    total_count: Count | None = None
    children: list[Step] = []


class Plan(BaseModel):
    """A whole plan."""

    model_config = ConfigDict(extra="forbid")

    grammar: Text = ""
    title: Text = ""
    goal: Text = ""
    goal_detail: list[Line] = []
    constraints: list[Text] = []
    steps: list[Step] = []
