"""A plan as a field of pydantic: text comes in, and text goes out as JSON. pydantic itself is not imported here.

What comes in is read as an answer of a model. What keeps it from being accepted is the validation error, so that
whoever shows that to the model (instructor, OpenAI's structured outputs, FastAPI) asks for the right thing.
"""

from __future__ import annotations

from typing import Any

from planspec_lark.frameworks.answers import describe_format, read
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.printer import serialize_plan

__all__ = ["core_schema", "json_schema"]


def _read(value: object) -> PlanSpec:
    if isinstance(value, PlanSpec):
        return value
    if not isinstance(value, str):
        raise ValueError(f"a plan is a text in the format PlanSpec, not {type(value).__name__}")
    found = read(value)
    if found.plan is None:
        raise ValueError(f"this is no plan that is accepted:\n{found.findings}")
    return found.plan


def core_schema() -> dict[str, Any]:
    """What pydantic asks a type for, as the dictionary that it takes."""
    written = {
        "type": "function-plain",
        "function": serialize_plan,
        "return_schema": {"type": "str"},
        # In Python, a plan stays a plan.
        "when_used": "json",
    }
    return {
        "type": "function-plain",
        "function": {"type": "no-info", "function": _read},
        "json_schema_input_schema": {"type": "str"},
        "serialization": written,
    }


def json_schema() -> dict[str, Any]:
    """A string, with the description of the format."""
    return {"type": "string", "title": "PlanSpec", "description": describe_format()}
