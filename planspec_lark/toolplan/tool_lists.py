"""Where definitions stand in a value, and tools as other programs have them: with JSON Schemas of what goes in.

These are OpenAI's and Anthropic's tools, those of MCP servers, and functions with schemas. What else one says is kept
with the atom, and not checked. ``docs/reference/tool-plans.md`` has the forms and where they are defined.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from planspec_lark.json_text.findings import Path, ValueFinding, text_of, wrong_type
from planspec_lark.syntax.diagnostics import quote
from planspec_lark.toolplan.json_schemas import read_inputs, read_outputs
from planspec_lark.toolplan.models import Atom
from planspec_lark.toolplan.structure import Report, get_field, refuse_key

__all__ = ["Listed", "is_tool", "list_definitions", "read_tool"]

# Where the forms have the schemas of what goes in and comes out.
_INPUTS = ("parameters", "inputSchema", "input_schema")
_OUTPUTS = ("outputSchema", "output_schema")
# What is read of a tool or would be taken for a field of an atom.
_FIELDS = {"id", "name", "type", "function", "description", "inputs", "outputs", *_INPUTS, *_OUTPUTS}

# A definition with its path, and the id that its key gives it.
Listed = tuple[Path, str | None, Any]


def list_definitions(value: object) -> Iterator[Listed | ValueFinding]:
    """The definitions in a value: one, a list, an object with the list as ``atoms`` or ``tools``, or some by id."""
    path: Path = ()
    if isinstance(value, dict) and "jsonrpc" in value and isinstance(value.get("result"), dict):
        # The whole answer of a server.
        value, path = value["result"], ("result",)
    if _is_one(value):
        yield path, None, value
    elif isinstance(value, dict):
        yield from _list_inside(value, path)
    elif isinstance(value, list | tuple):
        yield from (((*path, at), None, one) for at, one in enumerate(value))
    else:
        help = "write a list, an object with the list as `atoms`, definitions by id, or one with its `id`"
        yield ValueFinding("PT102", wrong_type("atoms", value), path, help)


def _list_inside(value: dict[Any, Any], path: Path) -> Iterator[Listed | ValueFinding]:
    name = next((name for name in ("atoms", "tools") if isinstance(value.get(name), list)), None)
    if name is None:
        for key, one in value.items():
            yield ((*path, key), key, one) if isinstance(key, str) else refuse_key(key, path)
        return
    for key in value if name == "atoms" else ():
        if key != name:
            yield ValueFinding("PT102", "only the field `atoms` is allowed here", (*path, text_of(key)), at_key=True)
    if name == "tools" and value.get("nextCursor") is not None:
        help = "ask the server for the other pages, and pass them as further files"
        yield ValueFinding("PT608", "this is not the last page of tools", (*path, "nextCursor"), help)
    yield from (((*path, name, at), None, one) for at, one in enumerate(value[name]))


def _is_one(value: object) -> bool:
    """Whether a value is one definition, and not some by id, as the values of these are objects."""
    if not isinstance(value, dict) or isinstance(value.get("atoms"), list):
        return False
    if "id" in value:
        return not isinstance(value["id"], dict | Atom)
    return is_tool(value) and (isinstance(value.get("name"), str) or value.get("type") == "function")


# ---------------------------------------------------------------- tools of other programs


def is_tool(definition: object) -> bool:
    """Whether a definition is that of another program: an atom that has its inputs may say whatever else it likes."""
    if not isinstance(definition, dict) or "inputs" in definition:
        return False
    has_schema = any(key in definition for key in _INPUTS)
    return has_schema or (isinstance(definition.get("type"), str) and definition.keys().isdisjoint(("id", "outputs")))


def read_tool(listed: Listed, report: Report) -> tuple[Atom, Path] | None:
    """The atom that a tool is, with the path to its name; None where it is none, which is reported."""
    path, key, tool = listed
    body, where = tool, path
    if tool.get("type") == "function" and isinstance(tool.get("function"), dict):
        # The object that names the tool and says what it takes.
        body, where = tool["function"], (*path, "function")
    elif tool.get("type", "function") != "function" and not any(one in tool for one in _INPUTS):
        message = f"a tool of type {quote(tool['type'])} is not a function, and is left out"
        report(ValueFinding("PT606", message, (*path, "type"), "plans call functions with named inputs"))
        return None
    found: list[ValueFinding] = []
    # What may be left out may be null as well.
    said = {name: one for name, one in body.items() if one is not None}
    called = "id" if "id" in said else "name"
    name = get_field({called: key, **said} if key is not None else said, called, str, where, found.append)
    if name == "":
        found.append(ValueFinding("PT602", "the name is empty", (*where, called)))
    description = get_field(said, "description", str, where, found.append, is_needed=False)
    inputs, given = (_read_schema(said, keys, where, found.append) for keys in (_INPUTS, _OUTPUTS))
    taken = () if inputs is None else read_inputs(*inputs, found.append)
    made = None if given is None else read_outputs(*given, found.append)
    for one in found:
        report(one)
    if found:
        return None
    extra = {text_of(name): one for part in (tool, body) for name, one in part.items() if name not in _FIELDS}
    return Atom(name, taken, made, description or "", extra), (*where, called)


def _read_schema(
    said: dict[Any, Any], keys: tuple[str, ...], path: Path, report: Report
) -> tuple[dict[str, Any], Path] | None:
    """The schema under the first of these keys, and the path to it."""
    key = next((key for key in keys if key in said), None)
    schema = None if key is None else get_field(said, key, dict, path, report)
    return None if schema is None else (schema, (*path, key or ""))
