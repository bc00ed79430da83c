"""What comes of running a tool plan, as models."""

from __future__ import annotations

from enum import Enum
from typing import Any

from attrs import field, frozen

from planspec_lark.syntax.diagnostics import PlanSpecError

__all__ = ["RunEvent", "RunEventKind", "StepResult", "StepStatus", "ToolRun", "ToolRunError"]


class ToolRunError(PlanSpecError):
    """A run that cannot begin or cannot continue; the text says why."""


class StepStatus(str, Enum):
    """What has become of a step."""

    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"
    PENDING = "pending"
    PLANNED = "planned"


@frozen
class StepResult:
    """What has become of a step. Times are of the run that has called its tool.

    Attributes:
        step: its name.
        atom_id: its tool.
        status: whether it is done, has failed, was skipped, is still to be done where the run was left before, or, in a
            dry run, would be called.
        wave: the number of the wave in which its turn comes, from 1.
        outputs: its outputs, by name.
        error: why it has failed, was skipped or is still to be done; safe to show.
        because: the failed step for which it was skipped.
        warnings: outputs that are of other types than declared; safe to show.
        is_reused: whether the result is that of an earlier run, from the ledger.
        started: when its tool was called, in seconds since 1970 (UTC).
        seconds: how long that took.
        inputs: in a dry run, what would go in; references that are not known yet are as they are written.
    """

    step: str
    atom_id: str
    status: StepStatus
    wave: int
    outputs: dict[str, Any] = field(factory=dict)
    error: str = ""
    because: str = ""
    warnings: tuple[str, ...] = ()
    is_reused: bool = False
    started: float | None = None
    seconds: float = 0.0
    inputs: dict[str, Any] | None = None


@frozen
class ToolRun:
    """A run that has ended.

    Attributes:
        results: what has become of each step, in the order of the document.
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

    def find(self, step: str) -> StepResult | None:
        """What has become of the step with this name."""
        return next((one for one in self.results if one.step == step), None)

    def waves(self) -> list[list[StepResult]]:
        """The results by wave: those that may run side by side."""
        waves: list[list[StepResult]] = [[] for _ in range(max((one.wave for one in self.results), default=0))]
        for one in self.results:
            waves[one.wave - 1].append(one)
        return waves


class RunEventKind(str, Enum):
    """What a watcher is told: that a tool is being called, or what has become of a step."""

    STARTED = "started"
    ENDED = "ended"


@frozen
class RunEvent:
    """Something that has happened. ``result`` is there where a step has ended; what it holds is not to be changed."""

    kind: RunEventKind
    step: str
    atom_id: str
    result: StepResult | None = None
