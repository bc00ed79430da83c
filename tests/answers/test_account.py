"""What holds for any answer: nothing is lost, nothing raises, and time grows with the length alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from random import Random

import pytest
from hypothesis import given, strategies as st

from planspec_lark import (
    Extraction,
    PlanSpec,
    PlanStep,
    check_text,
    extract_plan,
    iter_steps,
    parse_plan,
    scan_plan,
    serialize_plan,
)
from planspec_lark.answers import Verdict
from planspec_lark.syntax.fences import read_fence
from tests import strategies
from tests.answers.plans import random_plan
from tests.answers.styles import TALK, make_answer

LINES = (
    *(
        "",
        "  ",
        "---",
        "<!-- note -->",
        "Only then may the valve be opened",
        "完成后请通知所有人。",
        "- Ask Ann",
        "  * by bus",
    ),
    *(
        "## Rationale",
        "# Notes",
        "**Goal**",
        "Goal:",
        "Constraints: none",
        "## Steps",
        "> quoted",
        "  > ← a",
        "→ b",
        "| done",
        "  | done",
    ),
    *(
        "1. [act",
        "99. Close the",
        "[act] Close",
        "1. [act] Again → a",
        "- [act] Pack",
        "a) [decide] Go?",
        "  2. [act] In it",
    ),
    *(
        "```",
        "~~~sh",
        "<<<<<<< HEAD",
        "...",
        "略",
        "TBD",
        "| 1 | act | Go |",
        "|---|---|",
        "   Status: done",
        "  Inputs: a, b",
    ),
    *(
        "PLAN_CMD: DONE 1",
        "<think>",
        "</think>",
        "\ufeff",
        "\u200b",
        "1) go -> x",
        "⏳ 3. [act] Wait",
        "  so that it goes on",
    ),
)


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


def numbered(plan_steps: list[PlanStep], random: Random, indent: int = 0, above: str = "") -> Iterator[str]:
    """The rows of steps whose levels are numbered in different ways."""
    kind = random.choice(["dotted", "plain", "letter", "bullet"] if len(plan_steps) < 20 else ["dotted"])
    for at, step in enumerate(plan_steps, 1):
        own = {"dotted": f"{above}{at}.", "plain": f"{at}.", "letter": f"{chr(96 + at)})", "bullet": "-"}[kind]
        yield f"{' ' * indent}{own} [{step.step_type}] {step.description}"
        yield from numbered(step.children, random, indent + 3, f"{above}{at}.")


def test_levels_that_are_numbered_in_different_ways_are_never_wrong() -> None:
    right = 0
    for number in range(600):
        random = Random(number)
        plan = random_plan(random, language="en")
        for step in iter_steps(plan):
            step.outputs, step.inputs, step.detail, step.result, step.step_name = [], [], [], "", ""
            step.done_count, step.total_count, step.status = 0, None, type(step.status)("pending")
        plan.title, plan.constraints, plan.goal_detail = "", [], []
        rows = "\n".join(numbered(plan.steps, random))
        found = extract_plan(f"Goal: {plan.goal}\n## Steps\n{rows}\n")
        assert found.verdict is not Verdict.ACCEPTED or found.text == serialize_plan(plan), rows
        right += found.verdict is Verdict.ACCEPTED
    assert right >= 540


HEAD = "Goal: g\n## Steps\n1. [act] Go"
ZERO, FENCE, LABEL, WRAPPED = "\u200b", "```\nls\n```\n\n", "  Status: done\n", "  and so\n"
SENTENCE = "Some words: none of them [counts].\n"
PUMPED = {
    "dots behind a step": lambda n: f"{HEAD} {'.' * n}\n",
    "quoted dots": lambda n: f"{HEAD}\n> {'.' * n}\n",
    "a heading of one word again and again": lambda n: f"{HEAD}\n\n## {'a few ' * n}x\n",
    "signs": lambda n: f"✅ {'❌' * n} zebra\n\n{HEAD}\n",
    "zero-width characters": lambda n: f"{HEAD}\n1) x\n{ZERO * n}\n",
    "blank lines": lambda n: f"{HEAD} ->\n{chr(10) * n}x\n",
    "small fences": lambda n: f"{FENCE * (n // 8)}```\n{HEAD}\n```\n",
    "prose": lambda n: f"{'Some words that say nothing of it. ' * (n // 30)}\n\n{HEAD}\n",
    "lines of prose": lambda n: f"{SENTENCE * (n // 30)}\n{HEAD}\n",
    "stars": lambda n: f"{HEAD} {'*' * n} x\n",
    "backticks": lambda n: f"{HEAD} {'`' * n} x\n",
    "brackets": lambda n: f"{HEAD}\n2. {'[' * n}act] x\n",
    "dashes": lambda n: f"{HEAD}\n{'- ' * n}x\n",
    "quotation marks": lambda n: f"{HEAD} {chr(34) * n} → a\n",
    "digits": lambda n: f"{HEAD}\n{'1.' * n} [act] x\n",
    "arrows": lambda n: f"{HEAD} {'-> a ' * n}\n",
    "bars": lambda n: f"{HEAD}{' | ' * n}x\n",
    "blanks": lambda n: f"{HEAD}{' ' * n}-> a\n",
    "signs of quotes": lambda n: f"{'> ' * n}\n{HEAD}\n",
    "labels": lambda n: f"{HEAD}\n{LABEL * (n // 15)}",
    "wrapped lines": lambda n: f"{HEAD}\n{WRAPPED * (n // 9)}",
}


@pytest.mark.parametrize("name", PUMPED)
def test_time_grows_with_the_length_alone(name: str) -> None:
    """Four times the text takes at most eight times as long; of short times nothing is said."""
    for read in (extract_plan, scan_plan, check_text):
        short, long = (_seconds(partial(read, PUMPED[name](size))) for size in (500, 2_000))
        assert long < max(0.15, 8 * short), (read, short, long)


def _seconds(call: Callable[[], object]) -> float:
    """On the processor, of two times the shorter: others may be at work on this machine."""
    times = []
    for _ in range(2):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)
