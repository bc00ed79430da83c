"""A ledger in a file of SQLite. What was appended outlives a crash of the machine."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from attrs import evolve

from planspec_lark.runs.ledger import Change, Kind, LedgerError, Record, RunInfo
from planspec_lark.syntax.source import visible, visible_name

__all__ = ["SqliteLedger", "ledger_path"]

# "PSLG", and the version of the tables.
_APPLICATION, _VERSION = 0x50534C47, 1
_TABLES = """
CREATE TABLE runs (
  number INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL UNIQUE, time REAL NOT NULL, inputs TEXT NOT NULL
);
CREATE TABLE records (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  run TEXT NOT NULL REFERENCES runs (run), kind TEXT NOT NULL,
  step TEXT NOT NULL, hash TEXT NOT NULL, attempt INTEGER NOT NULL,
  time REAL NOT NULL, data TEXT NOT NULL, changes TEXT NOT NULL,
  plan TEXT, before TEXT NOT NULL, after TEXT NOT NULL
);
CREATE INDEX by_step ON records (run, step, hash, attempt);
CREATE INDEX by_kind ON records (run, kind, seq);
CREATE TABLE outputs (
  seq INTEGER NOT NULL REFERENCES records, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (seq, name)
) WITHOUT ROWID;
"""
_COLUMNS = "kind, step, hash, attempt, data, changes, plan, before, after, seq, time"
_INSERT = "INSERT INTO records VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ROWS_AT_A_TIME = 200


def ledger_path(plan: Path) -> Path:
    """The file beside a plan that holds its ledger."""
    return plan.with_name(plan.name + ".ledger")


class SqliteLedger:
    """A ledger in a file.

    Args:
        path: the file, which is made if need be.
        read_only: nothing is written, and there has to be a file.

    Raises:
        LedgerError: it cannot be opened, or is something else.
    """

    def __init__(self, path: Path | str, *, read_only: bool = False) -> None:
        self._name = visible_name(str(path))
        home = Path(path)
        if read_only and not home.is_file():
            raise LedgerError(f"{self._name}: there is no ledger here")
        with self._errors():
            uri = f"{home.absolute().as_uri()}?{_reading(home) if read_only else 'mode=rwc'}"
            # The engine may be driven from several threads, one at a time.
            self._base = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
            try:
                self._open(read_only=read_only)
            except BaseException:
                self._base.close()
                raise

    def _open(self, *, read_only: bool) -> None:
        base = self._base
        application = base.execute("PRAGMA application_id").fetchone()[0]
        version = base.execute("PRAGMA user_version").fetchone()[0]
        is_empty = base.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0
        if application != _APPLICATION and not (is_empty and application == 0):
            raise LedgerError(f"{self._name}: this is no ledger of plans")
        if application == _APPLICATION and version != _VERSION:
            raise LedgerError(f"{self._name}: this is a ledger of another version ({version})")
        if read_only and is_empty:
            # Whoever began to make it was stopped before there was anything in it.
            base.close()
            self._base = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
            self._base.executescript(_TABLES)
            return
        if read_only:
            base.execute("PRAGMA query_only = ON")
            return
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = FULL")
        if application != _APPLICATION:
            script = f"PRAGMA application_id = {_APPLICATION}; PRAGMA user_version = {_VERSION};"
            base.executescript(f"BEGIN IMMEDIATE; {_TABLES} {script} COMMIT;")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise LedgerError(f"{self._name}: {visible(str(error))}") from None
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            # JSON that no ledger writes, or a path that is none.
            raise LedgerError(f"{self._name}: this is no ledger of plans ({visible(str(error))})") from None

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def runs(self) -> Sequence[RunInfo]:
        """All runs, the oldest first."""
        with self._errors():
            rows = self._base.execute("SELECT run, time, inputs FROM runs ORDER BY number").fetchall()
            return [RunInfo(run, float(at), _object(inputs)) for run, at, inputs in rows]

    def begin(self, info: RunInfo) -> None:
        """Note a new run."""
        row = (info.run, info.time, json.dumps(dict(info.inputs), allow_nan=False))
        with self._errors():
            self._base.execute("INSERT INTO runs VALUES (NULL, ?, ?, ?)", row)

    def append(self, run: str, record: Record) -> Record:
        """Keep a record: it is on the disk when this returns."""
        at = time.time()
        outputs = [(name, json.dumps(value, allow_nan=False)) for name, value in record.outputs.items()]
        row = (
            *(run, record.kind.value, record.step, record.hash, record.attempt, at),
            json.dumps(dict(record.data), allow_nan=False),
            _write_changes(record.changes),
            *(record.plan, record.before, record.after),
        )
        with self._errors():
            self._base.execute("BEGIN IMMEDIATE")
            try:
                seq = self._base.execute(_INSERT, row).lastrowid
                for name, value in outputs:
                    self._base.execute("INSERT INTO outputs VALUES (?, ?, ?)", (seq, name, value))
                self._base.execute("COMMIT")
            except BaseException:
                self._base.rollback()
                raise
        return evolve(record, outputs={}, seq=seq or 0, time=at)

    def records(
        self, run: str, *, kinds: Sequence[Kind] = (), newest_first: bool = False, limit: int | None = None
    ) -> Iterator[Record]:
        """The records of a run, read some at a time."""
        last, left = None, limit
        while left is None or left > 0:
            count = _ROWS_AT_A_TIME if left is None else min(left, _ROWS_AT_A_TIME)
            with self._errors():
                rows = [_read(row) for row in self._select(run, kinds, last, newest_first, count)]
            yield from rows
            if len(rows) < count:
                return
            last = rows[-1].seq
            left = None if left is None else left - len(rows)

    def _select(
        self, run: str, kinds: Sequence[Kind], last: int | None, newest_first: bool, count: int
    ) -> list[tuple[Any, ...]]:
        where, values = _where(run, kinds)
        if last is not None:
            where += f" AND seq {'<' if newest_first else '>'} {last:d}"
        order = "DESC" if newest_first else "ASC"
        # Nothing but names and numbers of our own stands in the statement.
        statement = f"SELECT {_COLUMNS} FROM records WHERE {where} ORDER BY seq {order} LIMIT {count:d}"  # noqa: S608
        return self._base.execute(statement, values).fetchall()

    def count(self, run: str, *, kinds: Sequence[Kind] = ()) -> int:
        """How many records a run has."""
        where, values = _where(run, kinds)
        with self._errors():
            row = self._base.execute(f"SELECT count(*) FROM records WHERE {where}", values).fetchone()  # noqa: S608
            return int(row[0])

    def value(self, seq: int, name: str) -> Any:
        """One of the outputs of a record."""
        with self._errors():
            row = self._base.execute("SELECT value FROM outputs WHERE seq = ? AND name = ?", (seq, name)).fetchone()
            if row is not None:
                return json.loads(row[0])
        raise KeyError(name)


def _reading(path: Path) -> str:
    """How a ledger is opened that nothing is written to.

    Where the folder can be written, SQLite tidies up behind a reader only if that could have written as well; where it
    cannot, SQLite needs to be told that nobody else does.
    """
    if os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK):
        return "mode=rw"
    return "mode=ro" if path.with_name(path.name + "-wal").exists() else "mode=ro&immutable=1"


def _where(run: str, kinds: Sequence[Kind]) -> tuple[str, list[str]]:
    """A condition for the records of these kinds, or of all, and its values."""
    chosen = f" AND kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
    return f"run = ?{chosen}", [run, *(kind.value for kind in kinds)]


def _write_changes(changes: Mapping[str, Change]) -> str:
    return json.dumps({step: [change.status, change.result, change.done_count] for step, change in changes.items()})


def _read(row: tuple[Any, ...]) -> Record:
    kind, step, own, attempt, data, changes, plan, before, after, seq, at = row
    made = {
        step_id: Change(*(None if pair is None else (pair[0], pair[1]) for pair in fields))
        for step_id, fields in _object(changes).items()
    }
    return Record(Kind(kind), step, own, attempt, _object(data), {}, made, plan, before, after, seq, at)


def _object(text: str) -> dict[str, Any]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError("expected an object")
    return value
