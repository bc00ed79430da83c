"""Records to keep in ledgers."""

from __future__ import annotations

from planspec_lark.runs import Ledger
from planspec_lark.runs.ledger import Record, RecordKind, StepUpdate


def full_record() -> Record:
    """A record in which nothing is empty."""
    return Record(
        RecordKind.DONE,
        "1.2",
        "abc",
        3,
        {"result": "a\x00\x1b\ud800文", "names": ["x", "y"], "moves": {"1": "2"}},
        {"x": [1, {"a": None}], "y": "\ud83d\ude00"},
        {
            "1.2": StepUpdate(("active", "done"), ("", "r"), (0, 1)),
            "1": StepUpdate(None, None, (1, 2)),
            "2": StepUpdate(),
        },
        "plan\n",
        "b",
        "a",
    )


def append(ledger: Ledger, record: Record, run: str = "r") -> Record:
    """Keep a record after all others."""
    return ledger.append(run, record, after=ledger.count(run))
