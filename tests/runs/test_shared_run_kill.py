"""Four processes share the steps of a run, and two of them are killed: one at work, and the one that holds the run."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from planspec_lark.engine import Outcome, continue_run, submit_plan
from planspec_lark.engine.think import no_operator
from planspec_lark.planspec import PlanStatus
from planspec_lark.runs import PostgresLedger, RecordKind
from tests.corpus import ROOT
from tests.engine.worlds import plan
from tests.runs.test_postgres import execute

WORKER = """
import os, pathlib, sys, time
from planspec_lark.engine import OperatorResult, continue_run

together = pathlib.Path(sys.argv[1] + ".workers")

def operate(call):
    (together / str(os.getpid())).touch()
    # However long it takes until the last of them has started.
    while len([*together.iterdir()]) < 4:
        time.sleep(0.01)
    time.sleep(0.01)
    with open(sys.argv[1], "a") as notes:
        notes.write(f"{os.getpid()} {call.key}\\n")
    return OperatorResult("OK", "", dict.fromkeys(call.step.outputs, call.step.description))

result = continue_run(sys.argv[2], "r", operate, order="data", share=True)
sys.exit(0 if result.outcome == "converged" else 1)
"""


def read(notes: Path) -> list[list[str]]:
    return [line.split() for line in notes.read_text().splitlines()]


@pytest.mark.parametrize("steps", [120, 1000])
def test_two_of_four_processes_are_killed(
    steps: int, database: str, tmp_path: Path, count_kills: Callable[[int], None]
) -> None:
    made = plan("".join(f"{number}. [act] step {number} → v{number}\n" for number in range(1, steps + 1)))
    submit_plan(database, made, "r")
    notes, chance = tmp_path / "notes", random.Random(steps)
    notes.touch()
    (tmp_path / "notes.workers").mkdir()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    with ExitStack() as stack, closing(PostgresLedger(database)) as ledger:
        command = [sys.executable, "-P", "-c", WORKER, str(notes), database]
        processes = [stack.enter_context(subprocess.Popen(command, env=environment)) for _ in range(4)]
        for process in processes:
            stack.callback(process.kill)

        def kill(victim: int, after: int) -> None:
            """Kill it a moment after so many steps were done."""
            end = time.monotonic() + 120
            while len(read(notes)) < after:
                assert time.monotonic() < end
                time.sleep(0.01)
            time.sleep(chance.uniform(0, 0.05))
            [process] = [one for one in processes if one.pid == victim]
            process.kill()
            process.wait()

        end_of_start = time.monotonic() + 120
        while not read(notes):
            assert time.monotonic() < end_of_start
            time.sleep(0.01)
        holder = ledger.find_holder("r")
        assert holder is not None
        others = [process.pid for process in processes if process.pid != holder.process]
        kill(others[0], steps // 4)
        kill(holder.process, steps // 2)
        codes = [process.wait(timeout=180) for process in processes if process.pid not in {others[0], holder.process}]
        assert codes == [0, 0]
        count_kills(2)
        done = [record.step for record in ledger.records("r", kinds=[RecordKind.DONE])]
        assert sorted(done, key=int) == [str(number) for number in range(1, steps + 1)]
        assert ledger.count("r", kinds=[RecordKind.ENDED]) == 1
    keys = [key for _, key in read(notes)]
    assert len({*keys}) == steps
    # Only what a process that was killed had done, and could not hand in, was done again.
    assert len(keys) - steps <= 2
    shares = Counter(who for who, _ in read(notes))
    assert min(shares[str(pid)] for pid in others[1:]) >= steps / 10
    assert execute(database, "SELECT count(*) FROM planspec.work") == [(0,)]
    result = continue_run(database, "r", no_operator)
    assert result is not None
    assert result.outcome is Outcome.CONVERGED
    assert result.outputs == {f"v{number}": f"step {number}" for number in range(1, steps + 1)}
    assert {step.status for step in result.plan.steps} == {PlanStatus.DONE}
