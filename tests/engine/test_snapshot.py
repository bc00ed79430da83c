"""Snapshots: a replay that begins with one comes to the same as one of all records, and a bad one does no harm."""

from __future__ import annotations

import base64
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from planspec_lark import PlanStatus, iter_steps
from planspec_lark.engine import Budget, OperatorResult, Outcome, StepCall, ThinkEngine
from planspec_lark.engine.resume import PastRun, replay
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.engine.snapshot import read_snapshot
from planspec_lark.runs import Record, SqliteLedger, ledger_path
from planspec_lark.runs.ledger import LedgerError

STEPS = 20


@pytest.fixture(autouse=True)
def _many_snapshots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("planspec_lark.engine.run_writer._BETWEEN_SNAPSHOTS", 5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rows = (f"{at}. [act] thing {at} → v{at}\n" for at in range(1, STEPS + 1))
    (tmp_path / "plan").write_text("Goal: g\n## Steps\n" + "".join(rows))
    return tmp_path / "plan"


def _operate(call: StepCall) -> OperatorResult:
    return OperatorResult(result="done", outputs=dict.fromkeys(call.step.outputs, call.step.step_id))


class _Reader(SqliteLedger):
    """A ledger that knows which of its records were read."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.read: list[int] = []

    def records(self, run: str, **options: Any) -> Iterator[Record]:
        for record in super().records(run, **options):
            self.read.append(record.seq)
            yield record


def _replay(path: Path) -> tuple[PastRun, list[int]]:
    with closing(_Reader(ledger_path(path))) as ledger:
        run = ledger.runs()[-1].run
        return replay(ledger, run), ledger.read


def _change(path: Path, *statements: str, **values: Any) -> None:
    with closing(sqlite3.connect(ledger_path(path))) as base:
        for statement in statements:
            assert base.execute(statement, values).rowcount >= 1
        base.commit()


def _stopped(path: Path) -> PastRun:
    """A run that has stopped behind its last snapshot, and what all of its records come to."""
    ThinkEngine(path, _operate, budget=Budget(steps=STEPS - 3)).run()
    past, read = _replay(path)
    count = read[-1]
    assert read == [*range(past.snapped, count + 1)]
    assert 1 < past.snapped < count
    with closing(SqliteLedger(ledger_path(path))) as ledger:
        run = ledger.runs()[-1].run
        text = ledger.snapshot(run)
        assert text is not None
        ledger.add_snapshot(run, "")
        whole = replay(ledger, run)
        ledger.add_snapshot(run, text)
    assert whole.snapped == 0
    return whole


def test_a_replay_begins_with_the_last_snapshot(path: Path) -> None:
    whole = _stopped(path)
    past, _ = _replay(path)
    assert (past.state, past.plan) == (whole.state, whole.plan)
    result = ThinkEngine(path, _operate).run(resume=True)
    assert result.outcome is Outcome.CONVERGED
    assert result.outputs == {f"v{at}": str(at) for at in range(1, STEPS + 1)}
    assert all(step.status is PlanStatus.DONE for step in iter_steps(result.plan))


def test_between_two_snapshots_lie_as_many_records_as_the_plan_has_steps(path: Path) -> None:
    found = []

    def look(_: object) -> None:
        with closing(SqliteLedger(ledger_path(path))) as ledger:
            snapshot = read_snapshot(ledger.snapshot(ledger.runs()[-1].run))
            if snapshot is not None and snapshot.seq not in found:
                found.append(snapshot.seq)

    ThinkEngine(path, _operate, on_event=look).run()
    assert found == [STEPS, 2 * STEPS]
    # A run that continues counts from the last one.
    for _ in range(STEPS // 2 - 1):
        assert found == [STEPS, 2 * STEPS]
        ThinkEngine(path, _operate, on_event=look).run(resume=True)
    assert found == [STEPS, 2 * STEPS, 3 * STEPS]


def test_the_plan_itself_may_have_changed(path: Path) -> None:
    _stopped(path)
    text = path.read_text()
    path.write_text(text.replace(f"{STEPS}. [act] thing", f"{STEPS}. [act] another thing"))
    result = ThinkEngine(path, _operate).run(resume=True)
    past, read = _replay(path)
    assert past.plan == result.plan
    assert past.plan.steps[-1].description.startswith("another")
    assert read[0] == past.snapped > 1


def _flip(text: str) -> str:
    at = len(text) // 2
    return text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1 :]


def _unpack(text: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(text)))
    return value


def _packed(text: str, **changes: Any) -> str:
    return base64.b64encode(zlib.compress(json.dumps({**_unpack(text), **changes}).encode())).decode()


DAMAGES: list[Callable[[str], str]] = [
    lambda _: "",
    lambda _: "…",
    lambda _: "AAAA",
    lambda text: text[:-8],
    lambda text: text[: len(text) // 8 * 4],
    _flip,
    lambda text: base64.b64encode(base64.b64decode(text)[:-4] + b"abcd").decode(),
    lambda text: _packed(text, version="0.0.1"),
    lambda text: _packed(text, seq=_unpack(text)["seq"] - 1),
    lambda text: _packed(text, seq=10_000),
    lambda text: _packed(text, seq=0),
    lambda text: _packed(text, time=1.0),
    lambda text: _packed(text, state={**_unpack(text)["state"], "other": 1}),
    lambda text: _packed(text, state={}),
    lambda text: _packed(text, after="0" * 32),
]


def test_a_snapshot_that_is_of_no_use_is_left_aside(path: Path) -> None:
    whole = _stopped(path)
    with closing(SqliteLedger(ledger_path(path))) as ledger:
        text = ledger.snapshot(ledger.runs()[-1].run)
    assert text is not None
    # Packed again without changes, it is of use.
    _change(path, "UPDATE snapshots SET text = :text", text=_packed(text))
    assert _replay(path)[0].snapped > 0
    for damage in DAMAGES:
        _change(path, "UPDATE snapshots SET text = :text", text=damage(text))
        past, _ = _replay(path)
        assert (past.state, past.plan, past.snapped) == (whole.state, whole.plan, 0)
    assert ThinkEngine(path, _operate).run(resume=True).outcome is Outcome.CONVERGED


def test_a_snapshot_that_cannot_be_read_or_is_of_another_shape(path: Path) -> None:
    whole = _stopped(path)
    with closing(SqliteLedger(ledger_path(path))) as ledger:
        text = ledger.snapshot(ledger.runs()[-1].run)
    assert text is not None
    _change(path, "UPDATE snapshots SET text = CAST(x'ff00fe' AS TEXT)")
    past, _ = _replay(path)
    assert (past.state, past.plan, past.snapped) == (whole.state, whole.plan, 0)
    _change(path, "UPDATE snapshots SET text = :text", text=_packed(text, state=[1]))
    with pytest.raises(LedgerError, match="the records of run"):
        _replay(path)


def test_records_that_are_gone_are_gone(path: Path) -> None:
    """The snapshot knows of them, and does not count."""
    _stopped(path)
    snapped = _replay(path)[0].snapped
    _change(path, f"DELETE FROM records WHERE seq >= {snapped}")
    past, _ = _replay(path)
    assert past.snapped == 0
    assert past.state.last is not None
    assert past.state.last.seq == snapped - 1


def test_a_file_that_shows_where_the_run_stands_is_not_written_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ThinkEngine(path, _operate).run()
    text, written = path.read_text(), []
    monkeypatch.setattr(RunWriter, "write_view", lambda _: written.append(1))
    ThinkEngine(path, _operate).run(resume=True)
    assert not written
    # What was noted last is what an edit is compared with.
    _change(path, "UPDATE views SET text = 'Goal: other' WHERE text IS NOT NULL")
    ThinkEngine(path, _operate).run(resume=True)
    assert written
    assert path.read_text() == text
