"""Runs a tool plan: opens its ledger, and lets the driver call what is ready, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from functools import partial
from logging import getLogger
from pathlib import Path
from typing import Any, TypedDict, Unpack

from attrs import field, frozen
from attrs.validators import in_

from planspec_lark.awaitables import ignore
from planspec_lark.json_text.findings import to_diagnostics
from planspec_lark.runs.driver import Driver
from planspec_lark.runs.entries import Entry, EntryTypes, RunLog
from planspec_lark.runs.ledger import Ledger, LedgerError, RecordKind, check_name
from planspec_lark.runs.limits import Budget, StepPolicy
from planspec_lark.runs.sqlite_ledger import MemoryLedger, SqliteLedger
from planspec_lark.runs.telemetry import RunTelemetry, telling
from planspec_lark.syntax.safe_text import visible_name
from planspec_lark.syntax.source import Source
from planspec_lark.tool_runner.callables import Call, find_caller
from planspec_lark.tool_runner.language import ToolLanguage, ToolState
from planspec_lark.tool_runner.results import StepResult, StepStarted, ToolRun
from planspec_lark.toolplan.interchange import ToolPlanError, tool_plan_to_dict
from planspec_lark.toolplan.models import Registry, ToolPlan
from planspec_lark.toolplan.rules import Plan
from planspec_lark.toolplan.validation import examine_plan

__all__ = ["ToolRunOptions", "arun_toolplan", "run_toolplan"]

# The run of a ledger that has the calls, unless it is called otherwise; and what its first record says it is of.
RUN = "toolplan"

_LOG = getLogger("planspec_lark.tool_runner")
_Registry = Registry | Mapping[str, Any] | list[Any]
_Driver = Driver[ToolState, ToolRun]


@frozen(kw_only=True)
class _Begun(Entry):
    """A run begins: the first one of a ledger, or a later one."""

    runner: str = field(validator=in_((RUN,)))
    description: str = ""


_ENTRIES = EntryTypes("a tool plan", {_Begun: [RecordKind.BEGUN], StepResult: [RecordKind.DONE, RecordKind.FAILED]})


class ToolRunOptions(TypedDict, total=False):
    """How a tool plan is run.

    Attributes:
        jobs: how many calls there are at a time, by default 4.
        policy: how long a call may take, and how often it is tried; or what says so for each tool, by atom id.
        budget: how much the run may spend; its ``steps`` are calls of tools. The steps that are left are ``pending``.
        limits: by atom id, how many calls of this tool there are at a time.
        pause: asked before each call; the run ends where it says so, once the calls that are at work have ended.
        ledger: keeps what is done: a ledger, or the path of one, which is made if need be. A later run with it calls no
            step again that is done and has the same definition and the same inputs. What is passed from step to step is
            JSON then.
        run_id: the run of the ledger that has the steps, where a ledger has those of several plans.
        on_event: told of each call and each result, in the thread of the caller.
        dry_run: call nothing and write nothing. Results say what would be called, in which wave, with which inputs.
    """

    jobs: int
    policy: StepPolicy | Callable[[str], StepPolicy]
    budget: Budget
    limits: Mapping[str, int]
    pause: Callable[[], bool]
    ledger: Ledger | Path | str | None
    run_id: str
    on_event: Callable[[StepStarted | StepResult], None]
    dry_run: bool


def run_toolplan(plan: ToolPlan, registry: _Registry, call: Call, **options: Unpack[ToolRunOptions]) -> ToolRun:
    """Call the tools of a plan, several at a time in threads, each once all that its step depends on is done.

    A step has failed if its callable raises an exception, takes too long, or does not give all outputs that its tool
    declares; the steps that depend on it are skipped, and all others continue. A callable that takes too long is
    cancelled if it is asynchronous. A thread cannot be stopped, so its
    :func:`~planspec_lark.cancellation.stop_event` is set, and soon nobody waits for it any more.

    Other exceptions, such as KeyboardInterrupt, end the run once the callables that are at work have ended; so do
    :class:`~planspec_lark.runs.FatalError` and whatever ``on_event`` raises.

    Args:
        plan: the plan.
        registry: the tools: a model, definitions by id, or a list of them.
        call: callables by atom id, which get the inputs by name as a dict; or one callable, which gets the atom id
            first. They return the outputs by name.
        options: see :class:`ToolRunOptions`.

    Returns:
        The outcome of each step.

    Raises:
        ToolPlanError: there are errors in the plan.
        ToolRunError: a tool has no callable.
        RunBusyError: another process is at work with the ledger.
        LedgerError: the ledger cannot be used.
        RuntimeError: this is called where an event loop runs already.
    """
    with _opened(plan, registry, call, **options) as driver:
        return driver.run("arun_toolplan()")


async def arun_toolplan(plan: ToolPlan, registry: _Registry, call: Call, **options: Unpack[ToolRunOptions]) -> ToolRun:
    """As :func:`run_toolplan`, in the running event loop; other callables run in threads.

    To cancel it cancels the callables that are at work; those in threads it waits for.
    """
    with _opened(plan, registry, call, **options) as driver:
        return await driver.arun()


@contextmanager
def _opened(  # noqa: PLR0913  (all but three are keywords)
    plan: ToolPlan,
    registry: _Registry,
    call: Call,
    *,
    jobs: int = 4,
    policy: StepPolicy | Callable[[str], StepPolicy] = StepPolicy(),  # noqa: B008  (it is frozen)
    budget: Budget = Budget(),  # noqa: B008  (as well)
    limits: Mapping[str, int] | None = None,
    pause: Callable[[], bool] = lambda: False,
    ledger: Ledger | Path | str | None = None,
    run_id: str = RUN,
    on_event: Callable[[StepStarted | StepResult], None] = ignore,
    dry_run: bool = False,
) -> Iterator[_Driver]:
    """A run that begins. Nothing is written before all is known to be there."""
    check_name("run_id", run_id)
    checked = _check(plan, registry)
    # A dry run takes no task, and so looks for none.
    find = find_caller(call, () if dry_run else {step.id: None for step in plan.steps})
    with ExitStack() as held:
        opened = held.enter_context(_ledger(ledger, read_only=dry_run))
        log = RunLog(_ENTRIES, run_id, opened, f"run {visible_name(run_id)}", RunTelemetry(_LOG, RUN))
        policy_of = policy if callable(policy) else lambda _: policy
        value = None if opened is None else partial(opened.value, run_id)
        language = ToolLanguage(plan, checked, find, policy_of, value, dry_run, on_event)
        driver = _Driver(language, log, language.begin(), budget, jobs, limits or {}, pause=pause)
        if opened is not None and not dry_run:
            held.enter_context(log.held())
        for entry in log.read():
            driver.state = language.fold(driver.state, entry)
        if not dry_run:
            if opened is not None:
                kind = RecordKind.RESUMED if log.last else RecordKind.BEGUN
                driver.note(_Begun(kind=kind, runner=RUN, description="" if log.last else plan.target))
            log.telemetry = held.enter_context(telling(_LOG, run_id, "toolplan"))
        yield driver


def _check(plan: ToolPlan, registry: _Registry) -> Plan:
    """All that is known of a plan without errors."""
    verdict = examine_plan(tool_plan_to_dict(plan), registry)
    if verdict.errors:
        raise ToolPlanError(to_diagnostics(verdict.errors, None), Source(""))
    return verdict.plan


def _ledger(ledger: Ledger | Path | str | None, *, read_only: bool) -> AbstractContextManager[Ledger | None]:
    """The ledger, or one in the file of this name; where that is only read, it may be missing."""
    if not isinstance(ledger, Path | str):
        return nullcontext(ledger)
    try:
        is_there = Path(ledger).exists()
    except (OSError, ValueError) as error:
        raise LedgerError(f"{visible_name(str(ledger))}: {visible_name(str(error))}") from None
    return closing(SqliteLedger(ledger, read_only=read_only) if is_there or not read_only else MemoryLedger())
