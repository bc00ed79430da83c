"""Styles that mix habits: each by itself is read right, and what one does must not hide another."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from attrs import evolve

from planspec_lark import PlanSpec, PlanStatus, PlanStep, iter_steps
from tests.answers.answer import Answer, closing_of, fenced, opening_of, style
from tests.answers.looks import Look, OfStep, Spelling, nothing, write
from tests.answers.plans import is_chinese, phases_of, renumber, with_statuses, with_title
from tests.answers.step_styles import EMOJIS, cased, last_number, of_status


def _any_of(random: Random, *spellings: str) -> Spelling:
    return random.choice(spellings).format


def _in_prose(text: str, plan: PlanSpec, random: Random) -> str:
    """A text with something said in front of it, and perhaps behind it."""
    behind = random.choice(["", f"\n{closing_of(plan, random)}\n"])
    return f"{opening_of(plan, random)}\n\n{text}{behind}"


def _numbered(spelling: str, random: Random) -> OfStep:
    """The number of a step in a spelling; by chance it begins again on each level."""
    number: OfStep = random.choice(["{0.step_id}".format, last_number])
    return lambda step: spelling.format(number(step))


_NUMBERS = (
    *("{}.", "{})", "({})", "（{}）", "{}、", "{}．", "{}:", "**{}.**", "**{}**.", "- {}."),
    *("Step {}:", "**Step {}:**", "步骤{}："),
)
_TITLES = ("# Plan: {}", "# {}", "## Plan: {}", "**Plan: {}**", "# **{}**", "计划：{}")
_GOALS = (
    *("Goal: {}", "**Goal:** {}", "## Goal\n{}", "# Goal\n\n{}", "### Goal:\n{}", "Goal：{}", "Objective: {}"),
    "## 🎯 Goal\n\n{}",
)


@style
def several_habits(plan: PlanSpec, random: Random) -> Answer:
    """Harmless habits of several kinds at once, with prose and perhaps a fence around them."""
    plan = with_title(plan)
    spelling = random.choice(_NUMBERS)
    where, sign = random.choice([("mark", "{}"), ("lead", "{} "), ("tail", " {}")])
    signs = of_status({status: sign.format(emoji) for status, emoji in EMOJIS.items()})
    look = Look(
        title=_any_of(random, *_TITLES),
        goal=_any_of(random, *_GOALS),
        constraints=random.choice(["Constraints:", "**Constraints:**", "### Constraints", "# Constraints", "约束："]),
        constraint=_any_of(random, "- {}", "* {}", "• {}", "+ {}", "- **{}**"),
        steps=random.choice(["## Steps", "Steps:", "**Steps**", "### Steps", "# Steps", "步骤："]),
        between=random.choice([(), ("",), ("", "---", "")]),
        indent=random.choice(["  ", "   ", "    "]),
        number=_numbered(spelling, random),
        gap="" if spelling[-1] in "）、：" and random.random() < 0.7 else " ",
        type=random.choice([*map(_format, ("[{}]", "**[{}]**", "`[{}]`", "[`{}`]", "【{}】")), cased(random)]),
        text=_any_of(random, "{}", "{}", "**{}**"),
        arrow=_any_of(random, " → {}", " -> {}", " => {}", "→{}"),
        variable=_any_of(random, "{}", "`{}`", "**{}**"),
        comma=random.choice([", ", ",", "、", "，"]),
        inputs=_any_of(random, "> ← {}", "> <- {}", "← {}", "- ← {}", "- Inputs: {}"),
        detail=_any_of(random, "> {}", "- {}", "* {}", "• {}"),
        mark=signs if where == "mark" else nothing,
        lead=signs if where == "lead" else nothing,
        tail=signs if where == "tail" else nothing,
    )
    text = write(plan, look)
    return Answer(_in_prose(random.choice([text, fenced(text, random)]), plan, random), "accepted", plan)


def _format(spelling: str) -> Spelling:
    return spelling.format


_WORDS = {
    PlanStatus.DONE: (("done", "completed", "finished"), ("已完成", "完成")),
    PlanStatus.ACTIVE: (("in progress", "ongoing", "being worked on"), ("进行中", "正在进行")),
    PlanStatus.BLOCKED: (("blocked", "stuck"), ("受阻", "阻塞")),
    PlanStatus.SKIPPED: (("skipped",), ("跳过", "已跳过")),
    PlanStatus.PENDING: (("not started", "pending", "to do"), ("未开始", "待办")),
}
# All of a legend, one of its entries, and what is between two of them; in English and in Chinese.
_LEGENDS = (
    (
        ("Legend: {}", "{} = {}", ", "),
        ("**Legend:** {}", "{} {}", " | "),
        ("Legend:\n- {}", "{} {}", "\n- "),
        ("({})", "{} = {}", ", "),
    ),
    (
        ("图例：{}", "{} {}", "，"),
        ("（{}）", "{}表示{}", "，"),
        ("图例：\n- {}", "{} {}", "\n- "),
        ("状态说明：{}", "{}={}", "；"),
    ),
)


@style
def legend_of_any_form(plan: PlanSpec, random: Random) -> Answer:
    """A legend with a label or none, in a line, in parentheses or as a list, in front of the plan or behind it."""
    plan = with_statuses(with_title(plan), random, [*_WORDS])
    signs = dict(zip(_WORDS, random.choice([[*"✅🔄⛔🚧⬜"], [*"●◐✖⊘○"], [*"🟢🟡🔴⚪🔵"]]), strict=True))
    head, entry, between = random.choice(_LEGENDS[is_chinese(plan)])
    entries = [entry.format(signs[status], random.choice(words[is_chinese(plan)])) for status, words in _WORDS.items()]
    legend = head.format(between.join(entries))
    text = write(plan, Look(mark=of_status(signs)))
    text = random.choice([text, fenced(text, random)])
    text = random.choice([f"{legend}\n\n{text}", f"{text}\n{legend}\n"])
    return Answer(_in_prose(text, plan, random), "accepted", plan)


# The names of columns, in English and in Chinese.
_COLUMNS = {
    "number": (("#", "No.", "ID", "Step #"), ("#", "序号", "编号")),
    "text": (("Step", "Description", "Task", "Action"), ("步骤", "任务", "内容")),
    "type": (("Type", "**Type**"), ("类型",)),
    "status": (("Status", "State"), ("状态",)),
    "inputs": (("Inputs", "Needs"), ("输入", "依赖")),
    "outputs": (("Outputs", "Produces"), ("输出", "产出")),
}
_CELLS = {
    PlanStatus.DONE: ("✅", "done", "✅ Done", "[x]", "已完成"),
    PlanStatus.ACTIVE: ("⏳", "In progress", "⏳ In progress", "[>]", "进行中"),
    PlanStatus.BLOCKED: ("❌", "blocked", "❌ Blocked", "[!]", "受阻"),
    PlanStatus.SKIPPED: ("⏭", "skipped", "⏭️ Skipped", "[~]", "跳过"),
    PlanStatus.PENDING: ("", "pending", "—", "[ ]", "待办"),
}


@style
def table_of_any_form(plan: PlanSpec, random: Random) -> Answer:
    """A table with a row a step, its columns in any order and its cells in several spellings."""
    plan = with_title(plan)
    plan.steps = [step for step in iter_steps(plan) if not step.children]
    renumber(plan)
    columns = [name for name in _COLUMNS if name == "text" or random.random() < 0.7]
    columns = columns if len(columns) > 1 else ["number", "text"]
    random.shuffle(columns)
    number, text = random.choice(["{}", "**{}**", "{}."]), random.choice(["{}", "**{}**"])
    kind, variable = random.choice(["{}", "[{}]", "`{}`"]), random.choice(["{}", "`{}`"])
    nothing_there, at = random.choice(["", "—", "-"]), random.randrange(5)
    for step in plan.steps:
        step.step_name, step.result, step.detail, step.done_count, step.total_count = "", "", [], 0, None
        step.status = random.choice([*_CELLS]) if "status" in columns else PlanStatus.PENDING
        step.step_type = step.step_type if "type" in columns else "act"
        step.inputs = step.inputs if "inputs" in columns else []
        step.outputs = step.outputs if "outputs" in columns else []

    def row(step: PlanStep) -> str:
        cells = {
            "number": number.format(step.step_id),
            "text": text.format(step.description),
            "type": kind.format(step.step_type),
            "status": _CELLS[step.status][at],
            "inputs": ", ".join(map(variable.format, step.inputs)) or nothing_there,
            "outputs": ", ".join(map(variable.format, step.outputs)) or nothing_there,
        }
        return f"| {' | '.join(cells[name] for name in columns)} |"

    heads = [random.choice(_COLUMNS[name][is_chinese(plan)]) for name in columns]
    ruler = "|".join(random.choice(["---", ":--", ":-:"]) for _ in columns)
    table = "\n".join([f"| {' | '.join(heads)} |", f"|{ruler}|", *map(row, plan.steps)])
    rest = write(evolve(plan, steps=[]), Look())
    options = {} if "type" in columns else {"default_type": "act"}
    return Answer(_in_prose(f"{rest}\n{table}\n", plan, random), "accepted", plan, options)


# Goal, header of the constraints and of the steps; in English and in Chinese.
_PARTS = (
    (
        ("**Goal:** {}", "**Constraints:**", "## Steps"),
        ("## Goal\n\n{}", "## Constraints", "# Steps"),
        ("# Goal\n{}", "# Constraints", "## Action plan"),
        ("*Goal:* {}", "### Ground rules", "**Steps:**"),
    ),
    (
        ("**目标：** {}", "**约束条件：**", "## 步骤"),
        ("## 一、目标\n{}", "## 二、约束条件", "## 三、实施步骤"),
        ("### 🎯 目标\n\n{}", "### 要求", "步骤："),
    ),
)
_PHASES = (
    ("## Phase {0}: {2}", "### Phase {0} – {2}", "**Phase {0}: {2}**", "### {0}. {2}", "## {2}"),
    ("## 阶段{1}：{2}", "### 第{1}阶段：{2}", "**阶段{0}：{2}**", "## {1}、{2}"),
)


@style
def markdown_habits(plan: PlanSpec, random: Random) -> Answer:
    """Several habits of models that know no format: phases or none, boxes, text in bold, detail below the steps."""
    plan = phases_of(with_title(plan), random)
    is_flat, has_boxes = random.random() < 0.35, random.random() < 0.35
    if is_flat:
        plan.steps = [step for phase in plan.steps for step in phase.children]
        renumber(plan)
    detail = ["大约需要两小时"] if is_chinese(plan) else ["About two hours with two people"]
    for step in iter_steps(plan):
        step.outputs, step.inputs = [], []
        step.detail = random.choice([[], [], detail]) if not step.children else []
        step.status = (
            random.choice([PlanStatus.DONE, PlanStatus.PENDING]) if has_boxes and not step.children else step.status
        )
    goal, rules, header = random.choice(_PARTS[is_chinese(plan)])
    phase = random.choice(_PHASES[is_chinese(plan)])
    rows = _rows_like(random, is_flat=is_flat, has_boxes=has_boxes)
    parts = [_any_of(random, "# {}", "## {}", "**{}**")(plan.title), goal.format(plan.goal)]
    if plan.constraints:
        parts.append("\n".join([rules, *map(_any_of(random, "- {}", "* {}", "• {}"), plan.constraints)]))
    if is_flat:
        parts += [header, rows(plan.steps)]
    for number, step in enumerate(plan.steps if not is_flat else [], 1):
        parts.append(
            f"{phase.format(number, '一二三四五六七八九'[number - 1], step.description)}\n\n{rows(step.children)}"
        )
    text = random.choice(["\n\n", "\n\n---\n\n"]).join(parts) + "\n"
    return Answer(_in_prose(text, plan, random), "accepted", plan, {"default_type": "act"})


def _rows_like(random: Random, *, is_flat: bool, has_boxes: bool) -> Callable[[list[PlanStep]], str]:
    """How the steps of a list are written."""
    leads = ["{0}. ", "{0}) ", "**{0}.** "] if is_flat else ["{0}. ", "- ", "* ", "• "]
    boxes = ["- {1} ", "{0}. {1} ", "- {1} {0}. ", "{1} "]
    lead = random.choice(boxes if has_boxes else [*leads, "{0}、", "（{0}）"])
    spellings: list[Spelling] = [str, "**{}**".format, _lead_in_bold]
    in_bold = random.choice(spellings) if not lead.startswith("**") else str
    bullet = random.choice(["   - ", "  * ", "   • "])

    def rows(steps: list[PlanStep]) -> str:
        found = []
        for number, step in enumerate(steps, 1):
            box = "[x]" if step.status is PlanStatus.DONE else "[ ]"
            found.append(lead.format(number, box) + in_bold(step.description))
            found += [bullet + line for line in step.detail]
        return "\n".join(found)

    return rows


def _lead_in_bold(text: str) -> str:
    """A text whose beginning is bold, as the subject of an item is."""
    at = text.find(" ", 4) if text.isascii() else 4
    return f"**{text[:at]}**{text[at:]}" if at > 0 else text
