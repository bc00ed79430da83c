"""Which step of a run is next, what goes into it, and what follows from its end. Calls nothing itself."""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from logging import getLogger
from typing import Any

from attrs import frozen

from planspec_lark.json_text.findings import to_diagnostics
from planspec_lark.runs.ledger import Record, RecordKind
from planspec_lark.runs.telemetry import RunTelemetry
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.safe_text import one_line, visible_name
from planspec_lark.syntax.source import Source
from planspec_lark.tool_runner.call_ledger import RUN, CallLedger, DoneCall, key_of
from planspec_lark.tool_runner.outputs import as_kept, check_types, declared_outputs, message_of, take_outputs
from planspec_lark.tool_runner.results import RunEvent, RunEventKind, StepResult, StepStatus, ToolRun
from planspec_lark.toolplan.interchange import ToolPlanError, tool_plan_to_dict
from planspec_lark.toolplan.models import Registry, ToolPlan
from planspec_lark.toolplan.resolver import Unresolved, ValueRefusedError, resolve
from planspec_lark.toolplan.structure import name_of
from planspec_lark.toolplan.validation import examine_plan

__all__ = ["LOG", "CallOutcome", "CallScheduler", "ToolCall"]

LOG = getLogger("planspec_lark.tool_runner")

Tell = Callable[[RunEvent], None]


@frozen
class ToolCall:
    """A call to make: of the tool of a step, with these inputs. ``key`` is that of the ledger, if there is one."""

    index: int
    atom_id: str
    inputs: dict[str, Any]
    key: str = ""


@frozen
class CallOutcome:
    """How a call has ended: with a value, with an exception, or with one that ends the run as well (``stop``)."""

    value: Any
    error: Exception | None
    started: float
    seconds: float
    stop: BaseException | None = None


class CallScheduler:
    """The state of a run.

    Args:
        plan: the plan, without errors.
        registry: the tools.
        tell: told of everything that happens.
        is_dry: nothing is called, and nothing is written.

    Attributes:
        calls: the ledger, if there is one.
        telemetry: tells of every record as well, in lines and spans.

    Raises:
        ToolPlanError: there are errors in the plan.
    """

    def __init__(
        self, plan: ToolPlan, registry: Registry | Mapping[str, Any] | list[Any], tell: Tell, is_dry: bool = False
    ) -> None:
        self.plan, self.is_dry, self._tell = plan, is_dry, tell
        self.calls: CallLedger | None = None
        self.telemetry = RunTelemetry(LOG, RUN)
        verdict = examine_plan(tool_plan_to_dict(plan), registry)
        if verdict.errors:
            raise ToolPlanError(to_diagnostics(verdict.errors, None), Source(""))
        self._checked = verdict.plan
        graph = self._checked.graph
        self._results: list[StepResult | None] = [None] * len(graph)
        self._waits = [len(others) for others in graph]
        self._ready = [node for node, count in enumerate(self._waits) if not count]
        self._dependants: list[list[int]] = [[] for _ in graph]
        for node, others in enumerate(graph):
            for other in others:
                self._dependants[other].append(node)
        # The number of the record that says that a step is done; 0 where there is no ledger.
        self._seqs: list[float] = [0] * len(graph)
        # By step, its outputs that are referred to.
        self._asked: dict[int, set[str]] = {}
        for use in self._checked.uses:
            at = self._checked.outline.index_of[use.piece.step]
            self._asked.setdefault(at, set()).add(use.piece.output)
        self._waves = [0] * len(graph)
        for number, wave in enumerate(self._checked.ordering.waves, 1):
            for node in wave:
                self._waves[node] = number

    def atom_ids(self) -> list[str]:
        """The tools of the plan, each once."""
        return list(dict.fromkeys(step.id for step in self.plan.steps))

    # ---------------------------------------------------------------- before a call

    def take(self) -> ToolCall | None:
        """The next call that can be made now, if any. Steps that need none are settled on the way."""
        while self._ready:
            index = heapq.heappop(self._ready)
            task = self._prepare(index)
            if task is not None:
                if not self.is_dry:
                    self._write(RecordKind.STARTED, index, task.key)
                    self._tell(RunEvent(RunEventKind.STARTED, self._name(index), task.atom_id))
                    return task
                # Whatever was done before is older than what is to be done now.
                self._seqs[index] = math.inf
                self._settle(index, StepStatus.PLANNED, inputs=task.inputs)
        return None

    def _prepare(self, index: int) -> ToolCall | None:
        """The call of a step, unless it is settled already."""
        atom_id = self.plan.steps[index].id
        try:
            inputs, is_complete = resolve(self.plan.steps[index].inputs, self._find, keep=self.is_dry)
            key = self._key(index, inputs) if self.calls is not None and is_complete else ""
        except (Unresolved, ValueRefusedError) as error:
            said = _safe(f"its inputs: {error}")
            self._write(RecordKind.FAILED, index, result=said)
            self._settle(index, StepStatus.FAILED, error=said)
            return None
        done = self.calls.find(key) if self.calls is not None and key else None
        if done is None or not self._is_fresh(index, done):
            return ToolCall(index, atom_id, inputs, key)
        self._seqs[index] = done.seq
        self._settle(
            index,
            StepStatus.DONE,
            outputs=done.outputs,
            warnings=check_types(done.outputs, self._checked.signatures[index]),
            started=done.started,
            seconds=done.seconds,
            is_reused=True,
        )
        return None

    def _is_fresh(self, index: int, done: DoneCall) -> bool:
        """Whether a step was done after all that it depends on, and has every output that is needed now."""
        if any(self._seqs[other] > done.seq for other in self._checked.graph[index]):
            return False
        declared = declared_outputs(self._checked.signatures[index])
        return all(name in done.outputs for name in (*declared, *self._asked.get(index, ())))

    def _key(self, index: int, inputs: dict[str, Any]) -> str:
        try:
            return key_of([self._name(index), self.plan.steps[index].id, inputs])
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueRefusedError(f"the ledger cannot hold them: {error}") from None

    def _find(self, step: str, output: str) -> Any:
        """An output of a step that is done."""
        index = self._checked.outline.index_of.get(step)
        result = None if index is None else self._results[index]
        if result is None or result.status is not StepStatus.DONE or output not in result.outputs:
            raise Unresolved(f"step '{name_of(step)}' did not produce '{name_of(output)}'")
        return result.outputs[output]

    def at_work(self, task: ToolCall) -> AbstractContextManager[None]:
        """Within this block, the span of a call is the current one."""
        return self.telemetry.at_work(visible_name(self._name(task.index)))

    # ---------------------------------------------------------------- after a call

    def settle(self, task: ToolCall, fields: dict[str, Any]) -> None:
        """Continue from what was written down."""
        self._settle(task.index, **fields)

    def record(self, task: ToolCall, ended: CallOutcome) -> dict[str, Any]:
        """Only write down the result of a call; returns the fields of its result."""
        times: dict[str, Any] = {"started": ended.started, "seconds": ended.seconds}
        try:
            if ended.error is not None:
                raise ValueRefusedError(message_of(ended.error))
            signature = self._checked.signatures[task.index]
            outputs = take_outputs(ended.value, signature)
            if self.calls is not None:
                outputs = as_kept(outputs)
            made: dict[str, Any] = {
                "status": StepStatus.DONE,
                "outputs": outputs,
                "warnings": check_types(outputs, signature),
            }
            seq = self._write(RecordKind.DONE, task.index, task.key, outputs, names=list(outputs), **times)
        except ValueRefusedError as error:
            made = {"status": StepStatus.FAILED, "error": _safe(str(error))}
            seq = self._write(RecordKind.FAILED, task.index, task.key, result=made["error"], **times)
        self._seqs[task.index] = seq
        return {**made, **times}

    def _write(
        self, kind: RecordKind, index: int, key: str = "", outputs: Mapping[str, Any] | None = None, **data: Any
    ) -> int:
        """Keep a record of a step; gives its number."""
        # A name may have what no database takes.
        name = visible_name(self._name(index))
        data["description"] = self.plan.steps[index].id
        record = Record(kind, name, key, data=data, outputs=outputs or {})
        seq = 0 if self.calls is None else self.calls.write(record)
        self.telemetry.take(record, "tool")
        return seq

    def _settle(self, index: int, status: StepStatus, **fields: Any) -> None:
        self._note(index, status, **fields)
        if status in (StepStatus.DONE, StepStatus.PLANNED):
            for other in self._dependants[index]:
                self._waits[other] -= 1
                if not self._waits[other]:
                    heapq.heappush(self._ready, other)
            return
        name = self._name(index)
        stack = self._dependants[index][::-1]
        while stack:
            other = stack.pop()
            if self._results[other] is None:
                error = f"it depends on step '{name_of(name)}', which has failed"
                self._write(RecordKind.SKIPPED, other, reason=error)
                self._note(other, StepStatus.SKIPPED, error=error, because=name)
                stack += self._dependants[other][::-1]

    def _note(self, index: int, status: StepStatus, **fields: Any) -> None:
        name, atom_id = self._name(index), self.plan.steps[index].id
        result = StepResult(name, atom_id, status, self._waves[index], **fields)
        self._results[index] = result
        self._tell(RunEvent(RunEventKind.ENDED, name, atom_id, result))

    def _name(self, index: int) -> str:
        return self._checked.outline.steps[index].name

    def close(self) -> ToolRun:
        """What has come of all steps, once there is nothing left to call."""
        outputs: dict[str, Any] = {}
        missing = []
        for name, value in (self.plan.outputs or {}).items():
            try:
                outputs[name] = resolve(value, self._find)[0]
            except (Unresolved, ValueRefusedError):
                missing.append(name)
        done = ToolRun(tuple(one for one in self._results if one is not None), outputs, tuple(missing))
        if self.calls is not None:
            self.calls.end(done)
        return done


def _safe(text: str) -> str:
    return one_line(shorten(text))
