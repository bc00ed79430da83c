"""Plain values in which nothing is wrong → models, and back. What a value says besides is kept."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeVar

import attrs

from planspec_lark.syntax.fields import default_of
from planspec_lark.toolplan.models import AtomInput, AtomOutput

__all__ = ["structure", "unstructure"]

Model = TypeVar("Model")

# The models of the items of a list, by the field that holds it.
_ITEMS = {"inputs": AtomInput, "outputs": AtomOutput}


@cache
def _defaults(model: Any) -> dict[str, Any]:
    """The fields that are keys of a value, each with what it holds by default."""
    return {one.name: default_of(model, one.name) for one in attrs.fields(model) if one.name != "extra"}


def structure(value: dict[str, Any], model: type[Model]) -> Model:
    """The model of a value, in which lists are tuples. Values of inputs, as deep as they like, stay as they are."""
    kind: Any = model
    known = _defaults(kind)
    fields = {name: _to_field(name, one) for name, one in value.items() if name in known}
    made: Model = kind(**fields, extra={name: one for name, one in value.items() if name not in known})
    return made


def _to_field(name: str, said: Any) -> Any:
    if isinstance(said, list):
        return tuple(structure(one, _ITEMS[name]) if name in _ITEMS else one for one in said)
    return said.copy() if isinstance(said, dict) else said


def unstructure(model: Any) -> dict[str, Any]:
    """The value of a model; what it holds by default is left out."""
    kind: Any = type(model)
    held = {name: (getattr(model, name), default) for name, default in _defaults(kind).items()}
    # A step has inputs, even if there are none.
    said = {name: _to_value(one) for name, (one, default) in held.items() if one != default or isinstance(one, dict)}
    return {**said, **model.extra}


def _to_value(held: Any) -> Any:
    if isinstance(held, tuple):
        return [unstructure(one) if attrs.has(type(one)) else one for one in held]
    return held.copy() if isinstance(held, dict) else held
