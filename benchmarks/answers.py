"""Clean answers of language models: a plan of 20 steps in a code block, with sentences around it."""

from __future__ import annotations

from benchmarks.findings import Findings, Settings
from benchmarks.measure import Task, race
from benchmarks.tables import Table, ratio, seconds
from planspec_lark import check_text, extract_plan, parse_plan, scan_plan
from planspec_lark.planspec.fast_reader import row_pattern

__all__ = ["measure_answers"]

_PARTS = 5
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
_PARSE, _EXTRACT, _PASS, _CHECK = (
    "parse_plan, the plan",
    "extract_plan",
    "one pass of the row pattern",
    "check_text, the plan",
)


def measure_answers(settings: Settings) -> Findings:
    """Time what reads an answer beside what reads its plan. The figures are those of the slowest language."""
    columns = ["what", "language", "best", "to parse_plan", "to a pass of the row pattern"]
    table = Table("Clean answers of 20 steps", columns)
    findings = Findings([table])
    for language in _ANSWERS:
        plan, answer = _write(language)
        tasks = {
            _PARSE: Task.on(parse_plan, plan),
            _PASS: Task.on(row_pattern().findall, answer),
            "scan_plan": Task.on(scan_plan, answer),
            _EXTRACT: Task.on(extract_plan, answer),
            _CHECK: Task.on(check_text, plan),
        }
        timings = race(tasks, rounds=settings.rounds * 3)
        findings.note(f"answers/{language}", timings)
        best = {name: timing.best for name, timing in timings.items()}
        for name, time in best.items():
            table.rows.append([name, language, seconds(time), ratio(time / best[_PARSE]), ratio(time / best[_PASS])])
        for figure, name, other in (
            ("extract to parse", _EXTRACT, _PARSE),
            ("extract to a pass", _EXTRACT, _PASS),
            ("check to parse", _CHECK, _PARSE),
        ):
            findings.figures[figure] = max(best[name] / best[other], findings.figures.get(figure, 0))
    return findings


def _write(language: str) -> tuple[str, str]:
    """A plan without any finding, and an answer around it that is accepted."""
    (title, goal, constraint), part, texts, before, behind = _ANSWERS[language]
    rows = [f"# Plan: {title}", f"Goal: {goal}", "Constraints:", f"- {constraint}", "## Steps"]
    for first in range(1, _PARTS + 1):
        rows.append(f"{first}. [subtask] {part.format(first)}")
        for second, text in enumerate(texts, 1):
            rows.append(f"  {first}.{second}. [act] {text} → result_{first}_{second}")
            if second > 1:
                rows.append(f"    > ← result_{first}_{second - 1}")
    plan = "\n".join([*rows, ""])
    answer = f"{before}\n\n```\n{plan}```\n\n{behind}\n"
    assert not check_text(plan)
    assert extract_plan(answer).is_usable
    return plan, answer
