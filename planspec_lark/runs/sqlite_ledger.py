"""Ledgers in SQLite: in a file, where what was appended outlives a crash of the machine, or in memory."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock
from time import monotonic, sleep
from typing import Any

from planspec_lark.runs.database_ledger import DatabaseLedger
from planspec_lark.runs.ledger import LedgerError, NoLedgerError
from planspec_lark.runs.owner import Owner
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["MemoryLedger", "SqliteLedger", "ledger_path", "open_ledger"]

# "PSLG", and the version of the tables.
_APPLICATION, _VERSION = 0x50534C47, 5
# How long others are waited for, as SQLite itself does, and seconds between two tries.
_BUSY_SECONDS, _BUSY_PAUSE = 5.0, 0.01
_TABLES = """
CREATE TABLE runs (
  number INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL UNIQUE, time REAL NOT NULL, inputs TEXT NOT NULL,
  name TEXT NOT NULL
);
CREATE INDEX runs_by_name ON runs (name, number);
CREATE TABLE records (
  run TEXT NOT NULL REFERENCES runs (run), seq INTEGER NOT NULL, kind TEXT NOT NULL,
  step TEXT NOT NULL, hash TEXT NOT NULL, attempt INTEGER NOT NULL,
  time REAL NOT NULL, data TEXT NOT NULL, changes TEXT NOT NULL,
  plan TEXT, before TEXT NOT NULL, after TEXT NOT NULL, PRIMARY KEY (run, seq)
) WITHOUT ROWID;
CREATE TABLE outputs (
  run TEXT NOT NULL, seq INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (run, seq, name)
) WITHOUT ROWID;
CREATE TABLE leases (
  run TEXT PRIMARY KEY, owner TEXT NOT NULL, until REAL NOT NULL, stop INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE views (
  run TEXT NOT NULL, number INTEGER NOT NULL, digest TEXT NOT NULL, text TEXT, PRIMARY KEY (run, number)
) WITHOUT ROWID;
CREATE TABLE snapshots (run TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
"""


def ledger_path(plan: Path | str) -> Path:
    """The file beside a plan that holds its ledger."""
    path = Path(plan)
    return path.with_name(path.name + ".ledger")


def open_ledger(plan: Path) -> SqliteLedger:
    """The ledger beside a plan's file, which is made, with the permissions of that, if need be.

    Raises:
        LedgerError: it cannot be opened, or is something else.
    """
    path = ledger_path(plan)
    with suppress(OSError):  # SQLite says what is wrong
        mode = plan.stat().st_mode & 0o666
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            os.chmod(handle if os.chmod in os.supports_fd else path, mode)
        finally:
            os.close(handle)
    return SqliteLedger(path)


class SqliteLedger(DatabaseLedger):
    """A ledger in a file.

    Args:
        path: the file, which is made if need be.
        read_only: nothing is written, and there has to be a file.

    Raises:
        LedgerError: it cannot be opened, or is something else.
    """

    _faults = (sqlite3.Error, OSError)
    _taken = sqlite3.IntegrityError

    def __init__(self, path: Path | str, *, read_only: bool = False) -> None:
        self._name = visible_name(str(path))
        # What keeps the lease and the plan's file up to date does so beside the run.
        self._lock = RLock()
        home = Path(path)
        if read_only and not home.is_file():
            raise NoLedgerError(f"{self._name}: there is no ledger here; a run makes it")
        with self._errors():
            # SQLite takes a file of one byte for an empty one, and a name for what is before a null.
            with suppress(FileNotFoundError):
                if home.stat().st_size == 1:
                    raise LedgerError(f"{self._name}: this is not a ledger of plans")
            uri = f"{home.absolute().as_uri()}?{_reading(home) if read_only else 'mode=rwc'}"
            self._base = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
            try:
                self._open(read_only=read_only)
                self._path = home.absolute()
                self._known = self._path.stat()
            except BaseException:
                self._base.close()
                raise

    def _open(self, *, read_only: bool) -> None:
        base = self._base
        # At once: another process may be making it.
        base.execute("BEGIN")
        is_empty = base.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] == 0
        application = base.execute("PRAGMA application_id").fetchone()[0]
        version = base.execute("PRAGMA user_version").fetchone()[0]
        base.execute("COMMIT")
        if application != _APPLICATION and not (is_empty and application == 0):
            raise LedgerError(f"{self._name}: this is not a ledger of plans")
        if application == _APPLICATION and version != _VERSION:
            raise LedgerError(f"{self._name}: this is a ledger of another version ({version})")
        if read_only and is_empty:
            # The process that began to make it was stopped before there was anything in it.
            base.close()
            self._base = _open_memory()
            return
        if read_only:
            base.execute("PRAGMA query_only = ON")
            return
        _switch_to_wal(base)
        base.execute("PRAGMA synchronous = FULL")
        if application != _APPLICATION:
            base.execute("BEGIN IMMEDIATE")
            # Another process may have made it by now.
            if base.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
                marks = f"PRAGMA application_id = {_APPLICATION}", f"PRAGMA user_version = {_VERSION}"
                for statement in (*_TABLES.split(";"), *marks):
                    base.execute(statement)
            base.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def remove(self, runs: Sequence[str]) -> None:
        """Forget runs, and give their room back, unless another process is at work with the file."""
        super().remove(runs)
        with suppress(sqlite3.OperationalError):
            self._execute("VACUUM")

    # ---------------------------------------------------------------- what SQLite does in its own way

    def _execute(self, statement: str, values: Sequence[Any] = ()) -> Sequence[tuple[Any, ...]]:
        with self._lock:
            return self._base.execute(statement, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock:
            self._base.execute("BEGIN IMMEDIATE")
            try:
                self._check_place()
                yield
                self._base.execute("COMMIT")
            except BaseException:
                self._base.rollback()
                raise

    def _check_place(self) -> None:
        """SQLite keeps writing to a file that was removed."""
        with suppress(FileNotFoundError):
            if os.path.samestat(self._path.stat(), self._known):
                return
        raise LedgerError(f"{self._name}: the ledger was removed or replaced by another program")

    def _now(self) -> float:
        return time.time()

    def _is_held(self, owner: Owner, until: float) -> bool:
        # The clock of this machine may be set while its processes are at work.
        return bool(owner.is_alive()) or super()._is_held(owner, until)


class MemoryLedger(SqliteLedger):
    """A ledger that ends with its process; threads may share it."""

    def __init__(self) -> None:
        self._name, self._lock, self._base = "memory", RLock(), _open_memory()

    def _check_place(self) -> None:
        """There is no file that could be gone."""

    def close(self) -> None:
        """It goes with this object."""

    def __del__(self) -> None:
        self._base.close()


def _switch_to_wal(base: sqlite3.Connection) -> None:
    """Have commits written ahead; for this, SQLite does not wait by itself until others have written."""
    until = monotonic() + _BUSY_SECONDS
    while True:
        try:
            base.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if monotonic() >= until:
                raise
            sleep(_BUSY_PAUSE)
        else:
            return


def _open_memory() -> sqlite3.Connection:
    base = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    base.executescript(_TABLES)
    return base


def _reading(path: Path) -> str:
    """How a ledger is opened that nothing is written to.

    Where the folder can be written, SQLite tidies up after a reader only if that could have written as well; where it
    cannot, SQLite needs to be told that no other process writes.
    """
    if os.access(path, os.W_OK) and os.access(path.absolute().parent, os.W_OK):
        return "mode=rw"
    return "mode=ro" if path.with_name(path.name + "-wal").exists() else "mode=ro&immutable=1"
