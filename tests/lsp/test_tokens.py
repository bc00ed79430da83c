"""The parts of lines, as an editor colours them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given, strategies as st
from lsprotocol.types import (
    SemanticTokens,
    SemanticTokensParams,
    SemanticTokensRangeParams,
    TextDocumentIdentifier,
    TextDocumentItem,
)

from planspec_lark.lsp.documents import ClientSettings, Document
from planspec_lark.lsp.features import list_tokens
from planspec_lark.lsp.languages import LANGUAGES
from planspec_lark.lsp.tokens import KINDS
from tests.cases import in_one_test
from tests.corpus import ROOT
from tests.lsp.conftest import Client
from tests.lsp.test_server import PLAN, here, new

READ = {one.language: one for one in LANGUAGES}
FIXTURES = [
    (language, path)
    for language in ("planspec", "hopspec")
    for path in sorted((ROOT / "fixtures" / language).rglob("*.md"))
]


def coloured(text: str, language: str = "planspec") -> list[str]:
    """The tokens of a text, each as `kind said`."""
    return [f"{kind} {text[start:end]}" for start, end, kind in READ[language](text).tokens(0, len(text))]


def test_the_parts_of_the_form() -> None:
    plan = (
        "# Plan: Move\n**Goal**: Switch\n> soon\n## Constraints\n- No loss\n## Steps\n"
        "1. [x] copy [act] Copy all → snapshot, log | 41 GB | Progress: 1/2 | slow\n\n  > ← gaps ,price\n  > By hand \n"
    )
    assert coloured(plan) == [
        "keyword # Plan:",
        "string Move",
        "keyword **Goal**:",
        "string Switch",
        "string soon",
        "keyword ## Constraints",
        "string No loss",
        "keyword ## Steps",
        "number 1",
        "enumMember [x]",
        "function copy",
        "type act",
        "variable snapshot",
        "variable log",
        "string 41 GB",
        "number 1/2",
        "string | slow",
        "parameter gaps",
        "parameter price",
        "string By hand",
    ]


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        (
            "1) ☐ **[Act]** do `→ x` -> a, `b`  # later",
            ["number 1)", "enumMember ☐", "type **[Act]**", "variable a", "variable `b`", "comment # later"],
        ),
        ("[act] 2. do", ["type [act]", "number 2."]),
        ("1. do it <!-- later -->", ["number 1.", "comment <!-- later -->"]),
        ("**Steps:**", ["keyword Steps"]),
        ("输入：a", ["keyword 输入"]),
        ("<!-- later -->", ["comment <!-- later -->"]),
        ("Some [prose] about 1. nothing", []),
        ("<think>\n1. [act] x\n</think>", []),
    ],
)
def test_the_parts_of_the_dialect(line: str, parts: list[str]) -> None:
    assert coloured(f"  {line}\n1. [act] x\n") == [*parts, "number 1", "type act"]


def test_the_parts_of_a_document_in_hopspec() -> None:
    text = (
        "# T\n- 模式：JIT\n## 任务概述\n- 任务：x\n## 执行流程\n#### 步骤1: name（loop）\n- 类型：LLM\n"
        "- 输入：a，b\n- 最大轮次：3\n  ```\n  - 任务：y\n  ```\n"
    )
    assert coloured(text, "hopspec") == [
        "keyword #",
        "string T",
        "keyword 模式",
        "enumMember JIT",
        "keyword 任务概述",
        "keyword 执行流程",
        "number 1",
        "function name",
        "type loop",
        "property 类型",
        "string LLM",
        "property 输入",
        "variable a",
        "variable b",
        "property 最大轮次",
        "number 3",
    ]


def places(tokens: SemanticTokens | None) -> list[tuple[int, int, int, str]]:
    """Line, column, width and kind of each token."""
    assert tokens is not None
    found, line, column = [], 0, 0
    for down, right, width, kind, _ in zip(*[iter(tokens.data)] * 5, strict=True):
        line, column = line + down, right + (0 if down else column)
        found.append((line, column, width, KINDS[kind]))
    return found


def check_places(text: str, language: str) -> None:
    """Look whether tokens are told in the order of the text, each in one line of it, and none in another."""
    item = TextDocumentItem("untitled:1", language, 1, text)
    document = Document(item, READ[language], ClientSettings(encoding="utf-32"))
    lines = re.split(r"\r\n|\r|\n", text)
    last = (0, 0)
    for line, column, width, _ in places(
        list_tokens(document, SemanticTokensParams(TextDocumentIdentifier("untitled:1")))
    ):
        assert width > 0
        assert last <= (line, column)
        last = line, column + width
        assert last[1] <= len(lines[line])


@in_one_test
@pytest.mark.parametrize(("language", "path"), FIXTURES)
def test_tokens_are_in_order_and_in_lines(language: str, path: Path) -> None:
    check_places(path.read_bytes().decode(errors="replace"), language)


PIECES = [
    "\r",
    "\n",
    "\r\n",
    " ",
    "\ufeff",
    "🚚",
    "\x00",
    "|",
    "→ a",
    "# ",
    "1. ",
    "2) ",
    "[x] ",
    "[act] ",
    "> ",
    "a, b",
]
PIECES += ["Goal: ", "Inputs: ", "#### 步骤1: a", "## 执行流程", "- 输入：", "- 类型：", "<!-- x -->", "<think>"]


@example("<!-- a\rb -->", "planspec")
@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join), st.sampled_from(sorted(READ)))
def test_tokens_of_any_text(text: str, language: str) -> None:
    check_places(text, language)


@pytest.mark.asyncio(loop_scope="module")
async def test_columns_are_as_they_were_agreed_on(plain: Client, able: Client) -> None:
    line = "1. [act] 📦 → boxes\n"
    for client, column in ((plain, 14), (able, 18)):
        editor = new(client, PLAN.replace("Goal", "# 🚚\nGoal") + line.replace("1.", "3."))
        about = TextDocumentIdentifier(editor.uri)
        found = places(await client.text_document_semantic_tokens_full_async(SemanticTokensParams(about)))
        assert found[:3] == [(0, 0, 1, "keyword"), (0, 2, 2 if client is plain else 4, "string"), (1, 0, 5, "keyword")]
        assert found[-3:] == [(6, 0, 1, "number"), (6, 4, 3, "type"), (6, column, 5, "variable")]
        part = SemanticTokensRangeParams(about, here(6, 5))
        assert places(await client.text_document_semantic_tokens_range_async(part)) == found[-3:]
