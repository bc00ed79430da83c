"""How plans are read: what the source of the language shows or says, word for word, and what becomes of it here."""

from __future__ import annotations

import re

from planspec_lark import (
    PlanDocument,
    PlanStream,
    PlanSyntaxError,
    Severity,
    check_text,
    extract_plan,
    lint_plan,
    parse_plan,
    parse_plan_commands,
    scan_plan,
    serialize_plan,
)
from planspec_lark.answers import Risk, Verdict
from planspec_lark.planspec import PlanTransformer, parse_tree
from planspec_lark.syntax import CODES
from tests.cli.running import run

# A whole file of steps, as the source shows one.
STEPS = """\
1. [x] [act] 清点书架 → shelves | 共 212 个
  > 每层一张标签
  > 颜色按楼层区分
2. [>] [subtask] 搬运 → moved | Progress: 1/3
  > ← shelves
  2.1. [act] 装车 → loaded
"""


def refusals(text: str) -> list[tuple[int | None, str]]:
    """The line and the code of every fault."""
    try:
        parse_plan(text)
    except PlanSyntaxError as error:
        return [(found.line, found.code) for found in error.diagnostics]
    return []


def test_deviation_p1() -> None:
    """`## Steps` may be left out: the first step opens the section."""
    headed = parse_plan(f"## Steps\n{STEPS}")
    assert parse_plan(STEPS) == headed
    assert PlanTransformer().transform(parse_tree(STEPS)) == headed
    assert (scan_plan(STEPS).plan, scan_plan(STEPS).diagnostics) == (headed, [])
    stream = PlanStream()
    for character in STEPS:
        stream.feed(character)
    assert stream.finish().result.plan == headed
    assert not stream.is_hopeless
    # What is printed has the header; a text without it keeps its own way.
    assert serialize_plan(parse_plan(STEPS)) == f"## Steps\n{STEPS}"
    document = PlanDocument.from_text(STEPS)
    document.apply(parse_plan_commands("PLAN_CMD: ADD 1 [act] 租车 → van\nPLAN_CMD: DONE 3.1 | 上午"))
    assert document.text == (
        "1. [act] 租车 → van\n"
        + STEPS.replace("1. [x] ", "2. [x] ")
        .replace("2. [>]", "3. [>]")
        .replace("2.1. [act] 装车 → loaded", "3.1. [x] [act] 装车 → loaded | 上午")
    )
    # Each part still comes once, and in its order.
    assert refusals(f"{STEPS}Goal: 搬家\n") == [(7, "PS106")]
    assert refusals(f"{STEPS}## Steps\n3. [act] 打扫\n") == [(7, "PS105")]
    assert refusals(f"## Steps\n## Steps\n{STEPS}") == [(2, "PS105")]
    assert [found.code for found in check_text(f"Goal: 搬家\n{STEPS}") if found.code < "PS300"] == []
    assert "PS108" not in CODES


def test_deviation_p2() -> None:
    """Variables are ASCII words: another word behind the arrow is text, and an info says so."""
    steps = "1. [act] 去掉空行 → 清洗数据\n2. [act] 达标 → 跳出循环 并写报告\n3. [act] 汇总 → report\n"
    text = f"Goal: 报表\n## Steps\n{steps}"
    plan = parse_plan(text)
    assert [(step.description, step.outputs) for step in plan.steps] == [
        ("去掉空行 → 清洗数据", []),
        ("达标 → 跳出循环 并写报告", []),
        ("汇总", ["report"]),
    ]
    found = [one for one in check_text(text) if one.code == "PS314"]
    assert [(one.line, one.severity, one.message) for one in found] == [
        (3, Severity.INFO, "step 1: `清洗数据` is read as text: a variable has only ASCII letters, digits and `_`")
    ]


def test_deviation_p3() -> None:
    """Descriptions of 80 to 130 characters are asked for by those who want them."""
    text = f"Goal: 报表\n## Steps\n1. [act] 去掉空行 → rows\n2. [act] {'逐行核对' * 25} → report\n"
    plan = parse_plan(text)
    assert "PS315" not in {found.code for found in [*lint_plan(plan), *check_text(text)]}
    for found in (lint_plan(plan, also=["PS315"]), check_text(text, also=["PS315"])):
        assert [(one.step_id, one.severity) for one in found if one.code == "PS315"] == [("1", Severity.INFO)]
    printed = run("check", "--also", "PS315", "-", stdin=text)
    assert printed.exit_code == 0
    assert "info[PS315] <stdin>:3:10: step 1: the description has 4 characters, not 80 to 130\n" in printed.stdout
    assert "PS315" not in run("check", "-", stdin=text).stdout


# A template as the source shows one: a comment after every line that may need one.
TEMPLATE = """\
# Plan: <标题>                    # 可省略
Goal: <目标>                      # 必填
> <补充>                          # 目标的 > 续行
Constraints:                      # 可省略
- <约束>
## Steps                          # 必填
1. [x] [reason] 查看数据 → profile
  > ← raw_data                    # 输入
  > 列出缺失率                    # 细节
2. [x] [act] 清洗 → cleaned | 完成      # [x]=done, | 后为结果
3. [>] [subtask] 训练 → model    # 循环
  3.1. [decide] 是否达标              # 分支在下面
    3.1.1. [act] 达标 → 输出最终模型
"""
BARE = "".join(f"{row.partition('   #')[0].rstrip()}\n" for row in TEMPLATE.splitlines())


def test_deviation_p4() -> None:
    """A template with comments is read, each comment named; the one that is printed is valid."""
    assert "#" not in BARE.replace("# Plan", "").replace("## Steps", "")
    plan = parse_plan(BARE)
    assert refusals(TEMPLATE) == [(4, "PS124"), (6, "PS124")]
    scan = scan_plan(TEMPLATE)
    assert scan.plan == plan
    commented = [number for number, row in enumerate(TEMPLATE.splitlines(), start=1) if "   #" in row]
    assert [(found.line, found.code) for found in scan.diagnostics] == [(line, "PS124") for line in commented]
    assert {found.severity for found in scan.diagnostics} == {Severity.WARNING}
    # As long as there are placeholders, it is not a plan to act on.
    assert extract_plan(TEMPLATE).verdict is Verdict.NEEDS_REVIEW
    extraction = extract_plan(re.sub(r"<(\w+)>", r"\1", TEMPLATE))
    assert extraction.is_usable
    assert {entry.line: entry.risk for entry in extraction.repairs} == {
        line: Risk.LOW if line in (4, 6) else Risk.MEDIUM for line in commented
    }
    stream = PlanStream()
    for character in TEMPLATE:
        stream.feed(character)
    assert stream.copy_plan() == stream.finish().result.plan == plan
    # Inside a text, `#` is a sign like any other.
    text = "## Steps  # all\n1. [act] Fix issue #12, then C# code # 5 → code  # soon\n"
    assert serialize_plan(scan_plan(text).plan) == "## Steps\n1. [act] Fix issue #12, then C# code # 5 → code\n"
    for language in ("en", "zh"):
        printed = run("new", "--template", "--language", language).stdout
        assert run("check", "--strict", "-", stdin=printed).exit_code == 0
        assert serialize_plan(parse_plan(printed)) == printed
