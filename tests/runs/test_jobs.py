"""Runs as jobs: one function that may be called at any time."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from attrs import evolve

from planspec_lark.engine import (
    Budget,
    OperatorResult,
    Outcome,
    PlanRunError,
    StepCall,
    continue_run,
    submit_plan,
    think,
)
from planspec_lark.planspec import PlanSpec
from planspec_lark.runs import Ledger, LedgerError, MemoryLedger, PostgresLedger, RecordKind, RunInfo
from planspec_lark.runs.ledger import Record, RunBusyError
from planspec_lark.runs.owner import Owner
from tests.engine.worlds import World, ok, plan

PLAN = plan("1. [act] a → x\n2. [act] b → y\n  > ← x\n3. [act] c\n")
ELSEWHERE = evolve(Owner.new(), host="elsewhere")


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


def done(ledger: Ledger, run: str = "r") -> list[str]:
    return [record.step for record in ledger.records(run, kinds=[RecordKind.DONE])]


def test_a_run_in_a_database(database: str) -> None:
    submit_plan(database, PLAN, "r", name="shop", inputs={"k": 1})
    world = World()
    first = continue_run(database, "r", world.operator, budget=Budget(steps=2))
    assert first is not None
    assert (first.outcome, first.run, world.ran) == (Outcome.BUDGET, "r", ["1", "2"])
    second = continue_run(database, "r", world.operator)
    assert second is not None
    assert (second.outcome, second.outputs, world.ran) == (Outcome.CONVERGED, {"x": "a", "y": "b"}, ["1", "2", "3"])
    assert world.inputs[2]["k"] == 1
    with closing(PostgresLedger(database, read_only=True)) as ledger:
        info = ledger.last_run("shop")
        assert info is not None
        assert (info.run, info.inputs) == ("r", {"k": 1})


def test_a_run_is_submitted_once(ledger: MemoryLedger) -> None:
    for _ in range(2):
        submit_plan(ledger, PLAN, "r")
    assert (len(ledger.runs()), ledger.count("r")) == (1, 1)
    with pytest.raises(PlanRunError, match="run r has begun with another plan"):
        submit_plan(ledger, plan("1. [act] z\n"), "r")
    # What has ended ends again.
    world = World()
    for _ in range(3):
        result = continue_run(ledger, "r", world.operator)
        assert result is not None
        assert (result.outcome, result.outputs) == (Outcome.CONVERGED, {"x": "a", "y": "b"})
    assert world.ran == ["1", "2", "3"]
    submit_plan(ledger, PLAN, "r")
    assert ledger.last_run() == ledger.find_run("r")


def test_a_beginning_that_was_cut_off(ledger: MemoryLedger) -> None:
    ledger.begin(RunInfo("r", 1.0, {"k": 1}))
    with pytest.raises(PlanRunError, match="there is no plan to begin with"):
        continue_run(ledger, "r", World().operator)
    submit_plan(ledger, PLAN, "r", inputs={"k": 1})
    assert continue_run(ledger, "r", World().operator) is not None


class _SlowLedger(MemoryLedger):
    """Somebody else submits a plan while the first caller is at this method."""

    def __init__(self, at: str, other: PlanSpec) -> None:
        super().__init__()
        self._at, self._other = at, other

    def _wait(self, name: str) -> None:
        if name == self._at:
            self._at = ""
            submit_plan(self, self._other, "r")

    def begin(self, info: RunInfo) -> None:
        self._wait("begin")
        super().begin(info)

    def acquire(self, run: str, owner: Owner, *, seconds: float, takes_over: bool = False) -> None:
        self._wait("acquire")
        super().acquire(run, owner, seconds=seconds, takes_over=takes_over)


@pytest.mark.parametrize("at", ["begin", "acquire"])
@pytest.mark.parametrize("is_another", [False, True])
def test_a_plan_is_submitted_by_two_at_once(at: str, is_another: bool) -> None:
    """The plan of the run is that of who was first, whatever the other one has."""
    ledger = _SlowLedger(at, PLAN)
    if is_another:
        with pytest.raises(PlanRunError, match="run r has begun with another plan"):
            submit_plan(ledger, plan("1. [act] z\n"), "r")
    else:
        submit_plan(ledger, PLAN, "r")
    assert [record.kind for record in ledger.records("r")] == [RecordKind.BEGUN]
    result = continue_run(ledger, "r", World().operator)
    assert result is not None
    assert result.outputs == {"x": "a", "y": "b"}


class _SharedLedger(MemoryLedger):
    """Somebody else submits the same plan while the first caller has the lease, and has written nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.other = threading.Thread(target=self._submit)
        self.errors: list[Exception] = []

    def _submit(self) -> None:
        try:
            submit_plan(self, PLAN, "r")
        except LedgerError as error:
            self.errors.append(error)

    def append(self, run: str, *records: Record, after: int) -> Record:
        if self.other.ident is None:
            self.other.start()
            self.other.join(0.3)
        return super().append(run, *records, after=after)


def test_who_submits_a_plan_that_is_being_submitted_waits() -> None:
    ledger = _SharedLedger()
    submit_plan(ledger, PLAN, "r")
    ledger.other.join()
    assert not ledger.errors
    assert [record.kind for record in ledger.records("r")] == [RecordKind.BEGUN]


def test_who_submits_a_plan_does_not_wait_for_ever(ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(think, "LEASE_SECONDS", 0.1)
    ledger.begin(RunInfo("r", 1.0))
    ledger.acquire("r", ELSEWHERE, seconds=60)
    with pytest.raises(RunBusyError):
        submit_plan(ledger, PLAN, "r")


def test_what_cannot_be_run(ledger: MemoryLedger) -> None:
    with pytest.raises(PlanRunError, match="there is no run to resume"):
        continue_run(ledger, "r", World().operator)
    with pytest.raises(ValueError, match="a run needs an id"):
        continue_run(ledger, "", World().operator)
    with pytest.raises(ValueError, match="a run needs an id"):
        submit_plan(ledger, PLAN, "")
    with pytest.raises(PlanRunError, match="the plan cannot be run"):
        submit_plan(ledger, plan("1. [LLM] a\n"), "s")
    assert ledger.find_run("s") is None


def test_a_run_that_is_busy(ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not even read."""
    submit_plan(ledger, PLAN, "r")
    ledger.acquire("r", ELSEWHERE, seconds=60)
    with monkeypatch.context() as patched:
        for name in ("records", "snapshot"):
            patched.setattr(MemoryLedger, name, None)
        assert continue_run(ledger, "r", World().operator) is None
    ledger.release("r", ELSEWHERE)
    assert continue_run(ledger, "r", World().operator) is not None


def test_a_worker_that_has_lost_the_lease_stops(database: str) -> None:
    """While it does step 1, another one takes over, and does all of it."""
    submit_plan(database, PLAN, "r")
    calls: list[str] = []

    def slow(call: StepCall) -> OperatorResult:
        calls.append(f"first {call.key}")
        with closing(PostgresLedger(database)) as other:
            # As if the lease had expired.
            other.acquire("r", ELSEWHERE, seconds=60, takes_over=True)
            other.release("r", ELSEWHERE)
        assert continue_run(database, "r", quick) is not None
        return ok("late", x="late")

    def quick(call: StepCall) -> OperatorResult:
        calls.append(f"second {call.key}")
        return ok("in time", **dict.fromkeys(call.step.outputs, "in time"))

    assert continue_run(database, "r", slow) is None
    assert [call.split()[0] for call in calls] == ["first", "second", "second", "second"]
    # The step that was at work was begun again with its key.
    assert calls[0].split()[1] == calls[1].split()[1]
    with closing(PostgresLedger(database)) as ledger:
        assert done(ledger) == ["1", "2", "3"]
    result = continue_run(database, "r", quick)
    assert result is not None
    assert result.outputs == {"x": "in time", "y": "in time"}


def test_many_callers_at_once(database: str) -> None:
    submit_plan(database, PLAN, "r")
    calls: list[str] = []
    ready = threading.Barrier(4)

    def operate(call: StepCall) -> OperatorResult:
        calls.append(call.step.step_id)
        return ok("", **dict.fromkeys(call.step.outputs, 1))

    def work(_: int) -> object:
        ready.wait()
        return continue_run(database, "r", operate)

    with ThreadPoolExecutor(4) as threads:
        assert any(threads.map(work, range(4)))
    assert calls == ["1", "2", "3"]


def test_a_database_that_does_not_answer(database: str) -> None:
    ledger = PostgresLedger(database)
    ledger.close()
    with pytest.raises(LedgerError, match="the connection is closed"):
        continue_run(ledger, "r", World().operator)
