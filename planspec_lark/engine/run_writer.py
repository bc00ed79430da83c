"""The only writer of a run: plan, state, ledger and the plan's file change here, and always together.

First the record is kept, then the plan's text. After a crash in between, the record says what the text should be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import define, evolve, field, frozen

from planspec_lark.document.file import LeasedPlan
from planspec_lark.engine.models import Effort
from planspec_lark.engine.plan_text import PlanText
from planspec_lark.engine.run_state import RunState
from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep, hash_of, iter_steps
from planspec_lark.runs.history import History
from planspec_lark.runs.ledger import Change, Kind, Ledger, Record

__all__ = ["OPEN", "Patch", "RunWriter", "ThinkEvent"]

OPEN = (PlanStatus.PENDING, PlanStatus.ACTIVE)


@frozen
class Patch:
    """What a step is to be: fields that are None stay as they are."""

    step: PlanStep
    status: PlanStatus | None = None
    result: str | None = None
    done_count: int | None = None

    def apply(self) -> Change | None:
        """Change the step; says what was changed, if anything was."""
        step, status, result, count = self.step, None, None, None
        if self.status is not None and self.status is not step.status:
            status, step.status = (step.status.value, self.status.value), self.status
        if self.result is not None and self.result != step.result:
            result, step.result = (step.result, self.result), self.result
        if self.done_count is not None and self.done_count != step.done_count:
            count, step.done_count = (step.done_count, self.done_count), self.done_count
        return Change(status, result, count) if status or result or count else None


@frozen
class ThinkEvent:
    """Something that has happened; ledger and plan file have it already.

    Attributes:
        kind: what.
        step_id: the step that is meant, as it was called before; empty where none is.
        data: what else there is to say, as in the ledger.
        plan: the plan as it stands. It goes on changing: copy what is to be kept.
    """

    kind: Kind
    step_id: str
    data: Mapping[str, Any]
    plan: PlanSpec


def _ignore(_: ThinkEvent) -> None:
    pass


@define(eq=False)
class RunWriter:
    """A run that is at work.

    Attributes:
        plan: the plan, which is changed in place.
        state: what the records so far come to.
        ledger, run: where records go.
        file: where the plan's text goes; None where it is kept in memory only.
        tell: is told of every record.
        history: what has happened in the run.
        text: the plan's text as it stands.
        version: grows with every change after which a step may be open again that was not.
        shape: grows with every change of anything but statuses, results and rounds.
    """

    plan: PlanSpec
    state: RunState
    ledger: Ledger
    run: str
    file: LeasedPlan | None
    tell: Callable[[ThinkEvent], None] = _ignore
    history: History = field(init=False)
    text: PlanText = field(init=False)
    version: int = field(default=0, init=False)
    shape: int = field(default=0, init=False)
    _digest: str = field(default="", init=False)

    def __attrs_post_init__(self) -> None:
        self.history = History(self.ledger, self.run)
        self.text = PlanText(self.plan)
        self._digest = self.text.digest

    @property
    def digest(self) -> str:
        """The hash of the plan's text."""
        return self._digest

    def find(self, step_id: str) -> PlanStep | None:
        """The step with this id."""
        return self.text.find(step_id)

    def note(  # noqa: PLR0913  (each is another part of the record)
        self,
        kind: Kind,
        step: PlanStep | None = None,
        *,
        patches: Iterable[Patch] = (),
        attempt: int = 0,
        outputs: Mapping[str, Any] | None = None,
        effort: Effort | None = None,
        **data: Any,
    ) -> Record:
        """Keep a record, and change status, result and rounds of steps as it says."""
        changes = {}
        for patch in patches:
            change = patch.apply()
            if change is not None:
                changes[patch.step.step_id] = change
        if changes:
            self.text.update(*changes)
        if any(change.status and change.status[1] == PlanStatus.PENDING.value for change in changes.values()):
            self.version += 1
        step_id, own = ("", "") if step is None else (step.step_id, hash_of(step))
        record = Record(kind, step_id, own, attempt, _data(data, effort), outputs or {}, changes)
        return self._keep(record)

    def note_shape(
        self, kind: Kind, step_id: str = "", *, own: str = "", effort: Effort | None = None, **data: Any
    ) -> Record:
        """Keep a record of a plan that has changed in other ways already."""
        self.text.renew()
        self.version += 1
        self.shape += 1
        record = Record(kind, step_id, own, 0, _data(data, effort), plan=self.text.text)
        return self._keep(record)

    def _keep(self, record: Record) -> Record:
        before, self._digest = self._digest, self.text.digest
        made = evolve(record, before=before, after=self._digest)
        kept = self.ledger.append(self.run, made)
        self.state.take(kept)
        if self.file is not None and before != self._digest:
            self.file.save(self.text.text)
        self.tell(ThinkEvent(kept.kind, kept.step, kept.data, self.plan))
        return kept

    def ancestors(self, step_id: str) -> list[PlanStep]:
        """The steps that a step stands below, the nearest first."""
        found = []
        while "." in step_id:
            step_id = step_id.rpartition(".")[0]
            step = self.find(step_id)
            if step is not None:
                found.append(step)
        return found

    def open_below(self, step: PlanStep) -> list[PlanStep]:
        """The steps below one that are pending or active."""
        return [below for below in iter_steps(step) if below is not step and below.status in OPEN]


def _data(data: dict[str, Any], effort: Effort | None) -> dict[str, Any]:
    if effort is not None:
        data |= {"llm_calls": effort.llm_calls, "tokens": effort.tokens}
    return {name: value for name, value in data.items() if value not in (None, "", 0, [], {}, ())}
