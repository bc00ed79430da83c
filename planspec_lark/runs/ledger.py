"""The ledger of runs: a record for everything that happens, kept for good before it takes effect.

:class:`Ledger` is all that a runner asks of one. What is kept in memory is here; a file is in
:mod:`planspec_lark.runs.sqlite_ledger`, a database of several machines in :mod:`planspec_lark.runs.postgres_ledger`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import islice
from threading import Lock
from typing import Any, Protocol

from attrs import define, evolve, field, frozen

from planspec_lark.runs.owner import Owner
from planspec_lark.syntax.diagnostics import PlanSpecError
from planspec_lark.syntax.source import visible_name

__all__ = [
    "Change",
    "FencedError",
    "Kind",
    "Ledger",
    "LedgerError",
    "MemoryLedger",
    "NoLedgerError",
    "Record",
    "RunBusyError",
    "RunInfo",
]


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


class Ledger(Protocol):
    """What a runner asks of a ledger.

    One process at a time writes to a run. The lease keeps others from working on it; the numbers of records keep those
    that have lost the lease from writing.
    """

    def runs(self) -> Sequence[RunInfo]:
        """All runs, the oldest first."""

    def find_run(self, run: str) -> RunInfo | None:
        """The run with this id."""

    def last_run(self, name: str | None = None) -> RunInfo | None:
        """The run that has begun last, of all or of those with this name."""

    def begin(self, info: RunInfo) -> None:
        """Note a new run.

        Raises:
            LedgerError: there is a run with this id, or it cannot be written.
        """

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

    def count(self, run: str, *, kinds: Sequence[Kind] = ()) -> int:
        """How many records of these kinds, or of all, a run has."""

    def value(self, run: str, seq: int, name: str) -> Any:
        """One of the outputs of a record. Raises KeyError where there is none."""

    def values(self, run: str, places: Mapping[str, int]) -> dict[str, Any]:
        """Outputs by name, each of the record whose number is given. Raises KeyError where one is not there."""

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

    def release(self, run: str, owner: Owner) -> None:
        """Give the lease back, if it is still this owner's."""

    def add_view(self, run: str, digest: str, text: str) -> None:
        """Note that the plan's file is about to get this text; of those before it, the hash is kept for good."""

    def confirm_view(self, run: str) -> None:
        """Note that the file has got the last of these texts. Of those before it, only the hash is kept."""

    def views(self, run: str) -> Sequence[str]:
        """The texts that the file may have, unless it was edited: the newest first."""

    def has_view(self, run: str, digest: str) -> bool:
        """Whether the file has ever had a text with this hash."""

    def add_snapshot(self, run: str, text: str) -> None:
        """Keep the state after the records of a run so far, in the place of what was kept before."""

    def snapshot(self, run: str) -> str | None:
        """What was kept last of that, if anything was."""

    def close(self) -> None:
        """Let go of what it holds."""


@define
class MemoryLedger:
    """A ledger that ends with its process; its threads may share it."""

    _runs: list[RunInfo] = field(factory=list, init=False)
    _records: dict[str, list[Record]] = field(factory=dict, init=False)
    _values: dict[tuple[str, int, str], str] = field(factory=dict, init=False)
    _owners: dict[str, tuple[Owner, float]] = field(factory=dict, init=False)
    _views: dict[str, list[str]] = field(factory=dict, init=False)
    _digests: set[tuple[str, str]] = field(factory=set, init=False)
    _snapshots: dict[str, str] = field(factory=dict, init=False)
    # Held where what is there decides what is written.
    _lock: Lock = field(factory=Lock, init=False, repr=False, eq=False)

    def runs(self) -> Sequence[RunInfo]:
        """All runs, the oldest first."""
        return list(self._runs)

    def find_run(self, run: str) -> RunInfo | None:
        """The run with this id."""
        return next((info for info in self._runs if info.run == run), None)

    def last_run(self, name: str | None = None) -> RunInfo | None:
        """The run that has begun last."""
        return next((info for info in reversed(self._runs) if name is None or info.name == name), None)

    def begin(self, info: RunInfo) -> None:
        """Note a new run."""
        with self._lock:
            if self.find_run(info.run) is not None:
                raise LedgerError(known(info.run))
            self._runs.append(info)

    def append(self, run: str, record: Record, *, after: int) -> Record:
        """Keep a record."""
        # As text, so that what comes out is a value of its own, and the same as from a file.
        values = {(run, after + 1, name): json.dumps(value) for name, value in record.outputs.items()}
        kept = evolve(record, outputs={}, seq=after + 1, time=time.time())
        with self._lock:
            records = self._records.setdefault(run, [])
            if len(records) != after:
                raise FencedError(fenced(run))
            self._values.update(values)
            records.append(kept)
        return kept

    def records(
        self,
        run: str,
        *,
        kinds: Sequence[Kind] = (),
        after: int = 0,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[Record]:
        """The records of a run."""
        records = self._records.get(run, [])[after:]
        chosen = (one for one in (records[::-1] if newest_first else records) if not kinds or one.kind in kinds)
        return islice(chosen, limit)

    def count(self, run: str, *, kinds: Sequence[Kind] = ()) -> int:
        """How many records a run has."""
        return sum(1 for _ in self.records(run, kinds=kinds))

    def value(self, run: str, seq: int, name: str) -> Any:
        """One of the outputs of a record."""
        return json.loads(self._values[run, seq, name])

    def values(self, run: str, places: Mapping[str, int]) -> dict[str, Any]:
        """Outputs of several records."""
        return {name: self.value(run, seq, name) for name, seq in places.items()}

    def acquire(self, run: str, owner: Owner, *, seconds: float, takes_over: bool = False) -> None:
        """Take the lease of a run, or renew it."""
        with self._lock:
            known, until = self._owners.get(run, (owner, 0.0))
            if not takes_over and known != owner and until > time.time() and not known.is_gone():
                raise RunBusyError(busy(run, known, until - time.time()))
            self._owners[run] = owner, time.time() + seconds

    def release(self, run: str, owner: Owner) -> None:
        """Give the lease back."""
        with self._lock:
            if self._owners.get(run, (None, 0.0))[0] == owner:
                del self._owners[run]

    def add_view(self, run: str, digest: str, text: str) -> None:
        """Note a text of the plan's file."""
        self._digests.add((run, digest))
        self._views[run] = [text, *self._views.get(run, ())]

    def confirm_view(self, run: str) -> None:
        """Note that the last of them was written."""
        del self._views[run][1:]

    def views(self, run: str) -> Sequence[str]:
        """The texts that the file may have."""
        return list(self._views.get(run, ()))

    def has_view(self, run: str, digest: str) -> bool:
        """Whether there was such a text."""
        return (run, digest) in self._digests

    def add_snapshot(self, run: str, text: str) -> None:
        """Keep a snapshot."""
        self._snapshots[run] = text

    def snapshot(self, run: str) -> str | None:
        """The last snapshot."""
        return self._snapshots.get(run)

    def close(self) -> None:
        """Nothing is held."""


def known(run: str) -> str:
    """Why a run cannot begin."""
    return f"there is a run {visible_name(run)} already"


def fenced(run: str) -> str:
    """Why a record is refused."""
    return f"another process has continued run {visible_name(run)}"


def busy(run: str, owner: Owner, left: float) -> str:
    """Why a lease cannot be had, which ends in so many seconds."""
    return f"another process is working on run {visible_name(run)}: {owner} (its lease ends in {left:.0f} s)"
