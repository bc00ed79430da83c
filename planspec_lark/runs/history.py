"""What has happened in a run, read from its ledger on demand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from planspec_lark.runs.ledger import Ledger, Record, RecordKind

__all__ = ["History", "HistoryEvent"]

# What those who work for the engine want to know of; the rest is about the engine itself.
_TOLD = (
    *(
        RecordKind.DONE,
        RecordKind.FAILED,
        RecordKind.BRANCHED,
        RecordKind.LOOPED,
        RecordKind.SKIPPED,
        RecordKind.BLOCKED,
    ),
    *(RecordKind.REFLECTED, RecordKind.TOLD, RecordKind.REPLANNED, RecordKind.RENEWED),
)


# Of a history that is sent to another process, so many events go with it.
_SENT = 100


@frozen
class HistoryEvent:
    """One thing that has happened.

    Attributes:
        kind: what, as the ledger calls it.
        step: the id that the step had then; empty where no step is meant.
        description: of the step, as it was then.
        text: the result, the reason or the answer, in words.
        status: what the operator said, of a step that was not OK.
        time: in seconds since 1970.
    """

    kind: RecordKind
    step: str
    description: str
    text: str
    status: str
    time: float


class History:
    """The events of a run. It takes no memory, however long it is; to another process the last 100 events are sent."""

    def __init__(self, ledger: Ledger, run: str) -> None:
        self._ledger, self._run = ledger, run

    def __iter__(self) -> Iterator[HistoryEvent]:
        """All events, the oldest first."""
        return map(_event, self._ledger.records(self._run, kinds=_TOLD))

    def __len__(self) -> int:
        """How many events there are."""
        return self._ledger.count(self._run, kinds=_TOLD)

    def last(self, count: int) -> list[HistoryEvent]:
        """The last events, the oldest of them first."""
        newest = self._ledger.records(self._run, kinds=_TOLD, newest_first=True, limit=count)
        return [_event(record) for record in newest][::-1]

    def __reduce__(self) -> tuple[Any, ...]:
        return _SentHistory, (len(self), tuple(self.last(_SENT)))


class _SentHistory(History):
    """A history that was sent to another process: how long it was, and the last of it."""

    def __init__(self, count: int, events: tuple[HistoryEvent, ...]) -> None:
        self._count, self._events = count, events

    def __iter__(self) -> Iterator[HistoryEvent]:
        return iter(self._events)

    def __len__(self) -> int:
        return self._count

    def last(self, count: int) -> list[HistoryEvent]:
        return list(self._events[max(0, len(self._events) - count) :])

    def __reduce__(self) -> tuple[Any, ...]:
        return _SentHistory, (self._count, self._events)


def _event(record: Record) -> HistoryEvent:
    data = record.data
    text = str(data.get("result", data.get("answer", "")))
    return HistoryEvent(
        record.kind, record.step, str(data.get("description", "")), text, str(data.get("status", "")), record.time
    )
