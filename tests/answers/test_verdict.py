"""All that reads plans out of answers goes by one verdict: none takes what `extract_plan` does not accept."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from planspec_lark import Diagnostic, Severity, extract_plan
from planspec_lark.answers import Verdict
from planspec_lark.bulk.analysis import analyze_text
from planspec_lark.engine.generated_plan import read_children, read_new_plan
from planspec_lark.engine.models import EngineLimits
from planspec_lark.planspec.models import PlanStep
from planspec_lark.pytest_plugin import assert_plan
from tests.answers.test_corpus import cases

LIMITS = EngineLimits()
CONTAINER = PlanStep("7", step_type="subtask")


def _assert(text: str) -> bool:
    try:
        assert_plan(text)
    except AssertionError:
        return False
    return True


def _analyze(text: str) -> bool:
    found, read = analyze_text(text).columns, extract_plan(text)
    assert (found["verdict"], found["truncated"]) == (read.verdict.value, read.truncated)
    return bool(found["verdict"] == Verdict.ACCEPTED.value)


@pytest.mark.parametrize("reads", [_assert, _analyze])
def test_a_reader_takes_what_is_accepted(reads: Callable[[str], bool]) -> None:
    for case in cases("answers"):
        assert reads(case.text) == extract_plan(case.text).is_usable, case.name


def test_an_answer_that_was_cut_off_is_taken_by_none() -> None:
    for case in cases("answers"):
        assert not extract_plan(case.text, finish_reason="length").is_usable, case.name
        assert not read_new_plan(case.text, LIMITS, finish_reason="length").is_usable, case.name
        assert not read_children(case.text, CONTAINER, (), LIMITS, finish_reason="length").is_usable, case.name


# A text that is repaired (`2)`), with a step that breaks a rule.
BROKEN_RULES = {
    "PS202": "Goal: go\n## Steps\n1. [reson] Look\n2) [act] Go\n",
    "PS204": "Goal: go\n## Steps\n1. [act] Look\n1.1. [act] Up\n2) [act] Go\n",
}
JUDGES: dict[str, Callable[[str], list[Diagnostic]]] = {
    "extract_plan": lambda text: extract_plan(text).findings,
    "bulk": lambda text: analyze_text(text).diagnostics,
    "a new plan for the engine": lambda text: read_new_plan(text, LIMITS).diagnostics,
    "steps for the engine": lambda text: read_children(text, CONTAINER, (), LIMITS).diagnostics,
}


@pytest.mark.parametrize("name", JUDGES)
@pytest.mark.parametrize("code", BROKEN_RULES)
def test_what_breaks_a_rule_is_said_once(name: str, code: str) -> None:
    found = [one for one in JUDGES[name](BROKEN_RULES[code]) if one.code == code]
    assert [one.severity for one in found] == [Severity.ERROR]
