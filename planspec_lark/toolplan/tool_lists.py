"""Lists of tools as other programs have them: OpenAI's and Anthropic's, those of MCP servers, functions with schemas.

Which form a list has is told by its shape. What it says and an atom cannot say is named, what would make a tool another
one is refused. ``docs/reference/tool-plans.md`` has the forms and where they are defined.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import define, frozen

from planspec_lark.json_text.findings import Path, ValueFinding, missing_field, text_of
from planspec_lark.syntax.diagnostics import quote
from planspec_lark.toolplan.json_schemas import SchemaReader, join_names
from planspec_lark.toolplan.models import Atom
from planspec_lark.toolplan.structure import miss_field, refuse_value

__all__ = ["DefinedTool", "find_schema_key", "is_atom", "is_tool_list", "read_tool_list"]


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
# What is read of a tool or would be taken for a field of an atom; what only describes it; what is said of a list.
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
_DESCRIBING = {"title", "icons", "annotations", "_meta", "cache_control", "input_examples"}
_ABOUT_LIST = {"tools", "nextCursor", "_meta", "resultType", "ttlMs", "cacheScope"}
_ABOUT_ANSWER = {"jsonrpc", "id", "result"}


# ---------------------------------------------------------------- forms


def is_atom(value: object) -> bool:
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


def _find_form(entries: list[Any]) -> _Form | None:
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


def read_tool_list(value: object) -> Iterator[DefinedTool | ValueFinding]:
    """The tools of such a list; what is wrong with others, in place of them, and what is not carried over."""
    path: Path = ()
    if isinstance(value, dict) and isinstance(value.get("jsonrpc"), str):
        yield from _name_unread(value, _ABOUT_ANSWER, path)
        if "result" not in value:
            help = "a server's answer to `tools/list` has a `result`"
            key = next((key for key in ("error", "method") if key in value), "result")
            yield ValueFinding("PT101", missing_field("result"), (key,), help, at_key=True)
            return
        value, path = value["result"], ("result",)
        if not isinstance(value, dict):
            yield refuse_value(value, "an object", path)
            return
        if not isinstance(value.get("tools"), list):
            where = (*path, "tools")
            yield refuse_value(value["tools"], "a list", where) if "tools" in value else miss_field("tools", path)
            return
    if isinstance(value, list):
        yield from _read_entries(value, path)
    elif isinstance(value, dict) and isinstance(value.get("tools"), list):
        yield from _name_unread(value, _ABOUT_LIST, path)
        if value.get("nextCursor") is not None:
            help = "ask the server for the other pages, and pass them as further files"
            yield ValueFinding("PT608", "this is not the last page of tools", (*path, "nextCursor"), help)
        yield from _read_entries(value["tools"], (*path, "tools"))
    elif isinstance(value, dict):
        form = _form_of(value)
        assert form is not None
        yield from _Reading(form, path).read([(path, value)])


def _read_entries(entries: list[Any], path: Path) -> Iterator[DefinedTool | ValueFinding]:
    form = _find_form(entries)
    if form is _ATOM:
        # Only a list that says that it is one of tools gets here with atoms.
        yield ValueFinding("PT604", "expected atoms as `atoms`, not as `tools`", path, at_key=True)
        return
    listed = (((*path, at), entry) for at, entry in enumerate(entries))
    yield from _Reading(form, path).read(listed)


def _name_unread(value: dict[Any, Any], known: set[str], path: Path) -> Iterator[ValueFinding]:
    for key in value:
        if key not in known:
            yield ValueFinding("PT607", f"{quote(text_of(key))} is not read", (*path, text_of(key)), at_key=True)


@define
class _Reading:
    """Reads the tools of one list.

    Attributes:
        form: that of the list; None where no tool in it has one.
        path: the path to the list.
    """

    form: _Form | None
    path: Path

    def read(self, listed: Any) -> Iterator[DefinedTool | ValueFinding]:
        """All tools, and at last which of them do not say what comes out."""
        silent: list[str] = []
        count = 0
        for path, entry in listed:
            findings: list[ValueFinding] = []
            made = self._read_tool(entry, path, findings)
            yield from findings
            if made is not None:
                count += 1
                yield made
                if made.atom.outputs is None:
                    silent.append(made.atom.id)
        if silent:
            which = "" if len(silent) == count else f" ({join_names(silent)})"
            message = f"tools that do not name their outputs: {len(silent):,} of {count:,}{which}"
            yield ValueFinding("PT609", message, self.path, "references to their outputs are not checked")

    def _read_tool(self, entry: object, path: Path, findings: list[ValueFinding]) -> DefinedTool | None:
        form = _form_of(entry)
        if not isinstance(entry, dict):
            findings.append(refuse_value(entry, "an object", path))
        elif form is _MIXED:
            keys = [key for key in ("id", "inputs", "outputs", "function", *_SCHEMAS) if key in entry]
            message = f"a tool in two forms: it has {join_names(keys)}"
            findings.append(ValueFinding("PT604", message, (*path, keys[-1]), at_key=True))
        elif form is _OTHER and self.form is not _MCP:
            message = f"a tool of type {quote(entry['type'])} is not a function, and is left out"
            findings.append(ValueFinding("PT606", message, (*path, "type"), "plans call functions with named inputs"))
        elif self.form is None:
            help = "write them in `parameters`, `inputSchema` or `input_schema`"
            findings.append(ValueFinding("PT101", "the schema of its inputs is missing", path, help))
        elif form not in (None, _OTHER, self.form):
            assert form is not None
            message = f"this is {form.name} in a list that begins with {self.form.name}"
            findings.append(ValueFinding("PT604", message, path, "write one list for each form"))
        else:
            return _build(entry, path, self.form, findings)
        return None


# ---------------------------------------------------------------- one tool


def _find_body(
    entry: dict[Any, Any], path: Path, form: _Form, findings: list[ValueFinding]
) -> tuple[dict[Any, Any], Path] | None:
    """The object that names the tool of an entry and says what it takes, and where it is; None where there is none."""
    if form is _RESPONSES and "type" not in entry:
        findings.append(miss_field("type", path))
    if form is not _CHAT:
        return entry, path
    body = entry.get("function")
    if not isinstance(body, dict):
        findings.append(miss_field("function", path))
        return None
    _name_others(entry, ("type", "function"), path, findings)
    return body, (*path, "function")


def _build(entry: dict[Any, Any], path: Path, form: _Form, findings: list[ValueFinding]) -> DefinedTool | None:
    """The atom of a tool; None where something is wrong with it."""
    found = _find_body(entry, path, form, findings)
    if found is None:
        return None
    body, where = found
    name = _read_name(body, where, findings)
    description = body.get("description")
    if description is not None and not isinstance(description, str):
        findings.append(refuse_value(description, "a string", (*where, "description")))
    if form.needs_inputs and form.inputs not in body:
        findings.append(miss_field(form.inputs, where))
    inputs = _read_schema(body, form.inputs, where, findings, is_needed=form.needs_inputs)
    outputs = _read_schema(body, form.outputs, where, findings)
    taken = () if inputs is None else inputs.read_inputs()
    given = None if outputs is None else outputs.read_outputs()
    for reader in filter(None, (inputs, outputs)):
        findings += reader.findings
    kind = ("type",) if body.get("type") in ("function", "custom") else ()
    _name_others(body, ("name", "description", form.inputs, form.outputs, *kind), where, findings)
    if any(one.is_error for one in findings):
        return None
    extra = {text_of(key): one for part in (entry, body) for key, one in part.items() if key not in _FIELDS}
    return DefinedTool(Atom(name, taken, given, description or "", extra), path, (*where, "name"))


def _read_name(body: dict[Any, Any], path: Path, findings: list[ValueFinding]) -> str:
    name = body.get("name", "")
    if "name" not in body:
        findings.append(miss_field("name", path))
    elif not isinstance(name, str):
        findings.append(refuse_value(name, "a string", (*path, "name")))
    elif not name:
        findings.append(ValueFinding("PT602", "the name is empty", (*path, "name")))
    return name if isinstance(name, str) else ""


def _read_schema(
    body: dict[Any, Any], key: str, path: Path, findings: list[ValueFinding], *, is_needed: bool = False
) -> SchemaReader | None:
    """The reader of a schema; None where there is no schema. One that may be left out may be null as well."""
    schema = body.get(key)
    if schema is None and not (is_needed and key in body):
        return None
    if isinstance(schema, dict):
        return SchemaReader(schema, (*path, key))
    findings.append(refuse_value(schema, "an object", (*path, key)))
    return None


def _name_others(body: dict[Any, Any], known: tuple[str, ...], path: Path, findings: list[ValueFinding]) -> None:
    """That other fields of a tool are ignored, such as `strict`; what is switched off says nothing."""
    others = [
        text_of(key)
        for key, value in body.items()
        if key not in known and key not in _DESCRIBING and value is not None and value is not False
    ]
    if others:
        findings.append(ValueFinding("PT607", f"not checked: {join_names(others)}", (*path, others[0]), at_key=True))
