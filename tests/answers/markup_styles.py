"""Styles of Markdown around the format: marks, headings, rulers, odd characters."""

from __future__ import annotations

import copy
from functools import partial
from random import Random
from typing import Any

from planspec_lark import PlanSpec, iter_steps, serialize_plan
from tests.answers.answer import (
    STYLES,
    Answer,
    accepted,
    choose,
    closing_of,
    look_of,
    style,
)
from tests.answers.looks import Look, write
from tests.answers.plans import (
    is_chinese,
    with_constraints,
    with_flow,
    with_title,
    without,
)

# ---------------------------------------------------------------- Markdown around parts of the format

_SIGNS = {"bold": "**", "underscores": "__", "backticks": "`"}


def _marked_titles(sign: str, plan: PlanSpec, random: Random) -> Answer:
    """The title, with or without its label, in a pair of signs."""
    spelling = random.choice([f"# Plan: {sign}{{}}{sign}", f"# {sign}{{}}{sign}", f"# {sign}Plan: {{}}{sign}"])
    return look_of(with_title(plan), random, title=spelling.format)


def _marked_types(sign: str, plan: PlanSpec, random: Random) -> Answer:
    """Types in a pair of signs, inside or outside of their brackets."""
    return look_of(plan, random, type=random.choice([f"{sign}[{{}}]{sign}", f"[{sign}{{}}{sign}]"]).format)


def _marked_texts(sign: str, plan: PlanSpec, random: Random) -> Answer:
    """Whole texts of steps in a pair of signs, and sometimes goal and constraints as well."""
    marked = f"{sign}{{}}{sign}"
    more: dict[str, Any] = {}
    if random.random() < 0.5:
        more = {"goal": f"Goal: {marked}".format, "constraint": f"- {marked}".format}
    return look_of(plan, random, text=marked.format, **more)


def _marked_variables(sign: str, plan: PlanSpec, random: Random) -> Answer:
    """Every variable in a pair of signs, or the list as a whole."""
    plan, marked = with_flow(plan), f"{sign}{{}}{sign}"
    if random.random() < 0.75:
        return look_of(plan, random, variable=marked.format)
    return look_of(plan, random, arrow=f" → {marked}".format, inputs=f"> ← {marked}".format)


def _marked_labels(sign: str, plan: PlanSpec, random: Random) -> Answer:
    """The labels of the parts in a pair of signs, on their line or on one of their own."""
    goal, inside = random.choice([("{0}Goal:{0} {1}", ":"), ("{0}Goal{0}: {1}", ""), ("{0}Goal{0}\n{1}", "")])
    return look_of(
        with_constraints(plan),
        random,
        goal=goal.format(sign, "{}").format,
        constraints=f"{sign}Constraints{inside}{sign}",
        steps=f"{sign}Steps{inside}{sign}",
        between=random.choice([(), ("",)]),
    )


for _name, _sign in _SIGNS.items():
    STYLES[f"{_name}_titles"] = partial(_marked_titles, _sign)
    STYLES[f"{_name}_types"] = partial(_marked_types, _sign)
    STYLES[f"{_name}_texts"] = partial(_marked_texts, _sign)
    STYLES[f"{_name}_variables"] = partial(_marked_variables, _sign)
    if _name != "backticks":
        STYLES[f"{_name}_labels"] = partial(_marked_labels, _sign)


@style
def bold_lines(plan: PlanSpec, random: Random) -> Answer:
    """The summary lines are bold as a whole, their numbers as well."""
    plan = without(plan, "result", "progress")
    return look_of(plan, random, summary="**{}**".format)


@style
def bold_type_and_text(plan: PlanSpec, random: Random) -> Answer:
    """One pair of signs around type and text together."""
    return look_of(plan, random, type="**[{}]".format, text="{}**".format)


@style
def marks_inside_texts(plan: PlanSpec, random: Random) -> Answer:
    """Signs around some words of a text belong to it, also where it starts and ends with them; types are bold."""
    plan = copy.deepcopy(plan)
    sign = random.choice(["**", "`", "__"])
    for step in iter_steps(plan):
        words = [*step.description] if is_chinese(plan) else step.description.split(" ")
        joint, size = ("", 2) if is_chinese(plan) else (" ", 1)
        first, last = joint.join(words[:size]), joint.join(words[-size:])
        middle = joint.join(words[size:-size])
        texts = [f"{sign}{first}{sign}{joint}{middle}{joint}{last}", f"{first}{joint}{middle}{joint}{sign}{last}{sign}"]
        texts += [f"{sign}{first}{sign}{joint}{middle}{joint}{sign}{last}{sign}"]
        step.description = random.choice(texts)
    return look_of(plan, random, type="**[{}]**".format)


# ---------------------------------------------------------------- headings as sections


@style
def heading_paragraphs(plan: PlanSpec, random: Random) -> Answer:
    """Headings for all parts, with the goal as a paragraph below its own."""
    level = random.choice(["##", "###", "####"])
    colon = random.choice(["", "", ":"])
    return look_of(
        with_constraints(plan),
        random,
        title=random.choice(["# {}", "# Plan: {}"]).format,
        goal=f"{level} Goal{colon}\n\n{{}}".format,
        constraints=f"{level} Constraints{colon}",
        steps=f"{level} Steps{colon}",
        between=("",),
    )


@style
def heading_lines(plan: PlanSpec, random: Random) -> Answer:
    """Headings with the text of the goal on the line of its own, and blank lines below the others."""
    level = random.choice(["##", "###"])
    return look_of(
        with_constraints(plan),
        random,
        goal=f"{level} Goal: {{}}".format,
        constraints=f"{level} Constraints:\n",
        steps=f"{level} Steps:\n",
        between=("",),
    )


@style
def emoji_headings(plan: PlanSpec, random: Random) -> Answer:
    """Headings with an emoji in front of the word."""
    goal, constraints, steps = random.choice([("🎯", "⚠️", "📋"), ("🎯", "🚧", "🪜"), ("🏁", "📏", "📝")])
    return look_of(
        with_constraints(plan),
        random,
        goal=f"## {goal} Goal\n{{}}".format,
        constraints=f"## {constraints} Constraints",
        steps=f"## {steps} Steps",
        between=("",),
    )


@style
def objective_label(plan: PlanSpec, random: Random) -> Answer:
    """Another word for the goal."""
    goal = random.choice(["Objective: {}", "**Objective:** {}", "## Objective\n{}", "Objective - {}"])
    return look_of(plan, random, goal=goal.format, steps=random.choice(["## Steps", "Steps:"]))


@style
def dash_labels(plan: PlanSpec, random: Random) -> Answer:
    """A dash where the colon stands."""
    return look_of(plan, random, goal=random.choice(["Goal - {}", "Goal – {}", "Goal — {}", "**Goal** - {}"]).format)


@style
def label_case(plan: PlanSpec, random: Random) -> Answer:
    """Labels in capitals or in small letters."""
    change = random.choice([str.upper, str.lower])
    return look_of(
        with_constraints(plan),
        random,
        goal=f"{change('Goal')}: {{}}".format,
        constraints=change("Constraints:"),
        steps=change("Steps:"),
    )


@style
def chinese_labels(plan: PlanSpec, random: Random) -> Answer:
    """目标, 约束 and 步骤 as labels or headings, whatever the language of the texts is."""
    goal, constraints, steps = random.choice(
        [
            ("目标：{}", "约束：", "步骤："),
            ("目标: {}", "约束:", "步骤:"),
            ("## 目标\n{}", "## 约束", "## 步骤"),
            ("### 目标\n\n{}", "### 约束条件", "### 步骤"),
            ("**目标**：{}", "**约束**：", "**步骤**："),
            ("【目标】{}", "【约束】", "【步骤】"),
        ]
    )
    return look_of(with_constraints(plan), random, goal=goal.format, constraints=constraints, steps=steps)


@style
def full_width_signs(plan: PlanSpec, random: Random) -> Answer:
    """Full-width colons, brackets, blanks and commas around the parts."""
    plan = with_flow(with_constraints(without(plan, "result", "progress")))
    gap, bullet = random.choice(["", "\u3000"]), random.choice(["- ", "-\u3000"])
    return look_of(
        plan,
        random,
        goal=f"Goal：{gap}{{}}".format,
        constraints="Constraints：",
        constraint=f"{bullet}{{}}".format,
        steps=random.choice(["## Steps", "## Steps：", "Steps："]),
        type="【{}】".format,
        blank=random.choice([" ", "\u3000"]),
        comma=random.choice(["，", "、", ", "]),
    )


# ---------------------------------------------------------------- rulers, comments and odd characters


@style
def rulers(plan: PlanSpec, random: Random) -> Answer:
    """A ruler between the parts, and in front of what is said at the end."""
    ruler = random.choice(["---", "***", "* * *", "___", "----------"])
    text = write(plan, Look(between=("", ruler, "")))
    return accepted(plan, f"{text}\n{ruler}\n\n{closing_of(plan, random)}\n", random)


@style
def html_comments(plan: PlanSpec, random: Random) -> Answer:
    """Comments that no reader of the page sees, of one line or several."""
    comment = choose(
        plan,
        random,
        en=("<!-- for the whole team -->", "<!-- checked twice,\n     nothing is missing -->", "<!--\nversion 2\n-->"),
        zh=("<!-- 供全体成员使用 -->", "<!-- 已检查两遍，\n     没有遗漏 -->"),
    )
    rows = write(plan, Look(between=("", comment, ""))).split("\n")
    if random.random() < 0.5:
        rows.insert(len(rows) - 2, "<!-- almost there -->")
    return accepted(plan, "\n".join(rows), random)


@style
def front_matter(plan: PlanSpec, random: Random) -> Answer:
    """A block of settings in front of everything."""
    keys = random.sample(["status: draft", "version: 2", "tags: [plan, team]", "lang: en", "date: 2026-03-14"], 2)
    text = "\n".join(["---", *keys, "---", "", serialize_plan(plan)])
    return Answer(text, "accepted", plan)


@style
def no_break_spaces(plan: PlanSpec, random: Random) -> Answer:
    """No-break spaces where blanks separate parts; the texts have blanks."""
    return look_of(
        plan,
        random,
        title="# Plan:\xa0{}".format,
        goal="Goal:\xa0{}".format,
        constraint="-\xa0{}".format,
        steps=random.choice(["## Steps", "##\xa0Steps"]),
        indent=random.choice(["  ", "\xa0\xa0"]),
        gap="\xa0",
        blank=random.choice([" ", "\xa0"]),
        arrow=random.choice([" → {}", "\xa0→\xa0{}"]).format,
    )


@style
def smart_quotes(plan: PlanSpec, random: Random) -> Answer:
    """Typographic quotes around variables, where they can mean nothing; those inside texts stay."""
    plan = with_flow(plan)
    for step in iter_steps(plan):
        words = [*step.description] if is_chinese(plan) else step.description.split(" ")
        words[1] = f"“{words[1]}”"
        step.description = ("" if is_chinese(plan) else " ").join(words)
    return look_of(plan, random, variable=random.choice(["“{}”", "‘{}’", "„{}“"]).format)


@style
def arrows(plan: PlanSpec, random: Random) -> Answer:
    """Arrows as they are typed on a keyboard, and other ones."""
    right, left = random.choice([("->", "<-"), ("=>", "<="), ("-->", "<--"), ("⇒", "⇐"), ("➜", "←"), ("⟶", "⟵")])
    return look_of(with_flow(plan), random, arrow=f" {right} {{}}".format, inputs=f"> {left} {{}}".format)
