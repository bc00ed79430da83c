"""A result by its four sections: what is found below which headings, and how far the work has come."""

from __future__ import annotations

import pytest

from planspec_lark import Diagnostic
from planspec_lark.plan_next import DoneStatus, PlanReturn, parse_message, read_result
from planspec_lark.plan_next.results import status_of
from tests.plan_next.messages import encode, returned

DONE, PARTLY, FAILED = DoneStatus.DONE, DoneStatus.PARTLY_DONE, DoneStatus.FAILED
REST = "\n### 提交物\n- 无\n### 指标情况\n无\n### 约束符合性\n符合"


def find(result: object, **more: object) -> tuple[Diagnostic, ...]:
    return parse_message(encode(returned(result, **more)), "execution").warnings


def codes(result: object, **more: object) -> list[tuple[str, str]]:
    return [(one.code, one.message) for one in find(result, **more)]


# ---------------------------------------------------------------- how far the work has come


@pytest.mark.parametrize(
    "result",
    [
        "### 完成情况\n未完成：缺少权限。\n\n### 提交物\n- 无",
        "# 完成情况\r\n失败",
        "1. **完成情况**：未完成。",
        "### Completion\nNot done: no access.",
        "Some words first.\n\n## Completion\n_Failed_",
        "```\n### 完成情况\n已完成\n```\n### 完成情况\n未完成：没有权限",
    ],
)
def test_a_section_may_say_that_nothing_was_reached(result: str) -> None:
    assert status_of(PlanReturn(result)) is FAILED
    assert status_of(PlanReturn(result, DONE)) is DONE


@pytest.mark.parametrize(
    "result",
    [
        "### 完成情况\n部分完成：还差一项",
        "### 完成情况\n未全部完成：还差一项",
        "### 完成情况\n已完成一部分",
        "Completion: partially completed",
    ],
)
def test_a_section_may_say_that_a_part_was_reached(result: str) -> None:
    assert status_of(PlanReturn(result)) is PARTLY
    assert status_of(PlanReturn(result, DONE)) is DONE


@pytest.mark.parametrize(
    "result",
    [
        "",
        "未完成",
        "### 完成情况\n已完成：已生成脚本。",
        "### 完成情况\n未完成项：无",
        "### 完成情况\n未完成：没有。",
        "### Completion\nFailedOver works",
        "### Completion\nDone; two checks failed before",
        "### 指标情况\n未完成",
        "### 完成情况\n已完成\n### 提交物\n日志：\n完成情况：未完成",
        "### 完成情况\n已完成\n### 提交物\n```\n### 完成情况\n未完成\n```",
        {"completion": "failed"},
    ],
)
def test_any_other_result_is_one(result: str | dict[str, str]) -> None:
    assert status_of(PlanReturn(result)) is DONE
    assert status_of(PlanReturn(result, FAILED)) is FAILED


# ---------------------------------------------------------------- sections


def test_what_stands_in_front_belongs_to_no_section() -> None:
    sections = read_result("Here it is.\n## Completion\nDone\n\nAll of it.\n## Metric\n3 of 3")
    assert (sections.completion, sections.metrics) == ("Done\n\nAll of it.", "3 of 3")
    assert [one.value for one in sections.missing] == ["deliverables", "constraints"]


@pytest.mark.parametrize(
    "line",
    [
        "指标情况良好",
        "* metrics of the run",
        "The metrics: 3",
        "    ~~~\n### 指标情况\n~~~",
    ],
)
def test_what_only_looks_like_a_heading_is_text(line: str) -> None:
    sections = read_result(f"### 提交物\n{line}")
    assert sections.metrics is None
    assert sections.deliverables == line.strip()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("- **指标情况**：95%", "95%"),
        ("> ## 3. 指标", ""),
        ("__Metric:__ 3", "3"),
        ("三、指标情况：95%", "95%"),
        ("ＭＥＴＲＩＣＳ：3", "3"),
        ("### 指标\u200b情况\n95%", "95%"),
    ],
)
def test_headings(line: str, said: str) -> None:
    assert read_result(f"### 提交物\n无\n{line}").metrics == said


def test_what_looks_most_like_a_heading_counts() -> None:
    sections = read_result("约束：先记一笔\n### 约束符合性\n符合\n约束：无")
    assert sections.constraints == "符合\n约束：无"
    assert sections.repeated == ()


# ---------------------------------------------------------------- findings


def test_a_result_without_sections_is_an_info() -> None:
    (found,) = find("Bread")
    assert (found.code, found.severity.value, found.path) == ("PN215", "info", "result")
    assert read_result(" Bread. ").status is None
    assert codes({"loaves": 1}) == []


def test_a_section_that_says_nothing_is_missing() -> None:
    assert codes("### 完成情况\n已完成" + REST.replace("- 无", " ")) == [
        ("PN215", "sections of the result are missing: Deliverables (提交物)")
    ]


def test_a_section_twice_has_its_place() -> None:
    text = f"### 完成情况\n已完成{REST}\n### 完成情况\n未完成"
    (found,) = find(text)
    assert (found.code, found.message) == ("PN215", "duplicate section")
    assert found.source is not None
    assert found.span is not None
    assert found.source.text[found.span.start : found.span.end] == "### 完成情况"
    assert status_of(PlanReturn(text)) is DONE


@pytest.mark.parametrize(
    ("said", "status", "message"),
    [
        ("搞定", None, "the completion does not begin with how much is done"),
        ("已完成 / 部分完成 / 未完成", None, "the completion does not begin with how much is done"),
        ("未完成：没有权限", "done", "the completion says `failed`, and the field `status`, which counts, says `done`"),
        (
            "已完成",
            "partly_done",
            "the completion says `done`, and the field `status`, which counts, says `partly_done`",
        ),
        ("未完成。", None, "the completion does not say what is missing"),
        ("**部分完成**", "partly_done", "the completion does not say what is missing"),
    ],
)
def test_a_completion_that_is_not_clear(said: str, status: str | None, message: str) -> None:
    more = {} if status is None else {"status": status}
    assert codes(f"### 完成情况\n{said}{REST}", **more) == [("PN216", message)]


def test_a_completion_that_is_clear() -> None:
    assert codes(f"### 完成情况\n未完成：没有权限{REST}", status="failed") == []
    assert codes(f"### 完成情况\n部分完成：还差一项{REST}") == []
