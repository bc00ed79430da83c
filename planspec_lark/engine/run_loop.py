"""The loop of a run: what comes next is done, until nothing is left or a person or a new budget is waited for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from attrs import define, field, frozen

from planspec_lark.awaitables import FIRST, Pause, Turn, Work
from planspec_lark.engine.edit_watcher import EditWatcher
from planspec_lark.engine.failure_handler import FailureHandler
from planspec_lark.engine.inputs import MissingInput, Values
from planspec_lark.engine.models import Effort, Outcome
from planspec_lark.engine.replanner import Replanner
from planspec_lark.engine.run_limits import OutOfBudget
from planspec_lark.engine.run_rules import ForPerson
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.engine.scheduler import RunAgenda
from planspec_lark.engine.step_runner import ActiveStep, StepRunner
from planspec_lark.planspec.agenda import NextAction, Order
from planspec_lark.planspec.models import OPEN, PlanSpec, PlanStatus, PlanStep, iter_steps
from planspec_lark.runs.ledger import RecordKind
from planspec_lark.syntax.diagnostics import Diagnostic, name_some

__all__ = ["RunLoop", "RunResult", "find_missing"]


@frozen
class RunResult:
    """How a run has ended.

    Attributes:
        outcome: in a word.
        reason: in words; empty where the plan has converged.
        run: the run's id in the ledger.
        plan: a copy of the plan as it is.
        outputs: the last value of each output.
        rounds: how many passes through the plan were begun.
        effort: what was spent, in this call and all before.
        blocked: ids of the steps that are blocked. A plan whose required outputs are all there has converged with them.
        waiting: the id of the step that waits for a person; empty unless that is the outcome.
        lacking: the inputs that blocked steps wait for. Such a step opens again when all that it lacks is there.
        findings: what a check has found in the plan before the run began; nothing where an earlier one is continued.
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


@define(eq=False)
class RunLoop:
    """A run that is at work.

    Attributes:
        required: outputs that have to be there in the end, where the whole plan is run.
        jobs: how many steps may be at work at a time.
        order: what orders them.
        findings: what was found in the plan before.
    """

    writer: RunWriter
    step_runner: StepRunner
    failure_handler: FailureHandler
    replanner: Replanner
    watcher: EditWatcher
    required: Sequence[str]
    jobs: int
    order: Order
    findings: tuple[Diagnostic, ...] = ()
    _agenda: RunAgenda = field(init=False)
    _at_work: dict[Work | Pause, ActiveStep] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        self._agenda = RunAgenda(self.writer, self.step_runner.values, self.order)

    def run(self) -> Turn[RunResult]:
        """Do all that comes next, up to the end of the run."""
        try:
            reason = None
            while reason is None:
                reason = yield from self._advance()
        except (OutOfBudget, ForPerson) as stop:
            # Those that wait for another try keep waiting.
            while any(isinstance(work, Work) for work in self._at_work):
                yield from self._end_first()
            waiting = stop.step_id if isinstance(stop, ForPerson) else ""
            return self._end(Outcome.WAITING if waiting else Outcome.BUDGET, str(stop), waiting)
        return self._end(Outcome.BLOCKED if reason else Outcome.CONVERGED, reason)

    def _advance(self) -> Turn[str | None]:
        """Do what comes next (None), or say why the run ends here ("" where it has converged)."""
        if not self._at_work:
            yield from self.watcher.settle()
            if self.step_runner.open_again():
                return None
        elif self.watcher.is_disturbed() or not self._has_room():
            yield from self._end_first()
            return None
        found = self._agenda.find({begun.step.step_id for begun in self._at_work.values()})
        if found is not None and found.lacks:
            self.step_runner.block(found.step, found.why, lacks=found.lacks)
        elif found is not None:
            yield from self._act(found.step, found.todo)
        elif self._at_work:
            yield from self._end_first()
        else:
            yield from self.watcher.settle(at_end=True)
            return (yield from self._end_round()) if self._agenda.find(()) is None else None
        return None

    # ---------------------------------------------------------------- steps

    def _has_room(self) -> bool:
        """Whether another step may be at work beside those that are."""
        running = sum(isinstance(work, Work) for work in self._at_work)
        return len(self._at_work) < self.jobs and self.step_runner.limits.allows_beside(running)

    def _begin(self, step: PlanStep) -> Turn[None]:
        begun = self.step_runner.begin(step)
        if begun is not None:
            self._at_work[begun.work] = begun
            with self.writer.telemetry.at_work(step.step_id):
                yield begun.work

    def _end_first(self) -> Turn[None]:
        """Wait for the first of the steps that are at work."""
        ended = yield FIRST
        self.step_runner.end(self._at_work.pop(ended.work), ended)

    def _act(self, step: PlanStep, todo: NextAction | None) -> Turn[None]:
        if todo is NextAction.OPEN:
            self.step_runner.open(step)
        elif todo is NextAction.CLOSE:
            self.step_runner.close(step)
        elif todo is NextAction.REFLECT:
            yield from self.failure_handler.reflect(step)
        elif todo is NextAction.PLAN:
            yield from self.replanner.plan_children(step)
        else:
            yield from self._begin(step)

    # ---------------------------------------------------------------- rounds

    def _end_round(self) -> Turn[str | None]:
        """Say why the run ends here ("" where it has converged), or begin another round (None)."""
        why = self._why_not()
        state, replanner = self.writer.state, self.replanner
        if not why or replanner.planner is None:
            return why
        if state.renewing is not None and not self.writer.scope:
            refused = yield from replanner.renew(state.renewing)
        elif state.round_end == self.writer.digest:
            return f"{why}; neither the planner nor the last round has changed anything"
        elif not replanner.limits.can_begin_round():
            return f"{why}; {state.round} rounds are over"
        else:
            refused = yield from replanner.change(why)
        return f"{why}; {refused}" if refused else None

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

    def _end(self, outcome: Outcome, reason: str, waiting: str = "") -> RunResult:
        writer, values, state = self.writer, self.step_runner.values, self.writer.state
        blocked = self._find_blocked()
        step_ids = [step.step_id for step in blocked]
        writer.note(RecordKind.ENDED, outcome=outcome.value, reason=reason, blocked=step_ids)
        if writer.file is None:
            # The caller who gets the plan now may edit it, as well as the one that it was made of.
            writer.write_view()
        return RunResult(
            outcome,
            reason,
            writer.run,
            deepcopy(writer.plan),
            writer.ledger.values(writer.run, values.outputs()),
            state.round,
            state.effort,
            tuple(step_ids),
            waiting,
            tuple(lack for step in blocked for lack in self._lacks(step)),
            self.findings,
        )

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
