"""`planspec show`: the layout to the character."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import parse_plan, serialize_plan
from tests.cases import in_one_test
from tests.cli.running import BROKEN, PLAN, run
from tests.corpus import SHOWCASE, each, read

CARS = """\
# Plan: 车险赔付率预测
Goal: 基于合成保险数据，通过 XGBoost + LLM 迭代优化构建理赔预测模型
Constraints:
- 合成数据内置生成
- polars + XGBoost
## Steps
1. [x] [act] 生成 10K 条合成保单数据 → synthetic_data | 生成完成
  > 字段：policy_no, vehicle_age
2. [>] [reason] 分析数据分布和质量问题 → data_profile, clean_suggestions, feature_suggestions
  > ← synthetic_data
  > 输出 data_profile 包含：各列缺失率、分布类型、异常值比例
3. [subtask] 根据 LLM 画像建议清洗原始数据 → cleaned_data
  3.1. [reason] 确定具体清洗规则 → cleaning_plan
  3.2. [act] 对 synthetic_data 执行清洗计划 → cleaned_data
"""

CARS_SHOWN = """\
═══ PlanSpec: 车险赔付率预测 ═══

Goal: 基于合成保险数据，通过 XGBoost + LLM 迭代优化构建理赔预测模型

Constraints:
  - 合成数据内置生成
  - polars + XGBoost

Progress: 1/5 (20%)

1  [x]  [ACT]      生成 10K 条合成保单数据 → synthetic_data | 生成完成
2  [>]  [REASON]   分析数据分布和质量问题 → data_profile, clean_suggestions, feature_suggestions
                   > ← synthetic_data
                   > 输出 data_profile 包含：各列缺失率、分布类型、异常值比例
3  [ ]  [SUBTASK]  根据 LLM 画像建议清洗原始数据 → cleaned_data
├─ 3.1  [ ]  [REASON]   确定具体清洗规则 → cleaning_plan
└─ 3.2  [ ]  [ACT]      对 synthetic_data 执行清洗计划 → cleaned_data

───
步骤: 5 | reason: 2 | act: 2 | decide: 0 | subtask: 1
进度: 1/5 (20%)
"""

SHOWN = """\
═══ PlanSpec: Move the library ═══

Goal: All books stand in the new house
  > The old lease ends in May.

Constraints:
  - No book leaves its shelf unlabelled

Progress: 1/5 (20%)

1  [x]  [ACT]      Label the shelves → labels | 212 shelves
2  [>]  [SUBTASK]  Move the books → moved
│                  > ← labels
├─ 2.1  [!]  [ACT]      Hire a lorry → lorry | None is free before Friday
│                       > Twelve tonnes at least.
└─ 2.2  [ ]  [REASON]   Find the best order of the rooms → room_order
3  [~]  [ACT]      Paint the old shelves → paint

───
Steps: 5 | reason: 1 | act: 3 | decide: 0 | subtask: 1
Progress: 1/5 (20%)
"""


def _steps(shown: str) -> list[str]:
    """The lines of the steps."""
    return shown.split("\n\n")[-2].split("\n")


@pytest.mark.parametrize(("text", "shown"), [(CARS, CARS_SHOWN), (PLAN, SHOWN)], ids=["cars", "library"])
def test_layout(text: str, shown: str) -> None:
    result = run("show", "-", stdin=text)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == shown


def test_file_and_standard_input_show_the_same() -> None:
    assert run("show", "plan.md").stdout == run("show", "-", stdin=PLAN).stdout


def test_full_shows_every_body() -> None:
    assert _steps(run("show", "plan.md", "--full").stdout) == [
        "1  [x]  [ACT]      Label the shelves → labels | 212 shelves",
        "                   > Two colours, one a floor.",
        "2  [>]  [SUBTASK]  Move the books → moved",
        "│                  > ← labels",
        "├─ 2.1  [!]  [ACT]      Hire a lorry → lorry | None is free before Friday",
        "│                       > Twelve tonnes at least.",
        "└─ 2.2  [ ]  [REASON]   Find the best order of the rooms → room_order",
        "                        > ← labels",
        "3  [~]  [ACT]      Paint the old shelves → paint",
    ]


def test_full_beats_collapse() -> None:
    assert run("show", "plan.md", "--full", "--collapse", "2").stdout == run("show", "plan.md", "--full").stdout


def test_expand() -> None:
    lines = _steps(run("show", "plan.md", "--expand", "1", "--expand", "2.2").stdout)
    assert lines == _steps(run("show", "plan.md", "--full").stdout)


def test_collapse() -> None:
    assert _steps(run("show", "plan.md", "--collapse", "2").stdout) == [
        "1  [x]  [ACT]      Label the shelves → labels | 212 shelves",
        "2  [>]  [SUBTASK]  Move the books → moved",
        "3  [~]  [ACT]      Paint the old shelves → paint",
    ]


def test_what_is_collapsed_counts_all_the_same() -> None:
    everything, less = (run("show", "plan.md", *more).stdout for more in ([], ["--collapse", "2"]))
    assert less.split("\n")[-4:] == everything.split("\n")[-4:]
    assert "Progress: 1/5 (20%)" in less


def test_expanding_inside_a_collapsed_step_shows_nothing() -> None:
    options = ["--collapse", "2", "--expand", "2.2"]
    assert run("show", "plan.md", *options).stdout == run("show", "plan.md", "--collapse", "2").stdout


@pytest.mark.parametrize("option", ["--expand", "--collapse"])
@pytest.mark.parametrize("step_id", ["9", "2.3", "1.", "x", "", "02", "[red]2[/red]"])
def test_unknown_steps(option: str, step_id: str) -> None:
    result = run("show", "plan.md", option, step_id)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"step {step_id} does not exist" in result.stderr


@pytest.mark.parametrize("arguments", [[], ["plan.md", "broken.md"], ["plan.md", "--fold"]])
def test_usage(arguments: list[str]) -> None:
    result = run("show", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert "Usage: planspec show" in result.stderr


@pytest.mark.parametrize("name", ["missing.md", "."])
def test_what_cannot_be_read(name: str) -> None:
    result = run("show", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: ")


def test_no_plan(snapshot: SnapshotAssertion) -> None:
    result = run("show", "broken.md")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == snapshot
    assert run("show", "-", stdin=BROKEN).exit_code == 1
    assert "PS119" in run("show", "-", stdin=b"\xff").stderr


def test_empty_plan() -> None:
    assert run("show", "-").stdout == (
        "═══ PlanSpec ═══\n\nProgress: 0/0 (0%)\n\n───\n"
        "Steps: 0 | reason: 0 | act: 0 | decide: 0 | subtask: 0\nProgress: 0/0 (0%)\n"
    )


def test_parts_that_are_missing_leave_no_holes() -> None:
    shown = run("show", "-", stdin="## Steps\n1. [act] one\n").stdout
    assert "\n\n\n" not in shown
    assert "Goal" not in shown
    assert "Constraints" not in shown


def test_ids_of_different_width_keep_the_columns() -> None:
    rows = [f"{number}. [act] top" for number in range(1, 11)]
    rows[8:9] = ["9. [>] [subtask] top", *[f"9.{number}. [>] [act] below\n> body" for number in (1, 2, 10, 11)]]
    shown = run("show", "-", stdin="Goal: x\n## Steps\n" + "\n".join(rows)).stdout
    assert _steps(shown)[7:] == [
        "8   [ ]  [ACT]      top",
        "9   [>]  [SUBTASK]  top",
        "├─ 9.1   [>]  [ACT]      below",
        "│                        > body",
        "├─ 9.2   [>]  [ACT]      below",
        "│                        > body",
        "├─ 9.10  [>]  [ACT]      below",
        "│                        > body",
        "└─ 9.11  [>]  [ACT]      below",
        "                         > body",
        "10  [ ]  [ACT]      top",
    ]


def test_tree_lines_go_on_past_the_children_of_a_step() -> None:
    ids = ["1", "1.1", "1.1.1", "1.1.1.1", "1.2", "1.2.1", "2", "2.1"]
    text = "Goal: x\n## Steps\n" + "".join(f"{step_id}. [>] [subtask] s\n> b\n" for step_id in ids)
    assert _steps(run("show", "-", stdin=text).stdout) == [
        "1  [>]  [SUBTASK]  s",
        "│                  > b",
        "├─ 1.1  [>]  [SUBTASK]  s",
        "│  │                    > b",
        "│  └─ 1.1.1  [>]  [SUBTASK]  s",
        "│     │                      > b",
        "│     └─ 1.1.1.1  [>]  [SUBTASK]  s",
        "│                                 > b",
        "└─ 1.2  [>]  [SUBTASK]  s",
        "   │                    > b",
        "   └─ 1.2.1  [>]  [SUBTASK]  s",
        "                             > b",
        "2  [>]  [SUBTASK]  s",
        "│                  > b",
        "└─ 2.1  [>]  [SUBTASK]  s",
        "                        > b",
    ]


def test_a_collapsed_step_has_no_line_down_to_hidden_children() -> None:
    text = "Goal: x\n## Steps\n1. [subtask] s\n1.1. [subtask] s\n1.1.1. [act] s\n1.2. [act] s\n"
    assert _steps(run("show", "-", "--collapse", "1.1", stdin=text).stdout) == [
        "1  [ ]  [SUBTASK]  s",
        "├─ 1.1  [ ]  [SUBTASK]  s",
        "└─ 1.2  [ ]  [ACT]      s",
    ]


def test_all_parts_of_a_summary_line() -> None:
    text = "Goal: x\n## Steps\n1. [x] load_data [act] Load → a, b | fine | Progress: 3/5\n2. [act] → c\n3. [LLM]\n"
    assert _steps(run("show", "-", stdin=text).stdout) == [
        "1  [x]  [ACT]      load_data: Load → a, b | fine | Progress: 3/5",
        "2  [ ]  [ACT]      → c",
        "3  [ ]  [LLM]      ",
    ]


def test_types_that_are_no_types_are_counted() -> None:
    shown = run("show", "-", stdin="## Steps\n1. [LLM] a\n2. [code] b\n3. [LLM] c\n").stdout
    assert "Steps: 3 | reason: 0 | act: 0 | decide: 0 | subtask: 0 | LLM: 2 | code: 1\n" in shown


@pytest.mark.parametrize(
    ("done", "total", "percent"),
    [(0, 3, 0), (1, 3, 33), (2, 3, 67), (3, 3, 100), (1, 300, 1), (299, 300, 99), (3, 17, 18)],
)
def test_percent(done: int, total: int, percent: int) -> None:
    rows = [f"{number}. {'[x] ' if number <= done else ''}[act] s" for number in range(1, total + 1)]
    shown = run("show", "-", stdin="Goal: x\n## Steps\n" + "\n".join(rows)).stdout
    assert f"\nProgress: {done}/{total} ({percent}%)\n" in shown
    assert shown.endswith(f"\nProgress: {done}/{total} ({percent}%)\n")


@in_one_test
@each("planspec/valid", ".md")
def test_counts_are_right(path: Path) -> None:
    """Counted once more, by another way: on the lines of the canonical text."""
    rows = re.findall(r"^ *[0-9.]+\. (?:\[(.)\] )?(?:[\w-]+ )?\[(\w+)\]", serialize_plan(parse_plan(read(path))), re.M)
    types = Counter(step_type for _, step_type in rows)
    done = sum(mark == "x" for mark, _ in rows)
    *_, footer, progress = run("show", path, "--lang", "zh").stdout.rstrip("\n").split("\n")
    counted = {name: int(count) for name, count in re.findall(r"(\w+): (\d+)", footer)}
    assert counted.pop("步骤") == len(rows)
    assert {name: count for name, count in counted.items() if count} == types
    assert progress.startswith(f"进度: {done}/{len(rows)} (")


@each("planspec/valid", ".md")
def test_full_leaves_nothing_out(path: Path) -> None:
    plan = parse_plan(read(path))
    shown = run("show", "--full", path).stdout
    assert shown.count("\n> ") == 0
    todo = list(plan.steps)
    rows = _steps(shown) if todo else []
    lines = sum(1 for row in rows if not re.match(r"[ │]*>", row))
    while todo:
        step = todo.pop()
        todo += step.children
        lines -= 1
    assert lines == 0


def test_showcase(snapshot: SnapshotAssertion) -> None:
    assert run("show", SHOWCASE).stdout == snapshot
    assert "├─ 3.1  [x]  [ACT]" in run("show", "-", stdin=read(SHOWCASE)).stdout


def test_a_thousand_levels() -> None:
    ids = [".".join(["1"] * depth) for depth in range(1, 1001)]
    text = "Goal: x\n## Steps\n" + "".join(f"{step_id}. [subtask] s\n" for step_id in ids)
    result = run("show", "-", stdin=text)
    assert result.exit_code == 0
    assert _steps(result.stdout)[-1] == f"{'   ' * 998}└─ {ids[-1]}  [ ]  [SUBTASK]  s"


def test_no_line_is_broken_or_cut() -> None:
    word = "long " * 2000 + "end"
    shown = run("show", "-", stdin=f"Goal: {word}\n## Steps\n1. [act] {word} → out | {word}\n").stdout
    assert f"Goal: {word}\n" in shown
    assert f"1  [ ]  [ACT]      {word} → out | {word}\n" in shown


def test_tabs_stay() -> None:
    shown = run("show", "-", stdin="Goal: a\tb\n## Steps\n1. [act] c\td\n").stdout
    assert "Goal: a\tb\n" in shown
    assert "c\td\n" in shown


def test_collapsing_wins_over_expanding() -> None:
    for order in (["--expand", "2", "--collapse", "2"], ["--collapse", "2", "--expand", "2"]):
        assert "2.1" not in run("show", "-", *order, stdin=PLAN).stdout
