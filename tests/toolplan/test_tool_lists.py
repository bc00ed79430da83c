"""Lists of tools of other programs: every form, what becomes of schemas, and what is named or refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

import anyio
import pytest
from mcp import Client
from mcp.server.mcpserver import MCPServer
from mcp_types import JSONRPCResponse
from openai import pydantic_function_tool
from openai.types.chat import ChatCompletionCustomToolParam, ChatCompletionFunctionToolParam
from openai.types.responses import CustomToolParam, FunctionToolParam, WebSearchToolParam
from pydantic import BaseModel, Field

from planspec_lark.toolplan import (
    Atom,
    AtomInput,
    AtomOutput,
    AtomsError,
    Registry,
    load_atoms,
    registry_from_value,
    registry_to_value,
    validate_plan_doc,
)
from tests.cases import in_one_test
from tests.toolplan import oracle
from tests.toolplan.plans import document
from tests.toolplan.test_oracle import Maker

CITY: dict[str, Any] = {"type": "string", "description": "Where"}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"city": CITY, "days": {"type": "integer"}},
    "required": ["city"],
}
RESULT: dict[str, Any] = {"type": "object", "properties": {"degrees": {"type": "number"}}, "required": ["degrees"]}
INPUTS = (AtomInput("city", "string", required=True, description="Where"), AtomInput("days", "integer"))
SAID = {"name": "weather", "description": "The weather"}
# The tool as all forms say it, and as those say it that have a place for what comes out.
SILENT = Atom("weather", INPUTS, None, "The weather")
TOLD = Atom("weather", INPUTS, (AtomOutput("degrees", "number"),), "The weather")

CHAT: ChatCompletionFunctionToolParam = {"type": "function", "function": {**SAID, "parameters": SCHEMA}}  # type: ignore[typeddict-item]
RESPONSES: FunctionToolParam = {
    "type": "function",
    "name": "weather",
    "description": "The weather",
    "parameters": SCHEMA,
    "strict": None,
    "output_schema": RESULT,
}
MCP = {**SAID, "inputSchema": SCHEMA, "outputSchema": RESULT}
ANTHROPIC = {**SAID, "input_schema": SCHEMA}
FUNCTION = {**SAID, "parameters": SCHEMA}
CUSTOM: ChatCompletionCustomToolParam = {"type": "custom", "custom": {"name": "draw"}}
FLAT_CUSTOM: CustomToolParam = {"type": "custom", "name": "draw"}
SEARCH: WebSearchToolParam = {"type": "web_search"}
FORMS: dict[str, tuple[Any, Atom]] = {
    "chat": (CHAT, SILENT),
    "responses": (RESPONSES, TOLD),
    "mcp": (MCP, TOLD),
    "anthropic": (ANTHROPIC, SILENT),
    "anthropic, typed": ({**ANTHROPIC, "type": "custom"}, SILENT),
    "function": (FUNCTION, SILENT),
}


def read(value: Any) -> Registry:
    """The tools, which also are what they become as atoms, and what a folder with them holds."""
    registry = registry_from_value(value)
    assert registry_from_value(registry_to_value(registry)) == registry
    return registry


def warnings(value: Any) -> list[tuple[str, str, str]]:
    return [(one.code, one.path, one.message) for one in read(value).diagnostics if one.code != "PT609"]


def faults(value: Any) -> list[tuple[str, str]]:
    with pytest.raises(AtomsError) as caught:
        registry_from_value(value)
    return [(one.code, one.path) for one in caught.value.diagnostics]


def with_property(schema: Any, **root: Any) -> dict[str, Any]:
    return {"name": "t", "inputSchema": {"type": "object", "properties": {"x": schema}, **root}}


# ---------------------------------------------------------------- forms


@pytest.mark.parametrize("name", FORMS)
def test_a_tool_of_each_form(name: str, tmp_path: Path) -> None:
    tool, expected = FORMS[name]
    other = json.loads(json.dumps(tool).replace('"weather"', '"other"'))
    for value in (tool, [tool], {"tools": [tool]}):
        registry = read(value)
        (atom,) = registry
        assert Atom(atom.id, atom.inputs, atom.outputs, atom.description) == expected
        assert [one.code for one in registry.diagnostics] == (["PT609"] if expected.outputs is None else [])
    assert [atom.id for atom in read([tool, other])] == ["weather", "other"]
    (tmp_path / "a.json").write_text(json.dumps([tool]))
    (tmp_path / "b.json").write_text(json.dumps(other))
    assert [atom.id for atom in load_atoms(tmp_path)] == ["weather", "other"]


def test_forms_in_yaml(tmp_path: Path) -> None:
    path = tmp_path / "tools.yaml"
    path.write_text("tools:\n- name: now\n  inputSchema: {type: object}\n- name: now\n  inputSchema: {type: object}\n")
    with pytest.raises(AtomsError) as caught:
        load_atoms(path)
    (found,) = caught.value.diagnostics
    assert (found.code, found.message, found.line, found.column) == (
        "PT601",
        f"duplicate atom `now`, first seen at {path}:2:3",
        4,
        9,
    )


def test_answers_of_a_server() -> None:
    result = {"tools": [MCP], "ttlMs": 0, "cacheScope": "private", "resultType": "complete", "_meta": {}}
    answer = {"jsonrpc": "2.0", "id": 1, "result": result}
    assert list(read(answer)) == list(read(result)) == [TOLD]
    assert warnings(answer) == []
    assert warnings({**answer, "result": {**result, "nextCursor": "a"}}) == [
        ("PT608", "result.nextCursor", "this is not the last page of tools")
    ]
    assert warnings({**result, "nextCursor": None}) == []
    assert faults({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no"}}) == [("PT101", "error")]
    assert faults({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}) == [("PT101", "method")]
    assert faults({"jsonrpc": "2.0", "id": 1, "result": []}) == [("PT102", "result")]
    assert faults({"jsonrpc": "2.0", "id": 1, "result": {}}) == [("PT101", "result.tools")]
    assert faults({"jsonrpc": "2.0", "id": 1, "result": {"tools": {}}}) == [("PT102", "result.tools")]


def test_lists_without_functions() -> None:
    values: list[Any] = [[CUSTOM], [FLAT_CUSTOM], {"tools": [CUSTOM]}, {"tools": [SEARCH]}, {"tools": []}]
    for value in values:
        assert list(read(value)) == []
    assert warnings([CUSTOM, CHAT]) == [
        ("PT606", "[0].type", "a tool of type `custom` is not a function, and is left out"),
    ]
    assert [(code, path) for code, path, _ in warnings({"tools": [RESPONSES, FLAT_CUSTOM, SEARCH]})] == [
        ("PT606", "tools[1].type"),
        ("PT606", "tools[2].type"),
    ]


def test_functions_without_inputs() -> None:
    now = {"name": "now"}
    for value in (
        {"type": "function", "function": now},
        {**now, "type": "function", "parameters": None},
        {**now, "type": "function"},
        {**now, "parameters": {}},
        {**now, "parameters": {"type": "object", "properties": {}}},
        {**now, "inputSchema": {"type": "object", "additionalProperties": False}},
    ):
        assert list(read([value])) == [Atom("now", outputs=None)]
        assert warnings([value]) == []
    assert [atom.id for atom in read([FUNCTION, now])] == ["weather", "now"]


def test_names_are_ids_as_they_are() -> None:
    names = ["a b", "drei/vier", "naïve", "1", "tools.list", "x" * 300, " ", "a\nb"]
    assert [atom.id for atom in read([{"name": name, "inputSchema": {}} for name in names])] == names


@in_one_test
@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ([{**MCP, "name": ""}], [("PT602", "[0].name")]),
        ([{**MCP, "name": 5}], [("PT102", "[0].name")]),
        ([{"inputSchema": {}}], [("PT101", "[0].name")]),
        ([MCP, MCP], [("PT601", "[1].name")]),
        ([MCP, None], [("PT102", "[1]")]),
        ([MCP, {"name": "b"}], [("PT101", "[1].inputSchema")]),
        ([{**MCP, "inputSchema": None}], [("PT102", "[0].inputSchema")]),
        ([{**MCP, "inputSchema": True}], [("PT102", "[0].inputSchema")]),
        ([{**MCP, "outputSchema": []}], [("PT102", "[0].outputSchema")]),
        ([{**MCP, "description": 1}], [("PT102", "[0].description")]),
        ([CHAT, {"type": "function"}], [("PT604", "[1]")]),
        ([CHAT, {"name": "b"}], [("PT101", "[1].function")]),
        ([RESPONSES, {"name": "b"}], [("PT101", "[1].type")]),
        ({"tools": [{"name": "b"}]}, [("PT101", "tools[0]")]),
        # Mixtures.
        ([MCP, ANTHROPIC], [("PT604", "[1]")]),
        ([CHAT, RESPONSES], [("PT604", "[1]")]),
        ([MCP, {"id": "x"}], [("PT604", "[1]")]),
        ([{"id": "x"}, MCP], [("PT604", "[1].inputSchema")]),
        ({"weather": MCP}, [("PT604", "weather.inputSchema")]),
        ({"atoms": [CHAT]}, [("PT604", "atoms[0].function")]),
        ({"tools": [{"id": "x"}]}, [("PT604", "tools")]),
        ({"atoms": [], "tools": [MCP]}, [("PT102", "tools")]),
        ([{**MCP, "parameters": {}}], [("PT604", "[0].parameters")]),
        ([FUNCTION, {**MCP, "parameters": {}}], [("PT604", "[1].parameters")]),
        ([MCP, {**MCP, "id": "b"}], [("PT604", "[1].inputSchema")]),
    ],
)
def test_what_is_refused(value: Any, expected: list[tuple[str, str]]) -> None:
    assert sorted(faults(value)) == sorted(expected)


def test_an_atom_that_has_its_inputs_may_say_anything_else() -> None:
    atom = {"id": "x", "inputs": {"a": "string"}, "parameters": {"depth": 1}, "tools": [], "name": "X"}
    for value in (atom, [atom], {"x": atom}):
        (made,) = read(value)
        assert (made.id, made.inputs, made.extra) == (
            "x",
            (AtomInput("a", "string"),),
            {"parameters": {"depth": 1}, "tools": [], "name": "X"},
        )


# ---------------------------------------------------------------- schemas


@in_one_test
@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ({"type": "string"}, "string"),
        ({"type": ["string", "null"]}, ("string", "null")),
        ({"type": "integer", "nullable": True}, ("integer", "null")),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, ("string", "null")),
        ({"oneOf": [{"type": "integer"}, {"anyOf": [{"type": "string"}]}]}, ("integer", "string")),
        ({"allOf": [{"$ref": "#/$defs/a"}], "description": "A"}, "array"),
        ({"$ref": "#/$defs/a"}, "array"),
        ({"$ref": "#/$defs/b"}, ("array", "null")),
        ({"$ref": "#/$defs/c~1d%25/0"}, "boolean"),
        ({"$ref": "#/$defs/loop"}, ""),
        ({"$ref": "#"}, "object"),
        ({"$ref": "#/$defs/none"}, ""),
        ({"$ref": "https://example.org/a"}, ""),
        ({"$ref": 1}, ""),
        ({"enum": ["a", 1, 2]}, ("string", "integer")),
        ({"const": None}, "null"),
        ({"type": "string", "enum": ["a"], "pattern": "a", "minLength": 1}, "string"),
        ({"type": "string", "format": "date", "title": "T", "default": "x", "examples": []}, "string"),
        ({"type": "array", "items": {"type": "string"}}, "array"),
        ({"type": "array", "items": {}}, "array"),
        ({"type": "object", "properties": {"a": {}}, "required": ["a"]}, "object"),
        ({"type": "object", "additionalProperties": True}, "object"),
        ({"type": "object", "additionalProperties": False}, "object"),
        ({"anyOf": [{"type": "string", "pattern": "a"}, {"type": "null"}]}, ("string", "null")),
        ({"type": "string", "anyOf": [{"pattern": "a"}]}, "string"),
        ({"anyOf": [{"minLength": 1}, {"type": "null"}]}, ""),
        ({"allOf": [{"type": "string"}, {"pattern": "a"}]}, ""),
        ({"not": {"type": "string"}}, ""),
        ({"type": "file"}, ""),
        ({"type": "dict"}, "dict"),
        ({"anyOf": []}, ""),
        ({}, ""),
        (True, ""),
    ],
)
def test_types(schema: Any, types: str | tuple[str, ...]) -> None:
    defs = {
        "a": {"type": "array"},
        "b": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]},
        "c/d%": [{"type": "boolean"}],
        "loop": {"$ref": "#/$defs/loop"},
    }
    tool = with_property(schema, **{"$defs": defs})
    (atom,) = read([tool])
    (one,) = atom.inputs
    assert (one.name, one.type, one.required) == ("x", types, False)
    assert [code for code, _, _ in warnings([tool])] == []


def test_a_property_that_nothing_satisfies_is_none() -> None:
    assert list(read([with_property(False)])) == [Atom("t", outputs=None)]


def test_a_required_input_that_may_be_null_need_not_be_there() -> None:
    tool = with_property({"type": ["string", "null"]}, required=["x"])
    (atom,) = read([tool])
    assert not atom.inputs[0].required
    assert warnings([tool]) == []


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string"}, ("PT605", "type")),
        ({"type": ["string", "null"]}, ("PT605", "type")),
        ({"oneOf": [SCHEMA, SCHEMA]}, ("PT605", "")),
        ({"$ref": "https://example.org/a"}, ("PT605", "")),
        ({"$ref": "#"}, ("PT605", "")),
        ({"properties": []}, ("PT102", "properties")),
        ({"properties": {"a": 1}}, ("PT102", "properties.a")),
        ({"properties": {"a": {"type": 1}}}, ("PT102", "properties.a.type")),
        ({"properties": {"a": {"type": ["string", 1]}}}, ("PT102", "properties.a.type[1]")),
        ({"properties": {"a": {"description": 1}}}, ("PT102", "properties.a.description")),
        ({"properties": {"a": {"type": "string", "required": True}}}, ("PT102", "properties.a.required")),
        ({"properties": {"a": {}}, "required": True}, ("PT102", "required")),
        ({"properties": {"a": {}}, "required": [1]}, ("PT102", "required[0]")),
        ({"properties": {"a": {}}, "required": ["a", "b"]}, ("PT605", "required[1]")),
        ({"properties": {"a": False}, "required": ["a"]}, ("PT605", "required[0]")),
        ({"required": ["a"]}, ("PT605", "required[0]")),
    ],
)
def test_schemas_that_make_no_tool(schema: Any, expected: tuple[str, str]) -> None:
    code, path = expected
    assert faults([{"name": "t", "inputSchema": schema}]) == [(code, f"[0].inputSchema.{path}".rstrip("."))]


def test_a_schema_that_is_a_reference() -> None:
    schema = {"$ref": "#/definitions/Weather", "definitions": {"Weather": {**SCHEMA, "required": ["city", "q"]}}}
    assert faults([{"name": "t", "input_schema": schema}]) == [
        ("PT605", "[0].input_schema.definitions.Weather.required[1]")
    ]
    schema["definitions"] = {"Weather": SCHEMA}
    assert read([{**SAID, "input_schema": schema}]).find("weather") == SILENT


def test_outputs() -> None:
    def outputs(schema: Any) -> Any:
        (atom,) = read([{**MCP, "outputSchema": schema}])
        return atom.outputs

    assert outputs({"type": "object", "additionalProperties": False}) == ()
    for unknown in ({"type": "array"}, {"type": "object"}, {}, {"oneOf": [RESULT]}, None):
        assert outputs(unknown) is None
    optional = {**RESULT, "required": []}
    assert outputs(optional) == TOLD.outputs
    registry = registry_from_value([MCP, {**MCP, "name": "b", "outputSchema": None}])
    assert [one.message for one in registry.diagnostics] == ["tools that do not name their outputs: 1 of 2 (`b`)"]


def test_what_else_a_tool_says_is_kept() -> None:
    tool = {**MCP, "title": "W", "annotations": {"readOnlyHint": True}, "execution": {"taskSupport": "required"}}
    (atom,) = read([tool])
    assert atom.extra == {key: tool[key] for key in ("title", "annotations", "execution")}
    strict = {"type": "function", "function": {**FUNCTION, "strict": True}}
    assert warnings([tool]) == warnings([strict]) == []


# ---------------------------------------------------------------- references, and plain values


def test_unknown_outputs_are_not_checked() -> None:
    steps = [
        {"id": "weather", "target": "", "inputs": {"city": "Oulu"}},
        {"id": "weather", "target": "", "inputs": {"city": "${0.outputs.anything}", "days": "two"}},
        {"id": "weather", "target": "", "inputs": {"town": "Oulu"}},
    ]
    for registry in ([CHAT], CHAT, {"tools": [CHAT]}, registry_from_value([CHAT])):
        result = validate_plan_doc(document(*steps[:2]), registry)
        assert [one["code"] for one in result["warnings"]] == ["INPUT_TYPE_MISMATCH"]
        result = validate_plan_doc(document(*steps), registry)
        assert [one["code"] for one in result["errors"]] == ["UNKNOWN_INPUT_FIELD", "MISSING_REQUIRED_INPUT"]
    result = validate_plan_doc(document(*steps[:2]), [MCP])
    assert [one["code"] for one in result["errors"]] == ["UNKNOWN_OUTPUT_FIELD"]


def test_tools_with_faults_are_no_tools_of_a_plan() -> None:
    """As plain values, lists are read as far as they make sense: a plan that calls another one names no tool."""
    plan = document({"id": "weather", "target": "", "inputs": {}})
    for tool in ({**MCP, "inputSchema": {"required": ["town"]}}, {**MCP, "description": 1}, CUSTOM):
        result = validate_plan_doc(plan, {"tools": [tool]})
        assert [one["code"] for one in result["errors"]] == ["UNKNOWN_ATOM_ID"]


def test_an_atom_by_itself_is_a_registry() -> None:
    plan = document({"id": "x", "target": "", "inputs": {}})
    assert validate_plan_doc(plan, {"id": "x"})["valid"]
    assert validate_plan_doc(plan, {"id": {}, "x": {}})["valid"]
    assert not validate_plan_doc(plan, {"id": {}})["valid"]


def as_mcp(atom: dict[str, Any]) -> dict[str, Any]:
    def schema(slots: list[dict[str, Any]], required: list[str]) -> dict[str, Any]:
        named = {one["name"]: {"type": one["type"]} if one["type"] else {} for one in slots}
        return {"type": "object", "properties": named, "required": required, "additionalProperties": False}

    inputs = schema(atom["inputs"], [one["name"] for one in atom["inputs"] if one["required"]])
    outputs = schema(atom["outputs"], [one["name"] for one in atom["outputs"]])
    return {"name": atom["id"], "inputSchema": inputs, "outputSchema": outputs}


@in_one_test
@pytest.mark.parametrize("seed", range(60))
def test_the_second_opinion_is_the_same_for_tools_of_servers(seed: int) -> None:
    maker = Maker(seed, 0.9)
    atoms = maker.atoms()
    for one in (one for atom in atoms for one in atom["inputs"]):
        # What may be null need not be there.
        one["required"] = one["required"] and one["type"] not in ("null", ["string", "null"])
    plan = maker.document(atoms)
    opinion = oracle.judge(plan, atoms)
    tools = {"tools": [as_mcp(atom) for atom in atoms]}
    expected = validate_plan_doc(plan, atoms)
    assert expected["valid"] == opinion.is_valid
    assert validate_plan_doc(plan, tools) == validate_plan_doc(plan, registry_from_value(tools))
    result = validate_plan_doc(plan, tools)
    assert [(one["code"], one["path"]) for one in result.get("errors", result.get("warnings", []))] == [
        (one["code"], one["path"]) for one in expected.get("errors", expected.get("warnings", []))
    ]
    assert result.get("execution_order") == expected.get("execution_order")


# ---------------------------------------------------------------- real packages


class Place(BaseModel):
    """A place."""

    city: str
    country: str = "FI"


class Weather(BaseModel):
    """What the weather is."""

    degrees: float
    sky: str | None = None


@contextmanager
def a_server() -> Iterator[MCPServer]:
    server = MCPServer("weather")

    @server.tool()
    def weather(
        place: Place, unit: Literal["c", "f"] = "c", days: int = Field(1, ge=1), note: str | None = None
    ) -> Weather:
        """The weather."""
        return Weather(degrees=len(place.city) + days + len(unit) + len(note or ""))

    @server.tool()
    def log(line: str):  # type: ignore[no-untyped-def]
        """Write a line."""
        del line

    yield server


def test_the_list_of_a_real_server(tmp_path: Path) -> None:
    async def ask(server: MCPServer) -> Any:
        async with Client(server) as client:
            return await client.list_tools()

    with a_server() as server:
        result = anyio.run(ask, server)
    plain = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    answer = JSONRPCResponse(jsonrpc="2.0", id=1, result=plain)
    (tmp_path / "answer.json").write_text(answer.model_dump_json())
    (tmp_path / "result.json").write_text(json.dumps(plain, indent=1))
    registry = load_atoms(tmp_path / "answer.json")
    assert registry == load_atoms(tmp_path / "result.json")
    weather, log = registry
    assert [(one.name, one.type, one.required) for one in weather.inputs] == [
        ("place", "object", True),
        ("unit", "string", False),
        ("days", "integer", False),
        ("note", ("string", "null"), False),
    ]
    assert weather.outputs is not None
    assert [(one.name, one.type) for one in weather.outputs] == [("degrees", "number"), ("sky", ("string", "null"))]
    assert (log.id, log.outputs) == ("log", None)
    found = load_atoms(tmp_path / "result.json").diagnostics
    assert [one.message for one in found] == [
        "tools that do not name their outputs: 1 of 2 (`log`)",
    ]
    assert all(one.source is not None and one.span is not None for one in found)


def test_a_list_that_the_client_of_openai_makes() -> None:
    class GetWeather(BaseModel):
        """The weather."""

        place: Place
        unit: Literal["c", "f"] | None

    tool = pydantic_function_tool(GetWeather)
    registry = registry_from_value([tool])
    (atom,) = registry
    assert (atom.id, atom.description, atom.outputs) == ("GetWeather", "The weather.", None)
    assert [(one.name, one.type, one.required) for one in atom.inputs] == [
        ("place", "object", True),
        ("unit", ("string", "null"), False),
    ]
    assert [one.message for one in registry.diagnostics] == [
        "tools that do not name their outputs: 1 of 1",
    ]


# ---------------------------------------------------------------- hostile lists


def test_deep_values_are_not_walked() -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = {"anyOf": [deep], "properties": {"a": deep}, "$ref": deep}
    for schema in (deep, with_property(deep)["inputSchema"], {"anyOf": [deep]}):
        for tool in ({"name": "t", "inputSchema": schema}, {"type": "function", "function": {"parameters": schema}}):
            validate_plan_doc(document(), [tool])
            with suppress(AtomsError):
                registry_from_value([tool])


def test_many_alternatives_are_any_type() -> None:
    for schema in ({"anyOf": [{"type": "string"}] * 1000}, {"enum": ["a"] * 1000}, {"type": ["string"] * 1000}):
        (atom,) = registry_from_value([with_property(schema)])
        assert atom.inputs[0].type == ""


def test_keys_that_json_does_not_have() -> None:
    assert faults([{"name": "t", "inputSchema": {"properties": {1: {}}}}]) == [
        ("PT102", '[0].inputSchema.properties["1"]')
    ]
    assert warnings([{**MCP, None: 1}]) == []


def test_errors_are_not_hidden_behind_warnings(tmp_path: Path) -> None:
    many = [FUNCTION, *([{"type": "custom", "name": "x"}] * 1500)]
    (tmp_path / "a.json").write_text(json.dumps([*many, {"name": "", "parameters": {}}]))
    with pytest.raises(AtomsError) as caught:
        load_atoms(tmp_path)
    assert [one.code for one in caught.value.diagnostics] == ["PT602"]
    (tmp_path / "a.json").write_text(json.dumps(many))
    found = load_atoms(tmp_path).diagnostics
    assert (len(found), found[-1].message) == (1001, "501 more findings are not listed")
