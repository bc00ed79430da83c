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


def test_what_was_set_back_by_hand_to_an_earlier_view_is_brought_up_to_date() -> None:
    begun = plan_text()
    assert run(*RUN).exit_code == 0
    before, done = calls(), plan_text()
    Path("bakery.md").write_text(begun)
    assert run(*RUN, "--resume").exit_code == 0
    assert calls() == before
    assert plan_text() == done


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
