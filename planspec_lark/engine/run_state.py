"""The state that the records of a run give: all that the engine has to know besides the plan.

The state is only ever changed by a record, so that a run that is resumed after a crash knows what the one before knew.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from itertools import chain
from typing import Any

from attrs import asdict, define, evolve, field, frozen

from planspec_lark.engine.models import Answer, Effort, HopStatus, Outcome
from planspec_lark.planspec.models import PlanStep, has_progress
from planspec_lark.runs.ledger import Record, RecordKind

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
        last: the last record.
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
    last: Record | None = None

    def is_loop(self, step: PlanStep) -> bool:
        """Whether a step counts rounds: ``Progress: 0/3``, or ``Progress: 1`` where their number is unknown.

        One of unknown number that was begun again counts from 0, which its text does not show.
        """
        return step.step_type == "subtask" and (has_progress(step) or self.loops.get(step.step_id, False))

    def is_open_loop(self, step: PlanStep) -> bool:
        """Whether a loop goes on until an operator says that it is done."""
        return self.is_loop(step) and step.total_count is None and self.loops.get(step.step_id, True)

    def take(self, record: Record) -> None:
        """Take one more record."""
        self.last = record
        data = record.data
        if not _SPENT.isdisjoint(data):
            self.effort += Effort.from_data(data)
        if record.kind is not RecordKind.RESUMED:
            self.ended = ""
        if record.kind not in (RecordKind.REFUSED, RecordKind.RESUMED, RecordKind.ENDED):
            # Anything else that happens to a step resets the count of refusals.
            self.refused.pop(record.step, None)
        cleared = self._find_cleared(data)
        for step in data.get("gone", ()):
            self._forget(step)
        if moves := data.get("moves"):
            self._move(moves)
        self.cleared |= cleared
        # A kind that changes nothing here has no method.
        if take := getattr(self, f"_{record.kind.value}", None):
            take(record, _step_after(record))
        if said := data.get("loop"):
            self.said[data["looping"]] = said
        for step, change in record.changes.items():
            if change.done_count is not None and change.done_count[1] == 0:
                self.loops.setdefault(step, True)
            if change.status is not None:
                self._take_status(step, change.status[1])

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

    # ---------------------------------------------------------------- one for each kind, of its name

    def _resumed(self, record: Record, _: str) -> None:
        # To resume a run that has ended is to ask for more rounds of it.
        if self.ended not in ("", *_UNFINISHED):
            self.round, self.round_end = 1, ""
            self.alike.clear()
        self.ended = ""
        self.inputs |= record.data.get("inputs", {})

    def _begun(self, record: Record, _: str) -> None:
        self.inputs |= record.data.get("inputs", {})

    def _ended(self, record: Record, _: str) -> None:
        self.ended = record.data["outcome"]
        if self.ended not in _UNFINISHED:
            self.renewing = None
            self.refused.pop("", None)

    def _started(self, record: Record, step: str) -> None:
        now = RunningStep(record.hash, record.attempt, record.data["key"])
        known = self.running.get(step)
        if known != now:
            self.begun[step] = self.begun.get(step, 0) + 1
            self.steps += 1
        else:
            # Neither a restart after a crash nor another try is a new attempt.
            assert known is not None
            self.steps += known.until is not None
            now = evolve(known, until=None)
        self.running[step], self.attempts[step] = now, (record.hash, record.attempt)
        self.failures.pop(step, None)

    def _done(self, record: Record, step: str) -> None:
        known = self.finished.get(step)
        # A decide step has its outputs from when it chose.
        if not (step in self.chosen and known is not None and known.hash == record.hash):
            self._finish(record, step)
        self._release(step)
        self.chosen.pop(step, None)
        self.unplanned.pop(step, None)
        self.alike.pop(record.hash, None)

    def _finish(self, record: Record, step: str) -> None:
        seq, names = record.seq, tuple(record.data.get("names", ()))
        failure = self.failures.get(step)
        # What was accepted has the outputs of the failure.
        if record.kind is RecordKind.REFLECTED and failure is not None:
            seq, names = failure.seq, failure.outputs
        self.finished[step] = FinishedStep(record.hash, seq, names)

    def _failed(self, record: Record, step: str) -> None:
        data = record.data
        self.running.pop(step, None)
        # Whatever is wrong with each of its answers.
        is_refused = data.get("cause") == "planner"
        self.plannings += is_refused
        reason = _hash_reason("planner" if is_refused else data.get("result", ""))
        alike = self.alike.setdefault(record.hash, {})
        alike[reason] = alike.get(reason, 0) + 1
        self.failures[step] = StepFailure(
            record.hash,
            record.seq,
            record.attempt,
            HopStatus(data["status"]),
            data.get("result", ""),
            tuple(data.get("names", ())),
            data.get("branch", ""),
            tuple(data.get("lacks", ())),
            "cause" not in data,
            reason,
        )

    def _postponed(self, record: Record, step: str) -> None:
        known = self.running[step]
        until = record.time + record.data.get("pause", 0)
        self.running[step] = evolve(known, tries=known.tries + 1, until=until)

    def _blocked(self, record: Record, step: str) -> None:
        self._wait(step, self.failures.get(step))
        if lacks := record.data.get("lacks"):
            self.lacking[step] = tuple(lacks)
        elif record.data.get("is_held"):
            self.lacking[step] = ()

    def _wait(self, step: str, failure: StepFailure | None) -> None:
        if failure is not None and failure.lacks:
            self.lacking[step] = failure.lacks

    def _branched(self, record: Record, step: str) -> None:
        self._finish(record, step)
        self._release(step)
        self.chosen[step] = record.data["branch"]
        self.alike.pop(record.hash, None)

    def _looped(self, record: Record, step: str) -> None:
        for each in {step, *record.changes}:
            for table in (self.begun, self.retries, self.reflected):
                table.pop(each, None)
        self.running.pop(step, None)
        self.said.pop(step, None)
        self.alike.clear()
        if record.data.get("rounds") == 1 and "total" not in record.data:
            self.loops.setdefault(step, False)

    def _reflected(self, record: Record, step: str) -> None:
        data = record.data
        decision, failure = data.get("decision"), self.failures.get(step)
        self.reflected[step] = self.reflected.get(step, 0) + 1
        if decision == "ACCEPT":
            (self._branched if "branch" in data else self._done)(record, step)
            if "looped" in data:
                self._looped(record, step)
        elif decision == "RETRY":
            self._retry(step, is_counted=bool(data.get("new")))
        self._reshaped(record)
        if "blocked" in data:
            self._wait(step, failure)
        if decision == "INTERACT" and failure is not None:
            # Whatever the commands have made of the step: first a person is asked.
            self.failures[step], self.questions[step] = failure, data["question"]

    def _told(self, _: Record, step: str) -> None:
        self._retry(step, is_counted=False)

    def _retry(self, step: str, *, is_counted: bool) -> None:
        self.retries[step] = self.retries.get(step, 0) + 1
        failure = self.failures.get(step)
        if failure is not None and not is_counted and (alike := self.alike.get(failure.hash)):
            # Retries have a limit of their own.
            alike[failure.reason] -= 1
        self._release(step)

    def _reshaped(self, record: Record) -> None:
        data = record.data
        self.added += len(data.get("new", ()))
        self.unplanned.update(data.get("unplanned", {}))
        for decide in data.get("unchosen", ()):
            self.chosen.pop(decide, None)
        for step in data.get("revised", ()):
            self.loops.pop(step, None)
        for step in data.get("reset", ()):
            self._release(step)
            self.lacking.pop(step, None)

    def _replanned(self, record: Record, _: str) -> None:
        self.alike.clear()
        self._reshaped(record)
        self.round += 1
        self.round_end = record.before
        self.renewing = record.data.get("renewing")

    def _refused(self, record: Record, step: str) -> None:
        count, _ = self.refused.get(step, (0, Answer("")))
        data = record.data
        answer = Answer(data.get("answer", ""), finish_reason=data.get("finish_reason", ""))
        self.refused[step] = count + 1, answer

    def _release(self, step: str) -> None:
        for table in (self.failures, self.running, self.questions):
            table.pop(step, None)

    def _planned(self, record: Record, step: str) -> None:
        self.plannings += 1
        cleared = self.cleared.pop(step, ())
        for new, at in record.data.get("taken", {}).items():
            self.finished[new] = cleared[at].finished
        self.unplanned.pop(step, None)
        self.chosen.pop(step, None)

    def _renewed(self, record: Record, _: str) -> None:
        self.plannings += 1
        self.renewing = None
        kept = {new: self.finished[old] for new, old in record.data.get("kept", {}).items() if old in self.finished}
        for table in (*self._tables(), self.alike):
            table.clear()
        self.finished.update(kept)

    def _kept(self, record: Record, step: str) -> None:
        if step in self.finished:
            self.finished[step] = evolve(self.finished[step], hash=record.hash)

    # ---------------------------------------------------------------- steps that move and go

    def _find_cleared(self, data: Mapping[str, Any]) -> dict[str, tuple[ClearedStep, ...]]:
        """What was done below each container that is to be planned again, also before an earlier time.

        The steps are named as they were before the moves, the containers as they are after them.
        """
        was = {new: old for old, new in data.get("moves", {}).items()}
        found = {}
        for container, values in data.get("cleared", {}).items():
            lead = "" if container in data.get("new", ()) else f"{was.get(container, container)}."
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


def _step_after(record: Record) -> str:
    """The id of a record's step once its moves are made."""
    return str(record.data.get("moves", {}).get(record.step, record.step))


def _hash_reason(said: str) -> str:
    """A hash of why a step has failed: numbers and white space do not make it another reason."""
    words = "".join("0" if char.isdigit() else char for char in said if not char.isspace())
    return hashlib.blake2b(re.sub("0+", "0", words).encode(), digest_size=16).hexdigest()


# Ends after which a run continues where it was.
_UNFINISHED = (Outcome.BUDGET.value, Outcome.WAITING.value)
_SPENT = {"llm_calls", "tokens", "cost"}
