"""A run that is asked to stop ends what is under way and begins nothing else; runs that are over can be forgotten."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any

import pytest
from attrs import evolve

from planspec_lark.cancellation import stop_event
from planspec_lark.engine import (
    OperatorResult,
    Outcome,
    RunResult,
    StepCall,
    StepPolicy,
    ThinkEngine,
    ThinkEvent,
    TransientError,
)
from planspec_lark.runs import Ledger, MemoryLedger, PostgresLedger, Record, RecordKind, RunInfo, SqliteLedger
from planspec_lark.runs.lease import hold_lease
from planspec_lark.runs.owner import Owner
from planspec_lark.runs.summary import prune_runs
from tests.engine.worlds import World, plan
from tests.runs import working


@pytest.fixture(params=["file", "postgres"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    is_file = request.param == "file"
    made = SqliteLedger(tmp_path / "ledger") if is_file else PostgresLedger(request.getfixturevalue("database"))
    with closing(made):
        yield made


# ---------------------------------------------------------------- to stop


@pytest.mark.parametrize("kind", working.GO_ON)
def test_a_run_of_each_kind_stops_after_what_is_under_way(kind: str, tmp_path: Path) -> None:
    ledger, notes = MemoryLedger(), list[str]()
    working.BEGIN[kind](ledger, tmp_path)

    def note(said: str) -> None:
        notes.append(said)
        if said.startswith("begin"):
            for info in ledger.runs():
                ledger.ask_to_stop(info.run)

    working.GO_ON[kind](ledger, tmp_path, note)
    first = len(notes)
    begun = {note for note in notes if note.startswith("begin")}
    # A tool plan calls four tools at a time.
    assert 0 < len(begun) <= 4
    assert {note.replace("end", "begin") for note in notes if note.startswith("end")} == begun
    # Who continues it was not asked.
    working.GO_ON[kind](ledger, tmp_path, notes.append)
    assert len(notes) > first
    assert len(notes) == len({*notes})


def test_a_plan_says_that_it_was_stopped() -> None:
    ledger, world = MemoryLedger(), World()

    def operate(call: StepCall) -> OperatorResult:
        ledger.ask_to_stop("r")
        return world.operator(call)

    result = ThinkEngine(plan("1. [act] a\n2. [act] b\n"), operate, ledger=ledger, run_id="r").run()
    assert (result.outcome, result.reason, world.log) == (Outcome.STOPPED, "it was asked to stop", ["run 1"])
    (end,) = ledger.records("r", kinds=[RecordKind.ENDED])
    assert end.data["outcome"] == "stopped"


# How a run of one step is made whose only call blocks: in this thread, in others, or in a loop.
_WAYS: dict[str, Callable[[ThinkEngine], RunResult]] = {
    "here": lambda engine: engine.run(),
    "with a thread": lambda engine: evolve(engine, jobs=2).run(),
    "in a loop": lambda engine: asyncio.run(engine.arun()),
    "in another thread": lambda engine: _in_thread(engine.run),
    "within a time limit": lambda engine: _in_thread(evolve(engine, step_policy=StepPolicy(timeout=25)).run),
    "asynchronous": lambda engine: _in_thread(evolve(engine, operator=partial(_wait_in_loop, engine.operator)).run),
}


async def _wait_in_loop(operate: Callable[[StepCall], OperatorResult], call: StepCall) -> OperatorResult:
    Thread(target=operate, args=[call], daemon=True).start()
    await asyncio.sleep(25)
    return OperatorResult("OK")


def _in_thread(call: Callable[[], RunResult]) -> RunResult:
    with ThreadPoolExecutor(1) as threads:
        return threads.submit(call).result()


def _ask_when(begun: Event, ledger: Ledger) -> None:
    def ask() -> None:
        begun.wait(30)
        ledger.ask_to_stop("r", now=True)

    Thread(target=ask).start()


@pytest.mark.parametrize("way", _WAYS)
def test_a_call_that_is_under_way_ends_now(way: str) -> None:
    ledger, keys, begun = MemoryLedger(), list[str](), Event()

    def operate(call: StepCall) -> OperatorResult:
        keys.append(call.key)
        if len(keys) == 1:
            begun.set()
            stop_event().wait(30)
            return OperatorResult("FAIL", "it was told to stop")
        return OperatorResult("OK")

    _ask_when(begun, ledger)
    engine, began = ThinkEngine(plan("1. [act] a\n"), operate, ledger=ledger, run_id="r"), monotonic()
    result = _WAYS[way](engine)
    assert (result.outcome, result.reason) == (Outcome.STOPPED, "it was asked to stop")
    assert monotonic() - began < 20
    # Nothing has failed, and the call is made again.
    assert [record.kind.value for record in ledger.records("r")] == ["begun", "started", "ended"]
    assert ThinkEngine(None, operate, ledger=ledger, run_id="r").run(resume=True).outcome is Outcome.CONVERGED
    assert len(keys) == 2
    assert len({*keys}) == 1


def test_what_looks_at_nothing_is_interrupted_unless_interrupts_are_ignored() -> None:
    ledger, begun = MemoryLedger(), Event()

    def operate(_: StepCall) -> OperatorResult:
        begun.set()
        sleep(4)
        return OperatorResult("OK")

    rows = plan("1. [act] a\n2. [act] b\n")
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        _ask_when(begun, ledger)
        result = ThinkEngine(rows, operate, ledger=ledger, run_id="r").run()
    finally:
        signal.signal(signal.SIGINT, before)
    # It has ended by itself, and nothing else was begun.
    assert (result.outcome, ledger.count("r", kinds=[RecordKind.DONE])) == (Outcome.STOPPED, 1)
    begun.clear()
    _ask_when(begun, ledger)
    result = ThinkEngine(None, operate, ledger=ledger, run_id="r").run(resume=True)
    assert (result.outcome, ledger.count("r", kinds=[RecordKind.DONE])) == (Outcome.STOPPED, 1)


@pytest.mark.parametrize("timeout", [None, 25])
def test_what_has_ended_all_the_same_is_kept(timeout: float | None) -> None:
    ledger, calls, begun = MemoryLedger(), list[str](), Event()

    def operate(call: StepCall) -> OperatorResult:
        calls.append(call.step.step_id)
        if calls == ["1"]:
            raise TransientError("busy", retry_after=0.2)
        if len(calls) == 2:
            begun.set()
            sleep(3)
        return OperatorResult("OK")

    _ask_when(begun, ledger)
    policy, rows = StepPolicy(timeout=timeout), plan("1. [act] a\n2. [act] b\n")
    more: dict[str, Any] = {"ledger": ledger, "run_id": "r", "order": "data", "step_policy": policy}
    assert _in_thread(ThinkEngine(rows, operate, **more).run).outcome is Outcome.STOPPED
    assert ThinkEngine(None, operate, **more).run(resume=True).outcome is Outcome.CONVERGED
    assert calls == ["1", "2", "1"]


def test_an_interrupt_that_would_end_what_is_around_the_run_is_not_sent() -> None:
    begun, heard = Event(), list[int]()

    def operate(_: StepCall) -> OperatorResult:
        begun.set()
        stop_event().wait(30)
        return OperatorResult("FAIL", "it was told to stop")

    def stopped() -> RunResult:
        ledger = MemoryLedger()
        begun.clear()
        _ask_when(begun, ledger)
        return ThinkEngine(plan("1. [act] a\n"), operate, ledger=ledger, run_id="r").run()

    async def serve() -> Outcome:
        result = stopped()
        await asyncio.sleep(0)
        return result.outcome

    assert asyncio.run(serve()) is Outcome.STOPPED
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        assert (stopped().outcome, heard) == (Outcome.STOPPED, [])
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_run_whose_end_is_told_is_not_stopped_any_more() -> None:
    ledger, begun = MemoryLedger(), Event()

    def tell(event: ThinkEvent) -> None:
        if event.kind is RecordKind.ENDED:
            begun.set()
            sleep(2.5)

    _ask_when(begun, ledger)
    result = ThinkEngine(plan("1. [act] a\n"), lambda _: None, ledger=ledger, run_id="r", on_event=tell).run()
    assert (result.outcome, ledger.count("r", kinds=[RecordKind.ENDED])) == (Outcome.CONVERGED, 1)


@pytest.mark.parametrize("way", ["here", "with a thread", "in another thread"])
@pytest.mark.parametrize("stopped", ["outer", "inner"])
def test_a_run_that_a_step_of_another_makes(way: str, stopped: str) -> None:
    """To stop the outer one stops both; to stop the inner one leaves the outer one alone."""
    ledgers, begun = {"outer": MemoryLedger(), "inner": MemoryLedger()}, Event()

    def inside(_: StepCall) -> OperatorResult:
        begun.set()
        if stop_event().wait(30):
            raise ValueError("it was told to stop")
        return OperatorResult("OK")

    def operate(call: StepCall) -> OperatorResult:
        if call.step.step_id == "1":
            ThinkEngine(plan("1. [act] a\n"), inside, ledger=ledgers["inner"], run_id="r").run()
        return OperatorResult("OK" if not stop_event().is_set() else "FAIL")

    _ask_when(begun, ledgers[stopped])
    rows, began = plan("1. [act] a\n2. [act] b\n"), monotonic()
    result = _WAYS[way](ThinkEngine(rows, operate, ledger=ledgers["outer"], run_id="r"))
    assert result.outcome is (Outcome.STOPPED if stopped == "outer" else Outcome.CONVERGED)
    assert monotonic() - began < 20
    for ledger in ledgers.values():
        assert ledger.count("r", kinds=[RecordKind.FAILED]) == 0


@pytest.mark.parametrize("status", ["OK", "FAIL"])
def test_a_run_inside_of_one_that_is_stopped_begins_nothing_more(status: str) -> None:
    ledger, begun, calls = MemoryLedger(), Event(), list[str]()

    def tell(event: ThinkEvent) -> None:
        if event.kind in (RecordKind.DONE, RecordKind.FAILED):
            begun.set()
            stop_event().wait(30)

    def inside(call: StepCall) -> OperatorResult:
        calls.append(call.step.step_id)
        return OperatorResult(status, "so")

    def reflect(_: object) -> str:
        calls.append("reflect")
        return "ACCEPT"

    def operate(_: StepCall) -> OperatorResult:
        ThinkEngine(plan("1. [act] a\n2. [act] b\n"), inside, reflect, on_event=tell).run()
        return OperatorResult("FAIL", "it was told to stop")

    _ask_when(begun, ledger)
    result = _in_thread(ThinkEngine(plan("1. [act] a\n"), operate, ledger=ledger, run_id="r").run)
    assert (result.outcome, calls) == (Outcome.STOPPED, ["1"])


def test_a_pause_before_another_try_ends_now() -> None:
    ledger = MemoryLedger()

    def operate(_: StepCall) -> OperatorResult:
        ledger.ask_to_stop("r", now=True)
        raise TransientError("busy", retry_after=30)

    began = monotonic()
    # No interrupt reaches another thread.
    result = _in_thread(ThinkEngine(plan("1. [act] a\n"), operate, ledger=ledger, run_id="r").run)
    assert result.outcome is Outcome.STOPPED
    assert monotonic() - began < 20


def test_only_who_holds_the_lease_is_asked(ledger: Ledger) -> None:
    ledger.begin(RunInfo("r", 1.0))
    ledger.ask_to_stop("r")
    assert not ledger.is_asked_to_stop("r")
    first, second = Owner.new(), Owner.new()
    ledger.acquire("r", first, seconds=30)
    ledger.ask_to_stop("r")
    # To renew the lease is not to begin.
    ledger.acquire("r", first, seconds=30)
    assert ledger.is_asked_to_stop("r")
    assert not ledger.is_asked_to_stop("r", now=True)
    ledger.ask_to_stop("r", now=True)
    assert ledger.is_asked_to_stop("r", now=True)
    assert ledger.find_holder("r") == first
    ledger.release("r", first)
    assert ledger.find_holder("r") is None
    ledger.acquire("r", second, seconds=30)
    assert not ledger.is_asked_to_stop("r")


def test_a_lease_that_could_not_be_given_back_keeps_nobody_waiting() -> None:
    ledger = MemoryLedger()
    ledger.begin(RunInfo("r", 1.0))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ledger, "release", ledger._missing)
        with hold_lease(ledger, "r"):
            patched.setattr(ledger, "release", _refuse(ledger))
    with hold_lease(ledger, "r"):
        pass


def _refuse(ledger: MemoryLedger) -> Callable[..., None]:
    def release(*_: object) -> None:
        raise ledger._missing("the server")

    return release


# ---------------------------------------------------------------- to forget


def _make(ledger: Ledger, run: str, outcome: str = "") -> RunInfo:
    info = RunInfo(run, 1.0)
    ledger.begin(info)
    ledger.append(run, Record(RecordKind.BEGUN, plan="p", outputs={"a": 1}), after=0)
    ledger.add_view(run, "d", "text")
    ledger.add_snapshot(run, "s")
    if outcome:
        ledger.append(run, Record(RecordKind.ENDED, data={"outcome": outcome}), after=1)
    return info


def test_what_is_over_is_forgotten_and_nothing_else(ledger: Ledger) -> None:
    runs = [_make(ledger, outcome or "cut off", outcome) for outcome in ("converged", "done", "blocked", "budget", "")]
    busy = _make(ledger, "busy", "converged")
    ledger.acquire("busy", Owner.new(), seconds=30)
    assert prune_runs(ledger, [*runs, busy], 5.0) == []
    gone = prune_runs(ledger, [*runs, busy], 1e11)
    assert [info.run for info, _ in gone] == ["converged", "done"]
    assert [info.run for info in ledger.runs()] == ["blocked", "budget", "cut off", "busy"]
    assert (ledger.count("converged"), ledger.snapshot("converged"), [*ledger.views("converged")]) == (0, None, [])
    # What is left can be continued.
    with hold_lease(ledger, "blocked"):
        assert ledger.count("blocked") == 2
    # There may be another one of this name.
    _make(ledger, "converged")


def test_what_was_continued_in_the_meantime_stays(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    info, acquire = _make(ledger, "r", "converged"), ledger.acquire

    def acquire_late(run: str, owner: Owner, seconds: float) -> None:
        # Between the look and the lease, another process opens a step again.
        ledger.append(run, Record(RecordKind.RERUN, step="1"), after=2)
        acquire(run, owner, seconds=seconds)

    monkeypatch.setattr(ledger, "acquire", acquire_late)
    assert prune_runs(ledger, [info], 1e11) == []
    assert ledger.count("r") == 3
    monkeypatch.undo()
    # Its lease was given back.
    with hold_lease(ledger, "r"):
        assert ledger.count("r") == 3


def test_the_room_is_given_back(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    with closing(SqliteLedger(path)) as ledger:
        info = _make(ledger, "r")
        ledger.append("r", Record(RecordKind.DONE, outputs={"a": "x" * 500_000}), after=1)
        ledger.append("r", Record(RecordKind.ENDED, data={"outcome": "converged"}), after=2)
        prune_runs(ledger, [info], 1e11)
    assert path.stat().st_size < 200_000


# ---------------------------------------------------------------- what not all may use at a time


@pytest.mark.parametrize("most", [1, 2])
def test_steps_that_use_the_same_wait_for_each_other(most: int) -> None:
    using, seen = list[str](), list[int]()

    async def operate(call: StepCall) -> None:
        using.append(call.step.step_id)
        seen.append(len(using))
        await asyncio.sleep(0.05)
        using.remove(call.step.step_id)

    rows, policy = plan("".join(f"{at}. [act] train\n" for at in range(1, 5))), StepPolicy(uses=("gpu",))
    engine = ThinkEngine(rows, operate, step_policy=policy, jobs=4, order="data", resources={"gpu": most})
    assert engine.run().outcome is Outcome.CONVERGED
    assert max(seen) == most
    with pytest.raises(ValueError, match="resources: gpu: 0 is not at least 1"):
        ThinkEngine(rows, operate, resources={"gpu": 0})


# ---------------------------------------------------------------- what ends while a run is cancelled


@pytest.mark.parametrize("status", ["OK", "FAIL"])
def test_what_a_thread_has_done_is_kept_and_what_has_failed_by_the_end_is_not(status: str) -> None:
    ledger, begun = MemoryLedger(), Event()

    def operate(_: StepCall) -> OperatorResult:
        begun.set()
        stop_event().wait(30)
        return OperatorResult(status, "said")

    async def cancel() -> None:
        engine = ThinkEngine(plan("1. [act] a\n"), operate, ledger=ledger, run_id="r")
        task = asyncio.create_task(engine.arun())
        await asyncio.to_thread(begun.wait)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert ledger.count("r", kinds=[RecordKind.DONE]) == (status == "OK")
    assert ledger.count("r", kinds=[RecordKind.FAILED]) == 0
    again = World()
    result = ThinkEngine(None, again.operator, ledger=ledger, run_id="r").run(resume=True)
    assert (result.outcome, len(again.log)) == (Outcome.CONVERGED, int(status == "FAIL"))
