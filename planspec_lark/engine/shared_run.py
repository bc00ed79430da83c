"""One run, several processes: one holds its lease and writes its log, and all of them make its calls."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import partial
from operator import call as call_it
from typing import Any

from attrs import evolve, field, frozen

from planspec_lark.awaitables import ignore
from planspec_lark.cancellation import stop_event
from planspec_lark.engine.dispatcher import Dispatcher, LeftError
from planspec_lark.engine.entries import Ended
from planspec_lark.engine.language import RunResult
from planspec_lark.engine.models import Operator, Outcome, StepCall, StepPolicy
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.engine.step_runner import policy_of
from planspec_lark.engine.think import ThinkEngine
from planspec_lark.engine.worker import Worker, working
from planspec_lark.runs.ledger import FencedError, Ledger, RunBusyError
from planspec_lark.runs.work_table import WorkLedger

__all__ = ["share_run"]

# Seconds between two looks at a run that another process holds.
_LOOK = 0.5
# Threads of what the holder calls itself: it asks one at a time, and calls for others take none.
_THREADS = 4


def share_run(database: str, run: str, operator: Operator, *, jobs: int = 1, **options: Any) -> RunResult:
    """Work on a run beside other processes until it has ended; see :func:`~planspec_lark.engine.continue_run`."""
    runner = options.pop("runner", call_it)
    with closing(WorkLedger(database)) as ledger:
        newest = next(ledger.records(run, newest_first=True, limit=1), None)
        since = 0 if newest is None else newest.seq
        own = {"ledger": ledger, "table": ledger, "run_id": run, "since": since}
        engine = SharedEngine(None, operator, **{**options, **own, "jobs": jobs})
        worker = Worker(
            ledger, run, partial(runner, operator), engine.step_policy, jobs, engine.limits.max_output_bytes
        )
        with working(worker) as service:
            engine = evolve(engine, check=service.check)
            while True:
                service.check()
                try:
                    return engine.hold()
                except _EndedElsewhereError as error:
                    return error.result
                except LeftError:
                    service.check()
                except (RunBusyError, FencedError):
                    stop_event().wait(_LOOK)


class _EndedElsewhereError(Exception):
    """The run has ended while another process held it."""

    def __init__(self, result: RunResult) -> None:
        super().__init__()
        self.result = result


@frozen
class SharedEngine(ThinkEngine):
    """An engine whose calls are made by all processes that work on the run.

    Attributes:
        table: the ledger once more, with its table of work.
        since: the number of the record that was the last one before this process began.
        check: raises what keeps this process from working on.
    """

    table: WorkLedger = field(kw_only=True)
    since: int = field(kw_only=True)
    check: Callable[[], None] = field(default=ignore, kw_only=True)

    def hold(self) -> RunResult:
        """Hold the run until it has ended.

        Raises:
            RunBusyError, FencedError: another process holds it, or has taken it over.
            _EndedElsewhereError: it has ended since this process began.
            All else: as :meth:`ThinkEngine.run`.
        """
        with self._begun(None, resume=True, is_run=True) as writer:
            assert writer.lease is not None
            dispatcher = Dispatcher(self.table, writer.run, writer.lease.owner, writer.state, self.check)
            dispatcher.keep_running()
            language = self._language(writer)
            language.step_runner.operator = dispatcher.make
            language.step_runner.policy = partial(_policy_of_holder, self.step_policy)
            driver = self._driver(language)
            driver.jobs, driver.capacity = _THREADS, dispatcher
            result = language.complete(driver.run("asyncio.to_thread(continue_run, …)"))
            # What was stopped, and ends all the same, counts when the run is continued.
            dispatcher.keep_running()
            return result

    def _writer(self, given: Any, ledger: Ledger, run: str, *, resume: bool) -> RunWriter:
        writer = super()._writer(given, ledger, run, resume=resume)
        last = writer.state.last
        if isinstance(last, Ended) and last.seq > self.since:
            if last.outcome != Outcome.STOPPED.value:
                # Who has ended it may have been one that shares nothing.
                self.table.clear_work(run)
            raise _EndedElsewhereError(self._language(writer).ended(last))
        return writer


def _policy_of_holder(given: StepPolicy | Callable[[StepCall], StepPolicy], call: StepCall) -> StepPolicy:
    """What is left to the holder: who makes a call says what its errors mean, and limits it, from when it is taken."""
    return evolve(policy_of(given, call), timeout=None, retry_on=())
