"""Answers of a planner that hold steps: read, checked, and numbered for the plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attrs import evolve, frozen

from planspec_lark.answers.extract import Extraction, extract_plan
from planspec_lark.engine.models import EngineLimits
from planspec_lark.planspec.check import locate
from planspec_lark.planspec.models import OPEN, PlanSpec, PlanStatus, PlanStep, hash_of, iter_steps
from planspec_lark.planspec.tree import fit_ids
from planspec_lark.syntax.diagnostics import Diagnostic, has_errors, in_order

__all__ = ["GeneratedPlan", "read_children", "read_new_plan"]


@frozen
class GeneratedPlan:
    """What a planner has written.

    Attributes:
        plan: its steps are what was asked for; statuses are as they are written.
        diagnostics: what is wrong; errors make it unusable.
    """

    plan: PlanSpec
    diagnostics: list[Diagnostic]

    @property
    def is_usable(self) -> bool:
        """Whether nothing in it is an error."""
        return not has_errors(self.diagnostics)


def read_new_plan(text: str, limits: EngineLimits, *, finish_reason: str = "") -> GeneratedPlan:
    """A whole plan in a planner's answer. Never raises on any text.

    Args:
        text: the answer.
        limits: how many steps there may be.
        finish_reason: why the model stopped, as for :func:`planspec_lark.extract_plan`.
    """
    # Its goal is not the planner's concern.
    found = extract_plan(text, goal="-", finish_reason=finish_reason, name="<plan>")
    return _check(found, found.plan.steps, limits)


def read_children(
    text: str, container: PlanStep, names: Iterable[str], limits: EngineLimits, *, finish_reason: str = ""
) -> GeneratedPlan:
    """The steps for a container in a planner's answer, with ids below it. Never raises on any text.

    Ids may be those below the container, or count from 1; the container itself may be above them. They are numbered
    again, after the children that the container has.

    Args:
        text: the answer.
        container: where the steps go.
        names: of the plan's other steps.
        limits: how many steps there may be.
        finish_reason: why the model stopped.
    """
    scan = extract_plan(text, below=container.step_id, finish_reason=finish_reason, name="<steps>")
    steps = scan.plan.steps
    if len(steps) == 1 and _is_same_place(steps[0], container):
        steps = steps[0].children
    # What stays of the container is in the plan already, and planners like to repeat it.
    kept = {child.step_id: hash_of(child) for child in container.children}
    steps = [step for step in steps if not _is_repeated(step, kept.get(step.step_id))]
    taken = set(names)
    found = _check(scan, steps, limits)
    for step in iter_steps(PlanSpec(steps=list(steps))):
        if step.step_name in taken:
            found.diagnostics.append(_fault("PE304", f"the plan already has a step `{step.step_name}`", scan, step))
    if found.is_usable:
        for step in steps:
            # An id that fits nowhere is numbered after those that are there.
            was = step.step_id
            for below in iter_steps(step):
                below.step_id = f"0{below.step_id.removeprefix(was)}"
        fit_ids(evolve(container, children=[*container.children, *steps]))
    return found


def _is_same_place(step: PlanStep, container: PlanStep) -> bool:
    return (step.step_id, step.step_type) == (container.step_id, container.step_type) and bool(step.children)


def _is_repeated(step: PlanStep, kept: str | None) -> bool:
    return kept is not None and (step.status not in OPEN or hash_of(step) == kept)


def _check(scan: Extraction, steps: Sequence[PlanStep], limits: EngineLimits) -> GeneratedPlan:
    # That there are no steps is said below.
    holds = [one for one in scan.holds if one.code != "PS201"]
    diagnostics = in_order([*holds, *(one.diagnostic for one in scan.repairs)])
    total = 0
    for step in iter_steps(PlanSpec(steps=list(steps))):
        total += 1
        if step.total_count is not None and step.total_count > limits.max_loop:
            message = f"a loop of {step.total_count:,} rounds: a loop may have at most {limits.max_loop:,}"
            diagnostics.append(_fault("PE303", message, scan, step))
    if not total:
        help = "write steps such as `1. [act] Text → output`, below a line `## Steps`"
        diagnostics.append(Diagnostic("PE301", "the answer has no steps", help=help))
    if total > limits.max_steps:
        message = f"{total:,} steps: an answer may have at most {limits.max_steps:,}"
        diagnostics.append(Diagnostic("PE302", message))
    return GeneratedPlan(PlanSpec(scan.plan.title, steps=list(steps)), diagnostics)


def _fault(code: str, message: str, scan: Extraction, step: PlanStep) -> Diagnostic:
    found = Diagnostic(code, f"step {step.step_id}: {message}", step_id=step.step_id)
    return next(iter(locate([found], scan.scan.positions)))


def make_pending(steps: Iterable[PlanStep], done: frozenset[str] = frozenset()) -> None:
    """What a planner says of the status of steps does not count, but for those that are known to be done."""
    for step in iter_steps(PlanSpec(steps=list(steps))):
        # Without a total, what counts no round would be no loop.
        step.done_count = min(step.done_count, 1) if step.total_count is None else 0
        if step.step_id not in done:
            step.status, step.result = PlanStatus.PENDING, ""
