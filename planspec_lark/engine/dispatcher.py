"""Where the holder of a run puts calls for all processes that work on it, and waits for what comes of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from time import monotonic

from attrs import define, field

from planspec_lark.engine.models import FatalError, OperatorResult, StepCall
from planspec_lark.engine.run_state import RunState
from planspec_lark.engine.work_texts import read_outcome, write_call
from planspec_lark.runs.driver import ReturnedError
from planspec_lark.runs.owner import Owner
from planspec_lark.runs.work_table import WorkLedger, WorkNews

__all__ = ["Dispatcher", "LeftError"]

# Seconds between two looks at outcomes, at first and after many in vain; and between two at who has ended.
_SOON, _LATE, _CENSUS = 0.01, 0.2, 1.0
# How many calls wait for a process, at least and at most; in between, as many as are at work.
_FEWEST, _MOST = 4, 64


class LeftError(FatalError):
    """This process can make no calls any more, and so leaves the run to others. No step has failed."""


@define(eq=False)
class Dispatcher:
    """Calls of a run that are waited for: one question to the ledger is about all of them.

    It is the :class:`~planspec_lark.runs.driver.Capacity` of the run's driver as well, which grows as calls are taken.

    Attributes:
        ledger, run, holder: where the calls are, and who has the lease of the run.
        state: what has happened in the run.
        check: raises what keeps this process from working on.
    """

    ledger: WorkLedger
    run: str
    holder: Owner
    state: RunState
    check: Callable[[], None]
    # By key: what is waited for, what is to be put there, and steps and tries of what was handed on.
    _waited: dict[str, tuple[StepCall, asyncio.Future[OperatorResult]]] = field(factory=dict, init=False)
    _new: dict[str, str] = field(factory=dict, init=False)
    _handed_on: dict[str, tuple[str, int]] = field(factory=dict, init=False)
    _most: int = field(default=_FEWEST, init=False)
    _fault: BaseException | None = field(default=None, init=False)
    _poll: asyncio.Task[None] | None = field(default=None, init=False)
    _is_called: asyncio.Event = field(factory=asyncio.Event, init=False)
    _has_grown: asyncio.Event = field(factory=asyncio.Event, init=False)
    _next_census: float = field(default=0.0, init=False)

    def keep_running(self) -> None:
        """Keep the calls that the log has as under way, also from an earlier holder, and no others."""
        self.ledger.adopt_work(self.run, self.holder, [running.key for running in self.state.running.values()])

    # ---------------------------------------------------------------- the driver's capacity

    def limit(self) -> int:
        """How many calls may be under way: those that are at work, and some more."""
        return self._most

    async def wait_for_more(self) -> None:
        """Wait until that is more."""
        await self._has_grown.wait()
        self._has_grown.clear()

    # ---------------------------------------------------------------- calls

    async def make(self, call: StepCall) -> OperatorResult:
        """Have a call made by whichever process takes it; raises what its operator does."""
        if self._fault is not None:
            raise self._fault
        future = asyncio.get_running_loop().create_future()
        self._waited[call.key], self._new[call.key] = (call, future), write_call(call)
        if self._poll is None:
            self._poll = asyncio.create_task(self._keep_looking())
        self._is_called.set()
        try:
            return await future  # type: ignore[no-any-return]  # of what read_outcome gives
        finally:
            # Where the run is left, the call stays: who continues the run gets its outcome.
            self._waited.pop(call.key, None)

    async def _keep_looking(self) -> None:
        seconds = _SOON
        try:
            while True:
                seconds = _SOON if self._look() else min(2 * seconds, _LATE)
                self._is_called.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._is_called.wait(), seconds)
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            self._fault = error
            for _, future in self._waited.values():
                _end(future, error)

    def _look(self) -> bool:
        """Exchange calls and outcomes; says whether there was anything new."""
        self._check()
        ended = [key for key in self._handed_on if self._is_written(key)]
        if self._new or ended:
            self.ledger.put_work(self.run, self.holder, self._new, ended)
        is_new = bool(self._new)
        self._new.clear()
        for key in ended:
            del self._handed_on[key]
        news = self.ledger.hear_of_work(self.run, self.holder, [*self._waited.keys() - self._handed_on.keys()])
        self._hand_on(news)
        self._take_census()
        return is_new or bool(news.outcomes)

    def _check(self) -> None:
        try:
            self.check()
        except Exception as error:
            raise LeftError(str(error)) from error

    def _is_written(self, key: str) -> bool:
        """Whether the log has what came of a call: until then, who continues the run needs it here."""
        step_id, tries = self._handed_on[key]
        running = self.state.running.get(step_id)
        return running is None or running.key != key or running.tries > tries

    def _hand_on(self, news: WorkNews) -> None:
        for key, text in news.outcomes.items():
            call, future = self._waited[key]
            running = self.state.running.get(call.step.step_id)
            self._handed_on[key] = call.step.step_id, 0 if running is None else running.tries
            _end(future, read_outcome(text))
        if news.is_stopped and news.free:
            for key in self.ledger.withdraw_work(self.run, self.holder):
                if key in self._waited:
                    _end(self._waited[key][1], ReturnedError())
        before, self._most = self._most, news.taken + min(max(_FEWEST, news.taken), _MOST)
        if self._most > before or news.is_stopped:
            self._has_grown.set()

    def _take_census(self) -> None:
        """Now and then: what processes have left that have ended is free, and what is gone is put there again."""
        if monotonic() < self._next_census:
            return
        self.ledger.free_lost_work(self.run)
        lost = self._waited.keys() - self._handed_on.keys() - self.ledger.find_work(self.run)
        self._new |= {key: write_call(self._waited[key][0]) for key in lost}
        self._next_census = monotonic() + _CENSUS


def _end(future: asyncio.Future[OperatorResult], outcome: OperatorResult | BaseException) -> None:
    if future.done():
        return
    if isinstance(outcome, BaseException):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)
