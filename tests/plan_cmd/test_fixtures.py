"""Every fixture runs every invariant."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import parse_plan_commands, scan_plan_commands, serialize_commands
from planspec_lark.answers import Verdict
from tests.cases import in_one_test
from tests.corpus import FIXTURES, each, expected_codes, find, read
from tests.reporting import told

VALID = each("plan_cmd/valid", ".txt")
INVALID = each("plan_cmd/invalid", ".txt")


def test_there_are_enough() -> None:
    assert len(find("plan_cmd/valid", ".txt")) >= 15
    assert len(find("plan_cmd/invalid", ".txt")) >= 15


def test_every_invalid_text_has_its_codes() -> None:
    texts = {path.stem for path in find("plan_cmd/invalid", ".txt")}
    codes = {path.stem for path in find("plan_cmd/invalid", ".codes")}
    assert texts == codes
    strays = [path for path in (FIXTURES / "plan_cmd").rglob("*.*") if path.suffix not in (".txt", ".codes")]
    assert not strays


def test_canonical_text(snapshot: SnapshotAssertion) -> None:
    """Of those that are not canonical as they are."""
    texts = {path.stem: read(path) for path in find("plan_cmd/valid", ".txt")}
    printed = {name: serialize_commands(parse_plan_commands(text)) for name, text in texts.items()}
    assert "\n".join(f"{name}\n{text}" for name, text in printed.items() if text != texts[name]) == snapshot


@VALID
def test_canonical_text_reads_back(path: Path) -> None:
    commands = parse_plan_commands(read(path))
    text = serialize_commands(commands)
    assert parse_plan_commands(text) == commands
    assert serialize_commands(parse_plan_commands(text)) == text


@VALID
def test_nothing_is_complained_about(path: Path) -> None:
    assert scan_plan_commands(read(path)).diagnostics == []


@VALID
def test_a_text_with_nothing_but_commands_is_accepted(path: Path) -> None:
    scan = scan_plan_commands(read(path))
    assert scan.verdict is (Verdict.ACCEPTED if scan.commands else Verdict.REFUSED)


@VALID
def test_scanning_finds_the_same_with_positions(path: Path) -> None:
    text = read(path)
    scan = scan_plan_commands(text)
    assert scan.commands == parse_plan_commands(text)
    for command, span in zip(scan.commands, scan.spans, strict=True):
        piece = text[span.start :]
        assert piece.startswith("PLAN_CMD:")
        assert parse_plan_commands(piece)[0] == command
        assert parse_plan_commands(text[span.end :]) == scan.commands[scan.commands.index(command) + 1 :]


@in_one_test
@VALID
@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_line_ends_do_not_matter(path: Path, line_end: str) -> None:
    text = read(path)
    same = text.replace("\r\n", "\n").replace("\n", line_end)
    assert parse_plan_commands(same) == parse_plan_commands(text)


@VALID
def test_the_parser_and_the_transformer_say_the_same(path: Path) -> None:
    assert parse_plan_commands(read(path), accelerate=False) == parse_plan_commands(read(path))


@in_one_test
@INVALID
def test_the_parser_refuses_the_same(path: Path) -> None:
    assert parse_plan_commands(read(path), accelerate=False) == parse_plan_commands(read(path))


@in_one_test
@INVALID
def test_codes(path: Path) -> None:
    found = scan_plan_commands(read(path)).diagnostics
    assert [(one.line, one.code) for one in found] == expected_codes(path)


def test_messages(snapshot: SnapshotAssertion) -> None:
    paths = find("plan_cmd/invalid", ".txt")
    assert "\n".join(f"{path.stem}\n{told(scan_plan_commands(read(path)).diagnostics)}" for path in paths) == snapshot


@in_one_test
@INVALID
def test_what_is_wrong_is_skipped(path: Path) -> None:
    text = read(path)
    spans = [found.span for found in scan_plan_commands(text).diagnostics if found.span]
    # A span that ends where a line begins does not touch that line.
    named = {
        line for span in spans for line in range(span.line, max(span.end_line - (span.end_column == 1), span.line) + 1)
    }
    kept = [line for number, line in enumerate(text.split("\n"), start=1) if number not in named]
    assert parse_plan_commands(text) == parse_plan_commands("\n".join(kept))


@in_one_test
@INVALID
def test_fixes_fix(path: Path) -> None:
    """A fix in place of its line makes a command of it, and no other finding of that line is left."""
    text = read(path)
    for found in scan_plan_commands(text).diagnostics:
        if found.fix is not None:
            span = found.fix.span
            fixed = scan_plan_commands(text[: span.start] + found.fix.text + text[span.end :])
            assert found.line not in {one.line for one in fixed.diagnostics}
            assert found.line in {span.line for span in fixed.spans}
