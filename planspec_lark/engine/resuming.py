"""Going on with a run: the plan is brought to where the ledger says it was, and edits since then are found.

The text of the plan is what counts, as somebody may have edited it: what the ledger knows of a step holds only as long
as that step says the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from attrs import define, field, frozen

from planspec_lark.engine.identity import digest, hash_of
from planspec_lark.engine.ledger import Record
from planspec_lark.engine.state import RunState
from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep, iter_steps
from planspec_lark.planspec.reading import parse_plan

__all__ = ["Edited", "EditedError", "Edits", "catch_up", "find_edits"]


class Edited(str, Enum):
    """What becomes of finished steps whose text was edited.

    Attributes:
        ASK: the run does not go on; :class:`EditedError` names them.
        RERUN: they are done again.
        KEEP: they count as done, with the outputs that they have.
    """

    ASK = "ask"
    RERUN = "rerun"
    KEEP = "keep"


class EditedError(Exception):
    """Finished steps were edited since the run, and it is to be said what becomes of them.

    Attributes:
        steps: their ids.
    """

    def __init__(self, steps: list[str]) -> None:
        named = ", ".join(steps[:10]) + (f" and {len(steps) - 10} more" if len(steps) > 10 else "")
        super().__init__(f"finished steps were edited since they were run: {named}")
        self.steps = steps


@frozen
class CaughtUp:
    """A plan as the last record has left it.

    Attributes:
        plan: the plan.
        is_behind: the text did not have the last record yet.
        is_edited: the text is none that the run has written.
        is_lost: an edit was made before the last record's changes were in the text, and they are of a kind that cannot
            be made any more.
    """

    plan: PlanSpec
    is_behind: bool = False
    is_edited: bool = False
    is_lost: bool = False


def catch_up(plan: PlanSpec, text: str, last: Record) -> CaughtUp:
    """Bring a plan to where the last record says that it is.

    Args:
        plan: what was read; it may be changed.
        text: the same in canonical form.
        last: the last record of the run.
    """
    now = digest(text)
    if now == last.after:
        return CaughtUp(plan)
    if last.plan is not None:
        if now == last.before:
            return CaughtUp(parse_plan(last.plan), is_behind=True)
        return CaughtUp(plan, is_edited=True, is_lost=last.before != last.after)
    is_behind = _redo(plan, last)
    return CaughtUp(plan, is_behind=is_behind, is_edited=now != last.before)


def _redo(plan: PlanSpec, last: Record) -> bool:
    """Make the changes of a record, where the steps are as they were before it."""
    steps = {step.step_id: step for step in iter_steps(plan)}
    has_done = False
    for step_id, change in last.changes.items():
        step = steps.get(step_id)
        if step is None or (step_id == last.step and hash_of(step) != last.hash):
            continue
        if change.status is not None and step.status.value == change.status[0]:
            step.status = PlanStatus(change.status[1])
            has_done = True
        if change.result is not None and step.result == change.result[0]:
            step.result = change.result[1]
            has_done = True
        if change.done_count is not None and step.done_count == change.done_count[0]:
            step.done_count = change.done_count[1]
            has_done = True
    return has_done


@define
class Edits:
    """What was edited in a plan since the run.

    Attributes:
        moves: new ids by old ones, of finished steps that say the same elsewhere.
        edited: finished steps that say something else now.
    """

    moves: dict[str, str] = field(factory=dict)
    edited: list[PlanStep] = field(factory=list)


def find_edits(plan: PlanSpec, state: RunState) -> Edits:
    """Compare the steps of a plan that are done with those that the run has done."""
    steps = {step.step_id: step for step in iter_steps(plan)}
    hashes = {step_id: hash_of(step) for step_id, step in steps.items()}
    edits = Edits(_find_moves(hashes, state))
    arrived = set(edits.moves.values())
    for step_id, step in steps.items():
        finished = state.finished.get(step_id)
        if step.status is PlanStatus.DONE and finished and finished.hash != hashes[step_id] and step_id not in arrived:
            edits.edited.append(step)
    return edits


def _find_moves(hashes: dict[str, str], state: RunState) -> dict[str, str]:
    """Finished steps that are gone from their place, and stand at one other only."""
    gone = {step_id: one.hash for step_id, one in state.finished.items() if hashes.get(step_id) != one.hash}
    here = {
        step_id: own
        for step_id, own in hashes.items()
        if step_id not in state.finished or state.finished[step_id].hash != own
    }
    to, of = _by_hash(here), _by_hash(gone)
    return {old[0]: to[own][0] for own, old in of.items() if len(old) == 1 and len(to.get(own, ())) == 1}


def _by_hash(hashes: dict[str, str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for step_id, own in hashes.items():
        found.setdefault(own, []).append(step_id)
    return found


def open_again(steps: Iterable[PlanStep]) -> list[PlanStep]:
    """The steps, and all below them: what is to be done again."""
    return [below for step in steps for below in iter_steps(step)]
