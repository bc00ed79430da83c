"""Steps of a run that a person has done: what comes of these has to be what the plan asks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planspec_lark.engine.entries import Branched, Done, StepPatch, about
from planspec_lark.engine.run_rules import PlanRunError, check_person
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.engine.step_runner import choose, find_output_fault, kept, open_branches
from planspec_lark.planspec.models import PlanStatus, PlanStep, iter_steps
from planspec_lark.syntax.diagnostics import brief, quote

__all__ = ["check_answer", "finish", "own_outputs"]


def own_outputs(step: PlanStep) -> list[str]:
    """The outputs that a step has to produce itself, as no step of its branches does."""
    below = {name for one in iter_steps(step) if one is not step for name in one.outputs}
    return [name for name in dict.fromkeys(step.outputs) if name not in below]


def check_answer(step: PlanStep, outputs: Mapping[str, Any], branch: str, most: int) -> None:
    """Check what a person hands in for a step.

    Args:
        step: the step.
        outputs: what it produces.
        branch: of a decide step, the id or the name of the child that holds.
        most: how many bytes the outputs may have.

    Raises:
        PlanRunError: these are not the outputs that it declares, or not a branch that it has.
    """
    if branch and step.step_type != "decide":
        # Whatever else is wrong with the answer, it is meant for another step.
        raise PlanRunError(f"step {step.step_id} is of type {step.step_type}: it is no decision and has no branches")
    check_person(step)
    if fault := _find_fault(step, outputs, branch, most):
        raise PlanRunError(f"step {step.step_id}: {fault}")


def _find_fault(step: PlanStep, outputs: Mapping[str, Any], branch: str, most: int) -> str:
    if missing := [name for name in own_outputs(step) if name not in outputs]:
        return f"declared outputs are missing: {', '.join(missing)}"
    # A program may produce more; from a person it is a typing error.
    if unknown := [name for name in outputs if name not in step.outputs]:
        return f"it does not declare {', '.join(map(quote, unknown))}, but: {', '.join(step.outputs) or 'nothing'}"
    if step.step_type != "decide" or _find_branch(step, branch):
        return find_output_fault(outputs, most)
    opened = ", ".join(child.step_id for child in open_branches(step))
    known = f"the open branches are {opened}" if opened else "no branch is open any more"
    return f"{quote(branch)} is not one of its branches; {known}" if branch else f"it needs a branch; {known}"


def _find_branch(step: PlanStep, named: str) -> str:
    """The id of the branch that has this id or name; empty if there is none."""
    meant = named.strip()
    found = (one.step_id for one in open_branches(step) if meant and meant in (one.step_id, one.step_name))
    return next(found, "")


def finish(writer: RunWriter, step: PlanStep, result: str, outputs: Mapping[str, Any], branch: str) -> None:
    """Note that a person has done a step, or has chosen a branch, with what was checked."""
    more: dict[str, Any] = {"outputs": outputs, "names": list(outputs), "by": "person"}
    more |= {"result": kept(result), "description": step.description}
    if step.step_type != "decide":
        writer.note(Done(**about(step, StepPatch(step, PlanStatus.DONE, brief(result) or None)), **more))
        return
    meant = _find_branch(step, branch)
    # What is around it was blocked with it.
    above = (one for one in writer.ancestors(step.step_id) if one.status is PlanStatus.BLOCKED)
    patches = [*choose(step, meant, brief(result) or None), *(StepPatch(one, PlanStatus.ACTIVE, "") for one in above)]
    writer.note(Branched(**about(step, *patches), branch=meant, **more))
