"""The state that the log of a run gives: all that the engine has to know besides the plan.

The state is only ever changed by an entry of the log, so that a run that is resumed after a crash knows what the one
before knew.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from functools import singledispatchmethod
from itertools import chain
from typing import Any

from attrs import asdict, define, evolve, field, frozen

from planspec_lark.engine.entries import (
    Begun,
    Blocked,
    Branched,
    Done,
    Ended,
    Failed,
    Kept,
    Looped,
    PlanEntry,
    Planned,
    Postponed,
    Reflected,
    Refused,
    Renewed,
    Replanned,
    Reshaped,
    Resumed,
    Started,
    StepEnd,
    Told,
)
from planspec_lark.engine.models import Answer, Effort, HopStatus, Outcome
from planspec_lark.planspec.models import PlanStep, has_progress
from planspec_lark.runs.limits import NO_EFFORT

__all__ = ["ClearedStep", "FinishedStep", "RunState", "RunningStep", "StepFailure"]


@frozen
class FinishedStep:
    """A step that was done: the hash of its text, the record with its outputs, and their names."""

    hash: str
    seq: int
    outputs: tuple[str, ...]


@frozen
class ClearedStep:
    """A step that was done below a container which is planned again: its text, and what is known of it."""

    text: str
    finished: FinishedStep


@frozen
class RunningStep:
    """A step that was begun and has not ended.

    Attributes:
        tries: how many tries of the attempt have ended because the operator asked for another one.
        until: when the next one is to begin, in seconds since 1970; None where it has begun.
    """

    hash: str
    attempt: int
    key: str
    tries: int = field(default=0, eq=False)
    until: float | None = field(default=None, eq=False)


@frozen
class StepFailure:
    """A step that was not OK, and has not been dealt with.

    Attributes:
        lacks: inputs without which it cannot be done.
        has_result: whether anything came of it that can be accepted.
        reason: a hash of why.
    """

    hash: str
    seq: int
    attempt: int
    status: HopStatus
    result: str
    outputs: tuple[str, ...]
    branch: str
    lacks: tuple[str, ...] = ()
    has_result: bool = True
    reason: str = ""


@define
class RunState:
    """The state of a run; steps are named by their ids.

    Attributes:
        finished: steps that were done when they were last at work.
        failures: those that wait for a reflection.
        running: those that were begun and have not ended.
        attempts: how often each was begun as it is written now.
        begun: how often each was begun in this round of the loop around it, however it was written.
        retries: how often each was retried.
        reflected: how often each was reflected on, in this round of the loop around it.
        alike: by the hashes of a step's text and of a reason, how often it has failed for that, without the failures
            after which it was just tried again.
        refused: how many answers about each ("" for the plan) were refused since one was taken, and the last of them.
        chosen: the branch of each decide step that has one.
        lacking: steps that are blocked until something is there: these inputs, or else a child that is not blocked.
        unplanned: containers that wait for new steps, and why.
        said: loops of which an operator has said in this round that it is to be done again, or that it was the last.
        loops: subtasks without a total that have looped, or were begun again: whether they go on until they are said to
            be done, or only where they are said to be done again.
        cleared: what was done below each of these before it was to be planned again.
        questions: the question for a person, of each step that waits for an answer.
        renewing: why a whole new plan is waited for, if it is.
        round: from 1.
        round_end: the plan's hash at the end of the round before.
        plannings, added: how often the planner was asked for steps, in vain or not, how many steps were added.
        steps: how often a step was begun, each try counted.
        effort: what was spent in all.
        inputs: values that the run was given when it was resumed.
        ended: how the run has ended, if it has.
        last: what has happened last.
    """

    finished: dict[str, FinishedStep] = field(factory=dict)
    failures: dict[str, StepFailure] = field(factory=dict)
    running: dict[str, RunningStep] = field(factory=dict)
    attempts: dict[str, tuple[str, int]] = field(factory=dict)
    begun: dict[str, int] = field(factory=dict)
    retries: dict[str, int] = field(factory=dict)
    reflected: dict[str, int] = field(factory=dict)
    alike: dict[str, dict[str, int]] = field(factory=dict)
    refused: dict[str, tuple[int, Answer]] = field(factory=dict)
    chosen: dict[str, str] = field(factory=dict)
    lacking: dict[str, tuple[str, ...]] = field(factory=dict)
    unplanned: dict[str, str] = field(factory=dict)
    said: dict[str, str] = field(factory=dict)
    loops: dict[str, bool] = field(factory=dict)
    cleared: dict[str, tuple[ClearedStep, ...]] = field(factory=dict)
    questions: dict[str, str] = field(factory=dict)
    renewing: str | None = None
    round: int = 1
    round_end: str = ""
    plannings: int = 0
    added: int = 0
    steps: int = 0
    effort: Effort = field(factory=Effort)
    inputs: dict[str, Any] = field(factory=dict)
    ended: str = ""
    last: PlanEntry | None = None

    def is_loop(self, step: PlanStep) -> bool:
        """Whether a step counts rounds: ``Progress: 0/3``, or ``Progress: 1`` where their number is unknown.

        One of unknown number that was begun again counts from 0, which its text does not show.
        """
        return step.step_type == "subtask" and (has_progress(step) or self.loops.get(step.step_id, False))

    def is_open_loop(self, step: PlanStep) -> bool:
        """Whether a loop goes on until an operator says that it is done."""
        return self.is_loop(step) and step.total_count is None and self.loops.get(step.step_id, True)

    def take(self, entry: PlanEntry) -> None:
        """Take account of what has happened."""
        self.last = entry
        if entry.effort is not NO_EFFORT:
            self.effort += entry.effort
        if not isinstance(entry, Resumed):
            self.ended = ""
        if not isinstance(entry, (Refused, Resumed, Ended)):
            # Anything else that happens to a step resets the count of refusals.
            self.refused.pop(entry.step, None)
        step = entry.step
        if isinstance(entry, Reshaped):
            cleared = self._find_cleared(entry)
            for gone in entry.gone:
                self._forget(gone)
            if entry.moves:
                self._move(entry.moves)
            self.cleared |= cleared
            step = entry.moves.get(step, step)
        self._take(entry, step)
        if isinstance(entry, StepEnd) and entry.loop:
            self.said[entry.looping] = entry.loop
        for changed, change in entry.changes.items():
            if change.done_count is not None and change.done_count[1] == 0:
                self.loops.setdefault(changed, True)
            if change.status is not None:
                self._take_status(changed, change.status[1])

    def _take_status(self, step: str, status: str) -> None:
        """A step that is reset or given up loses what was known of it."""
        if status in ("pending", "done"):
            self.said.pop(step, None)
        if status != "blocked":
            self.lacking.pop(step, None)
        if status in ("pending", "skipped", "blocked"):
            self._release(step)
        if status == "pending":
            self.chosen.pop(step, None)

    # ---------------------------------------------------------------- each kind; steps by their new ids

    @singledispatchmethod
    def _take(self, entry: PlanEntry, step: str) -> None:
        """Most change nothing but what they say of steps."""

    @_take.register
    def _(self, entry: Begun, _: str) -> None:
        self.inputs |= entry.inputs

    @_take.register
    def _(self, entry: Resumed, _: str) -> None:
        # To resume a run that has ended is to ask for more rounds of it.
        if self.ended not in ("", *_UNFINISHED):
            self.round, self.round_end = 1, ""
            self.alike.clear()
        self.ended = ""
        self.inputs |= entry.inputs

    @_take.register
    def _(self, entry: Ended, _: str) -> None:
        self.ended = entry.outcome
        if self.ended not in _UNFINISHED:
            self.renewing = None
            self.refused.pop("", None)

    @_take.register
    def _(self, entry: Started, step: str) -> None:
        now = RunningStep(entry.hash, entry.attempt, entry.key)
        known = self.running.get(step)
        if known != now:
            self.begun[step] = self.begun.get(step, 0) + 1
            self.steps += 1
        else:
            # Neither a restart after a crash nor another try is a new attempt.
            assert known is not None
            self.steps += known.until is not None
            now = evolve(known, until=None)
        self.running[step], self.attempts[step] = now, (entry.hash, entry.attempt)
        self.failures.pop(step, None)

    @_take.register
    def _(self, entry: Postponed, step: str) -> None:
        self.running[step] = evolve(self.running[step], tries=entry.tries, until=entry.time + entry.pause)

    @_take.register
    def _(self, entry: Done, step: str) -> None:
        self._finish(step, entry.hash, entry.seq, entry.names)

    def _finish(self, step: str, own: str, seq: int, names: Sequence[str]) -> None:
        known = self.finished.get(step)
        # A decide step has its outputs from when it chose.
        if not (step in self.chosen and known is not None and known.hash == own):
            self.finished[step] = FinishedStep(own, seq, tuple(names))
        self._release(step)
        self.chosen.pop(step, None)
        self.unplanned.pop(step, None)
        self.alike.pop(own, None)

    @_take.register
    def _(self, entry: Branched, step: str) -> None:
        self._choose(step, entry.hash, entry.branch, FinishedStep(entry.hash, entry.seq, tuple(entry.names)))

    def _choose(self, step: str, own: str, branch: str, finished: FinishedStep) -> None:
        self.finished[step], self.chosen[step] = finished, branch
        self._release(step)
        self.alike.pop(own, None)

    @_take.register
    def _(self, entry: Failed, step: str) -> None:
        self.running.pop(step, None)
        # Whatever is wrong with each of its answers.
        is_refused = entry.cause == "planner"
        self.plannings += is_refused
        reason = _hash_reason("planner" if is_refused else entry.result)
        alike = self.alike.setdefault(entry.hash, {})
        alike[reason] = alike.get(reason, 0) + 1
        self.failures[step] = StepFailure(
            entry.hash,
            entry.seq,
            entry.attempt,
            HopStatus(entry.status),
            entry.result,
            tuple(entry.names),
            entry.branch,
            tuple(entry.lacks),
            not entry.cause,
            reason,
        )

    @_take.register
    def _(self, entry: Blocked, step: str) -> None:
        self._wait(step, self.failures.get(step))
        if entry.lacks or entry.is_held:
            self.lacking[step] = tuple(entry.lacks)

    def _wait(self, step: str, failure: StepFailure | None) -> None:
        if failure is not None and failure.lacks:
            self.lacking[step] = failure.lacks

    @_take.register
    def _(self, entry: Looped, step: str) -> None:
        self._begin_round(step, entry)
        if entry.rounds == 1 and entry.total is None:
            self.loops.setdefault(step, False)

    def _begin_round(self, step: str, entry: PlanEntry) -> None:
        for each in {step, *entry.changes}:
            for table in (self.begun, self.retries, self.reflected):
                table.pop(each, None)
        self.running.pop(step, None)
        self.said.pop(step, None)
        self.alike.clear()

    @_take.register
    def _(self, entry: Reflected, step: str) -> None:
        failure = self.failures.get(step)
        self.reflected[step] = self.reflected.get(step, 0) + 1
        if entry.decision == "ACCEPT":
            self._accept(step, entry, failure)
        elif entry.decision == "RETRY":
            self._retry(step, is_counted=bool(entry.new))
        self._reshape(entry)
        if entry.blocked:
            self._wait(step, failure)
        if entry.decision == "INTERACT" and failure is not None:
            # Whatever the commands have made of the step: first a person is asked.
            self.failures[step], self.questions[step] = failure, entry.question

    def _accept(self, step: str, entry: Reflected, failure: StepFailure | None) -> None:
        # It has the outputs of the failure.
        seq, names = (entry.seq, ()) if failure is None else (failure.seq, failure.outputs)
        if entry.branch:
            self._choose(step, entry.hash, entry.branch, FinishedStep(entry.hash, seq, names))
        else:
            self._finish(step, entry.hash, seq, names)
        if entry.looped:
            self._begin_round(step, entry)

    @_take.register
    def _(self, _: Told, step: str) -> None:
        self._retry(step, is_counted=False)

    def _retry(self, step: str, *, is_counted: bool) -> None:
        self.retries[step] = self.retries.get(step, 0) + 1
        failure = self.failures.get(step)
        if failure is not None and not is_counted and (alike := self.alike.get(failure.hash)):
            # Retries have a limit of their own.
            alike[failure.reason] -= 1
        self._release(step)

    def _reshape(self, entry: Reshaped) -> None:
        self.added += len(entry.new)
        self.unplanned.update(entry.unplanned)
        for decide in entry.unchosen:
            self.chosen.pop(decide, None)
        for step in entry.revised:
            self.loops.pop(step, None)
        for step in entry.reset:
            self._release(step)
            self.lacking.pop(step, None)

    @_take.register
    def _(self, entry: Replanned, _: str) -> None:
        self.alike.clear()
        self._reshape(entry)
        self.round += 1
        self.round_end = entry.before
        self.renewing = entry.renewing or None

    @_take.register
    def _(self, entry: Refused, step: str) -> None:
        count, _ = self.refused.get(step, (0, Answer("")))
        self.refused[step] = count + 1, Answer(entry.answer, finish_reason=entry.finish_reason)

    def _release(self, step: str) -> None:
        for table in (self.failures, self.running, self.questions):
            table.pop(step, None)

    @_take.register
    def _(self, entry: Planned, step: str) -> None:
        self.plannings += 1
        cleared = self.cleared.pop(step, ())
        for new, at in entry.taken.items():
            self.finished[new] = cleared[at].finished
        self.unplanned.pop(step, None)
        self.chosen.pop(step, None)

    @_take.register
    def _(self, entry: Renewed, _: str) -> None:
        self.plannings += 1
        self.renewing = None
        kept = {new: self.finished[old] for new, old in entry.kept.items() if old in self.finished}
        for table in (*self._tables(), self.alike):
            table.clear()
        self.finished.update(kept)

    @_take.register
    def _(self, entry: Kept, step: str) -> None:
        if step in self.finished:
            self.finished[step] = evolve(self.finished[step], hash=entry.hash)

    # ---------------------------------------------------------------- steps that move and go

    def _find_cleared(self, entry: Reshaped) -> dict[str, tuple[ClearedStep, ...]]:
        """What was done below each container that is to be planned again, also before an earlier time.

        The steps are named as they were before the moves, the containers as they are after them.
        """
        was = {new: old for old, new in entry.moves.items()}
        found = {}
        for container, values in entry.cleared.items():
            lead = "" if container in entry.new else f"{was.get(container, container)}."
            earlier = (known for step, known in self.cleared.items() if lead and f"{step}.".startswith(lead))
            now = (ClearedStep(text, self.finished[step]) for step, text in values)
            found[container] = (*chain.from_iterable(earlier), *now)
        return found

    def _tables(self) -> list[dict[str, Any]]:
        """What is known by step: all but what the run was given."""
        known = asdict(self, recurse=False).items()
        return [table for name, table in known if isinstance(table, dict) and name not in ("inputs", "alike")]

    def _move(self, moves: Mapping[str, str]) -> None:
        for table in self._tables():
            moved = {new: table[old] for old, new in moves.items() if old in table}
            for old in moves:
                table.pop(old, None)
            table.update(moved)
        self.chosen = {step: moves.get(branch, branch) for step, branch in self.chosen.items()}

    def _forget(self, step: str) -> None:
        for table in self._tables():
            table.pop(step, None)


def _hash_reason(said: str) -> str:
    """A hash of why a step has failed: numbers and white space do not make it another reason."""
    words = "".join("0" if char.isdigit() else char for char in said if not char.isspace())
    return hashlib.blake2b(re.sub("0+", "0", words).encode(), digest_size=16).hexdigest()


# Ends after which a run continues where it was.
_UNFINISHED = (Outcome.BUDGET.value, Outcome.WAITING.value, Outcome.STOPPED.value)
