"""Several processes share the steps of a run; here each is a thread with a connection of its own."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import Any

import pytest
from attrs import evolve

from planspec_lark.awaitables import OverdueError
from planspec_lark.engine import (
    Budget,
    FatalError,
    OperatorResult,
    Outcome,
    PlanRunError,
    RunResult,
    StepCall,
    StepPolicy,
    ThinkEngine,
    TransientError,
    UnavailableError,
    continue_run,
    dispatcher,
    stop_event,
    submit_plan,
    work_texts,
    worker,
)
from planspec_lark.runs import Effort, Ledger, LedgerError, MemoryLedger, PostgresLedger, RecordKind
from planspec_lark.runs.owner import Owner
from tests.engine.worlds import World, failed, lacking, ok, plan
from tests.runs.test_postgres import execute

ELSEWHERE = evolve(Owner.new(), host="elsewhere")
ROWS = plan("".join(f"{number}. [act] step {number} → v{number}\n" for number in range(1, 13)))
QUICK = StepPolicy(pause=0.01)


def share(database: str, operator: Any, *given: Any, **options: Any) -> RunResult:
    result = continue_run(database, "r", operator, *given, share=True, **options)
    assert result is not None
    return result


@pytest.fixture
def rows(database: str) -> str:
    """A database with a run of twelve steps."""
    submit_plan(database, ROWS, "r")
    return database


@contextmanager
def sharing(count: int) -> Iterator[Callable[..., Future[RunResult]]]:
    """Begins so many workers, as they are called."""
    with ThreadPoolExecutor(count) as threads:
        yield lambda *given, **options: threads.submit(share, *given, **options)


def did(call: StepCall, value: object = 1) -> OperatorResult:
    return OperatorResult("OK", "", dict.fromkeys(call.step.outputs, value))


def count(database: str, kind: RecordKind) -> int:
    with closing(PostgresLedger(database)) as ledger:
        return ledger.count("r", kinds=[kind])


def done(database: str) -> list[str]:
    with closing(PostgresLedger(database)) as ledger:
        return [record.step for record in ledger.records("r", kinds=[RecordKind.DONE])]


def take_over(database: str) -> None:
    """As if the lease had expired."""
    with closing(PostgresLedger(database)) as other:
        other.acquire("r", ELSEWHERE, seconds=60, takes_over=True)
        other.release("r", ELSEWHERE)


def left(database: str) -> list[Any]:
    return execute(database, "SELECT key FROM planspec.work")


def wait_until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


# ---------------------------------------------------------------- who does what


def test_all_are_at_work_at_the_same_time(rows: str) -> None:
    together, keys, names = threading.Barrier(3, timeout=30), list[str](), list[str]()

    def operate(call: StepCall) -> OperatorResult:
        keys.append(call.key)
        together.wait()
        names.append(threading.current_thread().name)
        return did(call, call.step.step_id)

    with sharing(3) as begin:
        results = [each.result() for each in [begin(rows, operate, order="data") for _ in range(3)]]
    assert [result.outcome for result in results] == [Outcome.CONVERGED] * 3
    assert len(keys) == len({*keys}) == 12
    assert sorted(done(rows), key=int) == [step.step_id for step in ROWS.steps]
    assert results[0].outputs == results[1].outputs == results[2].outputs == {f"v{n}": str(n) for n in range(1, 13)}
    assert results[0].plan == results[1].plan == results[2].plan
    assert left(rows) == []


def test_one_makes_progress_alone(rows: str) -> None:
    at_work, most = list[str](), list[int]()

    def operate(call: StepCall) -> OperatorResult:
        at_work.append(call.key)
        most.append(len(at_work))
        time.sleep(0.05)
        at_work.remove(call.key)
        return did(call)

    assert share(rows, operate, order="data", jobs=3).outcome is Outcome.CONVERGED
    assert max(most) == 3
    # Once more ends as well, and does nothing.
    assert share(rows, pytest.fail, order="data").outcome is Outcome.CONVERGED


def test_the_holder_alone_reflects(database: str) -> None:
    submit_plan(database, plan("1. [act] a → x\n2. [act] b\n  > ← x\n3. [act] c → y\n"), "r")
    worlds = [World(steps={"a": [failed("no flour"), ok(x=1)]}, answers={"a": ["RETRY"]}) for _ in range(2)]
    tries = list[str]()

    def operate(call: StepCall) -> OperatorResult:
        time.sleep(0.05)
        tries.append(call.step.step_id)
        return failed("no flour") if call.attempt == 1 and call.step.step_id == "1" else did(call)

    with sharing(2) as begin:
        results = [begin(database, operate, world.reflector, order="data") for world in worlds]
        assert [each.result().outcome for each in results] == [Outcome.CONVERGED] * 2
    assert sorted(tries) == ["1", "1", "2", "3"]
    assert sorted(len(world.log) for world in worlds) == [0, 1]


# ---------------------------------------------------------------- what crosses


RICH = """\
1. buy [act] Buy flour → flour
  > of rye
  > ← house, street
2. [act] Look around → seen
3. [decide] Which bread?
  > ← flour, seen
  3.1. rye [act] Rye → bread
    > ← flour, nothing
  3.2. [act] Wheat → bread
4. [subtask] Bake | Progress: 0/2
  4.1. [act] Heat → heat
"""


def seen(call: StepCall) -> dict[str, Any]:
    """All that an operator can see of a call, but for the time."""
    return {
        "step": call.step,
        "goal": (call.goal, call.constraints),
        "inputs": dict(call.inputs),
        "has": [name for name in ("flour", "house", "street", "nothing", "seen") if name in call.inputs],
        "missing": call.missing,
        "history": [evolve(event, time=0) for event in call.history],
        "branches": call.branches,
        "attempt": call.attempt,
        "key": call.key,
        "plan": (call.plan_state(), call.plan_state(80)),
        "loop": call.loop,
    }


def see_all(run: Callable[[Any], RunResult]) -> tuple[list[dict[str, Any]], RunResult]:
    calls: list[dict[str, Any]] = []

    def operate(call: StepCall) -> OperatorResult:
        calls.append(seen(call))
        call.step.description = "changed"
        said = OperatorResult("OK", "as said", {name: {"a": [1, None, "ü"]} for name in call.step.outputs})
        return evolve(said, branch="3.1" if call.step.step_type == "decide" else "")

    return calls, run(operate)


def test_an_operator_sees_what_it_sees_alone(database: str) -> None:
    given, made = {"house": 7, "street": "x", "more": [1]}, plan(RICH)
    made.constraints.append("no yeast")
    submit_plan(database, made, "r", inputs=given)
    calls, result = see_all(lambda operate: share(database, operate))
    ledger = MemoryLedger()
    expected, alone = see_all(lambda operate: ThinkEngine(made, operate, inputs=given, ledger=ledger, run_id="r").run())
    assert [call["step"].step_id for call in calls] == ["1", "2", "3", "3.1", "4.1", "4.1"]
    assert calls == expected
    assert (result.outcome, result.plan, result.outputs) == (alone.outcome, alone.plan, alone.outputs)
    assert result.effort == alone.effort


def test_inputs_that_were_given_later_are_seen(database: str) -> None:
    submit_plan(database, plan("1. [act] a\n  > ← k\n2. [act] b\n"), "r", inputs={"k": 1})
    calls: list[Any] = []

    def operate(call: StepCall) -> None:
        calls.append(dict(call.inputs))

    share(database, operate, inputs={"k": 2, "m": 3})
    assert calls == [{"k": 2}, {"k": 2, "m": 3}]


class OwnError(Exception):
    """What an operator raises."""


async def _later(_: StepCall) -> OperatorResult:
    await asyncio.sleep(0.01)
    return ok("later", x=1)


def _fails(error: Exception) -> Callable[[StepCall], OperatorResult]:
    def operate(_: StepCall) -> OperatorResult:
        raise error

    return operate


def _says(value: Any) -> Callable[[StepCall], Any]:
    return lambda _: value


@pytest.mark.parametrize(
    ("operate", "options"),
    [
        (_later, {}),
        (_says("words"), {}),
        (_says({"x": 3}), {}),
        (_says(evolve(failed("no", x=2), answer="what?", effort=Effort(2, tokens=7, cost=0.5, model="m"))), {}),
        (_says(lacking()), {}),
        (_says(OperatorResult("OK", outputs={"x": {1, 2}})), {}),
        (_says(OperatorResult("OK", outputs={"x": float("nan")})), {}),
        (_says(OperatorResult("OK", "z" * 99, outputs={"x": "\ud800"})), {}),
        (_says({"y": 1}), {}),
        (_fails(OwnError("no dough\x1b[0m\ud800")), {}),
        (_fails(OwnError()), {}),
        (_fails(KeyError("x")), {}),
        (_fails(TransientError("busy", retry_after=0.01)), {"step_policy": evolve(QUICK, max_tries=2)}),
        (_fails(TransientError()), {"step_policy": evolve(QUICK, max_tries=1)}),
        (_fails(OwnError("busy")), {"step_policy": evolve(QUICK, max_tries=2, retry_on=(OwnError,))}),
        (_says(OperatorResult("FAIL", "busy", retry_after=0.01)), {"step_policy": evolve(QUICK, max_tries=2)}),
        (_says(OperatorResult("FAIL", "busy", retry_after=999)), {"step_policy": QUICK}),
    ],
)
def test_what_an_operator_says_counts_as_alone(operate: Any, options: dict[str, Any], database: str) -> None:
    made = plan("1. [act] dig → x\n2. [act] fill\n")
    submit_plan(database, made, "r")
    result, ledger = share(database, operate, **options), MemoryLedger()
    expected = ThinkEngine(made, operate, ledger=ledger, run_id="r", **options).run()
    assert evolve(result, run="") == evolve(expected, run="")
    with closing(PostgresLedger(database)) as other:
        assert _kept(other) == _kept(ledger)


def _kept(ledger: Ledger) -> list[Any]:
    """What the log says of steps, but for times."""
    records = (record for record in ledger.records("r") if record.step)
    return [(one.kind, one.step, one.attempt, {**one.data, "pause": 0}, one.changes) for one in records]


@pytest.mark.parametrize("is_async", [False, True])
def test_a_call_that_takes_too_long_is_told_to_stop(is_async: bool, database: str) -> None:
    submit_plan(database, plan("1. [act] a\n2. [act] b\n3. [act] c\n"), "r")
    stopped = list[str]()

    def slow(call: StepCall) -> None:
        if call.step.step_id == "1" and stop_event().wait(30):
            stopped.append(call.step.step_id)
        # The time in which others are at work does not count.
        time.sleep(0.15)

    async def slow_later(call: StepCall) -> None:
        try:
            await asyncio.sleep(30 if call.step.step_id == "1" else 0.15)
        except asyncio.CancelledError:
            stopped.append(call.step.step_id)
            raise

    operate: Any = slow_later if is_async else slow
    result = share(database, operate, order="data", step_policy=StepPolicy(timeout=0.4))
    assert [step.result for step in result.plan.steps] == ["no result within 0.4 seconds", "", ""]
    assert stopped == ["1"]


# ---------------------------------------------------------------- how a run ends


def test_a_budget_ends_it_for_all(rows: str) -> None:
    together = threading.Barrier(2)

    calls = list[str]()

    def operate(call: StepCall) -> OperatorResult:
        calls.append(call.key)
        if len(calls) <= 2:
            together.wait(30)
        return did(call)

    with sharing(2) as begin:
        results = [begin(rows, operate, order="data", budget=Budget(steps=5)) for _ in range(2)]
        said = [(each.result().outcome, each.result().reason) for each in results]
    assert said == [(Outcome.BUDGET, "the budget is used up: steps: 5")] * 2
    assert len(done(rows)) == 5
    assert share(rows, operate, order="data").outcome is Outcome.CONVERGED


def test_a_person_is_waited_for_by_all(database: str) -> None:
    submit_plan(database, plan("1. [act] a\n2. sign [act] b\n"), "r")
    together = threading.Barrier(2)

    def operate(_: StepCall) -> None:
        time.sleep(0.7)

    def begin_together() -> RunResult:
        together.wait(30)
        return share(database, operate, persons=["sign"])

    with ThreadPoolExecutor(2) as threads:
        results = [each.result() for each in [threads.submit(begin_together) for _ in range(2)]]
    assert [(result.outcome, result.waiting) for result in results] == [(Outcome.WAITING, "2")] * 2


def test_a_run_that_is_stopped_stops_for_all(rows: str) -> None:
    """What has been taken is done; what waits for a process is not, although it was begun in the log."""
    together, ended = threading.Barrier(3), list[str]()

    def operate(call: StepCall) -> OperatorResult:
        if len(ended) < 2:
            together.wait(30)
            time.sleep(0.5)
        ended.append(call.step.step_id)
        return did(call)

    with sharing(2) as begin, closing(PostgresLedger(rows)) as ledger:
        results = [begin(rows, operate, order="data") for _ in range(2)]
        together.wait(30)
        ledger.ask_to_stop("r")
        assert [each.result().outcome for each in results] == [Outcome.STOPPED] * 2
    assert (len(ended), sorted(done(rows))) == (2, sorted(ended))
    assert left(rows) == []
    assert share(rows, operate, order="data").outcome is Outcome.CONVERGED


def test_a_run_that_is_stopped_now_stops_for_all(rows: str) -> None:
    together = threading.Barrier(3)

    def operate(_: StepCall) -> OperatorResult:
        together.wait(30)
        stop_event().wait(30)
        raise ValueError("it was told to stop")

    with sharing(2) as begin, closing(PostgresLedger(rows)) as ledger:
        results, began = [begin(rows, operate, order="data") for _ in range(2)], time.monotonic()
        together.wait(30)
        ledger.ask_to_stop("r", now=True)
        assert [each.result().outcome for each in results] == [Outcome.STOPPED] * 2
    assert time.monotonic() - began < 20
    assert (done(rows), count(rows, RecordKind.FAILED)) == ([], 0)
    assert share(rows, did, order="data").outcome is Outcome.CONVERGED
    assert left(rows) == []


def test_what_ends_although_the_run_was_stopped_now_counts(rows: str) -> None:
    together, calls = threading.Barrier(3), list[str]()

    def operate(call: StepCall) -> OperatorResult:
        calls.append(call.step.step_id)
        if len(calls) <= 2:
            together.wait(30)
            time.sleep(4)
        return did(call)

    with sharing(2) as begin, closing(PostgresLedger(rows)) as ledger:
        results = [begin(rows, operate, order="data") for _ in range(2)]
        together.wait(30)
        ledger.ask_to_stop("r", now=True)
        assert [each.result().outcome for each in results] == [Outcome.STOPPED] * 2
    assert share(rows, operate, order="data").outcome is Outcome.CONVERGED
    assert (len(calls), left(rows)) == (len({*calls}), [])


def test_one_that_cannot_work_leaves_its_step_to_others(rows: str) -> None:
    keys = list[str]()

    def unable(call: StepCall) -> OperatorResult:
        keys.append(call.key)
        raise FatalError("there is no oven here")

    with sharing(2) as begin:
        first = begin(rows, unable, order="data")
        with pytest.raises(FatalError, match=r"^there is no oven here$"):
            first.result()
        second = begin(rows, World().operator, order="data")
        assert second.result().outcome is Outcome.CONVERGED
    assert len(keys) == 1
    with closing(PostgresLedger(rows)) as ledger:
        # It was begun again with its key, and has not failed.
        begun = Counter(record.data["key"] for record in ledger.records("r", kinds=[RecordKind.STARTED]))
        assert begun[keys[0]] == 2
        assert ledger.count("r", kinds=[RecordKind.FAILED]) == 0


def test_what_ends_while_its_process_leaves_counts(rows: str) -> None:
    both, calls = threading.Barrier(2), list[str]()

    def operate(call: StepCall) -> OperatorResult:
        calls.append(call.step.step_id)
        if len(calls) <= 2:
            both.wait(30)
            if call.step.step_id == "1":
                raise FatalError("there is no oven here")
            assert stop_event().wait(30)
        return did(call)

    with pytest.raises(FatalError, match="there is no oven here"):
        share(rows, operate, order="data", jobs=2)
    assert share(rows, operate, order="data").outcome is Outcome.CONVERGED
    assert Counter(calls) == {step.step_id: 2 if step.step_id == "1" else 1 for step in ROWS.steps}


@pytest.mark.parametrize(("error", "tries"), [(UnavailableError("the oven is hot"), 2), (KeyboardInterrupt("no"), 1)])
def test_one_that_cannot_work_for_now_ends_the_run(error: BaseException, tries: int, rows: str) -> None:
    calls = list[str]()

    def operate(call: StepCall) -> OperatorResult:
        calls.append(call.step.step_id)
        raise error

    with pytest.raises(type(error)):
        share(rows, operate, step_policy=evolve(QUICK, max_tries=2))
    assert (calls, done(rows), count(rows, RecordKind.FAILED)) == (["1"] * tries, [], 0)
    assert share(rows, World().operator, step_policy=evolve(QUICK, max_tries=3)).outcome is Outcome.CONVERGED


def test_what_is_wrong_with_a_worker_is_no_failure_of_a_step(rows: str) -> None:
    policies = iter([QUICK] * 4)

    def policy(_: StepCall) -> StepPolicy:
        return next(policies, None)  # type: ignore[return-value]

    with pytest.raises(TypeError, match="step_policy gives a StepPolicy"):
        share(rows, World().operator, step_policy=policy)
    assert count(rows, RecordKind.FAILED) == 0


# ---------------------------------------------------------------- holders and workers that are lost


def test_a_holder_that_has_lost_the_run_works_on(rows: str) -> None:
    """Another one takes over while it does a step; that is done once, and what came of it counts."""
    calls, is_taken = list[str](), threading.Event()

    def slow(call: StepCall) -> OperatorResult:
        calls.append(call.key)
        if len(calls) == 1:
            take_over(rows)
            is_taken.set()
            time.sleep(1)
        return did(call)

    with sharing(2) as begin:
        first = begin(rows, slow, order="data")
        assert is_taken.wait(30)
        second = begin(rows, slow, order="data")
        assert [first.result().outcome, second.result().outcome] == [Outcome.CONVERGED] * 2
    assert len(calls) == len({*calls}) == 12
    assert len(done(rows)) == 12


def test_outcomes_outlive_their_holder(rows: str) -> None:
    """It is interrupted while others are at work; what they write meanwhile is not done again."""
    calls, is_over = list[str](), threading.Event()
    is_at_work, may_leave = threading.Barrier(2), threading.Event()

    def leave(_: StepCall) -> OperatorResult:
        is_at_work.wait(30)
        may_leave.wait(30)
        raise FatalError("this one leaves")

    def go_on(call: StepCall) -> OperatorResult:
        calls.append(call.key)
        if len(calls) == 1:
            is_at_work.wait(30)
            may_leave.set()
            is_over.wait(30)
        return did(call)

    with sharing(2) as begin:
        first = begin(rows, leave, order="data")
        wait_until(lambda: left(rows))
        second = begin(rows, go_on, order="data")
        with pytest.raises(FatalError, match="this one leaves"):
            first.result()
        is_over.set()
        assert second.result().outcome is Outcome.CONVERGED
    assert len(calls) == len({*calls}) == 12
    assert len(done(rows)) == 12


@pytest.mark.parametrize("is_async", [False, True])
def test_a_call_that_is_no_longer_waited_for_is_told_to_stop(
    is_async: bool, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_BEAT", 0.1)
    submit_plan(database, plan("1. [act] a\n"), "r")
    calls, stopped = list[str](), list[bool]()

    def is_first(call: StepCall) -> bool:
        calls.append(call.key)
        if len(calls) == 1:
            # As if another process had taken it, and had left.
            execute(database, "UPDATE planspec.work SET owner = '', until = 0, take = take + 1")
        return len(calls) == 1

    def operate(call: StepCall) -> str:
        if is_first(call):
            stopped.append(stop_event().wait(30))
            raise FatalError("this call is no longer needed")
        return "in time"

    async def operate_later(call: StepCall) -> str:
        if is_first(call):
            try:
                await asyncio.sleep(30)
            except asyncio.CancelledError:
                stopped.append(True)
                raise
        return "in time"

    result = share(database, operate_later if is_async else operate, jobs=1)
    assert (stopped, len({*calls}), len(calls)) == ([True], 1, 2)
    assert result.plan.steps[0].result == "in time"


def test_calls_that_are_lost_are_made_again(rows: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as where someone has emptied the table."""
    monkeypatch.setattr(dispatcher, "_CENSUS", 0.1)
    calls = list[str]()

    def operate(call: StepCall) -> OperatorResult:
        calls.append(call.key)
        if len(calls) == 3:
            execute(rows, "DELETE FROM planspec.work")
        return did(call)

    assert share(rows, operate, order="data").outcome is Outcome.CONVERGED
    # What was handed in, and not yet taken out, is lost with the table.
    assert len({*calls}) == 12
    assert 13 <= len(calls) <= 15
    assert len(done(rows)) == 12


def test_a_call_that_ends_its_processes_has_failed(rows: str) -> None:
    calls = list[str]()

    def operate(call: StepCall) -> OperatorResult:
        calls.append(call.step.step_id)
        if len(calls) == 1:
            # As often as two of the others were taken before.
            said = "UPDATE planspec.work SET take = {} WHERE call LIKE '%step {} %' OR call LIKE '%step {}\"%'"
            execute(rows, said.format(5, 2, 2))
            execute(rows, said.format(4, 3, 3))
        return did(call)

    result = share(rows, operate, order="data")
    assert (result.outcome, "2" in calls, "3" in calls) == (Outcome.BLOCKED, False, True)
    assert result.plan.steps[1].result == "RuntimeError: 5 processes have ended while they made this call"


def test_one_that_shares_nothing_may_end_the_run(rows: str) -> None:
    is_at_work, may_end, calls = threading.Event(), threading.Event(), list[str]()

    def slow(call: StepCall) -> OperatorResult:
        calls.append(call.key)
        if len(calls) == 1:
            is_at_work.set()
            may_end.wait(30)
        return did(call)

    with sharing(1) as begin:
        first = begin(rows, slow, order="data")
        assert is_at_work.wait(30)
        take_over(rows)
        result = continue_run(rows, "r", World().operator, order="data")
        may_end.set()
        assert result is not None
        assert (first.result().outcome, first.result().outputs) == (Outcome.CONVERGED, result.outputs)
    assert len(calls) == 1
    assert left(rows) == []


def test_an_output_that_is_lost_is_no_failure_of_a_step(database: str) -> None:
    submit_plan(database, plan("1. [act] a → x\n2. [act] b\n  > ← x\n"), "r")

    def operate(call: StepCall) -> OperatorResult:
        if call.step.step_id == "2":
            execute(database, "DELETE FROM planspec.outputs")
            with pytest.raises(LedgerError):
                dict(call.inputs)
        return did(call)

    with pytest.raises(LedgerError, match="output x of record 4 of run r is missing"):
        share(database, operate)
    assert done(database) == ["1"]


# ---------------------------------------------------------------- what cannot be


def test_what_cannot_be_shared(database: str) -> None:
    with pytest.raises(TypeError, match="share: steps are shared in a database"):
        continue_run(MemoryLedger(), "r", World().operator, share=True)
    with pytest.raises(PlanRunError, match="there is no run to resume"):
        share(database, World().operator)
    with pytest.raises(ValueError, match="a run needs an id"):
        continue_run(database, "", World().operator, share=True)
    with pytest.raises(ValueError, match="jobs"):
        share(database, World().operator, jobs=0)


def test_a_loop_that_runs_is_not_blocked(rows: str) -> None:
    async def call() -> RunResult:
        with pytest.raises(RuntimeError, match=r"await asyncio.to_thread\(continue_run, …\) here"):
            share(rows, World().operator)
        return await asyncio.to_thread(share, rows, World().operator)

    assert asyncio.run(call()).outcome is Outcome.CONVERGED


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"step": {"step_id": 1}}', "[" * 100_000, '{"result": 1}'])
def test_texts_that_no_engine_writes(text: str) -> None:
    with pytest.raises(LedgerError, match="an outcome in the table of work is invalid"):
        work_texts.read_outcome(text)
    with pytest.raises(LedgerError, match="a call in the table of work is invalid"):
        work_texts.CallReader(MemoryLedger(), "r").read(text)


def test_errors_are_as_they_were() -> None:
    policy = StepPolicy(retry_on=(OSError,))
    for error in (OverdueError(2.5, has_ended=True), TransientError("a", retry_after=3), UnavailableError("b")):
        read = work_texts.read_outcome(work_texts.write_error(error, policy))
        assert (type(read), str(read), vars(read)) == (type(error), str(error), vars(error))
    read = work_texts.read_outcome(work_texts.write_error(OwnError("c"), policy))
    assert (type(read).__name__, str(read)) == ("OwnError", "c")
    read = work_texts.read_outcome(work_texts.write_error(OSError("d"), policy))
    assert (type(read), str(read)) == (TransientError, "OSError: d")
