"""What a run would do first, without doing any of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from attrs import frozen

from planspec_lark.engine.desk import OPEN
from planspec_lark.engine.identity import hash_of
from planspec_lark.engine.ledger import Kind, Record
from planspec_lark.engine.order import is_loop
from planspec_lark.engine.resuming import Edited, EditedError, catch_up, find_edits, open_again
from planspec_lark.engine.state import RunState
from planspec_lark.planspec.models import CONTAINER_TYPES, PlanSpec, PlanStatus, PlanStep
from planspec_lark.planspec.printing import serialize_plan
from planspec_lark.planspec.tree import find_step

__all__ = ["Planned", "Source", "catch_up_for_preview", "preview"]


@frozen
class Source:
    """Where an input comes from.

    Attributes:
        steps: ids of the steps before that put it out; of several, the last one that was done counts.
        is_given: whether the run is given it, for the case that no step puts it out.
    """

    steps: tuple[str, ...] = ()
    is_given: bool = False

    @property
    def is_missing(self) -> bool:
        """Whether there is no such value."""
        return not (self.steps or self.is_given)


@frozen
class Planned:
    """A step that is to be done.

    Attributes:
        step: the step.
        sources: where each declared input comes from.
        is_planning: whether the planner has to write steps below it first.
    """

    step: PlanStep
    sources: Mapping[str, Source]
    is_planning: bool


def preview(plan: PlanSpec, given: Collection[str] = (), state: RunState | None = None) -> list[Planned]:
    """The steps that a run of this plan would do, in their order, if all of them go well.

    Of a decide step all branches are listed, as nobody knows yet which one holds, unless it has chosen before.

    Args:
        plan: the plan as it stands.
        given: names of values that the run is given.
        state: of the run that would go on. Without one a new run begins, which knows no outputs of steps that are done.
    """
    state = state or RunState()
    found: list[Planned] = []
    outputs: dict[str, tuple[str, ...]] = {}
    stack = list(reversed(plan.steps))
    while stack:
        step = stack.pop()
        if step.status not in (*OPEN, PlanStatus.DONE):
            continue
        if step.status in OPEN and _is_work(step, state):
            sources = {name: Source(outputs.get(name, ()), name in given) for name in step.inputs}
            found.append(Planned(step, sources, _needs_steps(step, state)))
        for name in _outputs(step, state):
            outputs[name] = (*outputs.get(name, ()), step.step_id)
        stack.extend(reversed(step.children))
    return found


def _outputs(step: PlanStep, state: RunState) -> Collection[str]:
    """What a step is known to put out, or has put out."""
    if step.status in OPEN:
        return () if step.children else dict.fromkeys(step.outputs)
    finished = state.finished.get(step.step_id)
    return finished.outputs if finished is not None and finished.hash == hash_of(step) else ()


def _is_work(step: PlanStep, state: RunState) -> bool:
    """Whether somebody is asked about the step itself."""
    if not step.children:
        return True
    return step.step_id in state.unplanned or (step.step_type == "decide" and step.step_id not in state.chosen)


def _needs_steps(step: PlanStep, state: RunState) -> bool:
    is_bare = step.step_type in CONTAINER_TYPES and not is_loop(step) and not step.children
    return is_bare or step.step_id in state.unplanned


def catch_up_for_preview(plan: PlanSpec, records: Iterable[Record], edited: Edited) -> tuple[PlanSpec, RunState]:
    """The plan and the state with which a run would go on; nothing is written.

    Args:
        plan: as its file says it; it may be changed.
        records: of the run, the oldest first.
        edited: what becomes of finished steps whose text was edited.

    Raises:
        EditedError: finished steps were edited, and nobody has said what becomes of them.
    """
    state = RunState()
    for record in records:
        state.take(record)
    if state.last is None:
        return plan, state
    plan = catch_up(plan, serialize_plan(plan), state.last).plan
    edits = find_edits(plan, state)
    if edits.edited and edited is Edited.ASK:
        raise EditedError([step.step_id for step in edits.edited])
    state.take(Record(Kind.RESUMED, data={"moves": edits.moves}))
    for step in edits.edited:
        if edited is Edited.KEEP:
            state.take(Record(Kind.KEPT, step.step_id, hash_of(step)))
        else:
            _open(plan, step)
    return plan, state


def _open(plan: PlanSpec, step: PlanStep) -> None:
    for below in open_again([step]):
        below.status, below.done_count = PlanStatus.PENDING, 0
    above = step.step_id
    while "." in above:
        above = above.rpartition(".")[0]
        container = find_step(plan, above)
        if container is not None:
            container.status = PlanStatus.ACTIVE
