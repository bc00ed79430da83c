"""attrs models → JSON values, and back where nothing is wrong with a value.

A model's ``extra`` is what its value says besides. What it is not asked about when models are compared is no part of
its value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any, Final, TypeVar

import attrs

__all__ = ["ALWAYS_WRITTEN", "from_value", "said_fields", "to_value"]

Model = TypeVar("Model")

# Marks a field that is written even where it holds its default.
ALWAYS_WRITTEN: Final = {"always": True}


def said_fields(model: Any) -> Iterator[attrs.Attribute[Any]]:
    """The fields of a model that are keys of its values."""
    return (one for one in attrs.fields(model) if one.eq and one.name != "extra")


def to_value(model: object) -> Any:
    """A model as a JSON value, without what it holds by default; any other value as it is."""
    if isinstance(model, Enum):
        return model.value
    if isinstance(model, list | tuple):
        return [to_value(item) for item in model]
    if not attrs.has(type(model)):
        return model
    given = ((one, getattr(model, one.name)) for one in said_fields(type(model)))
    value = {one.name: to_value(item) for one, item in given if one.metadata or item != _default_of(one.default, model)}
    return {**value, **getattr(model, "extra", {})}


def from_value(value: dict[str, Any], model: Callable[..., Model], **made: Any) -> Model:
    """The model of a value; ``made`` are fields that are models themselves."""
    names = {one.name for one in said_fields(model)}
    said = {name: item for name, item in value.items() if name in names}
    return model(**{**said, **made}, extra={name: item for name, item in value.items() if name not in names})


def _default_of(default: Any, model: object) -> Any:
    """The value of a field that was not set."""
    if not hasattr(default, "factory"):
        return default
    return default.factory(model) if default.takes_self else default.factory()
