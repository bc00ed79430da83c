"""Skeletons are valid plans, whatever they are made of."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from planspec_lark import Severity, check_text, parse_plan, serialize_plan
from planspec_lark.folder import FolderError, make_skeleton

SKELETON = """\
# Plan: Implement auth
Goal: Implement auth
Constraints:
- No new tables
## Steps
1. [reason] Find out what there is and what is missing → findings
2. [act] Do what is missing → work
  > ← findings
3. [reason] Compare the work with the goal → verdict
  > ← work
"""


def test_skeleton() -> None:
    assert make_skeleton(" Implement\n auth ", constraints=["No new\ttables"]) == SKELETON


def test_chinese() -> None:
    text = make_skeleton("车险赔付率预测", language="zh")
    assert [step.description for step in parse_plan(text).steps] == [
        "弄清现状与缺口",
        "完成缺少的部分",
        "对照目标检查成果",
    ]


def test_a_long_description_is_cut_in_the_title_only() -> None:
    plan = parse_plan(make_skeleton("word " * 40))
    assert plan.title == f"{'word ' * 15}word…"
    assert plan.goal == ("word " * 40).strip()


@pytest.mark.parametrize(("description", "constraints"), [("", []), (" \n", []), ("x", ["a", " "])])
def test_nothing_is_empty(description: str, constraints: list[str]) -> None:
    with pytest.raises(FolderError, match=r"is empty$"):
        make_skeleton(description, constraints=constraints)


def test_other_languages() -> None:
    with pytest.raises(ValueError, match=r"^language: 'de' is not one of en, zh$"):
        make_skeleton("x", language="de")


@given(st.text(min_size=1, max_size=200), st.lists(st.text(min_size=1, max_size=60), max_size=3))
@example("# Plan: x", ["- y", "## Steps", "> z"])
@example("Goal: `x` → y | z", ["\\"])
@example("x -> y <- z", ["\x1b[2J\u202e"])
@example("[x] [act] 1. x", ["1. x"])
def test_nothing_is_wrong_with_it(description: str, constraints: list[str]) -> None:
    try:
        text = make_skeleton(description, constraints=constraints)
    except FolderError:
        return
    assert serialize_plan(parse_plan(text)) == text
    assert [found for found in check_text(text) if found.severity is not Severity.INFO] == []
