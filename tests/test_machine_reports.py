"""Diagnostics for machines."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import Diagnostic, Severity, check_text, scan_plan
from planspec_lark.syntax import CODES, Limits, Source
from planspec_lark.syntax.machine_reports import count_severities
from planspec_lark.syntax.safe_text import visible
from tests.cases import in_one_test
from tests.corpus import each
from tests.reporting import to_github, to_json

TEXT = "# Plan: p\nGoal: g\n## Steps\n1. [X] [act] one\n2. two\n```\n"
FOUND = check_text(TEXT, name="it.md")

COMMAND = re.compile(r"::(error|warning|notice) ((?:[a-zA-Z]+=[^,:\r\n]*,?)+)::([^\r\n]*)")


def _unquote(text: str) -> str:
    return text.replace("%3A", ":").replace("%2C", ",").replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def _read_command(line: str) -> tuple[str, dict[str, str], str]:
    """A workflow command as a runner reads it."""
    match = COMMAND.fullmatch(line)
    assert match, line
    properties = dict(part.split("=", 1) for part in match[2].split(","))
    return match[1], {key: _unquote(value) for key, value in properties.items()}, _unquote(match[3])


def _slice(text: str, region: dict[str, int]) -> str:
    """What a SARIF region or a span of the JSON report names."""
    rows = text.split("\n")
    first, last = region["startLine"] - 1, region["endLine"] - 1
    if first == last:
        return rows[first][region["startColumn"] - 1 : region["endColumn"] - 1]
    inner = [rows[first][region["startColumn"] - 1 :], *rows[first + 1 : last], rows[last][: region["endColumn"] - 1]]
    return "\n".join(inner)


def _at(name: str, **more: Any) -> Diagnostic:
    source = Source("text\n", name)
    return Diagnostic("PS101", "message", Severity.ERROR, source.span(0, 4), source=source, **more)


# ---------------------------------------------------------------- summaries


def test_summary() -> None:
    assert count_severities([]) == {"error": 0, "warning": 0, "info": 0}
    assert count_severities(FOUND) == {"error": 3, "warning": 0, "info": 0}
    assert sum(count_severities(scan_plan(TEXT).diagnostics).values()) == len(scan_plan(TEXT).diagnostics)


# ---------------------------------------------------------------- JSON


def test_json(snapshot: SnapshotAssertion) -> None:
    assert to_json(FOUND, ["it.md"]) == snapshot


@in_one_test
@each("planspec/invalid", ".md")
def test_json_says_where(path: Path) -> None:
    text = path.read_bytes().decode("utf-8", "replace")
    for row in json.loads(to_json(check_text(text), []))["diagnostics"]:
        span = row["span"]
        assert row["name"] == CODES[row["code"]].name
        assert text[: span["start"]].count("\n") + 1 == span["line"]
        assert span["start"] - text[: span["start"]].rfind("\n") == span["column"]
        assert text[: span["end"]].count("\n") + 1 == span["end_line"]
        assert span["end"] - text[: span["end"]].rfind("\n") == span["end_column"]
        assert row["fix"] is None or row["fix_edits"] == [row["fix"]]
        assert (row["fix_safe"] is None) == (not row["fix_edits"])
        if row["fix_edits"]:
            fixed = text
            for edit in reversed(row["fix_edits"]):
                fixed = fixed[: edit["span"]["start"]] + edit["text"] + fixed[edit["span"]["end"] :]
            left = check_text(fixed)
            same = [d for d in left if d.code == row["code"]]
            assert (row["code"], span["line"]) not in [(d.code, d.line) for d in left] or len(same) < len(
                [d for d in check_text(text) if d.code == row["code"]]
            )


def test_json_without_a_place() -> None:
    row = json.loads(to_json([Diagnostic("PS201", "m", Severity.ERROR)], []))["diagnostics"][0]
    assert row == {
        "file": None,
        "code": "PS201",
        "name": "no-steps",
        "severity": "error",
        "message": "m",
        "span": None,
        "expected": [],
        "help": "",
        "fix": None,
        "fix_edits": [],
        "fix_safe": None,
        "fix_title": "",
        "provisional": False,
        "step_id": None,
        "path": None,
        "source_line": "",
    }


# ---------------------------------------------------------------- GitHub


def test_github(snapshot: SnapshotAssertion) -> None:
    assert to_github(FOUND) == snapshot


def test_github_severities() -> None:
    found = [Diagnostic("PS101", "m", severity) for severity in Severity]
    kinds = [_read_command(line)[0] for line in to_github(found).split("\n")]
    assert kinds == ["error", "warning", "notice"]


@pytest.mark.parametrize(
    "name", ["a:b.md", "a,b.md", "100%.md", "%3A%2C%25", "a\nb.md", "a=b.md", "::error::x", "a::b"]
)
def test_github_names(name: str) -> None:
    kind, properties, message = _read_command(to_github([_at(name)]))
    assert (kind, message) == ("error", "message")
    assert properties == {
        "file": name,
        "line": "1",
        "col": "1",
        "endLine": "1",
        "endColumn": "5",
        "title": "PS101 unknown-line",
    }


@pytest.mark.parametrize("text", ["50% done", "%0A", "a\nb", "::error::x", "a:b,c", "\n::stop-commands::x\n"])
def test_github_messages(text: str) -> None:
    found = Diagnostic("PS101", text, Severity.ERROR, help=text)
    _, properties, message = _read_command(to_github([found]))
    assert message == f"{text}\n{text}"
    assert properties == {"title": "PS101 unknown-line"}


def test_github_across_lines() -> None:
    """An end in another line has no column: a runner would refuse it."""
    source = Source("one\ntwo\n", "it.md")
    found = Diagnostic("PS103", "m", Severity.ERROR, source.span(1, 6), source=source)
    _, properties, _ = _read_command(to_github([found]))
    assert (properties["line"], properties["endLine"]) == ("1", "2")
    assert "endColumn" not in properties


@pytest.mark.parametrize("char", ["\x1b", "\u009b", "\u202e", "\r", "\x00"])
def test_github_shows_no_controls(char: str) -> None:
    found = Diagnostic("PS101", f"a{char}b", Severity.ERROR, source=Source("", f"c{char}d"))
    assert char not in to_github([found])


@in_one_test
@each("planspec/invalid", ".md")
def test_every_github_line_can_be_read(path: Path) -> None:
    found = check_text(path.read_bytes().decode("utf-8", "replace"), name=path.name)
    lines = to_github(found).split("\n") if found else []
    assert len(lines) == len(found)
    for line, one in zip(lines, found, strict=True):
        kind, properties, message = _read_command(line)
        assert kind == {"error": "error", "warning": "warning", "info": "notice"}[one.severity.value]
        assert properties["title"].split(" ")[0] == one.code
        assert properties["line"] == str(one.line)
        assert message.startswith(visible(one.message))


# ---------------------------------------------------------------- hostile input


def test_json_does_not_repeat_a_long_line_with_every_finding_in_it() -> None:
    text = f"Goal: g\n## Steps\n1. [act] a → {', '.join(f'o{number}' for number in range(2000))}\n2. [act] b → c\n"
    rows = json.loads(to_json(check_text(text, limits=Limits(max_findings=None)), []))["diagnostics"]
    assert len(rows) == 2000
    assert {row["source_line"] for row in rows} == {text.split("\n")[2][:500] + "…"}
    assert _slice(text, {"startLine": 3, "endLine": 3, **_region(rows[-1]["span"])}) == "o1999"


def _region(span: dict[str, int]) -> dict[str, int]:
    return {"startColumn": span["column"], "endColumn": span["end_column"]}
