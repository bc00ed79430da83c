"""Diagnostics for machines."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import Diagnostic, Severity, check_text, scan_plan
from planspec_lark.syntax import CODES, Limits, Source
from planspec_lark.syntax.machine_reports import count_severities
from planspec_lark.syntax.safe_text import visible
from tests.cases import in_one_test
from tests.corpus import each
from tests.reporting import to_github, to_json, to_sarif

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


@pytest.mark.parametrize("name", ["\x1b[31m.md", "\u009b.md", "\u202e.md", "a\nb", "\udcff.md", '"\\'])
def test_json_of_any_name(name: str) -> None:
    encoded = to_json([_at(name)], [name])
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", encoded)
    value = json.loads(encoded)
    assert value["files"] == [value["diagnostics"][0]["file"]] == [name]


# ---------------------------------------------------------------- GitHub


def test_github(snapshot: SnapshotAssertion) -> None:
    assert to_github(FOUND) == snapshot


def test_github_of_nothing() -> None:
    assert to_github([]) == ""


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


def test_github_says_what_to_write() -> None:
    (line,) = [line for line in to_github(FOUND).split("\n") if "PS111" in line]
    _, _, message = _read_command(line)
    assert message.endswith("\nwrite: 1. [x] [act] one")


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


# ---------------------------------------------------------------- SARIF


def _check_sarif(encoded: str) -> dict[str, Any]:
    """What a log has to have, written down from the standard (SARIF 2.1.0, sections 3.13 to 3.59)."""
    log: dict[str, Any] = json.loads(encoded)
    assert set(log) == {"$schema", "version", "runs"}
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    assert set(run) == {"tool", "columnKind", "results"}
    assert run["columnKind"] == "unicodeCodePoints"
    driver = run["tool"]["driver"]
    assert driver["name"] == "planspec"
    ids = [rule["id"] for rule in driver["rules"]]
    assert ids == list(CODES)
    for rule in driver["rules"]:
        assert re.fullmatch(r"[A-Z][A-Za-z0-9]*", rule["name"])
        assert rule["shortDescription"]["text"].endswith(".")
        assert rule["defaultConfiguration"]["level"] in ("error", "warning", "note")
    for result in run["results"]:
        assert set(result) <= {"ruleId", "ruleIndex", "level", "message", "locations", "fixes", "properties"}
        assert ids[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning", "note")
        assert result["message"]["text"]
        for location in result["locations"]:
            _check_region(location["physicalLocation"]["region"])
            _check_uri(location["physicalLocation"]["artifactLocation"]["uri"])
        for fix in result.get("fixes", []):
            for change in fix["artifactChanges"]:
                _check_uri(change["artifactLocation"]["uri"])
                assert change["replacements"]
                for replacement in change["replacements"]:
                    _check_region(replacement["deletedRegion"])
                    assert isinstance(replacement["insertedContent"]["text"], str)
    return log


def _check_region(region: dict[str, int]) -> None:
    assert set(region) == {"startLine", "startColumn", "endLine", "endColumn"}
    assert min(region.values()) >= 1
    assert (region["startLine"], region["startColumn"]) <= (region["endLine"], region["endColumn"])


def _check_uri(uri: str) -> None:
    assert re.fullmatch(r"(?:[A-Za-z0-9._~/-]|%[0-9A-F]{2})+", uri)


def test_sarif_of_nothing() -> None:
    log = _check_sarif(to_sarif([], "1.2.3"))
    assert log["runs"][0]["results"] == []
    assert log["runs"][0]["tool"]["driver"]["version"] == "1.2.3"


def test_sarif(snapshot: SnapshotAssertion) -> None:
    assert _check_sarif(to_sarif(FOUND, "1.2.3"))["runs"][0]["results"] == snapshot


@each("planspec/invalid", ".md")
def test_every_sarif_log(path: Path) -> None:
    text = path.read_bytes().decode("utf-8", "replace")
    found = check_text(text, name=path.name)
    results = _check_sarif(to_sarif(found, "1"))["runs"][0]["results"]
    for result, one in zip(results, found, strict=True):
        assert one.span is not None
        (location,) = result["locations"]
        assert _slice(text, location["physicalLocation"]["region"]) == text[one.span.start : one.span.end]
        if one.fix is not None:
            changes = result["fixes"][0]["artifactChanges"][0]["replacements"]
            for change, edit in zip(changes, one.fix.edits, strict=True):
                assert _slice(text, change["deletedRegion"]) == text[edit.span.start : edit.span.end]
                assert change["insertedContent"]["text"] == edit.text
            assert result["fixes"][0]["properties"] == {"safe": one.fix.is_safe}
        assert result.get("properties", {}).get("provisional", False) == one.is_provisional


def test_sarif_without_a_source() -> None:
    (result,) = json.loads(to_sarif([Diagnostic("PS201", "m", Severity.ERROR)], "1"))["runs"][0]["results"]
    assert "locations" not in result


def test_sarif_without_a_place() -> None:
    found = Diagnostic("PS201", "m", Severity.ERROR, source=Source("", "it.md"))
    (result,) = json.loads(to_sarif([found], "1"))["runs"][0]["results"]
    assert result["locations"] == [{"physicalLocation": {"artifactLocation": {"uri": "it.md"}}}]


@pytest.mark.parametrize(
    "name", ["a b.md", "a:b.md", "100%.md", "中.md", "a#b?c.md", "dir/it.md", "<stdin>", "a\nb\x1b"]
)
def test_sarif_names(name: str) -> None:
    log = _check_sarif(to_sarif([_at(name)], "1"))
    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote(uri) == name


def test_sarif_of_a_name_that_is_no_utf_8() -> None:
    _check_sarif(to_sarif([_at("\udcff.md")], "1"))


def test_sarif_has_no_raw_controls() -> None:
    found = Diagnostic("PS101", "a\x1b[31m\u009b\u202e\u2028b", Severity.ERROR)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028]", to_sarif([found], "1"))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda log: log["runs"][0]["results"][0].update(ruleIndex=0, ruleId="PS999"),
        lambda log: log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"].update(startColumn=0),
        lambda log: log.update(version="2.0.0"),
    ],
)
def test_the_check_of_sarif_can_fail(spoil: Any) -> None:
    log = json.loads(to_sarif(FOUND, "1"))
    _check_sarif(json.dumps(log))
    spoil(log)
    with pytest.raises(AssertionError):
        _check_sarif(json.dumps(log))


# ---------------------------------------------------------------- hostile input


def test_json_does_not_repeat_a_long_line_with_every_finding_in_it() -> None:
    text = f"Goal: g\n## Steps\n1. [act] a → {', '.join(f'o{number}' for number in range(2000))}\n2. [act] b → c\n"
    rows = json.loads(to_json(check_text(text, limits=Limits(max_findings=None)), []))["diagnostics"]
    assert len(rows) == 2000
    assert {row["source_line"] for row in rows} == {text.split("\n")[2][:500] + "…"}
    assert _slice(text, {"startLine": 3, "endLine": 3, **_region(rows[-1]["span"])}) == "o1999"


def _region(span: dict[str, int]) -> dict[str, int]:
    return {"startColumn": span["column"], "endColumn": span["end_column"]}


def test_json_does_not_repeat_a_long_id_with_every_finding_of_its_step() -> None:
    step_id = ".".join("1" * 1000)
    outputs = ", ".join(f"o{number}" for number in range(2000))
    text = f"Goal: g\n## Steps\n{step_id}. [act] a → {outputs}\n2. [act] b → c\n"
    rows = json.loads(to_json(check_text(text), []))["diagnostics"]
    assert {row["step_id"] for row in rows} == {step_id[:500] + "…"}
    assert max(len(row["message"]) for row in rows if row["code"] == "PS309") < 300


@pytest.mark.parametrize(("name", "uri"), [("a\ud800", "a%EF%BF%BD"), ("a\udcff", "a%FF"), ("ü b", "%C3%BC%20b")])
def test_sarif_takes_any_name(name: str, uri: str) -> None:
    (result,) = json.loads(to_sarif([_at(name)], "1"))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri
