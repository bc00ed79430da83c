"""A run and its ledger: what goes on from that alone, who may write to it, and what is sent elsewhere."""

from __future__ import annotations

import os
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest

from planspec_lark import PlanSpec, PlanStatus, PlanStep, serialize_plan
from planspec_lark.engine import FatalError, OperatorResult, Outcome, PlanRunError, StepCall, StepPolicy, ThinkEngine
from planspec_lark.engine.entries import Done, StepPatch, about
from planspec_lark.engine.run_state import RunState
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.runs import Ledger, LedgerError, MemoryLedger, Record, RecordKind, SqliteLedger
from planspec_lark.runs.ledger import FencedError, RunBusyError, RunInfo
from tests.engine.worlds import World, ok, plan, shown

THREE = "1. [act] load the crane → a\n2. [act] weigh it → b\n  > ← a\n3. [act] lift it\n  > ← a, b\n"
VALUES: dict[str, Any] = {"load the crane": [ok("la", a="va")], "weigh it": [ok("lb", b="vb")]}


@pytest.fixture(params=["memory", "file"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Ledger:
    return MemoryLedger() if request.param == "memory" else SqliteLedger(tmp_path / "ledger")


def _stop(ledger: Ledger, at: str = "lift it") -> None:
    with pytest.raises(FatalError):
        World({**VALUES, at: [FatalError("no net")]}).run(plan(THREE), ledger=ledger)


@pytest.mark.parametrize("given", [None, plan(THREE)], ids=["nothing", "the plan as it was"])
def test_a_run_goes_on_from_its_ledger_alone(ledger: Ledger, given: Any) -> None:
    _stop(ledger)
    world = World(VALUES)
    result = world.run(given, resume=True, ledger=ledger)
    assert world.ran == ["3"]
    assert result.outcome is Outcome.CONVERGED
    assert result.outputs == {"a": "va", "b": "vb"}


def test_a_plan_that_was_edited_is_merged(ledger: Ledger) -> None:
    """What both have changed is as the edit has it."""
    _stop(ledger)
    edited = plan(THREE.replace("lift it", "lift it slowly").replace("2. [act]", "2. [~] [act]"))
    world = World(VALUES)
    result = world.run(edited, resume=True, ledger=ledger)
    assert shown(result.plan).startswith("1. [x] [act] load the crane → a | la\n2. [~] [act] weigh it")
    assert "lift it slowly" in shown(result.plan)
    (resumed,) = [event for event in world.events if event.kind is RecordKind.RESUMED]
    assert len(resumed.data["conflicts"]) == 1


def test_a_ledger_without_a_run(ledger: Ledger) -> None:
    with pytest.raises(PlanRunError, match="there is no run to resume"):
        World().run(None, resume=True, ledger=ledger)
    with pytest.raises(PlanRunError, match="there is no plan to begin with"):
        World().run(None, ledger=ledger)


def test_a_second_writer_is_refused(ledger: Ledger) -> None:
    """Somebody who has taken over the lease goes on with the run while this one is still at work."""

    def operate(call: StepCall) -> OperatorResult:
        run = ledger.runs()[-1].run
        ledger.append(run, Record(RecordKind.TOLD, "1"), after=ledger.count(run))
        return OperatorResult(outputs=dict.fromkeys(call.step.outputs, 1))

    with pytest.raises(FencedError, match="another process has continued run"):
        ThinkEngine(plan(THREE), operate, ledger=ledger).run()
    run = ledger.runs()[-1].run
    assert [record.seq for record in ledger.records(run)] == list(range(1, ledger.count(run) + 1))


def test_one_at_a_time(ledger: Ledger) -> None:
    def operate(_: StepCall) -> OperatorResult:
        ThinkEngine(None, operate, ledger=ledger).run(resume=True)
        return OperatorResult()

    with pytest.raises(RunBusyError, match="another process is working on run"):
        ThinkEngine(plan("1. [act] lift it\n"), operate, ledger=ledger).run()


class _Damaged(MemoryLedger):
    """A ledger from which values cannot be read."""

    def value(self, run: str, seq: int, name: str) -> Any:  # noqa: ARG002  (as it is called)
        raise LedgerError("the disk is gone")


@pytest.mark.parametrize("hides", [False, True])
def test_a_fault_of_the_ledger_is_no_failure_of_a_step(*, hides: bool) -> None:
    def operate(call: StepCall) -> OperatorResult:
        try:
            dict(call.inputs)
        except LedgerError:
            if not hides:
                raise
        return OperatorResult(outputs=dict.fromkeys(call.step.outputs, 1))

    ledger = _Damaged()
    with pytest.raises(LedgerError, match="the disk is gone"):
        ThinkEngine(plan(THREE), operate, ledger=ledger).run()
    kinds = [record.kind for record in ledger.records(ledger.runs()[0].run)]
    assert kinds == [RecordKind.BEGUN, RecordKind.STARTED, RecordKind.DONE, RecordKind.STARTED]


def test_a_call_can_be_sent_to_another_process() -> None:
    calls: list[StepCall] = []

    def operate(call: StepCall) -> OperatorResult:
        sent = pickle.loads(pickle.dumps(call))
        assert type(sent.inputs) is dict
        assert sent.inputs == dict(call.inputs)
        assert sent.plan_state() == call.plan_state()
        assert len(sent.history) == len(call.history)
        assert list(sent.history) == sent.history.last(10) == call.history.last(10)
        again = pickle.loads(pickle.dumps(sent))
        assert (again.key, again.step, again.inputs) == (call.key, call.step, dict(call.inputs))
        calls.append(sent)
        return OperatorResult(outputs=dict.fromkeys(call.step.outputs, 1))

    ThinkEngine(plan(THREE), operate).run()
    # What was sent stays as it was.
    assert "2. [>] [act] weigh it" in calls[1].plan_state()
    assert calls[2].inputs == {"a": 1, "b": 1}


@pytest.mark.skipif(os.name != "posix", reason="permissions of files are those of POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644])
def test_a_ledger_has_the_permissions_of_the_plan(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "plan.md"
    path.write_text(serialize_plan(plan(THREE)))
    path.chmod(mode)

    def operate(call: StepCall) -> OperatorResult:
        for name in ("plan.md.ledger", "plan.md.ledger-wal"):
            assert (tmp_path / name).stat().st_mode & 0o777 == mode
        return OperatorResult(outputs=dict.fromkeys(call.step.outputs, 1))

    assert ThinkEngine(path, operate).run().outcome is Outcome.CONVERGED


@pytest.mark.skipif(sys.platform != "linux", reason="counts calls of the system in the way of Linux")
def test_the_bytes_of_a_step_do_not_grow(tmp_path: Path) -> None:
    """The bytes that a step writes are the same in a plan of ten times the steps."""

    def measure(count: int) -> float:
        steps = "".join(f"{at}. [act] weigh crate {at}\n" for at in range(1, count + 1))
        path = tmp_path / f"{count}.md"
        path.write_text(f"Goal: g\n## Steps\n{steps}")
        before = _written()
        ThinkEngine(path, lambda _: OperatorResult(), view_pause=60).run()
        return (_written() - before) / count

    small, large = measure(60), measure(600)
    assert large < 1.5 * small


def _written() -> int:
    lines = Path("/proc/self/io").read_text().splitlines()
    return next(int(line.partition(":")[2]) for line in lines if line.startswith("wchar:"))


def test_a_value_can_be_read_before_it_is_kept() -> None:
    """A step in another thread may ask for it at that moment."""
    step, ledger = PlanStep("1", "", "act", "a"), MemoryLedger()
    ledger.begin(RunInfo("r", 1.0))
    writer = RunWriter(PlanSpec(goal="g", steps=[step]), RunState(), ledger, "r", None)
    given = {"x": [1, 2]}
    entry = writer.add(Done(**about(step, StepPatch(step, PlanStatus.DONE)), outputs=given, names=["x"]))
    value = writer.value(entry.seq, "x")
    assert (value, ledger.count("r")) == ([1, 2], 0)
    assert value is not given["x"]
    writer.fold(entry)
    writer.commit()
    assert writer.value(entry.seq, "x") == ledger.value("r", 1, "x") == [1, 2]


def test_what_says_how_long_a_step_may_take_sees_all_that_has_happened(ledger: Ledger) -> None:
    seen: list[tuple[int, int]] = []

    def policy(call: StepCall) -> StepPolicy:
        seen.append((len(call.history), len(call.inputs)))
        return StepPolicy()

    World().run(plan(THREE), ledger=ledger, step_policy=policy)
    assert seen == [(0, 0), (1, 1), (2, 2)]
