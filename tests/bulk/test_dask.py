"""A cluster of dask: a real scheduler and two real workers, one of which is killed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import distributed
import pytest

from planspec_lark.bulk import BulkError, BulkOptions, run_bulk, runner
from tests.bulk.corpora import contents, write_corpus

OPTIONS = BulkOptions(shard_bytes=20_000)


@contextmanager
def ended(*command: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is gone behind the block."""
    with subprocess.Popen([sys.executable, "-m", *command], stderr=subprocess.DEVNULL) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def cluster(folder: Path) -> Iterator[tuple[str, subprocess.Popen[bytes], list[subprocess.Popen[bytes]]]]:
    """A scheduler's address, the scheduler and two workers."""
    file = folder / "scheduler.json"
    common = ("--scheduler-file", str(file), "--no-dashboard")
    with ExitStack() as stack:
        scheduler = stack.enter_context(
            ended("distributed.cli.dask_scheduler", *common, "--host", "127.0.0.1", "--port", "0")
        )
        address = wait_for_address(file)
        one_thread = ("--no-nanny", "--nthreads", "1", "--local-directory", str(folder))
        workers = [
            stack.enter_context(ended("distributed.cli.dask_worker", *common, *one_thread, "--host", "127.0.0.1"))
            for _ in range(2)
        ]
        yield address, scheduler, workers


def wait_for_address(file: Path) -> str:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            return str(json.loads(file.read_bytes())["address"])
        except (FileNotFoundError, ValueError):
            time.sleep(0.05)
    raise AssertionError("the scheduler does not start")


def test_a_killed_worker_costs_nothing(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus.jsonl", 600)
    expected = run_bulk([corpus], tmp_path / "here", options=OPTIONS, jobs=1)
    with cluster(tmp_path) as (address, _, workers):
        killed_after = 4

        def kill_one(done: int, _: int) -> None:
            if done == killed_after:
                workers[0].kill()
                workers[0].wait()

        report = run_bulk([corpus], tmp_path / "there", options=OPTIONS, dask=address, progress=kill_one)
        assert expected.shards > 2 * killed_after
        assert workers[0].poll() is not None
        assert workers[1].poll() is None
    assert report == expected
    assert contents(tmp_path / "there") == contents(tmp_path / "here")


def test_a_lost_scheduler_is_an_error_and_nothing_is_lost(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus.jsonl", 400)
    run_bulk([corpus], tmp_path / "here", options=OPTIONS, jobs=1)
    with cluster(tmp_path) as (address, scheduler, _):

        def kill_it(done: int, _: int) -> None:
            if done == 2:
                scheduler.kill()

        with pytest.raises(BulkError, match="the scheduler was lost, run this again"):
            run_bulk([corpus], tmp_path / "there", options=OPTIONS, dask=address, progress=kill_it)
    assert len(list((tmp_path / "there").glob("part-*.jsonl"))) >= 2
    run_bulk([corpus], tmp_path / "there", options=OPTIONS, jobs=1)
    assert contents(tmp_path / "there") == contents(tmp_path / "here")


def test_without_workers_a_run_waits_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Also where all of them are gone while tasks are waiting for them."""
    corpus = write_corpus(tmp_path / "corpus.jsonl", 400)
    run_bulk([corpus], tmp_path / "here", options=OPTIONS, jobs=1)
    monkeypatch.setattr(runner, "LOOK_SECONDS", 0.2)
    monkeypatch.setattr(runner, "WAIT_SECONDS", 2.0)
    with cluster(tmp_path) as (address, _, workers):

        def kill_all(done: int, _: int) -> None:
            if done == 2:
                for worker in workers:
                    worker.kill()
                    worker.wait()

        # They may start more slowly than this run waits.
        with distributed.Client(address) as client:
            client.wait_for_workers(2, timeout=60)
        for progress in (kill_all, None):
            caplog.clear()
            with pytest.raises(BulkError, match="the scheduler has had no workers for 2 seconds"):
                run_bulk([corpus], tmp_path / "there", options=OPTIONS, dask=address, progress=progress)
            (message,) = {record.getMessage() for record in caplog.records if record.name == runner.__name__}
            assert message == f"waiting for workers: the scheduler at {address} has none"
    run_bulk([corpus], tmp_path / "there", options=OPTIONS, jobs=1)
    assert contents(tmp_path / "there") == contents(tmp_path / "here")


@pytest.mark.parametrize("address", ["nowhere", "tcp://127.0.0.1:x", "\x1b[2J"])
def test_an_address_that_is_none(tmp_path: Path, address: str) -> None:
    corpus = write_corpus(tmp_path / "corpus.jsonl", 5)
    with pytest.raises(BulkError, match="no scheduler answers at") as caught:
        run_bulk([corpus], tmp_path / "out", dask=address)
    assert "\x1b" not in str(caught.value)
