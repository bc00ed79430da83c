"""Answers of language models: a plan of 20 or 300 steps in a code block, clean or messy, with sentences around it."""

from __future__ import annotations

import re
from itertools import product

from benchmarks.findings import Findings, Settings
from benchmarks.measure import Task, race
from benchmarks.tables import Table, ratio, seconds
from planspec_lark import check_text, extract_plan, parse_plan, scan_plan
from planspec_lark.planspec.fast_reader import patterns

__all__ = ["measure_answers"]

# Steps → parts with three steps each.
_PARTS = {20: 5, 300: 75}
# Title, goal, constraint, parts and steps of a plan, and what comes before its code block and after it.
_ANSWERS = {
    "English": (
        ("New release pipeline", "Every team releases with one pipeline by the end of June", "At most 2,000 a month"),
        "Part {} of the work",
        (
            "Read the current deployment scripts and list every manual action",
            "Move the secrets into the vault and add a stage for them",
            "Let two colleagues release to staging with the new pipeline",
        ),
        "Here is a plan for the new release pipeline, based on the requirements you gave me.",
        "Each step says what it needs. Let me know if you would like any changes!",
    ),
    "Chinese": (
        ("渠道评分", "三月前每个渠道都达到目标", "原始数据不得离开内网"),
        "第{}部分工作",
        (
            "核对各仓库的库存记录，标出差异大于百分之三的条目",
            "读取风速计三年的日志，检查缺失值",
            "撰写报告初稿，附上所有图表和数据来源",
        ),
        "好的，以下是根据您的要求制定的计划。",
        "以上计划包含全部步骤。如有需要调整的地方，请随时告诉我。",
    ),
}
_PARSE, _CLEAN, _MESSY, _PASS, _CHECK = (
    "parse_plan, the plan",
    "extract_plan, clean",
    "extract_plan, messy",
    "one pass of the row pattern",
    "check_text, the plan",
)
# How a model that was shown no grammar writes the lines of a plan.
_MESS = (
    (r"^# (Plan: .*)$", r"# **\1**"),
    (r"^Goal: ", "**Goal:** "),
    (r"^Constraints:$", "**Constraints:**"),
    (r"^## Steps$", "### Steps"),
    (r"^( *)([0-9.]+)\. \[(\w)(\w+)\] ", lambda one: f"{one[1]}{one[2]}) **[{one[3].upper()}{one[4]}]** "),
    (r"→", "->"),
    (r"^( *)> ← ", r"\1- Inputs: "),
)


def measure_answers(settings: Settings) -> Findings:
    """Time what reads an answer beside what reads its plan. The figures are those of the slowest language."""
    columns = ["what", "steps", "language", "best", "to parse_plan", "to a pass of the row pattern"]
    table = Table("Answers of 20 and 300 steps", columns)
    findings = Findings([table])
    for steps, language in product(_PARTS, _ANSWERS):
        plan, answer, messy = _write(language, _PARTS[steps])
        tasks = {
            _PARSE: Task.on(parse_plan, plan),
            _PASS: Task.on(patterns()[1].findall, answer),
            "scan_plan, clean": Task.on(scan_plan, answer),
            _CLEAN: Task.on(extract_plan, answer),
            _MESSY: Task.on(extract_plan, messy),
            _CHECK: Task.on(check_text, plan),
        }
        timings = race(tasks, rounds=settings.rounds * (3 if steps == 20 else 1))
        findings.note(f"answers/{steps}/{language}", timings)
        best = {name: timing.best for name, timing in timings.items()}
        for name, time in best.items():
            row = [name, f"{steps}", language, seconds(time), ratio(time / best[_PARSE]), ratio(time / best[_PASS])]
            table.rows.append(row)
        for figure, name in (("clean", _CLEAN), ("messy", _MESSY), ("check", _CHECK)):
            key = f"{figure} to parse, {steps} steps"
            findings.figures[key] = max(best[name] / best[_PARSE], findings.figures.get(key, 0))
    return findings


def _write(language: str, parts: int) -> tuple[str, str, str]:
    """A plan without any finding, and two answers around it that are accepted: as it is, and in other signs."""
    (title, goal, constraint), part, texts, before, behind = _ANSWERS[language]
    rows = [f"# Plan: {title}", f"Goal: {goal}", "Constraints:", f"- {constraint}", "## Steps"]
    for first in range(1, parts + 1):
        rows.append(f"{first}. [subtask] {part.format(first)}")
        for second, text in enumerate(texts, 1):
            rows.append(f"  {first}.{second}. [act] {text} → result_{first}_{second}")
            if second > 1:
                rows.append(f"    > ← result_{first}_{second - 1}")
    plan = "\n".join([*rows, ""])
    answer = f"{before}\n\n```\n{plan}```\n\n{behind}\n"
    messy = answer
    for pattern, written in _MESS:
        messy = re.sub(pattern, written, messy, flags=re.MULTILINE)
    assert not check_text(plan)
    assert extract_plan(answer).is_usable
    assert extract_plan(messy).plan == extract_plan(answer).plan == parse_plan(plan)
    return plan, answer, messy
