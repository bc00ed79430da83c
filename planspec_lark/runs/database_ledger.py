"""What ledgers in databases have in common: the statements, which SQLite and PostgreSQL read alike."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial, wraps
from itertools import pairwise
from typing import Any, TypeVar, cast

from attrs import astuple, evolve

from planspec_lark.runs.ledger import (
    FencedError,
    LedgerError,
    Record,
    RecordKind,
    RunBusyError,
    RunInfo,
    StepUpdate,
    say_unwritable,
)
from planspec_lark.runs.owner import Owner
from planspec_lark.syntax.safe_text import visible, visible_name

__all__ = ["DatabaseLedger", "encode", "number_records"]

_COLUMNS = "kind, step, hash, attempt, data, changes, plan, before, after, seq, time"
_APPEND = (
    "INSERT INTO records (run, seq, kind, step, hash, attempt, time, data, changes, plan, before, after) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_ROWS_AT_A_TIME = 200

_Method = TypeVar("_Method", bound=Callable[..., Any])

encode = json.JSONEncoder(allow_nan=False).encode


def _committed(method: _Method) -> _Method:
    """What a method does is one transaction."""

    @wraps(method)
    def call(self: DatabaseLedger, *arguments: Any, **options: Any) -> Any:
        return self._commit(partial(method, self, *arguments, **options))

    return cast("_Method", call)


class DatabaseLedger(ABC):
    """A ledger in a database. Where a value is in a statement, that has a question mark."""

    # What locks a row until the transaction ends.
    _LOCK = ""
    # Tables that have rows of runs, besides those that all have.
    _PARTS: tuple[str, ...] = ()
    # What the database is called in errors.
    _name: str
    # What it raises itself, and where there is a row of this key already.
    _faults: tuple[type[Exception], ...]
    _taken: type[Exception]

    @abstractmethod
    def _execute(self, statement: str, values: Sequence[Any] = ()) -> Sequence[tuple[Any, ...]]:
        """Run a statement; gives its rows, if it has any."""

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[None]:
        """All statements in this block are kept for good when it ends, or none of them is."""

    @abstractmethod
    def _now(self) -> float:
        """The time of the database, in seconds since 1970."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the database."""

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turns what the database raises into LedgerError."""
        try:
            yield
        except self._faults as error:
            raise LedgerError(f"{self._name}: {self._show(str(error))}") from None
        except UnicodeEncodeError as error:
            raise LedgerError(f"{self._name}: {say_unwritable(error)}") from None
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            # JSON that no ledger writes, or a name of a database that is none.
            raise LedgerError(f"{self._name}: this is not a ledger of plans ({self._show(str(error))})") from None

    def _show(self, text: str) -> str:
        """What the database says, safe to show."""
        return visible(text)

    def _commit(self, call: Callable[[], Any]) -> Any:
        """Do what leaves everything as it is where it is done twice; all of it is kept for good, or nothing."""
        with self._errors(), self._transaction():
            return call()

    @contextmanager
    def _adding(self, taken: LedgerError) -> Iterator[None]:
        """A transaction that adds a row; this error is raised where there is one of its key."""
        with self._errors():
            try:
                with self._transaction():
                    yield
            except self._taken:
                raise taken from None

    # ---------------------------------------------------------------- runs and records

    def runs(self) -> Sequence[RunInfo]:
        """All runs, the oldest first."""
        return self._runs("ORDER BY number")

    def find_run(self, run: str) -> RunInfo | None:
        """The run with this id."""
        return next(iter(self._runs("WHERE run = ?", run)), None)

    def last_run(self, name: str | None = None) -> RunInfo | None:
        """The run that has begun last."""
        last = "ORDER BY number DESC LIMIT 1"
        found = self._runs(last) if name is None else self._runs(f"WHERE name = ? {last}", name)
        return next(iter(found), None)

    def _runs(self, which: str, *values: str) -> Sequence[RunInfo]:
        with self._errors():
            rows = self._execute(f"SELECT run, time, inputs, name FROM runs {which}", values)  # noqa: S608  (ours alone)
            return [RunInfo(run, float(at), _object(inputs), name) for run, at, inputs, name in rows]

    def begin(self, info: RunInfo) -> None:
        """Note a new run."""
        row = (info.run, info.time, encode(dict(info.inputs)), info.name)
        with self._adding(LedgerError(f"there is a run {visible_name(info.run)} already")):
            self._execute("INSERT INTO runs (run, time, inputs, name) VALUES (?, ?, ?, ?)", row)

    def append(self, run: str, *records: Record, after: int) -> Record:
        """Keep records: they are on the disk when this returns."""
        made = number_records(records, after)
        rows, outputs = [_write(run, record) for record in made], [*_write_outputs(run, made)]
        with self._adding(FencedError(f"another process has continued run {visible_name(run)}")):
            for row in rows:
                self._execute(_APPEND, row)
            for values in outputs:
                self._execute("INSERT INTO outputs (run, seq, name, value) VALUES (?, ?, ?, ?)", values)
        return evolve(made[-1], outputs={})

    def records(
        self,
        run: str,
        *,
        kinds: Sequence[RecordKind] = (),
        after: int = 0,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[Record]:
        """The records of a run, read some at a time."""
        where, values = _where(run, kinds)
        bounds, order, left = f" AND seq > {after:d}", "seq DESC" if newest_first else "seq", limit
        last = None if newest_first else max(after, 0)
        while left is None or left > 0:
            count = _ROWS_AT_A_TIME if left is None else min(left, _ROWS_AT_A_TIME)
            with self._errors():
                # Nothing but names and numbers of our own is in the statement.
                statement = f"SELECT {_COLUMNS} FROM records WHERE {where}{bounds} ORDER BY {order} LIMIT {count:d}"  # noqa: S608
                rows = [_read(row) for row in self._execute(statement, values)]
            if not kinds:
                self._check_numbers(run, [record.seq for record in rows], last)
            yield from rows
            if len(rows) < count:
                return
            last = rows[-1].seq
            bounds = f" AND seq > {after:d} AND seq < {last:d}" if newest_first else f" AND seq > {last:d}"
            left = None if left is None else left - len(rows)

    def _check_numbers(self, run: str, found: Sequence[int], last: int | None) -> None:
        """Raises LedgerError where a record is missing between these, read after another one."""
        for before, now in pairwise(found if last is None else [last, *found]):
            if abs(now - before) != 1:
                number = before + 1 if now > before else before - 1
                raise self._missing(f"record {number:,} of run {visible_name(run)}")

    def _missing(self, what: str) -> LedgerError:
        """That something that was written is not there any more, and what to do."""
        return LedgerError(f"{self._name}: {what} is missing: put back a copy of the ledger, or begin a new run")

    def count(self, run: str, *, kinds: Sequence[RecordKind] = ()) -> int:
        """How many records a run has."""
        where, values = _where(run, kinds)
        with self._errors():
            rows = self._execute(f"SELECT count(*) FROM records WHERE {where}", values)  # noqa: S608  (as above)
            return int(rows[0][0])

    def value(self, run: str, seq: int, name: str) -> Any:
        """One of the outputs of a record."""
        with self._errors():
            rows = self._execute("SELECT value FROM outputs WHERE run = ? AND seq = ? AND name = ?", (run, seq, name))
            if rows:
                return json.loads(rows[0][0])
        raise self._missing_output(run, seq, name)

    def _missing_output(self, run: str, seq: int, name: str) -> LedgerError:
        return self._missing(f"output {visible_name(name)} of record {seq:,} of run {visible_name(run)}")

    def values(self, run: str, places: Mapping[str, int]) -> dict[str, Any]:
        """Outputs of several records."""
        numbers = sorted(set(places.values()))
        found: dict[str, Any] = {}
        with self._errors():
            for at in range(0, len(numbers), _ROWS_AT_A_TIME):
                some = numbers[at : at + _ROWS_AT_A_TIME]
                # Nothing but question marks is put into the statement.
                which = f"run = ? AND seq IN ({', '.join('?' * len(some))})"
                rows = self._execute(f"SELECT seq, name, value FROM outputs WHERE {which}", (run, *some))  # noqa: S608
                found.update((name, json.loads(value)) for seq, name, value in rows if places.get(name) == seq)
        for name, seq in places.items():
            if name not in found:
                raise self._missing_output(run, seq, name)
        return {name: found[name] for name in places}

    # ---------------------------------------------------------------- leases

    @_committed
    def acquire(self, run: str, owner: Owner, *, seconds: float, takes_over: bool = False) -> None:
        """Take the lease of a run, or renew it."""
        self._execute("INSERT INTO leases (run, owner, until) VALUES (?, ?, 0) ON CONFLICT DO NOTHING", (run, ""))
        rows = self._execute(f"SELECT owner, until FROM leases WHERE run = ?{self._LOCK}", (run,))  # noqa: S608
        said, until, now = rows[0][0], float(rows[0][1]), self._now()
        known = Owner(*json.loads(said)) if said else owner
        if not (takes_over or known == owner) and self._is_held(known, until):
            # The lease of a process that is alive on this machine may have run out.
            left = f" (its lease ends in {until - now:.0f} s)" if until > now else ""
            raise RunBusyError(f"another process is working on run {visible_name(run)}: {known}{left}")
        # Who was asked to stop has not been this owner.
        stop = ", stop = 0" if not said or known != owner else ""
        values = (encode(astuple(owner)), now + seconds, run)
        self._execute(f"UPDATE leases SET owner = ?, until = ?{stop} WHERE run = ?", values)  # noqa: S608  (as above)

    def find_holder(self, run: str) -> Owner | None:
        """Who has the lease of a run."""
        with self._errors():
            rows = self._execute("SELECT owner, until FROM leases WHERE run = ? AND owner <> ''", (run,))
            owners = ((Owner(*json.loads(said)), float(until)) for said, until in rows)
            return next((owner for owner, until in owners if self._is_held(owner, until)), None)

    def _is_held(self, owner: Owner, until: float) -> bool:
        """Whether who has taken a lease may still be at work."""
        return until > self._now() and owner.is_alive() is not False

    @_committed
    def ask_to_stop(self, run: str, *, now: bool = False) -> None:
        """Ask who has the lease to begin nothing new, or to end what is under way as well."""
        level = 1 + now
        self._execute("UPDATE leases SET stop = ? WHERE run = ? AND owner <> '' AND stop < ?", (level, run, level))

    def is_asked_to_stop(self, run: str, *, now: bool = False) -> bool:
        """Whether who has the lease was asked."""
        with self._errors():
            return bool(self._execute("SELECT 1 FROM leases WHERE run = ? AND stop >= ?", (run, 1 + now)))

    @_committed
    def release(self, run: str, owner: Owner) -> None:
        """Give the lease back."""
        # The row stays: who waits for it must find one.
        values = (run, encode(astuple(owner)))
        self._execute("UPDATE leases SET owner = '', until = 0 WHERE run = ? AND owner = ?", values)

    @_committed
    def remove(self, runs: Sequence[str]) -> None:
        """Forget runs."""
        for run in runs:
            for table in (*self._PARTS, "outputs", "records", "views", "snapshots", "leases", "runs"):
                self._execute(f"DELETE FROM {table} WHERE run = ?", (run,))  # noqa: S608  (a name of our own)

    # ---------------------------------------------------------------- views

    @_committed
    def add_view(self, run: str, digest: str, text: str) -> None:
        """Note a text of the plan's file."""
        rows = self._execute("SELECT max(number) FROM views WHERE run = ?", (run,))
        row = (run, (rows[0][0] or 0) + 1, digest, text)
        self._execute("INSERT INTO views (run, number, digest, text) VALUES (?, ?, ?, ?)", row)

    @_committed
    def confirm_view(self, run: str) -> None:
        """Note that the last of them was written."""
        others = "text IS NOT NULL AND number < (SELECT max(number) FROM views WHERE run = ?)"
        self._execute(f"UPDATE views SET text = NULL WHERE run = ? AND {others}", (run, run))  # noqa: S608

    def views(self, run: str) -> Sequence[str]:
        """The texts that the file may have."""
        statement = "SELECT text FROM views WHERE run = ? AND text IS NOT NULL ORDER BY number DESC"
        with self._errors():
            return [text for (text,) in self._execute(statement, (run,))]

    def has_view(self, run: str, digest: str) -> bool:
        """Whether there was such a text."""
        with self._errors():
            return bool(self._execute("SELECT 1 FROM views WHERE run = ? AND digest = ? LIMIT 1", (run, digest)))

    # ---------------------------------------------------------------- snapshots

    @_committed
    def add_snapshot(self, run: str, text: str) -> None:
        """Keep a snapshot."""
        statement = (
            "INSERT INTO snapshots (run, text) VALUES (?, ?) ON CONFLICT (run) DO UPDATE SET text = excluded.text"
        )
        self._execute(statement, (run, text))

    def snapshot(self, run: str) -> str | None:
        """The last snapshot."""
        with self._errors():
            rows = self._execute("SELECT text FROM snapshots WHERE run = ?", (run,))
            return str(rows[0][0]) if rows else None


def _where(run: str, kinds: Sequence[RecordKind]) -> tuple[str, list[str]]:
    """A condition for the records of these kinds, or of all, and its values."""
    chosen = f" AND kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
    return f"run = ?{chosen}", [run, *(kind.value for kind in kinds)]


def number_records(records: Iterable[Record], after: int) -> list[Record]:
    """Records with their numbers, and their times."""
    now = time.time()
    return [evolve(record, seq=seq, time=record.time or now) for seq, record in enumerate(records, after + 1)]


def _write(run: str, record: Record) -> tuple[Any, ...]:
    return (
        *(run, record.seq, record.kind.value, record.step, record.hash, record.attempt, record.time),
        encode(dict(record.data)),
        encode({step: astuple(change, recurse=False) for step, change in record.changes.items()}),
        *(record.plan, record.before, record.after),
    )


def _write_outputs(run: str, records: Iterable[Record]) -> Iterator[tuple[Any, ...]]:
    for record in records:
        for name, value in record.outputs.items():
            yield run, record.seq, name, encode(value)


def _read(row: tuple[Any, ...]) -> Record:
    kind, step, own, attempt, data, changes, plan, before, after, seq, at = row
    made = {
        step_id: StepUpdate(*(None if pair is None else (pair[0], pair[1]) for pair in fields))
        for step_id, fields in _object(changes).items()
    }
    return Record(RecordKind(kind), step, own, attempt, _object(data), {}, made, plan, before, after, seq, at)


def _object(text: str) -> dict[str, Any]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise TypeError("expected an object")
    return value
