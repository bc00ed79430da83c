"""Steps of a run that a person has done: what these put out has to be what they declare."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planspec_lark.engine.run_rules import PlanRunError, check_leaf
from planspec_lark.engine.run_writer import Patch, RunWriter
from planspec_lark.engine.step_runner import KEPT, brief, find_unspeakable
from planspec_lark.planspec.models import PlanStatus, PlanStep
from planspec_lark.runs.ledger import Kind
from planspec_lark.syntax.diagnostics import quote
from planspec_lark.syntax.source import visible

__all__ = ["check_outputs", "finish"]


def check_outputs(step: PlanStep, outputs: Mapping[str, Any], most: int) -> None:
    """Raises PlanRunError where a person has not put out what a step declares, or more than ``most`` bytes."""
    check_leaf(step)
    fault = find_unspeakable(outputs, most)
    missing = [name for name in dict.fromkeys(step.outputs) if name not in outputs]
    unknown = [name for name in outputs if name not in step.outputs]
    if missing:
        fault = f"declared outputs are missing: {', '.join(missing)}"
    elif unknown:
        # A program may put out more; of a person, it is a slip of the pen.
        fault = f"it does not declare {', '.join(map(quote, unknown))}, but: {', '.join(step.outputs) or 'nothing'}"
    if fault:
        raise PlanRunError(f"step {step.step_id}: {fault}")


def finish(writer: RunWriter, step: PlanStep, result: str, outputs: Mapping[str, Any]) -> None:
    """Note that a person has done a step, with outputs that were checked."""
    writer.note(
        Kind.DONE,
        step,
        patches=[Patch(step, PlanStatus.DONE, brief(result) or None)],
        outputs=outputs,
        result=visible(result[:KEPT]),
        description=step.description,
        names=list(outputs),
        by="person",
    )
