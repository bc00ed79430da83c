"""JSON values → models, and back: which fields there are and of which kind, as the models themselves say.

All faults of a value are found at once, each with its path.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import attrs

from planspec_lark.json_text.findings import (
    KIND_WORDS,
    Path,
    ValueFinding,
    missing_field,
    unknown_field,
    wrong_type,
)
from planspec_lark.json_text.model_values import said_fields, to_value
from planspec_lark.plan_next.models import (
    REQUIRED,
    Core4,
    DoneItem,
    DoneStatus,
    ExecutorCall,
    NewBlock,
    PlanNext,
    PlanReturn,
    PlanType,
)
from planspec_lark.syntax.diagnostics import join_words, quote
from planspec_lark.syntax.safe_text import escape_json

__all__ = ["STRUCTURE_FIELDS", "build", "message_to_json", "message_to_value", "value_to_json"]

Model = TypeVar("Model")

# Fields that steer the structure of the blocks. They are the kernel's, and no message may have them.
STRUCTURE_FIELDS = ("id", "new_id", "current_id", "path", "children")

_CODES: dict[type[Enum], str] = {PlanType: "PN105", DoneStatus: "PN103"}


def build(value: object, model: type[Model]) -> tuple[Model | None, list[ValueFinding]]:
    """The model that a JSON value describes, or None; and all that is wrong with it."""
    reader = _Reader()
    made: Model | None = reader.read(value, model, ())
    return made, reader.findings


@cache
def _kinds(model: type) -> dict[str, Any]:
    """The type of each field that is read."""
    hints = get_type_hints(model)
    return {one.name: hints[one.name] for one in said_fields(model)}


@cache
def _needed(model: Any) -> list[str]:
    """The fields that have to be there."""
    return [one.name for one in attrs.fields(model) if one.default is attrs.NOTHING or one.metadata == REQUIRED]


@cache
def _parts(kind: Any) -> tuple[Any, tuple[Any, ...]]:
    """What a type is in general, and the types in it."""
    return get_origin(kind) or kind, get_args(kind)


@attrs.define
class _Reader:
    """Reads JSON values as what types say. It goes as deep as models are nested.

    Attributes:
        findings: what is wrong with the values; each of these is None then, and so is what holds it.
    """

    findings: list[ValueFinding] = attrs.field(factory=list)

    def read(self, value: Any, kind: Any, path: Path) -> Any:
        """A value of this type: a model, a list, an enumeration, or what JSON has itself."""
        general, inner = _parts(kind)
        if general is UnionType:
            return self._read_union(value, inner, path)
        if general is list:
            items = self._need(value, list, path)
            return items and [self.read(item, inner[0], (*path, at)) for at, item in enumerate(items)]
        if general in _CODES:
            return self._read_choice(value, kind, path)
        if general in KIND_WORDS:
            return self._need(value, general, path)
        return self._read_object(value, kind, path)

    def _read_union(self, value: Any, kinds: tuple[Any, ...], path: Path) -> Any:
        if NoneType in kinds:
            # It may be left out, and has no null.
            return self.read(value, kinds[0], path)
        if not isinstance(value, str | dict):
            return self._find("PN103", wrong_type("a string or an object", value), path)
        if Core4 not in kinds:
            return value
        if isinstance(value, dict):
            return self.read(value, Core4, path)
        return value or self._find("PN106", "the goal is empty", path, "say what to reach")

    def _need(self, value: Any, kind: Any, path: Path) -> Any:
        # To JSON, true is not a number.
        if type(value) is kind:
            return value
        return self._find("PN103", wrong_type(KIND_WORDS[kind], value), path)

    def _read_choice(self, value: Any, kind: type[Enum], path: Path) -> Any:
        names = [member.value for member in kind]
        said = self._need(value, str, path)
        if said is None or said in names:
            return said and kind(said)
        message = f"unknown value {quote(said)}; the values are {join_words(names, 'and')}"
        return self._find(_CODES[kind], message, path)

    def _read_object(self, value: Any, model: Any, path: Path) -> Any:
        if model is DoneItem and isinstance(value, str) and value:
            # Contexts that others have made list what is done as plain texts.
            return DoneItem(value)
        if self._need(value, dict, path) is None:
            return None
        before, kinds = len(self.findings), _kinds(model)
        for name in _needed(model):
            if name not in value:
                # The protocol's schema demands nothing of a call, so there it is a rule that everything is said.
                self._find("PN213" if model is ExecutorCall else "PN101", missing_field(name), (*path, name))
        if model is NewBlock and value.get("done") and isinstance(value["done"], list):
            message = "the field `done` of a new block must be empty"
            self._find("PN107", message, (*path, "done"), "write []")
            value = {**value, "done": []}
        made = {name: self.read(value[name], kind, (*path, name)) for name, kind in kinds.items() if name in value}
        others = {name: item for name, item in value.items() if name not in kinds}
        if "extra" in attrs.fields_dict(model):
            made["extra"] = others
        else:
            self._refuse_others(others, model, path)
        return self._make(made, model, path) if len(self.findings) == before else None

    def _refuse_others(self, names: Iterable[str], model: type, path: Path) -> None:
        for name in names:
            # Messages of planners have a rule for these, and contexts that others have made may show them.
            if name not in STRUCTURE_FIELDS or model is PlanReturn:
                self.findings.append(ValueFinding("PN102", unknown_field(name), (*path, name), at_key=True))

    def _make(self, made: dict[str, Any], model: Any, path: Path) -> Any:
        try:
            return model(**made)
        except ValueError as error:
            # What a model's own validators say starts with the field's name.
            return self._find("PN103", str(error), (*path, str(error).partition(":")[0]))

    def _find(self, code: str, message: str, path: Path, help: str = "") -> Any:
        self.findings.append(ValueFinding(code, message, path, help))
        return None


# ---------------------------------------------------------------- and back


def message_to_value(message: PlanNext | PlanReturn) -> dict[str, Any]:
    """A message as a JSON value."""
    return {"type": "plan-next" if isinstance(message, PlanNext) else "plan-return", **to_value(message)}


def value_to_json(value: object, *, indent: int | None) -> str:
    """A JSON value as text. Characters that could steer a terminal are written as JSON's escapes.

    Raises:
        TypeError, ValueError: it holds something that no JSON text can say, such as NaN or half of a surrogate pair.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        at = error.start
    else:
        return escape_json(text)
    raise ValueError(f"half of a surrogate pair, {text[at]!r}, is not a character")


def message_to_json(message: PlanNext | PlanReturn, *, indent: int | None = 2) -> str:
    """A message as JSON text, safe to show on a terminal.

    Raises:
        TypeError, ValueError: ``inputs``, a ``result`` or an ``extra`` holds something that no JSON text can say, such
            as NaN or half of a surrogate pair.
    """
    return value_to_json(message_to_value(message), indent=indent)
