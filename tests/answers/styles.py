"""Raw answers with known truth: a plan written in the forms of the dialect, as models mix them.

Nothing here knows how answers are read, but for the words of the table of forms.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from planspec_lark import PlanSpec, PlanStatus, PlanStep
from tests.answers.looks import Look, OfStep, write
from tests.answers.plans import random_plan

__all__ = ["TALK", "make_answer"]

# What stands around plans. None of it is a step with a type, or heads a part of a plan.
TALK = (
    "Sure! Here is the plan:",
    "好的，计划如下：",
    "- a list\n- of things",
    "## Rationale\n\nIt is short.",
    "Do not use this plan, step 1 is wrong.",
    "1. First\n2. Second",
    "图例：✅ 完成 ⏳ 进行中",
    "```sh\nls | sort\n```",
    "| Step | Owner |\n|---|---|\n| 1 | Ann |",
    "---",
    "> what you have asked",
    "**Note:** if it rains, go by bus.",
    "Only step 2 changes; steps 3-8 unchanged …",
    "Let me know if you would like me to change anything!",
)
_MARKS = (
    {PlanStatus.DONE: "✅", PlanStatus.ACTIVE: "🔄", PlanStatus.BLOCKED: "⛔", PlanStatus.SKIPPED: "⏭"},
    {
        PlanStatus.DONE: "[X]",
        PlanStatus.ACTIVE: "[in progress]",
        PlanStatus.BLOCKED: "[blocked]",
        PlanStatus.SKIPPED: "[skipped]",
    },
    {
        PlanStatus.DONE: "[已完成]",
        PlanStatus.ACTIVE: "[进行中]",
        PlanStatus.BLOCKED: "[受阻]",
        PlanStatus.SKIPPED: "[跳过]",
    },
    {PlanStatus.DONE: "【x】", PlanStatus.ACTIVE: "【>】", PlanStatus.BLOCKED: "【!】", PlanStatus.SKIPPED: "【~】"},
)
_NUMBERS = (
    *("{}.", "{})", "({})", "（{}）", "{}、", "{}．", "{}:", "**{}.**", "- {}.", "* {})", "### {}."),
    *("Step {}:", "**Step {}:**", "步骤{}：", "第{}步：", "Schritt {}:", "Étape {} :", "Paso {}:"),
)
_HEADERS = (
    ("Goal: {}", "Constraints:", "## Steps"),
    ("**Goal:** {}", "**Constraints:**", "**Steps:**"),
    ("## Goal\n\n{}", "### Constraints", "### Steps"),
    ("Goal：{}", "约束条件：", "步骤："),
    ("**目标**：{}", "## 约束", "## 步骤"),
    ("Ziel: {}", "Randbedingungen:", "Schritte:"),
    ("Objectif : {}", "Contraintes :", "Étapes :"),
    ("Objetivo: {}", "Restricciones:", "Pasos:"),
)


def _by_last_number(step: PlanStep) -> str:
    """The number of a step on its level."""
    return step.step_id.rpartition(".")[2]


def _by_id(step: PlanStep) -> str:
    return step.step_id


def _numbered(random: Random, look: Callable[[PlanStep], str] | None = None) -> OfStep:
    """One spelling of numbers a level, each by the whole id or by the last number."""
    spellings = [random.choice(_NUMBERS) for _ in range(9)]
    names = [look or random.choice([_by_id, _by_last_number]) for _ in range(9)]

    def number(step: PlanStep) -> str:
        level = step.step_id.count(".")
        return spellings[level].format(names[level](step))

    return number


def _look(random: Random) -> Look:
    def of(*spellings: str) -> Callable[[str], str]:
        return random.choice(spellings).format

    goal, constraints, steps = random.choice(_HEADERS)
    marks = random.choice(_MARKS)
    return Look(
        title=of("# Plan: {}", "## Plan: {}", "**Plan: {}**", "计划：{}"),
        goal=goal.format,
        constraints=constraints,
        constraint=of("- {}", "* {}", "• {}", "+ {}"),
        steps=steps,
        between=random.choice([(), ("",), ("", "---", "")]),
        indent=random.choice(["  ", "   ", "    "]),
        number=_numbered(random),
        type=random.choice(
            [of("[{}]", "**[{}]**", "`[{}]`", "【{}】", "({})"), "[{}]".format, lambda word: f"[{word.title()}]"]
        ),
        arrow=of(" → {}", " -> {}", " => {}", " ⇒ {}"),
        variable=of("{}", "`{}`"),
        comma=random.choice([", ", ",", "、", "，"]),
        inputs=of("> ← {}", "> <- {}", "- ← {}", "- Inputs: {}", "- 输入：{}", "＞ ← {}"),
        detail=of("> {}", "- {}", "* {}"),
        mark=lambda step: marks.get(step.status, ""),
    )


def make_answer(random: Random, *, is_fenced: bool) -> tuple[str, PlanSpec]:
    """A plan in forms of the dialect, and an answer with it."""
    plan = random_plan(random, language=random.choice(["en", "zh"]))
    text = write(plan, _look(random))
    if is_fenced:
        return f"{random.choice(TALK)}\n\n```\n{text}```\n\n{random.choice(TALK)}\n", plan
    return f"{random.choice(TALK[:2])}\n\n{text}", plan
