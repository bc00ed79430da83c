"""Styles of whole pages: plain Markdown by models that know no format."""

from __future__ import annotations

from random import Random

from attrs import frozen

from planspec_lark import PlanSpec, serialize_plan
from tests.answers.answer import (
    Answer,
    accepted,
    choose,
    in_doubt,
    opening_of,
    style,
)
from tests.answers.looks import Look, nothing, write
from tests.answers.plans import (
    is_chinese,
    language_of,
    phases_of,
    renumber,
    with_title,
)
from tests.answers.step_styles import last_number

# ---------------------------------------------------------------- plain Markdown, by models that know no format

_CHINESE_NUMERALS = "一二三四五六七八九"
_NOTES = {
    "en": ("Start early, mornings are calm.", "Keep everybody in the loop.", "Take photos for next time."),
    "zh": ("尽量早点开始。", "保持沟通，及时反馈。", "拍照留存，方便下次参考。"),
}


@frozen
class _Page:
    """How the parts of a plan look on a page of plain Markdown."""

    goal: str
    rules: str
    phase: str
    lead: str


def _page(plan: PlanSpec, page: _Page, random: Random) -> str:
    """A page: ``{number}``, ``{numeral}`` and ``{text}`` are filled in in phases, ``{number}`` in leads of steps."""
    parts = [f"# {plan.title}", page.goal.format(plan.goal)]
    if plan.constraints:
        gap = random.choice(["\n", "\n\n"])
        parts.append(page.rules + gap + "\n".join(f"- {constraint}" for constraint in plan.constraints))
    for number, phase in enumerate(plan.steps, 1):
        head = page.phase.format(number=number, numeral=_CHINESE_NUMERALS[number - 1], text=phase.description)
        rows = [page.lead.format(number=at) + step.description for at, step in enumerate(phase.children, 1)]
        parts.append("\n".join([head, *random.choice([[], [""]]), *rows]))
    return "\n\n".join(parts) + "\n"


def _random_page(plan: PlanSpec, random: Random, *leads: str) -> str:
    goal = choose(
        plan,
        random,
        en=("**Goal:** {}", "## Goal\n\n{}", "Goal: {}", "**Objective:** {}", "### 🎯 Objective\n{}"),
        zh=("**目标：** {}", "## 目标\n\n{}", "目标：{}", "**目标**：{}"),
    )
    rules = choose(
        plan,
        random,
        en=("## Ground rules", "**Ground rules:**", "### Constraints", "Ground rules:"),
        zh=("## 要求", "**要求：**", "### 约束", "要求："),
    )
    phase = choose(
        plan,
        random,
        en=("## Phase {number}: {text}", "### Phase {number}: {text}", "**Phase {number}: {text}**", "## {text}"),
        zh=("## 阶段{numeral}：{text}", "### 第{numeral}阶段：{text}", "**阶段{number}：{text}**", "## {text}"),
    )
    return _page(plan, _Page(goal, rules, phase, random.choice(leads)), random)


def _phased(plan: PlanSpec, random: Random) -> PlanSpec:
    return phases_of(with_title(plan), random)


@style
def markdown_phases(plan: PlanSpec, random: Random) -> Answer:
    """Phases with numbered steps."""
    plan = _phased(plan, random)
    return accepted(plan, _random_page(plan, random, "{number}. ", "{number}) "), random, default_type="act")


@style
def markdown_bulleted_phases(plan: PlanSpec, random: Random) -> Answer:
    """Phases with bullets for steps."""
    plan = _phased(plan, random)
    return accepted(plan, _random_page(plan, random, "- ", "* ", "• "), random, default_type="act")


@style
def markdown_check_list(plan: PlanSpec, random: Random) -> Answer:
    """Phases with check boxes for steps, none of them ticked."""
    plan = _phased(plan, random)
    return accepted(plan, _random_page(plan, random, "- [ ] ", "* [ ] "), random, default_type="act")


@style
def markdown_named_steps(plan: PlanSpec, random: Random) -> Answer:
    """Phases with "Step 1:" for numbers, which start again with each phase."""
    plan = _phased(plan, random)
    leads = (
        ("- 步骤{number}：", "步骤 {number}：") if is_chinese(plan) else ("- Step {number}: ", "**Step {number}:** ")
    )
    return accepted(plan, _random_page(plan, random, *leads), random, default_type="act")


@style
def markdown_flat_list(plan: PlanSpec, random: Random) -> Answer:
    """A numbered list without phases."""
    plan = _phased(plan, random)
    plan.steps = [step for phase in plan.steps for step in phase.children]
    text = _numbered_list(renumber(plan), random)
    return accepted(plan, text, random, default_type="act")


def _numbered_list(plan: PlanSpec, random: Random) -> str:
    goal, steps = _choose_pair(plan, random)
    look = Look(
        title="# {}".format,
        goal=goal.format,
        constraints="## 要求" if is_chinese(plan) else "## Ground rules",
        steps=steps,
        type=nothing,
        number=lambda step: f"{last_number(step)}.",
        indent="   ",
        between=("",),
    )
    return write(plan, look)


def _choose_pair(plan: PlanSpec, random: Random) -> tuple[str, str]:
    """The spelling of the goal and the heading of the steps."""
    if is_chinese(plan):
        return random.choice([("## 目标\n{}", "## 步骤"), ("**目标：** {}", "**步骤：**\n")])
    return random.choice(
        [("## Goal\n{}", "## Steps"), ("**Goal:** {}", "**Steps:**\n"), ("Objective: {}", "### Steps")]
    )


@style
def markdown_nested_list(plan: PlanSpec, random: Random) -> Answer:
    """Numbered steps with numbered steps below them; phases are steps of the list."""
    plan = _phased(plan, random)
    return accepted(plan, _numbered_list(plan, random), random, default_type="act")


@style
def markdown_notes_behind(plan: PlanSpec, random: Random) -> Answer:
    """Notes or tips behind the plan: no part of it."""
    plan = _phased(plan, random)
    text = _random_page(plan, random, "{number}. ", "- ")
    return Answer(f"{text}\n{_notes(plan, random)}", "accepted", plan, {"default_type": "act"})


def _notes(plan: PlanSpec, random: Random) -> str:
    head = choose(
        plan,
        random,
        en=("## Notes", "**Tips:**", "### 💡 Tips", "Notes:", "---\n\n**Note**"),
        zh=("## 提示", "**小贴士：**", "备注：", "### 注意事项"),
    )
    return "\n".join([head, *(f"- {note}" for note in random.sample(_NOTES[language_of(plan)], 2)), ""])


@style
def notes_behind(plan: PlanSpec, random: Random) -> Answer:
    """The same behind a plan whose model knew the format."""
    return Answer(f"{serialize_plan(plan)}\n{_notes(plan, random)}", "accepted", plan)


@style
def markdown_without_default(plan: PlanSpec, random: Random) -> Answer:
    """Plain Markdown, and nobody says what its steps are."""
    plan = _phased(plan, random)
    return in_doubt(None, _random_page(plan, random, "{number}. ", "- ", "- [ ] "), opening_of(plan, random))
