"""All that reads plans out of answers goes by one verdict: none takes what `extract_plan` does not accept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from planspec_lark import Diagnostic, Extraction, Severity, extract_plan
from planspec_lark.answers import Verdict
from planspec_lark.bulk.analysis import analyze_text
from planspec_lark.engine.generated_plan import read_children, read_new_plan
from planspec_lark.engine.models import Answer, EngineLimits
from planspec_lark.llm.draft import draft_plan
from planspec_lark.planspec.models import PlanStep
from planspec_lark.planspec.rules import check_rules
from planspec_lark.pytest_plugin import UnreadablePlanError, assert_plan
from planspec_lark.syntax.diagnostics import has_errors
from tests.answers.test_corpus import FOREIGN, HARMLESS, LEADS, Case, _foreign, _plans, answers, case_of, mix

LIMITS = EngineLimits()


def _assert(text: str) -> bool:
    try:
        assert_plan(text)
    except UnreadablePlanError:
        return False
    return True


def _analyze(text: str) -> bool:
    found = analyze_text(text, read="scan")
    assert found.verdict is extract_plan(text).verdict
    assert found.truncated == extract_plan(text).truncated
    assert not found.valid or found.verdict is Verdict.ACCEPTED
    assert found.score < 1 or found.verdict is Verdict.ACCEPTED
    return found.verdict is Verdict.ACCEPTED


def _renew(text: str) -> bool:
    return read_new_plan(text, LIMITS).is_usable


def _add_steps(text: str) -> bool:
    return read_children(text, PlanStep("7", step_type="subtask"), (), LIMITS).is_usable


# Those that take what is accepted, and those that ask for more: a plan that breaks no rule, or has lines of its own.
READERS: dict[str, Callable[[str], bool]] = {"assert_plan": _assert, "bulk": _analyze}
STRICTER_READERS: dict[str, Callable[[str], bool]] = {
    "a new plan for the engine": _renew,
    "steps for the engine": _add_steps,
}


def read_everywhere(text: str) -> Extraction:
    """Give an answer to every reader, and look that each goes by the verdict."""
    found = extract_plan(text)
    for name, reads in (*READERS.items(), *STRICTER_READERS.items()):
        is_taken = reads(text)
        assert not is_taken or found.is_usable, name
        assert is_taken or not found.is_usable or name not in READERS, name
    if found.is_usable:
        assert _renew(text) == (not has_errors(check_rules(found.plan)) or not found.plan.goal)
    return found


@answers
def test_every_reader_has_the_same_verdict(path: Path) -> None:
    read_everywhere(case_of(path).text)


@answers
def test_what_the_caller_knows_counts_for_every_reader(path: Path) -> None:
    case: Case = case_of(path)
    reason = case.options.get("finish_reason", "length")
    found = extract_plan(case.text, finish_reason=reason)
    # Of nothing but reasoning, nothing is left that could be cut off.
    assert found.truncated or found.verdict is Verdict.REFUSED
    assert found.verdict is not Verdict.ACCEPTED
    assert not read_new_plan(case.text, LIMITS, finish_reason=reason).is_usable
    step = PlanStep("7", step_type="subtask")
    assert not read_children(case.text, step, (), LIMITS, finish_reason=reason).is_usable
    drafted = draft_plan(
        lambda _: Answer(case.text, finish_reason=reason), "task", max_repairs=0, end_mark="<END OF PLAN>"
    )
    # A plan in a code block that has ended is whole, whatever was cut off after it.
    assert not drafted.is_usable or "```" in case.text or "~~~" in case.text
    with_type = {"default_type": case.options.get("default_type", "")}
    assert _is_let_in(case.text, **with_type) == extract_plan(case.text, **with_type).is_usable


def _is_let_in(text: str, default_type: str) -> bool:
    try:
        plan = assert_plan(text, default_type=default_type).plan
    except UnreadablePlanError:
        return False
    return plan == extract_plan(text, default_type=default_type).plan


@given(_plans, st.one_of(_foreign, st.sampled_from([*HARMLESS, *LEADS])), st.integers(0, 999))
def test_no_reader_takes_a_plan_with_a_foreign_line_that_is_not_accepted(plan: object, line: str, place: int) -> None:
    read_everywhere(mix(plan, line, place)[0])  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_foreign_line_is_taken_by_no_reader(kind: str) -> None:
    for line in FOREIGN[kind]:
        text = f"Goal: go\n## Steps\n1. [act] Walk → there\n{line}\n2. [act] Come back\n"
        # A line that begins with `>` is one of detail as it is.
        assert read_everywhere(text).verdict is not Verdict.ACCEPTED or line.startswith(">"), line


# A text that is repaired (`2)`), with a step that breaks each of the rules that a reading looks at.
BROKEN_RULES = {
    "PS202": "Goal: go\n## Steps\n1. [reson] Look\n2) [act] Go\n",
    "PS203": "Goal: go\n## Steps\n1. look [act] Look\n2) look [act] Go\n",
    "PS204": "Goal: go\n## Steps\n1. [act] Look\n1.1. [act] Up\n2) [act] Go\n",
}


def _draft(text: str) -> list[Diagnostic]:
    answer = Answer(text, finish_reason="stop")
    return draft_plan(lambda _: answer, "task", max_repairs=0, end_mark="<END OF PLAN>").diagnostics


# What each reader that looks at the rules by itself finds in an answer.
JUDGES: dict[str, Callable[[str], list[Diagnostic]]] = {
    "bulk": lambda text: analyze_text(text, read="scan").diagnostics,
    "a new plan for the engine": lambda text: read_new_plan(text, LIMITS).diagnostics,
    "steps for the engine": lambda text: (
        read_children(text, PlanStep("7", step_type="subtask"), (), LIMITS).diagnostics
    ),
    "a draft": _draft,
}


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("code", BROKEN_RULES)
def test_what_breaks_a_rule_is_said_once(name: str, code: str) -> None:
    text = BROKEN_RULES[code]
    assert code in [one.code for one in extract_plan(text).diagnostics]
    found = [one for one in JUDGES[name](text) if one.code == code]
    assert [one.severity for one in found] == [Severity.ERROR]


def test_a_list_that_is_almost_one_is_said_once() -> None:
    text = "Sure!\n\nGoal: go\n## Steps\n1. [act] Look → gross-weight\n2. [act] Go\n"
    assert [one.code for one in extract_plan(text).readings if one.code == "PS319"] == ["PS319"]
    for name, judge in JUDGES.items():
        assert [one.code for one in judge(text) if one.code == "PS319"] == ["PS319"], name


def test_a_rule_that_a_repeated_step_breaks_counts() -> None:
    container = PlanStep("7", step_type="subtask", children=[PlanStep("7.1", step_type="act", description="Look")])
    text = "## Steps\n7.1. [x] [act] Look\n7.1.1. [act] Up\n7.2) [act] Go\n"
    assert [one.code for one in extract_plan(text).deciding] == ["PS204"]
    assert not read_children(text, container, (), LIMITS).is_usable
