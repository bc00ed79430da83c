"""The ledger of runs: a record for everything that happens, kept for good before it takes effect.

:class:`Ledger` is all that a runner asks of one. Those in memory and in a file are in
:mod:`planspec_lark.runs.sqlite_ledger`, a database of several machines is in :mod:`planspec_lark.runs.postgres_ledger`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Protocol

from attrs import Attribute, field, frozen

from planspec_lark.runs.owner import Owner
from planspec_lark.syntax.diagnostics import PlanSpecError

__all__ = [
    "FencedError",
    "Ledger",
    "LedgerError",
    "NoLedgerError",
    "Record",
    "RecordKind",
    "RunBusyError",
    "RunInfo",
    "StepUpdate",
    "check_name",
    "is_name",
    "say_unwritable",
]


class LedgerError(PlanSpecError):
    """A ledger that cannot be read or written; the text says why."""


class NoLedgerError(LedgerError):
    """There is no ledger where one was to be read."""


class FencedError(LedgerError):
    """Another process has continued the run: what this one wanted to keep was refused."""


class RunBusyError(LedgerError):
    """Another process is at work on the run."""


class RecordKind(str, Enum):
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
class StepUpdate:
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

    kind: RecordKind
    step: str = ""
    hash: str = ""
    attempt: int = 0
    data: Mapping[str, Any] = field(factory=dict)
    outputs: Mapping[str, Any] = field(factory=dict)
    changes: Mapping[str, StepUpdate] = field(factory=dict)
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


def check_name(name: str, value: object) -> None:
    """Refuse the id or the name of a run that no ledger can hold: half of a surrogate pair has no UTF-8.

    Raises:
        TypeError, ValueError: ``name`` is not a text, or not such a one.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a string, not {type(value).__name__}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{name}: {say_unwritable(error)}") from None


def say_unwritable(error: UnicodeEncodeError) -> str:
    """What is wrong with a text that has no UTF-8."""
    return f"the character U+{ord(error.object[error.start]):04X} cannot be written as UTF-8"


def is_name(_instance: object, attribute: Attribute[Any], value: object) -> None:
    """The same as a validator."""
    check_name(attribute.name, value)


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

    def append(self, run: str, *records: Record, after: int) -> Record:
        """Keep records for good before this returns, all of them or none; gives the last one without outputs.

        Args:
            run: of which they are.
            records: what has happened, at least one thing. They are numbered here, and one without a time has this one.
            after: the number of the record before them, 0 where there is none.

        Raises:
            FencedError: there is another record of one of these numbers.
            LedgerError: it cannot be written.
        """

    def records(
        self,
        run: str,
        *,
        kinds: Sequence[RecordKind] = (),
        after: int = 0,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> Iterator[Record]:
        """The records of a run after this number, of these kinds or all, without outputs.

        Raises:
            LedgerError: it cannot be read, or of all records one is missing.
        """

    def count(self, run: str, *, kinds: Sequence[RecordKind] = ()) -> int:
        """How many records of these kinds, or of all, a run has."""

    def value(self, run: str, seq: int, name: str) -> Any:
        """One of the outputs of a record. Raises LedgerError where there is none."""

    def values(self, run: str, places: Mapping[str, int]) -> dict[str, Any]:
        """Outputs by name, each of the record whose number is given. Raises LedgerError where one is not there."""

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

    def find_holder(self, run: str) -> Owner | None:
        """The process that has the lease of a run, and may be alive."""

    def ask_to_stop(self, run: str, *, now: bool = False) -> None:
        """Ask who has the lease of a run to begin nothing new; who takes the lease next does not hear of it.

        With ``now``, what is under way is to end as well.
        """

    def is_asked_to_stop(self, run: str, *, now: bool = False) -> bool:
        """Whether who has the lease was asked to begin nothing new, or to end what is under way ``now``."""

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

    def remove(self, runs: Sequence[str]) -> None:
        """Forget runs, with all that is known of them. Who calls this has their leases."""

    def close(self) -> None:
        """Let go of what it holds."""
