"""Documents of both languages, open at once in one client, with emoji, ideographs and line ends of both kinds."""

from __future__ import annotations

from itertools import count

import pytest
from lsprotocol.types import (
    CodeAction,
    CodeActionContext,
    CodeActionParams,
    DefinitionParams,
    DocumentFormattingParams,
    DocumentSymbol,
    DocumentSymbolParams,
    FoldingRangeParams,
    FormattingOptions,
    Hover,
    HoverParams,
    MarkupContent,
    MarkupKind,
    Position,
    PrepareRenameParams,
    PrepareRenamePlaceholder,
    Range,
    ReferenceContext,
    ReferenceParams,
    RenameParams,
    TextEdit,
)
from pygls.exceptions import JsonRpcException

from planspec_lark.hopspec import check_hopspec, fix_hopspec
from tests.lsp.conftest import Client, Editor
from tests.lsp.test_server import PLAN, edits_of, here, new, said

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning"),
]

NUMBERS = count()
# `🚢` is two units of UTF-16, and so is `𠮷`, an ideograph beyond the first 65,536 characters.
DOCUMENT = """\
## 任务概述

数船 🚢

## 输入定义

- `piers`: 港口 🏝️ 的名字

## 硬性约束

- 不算木筏

## 执行流程

#### 步骤1: count_boats
- 类型：code
- 逻辑：数 🚢𠮷 在 <piers> 的数量
- 输入：piers
- 输出：total

#### 步骤2: give_up（branch）
- 类型：branch
- 条件："🚢𠮷" in piers and total > 1

  #### 步骤2.1: leave
  - 类型：flow
  - 动作：exit
  - 输出：total

#### 步骤3: give_back
- 类型：flow
- 动作：exit
- 输出：total

## 输出格式

一个数

## 输入日志示例

北
"""
FAULTY = DOCUMENT.replace("#### 步骤3: ", "### 步骤 3. ")
# The line of the condition, and the columns of its variables.
CONDITION, PIERS, TOTAL = 22, 15, 25


def document(client: Client, text: str = DOCUMENT) -> Editor:
    return new(client, text, f"untitled:hop-{next(NUMBERS)}", "hopspec")


# ---------------------------------------------------------------- two documents


async def test_both_are_checked_each_as_what_it_is(plain: Client) -> None:
    plan = new(plain)
    assert await plan.found() == []
    hop = document(plain)
    assert await hop.found() == []
    # Each text is a poor one of the other language.
    for editor, text, family in ((plan, DOCUMENT, "PS"), (hop, PLAN, "HS")):
        editor.change(text)
        assert {code[:2] for code, _ in said(await editor.found())} == {family}


async def test_a_change_of_one_leaves_the_other_alone(plain: Client) -> None:
    plan = new(plain)
    assert await plan.found() == []
    hop = document(plain)
    assert await hop.found() == []
    plan.change(PLAN.replace("2. [act]", "2) [act]"))
    assert said(await plan.found()) == [("PS110", 3)]
    hop.change(DOCUMENT.replace("输入：piers", "输入：port"))
    assert said(await hop.found()) == [("HS221", 17)]
    hop.close()
    # Of the plan nothing is forgotten.
    plan.change(PLAN.replace("2. [act]", "2) [act]"))
    assert said(await plan.found()) == [("PS110", 3)]


async def test_a_document_may_become_one_of_the_other_language(plain: Client) -> None:
    editor = new(plain)
    assert await editor.found() == []
    editor.close()
    editor.open(DOCUMENT, "hopspec")
    # The first are those of the document that was closed.
    assert await editor.found() == []
    place = Position(CONDITION, TOTAL)
    found = await plain.text_document_prepare_rename_async(PrepareRenameParams(editor.document, place))
    assert found == PrepareRenamePlaceholder(here(CONDITION, TOTAL, to=TOTAL + 5), "total")


async def test_a_file_says_by_its_name_what_it_is(plain: Client) -> None:
    uri = "file:///home/me/app/Tasks/Count/Hoplet/HopSpec.md"
    editor = new(plain, "Some prose.\n", uri, "markdown")
    assert {code[:2] for code, _ in said(await editor.found())} == {"HS"}


# ---------------------------------------------------------------- positions


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
async def test_positions_are_counted_in_units(plain: Client, newline: str) -> None:
    text = DOCUMENT.replace("\n", newline)
    editor = document(plain, text)
    assert await editor.found() == []
    # Before the variable stand two characters of two units; a third one comes in.
    editor.change(text.replace('"🚢', '"🏝🚢').replace("total > 1", "none_such > 1"))
    assert await editor.found() == []
    found = await plain.text_document_hover_async(HoverParams(editor.document, Position(CONDITION, PIERS + 2)))
    assert isinstance(found, Hover)
    assert found.range == here(CONDITION, PIERS + 2, to=PIERS + 7)
    symbols = await plain.text_document_document_symbol_async(DocumentSymbolParams(editor.document))
    names = [one.name for one in symbols or () if isinstance(one, DocumentSymbol)]
    assert names[4] == '2. give_up "🏝🚢𠮷" in piers and none_such > 1'


async def test_names_lead_to_their_places(plain: Client) -> None:
    editor = document(plain)
    at = Position(CONDITION, TOTAL + 1)
    found = await plain.text_document_definition_async(DefinitionParams(editor.document, at))
    assert isinstance(found, (list, tuple))
    assert [getattr(one, "range", None) for one in found] == [here(18, 5, to=10)]
    params = ReferenceParams(ReferenceContext(include_declaration=False), editor.document, at)
    places = await plain.text_document_references_async(params)
    assert [one.range for one in places or ()] == [
        here(CONDITION, TOTAL, to=TOTAL + 5),
        here(27, 7, to=12),
        here(32, 5, to=10),
    ]


async def test_columns_are_as_they_were_agreed_on(able: Client) -> None:
    editor = document(able)
    # In UTF-8, the ideographs of the name and its colon have three units each, the other two characters four.
    at = Position(CONDITION, TOTAL + 10)
    found = await able.text_document_prepare_rename_async(PrepareRenameParams(editor.document, at))
    assert found == PrepareRenamePlaceholder(here(CONDITION, TOTAL + 10, to=TOTAL + 15), "total")


async def test_a_variable_gets_another_name(plain: Client) -> None:
    editor = document(plain, DOCUMENT.replace("\n", "\r\n"))
    edit = await plain.text_document_rename_async(RenameParams(editor.document, Position(CONDITION, PIERS), "harbours"))
    assert edits_of(edit, editor) == [
        TextEdit(here(6, 3, to=8), "harbours"),
        TextEdit(here(16, 15, to=20), "harbours"),
        TextEdit(here(17, 5, to=10), "harbours"),
        TextEdit(here(CONDITION, PIERS, to=PIERS + 5), "harbours"),
    ]
    with pytest.raises(JsonRpcException) as error:
        await plain.text_document_rename_async(RenameParams(editor.document, Position(CONDITION, PIERS), "total"))
    assert error.value.message == "there is a variable `total` already, and the two would be one"


# ---------------------------------------------------------------- all else


async def test_a_fault_has_its_fix(plain: Client) -> None:
    editor = document(plain, FAULTY)
    found = await editor.found()
    assert said(found) == [(one.code, (one.line or 0) - 1) for one in check_hopspec(FAULTY)] == [("HS107", 29)]
    params = CodeActionParams(editor.document, here(29, 0), CodeActionContext([]))
    made = await plain.text_document_code_action_async(params)
    quick, everything = [one for one in made or () if isinstance(one, CodeAction)]
    assert quick.title == "write `#### 步骤3: give_back`"
    [edit] = edits_of(quick.edit, editor)
    assert edit == TextEdit(here(29, 0, to=len("### 步骤 3. give_back")), "#### 步骤3: give_back")
    [edit] = edits_of(everything.edit, editor)
    assert edit.new_text == "#### 步骤3: give_back\n"
    assert fix_hopspec(FAULTY).text == DOCUMENT


async def test_the_canonical_form(plain: Client) -> None:
    options = FormattingOptions(8, insert_spaces=False)
    editor = document(plain, DOCUMENT.replace("#### 步骤1: ", "#### Step 1：").replace("\n", "\r\n"))
    made = await plain.text_document_formatting_async(DocumentFormattingParams(editor.document, options))
    assert [*(made or ())] == [TextEdit(Range(Position(14, 0), Position(15, 0)), "#### 步骤1: count_boats\r\n")]
    for text in (DOCUMENT, FAULTY):
        editor = document(plain, text)
        assert not await plain.text_document_formatting_async(DocumentFormattingParams(editor.document, options))


async def test_hover_is_plain_text(plain: Client) -> None:
    editor = document(plain)
    found = await plain.text_document_hover_async(HoverParams(editor.document, Position(15, 0)))
    assert isinstance(found, Hover)
    said = "Step 1 (count_boats): code\n数 🚢𠮷 在 <piers> 的数量\nNeeds piers from the input definition\n"
    assert found.contents == MarkupContent(MarkupKind.PlainText, f"{said}Gives total to steps 2, 2.1 and 3")


async def test_symbols_and_folds(plain: Client) -> None:
    editor = document(plain)
    symbols = await plain.text_document_document_symbol_async(DocumentSymbolParams(editor.document))
    listed = [one for one in symbols or () if isinstance(one, DocumentSymbol)]
    assert [(one.name, one.range.start.line, one.range.end.line) for one in listed[3:6]] == [
        ("1. count_boats 数 🚢𠮷 在 <piers> 的数量", 14, 18),
        ('2. give_up "🚢𠮷" in piers and total > 1', 20, 27),
        ("3. give_back", 29, 32),
    ]
    folds = await plain.text_document_folding_range_async(FoldingRangeParams(editor.document))
    assert [(one.start_line, one.end_line) for one in folds or ()][:5] == [(0, 2), (4, 6), (8, 10), (14, 18), (20, 27)]
