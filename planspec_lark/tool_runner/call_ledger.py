"""What a ledger says of the calls of a tool plan: which are done, with what outcome, and in which order."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from planspec_lark.runs.lease import RunLease, hold_lease
from planspec_lark.runs.ledger import Ledger, LedgerError, Record, RecordKind, RunInfo
from planspec_lark.runs.sqlite_ledger import MemoryLedger, SqliteLedger
from planspec_lark.syntax.safe_text import visible_name
from planspec_lark.tool_runner.results import StepStatus, ToolRun

__all__ = ["RUN", "CallLedger", "DoneCall", "key_of", "open_calls"]

# The run of a ledger that has the calls, unless it is called otherwise; and what its first record says it is of.
RUN = "toolplan"


@frozen
class DoneCall:
    """A call that was done in an earlier run; ``seq`` is the number of the record that says so."""

    seq: int
    outputs: dict[str, Any]
    started: float
    seconds: float


def key_of(call: object) -> str:
    """The key of a call: any change to it makes another key.

    Raises:
        TypeError, ValueError: it holds what JSON cannot say.
    """
    text = json.dumps(call, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


@define
class CallLedger:
    """What a run has of calls, and the only writer of it. Without a lease nothing is written."""

    _ledger: Ledger
    _run: str
    _lease: RunLease | None = None
    # By key, the last record of what is done.
    _done: dict[str, Record] = field(factory=dict, init=False)
    _last: int = field(default=0, init=False)

    def read(self) -> None:
        """Learn what the ledger says.

        Raises:
            LedgerError: it cannot be read, or the records are not those of a tool plan.
        """
        for record in self._ledger.records(self._run):
            if record.seq == 1 and not (record.kind is RecordKind.BEGUN and record.data.get("runner") == RUN):
                raise self._strange()
            self._last = record.seq
            if record.kind is RecordKind.DONE:
                self._done[record.hash] = record
            elif record.kind is RecordKind.FAILED:
                # It was done once, and has failed since then.
                self._done.pop(record.hash, None)

    def find(self, key: str) -> DoneCall | None:
        """The call with this key, if it was done."""
        record = self._done.get(key)
        if record is None:
            return None
        try:
            outputs = {name: self._ledger.value(self._run, record.seq, name) for name in record.data.get("names", ())}
            started, seconds = float(record.data["started"]), float(record.data["seconds"])
        except (ArithmeticError, ValueError, TypeError, KeyError) as error:
            raise self._strange() from error
        if not math.isfinite(started + seconds):
            raise self._strange()
        return DoneCall(record.seq, outputs, started, seconds)

    def begin(self, goal: str) -> None:
        """Note that a run begins, or is resumed."""
        if self._last:
            self.write(Record(RecordKind.RESUMED))
            return
        if self._ledger.find_run(self._run) is None:
            self._ledger.begin(RunInfo(self._run, time.time(), name=self._run))
        self.write(Record(RecordKind.BEGUN, data={"runner": RUN, "description": goal}))

    def end(self, done: ToolRun) -> None:
        """Note that a run has ended."""
        left = sum(one.status is not StepStatus.DONE for one in done.results)
        outcome = f"{left} of {len(done.results)} steps are not done" if left else "done"
        self.write(Record(RecordKind.ENDED, data={"outcome": outcome}))

    def write(self, record: Record) -> int:
        """Keep a record for good before this returns; gives its number. Without a lease this does nothing.

        Raises:
            LedgerError: it cannot be written, or another process has taken over the run.
        """
        if self._lease is None:
            return 0
        self._lease.check()
        try:
            self._last = self._ledger.append(self._run, record, after=self._last).seq
        except LedgerError:
            raise
        except BaseException:
            # An interrupt may come when it is kept already.
            newest = next(self._ledger.records(self._run, newest_first=True, limit=1), None)
            if newest is not None and newest.seq == self._last + 1 and _key(newest) == _key(record):
                self._last += 1
            raise
        return self._last

    def _strange(self) -> LedgerError:
        return LedgerError(f"the records of run {visible_name(self._run)} are not those of a tool plan")


@contextmanager
def open_calls(ledger: Ledger | Path | str, run: str, goal: str, *, read_only: bool = False) -> Iterator[CallLedger]:
    """The calls that a ledger has. Its lease is held as long as this block lasts, unless it is only read.

    Args:
        ledger: a ledger, or the path of one, which is made if need be.
        run: the run of it that has them.
        goal: what the plan is for.
        read_only: nothing is written, and no lock is needed.

    Raises:
        RunBusyError: another process is working on the run.
        LedgerError: it cannot be used, or is something else.
    """
    if isinstance(ledger, Path | str):
        opened = MemoryLedger() if read_only and not _is_there(ledger) else SqliteLedger(ledger, read_only=read_only)
        with closing(opened), open_calls(opened, run, goal, read_only=read_only) as calls:
            yield calls
    elif read_only:
        calls = CallLedger(ledger, run)
        calls.read()
        yield calls
    else:
        with hold_lease(ledger, run) as lease:
            calls = CallLedger(ledger, run, lease)
            calls.read()
            calls.begin(goal)
            yield calls


def _is_there(path: Path | str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError) as error:
        raise LedgerError(f"{visible_name(str(path))}: {visible_name(str(error))}") from None


def _key(record: Record) -> tuple[RecordKind, str, str]:
    return record.kind, record.step, record.hash
