"""Plans taken out of answers: the ledger, what each repair risks, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import assume, example, given, strategies as st
from syrupy.assertion import SnapshotAssertion

from planspec_lark import (
    CODES,
    Limits,
    Severity,
    extract_plan,
    iter_steps,
    parse_plan,
    scan_plan,
    serialize_plan,
)
from planspec_lark.answers import Risk, Verdict
from planspec_lark.answers.quotes import undo_escapes
from planspec_lark.answers.risk import RISKS
from planspec_lark.planspec.answer_lines import is_suspect
from planspec_lark.planspec.hidden_parts import find_doubtful, find_gaps, find_placeholders
from planspec_lark.planspec.step_repair import is_foreign_type
from tests import strategies
from tests.cases import in_one_test
from tests.corpus import each, find

HEAD = "Goal: g\n## Steps\n"
ANSWER = """\
Here is the plan.

```
Goal：Open the bakery at six
Constraints:
* No noise before five
## Steps
1) [act] Order the gas -> gas
2. [ok!] [act] Light the oven → heat
3. Bake the bread → bread
```
Good luck!
"""


def text_of(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def test_the_ledger() -> None:
    found = extract_plan(ANSWER, max_risk="high")
    assert found.text == (
        "Goal: Open the bakery at six\nConstraints:\n- No noise before five\n## Steps\n"
        "1. [act] Order the gas → gas\n2. [act] Light the oven → heat\n"
    )
    assert serialize_plan(found.plan) == found.text
    assert [(one.line, one.code, one.was, one.became, one.risk.value) for one in found.repairs] == [
        (4, "PS104", "Goal：Open the bakery at six", "Goal: Open the bakery at six", "low"),
        (6, "PS118", "* No noise before five", "- No noise before five", "low"),
        (8, "PS110", "1) [act] Order the gas -> gas", "1. [act] Order the gas → gas", "medium"),
        (9, "PS111", "2. [ok!] [act] Light the oven → heat", "2. [ ] [act] Light the oven → heat", "high"),
        (10, "PS112", "3. Bake the bread → bread", "", "high"),
    ]
    assert [(one.line, one.end_line, one.code, one.was, one.risk.value) for one in found.left_out] == [
        (1, 1, "PS101", "Here is the plan.", "none"),
        (3, 3, "PS103", "```", "none"),
        (11, 11, "PS103", "```", "none"),
        (12, 12, "PS101", "Good luck!", "none"),
    ]
    assert found.span is not None
    assert (found.span.line, found.span.end_line) == (4, 9)
    assert (found.is_usable, found.risk, found.refused) == (True, Risk.HIGH, [])


@pytest.mark.parametrize(
    ("most", "refused"),
    [
        ("none", ["PS104", "PS118", "PS110", "PS111", "PS112"]),
        ("low", ["PS110", "PS111", "PS112"]),
        ("medium", ["PS111", "PS112"]),
        ("high", []),
    ],
)
def test_what_is_refused(most: str, refused: list[str]) -> None:
    found = extract_plan(ANSWER, max_risk=most)
    assert [one.code for one in found.refused] == refused
    assert all(one.diagnostic.severity is Severity.ERROR for one in found.refused)
    assert found.is_usable == (not refused)
    value = found.to_dict()
    assert (value["plan"] is None, value["text"] is None) == (bool(refused), bool(refused))
    json.dumps(value)


def test_by_default_what_is_likely_to_change_the_meaning_is_refused() -> None:
    assert extract_plan(ANSWER).max_risk is Risk.MEDIUM


@in_one_test
@pytest.mark.parametrize(
    ("text", "code", "risk"),
    [
        pytest.param(f"{HEAD}1. [act]a\n", "PS113", "none", id="white space"),
        pytest.param("Goal：g\n## Steps\n1. [act] a\n", "PS104", "low", id="a header"),
        pytest.param("## Steps\n1. [act] a\nGoal: g\n", "PS106", "low", id="another order"),
        pytest.param(f"{HEAD}1) [act] a\n", "PS110", "low", id="an id"),
        pytest.param(f"{HEAD}- [x] 1. [act] a\n", "PS110", "low", id="a box"),
        pytest.param(f"{HEAD}1. [X] [act] a\n", "PS111", "low", id="a capital mark"),
        pytest.param(f"{HEAD}1. [ ~ ] [act] a\n", "PS111", "low", id="a mark with spaces"),
        pytest.param(f"{HEAD}1. [] [act] a\n", "PS111", "low", id="an empty mark"),
        pytest.param(f"{HEAD}1. [?] [act] a\n", "PS111", "high", id="an unknown mark"),
        pytest.param(f"{HEAD}1) [?] [act] a\n", "PS110", "high", id="an unknown mark behind another fault"),
        pytest.param(f"{HEAD}1. (act) a\n", "PS112", "low", id="a type"),
        pytest.param(f"{HEAD}1. a\n", "PS112", "high", id="no type"),
        pytest.param(f"{HEAD}1. [done] [act] a\n", "PS111", "low", id="a status in words"),
        pytest.param(f"{HEAD}1. [soon] [act] a\n", "PS202", "high", id="a word that is taken for a type"),
        pytest.param(f"{HEAD}1. [act] a |\n", "PS114", "low", id="a separator"),
        pytest.param(f"{HEAD}1. [act] a | Progress: 1 of 3\n", "PS115", "low", id="progress in other signs"),
        pytest.param(f"{HEAD}1. [act] a | Progress: half\n", "PS115", "medium", id="progress in words"),
        pytest.param(f"{HEAD}1. [act] a | Progress: 1 | Progress: 2\n", "PS116", "medium", id="two of them"),
        pytest.param("Goal: g\nConstraints:\n* c\n## Steps\n1. [act] a\n", "PS118", "low", id="a bullet"),
        pytest.param(f"{HEAD}1. [act] a -> b\n", "PS305", "medium", id="an arrow"),
        pytest.param(f"{HEAD}1. [act] a\n> <- b\n", "PS305", "medium", id="another arrow"),
        pytest.param(f"{HEAD}1) [act] a -> b\n", "PS110", "medium", id="an arrow behind another fault"),
        pytest.param(f"{HEAD}1. [act] a\x07b\n", "PS102", "medium", id="a control character"),
        pytest.param(f"{HEAD}1. [?] [act] a\x07b\n", "PS102", "high", id="a control character and a mark"),
        pytest.param(f"{HEAD}1. [act] a\n## Steps\n2. [act] b\n", "PS105", "medium", id="a second header"),
        pytest.param(f"{HEAD}1. [act] a\n1. [act] b\n", "PS117", "high", id="an id twice"),
    ],
)
def test_what_each_repair_risks(text: str, code: str, risk: str) -> None:
    (entry, *_) = extract_plan(text).repairs
    assert (entry.code, entry.risk.value) == (code, risk)


@pytest.mark.parametrize(
    "text", ["To be continued in the next message", "未完待续", "下一条消息继续", "... (unchanged)"]
)
@pytest.mark.parametrize("lead", ["", "Here is the plan.\n```\n"], ids=["alone", "in a code block"])
def test_what_stands_for_other_steps_is_none_wherever_it_stands(lead: str, text: str) -> None:
    end = "```\n" if lead else "Good luck!\n"
    found = extract_plan(f"{lead}{HEAD}1. [act] Load the files\n2. [act] {text}\n{end}")
    assert [step.step_id for step in found.plan.steps] == ["1"]
    assert (found.verdict, [one.code for one in found.deciding]) == (Verdict.NEEDS_REVIEW, ["PS127"])


@pytest.mark.parametrize("write", [str, str.lower, str.upper])
@pytest.mark.parametrize(
    "answer",
    [
        "This plan is wrong:\n\n{}",
        "You wrote:\n\n{}",
        "I wrote:\n\n{}\nDo not use it.",
        "{}\nI forgot to add the tests.",
        "{}\nPart 1 of 2",
    ],
)
def test_a_remark_counts_in_any_letters(answer: str, write: Callable[[str], str]) -> None:
    found = extract_plan(write(answer).format(f"{HEAD}1. [act] Load the files\n"))
    assert found.risk is Risk.HIGH


def test_a_choice_between_plans_is_a_risk() -> None:
    two = f"{HEAD}1. [act] a\n\n# Plan: another\n{HEAD}1. [act] b\n"
    found = extract_plan(two)
    assert [(one.code, one.risk, one.line, one.end_line) for one in found.repairs] == [("PS130", Risk.HIGH, 1, 3)]
    assert found.verdict is Verdict.NEEDS_REVIEW
    found = extract_plan(two.replace("\n\n", "\n\nThe final version:\n\n"))
    assert next((one.code, one.risk, one.line, one.end_line) for one in found.left_out) == ("PS105", Risk.MEDIUM, 1, 5)
    assert found.verdict is Verdict.ACCEPTED


@pytest.mark.parametrize("text", ["", "I can not plan that.", "Goal: g\n", "```\n```\n"])
def test_without_steps_there_is_no_plan(text: str) -> None:
    found = extract_plan(text, max_risk="high")
    assert not found.is_usable
    assert found.to_dict()["plan"] is None


def test_a_plan_as_it_should_be_has_an_empty_ledger() -> None:
    found = extract_plan(f"{HEAD}1. [act] a\n", max_risk=Risk.NONE)
    assert (found.repairs, found.left_out, found.risk, found.is_usable) == ((), (), Risk.NONE, True)


def test_more_findings_than_are_listed_are_a_risk() -> None:
    text = HEAD + "".join(f"{number}) [act] a\n" for number in range(1, 12))
    assert extract_plan(text).is_usable
    found = extract_plan(text, limits=Limits(max_findings=10))
    assert [one.code for one in found.refused] == ["PS120"]


def test_limits() -> None:
    found = extract_plan(ANSWER, limits=Limits(max_bytes=10))
    assert [one.code for one in found.refused] == ["PS121"]
    assert not found.plan.steps


def test_there_are_four_risks() -> None:
    assert [(risk.value, risk.rank) for risk in Risk] == [("none", 0), ("low", 1), ("medium", 2), ("high", 3)]
    with pytest.raises(ValueError, match="'some' is not a valid Risk"):
        extract_plan(ANSWER, max_risk="some")


def test_a_word_that_is_taken_for_a_type_is_named_and_stays() -> None:
    found = extract_plan(f"{HEAD}1. [soon] [act] a\n2) [act] b\n")
    assert [(one.code, one.was, one.became) for one in found.repairs] == [
        ("PS202", "1. [soon] [act] a", "1. [soon] [act] a"),
        ("PS110", "2) [act] b", "2. [act] b"),
    ]
    assert [one.message for one in found.refused] == ["step 1: invalid type 'soon'"]
    assert extract_plan(f"{HEAD}1. [reson] a\n").repairs[0].became == "1. [reson] a"


@each("planspec/answers", ".md")
def test_fixtures(path: Path, snapshot: SnapshotAssertion) -> None:
    found = extract_plan(text_of(path), max_risk="high")
    rows = [
        f"{one.line}-{one.end_line} {one.code} {one.risk.value}: {one.was[:90]!r} => {one.became[:90]!r}"
        for one in (*found.repairs, *found.left_out)
    ]
    assert [found.is_usable, *rows] == snapshot


# ---------------------------------------------------------------- forms of lists in Markdown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # What is bold at the start of an item is its subject.
        (
            "Goal: go\n## Steps\n1. **Pack**: fold it\n2. __main__ runs\n",
            "1. [act] Pack: fold it\n2. [act] __main__ runs\n",
        ),
        ("Goal: go\n## Steps\n1. Pack **two** bags\n", "1. [act] Pack **two** bags\n"),
        ("Goal: go\n## Steps\n1. **Two** and **three**\n", "1. [act] **Two** and **three**\n"),
        ("Goal: go\n## Steps\n1. **Pack**ing\n", "1. [act] **Pack**ing\n"),
        ("Goal: go\n## Steps\n**Step 1: Pack it.** Two bags do.\n", "1. [act] Pack it. Two bags do.\n"),
        # In a plan's own form, marks inside a text are text.
        ("Goal: go\n## Steps\n1. [act] **Pack**: fold it\n", "1. [act] **Pack**: fold it\n"),
        (
            "# Go\n\n## Before\n- [ ] Pack\n- [x] Sweep\n\n## After\n- [ ] Rest\n",
            "1. [subtask] Before\n  1.1. [act] Pack\n  1.2. [x] [act] Sweep\n2. [subtask] After\n  2.1. [act] Rest\n",
        ),
    ],
)
def test_plain_lists_are_steps(text: str, expected: str) -> None:
    found = extract_plan(text, default_type="act")
    assert (found.verdict, found.text.partition("## Steps\n")[2]) == (Verdict.ACCEPTED, expected)


@pytest.mark.parametrize("heading", ["### Going by bus", "**Going by bus**", "#### 坐车去"])
@pytest.mark.parametrize("goal", ["Goal: go", "**Goal:** go", "目标：出发"])
def test_a_heading_right_above_the_goal_is_the_title(heading: str, goal: str) -> None:
    found = extract_plan(f"Sure.\n\n{heading}\n\n{goal}\n\n1. Pack\n2. Go\n", default_type="act")
    assert (found.verdict, found.plan.title) == (Verdict.ACCEPTED, heading.strip("#* "))
    assert extract_plan(f"{heading}\n\nA bus is slow.\n\n{goal}\n\n1. Pack\n", default_type="act").plan.title == ""


def test_a_heading_without_steps_beside_others_that_have_some_may_have_lost_them() -> None:
    text = "# Go\n\n## Phase 1: Pack\n1. Fold\n\n## Phase 2: The other bag\nAs for this one.\n"
    (fault,) = extract_plan(text, default_type="act").faults
    assert (fault.code, fault.line, fault.step_id) == ("PS127", 6, "2")
    assert extract_plan(text.replace("As for this one.", "1. Fold it"), default_type="act").verdict is Verdict.ACCEPTED
    # Where no heading has steps, each is one.
    assert extract_plan(text.replace("1. Fold", "Fold it."), default_type="act").verdict is Verdict.ACCEPTED


@pytest.mark.parametrize(
    "text",
    [
        # The last phase is called like notes, but its list is one of steps.
        "# Report\n\nGoal: It is written\n\n## Outline\n\n1. Outline it\n\n## References\n\n1. Write it\n2. Print it\n",
        "# Paint\n\nGoal: Painted\n\n1. Wash\n\n## Why not varnish\n\n2. Buy varnish\n3. Varnish\n",
    ],
)
def test_a_list_that_goes_on_is_no_note(text: str) -> None:
    found = extract_plan(text, default_type="act")
    assert found.verdict is not Verdict.ACCEPTED or sum(1 for _ in iter_steps(found.plan)) >= 3


@pytest.mark.parametrize(
    "heading", ["**反例**", "#### What not to do", "### Part 1 of 3", "### If it rains", "**Old one**"]
)
def test_a_heading_that_disowns_a_plan_is_not_its_title(heading: str) -> None:
    text = f"{heading}\nGoal: paint\n\n1. Buy paint\n2. Paint\n"
    assert extract_plan(text, default_type="act").plan.title == ""


def test_what_a_terminal_shows_of_thinking_is_no_answer() -> None:
    plan = f"{HEAD}1. [act] Go → a\n"
    found = extract_plan(f"Thinking...\nA draft: 1. [act] Run\n...done thinking.\n\n{plan}")
    assert (found.verdict, found.text) == (Verdict.ACCEPTED, plan)
    assert extract_plan(f"{HEAD}1. [act] Go\n  > ...done thinking. Then go.\n").plan.steps[0].detail != []
    # It counts only where the text begins with what a terminal shows before it.
    assert len(extract_plan(f"{HEAD}1. [act] Go\n...done thinking.\n2. [act] Rest\n").plan.steps) == 2


def test_a_bar_in_backticks_may_be_no_separator() -> None:
    plan = f"{HEAD}1. [act] Run `ls | sort`\n"
    assert [one.code for one in extract_plan(f"```\n{plan}```\n").faults] == ["PS321"]
    for other in ("1. [act] Run `ls \\| sort`\n", "1. [act] Run `ls` | in `sort`\n"):
        assert extract_plan(f"```\n{HEAD}{other}```\n").verdict is Verdict.ACCEPTED


# ---------------------------------------------------------------- any text


def test_every_code_of_a_repair_has_a_risk() -> None:
    seen = {
        found.code
        for folder in ("answers", "invalid")
        for path in find(f"planspec/{folder}", ".md")
        for found in scan_plan(text_of(path)).diagnostics
        if found.severity is Severity.WARNING
    }
    # What tells that an answer was cut off is found before it is read.
    # So are rules found only after it.
    assert seen | {"PS129", "PS203", "PS206"} == set(RISKS)
    assert set(RISKS) <= set(CODES)


@given(strategies.any_plan_text)
@example(f"{HEAD}1. [act] a | Progress: x | Progress: y | Progress: 1\n")
def test_nothing_that_is_repaired_goes_without_a_risk(text: str) -> None:
    found = extract_plan(text, max_risk=Risk.NONE)
    # Of these, another text is scanned.
    assume(not found.truncated and undo_escapes(text) is None)
    for entry in found.repairs:
        assert entry.code in RISKS or entry.risk is Risk.HIGH
    readings = [entry for entry in (*found.repairs, *found.left_out) if entry.code < "PS200" or entry.code > "PS300"]
    scanned = scan_plan(text).diagnostics
    of_texts = [
        *find_placeholders(found.plan),
        *(chain(find_doubtful(found.plan), find_gaps(found.plan)) if scanned else ()),
    ]
    assert len(readings) == len(scanned) + len(of_texts)
    assert parse_plan(found.text) == found.plan


@given(strategies.any_plan_text, st.sampled_from(Risk), st.sampled_from(Risk))
def test_a_higher_risk_refuses_less(text: str, one: Risk, other: Risk) -> None:
    less, more = sorted((one, other), key=lambda risk: risk.rank)
    assert len(extract_plan(text, max_risk=more).refused) <= len(extract_plan(text, max_risk=less).refused)
    assert extract_plan(text, max_risk=Risk.HIGH).refused == []


@given(strategies.canonical_plans)
def test_a_plan_that_needs_nothing_comes_out_as_it_is(text: str) -> None:
    found = extract_plan(text)
    # Of words and signs that stand for others, a reader of answers makes what they stand for.
    is_foreign = is_suspect(text) or any(is_foreign_type(step.step_type) for step in iter_steps(parse_plan(text)))
    if not is_foreign and not any(one.code in ("PS115", "PS202", "PS305") for one in found.repairs):
        assert (found.text, found.repairs, found.left_out) == (text, (), ())


@in_one_test
@pytest.mark.parametrize(
    "reason",
    [
        *("length", "LENGTH", "Length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_length", "maxTokens"),
        *("content_filter", "SAFETY", "incomplete", "Content-Filter", "timeout", "FinishReason.MAX_TOKENS"),
        *("model_context_window_exceeded", "insufficient_system_resource", "malformed_function_call"),
    ],
)
def test_a_limit_or_a_filter_means_that_the_answer_is_cut_off(reason: str) -> None:
    text = "Goal: g\n## Steps\n1. [act] a\n2. [act] b\n"
    found = extract_plan(text, finish_reason=reason)
    assert (found.verdict, found.truncated) == (Verdict.NEEDS_REVIEW, True)


@in_one_test
@pytest.mark.parametrize(
    "reason",
    [
        *("", "stop", "STOP", "end_turn", "stop_sequence", "eos", "tool_calls", "completed"),
        *("no_error", "no_limit", "unlimited", "FINISH_REASON_UNSPECIFIED"),
    ],
)
def test_an_end_of_its_own_means_that_an_answer_is_whole(reason: str) -> None:
    assert not extract_plan("Goal: g\n## Steps\n1. [act] a\n", finish_reason=reason).truncated
