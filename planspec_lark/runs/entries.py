"""The log of a run in typed entries: a class for each kind of record, which is written and read as its fields say."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any, TypeVar

from attrs import Attribute, Factory, define, evolve, field, fields, frozen
from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, override

from planspec_lark.runs.lease import VIEW_PAUSE, RunLease, hold_lease
from planspec_lark.runs.ledger import Ledger, LedgerError, Record, RecordKind, RunInfo
from planspec_lark.runs.limits import NO_EFFORT, Effort
from planspec_lark.runs.telemetry import RunTelemetry
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["UNKEPT", "Entry", "EntryTypes", "RunLog"]

_Some = TypeVar("_Some", bound="Entry")

# Metadata of a field that is there as long as the process lasts.
UNKEPT = {"is_kept": False}


@frozen(kw_only=True)
class Entry:
    """Something that has happened in a run. Metadata may give a field another name in the log (``name``).

    Attributes:
        kind: of its record; without one it follows from what is written, and is not written itself.
        step: the id of the step that is meant.
        hash: of what was asked for.
        effort: what it took.
        seq, time: the number of its record, and when that was written, in seconds since 1970; 0 until then.
    """

    kind: RecordKind | None = None
    step: str = ""
    hash: str = ""
    effort: Effort = field(default=NO_EFFORT, metadata=UNKEPT)
    seq: int = field(default=0, metadata=UNKEPT)
    time: float = field(default=0.0, metadata=UNKEPT)


# What a record has columns for.
_COLUMNS = ("kind", "step", "hash", "attempt", "outputs", "changes", "plan", "before", "after")
# Outputs are read one by one.
_READ = frozenset(_COLUMNS) - {"outputs"} | {"seq", "time"}
# What other fields do not depend on.
_LATER = frozenset(_COLUMNS) - {"kind", "step", "hash"}
_SPENT = frozenset(one.name for one in fields(Effort))
# Values that a record need not have, where they are the defaults of their fields.
_EMPTY: tuple[object, ...] = (None, "", 0, [], {}, ())


def _is_kept(one: Attribute[Any]) -> bool:
    return bool(one.metadata.get("is_kept", True))


def _is_empty_by_default(one: Attribute[Any]) -> bool:
    default: Any = one.default
    return default.factory in (dict, list) if isinstance(default, Factory) else default in _EMPTY  # type: ignore[arg-type]


class EntryTypes:
    """The entries of one language.

    Args:
        language: what a run is of, in words.
        types: the classes, each with the kinds that it is for.
        hooks: by class of a value, what makes it of JSON and what makes JSON of it.
    """

    def __init__(
        self,
        language: str,
        types: Mapping[type[Entry], Sequence[RecordKind]],
        hooks: Mapping[type, tuple[Callable[[Any, Any], Any], Callable[[Any], Any]]] | None = None,
    ) -> None:
        self.language = language
        self._types = {kind: one for one, kinds in types.items() for kind in kinds}
        # By class, the fields that a record has, what it calls them, and whether it may leave out empty ones.
        self._kept: dict[type, list[tuple[str, str, bool]]] = {}
        self._converter = Converter(detailed_validation=False)
        self._converter.register_structure_hook_factory(lambda of: of in types, self._reader)
        for model, (read, write) in (hooks or {}).items():
            self._converter.register_structure_hook(model, read)
            self._converter.register_unstructure_hook(model, write)

    def write(self, entry: Entry, **more: Any) -> Record:
        """An entry as a record; it has to have a kind. What ``more`` columns say is not taken from the entry."""
        data = {}
        for name, called, is_empty in self._fields(type(entry)):
            value = getattr(entry, name)
            if called in _COLUMNS:
                more.setdefault(called, value)
            elif not is_empty or value not in _EMPTY:
                data[called] = self._converter.unstructure(value)
        if entry.effort is not NO_EFFORT:
            data |= {name: value for name, value in entry.effort.to_data().items() if value}
        # A name may have what no database takes.
        more["step"] = visible_name(entry.step)
        return Record(data=data, **more)

    def _fields(self, model: type[Entry]) -> list[tuple[str, str, bool]]:
        if model not in self._kept:
            self._kept[model] = [
                (one.name, one.metadata.get("name", one.name), _is_empty_by_default(one))
                for one in fields(model)
                if _is_kept(one)
            ]
        return self._kept[model]

    def read(self, record: Record) -> Entry | None:
        """A record as an entry; None where the language has none of this kind.

        Raises:
            ValueError, TypeError, KeyError: the record is not what the language writes.
        """
        model = self._types.get(record.kind)
        if model is None:
            return None
        said = {**record.data, "kind": record.kind, "step": record.step, "hash": record.hash}
        entry = self._converter.structure(said, model)
        columns = {one.name: getattr(record, one.name) for one in fields(model) if one.name in _READ}
        effort = NO_EFFORT if _SPENT.isdisjoint(record.data) else Effort.from_data(record.data)
        return evolve(entry, effort=effort, **columns)

    def _reader(self, model: type[Entry]) -> Callable[..., Entry]:
        """What makes an entry of the data of a record."""
        how: dict[str, Any] = {
            one.name: override(
                omit=one.name in _LATER or not _is_kept(one) or None,
                rename=one.metadata.get("name"),
            )
            for one in fields(model)
        }
        return make_dict_structure_fn(model, self._converter, **how)


@define(eq=False)
class RunLog:
    """The log of one run. Without a lease nothing is written.

    Attributes:
        types: the entries of its language.
        run: the run's id.
        ledger: where it is kept; None where it is not.
        name: what it is called in errors.
        telemetry: tells of every record, in lines and spans.
        errors: turns what goes wrong with the ledger into something else.
        last: the number of the last record, also of one that was only added.
    """

    types: EntryTypes
    run: str
    ledger: Ledger | None
    name: str
    telemetry: RunTelemetry
    errors: Callable[[], AbstractContextManager[None]] = nullcontext
    lease: RunLease | None = None
    last: int = 0
    # What is kept with the next commit, each with the type of the step that it begins.
    added: list[tuple[Record, str]] = field(factory=list, init=False)

    def read(self, since: Sequence[RecordKind] = (RecordKind.BEGUN,)) -> Iterator[Entry]:
        """All entries since the last one of these kinds.

        Raises:
            LedgerError: the ledger cannot be read, or its records are of something else.
        """
        if self.ledger is None:
            return
        with self.errors():
            newest = next(self.ledger.records(self.run, kinds=since, newest_first=True, limit=1), None)
            first = 1 if newest is None else newest.seq
            for record in self.ledger.records(self.run, after=first - 1):
                self.last = record.seq
                entry = self._read(record)
                if record.seq == first and (entry is None or entry.kind not in since):
                    raise self._strange()
                if entry is not None:
                    yield entry

    def _read(self, record: Record) -> Entry | None:
        try:
            return self.types.read(record)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise self._strange() from error

    def _strange(self) -> LedgerError:
        return LedgerError(f"{self.name}: these are not records of {self.types.language}")

    def go_to_end(self) -> None:
        """Continue behind the last record, whatever those before it are."""
        assert self.ledger is not None
        newest = next(self.ledger.records(self.run, newest_first=True, limit=1), None)
        self.last = 0 if newest is None else newest.seq

    @contextmanager
    def held(self, write: Callable[[], None] | None = None, pause: float = VIEW_PAUSE) -> Iterator[None]:
        """The lease of the run is held as long as this block lasts, and its view kept up to date.

        Raises:
            RunBusyError: another process is working on the run.
        """
        assert self.ledger is not None
        with ExitStack() as stack:
            with self.errors():
                self.lease = stack.enter_context(hold_lease(self.ledger, self.run, write=write, pause=pause))
            yield

    def is_asked_to_stop(self) -> bool:
        """Whether nothing new is to begin."""
        if self.lease is None or self.ledger is None:
            return False
        with self.errors():
            return self.ledger.is_asked_to_stop(self.run)

    def write(self, entry: _Some) -> _Some:
        """Keep an entry for good before this returns; gives it with its number. Errors are as for :meth:`commit`."""
        kept = self.add(entry)
        self.commit()
        return kept

    def add(self, entry: _Some, step_type: str = "", **more: Any) -> _Some:
        """Have an entry kept by the next commit; gives it with its number.

        Args:
            entry: what has happened.
            step_type: of a step that begins.
            more: values of fields, which are not as the entry says them.
        """
        if entry.kind is None:
            return entry
        more |= {"seq": self.last + 1, "time": time.time()}
        self.added.append((self.types.write(entry, **more), step_type))
        self.last += 1
        return evolve(entry, **more)

    def commit(self) -> list[Record]:
        """Keep what was added, for good before this returns: all of it or nothing; gives what that was.

        Raises:
            LedgerError: it cannot be written, or another process has taken over the run.
        """
        added = self.added
        if not added:
            return []
        records = [record for record, _ in added]
        try:
            self._keep(records)
        finally:
            # Until now, others find here what the ledger may not have.
            self.added = []
        for record, step_type in added:
            self.telemetry.take(record, step_type)
        return records

    def _keep(self, records: Sequence[Record]) -> None:
        if self.lease is None or self.ledger is None:
            return
        with self.errors():
            self._append(self.ledger, records, records[0].seq - 1)
            # What has gone wrong beside the run ends it, but what has happened is kept.
            self.lease.check()

    def _append(self, ledger: Ledger, records: Sequence[Record], after: int) -> None:
        if not after and ledger.find_run(self.run) is None:
            ledger.begin(RunInfo(self.run, time.time(), name=self.run))
        try:
            ledger.append(self.run, *records, after=after)
        except BaseException as error:
            self.last = after
            if isinstance(error, LedgerError):
                raise
            # An interrupt may come before they are kept, or after.
            if ledger.count(self.run) == after:
                ledger.append(self.run, *records, after=after)
            self.last = records[-1].seq
            raise
