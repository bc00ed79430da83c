"""The engine: runs a plan step by step, reflects on what fails, and plans again what does not end."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, nullcontext, suppress
from copy import copy, deepcopy
from functools import cached_property, partial
from operator import call
from pathlib import Path
from typing import Any

from attrs import evolve, field, fields, frozen
from attrs.validators import ge, in_, instance_of, is_callable, or_

from planspec_lark.awaitables import ignore
from planspec_lark.cancellation import stop_event
from planspec_lark.document.file import LeasedPlan, PlanBusyError, PlanEditedError, PlanFile
from planspec_lark.engine.dependents import find_dependents
from planspec_lark.engine.edit_watcher import EditWatcher
from planspec_lark.engine.entries import Begun, Resumed
from planspec_lark.engine.failure_handler import Ask, FailureHandler
from planspec_lark.engine.inputs import Values
from planspec_lark.engine.language import PlanLanguage, RunResult, find_missing
from planspec_lark.engine.models import (
    Budget,
    EngineLimits,
    Operator,
    OperatorResult,
    Planner,
    Reflector,
    Runner,
    StepCall,
    StepPolicy,
)
from planspec_lark.engine.persons import check_answer, finish
from planspec_lark.engine.replanner import Replanner
from planspec_lark.engine.resume import EditedSteps, is_of_plan, last_plan_run, reopen, replay
from planspec_lark.engine.run_limits import RunLimits
from planspec_lark.engine.run_rules import PlanRunError, check_persons, check_runnable, check_subtask, find_doubts
from planspec_lark.engine.run_state import RunState
from planspec_lark.engine.run_writer import LOG, RunWriter, ThinkEvent
from planspec_lark.engine.step_runner import StepRunner, check_keys
from planspec_lark.planspec.data_flow import ORDERS, Order
from planspec_lark.planspec.models import PlanSpec, PlanStep, iter_steps
from planspec_lark.planspec.parser import GRAMMAR_VERSION, parse_plan
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.runs.driver import Driver, check_limits
from planspec_lark.runs.lease import LEASE_SECONDS, VIEW_PAUSE, hold_lease
from planspec_lark.runs.ledger import Ledger, LedgerError, RecordKind, RunBusyError, RunInfo, is_name
from planspec_lark.runs.sqlite_ledger import MemoryLedger, ledger_path, open_ledger
from planspec_lark.runs.telemetry import telling, trace_at_hand
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["ThinkEngine", "finish_step", "no_operator", "reopen_steps", "run_plan"]


# Seconds between two looks at a plan or a run that another process has.
_LOOK = 0.05
_BEGINNINGS = (RecordKind.BEGUN, RecordKind.RESUMED)
_DECLARED: Any = fields(PlanStep).inputs


def _to_plan(value: object) -> PlanSpec | PlanFile | None:
    if value is None or isinstance(value, (PlanSpec, PlanFile)):
        return value
    return PlanFile(Path(value))  # type: ignore[arg-type]  # Path says what it takes


def _to_names(what: str, value: Sequence[str]) -> tuple[str, ...]:
    if isinstance(value, str):
        raise TypeError(f"{what}: expected names, not one text")
    return tuple(value)


def _to_required(value: Sequence[str]) -> tuple[str, ...]:
    return _to_names("required", value)


def _to_persons(value: Sequence[str]) -> tuple[str, ...]:
    return _to_names("persons", value)


def _to_person_types(value: Sequence[str]) -> tuple[str, ...]:
    return _to_names("person_types", value)


@frozen
class _Given:
    """The text of a plan, which is read on demand, and the file that it is in."""

    text: str
    name: str
    file: LeasedPlan | None = None

    @cached_property
    def plan(self) -> PlanSpec:
        """A plan that can be run."""
        plan = parse_plan(self.text, name=self.name)
        check_runnable(plan)
        return plan


@frozen
class ThinkEngine:
    """Runs a plan.

    Args:
        plan: a plan, which is not changed; or a file or its path, which shows the state of the run. Beside the file are
            its ledger (``.ledger``) and, during a run, its lease (``.lock``). None continues the last run of a ledger.
        operator: does a step. An exception is a failure of the step, except
            :class:`~planspec_lark.engine.models.FatalError`.
        reflector: decides about a step that is not OK; without one it is blocked.
        planner: changes the plan after a round, and writes steps; without one a run ends after its first round.
        ask: asks a person a question; None means no answer.
        inputs: values by name, such as JSON can hold.
        required: outputs that the run is for. Once all are there, blocked steps do not matter.
        limits: what keeps the run from continuing for ever.
        step_policy: time limit and tries of a step; or a function that gives them for each call.
        budget: how much one call of ``run`` may spend.
        edited: what becomes of finished steps whose text was edited between two runs.
        persons: names of steps that a person does. A run ends before one, and continues after :meth:`finish`.
        person_types: types of steps that a person does, such as "act" where the operator can only answer with a text.
        on_event: told of everything that happens.
        jobs: how many steps may be at work at a time. A step begins once its declared inputs are there; one that
            declares none waits for all before it.
        resources: how many steps may use each resource at a time; :class:`~planspec_lark.runs.limits.StepPolicy` says
            what a step ``uses``.
        order: "text": a step that declares no inputs waits for all before it; "data": only declared inputs count.
        view_pause: least seconds between two writes of the plan's file; 0 writes each change. The ledger has everything
            at once.
        ledger: where the run is kept; by default beside the file, or else in memory.
        runner: calls the operator. One that runs steps elsewhere knows the work by the call's ``key``.
        run_id: of a new run, or of the run to resume; by default a random one, or the last one.
        run_name: what a new run is called in the ledger.

    An exception of a reflector, a planner or an ``ask`` ends the run; it can be resumed later.
    """

    plan: PlanSpec | PlanFile | None = field(converter=_to_plan)
    operator: Operator
    reflector: Reflector | None = None
    planner: Planner | None = None
    ask: Ask | None = field(default=None, kw_only=True)
    inputs: Mapping[str, Any] = field(factory=dict, kw_only=True)
    required: Sequence[str] = field(default=(), converter=_to_required, kw_only=True)
    limits: EngineLimits = field(factory=EngineLimits, validator=instance_of(EngineLimits), kw_only=True)
    step_policy: StepPolicy | Callable[[StepCall], StepPolicy] = field(
        factory=StepPolicy, validator=or_(instance_of(StepPolicy), is_callable()), kw_only=True
    )
    budget: Budget = field(factory=Budget, validator=instance_of(Budget), kw_only=True)
    edited: EditedSteps = field(default=EditedSteps.ASK, converter=EditedSteps, kw_only=True)
    persons: Sequence[str] = field(default=(), converter=_to_persons, kw_only=True)
    person_types: Sequence[str] = field(default=(), converter=_to_person_types, kw_only=True)
    on_event: Callable[[ThinkEvent], None] = field(default=ignore, kw_only=True)
    jobs: int = field(default=1, validator=[instance_of(int), ge(1)], kw_only=True)
    resources: Mapping[str, int] = field(factory=dict, validator=check_limits, kw_only=True)
    order: Order = field(default="text", validator=in_(ORDERS), kw_only=True)
    view_pause: float = field(default=VIEW_PAUSE, validator=ge(0), kw_only=True)
    ledger: Ledger | None = field(default=None, kw_only=True)
    runner: Runner = field(default=call, kw_only=True)
    run_id: str = field(default="", validator=is_name, kw_only=True)
    run_name: str = field(default="", validator=is_name, kw_only=True)

    def run(self, *, resume: bool = False) -> RunResult:
        """Run the plan until it has converged, nothing is left that can be done, or a budget is used up.

        Args:
            resume: continue the last run, or begin the first one. Without it, a new run begins: done steps stay done,
                but their outputs are not known.

        Raises:
            PlanRunError: the plan has faults, or there is neither a plan nor a run.
            EditedStepsError: finished steps were edited.
            PlanBusyError: another process runs the plan.
            PlanFileError: the file cannot be read or written, or was edited meanwhile.
            LedgerError: the ledger cannot be read or written.
            PlanSyntaxError: the file holds no plan.
            RuntimeError: a callable is asynchronous, and an event loop runs already.
        """
        return self._drive(None, resume, "arun()")

    async def arun(self, *, resume: bool = False) -> RunResult:
        """As :meth:`run`, for asynchronous callables; others are called in a thread.

        A thread cannot be cancelled: cancelling waits for what is at work, unless it is cancelled a second time. A
        :class:`~planspec_lark.llm.Program` is killed.
        """
        return await self._adrive(None, resume)

    def run_subtask(self, step_id: str, *, resume: bool = False) -> RunResult:
        """As :meth:`run`, for one subtask and what is below it; the rest of the plan stays as it is.

        The outputs that the subtask declares are required. Commands can change only what is below it.

        Args:
            step_id: the id of a subtask.
            resume: continue the last run, if there is one. Without it, the outputs of done steps are not known.

        Raises:
            PlanRunError: there is no such subtask, or as for :meth:`run`, as all else.
        """
        return self._drive(step_id, resume, "arun_subtask()")

    async def arun_subtask(self, step_id: str, *, resume: bool = False) -> RunResult:
        """As :meth:`run_subtask`, for asynchronous callables; see :meth:`arun`."""
        return await self._adrive(step_id, resume)

    def _drive(self, subtask: str | None, resume: bool, instead: str) -> RunResult:
        with self._begun(subtask, resume=resume, is_run=True) as writer:
            language = self._language(writer)
            return language.complete(self._driver(language).run(instead))

    async def _adrive(self, subtask: str | None, resume: bool) -> RunResult:
        with ExitStack() as held:
            writer = await self._wait_to_begin(held, subtask, resume=resume)
            language = self._language(writer)
            return language.complete(await self._driver(language).arun())

    async def _wait_to_begin(self, held: ExitStack, subtask: str | None, *, resume: bool) -> RunWriter:
        """Begin as soon as no other process runs the plan; the loop goes on meanwhile, as that run may be in it."""
        if not isinstance(self.plan, PlanFile):
            return held.enter_context(self._begun(subtask, resume=resume, is_run=True))
        at_once = copy(self.plan)
        at_once.wait = 0
        engine, until = evolve(self, plan=at_once), time.monotonic() + self.plan.wait
        while True:
            try:
                return held.enter_context(engine._begun(subtask, resume=resume, is_run=True))
            except (PlanBusyError, RunBusyError) as error:
                # A new run that finds another one of its id is not begun twice.
                is_over = isinstance(error, RunBusyError) and not resume
                if is_over or time.monotonic() >= until:
                    raise
            await asyncio.sleep(_LOOK)

    def reopen(self, *step_ids: str, dependents: bool = False) -> PlanSpec:
        """Have steps of the last run done again, with all below them; the steps around them are open again.

        A plan that is set back only in its file may look as it did earlier in the run, and is then brought up to date.

        Args:
            step_ids: the steps, by id or name.
            dependents: reopen the finished steps too that use their outputs, and so on.

        Returns:
            A copy of the plan.

        Raises:
            PlanRunError: there is no such step, or no run.
            All else: as for :meth:`run`.
        """
        with self._begun(None, resume=True) as writer:
            _reopen_all(writer, step_ids, dependents=dependents)
            return deepcopy(writer.plan)

    def finish(
        self, step_id: str, result: str = "", outputs: Mapping[str, Any] | None = None, *, branch: str = ""
    ) -> PlanSpec:
        """Mark a step of the last run as done by a person, with its outputs.

        A done step gets other outputs; steps that used the old ones stay as they are. A ``decide`` step becomes active:
        the run does its branch next.

        Args:
            step_id: of a ``reason``, ``act`` or ``decide`` step; or its name.
            result: in words; an empty one keeps what is there.
            outputs: a value for each declared output, such as JSON can hold; for a ``decide`` step, what its branches
                produce may be left out.
            branch: for a ``decide`` step, the id or name of the child to take; the others are skipped.

        Returns:
            A copy of the plan.

        Raises:
            PlanRunError: there is no such step or run, or these are not its outputs or its branch.
            All else: as for :meth:`run`.
        """
        with self._begun(None, resume=True) as writer:
            step = _find_step(writer, step_id)
            check_answer(step, outputs or {}, branch, self.limits.max_output_bytes)
            finish(writer, step, result, outputs or {}, branch)
            return deepcopy(writer.plan)

    # ---------------------------------------------------------------- beginning

    def begin(self) -> str:
        """Write the beginning of a run into the ledger, so that it can be resumed; gives its id.

        A beginning that was cut off is finished; a run with this ``run_id`` that has begun is left as it is.

        Raises:
            PlanSpecError: what :meth:`run` raises before the first step.
        """
        until = time.monotonic() + LEASE_SECONDS
        while True:
            ledger, is_known = self.ledger, self._is_known()
            if ledger is not None and is_known and ledger.count(self.run_id):
                return self.run_id
            try:
                with self._begun(None, resume=is_known, is_beginning=True) as writer:
                    return writer.run
            except RunBusyError:
                # Another process is about to write this beginning, unless it dies.
                if stop_event().wait(_LOOK) or time.monotonic() >= until:
                    raise
            except LedgerError:
                if is_known or not self._is_known():
                    raise
                # Another process has begun the same run at this very moment.

    def _is_known(self) -> bool:
        """Whether the ledger that was given has the run that was named."""
        return self.ledger is not None and bool(self.run_id) and self.ledger.find_run(self.run_id) is not None

    @contextmanager
    def _begun(
        self,
        subtask: str | None,
        *,
        resume: bool,
        is_run: bool = False,
        is_beginning: bool = False,
        look: Callable[[str], object] = ignore,
    ) -> Iterator[RunWriter]:
        with ExitStack() as held:
            given = self._load(held, look)
            file = None if given is None else given.file
            # Where there is nothing to resume, a run of a plan begins.
            begins = is_run and given is not None
            resume = resume and not (begins and self._has_no_ledger(file))
            # Of a plan that cannot be run, or that was never run, no ledger is made.
            if given is not None and not resume:
                self._check(given.plan, subtask, is_run=is_run)
            ledger = self._open_ledger(held, file, resume=resume)
            if resume and begins and self._last_run(ledger) is None:
                resume = False
            run = self._find_run(ledger) if resume else self._add_run(ledger)
            writer: RunWriter

            def write() -> None:
                writer.write_view()

            beside = hold_lease(
                ledger,
                run,
                write=None if file is None else write,
                pause=self.view_pause,
                # The process that may write the file is the only one at work, whatever an older lease says. A ledger
                # from elsewhere may have writers elsewhere.
                takes_over=file is not None and self.ledger is None,
                wait=self.plan.wait if isinstance(self.plan, PlanFile) else 0,
            )
            # First: what others are at work on need not be read.
            lease = held.enter_context(beside)
            writer = self._writer(given, ledger, run, resume=resume)
            writer.lease = lease
            # A text that is as the run has left it need not be read.
            plan = None if given is None or given.text == writer.text.text else given.plan
            if plan is None and file is not None and [*ledger.views(run)][:1] == [writer.text.text]:
                writer.leave_shown()
            self._check(plan or writer.plan, subtask, is_run=is_run)
            if is_run:
                about = partial(_about, ledger, run)
                writer.telemetry = held.enter_context(telling(LOG, run, "plan", about))
            if writer.state.last is None:
                # An edit made since it was loaded is merged before the first step, as any other.
                with suppress(PlanEditedError) if is_run else nullcontext():
                    writer.write_view()
                inputs = self._take_inputs() if resume else {}
                writer.note(Begun(grammar=GRAMMAR_VERSION, inputs=inputs, trace=trace_at_hand()))
            elif not is_beginning:
                self._watcher(writer).take_plan(plan, Resumed, inputs=self._take_inputs(), trace=trace_at_hand())
            writer.scope = subtask or ""
            yield writer

    def _load(self, held: ExitStack, look: Callable[[str], object]) -> _Given | None:
        """The plan as it was given. A file is kept from other writers, and its text shown to ``look``."""
        if self.plan is None:
            return None
        if isinstance(self.plan, PlanSpec):
            return _Given(serialize_plan(self.plan), "<plan>")
        file = held.enter_context(self.plan.leased())
        given = _Given(file.load(), str(self.plan.path), file)
        look(given.text)
        return given

    def _open_ledger(self, held: ExitStack, file: LeasedPlan | None, *, resume: bool) -> Ledger:
        if self.ledger is not None:
            return self.ledger
        if file is None:
            return MemoryLedger()
        if resume and self._has_no_ledger(file):
            raise _no_run()
        return held.enter_context(closing(open_ledger(file.path)))

    def _has_no_ledger(self, file: LeasedPlan | None) -> bool:
        """Whether a ledger would have to be made first."""
        return self.ledger is None and (file is None or not ledger_path(file.path).exists())

    def _check(self, plan: PlanSpec, subtask: str | None, *, is_run: bool) -> None:
        """Raises PlanRunError where a plan has not the steps that are named."""
        if subtask is not None:
            check_subtask(plan, subtask)
        if is_run:
            check_persons(plan, self.persons)

    def _find_run(self, ledger: Ledger) -> str:
        """The run to resume."""
        info = self._last_run(ledger)
        if info is None:
            raise _no_run()
        return info.run

    def _last_run(self, ledger: Ledger) -> RunInfo | None:
        return ledger.find_run(self.run_id) if self.run_id else last_plan_run(ledger)

    def _add_run(self, ledger: Ledger) -> str:
        """A new run."""
        if self.plan is None:
            raise PlanRunError("there is no plan to begin with")
        run = self.run_id or secrets.token_hex(8)
        ledger.begin(RunInfo(run, time.time(), self._take_inputs(), self.run_name))
        return run

    def _writer(self, given: _Given | None, ledger: Ledger, run: str, *, resume: bool) -> RunWriter:
        """The writer of a run: of a new one, or of one that has records."""
        file = None if given is None else given.file
        if resume:
            if not is_of_plan(ledger, run):
                raise PlanRunError(f"the run {run!r} is not that of a plan: it was begun by another kind of program")
            past = replay(ledger, run)
            if past.state.last is not None:
                return RunWriter(past.plan, past.state, ledger, run, file, self.on_event, past.snapped)
        if given is None:
            raise PlanRunError("there is no plan to begin with")
        return RunWriter(given.plan, RunState(), ledger, run, file, self.on_event)

    def _watcher(self, writer: RunWriter) -> EditWatcher:
        name = str(self.plan.path) if isinstance(self.plan, PlanFile) else "<plan>"
        return EditWatcher(writer, self.edited, name)

    def _take_inputs(self) -> dict[str, Any]:
        try:
            given = dict(self.inputs)
            taken: dict[str, Any] = json.loads(json.dumps(given, allow_nan=False))
            json.dumps(taken, ensure_ascii=False).encode()
            check_keys(given)
        except (TypeError, ValueError, RecursionError) as error:
            raise PlanRunError(f"inputs: {error}") from None
        try:
            # No step can declare any other name.
            _DECLARED.validator(None, _DECLARED, [*taken])
        except ValueError as error:
            raise PlanRunError(str(error)) from None
        return taken

    def _driver(self, language: PlanLanguage) -> Driver[RunState, RunResult]:
        writer = language.writer
        ask = language.failure_handler.ask_person
        return Driver(language, writer, writer.state, self.budget, self.jobs, self.resources, ask)

    def _language(self, writer: RunWriter) -> PlanLanguage:
        info = writer.ledger.find_run(writer.run)
        assert info is not None
        values = Values(writer, {**info.inputs, **writer.state.inputs})
        limits = RunLimits(writer, self.limits)
        operator = partial(self.runner, self.operator)
        step_runner = StepRunner(writer, values, operator, limits, self.step_policy, self.persons, self.person_types)
        is_new = isinstance(writer.state.last, Begun)
        return PlanLanguage(
            writer,
            step_runner,
            FailureHandler(writer, step_runner, limits, self.reflector, self.ask),
            Replanner(writer, step_runner, limits, self.planner, partial(find_missing, values, writer, self.required)),
            self._watcher(writer),
            self.required,
            self.order,
            tuple(find_doubts(writer.plan, values.given)) if is_new else (),
        )


def _no_run() -> PlanRunError:
    return PlanRunError("there is no run to resume")


def _about(ledger: Ledger, run: str) -> tuple[str, str]:
    """What a run is called, and the trace of who was at work on it before."""
    info = ledger.find_run(run)
    last = next(ledger.records(run, kinds=_BEGINNINGS, newest_first=True, limit=1), None)
    return "" if info is None else info.name, "" if last is None else str(last.data.get("trace", ""))


# ---------------------------------------------------------------- without a run


def reopen_steps(
    file: PlanFile,
    find: Callable[[str], Iterable[str]],
    *,
    dependents: bool = False,
    ledger: Ledger | None = None,
    run: str = "",
) -> list[str]:
    """Have steps of a plan that has been run done again; see :meth:`ThinkEngine.reopen`.

    Args:
        file: the plan's.
        find: gives the ids of the steps. It is given the text of the plan, when no other writer can change it any more;
            what it raises leaves the plan and its ledger as they are.
        dependents: as for :meth:`ThinkEngine.reopen`.
        ledger: that of its runs; by default the one beside the file.
        run: which run; by default the last one of the ledger.

    Returns:
        What was done, a sentence for each step.

    Raises:
        As :meth:`ThinkEngine.reopen`.
    """
    step_ids: list[str] = []
    engine = ThinkEngine(file, no_operator, ledger=ledger, run_id=run)
    with engine._begun(None, resume=True, look=lambda text: step_ids.extend(find(text))) as writer:
        opened = _reopen_all(writer, step_ids, dependents=dependents)
    return [f"step {step_id} is open again" for step_id in opened]


def finish_step(  # noqa: PLR0913  (what a person hands in, and where it is kept)
    file: PlanFile,
    find: Callable[[str], PlanStep],
    outputs: Mapping[str, Any],
    branch: str = "",
    *,
    ledger: Ledger | None = None,
    run: str = "",
) -> None:
    """Count a step of a plan that has been run as done by a person; see :meth:`ThinkEngine.finish`.

    Args:
        file, ledger, run: as for :func:`reopen_steps`.
        find: gives the step with its result, as ``find`` of :func:`reopen_steps` gives ids.
        outputs, branch: as for :meth:`ThinkEngine.finish`.

    Raises:
        As :meth:`ThinkEngine.finish`.
    """
    found: list[PlanStep] = []
    engine = ThinkEngine(file, no_operator, ledger=ledger, run_id=run)

    def look(text: str) -> None:
        found.append(find(text))
        # What is refused leaves no trace in the ledger.
        check_answer(found[0], outputs, branch, engine.limits.max_output_bytes)

    with engine._begun(None, resume=True, look=look) as writer:
        finish(writer, _find_step(writer, found[0].step_id), found[0].result, outputs, branch)


def _reopen_all(writer: RunWriter, step_ids: Iterable[str], *, dependents: bool) -> list[str]:
    """Reopen steps; gives their ids."""
    opened = [*dict.fromkeys(_find_step(writer, named).step_id for named in step_ids)]
    if dependents:
        opened += find_dependents(writer.plan, opened)
    # All are looked for before any of them is changed.
    for step in [_find_step(writer, step_id) for step_id in opened]:
        reopen(writer, step)
    return opened


def _find_step(writer: RunWriter, named: str) -> PlanStep:
    """The step with this id or name."""
    step = writer.find(named)
    if step is None and named:
        step = next((one for one in iter_steps(writer.plan) if one.step_name == named), None)
    if step is None:
        raise PlanRunError(f"step {visible_name(named)} does not exist")
    return step


def no_operator(_: StepCall) -> OperatorResult:
    """Stands where nothing is run."""
    raise AssertionError("nothing is run")


# ---------------------------------------------------------------- in one call


def run_plan(
    plan: PlanSpec | PlanFile | str | Path,
    operator: Operator,
    reflector: Reflector | None = None,
    planner: Planner | None = None,
    **options: Any,
) -> RunResult:
    """Run a plan, or continue its last run, until it has converged or nothing is left that can be done.

    A run of a file survives a crash: call it again with the same path, and what is done is not done again.

    >>> from planspec_lark import parse_plan
    >>> plan = parse_plan("Goal: Open\\n## Steps\\n1. [act] Light the oven → heat\\n")
    >>> result = run_plan(plan, lambda call: OperatorResult("OK", "it burns", outputs={"heat": 230}))
    >>> result.outcome.value, result.plan.steps[0].result
    ('converged', 'it burns')

    Args:
        plan: a plan, or its file or path, beside which its ledger lies. Without a file, the run is forgotten when the
            program ends.
        operator: does a step.
        reflector: decides about a step that is not OK.
        planner: changes the plan after a round.
        options: the others of :class:`ThinkEngine`, such as ``inputs``, ``budget`` and ``jobs``.

    Raises:
        PlanRunError: the plan has faults that keep it from being run.
        All else: as :meth:`ThinkEngine.run`.
    """
    return ThinkEngine(plan, operator, reflector, planner, **options).run(resume=True)
