"""A run of a plan as a language of the driver: what comes next, and what the run comes to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeAlias

from attrs import define, evolve, field, frozen

from planspec_lark.engine.edit_watcher import EditWatcher
from planspec_lark.engine.entries import Branched, Done, Ended, PlanEntry, Reflected
from planspec_lark.engine.failure_handler import FailureHandler
from planspec_lark.engine.inputs import MissingInput, Values
from planspec_lark.engine.models import Effort, Outcome
from planspec_lark.engine.replanner import Replanner
from planspec_lark.engine.run_state import RunState
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.engine.scheduler import RunAgenda
from planspec_lark.engine.step_runner import StepRunner
from planspec_lark.planspec.agenda import NextAction, StepState
from planspec_lark.planspec.data_flow import Order
from planspec_lark.planspec.models import OPEN, PlanSpec, PlanStatus, PlanStep, iter_steps
from planspec_lark.runs.driver import STOPPED, CallOutcome, End, Question, Work
from planspec_lark.runs.entries import Entry
from planspec_lark.syntax.diagnostics import Diagnostic, name_some

__all__ = ["PlanLanguage", "RunResult", "find_missing"]


@frozen
class RunResult:
    """How a run has ended.

    Attributes:
        outcome: in a word.
        reason: in words; empty if the plan has converged.
        run: the run's id in the ledger.
        plan: a copy of the plan.
        outputs: the last value of each output.
        rounds: how many passes through the plan were begun.
        effort: what all calls of the run have spent.
        blocked: ids of blocked steps. They do not matter where all required outputs are there.
        waiting: the id of the step that waits for a person; empty if none does.
        lacking: inputs that blocked steps wait for. Such a step opens again when it has all of them.
        findings: what was found in the plan before a new run began.
    """

    outcome: Outcome
    reason: str
    run: str
    plan: PlanSpec
    outputs: Mapping[str, Any]
    rounds: int
    effort: Effort
    blocked: tuple[str, ...] = ()
    waiting: str = ""
    lacking: tuple[MissingInput, ...] = ()
    findings: tuple[Diagnostic, ...] = ()


# What comes next in a run.
Next: TypeAlias = "Work | Question | PlanEntry | End[RunResult]"


@define(eq=False)
class PlanLanguage:
    """PlanSpec as a language of the driver: what comes next in a run, and what it comes to.

    Attributes:
        required: outputs that have to be there in the end, where the whole plan is run.
        order: what orders steps.
        findings: what was found in the plan before.
    """

    writer: RunWriter
    step_runner: StepRunner
    failure_handler: FailureHandler
    replanner: Replanner
    watcher: EditWatcher
    required: Sequence[str]
    order: Order
    findings: tuple[Diagnostic, ...] = ()
    _is_waiting_for_edit: bool = field(default=False, init=False)
    _agenda: RunAgenda = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._agenda = RunAgenda(self.writer, self.step_runner.values, self.order)

    @property
    def _at_work(self) -> set[str]:
        return self.step_runner.at_work

    # ---------------------------------------------------------------- what is next

    def next(self, _: RunState) -> Next | None:
        """What comes next in the run."""
        if self._at_work:
            return None if self.watcher.is_disturbed() else self._find()
        if self._is_waiting_for_edit:
            return None
        if self.watcher.settle():
            return self._wait_for_edit()
        return self.step_runner.open_again() or self._find()

    def _find(self) -> Next | None:
        found = self._agenda.find(self._at_work)
        if found is not None:
            return self._act(found)
        if self._at_work:
            return None
        return self._wait_for_edit() if self.watcher.settle(at_end=True) else self._end_round()

    def _wait_for_edit(self) -> Work:
        self._is_waiting_for_edit = True
        return Work(self.watcher.wait, self._take_edit, is_free=True)

    def _take_edit(self, outcome: CallOutcome) -> list[PlanEntry]:
        self._is_waiting_for_edit = False
        if outcome.error is not None:
            raise outcome.error
        self.watcher.take_edit()
        return []

    def _act(self, found: StepState) -> Next | None:
        if found.lacks:
            return self.step_runner.block(found.step, found.why, lacks=found.lacks)
        acts: dict[NextAction | None, Callable[[PlanStep], Next]] = {
            NextAction.CLOSE: self.step_runner.close,
            NextAction.REFLECT: self.failure_handler.reflect,
            NextAction.PLAN: self.replanner.plan_children,
        }
        act = acts.get(found.todo)
        return self._begin(found.step) if act is None else act(found.step)

    def _begin(self, step: PlanStep) -> Next | None:
        found = self.step_runner.begin(step)
        if found is None:
            return None if self._at_work else self._wait_for_person(step)
        return found

    def _wait_for_person(self, step: PlanStep) -> End[RunResult]:
        named = f" ({step.step_name})" if step.step_name else ""
        return self._end(Outcome.WAITING, f"step {step.step_id}{named} waits for a person", step.step_id)

    # ---------------------------------------------------------------- what has happened

    def fold(self, state: RunState, entry: Entry) -> RunState:
        """The same state, after this has happened."""
        assert isinstance(entry, PlanEntry)
        self.writer.fold(entry)
        is_done = isinstance(entry, Done | Branched) or (isinstance(entry, Reflected) and entry.decision == "ACCEPT")
        if is_done and (step := self.writer.find(entry.step)) is not None:
            self.step_runner.values.add(step)
        return state

    def tell(self, _: RunState, __: Entry) -> None:
        """The writer has told of it."""

    def stop(self, _: RunState, why: str) -> End[RunResult]:
        """A budget is used up, or it was asked to stop."""
        return self._end(Outcome.STOPPED if why == STOPPED else Outcome.BUDGET, why)

    # ---------------------------------------------------------------- rounds

    def _end_round(self) -> Work | End[RunResult]:
        """The run ends here, or another round begins."""
        why = self._why_not()
        state, replanner = self.writer.state, self.replanner
        if not why:
            return self._end(Outcome.CONVERGED, "")
        if replanner.planner is None:
            return self._end(Outcome.BLOCKED, why)
        if state.renewing is not None and not self.writer.scope:
            found = replanner.renew(state.renewing)
        elif state.round_end == self.writer.digest:
            found = "neither the planner nor the last round has changed anything"
        elif not replanner.limits.can_begin_round():
            found = f"{state.round} rounds are over"
        else:
            found = replanner.change(why)
        return self._end(Outcome.BLOCKED, f"{why}; {found}") if isinstance(found, str) else found

    def _why_not(self) -> str:
        """What keeps the plan from having converged."""
        why, missing = [], self.replanner.missing()
        root, blocked = self.writer.root, self._find_blocked()
        required = root.outputs if isinstance(root, PlanStep) else self.required
        if blocked and (missing or not required):
            why.append(f"steps are blocked: {name_some([step.step_id for step in blocked])}")
        elif not blocked and any(step.status in OPEN for step in iter_steps(root)):
            why.append("steps are pending that cannot be reached")
        if missing:
            why.append(f"outputs are missing: {', '.join(missing)}")
        return "; ".join(why)

    def _find_blocked(self) -> list[PlanStep]:
        return [step for step in iter_steps(self.writer.root) if step.status is PlanStatus.BLOCKED]

    def _end(self, outcome: Outcome, reason: str, waiting: str = "") -> End[RunResult]:
        writer, state = self.writer, self.writer.state
        blocked = self._find_blocked()
        step_ids = [step.step_id for step in blocked]
        result = RunResult(
            outcome,
            reason,
            writer.run,
            deepcopy(writer.plan),
            {},
            state.round,
            state.effort,
            tuple(step_ids),
            waiting,
            tuple(lack for step in blocked for lack in self._lacks(step)),
            self.findings,
        )
        return End(result, Ended(outcome=outcome.value, reason=reason, blocked=step_ids, waiting=waiting))

    def ended(self, entry: Ended) -> RunResult:
        """What the run has come to that another process has ended so."""
        return self.complete(self._end(Outcome(entry.outcome), entry.reason, entry.waiting).result)

    def complete(self, result: RunResult) -> RunResult:
        """What the run has come to, with all outputs, once its end is written."""
        writer = self.writer
        if writer.file is None:
            # Who gets the plan now may edit it, as well as the one that it was made of.
            writer.write_view()
        return evolve(result, outputs=writer.ledger.values(writer.run, self.step_runner.values.outputs()))

    def _lacks(self, step: PlanStep) -> Iterator[MissingInput]:
        """What a blocked step lacks."""
        for name in self.writer.state.lacking.get(step.step_id, ()):
            if not self.step_runner.values.are_there((name,), step):
                producer = self._agenda.find_lack(name, step)
                yield MissingInput(step.step_id, name, producer.step_id if producer else "")


def find_missing(values: Values, writer: RunWriter, required: Sequence[str]) -> tuple[str, ...]:
    """The outputs that what is run has to produce and has not: those a subtask declares, or those that are required."""
    root = writer.root
    if isinstance(root, PlanStep):
        return values.missing_below(root)
    return tuple(name for name in required if not values.has(name))
