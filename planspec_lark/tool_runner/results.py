"""What comes of running a tool plan, as models."""

from __future__ import annotations

from enum import Enum
from typing import Any

from attrs import field, frozen
from attrs.validators import optional

from planspec_lark.runs.entries import UNKEPT, Entry
from planspec_lark.runs.ledger import RecordKind
from planspec_lark.runs.limits import is_number
from planspec_lark.syntax.diagnostics import PlanSpecError

__all__ = ["StepResult", "StepStarted", "StepStatus", "ToolRun", "ToolRunError"]


class ToolRunError(PlanSpecError):
    """A run that cannot begin or cannot continue; the text says why."""


class StepStatus(str, Enum):
    """The outcome of a step."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    PENDING = "pending"
    PLANNED = "planned"


@frozen(kw_only=True)
class StepStarted(Entry):
    """A tool is being called for a step; ``atom_id`` names it."""

    kind: RecordKind | None = RecordKind.STARTED
    atom_id: str = field(default="", metadata={"name": "description"})


@frozen(kw_only=True)
class StepResult(Entry):
    """The outcome of a step. Times are of the run that has called its tool.

    Attributes:
        step: its name.
        atom_id: its tool.
        status: whether it is done, has failed, was skipped, is still to be done where the run was left before, or, in a
            dry run, would be called.
        wave: the number of the wave in which its turn comes, from 1; 0 in what an earlier run has written.
        outputs: its outputs, by name.
        names: their names.
        error: why it has failed, was skipped or is still to be done; safe to show.
        because: the failed step for which it was skipped.
        warnings: outputs that are of other types than declared; safe to show.
        is_reused: whether the result is that of an earlier run, from the ledger.
        started: when its tool was called, in seconds since 1970 (UTC).
        seconds: how long that took.
        inputs: in a dry run, what would go in; references that are not known yet are as they are written.
    """

    atom_id: str = field(default="", metadata={"name": "description"})
    status: StepStatus = field(metadata=UNKEPT)
    wave: int = field(default=0, metadata=UNKEPT)
    outputs: dict[str, Any] = field(factory=dict)
    names: list[str] = field(factory=list)
    error: str = field(default="", metadata={"name": "result"})
    because: str = field(default="", metadata=UNKEPT)
    warnings: tuple[str, ...] = field(default=(), metadata=UNKEPT)
    is_reused: bool = field(default=False, metadata=UNKEPT)
    started: float | None = field(default=None, validator=optional(is_number))
    seconds: float = field(default=0.0, validator=is_number)
    inputs: dict[str, Any] | None = field(default=None, metadata=UNKEPT)

    @status.default
    def _by_kind(self) -> StepStatus:
        assert self.kind is not None
        return StepStatus(self.kind.value)


@frozen
class ToolRun:
    """A run that has ended.

    Attributes:
        results: the outcome of each step, in the order of the document.
        outputs: the outputs of the plan, as far as the outputs that they refer to are there.
        missing: the names of the other outputs of the plan.
        reason: why the run was left before all steps had their turn, such as its budget; empty if they had.
    """

    results: tuple[StepResult, ...]
    outputs: dict[str, Any]
    missing: tuple[str, ...] = ()
    reason: str = ""

    @property
    def is_done(self) -> bool:
        """Whether all steps are done."""
        return all(one.status is StepStatus.DONE for one in self.results)
