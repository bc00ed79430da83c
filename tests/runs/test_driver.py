"""The driver, with a language of jobs that are called one after the other, or side by side, and a question."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from logging import getLogger
from typing import Any

import pytest
from attrs import define, evolve, field, frozen

from planspec_lark.awaitables import OverdueError
from planspec_lark.cancellation import stop_event
from planspec_lark.runs import Budget, FatalError, Ledger, LedgerError, MemoryLedger, RecordKind, TransientError
from planspec_lark.runs.driver import CallOutcome, Driver, End, Question, ReturnedError, Work, describe
from planspec_lark.runs.entries import UNKEPT, Entry, EntryTypes, RunLog
from planspec_lark.runs.ledger import Record
from planspec_lark.runs.limits import Effort, StepPolicy
from planspec_lark.runs.telemetry import RunTelemetry

QUICK: dict[str, Any] = {"pause": 0.001, "jitter": 0}


@frozen(kw_only=True)
class Begun(Entry):
    kind: RecordKind | None = RecordKind.BEGUN


@frozen(kw_only=True)
class Started(Entry):
    kind: RecordKind | None = RecordKind.STARTED

    description: str


@frozen(kw_only=True)
class Done(Entry):
    kind: RecordKind | None = RecordKind.DONE

    said: str
    place: str = field(default="", metadata=UNKEPT)


ENTRIES = EntryTypes("jobs", {Begun: [RecordKind.BEGUN], Done: [RecordKind.DONE]})


@define(eq=False)
class Jobs:
    """Calls by name, or questions, where there is a text; the state is what was said of each."""

    calls: dict[str, Callable[[], Any] | str]
    policy: StepPolicy = field(factory=lambda: StepPolicy(**QUICK))
    uses: Callable[[str], tuple[str, ...]] = lambda _: ()
    given: set[str] = field(factory=set)
    told: list[Entry] = field(factory=list)

    def fold(self, state: dict[str, str], entry: Entry) -> dict[str, str]:
        return {**state, entry.step: entry.said} if isinstance(entry, Done) else state

    def next(self, state: dict[str, str]) -> Work | Question | End[dict[str, str]] | None:
        for name, call in self.calls.items():
            if name not in state and name not in self.given:
                self.given.add(name)
                if isinstance(call, str):
                    return Question(name, call, lambda outcome, name=name: self.end(name, outcome))  # type: ignore[misc]
                return self.work(name, call)
        return End(state) if len(state) == len(self.calls) else None

    def work(self, name: str, call: Callable[[], Any]) -> Work:
        begun = Started(step=name, description=f"job {name}")
        return Work(
            call,
            lambda outcome: self.end(name, outcome),
            begun,
            step=name,
            uses=self.uses(name),
            policy=self.policy,
        )

    @staticmethod
    def end(name: str, outcome: CallOutcome) -> Sequence[Entry]:
        said = outcome.value if outcome.error is None else describe(outcome.error, outcome.tries, name)
        return [Done(step=name, said=str(said), effort=Effort(1, tokens=10, cost=0.5))]

    def stop(self, state: dict[str, str], why: str) -> End[dict[str, str]]:
        return End({**state, "stopped": why})

    def tell(self, _: dict[str, str], entry: Entry) -> None:
        self.told.append(entry)


def run_jobs(language: Jobs, ledger: Ledger | None = None, *, is_async: bool = False, **options: Any) -> dict[str, str]:
    log = RunLog(ENTRIES, "r", ledger, "run r", RunTelemetry(getLogger("planspec_lark.x"), "r"))
    with ExitStack() as held:
        if ledger is not None:
            held.enter_context(log.held())
        state: dict[str, str] = {}
        for entry in log.read():
            state = language.fold(state, entry)
        driver = Driver(language, log, state, **options)
        if ledger is not None and not log.last:
            driver.note(Begun())
        return asyncio.run(driver.arun()) if is_async else driver.run("arun()")


ways = pytest.mark.parametrize(
    "options",
    [{}, {"jobs": 3}, {"is_async": True}, {"jobs": 3, "is_async": True}],
    ids=["one", "jobs", "async", "both"],
)


def kinds(ledger: Ledger) -> list[tuple[str, str]]:
    return [(one.kind.value, one.step) for one in ledger.records("r")]


# ---------------------------------------------------------------- the log


@ways
def test_what_is_written_is_what_a_later_run_goes_on_from(options: dict[str, Any]) -> None:
    ledger = MemoryLedger()
    first = Jobs({"a": lambda: "1", "b": lambda: "2"})
    with pytest.raises(KeyboardInterrupt):
        run_jobs(Jobs({**first.calls, "c": _interrupt}), ledger, **options)
    assert ("done", "a") in kinds(ledger)
    again = Jobs({"a": pytest.fail, "b": lambda: "2", "c": lambda: "3"})
    assert run_jobs(again, ledger, **options) == {"a": "1", "b": "2", "c": "3"}
    assert next(ledger.records("r", kinds=[RecordKind.STARTED])).data == {"description": "job a"}
    done = next(ledger.records("r", kinds=[RecordKind.DONE])).data
    assert (done["said"], done["llm_calls"], done["tokens"], done["cost"]) == ("1", 1, 10, 0.5)
    assert "place" not in done


def _interrupt() -> Any:
    time.sleep(0.05)
    raise KeyboardInterrupt


@pytest.mark.parametrize("change", ["data = '{}' WHERE kind = 'done'", "kind = 'ended' WHERE seq = 1"])
def test_records_of_something_else_are_refused(change: str) -> None:
    ledger = MemoryLedger()
    run_jobs(Jobs({"a": lambda: "1"}), ledger)
    ledger._base.execute(f"UPDATE records SET {change}")
    with pytest.raises(LedgerError, match=r"^run r: these are not records of jobs$"):
        run_jobs(Jobs({"a": lambda: "1"}), ledger)


# ---------------------------------------------------------------- what is kept together


class Commits(MemoryLedger):
    """A ledger that knows which records were kept together, and when."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[list[str]] = []
        self.times: list[float] = []

    def append(self, run: str, *records: Record, after: int) -> Record:
        self.times.append(time.monotonic())
        self.kept.append([f"{one.kind.value} {one.step}".strip() for one in records])
        return super().append(run, *records, after=after)


@pytest.mark.parametrize("is_async", [False, True])
def test_what_ends_is_kept_with_what_begins_then(is_async: bool) -> None:
    """A call is made only when all that has led to it is kept."""
    ledger, seen = Commits(), []
    run_jobs(Jobs({name: lambda: seen.append(ledger.count("r")) for name in "abc"}), ledger, is_async=is_async)
    assert ledger.kept == [["begun", "started a"], ["done a", "started b"], ["done b", "started c"], ["done c"]]
    assert seen == [2, 4, 6]


def test_what_has_happened_is_kept_before_anybody_is_asked() -> None:
    ledger = Commits()
    run_jobs(Jobs({"a": lambda: "1", "b": "which?"}), ledger, ask=lambda _: str(ledger.count("r")))
    assert ledger.kept == [["begun", "started a"], ["done a"], ["done b"]]
    assert next(ledger.records("r", newest_first=True)).data["said"] == "3"


def test_that_a_call_waits_is_kept_before_it_does() -> None:
    ledger, errors = Commits(), [TransientError("busy")]

    def call() -> str:
        if errors:
            raise errors.pop()
        return "1"

    run_jobs(Jobs({"a": call}, StepPolicy(pause=0.2, jitter=0)), ledger)
    assert ledger.kept == [["begun", "started a"], ["postponed a"], ["started a"], ["done a"]]
    _, postponed, started, _ = ledger.times
    assert started - postponed >= 0.2


def test_of_many_calls_the_first_do_not_wait_for_the_last_to_begin() -> None:
    ledger = Commits()
    run_jobs(Jobs(meeting("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN")), ledger, is_async=True, jobs=40)
    assert [len(kept) for kept in ledger.kept[:2]] == [1 + 32, 8]


def meeting(names: str, breaks: str = "") -> dict[str, Callable[[], Any] | str]:
    """Calls of which none returns before all have begun; some of them break."""
    left, all_are_there = [*names], asyncio.Event()

    async def call(name: str) -> str:
        left.remove(name)
        if not left:
            all_are_there.set()
        await all_are_there.wait()
        if name in breaks:
            raise FatalError("no tools")
        return name

    return {name: partial(call, name) for name in names}


def test_what_has_happened_is_kept_where_nothing_can_follow() -> None:
    """What a language raises, or who is told, loses nothing."""

    class Broken(Jobs):
        def next(self, state: dict[str, str]) -> Any:
            if state:
                raise ValueError("broken")
            return super().next(state)

    class Rude(Jobs):
        def tell(self, _: dict[str, str], entry: Entry) -> None:
            if entry.step == "a" and isinstance(entry, Done):
                raise KeyboardInterrupt

    for language, error in [(Broken({"a": lambda: "1"}), ValueError), (Rude({"a": lambda: "1"}), KeyboardInterrupt)]:
        ledger = MemoryLedger()
        with pytest.raises(error):
            run_jobs(language, ledger)
        assert kinds(ledger)[-1] == ("done", "a")


def test_of_what_ends_together_one_ends_the_run_and_the_others_are_kept() -> None:
    ledger = MemoryLedger()

    with pytest.raises(FatalError):
        run_jobs(Jobs(meeting("abc", breaks="b")), ledger, is_async=True, jobs=3)
    assert {step for kind, step in kinds(ledger) if kind == "done"} == {"a", "c"}


# ---------------------------------------------------------------- tries


@ways
def test_a_call_is_made_again_where_its_policy_says_so(options: dict[str, Any]) -> None:
    ledger = MemoryLedger()
    errors: list[Exception] = [ConnectionError("gone"), TransientError("busy", retry_after=0.002)]

    def call() -> str:
        if errors:
            raise errors.pop(0)
        return "here"

    language = Jobs({"a": call}, StepPolicy(retry_on=(ConnectionError,), **QUICK))
    assert run_jobs(language, ledger, **options) == {"a": "here"}
    assert kinds(ledger)[1:] == [("started", "a"), ("postponed", "a")] * 2 + [("started", "a"), ("done", "a")]
    postponed = [one.data for one in ledger.records("r", kinds=[RecordKind.POSTPONED])]
    assert [(one["tries"], one["pause"], one["result"]) for one in postponed] == [
        (1, 0.001, "ConnectionError: gone"),
        (2, 0.002, "TransientError: busy"),
    ]


@pytest.mark.parametrize(
    ("policy", "error", "said", "calls"),
    [
        ({}, ConnectionError("gone"), "ConnectionError: gone", 1),
        ({"retry_on": (ValueError,)}, ConnectionError("gone"), "ConnectionError: gone", 1),
        ({"retry_on": (OSError,)}, ConnectionError("gone"), "ConnectionError: gone (tried 3 times)", 3),
        ({"retry_on": (OSError,), "max_tries": 2}, ConnectionError(), "ConnectionError (tried 2 times)", 2),
        ({"max_pause": 5}, TransientError("busy", retry_after=6), "TransientError: busy", 1),
    ],
)
def test_a_call_is_not_made_again(policy: dict[str, Any], error: Exception, said: str, calls: int) -> None:
    made = []

    def call() -> str:
        made.append(1)
        raise error

    assert run_jobs(Jobs({"a": call}, StepPolicy(**{**QUICK, **policy}))) == {"a": said}
    assert len(made) == calls


@ways
def test_what_waits_for_another_try_keeps_nobody_waiting(options: dict[str, Any]) -> None:
    if options.get("jobs", 1) == 1 and not options.get("is_async"):
        pytest.skip("one thread does one thing at a time")
    ended: list[str] = []

    def busy() -> str:
        if "b" not in ended:
            raise TransientError("busy")
        ended.append("a")
        return "1"

    language = Jobs({"a": busy, "b": lambda: ended.append("b")}, StepPolicy(pause=0.2, jitter=0))
    assert run_jobs(language, **options).keys() == {"a", "b"}
    assert ended == ["b", "a"]


# ---------------------------------------------------------------- time


@ways
@pytest.mark.parametrize("is_late", [False, True])
def test_a_call_that_takes_too_long_is_left(
    options: dict[str, Any], is_late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread that does not listen is left behind, and named; nobody waits for it, and it is not called again."""
    monkeypatch.setattr("planspec_lark.awaitables._GRACE", 0.1)
    let_go, calls = threading.Event(), []

    def hang() -> str:
        calls.append("a")
        assert let_go.wait(60)
        return "late"

    async def sleep() -> str:
        calls.append("a")
        await asyncio.sleep(60)
        return "late"

    policy = StepPolicy(timeout=0.1, retry_on=(OverdueError, TimeoutError), **QUICK)
    try:
        began = time.monotonic()
        said = run_jobs(Jobs({"a": sleep if is_late else hang, "b": lambda: "2"}, policy), **options)
        assert time.monotonic() - began < 30
    finally:
        let_go.set()
    goes_on = "" if is_late else ": a could not be stopped, and its work continues"
    assert said == {"a": f"no result within 0.1 seconds{goes_on}", "b": "2"}
    assert calls == ["a"]


def test_a_thread_that_listens_is_not_left_behind() -> None:
    def work() -> str:
        assert stop_event().wait(60)
        return "late"

    assert run_jobs(Jobs({"a": work}, StepPolicy(timeout=0.1))) == {"a": "no result within 0.1 seconds"}


# ---------------------------------------------------------------- how much


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize(
    ("budget", "done", "why"),
    [
        (Budget(steps=2), 2, "steps: 2"),
        (Budget(llm_calls=2), 2, "calls of programs and models: 2"),
        (Budget(tokens=15), 2, "tokens: 15"),
        (Budget(cost=0.5), 1, "cost: 0.5"),
    ],
)
def test_a_budget_that_is_used_up(budget: Budget, done: int, why: str, jobs: int) -> None:
    """What is at work is finished; tokens and cost are known only then."""
    ledger, language = MemoryLedger(), Jobs({name: lambda: "1" for name in "abcde"})
    said = run_jobs(language, ledger, budget=budget, jobs=jobs)
    assert said.pop("stopped") == f"the budget is used up: {why}"
    is_counted_before = budget.steps or budget.llm_calls
    assert len(said) == done or (not is_counted_before and done <= len(said) <= done + jobs - 1)
    # It counts from the beginning of each run, and the end is no excess.
    left = 5 - len(said)
    assert len(run_jobs(Jobs(language.calls), ledger, budget=Budget(llm_calls=left), jobs=jobs)) == 5


class CostlessJobs(Jobs):
    """Calls that say which tokens they took, and not what these cost."""

    @staticmethod
    def end(name: str, outcome: CallOutcome) -> Sequence[Entry]:
        return [evolve(one, effort=Effort(1, tokens=10)) for one in Jobs.end(name, outcome) if isinstance(one, Done)]


def test_a_cost_that_is_not_told_cannot_be_limited() -> None:
    language = CostlessJobs({name: lambda: "1" for name in "abc"})
    said = run_jobs(language, budget=Budget(cost=1_000))
    assert said.pop("stopped") == (
        "the budget of the cost cannot be held: an answer took tokens, and did not say what they cost"
    )
    assert len(said) == 1
    assert len(run_jobs(CostlessJobs(language.calls), budget=Budget(tokens=1_000))) == 3


def test_time_is_a_budget() -> None:
    language = Jobs({"a": lambda: time.sleep(0.05), "b": lambda: "2"})
    assert run_jobs(language, budget=Budget(seconds=0.01))["stopped"] == "the budget is used up: seconds: 0.01"
    assert len(language.told) == 2


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_is_paused(jobs: int) -> None:
    ended: list[str] = []
    language = Jobs({name: lambda: ended.append("") for name in "abcd"})
    said = run_jobs(language, jobs=jobs, pause=lambda: bool(ended))
    assert said.pop("stopped") == "it was asked to pause"
    assert 1 <= len(said) <= jobs


@pytest.mark.parametrize("is_async", [False, True])
def test_so_many_may_use_it_at_a_time(is_async: bool) -> None:
    """Others go on meanwhile, however many wait."""
    using, most, lock, together = list[str](), list[int](), threading.Lock(), threading.Barrier(3)

    def use() -> None:
        with lock:
            using.append("")
            most.append(len(using))
        time.sleep(0.01)
        using.pop()

    calls: dict[str, Callable[[], Any] | str] = {f"gpu {at}": use for at in range(6)}
    calls |= {f"{at}": lambda: together.wait(30) for at in range(6)}
    language = Jobs(calls, uses=lambda name: tuple(name.split()[:1]))
    assert len(run_jobs(language, jobs=4, limits={"gpu": 1}, is_async=is_async)) == 12
    assert max(most) == 1


@pytest.mark.parametrize(("name", "value"), [("jobs", 0), ("jobs", 1.5), ("limits", {"gpu": 0}), ("limits", {"x": ""})])
def test_limits_are_numbers_from_one_on(name: str, value: object) -> None:
    options: dict[str, Any] = {name: value}
    with pytest.raises((ValueError, TypeError), match=name):
        run_jobs(Jobs({}), **options)


# ---------------------------------------------------------------- persons


@ways
def test_a_question_is_put_to_a_person(options: dict[str, Any]) -> None:
    asked = []

    def ask(question: Question) -> str:
        asked.append(question.text)
        return "north"

    calls: dict[str, Callable[[], Any] | str] = {"a": "which way?", "b": lambda: "2"}
    assert run_jobs(Jobs(calls), ask=ask, **options) == {"a": "north", "b": "2"}
    assert asked == ["which way?"]
    # Nothing else is at work meanwhile.
    slow: dict[str, Callable[[], Any] | str] = {"b": lambda: time.sleep(0.05), "a": "which way?"}
    assert [*run_jobs(Jobs(slow), ask=ask, **options)] == ["b", "a"]
    assert run_jobs(Jobs(calls), **options) == {"stopped": "a person has to say: which way?"}


# ---------------------------------------------------------------- entries and their records


@frozen(kw_only=True)
class _Told(Entry):
    kind: RecordKind | None = RecordKind.TOLD
    said: str
    how: str = "aloud"
    more: list[str] = field(factory=list)


def test_a_record_leaves_out_what_is_empty_anyway() -> None:
    types = EntryTypes("talk", {_Told: [RecordKind.TOLD]})
    for entry, data in (
        (_Told(said=""), {"said": "", "how": "aloud"}),
        (_Told(said="a", how=""), {"said": "a", "how": ""}),
        (
            _Told(said="a", more=["b"], effort=Effort(tokens=3)),
            {"said": "a", "how": "aloud", "more": ["b"], "tokens": 3},
        ),
    ):
        record = types.write(entry)
        assert (record.data, types.read(record)) == (data, entry)


# ---------------------------------------------------------------- capacity that changes


class _Dispatcher:
    """Capacity for some calls, and for more once a number of them has begun."""

    def __init__(self, most: int) -> None:
        self._most, self.at_work, self.widest = most, 0, 0
        self.is_open, self.has_grown = asyncio.Event(), asyncio.Event()

    def limit(self) -> int:
        return self._most

    async def wait_for_more(self) -> None:
        await self.has_grown.wait()
        self.has_grown.clear()

    async def call(self) -> str:
        self.at_work += 1
        self.widest = max(self.widest, self.at_work)
        if self.at_work == self._most < 4:
            self._most += 1
            self.has_grown.set()
        if self.widest == 4:
            self.is_open.set()
        await asyncio.wait_for(self.is_open.wait(), 10)
        self.at_work -= 1
        return "done"


@pytest.mark.parametrize("is_async", [False, True])
def test_room_that_grows_is_used_at_once(is_async: bool) -> None:
    """No call ends before four are under way, and at first there is room for two."""
    dispatcher = _Dispatcher(2)
    language = Jobs(dict.fromkeys("abcdefgh", dispatcher.call))
    assert run_jobs(language, jobs=2, capacity=dispatcher, is_async=is_async) == dict.fromkeys("abcdefgh", "done")
    assert dispatcher.widest == 4


def test_what_fails_while_room_is_waited_for_ends_the_run() -> None:
    dispatcher = _Dispatcher(1)

    async def fail() -> None:
        raise LedgerError("it is gone")

    dispatcher.wait_for_more = fail  # type: ignore[method-assign]
    with pytest.raises(LedgerError, match="it is gone"):
        run_jobs(Jobs({"a": partial(asyncio.sleep, 60)}), jobs=2, capacity=dispatcher)


def test_a_question_is_waited_for_however_much_room_there_is() -> None:
    dispatcher, answered = _Dispatcher(4), list[str]()

    async def ask(_: Question) -> str:
        for _turn in range(5):
            dispatcher.has_grown.set()
            await asyncio.sleep(0)
        answered.append("b")
        return "yes"

    async def quick() -> str:
        return "done"

    language = Jobs({"a": quick, "b": "Is it so?", "c": answered.pop})
    made = run_jobs(language, jobs=2, capacity=dispatcher, ask=ask)
    assert made == {"a": "done", "b": "yes", "c": "b"}


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_call_that_was_not_begun_is_made_again(jobs: int) -> None:
    tries: list[str] = []

    def call() -> str:
        tries.append("")
        if len(tries) < 3:
            raise ReturnedError
        return "done"

    ledger = MemoryLedger()
    assert run_jobs(Jobs({"a": call, "b": lambda: "done"}), ledger, jobs=jobs) == {"a": "done", "b": "done"}
    assert kinds(ledger).count(("started", "a")) == 3


def test_a_call_that_was_not_begun_keeps_no_run_from_stopping() -> None:
    ledger = MemoryLedger()

    def call() -> str:
        ledger.ask_to_stop("r")
        raise ReturnedError

    assert run_jobs(Jobs({"a": call, "b": call}), ledger, jobs=2) == {"stopped": "it was asked to stop"}
