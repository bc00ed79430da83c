"""Calls of a run that this process takes from the table of work, and makes beside whatever else it does."""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from functools import partial
from threading import Event, Thread
from typing import Any

from attrs import define, field, frozen

from planspec_lark.awaitables import FIRST, Pause, Turn, Work, WorkResult, adrive, awaited
from planspec_lark.cancellation import stop_event
from planspec_lark.engine.models import FatalError, Operator, StepCall, StepPolicy, TransientError
from planspec_lark.engine.step_runner import policy_of
from planspec_lark.engine.work_texts import CallReader, write_error, write_value
from planspec_lark.runs.ledger import LedgerError
from planspec_lark.runs.owner import Owner
from planspec_lark.runs.work_table import TakenWork, WorkLedger

__all__ = ["Worker", "working"]

# Seconds between two looks for work, at first and after many in vain.
_SOON, _LATE = 0.01, 0.3
# How often a call may be taken by processes that end without a word: it may be what ends them.
_MOST_TAKES = 5
# Seconds between two renewals of what is at work, and so until it is noticed that it is no longer waited for.
_BEAT = 2.0


class WithdrawnError(Exception):
    """A call is no longer waited for, or another process makes it."""


@frozen
class Worker:
    """Who works, and how.

    Attributes:
        ledger, run: where the work is.
        operator: makes the calls.
        policy: how long a call may take, and which errors ask for another try; or what says so.
        jobs: how many calls may be at work at a time.
        max_output_bytes: of all outputs of a call as JSON.
    """

    ledger: WorkLedger
    run: str
    operator: Operator
    policy: StepPolicy | Callable[[StepCall], StepPolicy]
    jobs: int
    max_output_bytes: int


@define(eq=False)
class _Taken:
    """A call that is at work here."""

    row: TakenWork
    call: StepCall
    policy: StepPolicy
    reader: CallReader
    is_withdrawn: bool = False
    _stop: Event | None = None
    _task: asyncio.Future[Any] | None = None

    def make(self, operator: Operator) -> Any:
        """Call the operator, in a thread of its own or one of some."""
        self._stop = stop_event()
        self._check()
        given = operator(self.call)
        return self._wait(given) if inspect.isawaitable(given) else given

    async def _wait(self, given: Awaitable[Any]) -> Any:
        self._task = asyncio.ensure_future(awaited(given))
        try:
            self._check()
            return await self._task
        except asyncio.CancelledError:
            self._check()
            raise

    def _check(self) -> None:
        if self.is_withdrawn:
            if self._task is not None:
                self._task.cancel()
            raise WithdrawnError("this call is no longer waited for")

    def withdraw(self, loop: asyncio.AbstractEventLoop) -> None:
        """It is no longer waited for: a thread is told to stop, what is asynchronous is cancelled."""
        self.is_withdrawn = True
        if self._stop is not None:
            self._stop.set()
        if self._task is not None:
            loop.call_soon_threadsafe(self._task.cancel)


@define(eq=False)
class _Service:
    """A worker at work: a loop in a thread of its own, and a thread that renews what it has taken."""

    worker: Worker
    fault: BaseException | None = None
    _owner: Owner = field(factory=Owner.new, init=False)
    _at_work: dict[Work | Pause, _Taken] = field(factory=dict, init=False)
    # What came of calls, to be handed in with the next look for work.
    _ended: dict[TakenWork, str] = field(factory=dict, init=False)
    _closed: Event = field(factory=Event, init=False)
    _loop: asyncio.AbstractEventLoop | None = field(default=None, init=False)
    _task: asyncio.Task[None] | None = field(default=None, init=False)

    def check(self) -> None:
        """Raise what has ended the work before its time."""
        if self.fault is not None:
            raise self.fault

    def work(self) -> None:
        """Take and make calls until this is closed."""
        try:
            asyncio.run(self._main())
        except BaseException as error:
            if not (self._closed.is_set() and isinstance(error, asyncio.CancelledError)):
                self.fault = error

    async def _main(self) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        if not self._closed.is_set():
            await adrive(self._turn(), self.worker.jobs)

    def close(self) -> None:
        """Begin nothing new, and tell what is at work to stop."""
        self._closed.set()
        if self._loop is not None and self._task is not None:
            # The loop may have ended by itself.
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._task.cancel)

    def give_back(self) -> None:
        """Hand in what has ended; others make the calls that have not."""
        self.worker.ledger.return_work(self.worker.run, self._owner, self._ended)

    # ---------------------------------------------------------------- calls

    def _turn(self) -> Turn[None]:
        pause, seconds = None, _SOON
        while True:
            room = self.worker.jobs - len(self._at_work)
            if room > 0:
                taken = self._take(room)
                seconds = _SOON if taken else min(2 * seconds, _LATE)
                for one in taken:
                    if one.take <= _MOST_TAKES:
                        yield self._begin(one)
                    else:
                        said = f"{_MOST_TAKES} processes have ended while they made this call"
                        self._ended[one] = write_error(RuntimeError(said), StepPolicy())
            if pause is None and len(self._at_work) < self.worker.jobs:
                pause = Pause(seconds)
                yield pause
            ended: deque[WorkResult] = yield FIRST
            while ended:
                result = ended.popleft()
                if result.work is pause:
                    pause = None
                else:
                    self._end(result)

    def _take(self, room: int) -> list[TakenWork]:
        worker, known = self.worker, [taken.row for taken in self._at_work.values()]
        taken = worker.ledger.take_work(worker.run, self._owner, room, known, self._ended)
        self._ended.clear()
        return taken

    def _begin(self, row: TakenWork) -> Work:
        reader = CallReader(self.worker.ledger, self.worker.run)
        call = reader.read(row.call)
        taken = _Taken(row, call, policy_of(self.worker.policy, call), reader)
        work = Work(partial(taken.make, self.worker.operator), taken.policy.timeout, self._rescue)
        self._at_work[work] = taken
        return work

    def _end(self, ended: WorkResult) -> None:
        """Note what came of a call. Where the operator cannot work at all, others may be able to."""
        taken, error = self._at_work.pop(ended.work), ended.error
        if taken.is_withdrawn:
            return
        is_own = isinstance(error, FatalError) and not isinstance(error, TransientError)
        if error is not None and (is_own or isinstance(error, LedgerError)):
            raise error
        if taken.reader.fault is not None:
            raise taken.reader.fault
        if error is None:
            self._ended[taken.row] = write_value(ended.value, taken.call.step, self.worker.max_output_bytes)
        else:
            self._ended[taken.row] = write_error(error, taken.policy)

    def _rescue(self, ended: WorkResult) -> None:
        """What has come while this is left counts; what fails may have failed by being told to stop."""
        if ended.error is None:
            self._end(ended)

    # ---------------------------------------------------------------- leases

    def beat(self) -> None:
        """Renew what is at work until this is closed."""
        try:
            while not self._closed.wait(_BEAT):
                self._renew()
        except Exception as error:
            self.fault = error
            self.close()

    def _renew(self) -> None:
        # What is taken while this is asked is not there yet.
        at_work = [*self._at_work.values()]
        if not at_work:
            return
        held = self.worker.ledger.renew_work(self.worker.run, self._owner)
        for taken in at_work:
            if (taken.row.key, taken.row.take) not in held and self._loop is not None:
                taken.withdraw(self._loop)


@contextmanager
def working(worker: Worker) -> Iterator[_Service]:
    """Work beside this block. At its end, what is at work is told to stop, and waited for.

    The block has to ask now and then whether that goes well (``check``).
    """
    service = _Service(worker)
    threads = [
        Thread(target=copy_context().run, args=(do,), name="planspec-worker", daemon=True)
        for do in (service.work, service.beat)
    ]
    for thread in threads:
        thread.start()
    try:
        yield service
    finally:
        service.close()
        for thread in threads:
            thread.join()
        # Where the ledger cannot be reached, leases end.
        with suppress(LedgerError):
            service.give_back()
