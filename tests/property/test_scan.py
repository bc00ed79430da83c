"""Reading whatever comes: no text raises, and no line is lost."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import assume, example, given, strategies as st

from planspec_lark import (
    PlanSpec,
    PlanStep,
    scan_plan,
    serialize_plan,
)
from planspec_lark.syntax.safe_text import visible
from tests import strategies
from tests.property import promises


@example("## Steps\n1. [act] a\n1. [act] b |\n")
@example("1. [act] b |\n")
@given(strategies.any_plan_text)
def test_a_refusal_has_positions_in_the_order_of_the_text(text: str) -> None:
    promises.refusal_is_located(text)


SAID = [
    *("Here is the plan:", "Sure!", "请看。", "  Let me know\r", "Both steps\nfit", "", " "),
    *(
        "Needs: report",
        "Status: done",
        "Key: ✅ = done",
        "Legend: x",
        "Plan: rest",
        "the same as before",
        "and so on ...",
    ),
    *(
        "Note <br>",
        "<think>so</think>",
        "# Plan: Other",
        "- listed",
        "2. [act] More",
        "> more",
        "```",
        "\x07bell",
        "\ufeff",
    ),
]
ANSWERS = st.builds(
    "".join,
    st.tuples(
        st.lists(st.sampled_from([f"{said}\n" for said in SAID]), max_size=3).map("".join),
        st.sampled_from(["", "```\n", "~~~text\n", "``` \r\n", "\n"]),
        strategies.loose_plans(),
        st.sampled_from(["", "```\n", "\n  ~~~\n", "```", "\n", "\n\n"]),
        st.lists(st.sampled_from([f"{said}\n" for said in SAID]), max_size=3).map("".join),
    ),
)


@example("Sure!\n\n```\n1. [act] b\n```\n\nBye!")
@example("Sure!\n1. [act] b\n\nInputs: a\n")
@example("Sure!\n1. [act] b\n  and c\n")
@example("Constraints:\n- a\n- b\n\n## Notes\n- c\n  d\n\n## Steps\n1. [act] e\n")
@given(ANSWERS)
def test_no_line_of_an_answer_is_lost(text: str) -> None:
    promises.no_line_of_an_answer_is_lost(text)


def _write_sign(summary: str, sign: str) -> str:
    """The first step of a text with one sign as others write it, which is a repair of low risk."""
    step_id, mark, name, type, rest = re.fullmatch(
        r"([0-9.]+)\. (\[.\] )?(.*?)\[(\w+)\](.*)", summary, re.DOTALL
    ).groups("")  # type: ignore[union-attr]
    if sign == "1)":
        return f"{step_id}) {mark}{name}[{type}]{rest}"
    if sign == "[Act]":
        return f"{step_id}. {mark}{name}[{type.capitalize()}]{rest}"
    return f"{step_id}. {mark.replace('[x]', '✅')}{name}[{type}]{rest}"


def _in_another_form(text: str, sign: str) -> str:
    head, header, steps = f"\n{text}".partition("\n## Steps\n")
    summary, end, rest = steps.partition("\n")
    return f"{head}{header}{_write_sign(summary, sign)}{end}{rest}"


@pytest.mark.parametrize(
    ("plan", "sign"),
    [
        (PlanSpec(steps=[PlanStep("1", step_type="act", description="Document → x, y")]), "1)"),
        (PlanSpec(steps=[PlanStep("1", step_type="act", description="Document \\→ x, y")]), "[Act]"),
        (PlanSpec(steps=[PlanStep("1", step_type="act", description="cat x | y", result="Progress: 2")]), "1)"),
        (PlanSpec("## Steps", steps=[PlanStep("1", step_type="act")]), "1)"),
    ],
)
def test_a_sign_in_another_form_keeps_the_plan(plan: PlanSpec, sign: str) -> None:
    assert scan_plan(_in_another_form(serialize_plan(plan), sign)).plan == plan


@given(strategies.named_plans, st.sampled_from(["1)", "[Act]", "✅"]))
def test_a_sign_in_another_form_changes_nothing_else(plan: PlanSpec, sign: str) -> None:
    assume(plan.steps)
    # In a line that has to be repaired, a bar separates between any white space, as models write it.
    assume(re.search(r"[^\S \t\n][|｜]|[|｜][^\S \t\n]", serialize_plan(plan)) is None)
    # Only by the form is `> → a` detail: both texts have a line that is not in it.
    text = f"{serialize_plan(plan)}9999. [Act] more\n"
    assert scan_plan(_in_another_form(text, sign)).plan == scan_plan(text).plan


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


@example("1. [act] a\n  b\r")
@example("\r<think>")
@given(strategies.any_plan_text)
def test_every_offered_fix_is_accepted(text: str) -> None:
    promises.fixes_are_accepted(text)


@given(st.text(st.characters(exclude_categories=[]), max_size=60))
def test_what_is_shown_cannot_steer_a_terminal(text: str) -> None:
    shown = visible(text)
    assert not [c for c in shown if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") and c not in "\t\n"]
    assert not [c for c in shown if c in _TURNING]


# All that Unicode calls bidirectional controls.
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
