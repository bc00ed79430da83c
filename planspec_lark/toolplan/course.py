"""The course of a run: which step is next, what goes into it, and what follows from its end. Calls nothing itself."""

from __future__ import annotations

import heapq
import json
from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field, frozen

from planspec_lark.collector import paused
from planspec_lark.diagnostics import shorten
from planspec_lark.findings import locate
from planspec_lark.source import Source, visible
from planspec_lark.toolplan.interchange import ToolPlanError, tool_plan_to_dict
from planspec_lark.toolplan.journal import Journal, key_of
from planspec_lark.toolplan.models import Registry, ToolPlan
from planspec_lark.toolplan.registry import Signature, Slot
from planspec_lark.toolplan.resolving import Unresolved, ValueRefusedError, copy_value, resolve
from planspec_lark.toolplan.runs import RunEvent, RunEventKind, StepResult, StepStatus, ToolRun
from planspec_lark.toolplan.structure import name_of
from planspec_lark.toolplan.types import accepts, kind_of
from planspec_lark.toolplan.validation import Verdict, judge

__all__ = ["Course", "Ended", "Task"]

_CHARACTERS = 100
# Of a long list of names, a message has so many.
_NAMED = 10
Tell = Callable[[RunEvent], None]


@frozen
class Task:
    """A call to make: of the tool of a step, with these inputs. ``key`` is that of the journal, if there is one."""

    index: int
    atom_id: str
    inputs: dict[str, Any]
    key: str = ""


@frozen
class Ended:
    """How a call has ended: with a value, with an exception, or with one that ends the run as well (``stop``)."""

    value: Any
    error: Exception | None
    started: float
    seconds: float
    stop: BaseException | None = None


@define
class Course:
    """The state of a run.

    Args:
        plan: the plan, without errors.
        registry: the tools.
        tell: told of everything that happens.

    Raises:
        ToolPlanError: there are errors in the plan.
    """

    plan: ToolPlan
    registry: Registry | Mapping[str, Any] | list[Any]
    tell: Tell
    is_dry: bool = False
    journal: Journal | None = None
    _verdict: Verdict = field(init=False)
    _definitions: list[dict[str, Any]] = field(init=False)
    _results: list[StepResult | None] = field(init=False)
    _waits: list[int] = field(init=False)
    _dependants: list[list[int]] = field(init=False)
    _ready: list[int] = field(init=False)
    _waves: list[int] = field(init=False)

    def __attrs_post_init__(self) -> None:
        document = tool_plan_to_dict(self.plan)
        self._verdict = judge(document, self.registry)
        if self._verdict.errors:
            raise ToolPlanError(locate(self._verdict.errors, None), Source(""))
        self._definitions = document["plan"]["steps"]
        graph, ordering = self._verdict.plan.graph, self._verdict.plan.ordering
        with paused(_CHARACTERS * len(graph)):
            self._results = [None] * len(graph)
            self._waits = [len(others) for others in graph]
            self._ready = [node for node, count in enumerate(self._waits) if not count]
            self._dependants = [[] for _ in graph]
            for node, others in enumerate(graph):
                for other in others:
                    self._dependants[other].append(node)
            self._waves = [0] * len(graph)
            for number, wave in enumerate(ordering.waves, 1):
                for node in wave:
                    self._waves[node] = number

    def atom_ids(self) -> list[str]:
        """The tools of the plan, each once."""
        return list(dict.fromkeys(step.id for step in self.plan.steps))

    # ---------------------------------------------------------------- before a call

    def take(self) -> Task | None:
        """The next call that can be made now, if any. Steps that need none are settled on the way."""
        while self._ready:
            index = heapq.heappop(self._ready)
            task = self._prepare(index)
            if task is not None:
                if not self.is_dry:
                    self.tell(RunEvent(RunEventKind.STARTED, self._name(index), task.atom_id))
                    return task
                self._settle(index, StepStatus.PLANNED, inputs=task.inputs)
        return None

    def _prepare(self, index: int) -> Task | None:
        """The call of a step, unless it is settled already."""
        atom_id = self.plan.steps[index].id
        try:
            inputs, is_complete = resolve(self.plan.steps[index].inputs, self._find, keep=self.is_dry)
            key = self._key(index, inputs) if self.journal is not None and is_complete else ""
        except (Unresolved, ValueRefusedError) as error:
            self._settle(index, StepStatus.FAILED, error=_safe(f"its inputs: {error}"))
            return None
        entry = self.journal.find(key) if self.journal is not None and key else None
        if entry is None:
            return Task(index, atom_id, inputs, key)
        self._settle(
            index,
            StepStatus.DONE,
            outputs=entry.outputs,
            warnings=entry.warnings,
            started=entry.started,
            seconds=entry.seconds,
            is_reused=True,
        )
        return None

    def _key(self, index: int, inputs: dict[str, Any]) -> str:
        try:
            return key_of([self._name(index), self._definitions[index]], inputs)
        except (TypeError, ValueError, RecursionError) as error:
            raise ValueRefusedError(f"the journal cannot hold them: {error}") from None

    def _find(self, step: str, output: str) -> Any:
        """An output of a step that is done."""
        index = self._verdict.plan.outline.index_of.get(step)
        result = None if index is None else self._results[index]
        if result is None or result.status is not StepStatus.DONE or output not in result.outputs:
            raise Unresolved(f"step '{name_of(step)}' has put out no '{name_of(output)}'")
        return result.outputs[output]

    # ---------------------------------------------------------------- after a call

    def finish(self, task: Task, ended: Ended) -> None:
        """Take what a call has come to: write it down, and go on from there."""
        self._settle(task.index, **self.record(task, ended))

    def record(self, task: Task, ended: Ended) -> dict[str, Any]:
        """Only write down what a call has come to; returns the fields of its result."""
        times = {"started": ended.started, "seconds": ended.seconds}
        try:
            if ended.error is not None:
                raise ValueRefusedError(_say(ended.error))
            signature = self._verdict.plan.signatures[task.index]
            outputs = _take_outputs(ended.value, signature)
            if self.journal is not None:
                outputs = _as_json(outputs)
            made: dict[str, Any] = {
                "status": StepStatus.DONE,
                "outputs": outputs,
                "warnings": _check_types(outputs, signature),
            }
            self._write(task, {**made, **times})
        except ValueRefusedError as error:
            made = {"status": StepStatus.FAILED, "error": _safe(str(error))}
            self._write(task, {"outputs": {}, "warnings": (), **made, **times})
        return {**made, **times}

    def _write(self, task: Task, fields: dict[str, Any]) -> None:
        if self.journal is None:
            return
        about = {"key": task.key, "step": self._name(task.index), "atom": task.atom_id}
        self.journal.write({**about, **fields, "status": fields["status"].value})

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
                self._note(other, StepStatus.SKIPPED, error=error, because=name)
                stack += self._dependants[other][::-1]

    def _note(self, index: int, status: StepStatus, **fields: Any) -> None:
        name, atom_id = self._name(index), self.plan.steps[index].id
        result = StepResult(name, atom_id, status, self._waves[index], **fields)
        self._results[index] = result
        self.tell(RunEvent(RunEventKind.ENDED, name, atom_id, result))

    def _name(self, index: int) -> str:
        return self._verdict.plan.outline.steps[index].name

    def close(self) -> ToolRun:
        """What has come of all steps, once there is nothing left to call."""
        outputs: dict[str, Any] = {}
        missing = []
        for name, value in (self.plan.outputs or {}).items():
            try:
                outputs[name] = resolve(value, self._find)[0]
            except (Unresolved, ValueRefusedError):
                missing.append(name)
        return ToolRun(tuple(one for one in self._results if one is not None), outputs, tuple(missing))


# ---------------------------------------------------------------- outputs


def _take_outputs(value: Any, signature: Signature | None) -> dict[str, Any]:
    """A copy of what a callable has given, if that is what its tool promises."""
    declared = (signature.outputs if signature is not None else None) or {}
    if value is None and not declared:
        return {}
    if not isinstance(value, Mapping):
        raise ValueRefusedError(f"expected outputs by name, not {type(value).__name__}")
    outputs: dict[str, Any] = copy_value(dict(value))
    strange = [key for key in outputs if not isinstance(key, str)]
    if strange:
        raise ValueRefusedError(f"names of outputs are texts, not {type(strange[0]).__name__}")
    missing = [f"'{name_of(name)}'" for name in declared if name not in outputs]
    if missing:
        more = ", …" if len(missing) > _NAMED else ""
        raise ValueRefusedError(f"missing outputs: {', '.join(missing[:_NAMED])}{more}")
    return outputs


def _as_json(outputs: dict[str, Any]) -> dict[str, Any]:
    """What the journal will say of these outputs, so that the first run goes on with the same as any later one."""
    try:
        made: dict[str, Any] = json.loads(json.dumps(outputs, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueRefusedError(f"the journal cannot hold its outputs: {error}") from None
    return made


def _check_types(outputs: dict[str, Any], signature: Signature | None) -> tuple[str, ...]:
    declared: Mapping[str, Slot] = (signature.outputs if signature is not None else None) or {}
    return tuple(
        f"output '{name_of(name)}' is of type {name_of(slot.types)}, not {kind_of(outputs[name])}"
        for name, slot in declared.items()
        if not accepts(slot.kinds, outputs[name])
    )


def _say(error: Exception) -> str:
    try:
        said = str(error)
    except Exception:
        said = "(its text cannot be had)"
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _safe(text: str) -> str:
    return visible(shorten(text))
