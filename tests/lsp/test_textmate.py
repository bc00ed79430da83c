"""The grammars that editors colour documents by: made of the languages' own, they take the same lines apart alike."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest
from onigurumacffi import compile as compile_pattern

from editors.textmate import LANGUAGES, make_grammar, path_of
from planspec_lark.hopspec import parse_hopspec_tree
from planspec_lark.lsp import languages
from planspec_lark.lsp.step_index import StepIndex
from planspec_lark.planspec.models import STEP_TYPES
from planspec_lark.planspec.positions import line_pattern
from planspec_lark.syntax import grammars
from tests.cases import in_one_test
from tests.corpus import find

# The oldest engine of TextMate's grammars is Oniguruma, which editors still use.
GRAMMARS: dict[str, dict[str, Any]] = {
    name: json.loads(path_of(name).read_text(encoding="utf-8")) for name in LANGUAGES
}
GRAMMAR = GRAMMARS["planspec"]
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
            return kind, _pieces(match, rule["captures"])
    return "", []


def _pieces(match: Any, captures: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        (match[int(at)], _scope_of(match[int(at)], capture))
        for at, capture in captures.items()
        if at != "0" and match[int(at)]
    ]


def _scope_of(text: str, capture: dict[str, Any]) -> str:
    """The last word of what a piece is called, by itself or by a pattern inside it."""
    inner = [one["name"] for one in capture.get("patterns", ()) if compiled(one["match"]).match(text)]
    return str([*capture["name"].split(), *inner][-1]).rpartition(".")[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_file_is_what_is_made_of_the_grammar(language: str) -> None:
    assert make_grammar(language) == GRAMMARS[language], "python -m editors.textmate"


@pytest.mark.parametrize("language", languages.LANGUAGES, ids=lambda one: one.language)
def test_the_extension_for_vs_code_has_it(language: type[StepIndex[Any]]) -> None:
    path = path_of(language.language)
    contributed = json.loads(path.with_name("package.json").read_text(encoding="utf-8"))["contributes"]
    [known] = [one for one in contributed["languages"] if one["id"] == language.language]
    [grammar] = [one for one in contributed["grammars"] if one["language"] == language.language]
    assert grammar["scopeName"] == GRAMMARS[language.language]["scopeName"]
    assert (path.parent / grammar["path"]).samefile(path)
    # VS Code writes paths as globs, where others have one expression.
    for name in known["filenamePatterns"]:
        assert language.files.search(name.replace("**/", "", 1).replace("**", "a").replace("*", "a")), name


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_line_of_the_language_is_there(language: str) -> None:
    assert {rule.strip("_") for rule in LANGUAGES[language].lines} == {*GRAMMARS[language]["repository"]} - {"fence"}


@in_one_test
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


# ---------------------------------------------------------------- HopSpec, whose lines are in blocks

HOPSPEC = GRAMMARS["hopspec"]
DOCUMENTS = [path for path in find("hopspec/valid", ".md") if "\r\r" not in path.read_bytes().decode("utf-8")]
# What a line is by its first token. Lines of texts and of code have no colours of their own.
LINE_OF = {
    "TITLE_MARK": "title",
    "MODE_KEY": "mode",
    "SECTION": "section_header",
    "FLOW": "flow_header",
    "STEP": "heading",
    "COMMENT": "comment",
    "KEY": "attribute_line",
    "NAMES_KEY": "attribute_line",
    "COUNT_KEY": "attribute_line",
}


def colour(text: str) -> list[tuple[str, list[str]]]:
    """What kind of line each line is, and the values in it, as an editor finds them from the first line on."""
    found: list[tuple[str, list[str]]] = []
    open_: list[dict[str, Any]] = [HOPSPEC]
    for line in text.split("\n"):
        end = open_[-1].get("end")
        if end and compiled(end).match(f"{line}\n"):
            is_code = not open_.pop().get("patterns")
            if is_code:
                found.append(("", []))
                continue
        found.append(_colour_line(line, open_))
    return found


def _colour_line(line: str, open_: list[dict[str, Any]]) -> tuple[str, list[str]]:
    for include in open_[-1].get("patterns", ()):
        kind = include["include"].removeprefix("#")
        rule = HOPSPEC["repository"][kind]
        match = compiled(rule.get("match") or rule["begin"]).match(f"{line}\n")
        if match is None:
            continue
        if "begin" in rule:
            open_.append(rule)
        captures = rule.get("captures") or rule.get("beginCaptures", {})
        return kind.replace("fence", ""), [piece for piece, _ in _pieces(match, captures)]
    return "", []


@in_one_test
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_documents_are_taken_apart_as_the_parser_does(path: Any) -> None:
    text = path.read_bytes().decode("utf-8").replace("\r\n", "\n")
    expected: dict[int, tuple[str, list[str]]] = {}
    for token in parse_hopspec_tree(text).scan_values(lambda one: one is not None):
        line, kind = token.line or 0, LINE_OF.get(token.type)
        if kind is not None and line not in expected:
            expected[line] = (kind, [])
        if line in expected and token.type not in ("TITLE_MARK", "NL"):
            expected[line][1].append(grammars.regular("hopspec").value(token.type, token))
    for number, (kind, pieces) in enumerate(colour(text), start=1):
        known, values = expected.get(number, ("", []))
        assert (number, kind) == (number, known)
        # What comes before a title or a number is a piece as well.
        assert [piece for piece in pieces if piece in values] == values


def test_there_are_documents_with_lines_of_all_kinds() -> None:
    kinds = {kind for path in DOCUMENTS for kind, _ in colour(path.read_bytes().decode("utf-8").replace("\r\n", "\n"))}
    assert kinds == {"", *LINE_OF.values()}


def test_nothing_in_free_text_or_code_is_structure() -> None:
    text = "## Overview\n> a\n- Type: b\n```\n## Execution Flow\n#### Step1: c\n```\n## Execution Flow\n#### Step1: d\n"
    assert [kind for kind, _ in colour(text)] == [
        *["section_header", "", "", "", "", "", ""],
        *["flow_header", "heading", ""],
    ]


def test_every_type_is_one() -> None:
    for name in STEP_TYPES:
        assert (name, "storage.type.step") in scopes(f"1. [{name}] x")[1]
        assert (f"{name}s", "invalid.illegal.type") in scopes(f"1. [{name}s] x")[1]
