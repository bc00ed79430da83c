"""Documents of both languages, open at once in one client, with emoji, ideographs and line ends of both kinds."""

from __future__ import annotations

from itertools import count

import pytest
from lsprotocol.types import (
    DocumentSymbol,
    DocumentSymbolParams,
    Hover,
    HoverParams,
    Position,
    PrepareRenameParams,
    PrepareRenamePlaceholder,
)

from tests.lsp.conftest import Client, Editor
from tests.lsp.test_server import PLAN, here, new, said

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
