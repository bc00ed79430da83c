"""Tool plans as a language of the driver: which step is next, what goes into it, and what follows from its end."""

from __future__ import annotations

import hashlib
import heapq
import json
from collections.abc import Callable
from functools import partial
from graphlib import TopologicalSorter
from typing import Any

from attrs import define, evolve, field, frozen

from planspec_lark.runs.driver import CallOutcome, End, Ended, Work, describe
from planspec_lark.runs.entries import Entry
from planspec_lark.runs.ledger import RecordKind
from planspec_lark.runs.limits import StepPolicy
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.safe_text import one_line, visible_name
from planspec_lark.tool_runner.callables import AtomCallable
from planspec_lark.tool_runner.outputs import as_kept, check_types, declared_outputs, take_outputs
from planspec_lark.tool_runner.results import StepResult, StepStarted, StepStatus, ToolRun
from planspec_lark.toolplan.models import ToolPlan
from planspec_lark.toolplan.resolver import Unresolved, ValueRefusedError, copy_value, resolve
from planspec_lark.toolplan.rules import Plan
from planspec_lark.toolplan.structure import name_of

__all__ = ["ToolLanguage", "ToolState"]


@define
class ToolState:
    """How far a run is.

    Attributes:
        results: what has become of the steps.
        sorter: gives the steps whose turn has come, as all that they depend on have a result.
        ready: those of them that are still to be looked at, as a heap.
        done: by key, the last result of what is done, in this run and all before.
    """

    results: list[StepResult | None]
    sorter: TopologicalSorter[int]
    ready: list[int] = field(factory=list)
    done: dict[str, StepResult] = field(factory=dict)


@frozen(eq=False)
class ToolLanguage:
    """A plan without errors, and what its steps are called with.

    Attributes:
        plan: the plan.
        checked: the same, with all that is known of it.
        find: the callable of a tool.
        policy: how long a call of a tool may take, and how often it is tried.
        value: gives an output that a ledger has kept; None where there is no ledger.
        is_dry: nothing is called.
        on_event: told of everything that happens.
    """

    plan: ToolPlan
    checked: Plan
    find: Callable[[str], AtomCallable]
    policy: Callable[[str], StepPolicy]
    value: Callable[[int, str], Any] | None
    is_dry: bool
    on_event: Callable[[StepStarted | StepResult], None]
    # By step, its outputs that are referred to, and its wave.
    _asked: dict[int, set[str]] = field(factory=dict, init=False)
    _waves: dict[int, int] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        for use in self.checked.uses:
            at = self.checked.outline.index_of[use.piece.step]
            self._asked.setdefault(at, set()).add(use.piece.output)
        for number, wave in enumerate(self.checked.ordering.waves, 1):
            self._waves.update(dict.fromkeys(wave, number))

    def begin(self) -> ToolState:
        """The state before anything has happened."""
        sorter = TopologicalSorter(dict(enumerate(self.checked.graph)))
        sorter.prepare()
        return ToolState([None] * len(self.checked.graph), sorter)

    # ---------------------------------------------------------------- what is next

    def next(self, state: ToolState) -> Work | Entry | End[ToolRun] | None:
        """The next call, or what has become of a step without one."""
        for at in state.sorter.get_ready():
            heapq.heappush(state.ready, at)
        if not state.ready:
            return None if state.sorter.is_active() else self._end(state)
        at = heapq.heappop(state.ready)
        before = [one for other in self.checked.graph[at] if (one := state.results[other]) is not None]
        failed = next((one for one in before if one.status in (StepStatus.FAILED, StepStatus.SKIPPED)), None)
        if failed is None:
            return self._prepare(state, at, before)
        because = failed.because or failed.step
        error = f"it depends on step '{name_of(because)}', which has failed"
        return self._result(at, kind=RecordKind.SKIPPED, error=error, because=because)

    def _prepare(self, state: ToolState, at: int, before: list[StepResult]) -> Work | Entry:
        """The call of a step, unless it needs none; ``before`` are the results of those that it depends on."""
        step = self.plan.steps[at]
        try:
            inputs, is_complete = resolve(step.inputs, partial(self._output, state), keep=self.is_dry)
            key = self._key(at, inputs) if self.value is not None and is_complete else ""
        except (Unresolved, ValueRefusedError) as error:
            return self._failed(at, f"its inputs: {error}")
        done = state.done.get(key)
        if done is not None and self.value is not None and self._is_fresh(at, done, before):
            outputs = {name: self.value(done.seq, name) for name in done.names}
            known = evolve(done, kind=None, outputs=outputs, step=self._name(at), is_reused=True)
            return evolve(known, wave=self._waves[at], warnings=self._warnings(at, outputs))
        if self.is_dry:
            return self._result(at, status=StepStatus.PLANNED, inputs=inputs)
        return Work(
            partial(self._call, step.id, inputs),
            partial(self._outcome, at, key),
            StepStarted(step=self._name(at), hash=key, atom_id=step.id),
            step=visible_name(self._name(at)),
            step_type="tool",
            uses=(step.id,),
            policy=self.policy(step.id),
        )

    def _call(self, atom_id: str, inputs: dict[str, Any]) -> Any:
        # A callable may change what it gets, and be called once more.
        return self.find(atom_id)(copy_value(inputs))

    def _output(self, state: ToolState, step: str, output: str) -> Any:
        at = self.checked.outline.index_of.get(step)
        result = None if at is None else state.results[at]
        if result is None or result.status is not StepStatus.DONE or output not in result.outputs:
            raise Unresolved(f"step '{name_of(step)}' did not produce '{name_of(output)}'")
        return result.outputs[output]

    def _key(self, at: int, inputs: dict[str, Any]) -> str:
        """The key of a call: any change to it makes another key."""
        try:
            text = json.dumps([self._name(at), self.plan.steps[at].id, inputs], sort_keys=True, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueRefusedError(f"the ledger cannot hold them: {error}") from None
        return hashlib.sha256(text.encode()).hexdigest()

    def _is_fresh(self, at: int, done: StepResult, before: list[StepResult]) -> bool:
        """Whether a step was done after all that it depends on, and has every output that is needed now."""
        if any(one.status is StepStatus.PLANNED or one.seq > done.seq for one in before):
            return False
        declared = declared_outputs(self.checked.signatures[at])
        return {*declared, *self._asked.get(at, ())}.issubset(done.names)

    def _outcome(self, at: int, key: str, outcome: CallOutcome) -> list[Entry]:
        more: dict[str, Any] = {"hash": key, "started": outcome.started, "seconds": outcome.seconds}
        try:
            if outcome.error is not None:
                raise ValueRefusedError(describe(outcome.error, outcome.tries, self.plan.steps[at].id))
            outputs = take_outputs(outcome.value, self.checked.signatures[at])
            if self.value is not None:
                outputs = as_kept(outputs)
        except ValueRefusedError as error:
            return [self._failed(at, str(error), **more)]
        more |= {"outputs": outputs, "names": [*outputs], "warnings": self._warnings(at, outputs)}
        return [self._result(at, kind=RecordKind.DONE, **more)]

    def _failed(self, at: int, why: str, **more: Any) -> StepResult:
        return self._result(at, kind=RecordKind.FAILED, error=one_line(shorten(why)), **more)

    def _result(self, at: int, **more: Any) -> StepResult:
        return StepResult(step=self._name(at), atom_id=self.plan.steps[at].id, wave=self._waves[at], **more)

    def _warnings(self, at: int, outputs: dict[str, Any]) -> tuple[str, ...]:
        return check_types(outputs, self.checked.signatures[at])

    def _name(self, at: int) -> str:
        name: str = self.checked.outline.steps[at].name
        return name

    # ---------------------------------------------------------------- what has happened

    def fold(self, state: ToolState, entry: Entry) -> ToolState:
        """The same state, after this has happened."""
        if not isinstance(entry, StepResult):
            return state
        if entry.status is StepStatus.DONE:
            state.done[entry.hash] = entry
        else:
            # It may have been done once, and has failed since then.
            state.done.pop(entry.hash, None)
        if entry.wave:
            at = self.checked.outline.index_of[entry.step]
            state.results[at] = entry
            state.sorter.done(at)
        return state

    def tell(self, _: ToolState, entry: Entry) -> None:
        """Tell the watcher."""
        if isinstance(entry, StepStarted | StepResult):
            self.on_event(entry)

    # ---------------------------------------------------------------- the end

    def stop(self, state: ToolState, why: str) -> End[ToolRun]:
        """What the run comes to where it is left before all steps have a result."""
        return self._end(state, why)

    def _end(self, state: ToolState, why: str = "") -> End[ToolRun]:
        results = [
            result or self._result(at, status=StepStatus.PENDING, error=why) for at, result in enumerate(state.results)
        ]
        outputs: dict[str, Any] = {}
        missing = []
        for name, value in (self.plan.outputs or {}).items():
            try:
                outputs[name] = resolve(value, partial(self._output, state))[0]
            except (Unresolved, ValueRefusedError):
                missing.append(name)
        left = sum(one.status is not StepStatus.DONE for one in results)
        done, said = (
            ToolRun(tuple(results), outputs, tuple(missing), why),
            f"{left} of {len(results)} steps are not done",
        )
        if self.is_dry or not left:
            return End(done, None if self.is_dry else Ended(outcome="done"))
        reason = f"{why}; {said}" if why else said
        return End(done, Ended(outcome="stopped" if why else "failed", reason=reason))
