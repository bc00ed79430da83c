"""Plans taken out of answers: what is told of them, and what the arguments do."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st
from syrupy.assertion import SnapshotAssertion

from planspec_lark import extract_plan, serialize_plan
from planspec_lark.answers import Risk, Verdict
from planspec_lark.planspec.dialect import DIALECT
from planspec_lark.syntax import CODES, Limits
from tests import strategies
from tests.cases import in_one_test
from tests.corpus import find

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


def test_the_ledger() -> None:
    found = extract_plan(ANSWER)
    assert found.text == (
        "Goal: Open the bakery at six\nConstraints:\n- No noise before five\n## Steps\n"
        "1. [act] Order the gas → gas\n2. [act] Light the oven → heat\n"
    )
    assert serialize_plan(found.plan) == found.text
    assert [(one.line, one.code, one.was, one.became, one.risk.value) for one in found.repairs] == [
        (4, "PS104", "Goal：Open the bakery at six", "Goal: Open the bakery at six", "low"),
        (6, "PS118", "* No noise before five", "- No noise before five", "low"),
        (8, "PS110", "1) [act] Order the gas -> gas", "1. [act] Order the gas → gas", "low"),
        (8, "PS305", "1) [act] Order the gas -> gas", "1. [act] Order the gas → gas", "medium"),
    ]
    assert [(one.line, one.code) for one in found.holds] == [(9, "PS111"), (10, "PS112")]
    assert [(one.text, one.span.line) for one in found.remarks] == [("Here is the plan.", 1), ("Good luck!", 12)]
    assert found.span is not None
    assert (found.span.line, found.span.end_line) == (4, 9)
    assert (found.verdict, found.risk, found.deciding) == (Verdict.NEEDS_REVIEW, Risk.MEDIUM, found.holds[0])


@pytest.mark.parametrize("text", [ANSWER, f"{HEAD}1. [act] a\n", "I can not plan that."])
def test_as_a_value_it_has_a_plan_only_where_that_is_accepted(text: str) -> None:
    found = extract_plan(text)
    value = json.loads(json.dumps(found.to_dict()))
    assert (value["plan"] is not None, value["text"] is not None) == (found.is_usable, found.is_usable)
    assert value["verdict"] == found.verdict.value


def test_a_plan_as_it_should_be_needs_nothing() -> None:
    found = extract_plan(f"{HEAD}1. [act] a\n", max_risk=Risk.NONE)
    assert (found.repairs, found.remarks, found.holds, found.risk) == ((), (), (), Risk.NONE)


@given(strategies.any_plan_text, st.sampled_from(Risk), st.sampled_from(Risk))
def test_a_higher_risk_holds_less(text: str, one: Risk, other: Risk) -> None:
    less, more = sorted((one, other), key=lambda risk: risk.rank)
    assert len(extract_plan(text, max_risk=more).holds) <= len(extract_plan(text, max_risk=less).holds)


@in_one_test
@pytest.mark.parametrize(
    "options",
    [
        {"max_risk": "some"},
        {"choose": "second"},
        {"default_type": "tool"},
        {"remarks": "hide"},
        {"signs": {"⏳": "late"}},
    ],
)
def test_arguments_have_values_of_their_own(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="is not"):
        extract_plan(ANSWER, **options)


def test_findings_are_what_holds_it_and_what_a_check_finds() -> None:
    found = extract_plan(f"{HEAD}1) [act] Go → a\n2. [act] Come → a\n")
    assert [(one.code, one.line) for one in found.findings] == [("PS308", 4)]
    assert found.verdict is Verdict.ACCEPTED


def test_limits() -> None:
    found = extract_plan(ANSWER, limits=Limits(max_bytes=10))
    assert ([one.code for one in found.holds], found.verdict, found.plan.steps) == (["PS121"], Verdict.REFUSED, [])
    many = HEAD + "".join(f"{number}) [act] a\n" for number in range(1, 12))
    assert extract_plan(many, limits=Limits(max_findings=10)).is_usable
    assert extract_plan(many, limits=Limits(max_steps=10)).verdict is Verdict.REFUSED


def test_fixtures(snapshot: SnapshotAssertion) -> None:
    """What is repaired in them is told where they are scanned."""
    rows = []
    for path in find("planspec/answers", ".md"):
        found = extract_plan(path.read_bytes().decode("utf-8", "replace"))
        held = [f"  {one.line} {one.code}: {one.message}" for one in found.holds]
        remarks = [f"  {one.span.line}-{one.span.end_line}: {one.text[:60]!r}" for one in found.remarks]
        rows += [f"{path.stem}: {found.verdict.value}, {found.risk.value}", *held, *remarks]
    assert "\n".join(rows) == snapshot


def test_every_form_has_a_code() -> None:
    assert {form.code for form in DIALECT.forms.values()} <= set(CODES)


@in_one_test
@pytest.mark.parametrize(
    "reason",
    [
        *("length", "LENGTH", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_length", "maxTokens", "timeout"),
        *("content_filter", "SAFETY", "incomplete", "FinishReason.MAX_TOKENS", "model_context_window_exceeded"),
    ],
)
def test_a_limit_or_a_filter_means_that_the_answer_is_cut_off(reason: str) -> None:
    found = extract_plan(f"{HEAD}1. [act] a\n2. [act] b\n", finish_reason=reason)
    assert (found.verdict, found.truncated) == (Verdict.NEEDS_REVIEW, True)


@in_one_test
@pytest.mark.parametrize(
    "reason",
    [
        "",
        "stop",
        "STOP",
        "end_turn",
        "eos",
        "tool_calls",
        "completed",
        "no_error",
        "unlimited",
        "FINISH_REASON_UNSPECIFIED",
    ],
)
def test_an_end_of_its_own_means_that_an_answer_is_whole(reason: str) -> None:
    assert not extract_plan(f"{HEAD}1. [act] a\n", finish_reason=reason).truncated
