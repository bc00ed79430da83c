"""What may be the rest of something is held back: pieces behind a plan, elisions, statuses in texts, cut last lines."""

from __future__ import annotations

import pytest

from planspec_lark import extract_plan
from planspec_lark.answers import Verdict

HEAD = "Here is the plan.\n\nGoal: Dry\n## Steps\n"
PLAN = f"{HEAD}1. [act] Strip\n2. [act] Nail\n"

PIECES = """
c) sand the deck
iii) sand the deck
act: Sand
☐ Sand
Step 2b: sand
Output: a roof
{"id": 3, "type": "act"}
打扫码头
☐ 打扫
(same as previous)
以下略
余下步骤照原计划。
2–4. [act] ...
3–5. [act] ...
And so on.
and so forth…
ditto
<snip>
--- snip ---
Steps 1 and 2 done.
Done: steps 1 and 2
"""


def verdict(text: str) -> Verdict:
    return extract_plan(text).verdict


@pytest.mark.parametrize("piece", PIECES.strip().splitlines())
def test_a_piece_behind_a_plan_is_held_back(piece: str) -> None:
    assert verdict(f"{PLAN}\n{piece}\n") is Verdict.NEEDS_REVIEW


@pytest.mark.parametrize(
    "line", ["Regards", "Good luck", "<!-- end of plan -->", "Key: ✅ = done, ⏳ = active", "The end"]
)
def test_a_line_that_is_no_piece_of_a_plan_is_left_out(line: str) -> None:
    assert verdict(f"{PLAN}\n{line}\n") is Verdict.ACCEPTED


def test_what_is_listed_as_done_is_compared_with_the_marks() -> None:
    plan = PLAN.replace("1. [act]", "1. [x] [act]")
    assert verdict(f"{plan}\nStep 1 done.\n") is Verdict.ACCEPTED
    assert verdict(f"{plan}\nDone: step 1\n") is Verdict.ACCEPTED
    assert verdict(f"{plan}\nDone: steps 1, 2\n") is Verdict.NEEDS_REVIEW


DESCRIPTIONS = """
ditto
照旧
如前
见上
原样保留
未改动
同第1步
与上一版相同
(see previous plan)
same as step 1
as is
idem
???
n/a
-
your step here
Sweep [x]
Sweep [✓]
Sweep [⏳]
Sweep [WIP]
✓ Strip
⏳ Strip
🚫 Strip
Sweep DONE
Sweep **DONE**
Sweep — done
Sweep ✅ done
Sweep (already done)
Sweep (on hold)
打扫（做完了）
Sweep (partially done)
Sweep - PARTIALLY RESOLVED
Sweep — partly done
Sweep (not yet verified)
Sweep – needs rework
Sweep (won't do)
Sweep - won’t do
Sweep (deferred)
Sweep (moved to next month)
打扫（待验证）
Note: use the stiff broom
备注：用硬扫帚
打扫 已完成
Sweep (50% done)
DONE: Sweep
**DONE** Sweep
**Done:** Sweep
已完成：打扫
Strip; 2. [act] Nail
Strip, then [act] nail
[reason] Strip
Strip → ...
Strip → wood?
Strip (← wood)
* 1.2 Sweep
"""


@pytest.mark.parametrize("description", DESCRIPTIONS.strip().splitlines())
def test_a_description_that_stands_for_another_or_for_a_status_is_held_back(description: str) -> None:
    assert verdict(f"{HEAD}1) [act] {description}\n2) [act] Nail\n") is Verdict.NEEDS_REVIEW


@pytest.mark.parametrize(
    "description",
    [
        "Plot f(x)",
        "Sweep until all is done",
        "Mark the old ones — done ones stay",
        "Sweep the deck (twice)",
        "Ask what is done",
        "**Complete** the form",
        "Explain what `[reason]` means",
        "READY: check the list",
        "Read the half done draft (needs an hour)",
        "Sort what was moved to the attic",
        "Find out what is not ready - then ask",
    ],
)
def test_a_description_that_is_one_is_taken(description: str) -> None:
    found = extract_plan(f"{HEAD}1) [act] {description}\n2) [act] Nail\n")
    assert found.is_usable
    assert found.plan.steps[0].description == description


@pytest.mark.parametrize("text", ["(omitted for brevity)", "此处省略", "等等", "Remaining steps as in v1."])
def test_a_goal_or_a_constraint_that_stands_for_another_is_held_back(text: str) -> None:
    assert verdict(PLAN.replace("Dry", text)) is Verdict.NEEDS_REVIEW
    assert verdict(PLAN.replace("## Steps", f"Constraints:\n- {text}\n## Steps")) is Verdict.NEEDS_REVIEW


@pytest.mark.parametrize("end", ["2. [act]", "2. [ ] [act]", "2. [act] Nail\n  > ←"])
@pytest.mark.parametrize("line_end", ["", "\n", "\r\n"])
def test_a_last_line_with_nothing_in_it_is_cut(end: str, line_end: str) -> None:
    found = extract_plan(f"{HEAD}1. [act] Strip\n{end}{line_end}")
    assert found.truncated
    assert found.verdict is not Verdict.ACCEPTED


def test_an_empty_line_of_detail_is_cut_where_no_line_break_follows() -> None:
    text = f"{HEAD}1. [act] Strip\n  >"
    assert extract_plan(text).truncated
    assert extract_plan(f"{text}\n").verdict is Verdict.ACCEPTED


@pytest.mark.parametrize("end", ['"white', "`roof", "the “white", "-", "–", "| Prog", "| Progress: 1/"])
def test_a_last_line_with_an_open_quotation_a_dash_or_half_a_progress_is_cut(end: str) -> None:
    assert extract_plan(f"{PLAN}3. [act] Paint {end}").truncated


@pytest.mark.parametrize("end", ['"white"', "`roof`", "“white”", '6" of it', "| Proof: none", "| Progress: 1/2"])
def test_a_last_line_whose_quotations_are_closed_is_whole(end: str) -> None:
    assert extract_plan(f"{PLAN}3. [act] Paint {end}").verdict is Verdict.ACCEPTED


@pytest.mark.parametrize("comment", ["more steps", "other steps unchanged", "rest of plan", "...", "其余步骤"])
def test_a_comment_that_stands_for_steps_is_held_back(comment: str) -> None:
    assert verdict(f"{PLAN}<!-- {comment} -->\n") is Verdict.NEEDS_REVIEW
    assert verdict(PLAN.replace("2.", f"<!-- {comment} -->\n2.")) is Verdict.NEEDS_REVIEW


@pytest.mark.parametrize(
    "line", ["**【目标】** Dry", "【目标】Dry", "**Main goal:** Dry", "Overall goal: Dry", "Project goal: Dry"]
)
def test_a_goal_may_have_a_longer_label_or_one_in_a_frame(line: str) -> None:
    found = extract_plan(PLAN.replace("Goal: Dry", line).replace("## Steps", "### Detailed steps"))
    assert found.is_usable
    assert found.plan.goal == "Dry"


@pytest.mark.parametrize(
    "lead", ["Wait, nails rust. Let me fix that:", "I'll revise the plan.", "修正版：", "改进后的计划："]
)
def test_what_begins_again_or_is_a_corrected_version_counts(lead: str) -> None:
    second = PLAN.removeprefix("Here is the plan.\n\n").replace("Nail", "Glue")
    found = extract_plan(f"{PLAN}\n{lead}\n\n{second}")
    assert found.is_usable
    assert [step.description for step in found.plan.steps] == ["Strip", "Glue"]


CLOSINGS = """
旅途愉快
计划如上
状态：进展顺利
然后就可以享受成果了！
预算为估计值。
Deadline: none
The budget is only a guess.
The plan is now complete.
Output: none
Total time: 3 hours
**Total time:** 3 hours
Difficulty: easy
预计总时间：3小时
Note: times are estimates
Created by Claude
All set
Bon appétit
Strip is done
✅ done · ⬜ open
Your budget is 500 euros, so the plan uses old boards.
预算是500元，所以计划很短。
"""


@pytest.mark.parametrize("closing", CLOSINGS.strip().splitlines())
def test_a_line_without_an_end_mark_is_no_piece_by_itself(closing: str) -> None:
    plan = PLAN.replace("1. [act]", "1. [x] [act]")
    assert verdict(f"{plan}\n{closing}\n") is Verdict.ACCEPTED


@pytest.mark.parametrize(
    "report",
    [
        "I marked all steps as done.",
        "I marked step 1 as not done.",
        "Everything is now done.",
        "Done: steps 1-2",
        "把全部步骤标记为完成。",
    ],
)
def test_a_report_of_all_steps_is_compared_as_well(report: str) -> None:
    plan = PLAN.replace("1. [act]", "1. [x] [act]")
    assert verdict(f"{plan}\n{report}\n") is Verdict.NEEDS_REVIEW
    assert verdict(f"{report}\n\n{plan.removeprefix('Here is the plan.')}") is Verdict.NEEDS_REVIEW


@pytest.mark.parametrize(
    "description",
    [
        "Insert the card here",
        "Set the status to DONE",
        "Move the card to **Done**",
        "Finish the WIP",
        "Buy 1. bread, 2. butter",
    ],
)
def test_ordinary_words_at_an_end_are_no_status(description: str) -> None:
    assert verdict(f"{HEAD}1) [act] {description}\n2) [act] Nail\n") is Verdict.ACCEPTED


@pytest.mark.parametrize(
    "line", ["- → wood", "- -> wood", "Output → wood", "- Outputs -> wood", "- Returns: wood", "Yields: wood"]
)
def test_outputs_below_a_step_are_read_behind_an_arrow_or_a_label(line: str) -> None:
    found = extract_plan(f"{HEAD}1. [act] Strip\n   {line}\n2. [act] Nail\n")
    assert found.is_usable
    assert (found.plan.steps[0].description, found.plan.steps[0].outputs) == ("Strip", ["wood"])


def test_an_arrow_in_a_line_of_detail_may_be_that_of_outputs() -> None:
    assert verdict(f"{HEAD}1. [act] Strip\n  > → wood\n2. [act] Nail\n") is Verdict.NEEDS_REVIEW
    assert verdict(f"{HEAD}1. [act] Strip\n  > → see the list of all beams\n2. [act] Nail\n") is Verdict.ACCEPTED


@pytest.mark.parametrize("description", ["部署API（已完成）", "Sand(done)", "Deploy v2[blocked]"])
def test_a_status_in_brackets_right_behind_a_word_is_held_back(description: str) -> None:
    assert verdict(f"{HEAD}1. [act] {description}\n2. [act] Nail\n") is Verdict.NEEDS_REVIEW


def test_a_range_of_numbers_names_all_between() -> None:
    marks = ["[x] ", "", "[x] "]
    steps = "".join(f"{at}. {mark}[act] Nail\n" for at, mark in enumerate(marks, 1))
    assert verdict(f"{HEAD}{steps}\nDone: steps 1-3\n") is Verdict.NEEDS_REVIEW
    assert verdict(f"{HEAD}{steps.replace('2. ', '2. [x] ')}\nDone: steps 1-3\n") is Verdict.ACCEPTED


def test_a_word_that_restricts_is_none_of_a_name_before_a_word_about_plans() -> None:
    plan = PLAN.replace("Strip", "Keep half the nails")
    assert verdict(f"{plan}\nThese are half the steps.\n") is Verdict.NEEDS_REVIEW


def test_a_decision_that_is_a_question_may_be_counted_anew_and_a_step_without_a_type_may_be_none() -> None:
    steps = (
        "1. [subtask] Heat\n   1. [act] Light it\n   2. [decide] Is the flue long enough?\n      1. [act] Order one\n"
    )
    found = extract_plan(f"{HEAD}{steps}")
    assert found.verdict is Verdict.ACCEPTED
    assert "  1.2. [decide] Is the flue long enough?\n" in found.text
    untyped = f"{HEAD}{steps.replace('[decide] ', '')}"
    assert extract_plan(untyped, default_type="act").verdict is not Verdict.ACCEPTED


@pytest.mark.parametrize(
    "said", ["想了想，全扫没有必要，而且缺少备份。下面是最终版：", "有两处缺少备份。以下是最终版本："]
)
def test_what_is_wrong_with_a_draft_is_said_before_the_final_plan(said: str) -> None:
    draft = "先给一个草稿：\n\n```planspec\nGoal: 扫描\n## Steps\n1. [act] 扫描\n```\n"
    final = "```planspec\nGoal: 扫描照片\n## Steps\n1. [act] 整理\n2. [act] 扫描\n```\n"
    found = extract_plan(f"{draft}\n{said}\n\n{final}")
    assert (found.verdict, len(found.plan.steps)) == (Verdict.ACCEPTED, 2)
    # What is asked for is said of the plan that follows.
    assert verdict(f"{draft}\n请先备份。{said}\n\n{final}") is not Verdict.ACCEPTED


def test_a_legend_may_say_that_something_is_so_on_purpose() -> None:
    legend = "Legend: ✅ = done, ❌ = skipped on purpose\n\n"
    found = extract_plan(f"{legend}Goal: Dry\n## Steps\n1. ✅ [act] Strip\n2. ❌ [act] Nail\n")
    assert (found.verdict, found.plan.steps[1].status.value) == (Verdict.ACCEPTED, "skipped")


OPTIONS = "# Option A: Repair the Old Combine\n\n**Goal:** Harvest\n\n1. Order belts\n2. Replace the chain\n\n"
OPTIONS += "# Option B: Share a Combine\n\n**Goal:** Harvest\n\n1. Ask the neighbours\n2. Draw up a contract\n"


@pytest.mark.parametrize(("title", "counts"), [("Option A: Repair the Old Combine", None), ("Old plan", True)])
def test_only_a_title_that_calls_its_plan_a_draft_makes_it_one(title: str, counts: bool | None) -> None:
    found = extract_plan(OPTIONS.replace("Option A: Repair the Old Combine", title), default_type="act")
    assert found.is_usable is bool(counts)
    assert ("PS130" in {entry.code for entry in found.deciding}) is not bool(counts)


@pytest.mark.parametrize("item", ["(same as Phase 2)", "same as in stage 2", "（同第 2 阶段）"])
def test_an_item_that_stands_for_a_phase_is_held_back(item: str) -> None:
    text = f"# Wall\n\n**Goal:** It stands\n\n## Phase 1: Front\n- Dig\n- Lay\n\n## Phase 2: Rear\n- {item}\n"
    assert not extract_plan(text, default_type="act").is_usable
    assert extract_plan(text.replace(item, "Fill"), default_type="act").is_usable


@pytest.mark.parametrize(
    ("lead", "is_final"),
    [
        ("初稿没有考虑分批，下面是最终版计划：", True),
        ("The first draft does not batch, here is the final plan:", True),
        ("如果不同意初稿，下面是最终版计划：", False),
    ],
)
def test_what_is_said_against_a_draft_does_not_take_the_final_plan_back(lead: str, *, is_final: bool) -> None:
    first = "Goal: Check\n## Steps\n1. [act] Call\n"
    found = extract_plan(f"First draft:\n\n{first}\n{lead}\n\n{first}2. [act] Visit\n")
    assert ("PS130" not in {entry.code for entry in found.entries}) is is_final


def test_advice_for_floors_above_another_says_nothing_of_what_is_above_it() -> None:
    text = "# 菜园\n\n**目标**：种菜\n\n## 步骤\n1. 测量阳台\n2. 播种\n\n## 小贴士\n- 六楼以上记得加防风网。\n"
    assert extract_plan(text, default_type="act").is_usable
    assert not extract_plan(text.replace("六楼以上", "以上"), default_type="act").is_usable


SHELF = "## Steps\n1. Cut the board\n2. Paint it\n"
PREFACES = """
The plan has two steps.
Here is the plan for the shelf.
This plan builds a shelf.
本计划共两步。
"""
METADATA = """
Date: 2025-10-30
**Version**: 1.0
**Version:** v2.1.0
- **Created**: 2025-10-30 14:05
**Last updated**: 30 October 2025
*Date: October 30, 2025 | Author: Ann Lee*
**Author**: Ann and Bob
日期：2025年10月30日
版本：1.0
作者：王小明
"""


def reads(text: str) -> bool:
    return extract_plan(text, default_type="act").is_usable


@pytest.mark.parametrize("said", PREFACES.strip().splitlines())
@pytest.mark.parametrize("heading", ["", "## Overview\n\n", "## Context\n\n", "## Background\n", "## 概述\n\n"])
def test_a_sentence_below_a_title_says_as_little_as_above_it(said: str, heading: str) -> None:
    found = extract_plan(f"# Shelf\n\n{heading}{said}\n\n{SHELF}", default_type="act")
    assert found.is_usable
    assert (found.plan.title, len(found.plan.steps)) == ("Shelf", 2)
    assert reads(f"{said}\n\n# Shelf\n\n{SHELF}")
    assert reads(f"# Shelf\n\nGoal: A shelf\n\n{heading}{said}\n\n{SHELF}")


@pytest.mark.parametrize(
    "said",
    [
        "The aim is a shelf by Friday.",
        "We want a white shelf.",
        "This plan brings oak into the hall.",
        "A white shelf in the hall.",
        "The board must be dry.",
        "Buy the oak first.",
        "This plan has three steps.",
        "Deadline: Friday",
        "Finish: white",
        "This plan is a draft.",
        "This plan is done.",
        "The plan takes two days.",
        "Here is the plan for the shelf in the hall.",
        "We paint the board and cut it.",
    ],
)
@pytest.mark.parametrize("heading", ["", "## Overview\n\n", "## Notes\n\n"])
def test_what_may_be_a_goal_or_a_constraint_below_a_title_is_held_back(said: str, heading: str) -> None:
    assert not reads(f"# Shelf\n\n{heading}{said}\n\n{SHELF}")


def test_below_a_goal_only_a_section_of_its_own_may_tell_of_other_things() -> None:
    goal, said = "# Shelf\n\nGoal: A shelf\n\n", "The board is old.\n\n"
    assert reads(f"{goal}## Background\n\n{said}{SHELF}")
    assert not reads(f"{goal}{said}{SHELF}")
    assert not reads(f"{goal}## Background\n\nThe board is 3 cm thick.\n\n{SHELF}")
    for other in (
        "The aim is a shelf by Friday.",
        "The first step is done.",
        "This plan works with oak.",
        "It must be dry.",
    ):
        assert not reads(f"{goal}## Background\n\n{other}\n\n{SHELF}")


@pytest.mark.parametrize("line", METADATA.strip().splitlines())
@pytest.mark.parametrize("goal", ["", "Goal: A shelf\n\n"])
def test_when_and_by_whom_a_plan_was_written_is_no_part_of_it(line: str, goal: str) -> None:
    assert reads(f"# Shelf\n\n{line}\n\n{goal}{SHELF}")
    assert reads(f"# Shelf\n\n{goal}{line}\n\n{SHELF}")
    assert reads(f"{line}\n\n# Shelf\n\n{goal}{SHELF}")


@pytest.mark.parametrize(
    "line",
    ["Status: Active", "Deadline: 2025-10-30", "Budget: 50 euros", "Date: next Friday", "Version: draft", "Owner: Ann"],
)
def test_other_labels_below_a_title_are_held_back(line: str) -> None:
    assert not reads(f"# Shelf\n\n{line}\n\n{SHELF}")
    assert not reads(f"# Shelf\n\nDate: 2025-10-30\n{line}\n\n{SHELF}")
    assert not reads(f"# Shelf\n\nGoal: A shelf\n\nDate: 2025-10-30\n{line}\n\n{SHELF}")


@pytest.mark.parametrize(
    "line",
    [
        "**Acceptance:** The doors are smooth and white.",
        "Acceptance criteria: The doors are smooth.",
        "**Success criteria**: The doors are smooth.",
        "**Done when:** all doors are white",
        "**验收：** 柜门必须光滑。",
        "**验收标准：** 柜门光滑。",
        "完成标准：柜门光滑、白色",
    ],
)
def test_what_a_plan_is_accepted_by_may_be_a_constraint(line: str) -> None:
    assert not reads(f"# Shelf\n\nGoal: A shelf\n\n{SHELF}\n{line}\n")
    assert reads(f"# Shelf\n\nGoal: A shelf\n\n{SHELF}\nAcceptance: none\n")


@pytest.mark.parametrize("what", ["bake bread", "stop and wait", "feed sugar syrup"])
def test_words_behind_the_arrow_of_a_branch_say_what_is_done(what: str) -> None:
    branch = f"2) [decide] Wet?\n  2.1. [act] Yes → {what}\n  2.2. [act] No → put it in place\n"
    found = extract_plan(f"{HEAD}1. [act] Strip\n{branch}")
    assert found.is_usable
    assert found.plan.steps[1].children[0].description == f"Yes → {what}"
    assert verdict(f"{HEAD}1) [act] Strip → {what}\n") is Verdict.NEEDS_REVIEW


@pytest.mark.parametrize("title", ["Known Issues", "Known Bugs", "Bugs being fixed", "Riscos", "完了した作業"])
@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_a_list_below_a_title_of_what_is_no_plan_is_held_back(title: str, between: str) -> None:
    text = f"## {title}{between}1. Paint the wall\n2. Oil the door\n3. Roof leak\n"
    assert extract_plan(text, default_type="act").verdict is not Verdict.ACCEPTED


def test_a_list_of_what_is_to_be_done_may_be_called_so() -> None:
    assert extract_plan("## Todo\n- [ ] Paint the door\n- [ ] Fix the lock\n", default_type="act").is_usable


@pytest.mark.parametrize("step", ["Wake up → wash → dress → leave", "If it rains → umbrella"])
def test_the_end_of_a_chain_of_arrows_may_be_no_output(step: str) -> None:
    assert verdict(f"{HEAD}1) [act] {step}\n2) [act] Drive\n") is Verdict.NEEDS_REVIEW
    used = f"{HEAD}1) [act] {step}\n2) [act] Drive\n   > ← {step.rpartition(' ')[2]}\n"
    assert verdict(used) is Verdict.ACCEPTED
