"""What the steps of a run have taken, where they get other ids on the way."""

from __future__ import annotations

from typing import Any

from planspec_lark.runs import MemoryLedger, Record, RecordKind, RunInfo
from planspec_lark.runs.summary import StepSum, summarize_run


def _sums(*records: tuple[RecordKind, str, dict[str, Any]]) -> list[StepSum]:
    """The sums of a run with these records."""
    ledger = MemoryLedger()
    ledger.begin(RunInfo("r", 1.0))
    for kind, step, data in records:
        ledger.append("r", Record(kind, step, data=data), after=ledger.count("r"))
    return summarize_run(ledger, "r")


def test_steps_move_at_once_and_after_what_their_record_says() -> None:
    sums = _sums(
        (RecordKind.STARTED, "2", {}),
        (RecordKind.DONE, "2", {"tokens": 20}),
        (RecordKind.STARTED, "3", {}),
        # Step 3 has failed, and a step is added in front of it and of the one before.
        (RecordKind.FAILED, "3", {"tokens": 30, "moves": {"2": "3", "3": "4"}}),
        (RecordKind.STARTED, "2", {}),
        (RecordKind.DONE, "2", {"tokens": 5}),
    )
    assert {one.step: (one.attempts, one.tokens) for one in sums} == {
        "3": (1, 20),
        "4": (1, 30),
        "2": (1, 5),
        "": (3, 55),
    }


def test_what_a_step_fails_with_and_is_blocked_by_is_told_once() -> None:
    failed = [(RecordKind.STARTED, "1", {}), (RecordKind.FAILED, "1", {"result": "no oven"})]
    blocked = (RecordKind.BLOCKED, "1", {"result": "no oven"})
    other = (RecordKind.BLOCKED, "1", {"reason": "inputs are missing"})
    sums = _sums(*failed, *failed, blocked, other, *failed, blocked)
    assert sums[0].errors == ["no oven", "no oven", "inputs are missing", "no oven"]
