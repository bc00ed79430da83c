"""How long a step may take, and tries of a step whose operator asks for another one."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from planspec_lark import awaitables
from planspec_lark.engine import (
    Budget,
    FatalError,
    HopStatus,
    OperatorResult,
    Outcome,
    StepCall,
    StepPolicy,
    ThinkEngine,
    ThinkEvent,
    TransientError,
    UnavailableError,
    preview_resumed,
)
from planspec_lark.llm import Program, model_operator, program_model
from planspec_lark.runs import Ledger, MemoryLedger, Record, RecordKind
from tests.cases import in_one_test
from tests.cli.running import is_gone
from tests.engine.worlds import World, failed, ok, plan
from tests.timing import with_longer_limits

ONE = "1. [act] one → x\n"
TWO = ONE + "2. [act] two\n  > ← x\n"
AT_ONCE = StepPolicy(pause=0)
BUSY = TransientError("busy")


def records(ledger: Ledger, *kinds: RecordKind) -> list[Record]:
    return list(ledger.records(ledger.runs()[-1].run, kinds=kinds))


def result_of(ledger: Ledger) -> str:
    return str(records(ledger, RecordKind.FAILED)[-1].data["result"])


# ---------------------------------------------------------------- tries


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("said", [BUSY, OperatorResult(HopStatus.FAIL, "busy", retry_after=0)])
def test_what_asks_for_another_try_gets_it(said: Any, jobs: int) -> None:
    world, ledger = World({"one": [said, said, ok(x=1)]}, {"one": ["RETRY"]}), MemoryLedger()
    result = world.run(TWO, jobs=jobs, ledger=ledger, step_policy=AT_ONCE)
    assert (result.outcome, world.ran) == (Outcome.CONVERGED, ["1", "1", "1", "2"])
    # It is one attempt: its key says that it was done already, so there is no reflection.
    assert len({(call.key, call.attempt) for call in world.calls[:3]}) == 1
    assert world.reflections == []
    assert world.kinds[:7] == ["begun", *["started 1", "postponed 1"] * 2, "started 1", "done 1"]
    tries = [
        (one.data["tries"], one.data["result"], one.data["status"]) for one in records(ledger, RecordKind.POSTPONED)
    ]
    assert tries == [(1, "busy", "FAIL"), (2, "busy", "FAIL")]


@pytest.mark.parametrize(("tries", "words"), [(1, "tried once"), (3, "tried 3 times")])
def test_where_tries_are_used_up_the_step_has_failed(tries: int, words: str) -> None:
    world, ledger = World({"one": [BUSY]}, {"one": ["RETRY", "PLAN_CMD: SKIP 1"]}), MemoryLedger()
    world.run(ONE, ledger=ledger, step_policy=StepPolicy(pause=0, max_tries=tries))
    # To retry is another attempt, which has tries of its own.
    assert world.ran == ["1"] * 2 * tries
    assert [call.attempt for call in world.calls] == [1] * tries + [2] * tries
    assert len({call.key for call in world.calls}) == 2
    assert [call.result for call in world.reflections] == [f"busy ({words})"] * 2


@pytest.mark.parametrize("said", [failed("no"), OperatorResult(outputs={"x": 1}, retry_after=5)])
def test_nothing_else_is_tried_again(said: OperatorResult) -> None:
    world = World({"one": [said]})
    world.run(ONE, step_policy=AT_ONCE)
    assert world.ran == ["1"]


def test_a_longer_pause_than_is_allowed() -> None:
    world, ledger = World({"one": [TransientError("busy", retry_after=301)]}), MemoryLedger()
    assert world.run(ONE, ledger=ledger).outcome is Outcome.BLOCKED
    assert world.ran == ["1"]
    assert result_of(ledger) == "busy (a retry in 301 seconds is too late: the longest pause is 300 seconds)"


def test_one_that_is_unavailable_ends_the_run_in_the_end() -> None:
    ledger, world = MemoryLedger(), World({"one": [UnavailableError("no net")]})
    with pytest.raises(FatalError, match="no net"):
        world.run(ONE, ledger=ledger, step_policy=AT_ONCE)
    assert world.ran == ["1"] * 3
    assert records(ledger, RecordKind.FAILED) == []
    # A run that continues has the tries that are left: this one.
    world = World({"one": [UnavailableError("no net")]})
    with pytest.raises(FatalError):
        world.engine(None, ledger=ledger, step_policy=AT_ONCE).run(resume=True)
    assert world.ran == ["1"]


def test_pauses_grow_up_to_a_bound() -> None:
    policy = StepPolicy(pause=2, factor=3, max_pause=50, jitter=0)
    assert [policy.pause_after(tries) for tries in (1, 2, 3, 4, 5, 10_000)] == [2, 6, 18, 50, 50, 50]
    shorter = [StepPolicy(pause=8, jitter=0.25).pause_after(1) for _ in range(200)]
    assert all(6 <= pause <= 8 for pause in shorter)
    assert len(set(shorter)) > 100


def test_tries_count_in_the_budget() -> None:
    world, ledger = World({"one": [BUSY, BUSY, ok(x=1)]}), MemoryLedger()
    result = world.run(ONE, ledger=ledger, step_policy=AT_ONCE, budget=Budget(steps=2))
    assert (result.outcome, world.ran, result.effort.llm_calls) == (Outcome.BUDGET, ["1", "1"], 2)
    result = world.engine(None, ledger=ledger, step_policy=AT_ONCE).run(resume=True)
    assert (result.outcome, world.ran) == (Outcome.CONVERGED, ["1"] * 3)
    assert len({call.key for call in world.calls}) == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_pause_is_no_longer_than_the_budget(jobs: int) -> None:
    def check(limit: float) -> None:
        world = World({"one": [TransientError(retry_after=limit + 45)]})
        began = time.monotonic()
        result = world.run(ONE, jobs=jobs, budget=Budget(seconds=limit))
        assert (result.outcome, world.ran) == (Outcome.BUDGET, ["1"])
        assert limit <= time.monotonic() - began < limit + 30

    with_longer_limits(check, 0.3)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_pause_can_be_interrupted(jobs: int) -> None:
    world, ledger = World({"one": [TransientError(retry_after=60), ok(x=1)]}), MemoryLedger()

    async def run() -> None:
        await asyncio.wait_for(world.engine(plan(ONE), ledger=ledger, jobs=jobs).arun(), 0.5)

    began = time.monotonic()
    with pytest.raises(TimeoutError):
        asyncio.run(run())
    assert time.monotonic() - began < 30


def cut_off(ledger: Ledger, pause: float) -> None:
    """A run that has died in a pause."""

    def tell(event: ThinkEvent) -> None:
        if event.kind is RecordKind.POSTPONED:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        World({"one": [TransientError(retry_after=pause)]}).run(ONE, ledger=ledger, on_event=tell)


def test_after_a_crash_in_a_pause_tries_are_counted() -> None:
    ledger = MemoryLedger()
    cut_off(ledger, 0)
    world = World({"one": [BUSY]})
    world.engine(None, ledger=ledger, step_policy=AT_ONCE).run(resume=True)
    assert world.ran == ["1", "1"]
    assert result_of(ledger) == "busy (tried 3 times)"
    assert len({one.data["key"] for one in records(ledger, RecordKind.STARTED)}) == 1
    assert {one.attempt for one in records(ledger, RecordKind.STARTED)} == {1}


def test_after_a_crash_in_a_pause_it_is_waited_for() -> None:
    ledger = MemoryLedger()
    cut_off(ledger, 1)
    World().engine(None, ledger=ledger).run(resume=True)
    (postponed,), started = records(ledger, RecordKind.POSTPONED), records(ledger, RecordKind.STARTED)
    assert started[-1].time - postponed.time >= 0.95
    cut_off(ledger, 60)
    # A reader does not wait, and neither does a policy without pauses.
    began = time.monotonic()
    assert [one.step.step_id for one in preview_resumed(plan(ONE), ledger, ledger.runs()[-1])] == ["1"]
    assert World().engine(None, ledger=ledger, step_policy=StepPolicy(max_pause=0)).run(resume=True).outputs == {
        "x": "one"
    }
    assert time.monotonic() - began < 30


def test_a_step_that_is_edited_in_a_pause_is_another_one(tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_text(f"Goal: g\n## Steps\n{ONE}")

    def operate(call: StepCall) -> OperatorResult:
        if call.step.description == "one":
            path.write_text(path.read_text().replace("one", "won"))
            raise TransientError(retry_after=0.2)
        assert call.attempt == 1
        return ok(x=call.step.description)

    assert ThinkEngine(path, operate, view_pause=0).run().outputs == {"x": "won"}


def test_errors_can_be_sent_to_another_process() -> None:
    for error in (TransientError("busy", retry_after=2.5), UnavailableError("no net")):
        made = pickle.loads(pickle.dumps(error))
        assert (type(made), str(made), made.retry_after) == (type(error), str(error), error.retry_after)


# ---------------------------------------------------------------- time limits

SHORT = StepPolicy(timeout=0.3)


@pytest.mark.parametrize("ends", [RuntimeError("torn"), TimeoutError(), ok("after all", x=2)])
def test_what_comes_of_a_step_that_is_cancelled_is_thrown_away(ends: Any) -> None:
    async def operate(_: StepCall) -> OperatorResult:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            if isinstance(ends, Exception):
                raise ends from None
        return ends  # type: ignore[no-any-return]

    ledger = MemoryLedger()
    ThinkEngine(plan(ONE), operate, ledger=ledger, step_policy=SHORT).run()
    assert result_of(ledger) == "no result within 0.3 seconds"


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_operators_own_timeout_is_no_other(jobs: int) -> None:
    ledger, world = MemoryLedger(), World({"one": [TimeoutError("the shop is closed")]})
    world.run(ONE, jobs=jobs, ledger=ledger, step_policy=StepPolicy(timeout=60))
    assert result_of(ledger) == "TimeoutError: the shop is closed"


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_thread_says_too_late_is_thrown_away(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(awaitables, "_GRACE", 0.1)
    gate, threads = threading.Event(), list[threading.Thread]()

    def operate(call: StepCall) -> OperatorResult:
        if call.step.step_id == "1" and call.attempt == 1:
            threads.append(threading.current_thread())
            gate.wait(60)
            return ok("too late", x="late")
        return OperatorResult(outputs=dict.fromkeys(call.step.outputs, "in time"))

    def policy(call: StepCall) -> StepPolicy:
        return SHORT if (call.step.step_id, call.attempt) == ("1", 1) else StepPolicy()

    ledger = MemoryLedger()
    engine = ThinkEngine(plan(TWO), operate, lambda _: "RETRY", jobs=jobs, ledger=ledger, step_policy=policy)
    try:
        result = engine.run()
        assert (result.outcome, result.outputs) == (Outcome.CONVERGED, {"x": "in time"})
        assert result_of(ledger) == "no result within 0.3 seconds: it could not be stopped, and its work continues"
        before = len(records(ledger))
    finally:
        gate.set()
    threads[0].join(30)
    assert len(records(ledger)) == before


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_program_that_takes_too_long_is_killed_with_its_children(jobs: int, tmp_path: Path) -> None:
    script = "sleep 60 &\necho $$ $! > pids\nwait\n"
    program = Program(["sh", "-c", script], cwd=tmp_path)
    pids, operate = tmp_path / "pids", model_operator(program_model(program))

    def check(limit: float) -> None:
        pids.write_text("")
        ledger = MemoryLedger()
        ThinkEngine(plan(ONE), operate, jobs=jobs, ledger=ledger, step_policy=StepPolicy(timeout=limit)).run()
        started = pids.read_text().split()
        assert len(started) == 2
        assert all(is_gone(int(pid)) for pid in started)
        # It has ended, so that a next attempt has nothing beside it.
        assert result_of(ledger) == f"no result within {limit:g} seconds"

    with_longer_limits(check, 0.5)


@pytest.mark.parametrize(("jobs", "limit"), [(1, None), (2, 60)])
def test_an_interrupt_kills_the_program_at_work(jobs: int, limit: float | None, tmp_path: Path) -> None:
    pids, main = tmp_path / "pids", threading.main_thread().ident
    assert main is not None

    def interrupt() -> None:
        while not pids.exists() or len(pids.read_text().split()) < 2:
            time.sleep(0.01)
        signal.pthread_kill(main, signal.SIGINT)

    program = Program(["sh", "-c", "sleep 60 &\necho $$ $! > pids\nwait\n"], cwd=tmp_path)
    operate, policy = model_operator(program_model(program)), StepPolicy(timeout=limit)
    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        ThinkEngine(plan(ONE), operate, jobs=jobs, step_policy=policy).run()
    assert time.monotonic() - began < 30
    assert all(is_gone(int(pid)) for pid in pids.read_text().split())


def test_a_process_does_not_wait_for_a_thread_that_takes_too_long(tmp_path: Path) -> None:
    script = (
        "import time\nfrom planspec_lark import parse_plan\nfrom planspec_lark.engine import StepPolicy, ThinkEngine\n"
        "plan = parse_plan('Goal: g\\n## Steps\\n1. [act] one\\n')\n"
        "engine = ThinkEngine(plan, lambda call: time.sleep(120), step_policy=StepPolicy(timeout=0.2))\n"
        "print(engine.run().outcome.value)\n"
    )
    began = time.monotonic()
    program = Program([sys.executable, "-c", script], env={"PYTHONPATH": os.pathsep.join(sys.path)}, cwd=tmp_path)
    assert program("") == "blocked\n"
    assert time.monotonic() - began < 60


# ---------------------------------------------------------------- policies


@in_one_test
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("timeout", [0, float("inf"), 10**400, float("nan"), True]),
        ("max_tries", [0, 1.5]),
        ("pause", [-1]),
        ("factor", [0.5]),
        ("max_pause", [1e9]),
        ("jitter", [1.1, "0"]),
        ("retry_on", [ConnectionError, ("ConnectionError",), (KeyboardInterrupt,)]),
    ],
)
def test_policies_that_are_none(name: str, values: list[Any]) -> None:
    for value in values:
        with pytest.raises((TypeError, ValueError), match=name):
            StepPolicy(**{name: value})


@in_one_test
@pytest.mark.parametrize("wrong", [-1, float("inf"), 10**400, float("nan"), "5", None, True])
def test_pauses_that_are_none(wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="retry_after"):
        TransientError("busy", retry_after=wrong)
    if wrong is not None:
        with pytest.raises((TypeError, ValueError), match="retry_after"):
            OperatorResult(HopStatus.FAIL, retry_after=wrong)


def test_what_is_no_policy() -> None:
    with pytest.raises(ValueError, match="StepPolicy"):
        ThinkEngine(plan(ONE), World().operator, step_policy=5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="step_policy gives a StepPolicy, not NoneType"):
        World().run(ONE, step_policy=lambda _: None)
