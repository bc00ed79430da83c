"""`planspec reopen` and `planspec log --summary`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planspec_lark import PlanFile
from tests.cli.engine_world import OPERATOR, calls, make_world
from tests.cli.running import run
from tests.cli.test_run import RUN, plan_text


@pytest.fixture(autouse=True)
def world() -> None:
    make_world()


def test_a_finished_step_is_done_again() -> None:
    assert run(*RUN).exit_code == 0
    before = calls()
    result = run("reopen", "bakery.md", "2")
    assert (result.exit_code, result.stdout) == (0, "ok     step 2 is open again\n")
    assert "2. [act] Buy it" in plan_text()
    assert run("log", "bakery.md", "--last", "1").stdout.split()[2:4] == ["again", "2"]
    assert run(*RUN, "--resume").exit_code == 0
    assert calls() == [*before, "2"]


DEPENDENTS = "Goal: g\n## Steps\n1. [x] [act] a → x\n2. [x] [act] b → y\n  > ← x\n3. [x] [act] c\n  > ← y\n"
NOTE = "warning: 2 steps depend on this and are still done: 2, 3; --dependents opens what depends on it\n"


@pytest.mark.parametrize("has_run", [False, True])
def test_what_depends_on_a_step_is_named_or_reopened(has_run: bool) -> None:
    make_world(DEPENDENTS)
    if has_run:
        assert run("run", "bakery.md", *OPERATOR).exit_code == 0
    result = run("reopen", "bakery.md", "1")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "ok     step 1 is open again\n", NOTE)
    result = run("reopen", "bakery.md", "1", "--dependents")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "".join(f"ok     step {at} is open again\n" for at in (1, 2, 3))
    assert "[x]" not in plan_text()


def test_what_was_set_back_by_hand_to_an_earlier_view_is_brought_up_to_date() -> None:
    begun = plan_text()
    assert run(*RUN).exit_code == 0
    before, done = calls(), plan_text()
    Path("bakery.md").write_text(begun)
    assert run(*RUN, "--resume").exit_code == 0
    assert calls() == before
    assert plan_text() == done


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["bakery.md", "7"], 1, "PC111  no step has the id or name `7`\n"),
        (["bakery.md", "\x1b[2J"], 1, "PC111  no step has the id or name `\\x1b[2J`\n"),
        (["bakery.md"], 2, ""),
    ],
)
def test_what_cannot_be_reopened(arguments: list[str], code: int, said: str) -> None:
    assert run(*RUN).exit_code == 0
    before = plan_text()
    result = run("reopen", *arguments)
    assert (result.exit_code, result.stdout) == (code, said)
    assert plan_text() == before


def test_a_step_is_looked_for_under_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    make_world(plan_text().replace("\n2. [act]", "\n2. buy [act]"))
    assert run(*RUN).exit_code == 0
    changed, locked = plan_text().replace(" buy ", " sell "), PlanFile._locked
    assert changed != plan_text()

    def come_first(file: PlanFile, *arguments: Any, **options: Any) -> Any:
        Path("bakery.md").write_text(changed)
        return locked(file, *arguments, **options)

    monkeypatch.setattr(PlanFile, "_locked", come_first)
    result = run("reopen", "bakery.md", "buy")
    assert (result.exit_code, result.stdout) == (1, "PC111  no step has the id or name `buy`\n")
    assert plan_text() == changed


def test_a_plan_without_a_run() -> None:
    result = run("reopen", "bakery.md", "1")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "ok     step 1 is open again\n", "")
    assert not Path("bakery.md.ledger").exists()


def test_what_steps_have_taken() -> None:
    make_world(_2='echo \'{"status": "OK", "result": "r", "outputs": {"goods": 1}, "tokens": 70, "cost": 0.5}\'\n')
    assert run("run", "bakery.md", *OPERATOR).exit_code == 0
    result = run("log", "bakery.md", "--summary", "--json")
    sums = {one["step"]: one for one in map(json.loads, result.stdout.splitlines())}
    assert list(sums)[-1] == ""
    assert (sums["2"]["attempts"], sums["2"]["tokens"], sums["2"]["cost"]) == (1, 70, 0.5)
    assert sums[""]["tokens"] == sum(one["tokens"] for step, one in sums.items() if step)
    assert 0 < sums["2"]["seconds"] <= sums[""]["seconds"]
    lines = run("log", "bakery.md", "--summary").stdout.splitlines()
    assert lines[1].split()[:3] == ["2", "1", "attempt"]
    assert lines[1].endswith("1 call  70 tokens  cost 0.5")
    assert lines[-1].startswith("all ")


def test_options_that_exclude_each_other() -> None:
    assert run("log", "bakery.md", "--summary", "--runs").exit_code == 2
    assert run("log", "bakery.md", "--summary", "--last", "2").exit_code == 2
