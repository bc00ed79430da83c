"""The log of a run and its plan: plan, state and ledger change here, and always together.

The ledger alone says what counts. The plan's file is a view of it, which is written now and then.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from logging import getLogger
from threading import RLock
from typing import Any, TypeVar

from attrs import frozen

from planspec_lark.awaitables import ignore
from planspec_lark.document.file import LeasedPlan
from planspec_lark.engine.entries import ENTRIES, PlanEntry, StepPatch
from planspec_lark.engine.plan_text import PlanText
from planspec_lark.engine.run_state import RunState
from planspec_lark.engine.snapshot import write_snapshot
from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep
from planspec_lark.runs.database_ledger import encode
from planspec_lark.runs.entries import Entry, RunLog
from planspec_lark.runs.history import History
from planspec_lark.runs.ledger import Ledger, LedgerError, Record, RecordKind, StepUpdate
from planspec_lark.runs.telemetry import RunTelemetry
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["LOG", "RunWriter", "ThinkEvent"]

_Some = TypeVar("_Some", bound=Entry)

LOG = getLogger("planspec_lark.engine")
# So many records, at least, lie between two snapshots. Reading these takes next to no time.
_BETWEEN_SNAPSHOTS = 1_000


@frozen
class ThinkEvent:
    """Something that has happened; ledger and plan file have it already.

    Attributes:
        kind: what.
        step_id: the step that is meant, as it was called before; empty where none is.
        data: what else there is to say, as in the ledger.
        plan: the plan as it is. Steps that begin now are active in it by then. It keeps changing: copy what is to be
            kept.
    """

    kind: RecordKind
    step_id: str
    data: Mapping[str, Any]
    plan: PlanSpec


def _opens(before: str, after: str) -> bool:
    """Whether a step may be open then that was not, or one that another waits for."""
    return after == PlanStatus.PENDING.value or before == PlanStatus.BLOCKED.value


class RunWriter(RunLog):
    """The log of a run that is at work, and its plan.

    Args:
        plan: the plan, which is changed in place.
        state: the state after what has happened so far.
        ledger, run: where records go.
        file: where the plan's text goes; None where it is kept in memory only.
        tell: is told of all that happens.
        snapped: the number of the record after which the last snapshot was made.

    Attributes:
        history: what has happened in the run.
        text: the plan's text as it is.
        digest: the hash of the text after the last record.
        version: grows with every change after which a step may be open again that was not.
        scope: the id of the subtask that alone is run; empty where the whole plan is.
        shape: grows with every change of anything but statuses, results and rounds.
        fault: what was wrong with the ledger, which ends the run.
    """

    ledger: Ledger

    def __init__(  # noqa: PLR0913, PLR0917  (what a run is made of)
        self,
        plan: PlanSpec,
        state: RunState,
        ledger: Ledger,
        run: str,
        file: LeasedPlan | None,
        tell: Callable[[ThinkEvent], None] = ignore,
        snapped: int = 0,
    ) -> None:
        name = visible_name(run)
        last = 0 if state.last is None else state.last.seq
        super().__init__(ENTRIES, run, ledger, f"run {name}", RunTelemetry(LOG, name), last=last)
        self.plan, self.state, self.file = plan, state, file
        self.history, self.text = History(ledger, run), PlanText(plan)
        self.digest, self.scope = self.text.digest, ""
        self.version = self.shape = 0
        self.fault: LedgerError | None = None
        self._tell_of, self._snapped, self._shown = tell, snapped, ""
        # Whether the plan has changes that the ledger does not have.
        self._is_ahead = False
        # The file is written beside the run.
        self._lock = RLock()

    def find(self, step_id: str) -> PlanStep | None:
        """The step with this id."""
        return self.text.find(step_id)

    @property
    def root(self) -> PlanSpec | PlanStep:
        """What is run: the plan, or one subtask."""
        return (self.find(self.scope) if self.scope else None) or self.plan

    def is_inside(self, step_id: str) -> bool:
        """Whether a step is below what is run."""
        return not self.scope or step_id.startswith(f"{self.scope}.")

    def is_run(self, step_id: str) -> bool:
        """Whether a step is part of what is run."""
        return step_id == self.scope or self.is_inside(step_id)

    # ---------------------------------------------------------------- what happens

    def note(self, entry: PlanEntry) -> None:
        """Something has happened: it is kept before this returns."""
        self.fold(self.add(entry))
        self.commit()

    def add(self, entry: _Some, step_type: str = "", **more: Any) -> _Some:
        """Have an entry kept, and change status, result and rounds of steps as it says."""
        assert isinstance(entry, PlanEntry)
        with self._lock:
            changes = self._apply(entry.patches)
            plan = None
            if entry.is_of_shape:
                self.text.renew()
                self.version += 1
                self.shape += 1
                plan = self.text.text
            more |= {"changes": changes, "plan": plan, "before": self.digest, "after": self.text.digest}
            self.digest = self.text.digest
            self._is_ahead = True
            return super().add(entry, step_type, **more)

    def _apply(self, patches: Iterable[StepPatch]) -> dict[str, StepUpdate]:
        changes = {}
        for patch in patches:
            change = patch.apply()
            if change is not None:
                changes[patch.step.step_id] = change
        if changes:
            self.text.update(*changes)
        if any(change.status and _opens(*change.status) for change in changes.values()):
            self.version += 1
        return changes

    def fold(self, entry: PlanEntry) -> None:
        """Take account of what was added."""
        self.state.take(entry)

    def commit(self) -> list[Record]:
        """Keep what was added and taken account of, and tell of it."""
        kept = super().commit()
        if kept:
            self._snap()
        if kept and self.lease is not None and self.digest != self._shown:
            self.lease.mark()
        for record in kept:
            self._tell_of(ThinkEvent(record.kind, record.step, record.data, self.plan))
        return kept

    def _keep(self, records: Sequence[Record]) -> None:
        with self._lock:
            self._append(self.ledger, records, records[0].seq - 1)
            self._is_ahead = False

    def _snap(self) -> None:
        """Now and then, write a snapshot: it costs as much as the plan is long."""
        last = self.state.last
        if last is not None and last.seq - self._snapped >= max(_BETWEEN_SNAPSHOTS, len(self.text)):
            self.ledger.add_snapshot(self.run, write_snapshot(self.state, last, self.text.text))
            self._snapped = last.seq

    def replace(self, plan: PlanSpec) -> None:
        """Continue with another plan, of which a record of its shape is to be kept next."""
        with self._lock:
            self.plan, self.text.plan = plan, plan

    def value(self, seq: int, name: str) -> Any:
        """An output that a record has. An error of the ledger ends the run, even if the caller catches it."""
        waiting = next((record for record, _ in self.added if record.seq == seq), None)
        if waiting is not None and name in waiting.outputs:
            # As it is read from the ledger.
            return json.loads(encode(waiting.outputs[name]))
        try:
            return self.ledger.value(self.run, seq, name)
        except LedgerError as error:
            self.fault = error
            raise

    # ---------------------------------------------------------------- the plan's file

    def write_view(self) -> None:
        """Bring the plan's file to what the ledger says.

        Raises:
            PlanEditedError: it was edited after it was last written.
            PlanFileError, LedgerError: it cannot be written.
        """
        with self._lock:
            if self._is_ahead:
                return
            digest, text = self.digest, self.text.text
        # Noted before it is written: a text in the file that is not noted counts as an edit from outside.
        self.ledger.add_view(self.run, digest, text)
        if self.file is not None:
            self.file.save(text)
            self.ledger.confirm_view(self.run)
        self._shown = digest

    def leave_shown(self) -> None:
        """The plan's file has what the ledger says already, and that is the last text that was noted."""
        self._shown = self.digest

    def ancestors(self, step_id: str) -> list[PlanStep]:
        """The steps that a step is below, the nearest first."""
        found = []
        while "." in step_id:
            step_id = step_id.rpartition(".")[0]
            step = self.find(step_id)
            if step is not None:
                found.append(step)
        return found
