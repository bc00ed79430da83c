"""Plain Markdown of models that were told no format: how many answers become the plan that they mean, as a ratchet.

An answer is right if its steps have the texts, the order, the depth and the statuses of the plan that a person has
written down for it. Signs of emphasis are no text. Neither is a number that a text begins with, as in `Phase 1:`: what
word is beside it, no structure tells. What holds other steps has no status of its own here: it follows from theirs.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from typing import Any

import pytest

from planspec_lark import PlanSpec, PlanStep, PlanSyntaxError, iter_steps, parse_plan
from planspec_lark.exchange import ImportResult, import_text
from tests.corpus import FIXTURES

ANSWERS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (FIXTURES / "markdown" / "answers.jsonl").read_text(encoding="utf-8").split("\n")
    if line
]
# So many were right when this was last looked at; fewer is a fault, more is a new number here.
RIGHT = 176
ASKED = 0.7

# The number of an item is that of its step.
WORDS = re.compile(r"[^\W\d]\w*")
_EMPHASIS = re.compile(r"\*\*|__|~~")
# A numeral, with a word before or behind it.
_LEAD = re.compile(r"(?:第|[^\W\d_]{1,10} ?)?(?:[0-9 ]+|[一二三四五六七八九十]+)(?: ?[^\W\d_]{1,3})? ?")


def shape(plan: PlanSpec) -> list[tuple[str, str]]:
    """Place and status of each step."""
    return [(step.step_id, "" if step.children else step.status.value) for step in iter_steps(plan)]


def words(step: PlanStep) -> str:
    return re.sub(r"\W+", " ", _EMPHASIS.sub("", step.description)).strip()


def is_same(found: str, wanted: str) -> bool:
    """Whether two texts are the same, but for what counts the first of them."""
    lead = found.removesuffix(wanted)
    return found == wanted or (found.endswith(wanted) and _LEAD.fullmatch(lead) is not None)


@cache
def bring_in(number: int) -> ImportResult | None:
    try:
        return import_text(ANSWERS[number]["text"], "markdown")
    except PlanSyntaxError:
        return None


def is_right(number: int) -> bool:
    imported, wanted = bring_in(number), parse_plan(ANSWERS[number]["plan"])
    if imported is None or shape(imported.plan) != shape(wanted):
        return False
    pairs = zip(iter_steps(imported.plan), iter_steps(wanted), strict=True)
    return all(is_same(words(found), words(meant)) for found, meant in pairs)


def test_most_answers_become_the_plan_that_they_mean() -> None:
    right = sum(map(is_right, range(len(ANSWERS))))
    assert right >= ASKED * len(ANSWERS)
    assert right == RIGHT, "put the new number here, if it is the higher one"


@pytest.mark.parametrize("number", range(len(ANSWERS)), ids=[answer["name"] for answer in ANSWERS])
def test_no_task_is_lost_in_silence(number: int) -> None:
    """Each line is a part of the plan or named as kept; and no word of a step that was meant is missing in the plan."""
    imported = bring_in(number)
    if imported is None:
        return
    report = imported.report
    text = ANSWERS[number]["text"]
    entries = sorted(entry.line for entry in [*report.carried, *report.kept, *report.left_out])
    assert entries == [at for at, line in enumerate(text.split("\n"), 1) if line.strip()]
    assert report.left_out == []
    assert not Counter(WORDS.findall(text)) - Counter(WORDS.findall(imported.text))


def test_what_is_no_plan_for_the_reader_is_refused() -> None:
    refused = [answer["name"] for at, answer in enumerate(ANSWERS) if bring_in(at) is None]
    assert refused == []
