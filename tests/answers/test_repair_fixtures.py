"""Answers found on disk, about the plan beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec_lark import Severity
from tests.answers.scripted import answered
from tests.corpus import FIXTURES, each, expected_codes, find, read


@pytest.fixture(scope="module")
def plan() -> str:
    return read(FIXTURES / "repair" / "plan.md")


@each("repair/valid", ".txt")
def test_valid_answers_are_taken(path: Path, plan: str) -> None:
    done = answered(plan, read(path))
    assert [one for one in done.diagnostics if one.severity is Severity.ERROR] == []
    before, after = plan.split("\n"), done.text.split("\n")
    assert done.refused == ""
    if done.lines:
        assert [row for number, row in enumerate(before, 1) if number not in done.lines] == [
            row for row in after if row in before
        ]
    else:
        assert done.holds == ()


@each("repair/invalid", ".txt")
def test_invalid_answers_have_their_codes(path: Path, plan: str) -> None:
    done = answered(plan, read(path))
    assert [(found.line or 1, found.code) for found in done.diagnostics] == expected_codes(path)
    if any(found.severity is Severity.ERROR for found in done.diagnostics):
        assert done.text == plan


def test_every_answer_has_its_codes() -> None:
    assert {path.stem for path in find("repair/invalid", ".txt")} == {
        path.stem for path in find("repair/invalid", ".codes")
    }
    assert {code for path in find("repair/invalid", ".txt") for _, code in expected_codes(path)} == {
        "PM101",
        "PM102",
        "PM103",
        "PM104",
    }
