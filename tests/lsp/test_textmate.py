"""The grammar that editors colour plans by: it is made of the language's own, and takes the same lines apart alike."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest
from onigurumacffi import compile as compile_pattern

from editors.textmate import LINES, PATH, make_grammar
from planspec_lark.lsp.planspec import PLANSPEC
from planspec_lark.planspec.line_faults import line_pattern
from planspec_lark.planspec.models import STEP_TYPES
from tests.corpus import find

# The oldest engine of TextMate's grammars is Oniguruma, which editors still use.
GRAMMAR: dict[str, Any] = json.loads(PATH.read_text(encoding="utf-8"))
# What our own pattern calls a kind of line, and its groups.
KINDS = {"step": "summary", "body_line": "body"}
TEXTS = [*find("planspec/valid", ".md"), *find("planspec/invalid", ".md")]


@cache
def compiled(pattern: str) -> Any:
    return compile_pattern(pattern)


def scopes(line: str) -> tuple[str, list[tuple[str, str]]]:
    """What kind of line it is, and its pieces with what they are called, as an editor finds them; "" for none."""
    for include in GRAMMAR["patterns"]:
        kind = include["include"].removeprefix("#")
        rule = GRAMMAR["repository"][kind]
        match = compiled(rule["match"]).match(f"{line}\n")
        if match is not None:
            found = [
                (match[int(at)], _scope_of(match[int(at)], capture))
                for at, capture in rule["captures"].items()
                if match[int(at)]
            ]
            return kind, found
    return "", []


def _scope_of(text: str, capture: dict[str, Any]) -> str:
    """The last word of what a piece is called, by itself or by a pattern inside it."""
    inner = [one["name"] for one in capture.get("patterns", ()) if compiled(one["match"]).match(text)]
    return str([*capture["name"].split(), *inner][-1]).removesuffix(".planspec")


def test_the_file_is_what_is_made_of_the_grammar() -> None:
    assert make_grammar() == GRAMMAR, "python -m editors.textmate"


def test_the_extension_for_vs_code_has_it() -> None:
    contributed = json.loads(PATH.with_name("package.json").read_text(encoding="utf-8"))["contributes"]
    [language], [grammar] = contributed["languages"], contributed["grammars"]
    assert (grammar["language"], grammar["scopeName"]) == (language["id"], GRAMMAR["scopeName"])
    assert (PATH.parent / grammar["path"]).samefile(PATH)
    assert language["id"] == PLANSPEC.id
    # VS Code writes paths as globs, where others have one expression.
    for name in language["filenamePatterns"]:
        assert PLANSPEC.files.search(name.replace("**/", "", 1).replace("**", "a").replace("*", "a")), name


def test_every_line_of_the_language_is_there() -> None:
    assert {rule.strip("_") for rule in LINES} == {*GRAMMAR["repository"]}


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_lines_are_taken_apart_as_the_reader_does(path: Any) -> None:
    text = path.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")
    for row in text.split("\n"):
        line = row.removesuffix("\r")
        # Without the line break, editors see none of this.
        if "\r" in line or not line.strip(" \t"):
            continue
        match = line_pattern().fullmatch(line.lstrip(" \t") + "\n")
        kind, pieces = scopes(line)
        if match is None:
            assert (kind, pieces) == ("", []), line
            continue
        own = str(match.lastgroup)
        assert kind == KINDS.get(own, own), line
        # Every value that the reader finds is a piece of its own.
        values = [
            value
            for name, value in match.groupdict().items()
            if name.startswith(f"{own}_")
            and re.fullmatch(r"[A-Z_]+|_more|_behind", name.removeprefix(f"{own}_"))
            and not name.endswith(("_NL", "__segments"))
            and value
        ]
        assert [piece for piece, _ in pieces if piece in values] == values, line


def test_there_are_lines_of_all_kinds() -> None:
    kinds = {scopes(line)[0] for path in TEXTS for line in path.read_bytes().decode("utf-8", "replace").split("\n")}
    assert kinds == {"", *GRAMMAR["repository"]}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("# Plan: Move", [("# Plan: ", "punctuation.definition.heading"), ("Move", "markup.heading")]),
        ("**Goal**: Go 🚚", [("**Goal**: ", "keyword.other.goal"), ("Go 🚚", "string.unquoted.goal")]),
        ("- none lost", [("- ", "punctuation.definition.list.begin"), ("none lost", "string.unquoted.constraint")]),
        ("## Steps", [("## Steps", "keyword.other.steps")]),
        (
            "  2.1. [x] 名-1 [act] a → b | c → gaps, log | 3 | Progress: 1/2 | more",
            [
                ("2.1", "constant.numeric.step"),
                ("[x]", "keyword.control.status"),
                ("名-1", "entity.name.function.step"),
                ("act", "storage.type.step"),
                ("a", "meta.description"),
                (" → ", "keyword.operator.output"),
                ("b", "variable.other.output"),
                (" | ", "punctuation.separator.segment"),
                ("c → gaps, log", "string.unquoted.result"),
                (" | 3", "string.unquoted.result"),
                (" | Progress: ", "keyword.other.progress"),
                ("1/2", "constant.numeric.progress"),
                (" | more", "string.unquoted.result"),
            ],
        ),
        ("1. [LLM] x → y z", [
            ("1", "constant.numeric.step"),
            ("LLM", "invalid.illegal.type"),
            ("x → y z", "meta.description"),
        ]),
        ("\t> ← a, b", [("> ← ", "keyword.operator.input"), ("a, b", "variable.other.input")]),
        ("> ← a b", [("> ", "punctuation.definition.quote"), ("← a b", "markup.quote.detail")]),
        ("1) [act] x", []),
        ("Some prose.", []),
    ],
)  # fmt: skip
def test_what_pieces_are_called(line: str, expected: list[tuple[str, str]]) -> None:
    assert scopes(line)[1] == expected


def test_every_type_is_one() -> None:
    for name in STEP_TYPES:
        assert (name, "storage.type.step") in scopes(f"1. [{name}] x")[1]
        assert (f"{name}s", "invalid.illegal.type") in scopes(f"1. [{name}s] x")[1]
