"""What an operator returns, as a result: it may be any value. A step that was done never ends a run by its value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import asdict, fields, has

from planspec_lark.engine.models import HopStatus, OperatorResult
from planspec_lark.planspec.models import PlanStep
from planspec_lark.syntax.diagnostics import brief

__all__ = ["take_result"]

_PARTS = {one.name for one in fields(OperatorResult)} - {"effort", "answer"}


def take_result(value: object, step: PlanStep) -> OperatorResult:
    """The result that a value means: what it is for, see :data:`~planspec_lark.engine.models.Operator`."""
    if isinstance(value, OperatorResult):
        return value
    try:
        return _read(_to_plain(value), step)
    except Exception as error:
        said = f"what the operator has returned cannot be used: {type(error).__name__}: {brief(str(error))}"
        return OperatorResult(HopStatus.FAIL, said)


def _to_plain(value: object) -> object:
    """The fields of a model of pydantic or attrs; any other value as it is."""
    if callable(dump := getattr(value, "model_dump", None)):
        return dump(mode="json")
    return asdict(value) if has(type(value)) else value  # type: ignore[arg-type]  # it is an instance of such a class


def _read(value: object, step: PlanStep) -> OperatorResult:
    names = [*dict.fromkeys(step.outputs)]
    if isinstance(value, Mapping):
        is_result = "status" in value and _PARTS.issuperset(value) and _PARTS.isdisjoint(names)
        return OperatorResult(**value) if is_result else OperatorResult(outputs=value)
    text = value if isinstance(value, str) else ""
    if step.step_type == "decide":
        return OperatorResult(result=text, branch=text)
    outputs: dict[str, Any] = {names[0]: value} if len(names) == 1 and value is not None else {}
    if not outputs and value is not None and not isinstance(value, str):
        raise TypeError(f"it is of type {type(value).__name__}, and the step has not one output that it could be")
    return OperatorResult(result=text, outputs=outputs)
