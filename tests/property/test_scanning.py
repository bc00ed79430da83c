"""Reading whatever comes: no text raises, and no line is lost."""

from __future__ import annotations

import unicodedata

from hypothesis import example, given, strategies as st

from planspec_lark import check_text, iter_steps, render_all, scan_plan, scan_plan_commands
from planspec_lark.syntax.source import visible
from tests import strategies
from tests.property import promises


@given(strategies.any_text)
def test_no_text_raises(text: str) -> None:
    scan_plan(text)
    scan_plan_commands(text)
    check_text(text)


@example("## Steps\n1. [act] a\n1. [act] b |\n")
@example("1. [act] b |\n")
@given(strategies.any_plan_text)
def test_a_refusal_has_places_in_the_order_of_the_text(text: str) -> None:
    promises.refusal_is_located(text)


@given(strategies.any_plan_text)
def test_a_scan_has_places_in_the_order_of_the_text(text: str) -> None:
    promises.are_placed(scan_plan(text).diagnostics, text)


@given(strategies.any_plan_text)
def test_findings_have_places_in_the_order_of_the_text(text: str) -> None:
    promises.are_placed(check_text(text), text)


@example("Goal: a\nGoal: b\n> lost\n")
@example("Constraints:\n- a\nConstraints:\n- lost\n")
@example("## Steps\n1. [act] a\n1. [act] b\n> lost\n")
@example("## Steps\n1. [act] a\n2.[act b\n> lost\n")
@given(strategies.any_plan_text)
def test_no_line_is_lost(text: str) -> None:
    promises.nothing_is_lost(text)


@example("Goal: a\nGoal: b\n> lost\n")
@example("Constraints:\n- a\nConstraints:\n- lost\n")
@example("## Steps\n1. [act] a\n1. [act] b\n> lost\n")
@example("## Steps\n1. [act] a\n2.[act b\n> lost\n")
@given(strategies.any_plan_text)
def test_no_line_is_refused_in_silence(text: str) -> None:
    promises.nothing_is_refused_in_silence(text)


@given(strategies.any_plan_text)
def test_what_was_scanned_can_be_printed(text: str) -> None:
    promises.reads_back(scan_plan(text).plan)


@given(strategies.any_plan_text)
def test_every_offered_fix_is_accepted(text: str) -> None:
    promises.fixes_are_accepted(text)


@given(strategies.any_plan_text)
def test_every_field_of_a_plan_has_its_places(text: str) -> None:
    scan = scan_plan(text)
    assert set(scan.places.steps) == {step.step_id for step in iter_steps(scan.plan)}
    promises.are_placed([], text)
    for span in promises.plan_spans(scan):
        assert 0 <= span.start <= span.end <= len(text)


@given(st.text(st.characters(exclude_categories=[]), max_size=60))
def test_what_is_shown_cannot_steer_a_terminal(text: str) -> None:
    shown = visible(text)
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c not in "\t\n"]
    assert not [c for c in shown if c in _TURNING]


@given(strategies.any_text)
def test_what_is_rendered_cannot_steer_a_terminal(text: str) -> None:
    findings = [*check_text(text), *scan_plan(text).diagnostics, *scan_plan_commands(text).diagnostics]
    shown = render_all(findings)
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c not in "\t\n"]
    assert not [c for c in shown if c in _TURNING]


# All that Unicode calls bidirectional controls.
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
