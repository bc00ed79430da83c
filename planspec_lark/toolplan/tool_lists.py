"""Lists of tools as other programs have them: OpenAI's and Anthropic's, those of MCP servers, functions with schemas.

Which form a list has is told by its shape. What would make a tool another one is refused; what else it says is kept
with the atom, and not checked. ``docs/reference/tool-plans.md`` has the forms and where they are defined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import frozen

from planspec_lark.json_text.findings import Path, ValueFinding, missing_field, text_of, wrong_type
from planspec_lark.syntax.diagnostics import quote
from planspec_lark.toolplan.json_schemas import SchemaReader, join_names
from planspec_lark.toolplan.models import Atom
from planspec_lark.toolplan.structure import get_field, refuse_key, refuse_value

__all__ = ["DefinedTool", "Listed", "find_schema_key", "is_tool_list", "list_definitions", "read_tool_list"]


@frozen
class DefinedTool:
    """A tool with the path to its definition, and that to its id."""

    atom: Atom
    path: Path
    id_path: Path


@frozen
class _Form:
    """A form of tools.

    Attributes:
        name: what messages call a tool of it.
        inputs, outputs: the keys of the schemas.
        needs_inputs: whether a tool has to have the schema of its inputs.
    """

    name: str
    inputs: str = ""
    outputs: str = ""
    needs_inputs: bool = False


_CHAT = _Form("a function of OpenAI's Chat Completions", "parameters")
_RESPONSES = _Form("a function of OpenAI's Responses", "parameters", "output_schema")
_MCP = _Form("a tool of an MCP server", "inputSchema", "outputSchema", needs_inputs=True)
_ANTHROPIC = _Form("a tool of Anthropic's Messages", "input_schema", needs_inputs=True)
_FUNCTION = _Form("a function with `parameters`", "parameters")
_ATOM = _Form("an atom")
_OTHER = _Form("a tool that is not a function")
_MIXED = _Form("a tool of two forms")

_SCHEMAS = ("inputSchema", "input_schema", "parameters")
_BY_KEY = {"inputSchema": _MCP, "input_schema": _ANTHROPIC, "parameters": _FUNCTION, "function": _CHAT}
# What is read of a tool or would be taken for a field of an atom.
_FIELDS = {
    "id",
    "name",
    "type",
    "function",
    "description",
    "inputs",
    "outputs",
    *_SCHEMAS,
    "outputSchema",
    "output_schema",
}

# A definition with its path, and the id that its key gives it.
Listed = tuple[Path, str | None, Any]


# ---------------------------------------------------------------- forms


def _is_atom(value: object) -> bool:
    """Whether a value that is no list of tools is one atom, and not atoms by id."""
    is_object = isinstance(value, dict) and not isinstance(value.get("atoms"), list)
    return is_object and "id" in value and not isinstance(value["id"], dict | Atom)  # type: ignore[operator,index]


def is_tool_list(value: object) -> bool:
    """Whether a value is a list of tools of another form than atoms, or one such tool."""
    if isinstance(value, dict):
        if isinstance(value.get("atoms"), list):
            return False
        # What programs keep of a call may have an id as well.
        is_atom = "id" in value and ("inputs" in value or "outputs" in value)
        has_tools = isinstance(value.get("tools"), list) and not is_atom
        return has_tools or isinstance(value.get("jsonrpc"), str) or _is_tool(value)
    if not isinstance(value, list):
        return False
    form = _find_form(value)
    return form is not _ATOM if form is not None else any(map(_is_telling, value))


def find_schema_key(definition: dict[Any, Any]) -> str:
    """The key of another form under which an atom without inputs has them."""
    return next(iter(_schema_keys(definition)), "") if "inputs" not in definition else ""


def _is_tool(value: dict[Any, Any]) -> bool:
    """Whether an object is one tool of another form: in an object of atoms all values are objects."""
    has_text = isinstance(value.get("name"), str) or value.get("type") == "function"
    return has_text and _form_of(value) not in (None, _ATOM, _OTHER, _MIXED)


def _find_form(entries: Iterable[Any]) -> _Form | None:
    """The form of a list: that of its first tool that has one."""
    forms = (_form_of(entry) for entry in entries)
    return next((form for form in forms if form not in (None, _OTHER, _MIXED)), None)


def _is_telling(entry: object) -> bool:
    """Whether a tool without a form of its own shows that its list is not a list of atoms."""
    form = _form_of(entry)
    return form is _MIXED or (form is _OTHER and isinstance(entry, dict) and entry["type"] == "custom")


def _form_of(entry: object) -> _Form | None:
    """The form of one tool; None where it says too little."""
    if not isinstance(entry, dict):
        return None
    keys, kind = _schema_keys(entry), entry.get("type")
    if "id" in entry or "inputs" in entry or "outputs" in entry:
        # An atom that has its inputs may say whatever else it likes.
        return _ATOM if not keys or ("id" in entry and "inputs" in entry) else _MIXED
    if len(keys) > 1:
        return _MIXED
    if kind == "function" and keys in ([], ["parameters"]):
        return _RESPONSES
    if keys:
        return _BY_KEY[keys[0]]
    return _OTHER if isinstance(kind, str) else None


def _schema_keys(entry: dict[Any, Any]) -> list[str]:
    """The keys of forms under which a tool has its inputs."""
    keys = [key for key in _SCHEMAS if key in entry]
    is_chat = entry.get("type") == "function" and isinstance(entry.get("function"), dict)
    return [*keys, "function"] if is_chat else keys


# ---------------------------------------------------------------- lists


def list_definitions(value: object) -> Iterator[Listed | ValueFinding]:
    """The definitions in a file: one, a list, an object with the list as ``atoms``, or definitions by id."""
    if _is_atom(value):
        yield (), None, value
    elif isinstance(value, dict) and isinstance(value.get("atoms"), list):
        for key in value:
            if not isinstance(key, str) or key != "atoms":
                yield ValueFinding("PT102", "only the field `atoms` is allowed here", (text_of(key),), at_key=True)
        yield from ((("atoms", at), None, one) for at, one in enumerate(value["atoms"]))
    elif isinstance(value, dict):
        for key, one in value.items():
            yield ((key,), key, one) if isinstance(key, str) else refuse_key(key, ())
    elif isinstance(value, list | tuple):
        yield from (((at,), None, one) for at, one in enumerate(value))
    else:
        help = "write a list, an object with the list as `atoms`, definitions by id, or one with its `id`"
        yield ValueFinding("PT102", wrong_type("atoms", value), (), help)


def read_tool_list(value: object) -> Iterator[DefinedTool | ValueFinding]:
    """The tools of such a list; what is wrong with others, in place of them."""
    path: Path = ()
    if isinstance(value, dict) and isinstance(value.get("jsonrpc"), str):
        if "result" not in value:
            help = "a server's answer to `tools/list` has a `result`"
            key = next((key for key in ("error", "method") if key in value), "result")
            yield ValueFinding("PT101", missing_field("result"), (key,), help, at_key=True)
            return
        found: list[ValueFinding] = []
        result: Any = get_field(value, "result", dict, path, found.append)
        value, path = result, ("result",)
        if result is not None:
            get_field(result, "tools", list, path, found.append)
        yield from found
        if found:
            return
    if isinstance(value, dict) and isinstance(value.get("tools"), list):
        if value.get("nextCursor") is not None:
            help = "ask the server for the other pages, and pass them as further files"
            yield ValueFinding("PT608", "this is not the last page of tools", (*path, "nextCursor"), help)
        value, path = value["tools"], (*path, "tools")
    entries = [((*path, at), one) for at, one in enumerate(value)] if isinstance(value, list) else [(path, value)]
    yield from _read_entries(entries, path)


def _read_entries(entries: list[tuple[Path, Any]], path: Path) -> Iterator[DefinedTool | ValueFinding]:
    """All tools of a list, each with its path, and at last which of them do not say what comes out."""
    form = _find_form(entry for _, entry in entries)
    if form is _ATOM:
        # Only a list that says that it is one of tools gets here with atoms.
        yield ValueFinding("PT604", "expected atoms as `atoms`, not as `tools`", path, at_key=True)
        return
    made: list[Atom] = []
    for where, entry in entries:
        findings: list[ValueFinding] = []
        tool = _read_tool(entry, form, where, findings)
        yield from findings
        if tool is not None:
            made.append(tool.atom)
            yield tool
    if silent := [atom.id for atom in made if atom.outputs is None]:
        which = "" if len(silent) == len(made) else f" ({join_names(silent)})"
        message = f"tools that do not name their outputs: {len(silent):,} of {len(made):,}{which}"
        yield ValueFinding("PT609", message, path, "references to their outputs are not checked")


def _read_tool(entry: object, listed: _Form | None, path: Path, findings: list[ValueFinding]) -> DefinedTool | None:
    """The tool of an entry of a list whose form this is; None where no tool in it has one."""
    form = _form_of(entry)
    if not isinstance(entry, dict):
        findings.append(refuse_value(entry, "an object", path))
    elif form is _MIXED:
        keys = [key for key in ("id", "inputs", "outputs", "function", *_SCHEMAS) if key in entry]
        message = f"a tool in two forms: it has {join_names(keys)}"
        findings.append(ValueFinding("PT604", message, (*path, keys[-1]), at_key=True))
    elif form is _OTHER and listed is not _MCP:
        message = f"a tool of type {quote(entry['type'])} is not a function, and is left out"
        findings.append(ValueFinding("PT606", message, (*path, "type"), "plans call functions with named inputs"))
    elif listed is None:
        help = "write them in `parameters`, `inputSchema` or `input_schema`"
        findings.append(ValueFinding("PT101", "the schema of its inputs is missing", path, help))
    elif form not in (None, _OTHER, listed):
        assert form is not None
        message = f"this is {form.name} in a list that begins with {listed.name}"
        findings.append(ValueFinding("PT604", message, path, "write one list for each form"))
    else:
        return _build(entry, path, listed, findings)
    return None


# ---------------------------------------------------------------- one tool


def _build(entry: dict[Any, Any], path: Path, form: _Form, findings: list[ValueFinding]) -> DefinedTool | None:
    """The atom of a tool; None where something is wrong with it."""
    report, body, where = findings.append, entry, path
    if form is _RESPONSES:
        get_field(entry, "type", str, path, report)
    elif form is _CHAT:
        # The object that names the tool and says what it takes.
        body, where = get_field(entry, "function", dict, path, report), (*path, "function")
        if body is None:
            return None
    name = get_field(body, "name", str, where, report)
    if name == "":
        report(ValueFinding("PT602", "the name is empty", (*where, "name")))
    # What may be left out may be null as well.
    said = {key: one for key, one in body.items() if one is not None or (key == form.inputs and form.needs_inputs)}
    description = get_field(said, "description", str, where, report, is_needed=False)
    inputs = get_field(said, form.inputs, dict, where, report, is_needed=form.needs_inputs)
    outputs = get_field(said, form.outputs, dict, where, report, is_needed=False)
    taken = () if inputs is None else SchemaReader(inputs, (*where, form.inputs), findings).read_inputs()
    given = None if outputs is None else SchemaReader(outputs, (*where, form.outputs), findings).read_outputs()
    if any(one.is_error for one in findings):
        return None
    extra = {text_of(key): one for part in (entry, body) for key, one in part.items() if key not in _FIELDS}
    return DefinedTool(Atom(name, taken, given, description or "", extra), path, (*where, "name"))
