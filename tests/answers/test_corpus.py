"""Raw answers, each with what a careful reader sees in it: right or held back, never wrong.

The answers lie in ``fixtures/answers``: NAME.answer.md; NAME.json with its style, whether its model had been told the
format, the verdict, and what the caller knew; NAME.plan.md where there is a plan to see. Beside them stand the
generated ones of ``styles.py``, and plans that have foreign lines mixed in.

``python -m tests.answers.test_corpus`` prints how many answers of each style are read right.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from attrs import frozen
from hypothesis import assume, given, strategies as st

from planspec_lark import (
    Extraction,
    PlanSpec,
    PlanSyntaxError,
    check_text,
    extract_plan,
    fix_text,
    parse_plan,
    scan_plan,
    serialize_plan,
    validate_plan,
)
from planspec_lark.answers import Verdict
from planspec_lark.planspec.answer_reader import AnswerReader
from tests import strategies
from tests.answers.plans import random_plan
from tests.answers.styles import STYLES, make_answers
from tests.cases import in_one_test
from tests.corpus import FIXTURES, ROOT, each, find, read

STYLES_OF_THE_CORPUS = {
    "bodies",
    "clean",
    "conflict_markers",
    "elision",
    "fences",
    "foreign_lines",
    "full_width",
    "headings",
    "json_around",
    "markdown_marks",
    "numbers",
    "plain_markdown",
    "prose_around",
    "reasoning_block",
    "several_plans",
    "small_model",
    "status",
    "table",
    "truncated",
    "types",
    "wrapped_lines",
}

# Generated styles of which some answers are accepted though they should not be, and why. One that has become right
# has to leave this table.
WEAKNESSES: dict[str, str] = {}
# Answers of each generated style; of a style with a known weakness more, so that it shows.
COUNT, COUNT_OF_WEAK = 6, 40
SEED = 7


@frozen
class Outcome:
    """What came of an answer, beside what should have come."""

    is_right: bool
    """The verdict is the expected one, and so is the plan where one is expected."""
    is_wrong: bool
    """It was accepted, though it should not have been, or with another plan."""


def judge(found: Extraction, verdict: str, plan: PlanSpec | None) -> Outcome:
    is_same = plan is not None and found.plan == plan
    is_accepted = found.verdict is Verdict.ACCEPTED
    return Outcome(
        is_right=found.verdict.value == verdict and (plan is None or is_same),
        is_wrong=is_accepted and not (verdict == "accepted" and is_same),
    )


# ---------------------------------------------------------------- the corpus


@frozen
class Case:
    """A raw answer of the corpus."""

    text: str
    style: str
    is_told: bool
    verdict: str
    plan: PlanSpec | None
    options: dict[str, Any]


def case_of(path: Path) -> Case:
    """The case whose answer is this file."""
    name = path.name.removesuffix(".answer.md")
    about = json.loads(read(path.with_name(f"{name}.json")))
    seen = path.with_name(f"{name}.plan.md")
    plan = parse_plan(read(seen)) if seen.exists() else None
    return Case(read(path), about["style"], about["told"], about["verdict"], plan, about["options"])


@cache
def outcome_of(path: Path) -> tuple[Case, Outcome]:
    case = case_of(path)
    return case, judge(extract_plan(case.text, **case.options), case.verdict, case.plan)


def outcomes() -> list[tuple[Case, Outcome]]:
    return [outcome_of(path) for path in find("answers", ".answer.md")]


answers = each("answers", ".answer.md")


@in_one_test
@answers
def test_an_answer_is_never_accepted_wrongly(path: Path) -> None:
    assert not outcome_of(path)[1].is_wrong


@pytest.mark.parametrize("is_told", [None, True, False], ids=["all", "told", "not told"])
def test_nine_answers_in_ten_are_right(is_told: bool | None) -> None:
    rights = [outcome.is_right for case, outcome in outcomes() if is_told in (None, case.is_told)]
    assert len(rights) >= 30
    assert sum(rights) >= 0.9 * len(rights)


@in_one_test
@answers
def test_a_case_is_complete(path: Path) -> None:
    case = case_of(path)
    assert case.style in STYLES_OF_THE_CORPUS
    assert case.verdict in {verdict.value for verdict in Verdict}
    # Where two careful readers would differ, there is no plan to compare with.
    assert case.plan is not None or case.verdict != "accepted"
    assert case.plan is None or case.verdict != "refused"
    assert set(case.options) <= {"default_type", "finish_reason", "allow_truncated"}
    assert case.verdict != "accepted" or (case.plan is not None and validate_plan(case.plan) == [])


def test_the_corpus_holds_nothing_else() -> None:
    names = {path.name.removesuffix(".answer.md") for path in find("answers", ".answer.md")}
    assert len(names) >= 120
    assert {path.stem for path in find("answers", ".json")} == names
    assert {path.name.removesuffix(".plan.md") for path in find("answers", ".plan.md")} <= names
    endings = (".answer.md", ".plan.md", ".json")
    assert [path.name for path in (FIXTURES / "answers").iterdir() if not path.name.endswith(endings)] == []


def test_the_corpus_has_all_styles_verdicts_and_languages() -> None:
    cases = [case for case, _ in outcomes()]
    assert {case.style for case in cases} == STYLES_OF_THE_CORPUS
    assert {case.verdict for case in cases} == {verdict.value for verdict in Verdict}
    languages = Counter(json.loads(read(path))["language"] for path in find("answers", ".json"))
    assert min(languages["en"], languages["zh"]) >= 30


def table() -> str:
    """How many answers of each style are right, held back though more could be read, and accepted wrongly."""
    counts: dict[str, Counter[str]] = {}
    for case, outcome in outcomes():
        kind = "wrong" if outcome.is_wrong else "right" if outcome.is_right else "held back"
        told = "all, format told" if case.is_told else "all, format not told"
        for style in (case.style.replace("_", " "), told, "all"):
            counts.setdefault(style, Counter())[kind] += 1
    rows = ["| style | answers | right | held back | wrong |", "|---|---|---|---|---|"]
    for style in sorted(counts, key=lambda style: (style.startswith("all"), style)):
        of = counts[style]
        rows.append(f"| {style} | {of.total()} | {of['right']} | {of['held back']} | {of['wrong']} |")
    return "".join(f"{row}\n" for row in rows)


def test_the_pages_have_the_table_and_its_sums() -> None:
    assert table() in read(ROOT / "docs" / "reference/answers.md")
    answers, right, held, wrong = re.findall(r"\d+", table().splitlines()[-3])
    said = (
        f"Of the {answers} answers in the repository's `fixtures/answers`, in styles of large and small models, "
        f"{right} are read right, {held} are held back though more could be read, and {wrong} are accepted wrongly"
    )
    assert said in " ".join(read(ROOT / "docs" / "how-to/trust-an-answer.md").split())


# ---------------------------------------------------------------- generated answers


@cache
def outcomes_of(style: str) -> list[Outcome]:
    made = make_answers(style, COUNT_OF_WEAK if style in WEAKNESSES else COUNT, SEED)
    return [judge(extract_plan(one.text, **one.options), one.verdict, one.plan) for one in made]


@pytest.mark.parametrize("style", STYLES)
def test_a_generated_answer_is_never_accepted_wrongly(style: str) -> None:
    is_wrong = any(outcome.is_wrong for outcome in outcomes_of(style))
    assert is_wrong == (style in WEAKNESSES)


def test_most_generated_answers_are_right() -> None:
    rights = [outcome.is_right for style in STYLES for outcome in outcomes_of(style)[:COUNT]]
    assert len(rights) == COUNT * len(STYLES)
    assert sum(rights) >= 0.95 * len(rights)


# ---------------------------------------------------------------- plans with foreign lines mixed in

HARMLESS = ["", "  ", "---", "***", "* * *", "<!-- as agreed on Monday -->"]
LEADS = ["Here are the steps:", "步骤如下：", "This is what has to be kept in mind:"]
FOREIGN = {
    "sentence": [
        "Make sure that everybody is safe.",
        "完成后请通知所有人。",
        "Only then may the valve be opened",
        "Stop here",
    ],
    "unknown notation": ["@startuml", "{{ steps }}", "A --> B", ":::warning", "\\begin{itemize}", "%% todo", "?? rest"],
    "command": ["$ make install", "git push --force origin main", "rm -rf build && make", "sudo reboot"],
    "table row": ["| 4 | act | Close the gate | gate |", "| --- | --- |", "| 清点 | 张三 |"],
    "conflict marker": ["<<<<<<< HEAD", "||||||| base", ">>>>>>> theirs", ">>>>>>>"],
    "elision": [
        "...",
        "… (unchanged)",
        "[... steps 4-8 as before ...]",
        "(rest unchanged)",
        "略",
        "（其余步骤不变）",
        "同上",
        "……",
    ],
    "half a step": ["99. [ac", "99.", "99. Close the", "[act] Close the gate", "99. [act", "98) ", "步骤99", "Step 99"],
}
# An indented line continues with the one before it, unless it can be nothing of the kind.
NEVER_GOES_ON = ("table row", "elision")

_PLAN = "Goal: go\n## Steps\n1. [act] Go\n2. [act] Pack\n"
# What has once been accepted, and should not be: a plan in which something is lost, or may be; or that is not meant.
HELD_BACK = {
    "a plan that is not to be used": f"Do NOT use this plan:\n\n{_PLAN}",
    "what would not be done": f"Here is what I would not do:\n\n{_PLAN}",
    "a plan that was rejected": f"I considered this plan and rejected it:\n\n{_PLAN}\nIt would take too long.\n",
    "a plan that is not final": f"Draft (not final, do not run):\n\n{_PLAN}",
    "a plan that is to be ignored": f"{_PLAN}\nActually, ignore the plan above.\n",
    "不要执行的计划": f"下面的计划是错误的，请不要使用：\n\n{_PLAN}",
    "上面的计划不对": f"{_PLAN}\n等等，上面的计划不对，不要执行。\n",
    "the plan of who reads it": f"Your current plan is:\n\n```\n{_PLAN}```\n\nWhat would you like me to change?\n",
    "a plan that was given": f"This is the plan you gave me:\n\n{_PLAN}\nCould you tell me more?\n",
    "原计划": f"原计划如下：\n\n{_PLAN}\n请问需要修改哪里？\n",
    "a plan in a transcript": f"User: here is mine\n\n{_PLAN}\nAssistant: I have seen it.\n",
    "how a plan could look": f"For example, a plan could look like this:\n\n{_PLAN}",
    "an example of the format": f"Here is an example of the format:\n\n```\n{_PLAN}```\n\nTell me your goal.\n",
    "格式示例": f"例如，格式如下：\n\n{_PLAN}",
    "an old plan under its key": '{"old_plan": "Goal: go\\n## Steps\\n1. [act] Go\\n"}',
    "a rejected plan in YAML": "```yaml\nold_plan: |\n  Goal: go\n  ## Steps\n  1. [act] Go\n```\n",
    "only what changes": "Only step 2 changes:\n\n2. [act] Pack\n",
    "a step that replaces another": "Replace step 2 with this:\n\n```\n2. [act] Pack\n```\n",
    "steps to be put in": "Add after step 1:\n\n1.1. [act] Check\n1.2. [act] Sign\n",
    "a part of a plan": f"Part 1 of 2:\n\n{_PLAN}\nShall I go on with part 2?\n",
    "a plan that goes on from another": "(continued)\n\n3. [act] Go\n",
    "a plan to be continued": f"{_PLAN}\n(to be continued)\n",
    "the rest in another message": f"{_PLAN}\nI'll send the remaining steps in the next message.\n",
    "something else instead of a step": f"{_PLAN}\nInstead of step 2, take the bus.\n",
    "a step that lacks something": f"{_PLAN}\nOops, step 2 is missing its result.\n",
    "steps that change places": f"{_PLAN}\nEdit: swap 1 and 2.\n",
    "something in front of a step": f"{_PLAN}\nAlso, before step 1, check the meter.\n",
    "one more step in words": f"{_PLAN}\nAfter that, bake the bread.\n",
    "a last step in words": f"{_PLAN}\nFinally, sell the bread.\n",
    "a plan under no circumstances": f"Under no circumstances follow the steps below.\n\n{_PLAN}",
    "somebody else's plan": f"A competitor's plan:\n\n{_PLAN}",
    "a counterexample": f"Counterexample:\n\n{_PLAN}",
    "a plan for a case": f"If the budget is approved:\n\n{_PLAN}",
    "a plan that is quoted": f"Quoted from the ticket:\n\n{_PLAN}",
    "仅供参考": f"仅供参考，不作为最终计划：\n\n{_PLAN}",
    "a step by its number in words": f"{_PLAN}\nStep two can be dropped.\n",
    "steps that change places in words": f"{_PLAN}\nPlease swap the first and the last step.\n",
    "steps that are not there": f"{_PLAN}\nThere are three more steps.\n",
    "还有步骤没写": f"{_PLAN}\n还有三个步骤没写。\n",
    "nothing of it": f"{_PLAN}\nNone of this should be executed.\n",
    "a plan as an example": f"{_PLAN}\nTake this as an example.\n",
    "只是示例": f"{_PLAN}\n以上只是示例。\n",
    "something to be put in": f"{_PLAN}\nRemember to insert a review.\n",
    "something else to be done": f"{_PLAN}\nYou'll also have to bake the bread.\n",
    "half a step in front of the steps": "Goal: go\n99. Close the\n## Steps\n1. [act] Go\n",
    "half a step among the constraints": "Goal: go\nConstraints:\n- No noise\n99. [act\n## Steps\n1. [act] Go\n",
    "a sentence between the header and the first step, without a goal": "## Steps\nGo by noon.\n1. [act] Go\n",
    "a list in the prose behind the plan": "Goal: go\n## Steps\n1. [act] Go\n\n- Let me know if you want changes\n",
    "a bullet with a type below an act, which can have no steps": "Goal: go\n## Steps\n1. [act] Go\n  - [act] Pack\n",
    "a numeral that is none": "Goal: go\n## Steps\n1. [act] Go\n三二十、[act] Pack\n",
    "an id that is too long": "Goal: go\n## Steps\n1) [act] Go\n12345678901. [act] Pack\n",
    "a row with a status that is none": (
        "Goal: go\n\n| # | Status | Type | Step |\n|---|---|---|---|\n"
        "| 1 | done | act | Go |\n| 2 | maybe | act | Pack |\n"
    ),
    "a row with too few cells": "Goal: go\n\n| # | Type | Step |\n|---|---|---|\n| 1 | act | Go |\n| 2 | act |\n",
    "a column that no step has": "Goal: go\n\n| # | Type | Step | Owner |\n|---|---|---|---|\n| 1 | act | Go | Ann |\n",
    "requirements behind the steps": "Goal: go\n## Steps\n1) [act] Go\n\n**Requirements:**\n- Python\n",
    "an objective behind the steps": "## Steps\n1) [act] Go\n\nObjective: be there\n",
    "a goal in the prose": "The goal is to be there.\n\n## Steps\n1) [act] Go\n",
    "two final plans": (
        "Final plan:\n\nGoal: go\n## Steps\n1. [act] Go\n\nFinal plan:\n\nGoal: stay\n## Steps\n1. [act] Stay\n"
    ),
    "a box with a cross": "Goal: go\n## Steps\n1. ☒ [act] Go\n",
    "a step that was forgotten": "Goal: go\n## Steps\n1) [act] Go\n\nOh, I forgot the review step.\n",
    "a step that is taken back": "Goal: go\n## Steps\n1) [act] Go\n2. [act] Pack\n\nPlease drop step 2.\n",
    "漏了一步": "目标：出发\n## Steps\n1. [act] 出发\n\n抱歉，漏了审核步骤。\n",
    "a second line of detail": "Goal: go\n## Steps\n1) [act] Go\n  > by bus\n    or by train\n",
    "a line directly below the last step": "Goal: go\n## Steps\n1) [act] Go → ticket\nDo this with care.\n",
    "more lines than are joined": "Goal: go\n## Steps\n1) [act] Go\n" + "   more text\n" * 400,
    "an open string of JSON": '{"plan": "Goal: go\\n## Steps\\n1. [act] Go\\n2. [act] Pack',
    "outputs in brackets": "Goal: go\n## Steps\n1) [act] Go → [ticket, map]\n",
    "a file as output": "Goal: go\n## Steps\n1) [act] Go → report.md\n",
    "outputs of two words": "Goal: go\n## Steps\n1) [act] Go → bus ticket, map\n",
    "inputs that are no names": "Goal: go\n## Steps\n1) [act] Go\n   Depends on: step 7\n",
    "a goal without a colon": "Goal\nBe there\n\nSteps\n1. [act] Go\n",
    "Roman numerals": "Goal: go\n## Steps\nI. [act] Go\nII. [act] Pack\n",
    "a part of an answer": "Goal: go\n## Steps\n1) [act] Go\n\n(continued in the next message)\n",
    "parentheses behind one word": "Goal: go\n## Steps\n1. Go (act)\n",
    "steps without a type in JSON": '{"plan": "Goal: go\\n## Steps\\n1. Go\\n2. Pack\\n"}',
}
# Lines of detail that stand for others.
HELD_BACK |= {
    f"{line} as detail": f"The plan:\n\nGoal: go\n## Steps\n1. [act] Pack\n  > the tent\n  {line}\n2. [act] Go\n"
    for line in ("> ...", "> …", "> [...]", "- ...", "- etc.", "> ... etc.", "> … (unchanged)", "> 略", "> and so on")
}
HELD_BACK["dots as the detail of a goal"] = "Here is the plan.\n\nGoal: go\n> ...\n## Steps\n1. [act] Pack\n"
# Last lines that break off, and have no line break.
HELD_BACK |= {
    f"{last} is cut off": f"Goal: go\n## Steps\n1. [act] Pack the boxes\n2. [act] Book rooms\n3. [act] {last}"
    for last in (
        *("Return unsold bo", "Call the doctor within 72 hour", "Sing at least", "Pack as well as", "Check if"),
        *("在公告栏张贴，并在业主群里", "特别关注周五晚餐，因为周五"),
    )
} | {
    "a word is cut off": "Goal: go\n## Steps\n1. [act] Choose photographs\n2. [act] Hang up the photogr",
    "a closing is cut off": "Goal: go\n## Steps\n1. [act] Pack\n\nThat is all for now. Let me know if you need anyth",
    "a last step has no stop": "Goal: go\n## Steps\n1. [act] Pack.\n2. [act] Go out.\n3. [act] Sit.\n4. [act] Rest",
}
# What is left of a line of a plan, by itself.
HELD_BACK |= {
    f"{line} behind the plan": f"Goal: go\n## Steps\n1. [act] Pack\n2. [act] Go\n\n{line}\n"
    for line in (
        "else:",
        "Otherwise",
        "[act]",
        "`[reason]`:",
        "(act)",
        "[x]",
        "[done]",
        "☐",
        "elif wet:",
        "yes:",
        "Goal:",
        "否则：",
    )
}
HELD_BACK["a type in front of the plan"] = "[act]\n\nGoal: go\n## Steps\n1. [act] Pack\n"
# The same of plain Markdown.
HELD_BACK |= {
    "a title behind other text": "Ready. # Plan: Go\nGoal: go\n## Steps\n1. [act] Go\n",
    "a title behind a draft": "Draft:\nGoal: go\n## Steps\n1. [act] Go\n\nFinal: # Plan: Go\nGoal: go\n1. [act] Stay\n",
    "a step that ends in the middle": "Sure!\n\nGoal: go\n## Steps\n1. [act] Go\n2. [act] Choose the\n",
    "a step that ends in a comma": "Goal: go\n## Steps\n1. [act] Go\n2. [act] 打包行李，\r\n",
    "a correction of what follows": (
        "Nothing in this plan is approved. Here is the updated plan:\n\nGoal: go\n## Steps\n1. [act] Go\n"
    ),
    "a bullet without a type among those with one": "Goal: go\n## Steps\n- [act] Go\n- Pack\n- [act] Stay\n",
    "inputs behind the text": "Sure!\n\nGoal: go\n## Steps\n1. [act] Go → a\n2. [act] Stay ← a → b\n",
    "what is still wrong": "Step 3 is still missing. Here is the corrected plan:\n\nGoal: go\n## Steps\n1. [act] Go\n",
    "the plan of an earlier day": "This is the plan from the last meeting:\n\nGoal: go\n## Steps\n1. [act] Go\n",
    "the rest of a plan": "Here are the steps:\n\n4. [act] Go\n5. [act] Pack\n",
    "a tip for a case": f"{_PLAN}\nTip: If it rains, go by bus.\n",
    "万一的提示": f"{_PLAN}\n温馨提示：如遇下雨，请改坐公交。\n",
    "a description that is still to be written": "Goal: go\n## Steps\n1. [act] Go\n2. [act] ...\n",
    "a hint in place of a description": "Goal: go\n## Steps\n1. [act] Go\n2. [act] <more steps>\n",
    "a description that is to do": "Goal: go\n## Steps\n1. [act] Go\n2. [act] TBD\n",
    "待补充": "Goal: go\n## Steps\n1. [act] Go\n2. [act] 待补充\n",
    "a goal that is still to be written": "Goal: [your goal]\n## Steps\n1. [act] Go\n",
    "a constraint that is still to be written": "Goal: go\nConstraints:\n- …\n## Steps\n1. [act] Go\n",
    "what may be a goal in other words": "Mission: Reach the lake\n\n## Steps\n1. [act] Go\n",
    "two plans, and a title that speaks of doing again": (
        "# Plan: Go\nGoal: go\n## Steps\n1. [act] Go\n\n# Plan: Rewrite it\nGoal: stay\n## Steps\n1. [act] Stay\n"
    ),
    "a line below what declares outputs": "Goal: go\n## Steps\n1. [act] Go\n   Outputs: a\n   and by train\n",
    "a line below detail with a bullet": "Goal: go\n## Steps\n1. [act] Go\n   - by bus\n     or by train\n",
    "a comment between the steps": "Goal: go\n## Steps\n1) [act] Go\n<!-- do not run these -->\n2. [act] Pack\n",
    "a comment behind the plan": f"{_PLAN}\n<!-- leave out\nstep 2, do not do it -->\n",
    "a table that refuses a step": f"{_PLAN}\n| Step | Answer |\n|---|---|\n| 1 | fine |\n| 2 | no, too late |\n",
    "a state in front matter": "---\ndate: 1 May\nstatus: rejected\n---\n\nGoal: go\n## Steps\n1. [act] Go\n",
    "a note that asks back": f"**Note:** two bags would fit; please look whether this is the one.\n\n{_PLAN}",
    "two ways in two plans": (
        "Two ways, both in your format:\n\n## Option A\n\n# Plan: Walk\nGoal: go\n## Steps\n1. [act] Walk\n\n"
        "## Option B\n\n# Plan: Drive\nGoal: go\n## Steps\n1. [act] Drive\n"
    ),
    "a change that the plan may not have": f"{_PLAN}\n**What changed**\n- the bag is out\n",
    "a step of which only half is there": "好的！\n\nGoal: go\n## Steps\n1. [act] Go\n2. [act] 检查密封圈是否",
    "errata in Spanish": f"{_PLAN}\n*Fe de erratas: el 2 queda reemplazado por lo que acordéis.*\n",
    "a heading that says how its steps stand": "Goal: go\n## Steps\n### Done\n1. [act] Go\n### Open\n2. [act] Pack\n",
    "a withdrawal in front": f"The letter clears it, so the second visit falls away.\n\n{_PLAN}",
    "headings of which nothing is told": "Goal: go\n## Steps\n### Dry run\n1. [act] Go\n### Roads\n2. [act] Pack\n",
    "a comment of two parts": "1. [act] Go\n<!--\n# T",
    "text behind a comment": f"{_PLAN}\n<!-- note --> Buy a saw before noon.\n",
    "text between comments": "Goal: go\n<!-- a --> - No noise <!-- b -->\n## Steps\n1) [act] Go\n",
    "a comment in front": f"<!-- only on Friday -->\n\n{_PLAN}",
    "a step that waits, in a table": f"{_PLAN}\n| Step | Note |\n|---|---|\n| 2 | after approval |\n",
    "a row more": f"{_PLAN}\n| Step | Note |\n|---|---|\n| 3 | Sail |\n",
    "front matter that does not hold": "---\napproved: false\n---\n\nGoal: go\n## Steps\n1. [act] Go\n",
    "what is said of the final plan": (
        "```\nGoal: go\n## Steps\n1. [act] Go\n```\n\nDo not run the plan below.\n\n**Final plan**\n\n"
        "```\nGoal: go\n## Steps\n1. [act] Stay\n```\n"
    ),
    "what is said behind a draft": (
        "First version:\n\nGoal: go\n## Steps\n1. [act] Go\n\n"
        "Not yet the final plan:\n\nGoal: go\n## Steps\n1. [act] Stay\n"
    ),
    "a gap below a step": "Sure!\n\nGoal: go\n## Steps\n1. [subtask] Go\n  1.1. [act] A\n  1.3. [act] C\n",
    "a plan of which a step is missing": f"Here is the plan with one step missing:\n\n{_PLAN}",
    "a plan that is to be approved": f"Here is the plan to be approved first:\n\n{_PLAN}",
    "a reason that obliges": f"{_PLAN}\nI put the bag last because you must not pack it before Friday.\n",
    "a reason of what nobody has agreed": f"{_PLAN}\nStep 2 is there because the bag has not been approved.\n",
    "还没同意的理由": f"房东还没同意，所以我把打包放在第二步。\n\n{_PLAN}",
    "a comment behind a header": "Goal: go\n## Steps <!-- only an example -->\n1. [act] Go\n",
    "ein Wunsch, der etwas streicht": f"{_PLAN}\nWenn du möchtest, lass Schritt 2 weg.\n",
    "a title against the plan": "Sure!\n\n# Plan: Go (replaced by rev. C)\nGoal: go\n## Steps\n1. [act] Go\n",
    "a number that is left out": "Sure!\n\nGoal: go\n## Steps\n1. [act] Go\n3. [act] Pack\n",
    "a line that is open": "Sure!\n\nGoal: go\n## Steps\n1. [act] Go\n2. [act] **Second\n",
    "a note of a vote": f"{_PLAN}\n**Note:** The second bag was voted down on Tuesday.\n",
    "a lead to an old version": f"I haven't changed the plan yet, so this is the version of the morning:\n\n{_PLAN}",
    "an order with a sign behind it": f"{_PLAN}\nDo not run step 2 (🚫 = blocked).\n",
    "a sign in a condition": f"Only use it if 🟢 = ready.\n\n{_PLAN}",
    "a sign and what has to come first": f"{_PLAN}\n🚫 = blocked: the landlord has to sign before step 2.\n",
    "orders behind pictures": f"{_PLAN}\n📞 Call the landlord when ready, 🔑 open the door\n",
    "an order with a legend between steps": (
        "Goal: go\n## Steps\n1. [act] Go\n\nAsk (✅ = done, ⏳ = open).\n\n2. [act] Pack\n"
    ),
    "signs for what is not so": "🔴 = not ready, 🟢 = ready\n\nGoal: go\n## Steps\n1. 🔴 [act] Go\n2. 🟢 [act] Pack\n",
    "a sign with another meaning": "Legend: ✅ = agreed by Tom, ⏳ = open\n\nGoal: go\n## Steps\n1. ✅ [act] Go\n",
    "an empty box that is said to be dropped": f"{_PLAN}\nAn empty box means the step is dropped.\n",
    "what a type is said to ask for": f"{_PLAN}\nA step with [act] means you have to call Tom.\n",
    "an order as a title": f"**Buy a second bag.**\n\n{_PLAN}",
    "a limit as a title": f"**Deadline: Friday**\n\n{_PLAN}",
    "a reminder of a step": f"{_PLAN}\nRemember to rest the dough for an hour.\n",
    "a break and a step": f"{_PLAN}\nRemember to take a break and to order a second bag.\n",
    "a change of a status that is none": f"{_PLAN}\nWhat changed:\n- Step 2 is skipped.\n",
    "a new step that is not there": f"{_PLAN}\nWhat's new:\n- A new step 3: call the landlord.\n",
    "a constraint below the goal": "Goal: go\n\nWe decided against the car.\n\n## Steps\n1. [act] Go\n",
    "目标下面的约束": "目标：出发\n\n根据要求，我把预算控制在50元。\n\n## Steps\n1. [act] Go\n",
    "a note that forbids": f"{_PLAN}\nNote: Do not pack the bag before it is dry.\n",
    "more last steps than there are": f"{_PLAN}\nThe last five steps are not started.\n",
    "比计划多的步骤": f"{_PLAN}\n十五步已跳过。\n",
    "一种条件": f"{_PLAN}\n前两步未开始的话就找房东。\n",
    "旧版": f"这是旧版：\n\n{_PLAN}",
    "a state that waits": f"Status after you approve it:\n\n{_PLAN}",
    "types behind boxes": "Goal: go\n## Steps\n1. [subtask] Buy\n   ☐ [act] flour\n   ☑ [act] salt\n2. [act] Go\n",
    "the goal as a title": "# Goal: go\n\n# Steps\n1. [act] Go\n",
    "a legend of marks against the marks": "Goal: go\n\n~ = in progress, ! = done\n\n## Steps\n1. [~] [act] Go\n",
    "a legend that says a sign twice": "🟢 = done, 🟢 = open\n\nGoal: go\n## Steps\n1. 🟢 [act] Go\n",
    "two legends": "🟢 = done, 🔴 = open\n\nGoal: go\n## Steps\n1. 🟢 [act] Go\n\nLegend: 🟢 = open, 🔴 = done\n",
    "a state below the title": f"# Trip\n\nStatus: draft\n\n{_PLAN}",
    "标题下面的约束": f"# 旅行\n\n预算50元。\n\n{_PLAN}",
    "a step that is said to be left out": f"{_PLAN}\nI left step 3 out on purpose.\n",
    "what the steps do to another plan": f"{_PLAN}\nThese steps precede the main plan.\n",
    "还没开始就做别的": f"{_PLAN}\n第1步未开始就找房东。\n",
    "a preface": f"{_PLAN}\nNote that the landlord comes first.\n",
    "half of a count": (
        "Goal: go\n## Steps\n1. [subtask] Go\n  1.1. [act] a\n  1.2. [act] b\n  1.3. [act] c\n2. [act] d\n\n"
        "This plan has three steps.\n"
    ),
    "a legend against the marks": f"{_PLAN}\nLegend:\n[x] = cancelled\n[ ] = done\n",
    "与标记矛盾的图例": f"{_PLAN}\n状态说明：\n- [x]：未开始\n- [ ]：已完成\n",
    "a goal that is said elsewhere": "Sure!\n\nGoal: Same as above, in my last message\n## Steps\n1. [act] Go\n",
    "在别处的目标": "好的：\n\nGoal: 同上一条消息\n## Steps\n1. [act] Go\n",
    "a long hint in place of the goal": (
        "Goal: [state the target here once all of us have agreed on a figure]\n## Steps\n1) [act] Go\n"
    ),
    "句子没有写完": "目标：出发\n\n1. 打包\n2. 等到水烧开，然后一点一点加，直到",
    "what may be a title": "### Summer camp\n\nGoal: go\n## Steps\n1) [act] Go\n",
    "a step behind signs in a step": "Goal: go\n## Steps\n1. [act] Go\n  ✅ * 2. [act] Pack\n",
    "half a call in a call": r'{"arguments": "{\"plan\": \"Goal: go\\n## Steps\\n1. [act] Go\\n2. [act] Pa',
}
HELD_BACK_OF_MARKDOWN = {
    "a form with boxes": "Here is the plan:\n\n1. Buy\n2. Bake\n\n☐ Approved\n☐ Rejected\n",
    "a limit in bold above a ruler": "**No car**\n\n---\n\nGoal: go\n\n1. Pack\n",
    "half a pair of marks": "# Go\n\n1**. [act] Buy\n2. Pack\n",
    "a mark by itself": "Goal: go\n\n1. Buy\n2. Bake\n\n[!] Careful with the gas.\n",
    "a list that goes on": "# Go\n\n1. Buy\n2. Bake\n\n[…]\n",
    "struck-out text": "# Go\n\n1. Pack\n2. ~~Wait~~\n3. Go\n",
    "what is not to be done": "# Go\n\nWhat not to do:\n\n1. Smoke\n2. Run\n",
    "options": "Goal: go\n\nYou have a few options:\n\n1. Walk\n2. Run\n",
    "risks": "Goal: go\n\nRisks:\n\n1. Rain\n2. Wind\n",
    "常见错误": "目标：出发\n\n常见错误：\n\n1. 迟到\n2. 忘带票\n",
    "questions": "# Go\n\n1. Why?\n2. When?\n",
    "a box that is neither ticked nor empty": "Goal: go\n\n- [x] Pack\n- [-] Wait\n",
    "a number with a mark that is none": "Goal: go\n\n1. [x] Pack\n2. [/] Wait\n",
    "a bullet that is struck out": "Goal: go\n\n- [x] Pack\n- [ ] ~~Wait~~\n",
    "a phase for a case": "Goal: go\n\n## Pack\n1. Fold\n\n## If it rains\n1. Wait\n",
    "a phase that waits": "Goal: go\n\n## Pack\n1. Fold\n\n## Drive ⏸ on hold\n1. Go\n",
    "一个备选阶段": "目标：出发\n\n## 打包\n1. 叠衣服\n\n## 备选\n1. 坐船\n",
    "a heading that is no title": "## Rejected idea\n\nGoal: go\n\n1. Go\n2. Pack\n",
    "ways to do a step": "Goal: go\n\n1. Pack\n   - Option A: a bag\n   - Option B: a box\n2. Go\n",
    "bullets below the last of the headings": (
        "# Go\nGoal: go\n## Pack\n1. Fold\n## Drive\n1. Go\n## Good things\n- Wear a hat\n"
    ),
    "a quote behind the list": "Goal: go\n\n1. Go\n2. Pack\n\n> Only one of the two, the weather decides.\n",
    "a timeline of orders": "Goal: go\n\n## Bag\n\n- Fold\n\n## Timeline\n\n- Pick up the keys\n- Meet Anna\n",
    "steps for later": "Goal: go\n\n## Plan\n\n- Pack\n- Load\n\n## Steps for later\n\n- Sail\n",
    "a number that is far too long": "Goal: go\n\n## 1.12345678901. A\n- x\n",
    "a word and a sign that differ": (
        "Goal: go\n\n| Step | Action | Status |\n|---|---|---|\n| 1 | Go | ✅ Pending |\n| 2 | Pack | Pending |\n"
    ),
    "a blank in brackets": "Goal: meet [client name] in May\n\n1. Go to 【地点】\n2. Pack\n",
    "phases of both kinds": "Goal: go\n\n## Bag\n1. Fold\n\n## Good things\n- Wear a hat\n- Noise\n",
    "a phase behind the tips": "Goal: go\n\n## Bag\n1. Fold\n\n## Tips\n- Take a hat\n\n## Road\n- Go\n- Pack\n",
    "a limit among the tools": "# Go\n\nGoal: go\n\n## Tools\n- Max. 200 euros\n\n## Steps\n1. Go\n2. Pack\n",
    "numbers among the constraints": (
        "Goal: go\n\nConstraints:\n- No noise\n\n1. Done by Friday\n\n- Quiet\n\n## Steps\n2. Go\n3. Pack\n"
    ),
    "a list before the one with numbers": "Goal: go\n\n**Plan:**\n- two people\n- by bus\n\n1. Go\n2. Pack\n",
    "a box with a star": "Goal: go\n\n- [*] Go\n- [ ] Pack\n",
    "a number with a sign in a table": "Goal: go\n\n| Step | Action |\n|---|---|\n| 1 ✅ | Go |\n| 2 | Pack |\n",
    "a step in a quote": "Goal: go\n\n1. Go\n2. Pack\n\n> 3. Sail\n",
    "a remark in the middle of a label": "Goal: go\n\n1. Go\n2. Pack\n\n## Tips\n- The numbers are made up\n",
}
# Lists that are no plan, though nothing else is in the text.
NO_PLAN = {
    "mistakes": "Here are some common mistakes:\n\n1. Going too early\n2. Packing too much\n",
    "what a plan is like": "What makes a good plan:\n\n1. It is clear.\n2. It is complete.\n",
    "what was done": "Here's how I broke the vase:\n\n1. I lifted it\n2. I dropped it\n",
    "what is so": "Here's how you can see it:\n\n1. The sign is blurred\n2. The price is low\n",
    "limits": "Goal: go\n\nConstraints:\n- Quiet\n\n1. No dogs\n2. Max 200 EUR\n",
    "options": "Here are the plan options:\n\n1. By bus\n2. By train\n",
    "what went wrong": "Here are the steps that failed:\n\n1. Go\n2. Pack\n",
    "what has to be known": "为了更好地帮助您，请先告诉我：\n\n1. 哪一天？\n2. 几个人？\n",
}
# What has once been held back, or read as another plan, for no reason.
TAKEN = {
    "bold last words": ("Goal: go\n## Steps\n1) [act] Go\n\n**Good luck!**\n", {}, 1),
    "a table behind the plan": (
        "Goal: go\n## Steps\n1) [act] Go\n\n| Risk | What |\n|---|---|\n| fire | call |",
        {},
        1,
    ),
    "a closing in a word": ("Goal: go\n## Steps\n1) [act] Go\n\nDone.\n\n(end)\n", {}, 1),
    "a last line without a stop": ("Goal: go\n## Steps\n1) [act] Pack it.\n2) [act] Go out.\n3) [act] Rest", {}, 3),
    "a last line like a word before": ("Goal: go\n## Steps\n1) [act] Visit shops\n2) [act] Paint the shop", {}, 2),
    "a last line with a word of two letters": ("Goal: go\n## Steps\n1) [act] Walk 5 km\n2) [act] Log on", {}, 2),
    "dots in detail": (
        "Goal: go\n## Steps\n1. [act] Go\n  > Wait ...\n  > def go():\n  >     ...\n  > ... and on\n",
        {},
        1,
    ),
    "words in Chinese at the end": ("Goal: go\n## Steps\n1) [act] Go\n\n这就是你要的", {}, 1),
    "a phase of next steps": (
        "# Go\n\n## Phase 1: Pack\n1. Fold\n\n## Next steps\n1. Go\n",
        {"default_type": "act"},
        2,
    ),
    "text below headings": ("# Go\n## Step 1: Build\nRun it.\n## Step 2: Ship\nNow.\n", {"default_type": "act"}, 2),
    "a title in bold": ("**# Plan: Go**\n**Goal:** go\n**## Steps**\n1. [act] Go\n", {}, 1),
    "no inputs": ("Goal: go\n## Steps\n1. [act] Go\n   * Inputs: none\n", {}, 1),
    "line breaks of HTML": ("Goal: go<br>\n## Steps<br>\n1. [act] Go<br/>\n", {}, 1),
    "tokens that end a message": ("Goal: go<|end|>\n## Steps\n1. [act] Go → a\n   > b <|eot_id|><|end|>\n", {}, 1),
    "types as labels": ("Goal: go\n## Steps\n1. ACT: Go\n2. **Reason:** Ask\n3. 行动：打包\n", {}, 3),
    "typed bullets and nothing else": ("Goal: go\n## Steps\n- [act] Go\n  > b\n- [act] Pack\n", {}, 2),
    "detail with a bullet where steps had some": (
        "Goal: go\n## Steps\n1. [subtask] Go\n   - [act] Walk\n2. [act] Pack\n   - Two bags.\n",
        {},
        2,
    ),
    "a limit with an arrow's signs": ("Goal: go\n## Steps\n1) [act] Go\n  - <= budget, time\n", {}, 1),
    "a box that is spoken of": ("# Go\n\n1. Buy\n2. Bake\n\n☑ You are ready to go!\n", {"default_type": "act"}, 2),
    "headings of the first level alone": ("# Goal\ngo\n\n# Steps\n1. Go\n2. Pack\n", {"default_type": "act"}, 2),
    "a heading of steps alone": ("# Steps\n\n1. Go\n2. Pack\n", {"default_type": "act"}, 2),
    "headings of the first level": ("# Go\n\n# Goal\ngo\n\n# Constraints\n- c\n\n# Steps\n1. [act] Go\n", {}, 1),
    "a title in bold above a ruler": ("**旧书义卖**\n\n---\n\n目标：出发\n\n1. 打包\n", {"default_type": "act"}, 1),
    "boxes without bullets": ("Goal: go\n\n## Steps\n[x] Fold\n[ ] Roll\n", {"default_type": "act"}, 2),
    "text in front of the goal": ("# Go\n\nWhat a lovely idea!\n\nGoal: go\n## Steps\n1) [act] Go\n", {}, 1),
    "a legend of nothing but entries": (
        "Goal: go\n\n1. 🟢 Pack\n2. ⚪ Go\n\n*🟢 done · ⚪ open*\n",
        {"default_type": "act"},
        2,
    ),
    "a table with dots behind its numbers": (
        "Goal: go\n\n| Step # | Task |\n|--|--|\n| 1. | Go |\n",
        {"default_type": "act"},
        1,
    ),
    "a legend between goal and steps": ("Goal: go\nLegend: ✅ done · 🌀 open\n## Steps\n1. 🌀 [act] Go\n", {}, 1),
    "a tag around the plan": ("<plan>\nGoal: go\n## Steps\n1) [act] Go\n</plan>\n", {}, 1),
    "an apology": ("Goal: go\n## Steps\n1) [act] Go\n\nSorry again for the mistake!\n", {}, 1),
    "what was wrong with another plan": (
        "You're right, step 1 had no valid type. Here is the corrected plan:\n\nGoal: go\n## Steps\n1. [act] Go\n",
        {},
        1,
    ),
    "an argument of a call in the arguments of a call": (
        r'{"arguments": "{\"plan\": \"Goal: go\\n## Steps\\n1. [act] Go\\n\"}"}',
        {},
        1,
    ),
    "an arrow without the sign of detail": ("Goal: go\n## Steps\n1. [act] Go → a\n2. [act] Pack\n   ← a\n", {}, 2),
    "items of a list that begins the text": ("1. Go\n2. Pack\n", {"default_type": "act"}, 2),
    "steps by that word": ("Sure!\n\nStep 1: Go\nStep 2 - Pack\n", {"default_type": "act"}, 2),
    "check boxes after the goal": ("Goal: go\n\n- [x] Pack\n- [ ] Go\n", {"default_type": "act"}, 2),
    "a small heading of a plan": ("### Plan for the lake\n\n1. Go\n2. Pack\n", {"default_type": "act"}, 2),
    "a quoted tip after a list": (
        "Goal: go\n\n1. Go\n2. Pack\n\n> Tip: Have fun!\n> Enjoy!\n",
        {"default_type": "act"},
        2,
    ),
    "text below bold text": (
        "Goal: go\n\n1. **Go**\n   Walk slowly.\n2. **Pack**\n   Two bags.\n",
        {"default_type": "act"},
        2,
    ),
    "numbers on keys": ("Goal: go\n\n1️⃣ Go\n2️⃣ Pack\n", {"default_type": "act"}, 2),
    "numbers above nine on keys": (
        "Goal: go\n## Steps\n"
        + "".join(f"{n}\ufe0f\u20e3 [act] Go\n" for n in range(1, 10))
        + "🔟 [act] Go\n1️⃣1️⃣ [act] Pack\n",
        {},
        11,
    ),
    "a report": (f"Progress so far:\n\n{_PLAN.replace('1. [act]', '1. [x] [act]')}", {}, 2),
    "text below a step with outputs": ("Goal: go\n## Steps\n1. [act] Go → a\n   Walk slowly.\n   By noon.\n", {}, 1),
    "a plan that is written again": (f"{_PLAN}\nLet me rewrite this.\n\n{_PLAN.replace('Pack', 'Stay')}", {}, 2),
    "a token after the plan": ("Goal: go\n## Steps\n1) [act] Go\n<|return|>\n", {}, 1),
    "comments without end": (f"{_PLAN}\n{'<!---->' * 2000}Good luck!\n", {}, 2),
    "inputs that are set off": ("Goal: go\n\n1. Pack → a\n2. Load\n\n> ← a\n", {"default_type": "act"}, 2),
    "a numbered list and nothing else": (
        "Here's how I would go:\n\n1. Go\n2. Pack\n\nLet me know if you need anything else!\n",
        {"default_type": "act"},
        2,
    ),
    "what to do": ("# Go\n\nGoal: go\n\n## What to do\n\n1. Go\n2. Pack\n", {"default_type": "act"}, 2),
    "the plan": ("# Go\n\nGoal: go\n\n**The plan:**\n\n1. Go\n2. Pack\n", {"default_type": "act"}, 2),
    "计划": ("目标：出发\n\n## 计划\n\n1. 出发\n2. 打包\n", {"default_type": "act"}, 2),
    "tools before the steps": (
        "# Go\n\nGoal: go\n\n## What you'll need\n\n- A hat\n- Two bags\n\n## Steps\n\n1. Go\n2. Pack\n",
        {"default_type": "act"},
        2,
    ),
    "tips behind phases": (
        "Goal: go\n\n## Pack\n1. Fold\n\n## Drive\n1. Go\n\n## 💡 Pro tips\n- Use a hat instead of a cap.\n",
        {"default_type": "act"},
        2,
    ),
    "headings that say when": (
        "Goal: go\n\n## 6 weeks before\n- [x] Fold\n\n## 2 days before\n- [ ] Go\n",
        {"default_type": "act"},
        2,
    ),
    "headings that group steps": (
        "I grouped them.\n\nGoal: go\n## Steps\n### Bags\n1. [act] Go\n### Roads\n2. [act] Pack\n",
        {},
        2,
    ),
    "a sign beside its word in a table": (
        "Goal: go\n\n| Step | Action | Status |\n|---|---|---|\n| 1 | Go | ✅ Done |\n| 2 | Pack | ⏳ In progress |\n",
        {"default_type": "act"},
        2,
    ),
    "a mark in a table": (
        "Goal: go\n\n| # | Status | Type | Step |\n|---|---|---|---|\n"
        "| 1 | [x] | act | Go |\n| 2 | [ ] | act | Pack |\n",
        {},
        2,
    ),
    "what is said of a draft before the final plan": (
        f"First version:\n\n```\n{_PLAN}```\n\nTwo problems: it forgets the hat. Corrected:\n\n**Final plan**\n\n"
        f"```\n{_PLAN.replace('Pack', 'Stay')}```\n\nThis is the version to use.\n",
        {},
        2,
    ),
    "reasons in a list behind the plan": (
        f"{_PLAN}\nA few words on why I arranged it this way:\n\n1. Going comes early because the road is free.\n",
        {},
        2,
    ),
    "plain text in JSON": ('{"plan": "Goal: go\\n## Steps\\n1. Go\\n2. Pack\\n"}', {"default_type": "act"}, 2),
}

_usual_plans = st.builds(lambda seed: random_plan(Random(seed)), st.integers(0, 9999))
# After a tag of reasoning a line is no longer one between those of a plan.
_odd_plans = strategies.plans.filter(
    lambda plan: bool(plan.goal) and not re.search("(?i)<.*(?:think|reflection)", serialize_plan(plan))
)
_plans = st.one_of(_usual_plans, _usual_plans, _odd_plans)
_foreign = st.one_of(
    st.sampled_from([line for lines in FOREIGN.values() for line in lines]),
    st.builds(
        str.__add__,
        st.sampled_from(["  ", "    ", "\t"]),
        st.sampled_from([line for kind in NEVER_GOES_ON for line in FOREIGN[kind]]),
    ),
)


def mix(plan: PlanSpec, line: str, place: int) -> tuple[str, bool]:
    """A plan's text with a line between two of its lines, and whether a step stands in front of it."""
    rows = serialize_plan(plan).split("\n")[:-1]
    assume(len(rows) > 1)
    at = 1 + place % (len(rows) - 1)
    first = next((number for number, row in enumerate(rows) if row == "## Steps"), len(rows))
    return "\n".join([*rows[:at], line, *rows[at:], ""]), at > first + 1


def is_strict(text: str) -> bool:
    try:
        parse_plan(text)
    except PlanSyntaxError:
        return False
    return True


_prose = st.lists(
    st.one_of(_foreign, st.sampled_from([*HARMLESS, *LEADS, "Goal: go", "Sure!", "> so", "- so"])), max_size=3
)


@given(_plans, _prose, _prose, st.sampled_from(["", "  "]), st.one_of(st.just(""), _foreign))
def test_a_code_block_is_read_at_once_as_it_is_line_by_line(
    plan: PlanSpec, before: list[str], behind: list[str], indent: str, inside: str
) -> None:
    block = "".join(f"{indent}{row}\n" for row in ["```text", *serialize_plan(plan).splitlines(), inside, "```"])
    text = "\n".join([*before, block, *behind])
    with patch.object(AnswerReader, "_may_take_rows", return_value=False):
        slow = scan_plan(text)
    fast = scan_plan(text)
    assert (fast.plan, fast.diagnostics) == (slow.plan, slow.diagnostics)
    assert (fast.positions.bounds, fast.positions.fields) == (slow.positions.bounds, slow.positions.fields)
    assert fast.positions.steps == slow.positions.steps


def test_a_clean_code_block_is_read_at_once() -> None:
    plan = random_plan(Random(1))
    block = f"```\n{serialize_plan(plan)}```\n"
    with patch.object(AnswerReader, "_take_step", autospec=True) as read_by_itself:
        for text in (f"Sure!\n\n{block}", f"```\nls\n```\n{block}\n- A note\n", f"{block}\nOr:\n\n{block}"):
            assert scan_plan(text).plan == plan
        assert not read_by_itself.called
        scan_plan(f"Goal: go\n\n{block}")
        assert read_by_itself.called


@given(_plans, _foreign, st.integers(0, 999))
def test_a_plan_with_a_foreign_line_is_never_accepted(plan: PlanSpec, line: str, place: int) -> None:
    text, _ = mix(plan, line, place)
    assume(not is_strict(text))
    assert extract_plan(text).verdict is not Verdict.ACCEPTED


@given(_plans, st.sampled_from([*HARMLESS, *LEADS]), st.integers(0, 999))
def test_a_plan_with_a_harmless_line_is_accepted_as_it_is_or_not_at_all(plan: PlanSpec, line: str, place: int) -> None:
    text, is_behind_a_step = mix(plan, line, place)
    assume(not is_strict(text) and (line in HARMLESS or not is_behind_a_step))
    found = extract_plan(text)
    # An arrow or a type in other words is taken for one as soon as the text is not strictly a plan.
    assert found.verdict is not Verdict.ACCEPTED or found.plan == scan_plan(serialize_plan(plan)).plan


@in_one_test
@pytest.mark.parametrize("text", HELD_BACK.values(), ids=HELD_BACK)
def test_what_may_have_lost_something_is_held_back(text: str) -> None:
    found = extract_plan(text)
    assert found.verdict is not Verdict.ACCEPTED
    assert found.refused


@pytest.mark.parametrize("text", HELD_BACK_OF_MARKDOWN.values(), ids=HELD_BACK_OF_MARKDOWN)
def test_markdown_that_may_be_no_plan_is_held_back(text: str) -> None:
    assert extract_plan(text, default_type="act").verdict is Verdict.NEEDS_REVIEW


def test_headings_before_the_steps_are_no_phases() -> None:
    text = "# Trip\n\nGoal: go\n\n## Roads\n1. The long one\n\n## Steps\n1. Go\n2. Pack\n"
    assert [step.description for step in scan_plan(text, default_type="act").plan.steps] == ["Go", "Pack"]


def test_numbers_before_the_steps_are_constraints() -> None:
    text = "Goal: go\n\nConstraints:\n- No noise\n\n1. Cheap\n2. Quick\n\n## Steps\n1. Go\n2. Pack\n"
    plan = scan_plan(text, default_type="act").plan
    assert (plan.constraints, len(plan.steps)) == (["No noise", "Cheap", "Quick"], 2)


@pytest.mark.parametrize("text", NO_PLAN.values(), ids=NO_PLAN)
def test_a_list_of_anything_else_is_no_plan(text: str) -> None:
    assert extract_plan(text, default_type="act").verdict is Verdict.REFUSED


_LEADS = [
    "Here's the plan you asked for:",
    "Below is the plan in the requested format:",
    "Based on the details you provided, here is the plan:",
    "Here is an improved version of your original plan:",
    "Don't worry, here it is:",
    "I've put together the plan below:",
    "Sure! Here is a draft plan:",
    "This is what the plan looks like:",
    "I can't bake, but here is a plan.",
    "The plan (no steps were changed except the first):",
    "根据您提供的信息，计划如下：",
    "这是修改后的计划：",
    "别担心，话不多说，直接上计划：",
]
_TAILS = [
    "Let me know if you want changes!",
    "If step 2 fails, tell me.",
    "We are there for you 24/7",
    "Shall I continue?",
    "Step 2 depends on the supplier.",
    "Steps 1 and 2 can run in parallel.",
    "Then you're done!",
    "Finally, enjoy your bread!",
    "Next, I can help you with the menu.",
    "You should not skip the safety check.",
    "An earlier draft was rejected, as it took too long.",
    "最后，祝您生意兴隆！",
    "每一步大约需要一小时。",
]


@in_one_test
@pytest.mark.parametrize("text", [f"{lead}\n\n{_PLAN}" for lead in _LEADS] + [f"{_PLAN}\n{tail}\n" for tail in _TAILS])
def test_what_is_said_around_a_plan_may_say_nothing_of_it(text: str) -> None:
    found = extract_plan(text)
    assert (found.verdict, found.text) == (Verdict.ACCEPTED, _PLAN)


@pytest.mark.parametrize(("text", "options", "count"), TAKEN.values(), ids=TAKEN)
def test_what_has_lost_nothing_is_taken(text: str, options: dict[str, Any], count: int) -> None:
    found = extract_plan(text, **options)
    assert (found.verdict, found.truncated, len(found.plan.steps)) == (Verdict.ACCEPTED, False, count)
    assert (found.plan.steps[0].inputs, re.search("<[b|]", found.text)) == ([], None)


OUTPUTS = [
    "**→ deck**",
    "**→** deck",
    "*→ deck*",
    "→ **deck**",
    "⇒ deck",
    "=> `deck`",
]


@in_one_test
@pytest.mark.parametrize("sign", OUTPUTS)
@pytest.mark.parametrize("text", ["Strip", "**Strip** it"])
def test_outputs_behind_another_arrow_or_in_marks_are_read_as_a_fix_reads_them(text: str, sign: str) -> None:
    plan = f"Goal: go\n## Steps\n1. [act] {text} {sign}\n2. [act] Go\n  > ← deck\n"
    found = extract_plan(f"Sure!\n\n{plan}")
    assert (found.verdict, found.plan.steps[0].outputs, found.plan.steps[0].description) == (
        Verdict.ACCEPTED,
        ["deck"],
        text,
    )
    warnings = [one for one in check_text(plan) if one.code == "PS305"]
    assert [one.fix and one.fix.is_safe for one in warnings] == [True]
    assert parse_plan(fix_text(plan).text) == found.plan


def test_bold_around_text_and_outputs_belongs_to_neither() -> None:
    step = extract_plan("Sure!\n\nGoal: go\n## Steps\n1. [act] **Strip → deck**\n").plan.steps[0]
    assert (step.description, step.outputs) == ("Strip", ["deck"])


@in_one_test
@pytest.mark.parametrize(
    "said",
    [
        "→ deck (list of boards)",
        "→ **deck** (the list)",
        "→ <deck>",
        "→ {deck}",
        "→ Output: deck",
        "→ deck ✅",
        "➡ deck (all)",
        "➡ deck",
        "➡️ `deck`",
        "$\\rightarrow$ deck",
        "\\rightarrow deck",
        "&rarr; deck",
        "⮕ deck",
        "\\rightarrow <deck>",
        "(output: deck)",
        "(**Outputs**: `deck`)",
        "— output: deck",
        "**Output:** deck",
        "| outputs: deck",
        "| → deck",
        "__→ deck__",
        "（输出：deck）",
    ],
)
def test_what_may_be_outputs_is_held_back(said: str) -> None:
    found = extract_plan(f"Sure!\n\nGoal: go\n## Steps\n1. [x] [act] Strip {said}\n2. [act] Go\n  > ← deck\n")
    assert [(one.code, one.line) for one in found.refused if one.code != "PS111"] == [("PS319", 5)]
    assert "`→ deck`" in found.refused[0].diagnostic.help


@pytest.mark.parametrize("said", ["(inputs: deck)", "（输入：deck）", "| input: `deck`"])
def test_inputs_in_the_line_of_a_step_are_held_back(said: str) -> None:
    found = extract_plan(f"Sure!\n\nGoal: go\n## Steps\n1. [act] Strip → felt\n2. [act] Nail {said}\n")
    assert [(one.code, one.line) for one in found.refused] == [("PS319", 6)]
    assert "`> ← deck`" in found.refused[0].diagnostic.help


@pytest.mark.parametrize(
    "text",
    [
        "Fewer than 9 pages → use thicker paper (see 2)",
        "Read the output: it is long",
        "Press & hold",
        "C:\\go",
        "a → 好",
        "Prove A ⟹ B",
        "Map x ↦ y",
        "Rename old.txt => new.txt",
        "Move users -> accounts table",
        "Open Settings → Network (Wi-Fi)",
        "Translate English → German (formal)",
        "Validate the form inputs: name, email",
        "Compare with the expected output: hello",
        "Write the docs for input: path",
        "Translate tea→ thé",
        "翻译→a中文",
        "Replace `x → y`",
        "Run `git mv a -> b`",
        'Write "x -> y"',
        "Write “x => y”",
        "写「x → y」",
        "Go `a ↦ b`",
        "Go `a ➡ b`",
        "Run `ls|progress 3/4`",
        "Run `grep x|Progress: 3`",
        "Run `ls |Progress: 3/4`",
        "Compare x|progress=3",
    ],
)
def test_text_with_an_arrow_or_a_label_is_text(text: str) -> None:
    for lead, step, default_type in (
        ("", "1. [act]", ""),
        ("Sure!\n\n", "1. [act]", ""),
        ("", "1) [act]", ""),
        ("", "1.", "act"),
    ):
        found = extract_plan(f"{lead}Goal: go\n## Steps\n{step} {text}\n", default_type=default_type)
        said = found.plan.steps[0]
        assert (found.verdict, said.description, said.outputs) == (Verdict.ACCEPTED, text, [])
        assert (said.result, said.done_count) == ("", 0)


@pytest.mark.parametrize("text", ["Press ➡ twice", "Explain &rarr; entity", "Write $\\rightarrow$ x", "Go ⮕ deck"])
def test_another_arrow_is_text_in_a_plan_and_held_back_in_repaired_lines(text: str) -> None:
    plan = "Goal: go\n## Steps\n{} {}\n"
    found = extract_plan(plan.format("1. [act]", text))
    assert (found.verdict, found.plan, found.repairs) == (
        Verdict.ACCEPTED,
        parse_plan(plan.format("1. [act]", text)),
        (),
    )
    assert [one.code for one in extract_plan(plan.format("1) [act]", text)).refused] == ["PS319"]


_FLOW = "Sure!\n\nGoal: go\n## Steps\n1. [act] Cut → deck, felt\n2. [act] Nail\n"


@in_one_test
@pytest.mark.parametrize("options", [{}, {"default_type": "act"}])
@pytest.mark.parametrize(
    ("line", "names"),
    {
        "- Inputs: deck.": "deck",
        "Inputs: deck.": "deck",
        "- **Inputs**: `deck`.": "deck",
        "- `Inputs`: deck": "deck",
        "- Input(s): deck": "deck",
        "- Inputs: deck and felt": "deck, felt",
        "- Inputs: `deck`, and `felt`": "deck, felt",
        "- 输入：deck 和 felt": "deck, felt",
        "- Inputs:\n    - deck": "deck",
        "- **Inputs:**\n    - `deck`\n\n    - felt": "deck, felt",
        "Inputs:\n  * deck\n  * felt": "deck, felt",
        "- Inputs:\n    - deck\n  - felt": "deck",
        "- Inputs:\n  - deck": "deck",
        "- **Inputs:**\n  - `deck`\n  - felt": "deck, felt",
    }.items(),
)
def test_inputs_in_words_are_read(line: str, names: str, options: dict[str, Any]) -> None:
    found = extract_plan(f"{_FLOW}  {line}\n3. [act] Go\n", **options)
    assert (found.verdict, ", ".join(found.plan.steps[1].inputs)) == (Verdict.ACCEPTED, names)
    assert found.plan.steps[1].detail == (["felt"] if line.endswith("    - deck\n  - felt") else [])


def test_a_list_of_outputs_below_a_step_is_read() -> None:
    found = extract_plan(f"{_FLOW}  - Outputs:\n    - roof\n    - `gutter`\n3. [act] Go\n")
    assert (found.verdict, found.plan.steps[1].outputs) == (Verdict.ACCEPTED, ["roof", "gutter"])


def test_a_list_of_inputs_ends_with_its_step() -> None:
    found = extract_plan(f"{_FLOW}  - Inputs:\n3. [act] Go\n    - deck\n")
    assert [(step.inputs, step.detail) for step in found.plan.steps[1:]] == [([], []), ([], ["deck"])]


@in_one_test
@pytest.mark.parametrize(
    "line",
    [
        "- Inputs: deck (from step 1)",
        "- Inputs: deck and nails",
        "- Output: deck (from step 1)",
        "- In: deck",
        "- Uses: deck",
        "- Depends on: step 1",
        "- 依赖：步骤1",
        "- `← deck`",
        "> Inputs: deck",
        "> **Inputs:** deck",
        "> `Inputs: deck`",
        "> Inputs:\n  > - deck",
        "> Needs: deck",
        "> 输入：deck",
        "> Outputs: roof",
        "> `← deck`",
        "> ← deck (from step 1)",
        "> ← step 1",
        "> <- deck (from step 1)",
        "> &larr; the deck",
    ],
)
def test_what_may_be_inputs_or_outputs_below_a_step_is_held_back(line: str) -> None:
    found = extract_plan(f"{_FLOW}  {line}\n3. [act] Go\n")
    assert {(one.code, one.line) for one in found.refused} <= {("PS319", 6), ("PS319", 7)}
    assert [one.diagnostic.help.partition("` ")[0].partition(" are meant, write `")[0] for one in found.refused] in (
        ["if inputs"],
        ["if outputs"],
    )


def test_an_item_below_a_label_of_inputs_that_is_no_variable_is_held_back() -> None:
    found = extract_plan(f"{_FLOW}  - Inputs:\n    - deck\n    - two hammers\n3. [act] Go\n")
    assert [(one.code, one.line) for one in found.refused] == [("PS107", 9)]


@pytest.mark.parametrize("options", [{}, {"default_type": "act"}])
@pytest.mark.parametrize(
    ("items", "line"), [("- nails", 7), ("- nails\n  - deck", 7), ("- deck\n  - nails", 9), ("- deck\n  - Use glue", 9)]
)
def test_an_item_beside_a_label_of_inputs_that_no_step_has_put_out_is_held_back(
    items: str, line: int, options: dict[str, Any]
) -> None:
    found = extract_plan(f"{_FLOW}  - Inputs:\n  {items}\n3. [act] Go\n", **options)
    assert [(one.code, one.line) for one in found.refused] == [("PS107", line)]
    assert line > 7 or found.refused[0].diagnostic.help.endswith("`> ← a, b`")


@pytest.mark.parametrize("options", [{}, {"default_type": "act"}])
@pytest.mark.parametrize("label", ["- Inputs:", "- **Outputs**:", "Outputs:"])
@pytest.mark.parametrize("item", ["None", "none.", "无"])
def test_an_item_that_says_none_is_no_variable(item: str, label: str, options: dict[str, Any]) -> None:
    found = extract_plan(f"{_FLOW}  {label}\n    - {item}\n3. [act] Go\n", **options)
    step = found.plan.steps[1]
    assert (found.verdict, step.inputs, step.outputs, step.detail) == (Verdict.ACCEPTED, [], [], [])


@pytest.mark.parametrize("options", [{}, {"default_type": "act"}])
@pytest.mark.parametrize("label", ["Inputs:", "Outputs:", "输入："])
@pytest.mark.parametrize("rows", ["  - {}\n  - nails\n  - tape", "- {}\n- nails", "  - {}", "  - {}\n  > it is late"])
def test_a_label_with_no_list_below_it_is_held_back(rows: str, label: str, options: dict[str, Any]) -> None:
    for tail in ("", "3. [act] Go\n"):
        found = extract_plan(f"{_FLOW}{rows.format(label)}\n{tail}", **options)
        assert [(one.code, one.line) for one in found.refused] == [("PS107", 7)]


def test_a_bullet_that_is_indented_less_than_the_items_is_none() -> None:
    found = extract_plan("Goal: go\n## Steps\n1. [act] Get → a\n2. [act] Mix\n   Inputs:\n     - a\n   - note\n")
    assert (found.verdict, found.plan.steps[1].inputs, found.plan.steps[1].detail) == (
        Verdict.ACCEPTED,
        ["a"],
        ["note"],
    )


@pytest.mark.parametrize("label", ["Inputs:", "Outputs:"])
@pytest.mark.parametrize("item", ["b: raw data", "b (optional)", "the notes"])
def test_a_list_of_phrases_below_a_label_is_detail(label: str, item: str) -> None:
    found = extract_plan(f"{_FLOW}  - {label}\n    - {item}\n3. [act] Go\n")
    assert (found.verdict, found.plan.steps[1].detail) == (Verdict.ACCEPTED, [label, item])
    held = extract_plan(f"{_FLOW}  - {label}\n    - deck (from step 1)\n3. [act] Go\n")
    assert [(one.code, one.line) for one in held.refused] == [("PS107", 8)]
    late = extract_plan(f"{_FLOW}  - {label}\n    - {item}\n    - deck (from step 1)\n3. [act] Go\n")
    assert [one.code for one in late.refused] == ["PS319"]


@in_one_test
@pytest.mark.parametrize(
    "line",
    [
        "- Requires: a hammer",
        "- In: the shed",
        "- Needs: step ladder",
        "- Inputs: what is there",
        "- Input: the notes",
        "- 输入：源码",
        "- Output: the notes",
        "> Inputs: none",
        "> Output: a dry roof",
    ],
)
def test_detail_with_a_label_is_detail(line: str) -> None:
    found = extract_plan(f"{_FLOW}  {line}\n3. [act] Go\n")
    assert (found.verdict, found.plan.steps[1].detail) == (Verdict.ACCEPTED, [line[2:]])


PROGRESS = [
    "| **Progress:** 2/5",
    "| **Progress**: 2/5",
    "| progress: 2/5",
    "| Progress : 2/5",
    "| PROGRESS 2/5",
    "|Progress: 2/5",
    "|progress: 2/5",
    "| 进度：2/5",
    "｜ Progress: 2/5",
    "｜进度：2/5",
    "| Progress: `2/5`",
    "| `Progress: 2/5`",
    "| Progress: 2／5",
    "| Progress: ２/５",
    "| Progress: 2/5 rounds",
    "| Progress: 2/5 轮",
    "| Progress: 2 out of 5.",
]


@in_one_test
@pytest.mark.parametrize("flow", ["", " → a", " -> a"])
@pytest.mark.parametrize("lead", ["", "Sure!\n\n", "```\n"])
@pytest.mark.parametrize("said", PROGRESS)
def test_a_progress_in_other_signs_is_read_as_a_fix_reads_it(said: str, lead: str, flow: str) -> None:
    plan = f"Goal: go\n## Steps\n1. [>] [act] Pack{flow} {said}\n2. [act] Go\n  > ← a\n"
    found = extract_plan(f"{lead}{plan}{lead[:4] if '`' in lead else ''}")
    step = found.plan.steps[0]
    assert (found.verdict, step.description, step.result) == (Verdict.ACCEPTED, "Pack", "")
    assert (step.done_count, step.total_count, step.outputs) == (2, 5, ["a"] if flow else [])
    assert {one.risk.value for one in found.repairs} <= {"low", "medium"}
    assert parse_plan(fix_text(plan).text) == found.plan


@pytest.mark.parametrize(
    ("said", "result"),
    [
        ("| progress is slow", "progress is slow"),
        (r"| \Progress: 2/5", "Progress: 2/5"),
        (r"| ok \| progress 2/5", "ok | progress 2/5"),
        (r"| \Progress: 2/5 rounds", "Progress: 2/5 rounds"),
        ("| progress 2", "progress 2"),
        ("| Progress: 1/2 | progress: 2/5", "progress: 2/5"),
    ],
)
def test_a_result_that_speaks_of_progress_is_one(said: str, result: str) -> None:
    found = extract_plan(f"Sure!\n\nGoal: go\n## Steps\n1. [act] Pack {said}\n")
    assert (found.verdict, found.plan.steps[0].result) == (Verdict.ACCEPTED, result)


@pytest.mark.parametrize("said", ["(Progress: 2/5)", "Progress: 2/5", "| half (progress: 2/5)", "（进度：2/5）"])
def test_a_progress_inside_a_text_is_held_back(said: str) -> None:
    found = extract_plan(f"Sure!\n\nGoal: go\n## Steps\n1. [act] Pack {said}\n")
    assert [(one.code, one.diagnostic.help) for one in found.refused] == [
        ("PS115", "write it at the end of the step line, such as ` | Progress: 1/3`")
    ]


_HEADS = ["### Step {}: ", "### Step {} — ", "#### Step {}. ", "### 步骤{}：", "### {}. ", "### 第{}步："]


@in_one_test
@pytest.mark.parametrize(
    "said", ["Let me know if you want changes.", "Good luck!", "如需调整请告诉我。", "Have a great day!"]
)
@pytest.mark.parametrize("head", _HEADS)
def test_a_wish_or_an_offer_below_the_last_heading_is_no_detail(head: str, said: str) -> None:
    heads = [head.format(number) for number in (1, 2)]
    text = f"Sure!\n\nGoal: go\n## Steps\n{heads[0]}[act] Go\n\nWalk.\n\n{heads[1]}[act] Pack\n\n{said}\n"
    found = extract_plan(text)
    assert (found.verdict, [step.detail for step in found.plan.steps]) == (Verdict.ACCEPTED, [["Walk."], []])


@in_one_test
@pytest.mark.parametrize("said", ["This plan has two steps.", "Call the landlord first.", "先问房东。"])
@pytest.mark.parametrize("head", _HEADS)
def test_a_paragraph_below_the_last_heading_may_be_no_detail(head: str, said: str) -> None:
    heads = [head.format(number) for number in (1, 2)]
    found = extract_plan(f"Sure!\n\nGoal: go\n## Steps\n{heads[0]}[act] Go\n\n{heads[1]}[act] Pack\n\n{said}\n")
    assert found.verdict is Verdict.NEEDS_REVIEW
    assert [one.diagnostic.help for one in found.refused] == ["write `> ` before detail"]


_TYPE_LABELS = {
    "act:": "act",
    "**Act:**": "act",
    "行动：": "act",
    "reason:": "reason",
    "decide:": "decide",
    "子任务：": "subtask",
}


@in_one_test
@pytest.mark.parametrize(("mark", "status"), {"[x]": "done", "[ ]": "pending", "✅": "done", "[done]": "done"}.items())
@pytest.mark.parametrize(("label", "kind"), _TYPE_LABELS.items())
def test_a_type_may_be_a_label_behind_a_mark(label: str, kind: str, mark: str, status: str) -> None:
    found = extract_plan(f"Sure!\n\nGoal: go\n## Steps\n1. {mark} {label} Pack\n  1.1. [act] Fold\n2. [act] Go\n")
    step = found.plan.steps[0]
    assert (step.step_type, step.status.value, step.description) == (kind, status, "Pack")
    assert {one.code for one in found.refused} <= {"PS204"}


@in_one_test
@pytest.mark.parametrize("fence", ["", "```\n"])
@pytest.mark.parametrize(
    "line",
    [
        "# **Plan:** Roof",
        "# **Plan**: Roof",
        "# __Plan__: Roof",
        "# PLAN: Roof",
        "# Plan : Roof",
        "# Title: Roof",
        "# Plan：Roof",
        "# **计划**：Roof",
        "# 标题: Roof",
    ],
)
def test_the_label_of_a_title_is_none_of_its_words(line: str, fence: str) -> None:
    found = extract_plan(f"Sure!\n\n{fence}{line}\n{_PLAN}{fence}")
    assert (found.verdict, found.risk.value, found.plan.title) == (Verdict.ACCEPTED, "low", "Roof")
    (repair,) = [one for one in found.repairs if one.code == "PS104"]
    assert repair.became == "# Plan: Roof"


@pytest.mark.parametrize("title", ["Roof: the plan", "Planning: a start", "Plan - Roof", "Roof"])
def test_a_title_with_another_colon_has_no_label(title: str) -> None:
    assert extract_plan(f"Sure!\n\n# {title}\n{_PLAN}").plan.title == title


@in_one_test
@pytest.mark.parametrize("head", ["---\n", "---\n\n", "\ufeff---\n", "\n---\n"])
@pytest.mark.parametrize("title", ["# Plan: Roof", "# **Plan:** Roof", ""])
def test_a_ruler_in_front_of_all_is_no_front_matter(head: str, title: str) -> None:
    found = extract_plan(f"{head}{title}\n{_PLAN}")
    assert (found.verdict, found.plan.title, found.plan.goal) == (Verdict.ACCEPTED, title and "Roof", "go")


def test_a_ruler_that_is_set_off_may_stand_above_any_title() -> None:
    assert extract_plan(f"---\n\n# Roof\n{_PLAN}").plan.title == "Roof"


def test_front_matter_is_left_out() -> None:
    text = f"---\n# by hand\ntitle: Roof\n---\n{_PLAN}"
    found = extract_plan(text)
    assert (found.verdict, found.text) == (Verdict.ACCEPTED, _PLAN)


@pytest.mark.parametrize("line", ["← a", "<- a", "Inputs: a", "* Needs: `a`", "- ← `a`", "> ← a"])
@pytest.mark.parametrize("description", ["Pack it", "Pack it → b"])
def test_inputs_below_a_step_are_no_more_of_its_description(description: str, line: str) -> None:
    found = extract_plan(f"Goal: go\n## Steps\n1) [act] Go → a\n2. [act] {description}\n   {line}\n")
    step = found.plan.steps[1]
    assert (found.verdict, step.description, step.inputs) == (Verdict.ACCEPTED, "Pack it", ["a"])


@pytest.mark.parametrize(
    "line",
    [
        "1. [act] Print the board (✅ = planned, ⏳ = ready)\n2. ✅ [act] Pack",
        "1. [act] Go | Signs agreed (✅ = to do, ❌ = done)\n2. ✅ [act] Pack",
        "1. [act] Print the board. (✅ = planned, ⏳ = ready)\n2. ✅ [act] Pack",
    ],
)
def test_what_a_step_says_of_signs_is_no_legend(line: str) -> None:
    assert extract_plan(f"Goal: go\n## Steps\n{line}\n").plan.steps[1].status.value == "done"


@pytest.mark.parametrize("text", ['Say "→ a"', 'Rename "a→b"', "写“→A”", "Type `→ a`", "Type `a`→`b`"])
def test_an_arrow_in_quotes_or_backticks_is_text(text: str) -> None:
    plan = f"Goal: go\n## Steps\n1. [act] {text}\n"
    assert extract_plan(plan).plan == parse_plan(plan)


@pytest.mark.parametrize("text", ["Explain `a→b`", "Explain `a⇒b`", "Book Berlin➔Rome", "A⇒B⇒C", "翻译中文->English"])
def test_an_arrow_in_code_or_inside_words_names_no_outputs(text: str) -> None:
    found = extract_plan(f"Goal: go\n## Steps\n1. [act] {text}\n")
    assert (found.plan.steps[0].description, found.plan.steps[0].outputs) == (text, [])


@given(_usual_plans, st.sampled_from(HARMLESS), st.integers(0, 999))
def test_a_harmless_line_does_no_harm(plan: PlanSpec, line: str, place: int) -> None:
    found = extract_plan(mix(plan, line, place)[0])
    assert (found.verdict, found.plan) == (Verdict.ACCEPTED, plan)


if __name__ == "__main__":
    print(table(), end="")
