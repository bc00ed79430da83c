"""`planspec check` with `--fix`, `--unsafe-fixes` and `--diff`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from planspec_lark import PlanFile, fix_text
from tests.cli.running import BROKEN, PLAN, run

FAULTY = "Hello:\n## Steps\n1) [act] Ask → a\n2. [act] Go → b\n  > ← a\nGoal: g\n"
SAFE = "Hello:\nGoal: g\n## Steps\n1. [act] Ask → a\n2. [act] Go → b\n  > ← a\n"
ALL = SAFE.removeprefix("Hello:\n")


@pytest.fixture(autouse=True)
def files(here: Path) -> None:
    (here / "faulty.md").write_text(FAULTY, encoding="utf-8")


def text_of(name: str) -> str:
    return Path(name).read_text(encoding="utf-8")


def test_safe_fixes_are_written_and_what_is_left_is_reported() -> None:
    result = run("check", "--fix", "faulty.md")
    assert text_of("faulty.md") == SAFE
    assert result.exit_code == 1
    assert result.stdout.startswith("error[PS101]: this line is not part of a plan\n --> faulty.md:1:1\n")
    assert result.stderr == (
        "fixed   PS110  faulty.md:3: 1) [act] Ask → a  ⇒  1. [act] Ask → a\n"
        "fixed   PS106  faulty.md:6: move the goal up, before line 2: Goal: g\n"
        "faulty.md: 2 faults fixed; 1 more with --unsafe-fixes\n"
    )


@pytest.mark.parametrize("options", [["--unsafe-fixes"], ["--fix", "--unsafe-fixes"]])
def test_unsafe_fixes_are_written_as_well(options: list[str]) -> None:
    result = run("check", *options, "faulty.md")
    assert text_of("faulty.md") == ALL
    assert result.exit_code == 0
    assert result.stderr.endswith("unsafe  PS101  faulty.md:1: remove this line: Hello:\nfaulty.md: 3 faults fixed\n")


# An input from nowhere is an info that has to be asked for, and so is a short description, by its name.
INFOS = "Goal: x\n## Steps\n1) [act] one\n> ← a, b, c\n2. [subtask] two\n"


def test_infos_that_are_not_told_take_no_place_of_what_is_left() -> None:
    result = run("check", "--fix", "--max-findings", "1", "-", stdin=INFOS)
    assert "warning[PS206]" in result.stderr
    assert result.stderr.splitlines()[-1] == "1 file checked: 1 warning"


def test_of_infos_that_are_left_those_are_told_that_are_asked_for_by_name() -> None:
    result = run("check", "--fix", "--also", "PS315", "-", stdin=INFOS)
    assert ("PS307" in result.stderr, result.stderr.count("info[PS315]")) == (False, 2)
    assert result.stderr.splitlines()[-1] == "1 file checked: 1 warning, 2 infos"
    assert "PS307" in run("check", "--fix", "--also", "PS315", "--info", "-", stdin=INFOS).stderr


def test_the_exit_code_is_by_what_is_left() -> None:
    Path("warned.md").write_text("Goal: g\n## Steps\n1) [subtask] Ask → a\n", encoding="utf-8")
    assert run("check", "--fix", "warned.md").exit_code == 0
    assert run("check", "--fix", "--strict", "warned.md").exit_code == 1
    assert run("check", "--fix", "faulty.md", "plan.md").exit_code == 1
    assert run("check", "--fix", "missing.md", "plan.md").exit_code == 2


@pytest.mark.parametrize("options", [["--diff"], ["--diff", "--fix"], ["--diff", "--unsafe-fixes"]])
def test_a_difference_writes_nothing(options: list[str]) -> None:
    result = run("check", *options, "faulty.md", "plan.md")
    assert text_of("faulty.md") == FAULTY
    assert result.exit_code == 1
    assert result.stdout.startswith("--- a/faulty.md\n+++ b/faulty.md\n@@ ")
    assert ("-Hello:\n" in result.stdout) == ("--unsafe-fixes" in options)
    assert "plan.md" not in result.stdout


def test_a_difference_says_what_would_be_fixed() -> None:
    said = [
        "would fix  PS110  faulty.md:3: 1) [act] Ask → a  ⇒  1. [act] Ask → a",
        "would fix  PS106  faulty.md:6: move the goal up, before line 2: Goal: g",
    ]
    result = run("check", "--fix", "--diff", "faulty.md")
    assert result.stderr.splitlines() == [*said, "faulty.md: 2 faults would be fixed; 1 more with --unsafe-fixes"]
    result = run("check", "--unsafe-fixes", "--diff", "faulty.md")
    assert result.stderr.splitlines() == [
        *said,
        "unsafe     PS101  faulty.md:1: remove this line: Hello:",
        "faulty.md: 3 faults would be fixed",
    ]


def test_a_difference_of_what_stays() -> None:
    result = run("check", "--diff", "plan.md")
    assert (result.exit_code, result.stdout) == (0, "")
    assert run("check", "--diff", "plan.md", "missing.md").exit_code == 2


def test_what_has_nothing_to_fix_is_not_touched() -> None:
    os.utime("broken.md", (1_000_000_000, 1_000_000_000))
    Path("broken.md").write_text(fix_text(BROKEN).text, encoding="utf-8")
    os.utime("broken.md", (1_000_000_000, 1_000_000_000))
    run("check", "--fix", "broken.md")
    assert Path("broken.md").stat().st_mtime == 1_000_000_000


def test_from_standard_input_to_standard_output() -> None:
    result = run("check", "--fix", "-", stdin=FAULTY)
    assert (result.exit_code, result.stdout) == (1, SAFE)
    assert "error[PS101]" in result.stderr
    assert "\n1 file checked: 1 error" in result.stderr
    result = run("check", "--unsafe-fixes", "-", stdin=FAULTY)
    assert (result.exit_code, result.stdout) == (0, ALL)


def test_a_report_for_machines_is_about_what_is_left() -> None:
    result = run("check", "--fix", "--format", "json", "faulty.md")
    report = json.loads(result.stdout)
    assert [row["code"] for row in report["diagnostics"] if row["severity"] == "error"] == ["PS101"]
    assert text_of("faulty.md") == SAFE


def test_a_report_for_machines_lists_what_was_fixed() -> None:
    result = run("check", "--unsafe-fixes", "--format", "json", "faulty.md", "plan.md")
    assert json.loads(result.stdout)["fixed"] == [
        {
            "file": "faulty.md",
            "code": code,
            "line": line,
            "message": message,
            "is_safe": is_safe,
        }
        for code, line, message, is_safe in [
            ("PS110", 3, "`1)` is not an id with a dot after it", True),
            ("PS106", 6, "the goal is out of order", True),
            ("PS101", 1, "this line is not part of a plan", False),
        ]
    ]
    assert json.loads(run("check", "--fix", "--format", "json", "plan.md").stdout)["fixed"] == []
    assert "fixed" not in json.loads(run("check", "--format", "json", "plan.md").stdout)


@pytest.mark.parametrize("arguments", [["--fix", "-"], ["--diff", "faulty.md"]])
def test_standard_output_has_one_use(arguments: list[str]) -> None:
    result = run("check", "--format", "json", *arguments, stdin=FAULTY)
    assert result.exit_code == 2
    assert "--format" in result.stderr


def test_limits_hold() -> None:
    result = run("check", "--fix", "--max-bytes", "10", "faulty.md")
    assert result.exit_code == 1
    assert "PS121" in result.stdout
    assert text_of("faulty.md") == FAULTY


@pytest.mark.parametrize("option", ["--fix", "--unsafe-fixes", "--diff"])
def test_a_file_that_is_no_plan_stays(option: str) -> None:
    text = "# Notes\nWe met on Monday.\nAnna was late.\n## Steps\n1) [act] Go\n## Open\nCake\nBye\nAnna\n"
    Path("notes.md").write_text(text, encoding="utf-8")
    result = run("check", option, "notes.md", "plan.md")
    assert result.exit_code == (0 if option == "--diff" else 1)
    assert "notes.md: left as it is: 5 of its 9 lines are not part of a plan" in result.stderr
    assert "unsafe" not in result.stderr
    assert text_of("notes.md") == text


def test_what_is_no_utf_8_stays() -> None:
    Path("bytes.md").write_bytes(b"Goal: \xff\n1) [act] a\n")
    for option in ("--fix", "--diff"):
        result = run("check", option, "bytes.md")
        assert result.exit_code == 1
        assert "PS119" in result.stdout + result.stderr
    assert Path("bytes.md").read_bytes() == b"Goal: \xff\n1) [act] a\n"


def test_the_plan_of_a_run_is_waited_for() -> None:
    with PlanFile("faulty.md").leased():
        result = run("check", "--fix", "--wait", "0", "faulty.md")
    assert (result.exit_code, text_of("faulty.md")) == (2, FAULTY)
    assert "another process runs this plan" in result.stderr


def test_line_breaks_stay() -> None:
    Path("windows.md").write_bytes(PLAN.replace("1. ", "1) ", 1).replace("\n", "\r\n").encode())
    run("check", "--fix", "windows.md")
    assert Path("windows.md").read_bytes() == PLAN.replace("\n", "\r\n").encode()
