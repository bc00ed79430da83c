"""One step: from its inputs to a result that can be trusted to have what it declares."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from time import monotonic, time
from typing import Any

from attrs import define, evolve, field, frozen

from planspec_lark.awaitables import OverdueError, Pause, RunningLoopError, Work, WorkResult
from planspec_lark.engine.inputs import Needs, Values
from planspec_lark.engine.models import (
    Effort,
    FatalError,
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
from planspec_lark.engine.run_rules import ForPerson
from planspec_lark.engine.run_writer import RunWriter, StepPatch
from planspec_lark.planspec.models import OPEN, PlanStatus, PlanStep, copy_own, hash_of, iter_steps
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.runs.ledger import LedgerError, RecordKind
from planspec_lark.syntax.diagnostics import brief
from planspec_lark.syntax.safe_text import visible

__all__ = ["StepRunner", "check_keys", "choose", "find_output_fault", "fold_plan", "kept", "open_branches", "own_step"]

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

    def __init__(self, writer: RunWriter, step_id: str) -> None:
        self._writer, self._step_id = writer, step_id

    def __call__(self, most: int | None = None) -> str:
        return fold_plan(self._writer) if most is None else plan_excerpt(self._writer.plan, self._step_id, most)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial, (_show, self(MAX_PLAN), self._step_id)


def _show(text: str, step_id: str, most: int | None = None) -> str:
    return text if most is None else plan_excerpt(text, step_id, most)


@frozen(eq=False)
class ActiveStep:
    """A step that is at work, or waits for its next try."""

    step: PlanStep
    call: StepCall
    policy: StepPolicy
    work: Work | Pause


@define
class StepRunner:
    """Runs steps and closes containers.

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
    # When the next try of an attempt begins, on the clock of this process; by key.
    _due: dict[str, float] = field(factory=dict, init=False)
    # Blocked steps that were looked at since a change that may repair any of them, and by name those that lack it.
    _version: int = field(default=-1, init=False)
    _looked: set[str] = field(factory=set, init=False)
    _lacking: dict[str, set[str]] = field(factory=dict, init=False)

    def begin(self, step: PlanStep) -> ActiveStep | None:
        """What the operator is to do for a step; None where there is nothing to do, or it cannot begin.

        Raises:
            ForPerson: a person does it, and all that it needs is there.
        """
        state, id = self.writer.state, step.step_id
        if not self.limits.can_begin(id):
            self.block(step, f"it was begun {state.begun[id]} times")
            return None
        self.limits.before_call()
        for above in reversed(self.writer.ancestors(id)):
            if above.status is PlanStatus.PENDING and self.writer.is_run(above.step_id):
                self.open(above)
        attempt, key = self._begin(step)
        needs = self.values.needs(step)
        if step.step_name in self.persons or step.step_type in self.person_types:
            raise ForPerson(step)
        running = state.running.get(id)
        if running is not None and running.key == key and running.until is not None:
            call = self._call(step, needs, attempt, key)
            policy = self._policy_of(call)
            if pause := self._pause_left(key, running.until, policy):
                return ActiveStep(step, call, policy, Pause(pause))
        self.writer.note(
            RecordKind.STARTED, step, patches=[StepPatch(step, PlanStatus.ACTIVE)], attempt=attempt, key=key
        )
        call = self._call(step, needs, attempt, key)
        policy = self._policy_of(call)
        return ActiveStep(step, call, policy, Work(partial(self.operator, call), policy.timeout))

    def end(self, begun: ActiveStep, ended: WorkResult) -> None:
        """Take what came of a step. What was not OK waits for a reflection then, or for its next try."""
        if isinstance(begun.work, Pause):
            return
        result, error = ended.value, ended.error
        is_final = not isinstance(error, TransientError)
        if is_final and isinstance(error, (FatalError, RunningLoopError, LedgerError)):
            raise error
        if error is not None:
            # What an operator raises is that step's failure; reflection decides what to do about it.
            result = _failure(error, begun.policy)
        if self.writer.fault is not None:
            raise self.writer.fault
        result = take_result(result, begun.call.step)
        if result.status is not HopStatus.OK and result.retry_after is not None:
            why_not = self._postpone(begun, result, result.retry_after)
            if why_not is None:
                return
            result = evolve(result, result=f"{result.result} ({why_not})")
        if isinstance(error, FatalError):
            raise error
        self._take(begun, result, cause="" if error is None else "error")

    # ---------------------------------------------------------------- tries

    def _policy_of(self, call: StepCall) -> StepPolicy:
        policy = self.policy if isinstance(self.policy, StepPolicy) else self.policy(call)
        if not isinstance(policy, StepPolicy):
            raise TypeError(f"step_policy gives a StepPolicy, not {type(policy).__name__}")
        return policy

    def _pause_left(self, key: str, until: float, policy: StepPolicy) -> float:
        """How many seconds a step still waits for its next try, or the budget has."""
        if key not in self._due:
            # A clock may have been set since this was written down.
            self._due[key] = monotonic() + min(until - time(), policy.max_pause)
        return max(min(self._due[key] - monotonic(), self.limits.seconds_left()), 0)

    def _postpone(self, begun: ActiveStep, result: OperatorResult, seconds: float) -> str | None:
        """Let the operator be called again later; says why not, where it is not."""
        call, policy, step = begun.call, begun.policy, begun.step
        tries = self.writer.state.running[step.step_id].tries + 1
        if tries >= policy.max_tries:
            return "tried once" if tries == 1 else f"tried {tries} times"
        if seconds > policy.max_pause:
            return f"a retry in {seconds:g} seconds is too late: the longest pause is {policy.max_pause:g} seconds"
        pause = round(max(seconds, policy.pause_after(tries)), 3)
        self._due[call.key] = monotonic() + pause
        self.writer.note(
            RecordKind.POSTPONED,
            step,
            attempt=call.attempt,
            effort=result.effort,
            status=result.status.value,
            result=kept(result.result),
            description=step.description,
            tries=tries,
            pause=pause,
        )
        return None

    def _begin(self, step: PlanStep) -> tuple[int, str]:
        """The number of an attempt and its key."""
        state, id, own = self.writer.state, step.step_id, hash_of(step)
        running = state.running.get(id)
        if running is not None and running.hash == own:
            return running.attempt, running.key  # cut off by a crash: the same attempt once more
        known, count = state.attempts.get(id, ("", 0))
        # Ids and texts may come again, so that what tells attempts apart is how many there were in the run.
        return count + 1 if known == own else 1, f"{self.writer.run}:{id}:{own}:{state.steps + 1}"

    def _call(self, step: PlanStep, needs: Needs, attempt: int, key: str) -> StepCall:
        plan = self.writer.plan
        branches = tuple(map(own_step, open_branches(step)))
        return StepCall(
            own_step(step),
            plan.goal,
            tuple(plan.constraints),
            needs.inputs,
            needs.missing,
            self.writer.history,
            branches,
            attempt,
            key,
            PlanState(self.writer, step.step_id),
            self._loop_asked(step),
        )

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

    def _end_round(self, step: PlanStep, said: str) -> tuple[RecordKind, PlanStatus, int | None, str]:
        """What becomes of a step whose round is over, how many rounds it has had, and why it is blocked, if it is."""
        count = step.done_count + 1
        if not self._goes_on(step, said):
            return RecordKind.DONE, PlanStatus.DONE, count if said or self.writer.state.is_loop(step) else None, ""
        most = self.limits.given.max_loop if step.total_count is None else step.total_count
        if count < most:
            return RecordKind.LOOPED, PlanStatus.ACTIVE, count, ""
        why = "it is to be done again" if said else "nothing has said that it is done"
        return RecordKind.BLOCKED, PlanStatus.BLOCKED, count, f"{count:,} rounds are all that it may have, and {why}"

    # ---------------------------------------------------------------- what came of it

    def _take(self, begun: ActiveStep, given: OperatorResult, cause: str) -> None:
        step, attempt = begun.step, begun.call.attempt
        result = self._check(step, given)
        if result.status is not HopStatus.OK:
            lacks = begun.call.missing if result.status is HopStatus.LACK_OF_INFO else ()
            self.fail(step, result, attempt, lacks, cause)
            return
        kind, patches, words = self._effect(step, result)
        loop = self._loop_of(step) if result.loop else None
        is_of_another = loop is not None and loop is not step
        self.writer.note(
            kind,
            step,
            patches=patches,
            attempt=attempt,
            outputs=result.outputs,
            effort=result.effort,
            result=kept(words),
            description=step.description,
            names=list(result.outputs),
            branch=result.branch if kind is RecordKind.BRANCHED else "",
            loop=result.loop if is_of_another else "",
            looping=loop.step_id if loop is not None and is_of_another else "",
            **({"rounds": step.done_count + 1, "total": step.total_count} if kind is RecordKind.LOOPED else {}),
        )
        if kind in (RecordKind.DONE, RecordKind.BRANCHED):
            self.values.add(step)

    def _effect(self, step: PlanStep, result: OperatorResult) -> tuple[RecordKind, list[StepPatch], str]:
        """What becomes of a step that is OK, and in which words."""
        if step.step_type == "decide":
            return RecordKind.BRANCHED, choose(step, result.branch, brief(result.result)), result.result
        if step.step_type != "subtask":
            return RecordKind.DONE, [StepPatch(step, PlanStatus.DONE, brief(result.result))], result.result
        kind, status, count, why = self._end_round(step, result.loop)
        words = _with_reason(why, result.result) if why else result.result
        return kind, [StepPatch(step, status, brief(words), count)], words

    def fail(
        self, step: PlanStep, result: OperatorResult, attempt: int = 0, lacks: Sequence[str] = (), cause: str = ""
    ) -> None:
        """Note that a step is not OK, and which inputs it lacks; ``cause`` is why it has no result, if so."""
        self.writer.note(
            RecordKind.FAILED,
            step,
            patches=[StepPatch(step, PlanStatus.ACTIVE)],
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
            return OperatorResult(HopStatus.FAIL, _with_reason(fault, given.result), effort=given.effort)
        if given.status is not HopStatus.OK:
            branch = _branch_of(step, given.branch)
            return evolve(given, result=given.result or f"the operator says {given.status.value}", branch=branch)
        if step.step_type == "decide":
            return _check_branch(step, given)
        missing = [name for name in dict.fromkeys(step.outputs) if name not in given.outputs]
        if missing and not (step.step_type == "subtask" and self._goes_on(step, given.loop)):
            fault = f"declared outputs are missing: {', '.join(missing)}"
            return evolve(given, status=HopStatus.FAIL, result=_with_reason(fault, given.result))
        return given

    # ---------------------------------------------------------------- containers

    def open(self, step: PlanStep) -> None:
        """Begin what is below a step."""
        self.writer.note(
            RecordKind.OPENED, step, patches=[StepPatch(step, PlanStatus.ACTIVE)], description=step.description
        )

    def close(self, step: PlanStep) -> None:
        """Say what has become of a container whose children have been dealt with."""
        blocked = next((child for child in step.children if child.status is PlanStatus.BLOCKED), None)
        is_a_loop = self.writer.state.is_loop(step)
        if blocked is not None:
            self.block(step, f"step {blocked.step_id} is blocked", is_held=True)
        elif self._has_rounds_left(step):
            self._end_of_loop_round(step)
        elif step.children and all(child.status is PlanStatus.SKIPPED for child in step.children) and not is_a_loop:
            self.skip(step, "all steps below it were skipped")
        else:
            self._finish(step)

    def _has_rounds_left(self, step: PlanStep) -> bool:
        """Whether a step counts the round that is over, or something was said of it."""
        if step.step_id in self.writer.state.said:
            return True
        is_full = step.total_count is not None and step.done_count >= step.total_count
        return self.writer.state.is_loop(step) and not is_full

    def _end_of_loop_round(self, step: PlanStep) -> None:
        kind, _, count, why = self._end_round(step, self.writer.state.said.get(step.step_id, ""))
        if kind is RecordKind.DONE:
            self._finish(step, count)
            return
        if kind is RecordKind.BLOCKED:
            self.block(step, why, count=count)
            return
        again = [StepPatch(below, PlanStatus.PENDING, "", 0) for below in iter_steps(step) if below is not step]
        self.writer.note(
            RecordKind.LOOPED,
            step,
            rounds=count,
            total=step.total_count,
            patches=[StepPatch(step, PlanStatus.ACTIVE, None, count), *again],
            description=step.description,
        )

    def _finish(self, step: PlanStep, count: int | None = None) -> None:
        chosen = self.writer.state.chosen.get(step.step_id)
        missing = self.values.missing_below(step)
        if missing and step.step_type != "decide":
            fault = f"declared outputs are missing: {', '.join(missing)}: no step below produced them"
            self.fail(step, OperatorResult(HopStatus.FAIL, fault, effort=Effort()))
            return
        result = f"{chosen}: {step.result}" if chosen and step.result else chosen or step.result
        patches = [StepPatch(step, PlanStatus.DONE, brief(result), count), *self.skip_below(step)]
        self.writer.note(RecordKind.DONE, step, patches=patches, result=result, description=step.description)
        self.values.add(step)

    def skip_below(self, step: PlanStep) -> list[StepPatch]:
        """What is below a step that is settled is skipped."""
        below = (one for one in iter_steps(step) if one is not step and one.status in OPEN)
        return [StepPatch(one, PlanStatus.SKIPPED) for one in below]

    def skip(self, step: PlanStep, reason: str) -> None:
        """Pass a step over, and all that is open below it."""
        patches = [StepPatch(step, PlanStatus.SKIPPED, brief(reason)), *self.skip_below(step)]
        self.writer.note(RecordKind.SKIPPED, step, patches=patches, result=reason, description=step.description)

    def block(
        self,
        step: PlanStep,
        reason: str,
        *,
        is_held: bool = False,
        lacks: Sequence[str] = (),
        count: int | None = None,
    ) -> None:
        """Give a step up, until these inputs are there, or, if ``is_held``, until no step below it is blocked."""
        patches = [StepPatch(step, PlanStatus.BLOCKED, brief(reason), count)]
        self.writer.note(
            RecordKind.BLOCKED,
            step,
            patches=patches,
            result=reason,
            description=step.description,
            is_held=is_held,
            lacks=list(lacks),
        )

    def open_again(self) -> bool:
        """Reopen a blocked step whose cause has gone; says whether there was one."""
        for step_id in self._find_suspects():
            names, step = self.writer.state.lacking[step_id], self.writer.find(step_id)
            if not self.writer.is_run(step_id):
                continue
            if step is not None and step.status is PlanStatus.BLOCKED and self._is_repaired(step, names):
                break
        else:
            return False
        above = [StepPatch(one, PlanStatus.ACTIVE, "") for one in self._blocked_above(step)]
        status = PlanStatus.PENDING if names else PlanStatus.ACTIVE
        self.writer.note(
            RecordKind.OPENED, step, patches=[StepPatch(step, status, ""), *above], description=step.description
        )
        return True

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
        if not step.children and self._end_round(step, "")[0] is RecordKind.LOOPED:
            return [StepPatch(step, PlanStatus.ACTIVE, result, step.done_count + 1)], {**data, "looped": True}
        count = max(step.done_count, step.total_count or 0)
        return [StepPatch(step, PlanStatus.DONE, result, count), *self.skip_below(step)], data

    def again(self, step: PlanStep) -> list[StepPatch]:
        """What lets a step be tried again: all below it as well."""
        below = [StepPatch(one, PlanStatus.PENDING, "", 0) for one in iter_steps(step) if one is not step]
        return [StepPatch(step, PlanStatus.ACTIVE), *below]


def kept(text: str) -> str:
    """What a record keeps of a text: line ends of other systems are line ends."""
    return visible(text[:_KEPT].replace("\r\n", "\n").replace("\r", "\n"))


def _failure(error: Exception, policy: StepPolicy) -> OperatorResult:
    """What an operator has raised, or that it took too long, as a result."""
    if isinstance(error, OverdueError):
        goes_on = "" if error.has_ended else ": it could not be stopped, and its work continues"
        return OperatorResult(HopStatus.FAIL, f"no result within {error.seconds:g} seconds{goes_on}")
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
    return evolve(given, status=HopStatus.FAIL, branch="", result=_with_reason(f"{named} ({known})", given.result))


def choose(step: PlanStep, branch: str, result: str | None) -> list[StepPatch]:
    """A branch holds, for this reason: all others are skipped."""
    others = [child for child in step.children if child.step_id != branch and child.status in OPEN]
    skipped = [below for child in others for below in iter_steps(child) if below.status in OPEN]
    return [StepPatch(step, PlanStatus.ACTIVE, result), *(StepPatch(below, PlanStatus.SKIPPED) for below in skipped)]


def _with_reason(fault: str, said: str) -> str:
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
