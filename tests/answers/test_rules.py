"""The rules by which answers are read, each sentence of them by a case or more."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planspec_lark import Extraction, PlanSpec, Severity, extract_plan, parse_plan, scan_plan
from planspec_lark.answers import Risk, Verdict
from planspec_lark.planspec import plan_to_dict
from tests.cases import in_one_test

HEAD = "Goal: g\n## Steps\n"
STEP = "1. [act] Go → a\n"
PLAN = f"{HEAD}{STEP}"
OTHER = "Goal: stay\n## Steps\n1. [act] Stay\n"


def read(text: str, **options: Any) -> Extraction:
    return extract_plan(text, **options)


def steps_of(found: Extraction) -> str:
    return found.text.partition("## Steps\n")[2]


def codes(found: Extraction) -> list[str]:
    # Whatever holds a plan is told as an error.
    assert {one.severity for one in found.holds} <= {Severity.ERROR}
    return [one.code for one in found.holds]


# ---------------------------------------------------------------- 0: set aside first

SET_ASIDE = {
    "a byte-order mark": f"\ufeff{PLAN}",
    "reasoning": f"<think>\n1. [act] Run?\n</think>\n{PLAN}",
    "a token of a chat": f"<|im_start|>\n{PLAN}<|im_end|>\n",
    "whose turn it is in a chat": f"<|start_header_id|>assistant<|end_header_id|>\n\n{PLAN}<|eot_id|>",
    "the same in a line of its own": f"<|im_start|>assistant\n{PLAN}<|im_end|>\n",
    "JSON of the own schema": json.dumps(plan_to_dict(parse_plan(PLAN))),
    "an answer in a string": json.dumps({"ok": True, "answer": f"Sure.\n\n{PLAN}"}),
    "JSON as the only code block": f"```json\n{json.dumps([PLAN])}\n```\n",
    "escapes of Markdown": "Goal: g\n\\## Steps\n1\\. \\[act\\] Go → a\n",
    "escapes of HTML": f"{HEAD}1. [act] Go -&gt; a\n",
}


@in_one_test
@pytest.mark.parametrize("name", SET_ASIDE)
def test_what_is_set_aside_is_no_remark(name: str) -> None:
    found = read(SET_ASIDE[name])
    said = "".join(one.text for one in found.remarks)
    assert (found.verdict, found.text, said) == (Verdict.ACCEPTED, PLAN, "Sure." if "Sure" in SET_ASIDE[name] else "")


@pytest.mark.parametrize("name", ["JSON of the own schema", "an answer in a string", "escapes of Markdown"])
def test_what_an_answer_is_wrapped_in_has_a_risk(name: str) -> None:
    found = read(SET_ASIDE[name], max_risk="none")
    assert (codes(found), found.notes) == (["PS101"], ())
    assert read(SET_ASIDE[name], max_risk="low").verdict is Verdict.ACCEPTED


@in_one_test
@pytest.mark.parametrize("value", [{"steps": [1, 2]}, [PLAN, OTHER], {"plan": "1. Go\n2. Pack\n"}])
def test_any_other_json_is_refused(value: object) -> None:
    text = json.dumps(value)
    found = read(text)
    assert (found.verdict, codes(found)) == (Verdict.REFUSED, ["PS201"])
    assert found.holds[0].help
    assert [one.text for one in found.remarks] == [text]
    assert [one.message for one in scan_plan(text).diagnostics] == ["left out: not part of the plan"]


def test_what_stands_beside_a_plan_in_json_is_a_remark() -> None:
    value = json.dumps({"plan": PLAN, "notes": ["Only on Monday.", " "], "tags": {"a": 1}}, indent=1)
    found = read(f"Here it is.\n```json\n{value}\n```\nBye.\n")
    assert (found.verdict, found.text) == (Verdict.ACCEPTED, PLAN)
    assert [one.text for one in found.remarks] == ["Here it is.", "Bye.", "Only on Monday."]
    assert [one.span.line for one in found.remarks] == [1, 14, 2]
    assert read(value, remarks="review").verdict is Verdict.NEEDS_REVIEW


# ---------------------------------------------------------------- 1: one block


BLOCKS = {
    "a fence": (f"Text.\n\n```\n{PLAN}```\nText.\n", PLAN),
    "a fence in a list": ("1. Look:\n   ```text\n   Goal: g\n   ## Steps\n   1. [act] Go → a\n   ```\n", PLAN),
    "a fence in a quote": ("> ```\n> Goal: g\n> ## Steps\n> 1. [act] Go → a\n> ```\n", PLAN),
    "lines that are quoted": ("It says:\n\n> Goal: g\n> ## Steps\n> 1. [act] Go → a\n\nText.\n", PLAN),
    "no fence": (f"Sure.\n\n{PLAN}\nGood luck!\n", PLAN),
    "from its first part on": (f"# Plan: A\n\n{PLAN}", f"# Plan: A\n{PLAN}"),
    "a plain heading right above": (f"Sure.\n\n# Going\n\n{PLAN}", f"# Plan: Going\n{PLAN}"),
    "a plain heading far above": (f"# Going\n\nThis is how.\n\n{PLAN}", PLAN),
    "a list set off below the steps": (f"{PLAN}\n- Shall I go on?\n", PLAN),
    "a list right below a step": (f"{PLAN}- by bus\n", f"{PLAN}  > by bus\n"),
    "no plan line in the other stretch": (f"Goal: stay\n\nText.\n\n{PLAN}", PLAN),
}


@in_one_test
@pytest.mark.parametrize("name", BLOCKS)
def test_a_plan_is_one_block(name: str) -> None:
    text, plan = BLOCKS[name]
    found = read(text)
    assert (found.verdict, found.text) == (Verdict.ACCEPTED, plan)


@in_one_test
@pytest.mark.parametrize(
    "text", ["", "I can not plan that.", "Goal: g\n", "```\n```\n", "1. Go\n2. Pack\n", "- [ ] Go\n"]
)
def test_without_a_plan_line_there_is_none(text: str) -> None:
    found = read(text)
    assert (found.verdict, codes(found), found.plan) == (Verdict.REFUSED, ["PS201"], PlanSpec())
    # What a list in plain Markdown looks like, no rule says.
    assert ("planspec import" in found.holds[0].help) == bool(text)


# ---------------------------------------------------------------- 2: all read

LINES = {
    # a. Parts of a line.
    "two faults are told both": (f"{HEAD}1) Load the csv -> rows\n", "", ["PS110", "PS112"]),
    "other parts": (f"{HEAD}* 1) ✅ **[Action]** Go => a ｜ done\n", "1. [x] [act] Go → a | done\n", []),
    "no canonical text": (f"{HEAD}1. [?] [act] Go\n", "1. [act] Go\n", ["PS111"]),
    "a sign in no table": (f"{HEAD}1. ⏳ [act] Go\n", "1. [act] Go\n", ["PS111"]),
    "a type is never detail": (f"{HEAD}{STEP}   - see 5a [Action] Pack\n", STEP, ["PS112"]),
    "nor the end of a line": (f"{HEAD}1. [act] Go\n   and [reason] think\n", "1. [act] Go\n", ["PS112"]),
    "an id that is none": (f"{HEAD}{STEP}5a. [Action] Pack\n", None, ["PS110", "PS202"]),
    "text for certain beside an arrow": (
        f"{HEAD}1. [act] Go -> a -> b\n2. [act] [x] Pack -> c\n",
        "1. [act] Go -> a -> b\n2. [x] [act] Pack → c\n",
        [],
    ),
    "an arrow in backticks": (f"{HEAD}1. [act] Run `a -> b`\n", "1. [act] Run `a -> b`\n", []),
    "indented code": (f"{HEAD}{STEP}  ```\n  ls\n  ```\n", f"{STEP}  > ```\n  > ls\n  > ```\n", []),
    # b. Layout.
    "a wide bar": (f"{HEAD}1. [act] 清理｜进度：2/4\n", "1. [act] 清理 | Progress: 2/4\n", []),
    "comments behind bullets": (
        f"Goal: g\nConstraints:\n* No noise  # why\n## Steps\n{STEP}  * by bus <!-- or tram -->\n",
        f"{STEP}  > by bus\n",
        [],
    ),
    "layout": (f"Goal: g\n\n---\n\n## Steps\n<!-- first -->\n<plan id='1'>\n{STEP}</plan>\n", STEP, []),
    # c. Ids.
    "the second dotted step": (
        f"{HEAD}1. [subtask] All\n"
        "  1.1. [subtask] Build\n    - [act] compile\n  1.2. [subtask] Test\n    - [act] unit tests\n",
        "1. [subtask] All\n"
        "  1.1. [subtask] Build\n    1.1.1. [act] compile\n  1.2. [subtask] Test\n    1.2.1. [act] unit tests\n",
        [],
    ),
    "numbers by depth": (
        f"{HEAD}1. [subtask] All\n   1. [act] a\n   2. [act] b\n2. [act] c\n",
        "1. [subtask] All\n  1.1. [act] a\n  1.2. [act] b\n2. [act] c\n",
        [],
    ),
    "bullets and letters without indentation": (
        f"{HEAD}1. [subtask] All\n- [act] a\n- [act] b\n2. [subtask] More\na) [act] c\n",
        "1. [subtask] All\n  1.1. [act] a\n  1.2. [act] b\n2. [subtask] More\n  2.1. [act] c\n",
        [],
    ),
    "a number has to be the one that counts": (f"{HEAD}1. [subtask] All\n   2. [act] a\n", None, ["PS302"]),
    # d. Below a step.
    "labels": (
        f"{HEAD}1. [act] Go\n   - Inputs: a, b\n   - 输出：`c`\n   - Status: done\n   - Fortschritt: 2/5\n",
        "1. [x] [act] Go → c | Progress: 2/5\n  > ← a, b\n",
        [],
    ),
    "a label whose value does not fit": (f"{HEAD}{STEP}  - Status: soon\n", f"{STEP}  > Status: soon\n", []),
    "a label of the form that says something else": (
        f"{HEAD}1. [x] [act] Go -> a\n  > Status: blocked\n",
        "1. [x] [act] Go → a\n  > Status: blocked\n",
        [],
    ),
    "a label that says something else": (f"{HEAD}1. [x] [act] Go\n  - Status: blocked\n", None, ["PS107"]),
    "a label in no table": (f"{HEAD}{STEP}  - Owner: Ann\n", f"{STEP}  > Owner: Ann\n", []),
    "an arrow of its own": (f"{HEAD}1. [act] Go\n   → a\n", STEP, []),
    "a bar of its own": (f"{HEAD}1. [act] Go\n   | done\n", "1. [act] Go | done\n", []),
    "a line that goes on": (f"{HEAD}1. [act] Go\n   by bus → a\n", "1. [act] Go by bus → a\n", []),
    "the line above has ended": (f"{HEAD}1. [act] Go.\n   by bus\n", "1. [act] Go.\n  > by bus\n", []),
    "the line above has outputs": (f"{HEAD}{STEP}   by bus\n", f"{STEP}  > by bus\n", []),
    "the line above is set off": (f"{HEAD}1. [act] Go\n\n   by bus\n", "1. [act] Go\n  > by bus\n", []),
    "no lower-case letter": (f"{HEAD}1. [act] Go\n   By bus\n", "1. [act] Go\n  > By bus\n", []),
    "a container": (
        f"{HEAD}1. [subtask] Go\n   by bus\n   1.1. [act] Get in\n",
        "1. [subtask] Go\n  > by bus\n  1.1. [act] Get in\n",
        [],
    ),
    "an arrow that is no more than text": (
        f"{HEAD}1. [act] Trace → traces\n   Read it.\n",
        "1. [act] Trace → traces\n  > Read it.\n",
        [],
    ),
    "detail with outputs": (f"{HEAD}1. [act] Go.\n   By bus → a\n", None, ["PS107"]),
    # e. Elsewhere.
    "a goal that goes on": (f"Goal: go\n  by bus\n## Steps\n{STEP}", STEP, []),
    "a goal that does not": (f"Goal: go\n  By bus\n## Steps\n{STEP}", STEP, ["PS101"]),
    "a line that is none": (f"```\n{HEAD}{STEP}Then rest.\n2. [act] Pack\n```\n", None, ["PS101"]),
}


@in_one_test
@pytest.mark.parametrize("name", LINES)
def test_every_line_is_read_or_named(name: str) -> None:
    text, steps, held = LINES[name]
    found = read(text)
    assert found.verdict is (Verdict.ACCEPTED if not held else found.verdict)
    assert steps is None or not steps or steps_of(found) == steps
    assert set(held) <= set(codes(found))
    assert bool(held) == bool(found.holds)


@in_one_test
@pytest.mark.parametrize(
    ("label", "step"),
    [
        ("Status: ✅ Done", "1. [x] [act] Go"),
        ("Status: abgeschlossen", "1. [x] [act] Go"),
        ("Status: in Bearbeitung", "1. [>] [act] Go"),
        ("Status: ausstehend", "1. [act] Go"),
        ("Statut : terminé", "1. [x] [act] Go"),
        ("Statut : en attente", "1. [act] Go"),
        ("Progression : 1/3", "1. [act] Go | Progress: 1/3"),
        ("Estado: terminado", "1. [x] [act] Go"),
        ("Estado: en progreso", "1. [>] [act] Go"),
        ("状态：已跳过", "1. [~] [act] Go"),
    ],
)
def test_labels_in_five_languages(label: str, step: str) -> None:
    for sign in ("", "- ", "> "):
        found = read(f"{HEAD}1. [act] Go\n   {sign}{label}\n")
        assert (found.verdict, steps_of(found)) == (Verdict.ACCEPTED, f"{step}\n"), sign


@in_one_test
@pytest.mark.parametrize("goal", ["Hauptziel:", "Objectif général :", "Objetivo general:", "总体目标："])
@pytest.mark.parametrize("constraints", ["Nebenbedingungen:", "Contraintes :", "Restricciones:", "约束："])
@pytest.mark.parametrize("steps", ["Arbeitsschritte:", "Étapes :", "Pasos:", "步骤："])
def test_headers_in_five_languages(goal: str, constraints: str, steps: str) -> None:
    found = read(f"Voilà.\n\n{goal} g\n{constraints}\n- No noise\n{steps}\n{STEP}")
    assert (found.verdict, found.text) == (
        Verdict.ACCEPTED,
        f"Goal: g\nConstraints:\n- No noise\n## Steps\n{STEP}",
    )


PARTS = {
    "a goal below its header": (f"## Goal\n\nGo home\n\n## Steps\n{STEP}", "Go home", []),
    "a goal in a list below its header": (f"Goal:\n- Go home\n## Steps\n{STEP}", "Go home", []),
    "one constraint": (f"Goal: g\nConstraints: No noise\n## Steps\n{STEP}", "g", ["No noise"]),
    "no constraints": (f"Goal: g\nConstraints: none\n## Steps\n{STEP}", "g", []),
    "没有约束": (f"目标：g\n约束：无\n步骤：\n{STEP}", "g", []),
    "other bullets": (f"Goal: g\nConstraints:\n* a\n2) b\n+ c\n## Steps\n{STEP}", "g", ["a", "b", "c"]),
    "a constraint that goes on": (
        f"Goal: g\nConstraints:\n- no noise\n  at night\n## Steps\n{STEP}",
        "g",
        ["no noise at night"],
    ),
    "a table": ("Goal: g\n\n| # | Type | Step | Outputs |\n|---|---|---|---|\n| 1 | act | Go | a |\n", "g", []),
    "a table in a fence": (
        "```\nGoal: g\n| # | Type | Step | Outputs |\n|---|---|---|---|\n| 1 | act | Go | a |\n```\n",
        "g",
        [],
    ),
    "a table below its header": (
        f"{HEAD}\n| ID | Type | Description | Outputs |\n|:--|---|---|---|\n| 1 | act | Go | `a` |\n",
        "g",
        [],
    ),
}


@in_one_test
@pytest.mark.parametrize("name", PARTS)
def test_the_parts_above_the_steps(name: str) -> None:
    text, goal, constraints = PARTS[name]
    found = read(text)
    assert (found.verdict, found.plan.goal, found.plan.constraints) == (Verdict.ACCEPTED, goal, constraints)
    assert steps_of(found) == STEP


def test_a_wrapped_item_below_an_unknown_heading_changes_no_constraint() -> None:
    notes = "## Notes\n- Slides are stored\n  in the cellar\n"
    text = f"```\nGoal: g\nConstraints:\n- No noise\n- No dust\n{notes}## Steps\n{STEP}```\n"
    found = read(text)
    assert (found.verdict, found.plan.constraints) == (Verdict.NEEDS_REVIEW, ["No noise", "No dust"])
    assert {line for one in found.holds if one.span for line in range(one.span.line, one.span.end_line + 1)} == {
        6,
        7,
        8,
    }


# ---------------------------------------------------------------- 3: one plan

ONE: dict[str, tuple[str, dict[str, Any], str | None, list[str]]] = {
    "a part out of order is moved": (f"## Steps\n{STEP}Goal: g\n", {}, PLAN, []),
    "a part twice": (f"```\nGoal: g\n{OTHER}```\n", {}, None, ["PS105"]),
    "an id twice": (f"{PLAN}1. [act] Pack\n", {}, None, ["PS117"]),
    "no goal": (f"## Steps\n{STEP}", {}, None, ["PS205"]),
    "two plans": (f"```\n{PLAN}```\n```\n{OTHER}```\n", {}, None, ["PS130", "PS130"]),
    "two plans without fences": (f"{PLAN}\n{OTHER}", {}, None, ["PS130", "PS130"]),
    "two plans, of which one says nothing": (f"```\n{PLAN}```\n```\n## Steps\n```\n", {}, None, ["PS130", "PS130"]),
    "the same plan twice": (f"```\n{PLAN}```\nAgain:\n\n```\n{PLAN}```\n", {}, PLAN, []),
    "the first": (f"```\n{PLAN}```\n```\n{OTHER}```\n", {"choose": "first"}, PLAN, []),
    "the last": (f"```\n{PLAN}```\n```\n{OTHER}```\n", {"choose": "last"}, OTHER, []),
    "by its number": (f"```\n{PLAN}```\n```\n{OTHER}```\n", {"choose": 2}, OTHER, []),
    "a number that is too high": (PLAN, {"choose": 2}, None, ["PS130"]),
    "a goal from the caller": (f"## Steps\n{STEP}", {"goal": "g"}, PLAN, []),
    "a goal of its own": (PLAN, {"goal": "other"}, PLAN, []),
    "a type from the caller": (f"{HEAD}1. Go -> a\n", {"default_type": "act"}, PLAN, []),
    "signs from the caller": (f"{HEAD}1. ⏳ [act] Go\n", {"signs": {"⏳": "active"}}, f"{HEAD}1. [>] [act] Go\n", []),
    "below a step, by its own ids": (
        "2. [subtask] All\n  2.1. [act] Go\n  2.3. [act] Pack\n",
        {"below": "2"},
        "## Steps\n2. [subtask] All\n  2.1. [act] Go\n  2.3. [act] Pack\n",
        [],
    ),
    "below a step, from 1": (
        "1. [act] Go\n2. [act] Pack\n",
        {"below": "2"},
        "## Steps\n2.1. [act] Go\n2.2. [act] Pack\n",
        [],
    ),
}


@in_one_test
@pytest.mark.parametrize("name", ONE)
def test_the_lines_are_one_plan(name: str) -> None:
    text, options, plan, held = ONE[name]
    found = read(text, **options)
    assert codes(found) == held
    assert plan is None or (found.verdict, found.text) == (Verdict.ACCEPTED, plan)


# ---------------------------------------------------------------- 4: whole

MANY = f"{PLAN}2. [act] Pack\n"
WHOLE: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "a gap": (f"{PLAN}3. [act] Pack\n", {}, ["PS302"]),
    "a gap on a level above": (f"{PLAN}2.1. [act] Pack\n2.2. [act] Rest\n", {}, ["PS301"]),
    "a gap that the larger plan has": ("2.2.1. [act] Pack\n", {"below": "2"}, []),
    "not from 1": (f"{HEAD}2. [act] Go\n", {}, ["PS302"]),
    "an open fence": (f"```\n{MANY}", {}, ["PS129"]),
    "an arrow at the end": (f"{PLAN}2. [act] Pack →\n", {}, ["PS129"]),
    "a comma at the end": (f"{PLAN}2. [act] Pack,\n", {}, ["PS129"]),
    "an arrow in other signs at the end": (f"{PLAN}2. [act] Pack ->\n", {}, ["PS129"]),
    "a comment at the end": (f"{PLAN}2. [act] Pack <!-- soon -->\n", {}, []),
    "a bracket at the end": (f"{PLAN}2. [act] Pack (\n", {}, ["PS129"]),
    "another bracket at the end": (f"{PLAN}2. [act] Pack {{\n", {}, ["PS129"]),
    "a limit": (MANY, {"finish_reason": "length"}, ["PS129"]),
    "an end of its own": (MANY, {"finish_reason": "stop"}, []),
    "a line that stands for others": (f"```\n{PLAN}...\n2. [act] Pack\n```\n", {}, ["PS127"]),
    "a line that stands for others, without a fence": (f"{PLAN}...\n", {}, ["PS127"]),
    "words that stand for others, without a fence": (f"{PLAN}(and so on)\n", {}, ["PS127"]),
    "dots that are set off": (f"{PLAN}\n...\n", {}, ["PS127"]),
    "words that are set off": (f"{PLAN}\nAnd so on.\n", {}, []),
    "a tag of several words": (f"```\n{PLAN}<more steps here>\n```\n", {}, ["PS127"]),
    "dots behind the arrow of inputs": (f"{PLAN}  > ← ...\n", {}, ["PS127"]),
    "outputs left out": (f"{PLAN}2. [act] Pack → <output>\n", {}, ["PS127"]),
    "an output without a name": (f"{PLAN}2. [act] Pack → TBD\n", {}, ["PS127"]),
    "an input without a name": (f"{PLAN}2. [act] Pack\n  > ← todo\n", {}, ["PS127"]),
    "a result left out": (f"{PLAN}2. [x] [act] Pack | ...\n", {}, ["PS127"]),
} | {
    f"{text} as {what}": (form.format(text), {}, ["PS127"])
    for text in (
        *("...", "…", "TBD", "TODO", "TBA", "unchanged", "same as before", "same as above", "as before", "as above"),
        *(
            "and so on",
            "etc.",
            "略",
            "同上",
            "不变",
            "待定",
            "(unchanged)",
            "[TBD]",
            "____",
            "<more steps>",
            "[your text]",
        ),
    )
    for what, form in (
        ("a step", f"{PLAN}2. [act] {{}}\n"),
        ("detail", f"{PLAN}  > {{}}\n"),
        ("a goal", f"Goal: {{}}\n## Steps\n{STEP}"),
    )
}


@in_one_test
@pytest.mark.parametrize("name", WHOLE)
def test_a_plan_is_whole(name: str) -> None:
    text, options, held = WHOLE[name]
    assert codes(read(text, **options)) == held


@in_one_test
@pytest.mark.parametrize(
    "text",
    [
        "steps 4-8 unchanged",
        "Write the TODO list",
        "and so on until noon",
        "use [a] and [b]",
        "...then rest",
        "open → shut",
    ],
)
def test_what_says_more_stands_for_nothing(text: str) -> None:
    assert read(f"{PLAN}2. [act] {text}\n").verdict is Verdict.ACCEPTED


def test_what_is_cut_off_may_do_without_its_last_line() -> None:
    found = read(f"```\n{MANY}", allow_truncated=True)
    assert (found.verdict, found.text, found.truncated) == (Verdict.ACCEPTED, PLAN, True)
    assert "PS129" in [one.code for one in found.findings]


# ---------------------------------------------------------------- 5: no strays

TABLE = "| # | Type | Task |\n|---|---|---|\n| 1 | act | Pack |\n"
RISKS = "| Type | Description |\n|---|---|\n| technical | the disk is full |\n"
STRAYS: dict[str, tuple[str, list[str]]] = {
    "a step": (f"```\n{PLAN}```\n\n2. [act] Pack\n", ["PS131"]),
    "the same plan without a fence": (f"{PLAN}\nAgain:\n\n```\n{PLAN}```\n", ["PS131"]),
    "a goal that the plan lacks": (f"Goal: g\n\n```\n## Steps\n{STEP}```\n", ["PS131", "PS205"]),
    "constraints that the plan lacks": (f"```\n{PLAN}```\n\nConstraints:\n- No noise\n", ["PS131"]),
    "a goal that the plan has": (f"```\n{PLAN}```\n\nGoal: go\n", []),
    "a step without a type": (f"```\n{PLAN}```\n\n2. Pack\n", []),
    "a table of steps": (f"```\n{PLAN}```\n\n{TABLE}", ["PS131"]),
    "a table of steps in a fence": (f"```\n{PLAN}```\n\n```\n{TABLE}```\n", ["PS130", "PS130", "PS205"]),
    "a table of steps below the plan": (f"{PLAN}\n{TABLE}", ["PS130", "PS130", "PS205"]),
    "a table of something else": (f"```\n{PLAN}```\n\n{RISKS}", []),
    "a table of something else below the plan": (f"{PLAN}\n{RISKS}", []),
    "a table of something else above the plan": (f"{RISKS}\n{PLAN}", []),
}


@in_one_test
@pytest.mark.parametrize("name", STRAYS)
def test_no_part_of_it_stands_elsewhere(name: str) -> None:
    text, held = STRAYS[name]
    assert sorted(codes(read(text))) == held


def test_a_part_that_the_plan_has_is_named_where_it_stands_once_more() -> None:
    found = read("# Plan: A\n\n## Goal\n\ng\n\n## Goal\n\nh\n\n## Steps\n" + STEP)
    assert (found.verdict, found.plan.goal) == (Verdict.ACCEPTED, "h")
    assert [(one.code, one.line) for one in found.findings] == [("PS131", 1), ("PS131", 3)]
    assert [one.text for one in found.remarks] == ["# Plan: A\n\n## Goal\n\ng"]


# ---------------------------------------------------------------- 6: remarks, 7: risk


def test_all_other_text_is_remarks() -> None:
    found = read(f"Do NOT run this.\n\n```\n{PLAN}```\n\n~~~sh\nls\n~~~\nPLAN_CMD: DONE 1\n")
    assert [(one.text, one.span.line, one.span.end_line) for one in found.remarks] == [
        ("Do NOT run this.", 1, 1),
        ("~~~sh\nls\n~~~\nPLAN_CMD: DONE 1", 9, 12),
    ]
    assert (found.verdict, [(one.code, one.line) for one in found.notes]) == (Verdict.ACCEPTED, [("PS101", 12)])


def test_the_caller_decides_about_remarks() -> None:
    text = f"One.\n\n```\n{PLAN}```\n\nTwo.\n"
    assert codes(read(text, remarks="review")) == ["PS132", "PS132"]
    assert read(PLAN, remarks="review").verdict is Verdict.ACCEPTED
    seen: list[tuple[list[str], str]] = []

    def accept(remarks: tuple[Any, ...], plan: PlanSpec) -> bool:
        seen.append(([one.text for one in remarks], plan.goal))
        return len(seen) > 1

    assert codes(read(text, remarks=accept)) == ["PS132"]
    assert read(text, remarks=accept).verdict is Verdict.ACCEPTED
    assert seen[0] == (["One.", "Two."], "g")


@in_one_test
@pytest.mark.parametrize(
    ("text", "risk"),
    [(PLAN, Risk.NONE), (f"{HEAD}1) [act] Go\n", Risk.LOW), (f"{HEAD}1) [act] Go -> a\n", Risk.MEDIUM)],
)
def test_no_form_has_a_risk_above_the_allowed_one(text: str, risk: Risk) -> None:
    assert read(text).risk is risk
    for most in Risk:
        assert (read(text, max_risk=most).verdict is Verdict.ACCEPTED) == (risk.rank <= most.rank)


def test_conflict_markers_are_refused() -> None:
    found = read(f"{HEAD}<<<<<<< ours\n{STEP}=======\n1. [act] Stay\n>>>>>>> theirs\n")
    assert (found.verdict, found.deciding and found.deciding.code) == (Verdict.REFUSED, "PS128")
