"""Resuming a run: the ledger has the state of the plan, and edits made since then are merged into it.

What the ledger knows of a step holds only as long as that step says the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import Enum
from typing import Any

from attrs import asdict, frozen

from planspec_lark.diff.merge import merge_plans
from planspec_lark.diff.models import MergeConflict
from planspec_lark.engine.entries import ENTRIES, Begun, PlanEntry, Rerun, StepPatch, about
from planspec_lark.engine.plan_text import PlanText
from planspec_lark.engine.run_state import RunState
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.engine.snapshot import Snapshot, read_snapshot
from planspec_lark.planspec.models import OPEN, PlanSpec, PlanStatus, PlanStep, hash_of, iter_steps
from planspec_lark.planspec.parser import GRAMMAR_VERSION, parse_plan
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.runs.ledger import Ledger, LedgerError, RunInfo, StepUpdate
from planspec_lark.syntax.diagnostics import PlanSpecError, name_some
from planspec_lark.syntax.grammars import readable_versions
from planspec_lark.syntax.safe_text import visible, visible_name

__all__ = [
    "EditedSteps",
    "EditedStepsError",
    "PastRun",
    "PlanEdits",
    "catch_up",
    "find_edits",
    "is_of_plan",
    "last_plan_run",
    "reopen",
    "replay",
]


class EditedSteps(str, Enum):
    """What becomes of finished steps whose text was edited.

    Attributes:
        ASK: the run does not continue; :class:`EditedStepsError` names them.
        RERUN: they are done again.
        KEEP: they count as done, with the outputs that they have.
    """

    ASK = "ask"
    RERUN = "rerun"
    KEEP = "keep"


class EditedStepsError(PlanSpecError):
    """Finished steps were edited since the run, and someone has to decide what becomes of them.

    Attributes:
        steps: their ids.
    """

    def __init__(self, steps: list[str]) -> None:
        super().__init__(f"finished steps were edited since they were run: {name_some(steps)}")
        self.steps = steps


@frozen
class PastRun:
    """What a ledger knows of a run.

    Attributes:
        state: the state that its records give.
        plan: as the last of them has left it.
        snapped: the number of the record after which the last snapshot was made; 0 where there is none.
    """

    state: RunState
    plan: PlanSpec
    snapped: int = 0


def last_plan_run(ledger: Ledger) -> RunInfo | None:
    """The run of a plan that has begun last. The ledger may have others beside it, such as those of tool plans."""
    last = ledger.last_run()
    if last is None or is_of_plan(ledger, last.run):
        return last
    return next((info for info in reversed(ledger.runs()) if is_of_plan(ledger, info.run)), None)


def is_of_plan(ledger: Ledger, run: str) -> bool:
    """Whether a run is that of a plan, as its first record says."""
    first = next(ledger.records(run, limit=1), None)
    # A beginning may have been cut off before it was written.
    return first is None or first.plan is not None


def replay(ledger: Ledger, run: str) -> PastRun:
    """Read the records of a run: those after its last snapshot, or all.

    Raises:
        LedgerError: no run has written them, or their plans are of another version of the language.
    """
    state, text, snapped = RunState(), "", 0
    changes: dict[str, dict[str, Any]] = {}
    try:
        snapshot = _find_snapshot(ledger, run)
        if snapshot is not None:
            state, text, snapped = snapshot.state, snapshot.plan, snapshot.seq
        for entry in _entries(ledger, run, after=snapped):
            if isinstance(entry, Begun):
                _check_version(entry.grammar, run)
            state.take(entry)
            if entry.plan is not None:
                text = entry.plan
                changes.clear()
            for step_id, change in entry.changes.items():
                _take_new(change, changes.setdefault(step_id, {}))
        plan = parse_plan(text)
        for step in iter_steps(plan):
            for name, value in changes.get(step.step_id, {}).items():
                setattr(step, name, value)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise LedgerError(f"the records of run {visible_name(run)} are invalid: {visible(str(error))}") from None
    return PastRun(state, plan, snapped)


def _entries(ledger: Ledger, run: str, after: int, limit: int | None = None) -> Iterator[PlanEntry]:
    for record in ledger.records(run, after=after, limit=limit):
        entry = ENTRIES.read(record)
        assert isinstance(entry, PlanEntry)
        yield entry


def _find_snapshot(ledger: Ledger, run: str) -> Snapshot | None:
    """The last snapshot of a run, if there is one of its records."""
    snapshot = None
    # Where the ledger itself is at fault, its records will say so.
    with suppress(LedgerError):
        snapshot = read_snapshot(ledger.snapshot(run))
    if snapshot is None:
        return None
    snapshot.state.last = next(_entries(ledger, run, after=snapshot.seq - 1, limit=1), None)
    return snapshot if snapshot.ends_with(snapshot.state.last) else None


def _check_version(written: object, run: str) -> None:
    """In a record of a later version, the same text may mean something else."""
    if not isinstance(written, str) or not written.startswith(readable_versions("planspec")):
        said = visible_name(str(written))
        raise LedgerError(f"run {visible_name(run)} was written with grammar {said}, and this reads {GRAMMAR_VERSION}")


def _take_new(change: StepUpdate, values: dict[str, Any]) -> None:
    """Put what a step is after a change in the place of what it was."""
    values |= {name: pair[1] for name, pair in asdict(change, recurse=False).items() if pair is not None}


def catch_up(given: PlanSpec, ledger: Ledger, run: str, plan: PlanSpec) -> tuple[PlanSpec, list[str]] | None:
    """What becomes of a plan that was read from where the run shows it; None where it was not edited.

    One that the run has shown is the ledger's, however old it is. Everything else is an edit of what was
    shown last, and is merged with what the ledger has by now.

    Args:
        given: what was read.
        ledger, run: what was shown.
        plan: as the ledger says it.

    Returns:
        The plan with both, and what the run and the edit have both changed; the plan says what the edit does.
    """
    if given == plan or ledger.has_view(run, PlanText(given).digest):
        return None
    shown = [parse_plan(text) for text in ledger.views(run)]
    if not shown:
        return given, []
    # The last one may not have reached the file. Where nothing tells them apart, it has not: taken for what was edited,
    # it would have whatever it says to be done set back.
    base = min(reversed(shown), key=lambda one: _count_changes(one, given))
    if base == plan:
        return given, []
    # What becomes of finished steps that were edited is decided with the edits.
    merged = merge_plans(base, given, plan, keep_statuses=True)
    return merged.plan, list(map(_say, merged.conflicts))


def _say(conflict: MergeConflict) -> str:
    """What the edit and the run do not agree on, and which of them counts."""
    # Nothing that either has worked on is removed.
    return f"{conflict}: {'it stays' if 'removal' in conflict.names else 'the edit counts'}"


def _count_changes(one: PlanSpec, other: PlanSpec) -> int:
    """How many lines of one plan the other does not have."""
    return (Counter(serialize_plan(one).splitlines()) - Counter(serialize_plan(other).splitlines())).total()


# ---------------------------------------------------------------- edits


@frozen
class PlanEdits:
    """What was edited in a plan since the run.

    Attributes:
        moves: new ids by old ones, of steps that say the same elsewhere.
        gone: steps, by their old ids, of which nothing is known any more.
        edited: steps that are done and were not done as they are written now.
    """

    moves: dict[str, str]
    gone: list[str]
    edited: list[PlanStep]


def find_edits(plan: PlanSpec, past: PastRun) -> PlanEdits:
    """Compare the steps of a plan with those that the run has left."""
    was = {step.step_id: step for step in iter_steps(past.plan)}
    now = {step.step_id: step for step in iter_steps(plan)}
    places = _match(was, now)
    lost = was.keys() - places.keys()
    undone = {step_id for step_id in lost if was[step_id].status is PlanStatus.DONE}
    edited: list[PlanStep] = []
    if not undone.isdisjoint(past.state.finished):
        arrived = set(places.values())
        edited = [one for key, one in now.items() if one.status is PlanStatus.DONE and key not in arrived]
    # A user who edits a step where it is may want to keep its outputs. Where another step says what it said, the one at
    # its place may be any of them.
    texts = set(map(hash_of, now.values()))
    kept = {key for key in undone.intersection(one.step_id for one in edited) if hash_of(was[key]) not in texts}
    # They waited for something, and an edit has set them to another status.
    failed = past.state.failures.keys() & places.keys()
    stopped = {old for old in failed if now[places[old]].status is not PlanStatus.ACTIVE}
    gone = (lost | stopped) - kept
    moves = {old: new for old, new in places.items() if old != new}
    return PlanEdits(moves, [step_id for step_id in was if step_id in gone], edited)


def _match(was: Mapping[str, PlanStep], now: Mapping[str, PlanStep]) -> dict[str, str]:
    """New ids by old ones, of steps that say the same; where several do, only if it is clear which is which."""
    old, new = _by_hash(was), _by_hash(now)
    places: dict[str, str] = {}
    for own, ids in old.items():
        others = new.get(own, [])
        if _pair(ids, others, places):
            continue
        for is_done in (True, False):
            left = [step_id for step_id in ids if (was[step_id].status is PlanStatus.DONE) is is_done]
            right = [step_id for step_id in others if (now[step_id].status is PlanStatus.DONE) is is_done]
            _pair(left, right, places)
    return places


def _pair(old: list[str], new: list[str], places: dict[str, str]) -> bool:
    is_clear = set(old) == set(new) or len(old) == len(new) == 1
    if is_clear:
        # One of each, or the same ones.
        places.update(zip(sorted(old), sorted(new), strict=True))
    return is_clear


def _by_hash(steps: Mapping[str, PlanStep]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for step_id, step in steps.items():
        found.setdefault(hash_of(step), []).append(step_id)
    return found


def reopen(writer: RunWriter, step: PlanStep) -> None:
    """Have a finished step, and all below it, done again. What is around it is not finished any more."""
    settled = [one for one in writer.ancestors(step.step_id) if one.status not in OPEN]
    above = [StepPatch(one, PlanStatus.ACTIVE, "") for one in settled]
    again = [StepPatch(one, PlanStatus.PENDING, "", 0) for one in iter_steps(step)]
    writer.note(Rerun(**about(step, *again, *above)))
