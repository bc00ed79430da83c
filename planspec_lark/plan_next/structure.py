"""JSON values → models, and back: which fields there are and of which kind, through cattrs.

All faults of a value are found at once, each with its path.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin

import attrs
from cattrs import ClassValidationError, Converter, IterableValidationError
from cattrs.cols import list_structure_factory
from cattrs.errors import ForbiddenExtraKeysError
from cattrs.gen import make_dict_structure_fn, override

from planspec_lark.json_text.findings import (
    KIND_WORDS,
    Finding,
    Path,
    missing_field,
    unknown_field,
    wrong_type,
)
from planspec_lark.plan_next.models import (
    Block,
    Core4,
    DoneItem,
    DoneStatus,
    Executor,
    ExecutorCall,
    NewBlock,
    PlanNext,
    PlanReturn,
    PlanType,
)
from planspec_lark.syntax.diagnostics import join_words, quote
from planspec_lark.syntax.source import escape_json

__all__ = ["STRUCTURE_FIELDS", "build", "message_to_json", "to_json", "to_value"]

Model = TypeVar("Model")

# Fields that steer the structure of the blocks. They are the kernel's, and no message may have them.
STRUCTURE_FIELDS = ("id", "new_id", "current_id", "path", "children")

# What has to be there although a model can be built without it.
_REQUIRED: dict[type, tuple[str, ...]] = {
    NewBlock: ("goal", "plan", "done"),
    ExecutorCall: ("command", "inputs", "expected_observations"),
    Block: ("goal", "plan", "done"),
}
# Objects that may have more fields than those that are known; the others are kept.
_OPEN = (Core4, Executor, ExecutorCall)
# What a planner or an executor writes. Contexts that others have made may show the structure of their blocks, which is
# read over; these may not.
_WRITTEN = (PlanNext, PlanReturn, NewBlock)


@attrs.frozen
class _Missing:
    """Stands for a field that is not there, which is a fault with this code."""

    code: str = "PN101"


# The protocol's schema demands nothing of a call, so there it is a rule that everything is said.
_MISSING = {ExecutorCall: _Missing("PN213")}


class _FaultError(Exception):
    """What a hook has found."""

    def __init__(self, code: str, message: str, help: str = "") -> None:
        super().__init__(message)
        self.finding = Finding(code, message, help=help)


class _MissingError(_FaultError):
    """A hook has found nothing."""


def build(value: object, model: type[Model]) -> tuple[Model | None, list[Finding]]:
    """The model that a JSON value describes, or None; and all that is wrong with it."""
    try:
        made: Model = _converter().structure(value, model)
        return made, []
    except (ClassValidationError, IterableValidationError, _FaultError) as error:
        return None, list(_faults_in(error, ()))


def _faults_in(error: BaseException, path: Path) -> Iterator[Finding]:
    """All faults inside an error of cattrs, which is as deep as the models are nested."""
    if isinstance(error, _FaultError):
        named = isinstance(error, _MissingError) and path
        message = missing_field(str(path[-1])) if named else error.finding.message
        yield attrs.evolve(error.finding, message=message, path=path)
    elif isinstance(error, ForbiddenExtraKeysError):
        for key in sorted(error.extra_fields):
            if key in STRUCTURE_FIELDS and error.cl in (NewBlock, PlanNext):
                continue  # there is a rule for that
            yield Finding("PN102", unknown_field(key), (*path, key), at_key=True)
    elif isinstance(error, ClassValidationError | IterableValidationError):
        with_notes, others = error.group_exceptions()
        for inner, note in with_notes:
            step: Any = getattr(note, "name", None) or getattr(note, "index", None)
            yield from _faults_in(inner, (*path, step))
        for inner in others:
            yield from _faults_in(inner, path)
    elif isinstance(error, ValueError):
        # What a model's own validators say starts with the field's name.
        name = str(error).partition(":")[0]
        yield Finding("PN103", str(error), (*path, name) if name.isidentifier() else path)
    else:
        raise error


# ---------------------------------------------------------------- hooks


def _need(value: object, kind: type) -> Any:
    if isinstance(value, _Missing):
        raise _MissingError(value.code, "this field is missing")
    # To JSON, true is no number.
    if type(value) is not kind:
        raise _FaultError("PN103", wrong_type(KIND_WORDS[kind], value))
    return value


def _structure_goal(value: Any, _: Any) -> Any:
    said = _structure_result(value, str)
    if said == "":
        raise _FaultError("PN106", "the goal is empty", "say what to reach")
    return _converter().structure(said, Core4) if isinstance(said, dict) else said


def _structure_result(value: Any, _: Any) -> Any:
    if not isinstance(value, str | dict | _Missing):
        raise _FaultError("PN103", wrong_type("a string or an object", value))
    return value if isinstance(value, dict) else _need(value, str)


def _structure_nothing(value: Any, _: Any) -> Any:
    if _need(value, list):
        raise _FaultError("PN107", "the field `done` of a new block must be empty", "write []")
    return value


def _choose(kind: type[Enum], code: str) -> Callable[[Any, Any], Any]:
    names = [member.value for member in kind]

    def structure(value: Any, _: Any) -> Any:
        said = _need(value, str)
        if said not in names:
            raise _FaultError(code, f"unknown value {quote(said)}; the values are {join_words(names, 'and')}")
        return kind(said)

    return structure


def _of_list(kind: Any, converter: Converter) -> Callable[[Any, Any], Any]:
    structure = list_structure_factory(kind, converter)
    # Any other iterable would do for cattrs, a text as well.
    return lambda value, _: structure(_need(value, list), kind)


def _of_option(kind: Any, converter: Converter) -> Callable[[Any, Any], Any]:
    """A field that may be left out, and has no null."""
    (inner,) = (one for one in get_args(kind) if one is not NoneType)
    return lambda value, _: converter.structure(value, inner)


def _of_object(model: Any, converter: Converter) -> Callable[[Any, Any], Any]:
    options: dict[str, Any] = {name: override(omit=True) for name in _NEVER_READ.get(model, ())}
    if model is NewBlock:
        options["done"] = override(struct_hook=_structure_nothing)
    known = {attribute.name for attribute in attrs.fields(model)}.difference(options)
    base: Any = make_dict_structure_fn(model, converter, _cattrs_forbid_extra_keys=model not in _OPEN, **options)
    missing = _MISSING.get(model, _Missing())
    required = dict.fromkeys(_REQUIRED.get(model, ()), missing)
    required |= {one.name: missing for one in attrs.fields(model) if one.default is attrs.NOTHING}

    def ignore(value: dict[str, Any]) -> dict[str, Any]:
        if model in _WRITTEN or model in _OPEN:
            return value
        return {key: item for key, item in value.items() if key in known or key not in STRUCTURE_FIELDS}

    def structure(value: Any, _: Any) -> Any:
        if model is DoneItem and isinstance(value, str) and value:
            # Contexts that others have made list what is done as plain texts.
            return DoneItem(value)
        made = base({**required, **ignore(_need(value, dict))}, model)
        if model in _OPEN:
            made.extra.update((key, item) for key, item in value.items() if key not in known)
        return made

    return structure


# Fields of the models that are none of the values.
_NEVER_READ: dict[type, tuple[str, ...]] = {
    Core4: ("extra",),
    Executor: ("extra",),
    ExecutorCall: ("extra",),
    PlanNext: ("warnings", "origin"),
    PlanReturn: ("warnings", "origin"),
}


def _is_list(kind: Any) -> bool:
    return get_origin(kind) is list


def _is_option(kind: Any) -> bool:
    return get_origin(kind) is UnionType and NoneType in get_args(kind)


@cache
def _converter() -> Any:
    converter: Any = Converter(detailed_validation=True)
    for kind in (str, int, bool):
        converter.register_structure_hook(kind, lambda value, _, kind=kind: _need(value, kind))
    converter.register_structure_hook_func(lambda kind: kind == dict[str, Any], lambda value, _: _need(value, dict))
    converter.register_structure_hook_func(lambda kind: kind == str | Core4, _structure_goal)
    converter.register_structure_hook_func(lambda kind: kind == str | dict[str, Any], _structure_result)
    converter.register_structure_hook(PlanType, _choose(PlanType, "PN105"))
    converter.register_structure_hook(DoneStatus, _choose(DoneStatus, "PN103"))
    converter.register_structure_hook_factory(_is_list, _of_list)
    converter.register_structure_hook_factory(_is_option, _of_option)
    converter.register_structure_hook_factory(attrs.has, _of_object)
    return converter


# ---------------------------------------------------------------- and back


def to_value(model: object) -> Any:
    """A model as a JSON value. Fields that hold what they hold by default are left out, but for the main ones."""
    if isinstance(model, Enum):
        return model.value
    if isinstance(model, list):
        return [to_value(item) for item in model]
    if not attrs.has(type(model)):
        return model
    value: dict[str, Any] = {}
    if isinstance(model, PlanNext | PlanReturn):
        value["type"] = "plan-next" if isinstance(model, PlanNext) else "plan-return"
    left_out = (*_NEVER_READ.get(type(model), ()), "extra")
    required = _REQUIRED.get(type(model), ())
    kind: Any = type(model)
    for attribute in attrs.fields(kind):
        name, item = attribute.name, getattr(model, attribute.name)
        is_default = item == _default_of(attribute, model) and not (name in required or attribute.metadata)
        if name not in left_out and item is not None and not is_default:
            value[name] = to_value(item)
    return {**value, **getattr(model, "extra", {})}


def to_json(model: object, *, indent: int | None) -> str:
    """A model as JSON text. Characters that could steer a terminal are written as JSON's escapes.

    Raises:
        TypeError, ValueError: it holds something that no JSON text can say, such as NaN or half of a surrogate pair.
    """
    text = json.dumps(to_value(model), ensure_ascii=False, allow_nan=False, indent=indent)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        at = error.start
    else:
        return escape_json(text)
    raise ValueError(f"half of a surrogate pair, {text[at]!r}, is not a character")


def message_to_json(message: PlanNext | PlanReturn, *, indent: int | None = 2) -> str:
    """A message as JSON text, without characters that could steer a terminal.

    Raises:
        TypeError, ValueError: ``inputs``, a ``result`` or an ``extra`` holds something that no JSON text can say, such
            as NaN or half of a surrogate pair.
    """
    return to_json(message, indent=indent)


def _default_of(attribute: attrs.Attribute[Any], model: object) -> Any:
    """The value of a field that was not set."""
    default = attribute.default
    if not isinstance(default, attrs.Factory):  # type: ignore[arg-type]  # a class, though its stub says otherwise
        return default
    made: Any = default
    return made.factory(model) if made.takes_self else made.factory()
