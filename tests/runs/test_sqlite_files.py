"""Ledgers in files: a run is the same as in memory, and what is no ledger is refused."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest

from planspec_lark.planspec import GRAMMAR_VERSION
from planspec_lark.runs import LedgerError, MemoryLedger, SqliteLedger, sqlite_ledger
from planspec_lark.runs.ledger import RunInfo
from tests.corpus import ROOT
from tests.engine.worlds import World, plan
from tests.runs.records import append, full_record

ONE = "Goal: g\n## Steps\n1. [act] a\n"


def test_a_run_is_the_same_in_both(tmp_path: Path) -> None:
    given = plan("1. [act] a → x\n2. [act] b\n  > ← x\n")
    (tmp_path / "p").write_text("Goal: g\n## Steps\n1. [act] a → x\n2. [act] b\n  > ← x\n")
    memory, file = MemoryLedger(), SqliteLedger(tmp_path / "other")
    results = [World().run(given, ledger=memory), World().run(given, ledger=file), World().run(tmp_path / "p")]
    assert results[0].plan == results[1].plan == results[2].plan
    own = SqliteLedger(tmp_path / "p.ledger", read_only=True)
    seen = [
        [
            (one.kind, one.step, one.hash, one.attempt, one.changes, one.plan, one.before, one.after)
            for one in ledger.records(ledger.runs()[0].run)
        ]
        for ledger in (memory, file, own)
    ]
    assert seen[0] == seen[1] == seen[2]
    own.close()
    file.close()


# ---------------------------------------------------------------- what is no ledger


def _refusal(path: Path, *, read_only: bool = False) -> str:
    with pytest.raises(LedgerError) as error:
        _read_all(path, read_only=read_only)
    return str(error.value).replace(str(path), "FILE")


def _read_all(path: Path, *, read_only: bool) -> None:
    ledger = SqliteLedger(path, read_only=read_only)
    try:
        list(ledger.runs())
        list(ledger.records("r"))
    finally:
        ledger.close()


def _make(path: Path, *statements: str) -> Path:
    base = sqlite3.connect(path)
    for statement in statements:
        base.execute(statement)
    base.commit()
    base.close()
    return path


@pytest.mark.parametrize("read_only", [True, False])
def test_files_of_others(tmp_path: Path, *, read_only: bool) -> None:
    (tmp_path / "text").write_text("no" * 5000)
    assert _refusal(tmp_path / "text", read_only=read_only) == "FILE: file is not a database"
    other = _make(tmp_path / "other", "CREATE TABLE runs (run)")
    assert _refusal(other, read_only=read_only) == "FILE: this is not a ledger of plans"
    strange = _make(tmp_path / "strange", "PRAGMA application_id = 7")
    assert _refusal(strange, read_only=read_only) == "FILE: this is not a ledger of plans"
    SqliteLedger(tmp_path / "later").close()
    later = _make(tmp_path / "later", "PRAGMA user_version = 9")
    assert _refusal(later, read_only=read_only) == "FILE: this is a ledger of another version (9)"
    assert sqlite3.connect(other).execute("SELECT sql FROM sqlite_schema").fetchall() == [("CREATE TABLE runs (run)",)]


def test_a_record_waits_for_the_disk(tmp_path: Path) -> None:
    """Nothing but a crash of the machine would show it."""
    ledger = SqliteLedger(tmp_path / "l")
    (mode,), (level,) = (ledger._base.execute(f"PRAGMA {name}").fetchone() for name in ("journal_mode", "synchronous"))
    ledger.close()
    assert (mode, level) == ("wal", 2)


def test_an_empty_file_becomes_a_ledger(tmp_path: Path) -> None:
    (tmp_path / "l").touch()
    reader = SqliteLedger(tmp_path / "l", read_only=True)
    assert reader.runs() == []
    reader.close()
    assert (tmp_path / "l").read_bytes() == b""
    SqliteLedger(tmp_path / "l").close()
    reader = SqliteLedger(tmp_path / "l", read_only=True)
    with pytest.raises(LedgerError, match="attempt to write a readonly database"):
        reader.begin(RunInfo("r", 1.0))
    reader.close()


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert _refusal(tmp_path / "l", read_only=True) == "FILE: there is no ledger here; a run makes it"
    assert _refusal(tmp_path / "none" / "l") == "FILE: unable to open database file"
    assert _refusal(tmp_path) == "FILE: unable to open database file"
    assert _refusal(tmp_path, read_only=True) == "FILE: there is no ledger here; a run makes it"
    assert not (tmp_path / "l").exists()


@pytest.mark.parametrize("read_only", [True, False])
def test_a_pipe_is_not_waited_for(tmp_path: Path, *, read_only: bool) -> None:
    os.mkfifo(tmp_path / "l")
    code = f"import sys; from planspec_lark.runs import SqliteLedger; SqliteLedger(sys.argv[1], read_only={read_only})"
    command = [sys.executable, "-c", code, str(tmp_path / "l")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert "LedgerError" in done.stderr


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("UPDATE records SET data = 'x'", "Expecting value: line 1 column 1 (char 0)"),
        ("UPDATE records SET data = '[]'", "expected an object"),
        ("UPDATE records SET kind = 'x\x1b'", "'x\\x1b' is not a valid RecordKind"),
        ("UPDATE records SET changes = '{\"1\": [1]}'", "'int' object is not subscriptable"),
        ("UPDATE runs SET inputs = '7'", "expected an object"),
    ],
)
def test_records_that_no_run_writes(tmp_path: Path, statement: str, why: str) -> None:
    ledger = SqliteLedger(tmp_path / "l")
    ledger.begin(RunInfo("r", 1.0))
    append(ledger, full_record())
    ledger.close()
    _make(tmp_path / "l", statement)
    assert _refusal(tmp_path / "l") == f"FILE: this is not a ledger of plans ({why})"


@pytest.mark.parametrize(
    "change",
    [
        "SET data = '{}'",
        "SET kind = 'ended', data = '{}'",
        "SET data = '{\"moves\": 7}'",
        'SET data = \'{"tokens": "x"}\'',
        'SET data = \'{"tokens": 7, "model": 7}\'',
        "SET plan = 'no plan'",
    ],
)
def test_a_run_does_not_continue_with_records_that_no_run_writes(tmp_path: Path, change: str) -> None:
    path = tmp_path / "p"
    path.write_text(ONE)
    World().run(path)
    _make(tmp_path / "p.ledger", f"UPDATE records {change}")
    with pytest.raises(LedgerError):
        World().run(path, resume=True)


@pytest.mark.parametrize(("written", "is_read"), [("1.7", True), ("2.0", False), ("1", False), ("", False), (1, False)])
def test_a_run_of_another_grammar(tmp_path: Path, written: object, *, is_read: bool) -> None:
    path = tmp_path / "p"
    path.write_text(ONE)
    World().run(path)
    data = json.dumps({"grammar": written})
    _make(tmp_path / "p.ledger", f"UPDATE records SET data = json_patch(data, '{data}') WHERE kind = 'begun'")
    if is_read:
        World().run(path, resume=True)
        return
    with pytest.raises(LedgerError, match=f"was written with grammar {written}, and this reads {GRAMMAR_VERSION}"):
        World().run(path, resume=True)


def test_a_file_that_is_cut_off(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "l")
    ledger.begin(RunInfo("r", 1.0))
    for _ in range(50):
        append(ledger, full_record())
    ledger.close()
    data = (tmp_path / "l").read_bytes()
    for size in (100, 4096, len(data) // 2):
        (tmp_path / "cut").write_bytes(data[:size])
        with pytest.raises(LedgerError):
            append(SqliteLedger(tmp_path / "cut"), full_record())


def test_a_ledger_is_made_once_although_two_begin_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process makes it after the first one has seen that there is nothing."""
    path, switch = tmp_path / "ledger", sqlite_ledger._switch_to_wal

    def wait(base: sqlite3.Connection) -> None:
        monkeypatch.setattr(sqlite_ledger, "_switch_to_wal", switch)
        with closing(SqliteLedger(path)) as other:
            other.begin(RunInfo("r", 1.0))
        switch(base)

    monkeypatch.setattr(sqlite_ledger, "_switch_to_wal", wait)
    with closing(SqliteLedger(path)) as ledger:
        assert [info.run for info in ledger.runs()] == ["r"]


def test_who_writes_while_a_ledger_is_opened_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as base:
        base.execute("BEGIN IMMEDIATE")
        end = Timer(0.3, base.execute, ["COMMIT"])
        end.start()
        with closing(SqliteLedger(path)) as ledger:
            assert not ledger.runs()
        end.join()


def test_a_ledger_that_another_program_has_locked(tmp_path: Path) -> None:
    ledger = SqliteLedger(tmp_path / "l")
    ledger.begin(RunInfo("r", 1.0))
    ledger._base.execute("PRAGMA busy_timeout = 1")
    other = sqlite3.connect(tmp_path / "l", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerError, match="database is locked"):
        append(ledger, full_record())
    other.execute("ROLLBACK")
    assert append(ledger, full_record()).seq == 1
    ledger.close()
    other.close()


def test_names_of_files_steer_nothing(tmp_path: Path) -> None:
    strange = tmp_path / "\x1b[2J?#%41"
    SqliteLedger(strange).close()
    assert sorted(os.listdir(tmp_path)) == ["\x1b[2J?#%41"]
    (tmp_path / "\x1b").write_text("no" * 5000)
    with pytest.raises(LedgerError) as error:
        SqliteLedger(tmp_path / "\x1b")
    assert "\x1b" not in str(error.value)


def test_a_ledger_of_one_s_own_stays_open(tmp_path: Path) -> None:
    (tmp_path / "p").write_text(ONE)
    ledger = SqliteLedger(tmp_path / "l")
    World().run(tmp_path / "p", ledger=ledger)
    assert len(ledger.runs()) == 1
    assert not (tmp_path / "p.ledger").exists()
    # Nothing in it is a pickle.
    for (table,) in ledger._base.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        for row in ledger._base.execute(f"SELECT * FROM {table}"):
            assert not any(isinstance(value, bytes) for value in row)
    ledger.close()
