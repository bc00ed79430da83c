"""A ledger in a database of PostgreSQL, which several machines share. What was appended outlives a crash of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import evolve

from planspec_lark.cancellation import stop_event
from planspec_lark.runs.database_ledger import DatabaseLedger, number_records
from planspec_lark.runs.ledger import LedgerError, NoLedgerError, Record, RunInfo
from planspec_lark.syntax.safe_text import one_line, visible_name

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["PostgresLedger", "hide_password"]

_T = TypeVar("_T")
# How long a connection that is lost is tried to be made again, and how long each try waits.
_RECONNECT_SECONDS, _RECONNECT_PAUSE = 25.0, 0.2
# What a server says that shuts down, has crashed, or starts.
_SHUT_DOWN = ("57P01", "57P02", "57P03")

_VERSION = 4
_TABLES = f"""
CREATE SCHEMA IF NOT EXISTS planspec;
CREATE TABLE version (version integer NOT NULL);
INSERT INTO version (version) VALUES ({_VERSION});
CREATE TABLE runs (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, run text NOT NULL UNIQUE, time double precision NOT NULL,
  inputs text NOT NULL, name text NOT NULL
);
CREATE INDEX runs_by_name ON runs (name, number);
CREATE TABLE records (
  run text NOT NULL REFERENCES runs (run), seq integer NOT NULL, kind text NOT NULL,
  step text NOT NULL, hash text NOT NULL, attempt integer NOT NULL,
  time double precision NOT NULL, data text NOT NULL, changes text NOT NULL,
  plan text, before text NOT NULL, after text NOT NULL, PRIMARY KEY (run, seq)
);
CREATE TABLE outputs (
  run text NOT NULL, seq integer NOT NULL, name text NOT NULL, value text NOT NULL, PRIMARY KEY (run, seq, name)
);
CREATE TABLE leases (
  run text PRIMARY KEY, owner text NOT NULL, until double precision NOT NULL, stop integer NOT NULL DEFAULT 0
);
CREATE TABLE views (
  run text NOT NULL, number integer NOT NULL, digest text NOT NULL, text text, PRIMARY KEY (run, number)
);
CREATE TABLE snapshots (run text PRIMARY KEY, text text NOT NULL);
CREATE TABLE work (
  run text NOT NULL, key text NOT NULL, number bigint GENERATED ALWAYS AS IDENTITY, holder text NOT NULL,
  call text NOT NULL, owner text NOT NULL DEFAULT '', until double precision NOT NULL DEFAULT 0,
  take integer NOT NULL DEFAULT 0, outcome text, PRIMARY KEY (run, key)
);
"""  # noqa: S608  (nothing but a number of our own)
# Any number that no other program locks: those who make the tables wait for each other.
_MAKING = 0x50534C47
# A server that is gone without a word is found out, so that the run ends before its lease does.
_TIMEOUTS = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    "application_name": "planspec",
}
# A process that is stopped in the middle of a transaction keeps no other process waiting for ever.
_SETTINGS = (
    "SET search_path = planspec; SET idle_in_transaction_session_timeout = '20s'; SET lock_timeout = '20s'; "
    "SET client_encoding = 'UTF8'; "
    # What was appended is on the disk, whatever the server does otherwise.
    "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"
)
_SECRETS = ("password", "sslpassword")


class PostgresLedger(DatabaseLedger):
    """A ledger in a PostgreSQL database, in a schema ``planspec`` that is made if need be.

    It is one connection. A process that is forked needs one of its own. Where it is lost, such as by a restart of the
    server, it is made again for 25 seconds, which is less than a lease lasts.

    Args:
        conninfo: where the database is, as libpq reads it: ``postgresql://user@host/database`` or
            ``host=… dbname=…``. What it does not say, the variables ``PG…`` and ``~/.pgpass`` do.
        read_only: nothing is written, and the tables have to be there.

    Raises:
        LedgerError: psycopg is not installed, the server does not answer, or the tables are of another version. No
            error says a password.
    """

    _LOCK = " FOR UPDATE"
    _PARTS = ("work",)

    def __init__(self, conninfo: str, *, read_only: bool = False) -> None:
        psycopg = _load()
        self._faults, self._taken = (psycopg.Error, OSError), psycopg.errors.UniqueViolation
        said = _parse(psycopg, conninfo)
        self._secrets = [said[name] for name in _SECRETS if said.get(name)]
        self._name = visible_name(f"{said.get('dbname') or 'the database'} at {said.get('host') or 'this machine'}")
        # What keeps the lease does so beside the run.
        self._lock = RLock()
        self._connect = partial(psycopg.connect, **_TIMEOUTS | said, autocommit=True)
        self._read_only, self._in_transaction = read_only, False
        with self._errors():
            self._base: Connection[Any] = self._connect()
            self._open()

    def _open(self) -> None:
        """Prepare a connection that was just made; where that fails, it is closed."""
        try:
            self._prepare(read_only=self._read_only)
        except BaseException:
            self._base.close()
            raise

    def _prepare(self, *, read_only: bool) -> None:
        self._base.execute(_SETTINGS)
        if not self._is_made():
            if read_only:
                raise NoLedgerError(f"{self._name}: there is no ledger here; a run makes it")
            with self._base.transaction():
                self._execute("SELECT pg_advisory_xact_lock(?)", (_MAKING,))
                if not self._is_made():
                    self._base.execute(_TABLES.encode())
        if read_only:
            self._base.execute("SET default_transaction_read_only = on")
        ((version,),) = self._execute("SELECT version FROM version")
        if version != _VERSION:
            raise LedgerError(f"{self._name}: this is a ledger of another version ({version})")

    def _is_made(self) -> bool:
        # A table is read, as what the server remembers of names may be older than what others have made.
        found = "SELECT count(*) FROM pg_tables WHERE schemaname = 'planspec' AND tablename = 'version'"
        return self._execute(found) == [(1,)]

    def _show(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "…")
        return one_line(text)

    def close(self) -> None:
        """Close the connection."""
        self._base.close()

    # ---------------------------------------------------------------- a connection that is lost

    def _again(self, call: Callable[[], _T]) -> _T:
        """Do something that changes nothing where it was done already; once more where the connection is lost."""
        with self._lock:
            until = monotonic() + _RECONNECT_SECONDS
            while True:
                try:
                    return call()
                except Exception as error:
                    if self._in_transaction or not self._is_lost(error) or not self._reconnect(until):
                        raise

    def _is_lost(self, error: BaseException) -> bool:
        """Whether the server has gone; what :meth:`close` has closed is not lost."""
        if self._base.closed:
            return self._base.broken
        # A server that shuts down says so before its connection breaks, and a pipeline says something else after it.
        return any(getattr(one, "sqlstate", None) in _SHUT_DOWN for one in _with_contexts(error))

    def _reconnect(self, until: float) -> bool:
        """Connect again, and try for as long as this; says whether it did."""
        while not stop_event().wait(_RECONNECT_PAUSE) and monotonic() < until:
            with suppress(*self._faults):
                made = self._connect()
                self._base.close()
                self._base = made
                self._open()
                return True
        return False

    def begin(self, info: RunInfo) -> None:
        """Note a new run."""
        tried: list[bool] = []

        def begin() -> None:
            if tried and self.find_run(info.run) == info:
                return
            tried.append(True)
            super(PostgresLedger, self).begin(info)

        self._again(begin)

    def append(self, run: str, *records: Record, after: int) -> Record:
        """Keep records: they are on the disk when this returns."""
        made = number_records(records, after)
        tried: list[bool] = []

        def append() -> Record:
            # The answer may have been lost, and not the records.
            known = [*self.records(run, after=after, limit=len(made))] if tried else []
            if known and known == [evolve(record, outputs={}) for record in made]:
                return known[-1]
            tried.append(True)
            return super(PostgresLedger, self).append(run, *made, after=after)

        return self._again(append)

    def _commit(self, call: Callable[[], Any]) -> Any:
        return self._again(partial(super()._commit, call))

    # ---------------------------------------------------------------- what PostgreSQL does in its own way

    def _execute(self, statement: str, values: Sequence[Any] = ()) -> Sequence[tuple[Any, ...]]:
        return self._again(partial(self._ask, statement.replace("?", "%s").encode(), values))

    def _ask(self, statement: bytes, values: Sequence[Any]) -> Sequence[tuple[Any, ...]]:
        cursor = self._base.execute(statement, values)
        # In a pipeline, statements without rows are not waited for.
        return cursor.fetchall() if statement.startswith(b"SELECT") else ()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        # All that is between two questions goes there and back at once.
        with self._lock, self._base.pipeline(), self._base.transaction():
            self._in_transaction = True
            try:
                yield
            finally:
                self._in_transaction = False

    def _now(self) -> float:
        # The clocks of the machines that share it may differ.
        return float(self._execute("SELECT extract(epoch FROM clock_timestamp())::double precision")[0][0])


def _with_contexts(error: BaseException | None) -> Iterator[BaseException]:
    """An exception, and those during which it was raised."""
    while error is not None:
        yield error
        error = error.__context__


def hide_password(conninfo: str) -> str:
    """Where a database is, without passwords. Raises LedgerError where it is no such text."""
    made = _load()
    said = _parse(made, conninfo)
    return str(made.conninfo.make_conninfo(**{name: value for name, value in said.items() if name not in _SECRETS}))


def _load() -> Any:
    try:
        return import_module("psycopg")
    except ImportError as error:
        if error.name not in ("psycopg", None):
            raise
        # Without a name, psycopg has not found the library of PostgreSQL.
        hint = "pip install 'planspec-lark[distributed]'"
        raise LedgerError(f"a ledger in PostgreSQL needs the extra `distributed`: {hint}") from None


def _parse(made: Any, conninfo: str) -> dict[str, Any]:
    """What a text says of a connection. No error repeats any of it: it may be a part of a password."""
    try:
        said: dict[str, Any] = made.conninfo.conninfo_to_dict(conninfo)
    except (made.Error, ValueError):
        raise LedgerError("database: expected postgresql://USER@HOST:PORT/NAME") from None
    if "://" in conninfo and "@" in conninfo and ("user" not in said or "@" in str(said.get("host", ""))):
        raise LedgerError("database: in a password, @ is written as %40, / as %2F, : as %3A, # as %23, ? as %3F")
    return said
