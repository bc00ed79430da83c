"""What is said about one text."""

from __future__ import annotations

import pytest
from attrs import evolve

from planspec_lark import PlanSyntaxError, check_text, extract_plan, parse_plan, serialize_plan
from planspec_lark.bulk.analysis import analyze_text
from tests.bulk.corpora import DOUBLED, IN_PROSE, PLAN, REFUSAL, REPAIRED, fixture_texts
from tests.cases import in_one_test

CUT = f"{PLAN}3. [act] Sell the loaf →"
TEXTS = [PLAN, IN_PROSE, REPAIRED, REFUSAL, DOUBLED, CUT, "", " \n", "Goal: x\n", *fixture_texts()]


def parses(text: str) -> bool:
    try:
        parse_plan(text)
    except PlanSyntaxError:
        return False
    return True


@pytest.mark.parametrize(
    ("text", "read", "expected"),
    [
        (PLAN, "scan", (True, "accepted", False, 0, 2, 1, 0)),
        (PLAN, "strict", (True, "accepted", False, 0, 2, 1, 0)),
        (IN_PROSE, "scan", (False, "accepted", False, 0, 2, 1, 0)),
        (IN_PROSE, "strict", (False, "refused", False, 0, 0, 0, 4)),
        (REPAIRED, "scan", (False, "accepted", False, 2, 2, 1, 0)),
        (REPAIRED, "strict", (False, "refused", False, 0, 0, 0, 2)),
        (REFUSAL, "scan", (False, "refused", False, 0, 0, 0, 1)),
        (DOUBLED, "scan", (False, "needs_review", False, 0, 1, 1, 2)),
        (DOUBLED, "strict", (False, "refused", False, 0, 0, 0, 2)),
        (CUT, "scan", (True, "needs_review", True, 0, 3, 1, 1)),
        (f"{PLAN}2.1. [act] x\n", "scan", (True, "needs_review", False, 0, 3, 2, 1)),
        (PLAN.replace("[act] Bake", "[cook] Bake"), "strict", (True, "refused", False, 0, 2, 1, 1)),
    ],
)
def test_columns(text: str, read: str, expected: tuple[object, ...]) -> None:
    names = ("parsed", "verdict", "truncated", "repairs", "steps", "depth", "errors")
    assert tuple(analyze_text(text, read=read).columns[name] for name in names) == expected


@in_one_test
@pytest.mark.parametrize("text", TEXTS)
def test_a_strict_reading_says_what_a_check_says(text: str) -> None:
    found = analyze_text(text, read="strict")
    expected = [one for one in check_text(text) if not one.is_provisional]
    assert [evolve(one, fix=None) for one in found.diagnostics] == [evolve(one, fix=None) for one in expected]
    assert found.columns["parsed"] == parses(text)
    assert found.columns["canonical"] == (serialize_plan(parse_plan(text)) or None if parses(text) else None)


@in_one_test
@pytest.mark.parametrize("text", TEXTS)
def test_a_scan_finds_what_an_extraction_finds(text: str) -> None:
    found, expected = analyze_text(text), extract_plan(text)
    assert found.columns["canonical"] == (expected.text or None)
    assert found.columns["verdict"] == expected.verdict.value
    assert found.columns["parsed"] == parses(text)
    listed = [*expected.findings, *(one.diagnostic for one in expected.repairs)]
    assert all(one in found.diagnostics for one in listed)
    assert len({(one.code, one.span, one.message) for one in found.diagnostics}) == len(found.diagnostics)


def test_what_a_model_says_of_its_end_counts() -> None:
    found = analyze_text(PLAN, finish_reason="length").columns
    assert (found["verdict"], found["truncated"]) == ("needs_review", True)
    assert not analyze_text(PLAN, finish_reason="stop").columns["truncated"]
    assert not analyze_text(PLAN, read="strict", finish_reason="length").columns["truncated"]
