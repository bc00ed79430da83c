"""`planspec extract`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import extract_plan
from tests.cli.running import run

# With a type and a status that nobody can know.
ANSWER = """\
Here is the plan.

Goal：Open the bakery at six
## Steps
1) [act] Order the gas -> gas
2. [ok!] [act] Light the oven → heat
3. Bake the bread → bread

If the gas is late, stop.
"""
FIRST = ANSWER.replace("[ok!] ", "[x] ").replace("3. Bake", "3. [act] Bake")
TWO = "```\nGoal: g\n## Steps\n1. [act] a\n```\n\n```\nGoal: h\n## Steps\n1. [act] b\n```\n"


def test_extract_writes_the_plan_and_its_account(snapshot: SnapshotAssertion) -> None:
    result = run("extract", "-", stdin=FIRST)
    assert (result.exit_code, result.stdout) == (0, extract_plan(FIRST).text)
    assert result.stderr == snapshot


def test_extract_says_what_decides(snapshot: SnapshotAssertion) -> None:
    result = run("extract", "-", stdin=ANSWER)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == snapshot
    low = run("extract", "-", "--max-risk", "none", stdin=FIRST)
    assert (low.exit_code, low.stderr.endswith("; no plan was written (--max-risk low takes it)\n")) == (1, True)


@pytest.mark.parametrize(
    ("answer", "options", "plan"),
    [
        pytest.param(TWO, ["--choose", "first"], "Goal: g\n## Steps\n1. [act] a\n", id="the first"),
        pytest.param(TWO, ["--choose", "2"], "Goal: h\n## Steps\n1. [act] b\n", id="a number"),
        pytest.param(
            "## Steps\n1. [act] a\n", ["--goal", "Go home"], "Goal: Go home\n## Steps\n1. [act] a\n", id="a goal"
        ),
        pytest.param(
            "Goal: g\n## Steps\n1. [⏳] [act] a\n2. [🌀] [act] b\n",
            ["--sign", "⏳=active", "--sign", "🌀=skipped"],
            "Goal: g\n## Steps\n1. [>] [act] a\n2. [~] [act] b\n",
            id="signs",
        ),
        pytest.param("2.1. [act] a\n", ["--below", "2"], "## Steps\n2.1. [act] a\n", id="below a step"),
        pytest.param(
            "```\nGoal: g\n## Steps\n1. [act] a\n2. [act] b",
            ["--allow-truncated"],
            "Goal: g\n## Steps\n1. [act] a\n",
            id="without its end",
        ),
    ],
)
def test_extract_is_told_what_the_answer_leaves_out(answer: str, options: list[str], plan: str) -> None:
    assert run("extract", "-", stdin=answer).exit_code == 1
    result = run("extract", "-", *options, stdin=answer)
    assert (result.exit_code, result.stdout) == (0, plan)


def test_extract_with_remarks_in_review() -> None:
    result = run("extract", "-", "--review-remarks", stdin=FIRST)
    assert (result.exit_code, result.stdout) == (1, "")
    assert (
        "<stdin>: line 1: this text stands outside the plan (and 1 other finding); no plan was written" in result.stderr
    )


@pytest.mark.parametrize("options", [["--choose", "0"], ["--choose", "best"], ["--sign", "⏳"], ["--sign", "⏳=busy"]])
def test_extract_refuses_wrong_options(options: list[str]) -> None:
    assert run("extract", "-", *options, stdin=FIRST).exit_code == 2


def test_extract_to_a_file() -> None:
    result = run("extract", "-", "-o", "new.md", stdin=FIRST)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.endswith("new.md: written\n")
    assert Path("new.md").read_text(encoding="utf-8") == extract_plan(FIRST).text
    assert run("extract", "-", "--out", "plan.md", stdin=FIRST).exit_code == 0
    assert Path("plan.md").read_text(encoding="utf-8") == extract_plan(FIRST).text
    before = Path("plan.md").read_bytes()
    assert run("extract", "-", "-o", "plan.md", stdin=ANSWER).exit_code == 1
    assert Path("plan.md").read_bytes() == before
    assert run("extract", "-", "-o", "no/such/folder.md", stdin=FIRST).exit_code == 2
    assert run("extract", "-", "-o", ".", stdin=FIRST).exit_code == 2
    nameless = run("extract", "-", "-o", "", stdin=FIRST)
    assert nameless.exit_code == 2
    assert nameless.stderr.endswith("Error: --out: an empty name is not a file's; - is standard output\n")


@pytest.mark.parametrize(("text", "code"), [(FIRST, 0), (ANSWER, 1), ("No.", 1)])
def test_extract_as_json(text: str, code: int) -> None:
    result = run("extract", "-", "--json", stdin=text)
    assert result.exit_code == code
    value = json.loads(result.stdout)
    assert [one["code"] for one in value.pop("holds")] == [one.code for one in extract_plan(text).holds]
    assert value == extract_plan(text).to_dict()


def test_extract_says_that_there_is_no_plan() -> None:
    result = run("extract", "-", stdin="No.")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "<stdin>: the text has no plan: no step with a type can be read; no plan was written (" in result.stderr
    assert run("extract", "-", stdin=b"\xff").stderr.endswith("<stdin>: nothing was read\n")


def test_hostile_answers_stay_in_their_rows() -> None:
    result = run(
        "extract", "-", "--max-risk", "high", stdin="\x1b[2Jhello \u202e\nGoal: g\n## Steps\n1) [act] \u202ea\n"
    )
    assert "\x1b" not in result.stderr
    assert "\u202e" not in result.stderr
    assert "\n  \\x1b[2Jhello \\u202e\n" in result.stderr


def test_what_is_doubtful_in_the_plan_is_said_as_check_says_it(here: Path) -> None:
    (here / "doubtful.md").write_text("Goal: g\n## Steps\n1. [act] Count → boxes\n2. [act] Load\n  > ← boxs\n")
    checked = run("check", "doubtful.md", "--info").stdout.rpartition("\n1 file checked")[0]
    extracted = run("extract", "doubtful.md")
    assert "did you mean `boxes`?" in checked
    assert (extracted.exit_code, extracted.stderr.strip()) == (0, checked.strip())
