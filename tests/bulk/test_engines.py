"""Processes that die, and a run that is killed: nothing hangs, nothing is lost, nothing comes twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from random import Random

import psutil
import pytest

from planspec_lark import process_pool
from planspec_lark.bulk import (
    BulkError,
    BulkOptions,
    BulkProgress,
    BulkTask,
    ShardReport,
    analyze_shard,
    engines,
    run_bulk,
)
from planspec_lark.bulk.engines import run_locally
from tests.bulk.corpora import PLAN, contents, line_of, write_corpus
from tests.corpus import ROOT

OPTIONS = BulkOptions(shard_bytes=20_000)


# ---------------------------------------------------------------- processes that die


def die_of_some(task: BulkTask) -> ShardReport | str:
    """Like ``perform``, but a shard whose first record says so kills its process: always, or the first time."""
    with open(task.src.path, "rb") as file:
        file.seek(task.src.start)
        line = file.readline()
    first_time = Path(f"{task.dst}.tried")
    if b"always" in line or (b"once" in line and not first_time.exists()):
        first_time.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return analyze_shard(task.src, task.dst, options=task.options)


@pytest.mark.parametrize(
    ("words", "failing"),
    [
        (["always"], [0]),
        (["once"], []),
        (["fine", "always", "fine", "once", "fine", "fine", "once", "always", "fine"], [1, 7]),
        (["always"] * 4, [0, 1, 2, 3]),
    ],
)
def test_a_shard_that_kills_its_process_fails_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], failing: list[int]
) -> None:
    monkeypatch.setattr(engines, "perform_task", die_of_some)
    inputs = [tmp_path / f"{at}.jsonl" for at in range(len(words))]
    for path, word in zip(inputs, words, strict=True):
        path.write_bytes(line_of(PLAN, word=word))
    report = run_bulk(inputs, tmp_path / "out", jobs=2)
    assert [failure.file for failure in report.failed] == [str(inputs[at]) for at in failing]
    assert all("killed twice" in failure.reason for failure in report.failed)
    assert report.records == len(words) - len(failing)


def test_a_shard_is_tried_twice_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once beside others and once alone is not enough: the machine may have been short of memory for a while."""
    monkeypatch.setattr(engines, "perform_task", die_twice)
    path = tmp_path / "a.jsonl"
    path.write_bytes(line_of(PLAN))
    report = run_bulk([path], tmp_path / "out", jobs=2)
    assert (report.records, report.failed) == (1, [])
    assert len(list(tmp_path.glob("died-*"))) == 2


def die_twice(task: BulkTask) -> ShardReport | str:
    for at in range(2):
        mark = Path(task.src.path).with_name(f"died-{at}")
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return analyze_shard(task.src, task.dst, options=task.options)


@pytest.mark.parametrize("deaths", [1, 2])
def test_a_process_that_is_killed_while_it_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deaths: int) -> None:
    corpus = write_corpus(tmp_path / "corpus.jsonl", 50)
    left = [die] * deaths
    submit = ProcessPoolExecutor.submit

    def kill_some(self, fn, /, *args):  # type: ignore[no-untyped-def]
        return submit(self, left.pop() if fn is os.getpid and left else fn, *args)

    monkeypatch.setattr(ProcessPoolExecutor, "submit", kill_some)
    if deaths == 1:
        assert run_bulk([corpus], tmp_path / "out", jobs=2).records == 50
    else:
        with pytest.raises(BulkError, match="no process can be started"):
            run_bulk([corpus], tmp_path / "out", jobs=2)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def sleep_over_some(task: BulkTask) -> ShardReport | str:
    """Like ``perform``, but takes two minutes where the name of the input says so."""
    if "long" in task.src.name:
        time.sleep(120)
    return analyze_shard(task.src, task.dst, options=task.options)


def test_leaving_early_ends_all_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an interrupt does, or an exception in the caller's own code: what is of no use any more is not waited for."""
    inputs = [tmp_path / "short.jsonl", *(tmp_path / f"long-{at}.jsonl" for at in range(5))]
    for path in inputs:
        write_corpus(path, 20)

    def leave(state: BulkProgress) -> None:
        if state.shards == 1:
            raise KeyboardInterrupt

    begin = time.monotonic()
    with monkeypatch.context() as patch:
        patch.setattr(engines, "perform_task", sleep_over_some)
        with pytest.raises(KeyboardInterrupt):
            run_bulk(inputs, tmp_path / "out", jobs=2, progress=leave)
    assert time.monotonic() - begin < 60
    assert not any(map(is_at_work, workers_of(os.getpid())))
    assert [path.name for path in (tmp_path / "out").glob("part-*.jsonl")] == ["part-00000-00000.jsonl"]
    run_bulk(inputs, tmp_path / "out", jobs=1)
    run_bulk(inputs, tmp_path / "again", jobs=1)
    assert contents(tmp_path / "out") == contents(tmp_path / "again")


def workers_of(parent: int) -> list[psutil.Process]:
    """The processes of a pool of this process."""
    children = psutil.Process(parent).children()
    return [child for child in children if any("spawn_main" in part for part in child.cmdline())]


def is_at_work(process: psutil.Process) -> bool:
    """Whether a process is there; one that has ended is not, even before its exit code is read."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize("jobs", [0, -1])
def test_jobs_are_at_least_one(tmp_path: Path, jobs: int) -> None:
    with pytest.raises(BulkError, match="at least one job"):
        run_bulk([tmp_path / "x"], tmp_path / "out", jobs=jobs)
    assert not (tmp_path / "out").exists()


def test_what_is_in_flight_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus of a million shards is not a million waiting tasks."""
    monkeypatch.setattr(process_pool, "ProcessPoolExecutor", Counting)
    corpus = write_corpus(tmp_path / "corpus.jsonl", 1500)
    report = run_bulk([corpus], tmp_path / "out", options=OPTIONS, jobs=2)
    assert report.records == 1500
    assert report.shards > 20
    assert Counting.most == 4


class Counting(ProcessPoolExecutor):
    """A pool that counts what it has been given and has not yet done."""

    waiting = most = 0

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        cls = type(self)
        cls.waiting += 1
        cls.most = max(cls.most, cls.waiting)
        future = super().submit(fn, *args, **kwargs)
        future.add_done_callback(self.note)
        return future

    def note(self, _: object) -> None:
        type(self).waiting -= 1


def test_one_job_starts_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "process_pool", None)
    assert run_bulk([write_corpus(tmp_path / "corpus.jsonl", 5)], tmp_path / "out", jobs=1).records == 5
    assert callable(run_locally(1))


def test_a_script_without_a_guard_gets_one_message(tmp_path: Path) -> None:
    """Each new process runs the script once more, and so none ever starts to work."""
    corpus = write_corpus(tmp_path / "corpus.jsonl", 1000)
    script = tmp_path / "script.py"
    script.write_text(f"""
from planspec_lark.bulk import BulkOptions, run_bulk
run_bulk([{str(corpus)!r}], {str(tmp_path / "out")!r}, options=BulkOptions(shard_bytes=10_000), jobs=2)
""")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert done.stderr.strip().endswith("or jobs=1")
    assert done.stderr.count("BulkError: no process can be started") == 1


def test_an_interrupt_gets_no_traceback(corpus: Path, undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    """As a terminal sends it: to the first process and to all others."""
    out = tmp_path / "out"
    process = start(corpus, out, 2)
    watch(out, 4, process)
    os.killpg(process.pid, signal.SIGINT)
    message = process.communicate(timeout=60)[1]
    assert (process.returncode, message.strip()) == (130, b"Aborted!")
    assert 0 < len(list(out.glob("part-*.jsonl"))) < 30
    assert run_bulk([corpus], out, options=OPTIONS, jobs=1).records == 1500
    assert contents(out) == undisturbed


# ---------------------------------------------------------------- a run that is killed


def start(corpus: Path, out: Path, jobs: int) -> subprocess.Popen[bytes]:
    """The command line in a process group of its own."""
    code = "from planspec_lark.cli import main; main()"
    arguments = ["bulk", str(corpus), "--out", str(out), "--jobs", str(jobs), "--shard-bytes", "20000"]
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def watch(out: Path, count: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until a run has done so many shards, or has ended."""
    while process.poll() is None and len(list(out.glob("part-*.jsonl"))) < count:
        time.sleep(0.005)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_corpus(tmp_path_factory.mktemp("corpus") / "corpus.jsonl", 1500)


@pytest.fixture(scope="module")
def undisturbed(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    report = run_bulk([corpus], out, options=OPTIONS, jobs=1)
    assert (report.records, report.failed) == (1500, [])
    return contents(out)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_is_killed_again_and_again(
    corpus: Path, undisturbed: dict[str, bytes], tmp_path: Path, jobs: int
) -> None:
    """Every moment will do: SIGKILL to all its processes, until one run gets to its end."""
    random = Random(jobs)
    out = tmp_path / "out"
    kills = 0
    for goal in range(1, 40, 4):
        process = start(corpus, out, jobs)
        watch(out, goal, process)
        time.sleep(random.random() * 0.15)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            kills += 1
        process.communicate(timeout=60)
    process = start(corpus, out, jobs)
    assert process.communicate(timeout=120)[1] == b""
    assert process.returncode == 0
    assert kills >= 5
    assert contents(out) == undisturbed


def test_workers_end_with_the_first_process(corpus: Path, undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    """A second run may start at once, though the workers of the first one were not killed."""
    out = tmp_path / "out"
    process = start(corpus, out, 2)
    watch(out, 3, process)
    workers = workers_of(process.pid)
    assert list(map(is_at_work, workers)) == [True, True]
    process.kill()
    assert process.wait() == -signal.SIGKILL
    again = start(corpus, out, 2)
    assert again.communicate(timeout=120)[1] == b""
    assert contents(out) == undisturbed
    assert not any(map(is_at_work, workers))


@pytest.mark.parametrize("moment", ["manifest", "part", "examples", "report"])
def test_killed_just_before_a_file_takes_its_name(
    corpus: Path, undisturbed: dict[str, bytes], tmp_path: Path, moment: str
) -> None:
    code = f"""
import os, pathlib
from planspec_lark.bulk import BulkOptions, run_bulk
replace = pathlib.Path.replace
def die(path, target):
    if {moment!r} in target.name:
        os._exit(9)
    return replace(path, target)
pathlib.Path.replace = die
run_bulk([{str(corpus)!r}], {str(tmp_path / "out")!r}, options=BulkOptions(shard_bytes=20_000), jobs=1)
"""
    for _ in range(2):
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 9
        assert [path for path in (tmp_path / "out").iterdir() if path.suffix == ".tmp"]
    assert run_bulk([corpus], tmp_path / "out", options=OPTIONS, jobs=1).records == 1500
    assert contents(tmp_path / "out") == undisturbed


def test_a_careless_engine_would_be_found_out(corpus: Path, undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    """What these tests compare does differ where a shard was written twice into one, or cut off."""

    def cut(tasks: Sequence[BulkTask]) -> Iterator[tuple[BulkTask, ShardReport]]:
        for at, task in enumerate(tasks):
            yield task, analyze_shard(task.src, task.dst, options=task.options)
            if at == 2:
                part = Path(task.dst)
                part.write_bytes(part.read_bytes().partition(b"\n")[2])

    report = run_bulk([corpus], tmp_path / "out", options=OPTIONS, engine=cut)
    assert [failure.part for failure in report.failed] == ["part-00000-00002.jsonl"]
    assert contents(tmp_path / "out") != undisturbed
