"""Findings of a value: which of them are shown where there are very many."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from attrs import evolve
from hypothesis import given, strategies as st

from planspec_lark import Severity
from planspec_lark.json_text import JsonText, read_json
from planspec_lark.json_text.findings import ValueFinding, first_findings, to_diagnostics
from planspec_lark.syntax.limits import Findings

TEXT = json.dumps({"a": ["some text", 1], "b": {"c": "more \n text"}, "d": None})
PATHS: list[tuple[str | int, ...]] = [(), ("a",), ("a", 0), ("a", 1), ("b",), ("b", "c"), ("d",), ("d", "e"), ("f",)]
OF_THEIR_CODES = st.builds(
    ValueFinding,
    st.sampled_from(["PT101", "PT501"]),
    st.sampled_from(["one", "two"]),
    st.sampled_from(PATHS),
    within=st.one_of(st.none(), st.tuples(st.integers(0, 12), st.integers(0, 12))),
    at_key=st.booleans(),
)
FINDINGS = st.one_of(OF_THEIR_CODES, OF_THEIR_CODES.map(lambda one: evolve(one, severity=Severity.INFO)))


@pytest.fixture(scope="module")
def origin() -> JsonText:
    return read_json(TEXT)


@given(st.lists(FINDINGS, max_size=12), st.lists(FINDINGS, max_size=2), st.one_of(st.none(), st.integers(1, 6)))
def test_what_is_shown_is_what_stands_first(
    found: list[ValueFinding], before: list[ValueFinding], limit: int | None
) -> None:
    origin = read_json(TEXT)
    listed = to_diagnostics(before, origin)
    expected = Findings(limit)
    expected.extend(listed)
    expected.extend(to_diagnostics(found, origin))
    assert first_findings(found, origin, limit, listed) == expected.close()


def test_all_others_cost_nothing(origin: JsonText) -> None:
    tracemalloc.start()
    try:
        many = (ValueFinding("PT501", f"number {number}", ("b", "c")) for number in range(20_000))
        found = first_findings(many, origin, 10)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000
    assert [one.message for one in found[:10]] == [f"number {number}" for number in range(10)]
    assert found[10].message == "19,990 more findings are not listed"
