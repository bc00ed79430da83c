"""Steps that are at work side by side."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest
from attrs import define, field
from hypothesis import given, strategies as st

from planspec_lark.engine import Budget, Effort, FatalError, HopStatus, OperatorResult, Outcome, StepCall, ThinkEngine
from planspec_lark.planspec import PlanSpec, PlanStep, iter_steps
from planspec_lark.runs import MemoryLedger, RecordKind
from tests.engine.worlds import plan

FAN = "1. [act] split → x\n" + "".join(f"{at}. [act] part {at} → y{at}\n  > ← x\n" for at in range(2, 10))


@define
class Watch:
    """An operator that notes who is at work at the same time.

    Attributes:
        meeting: steps that do not end before all of them have been at work at the same time.
    """

    meeting: Sequence[str] = ()
    together: list[frozenset[str]] = field(factory=list)
    _now: set[str] = field(factory=set)
    _lock: Any = field(factory=threading.Lock)
    _have_met: threading.Event = field(factory=threading.Event)

    def __call__(self, call: StepCall) -> OperatorResult:
        with self._lock:
            self._now.add(call.step.step_id)
            self.together.append(frozenset(self._now))
            if self._now.issuperset(self.meeting):
                self._have_met.set()
        time.sleep(0.05)
        if call.step.step_id in self.meeting:
            self._have_met.wait(30)
        with self._lock:
            self._now.discard(call.step.step_id)
        return OperatorResult(outputs=dict.fromkeys(call.step.outputs, 1))

    @property
    def most(self) -> int:
        return max(map(len, self.together))


@pytest.mark.parametrize(("jobs", "most"), [(1, 1), (3, 3), (8, 8), (20, 8)])
def test_so_many_and_no_more(jobs: int, most: int) -> None:
    watch = Watch([str(at) for at in range(2, most + 2)])
    result = ThinkEngine(plan(FAN), watch, jobs=jobs).run()
    assert (result.outcome, watch.most) == (Outcome.CONVERGED, most)
    assert watch.together[0] == {"1"}


def test_asynchronous_steps_are_in_one_loop() -> None:
    loops, now, most = set[Any](), 0, 0

    async def operate(call: StepCall) -> OperatorResult:
        nonlocal now, most
        loops.add(asyncio.get_running_loop())
        now += 1
        most = max(most, now)
        # Nobody but the first one ends before four have met.
        while call.step.step_id != "1" and most < 4:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        now -= 1
        return OperatorResult(outputs=dict.fromkeys(call.step.outputs, 1))

    assert ThinkEngine(plan(FAN), operate, jobs=4).run().outcome is Outcome.CONVERGED
    assert (most, len(loops)) == (4, 1)
    assert asyncio.run(ThinkEngine(plan(FAN), operate, jobs=4).arun()).outcome is Outcome.CONVERGED


@pytest.mark.parametrize(
    ("steps", "order", "together", "apart"),
    [
        # A step without inputs waits for all before it.
        (
            "1. [act] a → x; 2. [act] b → y; > ← x; 3. [act] c → z; 4. [act] d; > ← x; 5. [act] e; > ← z",
            "text",
            "2 4",
            ["2 3", "3 5"],
        ),
        # Loops keep their meaning.
        (
            "1. [act] a → x; 2. [subtask] b | Progress: 0/2; 2.1. [act] c → y; > ← x; 2.2. [act] d; > ← x; "
            "3. [act] e; > ← y; 4. [act] f; > ← x",
            "text",
            "2.1 2.2 4",
            ["3 2.1", "3 2.2"],
        ),
        # By data, what has no inputs waits for nothing, and the others for what they take.
        ("1. [act] a; 2. [act] b; 3. [act] c; 4. [act] d", "text", "", ["1 2", "2 3", "3 4"]),
        ("1. [act] a; 2. [act] b; 3. [act] c; 4. [act] d", "data", "1 2 3 4", []),
        (
            "1. [act] a → x; 2. [subtask] b → y; > ← x; 2.1. [act] c → y; 3. [act] d; 4. [act] e; > ← y",
            "data",
            "1 3",
            ["1 2.1", "2.1 4"],
        ),
    ],
)
def test_what_is_done_side_by_side(steps: str, order: Any, together: str, apart: list[str]) -> None:
    watch = Watch(together.split())
    result = ThinkEngine(plan(steps.replace("; ", "\n")), watch, jobs=5, order=order).run()
    assert result.outcome is Outcome.CONVERGED
    assert not together or any({*together.split()} <= now for now in watch.together)
    assert not [pair for pair in apart if any({*pair.split()} <= now for now in watch.together)]


def test_what_is_no_order() -> None:
    with pytest.raises(ValueError, match="order"):
        ThinkEngine(plan(FAN), Watch(), order="fast")  # type: ignore[arg-type]


def test_a_failure_holds_back_only_what_waits_for_it() -> None:
    log: list[str] = []

    def operate(call: StepCall) -> OperatorResult:
        log.append(call.step.step_id)
        if call.step.step_id == "1" and call.attempt == 1:
            return OperatorResult(HopStatus.FAIL, "no")
        time.sleep(0.1)
        return OperatorResult(outputs=dict.fromkeys(call.step.outputs, 1))

    def reflect(_: Any) -> str:
        log.append("reflect")
        return "RETRY"

    steps = "1. [act] a → x\n2. [act] b\n  > ← k\n3. [act] c\n  > ← k\n4. [act] d\n  > ← x\n"
    assert ThinkEngine(plan(steps), operate, reflect, jobs=2).run().outcome is Outcome.CONVERGED
    # The third is begun where the first has failed and the second is at work.
    assert sorted(log[:3]) == ["1", "2", "3"]
    assert log[3:] == ["reflect", "1", "4"]


def test_a_failure_waits_for_what_is_at_work() -> None:
    """Nothing is begun beside a step that waits for a reflection, and nothing is changed beside one that is at work."""
    log: list[str] = []

    def operate(call: StepCall) -> OperatorResult:
        log.append(f"run {call.step.step_id}")
        if call.step.step_id == "2" and call.attempt == 1:
            return OperatorResult(HopStatus.FAIL, "no")
        time.sleep(0.1)
        log.append(f"end {call.step.step_id}")
        return OperatorResult(outputs=dict.fromkeys(call.step.outputs, 1))

    def reflect(_: Any) -> str:
        log.append("reflect")
        return "RETRY"

    result = ThinkEngine(plan(FAN), operate, reflect, jobs=3).run()
    assert result.outcome is Outcome.CONVERGED
    before = log[: log.index("reflect")]
    assert sum(line.startswith("run") for line in before) == sum(line.startswith("end") for line in before) + 1


def test_what_counts_no_calls_is_not_stopped_by_their_budget() -> None:
    def operate(call: StepCall) -> OperatorResult:
        return OperatorResult(outputs=dict.fromkeys(call.step.outputs, 1), effort=Effort(llm_calls=0))

    result = ThinkEngine(plan(FAN), operate, jobs=4, budget=Budget(llm_calls=1)).run()
    assert (result.outcome, result.effort.llm_calls) == (Outcome.CONVERGED, 0)


def test_one_that_cannot_work_ends_the_run_and_nothing_is_lost() -> None:
    def operate(call: StepCall) -> OperatorResult:
        if call.step.step_id == "2":
            raise FatalError("no net")
        time.sleep(0.1)
        return OperatorResult(outputs=dict.fromkeys(call.step.outputs, 1))

    ledger, watch = MemoryLedger(), Watch()
    with pytest.raises(FatalError):
        ThinkEngine(plan(FAN), operate, jobs=3, ledger=ledger).run()
    result = ThinkEngine(None, watch, jobs=3, ledger=ledger).run(resume=True)
    assert result.outcome is Outcome.CONVERGED
    done = [record.step for record in ledger.records(result.run, kinds=[RecordKind.DONE])]
    assert sorted(done) == sorted(set(done))


REPLACED = "1. [act] a → y\n2. [act] b → y\n  > ← x\n3. [act] c → z\n  > ← y\n"
REPLACED_IN_LOOP = (
    "1. [subtask] a | Progress: 0/2\n  1.1. [act] b → w\n  1.2. [act] c → z\n    > ← y, w\n"
    "  1.3. [act] d → y\n    > ← x\n"
)


@pytest.mark.parametrize(
    ("steps", "slow", "expected"),
    [
        # The value of the later step is the newer one, whichever is faster.
        (REPLACED, "1", "3.1 of 2.1"),
        # In the second round, a step gets the value of the first, until that of the second is due.
        (REPLACED_IN_LOOP, "1.1", "1.2.2 of 1.3.1"),
    ],
)
def test_a_value_is_not_replaced_before_its_turn(steps: str, slow: str, expected: str) -> None:
    calls: list[str] = []

    def operate(call: StepCall) -> OperatorResult:
        calls.append(call.step.step_id)
        work = f"{call.step.step_id}.{calls.count(call.step.step_id)}"
        if call.step.step_id == slow:
            time.sleep(0.2)
        given = str(call.inputs[call.step.inputs[0]]).partition(" ")[0] if call.step.inputs else "nothing"
        return OperatorResult(outputs=dict.fromkeys(call.step.outputs, f"{work} of {given}"))

    result = ThinkEngine(plan(steps), operate, jobs=3, inputs={"x": "0", "y": "0"}).run()
    assert (result.outcome, result.outputs["z"]) == (Outcome.CONVERGED, expected)


def test_many_steps_are_at_work_at_a_time() -> None:
    count, running, most = 250, 0, 0

    async def operate(_: StepCall) -> OperatorResult:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _turn in range(3 * count):
            await asyncio.sleep(0)
        running -= 1
        return OperatorResult()

    steps = "".join(f"{at}. [act] a {at}\n  > ← x\n" for at in range(1, count + 1))
    asyncio.run(ThinkEngine(plan(steps), operate, jobs=count, inputs={"x": 1}).arun())
    assert most == count


def _plans() -> st.SearchStrategy[PlanSpec]:
    names = st.lists(st.sampled_from("abcd"), max_size=2, unique=True)

    @st.composite
    def step(draw: st.DrawFn, step_id: str, depth: int) -> PlanStep:
        kind = draw(st.sampled_from(["act", "act", "reason", "subtask"] if depth else ["act"]))
        children = []
        if kind == "subtask":
            children = [draw(step(f"{step_id}.{at}", depth - 1)) for at in range(1, draw(st.integers(1, 3)) + 1)]
        rounds = draw(st.sampled_from([None, None, 2])) if kind == "subtask" else None
        inputs = [] if kind == "subtask" else draw(names)
        outputs = [] if kind == "subtask" else draw(names)
        return PlanStep(
            step_id, "", kind, f"do {step_id}", inputs=inputs, outputs=outputs, total_count=rounds, children=children
        )

    @st.composite
    def whole(draw: st.DrawFn) -> PlanSpec:
        steps = [draw(step(str(at), 2)) for at in range(1, draw(st.integers(1, 6)) + 1)]
        return PlanSpec(goal="g", steps=steps)

    return whole()


@given(_plans(), st.integers(2, 5), st.dictionaries(st.sampled_from("abcd"), st.integers(0, 3)))
def test_the_result_does_not_depend_on_how_many(made: PlanSpec, jobs: int, inputs: dict[str, int]) -> None:
    def operate(call: StepCall) -> OperatorResult:
        given = sorted((name, str(call.inputs[name])) for name in call.step.inputs if name in call.inputs)
        said = f"{call.step.step_id} of {given}"
        return OperatorResult(result=said[:50], outputs=dict.fromkeys(call.step.outputs, said[:80]))

    def run(count: int) -> tuple[Any, ...]:
        result = ThinkEngine(made, operate, jobs=count, inputs=inputs).run()
        statuses = [(step.step_id, step.status, step.result, step.done_count) for step in iter_steps(result.plan)]
        return result.outcome, result.reason, statuses, result.outputs

    assert run(jobs) == run(1)
