"""`planspec hopspec`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planspec_lark import parse_plan
from planspec_lark.hopspec import parse_hopspec, serialize_hopspec
from tests.cli.running import run
from tests.corpus import FIXTURES, read

VALID = FIXTURES / "hopspec" / "valid"
GOOD = serialize_hopspec(parse_hopspec(read(VALID / "zh_one_step.md")))
BAD = GOOD.replace("- 类型：LLM", "* 类型：LLM")
LOOP = read(VALID / "zh_for_each_loop.md")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "spec.md"
    path.write_text(BAD, encoding="utf-8")
    return path


def test_check_leaves_with_what_it_finds(file: Path) -> None:
    found = run("hopspec", "check", str(file))
    assert (found.exit_code, "error[HS109]" in found.stdout) == (1, True)
    assert run("hopspec", "check", "-", stdin=GOOD).exit_code == 0
    assert run("hopspec", "check", str(file.parent / "none.md")).exit_code == 2
    assert run("hopspec", "check", "-", "--max-steps", "1", stdin=GOOD).exit_code == 1


def test_check_writes_json(file: Path) -> None:
    told = json.loads(run("hopspec", "check", str(file), "--format", "json").stdout)
    assert [one["code"] for one in told["diagnostics"]] == ["HS109"]


def test_strict_lets_warnings_fail() -> None:
    text = GOOD.replace("sort_letters", "SortLetters")
    assert run("hopspec", "check", "-", stdin=text).exit_code == 0
    assert run("hopspec", "check", "--strict", "-", stdin=text).exit_code == 1


def test_infos_are_told_where_they_are_asked_for() -> None:
    text = GOOD.replace("- 核验：逆向\n", "")
    assert "HS224" not in run("hopspec", "check", "-", stdin=text).stdout
    assert "HS224" in run("hopspec", "check", "--info", "-", stdin=text).stdout


def test_infos_that_are_not_told_take_no_place_of_what_is_left() -> None:
    # The info comes first: a gap between numbers is found once all steps are known.
    text = BAD.replace("- 核验：逆向\n", "").replace("步骤2", "步骤3")
    result = run("hopspec", "check", "--fix", "--max-findings", "1", "-", stdin=text)
    assert "warning[HS218]" in result.stderr
    assert result.stderr.splitlines()[-1] == "1 file checked: 1 warning"


def test_fixes_are_shown_and_written(file: Path) -> None:
    shown = run("hopspec", "check", "--diff", str(file))
    assert (shown.exit_code, "+- 类型：LLM" in shown.stdout) == (1, True)
    assert file.read_text(encoding="utf-8") == BAD
    assert run("hopspec", "check", "--fix", str(file)).exit_code == 0
    assert file.read_text(encoding="utf-8") == GOOD
    assert run("hopspec", "check", "--fix", "-", stdin=BAD).stdout == GOOD


def test_fmt_writes_canonical_text_in_either_language(file: Path) -> None:
    assert run("hopspec", "fmt", str(file)).exit_code == 1
    file.write_text(GOOD.replace("：", ": "), encoding="utf-8")
    assert run("hopspec", "fmt", "--check", str(file)).exit_code == 1
    assert run("hopspec", "fmt", str(file)).exit_code == 0
    assert file.read_text(encoding="utf-8") == GOOD
    assert run("hopspec", "fmt", "--check", str(file)).exit_code == 0
    english = run("hopspec", "fmt", "--lang", "en", "-", stdin=GOOD)
    assert english.stdout == serialize_hopspec(parse_hopspec(GOOD), language="en")
    assert run("hopspec", "fmt", "--lang", "zh", "-", stdin=english.stdout).stdout == GOOD


def test_to_plan_and_back_tell_what_is_lost(tmp_path: Path) -> None:
    plan = run("hopspec", "to-plan", "-", stdin=LOOP)
    assert plan.exit_code == 0
    assert parse_plan(plan.stdout).steps[0].step_name == "each_letter"
    assert "lost: step 1: collection: letters\n" in plan.stderr
    out = tmp_path / "spec.md"
    done = run("hopspec", "from-plan", "-", "-o", str(out), stdin=plan.stdout)
    assert (done.exit_code, done.stderr) == (0, "")
    document = parse_hopspec(out.read_text(encoding="utf-8"))
    assert (document.language, document.steps[0].step_type) == ("zh", "subtask")
    english = run("hopspec", "from-plan", "--lang", "en", "-", stdin="## Steps\n1. [x] [act] 做 | 好\n")
    assert english.stdout.startswith("## Execution Flow\n")
    assert english.stderr == (
        "lost: step 1: result: 好\nlost: step 1: status: done\n<stdin>: 2 values without a place in the document\n"
    )


def test_what_cannot_be_converted_is_told() -> None:
    wrong = GOOD.replace("- 类型：LLM", "- 类型：robot")
    done = run("hopspec", "to-plan", "-", stdin=wrong)
    assert (done.exit_code, "robot" in done.stderr) == (2, True)
    assert run("hopspec", "to-plan", "-", stdin=BAD).exit_code == 1
    assert run("hopspec", "from-plan", "-", stdin="no plan\n").exit_code == 1


def test_standard_input_is_read_once() -> None:
    assert run("hopspec", "check", "-", "-", stdin=GOOD).exit_code == 2
