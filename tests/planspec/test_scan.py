"""The tolerant reading: what it finds, what it repairs, what it leaves out, and that it says so each time."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from planspec_lark import (
    Diagnostic,
    Limits,
    PlanSpec,
    ScanResult,
    Severity,
    extract_plan,
    parse_plan,
    scan_plan,
    serialize_plan,
)
from planspec_lark.planspec.answer_lines import find_elision
from planspec_lark.planspec.line_faults import Section, diagnose_line, is_sentence, line_pattern
from tests.cases import in_one_test
from tests.planspec.test_models import chain

PLAN = "Goal: g\n## Steps\n1. [act] a\n"


def fixed(text: str, found: Diagnostic) -> str:
    assert found.fix is not None
    return text[: found.fix.span.start] + found.fix.text + text[found.fix.span.end :]


def said(result: ScanResult) -> list[tuple[str, str, str]]:
    """Severity, code and place (as text) of every diagnostic."""
    text = result.source.text
    rows = []
    for found in result.diagnostics:
        assert found.span is not None
        rows.append((found.severity.value, found.code, text[found.span.start : found.span.end]))
    return rows


def named_lines(result: ScanResult) -> set[int]:
    spans = [found.span for found in result.diagnostics if found.span]
    return {line for span in spans for line in range(span.line, span.end_line + 1)}


# ---------------------------------------------------------------- a plan by itself


@pytest.mark.parametrize("text", ["", "\n", "\ufeff", PLAN, "# t\n", "Goal: g", "## Steps\n1. [what] a | b\n> ← c\n"])
def test_what_is_a_plan_is_read_the_same_in_silence(text: str) -> None:
    result = scan_plan(text)
    assert result.plan == parse_plan(text)
    assert result.diagnostics == []


@pytest.mark.parametrize("bullet", ["-", "- ", "•", "* "])
def test_a_legend_may_have_its_items_close_behind_the_bullets(bullet: str) -> None:
    legend = f"Legend:\n{bullet}🌀 done\n{bullet}🔶 in progress\n"
    result = scan_plan(f"{legend}\nGoal: g\n## Steps\n1. 🌀 [act] a\n2. 🔶 [act] b\n")
    assert [step.status.value for step in result.plan.steps] == ["done", "active"]


@pytest.mark.parametrize(
    "line",
    ["（√ 表示已完成，△ 表示进行中）", "√ = done, △ = being worked on", "I use signs: (√ means done; △ means active)"],
)
def test_a_legend_needs_no_label_where_it_says_what_two_signs_mean(line: str) -> None:
    result = scan_plan(f"{line}\n\nGoal: g\n## Steps\n1. √ [act] a\n2. △ [act] b\n")
    assert [step.status.value for step in result.plan.steps] == ["done", "active"]


@pytest.mark.parametrize("line", ["√ = done", "√ = done, △ = my own sign"])
def test_one_sign_or_an_unknown_meaning_makes_no_legend_without_a_label(line: str) -> None:
    result = scan_plan(f"{line}\n\nGoal: g\n## Steps\n1. △ [act] a\n")
    assert result.plan.steps[0].status.value == "pending"


@in_one_test
@pytest.mark.parametrize(
    "line",
    [
        *("✅ marks quick wins, ❌ marks slow ones.", "Quick wins are marked with ✅.", "I use ✅ for quick wins."),
        *(
            "✅ = quick win",
            "(✅ quick, ❌ slow)",
            "- ✅ means agreed by Tom",
            "Steps with a ✅ are quick.",
            "✅表示简单。",
        ),
        *("快速步骤用✅标记。", "Legend: ✅ waiting on a permit", "✅ stands for waiting on a permit."),
        *(
            "Steps with ✅ can be done in parallel.",
            "A ✅ says that a step costs money.",
            "Everything urgent gets a ✅.",
        ),
        *("✅ doesn't mean done.", "✅ takes over an hour.", "带✅的步骤可以并行。", "✅ urgent", "✅ 可选"),
        *("Everything done late gets a ✅.", "Whoever is finished first gets a ✅.", "已完成一半的打✅。"),
        *(
            "Tasks with a ✅ are done in parallel.",
            "Everything done, but late, gets a ✅.",
            "Only done steps get a ✅.",
        ),
    ],
)
def test_a_usual_sign_that_is_said_to_mean_something_unknown_is_not_clear(line: str) -> None:
    result = scan_plan(f"{line}\n\nGoal: g\n## Steps\n1. ✅ [act] a\n")
    assert result.plan.steps[0].status.value == "pending"
    assert extract_plan(f"{line}\n\nGoal: g\n## Steps\n1. ✅ [act] a\n").verdict.value == "needs_review"


@in_one_test
@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("✅ means done and ❌ means blocked.", "done"),
        ("Done steps are marked with ✅.", "done"),
        ("Steps marked with ✅ are done.", "done"),
        ("I have marked finished steps with ✅.", "done"),
        ("Here is your plan ✅", "done"),
        ("✅ Here is your plan:", "done"),
        ("✅ done", "done"),
        ("Good luck! ✅", "done"),
        ("✅ marks skipped steps.", "skipped"),
        ("用✅表示已完成。", "done"),
        ("Everything that is already done gets a ✅, so you can see how far you are.", "done"),
        ("✅ marks what is done, ⏳ what is in progress.", "done"),
        ("已完成的步骤标✅。", "done"),
    ],
)
def test_what_a_sentence_says_of_a_usual_sign_counts(line: str, status: str) -> None:
    result = scan_plan(f"{line}\n\nGoal: g\n## Steps\n1. ✅ [act] a\n")
    assert result.plan.steps[0].status.value == status


@pytest.mark.parametrize("number", ["（1）", "(1) ", "1、", "1) ", "1. ", "一、", "第1步："])
def test_text_in_bold_behind_a_number_loses_both_of_its_marks(number: str) -> None:
    result = scan_plan(f"Goal: g\n## Steps\n{number}**Look**: at it\n", default_type="act")
    assert result.plan.steps[0].description == "Look: at it"


@pytest.mark.parametrize(("heading", "title"), [("Notes", ""), ("备注", ""), ("Sand the deck", "Sand the deck")])
def test_a_heading_behind_a_ruler_may_be_the_title_but_not_of_notes(heading: str, title: str) -> None:
    assert scan_plan(f"---\n\n# {heading}\n\n---\n{PLAN}").plan.title == title


@in_one_test
@pytest.mark.parametrize("blank", ["", "\n"])
@pytest.mark.parametrize("sign", ["、", ".", ". ", "）"])
def test_a_lead_in_chinese_leads_to_a_list_of_numbers_without_blanks(sign: str, blank: str) -> None:
    text = f"步骤如下：\n{blank}1{sign}准备材料\n2{sign}写初稿\n3{sign}修改\n"
    found = extract_plan(text, default_type="act")
    assert found.verdict.value == "accepted"
    assert found.plan is not None
    assert [step.description for step in found.plan.steps] == ["准备材料", "写初稿", "修改"]
    risks = text.replace("步骤如下", "可能的风险如下")
    assert extract_plan(risks, default_type="act").verdict.value == "refused"


def test_an_empty_text_is_the_empty_plan() -> None:
    assert scan_plan("").plan == PlanSpec()


@pytest.mark.parametrize(
    "text", ["no plan", "```\n```", "\x00\ud800", "> a\n- b", "Steps: none", "1.", "[", "PLAN_CMD: DONE 1"]
)
def test_a_text_without_a_plan_is_named_line_by_line(text: str) -> None:
    result = scan_plan(text)
    assert result.plan.steps == []
    assert named_lines(result) == set(range(1, text.count("\n") + 2))


def test_a_step_after_a_byte_order_mark_in_a_code_block_has_its_place() -> None:
    result = scan_plan("So:\n~~~\n\ufeff  1. [subtask] a\n> ← b\n~~~\n")
    assert [*result.positions.steps] == [step.step_id for step in result.plan.steps] == ["1"]


def test_the_source_keeps_its_name() -> None:
    result = scan_plan("prose", name="answer.txt")
    assert result.source.name == "answer.txt"
    assert result.diagnostics[0].source is result.source


# Words that begin a part of a plan or a step, and others, in letters of all kinds.
WORDS = [
    *(
        "goal",
        "Goals",
        "the",
        "THE",
        "Steps",
        "step",
        "plan",
        "title",
        "Phase",
        "stage2",
        "constraints",
        "action",
        "rules",
    ),
    *(
        "Here",
        "is",
        "we",
        "a",
        "I",
        "1",
        "2.",
        "a.",
        "[act]",
        ":",
        "-",
        "–",
        "_",
        "**",
        "|",
        "#",
        "→ x",
        "<br>",
        "\x07",
    ),
    *(
        "same",
        "as before",
        "unchanged",
        "...",
        "to be continued",
        "in the next message",
        "ok,",
        "\u3000",
        "目标",
        "步骤",
    ),
]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5), st.sampled_from(["", " "]))
@example(["goal", "_", ":"], "")
@example(["the", "goal", "–"], " ")
@example(["to be continued", "in the next message"], " ")
def test_a_sentence_is_nothing_else(words: list[str], space: str) -> None:
    line = space.join(words).strip(" \u3000")
    if is_sentence(line) and not line_pattern().fullmatch(f"{line}\n"):
        found = scan_plan(f"\t{line}\n")
        assert [(one.code, one.severity) for one in found.diagnostics] == [("PS101", Severity.INFO)]
        fault = diagnose_line(line, Section.NOTHING)
        assert (fault.miss.code, fault.repaired, find_elision(line)) == ("PS101", None, False)


@pytest.mark.parametrize("line", ["Here is the plan.", "sure thing", "Theories of goals", "Good: luck"])
def test_sentences(line: str) -> None:
    assert is_sentence(line)


def test_a_plan_of_a_thousand_levels_is_scanned() -> None:
    text = serialize_plan(chain())
    assert scan_plan(f"Here:\n\n{text}").plan == chain()


# ---------------------------------------------------------------- around the plan


def test_prose_around_and_between_is_left_out() -> None:
    text = f"Sure!\n\nHere it is:\n{PLAN}and then\n2. [act] b\nDone.\n"
    result = scan_plan(text)
    assert serialize_plan(result.plan) == PLAN + "2. [act] b\n"
    assert said(result) == [
        ("info", "PS101", "Sure!\n\nHere it is:"),
        ("info", "PS101", "and then"),
        ("info", "PS101", "Done."),
    ]


@pytest.mark.parametrize("fence", ["```", "~~~", "```text", "````markdown"])
def test_a_plan_in_a_fence_ends_with_it(fence: str) -> None:
    closing = fence[: len(fence) - len(fence.lstrip("`~"))]
    text = f"Look:\n{fence}\n{PLAN}{closing}\nIs 2. [act] fine?\n3. [act] c\n> d\n"
    result = scan_plan(text)
    assert serialize_plan(result.plan) == PLAN
    assert [(found.severity.value, found.code, found.line) for found in result.diagnostics][:3] == [
        ("info", "PS101", 1),
        ("info", "PS103", 2),
        ("info", "PS103", 6),
    ]
    # It may be more of the plan, or another one.
    assert said(result)[3:] == [("warning", "PS130", "Is 2. [act] fine?\n3. [act] c\n> d")]


def test_a_fence_without_steps_ends_nothing() -> None:
    text = f"```\nls -l\n```\n```\n{PLAN}```\n"
    result = scan_plan(text)
    assert serialize_plan(result.plan) == PLAN
    assert said(result) == [
        ("info", "PS103", "```"),
        ("info", "PS101", "ls -l"),
        ("info", "PS103", "```\n```"),
        ("info", "PS103", "```"),
    ]
    assert {severity for severity, _, _ in said(result)} == {"info"}


@pytest.mark.parametrize("start", ["# t\n", "Goal: h\n", "# t\nGoal: h\n"])
def test_a_second_plan_ends_the_first(start: str) -> None:
    second = f"{start}## Steps\n1. [act] b\n2. [act] c\n"
    result = scan_plan(PLAN + second)
    # One without a goal is not complete; of two that are, the last one counts, and a person has to look at it.
    is_complete = "Goal" in start
    assert serialize_plan(result.plan) == (second.replace("# t", "# Plan: t") if is_complete else PLAN)
    rest = PLAN if is_complete else second
    assert said(result) == [
        ("warning", "PS130", rest.rstrip("\n")) if is_complete else ("info", "PS105", rest.rstrip("\n"))
    ]


@pytest.mark.parametrize(
    "lead", ["Here is the final version:", "The updated plan:", "修改后的计划如下：", "以下为最终方案："]
)
@pytest.mark.parametrize("is_first", [True, False])
def test_the_plan_that_is_announced_as_final_counts(lead: str, *, is_first: bool) -> None:
    final, other = "# Plan: one\nGoal: g\n## Steps\n1. [act] a\n", "# Plan: two\nGoal: h\n## Steps\n1. [act] b\n"
    parts = [f"{lead}\n\n{final}", f"\nThis was thought of as well.\n\n{other}"]
    result = scan_plan("\n".join(parts if is_first else parts[::-1]))
    assert serialize_plan(result.plan) == final
    assert "PS130" not in {code for _, code, _ in said(result)}


NO_ANNOUNCEMENTS = (
    *("Not recommended:", "(not recommended)", "不推荐：", "非最终版本：", "Non-final version:", "Pre-final plan:"),
    *("Almost final plan:", "The plan before the final one:", "The client's final plan:", "客户的最终计划："),
    *("最终计划见上，这是草稿：", "What the corrected plan replaced:", "The plan that was revised:"),
    *("Corrected too late, not to be used:", "The final plan?", "The final plan, says the client:", "这不是最终计划："),
    *("I'll never redo this.", "If you like, I will rewrite it.", "That is the final plan.", "Old but final:"),
    *("This is not a draft:", "The draft above ignores the rain, so:"),
    *("Option A is recommended, not this plan:", "The option that the vendor recommended:", "Semi-final plan:"),
    *("Why the revised plan is better:", "Here is the updated plan, ignore it:", "Updated plan (for reference only):"),
    *("修订前的计划：", "待修订的计划：", "有人推荐的计划：", "更新后的计划仅供参考："),
)


@in_one_test
@pytest.mark.parametrize(
    "lead",
    [
        *("Here's the updated plan as you requested:", "Here is the updated plan you asked for:"),
        *("Here is the revised plan according to your wishes:", "Updated plan based on your feedback:"),
        *("Sorry about the mistake, here is the corrected plan:", "No problem, here's the revised plan:"),
        *("Option B (recommended):", "Final Plan 2.0:", "## Revised plan, now with painting"),
        *(
            "Here is the final plan, without further ado:",
            "Thanks! Here is an improved plan that also has a step more:",
        ),
        *("整理后的最终计划如下：", "推荐使用方案二：", "按您的要求修改后的计划："),
    ],
)
def test_an_announcement_may_say_more(lead: str) -> None:
    first, final = "Goal: Work\n## Steps\n1. [act] Sand\n", "Goal: Work\n## Steps\n1. [act] Sand\n2. [act] Paint\n"
    found = extract_plan(f"{first}\n{lead}\n\n{final}")
    assert found.plan is not None
    assert (serialize_plan(found.plan), found.verdict.value) == (final, "accepted")


@in_one_test
@pytest.mark.parametrize("lead", NO_ANNOUNCEMENTS)
def test_what_is_denied_or_of_others_announces_no_plan(lead: str) -> None:
    plan, other = "Goal: g\n## Steps\n1. [act] a\n2. [act] b\n", "Goal: g\n## Steps\n1. [act] c\n"
    for text in (f"{plan}\n{lead}\n\n{other}", f"{other}\n{lead}\n\n{plan}"):
        assert "PS130" in {code for _, code, _ in said(scan_plan(text))}
    # What is announced counts.
    for one, two in ((plan, other), (f"```\n{plan}```\n", f"```\n{other}```\n")):
        result = scan_plan(f"Final plan:\n\n{one}\n{lead}\n\n{two}")
        assert serialize_plan(result.plan) == plan
        assert "PS130" not in {code for _, code, _ in said(result)}


def test_a_sentence_that_calls_a_draft_one_may_announce_the_plan() -> None:
    draft, plan = "Goal: g\n## Steps\n1. [act] a\n", "Goal: g\n## Steps\n1. [act] c\n"
    for lead in (
        "My first draft was too thin, so here is the final plan:",
        "Final plan, which replaces the draft above:",
        "No problem. Here's the updated and complete plan for you:",
        "第二版（推荐）：",
        "非常抱歉，修改后的最终版本如下：",
        "## ✅ Final plan (recommended)",
    ):
        assert serialize_plan(scan_plan(f"{draft}\n{lead}\n\n{plan}\nOr:\n\n{draft}").plan) == plan


def test_what_the_final_plan_is_said_to_be_does_not_make_a_draft_of_it() -> None:
    plan, draft = "Goal: g\n## Steps\n1. [act] a\n", "Goal: g\n## Steps\n1. [act] c\n"
    result = scan_plan(f"{plan}\nThe final plan is above; the draft was:\n\n{draft}")
    assert serialize_plan(result.plan) == plan
    assert "PS130" not in {code for _, code, _ in said(result)}


@pytest.mark.parametrize(
    "lead", ["A first draft:", "The old plan, for reference:", "原计划：", "For example, in this format:"]
)
def test_a_draft_does_not_exclude_the_plan(lead: str) -> None:
    plan, draft = "# Plan: one\nGoal: g\n## Steps\n1. [act] a\n", "# Plan: two\nGoal: h\n## Steps\n1. [act] b\n"
    for text in (f"{lead}\n\n{draft}\nNow:\n\n{plan}", f"{plan}\n{lead}\n\n{draft}"):
        result = scan_plan(text)
        assert serialize_plan(result.plan) == plan
        assert "PS130" not in {code for _, code, _ in said(result)}


def test_a_complete_plan_beats_one_that_is_not() -> None:
    complete, other = "# Plan: one\nGoal: g\n## Steps\n1. [act] a\n", "# Plan: two\n## Steps\n1. [act] b\n"
    for text in (complete + other, other + complete):
        result = scan_plan(text)
        assert serialize_plan(result.plan) == complete
        assert [code for _, code, _ in said(result)] == ["PS105"]


def test_of_plans_without_a_hint_the_last_counts_and_each_other_is_a_rival() -> None:
    first, second = (f"# {name}\nGoal: g\n## Steps\n1) [act] a\n" for name in ("one", "two"))
    result = scan_plan(first + second)
    assert result.plan.title == "two"
    assert said(result)[0] == ("warning", "PS130", first.rstrip("\n"))
    # The same plan twice excludes nothing.
    assert "PS130" not in {code for _, code, _ in said(scan_plan(first + first))}


def test_a_candidate_with_steps_beats_one_without() -> None:
    first = f"{PLAN}2. no type\n"
    result = scan_plan(f"{first}Goal: only a goal\n")
    assert serialize_plan(result.plan) == PLAN
    # A goal that the plan does not have may be one that got lost.
    assert [(severity, code) for severity, code, _ in said(result)] == [("error", "PS112"), ("warning", "PS130")]
    assert [code for _, code, _ in said(scan_plan(f"{PLAN}Goal: g\n"))] == ["PS101"]


def test_a_part_that_comes_a_second_time_before_the_steps_is_left_out() -> None:
    text = "Goal: g\nGoal: h\n> i\nConstraints:\n- c\nConstraints:\n- d\n## Steps\n1. [act] a\n"
    result = scan_plan(text)
    assert serialize_plan(result.plan) == "Goal: g\nConstraints:\n- c\n## Steps\n1. [act] a\n"
    assert result.diagnostics[0].code == "PS105"
    assert {found.severity.value for found in result.diagnostics} == {"error"}
    assert named_lines(result) == {2, 3, 6, 7}


def test_a_part_that_comes_too_late_is_read() -> None:
    result = scan_plan("Constraints:\n- c\nGoal: g\n## Steps\n1. [act] a\n")
    assert (result.plan.goal, result.plan.constraints) == ("g", ["c"])
    assert said(result) == [("warning", "PS106", "Goal: g")]
    result = scan_plan("## Steps\n1. [act] a\nGoal: g\n")
    assert result.plan.goal == "g"
    assert said(result) == [("warning", "PS106", "Goal: g")]


def test_steps_below_a_second_header_are_read() -> None:
    result = scan_plan(f"{PLAN}## Steps\n2. [act] b\n")
    assert serialize_plan(result.plan) == PLAN + "2. [act] b\n"
    assert said(result) == [("warning", "PS105", "## Steps")]


def test_steps_without_a_header_are_read() -> None:
    result = scan_plan("Goal: g\n1. [act] a\n2. [act] b\n")
    assert serialize_plan(result.plan) == PLAN + "2. [act] b\n"
    assert said(result) == []


@pytest.mark.parametrize(
    ("row", "read"),
    [
        ("1. [act] a → x  # b", "1. [act] a → x"),
        ("1. [act] a | b\t # c | d", "1. [act] a | b"),
        ("1) [act] a  # b", "1. [act] a"),
        ("- 1. [act] a  # b", "1. [act] a"),
        ("1. [act] a  # b  # c", "1. [act] a"),
    ],
)
def test_comments_are_left_out_once_a_header_has_one(row: str, read: str) -> None:
    result = scan_plan(f"Goal: g\n## Steps # all\n{row}\n")
    assert serialize_plan(result.plan) == f"Goal: g\n## Steps\n{read}\n"
    comment = row[row.index("# ") :]
    assert said(result) == [("warning", "PS124", "# all"), ("warning", "PS124", comment)]


@pytest.mark.parametrize("row", ["1. [act] a #12  #13 # 5", "1. [act] a  #", "1. [act] C# b", "1. [act] a\u3000 # b"])
def test_other_signs_are_text_even_then(row: str) -> None:
    result = scan_plan(f"Goal: g\n## Steps # all\n{row}\n")
    assert serialize_plan(result.plan) == f"Goal: g\n## Steps\n{row}\n"
    assert said(result) == [("warning", "PS124", "# all")]


def test_what_stands_in_front_of_a_header_with_a_comment_has_comments_too() -> None:
    head = "# Plan: t  # a\r\nGoal：g\t\t# b\r\n> d  # c\r\n\r\nConstraints:\r\n- e  # f\r\n"
    result = scan_plan(f"So.  # x\r\n{head}## Steps\t# h\r\n1. [act] a\r\n")
    assert serialize_plan(result.plan) == "# Plan: t\nGoal: g\n> d\nConstraints:\n- e\n## Steps\n1. [act] a\n"
    assert [(code, place) for _, code, place in said(result)] == [
        ("PS101", "So.  # x"),
        *(("PS124", f"# {letter}") for letter in "abcfh"),
    ]
    # A line that is repaired may be the only other one.
    result = scan_plan("Goal：g  # a\nConstraints: # b\n")
    assert result.plan.goal == "g"
    assert said(result) == [("warning", "PS124", "# a"), ("warning", "PS124", "# b")]
    # A header of another plan says nothing about this one.
    first = "# Plan: t  # a\nGoal: g\n## Steps\n1. [act] a  # b\n"
    result = scan_plan(f"{first}\n# Plan: u\n## Steps # c\n1. [act] v\n")
    assert serialize_plan(result.plan) == first


def test_a_step_whose_id_is_taken_is_left_out_with_its_body() -> None:
    text = f"{PLAN}1. [act] b\n> c\n\n2. [act] d\n"
    result = scan_plan(text)
    assert serialize_plan(result.plan) == PLAN + "2. [act] d\n"
    assert result.diagnostics[0].code == "PS117"
    assert {found.severity.value for found in result.diagnostics} == {"error"}
    assert named_lines(result) == {4, 5}


def test_lines_that_belong_to_nothing() -> None:
    result = scan_plan("> a\n- b\n## Steps\n> c\n- d\n1. [act] e\n")
    assert serialize_plan(result.plan) == "## Steps\n1. [act] e\n"
    assert said(result) == [
        ("info", "PS107", "> a"),
        ("info", "PS107", "- b"),
        ("error", "PS107", "> c"),
        ("error", "PS107", "- d"),
    ]


def test_a_step_that_cannot_be_repaired_is_left_out_with_its_body() -> None:
    result = scan_plan("## Steps\n1. no type\n> a\n2. [act] b\n")
    assert serialize_plan(result.plan) == "## Steps\n2. [act] b\n"
    assert [(severity, code) for severity, code, _ in said(result)] == [("error", "PS112"), ("error", "PS107")]


def test_a_body_goes_on_behind_prose_that_is_not_set_off() -> None:
    result = scan_plan(f"{PLAN}prose\n> b\n> <- c\n")
    assert (result.plan.steps[0].detail, result.plan.steps[0].inputs) == (["b"], ["c"])
    assert [(severity, code) for severity, code, _ in said(result)] == [("info", "PS101"), ("warning", "PS305")]


def test_lines_behind_prose_that_is_set_off_are_no_part_of_the_plan() -> None:
    result = scan_plan(f"{PLAN}\nI hope this helps.\n> as you said\n- or so\n")
    assert serialize_plan(result.plan) == PLAN
    assert {severity for severity, _, _ in said(result)} == {"info"}
    assert named_lines(result) == {5, 6, 7}


def test_steps_behind_prose_are_read_all_the_same() -> None:
    result = scan_plan(f"{PLAN}\nAnd then:\n\n2. [act] b\n> c\n")
    assert serialize_plan(result.plan) == PLAN + "2. [act] b\n  > c\n"
    assert said(result) == [("info", "PS101", "And then:")]


def test_a_block_of_code_behind_the_steps_ends_nothing() -> None:
    result = scan_plan(f"{PLAN}```\nls -l\n```\n2. [act] b\n")
    assert serialize_plan(result.plan) == PLAN + "2. [act] b\n"
    assert {severity for severity, _, _ in said(result)} == {"info"}
    assert named_lines(result) == {4, 5, 6}


# ---------------------------------------------------------------- repairs


@pytest.mark.parametrize(
    ("line", "canonical"),
    [
        ("**Goal:** g", "Goal: g"),
        ("Goal：g", "Goal: g"),
        ("goal: g", "Goal: g"),
        ("## Goal: g", "Goal: g"),
        ("目标：g", "Goal: g"),
        ("Plan: t", "# Plan: t"),
        ("#t", "# Plan: t"),
        ("## Plan: t", "# Plan: t"),
    ],
)
def test_a_header_in_other_words(line: str, canonical: str) -> None:
    result = scan_plan(f"{line}\n")
    assert serialize_plan(result.plan) == f"{canonical}\n"
    assert [(severity, code) for severity, code, _ in said(result)] == [("warning", "PS104")]
    assert serialize_plan(parse_plan(fixed(f"{line}\n", result.diagnostics[0]))) == f"{canonical}\n"


@pytest.mark.parametrize("line", ["Steps:", "### Steps", "**Steps**", "## Steps:", "## steps", "步骤：", "Step:"])
def test_a_steps_header_in_other_words(line: str) -> None:
    text = f"Goal: g\n{line}\n1. [act] a\n"
    result = scan_plan(text)
    assert serialize_plan(result.plan) == PLAN
    assert said(result) == [("warning", "PS104", line)]
    assert fixed(text, result.diagnostics[0]) == PLAN


@pytest.mark.parametrize(
    "line", ["Constraints", "**Constraints**:", "### Constraints", "constraints:", "约束：", "## Constraint"]
)
def test_a_constraints_header_in_other_words(line: str) -> None:
    text = f"{line}\n- c\n"
    result = scan_plan(text)
    assert result.plan.constraints == ["c"]
    assert said(result) == [("warning", "PS104", line)]
    assert fixed(text, result.diagnostics[0]) == "Constraints:\n- c\n"


def test_constraints_behind_their_header() -> None:
    text = "Constraints: no rain\n- c\n"
    result = scan_plan(text)
    assert result.plan.constraints == ["no rain", "c"]
    assert fixed(text, result.diagnostics[0]) == "Constraints:\n- no rain\n- c\n"


@pytest.mark.parametrize("line", ["* c", "+ c", "• c", "1. c", "1) c", "-c", "– c", "1、c"])
def test_another_bullet(line: str) -> None:
    text = f"Constraints:\n- b\n{line}\n"
    result = scan_plan(text)
    assert result.plan.constraints == ["b", "c"]
    assert [(severity, code) for severity, code, _ in said(result)] == [("warning", "PS118")]
    assert fixed(text, result.diagnostics[0]) == "Constraints:\n- b\n- c\n"


@in_one_test
@pytest.mark.parametrize(
    ("line", "code", "place", "canonical"),
    [
        ("1) [act] a", "PS110", "1)", "1. [act] a"),
        ("1 [act] a", "PS110", "1", "1. [act] a"),
        ("1、[act] a", "PS110", "1、", "1. [act] a"),
        ("１． [act] a", "PS110", "１．", "1. [act] a"),
        ("１．２． [act] a", "PS110", "１．２．", "1.2. [act] a"),
        ("01.02. [act] a", "PS110", "01.02.", "1.2. [act] a"),
        ("Step 1: [act] a", "PS110", "Step ", "1. [act] a"),
        ("步骤1：[act] a", "PS110", "步骤", "1. [act] a"),
        ("* 1. [act] a", "PS110", "* ", "1. [act] a"),
        ("**1.** [act] a", "PS110", "**", "1. [act] a"),
        ("- 1. [act] a", "PS110", "- ", "1. [act] a"),
        ("- [x] 1. [act] a", "PS110", "- [x] ", "1. [x] [act] a"),
        ("- [X] 1. [act] a", "PS110", "- [X] ", "1. [x] [act] a"),
        ("- [ ] 1. [act] a", "PS110", "- [ ] ", "1. [act] a"),
        ("1.[act] a", "PS113", "[", "1. [act] a"),
        ("1. [x][act] a", "PS113", "[", "1. [x] [act] a"),
        ("1. n[act] a", "PS113", "[", "1. n [act] a"),
        ("1. [act]a", "PS113", "a", "1. [act] a"),
        ("1. (act) a", "PS112", "(act)", "1. [act] a"),
        ("1. 【act】a", "PS112", "【act】", "1. [act] a"),
        ("1. [ act ] a", "PS112", "[ act ]", "1. [act] a"),
        ("（1）**[act]** a", "PS110", "（1）", "1. [act] a"),
        ("1. [act] a |", "PS114", "|", "1. [act] a"),
        ("1. [act] a | | b", "PS114", "|", "1. [act] a | b"),
        ("1. [act] a | Progress: 3 of 5", "PS115", "Progress: 3 of 5", "1. [act] a | Progress: 3/5"),
        ("1. [act] a | Progress: 3 / 5", "PS115", "Progress: 3 / 5", "1. [act] a | Progress: 3/5"),
        ("1. [act] a | Progress: half", "PS115", "Progress: half", r"1. [act] a | \Progress: half"),
        (
            "1. [act] a | Progress: 1 | Progress: 2",
            "PS116",
            "Progress: 2",
            r"1. [act] a | \Progress: 2 | Progress: 1",
        ),
        ("1. [act] a\x07b", "PS102", "\x07", "1. [act] ab"),
    ],
)
def test_a_step_in_other_words(line: str, code: str, place: str, canonical: str) -> None:
    text = f"## Steps\n  {line}\n"
    result = scan_plan(text)
    assert serialize_plan(result.plan) == f"## Steps\n{canonical}\n"
    assert said(result) == [("warning", code, place)]
    again = fixed(text, result.diagnostics[0])
    assert scan_plan(again).diagnostics == []
    assert parse_plan(again) == result.plan


@pytest.mark.parametrize(
    "line",
    ["1. a", "1. (thing) a", "1..2. [act] a", "1234567890. [act] a", "1.", "2. [x] a", "1. [act a", "1. [x] [>] a"],
)
def test_a_step_that_cannot_be_read_is_an_error(line: str) -> None:
    result = scan_plan(f"## Steps\n{line}\n")
    assert result.plan == PlanSpec()
    assert [found.severity.value for found in result.diagnostics] == ["error"]


@pytest.mark.parametrize(
    ("mark", "status"),
    [
        ("[X]", "done"),
        ("[ x ]", "done"),
        ("[ X]", "done"),
        ("【x】", "done"),
        ("【>】", "active"),
        ("［!］", "blocked"),
        ("[done!]", "pending"),
        ("[✓]", "done"),
        ("[✔]", "done"),
        ("[?]", "pending"),
        ("[-]", "pending"),
        ("[*]", "pending"),
        ("[]", "pending"),
        ("[  ]", "pending"),
        ("[> ]", "active"),
        ("[in progress]", "active"),
        ("[完成]", "done"),
        ("[100%]", "pending"),
    ],
)
def test_a_status_is_never_invented(mark: str, status: str) -> None:
    text = f"## Steps\n1. {mark} n [act] a\n"
    result = scan_plan(text)
    (step,) = result.plan.steps
    assert (step.status.value, step.step_name, step.step_type, step.description) == (status, "n", "act", "a")
    assert said(result) == [("warning", "PS111", mark)]
    assert parse_plan(fixed(text, result.diagnostics[0])) == result.plan


# ---------------------------------------------------------------- foreign arrows


@pytest.mark.parametrize(
    ("line", "description", "outputs", "place", "written"),
    [
        ("a -> b", "a", ["b"], "-> b", "→ b"),
        ("a --> b,c", "a", ["b", "c"], "--> b,c", "→ b, c"),
        ("a => b ，c", "a", ["b", "c"], "=> b ，c", "→ b, c"),
        ("a ⇒ b、c", "a", ["b", "c"], "⇒ b、c", "→ b, c"),
        ("-> b", "", ["b"], "-> b", "→ b"),
        ("a → x -> b | r", "a → x", ["b"], "-> b", "→ b"),
    ],
)
def test_a_foreign_arrow_in_front_of_a_list_declares_outputs(
    line: str, description: str, outputs: list[str], place: str, written: str
) -> None:
    text = f"## Steps\n1. [act] {line}\n"
    assert parse_plan(text).steps[0].outputs == []
    result = scan_plan(text)
    assert (result.plan.steps[0].description, result.plan.steps[0].outputs) == (description, outputs)
    assert said(result) == [("warning", "PS305", place)]
    assert result.diagnostics[0].fix is not None
    assert result.diagnostics[0].fix.text == written
    assert parse_plan(fixed(text, result.diagnostics[0])) == result.plan


def test_a_list_with_other_commas_is_one() -> None:
    text = "## Steps\n1. [act] a → b、c\n> ← d，e\n"
    assert (parse_plan(text).steps[0].outputs, parse_plan(text).steps[0].inputs) == ([], [])
    result = scan_plan(text)
    assert (result.plan.steps[0].outputs, result.plan.steps[0].inputs) == (["b", "c"], ["d", "e"])
    assert said(result) == [("warning", "PS305", "1. [act] a → b、c"), ("warning", "PS305", "> ← d，e")]


@pytest.mark.parametrize("line", ["a -> leave the loop", "a->b", "a -> b → c", r"a \→ b", "a -> 变量"])
def test_other_text_with_arrows_stays_text(line: str) -> None:
    text = f"## Steps\n1. [act] {line}\n"
    result = scan_plan(text)
    assert result.plan == parse_plan(text)
    assert result.diagnostics == []


@pytest.mark.parametrize(
    ("line", "inputs", "written"),
    [
        ("> <- b", ["b"], "> ← b"),
        ("><= b;c", ["b", "c"], "> ← b, c"),
        (">  ⟵ b、c", ["b", "c"], "> ← b, c"),
    ],
)
def test_a_foreign_arrow_at_the_start_of_a_detail_line_declares_inputs(
    line: str, inputs: list[str], written: str
) -> None:
    text = f"## Steps\n1. [act] a\n> first\n{line}\n> last\n"
    assert parse_plan(text).steps[0].inputs == []
    result = scan_plan(text)
    assert (result.plan.steps[0].inputs, result.plan.steps[0].detail) == (inputs, ["first", "last"])
    assert said(result) == [("warning", "PS305", line)]
    assert result.diagnostics[0].fix is not None
    assert result.diagnostics[0].fix.text == written
    assert parse_plan(fixed(text, result.diagnostics[0])) == result.plan


@pytest.mark.parametrize("line", ["> see <- b", "> <- b and c", r"> \← b"])
def test_other_detail_lines_with_arrows_stay_detail(line: str) -> None:
    text = f"## Steps\n1. [act] a\n{line}\n"
    result = scan_plan(text)
    assert result.plan == parse_plan(text)
    assert result.diagnostics == []


def test_foreign_arrows_are_read_in_a_repaired_step_too() -> None:
    text = "## Steps\n1) [act] a -> b\n> <- c\n"
    result = scan_plan(text)
    assert serialize_plan(result.plan) == "## Steps\n1. [act] a → b\n  > ← c\n"
    assert [(severity, code) for severity, code, _ in said(result)] == [("warning", "PS110"), ("warning", "PS305")]
    assert result.diagnostics[0].fix is not None
    assert result.diagnostics[0].fix.text == "1. [act] a → b"


def test_foreign_and_right_arrows_add_up_in_the_order_of_the_text() -> None:
    result = scan_plan("## Steps\n1. [act] a\n> <- b\n> ← c\n> d\n> <- e, b\n")
    assert (result.plan.steps[0].inputs, result.plan.steps[0].detail) == (["b", "c", "e", "b"], ["d"])


def test_what_belongs_to_something_refused_is_named_even_behind_a_fence() -> None:
    """The fence ends the part that was read at once; the line behind it is refused with the part above."""
    constraints = scan_plan("Constraints:\n- a\nConstraints:\n- b\n```\n- c\n## Steps\n1. [act] x\n")
    assert ("PS107", 6) in [(found.code, found.line) for found in constraints.diagnostics]
    assert constraints.plan.constraints == ["a"]
    step = scan_plan("## Steps\n1. [act] a\n1. [act] b\n```\n> x\n")
    assert ("PS107", 5) in [(found.code, found.line) for found in step.diagnostics]
    assert [found.message for found in step.diagnostics if found.line == 5] == [
        "left out, like the line that it belongs to"
    ]
    assert step.plan.steps[0].detail == []


def test_a_refused_step_lends_no_place_to_the_one_with_its_id() -> None:
    result = scan_plan("## Steps\n1. [act] a\n1. [act] b -> c\n  > <- d\n")
    assert "outputs" not in result.positions.step("1").fields
    assert "inputs" not in result.positions.step("1").fields
    assert {found.code for found in result.diagnostics} == {"PS117", "PS107"}


def test_a_repaired_line_in_prose_keeps_its_finding() -> None:
    """Neighbouring lines share a finding only where no other stands between."""
    result = scan_plan(f"{PLAN}\nso it was\n> a\x00\n> b\x00\n> c\n")
    assert said(result) == [
        ("info", "PS101", "so it was"),
        ("info", "PS107", "> a\x00"),
        ("warning", "PS102", "\x00"),
        ("info", "PS107", "> b\x00\n> c"),
        ("warning", "PS102", "\x00"),
    ]


def test_what_goes_on_with_a_part_stands_directly_below_it() -> None:
    result = scan_plan(f"{PLAN}Constraints:\n- c\nprose\n- 2. [act] b\n- d\n")
    assert serialize_plan(result.plan) == "Goal: g\nConstraints:\n- c\n## Steps\n1. [act] a\n2. [act] b\n  > d\n"
    assert said(result) == [
        ("warning", "PS106", "Constraints:\n- c"),
        ("info", "PS101", "prose"),
        ("warning", "PS110", "- "),
        ("warning", "PS107", "- d"),
    ]


def test_nothing_goes_on_with_a_header_that_was_repaired_and_too_late() -> None:
    result = scan_plan(f"{PLAN}Constraint:\n- x\n")
    assert serialize_plan(result.plan) == PLAN
    assert said(result) == [
        ("warning", "PS104", "Constraint:"),
        ("warning", "PS106", "Constraint:"),
        ("error", "PS107", "- x"),
    ]


def test_what_counts_the_rest_names_all_of_the_first_that_is_not_listed() -> None:
    result = scan_plan("so\nit\n## Steps\nwas\nonce\n1. [act] a\nmore\n", limits=Limits(max_findings=1))
    assert [
        (found.code, found.span and found.span.line, found.span and found.span.end_line) for found in result.diagnostics
    ] == [
        ("PS101", 1, 2),
        ("PS120", 4, 5),
    ]


# ---------------------------------------------------------------- what is in a line of its own


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("Progress: 2/5", "1. [act] Go | Progress: 2/5"),
        ("- Progress: 3", "1. [act] Go | Progress: 3"),
        ("- **进度**：2 of 4", "1. [act] Go | Progress: 2/4"),
        ("- **Status:** done.", "1. [x] [act] Go"),
        ("* 状态：进行中", "1. [>] [act] Go"),
    ],
)
def test_status_and_progress_below_a_step_are_its_own(line: str, written: str) -> None:
    result = scan_plan(f"Goal: go\n## Steps\n1. [act] Go\n   {line}\n2. [act] Pack\n")
    assert serialize_plan(result.plan) == f"Goal: go\n## Steps\n{written}\n2. [act] Pack\n"
    assert [found.severity for found in result.diagnostics] == [Severity.WARNING]


@pytest.mark.parametrize(
    ("first", "line"),
    [
        ("1. [act] Go", "- Status: almost"),
        ("1. [x] [act] Go", "- Status: blocked"),
        ("1. [act] Go", "Progress: 60%"),
        ("1. [act] Go | Progress: 1/5", "- Progress: 2/5"),
    ],
)
def test_a_second_status_or_one_that_says_nothing_is_lost_and_named(first: str, line: str) -> None:
    result = scan_plan(f"Goal: go\n## Steps\n{first}\n   {line}\n")
    assert [(found.severity, found.line) for found in result.diagnostics] == [(Severity.ERROR, 4)]
    assert first in serialize_plan(result.plan)


@pytest.mark.parametrize("behind", ["", "Bye!\n"])
def test_a_title_behind_the_last_step_is_the_plans(behind: str) -> None:
    result = scan_plan(f"Goal: go\n## Steps\n1. [act] Go\n\n# Plan: Trip\n{behind}")
    assert result.plan.title == "Trip"
    assert [found.code for found in result.diagnostics] == ["PS106", *(["PS101"] if behind else [])]


@pytest.mark.parametrize("text", ["# Trip\n", "# Plan: Trip\nGoal: stay\n", "# Plan: Trip\n## Steps\n1. [act] Stay\n"])
def test_another_heading_behind_the_last_step_is_not(text: str) -> None:
    result = scan_plan(f"Goal: go\n## Steps\n1. [act] Go\n\n{text}")
    assert (result.plan.title, result.plan.goal) == ("", "go")


# ---------------------------------------------------------------- what is escaped in a line that is repaired


@pytest.mark.parametrize("text", ["Run `cat x` \\→ y", "\\→ y", "a → b \\→ x, y", "a \\\\→ y", "a \\→ y | told"])
@pytest.mark.parametrize("start", ["1.", "1)", "1. [X]", "1. ✅"])
def test_an_arrow_behind_a_backslash_declares_nothing(start: str, text: str) -> None:
    [step] = scan_plan(f"Goal: g\n## Steps\n{start} [act] {text}\n").plan.steps
    [strict] = parse_plan(f"1. [act] {text}\n").steps
    assert (step.description, step.outputs, step.result) == (strict.description, [], strict.result)


# ---------------------------------------------------------------- lines that the grammar accepts


@pytest.mark.parametrize("text", ["Price\u00a0| tax", "a |\u00a0b", "`a`\u3000|\u3000b"])
def test_a_bar_with_other_white_space_around_it_is_text_where_the_grammar_takes_the_line(text: str) -> None:
    found = scan_plan(f"Sure!\n\nGoal: g\n## Steps\n1. [act] {text}\n")
    assert found.plan.steps == parse_plan(f"1. [act] {text}\n").steps


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("**a**", "the line has markup around it"),
        ("a | b\ufeff", "white space at the end of a text is not spaces or tabs"),
        ("a ｜ b", "`｜` is not the separator `|`"),
        ("a → `b`", "the line has markup around it"),
    ],
)
def test_a_repair_of_a_line_that_the_grammar_accepts_says_what_it_changes(text: str, message: str) -> None:
    found = scan_plan(f"Goal: g\n## Steps\n1. [act] {text}\n")
    assert [one.message for one in found.diagnostics] == [message]
