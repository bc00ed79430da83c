"""Steps on a cluster of Dask: a real scheduler and three workers, two of which are killed again and again."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event

import distributed
import pytest
from attrs import field, frozen

from planspec_lark.engine import (
    FatalError,
    OperatorResult,
    Outcome,
    RunResult,
    StepCall,
    StepPolicy,
    ThinkEngine,
    TransientError,
    dask_runner,
    on_dask,
)
from planspec_lark.runs import MemoryLedger, RecordKind
from planspec_lark.syntax.diagnostics import PlanSpecError
from tests.cli.engine_world import make_world
from tests.cli.running import run
from tests.corpus import ROOT
from tests.engine.worlds import World, ok, plan

STEPS = 5
PLAN = "1. [act] step 1 → v1\n" + "".join(
    f"{number}. [act] step {number} → v{number}\n  > ← v{number - 1}\n" for number in range(2, STEPS + 1)
)
RUNS = 3
ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(ROOT),
    # How often a step may be at work on a worker that dies.
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1000",
}


@frozen
class Cluster:
    folder: Path
    stack: ExitStack
    workers: list[subprocess.Popen[bytes]] = field(factory=list)

    @property
    def address(self) -> str:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                return str(json.loads((self.folder / "scheduler.json").read_bytes())["address"])
            except (FileNotFoundError, ValueError):
                time.sleep(0.05)
        raise AssertionError("the scheduler does not start")

    def start(self, *command: str) -> subprocess.Popen[bytes]:
        common = ("--scheduler-file", str(self.folder / "scheduler.json"), "--no-dashboard", "--host", "127.0.0.1")
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", *command, *common], stderr=subprocess.DEVNULL, env=ENVIRONMENT
        )
        self.stack.enter_context(process)
        self.stack.callback(process.kill)
        return process

    def start_worker(self) -> subprocess.Popen[bytes]:
        options = ("--no-nanny", "--nthreads", "1", "--local-directory", str(self.folder))
        return self.start("distributed.cli.dask_worker", *options)


@contextmanager
def cluster(folder: Path, workers: int = 3) -> Iterator[tuple[Cluster, distributed.Client]]:
    with ExitStack() as stack:
        made = Cluster(folder, stack)
        scheduler = made.start("distributed.cli.dask_scheduler", "--port", "0")
        client = stack.enter_context(distributed.Client(made.address, set_as_default=False))
        made.workers.extend(made.start_worker() for _ in range(workers))
        if workers:
            client.wait_for_workers(workers, timeout=60)
        assert scheduler.poll() is None
        yield made, client


@frozen
class Slow:
    """An operator that says in files when it has begun a step, and when it has done it: once it may end, or later."""

    folder: str
    seconds: float = 0.0

    def __call__(self, call: StepCall) -> OperatorResult:
        self.note(f"{os.getpid()} begins", call.key)
        end = time.monotonic() + self.seconds
        while (left := end - time.monotonic()) > 0 and not (Path(self.folder) / "may_end").exists():
            time.sleep(min(left, 0.1))
        value = sum(call.inputs.values()) + 1
        self.note(f"{os.getpid()} ends", call.key)
        seen = f"{call.step.step_id}: {len(call.history)} events, {len(call.plan_state())} characters"
        return ok(seen, **dict.fromkeys(call.step.outputs, value))

    def note(self, *words: str) -> None:
        # A short line is appended whole.
        with (Path(self.folder) / "notes").open("a") as notes:
            notes.write(" ".join(words) + "\n")

    def notes(self) -> list[list[str]]:
        path = Path(self.folder) / "notes"
        return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


def test_two_of_three_workers_are_killed_again_and_again(tmp_path: Path) -> None:
    """As often as they are at work. Several runs keep all three of them busy."""
    (tmp_path / "here").mkdir()
    expected = ThinkEngine(plan(PLAN), Slow(str(tmp_path / "here"))).run()
    assert expected.outcome is Outcome.CONVERGED
    operator, ledgers, stop, killed = Slow(str(tmp_path), 0.8), [MemoryLedger() for _ in range(RUNS)], Event(), [0]
    with cluster(tmp_path) as (made, client), ThreadPoolExecutor(RUNS + 1) as threads:

        def kill_and_start() -> None:
            while not stop.wait(0.1):
                at_work = {int(who) for who, what, _ in operator.notes() if what == "begins"}
                for number in (0, 1):
                    if made.workers[number].pid in at_work:
                        made.workers[number].kill()
                        made.workers[number].wait()
                        killed[0] += 1
                        made.workers[number] = made.start_worker()

        def work(ledger: MemoryLedger) -> RunResult:
            return ThinkEngine(plan(PLAN), operator, ledger=ledger, runner=dask_runner(client)).run()

        killer = threads.submit(kill_and_start)
        try:
            results = list(threads.map(work, ledgers))
        finally:
            stop.set()
        killer.result()
        assert made.workers[2].poll() is None
    assert killed[0] >= 3
    steps, began = [str(number) for number in range(1, STEPS + 1)], operator.notes()
    for ledger, result in zip(ledgers, results, strict=True):
        assert (result.outcome, result.plan, result.outputs) == (Outcome.CONVERGED, expected.plan, expected.outputs)
        for kind in (RecordKind.STARTED, RecordKind.DONE):
            assert [record.step for record in ledger.records(result.run, kinds=[kind])] == steps
        # What was cut off was begun again with the same key; nothing was, once it was done.
        keys = [key for _, what, key in began if what == "begins" and key.startswith(result.run)]
        assert len({*keys}) == STEPS
        assert [key.split(":")[1] for key in keys] == sorted(key.split(":")[1] for key in keys)
    assert sum(what == "begins" for _, what, _ in began) > RUNS * STEPS


class OwnError(PlanSpecError):
    """What an operator raises."""


def fail(call: StepCall) -> OperatorResult:
    raise OwnError(f"no {call.step.description}")


def give_up(_: StepCall) -> OperatorResult:
    raise FatalError("no cluster is there")


async def later(call: StepCall) -> OperatorResult:
    return ok(f"{call.step.description} later", x=os.getpid())


def time_out(_: StepCall) -> OperatorResult:
    raise TimeoutError("too slow")


def look(call: StepCall) -> OperatorResult:
    """An operator that looks at all that there is, more than once."""
    events = [f"{event.step} {event.text}" for event in call.history]
    assert (len(call.history), call.history.last(1)) == (len(events), [*call.history][-1:])
    shown = call.plan_state(1000), call.plan_state()
    return ok(f"{events}, {dict(call.inputs)}", shown=shown[0], is_same=len({*shown}) == 1)


class DigAndLook:
    def __call__(self, call: StepCall) -> OperatorResult:
        return look(call) if call.step.description == "look" else ok("dug", x=1)


@frozen
class Busy:
    """An operator that asks for another try, once."""

    folder: str

    def __call__(self, call: StepCall) -> OperatorResult:
        tries = Path(self.folder) / "tries"
        is_first = not tries.exists()
        with tries.open("a") as file:
            file.write(f"{call.key}\n")
        if is_first:
            raise TransientError("busy", retry_after=0.1)
        return ok("done")


def test_what_operators_say_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_dask, "LOOK_SECONDS", 0.2)
    with cluster(tmp_path, 1) as (made, client):
        runner = dask_runner(client)
        result = ThinkEngine(plan("1. [act] dig\n"), fail, runner=runner).run()
        assert result.plan.steps[0].result == "OwnError: no dig"
        result = ThinkEngine(plan("1. [act] dig\n"), time_out, runner=runner).run()
        assert result.plan.steps[0].result == "TimeoutError: too slow"
        with pytest.raises(FatalError, match="no cluster is there"):
            ThinkEngine(plan("1. [act] dig\n"), give_up, runner=runner).run()
        # Nobody waits for what continues there.
        began, policy = time.monotonic(), StepPolicy(timeout=1)
        slow = Slow(str(tmp_path), 60)
        result = ThinkEngine(plan("1. [act] dig\n"), slow, runner=runner, step_policy=policy).run()
        assert result.plan.steps[0].result == "no result within 1 seconds"
        assert time.monotonic() - began < 30
        (tmp_path / "may_end").touch()
        # A try is made with the key of the one before, whose task is forgotten by then.
        result = ThinkEngine(plan("1. [act] dig\n"), Busy(str(tmp_path)), runner=runner).run()
        assert result.outcome is Outcome.CONVERGED
        tries = (tmp_path / "tries").read_text().split()
        assert (len(tries), len(set(tries))) == (2, 1)
        packed, real = list[str](), on_dask._pack

        def pack(part: object) -> bytes:
            packed.append(type(part).__name__)
            return pickle.dumps(part)

        monkeypatch.setattr(on_dask, "_pack", pack)
        result = ThinkEngine(plan("1. [act] dig → x\n"), later, runner=dask_runner(made.address)).run()
        assert (result.plan.steps[0].result, result.outputs) == ("dig later", {"x": made.workers[0].pid})
        # What no operator asks for stays here.
        assert packed == []
        result = ThinkEngine(
            plan("1. [act] dig → x\n2. [act] look → shown, is_same\n"), DigAndLook(), runner=runner
        ).run()
        assert result.plan.steps[1].result == "['1 dug'], {'x': 1}"
        assert result.outputs["is_same"] is True
        assert "2. [>] [act] look → shown, is_same" in result.outputs["shown"]
        assert sorted(packed) == ["History", "Inputs", "PlanState"]
        monkeypatch.setattr(on_dask, "_pack", lambda _: real(threading.Lock()))
        result = ThinkEngine(plan("1. [act] look → shown, is_same\n"), look, runner=runner).run()
        assert result.plan.steps[0].result == "RuntimeError: TypeError: cannot pickle '_thread.lock' object"


def test_without_workers_or_a_scheduler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(on_dask, "LOOK_SECONDS", 0.2)
    monkeypatch.setattr(on_dask, "WAIT_SECONDS", 1.0)
    ledger = MemoryLedger()
    with cluster(tmp_path, 0) as (made, client):
        with pytest.raises(FatalError, match="the cluster has had no workers for 1 seconds"):
            ThinkEngine(plan("1. [act] dig\n"), later, ledger=ledger, runner=dask_runner(client)).run()
        logged = [record.getMessage() for record in caplog.records if record.name == on_dask.__name__]
        assert logged == ["waiting for workers: the cluster has none"]
        address = made.address
    # The step has not failed.
    assert [record.kind for record in ledger.records(ledger.runs()[0].run)] == [RecordKind.BEGUN, RecordKind.STARTED]
    result = ThinkEngine(None, World().operator, ledger=ledger).run(resume=True)
    assert result.outcome is Outcome.CONVERGED
    monkeypatch.setattr(distributed, "Client", _refuse)
    for missing in (address, "nowhere", "tcp://127.0.0.1:x"):
        with pytest.raises(FatalError, match="no scheduler answers at"):
            dask_runner(missing)


def test_the_command_line_says_that_no_scheduler_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_world()
    # Programs that do the steps are looked for where the steps are done.
    result = run("run", "bakery.md", "--operator", "no-such-program", "--on", "dask://nowhere")
    assert (result.exit_code, "--on: no scheduler answers at tcp://nowhere" in result.stderr) == (2, True)
    # Nothing has begun, so that there is nothing to resume.
    assert ("--resume" in result.stderr, [*Path().glob("bakery*")]) == (False, [Path("bakery.md")])


def _refuse(*_: object, **__: object) -> None:
    raise OSError("timed out")


def test_a_scheduler_that_is_lost(tmp_path: Path) -> None:
    with ExitStack() as stack:
        made = Cluster(tmp_path, stack)
        scheduler = made.start("distributed.cli.dask_scheduler", "--port", "0")
        client = stack.enter_context(distributed.Client(made.address, set_as_default=False, timeout=10))
        made.start_worker()
        client.wait_for_workers(1, timeout=60)
        operator = Slow(str(tmp_path), 30)

        def kill() -> None:
            end = time.monotonic() + 60
            while not operator.notes() and time.monotonic() < end:
                time.sleep(0.05)
            scheduler.kill()

        killer = threading.Thread(target=kill)
        killer.start()
        with pytest.raises(FatalError, match="the cluster was lost"):
            ThinkEngine(plan("1. [act] dig\n"), operator, runner=dask_runner(client)).run()
        killer.join()


def test_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs are run by the workers."""
    monkeypatch.chdir(tmp_path)
    Path("plan.md").write_text("Goal: g\n## Steps\n1. [act] a\n2. [act] b\n")
    Path("operator.sh").write_text('cat > asked; echo $PPID >> parents; echo \'{"status": "OK", "result": "done"}\'\n')
    with cluster(tmp_path, 1) as (made, _):
        on = made.address.replace("tcp:", "dask:")
        said = run("run", "plan.md", "--operator", f"sh {tmp_path}/operator.sh", "--on", on)
        assert (said.exit_code, said.stderr) == (0, ""), said.output
    assert "done       2  done" in said.stdout


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(FatalError, match="pip install 'planspec-lark\\[distributed\\]'"):
        dask_runner("tcp://127.0.0.1:1")
