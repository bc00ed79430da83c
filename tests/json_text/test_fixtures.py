"""Every fixture runs every invariant."""

from __future__ import annotations

import json
from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from planspec_lark import Severity
from planspec_lark.json_text import read_json, scan_json
from planspec_lark.syntax import grammars
from tests.cases import in_one_test
from tests.corpus import FIXTURES, each, expected_codes, find, read

VALID = each("json_text/valid", ".json")
INVALID = each("json_text/invalid", ".txt")
ANSWERS = each("json_text/answers", ".md")


def test_every_invalid_text_has_its_codes() -> None:
    texts = {path.stem for path in find("json_text/invalid", ".txt")}
    codes = {path.stem for path in find("json_text/invalid", ".codes")}
    assert texts == codes
    strays = [p for p in (FIXTURES / "json_text").rglob("*.*") if p.suffix not in (".json", ".txt", ".md", ".codes")]
    assert not strays


def test_every_code_is_expected_somewhere() -> None:
    from planspec_lark.syntax import CODES

    expected = {code for path in find("json_text/invalid", ".txt") for _, code in expected_codes(path)}
    assert expected == {code for code in CODES if code.startswith("PJ")}


@VALID
def test_a_valid_text_reads_as_elsewhere(path: Path) -> None:
    text = read(path)
    expected = json.loads(text.removeprefix("\ufeff"))
    for found in (read_json(text), scan_json(text)):
        assert found.diagnostics == []
        assert json.dumps(found.value) == json.dumps(expected)


@VALID
def test_a_valid_text_is_the_tokens_of_its_tree(path: Path) -> None:
    text = read(path)
    tree = grammars.parser("json_text").parse(text, start="text")
    assert "".join(tree.scan_values(lambda value: value is not None)) == text


@in_one_test
@INVALID
def test_codes(path: Path) -> None:
    found = read_json(read(path)).diagnostics
    assert [(one.line, one.code) for one in found] == expected_codes(path)
    assert all(one.severity is Severity.ERROR for one in found)


def told(text: str) -> str:
    """What a scan makes of a text: the value, and a line for each finding: the text at its place, and its fix."""
    found = scan_json(text)
    rows = [json.dumps(found.value, ensure_ascii=False) if found.has_value else "no value"]
    for one in found.diagnostics:
        assert one.span is not None
        place = ascii(text[one.span.start : one.span.end][:40])
        fix = "" if one.fix is None else f" → {one.fix.text!a}"
        said = "; ".join([one.message, *one.expected, *filter(None, [one.help])])
        rows.append(f"{one.line}:{one.column} {one.severity.value}[{one.code}] {one.path} {place}{fix}: {said}")
    return "\n".join(rows)


@INVALID
def test_what_a_scan_makes_of_it(path: Path, snapshot: SnapshotAssertion) -> None:
    assert told(read(path)) == snapshot


@in_one_test
@INVALID
def test_fixes_fix(path: Path) -> None:
    """A fix in its place leaves fewer findings, and none of that code there."""
    text = read(path)
    before = scan_json(text)
    for one in before.diagnostics:
        if one.fix is not None and one.severity is not Severity.INFO:
            span = one.fix.span
            after = scan_json(text[: span.start] + one.fix.text + text[span.end :])
            assert len(after.diagnostics) < len(before.diagnostics), one
            if "PJ118" not in {found.code for found in before.diagnostics}:  # what was left out may be more than text
                assert after.has_value == before.has_value
                assert not after.has_value or json.dumps(after.value) == json.dumps(before.value), one


@ANSWERS
def test_answers(path: Path, snapshot: SnapshotAssertion) -> None:
    assert told(read(path)) == snapshot


@ANSWERS
def test_nothing_of_an_answer_is_lost_in_silence(path: Path) -> None:
    """Whatever stands outside of the value's place is named, and so is whatever is missing inside of it."""
    text = read(path)
    found = scan_json(text)
    covered = [one.span for one in found.diagnostics if one.span]
    covered += [found.span(())] if found.has_value else []
    named = "".join(
        char if not any(span.start <= at < span.end for span in covered) else " " for at, char in enumerate(text)
    )
    assert not found.has_value or not named.strip()
