"""The only writer of a run: plan, state and ledger change here, and always together.

The ledger alone says what counts. The plan's file is a view of it, which is written now and then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from logging import getLogger
from threading import RLock
from typing import Any

from attrs import fields, frozen

from planspec_lark.awaitables import ignore
from planspec_lark.document.file import LeasedPlan
from planspec_lark.engine.models import Effort
from planspec_lark.engine.plan_text import PlanText
from planspec_lark.engine.run_state import RunState
from planspec_lark.engine.snapshot import write_snapshot
from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep, hash_of
from planspec_lark.runs.history import History
from planspec_lark.runs.lease import RunLease
from planspec_lark.runs.ledger import Ledger, LedgerError, Record, RecordKind, StepUpdate
from planspec_lark.runs.telemetry import RunTelemetry
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["LOG", "RunWriter", "StepPatch", "ThinkEvent"]

LOG = getLogger("planspec_lark.engine")
# So many records, at least, lie between two snapshots. Reading these takes next to no time.
_BETWEEN_SNAPSHOTS = 1_000


@frozen
class StepPatch:
    """What a step is to be: fields that are None stay as they are."""

    step: PlanStep
    status: PlanStatus | None = None
    result: str | None = None
    done_count: int | None = None

    def apply(self) -> StepUpdate | None:
        """Change the step; says what was changed, if anything was."""
        changes: dict[str, Any] = {}
        for part in fields(StepUpdate):
            before, after = getattr(self.step, part.name), getattr(self, part.name)
            if after is not None and after != before:
                setattr(self.step, part.name, after)
                changes[part.name] = (_plain(before), _plain(after))
        return StepUpdate(**changes) if changes else None


def _plain(value: object) -> object:
    return value.value if isinstance(value, PlanStatus) else value


@frozen
class ThinkEvent:
    """Something that has happened; ledger and plan file have it already.

    Attributes:
        kind: what.
        step_id: the step that is meant, as it was called before; empty where none is.
        data: what else there is to say, as in the ledger.
        plan: the plan as it is. It keeps changing: copy what is to be kept.
    """

    kind: RecordKind
    step_id: str
    data: Mapping[str, Any]
    plan: PlanSpec


def _opens(before: str, after: str) -> bool:
    """Whether a step may be open then that was not, or one that another waits for."""
    return after == PlanStatus.PENDING.value or before == PlanStatus.BLOCKED.value


class RunWriter:
    """A run that is at work.

    Args:
        plan: the plan, which is changed in place.
        state: the state after the records so far.
        ledger, run: where records go.
        file: where the plan's text goes; None where it is kept in memory only.
        tell: is told of every record.
        snapped: the number of the record after which the last snapshot was made.

    Attributes:
        history: what has happened in the run.
        text: the plan's text as it is.
        digest: the hash of the text after the last record.
        version: grows with every change after which a step may be open again that was not.
        scope: the id of the subtask that alone is run; empty where the whole plan is.
        shape: grows with every change of anything but statuses, results and rounds.
        lease: has the plan's file written now and then.
        fault: what was wrong with the ledger, which ends the run.
        telemetry: tells of every record as well, in lines and spans.
    """

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
        self.plan, self.state, self.ledger, self.run, self.file = plan, state, ledger, run, file
        self.history, self.text = History(ledger, run), PlanText(plan)
        self.digest, self.scope = self.text.digest, ""
        self.version = self.shape = 0
        self.lease: RunLease | None = None
        self.fault: LedgerError | None = None
        self.telemetry = RunTelemetry(LOG, visible_name(run))
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

    def note(  # noqa: PLR0913  (each is another part of the record)
        self,
        kind: RecordKind,
        step: PlanStep | None = None,
        *,
        patches: Iterable[StepPatch] = (),
        attempt: int = 0,
        outputs: Mapping[str, Any] | None = None,
        effort: Effort | None = None,
        **data: Any,
    ) -> Record:
        """Keep a record, and change status, result and rounds of steps as it says."""
        with self._lock:
            changes = {}
            for patch in patches:
                change = patch.apply()
                if change is not None:
                    changes[patch.step.step_id] = change
            if changes:
                self.text.update(*changes)
            if any(change.status and _opens(*change.status) for change in changes.values()):
                self.version += 1
            step_id, own = ("", "") if step is None else (step.step_id, hash_of(step))
            given = _data(data, effort), outputs or {}, changes
            record = Record(kind, step_id, own, attempt, *given, None, self.digest, self.text.digest)
            kept = self._append(record)
        return self._tell(kept, "" if step is None else step.step_type)

    def note_shape(
        self, kind: RecordKind, step_id: str = "", *, own: str = "", effort: Effort | None = None, **data: Any
    ) -> Record:
        """Keep a record of a plan that has changed in other ways already."""
        with self._lock:
            self.text.renew()
            self.version += 1
            self.shape += 1
            given, text = _data(data, effort), self.text
            record = Record(kind, step_id, own, 0, given, plan=text.text, before=self.digest, after=text.digest)
            kept = self._append(record)
        return self._tell(kept)

    def replace(self, plan: PlanSpec) -> None:
        """Continue with another plan, of which a record of its shape is to be kept next."""
        with self._lock:
            self.plan, self.text.plan = plan, plan

    def _append(self, record: Record) -> Record:
        self.digest = record.after
        last = self.state.last
        self._is_ahead = True
        kept = self.ledger.append(self.run, record, after=last.seq if last is not None else 0)
        self._is_ahead = False
        self.state.take(kept)
        self._keep_snapshot(kept)
        return kept

    def _keep_snapshot(self, last: Record) -> None:
        """Now and then, write a snapshot of the state: it costs as much as the plan is long."""
        is_due = last.seq - self._snapped >= max(_BETWEEN_SNAPSHOTS, len(self.text))
        if is_due:
            self.ledger.add_snapshot(self.run, write_snapshot(self.state, last, self.text.text))
            self._snapped = last.seq

    def _tell(self, kept: Record, step_type: str = "") -> Record:
        self.telemetry.take(kept, step_type)
        if self.lease is not None and self.digest != self._shown:
            self.lease.mark()
        self._tell_of(ThinkEvent(kept.kind, kept.step, kept.data, self.plan))
        return kept

    def value(self, seq: int, name: str) -> Any:
        """An output that a record has. An error of the ledger ends the run, even if the caller catches it."""
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


def _data(data: dict[str, Any], effort: Effort | None) -> dict[str, Any]:
    if effort is not None:
        data |= effort.to_data()
    return {name: value for name, value in data.items() if value not in (None, "", 0, [], {}, ())}
