"""Phases in plain Markdown: headings above steps, and what stands below them besides the steps."""

# ruff: noqa: E501  (a text is easier to read in one line)
from __future__ import annotations

import re

import pytest

from planspec_lark import extract_plan, serialize_plan
from planspec_lark.answers import Verdict
from tests.cases import in_one_test

HEADED = "### Phase 1: Prepare\n1. Sand the doors\n2. Prime the doors\n\n### Phase 2: Paint\n1. Paint the doors\n2. Hang the doors\n\n"
BOLD = re.sub("### (.*)", r"**\1**", HEADED)


def read(text: str) -> tuple[str, bool]:
    """The steps of a plan, and whether it is accepted."""
    found = extract_plan(text, default_type="act")
    return serialize_plan(found.plan).rpartition("## Steps\n")[2], found.verdict is Verdict.ACCEPTED


def test_what_is_in_parentheses_behind_a_bold_phase_belongs_to_its_name() -> None:
    steps, is_accepted = read(f"{BOLD}**Phase 3: Lamp** (2 days)\n1. Hang the lamp\n")
    assert is_accepted
    assert steps.endswith("  2.2. [act] Hang the doors\n3. [subtask] Lamp (2 days)\n  3.1. [act] Hang the lamp\n")


@pytest.mark.parametrize("behind", [" – 2 days", ": 2 days", " ✅", " by Friday"])
def test_a_phase_that_is_no_heading_as_others_are_is_held_back(behind: str) -> None:
    assert not read(f"{BOLD}**Phase 3: Lamp**{behind}\n1. Hang the lamp\n2. Light the lamp\n")[1]


@pytest.mark.parametrize("behind", [" – 2 days", ": 2 days", " by Friday"])
def test_above_bullets_it_is_one(behind: str) -> None:
    bullets = re.sub("[0-9][.]", "-", BOLD)
    steps, is_accepted = read(f"{bullets}**Phase 3: Lamp**{behind}\n- Hang the lamp\n- Light the lamp\n")
    assert is_accepted
    assert steps.endswith(f"3. [subtask] Lamp{behind}\n  3.1. [act] Hang the lamp\n  3.2. [act] Light the lamp\n")
    assert not read(f"{bullets}**Phase 3: Lamp** ✅\n- Hang the lamp\n- Light the lamp\n")[1]


def test_a_mark_of_a_phase_in_a_line_of_its_own_must_agree_with_its_steps() -> None:
    text = re.sub("[*]{2}$", "** ✅", BOLD, flags=re.MULTILINE)
    assert not read(text)[1]
    steps, is_accepted = read(re.sub("^([0-9][.])", r"\1 [x]", text, flags=re.MULTILINE))
    assert is_accepted
    assert steps.startswith("1. [x] [subtask] Prepare\n  1.1. [x] [act] Sand the doors\n")


@in_one_test
@pytest.mark.parametrize(
    "said", ["optional", "Future", "if time permits", "stretch goal", "tentative", "the owners said no", "可选"]
)
@pytest.mark.parametrize("name", ["**Phase 3: Lamp** ({})", "**Phase 3: Lamp ({})**", "**Phase 3: Lamp** *({})*"])
def test_a_phase_that_may_not_be_done_is_held_back(name: str, said: str) -> None:
    assert not read(f"{BOLD}{name.format(said)}\n1. Hang the lamp\n")[1]


PHASES = "### Phase 1: Prepare\n{0} Sand the doors\n{0} Prime the doors\n{1}\n\n### Phase 2: Paint\n{0} Paint the doors\n{0} Hang the doors\n"


@pytest.mark.parametrize("line", ["- **Status:** {}", "- Status: {}", "\n- **Status:** {}"])
def test_a_status_in_the_list_of_a_phase_is_that_of_the_phase(line: str) -> None:
    steps, is_accepted = read(PHASES.format("- [ ]", line.format("in_progress")))
    assert is_accepted
    assert steps.startswith("1. [>] [subtask] Prepare\n  1.1. [act] Sand the doors\n  1.2. [act] Prime the doors\n")
    steps, is_accepted = read(PHASES.format("-", line.format("blocked")))
    assert is_accepted
    assert steps.startswith("1. [!] [subtask] Prepare\n  1.1. [act] Sand the doors\n  1.2. [act] Prime the doors\n")
    steps, is_accepted = read(PHASES.format("- [x]", line.format("complete")) + "- **Status:** complete\n")
    assert is_accepted
    assert steps.startswith("1. [x] [subtask] Prepare\n  1.1. [x] [act] Sand the doors\n")
    assert "2. [x] [subtask] Paint\n" in steps


def test_a_status_that_is_further_in_is_that_of_the_step() -> None:
    steps, is_accepted = read(PHASES.format("-", "  - **Status:** complete"))
    assert is_accepted
    assert steps.startswith("1. [subtask] Prepare\n  1.1. [act] Sand the doors\n  1.2. [x] [act] Prime the doors\n")


@in_one_test
@pytest.mark.parametrize(
    ("bullet", "said"),
    [
        ("-", "complete"),
        ("- [ ]", "complete"),
        ("- [ ]", "skipped"),
        ("- [x]", "pending"),
        ("- [x]", "in progress"),
        ("- [x]", "blocked"),
        ("1.", "complete"),
    ],
)
@pytest.mark.parametrize("line", ["- **Status:** {}", "\n- **Status:** {}"])
def test_a_phase_whose_status_its_steps_deny_is_held_back(line: str, bullet: str, said: str) -> None:
    assert not read(PHASES.format(bullet, line.format(said)))[1]
    head, _, steps = PHASES.format(bullet, "").partition("\n")
    assert not read(f"{head}\n{line.format(said)}\n{steps}")[1]
    assert not read(f"{head}\n\n**Status:** {said}\n\n{steps}")[1]


@in_one_test
@pytest.mark.parametrize(
    ("bullet", "line"),
    [
        ("-", "- **Output:** smooth_doors"),
        ("1.", "- **Output:** smooth_doors"),
        ("-", "- **Depends on:** Phase 1"),
        ("-", "**Status:** complete"),
        ("1.", "- **Status:** in progress"),
    ],
)
def test_what_may_be_said_of_a_phase_or_of_its_last_step_is_held_back(bullet: str, line: str) -> None:
    assert not read(PHASES.format(bullet, line))[1]
    nested = PHASES.format(bullet, line).partition("\n\n")[0].replace("\n", "\n   ").replace("### Phase 1:", "1.")
    assert bullet == "-" or not read(f"Here is the plan:\n\n{nested}\n2. Hang the doors\n")[1]


@pytest.mark.parametrize(
    "label", ["**Goal:** Get the colour.", "Goal: Get the colour.", "**Constraints:** no red", "**目标：** 上好颜色"]
)
@pytest.mark.parametrize("between", ["\n", "\n\n"])
def test_a_goal_below_a_phase_is_detail_of_that_phase(between: str, label: str) -> None:
    text = f"# Shelf\n\n{HEADED}### Phase 3: Lamp{between}{label}\n\n1. Hang the lamp\n"
    found = extract_plan(text, default_type="act")
    assert (found.verdict, found.plan.goal, found.plan.constraints) == (Verdict.ACCEPTED, "", [])
    assert found.plan.steps[2].detail == [label]
    assert [len(step.children) for step in found.plan.steps] == [2, 2, 1]


def test_each_phase_may_have_a_goal_besides_that_of_the_plan() -> None:
    phases = BOLD.replace("**\n", "**\n**Goal:** Smooth doors\n")
    found = extract_plan(f"# Shelf\n\n**Goal:** A shelf\n\n{phases}", default_type="act")
    assert (found.verdict, found.plan.goal) == (Verdict.ACCEPTED, "A shelf")
    assert [step.detail for step in found.plan.steps] == [["**Goal:** Smooth doors"]] * 2


@pytest.mark.parametrize("label", ["**Goal:** A lamp", "**Constraints:**\n- No red", "#### Goal\nA lamp"])
def test_a_goal_below_the_steps_of_a_phase_is_held_back(label: str) -> None:
    found = extract_plan(HEADED + label, default_type="act")
    assert (found.plan.goal, found.plan.constraints) == ("", [])
    assert [one.line for one in found.faults if one.code == "PS106"] == [9]


@in_one_test
@pytest.mark.parametrize(
    "label",
    [
        *(
            "Acceptance",
            "Acceptance criteria",
            "Success criteria",
            "Definition of done",
            "**Deliverables**",
            "Key files",
        ),
        *(
            "Risk",
            "Notes",
            "Expected result",
            "Depends on",
            "Priority",
            "Assignee",
            "Blocked by",
            "Estimated time",
            "Why",
        ),
        *("Test", "Verification", "Requirements"),
        *("验收标准", "交付物", "依赖", "风险", "备注", "负责人", "优先级", "预计时间", "前置条件", "验证"),
    ],
)
def test_a_label_among_the_steps_of_a_phase_may_be_no_step(label: str) -> None:
    assert not read(PHASES.format("-", f"- {label}: smooth"))[1]
    assert not read(PHASES.format("1.", f"2. {label}: smooth").replace("1. Prime the doors\n", ""))[1]
    assert not read(PHASES.format("- [ ]", f"- [ ] {label}:\n  - smooth"))[1]


@in_one_test
@pytest.mark.parametrize(
    "label", ["**Deliverables:**", "**Deliverables**", "Key files:", "**Tests:**", "**验收标准：**"]
)
@pytest.mark.parametrize("between", ["", "\n**Tasks:**\n"])
def test_a_list_below_such_a_label_of_a_phase_is_held_back(between: str, label: str) -> None:
    for bullet in ("-", "1.", "- [ ]"):
        name = "### Phase 1: Prepare\n"
        text = PHASES.format(bullet, "").replace(name, f"{name}{label}\n{bullet} Smooth doors\n{between}")
        assert not read(text)[1]
        assert read(text.replace(f"{label}\n", "In short:\n"))[1]


def test_steps_that_all_have_labels_are_steps() -> None:
    steps, is_accepted = read(
        re.sub("^(. )(.+)(?= )", r"\1**\2:**", PHASES.format("-", "- Test it"), flags=re.MULTILINE)
    )
    assert steps.startswith("1. [subtask] Prepare\n  1.1. [act] Sand the: doors\n")
    assert "  1.3. [act] Test: it\n" in steps
    assert is_accepted


@in_one_test
@pytest.mark.parametrize(
    "heading",
    [
        *(
            "Blockers",
            "Metrics",
            "Decisions Made",
            "Lessons Learned",
            "Dependencies",
            "Key Deliverables",
            "Future Work",
        ),
        *("Errors Encountered", "Follow-ups", "参考资料", "交付物", "后续优化", "Known Issues", "Milestones"),
    ],
)
def test_a_list_with_boxes_below_a_heading_of_no_steps_is_held_back(heading: str) -> None:
    text = PHASES.format("- [ ]", "") + "\n### {}\n- [ ] Buy the paint\n"
    assert not read(text.format(heading))[1]
    assert read(text.format("Clean up"))[1]
    assert read(text.format(f"Phase 3: {heading}"))[1]


@in_one_test
@pytest.mark.parametrize("heading", [r"### \1", r"**\1**", r"\1"])
@pytest.mark.parametrize(
    "name",
    [
        *("Phase 1A: Prepare", "Phase 1+2: Prepare", "Phase 1-2: Prepare", "Phase 1 & 2: Prepare", "Phase 1 and 2"),
        *("Phase 1b - Prepare", "Phase 1 acceptance", "Phase 1 Acceptance Criteria", "阶段1A：准备", "第一阶段验收"),
    ],
)
def test_a_phase_with_another_number_than_it_seems_is_held_back(name: str, heading: str) -> None:
    text = PHASES.format("1.", "").replace("Phase 1: Prepare", name)
    assert not read(re.sub("### (.*)", heading, text))[1]
    for right in ("Phase 1: Prepare", "Phase 1 – Prepare", "Phase 1 Prepare", "第一阶段准备"):
        assert read(PHASES.format("1.", "").replace("### Phase 1: Prepare", f"### {right}"))[1]


@pytest.mark.parametrize("language", ["", "text"])
@pytest.mark.parametrize("bullet", ["1.", "-", "- [ ]"])
def test_a_list_in_a_code_block_right_below_a_phase_is_held_back(bullet: str, language: str) -> None:
    text = re.sub("((?:\n[-1].*)+)", rf"\n```{language}\1\n```", PHASES.format(bullet, ""))
    assert not read(text)[1]
    assert not read(text.replace("\n```\n", "\n\n```\n"))[1]
    assert read(re.sub(r"\n[-1](?:\.| \[ \])?", "\n$", text))[1]


@in_one_test
@pytest.mark.parametrize(
    "heading",
    ["Phases", "Implementation Phases", "Implementation Plan", "Roadmap", "Implementation Steps", "阶段", "Plan"],
)
@pytest.mark.parametrize("lead", ["# Doors", "# Doors\n\nGoal: New doors"])
def test_a_heading_that_only_groups_phases_is_that_of_the_steps(lead: str, heading: str) -> None:
    bare, is_accepted = read(HEADED)
    assert is_accepted
    assert read(f"{lead}\n\n## {heading}\n\n{HEADED}") == (bare, True)


def test_a_heading_of_phases_above_other_headings_is_none_of_steps() -> None:
    assert not read("# Doors\n\n## Phases\n\n### Colours\n- Red\n- Blue\n\n### Woods\n- Oak\n- Ash\n")[1]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("- [-] 2. Paint the doors", "`-` is not a status mark"),
        ("- [/] Paint the doors", "`[/]` is not a status mark"),
        ("🟡 2. Paint the doors", "`🟡` is not a status mark"),
    ],
)
def test_an_unknown_mark_is_named_with_those_that_are_known(line: str, said: str) -> None:
    (fault,) = extract_plan(f"Goal: Doors\n## Steps\n- [x] 1. Sand the doors\n{line}\n", default_type="act").faults
    assert (fault.code, fault.message, fault.line) == ("PS111", f"{said} (risk: high)", 4)
    assert fault.help.startswith("the marks are `[ ]` pending, `[x]` done")


@pytest.mark.parametrize("heading", ["Phase 3: Lamp ✅", "Phase 3: Lamp (optional)"])
def test_of_a_heading_that_says_more_is_told_what_to_do(heading: str) -> None:
    found = extract_plan(f"{HEADED}### {heading}\n1. [x] Hang the lamp\n", default_type="act")
    (fault,) = found.faults
    assert (fault.code, fault.line) == ("PS110", 9)
    assert fault.help.startswith("what a heading says of its steps is not read")


@pytest.mark.parametrize("said", ["...", "same as above"])
def test_a_goal_of_a_phase_that_is_left_out_is_held_back(said: str) -> None:
    text = f"{HEADED}### Phase 3: Lamp\n**Goal:** {{}}\n1. Hang the lamp\n"
    assert read(text.format("Light"))[1]
    assert not read(text.format(said))[1]


ROOF = (
    "# House\n\n### Phase 1: Roof\n{}\n- Drill into the beam\n- Use old screws\n\n### Phase 2: Bell\n- Fit the bell\n"
)


@pytest.mark.parametrize(
    "label",
    [
        "Do not:",
        "Never:",
        "Do not follow these steps:",
        "We decided against these:",
        "If it rains:",
        "You will need:",
        "This will:",
        "**Current state**:",
        "不要：",
        "原则：",
    ],
)
def test_a_list_below_a_label_that_leads_to_no_steps_is_held_back(label: str) -> None:
    assert not read(ROOF.format(label))[1]
    assert not read(f"### Step 1: Run the boiler test\n{label}\n- Heat the water\n- Open the valve\n")[1]


@pytest.mark.parametrize(
    "label", ["Tasks:", "**Actions:**", "Steps", "What to do:", "Do the following:", "步骤：", "任务："]
)
def test_a_list_below_a_label_that_leads_to_steps_is_taken(label: str) -> None:
    steps, is_accepted = read(ROOF.format(label))
    assert is_accepted
    assert "  1.2. [act] Use old screws\n2. [subtask] Bell\n" in steps


@pytest.mark.parametrize(
    "headings",
    [
        ("Goal", "Steps"),
        ("Background", "Plan"),
        ("Current State", "Steps"),
        ("Ziel", "Schritte"),
        ("目标", "步骤"),
        ("概述", "步骤"),
        ("现状", "做法"),
    ],
)
def test_a_heading_with_a_number_may_be_a_part_of_the_text(headings: tuple[str, str]) -> None:
    first, second = headings
    assert not read(f"# House\n\n## 1. {first}\n- A fine door\n\n## 2. {second}\n- Paint the door\n")[1]
    assert not read(f"## 1. {first}\n- Paint the door\n- Oil the hinge\n")[1]
    assert read(f"# House\n\n## Phase 1: {first}\n- Draw the door\n\n## Phase 2: Work\n- Paint the door\n")[1]
    assert read(f"# House\n\n## 1. [subtask] {first}\n- Draw the door\n\n## 2. [subtask] Work\n- Paint the door\n")[1]


def test_a_heading_of_what_was_done_is_held_back() -> None:
    assert not read("### 1. Fixed the bell\n- The bell rings\n- The door opens\n")[1]
    assert not read("### 1. Added a gutter\n\nI've added a gutter that:\n- Carries the water off\n")[1]


def test_a_step_with_a_box_may_have_a_label() -> None:
    assert read("## Phase 1 — Roof\n- [x] Fix the tiles\n- [ ] Test: pour water on it\n")[1]
    assert not read("## Phase 1 — Roof\n- Fix the tiles\n- Test: pour water on it\n")[1]
