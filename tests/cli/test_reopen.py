"""`planspec reopen` and `planspec log --summary`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planspec_lark import PlanFile
from tests.cli.engine_world import calls, make_world
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
