"""Plain values in which nothing is wrong → models, and back, through cattrs. What a value says besides is kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import attrs
from cattrs import Converter
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from planspec_lark.toolplan.models import Atom, AtomInput, AtomOutput, ToolStep

__all__ = ["structure", "unstructure"]

Model = TypeVar("Model")

# A step has inputs, even if there are none.
_ALWAYS = {ToolStep: ("inputs",)}


def structure(value: dict[str, Any], model: type[Model]) -> Model:
    """The model of a value."""
    made: Model = _converter().structure(value, model)
    return made


def unstructure(model: object) -> dict[str, Any]:
    """The value of a model; what it holds by default is left out."""
    value: dict[str, Any] = _converter().unstructure(model)
    return value


@cache
def _converter() -> Converter:
    # Not every version of cattrs makes lists of tuples by itself.
    converter = Converter(unstruct_collection_overrides={tuple: list})
    converter.register_structure_hook_func(
        lambda kind: kind == str | tuple[str, ...], lambda value, _: value if isinstance(value, str) else tuple(value)
    )
    # Values of inputs are as deep as they like, and their keys stay what they are.
    converter.register_unstructure_hook_func(lambda kind: kind == dict[str, Any], dict)
    converter.register_structure_hook_func(lambda kind: kind == dict[str, Any], lambda value, _: dict(value))
    for model in (AtomInput, AtomOutput, Atom, ToolStep):
        converter.register_structure_hook(model, _in(model, converter))
        converter.register_unstructure_hook(model, _out(model, converter))
    return converter


def _in(model: Any, converter: Converter) -> Callable[[dict[str, Any], Any], Any]:
    left_out: Any = {"extra": override(omit=True)}
    base = make_dict_structure_fn(model, converter, **left_out)
    known = {attribute.name for attribute in attrs.fields(model)} - {"extra"}

    def build(value: dict[str, Any], _: Any) -> Any:
        made = base(value, model)
        made.extra.update((key, one) for key, one in value.items() if key not in known)
        return made

    return build


def _out(model: Any, converter: Converter) -> Callable[[Any], dict[str, Any]]:
    options: Any = {name: override(omit_if_default=False) for name in _ALWAYS.get(model, ())}
    options["extra"] = override(omit=True)
    base = make_dict_unstructure_fn(model, converter, _cattrs_omit_if_default=True, **options)
    return lambda made: {**base(made), **made.extra}
