"""What has become of a run, and what it has taken, step by step."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from attrs import define, evolve, field, frozen

from planspec_lark.runs.lease import LEASE_SECONDS
from planspec_lark.runs.ledger import Ledger, RecordKind, RunBusyError, RunInfo
from planspec_lark.runs.owner import Owner
from planspec_lark.runs.prices import Prices
from planspec_lark.syntax.diagnostics import brief

__all__ = ["RunState", "StepSum", "find_state", "prune_runs", "summarize_run"]


@frozen
class RunState:
    """What has become of a run.

    Attributes:
        state: ``under way`` while a process works on it, the outcome once it has ended or was left, and ``interrupted``
            where neither is so: it can be resumed.
        steps: how often a step was done.
        changed: when something happened last, in seconds since 1970.
    """

    state: str
    steps: int
    changed: float


def find_state(ledger: Ledger, info: RunInfo) -> RunState:
    """What has become of a run."""
    found = _find_outcome(ledger, info)
    return found if ledger.find_holder(info.run) is None else evolve(found, state="under way")


def _find_outcome(ledger: Ledger, info: RunInfo) -> RunState:
    """The same from its last record, whether a process works on it or not."""
    last = next(ledger.records(info.run, newest_first=True, limit=1), None)
    state = str(last.data["outcome"]) if last is not None and last.kind is RecordKind.ENDED else "interrupted"
    return RunState(state, ledger.count(info.run, kinds=[RecordKind.DONE]), last.time if last else info.time)


# How runs end that nobody continues: those that are left or blocked can be.
_OVER = ("converged", "done")


def prune_runs(ledger: Ledger, runs: Iterable[RunInfo], before: float) -> list[tuple[RunInfo, RunState]]:
    """Forget runs that have come to their end, and in which nothing has happened since then; gives what they were.

    Args:
        ledger: where they are.
        runs: those that may be forgotten.
        before: when that is, in seconds since 1970.
    """
    owner = Owner.new()
    gone: list[tuple[RunInfo, RunState]] = []
    for info in runs:
        if not _is_over(find_state(ledger, info), before):
            continue
        # Another process may have continued it by now.
        with suppress(RunBusyError):
            ledger.acquire(info.run, owner, seconds=LEASE_SECONDS)
            found = _find_outcome(ledger, info)
            if _is_over(found, before):
                gone.append((info, found))
            else:
                ledger.release(info.run, owner)
    ledger.remove([info.run for info, _ in gone])
    return gone


def _is_over(found: RunState, before: float) -> bool:
    return found.state in _OVER and found.changed < before


_ERRORS = (RecordKind.FAILED, RecordKind.POSTPONED, RecordKind.BLOCKED, RecordKind.REFUSED)


@define
class StepSum:
    """What was spent on a step, or, with an empty id, on the whole run.

    Attributes:
        step: its id when it was run last.
        attempts: how often it was begun.
        seconds: on the clock, from when it was begun until it ended. What a crash has cut off does not count.
        llm_calls, tokens, cost: as far as they were counted, reflections on the step included.
        unpriced: why the cost is too small: what could not be computed, and how often.
        errors: what went wrong, each in a line.
    """

    step: str
    attempts: int = 0
    seconds: float = 0.0
    llm_calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    unpriced: dict[str, int] = field(factory=dict)
    errors: list[str] = field(factory=list)


def summarize_run(ledger: Ledger, run: str, prices: Prices | None = None) -> list[StepSum]:
    """What the steps of a run have taken, in the order in which they began, and last all of it.

    Args:
        ledger, run: where it is written down.
        prices: by which to compute what has no cost and is known by model and tokens.
    """
    steps: dict[str, StepSum] = {}
    begun: dict[str, float] = {}
    total = StepSum("")
    for record in ledger.records(run):
        one = steps.setdefault(record.step, StepSum(record.step)) if record.step else StepSum("")
        if record.kind is RecordKind.STARTED:
            begun[record.step] = record.time
        elif record.step in begun:
            seconds = record.time - begun.pop(record.step)
            for each in (one, total):
                each.seconds += seconds
        cost, why = (record.data.get("cost", 0.0), "") if prices is None else prices.cost_of(record.data)
        if record.kind in _ERRORS:
            said = brief(str(record.data.get("result") or record.data.get("reason") or record.kind.value))
            # A step is blocked by what it has failed with.
            if record.kind is not RecordKind.BLOCKED or one.errors[-1:] != [said]:
                one.errors.append(said)
        for each in (one, total):
            if why:
                each.unpriced[why] = each.unpriced.get(why, 0) + 1
            each.attempts += record.kind is RecordKind.STARTED
            each.llm_calls += record.data.get("llm_calls", 0)
            each.tokens += record.data.get("tokens", 0)
            each.cost += cost
        if moves := record.data.get("moves"):
            # All steps move at once, after what the record says of one.
            begun = {moves.get(step, step): time for step, time in begun.items()}
            steps = {moves.get(step, step): evolve(one, step=moves.get(step, step)) for step, one in steps.items()}
    return [one for one in steps.values() if one.attempts or one.llm_calls] + [total]
