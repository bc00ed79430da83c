"""Plans as JSON values: plain dicts and lists, in and out, and their JSON Schema.

``expanded`` is left out: it is the state of a view. No recursion on the depth of a plan.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple, NoReturn, cast

import attrs

from planspec_lark.json_text.findings import KIND_WORDS
from planspec_lark.planspec.models import (
    BLANKS,
    PLAN_FIELDS,
    STEP_FIELDS,
    PlanSpec,
    PlanStatus,
    PlanStep,
    plain,
    refuse_fields,
)
from planspec_lark.planspec.printer import check_variables
from planspec_lark.planspec.tree import iter_with_parents
from planspec_lark.syntax.diagnostics import PlanSpecError, shorten
from planspec_lark.syntax.fields import default_of, has_forbidden
from planspec_lark.syntax.grammars import grammar_version, readable_versions
from planspec_lark.syntax.safe_text import escape_json, one_line, visible_name

__all__ = ["PlanValueError", "plan_from_dict", "plan_from_json", "plan_json_schema", "plan_to_dict", "plan_to_json"]


class PlanValueError(PlanSpecError, ValueError):
    """A value that is not a plan. ``problems`` holds a message for each fault, with the path to it."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


_STATUSES = tuple(status.value for status in PlanStatus)
_WORDS = {**KIND_WORDS, bool: "a boolean"}


def _name(value: object) -> str:
    """What JSON calls a value."""
    return _WORDS.get(type(value), type(value).__name__)


# ---------------------------------------------------------------- out

# The key of the grammar's version.
_VERSION = "grammar"


def plan_to_dict(plan: PlanSpec) -> dict[str, Any]:
    """A plan as a JSON value with all its fields, and the grammar's version as ``grammar``.

    Raises:
        ValueError, TypeError: a list was changed to contain an invalid value.
    """
    value: dict[str, Any] = {_VERSION: grammar_version("planspec")}
    names: list[str] = []
    lines: list[str] = []
    try:
        value |= _own_values(plan, PLAN_FIELDS)
        below: dict[int, list[Any]] = {id(None): value.setdefault("steps", [])}
        for step, parent in iter_with_parents(plan):
            row = _own_values(step, STEP_FIELDS)
            names += step.inputs
            names += step.outputs
            lines += step.detail
            below[id(step)] = row["children"] = []
            below[id(parent)].append(row)
        _check_lists(plan, names, lines)
    except (AttributeError, TypeError):
        # As in serialize_plan.
        refuse_fields(plan)
        raise
    return value


def _own_values(model: PlanSpec | PlanStep, names: Iterable[str]) -> dict[str, Any]:
    return {name: plain(getattr(model, name)) for name in names}


def _check_lists(plan: PlanSpec, names: list[str], lines: list[str]) -> None:
    """Refuse what the printer refuses: names of variables and lines of detail that were put into lists in place."""
    check_variables(names, plan)
    rows = [*plan.goal_detail, *plan.constraints, *lines, ""]
    text = "\n".join(rows)
    is_sound = all(one and one.strip(BLANKS) == one for one in plan.constraints)
    if not is_sound or text.count("\n") >= len(rows) or has_forbidden(text):
        refuse_fields(plan)


def plan_to_json(plan: PlanSpec, *, indent: int | None = 2) -> str:
    """A plan as JSON text, however deep it is, with escapes for characters that could control a terminal.

    Raises:
        ValueError, TypeError: as for :func:`plan_to_dict`.
    """
    return escape_json("".join(_encode(plan_to_dict(plan), indent)))


def _encode(value: dict[str, Any], indent: int | None) -> Iterator[str]:
    """Encode each step by itself; the encoder of the library recurses."""

    def lead(depth: int) -> str:
        return "" if indent is None else "\n" + " " * (indent * depth)

    comma = ", " if indent is None else ","
    # What is still to be written, the next one last: texts, and objects with their depths.
    todo: list[str | tuple[dict[str, Any], int]] = [(value, 0)]
    while todo:
        one = todo.pop()
        if isinstance(one, str):
            yield one
            continue
        (item, depth), inner = one, lead(one[1] + 1)
        # The last field is the one with what is below.
        key, below = item.popitem()
        own = (f"{inner}{_dump(name)}: {_dump(said)}{comma}" for name, said in item.items())
        yield f"{{{''.join(own)}{inner}{_dump(key)}: ["
        todo.append(f"{inner if below else ''}]{lead(depth)}}}")
        for child in reversed(below):
            todo += [(child, depth + 2), f"{'' if child is below[0] else comma}{lead(depth + 2)}"]


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


# ---------------------------------------------------------------- in

# So many levels of a path are written out at either end: a value may be as deep as it is long, and whole paths would
# grow with the square of that.
_LEVELS = 25


class _Path(NamedTuple):
    """The path to a step in a JSON value, such as ``$.steps[0].children[2]``: its first levels and its last ones."""

    head: str = "$"
    depth: int = 0
    tail: tuple[str, ...] = ()

    def to(self, key: str, number: int) -> _Path:
        level = f".{key}[{number}]"
        if self.depth < _LEVELS:
            return _Path(self.head + level, self.depth + 1)
        return _Path(self.head, self.depth + 1, (*self.tail[1 - _LEVELS :], level))

    def __str__(self) -> str:
        return f"{self.head}{'…' if self.depth > 2 * _LEVELS else ''}{''.join(self.tail)}"


def plan_from_dict(value: object) -> PlanSpec:
    """The plan that a JSON value describes; every field but ``step_id`` may be left out.

    Raises:
        PlanValueError: unknown keys, values of a wrong type or that no plan can hold; all of them, each with its path.
    """
    problems: list[str] = []
    if isinstance(value, dict) and _VERSION in value:
        value = value.copy()
        problems += _check_version(value.pop(_VERSION))
    plan, steps = _structure(value, PlanSpec, PLAN_FIELDS, "steps", _Path(), problems)
    todo: list[tuple[Any, str, object, _Path]] = [(plan, "steps", steps, _Path())]
    while todo:
        owner, key, values, path = todo.pop()
        if not isinstance(values, list):
            problems.append(f"expected a list, not {_name(values)} @ {path}.{key}")
            continue
        children = []
        for index, item in enumerate(values):
            here = path.to(key, index)
            step, below = _structure(item, PlanStep, STEP_FIELDS, "children", here, problems)
            children.append(step)
            todo.append((step, "children", below, here))
        if owner is not None and None not in children:
            setattr(owner, key, children)
    if problems:
        raise PlanValueError(problems)
    return cast("PlanSpec", plan)


def _check_version(written: object) -> Iterator[str]:
    """A plan of a later language may say what this one has no words for."""
    ours = grammar_version("planspec")
    if not isinstance(written, str):
        yield f"expected a string, not {_name(written)} @ $.{_VERSION}"
    elif not written.startswith(readable_versions("planspec")):
        yield f"the plan is of grammar {one_line(shorten(written))}, and this reads {ours} @ $.{_VERSION}"


def _structure(  # noqa: PLR0913, PLR0917  (two kinds of objects, each called in one place)
    value: object, model: type[Any], names: Iterable[str], child: str, path: _Path, problems: list[str]
) -> tuple[Any, object]:
    """The model without its steps, None where it has faults; and the value of its steps."""
    if not isinstance(value, dict):
        problems.append(f"expected an object, not {_name(value)} @ {path}")
        return None, []
    found, own, fields = [], {}, attrs.fields(model)
    if unknown := sorted(str(key) for key in value.keys() - {*names, child}):
        found.append(f"unknown keys: {visible_name(', '.join(unknown))} @ {path}")
    for name in names:
        attribute = getattr(fields, name)
        if name in value:
            said = value[name]
            # To JSON, 1.0 is 1.
            said = int(said) if isinstance(said, float) and said.is_integer() else said
            own[name] = [*said] if isinstance(said, list) else said
            fault = _find_fault(attribute, default_of(model, name), own[name])
        else:
            fault = "required field missing" if attribute.default is attrs.NOTHING else ""
        found += [f"{fault} @ {path}.{name}"] if fault else []
    problems += found
    return None if found else model(**own), value.get(child, [])


def _find_fault(attribute: attrs.Attribute[Any], default: object, value: Any) -> str:
    """Why a field cannot hold a value, of which there is one by default; empty where it can."""
    if isinstance(default, PlanStatus):
        # What is nested may be nested too deeply to be shown.
        said = shorten(repr(value)) if isinstance(value, str | None) else _name(value)
        is_known = isinstance(value, str) and value in _STATUSES
        return "" if is_known else f"expected one of {', '.join(_STATUSES)}, not {said}"
    if value is None and default is None:
        return ""
    kind = {list: list, int: int, type(None): int}.get(type(default), str)
    if type(value) is not kind:
        return f"expected {_WORDS[kind]}, not {_name(value)}"
    items: list[Any] = value if isinstance(value, list) else []
    for index, item in enumerate(items):
        if not isinstance(item, str):
            return f"expected a string at [{index}], not {_name(item)}"
    try:
        if attribute.validator is not None:
            attribute.validator(None, attribute, value)
    except ValueError as error:
        return str(error).removeprefix(f"{attribute.name}: ")
    return ""


def plan_from_json(text: str) -> PlanSpec:
    """The plan that a JSON text describes.

    Raises:
        PlanValueError: it is no JSON or no plan, an object has a key twice, or Python's decoder cannot take it: numbers
            of thousands of digits, very deep nesting.
    """
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except PlanValueError:
        raise
    except json.JSONDecodeError as error:
        problem = f"not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
    except RecursionError:
        problem = "nested too deeply to decode"
    except ValueError:
        problem = "a number has too many digits to decode"
    else:
        return plan_from_dict(value)
    raise PlanValueError([problem])


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, unless one of its values would be lost."""
    made = dict(pairs)
    if len(made) != len(pairs):
        key = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise PlanValueError([f"the key {shorten(repr(key))} comes twice in one object"])
    return made


def _refuse_constant(word: str) -> NoReturn:
    raise PlanValueError([f"not JSON: {word} is not a number"])


# ---------------------------------------------------------------- schema


def plan_json_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of what :func:`plan_to_dict` gives and :func:`plan_from_dict` takes."""
    steps = {"type": "array", "items": {"$ref": "#/$defs/step"}}
    version = {"type": "string", "pattern": f"^{re.escape(readable_versions('planspec'))}"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "PlanSpec",
        "description": "A plan, as plan_to_dict gives it.",
        **_object_schema(PlanSpec, PLAN_FIELDS, steps=steps, grammar=version),
        "$defs": {"step": _object_schema(PlanStep, STEP_FIELDS, children=steps)},
    }


def _object_schema(model: Any, names: Collection[str], **others: Any) -> dict[str, Any]:
    """What each of a model's own fields may hold, as its validator has it, and what others may."""
    fields = [attribute for attribute in attrs.fields(model) if attribute.name in names]
    own: dict[str, Any] = {one.name: one.validator.schema() for one in fields}
    required = [one.name for one in fields if one.default is attrs.NOTHING]
    made = {
        "type": "object",
        "properties": {**own, **others},
        "required": required,
        "additionalProperties": False,
    }
    return {key: value for key, value in made.items() if value != []}
