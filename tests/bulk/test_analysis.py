"""What is said about one text."""

from __future__ import annotations

import pickle
from itertools import pairwise

import pytest
from attrs import evolve
from hypothesis import given, strategies as st

from planspec_lark import (
    PlanSyntaxError,
    Severity,
    check_text,
    extract_plan,
    parse_plan,
    scan_plan,
    serialize_plan,
    validate_plan,
)
from planspec_lark.answers import Verdict
from planspec_lark.bulk import BulkOptions
from planspec_lark.bulk.analysis import analyze_text
from tests.bulk.corpora import DOUBLED, IN_PROSE, PLAN, REFUSAL, REPAIRED, fixture_texts
from tests.cases import in_one_test

FOREIGN = PLAN.replace("→", "->")
TEXTS = [PLAN, IN_PROSE, REPAIRED, REFUSAL, DOUBLED, FOREIGN, "", " \n", "Goal: x\n", *fixture_texts()]


def parses(text: str) -> bool:
    try:
        parse_plan(text)
    except PlanSyntaxError:
        return False
    return True


@pytest.mark.parametrize(
    ("text", "read", "parsed", "valid", "score"),
    [
        (PLAN, "scan", True, True, 1.0),
        (PLAN, "strict", True, True, 1.0),
        (IN_PROSE, "scan", False, True, 1.0),
        (IN_PROSE, "strict", False, False, 2 / (2 + 4) / 2),
        (REPAIRED, "scan", False, False, 2 / (2 + 0.5) / 2),
        (REPAIRED, "strict", False, False, 2 / (2 + 2) / 2),
        (REFUSAL, "scan", False, False, 0.0),
        (REFUSAL, "strict", False, False, 0.0),
        (DOUBLED, "scan", False, False, 1 / (1 + 2) / 2),
        ("", "scan", True, False, 0.0),
        (PLAN.replace("2. [act]", "2. [cook]"), "scan", True, False, 2 / (2 + 1) / 2),
        (PLAN.replace("2. [act]", "2. [subtask]"), "scan", True, True, (1 + 2 / (2 + 0.25)) / 2),
        (PLAN.replace("→", "->"), "scan", True, True, (1 + 2 / (2 + 0.25)) / 2),
    ],
)
def test_judgement(text: str, read: str, parsed: bool, valid: bool, score: float) -> None:
    found = analyze_text(text, read=read)
    assert (found.parsed, found.valid) == (parsed, valid)
    errors, warnings = found.count(Severity.ERROR), found.count(Severity.WARNING)
    assert found.score == pytest.approx(score), (errors, warnings, found.codes())


@in_one_test
@pytest.mark.parametrize("text", TEXTS)
def test_a_strict_reading_says_what_a_check_says(text: str) -> None:
    found = analyze_text(text, read="strict")
    # A row counts no findings about a plan with holes, and no fixes of whole texts.
    expected = [one for one in check_text(text) if not one.is_provisional]
    assert found.parsed == parses(text)
    assert sorted(one.code for one in found.diagnostics) == sorted(one.code for one in expected)
    assert found.valid == (found.parsed and not [m for m in validate_plan(parse_plan(text)) if m[:5] != "warn:"])
    assert found.canonical == ((serialize_plan(parse_plan(text)) or None) if found.parsed else None)
    key = lambda one: (one.code, one.span.start if one.span else 0, one.message)  # noqa: E731
    located = [evolve(one, fix=None) for one in found.locate(found.diagnostics)]
    assert sorted(located, key=key) == sorted((evolve(one, fix=None) for one in expected), key=key)


@in_one_test
@pytest.mark.parametrize("text", TEXTS)
def test_a_scan_finds_what_scanning_finds(text: str) -> None:
    found = analyze_text(text, read="scan")
    expected = extract_plan(text)
    assert found.canonical == (serialize_plan(expected.plan) or None)
    assert found.parsed == parses(text)
    assert (found.verdict, found.truncated) == (expected.verdict, expected.truncated)
    listed = [*expected.holds, *(one.diagnostic for one in expected.repairs), *expected.notes]
    assert len({*map(id, found.diagnostics)}) == len({(one.code, one.span, one.message) for one in found.diagnostics})
    assert all(one in found.diagnostics for one in listed)
    assert all(one.span is not None for one in found.locate(found.diagnostics))
    assert found.steps == (expected.plan.progress["total"])


@given(st.sampled_from(TEXTS), st.integers(0), st.text("x[]>→|\n 1.", max_size=4), st.sampled_from(["scan", "strict"]))
def test_a_score_is_at_least_a_half_for_valid_plans_only(text: str, at: int, more: str, read: str) -> None:
    at %= len(text) + 1
    found = analyze_text(text[:at] + more + text[at:], read=read)
    assert 0 <= found.score <= 1
    assert (found.score >= 0.5) == found.valid
    assert found.valid <= (found.steps > 0 and found.count(Severity.ERROR) == 0)
    if found.canonical is not None and found.valid:
        again = analyze_text(found.canonical, read="strict")
        assert (again.parsed, again.steps, again.depth) == (True, found.steps, found.depth)


CUT = f"```\n{PLAN}"
BETWEEN = PLAN.replace("2. [act]", "Only then go on.\n2. [act]")


@pytest.mark.parametrize(
    ("text", "verdict", "truncated"),
    [
        (PLAN, Verdict.ACCEPTED, False),
        (REPAIRED, Verdict.ACCEPTED, False),
        (REFUSAL, Verdict.REFUSED, False),
        (DOUBLED, Verdict.NEEDS_REVIEW, False),
        (BETWEEN, Verdict.NEEDS_REVIEW, False),
        (CUT, Verdict.NEEDS_REVIEW, True),
        (f"{PLAN}3. [act] Sell the loaf →", Verdict.NEEDS_REVIEW, True),
        (f"<<<<<<< ours\n{PLAN}=======\n{PLAN}>>>>>>> theirs\n", Verdict.REFUSED, False),
    ],
)
def test_what_is_not_accepted_is_not_valid(text: str, verdict: Verdict, truncated: bool) -> None:
    found = analyze_text(text, read="scan")
    assert (found.verdict, found.truncated) == (verdict, truncated)
    assert found.to_row()["verdict"] == verdict.value
    if verdict is not Verdict.ACCEPTED:
        assert not found.valid
        assert found.score < 0.5


def test_a_score_falls_with_every_error_and_every_warning() -> None:
    steps = "".join(f"{n}. [act] Bake loaf {n} → loaf_{n}\n" for n in range(1, 21))
    for bad in ("[oven]", "[subtask]"):
        scores = [analyze_text(f"Goal: x\n## Steps\n{steps.replace('[act]', bad, n)}", read="scan") for n in range(21)]
        assert all(a.score > b.score for a, b in pairwise(scores))


@pytest.mark.parametrize(("text", "steps", "depth"), [("", 0, 0), (PLAN, 2, 1), (PLAN + "2.1. [act] x\n", 3, 2)])
def test_steps_and_depth(text: str, steps: int, depth: int) -> None:
    found = analyze_text(text, read="scan")
    assert (found.steps, found.depth) == (steps, depth)


def test_a_deep_plan() -> None:
    ids = [".".join(["1"] * level) for level in range(1, 1001)]
    text = "Goal: Down\n## Steps\n" + "".join(f"{step_id}. [subtask] x\n" for step_id in ids)
    found = analyze_text(text, read="scan")
    assert (found.steps, found.depth, found.parsed) == (1000, 1000, True)


def test_codes_are_counted_with_their_worst_severity() -> None:
    # What stands around a plan is no finding.
    assert analyze_text(IN_PROSE, read="scan").codes() == []
    found = analyze_text(REPAIRED, read="scan")
    assert found.codes() == [("PS104", 1, Severity.WARNING), ("PS110", 1, Severity.WARNING)]
    twice = evolve(found, diagnostics=[*found.diagnostics, *scan_plan(DOUBLED).diagnostics])
    assert ("PS117", 1, Severity.ERROR) in twice.codes()


@pytest.mark.parametrize(
    "wrong",
    [{"text": ""}, {"id": ""}, {"read": "loose"}, {"format": "csv"}, {"max_bytes": 0}, {"shard_bytes": 0}],
)
def test_options_are_checked(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        BulkOptions(**wrong)  # type: ignore[arg-type]


def test_options_travel() -> None:
    options = BulkOptions("answer", "key", "strict")
    assert pickle.loads(pickle.dumps(options)) == options


def test_what_a_model_says_of_its_end_counts() -> None:
    found = analyze_text(PLAN, read="scan", finish_reason="length")
    assert (found.verdict, found.truncated, found.valid) == (Verdict.NEEDS_REVIEW, True, False)
    assert analyze_text(PLAN, read="scan", finish_reason="stop").valid
    assert analyze_text(PLAN, read="strict", finish_reason="length").valid
