"""Calls of an operator, and what came of them, as JSON: what crosses from one process to another by a database.

Of plan, history and values only what names them crosses: who needs them reads them from the ledger.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any, cast

from attrs import fields

from planspec_lark.awaitables import OverdueError
from planspec_lark.engine.inputs import Inputs, Values
from planspec_lark.engine.models import (
    Effort,
    HopStatus,
    OperatorResult,
    StepCall,
    StepPolicy,
    TransientError,
    UnavailableError,
)
from planspec_lark.engine.operator_values import take_result
from planspec_lark.engine.resume import replay
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.engine.step_runner import PlanState, find_output_fault, with_reason
from planspec_lark.planspec.models import STEP_FIELDS, PlanSpec, PlanStep, plain
from planspec_lark.runs.history import History
from planspec_lark.runs.ledger import Ledger, LedgerError, RecordKind
from planspec_lark.syntax.safe_text import visible

__all__ = ["CallReader", "RemoteError", "read_outcome", "write_call", "write_error", "write_value"]

_encode = json.JSONEncoder(allow_nan=False).encode

# What is raised as it was, by the name that it has here.
_RAISED: Mapping[str, type[TransientError]] = {"transient": TransientError, "unavailable": UnavailableError}


class RemoteError(Exception):
    """What an operator has raised in another process; a class derived from this has the name of that error's."""


@contextmanager
def _reading(what: str) -> Iterator[None]:
    """Turns what is wrong with a text of the database into LedgerError."""
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise LedgerError(f"{what} in the table of work is invalid: {visible(str(error))}") from None


# ---------------------------------------------------------------- calls


def write_call(call: StepCall) -> str:
    """A call that the engine makes, as JSON; two that ask for the same give the same text."""
    inputs = call.inputs
    return _encode(
        {
            "step": _write_step(call.step),
            "branches": [_write_step(branch) for branch in call.branches],
            "goal": call.goal,
            "constraints": call.constraints,
            # Where none are declared there may be many, and most operators do not look at them.
            "places": inputs.places() if call.step.inputs and isinstance(inputs, Inputs) else None,
            "missing": call.missing,
            "attempt": call.attempt,
            "key": call.key,
            "loop": call.loop,
        }
    )


def _write_step(step: PlanStep) -> dict[str, Any]:
    return {name: plain(getattr(step, name)) for name in STEP_FIELDS}


class CallReader:
    """Makes calls of their texts, for an operator in this process.

    Args:
        ledger, run: where what they name is read.

    Attributes:
        fault: what was wrong with the ledger when a value was read, whatever the operator has made of it.
    """

    def __init__(self, ledger: Ledger, run: str) -> None:
        self._ledger, self._run = ledger, run
        self.fault: LedgerError | None = None

    def read(self, text: str) -> StepCall:
        """The call that a text says.

        Raises:
            LedgerError: it is none.
        """
        with _reading("a call"):
            said = json.loads(text)
            step, places = PlanStep(**said["step"]), said["places"]
            past = _Past(self._ledger, self._run, step, self._note)
            return StepCall(
                step,
                said["goal"],
                tuple(said["constraints"]),
                past.inputs(places),
                tuple(said["missing"]),
                History(self._ledger, self._run),
                tuple(PlanStep(**branch) for branch in said["branches"]),
                said["attempt"],
                said["key"],
                PlanState(past.plan, step.step_id),
                said["loop"],
            )

    def _note(self, fault: LedgerError) -> None:
        self.fault = fault


class _Past:
    """What an operator may ask of its run: it is read when it is asked for."""

    def __init__(self, ledger: Ledger, run: str, step: PlanStep, note: Callable[[LedgerError], None]) -> None:
        self._ledger, self._run, self._step, self._note = ledger, run, step, note

    def plan(self) -> PlanSpec:
        """The plan as it is."""
        return replay(self._ledger, self._run).plan

    def inputs(self, places: Mapping[str, int] | None) -> Inputs:
        """The declared inputs, from these records or else given to the run; None for all that the step can see."""
        if places is None:
            return Inputs(self._value, self._find_all, _Given(self._ledger, self._run, None))
        names = [name for name in self._step.inputs if name not in places]
        return Inputs(self._value, lambda: places, _Given(self._ledger, self._run, names))

    def _value(self, seq: int, name: str) -> Any:
        try:
            return self._ledger.value(self._run, seq, name)
        except LedgerError as error:
            self._note(error)
            raise

    def _find_all(self) -> Mapping[str, int]:
        past = replay(self._ledger, self._run)
        reader = RunWriter(past.plan, past.state, self._ledger, self._run, None)
        step = reader.find(self._step.step_id)
        return {} if step is None else Values(reader, {}).needs(step).inputs.places()


class _Given(Mapping[str, str]):
    """What a run was given, as JSON: values of these names, or all. They are read when they are asked for."""

    def __init__(self, ledger: Ledger, run: str, names: Collection[str] | None) -> None:
        self._ledger, self._run, self._names = ledger, run, names

    @cached_property
    def _values(self) -> Mapping[str, Any]:
        if self._names is not None and not self._names:
            return {}
        info = self._ledger.find_run(self._run)
        given = {} if info is None else {**info.inputs}
        for record in self._ledger.records(self._run, kinds=[RecordKind.BEGUN, RecordKind.RESUMED]):
            given |= record.data.get("inputs", {})
        return {name: value for name, value in given.items() if self._names is None or name in self._names}

    def __getitem__(self, name: str) -> str:
        return json.dumps(self._values[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


# ---------------------------------------------------------------- outcomes


def write_value(value: object, step: PlanStep, most: int) -> str:
    """What an operator has returned for a step, as JSON; outputs of more than ``most`` bytes have failed."""
    result = take_result(value, step)
    fault = find_output_fault(result.outputs, most)
    if fault:
        again = None if result.status is HopStatus.OK else result.retry_after
        said = with_reason(fault, result.result)
        result = OperatorResult(HopStatus.FAIL, said, effort=result.effort, retry_after=again)
    parts = {one.name: getattr(result, one.name) for one in fields(OperatorResult)}
    more = {"status": result.status.value, "outputs": dict(result.outputs), "effort": result.effort.to_data()}
    return _encode({"result": parts | more})


def write_error(error: Exception, policy: StepPolicy) -> str:
    """What an operator has raised, as JSON: as it counts by the policy of its call."""
    if isinstance(error, OverdueError):
        return _encode({"error": "overdue", "seconds": error.seconds, "has_ended": error.has_ended})
    name = type(error).__name__
    if isinstance(error, TransientError):
        kind = "unavailable" if isinstance(error, UnavailableError) else "transient"
        return _encode({"error": kind, "text": str(error) or name, "retry_after": error.retry_after})
    if isinstance(error, policy.retry_on):
        return _encode({"error": "transient", "text": f"{name}: {error}", "retry_after": 0})
    return _encode({"error": "other", "name": name, "text": str(error)})


def read_outcome(text: str) -> OperatorResult | Exception:
    """What an operator has returned, or raised.

    Raises:
        LedgerError: the text says neither.
    """
    with _reading("an outcome"):
        said = json.loads(text)
        if "result" in said:
            return OperatorResult(**{**said["result"], "effort": Effort.from_data(said["result"]["effort"])})
        if said["error"] == "overdue":
            return OverdueError(said["seconds"], has_ended=said["has_ended"])
        if said["error"] == "other":
            return cast("Exception", type(said["name"], (RemoteError,), {})(said["text"]))
        return _RAISED[said["error"]](said["text"], retry_after=said["retry_after"])
