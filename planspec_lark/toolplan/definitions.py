"""Tools as files define them: what is wrong with a definition, and the model of one that is right."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from planspec_lark.json_text.findings import Path, ValueFinding
from planspec_lark.json_text.model_values import from_value
from planspec_lark.syntax.diagnostics import quote
from planspec_lark.toolplan.models import Atom, AtomInput, AtomOutput
from planspec_lark.toolplan.signatures import list_slots
from planspec_lark.toolplan.structure import get_field, refuse_key, refuse_types, refuse_value
from planspec_lark.toolplan.tool_lists import (
    DefinedTool,
    Listed,
    find_schema_key,
    is_tool_list,
    list_definitions,
    read_tool_list,
)

__all__ = ["add_atoms", "read_atoms"]

# What inputs and outputs say besides their names and types.
_OTHERS: dict[str, dict[str, type]] = {"inputs": {"required": bool}, "outputs": {}}
_MODELS: dict[str, Any] = {"inputs": AtomInput, "outputs": AtomOutput}


def read_atoms(value: object) -> Iterator[DefinedTool | ValueFinding]:
    """The tools that a value defines; in place of those with a fault, these faults; and warnings."""
    if is_tool_list(value):
        yield from read_tool_list(value)
        return
    for one in list_definitions(value):
        if isinstance(one, ValueFinding):
            yield one
            continue
        faults = [*_check_atom(one)]
        yield from faults
        if not faults:
            yield DefinedTool(_build_atom(one), one[0], (*one[0], "id"))


def add_atoms(
    value: object, known: dict[str, tuple[Atom, str]], say_place: Callable[[Path], str]
) -> list[ValueFinding]:
    """Add the tools that a value defines to those that are known, each with its place; what is wrong, and warnings."""
    found: list[ValueFinding] = []
    for one in read_atoms(value):
        if isinstance(one, ValueFinding):
            found.append(one)
            continue
        atom, where = known.setdefault(one.atom.id, (one.atom, say_place(one.path)))
        if atom is not one.atom:
            found.append(ValueFinding("PT601", f"duplicate atom {quote(atom.id)}, first seen at {where}", one.id_path))
    return found


def _check_atom(listed: Listed) -> Iterator[ValueFinding]:
    """What is wrong with a definition."""
    path, key, value = listed
    if not isinstance(value, dict):
        yield refuse_value(value, "an object", path)
        return
    if schema := find_schema_key(value):
        message = f"expected the inputs of an atom as `inputs`, not as `{schema}`"
        yield ValueFinding("PT604", message, (*path, schema), "write one list for each form", at_key=True)
    else:
        yield from _check_id(value, key, path)
    yield from _check_kinds(value, {"description": str}, path)
    for name in ("inputs", "outputs"):
        if name in value:
            yield from _check_slots(value[name], _OTHERS[name], (*path, name))


def _check_id(value: dict[str, Any], key: str | None, path: Path) -> Iterator[ValueFinding]:
    found: list[ValueFinding] = []
    said = get_field(value, "id", str, path, found.append, is_needed=key is None)
    yield from found
    is_key = "id" not in value
    if not found and (key if is_key else said) == "":
        yield ValueFinding("PT602", "the id is empty", path if is_key else (*path, "id"), at_key=is_key)
    elif None not in (key, said) and said != key:
        message = f"the id is {quote(said)}, and the key is {quote(key or '')}"
        yield ValueFinding("PT602", message, (*path, "id"), help="remove the id, or make both the same")


def _check_slots(value: object, others: Mapping[str, type], path: Path) -> Iterator[ValueFinding]:
    """Inputs or outputs: a list of objects with names, or objects or types by name."""
    if isinstance(value, dict):
        for name, one in value.items():
            if not isinstance(name, str):
                yield refuse_key(name, path)
            elif not isinstance(one, str):
                yield from _check_slot(one, "an object or a type", others, (*path, name))
    elif isinstance(value, list):
        known: dict[str, int] = {}
        for at, one in enumerate(value):
            name = one.get("name") if isinstance(one, dict) else None
            if isinstance(name, str) and known.setdefault(name, at) != at:
                message = f"duplicate name {quote(name)}, first seen at [{known[name]}]"
                yield ValueFinding("PT603", message, (*path, at, "name"))
            yield from _check_slot(one, "an object", {"name": str, **others}, (*path, at))
    elif value is not None or path[-1] != "outputs":
        yield refuse_value(value, "a list or an object", path)


def _check_slot(value: object, expected: str, others: Mapping[str, type], path: Path) -> Iterator[ValueFinding]:
    if isinstance(value, dict):
        yield from _check_kinds(value, {"description": str, **others}, path)
        yield from refuse_types(value, path)
    else:
        yield refuse_value(value, expected, path)


def _check_kinds(value: dict[str, Any], kinds: Mapping[str, type], path: Path) -> Iterator[ValueFinding]:
    found: list[ValueFinding] = []
    for key, kind in kinds.items():
        get_field(value, key, kind, path, found.append, is_needed=key == "name")
    yield from found


# ---------------------------------------------------------------- models


def _build_atom(listed: Listed) -> Atom:
    """The model of a definition in which nothing is wrong."""
    _, key, value = listed
    slots = {name: _build_slots(value[name], kind) for name, kind in _MODELS.items() if name in value}
    return from_value({"id": key, **value}, Atom, **slots)


def _build_slots(value: Any, model: Any) -> tuple[AtomInput | AtomOutput, ...] | None:
    return None if value is None else tuple(from_value(one, model) for one in list_slots(value))
