"""`planspec extract`, `repair-prompt` and `splice`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import extract_plan
from planspec_lark.answers import repair_prompt, splice
from tests.answers.scripted import think
from tests.answers.test_extract import ANSWER
from tests.cli.running import BROKEN, PLAN, run

FIRST = ANSWER.replace("[ok!] ", "[x] ").replace("3. Bake", "3. [act] Bake")


def test_extract_writes_the_plan_and_the_ledger(snapshot: SnapshotAssertion) -> None:
    result = run("extract", "-", stdin=FIRST)
    assert (result.exit_code, result.stdout) == (0, extract_plan(FIRST).text)
    assert result.stderr == snapshot


def test_extract_refuses_what_is_too_risky(snapshot: SnapshotAssertion) -> None:
    result = run("extract", "-", stdin=ANSWER)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == snapshot
    one = run("extract", "-", "--max-risk", "low", stdin=FIRST)
    assert one.exit_code == 1
    assert "<stdin>: 1 repair is of a higher risk than low: no plan was written; " in one.stderr
    assert run("extract", "-", "--max-risk", "high", stdin=ANSWER).exit_code == 0


def test_extract_gives_each_advice_once() -> None:
    two = "Goal: g\n## Steps\n1. Order the gas\n2. Bake the bread\n"
    help = "the type is `[reason]`, `[act]`, `[decide]` or `[subtask]`, before the description"
    assert run("extract", "-", stdin=two).stderr.count(help) == 1
    entries = json.loads(run("extract", "-", "--json", stdin=two).stdout)["repairs"]
    assert [entry["help"] for entry in entries] == [help, help]


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
    assert json.loads(result.stdout) == extract_plan(text).to_dict()


def test_extract_says_that_there_is_no_plan() -> None:
    result = run("extract", "-", stdin="No.")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.endswith("<stdin>: there is no plan\n")
    assert run("extract", "-", stdin=b"\xff").stderr.endswith("<stdin>: nothing was read\n")


def test_extract_says_how_to_read_steps_without_a_type() -> None:
    markdown = "# Open the bakery\n\n1. Order the gas\n2. Light the oven\n"
    hint = "there is no plan; --default-type act reads lines without a type as steps\n"
    assert run("extract", "-", stdin=markdown).stderr.endswith(hint)
    assert run("extract", "-", "--default-type", "act", stdin=markdown).exit_code == 0
    assert "--default-type" not in run("extract", "-", "--default-type", "act", stdin="No.").stderr


def test_hostile_answers_stay_in_their_rows() -> None:
    result = run(
        "extract", "-", "--max-risk", "high", stdin="\x1b[2Jhello \u202e\nGoal: g\n## Steps\n1) [act] \u202ea\n"
    )
    assert "\x1b" not in result.stderr
    assert "\u202e" not in result.stderr
    assert "\\x1b[2Jhello \\u202e" in result.stderr


def test_repair_prompt() -> None:
    result = run("repair-prompt", "broken.md")
    assert (result.exit_code, result.stderr, result.stdout) == (1, "", repair_prompt(BROKEN))
    chinese = run("repair-prompt", "broken.md", "--language", "zh", "--max-faults", "1")
    assert chinese.stdout == repair_prompt(BROKEN, language="zh", max_faults=1)
    fine = run("repair-prompt", "plan.md")
    assert (fine.exit_code, fine.stdout, fine.stderr) == (0, "", "")


def test_repair_prompt_of_what_it_cannot_repair() -> None:
    assert run("repair-prompt", "-", stdin=b"\xff").exit_code == 1
    result = run("repair-prompt", "-", stdin="x" * 30_000)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "Error: <stdin>: line 1 is too long to be repaired: remove it, or repair it by hand\n"


ANSWERED = think(repair_prompt(BROKEN))


def test_splice_in_place() -> None:
    Path("answer.txt").write_text(ANSWERED, encoding="utf-8")
    result = run("splice", "broken.md", "answer.txt")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "broken.md: 2 lines rewritten\n")
    assert Path("broken.md").read_text(encoding="utf-8") == splice(BROKEN, ANSWERED).text
    assert run("repair-prompt", "broken.md").exit_code == 0


def test_splice_from_standard_input_to_standard_output() -> None:
    Path("answer.txt").write_text(ANSWERED, encoding="utf-8")
    result = run("splice", "-", "answer.txt", stdin=BROKEN)
    assert (result.exit_code, result.stdout) == (0, splice(BROKEN, ANSWERED).text)
    assert run("splice", "-", "-", stdin=BROKEN).exit_code == 2


def test_splice_keeps_its_hands_off() -> None:
    dry = run("splice", "broken.md", "--dry-run", "--diff", stdin=ANSWERED)
    assert dry.exit_code == 0
    assert "+1. [x] [act] one\n" in dry.stdout
    assert Path("broken.md").read_text(encoding="utf-8") == BROKEN


def test_splice_refuses_what_was_not_asked_for() -> None:
    result = run("splice", "broken.md", stdin=f"{ANSWERED}\nLINE 1: # Plan: mine")
    assert result.exit_code == 1
    assert "error[PM101]: line 1 was not asked for\n" in result.stderr
    assert result.stderr.endswith("broken.md: the answer is refused, and the plan stays as it is\n")
    assert Path("broken.md").read_text(encoding="utf-8") == BROKEN


def test_splice_says_what_is_left() -> None:
    result = run("splice", "broken.md", stdin="LINE 4: 1. [x] [act] one")
    assert result.exit_code == 1
    assert result.stderr.startswith("broken.md: 1 line rewritten\nerror[PS112]")
    assert result.stderr.endswith("broken.md: 1 fault is left\n")
    assert "1. [x] [act] one\n" in Path("broken.md").read_text(encoding="utf-8")


def test_splice_of_a_plan_that_is_fine() -> None:
    result = run("splice", "plan.md", stdin="LINE 1: x")
    assert result.exit_code == 1
    assert Path("plan.md").read_text(encoding="utf-8") == PLAN
