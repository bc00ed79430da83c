"""`planspec next`, `planspec focus`, and `planspec show --max-tokens`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planspec_lark import parse_plan, serialize_plan
from planspec_lark.planspec import focus_view, next_step_view
from planspec_lark.syntax import estimate_tokens
from tests.cli.running import BROKEN, PLAN, run


def test_next_shows_the_next_step() -> None:
    result = run("next", "plan.md")
    view = next_step_view(parse_plan(PLAN))
    assert view is not None
    assert (result.exit_code, result.stderr, result.stdout) == (0, "", view.to_text())
    assert "Next: step 2.2 is to be done\n" in result.stdout


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        ("1. [x] [act] a\n", "<stdin>: no step is left to do\n"),
        (
            "1. [!] [act] a\n2. [~] [act] b\n3. [!] [act] c\n",
            "Step 1: it is blocked\nStep 3: it is blocked\n<stdin>: no step can be done now\n",
        ),
        (
            "".join(f"{number}. [!] [act] a\n" for number in range(1, 23)),
            "".join(f"Step {number}: it is blocked\n" for number in range(1, 21))
            + "<stdin>: no step can be done now\n",
        ),
        # What is pending is said, as `archive` says it.
        (
            "1. [!] [act] a → x | no\n2. [act] b\n> ← x\n3. [~] [subtask] c\n 3.1. [act] d\n",
            "Step 1: it is blocked: no\nStep 2: inputs are missing: x (step 1 is blocked)\n"
            "Step 3.1: step 3 above it is skipped\n<stdin>: no step can be done now\n",
        ),
    ],
)
def test_next_has_a_code_for_nothing_left(steps: str, said: str) -> None:
    result = run("next", "-", stdin=f"Goal: g\n## Steps\n{steps}")
    assert (result.exit_code, result.stdout, result.stderr) == (3, "", said)
    for more, value in (([], None), (["--all"], [])):
        result = run("next", "-", "--json", *more, stdin=f"Goal: g\n## Steps\n{steps}")
        assert (result.exit_code, json.loads(result.stdout), result.stderr) == (3, value, said)


def test_next_says_why() -> None:
    text = "Goal: g\n## Steps\n1. [>] [act] a → x\n2. [act] b\n> ← x\n3. [act] c\n"
    assert run("next", "-", "--why", stdin=text).stdout == (
        "1. [>] [act] a → x\n    it can be done now\n"
        "2. [act] b\n    its input `x` comes from step 1, which is active\n"
        "3. [act] c\n    step 1 comes first\n"
    )
    assert run("next", "-", "--all", "--order", "data", stdin=text).stdout == "1. [>] [act] a → x\n3. [act] c\n"
    states = json.loads(run("next", "-", "--why", "--json", stdin=text).stdout)
    assert states[0] == {"id": "1", "todo": "do", "why": ""}
    assert states[2] == {"id": "3", "todo": "do", "why": "step 1 comes first"}


def test_focus_shows_any_step() -> None:
    result = run("focus", "plan.md", "2.1")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == focus_view(parse_plan(PLAN), "2.1").to_text()


NAMED = "Goal: g\n## Steps\n1. one [act] a\n> d\n2. two [act] b\n> e\n3. two [act] c\n"


def test_a_name_is_as_good_as_an_id() -> None:
    assert run("focus", "-", "one", stdin=NAMED).stdout == run("focus", "-", "1", stdin=NAMED).stdout
    shown, other = (run("show", "-", "--expand", word, stdin=NAMED).stdout for word in ("one", "1"))
    assert shown == other
    assert "> d" in shown
    assert "several steps have the name two: 2, 3." in run("focus", "-", "two", stdin=NAMED).stderr
    assert "Did you mean 'one'?" in run("show", "-", "--collapse", "onee", stdin=NAMED).stderr


def test_focus_needs_a_step() -> None:
    result = run("focus", "plan.md", "7")
    assert result.exit_code == 2
    assert "Error: step 7 does not exist.\n" in result.stderr


@pytest.mark.parametrize("call", [["next", "-"], ["focus", "-", "1"], ["show", "-", "--max-tokens", "9"]])
def test_a_broken_plan_has_no_view(call: list[str]) -> None:
    result = run(*call, stdin=BROKEN)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "error[PS111]" in result.stderr


@pytest.mark.parametrize("call", [["next", "plan.md"], ["focus", "plan.md", "2.2"]])
def test_views_as_json(call: list[str]) -> None:
    result = run(*call, "--json")
    plan = parse_plan(PLAN)
    view = next_step_view(plan) if call[0] == "next" else focus_view(plan, "2.2")
    assert view is not None
    assert json.loads(result.stdout) == view.to_dict()


@pytest.mark.parametrize("call", [["next", "plan.md"], ["focus", "plan.md", "2.2"]])
def test_json_leaves_nothing_out(call: list[str]) -> None:
    result = run(*call, "--json", "--max-tokens", "100")
    assert result.exit_code == 2
    assert "Error: --max-tokens bounds the text, and --json leaves nothing out.\n" in result.stderr


@pytest.mark.parametrize("call", [["next", "plan.md"], ["focus", "plan.md", "2.2"], ["show", "plan.md"]])
def test_views_of_a_bounded_size(call: list[str]) -> None:
    Path("plan.md").write_text(PLAN.replace("labels\n  2.1", "labels\n  > Floor by floor, from the top\n  2.1"))
    full = run(*call, "--max-tokens", "100000").stdout
    budget = estimate_tokens(full) - 1
    small = run(*call, "--max-tokens", str(budget)).stdout
    assert "… left out" in small
    assert "… left out" not in full
    assert estimate_tokens(small) <= budget
    refused = run(*call, "--max-tokens", "5")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.startswith("Error: max_tokens: 5 is too few: what is never left out takes ")


def test_show_writes_a_plan_with_all_for_which_there_is_room() -> None:
    plan = parse_plan(PLAN)
    assert run("show", "plan.md", "--max-tokens", "100000").stdout == PLAN
    assert run("show", "plan.md", "--max-tokens", "250").stdout == serialize_plan(plan, max_tokens=250)


def test_show_leaves_out_what_it_is_told_to_collapse() -> None:
    shown = run("show", "plan.md", "--max-tokens", "100000", "--collapse", "2").stdout
    assert "2.1." not in shown
    assert run("show", "plan.md", "--max-tokens", "100000", "--collapse", "2", "--full").stdout == PLAN
