"""JSON Schemas of tools, read as inputs and outputs of atoms.

A schema comes from a stranger, and one definition in it may be referred to from everywhere. So nothing recurses, and
each input takes a bounded number of steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeAlias
from urllib.parse import unquote

from attrs import define, evolve, field

from planspec_lark.json_text.findings import Path, ValueFinding, text_of, word_of, wrong_type
from planspec_lark.syntax.diagnostics import first_of, quote
from planspec_lark.toolplan.models import AtomInput, AtomOutput
from planspec_lark.toolplan.structure import get_field, refuse_key, refuse_types, refuse_value
from planspec_lark.toolplan.types import kind_of, kinds_of

__all__ = ["SchemaReader", "join_names"]

Schema: TypeAlias = dict[str, Any]

# For the type of one input so many schemas and values are looked at, and no more references followed than for a schema.
_LOOKED_AT = 50
_FOLLOWED = 10
# A longer reference is not written on purpose.
_LONGEST_REFERENCE = 1000
# A message lists so many names.
_LISTED = 10

# What may say in another place which properties there are.
_ELSEWHERE = ("allOf", "anyOf", "oneOf", "$dynamicRef", "$recursiveRef", "if", "patternProperties")


def join_names(names: Iterable[str]) -> str:
    """Names as a message has them: the first ones, in quotes."""
    return first_of([quote(name) for name in islice(names, _LISTED + 1)], _LISTED)


@define
class SchemaReader:
    """Reads one schema.

    Attributes:
        root: the schema.
        path: the path to it.
        findings: what is wrong with it.
    """

    root: Schema
    path: Path
    findings: list[ValueFinding] = field(factory=list)
    # What the schema says, or else those that it refers to, one after the other; each keyword with the path to it.
    _said: dict[str, tuple[Any, Path]] = field(factory=dict, init=False)
    # Whether the last of them refers to yet another one.
    _is_open: bool = field(default=False, init=False)
    _left: int = field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        schema, path = self.root, self.path
        for _ in range(_FOLLOWED + 1):
            for key, value in schema.items():
                self._said.setdefault(key, (value, (*path, key)))
            target, path = self._resolve(schema.get("$ref"))
            self._is_open = "$ref" in schema
            if not isinstance(target, dict):
                break
            schema = target

    # ---------------------------------------------------------------- inputs and outputs

    def read_inputs(self) -> tuple[AtomInput, ...]:
        """What goes in. Where that is not said, it is an error: such a tool could not be called."""
        if not self._has_names():
            self._refuse_inputs()
            return ()
        required = self._read_required()
        # One that may be null need not be there.
        return tuple(
            evolve(one, required=one.name in required and "null" not in _names_of(one.type))
            for one in self._read_slots()
        )

    def read_outputs(self) -> tuple[AtomOutput, ...] | None:
        """What comes out; None where that is not said by name."""
        # An object of which nothing is said may hold anything, if it does not say that it holds nothing.
        is_closed = self._look("additionalProperties")[0] is False
        if not self._has_names() or not (is_closed or self._look("properties")[0]):
            return None
        self._read_required()
        return tuple(AtomOutput(one.name, one.type, one.description, one.extra) for one in self._read_slots())

    def _look(self, key: str) -> tuple[Any, Path]:
        """The value of a keyword, and the path to it."""
        return self._said.get(key, (None, self.path))

    def _has_names(self) -> bool:
        """Whether this is an object, and says which properties it has."""
        kind, _ = self._look("type")
        if "object" not in _names_of("object" if kind is None else kind):
            return False
        is_elsewhere = self._is_open or not self._said.keys().isdisjoint(_ELSEWHERE)
        return self._look("properties")[0] is not None or not is_elsewhere

    def _refuse_inputs(self) -> None:
        kind, path = self._look("type")
        message = "the schema does not name the inputs"
        if kind is not None and kind != "object":
            said = quote(kind) if isinstance(kind, str) else word_of(kind)
            message = f"expected the type `object` for the inputs of a tool, not {said}"
        help = "write an object with `properties`"
        self.findings.append(ValueFinding("PT605", message, path, help))

    def _read_required(self) -> set[str]:
        required, path = self._look("required")
        properties, _ = self._look("properties")
        if required is None:
            return set()
        if not isinstance(required, list):
            self._refuse(required, "a list of names", path)
            return set()
        found = set()
        for at, name in enumerate(required):
            if not isinstance(name, str):
                self._refuse(name, "a string", (*path, at))
            elif not isinstance(properties, dict) or properties.get(name, False) is False:
                message = f"{quote(name)} is required, but not among the properties"
                self.findings.append(ValueFinding("PT605", message, (*path, at)))
            else:
                found.add(name)
        return found

    # ---------------------------------------------------------------- one of them

    def _read_slots(self) -> Iterator[AtomInput]:
        """All of them as inputs that need not be there; without types, one may be anything."""
        properties, where = self._look("properties")
        if not isinstance(properties, dict):
            if properties is not None:
                self._refuse(properties, "an object", where)
            return
        for name, schema in properties.items():
            path = (*where, text_of(name))
            if not isinstance(name, str):
                self.findings.append(refuse_key(name, where))
            elif isinstance(schema, dict):
                yield self._read_slot(name, schema, path)
            elif schema is True:
                yield AtomInput(name)
            elif schema is not False:  # which nothing satisfies: there is no such input
                self._refuse(schema, "a schema", path)

    def _read_slot(self, name: str, schema: Schema, path: Path) -> AtomInput:
        self._check_slot(schema, path)
        types = self._find_types(schema)
        if schema.get("nullable") is True and types:
            types["null"] = None
        said = schema.get("description")
        kind = next(iter(types)) if len(types) == 1 else tuple(types) or ""
        extra = {"schema": schema} if schema.keys() - {"type", "description"} else {}
        return AtomInput(name, kind, description=said if isinstance(said, str) else "", extra=extra)

    def _check_slot(self, schema: Schema, path: Path) -> None:
        if schema.get("description") is not None:
            get_field(schema, "description", str, path, self.findings.append)
        self.findings += refuse_types(schema, path)
        if isinstance(schema.get("required"), bool):
            message, help = wrong_type("a list of names", True), "list required inputs next to `properties`"
            self.findings.append(ValueFinding("PT102", message, (*path, "required"), help))

    def _find_types(self, schema: Schema) -> dict[str, None]:
        """The types that a value may have, through references and alternatives; none where it may be anything."""
        found: dict[str, None] = {}
        stack: list[Any] = [schema]
        self._left = _LOOKED_AT
        while stack:
            one = stack.pop()
            if one is False:
                continue
            types, others = self._step(one) if isinstance(one, dict) else (None, [])
            if types is None:
                return {}
            found.update(dict.fromkeys(types))
            stack += reversed(others)
        return found

    def _step(self, one: Schema) -> tuple[list[str] | None, list[Any]]:
        """The types that a schema names (None for any), and other schemas to look at."""
        if "type" in one:
            names = _names_of(one["type"])
            is_known = self._may_look(len(names)) and all(isinstance(name, str) for name in names)
            return names if is_known and kinds_of(names) is not None else None, []
        if "$ref" in one:
            target = self._resolve(one["$ref"])[0] if self._may_look(_LOOKED_AT // _FOLLOWED) else None
            return [] if isinstance(target, dict | bool) else None, [target]
        if listed := _alternatives_of(one):
            return [] if self._may_look(len(listed)) else None, listed
        values = [one["const"]] if "const" in one else one.get("enum")
        if isinstance(values, list) and values and self._may_look(len(values)):
            return list(dict.fromkeys(kind_of(value) for value in values)), []
        return None, []

    def _may_look(self, count: int) -> bool:
        self._left -= count
        return self._left >= 0

    def _resolve(self, reference: object) -> tuple[Any, Path]:
        """What a reference to a place in this schema leads to, with its path; None for any other reference."""
        nowhere = (None, self.path)
        if not isinstance(reference, str) or len(reference) > _LONGEST_REFERENCE:
            return nowhere
        if reference != "#" and not reference.startswith("#/"):
            return nowhere
        at: Any = self.root
        steps: list[str | int] = []
        for step in unquote(reference[1:]).split("/")[1:]:
            key: str | int = step.replace("~1", "/").replace("~0", "~")
            if isinstance(at, list) and step.isdecimal() and int(step) < len(at):
                key = int(step)
                at = at[key]
            elif isinstance(at, dict) and key in at:
                at = at[key]
            else:
                return nowhere
            steps.append(key)
        return at, (*self.path, *steps)

    def _refuse(self, value: object, expected: str, path: Path) -> None:
        self.findings.append(refuse_value(value, expected, path))


def _names_of(types: object) -> list[Any]:
    """Types as a schema has them, one or several, as a list."""
    return [*types] if isinstance(types, list | tuple) else [types]


def _alternatives_of(schema: Schema) -> list[Any]:
    """Schemas of which a value may follow any."""
    for word in ("anyOf", "oneOf", "allOf"):
        listed = schema.get(word)
        # A single one of `allOf` is how a reference gets a description in older drafts.
        if isinstance(listed, list) and listed and (word != "allOf" or len(listed) == 1):
            return listed
    return []
