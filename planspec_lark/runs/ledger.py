"""The ledger of runs: a record for everything that happens, kept for good before it takes effect.

:class:`Ledger` is all that a runner asks of one, in statements that SQLite and PostgreSQL read alike. Those in memory
and in a file are in :mod:`planspec_lark.runs.sqlite_ledger`, a database of several machines is in
:mod:`planspec_lark.runs.postgres_ledger`.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from enum import Enum
from typing import Any

from attrs import astuple, evolve, field, frozen

from planspec_lark.runs.owner import Owner
from planspec_lark.syntax.diagnostics import PlanSpecError
from planspec_lark.syntax.source import visible, visible_name

__all__ = [
    "Change",
    "FencedError",
    "Kind",
    "Ledger",
    "LedgerError",
    "NoLedgerError",
    "Record",
    "RunBusyError",
    "RunInfo",
]

_COLUMNS = "kind, step, hash, attempt, data, changes, plan, before, after, seq, time"
_APPEND = (
    "INSERT INTO records (run, seq, kind, step, hash, attempt, time, data, changes, plan, before, after) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_ROWS_AT_A_TIME = 200

_encode = json.JSONEncoder(allow_nan=False).encode


class LedgerError(PlanSpecError):
    """A ledger that cannot be read or written; the text says why."""


class NoLedgerError(LedgerError):
    """There is no ledger where one was to be read."""


class FencedError(LedgerError):
    """Another process has continued the run: what this one wanted to keep was refused."""


class RunBusyError(LedgerError):
    """Another process is at work on the run."""


class Kind(str, Enum):
    """What has happened."""

    # a run
    BEGUN = "begun"
    RESUMED = "resumed"
    EDITED = "edited"
    ENDED = "ended"
    # a step
    STARTED = "started"
    DONE = "done"
    FAILED = "failed"
    POSTPONED = "postponed"
    BRANCHED = "branched"
    OPENED = "opened"
    LOOPED = "looped"
    SKIPPED = "skipped"
    BLOCKED = "blocked"
    # a reflection
    REFUSED = "refused"
    REFLECTED = "reflected"
    TOLD = "told"
    # planning
    REPLANNED = "replanned"
    PLANNED = "planned"
    RENEWED = "renewed"
    # a plan that was edited between two runs
    KEPT = "kept"
    RERUN = "rerun"


@frozen
class Change:
    """What a record changes in one step: each field as it was and as it is then."""

    status: tuple[str, str] | None = None
    result: tuple[str, str] | None = None
    done_count: tuple[int, int] | None = None


@frozen
class Record:
    """One thing that has happened.

    Attributes:
        kind: what.
        step: the id of the step that is meant, as it was before this.
        hash: of that step's own text.
        attempt: of that step, from 1.
        data: what else there is to say, as JSON can say it.
        outputs: values by name. Ledgers give records without them; ask for a value by itself.
        changes: what it changes in steps, by id.
        plan: the whole plan's text, where more than statuses and results changes.
        before, after: hashes of the plan's text.
        seq: its number in its run, from 1 without gaps.
        time: when, in seconds since 1970.
    """

    kind: Kind
    step: str = ""
    hash: str = ""
    attempt: int = 0
    data: Mapping[str, Any] = field(factory=dict)
    outputs: Mapping[str, Any] = field(factory=dict)
    changes: Mapping[str, Change] = field(factory=dict)
    plan: str | None = None
    before: str = ""
    after: str = ""
    seq: int = 0
    time: float = 0.0


@frozen
class RunInfo:
    """A run: its id, when it began, the values that it was given, and a name, which other runs may have as well."""

    run: str
    time: float
    inputs: Mapping[str, Any] = field(factory=dict)
    name: str = ""


class Ledger(ABC):
    """What a runner asks of a ledger.

    One process at a time writes to a run. The lease keeps others from working on it; the numbers of records keep those
    that have lost the lease from writing.
    """

    # What locks a row until the transaction ends.
    _LOCK = ""
    # What the database is called in errors, what it raises, and what it raises where there is a row of this key.
    _name: str
    _Error: type[Exception]
    _TakenError: type[Exception]

    @abstractmethod
    def _execute(self, statement: str, values: Sequence[Any] = ()) -> Sequence[tuple[Any, ...]]:
        """Run a statement, with a question mark where each value goes; gives its rows, if it has any."""

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[None]:
        """All statements in this block are kept for good when it ends, or none of them is."""

    @abstractmethod
    def _now(self) -> float:
        """The time of the database, in seconds since 1970."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what it holds."""

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turns what the database raises into LedgerError."""
        try:
            yield
        except (self._Error, OSError) as error:
            raise LedgerError(f"{self._name}: {self._show(error)}") from None
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            # JSON that no ledger writes, or a path or a text that is none.
            raise LedgerError(f"{self._name}: this is not a ledger of plans ({self._show(error)})") from None

    def _show(self, error: Exception) -> str:
        return visible(str(error))

    # ---------------------------------------------------------------- runs and records

    def runs(self) -> Sequence[RunInfo]:
        """All runs, the oldest first."""
        return self._runs("ORDER BY number")

    def find_run(self, run: str) -> RunInfo | None:
        """The run with this id."""
        return next(iter(self._runs("WHERE run = ?", run)), None)

    def last_run(self, name: str | None = None) -> RunInfo | None:
        """The run that has begun last, of all or of those with this name."""
        last = "ORDER BY number DESC LIMIT 1"
        found = self._runs(last) if name is None else self._runs(f"WHERE name = ? {last}", name)
        return next(iter(found), None)

    def _runs(self, which: str, *values: str) -> Sequence[RunInfo]:
        with self._errors():
            rows = self._execute(f"SELECT run, time, inputs, name FROM runs {which}", values)  # noqa: S608  (ours alone)
            return [RunInfo(run, float(at), _object(inputs), name) for run, at, inputs, name in rows]

    def begin(self, info: RunInfo) -> None:
        """Note a new run.

        Raises:
            LedgerError: there is a run with this id, or it cannot be written.
        """
        row = (info.run, info.time, _encode(dict(info.inputs)), info.name)
        with self._errors():
            try:
                with self._transaction():
                    self._execute("INSERT INTO runs (run, time, inputs, name) VALUES (?, ?, ?, ?)", row)
            except self._TakenError:
                raise LedgerError(f"there is a run {visible_name(info.run)} already") from None

    def append(self, run: str, record: Record, *, after: int) -> Record:
        """Keep a record for good before this returns; gives it with its number and time, without outputs.

        Args:
            run: of which it is.
            record: what has happened.
            after: the number of the record before it, 0 for the first one.

        Raises:
            FencedError: there is another record of this number.
            LedgerError: it cannot be written.
        """
        seq, at = after + 1, time.time()
        outputs = [(run, seq, name, _encode(value)) for name, value in record.outputs.items()]
        row = (
            *(run, seq, record.kind.value, record.step, record.hash, record.attempt, at),
            _encode(dict(record.data)),
            _encode({step: astuple(change, recurse=False) for step, change in record.changes.items()}),
            *(record.plan, record.before, record.after),
        )
        with self._errors():
            try:
                with self._transaction():
                    self._execute(_APPEND, row)
                    for values in outputs:
                        self._execute("INSERT INTO outputs (run, seq, name, value) VALUES (?, ?, ?, ?)", values)
            except self._TakenError:
                raise FencedError(f"another process has continued run {visible_name(run)}") from None
        return evolve(record, outputs={}, seq=seq, time=at)

    def records(
        self,
        run: str,
        *,
        kinds: Sequence[Kind] = (),
        after: int = 0,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[Record]:
        """The records of a run after this number, of these kinds or all, without outputs."""
        where, values = _where(run, kinds)
        bounds, order, left = f" AND seq > {after:d}", "seq DESC" if newest_first else "seq", limit
        while left is None or left > 0:
            count = _ROWS_AT_A_TIME if left is None else min(left, _ROWS_AT_A_TIME)
            with self._errors():
                # Nothing but names and numbers of our own is in the statement.
                statement = f"SELECT {_COLUMNS} FROM records WHERE {where}{bounds} ORDER BY {order} LIMIT {count:d}"  # noqa: S608
                rows = [_read(row) for row in self._execute(statement, values)]
            yield from rows
            if len(rows) < count:
                return
            last = rows[-1].seq
            bounds = f" AND seq > {after:d} AND seq < {last:d}" if newest_first else f" AND seq > {last:d}"
            left = None if left is None else left - len(rows)

    def count(self, run: str, *, kinds: Sequence[Kind] = ()) -> int:
        """How many records of these kinds, or of all, a run has."""
        where, values = _where(run, kinds)
        with self._errors():
            rows = self._execute(f"SELECT count(*) FROM records WHERE {where}", values)  # noqa: S608  (as above)
            return int(rows[0][0])

    def value(self, run: str, seq: int, name: str) -> Any:
        """One of the outputs of a record. Raises KeyError where there is none."""
        with self._errors():
            rows = self._execute("SELECT value FROM outputs WHERE run = ? AND seq = ? AND name = ?", (run, seq, name))
            if rows:
                return json.loads(rows[0][0])
        raise KeyError(name)

    def values(self, run: str, places: Mapping[str, int]) -> dict[str, Any]:
        """Outputs by name, each of the record whose number is given. Raises KeyError where one is not there."""
        numbers = sorted(set(places.values()))
        found: dict[str, Any] = {}
        with self._errors():
            for at in range(0, len(numbers), _ROWS_AT_A_TIME):
                some = numbers[at : at + _ROWS_AT_A_TIME]
                # Nothing but question marks is put into the statement.
                which = f"run = ? AND seq IN ({', '.join('?' * len(some))})"
                rows = self._execute(f"SELECT seq, name, value FROM outputs WHERE {which}", (run, *some))  # noqa: S608
                found.update((name, json.loads(value)) for seq, name, value in rows if places.get(name) == seq)
        return {name: found[name] for name in places}

    # ---------------------------------------------------------------- leases

    def acquire(self, run: str, owner: Owner, *, seconds: float, takes_over: bool = False) -> None:
        """Take the lease of a run, or renew one's own, for so many seconds.

        Args:
            run: the run.
            owner: who wants it.
            seconds: how long it lasts, unless it is renewed.
            takes_over: take it from its owner, which is known not to be at work any more.

        Raises:
            RunBusyError: another process has it, which may be alive, and it has not expired.
        """
        with self._errors(), self._transaction():
            self._execute("INSERT INTO leases (run, owner, until) VALUES (?, ?, 0) ON CONFLICT DO NOTHING", (run, ""))
            rows = self._execute(f"SELECT owner, until FROM leases WHERE run = ?{self._LOCK}", (run,))  # noqa: S608
            said, until, now = rows[0][0], float(rows[0][1]), self._now()
            known = Owner(*json.loads(said)) if said else owner
            if not (takes_over or known == owner or until <= now or known.is_gone()):
                left = f"{known} (its lease ends in {until - now:.0f} s)"
                raise RunBusyError(f"another process is working on run {visible_name(run)}: {left}")
            values = (_encode(astuple(owner)), now + seconds, run)
            self._execute("UPDATE leases SET owner = ?, until = ? WHERE run = ?", values)

    def release(self, run: str, owner: Owner) -> None:
        """Give the lease back, if it is still this owner's."""
        with self._errors(), self._transaction():
            # The row stays: who waits for it must find one.
            values = (run, _encode(astuple(owner)))
            self._execute("UPDATE leases SET owner = '', until = 0 WHERE run = ? AND owner = ?", values)

    # ---------------------------------------------------------------- views

    def add_view(self, run: str, digest: str, text: str) -> None:
        """Note that the plan's file is about to get this text; of those before it, the hash is kept for good."""
        with self._errors(), self._transaction():
            rows = self._execute("SELECT max(number) FROM views WHERE run = ?", (run,))
            row = (run, (rows[0][0] or 0) + 1, digest, text)
            self._execute("INSERT INTO views (run, number, digest, text) VALUES (?, ?, ?, ?)", row)

    def confirm_view(self, run: str) -> None:
        """Note that the file has got the last of these texts. Of those before it, only the hash is kept."""
        others = "text IS NOT NULL AND number < (SELECT max(number) FROM views WHERE run = ?)"
        with self._errors(), self._transaction():
            self._execute(f"UPDATE views SET text = NULL WHERE run = ? AND {others}", (run, run))  # noqa: S608

    def views(self, run: str) -> Sequence[str]:
        """The texts that the file may have, unless it was edited: the newest first."""
        statement = "SELECT text FROM views WHERE run = ? AND text IS NOT NULL ORDER BY number DESC"
        with self._errors():
            return [text for (text,) in self._execute(statement, (run,))]

    def has_view(self, run: str, digest: str) -> bool:
        """Whether the file has ever had a text with this hash."""
        with self._errors():
            return bool(self._execute("SELECT 1 FROM views WHERE run = ? AND digest = ? LIMIT 1", (run, digest)))

    # ---------------------------------------------------------------- snapshots

    def add_snapshot(self, run: str, text: str) -> None:
        """Keep the state after the records of a run so far, in the place of what was kept before."""
        statement = (
            "INSERT INTO snapshots (run, text) VALUES (?, ?) ON CONFLICT (run) DO UPDATE SET text = excluded.text"
        )
        with self._errors(), self._transaction():
            self._execute(statement, (run, text))

    def snapshot(self, run: str) -> str | None:
        """What was kept last of that, if anything was."""
        with self._errors():
            rows = self._execute("SELECT text FROM snapshots WHERE run = ?", (run,))
            return str(rows[0][0]) if rows else None


def _where(run: str, kinds: Sequence[Kind]) -> tuple[str, list[str]]:
    """A condition for the records of these kinds, or of all, and its values."""
    chosen = f" AND kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
    return f"run = ?{chosen}", [run, *(kind.value for kind in kinds)]


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
