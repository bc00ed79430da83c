"""What a run would do first, without doing any of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy

from attrs import frozen

from planspec_lark.engine.models import OperatorResult, StepCall, StepPolicy
from planspec_lark.engine.resume import EditedSteps
from planspec_lark.engine.run_state import RunState
from planspec_lark.engine.run_writer import ThinkEvent
from planspec_lark.engine.scheduler import is_loop
from planspec_lark.engine.think import ThinkEngine
from planspec_lark.planspec.models import CONTAINER_TYPES, OPEN, PlanSpec, PlanStatus, PlanStep, hash_of
from planspec_lark.planspec.tree import iter_with_parents
from planspec_lark.runs.ledger import Ledger, RecordKind, RunInfo
from planspec_lark.runs.sqlite_ledger import MemoryLedger

__all__ = ["InputSource", "PlannedStep", "preview", "preview_resumed"]


@frozen
class InputSource:
    """Where an input comes from.

    Attributes:
        steps: ids of the steps before that produce it; of several, the last one that was done counts.
        is_given: whether the run is given it, for the case that no step produces it.
    """

    steps: tuple[str, ...] = ()
    is_given: bool = False

    @property
    def is_missing(self) -> bool:
        """Whether there is no such value."""
        return not (self.steps or self.is_given)


@frozen
class PlannedStep:
    """A step that is to be done.

    Attributes:
        step: the step.
        sources: where each declared input comes from.
        is_planning: whether the planner has to write steps below it first.
    """

    step: PlanStep
    sources: Mapping[str, InputSource]
    is_planning: bool


def preview(plan: PlanSpec, given: Collection[str] = (), state: RunState | None = None) -> list[PlannedStep]:
    """The steps that a run of this plan would do, in their order, if all of them go well.

    Of a decide step all branches are listed, as it is not known yet which one applies, unless it has chosen before.

    Args:
        plan: the plan as it is.
        given: names of values that the run is given.
        state: of the run that would be resumed. Without one a new run begins, which knows no outputs of finished steps.
    """
    state = state or RunState()
    found: list[PlannedStep] = []
    outputs: dict[str, tuple[str, ...]] = {}
    going = (*OPEN, PlanStatus.DONE)
    for step, _ in iter_with_parents(plan, lambda step: step.status in going):
        if step.status not in going:
            continue
        if step.status in OPEN and _is_work(step, state):
            sources = {name: InputSource(outputs.get(name, ()), name in given) for name in step.inputs}
            found.append(PlannedStep(step, sources, _needs_steps(step, state)))
        for name in _outputs(step, state):
            outputs[name] = (*outputs.get(name, ()), step.step_id)
    return found


def _outputs(step: PlanStep, state: RunState) -> Collection[str]:
    """The outputs that a step has, or will have."""
    if step.status in OPEN:
        return () if step.children else dict.fromkeys(step.outputs)
    finished = state.finished.get(step.step_id)
    return finished.outputs if finished is not None and finished.hash == hash_of(step) else ()


def _is_work(step: PlanStep, state: RunState) -> bool:
    """Whether a person is asked about the step itself."""
    if not step.children:
        return True
    return step.step_id in state.unplanned or (step.step_type == "decide" and step.step_id not in state.chosen)


def _needs_steps(step: PlanStep, state: RunState) -> bool:
    is_bare = step.step_type in CONTAINER_TYPES and not is_loop(step, state) and not step.children
    return is_bare or step.step_id in state.unplanned


# ---------------------------------------------------------------- a resumed run

# What a resumed run does before it does anything else.
_CATCHING_UP = (RecordKind.RESUMED, RecordKind.KEPT, RecordKind.RERUN, RecordKind.OPENED)


class _Copy(MemoryLedger):
    """A copy that is written to in place of a ledger, which knows what was shown."""

    def __init__(self, ledger: Ledger) -> None:
        super().__init__()
        self._shown = ledger

    def views(self, run: str) -> Sequence[str]:
        """The texts that the file may have."""
        return self._shown.views(run)

    def has_view(self, run: str, digest: str) -> bool:
        """Whether there was such a text."""
        return self._shown.has_view(run, digest)


class _Seen(Exception):  # noqa: N818  (it is no error)
    """All has been seen that there is to see before the first call."""


def preview_resumed(
    plan: PlanSpec, ledger: Ledger, info: RunInfo, given: Collection[str] = (), edited: EditedSteps = EditedSteps.ASK
) -> list[PlannedStep]:
    """The steps that the last run of a plan would do if it continued now. The ledger is only read.

    Args:
        plan: as its file says it.
        ledger: of the plan.
        info: the run.
        given: names of values that the run is given now.
        edited: what becomes of finished steps whose text was edited.

    Raises:
        EditedError, LedgerError, PlanRunError: as by the run itself.
    """
    copy = _Copy(ledger)
    copy.begin(info)
    for record in ledger.records(info.run):
        copy.append(info.run, record, after=record.seq - 1)
    seen = [deepcopy(plan)]

    def look(event: ThinkEvent) -> None:
        if event.kind not in _CATCHING_UP:
            raise _Seen
        seen[:] = [deepcopy(event.plan)]

    # The engine itself knows best how it continues; it is stopped before it does anything else.
    with suppress(_Seen):
        # What is given now may be what a blocked step lacked; the values do not matter.
        inputs = dict.fromkeys(given)
        policy = StepPolicy(max_pause=0)
        ThinkEngine(plan, _refuse, inputs=inputs, edited=edited, on_event=look, ledger=copy, step_policy=policy).run(
            resume=True
        )
    state, names = RunState(), {*info.inputs, *given}
    *records, _ = copy.records(info.run)
    for record in records:
        state.take(record)
        names |= set(record.data.get("inputs", ()))
    return preview(seen[0], names, state)


def _refuse(_: StepCall) -> OperatorResult:
    raise _Seen
