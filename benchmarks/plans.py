"""Realistic plans of any size, always the same ones: nothing here is random.

A plan is a row of blocks of 17 steps on three levels, like those that language models write: English and Chinese, all
marks and types, half of the steps with inputs or detail lines, some results, some rounds, now and then an escape. The
texts are canonical. A chain is a plan in which every step is the only child of the one before it.
"""

from __future__ import annotations

from collections.abc import Iterator

from planspec_lark import PlanCommand, PlanSpec, iter_steps, parse_plan_commands

__all__ = ["BLOCK", "chain_text", "make_commands", "plan_text"]

BLOCK = 17

# How many steps are below each step of the second level; with the block's first step that makes 17.
_SHAPES = ((3, 3, 3, 3), (6, 0, 4, 2), (4, 0, 3, 0, 3, 0), (5, 5, 2, 0), (4, 4, 0, 3, 0))

_TEXTS = (
    "Collect last quarter's sales data from all regions",
    "核对各仓库的库存记录，标出差异大于百分之三的条目",
    "Compare three database designs by write rate and cost",
    "读取风速计三年的日志 C:\\data\\wind，检查缺失值",
    "Draft the release notes and have two people read them",
    "训练 baseline 模型并记录 AUC、KS 与 PSI",
    'Run `grep "error\\|warn" *.log` over the night\'s logs',
    "分析用户反馈，按严重程度排序（前二十条即可）",
    "Send the questionnaire to 40 households",
    "判断：Gini ≥ target → 跳出迭代，否则继续",
    "Check the totals: cat totals.csv \\| sort",
    "Measure page load time, p50 and p95, in four browsers",
    "撰写报告初稿，附上所有图表和数据来源",
)
_DETAILS = (
    "Not before the lender has agreed in writing.",
    "每次最多二十分钟，超时记录原因",
    "If more than 5 % is missing, stop and ask.",
    "  indented notes keep their white space",
    "字段：门店、日期、金额、税率",
)
_RESULTS = (
    "42 of 45 answered, three are on leave",
    "完成，共 1 204 条记录",
    "p95 is 1.8 s | p50 is 0.6 s",
    "等待供应商确认",
    "AUC 0.713",
)
_MIXED_MARKS = ("x", "x", "x", ">", "", "!", "", "~", "", "")


def plan_text(count: int) -> str:
    """A plan with ``count`` steps."""
    rows = [
        "# Plan: 渠道评分 Channel scoring, third round",
        "Goal: Rebuild the scoring so that every channel reaches its target by March",
        "> 数据来自三个系统，口径需要统一。",
        "Constraints:",
        "- 原始数据不得离开内网",
        "- At most 20,000 for outside help",
        "- Every step leaves a file behind | no exceptions",
        "## Steps",
    ]
    left = count
    block = 0
    while left > 0:
        block += 1
        for step in _block_steps(block)[:left]:
            rows += step
        left -= BLOCK
    return "\n".join([*rows, ""])


def _block_steps(block: int) -> list[list[str]]:
    """The lines of each step of a block."""
    shape = _SHAPES[block % len(_SHAPES)]
    steps = [_step(block, 0, f"{block}", "subtask")]
    for first, below in enumerate(shape, 1):
        container = "decide" if first % 3 == 0 else "subtask"
        steps.append(_step(block, len(steps), f"{block}.{first}", container if below else "reason"))
        for second in range(1, below + 1):
            steps.append(_step(block, len(steps), f"{block}.{first}.{second}", "reason" if second % 3 == 0 else "act"))
    return steps


def _step(block: int, place: int, step_id: str, step_type: str) -> list[str]:
    at = block * BLOCK + place
    indent = "  " * step_id.count(".")
    mark = _mark(block, place)
    name = f"s{at:x} " if at % 7 == 0 else ""
    outputs = f" → out_{at}" + (f", log_{at}" if at % 5 == 0 else "") if at % 4 else ""
    result = f" | {_RESULTS[at // 3 % len(_RESULTS)]}" if mark and at % 3 == 0 else ""
    rounds = f" | Progress: {1 + at % 5}" + ("/6" if at % 2 else "") if step_type == "subtask" and at % 5 == 1 else ""
    text = _TEXTS[at * 5 % len(_TEXTS)]
    rows = [f"{indent}{step_id}. {mark}{name}[{step_type}] {text}{outputs}{result}{rounds}"]
    if place and at % 2:
        earlier = block * BLOCK + place // 2
        rows.append(f"{indent}  > ← out_{earlier}" + (f", out_{earlier + 1}" if at % 3 == 0 else ""))
    if at % 4 == 1:
        rows += [f"{indent}  > {_DETAILS[(at + line) % len(_DETAILS)]}" for line in range(1 + at % 3)]
    return rows


def _mark(block: int, place: int) -> str:
    """A plan at work: a third of its blocks is done, a third under way, a third still to come."""
    if block % 3 == 0:
        return "[x] "
    mark = _MIXED_MARKS[place % len(_MIXED_MARKS)] if block % 3 == 1 else ""
    return f"[{mark}] " if mark else ""


def chain_text(depth: int) -> str:
    """A plan of ``depth`` steps, each below the one before it."""
    rows = ["Goal: Go down as far as there is a way down", "## Steps"]
    step_id = ""
    for level in range(depth):
        step_id += ".1" if step_id else "1"
        indent = "  " * level
        step_type = "act" if level == depth - 1 else "subtask"
        rows.append(f"{indent}{step_id}. [{step_type}] {_TEXTS[level % len(_TEXTS)]} → level_{level}")
        if level % 2:
            rows.append(f"{indent}  > {_DETAILS[level % len(_DETAILS)]}")
    return "\n".join([*rows, ""])


# ---------------------------------------------------------------- commands

_OPS = ("DONE", "REVISE", "EXPAND", "ADD", "BLOCKED", "REPLAN", "SKIP", "COLLAPSE", "REVISE")


def make_commands(plan: PlanSpec, count: int = 50) -> list[PlanCommand]:
    """Mixed commands for steps all over a plan, from its last steps to its first; all of them succeed."""
    steps = list(iter_steps(plan))
    lines: list[str] = []
    for number in reversed(range(count)):
        step = steps[number * len(steps) // count]
        lines += _command(_OPS[number % len(_OPS)], step.step_id, step.step_type, len(step.children))
    return parse_plan_commands("\n".join(["Here is what I would change.", *lines, ""]))


def _command(op: str, step_id: str, step_type: str, children: int) -> Iterator[str]:
    if op == "ADD":
        target = f"{step_id}.{children + 1}" if step_type in ("subtask", "decide") else step_id
        yield f"PLAN_CMD: ADD {target} [act] 补充一次抽样检查 → extra_check"
        yield "> ← out_18"
    elif op == "REVISE":
        yield f"PLAN_CMD: REVISE {step_id} [{step_type}] Do it once more, with both data sets → again"
        yield "> The first attempt used last year's file."
    elif op == "REPLAN" and step_type not in ("subtask", "decide"):
        yield f"PLAN_CMD: DONE {step_id}"
    elif op in ("EXPAND", "COLLAPSE"):
        yield f"PLAN_CMD: {op} {step_id}"
    else:
        yield f"PLAN_CMD: {op} {step_id} | 详见日志第 12 页"
