"""What has become of a run, and what it has taken, step by step."""

from __future__ import annotations

from attrs import define, evolve, field, frozen

from planspec_lark.runs.ledger import Ledger, RecordKind, RunInfo
from planspec_lark.runs.prices import Prices

__all__ = ["RunState", "StepSum", "find_state", "summarize_run"]


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
    """What has become of a run, from its last record."""
    last = next(ledger.records(info.run, newest_first=True, limit=1), None)
    state = "interrupted"
    if ledger.is_leased(info.run):
        state = "under way"
    elif last is not None and last.kind is RecordKind.ENDED:
        state = str(last.data["outcome"])
    return RunState(state, ledger.count(info.run, kinds=[RecordKind.DONE]), last.time if last else info.time)


@define
class StepSum:
    """What was spent on a step, or, with an empty id, on the whole run.

    Attributes:
        step: its id when it was run last.
        attempts: how often it was begun.
        seconds: on the clock, from when it was begun until it ended. What a crash has cut off does not count.
        llm_calls, tokens, cost: as far as they were counted, reflections on the step included.
        unpriced: why the cost is too small: what could not be computed, and how often.
    """

    step: str
    attempts: int = 0
    seconds: float = 0.0
    llm_calls: int = 0
    tokens: int = 0
    cost: float = 0.0
    unpriced: dict[str, int] = field(factory=dict)


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
