"""What a run would do first, without doing any of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import deepcopy

from attrs import frozen

from planspec_lark.engine.entries import Kept, Resumed, about
from planspec_lark.engine.resume import EditedSteps, EditedStepsError, catch_up, find_edits, replay
from planspec_lark.engine.run_state import RunState
from planspec_lark.engine.scheduler import StateAgenda
from planspec_lark.planspec.agenda import NextAction, StepState
from planspec_lark.planspec.check import locate
from planspec_lark.planspec.data_flow import Order
from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep, hash_of, iter_steps
from planspec_lark.planspec.parser import scan_strictly
from planspec_lark.planspec.tree import iter_with_parents
from planspec_lark.runs.ledger import Ledger, RunInfo
from planspec_lark.syntax.diagnostics import Diagnostic, shorten

__all__ = ["InputSource", "PlannedStep", "preview", "preview_resumed"]


@frozen
class InputSource:
    """Where an input comes from.

    Attributes:
        steps: ids of the steps that produce it; of several, the last one that was done counts.
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
        why: why it will be blocked instead; empty where it is done.
    """

    step: PlanStep
    sources: Mapping[str, InputSource]
    is_planning: bool
    why: str = ""

    @property
    def missing(self) -> list[str]:
        """Inputs that cannot come: no step brings them, and they are not given."""
        return [name for name, source in self.sources.items() if source.is_missing]


def preview(
    plan: PlanSpec, given: Collection[str] = (), state: RunState | None = None, *, order: Order = "text"
) -> list[PlannedStep]:
    """The steps that a run of this plan would do, or block, if all go well, in their order.

    Of a decide step all branches are listed, as it is not known yet which one applies, unless it has chosen before; of
    a loop, one round.

    Args:
        plan: the plan as it is.
        given: names of values that the run is given.
        state: of the run that would be resumed. Without one a new run begins, which knows no outputs of finished steps.
        order: what orders steps, as for the run.
    """
    rehearsal = _Rehearsal(deepcopy(plan), state or RunState(), order=order, given=given)
    found: list[PlannedStep] = []
    has_changed = True
    while has_changed:
        has_changed = False
        for now in rehearsal.states():
            if now.is_ready or now.lacks:
                has_changed = True
                found += rehearsal.take(now)
            elif has_changed and order == "text":
                # Earlier steps come first again.
                break
    return found


def check_run(text: str, given: Collection[str], *, label: str = "<text>") -> list[Diagnostic]:
    """The inputs that a run of a plan would lack.

    Args:
        text: a plan without errors.
        given: names of values that the run is given.
        label: what diagnostics call the text.
    """
    read = scan_strictly(text, name=label)
    found = [
        Diagnostic(
            "PE401",
            f"step {shorten(one.step.step_id)}: the input `{name}` cannot come: {one.why or 'it has to be given'}",
            step_id=one.step.step_id,
            part="inputs",
            item=one.step.inputs.index(name),
        )
        for one in preview(read.plan, given)
        for name in one.missing
    ]
    return list(locate(found, read.positions))


class _Rehearsal(StateAgenda):
    """A run in which all goes well, on a copy of its plan."""

    def __init__(self, plan: PlanSpec, state: RunState, *, order: Order, given: Collection[str]) -> None:
        super().__init__(plan, state, order=order, given=given)
        self._decided: set[str] = set()
        # By variable, the steps that have produced it.
        self._made: dict[str, list[PlanStep]] = {}
        for step in iter_steps(plan):
            known = state.finished.get(step.step_id)
            if known is not None and step.status is PlanStatus.DONE and known.hash == hash_of(step):
                self._put(step, known.outputs)

    def is_there(self, name: str, step: PlanStep) -> bool:
        return any(self._start(one) < self._start(step) for one in self._made.get(name, ()))

    def todo(self, step: PlanStep) -> NextAction | None:
        found = super().todo(step)
        if found is NextAction.DECIDE and step.step_id in self._decided:
            return None
        return found

    def _put(self, step: PlanStep, names: Iterable[str]) -> None:
        for name in names:
            self._made.setdefault(name, []).append(step)

    def take(self, now: StepState) -> Iterator[PlannedStep]:
        """Let a step be done, or be blocked; gives it where it is work of its own."""
        step, todo = now.step, now.todo
        is_planning, sources = todo is NextAction.PLAN, {name: self._source(name, now) for name in step.inputs}
        if now.lacks:
            step.status = PlanStatus.BLOCKED
            yield PlannedStep(step, sources, is_planning, now.why)
            return
        if todo is NextAction.DECIDE:
            step.status = PlanStatus.ACTIVE
            self._decided.add(step.step_id)
        else:
            is_held = any(child.status is PlanStatus.BLOCKED for child in step.children)
            step.status = PlanStatus.BLOCKED if is_held else PlanStatus.DONE
            if not is_held and not step.children:
                self._put(step, dict.fromkeys(step.outputs))
        if todo is not NextAction.CLOSE:
            yield PlannedStep(step, sources, is_planning)

    def _source(self, name: str, now: StepState) -> InputSource:
        made = [one.step_id for one in self._made.get(name, ()) if self._start(one) < self._start(now.step)]
        if not made and name not in now.lacks:
            # In a loop around both, it is there from the second round on.
            made = [one.step_id for one in self.producers(name) if self._shares_loop(now.step, one)]
        return InputSource(tuple(dict.fromkeys(made)), name in self.given)


# ---------------------------------------------------------------- a resumed run


def preview_resumed(  # noqa: PLR0913  (what a run is given)
    plan: PlanSpec,
    ledger: Ledger,
    info: RunInfo,
    given: Collection[str] = (),
    edited: EditedSteps = EditedSteps.ASK,
    *,
    order: Order = "text",
) -> list[PlannedStep]:
    """The steps that the last run would do if it continued now. The ledger is only read.

    Args:
        plan: as its file says it.
        ledger: of the plan.
        info: the run.
        given: names of values that the run is given now.
        edited: what becomes of finished steps whose text was edited.
        order: what orders steps, as for the run.

    Raises:
        EditedStepsError: finished steps were edited.
        LedgerError: the ledger cannot be read.
    """
    past = replay(ledger, info.run)
    state, now = past.state, past.plan
    merged = catch_up(plan, ledger, info.run, past.plan)
    if merged is not None:
        now = deepcopy(merged[0])
        edits = find_edits(now, past)
        if edits.edited and edited is EditedSteps.ASK:
            raise EditedStepsError([step.step_id for step in edits.edited])
        state.take(Resumed(moves=edits.moves, gone=edits.gone))
        for step in edits.edited:
            if edited is EditedSteps.KEEP:
                state.take(Kept(**about(step)))
            else:
                step.status = PlanStatus.PENDING
    names = {*info.inputs, *state.inputs, *given}
    _open_again(now, state, names)
    return preview(now, names, state, order=order)


def _open_again(plan: PlanSpec, state: RunState, given: set[str]) -> None:
    """What is given now may be what a blocked step lacked: it is open, and what was blocked with it."""
    above: dict[str, PlanStep | None] = {}
    for step, parent in iter_with_parents(plan):
        above[step.step_id] = parent
        if step.status is PlanStatus.BLOCKED and given.issuperset(state.lacking.get(step.step_id) or {""}):
            step.status = PlanStatus.PENDING
            around = parent
            while around is not None and around.status is PlanStatus.BLOCKED:
                around.status = PlanStatus.ACTIVE
                around = above[around.step_id]
