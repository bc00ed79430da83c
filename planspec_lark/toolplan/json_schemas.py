"""JSON Schemas of tools, read as inputs and outputs of atoms: what they say of properties, and no more.

A schema comes from a stranger, so nothing recurses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias

from attrs import evolve

from planspec_lark.json_text.findings import Path, ValueFinding, text_of
from planspec_lark.syntax.diagnostics import quote
from planspec_lark.toolplan.models import AtomInput, AtomOutput
from planspec_lark.toolplan.structure import Report, get_field, refuse_key, refuse_types, refuse_value
from planspec_lark.toolplan.types import kinds_of

__all__ = ["read_inputs", "read_outputs"]

Schema: TypeAlias = dict[str, Any]

# What may say in another place which properties there are.
_ELSEWHERE = ("$ref", "allOf", "anyOf", "oneOf", "$dynamicRef", "$recursiveRef", "if", "patternProperties")


def read_inputs(schema: Schema, path: Path, report: Report) -> tuple[AtomInput, ...]:
    """What goes in. Where that is not said, it is an error: such a tool could not be called."""
    if not _has_names(schema):
        help = "write an object with `properties`"
        report(ValueFinding("PT605", "the schema does not name the inputs", path, help))
        return ()
    slots = list(_read_slots(schema, path, report))
    required = _read_required(schema, {one.name for one in slots}, path, report)
    # One that may be null need not be there.
    return tuple(evolve(one, required=one.name in required and "null" not in _names_of(one.type)) for one in slots)


def read_outputs(schema: Schema, path: Path, report: Report) -> tuple[AtomOutput, ...] | None:
    """What comes out; None where that is not said by name."""
    # An object of which nothing is said may hold anything, if it does not say that it holds nothing.
    if not _has_names(schema) or not (schema.get("properties") or schema.get("additionalProperties") is False):
        return None
    return tuple(
        AtomOutput(one.name, one.type, one.description, one.extra) for one in _read_slots(schema, path, report)
    )


def _has_names(schema: Schema) -> bool:
    """Whether this is an object, and says which properties it has."""
    is_object = "object" in _names_of(schema.get("type", "object"))
    return is_object and ("properties" in schema or schema.keys().isdisjoint(_ELSEWHERE))


def _read_required(schema: Schema, known: set[str], path: Path, report: Report) -> list[str]:
    required = get_field(schema, "required", list, path, report, is_needed=False) or []
    for at, name in enumerate(required):
        if not isinstance(name, str):
            report(refuse_value(name, "a string", (*path, "required", at)))
        elif name not in known:
            message = f"{quote(name)} is required, but not among the properties"
            report(ValueFinding("PT605", message, (*path, "required", at)))
    return required


def _read_slots(schema: Schema, path: Path, report: Report) -> Iterator[AtomInput]:
    """All properties as inputs that need not be there; without types, one may be anything."""
    properties = get_field(schema, "properties", dict, path, report, is_needed=False) or {}
    for name, one in properties.items():
        where = (*path, "properties", text_of(name))
        if not isinstance(name, str):
            report(refuse_key(name, (*path, "properties")))
        elif isinstance(one, dict):
            said = get_field(one, "description", str, where, report, is_needed=False)
            for fault in refuse_types(one, where):
                report(fault)
            extra = {"schema": one} if one.keys() - {"type", "description"} else {}
            yield AtomInput(name, _find_types(one), description=said or "", extra=extra)
        elif one is True:
            yield AtomInput(name)
        elif one is not False:  # which nothing satisfies: there is no such input
            report(refuse_value(one, "a schema", where))


def _find_types(schema: Schema) -> str | tuple[str, ...]:
    """The types that a value may have, by themselves or as alternatives; none where it may be anything."""
    options = schema.get("anyOf") or schema.get("oneOf")
    if "type" in schema or not isinstance(options, list):
        options = [schema]
    said = [name for one in options for name in _names_of(one.get("type") if isinstance(one, dict) else None)]
    if not all(isinstance(name, str) for name in said) or kinds_of(said) is None:
        return ""
    types = tuple(dict.fromkeys(said))
    return types[0] if len(types) == 1 else types


def _names_of(types: object) -> list[Any]:
    """Types as a schema has them, one or several, as a list."""
    return [*types] if isinstance(types, list | tuple) else [types]
