"""Texts of any size that could make a reader of HopSpec documents slow, and all that is done with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress

from planspec_lark import render_all
from planspec_lark.hopspec import (
    HopSpec,
    check_hopspec,
    fix_hopspec,
    hopspec_to_plan,
    parse_hopspec,
    scan_hopspec,
    serialize_hopspec,
)
from planspec_lark.syntax import PlanSyntaxError
from tests.growth.work import Work

__all__ = ["HOPSPEC_SHAPES", "HOPSPEC_WORK"]

_FLOW = "## 执行流程\n"
_STEP = f"{_FLOW}#### 步骤1: a\n- 类型：LLM\n"
_CODE = "- 类型：code\n- 逻辑：b\n- 输入：c\n- 输出：c\n"
_BREAK = "- 类型：flow\n- 动作：break\n- 目标循环：a\n"


def _to_plan(document: HopSpec) -> None:
    # A type that there is not, or a name that no plan can hold, is refused.
    with suppress(ValueError):
        hopspec_to_plan(document)


def _each(line: str, size: int, head: str) -> str:
    return head + "".join(line.format(number) for number in range(1, size // len(line) + 1))


def _chain(size: int, body: str) -> str:
    """Steps each below the one in front; the numbers alone are of the size of the depth squared."""
    return _FLOW + "".join(f"#### 步骤{'1.' * depth}1: a{depth}\n{body}" for depth in range(int(size**0.5)))


def _breaks(size: int) -> str:
    head = "1." * int((size // 2) ** 0.5) + "1"
    steps = "".join(f"#### 步骤{head}.{number}\n{_BREAK}" for number in range(int(size**0.5) // 2))
    return _chain(size // 2, "- 类型：loop\n- 条件：a\n") + steps


HOPSPEC_SHAPES: Mapping[str, Callable[[int], str]] = {
    "steps": lambda n: _each(f"#### 步骤{{0}}: a{{0}}\n{_CODE}", n, _FLOW),
    "steps with the same number": lambda n: _each("#### 步骤1: a\n", n, _FLOW),
    "steps in steps": lambda n: _chain(n, "- 类型：branch\n- 条件：a\n"),
    "loops in loops": lambda n: _chain(n, "- 类型：loop\n- 遍历集合：a\n- 元素变量：b\n"),
    "breaks in loops": _breaks,
    "subtasks in subtasks": lambda n: _chain(n, "- 类型：subtask\n- 展开：static\n"),
    "attributes": lambda n: _STEP + "- 任务：a\n" * (n // 6),
    "unknown attributes": lambda n: _each("- 优先级{0}：a\n", n, _STEP),
    "almost attributes": lambda n: _each("- Taks{0}: a\n", n, _STEP),
    "lines of a value": lambda n: f"{_STEP}- 任务：\n" + "  a\n" * (n // 4),
    "lines at the margin": lambda n: f"{_STEP}- 任务：a\n" + "b\n" * (n // 2),
    "blank lines in a value": lambda n: f"{_STEP}- 任务：\n  a\n" + "\n" * n + "  b\n",
    "names": lambda n: f"{_STEP}- 输入：" + "a, " * (n // 3) + "b\n",
    "commas": lambda n: f"{_STEP}- 输入：" + "," * n + "\n",
    "open code": lambda n: f"{_STEP}- 任务：\n" + "  ```python\n" * (n // 12),
    "open code in steps": lambda n: _each("#### 步骤{0}\n- 任务：\n  ```python\n", n, _FLOW),
    "code after code": lambda n: f"{_STEP}- 任务：\n" + "  ```\n  ```\n" * (n // 12),
    "fences outside": lambda n: "```\n" * (n // 4),
    "fences in free text": lambda n: "## 任务概述\n" + "```python\n" * (n // 10),
    "prose": lambda n: "prose\n" * (n // 6),
    "prose in the flow": lambda n: _FLOW + "prose\n\n" * (n // 7),
    "sections": lambda n: "## 任务概述\na\n" * (n // 10),
    "unknown sections": lambda n: _each("## Part {0}\n", n, ""),
    "almost headings": lambda n: _each("### 步骤{0} a b\n", n, _FLOW),
    "wrong headings": lambda n: _each("#### 步骤 x{0}\n", n, _FLOW),
    "comments": lambda n: _STEP + "> a\n" * (n // 4),
    "open comments": lambda n: _STEP + "<!-- a\n" * (n // 7),
    "one long line": lambda n: f"{_STEP}- 任务：" + "word " * (n // 5) + "\n",
    "spaces": lambda n: _STEP + " " * n + "x\n",
    "spaces in a heading": lambda n: f"{_FLOW}####" + " " * n + "x\n",
    "spaces in an attribute": lambda n: f"{_STEP}-" + " " * n + "任务 x\n",
    "stars": lambda n: _STEP + "*" * n + "x\n",
    "backslashes": lambda n: f"{_STEP}- 任务：\n  " + "\\" * n + "```\n",
    "control characters": lambda n: _STEP + "\x0b" * n + "\n",
    "tags": lambda n: f"{_STEP}- 输出：a\n- 任务：" + "<a>" * (n // 3) + "\n",
    "an open tag": lambda n: f"{_STEP}- 输出：a\n- 任务：" + "<a" * (n // 4) + "a" * (n // 2) + "\n",
    "words of a condition": lambda n: f"{_STEP}- 输出：a\n- 条件：" + "a 'b\" " * (n // 6) + "\n",
    "a long word of a condition": lambda n: (
        f"{_STEP}- 输出：a\n- 数据标签：{'a' * (n // 2)}\n- 条件：" + "a" * (n // 2) + "\n"
    ),
    "declared inputs": lambda n: _each("- `a{0}`: b\n", n, "## 输入定义\n"),
}


def _document(text: str) -> HopSpec:
    return scan_hopspec(text).document


def _refuse(text: str) -> None:
    try:
        parse_hopspec(text)
    except PlanSyntaxError as error:
        str(error)


HOPSPEC_WORK: Mapping[str, Work] = {
    "parse_hopspec": Work(_refuse),
    "scan_hopspec": Work(lambda text: render_all(scan_hopspec(text).diagnostics)),
    "check_hopspec": Work(lambda text: render_all(check_hopspec(text))),
    "fix_hopspec": Work(fix_hopspec),
    "serialize_hopspec": Work(serialize_hopspec, _document),
    "hopspec_to_plan": Work(_to_plan, _document),
}
