"""Tools as files define them: what is wrong with a definition, and the model of one that is right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from planspec_lark.json_text.findings import KIND_WORDS, Path, ValueFinding, text_of, wrong_type
from planspec_lark.json_text.model_values import from_value
from planspec_lark.syntax.diagnostics import quote
from planspec_lark.toolplan.models import Atom, AtomInput, AtomOutput
from planspec_lark.toolplan.signatures import list_slots
from planspec_lark.toolplan.structure import miss_field, refuse_key, refuse_types, refuse_value
from planspec_lark.toolplan.tool_lists import DefinedTool, find_schema_key, is_atom, is_tool_list, read_tool_list

__all__ = ["read_atoms", "refuse_duplicate"]

# What inputs and outputs say besides their names and types.
_OTHERS: dict[str, dict[str, type]] = {"inputs": {"required": bool}, "outputs": {}}
_MODELS: dict[str, type[AtomInput | AtomOutput]] = {"inputs": AtomInput, "outputs": AtomOutput}

# A definition with its path, and the id that its key gives it.
Listed = tuple[Path, str | None, Any]


def read_atoms(value: object) -> Iterator[DefinedTool | ValueFinding]:
    """The tools that a value defines; in place of those with a fault, these faults; and warnings."""
    if is_tool_list(value):
        yield from read_tool_list(value)
        return
    for one in _list_definitions(value):
        if isinstance(one, ValueFinding):
            yield one
            continue
        faults = [*_check_atom(one)]
        yield from faults
        if not faults:
            yield DefinedTool(_build_atom(one), one[0], (*one[0], "id"))


def refuse_duplicate(atom_id: str, path: Path, where: str) -> ValueFinding:
    """That there is a tool with that id already."""
    return ValueFinding("PT601", f"duplicate atom {quote(atom_id)}, first seen {where}", path)


def _list_definitions(value: object) -> Iterator[Listed | ValueFinding]:
    """The definitions in a file: one, a list, an object with the list as ``atoms``, or definitions by id."""
    if is_atom(value):
        yield (), None, value
    elif isinstance(value, dict) and isinstance(value.get("atoms"), list):
        for key in value:
            if not isinstance(key, str) or key != "atoms":
                yield ValueFinding("PT102", "only the field `atoms` is allowed here", (text_of(key),), at_key=True)
        yield from ((("atoms", at), None, one) for at, one in enumerate(value["atoms"]))
    elif isinstance(value, dict):
        for key, one in value.items():
            yield ((key,), key, one) if isinstance(key, str) else refuse_key(key, ())
    elif isinstance(value, list):
        yield from (((at,), None, one) for at, one in enumerate(value))
    else:
        help = "write a list, an object with the list as `atoms`, definitions by id, or one with its `id`"
        yield ValueFinding("PT102", wrong_type("atoms", value), (), help)


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
    if key is None and "id" not in value:
        yield miss_field("id", path)
    elif "id" in value and not isinstance(value["id"], str):
        yield refuse_value(value["id"], "a string", (*path, "id"))
    elif value.get("id", key) == "":
        is_key = "id" not in value
        yield ValueFinding("PT602", "the id is empty", path if is_key else (*path, "id"), at_key=is_key)
    elif key is not None and value.get("id", key) != key:
        message = f"the id is {quote(value['id'])}, and the key is {quote(key)}"
        yield ValueFinding("PT602", message, (*path, "id"), help="remove the id, or make both the same")


def _check_slots(value: object, others: Mapping[str, type], path: Path) -> Iterator[ValueFinding]:
    """Inputs or outputs: a list of objects with names, or objects or types by name."""
    if isinstance(value, dict):
        for name, one in value.items():
            if not isinstance(name, str):
                yield refuse_key(name, path)
            elif isinstance(one, dict):
                yield from _check_slot(one, others, (*path, name))
            elif not isinstance(one, str):
                yield refuse_value(one, "an object or a type", (*path, name))
    elif isinstance(value, list):
        yield from _check_listed(value, others, path)
    elif value is not None or path[-1] != "outputs":
        yield refuse_value(value, "a list or an object", path)


def _check_listed(values: list[Any], others: Mapping[str, type], path: Path) -> Iterator[ValueFinding]:
    """Inputs or outputs that are a list."""
    known: dict[str, int] = {}
    for at, one in enumerate(values):
        where = (*path, at)
        if not isinstance(one, dict):
            yield refuse_value(one, "an object", where)
            continue
        if "name" not in one:
            yield miss_field("name", where)
        name = one.get("name")
        if isinstance(name, str) and known.setdefault(name, at) != at:
            message = f"duplicate name {quote(name)}, first seen at [{known[name]}]"
            yield ValueFinding("PT603", message, (*where, "name"))
        yield from _check_slot(one, {"name": str, **others}, where)


def _check_slot(value: dict[str, Any], others: Mapping[str, type], path: Path) -> Iterator[ValueFinding]:
    yield from _check_kinds(value, {"description": str, **others}, path)
    yield from refuse_types(value, path)


def _check_kinds(value: dict[str, Any], kinds: Mapping[str, type], path: Path) -> Iterator[ValueFinding]:
    for key, kind in kinds.items():
        if key in value and not isinstance(value[key], kind):
            yield refuse_value(value[key], KIND_WORDS[kind], (*path, key))


# ---------------------------------------------------------------- models


def _build_atom(listed: Listed) -> Atom:
    """The model of a definition in which nothing is wrong."""
    _, key, value = listed
    slots = {name: _build_slots(value[name], kind) for name, kind in _MODELS.items() if name in value}
    return from_value({"id": key, **value}, Atom, **slots)


def _build_slots(value: Any, model: type[AtomInput | AtomOutput]) -> tuple[AtomInput | AtomOutput, ...] | None:
    return None if value is None else tuple(from_value(one, model) for one in list_slots(value))
