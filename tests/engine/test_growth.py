"""Runs of any size and shape: time in proportion to them, and no recursion."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from planspec_lark import PlanSpec, PlanStep
from planspec_lark.engine import HopStatus, OperatorResult, Outcome, StepCall, ThinkEngine
from planspec_lark.engine.entries import ENTRIES, PlanEntry
from planspec_lark.engine.run_state import RunState
from planspec_lark.runs import SqliteLedger
from planspec_lark.runs.history import History
from planspec_lark.runs.ledger import Record, RecordKind, RunInfo
from tests.toolplan.measuring import grows_evenly


def flat(size: int) -> PlanSpec:
    return _plan([_step(str(at), f"thing {at}", outputs=[f"v{at}"]) for at in range(1, size + 1)])


def alike(size: int) -> PlanSpec:
    """All produce the same, and all but the first need it."""
    needs = [[], *([["x"]] * (size - 1))]
    return _plan([_step(str(at), "thing", inputs=names, outputs=["x"]) for at, names in enumerate(needs, 1)])


def crowded(size: int) -> PlanSpec:
    """Containers of a hundred steps."""
    return _plan(
        [
            PlanStep(str(at), "", "subtask", "s", children=[_step(f"{at}.{to}", "thing") for to in range(1, 101)])
            for at in range(1, size // 100 + 1)
        ]
    )


def looped(size: int) -> PlanSpec:
    """A few steps many times."""
    below = [_step("1.1", "a", inputs=["y"], outputs=["x"]), _step("1.2", "b", inputs=["x"], outputs=["y"])]
    return _plan([PlanStep("1", "", "subtask", "s", total_count=size, children=below)])


def deep(size: int) -> PlanSpec:
    step = _step(".".join("1" * size), "bottom")
    for depth in range(size - 1, 0, -1):
        step = PlanStep(".".join("1" * depth), "", "subtask", "s", children=[step])
    return _plan([step])


def _plan(steps: list[PlanStep]) -> PlanSpec:
    return PlanSpec(goal="g", steps=steps)


def _step(step_id: str, text: str, *, inputs: list[str] | None = None, outputs: list[str] | None = None) -> PlanStep:
    return PlanStep(step_id, "", "act", text, inputs or [], outputs or [])


def _operate(call: StepCall) -> OperatorResult:
    return OperatorResult(outputs=dict.fromkeys(call.step.outputs, 1))


def _run(plan: PlanSpec) -> None:
    assert ThinkEngine(plan, _operate).run().outcome is Outcome.CONVERGED


@pytest.mark.parametrize(("make", "size"), [(flat, 200), (alike, 200), (crowded, 300), (looped, 60)])
def test_time_grows_as_the_plan_does(make: Callable[[int], PlanSpec], size: int) -> None:
    assert grows_evenly(make, _run, size)


def lacking(size: int) -> PlanSpec:
    """Half of the steps lack something, and are blocked while the others are done."""
    needy = [_step(str(at), "need it", inputs=["never"]) for at in range(1, size // 2)]
    return _plan([*needy, *(_step(str(at), "thing", outputs=[f"v{at}"]) for at in range(size // 2, size + 1))])


def test_time_grows_as_the_plan_does_beside_blocked_steps() -> None:
    def operate(call: StepCall) -> OperatorResult:
        return OperatorResult(HopStatus.LACK_OF_INFO) if call.missing else _operate(call)

    def run(plan: PlanSpec) -> None:
        assert len(ThinkEngine(plan, operate).run().blocked) == len(plan.steps) // 2 - 1

    assert grows_evenly(lacking, run, 400)


def test_a_plan_of_a_thousand_levels() -> None:
    """Its ids alone are as long as the square of that."""
    _run(deep(1_000))


def test_the_history_takes_no_memory(tmp_path: object) -> None:
    ledger, state = SqliteLedger(f"{tmp_path}/ledger"), RunState()
    ledger._base.execute("PRAGMA synchronous = OFF")
    ledger.begin(RunInfo("r", 1.0))
    sizes: list[int] = []
    for count in (1_000, 4_000):
        for number in range(count):
            kind, data = (
                (RecordKind.DONE, {"result": "x" * 500}) if number % 2 else (RecordKind.STARTED, {"key": str(number)})
            )
            record = Record(kind, str(number % 10), "h", number, data)
            entry = ENTRIES.read(ledger.append("r", record, after=len(sizes) * 1_000 + number))
            assert isinstance(entry, PlanEntry)
            state.take(entry)
        tracemalloc.start()
        assert sum(1 for _ in History(ledger, "r")) > 0
        sizes.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert sizes[1] < 1.5 * sizes[0]
    assert len(state.finished) + len(state.attempts) + len(state.begun) <= 30
    ledger.close()
