"""A planner's plan in a ledger from elsewhere: the folder has a view of it."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest

from planspec_lark.plan_next import start_context
from planspec_lark.planner import Runtime, StateError, create_state, read_state
from planspec_lark.planner.kernel import CONTEXT_FILE, open_state
from planspec_lark.runs import Ledger, MemoryLedger, PostgresLedger
from tests.plan_next.turns import execute, returned

ITEMS = ["mix", "rest", "bake"]


@pytest.fixture(params=["memory", "postgres"])
def ledger(request: pytest.FixtureRequest) -> Ledger:
    return MemoryLedger() if request.param == "memory" else PostgresLedger(request.getfixturevalue("database"))


def runtime(folder: Path, ledger: Ledger, run: str = "bread") -> Runtime:
    return Runtime(
        folder, lambda context, _: execute(context.think.plan[0]), lambda _: returned(), ledger=ledger, run_id=run
    )


def test_another_machine_goes_on_with_it(tmp_path: Path, ledger: Ledger) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    with closing(ledger):
        create_state(here, start_context("bread", ITEMS), ledger=ledger, run_id="bread")
        first = runtime(here, ledger).run(max_turns=3)
        assert os.listdir(here) == [CONTEXT_FILE]
        assert read_state(there, ledger=ledger, run_id="bread") == first
        done = runtime(there, ledger).run()
        assert done.outcome is not None
        assert not done.outcome.failed
        assert os.listdir(there) == [CONTEXT_FILE]
        assert read_state(there, ledger=ledger, run_id="bread") == done
        # What the first machine shows is what was so earlier, and no edit.
        assert read_state(here, ledger=ledger, run_id="bread") == done
        with open_state(here, ledger=ledger, run_id="bread") as kernel:
            assert kernel.context == done


def test_plans_have_runs_of_their_own(tmp_path: Path, ledger: Ledger) -> None:
    with closing(ledger):
        for run in ("bread", "cake"):
            create_state(tmp_path / run, start_context(run, ITEMS), ledger=ledger, run_id=run)
        runtime(tmp_path / "bread", ledger).run()
        assert read_state(tmp_path / "cake", ledger=ledger, run_id="cake").revision == 0
        with pytest.raises(StateError, match="the plan there has not ended"):
            create_state(tmp_path / "cake", start_context("x", ITEMS), ledger=ledger, run_id="cake")
        create_state(tmp_path / "bread", start_context("roll", ITEMS), ledger=ledger, run_id="bread")
        assert read_state(tmp_path / "bread", ledger=ledger, run_id="bread").think.goal == "roll"


def test_there_is_one_writer_wherever_the_folder_is(tmp_path: Path, ledger: Ledger) -> None:
    with closing(ledger):
        create_state(tmp_path / "here", start_context("bread", ITEMS), ledger=ledger, run_id="bread")
        with (
            open_state(tmp_path / "here", ledger=ledger, run_id="bread"),
            pytest.raises(StateError, match="another process is working on this plan"),
        ):
            runtime(tmp_path / "there", ledger).run()


def test_where_there_is_no_plan_it_says_so(tmp_path: Path, ledger: Ledger) -> None:
    with closing(ledger), pytest.raises(StateError, match="there is no plan here yet"):
        runtime(tmp_path / "none", ledger).run()
    assert os.listdir(tmp_path) == []
