"""`planspec repair` with a program or a model: what is written where, and what that has cost."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import parse_plan
from tests.cli.running import at_work, run
from tests.llm.serving import Served, fault, fine

HEAD = "Goal: Open the bakery at six\n## Steps\n"
TEXT = f"{HEAD}\n1. [X] [act] Order the gas → gas\n2. Light the oven → heat\n"
REPAIRED = "LINE 5: 2. [act] Light the oven → heat\n"
GOOD = TEXT.replace("[X]", "[x]").replace("2. L", "2. [act] L")
ANSWER = f"Sure!\n\n```\n{TEXT}```\n"


@pytest.fixture(autouse=True)
def plan() -> Path:
    path = Path("oven.md")
    path.write_text(TEXT, encoding="utf-8")
    return path


def say(*answers: str) -> tuple[str, str]:
    """A program that gives these answers, one a call, and keeps what it was asked."""
    for number, text in enumerate(answers, 1):
        Path(f"answer{number}").write_text(text, encoding="utf-8")
    Path("calls").write_text("")
    script = 'echo >> calls; n=$(wc -l < calls | tr -d " "); cat > asked$n; echo $PLANSPEC_PHASE > phase; cat answer$n'
    Path("say.sh").write_text(script)
    return "--planner", "sh say.sh"


# ---------------------------------------------------------------- a plan's file


def test_a_plan_is_repaired_in_place(plan: Path, snapshot: SnapshotAssertion) -> None:
    result = run("repair", "oven.md", *say(REPAIRED))
    assert (result.exit_code, result.stdout, plan.read_text()) == (0, "", GOOD)
    assert result.stderr == snapshot
    asked = json.loads(Path("asked1").read_text())
    assert (asked["phase"], asked["language"], sorted(asked)) == ("repair", "en", ["language", "phase", "prompt"])
    assert "\nLINE 5: 2. Light the oven → heat\n" in asked["prompt"]
    assert Path("phase").read_text() == "repair\n"


def test_what_was_repaired_is_kept_although_something_is_left(plan: Path, snapshot: SnapshotAssertion) -> None:
    plan.write_text(f"{TEXT}3. Bake\n")
    result = run("repair", "oven.md", *say(REPAIRED, "Hm.", "LINE 1: Goal: Burn it"), "--rounds", "2")
    assert (result.exit_code, result.stdout) == (1, "")
    assert plan.read_text() == f"{TEXT.replace('2. L', '2. [act] L')}3. Bake\n"
    assert result.stderr == snapshot


def test_the_difference(plan: Path) -> None:
    result = run("repair", "oven.md", *say(REPAIRED), "--diff", "--dry-run")
    assert (result.exit_code, plan.read_text()) == (0, TEXT)
    assert "\n-2. Light the oven → heat\n" in result.stdout
    assert "\n+2. [act] Light the oven → heat\n" in result.stdout
    assert "oven.md: written" not in result.stderr
    result = run("repair", "oven.md", *say(REPAIRED), "--diff")
    assert "\n-2. Light the oven → heat\n" in result.stdout
    assert "\n+2. [act] Light the oven → heat\n" in result.stdout
    assert plan.read_text() == GOOD


def test_another_file(plan: Path) -> None:
    result = run("repair", "oven.md", *say(REPAIRED), "-o", "new.md")
    assert (result.exit_code, result.stdout, plan.read_text()) == (0, "", TEXT)
    assert Path("new.md").read_text() == GOOD
    assert result.stderr.endswith("; new.md: written\n")
    result = run("repair", "oven.md", *say(REPAIRED), "-o", "-")
    assert (result.exit_code, result.stdout, plan.read_text()) == (0, GOOD, TEXT)


def test_a_plan_that_was_changed_meanwhile_stays(plan: Path) -> None:
    option, _ = say()
    result = run("repair", "oven.md", option, f"sh -c 'echo >> oven.md; echo \"{REPAIRED.strip()}\"'")
    assert (result.exit_code, plan.read_text(), result.stdout) == (2, f"{TEXT}\n", GOOD)
    assert "oven.md: another program has changed it meanwhile, so it stays as it is\n" in result.stderr


# ---------------------------------------------------------------- an answer


def test_of_an_answer_the_plan_goes_to_standard_output(snapshot: SnapshotAssertion) -> None:
    Path("answer.txt").write_text(ANSWER, encoding="utf-8")
    result = run("repair", "answer.txt", *say(REPAIRED.replace("5", "8")))
    assert (result.exit_code, result.stdout) == (0, GOOD.replace("\n\n", "\n"))
    assert result.stderr == snapshot
    assert Path("answer.txt").read_text() == ANSWER
    result = run("repair", "-", *say(REPAIRED.replace("5", "8")), "--diff", stdin=ANSWER)
    assert (result.exit_code, result.stdout) == (0, GOOD.replace("\n\n", "\n"))
    assert "\n-Sure!\n" in result.stderr


def test_of_an_answer_that_needs_review_nothing_is_written(snapshot: SnapshotAssertion) -> None:
    Path("answer.txt").write_text(ANSWER, encoding="utf-8")
    result = run("repair", "answer.txt", *say("No.", "No!"), "-o", "new.md")
    assert (result.exit_code, result.stdout, Path("new.md").exists()) == (1, "", False)
    assert result.stderr == snapshot


def test_json(plan: Path) -> None:
    result = run("repair", "oven.md", *say("Hm.", REPAIRED), "--json")
    value = json.loads(result.stdout)
    assert (result.exit_code, plan.read_text(), value["text"]) == (0, TEXT, GOOD)
    assert [one["refused"] for one in value["rounds"]] == ["the answer has no repaired line and no plan", None]
    assert value["cost"]["estimated"] is True
    assert [entry["code"] for entry in value["repairs"]] == ["PS111"]
    assert (value["holds"], value["remarks"]) == ([], [])


def test_the_text_around_a_plan(snapshot: SnapshotAssertion) -> None:
    answer = f"```planspec\n{GOOD}```\n\nOnly if the gas has come.\n"
    result = run("repair", "-", *say(), stdin=answer)
    assert (result.exit_code, result.stdout) == (0, GOOD.replace("\n\n", "\n"))
    assert result.stderr == snapshot(name="shown")
    result = run("repair", "-", *say("UNCHANGED"), "--ask-remarks", stdin=answer)
    assert (result.exit_code, result.stdout) == (0, GOOD.replace("\n\n", "\n"))
    assert result.stderr == snapshot(name="asked")
    result = run("repair", "-", *say("Hm."), "--ask-remarks", stdin=answer)
    assert (result.exit_code, result.stdout) == (1, GOOD.replace("\n\n", "\n"))
    assert "it is open whether the text around the plan changes it" in result.stderr


def test_options_of_a_reading_count_in_repair() -> None:
    two = f"```\n{HEAD}1. [act] Bake\n```\n```\n{HEAD}1. [act] Buy\n```\n"
    assert run("repair", "-", *say(), "--choose", "1", stdin=two).stdout == f"{HEAD}1. [act] Bake\n"
    text = "## Steps\n1. [🌀] [act] Bake\n"
    result = run("repair", "-", *say(), "--goal", "Open it", "--sign", "🌀=done", stdin=text)
    assert (result.exit_code, result.stdout) == (0, "Goal: Open it\n## Steps\n1. [x] [act] Bake\n")


# ---------------------------------------------------------------- who is asked


def test_a_model_is_asked_and_counts_its_tokens(served: Served, plan: Path) -> None:
    served.play(fine(REPAIRED))
    result = run("repair", "oven.md", "--llm", "qwen")
    assert (result.exit_code, plan.read_text()) == (0, GOOD)
    assert "round 1: asked for repairs; 3 + 2 tokens (" in result.stderr
    (asked,) = served.asked
    assert asked.body["model"] == "qwen"
    assert "\nLINE 5: " in asked.body["messages"][0]["content"]


def test_a_program_that_cannot_be_asked(served: Served, plan: Path) -> None:
    served.play(fault(400, "no such model"))
    result = run("repair", "oven.md", "--llm", "qwen")
    assert (result.exit_code, result.stdout, plan.read_text()) == (2, "", TEXT)
    assert result.stderr.startswith("Error: --llm: ")
    result = run("repair", "oven.md", "--planner", "sh -c 'exit 3'")
    assert (result.exit_code, plan.read_text()) == (2, TEXT)
    assert result.stderr.startswith("Error: --planner: `sh` ended with exit code 3")
    for arguments in ([], ["--llm", "qwen", "--planner", "cat"], ["--planner", "'"]):
        assert run("repair", "oven.md", *arguments).exit_code == 2
    assert run("repair", "nothing.md", "--planner", "cat").exit_code == 2


def test_what_was_repaired_is_told_where_a_later_round_fails(plan: Path) -> None:
    text = f"{TEXT}3. Bake\n"
    half = text.replace("2. L", "2. [act] L")
    plan.write_text(text)
    options = (*say(REPAIRED), "--max-faults", "1")
    result = run("repair", "oven.md", *options)
    # The second answer is none: there is no file with it.
    assert (result.exit_code, result.stdout, plan.read_text()) == (2, "", half)
    assert "round 1: asked for repairs; " in result.stderr
    assert "error[PS112]" in result.stderr
    assert " left after 1 round, about " in result.stderr
    assert "; oven.md: written\noven.md: round 2 failed: `sh` ended with exit code 1" in result.stderr
    plan.write_text(text)
    result = run("repair", "oven.md", *say(REPAIRED), "--max-faults", "1", "--json")
    found = json.loads(result.stdout)
    assert (result.exit_code, found["text"], plan.read_text()) == (2, half, text)
    assert found["stopped"].startswith("round 2 failed: ")
    assert [one["lines"] for one in found["rounds"]] == [[5]]


def test_nothing_of_an_answer_reaches_the_terminal_as_it_is(plan: Path) -> None:
    hostile = "LINE 5: 2. [\x1b[31mact] Light\x1b]0;owned\x07 it\nLINE 99: \x1b[2J\nLINE 5: > \u202etxt\n"
    result = run("repair", "oven.md", *say(hostile, hostile, hostile))
    assert result.exit_code == 1
    assert not {"\x1b", "\x07", "\u202e"} & set(result.stdout + result.stderr)
    good = "LINE 5: 2. [act] Light the oven \u202e now\n"
    result = run("repair", "oven.md", *say(good), "--diff")
    assert "\u202e" not in result.stderr
    assert parse_plan(plan.read_text()).steps[1].description == "Light the oven \u202e now"


def test_an_interrupt_leaves_the_file(plan: Path) -> None:
    planner = "sh -c 'echo $$ > pid.new; mv pid.new pid; sleep 60'"
    with at_work(["repair", "oven.md", "--planner", planner]) as process:
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, b"Stopped. Nothing was written.\n")
    assert plan.read_text() == TEXT
