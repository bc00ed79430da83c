"""Three processes that go on with runs in PostgreSQL; two of them are killed again and again."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack, closing
from pathlib import Path

from planspec_lark.engine import Outcome, ThinkEngine, run_plan, submit_plan
from planspec_lark.runs import Kind, PostgresLedger
from tests.corpus import ROOT
from tests.engine.worlds import World, plan

RUNS, STEPS = 4, 8
PLAN = "1. [act] step 1 → v1\n" + "".join(
    f"{number}. [act] step {number} → v{number}\n  > ← v{number - 1}\n" for number in range(2, STEPS + 1)
)
WORKER = """
import os, sys, time
from planspec_lark.engine import OperatorResult, run_plan

def operate(call):
    with open(sys.argv[1], "a") as notes:
        notes.write(f"{os.getpid()} {call.key}\\n")
    time.sleep(0.25)
    return OperatorResult("OK", "", dict.fromkeys(call.step.outputs, call.step.description))

left = sys.argv[3:]
while left:
    left = [run for run in left if run_plan(sys.argv[2], run, operate) is None]
    time.sleep(0.05)
"""


def test_two_of_three_processes_are_killed_again_and_again(database: str, tmp_path: Path) -> None:
    expected = ThinkEngine(plan(PLAN), World().operator).run()
    notes, runs, killed = tmp_path / "notes", [f"r{number}" for number in range(RUNS)], 0
    for run in runs:
        submit_plan(database, plan(PLAN), run)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    notes.touch()
    with ExitStack() as stack:

        def start(order: list[str]) -> subprocess.Popen[bytes]:
            command = [sys.executable, "-P", "-c", WORKER, str(notes), database, *order]
            process = stack.enter_context(subprocess.Popen(command, env=environment))
            stack.callback(process.kill)
            return process

        workers = [start(runs[at:] + runs[:at]) for at in range(3)]
        end = time.monotonic() + 120
        while workers[2].poll() is None:
            assert time.monotonic() < end
            time.sleep(0.05)
            at_work = Counter(line.split()[0] for line in notes.read_text().splitlines())
            for at in (0, 1):
                # In the midst of the second step that it does.
                if at_work[str(workers[at].pid)] >= 2:
                    workers[at].kill()
                    workers[at].wait()
                    killed += 1
                    workers[at] = start(runs[at:] + runs[:at])
        assert workers[2].returncode == 0
    assert killed >= 2
    keys = [line.split()[1] for line in notes.read_text().splitlines()]
    assert len(keys) > len({*keys}) == RUNS * STEPS
    with closing(PostgresLedger(database)) as ledger:
        for run in runs:
            done = ledger.records(run, kinds=[Kind.DONE])
            assert [int(record.step) for record in done] == list(range(1, STEPS + 1))
            # A step is begun again with its key, and not once it was done.
            steps = [int(key.split(":")[1]) for key in keys if key.startswith(f"{run}:")]
            assert steps == sorted(steps)
            result = run_plan(ledger, run, World().operator)
            assert result is not None
            assert result.outcome is Outcome.CONVERGED
            assert (result.plan, result.outputs) == (expected.plan, expected.outputs)
