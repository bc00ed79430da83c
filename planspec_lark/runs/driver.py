"""One loop for all that runs: what a language says is next is done, within limits, and what comes of it is written.

A language says what its log means, and what is to be done next. All else is here: time limits and tries of calls,
budgets, how much is at work at a time, persons who are asked, threads and event loops.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from contextvars import copy_context
from functools import partial
from threading import current_thread, main_thread
from time import monotonic, time
from typing import Any, Generic, Protocol, TypeVar

from attrs import Attribute, define, evolve, field, frozen
from attrs.validators import ge, instance_of

from planspec_lark import awaitables
from planspec_lark.awaitables import FIRST, OverdueError, Pause, RunningLoopError, Turn, WorkResult, adrive, is_in_loop
from planspec_lark.cancellation import StopEvent, call_until, interrupt_main_thread, stop_event
from planspec_lark.runs.entries import Entry, RunLog
from planspec_lark.runs.ledger import RecordKind
from planspec_lark.runs.limits import Account, Budget, FatalError, StepPolicy, TransientError
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.safe_text import one_line

__all__ = [
    "ONCE",
    "STOPPED",
    "CallOutcome",
    "Capacity",
    "Driver",
    "End",
    "Ended",
    "Language",
    "Postponed",
    "Question",
    "ReturnedError",
    "Work",
    "check_limits",
    "describe",
]

State = TypeVar("State")
Result = TypeVar("Result")

# What raises is not called once more, but ends the run.
ONCE = StepPolicy(max_tries=1)
# So many calls that begin, at most, are one commit: the first of them waits for the last.
_TOGETHER = 32
# Why a run is left that was asked to stop.
STOPPED = "it was asked to stop"


@frozen
class CallOutcome:
    """How a call has ended.

    Attributes:
        value: what it gave.
        error: what it raised.
        started: when it was made, in seconds since 1970.
        seconds: how long it took.
        tries: how often it was made.
    """

    value: Any
    error: Exception | None
    started: float
    seconds: float
    tries: int = 1


@frozen(eq=False)
class Work:
    """A call to make.

    Attributes:
        call: it may give an awaitable.
        end: what has happened with an outcome; what it raises ends the run.
        begun: that the call is being made.
        step: the id of the step, as it is shown.
        step_type: of which type that is.
        asks: what is asked, where a model or a person is. Nothing else is at work then.
        labels: what its span says of what is asked.
        uses: the names of what others may use as well, of which there may be a limited number.
        policy: how long it may take, and how often it is tried.
        tries: how often it was made.
        wait: seconds to wait before it is made.
        is_free: whether no budget counts it, as it is the run's own.
        ask_again: after how many seconds, at least, an outcome asks for another try; None where it does not. By default
            exceptions do, as the policy says.
        postponed: says that it is made once more, after so many seconds.
        rescue: what has happened with an outcome that came while the run was being left; by default what ``end`` says.
    """

    call: Callable[[], Any]
    end: Callable[[CallOutcome], Sequence[Entry]]
    begun: Entry | None = None
    step: str = ""
    step_type: str = ""
    asks: str = ""
    labels: Mapping[str, str] = field(factory=dict)
    uses: tuple[str, ...] = ()
    policy: StepPolicy = field(default=StepPolicy())
    tries: int = 0
    wait: float = 0.0
    is_free: bool = False
    ask_again: Callable[[CallOutcome], float | None] | None = None
    postponed: Callable[[CallOutcome, float], Entry] | None = None
    rescue: Callable[[CallOutcome], Sequence[Entry]] | None = None


@frozen(eq=False)
class Question:
    """What a person has to say before the run can continue; ``end`` is as that of :class:`Work`."""

    step: str
    text: str
    end: Callable[[CallOutcome], Sequence[Entry]]


@frozen
class End(Generic[Result]):
    """The run ends here.

    Attributes:
        result: what the caller gets.
        entry: what is written of that, if anything is.
    """

    result: Result
    entry: Entry | None = None


class ReturnedError(Exception):
    """Raised by a call that was not begun: it is made again when there is room, unless the run is left before."""


class _StopNowError(Exception):
    """What is under way is to end."""


class Capacity(Protocol):
    """How much may be at work at a time, where that changes while a run is at work."""

    def limit(self) -> int:
        """How many calls may be under way now."""

    async def wait_for_more(self) -> None:
        """Wait until there may be room for another one."""


class Language(Protocol[State, Result]):
    """What a language says to the driver."""

    def fold(self, state: State, entry: Entry) -> State:
        """The state after this has happened; it may be the same object."""

    def next(self, state: State) -> Work | Question | Entry | End[Result] | None:
        """What comes next: work, each piece once; what has happened by itself; the end; or None to wait for work."""

    def stop(self, state: State, why: str) -> End[Result]:
        """What a run comes to that is left here, such as by its budget."""

    def tell(self, state: State, entry: Entry) -> None:
        """This has happened, and is written."""


@frozen(kw_only=True)
class Ended(Entry):
    """The run has ended, or is left.

    Attributes:
        outcome: how, in a word.
        reason: why, in words.
    """

    kind: RecordKind | None = RecordKind.ENDED
    outcome: str
    reason: str = ""


@frozen(kw_only=True)
class Postponed(Entry):
    """A call is made once more, after a pause.

    Attributes:
        tries: how often it was made.
        pause: how many seconds to wait.
        result: why.
        status: how it went.
    """

    kind: RecordKind | None = RecordKind.POSTPONED
    tries: int
    pause: float = 0.0
    result: str
    status: str = "FAIL"


def check_limits(_instance: object, attribute: Attribute[Any], value: Mapping[str, int]) -> None:
    """A validator: how many at a time, by name.

    Raises:
        ValueError, TypeError: a number is none from 1 on.
    """
    for name, most in value.items():
        if not isinstance(most, int) or most < 1:
            raise ValueError(f"{attribute.name}: {name}: {most} is not at least 1")


@frozen(eq=False)
class _Call:
    """Work that is under way, and since when: by the calendar and by the clock."""

    work: Work
    started: float = field(factory=time)
    began: float = field(factory=monotonic)

    def outcome(self, ended: WorkResult) -> CallOutcome:
        """How it has ended."""
        return CallOutcome(ended.value, ended.error, self.started, monotonic() - self.began, self.work.tries + 1)


def _never() -> bool:
    return False


@define(eq=False)
class Driver(Generic[State, Result]):
    """A run of a language.

    Attributes:
        language: what is run.
        log: where all is written that happens.
        state: what the log says so far.
        budget: what the run may spend.
        jobs: how many calls may be made at a time.
        limits: by name, how many of these may use it at a time.
        ask: puts a question to a person; without it, the run ends there.
        pause: asked before each call; the run ends where it says so, once all that is at work has ended.
        capacity: how many calls may be made at a time, where that changes. Then ``jobs``, which is more than 1, is the
            number of threads that make them.
    """

    language: Language[State, Result]
    log: RunLog
    state: State
    budget: Budget = field(default=Budget())
    jobs: int = field(default=1, validator=[instance_of(int), ge(1)])
    limits: Mapping[str, int] = field(factory=dict, validator=check_limits)
    ask: Callable[[Question], Any] | None = None
    pause: Callable[[], bool] = _never
    capacity: Capacity | None = None
    _account: Account = field(init=False)
    _at_work: dict[awaitables.Work | Pause, _Call] = field(factory=dict, init=False)
    # Work that waits, by the limited names that it uses.
    _waiting: dict[tuple[str, ...], deque[Work]] = field(factory=dict, init=False)
    # What waits until that is more.
    _watch: awaitables.Work | None = field(default=None, init=False)
    # Set when what is under way is to end, and what waits for that.
    _stopped: StopEvent = field(factory=StopEvent, init=False)
    _stop: awaitables.Work | None = field(default=None, init=False)
    # Calls that are made with the next commit, and what is told with it.
    _begun: list[awaitables.Work] = field(factory=list, init=False)
    _untold: list[tuple[State, Entry]] = field(factory=list, init=False)

    def __attrs_post_init__(self) -> None:
        self._account = Account(self.budget)

    # ---------------------------------------------------------------- threads and loops

    def run(self, instead: str) -> Result:
        """Run to the end, in this thread; several calls at a time are made in others.

        Raises:
            RunningLoopError: that would need an event loop, and one runs already; ``instead`` says what to await.
        """
        with closing(asyncio.Runner()) as runner:
            if self.jobs == 1:
                return self._run_here(runner, instead)
            if is_in_loop():
                raise RunningLoopError(f"an event loop is running already, so await {instead} here")
            return runner.run(self.arun(), context=copy_context())

    def _run_here(self, runner: asyncio.Runner, instead: str) -> Result:
        is_main, is_interrupted = current_thread() is main_thread(), False

        def end() -> None:
            nonlocal is_interrupted
            is_interrupted = is_main
            self._stopped.set()
            if is_main:
                # Nothing else ends what does not look at that.
                interrupt_main_thread()

        try:
            with self._listening(end, self._stopped.set):
                found = call_until(self._stopped, partial(awaitables.drive, self.turn(), runner, instead))
        except KeyboardInterrupt:
            if not is_interrupted:
                raise
            found = self._stop_now()
        except (asyncio.CancelledError, _StopNowError):
            if not self._stopped.is_set():
                raise
            found = self._stop_now()
        return self._finish(found)

    async def arun(self) -> Result:
        """The same in the running event loop. A thread cannot be cancelled, so what is in one is waited for."""
        loop, told = asyncio.get_running_loop(), asyncio.Event()

        def end() -> None:
            self._stopped.set()
            loop.call_soon_threadsafe(told.set)

        self._stop = awaitables.Work(told.wait)
        try:
            with self._listening(end, end):
                found = await adrive(self.turn(), self.jobs)
        except _StopNowError:
            found = self._stop_now()
        return self._finish(found)

    @contextmanager
    def _listening(self, end: Callable[[], None], end_inside: Callable[[], None]) -> Iterator[None]:
        """Call ``end`` where the run is stopped, and ``end_inside`` where a run is whose call makes this one."""
        with ExitStack() as held:
            held.enter_context(stop_event().telling(end_inside))
            if self.log.lease is not None:
                held.enter_context(self.log.lease.stopped.telling(end))
            yield

    def _stop_now(self) -> End[Result]:
        return self.language.stop(self.state, STOPPED)

    # ---------------------------------------------------------------- the loop

    def turn(self) -> Turn[End[Result]]:
        """All that is to be done before the end."""
        end = None
        try:
            if self._stop is not None:
                yield self._stop
            while end is None:
                end = yield from self._advance()
            return end
        finally:
            # What has happened is kept, whatever interrupts this.
            self.log.commit()

    def _finish(self, end: End[Result]) -> Result:
        if end.entry is not None:
            self.note(end.entry)
        self._commit()
        return end.result

    def note(self, entry: Entry, step_type: str = "") -> None:
        """Something has happened. It is kept before anything is called, together with what begins then."""
        kept = self.log.add(entry, step_type)
        self._account.spend(kept.effort)
        self.state = self.language.fold(self.state, kept)
        self._untold.append((self.state, kept))

    def _commit(self) -> None:
        """Keep what has happened, and tell of it."""
        self.log.commit()
        untold, self._untold = self._untold, []
        for state, kept in untold:
            self.language.tell(state, kept)

    def _commit_before_calls(self) -> None:
        self._commit()
        # Who was told of that may have taken long.
        if self._stopped.is_set():
            raise _StopNowError

    def _advance(self) -> Turn[End[Result] | None]:
        """Do what comes next; gives the end, if that is it."""
        found = self._find()
        if isinstance(found, Entry):
            # Who is told of what has led to it finds nothing of it yet.
            self._commit()
            self.note(found)
            return None
        if isinstance(found, Question):
            if self.ask is None:
                return self.language.stop(self.state, f"a person has to say: {one_line(found.text)}")
            found = Work(partial(self.ask, found), found.end, step=found.step, asks="interact", policy=ONCE)
        if isinstance(found, Work):
            why = "" if found.is_free else self._why_not()
            if not why and not (found.asks and self._at_work):
                yield from self._begin(found)
                return None
            self._put_back(found)
            # Those that wait for another try keep waiting.
            if why and not self._count():
                return self.language.stop(self.state, why)
        elif found is not None:
            return found
        yield from self._watch_capacity()
        yield from self._end_some()
        return None

    def _find(self) -> Work | Question | Entry | End[Result] | None:
        """What comes next, as far as there is room for it."""
        if self._count() >= (self.jobs if self.capacity is None else self.capacity.limit()):
            return None
        for uses, works in self._waiting.items():
            if works and self._has_room(uses):
                return works.popleft()
        while True:
            found = self.language.next(self.state)
            if not isinstance(found, Work) or self._has_room(self._limited(found)):
                return found
            self._waiting.setdefault(self._limited(found), deque()).append(found)

    def _limited(self, work: Work) -> tuple[str, ...]:
        return tuple(name for name in work.uses if name in self.limits)

    def _has_room(self, uses: tuple[str, ...]) -> bool:
        return all(self._count(name) < self.limits[name] for name in uses)

    def _count(self, name: str | None = None) -> int:
        """How many calls are under way, of all or of those that use this."""
        calls = [call.work for asked, call in self._at_work.items() if isinstance(asked, awaitables.Work)]
        return sum(name is None or name in work.uses for work in calls)

    def _put_back(self, work: Work) -> None:
        self._waiting.setdefault(self._limited(work), deque()).appendleft(work)

    def _why_not(self) -> str:
        """Why no other call may be made now, if that is so."""
        if self.log.is_asked_to_stop():
            return STOPPED
        return "it was asked to pause" if self.pause() else self._account.find_excess(self._count())

    # ---------------------------------------------------------------- calls

    def _begin(self, work: Work) -> Turn[None]:
        if work.wait:
            yield from self._pause(evolve(work, wait=0.0), work.wait)
            return
        # Who is asked does no step.
        self._account.steps += not (work.asks or work.is_free)
        if work.begun is not None:
            self.note(work.begun, work.step_type)
        call = _Call(work)
        asked = awaitables.Work(work.call, work.policy.timeout, partial(self._rescue, call))
        self._at_work[asked] = call
        if not work.asks:
            self._begun.append(asked)
            if len(self._begun) >= _TOGETHER:
                yield from self._launch()
            return
        self._commit_before_calls()
        with self.log.telemetry.asking(work.asks, work.step, **work.labels):
            yield asked
            while asked in self._at_work:
                yield from self._end_some()

    def _launch(self) -> Turn[None]:
        """Make the calls that were begun, now that this is kept."""
        self._commit_before_calls()
        begun, self._begun = self._begun, []
        for asked in begun:
            work = self._at_work[asked].work
            is_recorded = work.begun is not None and work.begun.kind is not None
            with self.log.telemetry.at_work(work.step, "" if is_recorded else work.step_type):
                yield asked

    def _watch_capacity(self) -> Turn[None]:
        """See to it that a wait ends when there is room for more."""
        if self.capacity is not None and self._watch is None:
            self._watch = awaitables.Work(self.capacity.wait_for_more)
            yield self._watch

    def _end_some(self) -> Turn[None]:
        """Wait for the first of what is at work, and take what came of all that has ended by then."""
        yield from self._launch()
        ended: deque[WorkResult] = yield FIRST
        # What is to be tried again waits until it is asked what else there is to do.
        for _ in range(len(ended)):
            yield from self._end(ended.popleft())

    def _end(self, ended: WorkResult) -> Turn[None]:
        if self._stopped.is_set():
            left = self._at_work.pop(ended.work, None)
            if left is not None and isinstance(ended.work, awaitables.Work):
                self._rescue(left, ended)
            raise _StopNowError
        if ended.work is self._watch:
            self._watch = None
            if ended.error is not None:
                raise ended.error
            return
        call = self._at_work.pop(ended.work)
        if isinstance(ended.work, Pause) or isinstance(ended.error, ReturnedError):
            self._put_back(call.work)
            return
        outcome = call.outcome(ended)
        if isinstance(outcome.error, RunningLoopError):
            raise outcome.error
        if outcome.error is not None:
            self.log.telemetry.raised(call.work.step, outcome.error)
        if (yield from self._postpone(call.work, outcome)):
            return
        if isinstance(outcome.error, FatalError):
            raise outcome.error
        for entry in call.work.end(outcome):
            self.note(entry)

    def _postpone(self, work: Work, outcome: CallOutcome) -> Turn[bool]:
        """Make a call once more after a pause, where it asks for that and its policy allows it; says whether it is."""
        policy, tries = work.policy, outcome.tries
        seconds = _ask_again(policy, outcome) if work.ask_again is None else work.ask_again(outcome)
        if seconds is None or tries >= policy.max_tries or seconds > policy.max_pause:
            return False
        pause = round(max(seconds, policy.pause_after(tries)), 3)
        if work.postponed is not None:
            entry = work.postponed(outcome, pause)
        else:
            assert outcome.error is not None
            entry = Postponed(step=work.step, tries=tries, pause=pause, result=describe(outcome.error))
        self.note(entry)
        yield from self._pause(evolve(work, tries=tries), pause)
        return True

    def _pause(self, work: Work, seconds: float) -> Turn[None]:
        """Have work wait, but no longer than the budget lasts."""
        pause = Pause(min(seconds, self._account.seconds_left()))
        self._at_work[pause] = _Call(work)
        self._commit()
        yield pause

    def _rescue(self, call: _Call, ended: WorkResult) -> None:
        """Write down what came of work while the run was being left."""
        if ended.error is None:
            end = call.work.rescue or call.work.end
            with suppress(Exception):
                for entry in end(call.outcome(ended)):
                    self.note(entry)
                self.log.commit()


def _ask_again(policy: StepPolicy, outcome: CallOutcome) -> float | None:
    """After how many seconds what was raised asks for another try, if it does."""
    error = outcome.error
    if isinstance(error, OverdueError) or not isinstance(error, (TransientError, *policy.retry_on)):
        return None
    return error.retry_after if isinstance(error, TransientError) else 0.0


def describe(error: Exception, tries: int = 1, who: str = "it") -> str:
    """What an exception says, in one line; of a call that has taken too long, whether ``who`` was stopped."""
    if isinstance(error, OverdueError):
        goes_on = "" if error.has_ended else f": {who} could not be stopped, and its work continues"
        return one_line(f"no result within {error.seconds:g} seconds{goes_on}")
    try:
        said = str(error)
    except Exception:
        said = "(its text cannot be had)"
    kind = type(error).__name__
    often = f" (tried {tries} times)" if tries > 1 else ""
    return one_line(shorten(f"{kind}: {said}" if said else kind)) + often
