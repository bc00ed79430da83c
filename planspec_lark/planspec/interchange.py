"""Plans as JSON values: plain dicts and lists, in and out through cattrs, and their JSON Schema.

``expanded`` is left out: it is the state of a view. No recursion on the depth of a plan.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NoReturn

import attrs
from cattrs import ClassValidationError, Converter, transform_error
from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

from planspec_lark.planspec.jsonpaths import Place, write_path
from planspec_lark.planspec.models import PLAN_FIELDS, STEP_FIELDS, PlanSpec, PlanStatus, PlanStep
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.source import escape_json, visible_name

__all__ = ["PlanValueError", "plan_from_dict", "plan_from_json", "plan_json_schema", "plan_to_dict", "plan_to_json"]


class PlanValueError(ValueError):
    """A value that is no plan. ``problems`` holds a message for each fault, with the path to it."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


def _exactly(kind: type) -> Callable[[Any, Any], Any]:
    def structure(value: Any, _: Any) -> Any:
        # To JSON, 1.0 is the whole number 1.
        if kind is int and isinstance(value, float) and value.is_integer():
            return int(value)
        if type(value) is not kind:
            raise TypeError(f"expected {_WORDS[kind]}, not {_WORDS.get(type(value), type(value).__name__)}")
        return value

    return structure


_STATUSES = tuple(status.value for status in PlanStatus)
_WORDS = {
    str: "a string",
    int: "a whole number",
    float: "a number",
    bool: "a boolean",
    list: "a list",
    dict: "an object",
    type(None): "null",
}


@cache
def _converter() -> Converter:
    converter = Converter(detailed_validation=True, forbid_extra_keys=True)
    converter.register_structure_hook(str, _exactly(str))
    converter.register_structure_hook(int, _exactly(int))
    converter.register_structure_hook_func(lambda kind: kind == list[str], _strings)
    converter.register_structure_hook_func(
        lambda kind: kind == (int | None), lambda value, _: None if value is None else _exactly(int)(value, int)
    )
    converter.register_structure_hook(PlanStatus, _status)
    converter.register_unstructure_hook(PlanStatus, lambda status: status.value)
    for model, own in ((PlanSpec, PLAN_FIELDS), (PlanStep, STEP_FIELDS)):
        # The lists of steps are walked by hand, so that no depth is too deep.
        left_out: Any = {one.name: override(omit=True) for one in attrs.fields(model) if one.name not in own}
        structure = make_dict_structure_fn(model, converter, _cattrs_forbid_extra_keys=True, **left_out)
        converter.register_structure_hook(model, structure)
        converter.register_unstructure_hook(model, make_dict_unstructure_fn(model, converter, **left_out))
    return converter


def _strings(value: Any, _: Any) -> list[str]:
    if not isinstance(value, list):
        raise TypeError(f"expected a list, not {_WORDS.get(type(value), type(value).__name__)}")
    for index, item in enumerate(value):
        if not isinstance(item, str):
            raise TypeError(f"expected a string at [{index}], not {_WORDS.get(type(item), type(item).__name__)}")
    return list(value)


def _status(value: Any, _: Any) -> PlanStatus:
    if not isinstance(value, str) or value not in _STATUSES:
        # What is nested may be nested too deeply to be shown.
        said = shorten(repr(value)) if isinstance(value, str | None) else _WORDS.get(type(value), type(value).__name__)
        raise ValueError(f"expected one of {', '.join(_STATUSES)}, not {said}")
    return PlanStatus(value)


def plan_to_dict(plan: PlanSpec) -> dict[str, Any]:
    """A plan as a JSON value with all its fields."""
    converter = _converter()
    root: dict[str, Any] = converter.unstructure(plan)
    todo = [(root, "steps", plan.steps)]
    while todo:
        owner, key, steps = todo.pop()
        owner[key] = rows = [converter.unstructure(step) for step in steps]
        todo.extend((row, "children", step.children) for row, step in zip(rows, steps, strict=True))
    return root


def plan_from_dict(value: object) -> PlanSpec:
    """The plan that a JSON value describes, as :func:`plan_to_dict` gives it; fields may be left out but for step_id.

    Raises:
        PlanValueError: unknown keys, values of a wrong type or that no plan can hold; all of them, each with its path.
    """
    problems: list[str] = []
    plan, steps = _structure(value, PlanSpec, "steps", None, problems)
    todo: list[tuple[Any, str, object, Place | None]] = [(plan, "steps", steps, None)]
    while todo:
        owner, key, values, place = todo.pop()
        if not isinstance(values, list):
            what = _WORDS.get(type(values), type(values).__name__)
            problems.append(f"expected a list, not {what} @ {write_path(place)}.{key}")
            continue
        children = []
        for index, item in enumerate(values):
            here = Place.below(place, index)
            step, below = _structure(item, PlanStep, "children", here, problems)
            children.append(step)
            todo.append((step, "children", below, here))
        if owner is not None and None not in children:
            setattr(owner, key, children)
    if problems:
        raise PlanValueError(problems)
    assert isinstance(plan, PlanSpec)
    return plan


def _structure(value: object, model: type, child: str, place: Place | None, problems: list[str]) -> tuple[Any, object]:
    """The model without its steps, and the value of its steps."""
    if not isinstance(value, dict):
        problems.append(
            f"expected an object, not {_WORDS.get(type(value), type(value).__name__)} @ {write_path(place)}"
        )
        return None, []
    own = {key: item for key, item in value.items() if key != child}
    try:
        return _converter().structure(own, model), value.get(child, [])
    except ClassValidationError as error:
        # What the models' validators say is among it, but only their first word.
        fields = tuple(f"{attribute.name}: " for attribute in attrs.fields(model))
        path = write_path(place)
        problems += [said for said in transform_error(error, path, _explain) if not said.startswith(fields)]
        problems += _refusals(own, model, path)
    except ValueError:
        problems += _refusals(own, model, write_path(place))
    return None, value.get(child, [])


def _refusals(own: dict[str, Any], model: Any, path: str) -> list[str]:
    """What the model's validators say, field by field; its own construction stops at the first."""
    problems = []
    for attribute in attrs.fields(model):
        try:
            if attribute.name in own and attribute.validator is not None:
                attribute.validator(None, attribute, own[attribute.name])
        except TypeError:
            continue  # cattrs has said so
        except ValueError as error:
            problems.append(f"{str(error).removeprefix(attribute.name + ': ')} @ {path}.{attribute.name}")
    return problems


def _explain(error: BaseException, _type: Any) -> str:
    if isinstance(error, KeyError):
        return "required field missing"
    extra = getattr(error, "extra_fields", None)
    if extra:
        return f"unknown keys: {visible_name(', '.join(sorted(map(str, extra))))}"
    return str(error)


def plan_to_json(plan: PlanSpec, *, indent: int | None = 2) -> str:
    """A plan as JSON text, however deep it is. Characters that could steer a terminal are written as JSON's escapes."""
    return escape_json("".join(_encode(plan_to_dict(plan), indent)))


def _encode(root: dict[str, Any], indent: int | None) -> Iterator[str]:
    """Encode objects whose last key holds a list of such objects; the encoder of the library recurses."""
    comma = ", " if indent is None else ","
    todo: list[tuple[str | dict[str, Any], int]] = [(root, 0)]
    while todo:
        item, depth = todo.pop()
        if isinstance(item, str):
            yield item
            continue
        lead = "" if indent is None else "\n" + " " * (indent * (depth + 1))
        back = "" if indent is None else "\n" + " " * (indent * depth)
        *own, (key, children) = item.items()
        yield "{" + "".join(f"{lead}{_dump(k)}: {_dump(v)}{comma}" for k, v in own) + f"{lead}{_dump(key)}: ["
        if not children:
            yield f"]{back}}}"
            continue
        deeper = "" if indent is None else "\n" + " " * (indent * (depth + 2))
        todo.append((f"{lead}]{back}}}", depth))
        for at, child in enumerate(reversed(children)):
            todo.append((child, depth + 2))
            todo.append((deeper if at == len(children) - 1 else comma + deeper, depth))


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def plan_from_json(text: str) -> PlanSpec:
    """The plan that a JSON text describes.

    Raises:
        PlanValueError: no JSON, or no plan; also JSON with a key twice in one object, or with what Python's decoder
            cannot take: numbers of thousands of digits, and very deep nesting.
    """
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except PlanValueError:
        raise
    except json.JSONDecodeError as error:
        raise PlanValueError([f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}"]) from None
    except RecursionError:
        raise PlanValueError(["nested too deeply to decode"]) from None
    except ValueError:
        raise PlanValueError(["a number has too many digits to decode"]) from None
    return plan_from_dict(value)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, unless one of its values would be lost."""
    made = dict(pairs)
    if len(made) != len(pairs):
        key = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise PlanValueError([f"the key {shorten(repr(key))} comes twice in one object"])
    return made


def _refuse_constant(word: str) -> NoReturn:
    raise PlanValueError([f"not JSON: {word} is no number"])


def plan_json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of what :func:`plan_to_dict` gives and :func:`plan_from_dict` takes."""
    steps = {"type": "array", "items": {"$ref": "#/$defs/step"}}
    step = {**_own_schema(PlanStep, STEP_FIELDS), "children": steps}
    plan = {**_own_schema(PlanSpec, PLAN_FIELDS), "steps": steps}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "PlanSpec",
        "description": "A plan, as plan_to_dict gives it.",
        "type": "object",
        "properties": plan,
        "additionalProperties": False,
        "$defs": {
            "step": {"type": "object", "properties": step, "required": ["step_id"], "additionalProperties": False}
        },
    }


def _own_schema(model: Any, names: Iterable[str]) -> dict[str, Any]:
    """What each of a model's own fields may hold, as its validator has it."""
    return {name: getattr(attrs.fields(model), name).validator.schema() for name in names}
