"""One step: from its inputs to a result that can be trusted to have what it declares."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from time import time
from typing import Any

from attrs import define, evolve, field

from planspec_lark.awaitables import OverdueError
from planspec_lark.engine.entries import (
    Blocked,
    Branched,
    Done,
    Failed,
    Looped,
    Opened,
    PlanEntry,
    Postponed,
    Skipped,
    Started,
    StepEnd,
    StepPatch,
    about,
)
from planspec_lark.engine.inputs import Values
from planspec_lark.engine.models import (
    Effort,
    HopStatus,
    Operator,
    OperatorResult,
    StepCall,
    StepPolicy,
    TransientError,
)
from planspec_lark.engine.operator_values import take_result
from planspec_lark.engine.plan_excerpts import MAX_PLAN, plan_excerpt
from planspec_lark.engine.run_limits import RunLimits
from planspec_lark.engine.run_state import RunningStep
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.planspec.models import OPEN, PlanSpec, PlanStatus, PlanStep, copy_own, hash_of, iter_steps
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.runs.driver import CallOutcome, Work, describe
from planspec_lark.runs.ledger import LedgerError
from planspec_lark.syntax.diagnostics import brief
from planspec_lark.syntax.safe_text import visible

__all__ = [
    "PlanState",
    "StepRunner",
    "check_keys",
    "choose",
    "find_output_fault",
    "fold_plan",
    "kept",
    "open_branches",
    "own_step",
    "policy_of",
    "with_reason",
]

# Characters of a result that the ledger keeps.
_KEPT = 100_000


def own_step(step: PlanStep) -> PlanStep:
    """A copy of a step without what is below it."""
    made = copy_own(step)
    made.children.clear()
    return made


def fold_plan(writer: RunWriter) -> str:
    """The plan as it is, folded."""
    return serialize_plan(writer.plan, fold=True)


class PlanState:
    """The plan as it is, folded: made on demand, or when it is sent to another process, a long one as an excerpt."""

    def __init__(self, find: Callable[[], PlanSpec], step_id: str) -> None:
        self._find, self._step_id = find, step_id

    def __call__(self, most: int | None = None) -> str:
        """The plan, or an excerpt of so many characters."""
        plan = self._find()
        return serialize_plan(plan, fold=True) if most is None else plan_excerpt(plan, self._step_id, most)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial, (_show, self(MAX_PLAN), self._step_id)


def _show(text: str, step_id: str, most: int | None = None) -> str:
    return text if most is None else plan_excerpt(text, step_id, most)


@define
class StepRunner:
    """Runs steps and closes containers: says what is to be called, and what has happened.

    Attributes:
        policy: how long a step may take and how often it is tried, or what says so for each call.
        persons: the names of steps that a person does.
        person_types: the types of steps that a person does.
    """

    writer: RunWriter
    values: Values
    operator: Operator
    limits: RunLimits
    policy: StepPolicy | Callable[[StepCall], StepPolicy]
    persons: Collection[str] = ()
    person_types: Collection[str] = ()
    # The ids of steps that are at work, or wait for their turn or another try.
    at_work: set[str] = field(factory=set, init=False)
    # Blocked steps that were looked at since a change that may repair any of them, and by name those that lack it.
    _version: int = field(default=-1, init=False)
    _looked: set[str] = field(factory=set, init=False)
    _lacking: dict[str, set[str]] = field(factory=dict, init=False)

    def begin(self, step: PlanStep) -> Work | PlanEntry | None:
        """The call of the operator for a step, or what has to happen before; None where a person does it."""
        state, id = self.writer.state, step.step_id
        if not self.limits.can_begin(id):
            return self.block(step, f"it was begun {state.begun[id]} times")
        for above in reversed(self.writer.ancestors(id)):
            if above.status is PlanStatus.PENDING and self.writer.is_run(above.step_id):
                return self.open(above)
        if step.step_name in self.persons or step.step_type in self.person_types:
            return None
        running = state.running.get(id)
        attempt, key, tries, until = self._attempt(step, running)
        call = self._call(step, attempt, key)
        if not isinstance(self.policy, StepPolicy):
            # What is asked may look at all that has happened.
            self.writer.commit()
        policy = policy_of(self.policy, call)
        self.at_work.add(id)
        return Work(
            partial(self._perform, call),
            partial(self._end, step, call, policy),
            Started(**about(step, StepPatch(step, PlanStatus.ACTIVE)), attempt=attempt, key=key),
            step=id,
            step_type=step.step_type,
            uses=policy.uses,
            policy=policy,
            tries=tries,
            # A clock may have been set since this was written down.
            wait=0 if until is None else max(min(until - time(), policy.max_pause), 0),
            ask_again=partial(self._ask_again, call.step, policy),
            postponed=partial(self._postponed, step, call, policy),
            rescue=partial(self._rescue, step, call, policy),
        )

    # ---------------------------------------------------------------- calls

    def _attempt(self, step: PlanStep, running: RunningStep | None) -> tuple[int, str, int, float | None]:
        """The number of an attempt, its key, how many tries it has had, and when the next one begins."""
        state, id, own = self.writer.state, step.step_id, hash_of(step)
        if running is not None and running.hash == own:
            # Cut off by a crash: the same attempt once more.
            return running.attempt, running.key, running.tries, running.until
        known, count = state.attempts.get(id, ("", 0))
        # Ids and texts may come again, so that what tells attempts apart is how many there were in the run.
        return count + 1 if known == own else 1, f"{self.writer.run}:{id}:{own}:{state.steps + 1}", 0, None

    def _call(self, step: PlanStep, attempt: int, key: str) -> StepCall:
        plan, needs = self.writer.plan, self.values.needs(step)
        own = own_step(step)
        own.status = PlanStatus.ACTIVE
        return StepCall(
            own,
            plan.goal,
            tuple(plan.constraints),
            needs.inputs,
            needs.missing,
            self.writer.history,
            tuple(map(own_step, open_branches(step))),
            attempt,
            key,
            PlanState(lambda: self.writer.plan, step.step_id),
            self._loop_asked(step),
        )

    def _perform(self, call: StepCall) -> Any:
        # What an operator changes in a step, its next try does not get.
        return self.operator(evolve(call, step=own_step(call.step), branches=tuple(map(own_step, call.branches))))

    def _ask_again(self, step: PlanStep, policy: StepPolicy, outcome: CallOutcome) -> float | None:
        result = _result_of(step, policy, outcome)
        return None if result.status is HopStatus.OK else result.retry_after

    def _postponed(
        self, step: PlanStep, call: StepCall, policy: StepPolicy, outcome: CallOutcome, pause: float
    ) -> Postponed:
        result = _result_of(call.step, policy, outcome)
        return Postponed(
            **about(step),
            attempt=call.attempt,
            effort=result.effort,
            status=result.status.value,
            result=kept(result.result),
            description=step.description,
            tries=outcome.tries,
            pause=pause,
        )

    def _rescue(self, step: PlanStep, call: StepCall, policy: StepPolicy, outcome: CallOutcome) -> list[PlanEntry]:
        # What fails while it is told to stop may have failed by that.
        return [one for one in self._end(step, call, policy, outcome) if not isinstance(one, Failed)]

    def _end(self, step: PlanStep, call: StepCall, policy: StepPolicy, outcome: CallOutcome) -> list[PlanEntry]:
        """What came of a step. What was not OK waits for a reflection then."""
        self.at_work.discard(step.step_id)
        error = outcome.error
        if isinstance(error, LedgerError):
            raise error
        if self.writer.fault is not None:
            raise self.writer.fault
        result = _result_of(call.step, policy, outcome)
        seconds = result.retry_after
        if result.status is not HopStatus.OK and seconds is not None:
            why_not = "tried once" if outcome.tries == 1 else f"tried {outcome.tries} times"
            if outcome.tries < policy.max_tries:
                most = f"the longest pause is {policy.max_pause:g} seconds"
                why_not = f"a retry in {seconds:g} seconds is too late: {most}"
            result = evolve(result, result=f"{result.result} ({why_not})")
        return [self._take(step, call, result, cause="" if error is None else "error")]

    # ---------------------------------------------------------------- loops

    def _loop_of(self, step: PlanStep) -> PlanStep | None:
        """The nearest subtask around a step, or the step itself: what ``loop`` in a result is about."""
        return next((one for one in (step, *self.writer.ancestors(step.step_id)) if one.step_type == "subtask"), None)

    def _loop_asked(self, step: PlanStep) -> str:
        """The id of that subtask, where it is a loop or the step decides."""
        loop = self._loop_of(step)
        is_asked = loop is not None and (step.step_type == "decide" or self.writer.state.is_loop(loop))
        return loop.step_id if loop is not None and is_asked else ""

    def _goes_on(self, step: PlanStep, said: str) -> bool:
        """Whether another round of a step is to follow the current one, as was said or as it counts them."""
        if said or not self.writer.state.is_loop(step):
            return said == "again"
        if step.total_count is None:
            return self.writer.state.is_open_loop(step)
        return step.done_count + 1 < step.total_count

    def _end_round(self, step: PlanStep, said: str) -> tuple[type[StepEnd], PlanStatus, int | None, str]:
        """What becomes of a step whose round is over, how many rounds it has had, and why it is blocked, if it is."""
        count = step.done_count + 1
        if not self._goes_on(step, said):
            return Done, PlanStatus.DONE, count if said or self.writer.state.is_loop(step) else None, ""
        most = self.limits.given.max_loop if step.total_count is None else step.total_count
        if count < most:
            return Looped, PlanStatus.ACTIVE, count, ""
        why = "it is to be done again" if said else "nothing has said that it is done"
        return Blocked, PlanStatus.BLOCKED, count, f"{count:,} rounds are all that it may have, and {why}"

    # ---------------------------------------------------------------- what came of it

    def _take(self, step: PlanStep, call: StepCall, given: OperatorResult, cause: str) -> PlanEntry:
        result = self._check(step, given)
        if result.status is not HopStatus.OK:
            lacks = call.missing if result.status is HopStatus.LACK_OF_INFO else ()
            return self.fail(step, result, call.attempt, lacks, cause)
        loop = self._loop_of(step) if result.loop else None
        more: dict[str, Any] = {"attempt": call.attempt, "outputs": result.outputs, "names": list(result.outputs)}
        more |= {"effort": result.effort, "description": step.description}
        if loop is not None and loop is not step:
            more |= {"loop": result.loop, "looping": loop.step_id}
        return self._effect(step, result, **more)

    def _effect(self, step: PlanStep, result: OperatorResult, **more: Any) -> PlanEntry:
        """What becomes of a step that is OK."""
        if step.step_type == "decide":
            patches = choose(step, result.branch, brief(result.result))
            return Branched(**about(step, *patches), result=kept(result.result), branch=result.branch, **more)
        if step.step_type != "subtask":
            patch = StepPatch(step, PlanStatus.DONE, brief(result.result))
            return Done(**about(step, patch), result=kept(result.result), **more)
        made, status, count, why = self._end_round(step, result.loop)
        words = with_reason(why, result.result) if why else result.result
        if made is Looped:
            more |= {"rounds": count, "total": step.total_count}
        return made(**about(step, StepPatch(step, status, brief(words), count)), result=kept(words), **more)

    def fail(
        self, step: PlanStep, result: OperatorResult, attempt: int = 0, lacks: Sequence[str] = (), cause: str = ""
    ) -> Failed:
        """A step is not OK, and lacks these inputs; ``cause`` is why it has no result, if so."""
        return Failed(
            **about(step, StepPatch(step, PlanStatus.ACTIVE)),
            attempt=attempt,
            outputs=result.outputs,
            effort=result.effort,
            status=result.status.value,
            result=kept(result.result),
            description=step.description,
            names=list(result.outputs),
            branch=result.branch,
            answer=kept(result.answer),
            lacks=list(lacks),
            cause=cause,
        )

    def _check(self, step: PlanStep, given: OperatorResult) -> OperatorResult:
        """The result as it can be kept; one that is not what it says has failed."""
        fault = find_output_fault(given.outputs, self.limits.given.max_output_bytes)
        if fault:
            return OperatorResult(HopStatus.FAIL, with_reason(fault, given.result), effort=given.effort)
        if given.status is not HopStatus.OK:
            branch = _branch_of(step, given.branch)
            return evolve(given, result=given.result or f"the operator says {given.status.value}", branch=branch)
        if step.step_type == "decide":
            return _check_branch(step, given)
        missing = [name for name in dict.fromkeys(step.outputs) if name not in given.outputs]
        if missing and not (step.step_type == "subtask" and self._goes_on(step, given.loop)):
            fault = f"declared outputs are missing: {', '.join(missing)}"
            return evolve(given, status=HopStatus.FAIL, result=with_reason(fault, given.result))
        return given

    # ---------------------------------------------------------------- containers

    def open(self, step: PlanStep) -> Opened:
        """What is below a step begins."""
        return Opened(**about(step, StepPatch(step, PlanStatus.ACTIVE)), description=step.description)

    def close(self, step: PlanStep) -> PlanEntry:
        """What has become of a container whose children have been dealt with."""
        blocked = next((child for child in step.children if child.status is PlanStatus.BLOCKED), None)
        is_a_loop = self.writer.state.is_loop(step)
        if blocked is not None:
            return self.block(step, f"step {blocked.step_id} is blocked", is_held=True)
        if self._has_rounds_left(step):
            return self._end_of_loop_round(step)
        if step.children and all(child.status is PlanStatus.SKIPPED for child in step.children) and not is_a_loop:
            return self.skip(step, "all steps below it were skipped")
        return self._finish(step)

    def _has_rounds_left(self, step: PlanStep) -> bool:
        """Whether a step counts the round that is over, or something was said of it."""
        if step.step_id in self.writer.state.said:
            return True
        is_full = step.total_count is not None and step.done_count >= step.total_count
        return self.writer.state.is_loop(step) and not is_full

    def _end_of_loop_round(self, step: PlanStep) -> PlanEntry:
        made, _, count, why = self._end_round(step, self.writer.state.said.get(step.step_id, ""))
        if made is Done:
            return self._finish(step, count)
        if made is Blocked:
            return self.block(step, why, count=count)
        below = [StepPatch(one, PlanStatus.PENDING, "", 0) for one in iter_steps(step) if one is not step]
        again = about(step, StepPatch(step, PlanStatus.ACTIVE, None, count), *below)
        return Looped(**again, rounds=count or 0, total=step.total_count, description=step.description)

    def _finish(self, step: PlanStep, count: int | None = None) -> PlanEntry:
        chosen = self.writer.state.chosen.get(step.step_id)
        missing = self.values.missing_below(step)
        if missing and step.step_type != "decide":
            fault = f"declared outputs are missing: {', '.join(missing)}: no step below produced them"
            return self.fail(step, OperatorResult(HopStatus.FAIL, fault, effort=Effort()))
        result = f"{chosen}: {step.result}" if chosen and step.result else chosen or step.result
        patches = [StepPatch(step, PlanStatus.DONE, brief(result), count), *self.skip_below(step)]
        return Done(**about(step, *patches), result=result, description=step.description)

    def skip_below(self, step: PlanStep) -> list[StepPatch]:
        """What is below a step that is settled is skipped."""
        below = (one for one in iter_steps(step) if one is not step and one.status in OPEN)
        return [StepPatch(one, PlanStatus.SKIPPED) for one in below]

    def skip(self, step: PlanStep, reason: str) -> Skipped:
        """A step is passed over, and all that is open below it."""
        patches = [StepPatch(step, PlanStatus.SKIPPED, brief(reason)), *self.skip_below(step)]
        return Skipped(**about(step, *patches), result=reason, description=step.description)

    def block(
        self,
        step: PlanStep,
        reason: str,
        *,
        is_held: bool = False,
        lacks: Sequence[str] = (),
        count: int | None = None,
    ) -> Blocked:
        """A step is given up, until these inputs are there, or, if ``is_held``, until no step below it is blocked."""
        given_up = about(step, StepPatch(step, PlanStatus.BLOCKED, brief(reason), count))
        return Blocked(**given_up, result=reason, description=step.description, is_held=is_held, lacks=list(lacks))

    def open_again(self) -> Opened | None:
        """A blocked step whose cause has gone is open again; None where there is none."""
        for step_id in self._find_suspects():
            names, step = self.writer.state.lacking[step_id], self.writer.find(step_id)
            if not self.writer.is_run(step_id):
                continue
            if step is not None and step.status is PlanStatus.BLOCKED and self._is_repaired(step, names):
                above = [StepPatch(one, PlanStatus.ACTIVE, "") for one in self._blocked_above(step)]
                status = PlanStatus.PENDING if names else PlanStatus.ACTIVE
                return Opened(**about(step, StepPatch(step, status, ""), *above), description=step.description)
        return None

    def _find_suspects(self) -> list[str]:
        """Blocked steps worth another look: unless more has changed, those that lack an output just produced."""
        lacking, news = self.writer.state.lacking, self.values.take_news()
        if self._version != self.writer.version:
            self._version = self.writer.version
            self._looked.clear()
            self._lacking.clear()
        found = lacking.keys() - self._looked
        self._looked |= found
        for step_id in found:
            for name in lacking[step_id]:
                self._lacking.setdefault(name, set()).add(step_id)
        found.update(*(self._lacking.get(name, ()) for name in news))
        return [step_id for step_id in lacking if step_id in found] if found else []

    def _is_repaired(self, step: PlanStep, lacked: Sequence[str]) -> bool:
        if any(child.status is PlanStatus.BLOCKED for child in step.children):
            return False
        if not self.values.are_there(lacked, step):
            return False
        return all(one.status in (*OPEN, PlanStatus.BLOCKED) for one in self.writer.ancestors(step.step_id))

    def _blocked_above(self, step: PlanStep) -> list[PlanStep]:
        above = self.writer.ancestors(step.step_id)
        return [one for one in above if one.status is PlanStatus.BLOCKED and self.writer.is_run(one.step_id)]

    def acceptance(self, step: PlanStep) -> tuple[list[StepPatch], dict[str, Any]]:
        """What counts a step as done with the result that it has, and what a record says of it."""
        failure = self.writer.state.failures[step.step_id]
        result, data = brief(failure.result), {"result": failure.result, "description": step.description}
        if step.step_type == "decide" and failure.branch:
            return choose(step, failure.branch, result), {**data, "branch": failure.branch}
        if not self.writer.state.is_loop(step):
            return [StepPatch(step, PlanStatus.DONE, result), *self.skip_below(step)], data
        if not step.children and self._end_round(step, "")[0] is Looped:
            return [StepPatch(step, PlanStatus.ACTIVE, result, step.done_count + 1)], {**data, "looped": True}
        count = max(step.done_count, step.total_count or 0)
        return [StepPatch(step, PlanStatus.DONE, result, count), *self.skip_below(step)], data

    def again(self, step: PlanStep) -> list[StepPatch]:
        """What lets a step be tried again: all below it as well."""
        below = [StepPatch(one, PlanStatus.PENDING, "", 0) for one in iter_steps(step) if one is not step]
        return [StepPatch(step, PlanStatus.ACTIVE), *below]


def policy_of(given: StepPolicy | Callable[[StepCall], StepPolicy], call: StepCall) -> StepPolicy:
    """The policy of a call, where one is given for all or what says so for each. Raises TypeError where it is none."""
    policy = given if isinstance(given, StepPolicy) else given(call)
    if not isinstance(policy, StepPolicy):
        raise TypeError(f"step_policy gives a StepPolicy, not {type(policy).__name__}")
    return policy


def kept(text: str) -> str:
    """What a record keeps of a text: line ends of other systems are line ends."""
    return visible(text[:_KEPT].replace("\r\n", "\n").replace("\r", "\n"))


def _result_of(step: PlanStep, policy: StepPolicy, outcome: CallOutcome) -> OperatorResult:
    """What came of a call: what an operator has raised is that step's failure, and reflection decides what to do."""
    error = outcome.error
    if error is None:
        return take_result(outcome.value, step)
    if isinstance(error, OverdueError):
        return OperatorResult(HopStatus.FAIL, describe(error))
    if isinstance(error, TransientError):
        return OperatorResult(HopStatus.FAIL, str(error) or type(error).__name__, retry_after=error.retry_after)
    retry_after = 0 if isinstance(error, policy.retry_on) else None
    return OperatorResult(HopStatus.FAIL, f"{type(error).__name__}: {error}", retry_after=retry_after)


def open_branches(step: PlanStep) -> Iterator[PlanStep]:
    """What a decide step can still choose."""
    return (child for child in step.children if step.step_type == "decide" and child.status in OPEN)


def _branch_of(step: PlanStep, named: str) -> str:
    """The id of the branch that is meant; "" if there is none."""
    meant = named.strip().rstrip(".")
    return meant if any(child.step_id == meant for child in open_branches(step)) else ""


def _check_branch(step: PlanStep, given: OperatorResult) -> OperatorResult:
    branch = _branch_of(step, given.branch)
    if branch:
        return evolve(given, branch=branch)
    known = ", ".join(child.step_id for child in open_branches(step))
    named = f"'{brief(given.branch)}' is not one of the branches" if given.branch.strip() else "no branch was named"
    return evolve(given, status=HopStatus.FAIL, branch="", result=with_reason(f"{named} ({known})", given.result))


def choose(step: PlanStep, branch: str, result: str | None) -> list[StepPatch]:
    """A branch holds, for this reason: all others are skipped."""
    others = [child for child in step.children if child.step_id != branch and child.status in OPEN]
    skipped = [below for child in others for below in iter_steps(child) if below.status in OPEN]
    return [StepPatch(step, PlanStatus.ACTIVE, result), *(StepPatch(below, PlanStatus.SKIPPED) for below in skipped)]


def with_reason(fault: str, said: str) -> str:
    """A fault, and what an operator has said beside it."""
    return f"{fault}; the operator says: {said}" if said.strip() else fault


def check_keys(value: Any) -> None:
    """See to it that all keys in a value are texts, as JSON has no others: two of them could become one.

    Raises:
        TypeError: one is not.
    """
    open_values = [value]
    while open_values:
        one = open_values.pop()
        if isinstance(one, dict):
            for key in one:
                if not isinstance(key, str):
                    raise TypeError(f"keys must be texts, not {type(key).__name__}")
            open_values.extend(one.values())
        elif isinstance(one, (list, tuple)):
            open_values.extend(one)


def find_output_fault(outputs: Mapping[Any, Any], most: int) -> str:
    """Why these outputs cannot be kept, if they cannot."""
    size = 0
    for name, value in outputs.items():
        if not isinstance(name, str):
            return f"an output is named by a {type(name).__name__}, not by a text"
        try:
            name.encode()
            # Escaped as the ledger has it: half of a surrogate pair is not a text.
            size += len(json.dumps(value, allow_nan=False))
            json.dumps(value, ensure_ascii=False).encode()
            check_keys(value)
        except (TypeError, ValueError, RecursionError) as error:
            return f"output '{brief(name)}' cannot be written as JSON: {brief(str(error))}"
        if size > most:
            return f"the outputs have more than {most:,} bytes"
    return ""
