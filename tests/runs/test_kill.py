"""Processes that go on with runs are killed: nothing that has ended is lost, or done again."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from planspec_lark.engine import Outcome, ThinkEngine, continue_run, submit_plan
from planspec_lark.runs import MemoryLedger, PostgresLedger, RecordKind
from tests.corpus import ROOT
from tests.engine.worlds import World, plan
from tests.runs import working

RUNS, STEPS = 4, 8
PLAN = "1. [act] step 1 → v1\n" + "".join(
    f"{number}. [act] step {number} → v{number}\n  > ← v{number - 1}\n" for number in range(2, STEPS + 1)
)
WORKER = """
import os, sys, time
from planspec_lark.engine import OperatorResult, continue_run

def operate(call):
    with open(sys.argv[1], "a") as notes:
        notes.write(f"{os.getpid()} {call.key}\\n")
    time.sleep(0.25)
    return OperatorResult("OK", "", dict.fromkeys(call.step.outputs, call.step.description))

left = sys.argv[3:]
while left:
    left = [run for run in left if continue_run(sys.argv[2], run, operate) is None]
    time.sleep(0.05)
"""


def test_two_of_three_processes_are_killed_again_and_again(
    database: str, tmp_path: Path, count_kills: Callable[[int], None]
) -> None:
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
    count_kills(killed)
    keys = [line.split()[1] for line in notes.read_text().splitlines()]
    assert len(keys) > len({*keys}) == RUNS * STEPS
    with closing(PostgresLedger(database)) as ledger:
        for run in runs:
            done = ledger.records(run, kinds=[RecordKind.DONE])
            assert [int(record.step) for record in done] == list(range(1, STEPS + 1))
            # A step is begun again with its key, and not once it was done.
            steps = [int(key.split(":")[1]) for key in keys if key.startswith(f"{run}:")]
            assert steps == sorted(steps)
            result = continue_run(ledger, run, World().operator)
            assert result is not None
            assert result.outcome is Outcome.CONVERGED
            assert (result.plan, result.outputs) == (expected.plan, expected.outputs)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kept", ["file", "postgres"])
@pytest.mark.parametrize("kind", working.GO_ON)
def test_each_kind_of_run_is_killed_at_random_moments(
    kind: str, kept: str, seed: int, tmp_path: Path, request: pytest.FixtureRequest, count_kills: Callable[[int], None]
) -> None:
    address = request.getfixturevalue("database") if kept == "postgres" else str(tmp_path / "ledger")
    chance, notes, kills = random.Random(f"{kind} {kept} {seed}"), tmp_path / "notes", 0
    calm, units = tmp_path / "calm", list[str]()
    calm.mkdir()
    with closing(MemoryLedger()) as ledger:
        working.BEGIN[kind](ledger, calm)
        expected = working.GO_ON[kind](ledger, calm, units.append)
    with closing(working.open_ledger(address)) as ledger:
        working.BEGIN[kind](ledger, tmp_path)
    notes.touch()
    command = [sys.executable, "-P", "-m", "tests.runs.working", kind, address, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    end = time.monotonic() + 120
    while True:
        known = notes.stat().st_size
        with subprocess.Popen(command, env=environment) as process:
            while process.poll() is None and notes.stat().st_size == known:
                assert time.monotonic() < end
                time.sleep(0.005)
            # After one to five of what it does, and anywhere in between.
            with suppress(subprocess.TimeoutExpired):
                process.wait(chance.uniform(0, 5 * working.WORK))
            process.kill()
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL
        kills += 1
    assert kills >= 2
    count_kills(kills)
    with closing(working.open_ledger(address)) as ledger:
        assert working.GO_ON[kind](ledger, tmp_path, pytest.fail) == expected
    # What has been noted as done may have been cut off before the ledger knew it: once a process.
    lines = [line.split(" ", 1) for line in notes.read_text().splitlines()]
    done = Counter(line for _, line in lines if line.startswith("end"))
    assert list(dict.fromkeys(line for _, line in lines)) == units
    assert done.total() - len(done) <= kills
    last = dict(lines)  # of each process
    again = [line for line, count in done.items() if count > 1]
    assert {*again} <= {*last.values()}
