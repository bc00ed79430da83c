"""Whether a result says of itself that the work was not done."""

from __future__ import annotations

import time

import pytest

from planspec_lark.plan_next.completion import has_failed
from planspec_lark.plan_next.models import DoneStatus, PlanReturn


@pytest.mark.parametrize(
    "result",
    [
        "### 完成情况\n未完成：缺少权限。\n\n### 提交物\n- 无",
        "### 完成情况\n\n- **未完成**：没有权限",
        "### 完成情况：\n未完成因为没有网络",
        "# 完成情况\r\n失败",
        "1. **完成情况**：未完成。",
        "完成情况: 未完成",
        "### Completion\nNot done: no access.",
        "### completion:\n* failed, see the log",
        "Completion: not completed",
        "Some words first.\n\n## Completion\n_Failed_",
    ],
)
def test_a_section_may_say_that_it_has_failed(result: str) -> None:
    assert has_failed(PlanReturn(result))
    assert not has_failed(PlanReturn(result, DoneStatus.DONE))


@pytest.mark.parametrize(
    "result",
    [
        "",
        "done",
        "failed",
        "未完成",
        "### 完成情况\n已完成：已生成脚本。",
        "### 完成情况\n部分完成：还差一项",
        "### 完成情况\n未完成项：无",
        "### 完成情况\n未完成：没有。",
        "### Completion\nFailed checks: none.",
        "### Completion\nFailedOver works",
        "### Completion\nDone; two checks failed before",
        "### 指标情况\n未完成",
        {"completion": "failed"},
    ],
)
def test_any_other_result_is_one(result: str | dict[str, str]) -> None:
    assert not has_failed(PlanReturn(result))
    assert has_failed(PlanReturn(result, DoneStatus.FAILED))


@pytest.mark.parametrize(
    "piece",
    ["#", " ", "\n", "*", "completion", "completion\n", "# completion \n", "完成情况：", "### 完成情况\n- ", "1."],
)
def test_no_result_keeps_it_waiting(piece: str) -> None:
    start = time.process_time()
    has_failed(PlanReturn("# completion" + piece * (1_000_000 // len(piece))))
    assert time.process_time() - start < 2
