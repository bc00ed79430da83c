"""What holds for any answer: nothing is lost, nothing raises, and time grows with the length alone."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from hypothesis import given, strategies as st

from planspec_lark import (
    Extraction,
    PlanSpec,
    extract_plan,
    iter_steps,
    parse_plan,
    scan_plan,
    serialize_plan,
)
from planspec_lark.answers import Verdict
from planspec_lark.syntax.fences import read_fence
from tests import strategies
from tests.answers.styles import TALK, make_answer

LINES = [
    "", "  ", "\ufeff", "\u200b", "---", "<!-- note -->", "Only then may the valve be opened", "完成后请通知所有人。",
    "- Ask Ann", "  * by bus", "## Rationale", "**Goal**", "Goal:", "Constraints: none", "## Steps", "> quoted",
    "  > ← a", "→ b", "  | done",
    "1. [act", "[act] Close", "1. [act] Again → a", "- [act] Pack", "a) [decide] Go?", "  2. [act] In it",
    "```", "~~~sh", "<<<<<<< HEAD", "...", "TBD", "| 1 | act | Go |", "|---|---|", "   Status: done", "  Inputs: a, b",
    "PLAN_CMD: DONE 1", "<think>", "</think>", "1) go -> x", "⏳ 3. [act] Wait", "  so that it goes on",
]  # fmt: skip


def lines_of(found: Extraction) -> set[int]:
    """The lines that are in the plan, in a finding, or in a remark."""
    positions, source = found.positions, found.source
    spans = [one.span for one in (*found.holds, *found.notes)] + [one.span for one in found.remarks]
    for one in found.repairs:
        spans += [one.diagnostic.span, one.diagnostic.fix.span if one.diagnostic.fix else None]
    spans += [span for several in positions.fields.values() for span in several]
    for step in iter_steps(found.plan):
        if step.step_id in positions:
            spans += [source.span(start, max(start, end - 1)) for start, end in positions.bounds_of(step.step_id)]
    return {line for span in spans if span for line in range(span.line, span.end_line + 1)}


def lost_lines(text: str) -> Iterator[str]:
    found = extract_plan(text)
    known = lines_of(found)
    in_block = range(found.span.line, found.span.end_line + 1) if found.span else range(0)
    for number, row in enumerate(text.split("\n"), 1):
        bare = row.strip(" \t\r\ufeff")
        # The header of a list of the form has no place of its own, and the signs around a block are none of its lines.
        is_header = number in in_block and bare in ("## Steps", "Constraints:", "## Constraints", "> ## Steps")
        if bare and number not in known and not is_header and read_fence(row) is None:
            yield f"{number}: {row}"


def mixed(random: Random) -> str:
    """A plan with any lines between its own."""
    text, _ = make_answer(random, is_fenced=random.random() < 0.5)
    rows = text.split("\n")
    for _ in range(random.randrange(6)):
        rows.insert(random.randrange(len(rows) + 1), random.choice(LINES))
    return "\n".join(rows)


def test_no_line_of_an_answer_is_lost() -> None:
    for number in range(400):
        text = mixed(Random(number))
        assert list(lost_lines(text)) == [], f"{number}\n{text}"


@given(strategies.any_plan_text)
def test_any_text_can_be_read(text: str) -> None:
    found = extract_plan(text)
    assert parse_plan(found.text) == found.plan
    assert (found.verdict is Verdict.ACCEPTED) == (not found.holds)
    assert found.holds or found.plan.steps
    scan_plan(text)


@given(strategies.workable_plans, st.sampled_from(TALK), st.sampled_from(TALK))
def test_the_text_around_a_fence_changes_no_verdict(plan: PlanSpec, before: str, behind: str) -> None:
    text = serialize_plan(plan)
    if plan.steps and "~~~" not in text:
        found = extract_plan(f"{before}\n\n~~~~\n{text}~~~~\n\n{behind}\n")
        assert [one.text for one in found.remarks] == [before, behind]
        assert extract_plan(f"~~~~\n{text}~~~~\n").verdict is found.verdict
