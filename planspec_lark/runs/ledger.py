"""The ledger of runs: a record for everything that happens, on the disk before it takes effect.

:class:`Ledger` is all that the engine asks of one. What is kept in memory is here; a file is in
:mod:`planspec_lark.runs.sqlite_ledger`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Protocol

from attrs import define, evolve, field, frozen

from planspec_lark.syntax.diagnostics import PlanSpecError

__all__ = ["Change", "Kind", "Ledger", "LedgerError", "MemoryLedger", "Record", "RunInfo"]


class LedgerError(PlanSpecError):
    """A ledger that cannot be read or written; the text says why."""


class Kind(str, Enum):
    """What has happened."""

    # a run
    BEGUN = "begun"
    RESUMED = "resumed"
    ENDED = "ended"
    # a step
    STARTED = "started"
    DONE = "done"
    FAILED = "failed"
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
    # a plan that somebody has edited between two runs
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
        seq: its number in the ledger, which only grows.
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
    """A run: its id, when it began, and the values that it was given."""

    run: str
    time: float
    inputs: Mapping[str, Any] = field(factory=dict)


class Ledger(Protocol):
    """What the engine asks of a ledger. One process at a time writes to it."""

    def runs(self) -> Sequence[RunInfo]:
        """All runs, the oldest first."""

    def begin(self, info: RunInfo) -> None:
        """Note a new run."""

    def append(self, run: str, record: Record) -> Record:
        """Keep a record for good before this returns; gives it with its number and time, without outputs."""

    def records(
        self, run: str, *, kinds: Sequence[Kind] = (), newest_first: bool = False, limit: int | None = None
    ) -> Iterator[Record]:
        """The records of a run, of these kinds or all, without outputs."""

    def count(self, run: str, *, kinds: Sequence[Kind] = ()) -> int:
        """How many records of these kinds, or of all, a run has."""

    def value(self, seq: int, name: str) -> Any:
        """One of the outputs of a record. Raises KeyError where there is none."""

    def close(self) -> None:
        """Let go of what it holds."""


@define
class MemoryLedger:
    """A ledger that ends with its process."""

    _runs: list[RunInfo] = field(factory=list, init=False)
    _records: list[tuple[str, Record]] = field(factory=list, init=False)
    _values: dict[tuple[int, str], str] = field(factory=dict, init=False)

    def runs(self) -> Sequence[RunInfo]:
        """All runs, the oldest first."""
        return list(self._runs)

    def begin(self, info: RunInfo) -> None:
        """Note a new run."""
        self._runs.append(info)

    def append(self, run: str, record: Record) -> Record:
        """Keep a record."""
        seq = len(self._records) + 1
        for name, value in record.outputs.items():
            # As text, so that what comes out is a value of its own, and the same as from a file.
            self._values[seq, name] = json.dumps(value)
        kept = evolve(record, outputs={}, seq=seq, time=time.time())
        self._records.append((run, kept))
        return kept

    def records(
        self, run: str, *, kinds: Sequence[Kind] = (), newest_first: bool = False, limit: int | None = None
    ) -> Iterator[Record]:
        """The records of a run."""
        left = len(self._records) if limit is None else limit
        for owner, record in reversed(self._records) if newest_first else iter(list(self._records)):
            if left <= 0:
                return
            if owner == run and (not kinds or record.kind in kinds):
                left -= 1
                yield record

    def count(self, run: str, *, kinds: Sequence[Kind] = ()) -> int:
        """How many records a run has."""
        return sum(1 for _ in self.records(run, kinds=kinds))

    def value(self, seq: int, name: str) -> Any:
        """One of the outputs of a record."""
        return json.loads(self._values[seq, name])

    def close(self) -> None:
        """Nothing is held."""
