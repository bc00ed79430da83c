"""Hostile references and tool plans of any size, and what reads them."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from planspec_lark import render_all
from planspec_lark.toolplan import AtomsError, check_tool_plan, load_atoms, validate_plan_doc
from planspec_lark.toolplan.parser import read_doc
from planspec_lark.toolplan.references import read_pieces
from tests.growth.work import Work

__all__ = ["ATOMS_SHAPES", "ATOMS_WORK", "DOCUMENT_SHAPES", "DOCUMENT_WORK", "TOOLPLAN_SHAPES", "TOOLPLAN_WORK"]


def _many(piece: str) -> Callable[[int], str]:
    return lambda size: "".join(piece.format(number) for number in range(1 + size // len(piece)))


# Name → the text of about so many characters.
TOOLPLAN_SHAPES: dict[str, Callable[[int], str]] = {
    "openings": _many("${{"),
    "dollars": _many("$"),
    "escapes": _many("$${{"),
    "malformed references": _many("${{a}}"),
    "references that are not closed": _many("${{a.outputs.b "),
    "one long step": lambda size: "${" + "a." * (size // 2) + "outputs.b}",
    "one long output": lambda size: "${a" + ".outputs.b" * (size // 10) + "}",
    "separators": lambda size: "${" + ".outputs." * (size // 9),
    "references": _many("${{0.outputs.b}}"),
    "unknown steps": _many("${{a{0}.outputs.b}}"),
    "steps": _many("s{0}\n"),
    "the same step": _many("s\n"),
    "steps without names": _many("\n"),
    "steps by index": _many("{0}\n"),
}
_TOOLS = {"a": {"inputs": {"text": "string"}, "outputs": {"b": "string"}}}


def _plan(text: str) -> str:
    """A plan with the text among its inputs, as a whole, and by lines as names and dependencies of steps."""
    steps: list[dict[str, Any]] = [{"id": "a", "target": "", "inputs": {"text": text, "lines": text.split("\n")}}]
    for line in text.split("\n"):
        inputs = {"text": f"${{{line[:20]}.outputs.b}}", line[:20]: 1}
        steps.append({"id": "a", "target": "", "inputs": inputs, "step_id": line, "depends_on": [line[:20], "0"]})
    return json.dumps({"target": "", "plan": {"steps": steps}})


TOOLPLAN_WORK = {
    "references": Work(read_pieces),
    "check_tool_plan": Work(lambda text: render_all(check_tool_plan(text, _TOOLS)), _plan),
}

# ---------------------------------------------------------------- whole documents


def _filled(before: str, piece: str, after: str) -> Callable[[int], str]:
    """A text with so many pieces, and commas between them."""
    fill = _many(f"{piece},")
    return lambda size: before + fill(size).removesuffix(",") + after


def _steps(piece: str) -> Callable[[int], str]:
    return _filled('{"target": "", "plan": {"steps": [', piece, "]}}")


def _step(field: str, piece: str) -> Callable[[int], str]:
    """A plan of one step, with a list in this place."""
    before = '{"target": "", "plan": {"steps": [{"id": "a", "target": "", ' + field
    return _filled(before, piece, "]}}]}}" if "inputs" in field else '], "inputs": {}}]}}')


DOCUMENT_SHAPES: dict[str, Callable[[int], str]] = {
    "steps that are none": _steps("1"),
    "steps without fields": _steps("{{}}"),
    "steps with wrong fields": _steps('{{"id":1,"inputs":[],"depends_on":1,"step_id":1}}'),
    "steps of unknown tools": _steps('{{"id":"q{0}","target":"","inputs":{{}}}}'),
    "steps that depend on the next but one": _steps(
        '{{"id":"a","target":"","inputs":{{}},"depends_on":["1{0}"],"step_id":"{0}"}}'
    ),
    "dependencies that are none": _step('"depends_on": [', "1"),
    "unknown dependencies": _step('"depends_on": [', '"{0}"'),
    "malformed references in a list": _step('"inputs": {"text": [', '"${{"'),
    "references in objects in a list": _step('"inputs": {"text": [', '{{"k":"${{q.outputs.b}}"}}'),
    "deep lists": _step('"inputs": {"text": [', "[" * 50 + '"${{"' + "]" * 50),
    "unknown inputs": _filled(
        '{"target": "", "plan": {"steps": [{"id": "a", "target": "", "inputs": {', '"k{0}":1', "}}]}}"
    ),
    "unresolved outputs": _filled(
        '{"target": "", "plan": {"steps": [], "outputs": {', '"{0}":"${{q.outputs.b}}"', "}}}"
    ),
}
DOCUMENT_WORK = {
    "check_tool_plan": Work(lambda text: render_all(check_tool_plan(text, _TOOLS))),
    "check_tool_plan of an answer": Work(lambda text: render_all(check_tool_plan(text, _TOOLS, tolerant=True))),
    "validate_plan_doc": Work(lambda value: validate_plan_doc(value, _TOOLS), lambda text: read_doc(text).value),
    "as its own registry": Work(lambda value: validate_plan_doc(value, value), lambda text: read_doc(text).value),
}


def _load_atoms(text: str) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "a.json").write_text(text, encoding="utf-8")
        with suppress(AtomsError):
            load_atoms(folder)


# A schema that takes long to look at, and one with so many properties.
_LONG = json.dumps({"anyOf": [{"enum": list(range(40)), **{f"k{at}": 1 for at in range(1000)}}] * 40})


def _properties(piece: str, more: str = '"type": "object"') -> Callable[[int], str]:
    return _filled('[{"name": "a", "inputSchema": {' + more + ', "properties": {', piece, "}}}]")


def _chain(count: int) -> str:
    properties = {str(at): {"$ref": f"#/properties/{at + 1}"} for at in range(count)}
    return json.dumps([{"name": "a", "inputSchema": {"properties": properties}}])


def _required(piece: str) -> Callable[[int], str]:
    return _filled('[{"name": "a", "inputSchema": {"properties": {}, "required": [', piece, "]}}]")


ATOMS_SHAPES: dict[str, Callable[[int], str]] = {
    "tools": _filled("[", '{{"id":"{0}"}}', "]"),
    "tools by id": _filled("{", '"{0}":{{}}', "}"),
    "tools that are none": _filled("[", "1", "]"),
    "tools without fields": _filled("[", "{{}}", "]"),
    "the same tool": _filled("[", '{{"id":"a"}}', "]"),
    "inputs": _filled('[{"id": "a", "inputs": [', '{{"name":"{0}","type":"string","required":true}}', "]}]"),
    "inputs that are none": _filled('[{"id": "a", "inputs": [', "1", "]}]"),
    "the same input": _filled('[{"id": "a", "inputs": [', '{{"name":"a"}}', "]}]"),
    "types": _filled('[{"id": "a", "inputs": [{"name": "a", "type": [', '"a"', "]}]}]"),
    "types that are none": _filled('[{"id": "a", "inputs": [{"name": "a", "type": [', "1", "]}]}]"),
    "unknown keys": _filled('{"atoms": [], ', '"{0}":1', "}"),
    "tools of servers": _filled('{"tools": [', '{{"name":"{0}","inputSchema":{{"properties":{{"a":{{}}}}}}}}', "]}"),
    "functions": _filled("[", '{{"type":"function","function":{{"name":"{0}","strict":true}}}}', "]"),
    "tools of many forms": _filled(
        "[", '{{"name":"a","inputSchema":{{}}}},{{"name":"b","parameters":1}},{{"id":1}}', "]"
    ),
    "tools that are left out": _filled("[", '{{"type":"custom","name":"{0}"}}', "]"),
    "keys beside tools": _filled('{"tools": [], ', '"{0}":1', "}"),
    "keys of a tool": _filled('[{"name": "a", "inputSchema": {}, ', '"{0}":1', "}]"),
    "properties": _properties('"{0}":{{"type":"string","pattern":"a"}}'),
    "properties that are none": _properties('"{0}":1'),
    "properties that refer to a long one": _properties('"{0}":{{"$ref":"#/$defs/a"}}', f'"$defs": {{"a": {_LONG}}}'),
    "properties that refer in circles": _properties('"{0}":{{"$ref":"#/properties/{0}"}}'),
    "properties that refer to one another": _properties('"{0}":{{"anyOf":[{{"$ref":"#/properties/1{0}"}}]}}'),
    "one long reference": lambda size: '[{"name": "a", "inputSchema": {"$ref": "#' + "/a" * (size // 2) + '"}}]',
    "properties that refer to the next": lambda size: _chain(size // 32),
    "required inputs": _required('"{0}"'),
    "required inputs that are none": _required("1"),
    "alternatives": _properties('"{0}":{{"anyOf":[{{"type":"string"}},{{"enum":[1,2]}}]}}'),
    "alternatives of one": _filled(
        '[{"name": "a", "inputSchema": {"properties": {"a": {"anyOf": [', '{{"type":"null"}}', "]}}}}]"
    ),
}
ATOMS_WORK = {"load_atoms": Work(_load_atoms)}
