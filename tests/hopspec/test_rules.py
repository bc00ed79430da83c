"""The rules of HopSpec documents: each finds its fault, and nothing where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec_lark import parse_plan
from planspec_lark.hopspec import (
    HopSpec,
    StepInfo,
    check_hopspec,
    fix_hopspec,
    plan_to_hopspec,
    scan_hopspec,
    serialize_hopspec,
)
from planspec_lark.syntax import CODES, Diagnostic, Limits
from tests.cases import in_one_test

SECTIONS = """\
## Task Overview
Count the birds
## Input Definition
- `log`: what was seen
## Hard Constraints
- none
## Output Format
a number
## Input Log Example
none
## Execution Flow
"""
EXIT = "#### Step9: end\n- Type: flow\n- Action: exit\n- Output: log\n"
CODE = "- Type: code\n- Logic: count\n- Input: log\n- Output: log\n"
LLM = "- Type: LLM\n- Task: count\n- Input: log\n- Output: log\n- Verification: none\n"


def check(steps: str, end: str = EXIT, head: str = "") -> list[Diagnostic]:
    found = check_hopspec(f"{head}{SECTIONS}{steps}{end}")
    assert all(one.code.startswith("HS2") for one in found), found
    # The last step's number is far from the others'.
    return [one for one in found if one.step_id != "9" or one.code != "HS218"]


def codes(steps: str, end: str = EXIT, head: str = "") -> list[str]:
    return [one.code for one in check(steps, end, head)]


BRANCH = "- Type: branch\n- Condition: log\n"
LOOP = "- Type: loop\n- Iterate collection: log\n- Element variable: bird\n"
WHILE = "- Type: loop\n- Condition: log\n"
THINK = "- Type: subtask\n- Expansion: think\n- Task: t\n- Output: log\n"
CHILD = "#### Step1.1: child\n" + CODE
TAKES = "#### Step1.1: child\n" + CODE.replace("Input: log", "Input: bird")


@pytest.mark.parametrize(
    "steps",
    [
        f"#### Step1: a\n{CODE}",
        f"#### Step1: a (LLM)\n{LLM}",
        f"#### Step1: a\n{BRANCH}{CHILD}",
        f"#### Step1: a (loop)\n{LOOP}{TAKES}",
        f"#### Step1: a\n{WHILE}{CHILD}",
        f"#### Step1: a (loop)\n{LOOP}{TAKES}#### Step1.2: b\n- Type: flow\n- Action: break\n- Target loop: a\n",
        "#### Step1: a\n- Type: subtask\n- Expansion: dynamic\n- Task: t\n- Output: log\n- Max steps: 3\n",
        "#### Step1: a\n- Type: subtask\n- Expansion: think\n- Task: t\n- Output: log\n- Max iterations: 3\n",
        f"#### Step1: a\n- Type: subtask\n- Expansion: static\n- Output: log\n{CHILD}",
        f"#### Step1: a\n{CODE.replace('Input: log', 'Input: (none)')}",
    ],
)
def test_what_is_right_is_found_right(steps: str) -> None:
    assert codes(steps) == []


@in_one_test
@pytest.mark.parametrize(
    ("code", "steps"),
    [
        ("HS204", "#### Step1: a\n- Type: llm\n- Task: t\n- Input: log\n- Output: log\n"),
        ("HS204", "#### Step1: a (loop)\n- Output: log\n"),
        ("HS205", f"#### Step1: a\n{CODE.replace('- Input: log', '')}"),
        ("HS205", f"#### Step1: a\n{CODE.replace('- Output: log', '')}"),
        ("HS205", "#### Step1: a\n- Type: call\n- Call target: tool\n- Task: t\n- Input: log\n- Output: log\n"),
        ("HS205", f"#### Step1: a\n- Type: loop\n- Output: log\n{CHILD}"),
        ("HS205", f"#### Step1: a (loop)\n- Type: loop\n- Iterate collection: log\n{CHILD}"),
        ("HS205", f"#### Step1: a\n{LOOP}{TAKES}#### Step1.2: b\n- Type: flow\n- Action: break\n"),
        ("HS206", f"#### Step1: a\n{CODE}- Verification: none\n"),
        (
            "HS206",
            "#### Step1: a\n- Type: subtask\n- Expansion: think\n- Task: t\n- Output: log\n- Solidified path: p\n",
        ),
        ("HS207", "#### Step1: a\n- Type: call\n- Call target: tol\n- Task: t\n- Input: log\n- Output: log\n"),
        ("HS207", f"#### Step1: a\n{WHILE}- Max iterations: 0\n{CHILD}"),
        (
            "HS207",
            "#### Step1: a\n- Type: subtask\n- Expansion: think\n- Task: t\n- Output: log\n- Constraints: LLM, cod\n",
        ),
        ("HS208", f"#### Step1: a\n{CODE}{CHILD}"),
        ("HS209", f"#### Step1: a\n{BRANCH}"),
        ("HS210", f"#### Step1: a\n{THINK}{CHILD}"),
        ("HS211", "#### Step1: a\n- Type: flow\n- Action: continue\n- Target loop: b\n"),
        ("HS212", f"#### Step1: a\n{LOOP}{TAKES}#### Step1.2: b\n- Type: flow\n- Action: break\n- Target loop: c\n"),
        ("HS213", f"#### Step1: a\n{LOOP}- Condition: log\n{TAKES}"),
        ("HS215", f"#### Step1\n{CODE}"),
        ("HS216", f"#### Step1: a\n{CODE}#### Step2: a\n{CODE}"),
        ("HS217", f"#### Step1: CountBirds\n{CODE}"),
        ("HS217", f"#### Step1: a\n{CODE.replace('Output: log', 'Output: log, Birds').replace('count', 'x')}"),
        ("HS218", f"#### Step2: a\n{CODE}"),
        ("HS219", f"#### Step1: a\n{CODE}#### Step3.1: b\n{CODE}"),
        ("HS220", f"#### Step1: a\n{CODE.replace('Input: log', 'Input: b')}#### Step2: b\n{CODE[:-1]}, b\n"),
        ("HS221", f"#### Step1: a\n{CODE.replace('Input: log', 'Input: b')}"),
        ("HS221", f"#### Step1: a\n{LOOP.replace('log', 'nests')}{TAKES}"),
        ("HS223", f"#### Step1: a (loop)\n{CODE}"),
        ("HS224", f"#### Step1: a\n{LLM.replace('- Verification: none', '')}"),
    ],
)
def test_each_fault_is_found(code: str, steps: str) -> None:
    assert {*codes(steps)} == {code}


def test_what_a_flow_step_gives_back_has_to_be_there() -> None:
    gives = EXIT.replace("Output: log", "Output: nests")
    assert codes(f"#### Step1: a\n{CODE}", gives) == ["HS221"]


def test_a_document_needs_its_sections_and_its_end() -> None:
    assert codes(f"#### Step1: a\n{CODE}", "") == ["HS203"]
    found = check_hopspec("## Execution Flow\n")
    assert [one.code for one in found] == ["HS202"] * 5 + ["HS201"]


def test_jit_documents_may_leave_names_out_and_need_limits() -> None:
    assert codes(f"#### Step1\n{CODE}", head="Mode: JIT\n") == []
    assert codes(f"#### Step1: a\n{WHILE}{CHILD}", head="Mode: JIT\n") == ["HS214"]
    assert codes(f"#### Step1: a\n{WHILE}- Max iterations: 3\n{CHILD}", head="Mode: JIT\n") == []


def nested(depth: int, limit: str = "") -> str:
    ids = [".".join(["1"] * n) for n in range(1, depth + 1)]
    subtask = "- Type: subtask\n- Expansion: static\n"
    rows = [f"#### Step{one}: s{one.count('.')}\n{subtask}{limit if one == '1' else ''}" for one in ids]
    return "".join(rows) + f"#### Step{ids[-1]}.1: leaf\n{CODE}"


def test_subtasks_stand_in_each_other_as_far_as_they_allow() -> None:
    assert codes(nested(3)) == []
    assert codes(nested(4)) == ["HS226"]
    assert codes(nested(5, "- Max depth: 5\n")) == []
    assert codes(nested(2, "- Max depth: 1\n")) == ["HS226"]


def test_the_declared_inputs_are_known_however_they_are_written() -> None:
    for row in ("- `log`: x", "- log: x", "* **log**：x", "  - log"):
        text = SECTIONS.replace("- `log`: what was seen", row)
        found = check_hopspec(f"{text}#### Step1: a\n{CODE}{EXIT}")
        assert "HS221" not in {one.code for one in found}


@pytest.mark.parametrize(
    ("before", "after"),
    [("- Type: llm", "- Type: LLM"), ("- Type: reason", "- Type: LLM"), ("- Action: exits", "- Action: exit")],
)
def test_a_value_that_is_almost_right_has_a_fix(before: str, after: str) -> None:
    text = f"{SECTIONS}#### Step1: a\n{LLM}{EXIT}".replace(after, before)
    fixed = fix_hopspec(text, unsafe=True)
    assert after in fixed.text
    assert before not in fixed.text


def test_a_target_loop_is_corrected_where_only_one_loop_can_be_meant() -> None:
    outer = f"#### Step1: flock\n{LOOP}{TAKES}"
    inner = f"#### Step1.2: nest\n{LOOP.replace('bird', 'egg')}{TAKES.replace('1.1', '1.2.1').replace('bird', 'egg')}"
    leave = "- Type: flow\n- Action: break\n- Target loop: flok\n"
    one = fix_hopspec(f"{SECTIONS}{outer}#### Step1.2: leave\n{leave}{EXIT}", unsafe=True)
    assert "- Target loop: flock\n" in one.text
    two = fix_hopspec(f"{SECTIONS}{outer}{inner}#### Step1.2.2: leave\n{leave}{EXIT}", unsafe=True)
    assert "- Target loop: flok\n" in two.text


@pytest.mark.parametrize(
    ("written", "name", "is_safe"),
    [("LookAtPiers", "LookAtPiers", True), ("look@piers", "look_piers", False), ("Look at it!", "look_at_it", False)],
)
def test_a_heading_is_corrected_to_a_valid_name(written: str, name: str, is_safe: bool) -> None:
    text = f"{SECTIONS}### Step 1: {written}\n{CODE}{EXIT}"
    for unsafe in {False, not is_safe}:
        is_fixed = f"\n#### Step1: {name}\n" in fix_hopspec(text, unsafe=unsafe).text
        assert is_fixed is (is_safe or unsafe)


def test_a_document_that_was_built_says_that_it_needs_nothing() -> None:
    step = StepInfo("1", "a", "code", description="count", outputs=["n"])
    end = StepInfo("2", "end", "flow", action="exit", outputs=["n"])
    document = HopSpec(overview="o", input_definition="i", constraints="c", output_format="f", input_example="e")
    document.steps = [step, end]
    assert check_hopspec(serialize_hopspec(document)) == []


def test_rules_look_at_what_could_be_read() -> None:
    found = check_hopspec(f"{SECTIONS}#### Step1: a\n{CODE}- Priority: 1\n")
    assert [(one.code, one.is_provisional) for one in found] == [("HS203", True), ("HS110", False)]


def test_limits() -> None:
    text = f"{SECTIONS}#### Step1: a\n{BRANCH}{CHILD}{EXIT}"
    assert [one.code for one in check_hopspec(text, limits=Limits(max_bytes=10))] == ["PS121"]
    assert [one.code for one in check_hopspec(text, limits=Limits(max_steps=2))] == ["PS122"]
    assert [one.code for one in check_hopspec(text, limits=Limits(max_depth=1))] == ["PS123"]
    many = "## Execution Flow\n" + "\n\n".join(f"- Priority{n}: 1" for n in range(5))
    assert check_hopspec(many, limits=Limits(max_findings=2))[-1].code == "PS120"


def test_of_a_document_made_of_a_plan_sections_and_what_it_gives_back_are_missing() -> None:
    plan = parse_plan("Goal: go\n## Steps\n1. count [act] Count → n\n2. [subtask] Tell (hop: think) → story\n  > ← n\n")
    document, losses = plan_to_hopspec(plan)
    assert losses == []
    assert {one.code for one in check_hopspec(serialize_hopspec(document))} == {"HS202", "HS205"}
    assert document.steps[1].task == "Tell"


def test_all_codes_of_the_rules_are_tried_here() -> None:
    here = Path(__file__).read_text(encoding="utf-8")
    assert all(code in here for code in CODES if code.startswith("HS2"))


@pytest.mark.parametrize(
    ("said", "fix", "is_safe"),
    [
        ("", "", True),
        ("markdown", "", True),
        ("my notes", "", False),
        ("模式：JIT", "", False),
    ],
)
def test_a_fence_around_the_document(said: str, fix: str, is_safe: bool) -> None:
    text = f"```{said}\n{SECTIONS}{EXIT}```\n"
    found = [one.fix for one in check_hopspec(text) if one.code == "HS114"]
    assert [(one.text, one.is_safe) for one in found if one] == [(fix, is_safe), ("", is_safe)]
    fixed = fix_hopspec(text).text
    assert ("```" not in fixed) is is_safe
    assert fixed.startswith(fix)
    assert is_safe or fixed == text


@pytest.mark.parametrize(("behind", "is_safe"), [("Shall I go on?\n", False), ("\n", True)])
def test_a_fix_takes_nothing_into_a_document_that_is_behind_its_code_fence(behind: str, is_safe: bool) -> None:
    text = f"```markdown\n## Task Overview\n\nCount the birds\n\n## Input Log Example\n\n3 herons\n```\n{behind}"
    document = scan_hopspec(text).document
    fixed = fix_hopspec(text)
    assert scan_hopspec(fixed.text).document == document
    assert ("```" not in fixed.text) is is_safe
    unsafe = fix_hopspec(text, unsafe=True)
    assert "```" not in unsafe.text
    assert scan_hopspec(unsafe.text).document == document
