"""Every fixture runs every invariant. A file's name begins with the phase that its text is for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import Severity, render_all
from planspec_lark.plan_next import (
    MessageError,
    Phase,
    PlanNext,
    PlanType,
    message_to_json,
    parse_message,
    scan_message,
)
from planspec_lark.plan_next.conversion import message_to_value
from planspec_lark.syntax import CODES
from tests.cases import in_one_test
from tests.corpus import FIXTURES, each, expected_codes, find, read
from tests.plan_next.test_schema import SCHEMAS, STRICT, STRICT_SCHEMAS, STRUCTURAL, structural

VALID = each("plan_next/valid", ".json")
INVALID = each("plan_next/invalid", ".txt")
ANSWERS = each("plan_next/answers", ".md")
# Their messages are the same as those of the Chinese ones.
ENGLISH = [path for path in find("plan_next/invalid", ".txt") if path.stem.endswith("_en")]


def phase_of(path: Path) -> Phase:
    return Phase(path.stem.partition("_")[0])


def test_there_are_all_kinds() -> None:
    messages = [parse_message(read(path), phase_of(path)) for path in find("plan_next/valid", ".json")]
    assert {one.plan_type for one in messages if isinstance(one, PlanNext)} == set(PlanType)
    for folder, suffix in (("valid", ".json"), ("invalid", ".txt"), ("answers", ".md")):
        paths = find(f"plan_next/{folder}", suffix)
        assert {phase_of(path) for path in paths} == set(Phase)
        assert {path.stem[-3:] for path in paths} == {"_zh", "_en"}


def test_every_invalid_text_has_its_codes() -> None:
    texts = {path.stem for path in find("plan_next/invalid", ".txt")}
    codes = {path.stem for path in find("plan_next/invalid", ".codes")}
    assert texts == codes
    strays = [p for p in (FIXTURES / "plan_next").rglob("*.*") if p.suffix not in (".json", ".txt", ".md", ".codes")]
    assert not strays


def test_every_code_of_a_message_is_expected_somewhere() -> None:
    expected = {code for path in find("plan_next/invalid", ".txt") for _, code in expected_codes(path)}
    assert {code for code in CODES if code.startswith(("PN1", "PN2"))} <= expected


@in_one_test
@VALID
def test_a_valid_message_is_its_json(path: Path) -> None:
    text = read(path)
    message = parse_message(text, phase_of(path))
    assert message.warnings == ()
    assert message_to_value(message) == json.loads(text.removeprefix("\ufeff"))
    scan = scan_message(text, phase_of(path))
    assert (scan.message, scan.diagnostics) == (message, [])


@in_one_test
@VALID
def test_the_other_phase_refuses_it(path: Path) -> None:
    (other,) = set(Phase) - {phase_of(path)}
    with pytest.raises(MessageError) as caught:
        parse_message(read(path), other)
    assert [found.code for found in caught.value.diagnostics] == ["PN201"]


@in_one_test
@VALID
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_line_ends_do_not_matter(path: Path, line_end: str) -> None:
    text = read(path)
    same = text.replace("\r\n", "\n").replace("\n", line_end)
    assert parse_message(same, phase_of(path)) == parse_message(text, phase_of(path))


@in_one_test
@INVALID
def test_codes(path: Path) -> None:
    with pytest.raises(MessageError) as caught:
        parse_message(read(path), phase_of(path))
    assert [(found.line, found.code) for found in caught.value.diagnostics] == expected_codes(path)


@in_one_test
@VALID
def test_the_schema_takes_it(path: Path) -> None:
    message = json.loads(read(path).removeprefix("\ufeff"))
    assert SCHEMAS[phase_of(path)].is_valid(message)
    assert STRICT_SCHEMAS[phase_of(path)].is_valid(message)


@pytest.mark.parametrize("path", ENGLISH, ids=lambda path: path.stem)
def test_messages(path: Path, snapshot: SnapshotAssertion) -> None:
    with pytest.raises(MessageError) as caught:
        parse_message(read(path), phase_of(path), name=path.name)
    assert render_all(caught.value.diagnostics) == snapshot


@in_one_test
@INVALID
@pytest.mark.parametrize("phase", Phase, ids=lambda phase: phase.value)
def test_a_scan_never_raises(path: Path, phase: Phase) -> None:
    """It gives a message unless there is an error, and complains about whatever strict reading refuses."""
    scan = scan_message(read(path), phase)
    assert (scan.message is None) == any(found.severity is Severity.ERROR for found in scan.diagnostics)
    assert scan.diagnostics or phase is not phase_of(path)


@in_one_test
@INVALID
def test_what_the_schema_refuses(path: Path) -> None:
    """A text that is JSON and has a structural fault is refused by the schema, any other is not."""
    codes = {code for _, code in expected_codes(path)}
    if not any(code.startswith("PJ") for code in codes):
        message, phase = json.loads(read(path)), phase_of(path)
        assert STRICT_SCHEMAS[phase].is_valid(message) == (not codes & (STRUCTURAL | STRICT))
        assert SCHEMAS[phase].is_valid(message) == (structural(message, phase) == [])


@ANSWERS
def test_answers(path: Path, snapshot: SnapshotAssertion) -> None:
    """What is taken out of an answer, and each repair; none is a message as it stands."""
    phase = phase_of(path)
    scan = scan_message(read(path), phase, name=path.name)
    found = [f"{one.line}: {one.severity.value}[{one.code}]: {one.message}" for one in scan.diagnostics]
    message = "no message" if scan.message is None else message_to_json(scan.message, indent=None)
    assert "\n".join([message, *dict.fromkeys(found)]) == snapshot
    assert scan.message is None or parse_message(message, phase) == scan.message
    with pytest.raises(MessageError):
        parse_message(read(path), phase)
