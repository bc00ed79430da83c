"""Several processes for one command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from multiprocessing import resource_tracker
from pathlib import Path

import psutil
import pytest
from click import ClickException

from planspec_lark.cli.check import map_in_processes


def double(number: int) -> int:
    return 2 * number


def die_at_sixty(number: int) -> int:
    if number == 60:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def where(_: int) -> int:
    return os.getpid()


@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 25, 26, 1000])
def test_results_come_in_the_order_of_the_items(jobs: int, count: int) -> None:
    assert list(map_in_processes(double, range(count), jobs)) == [2 * number for number in range(count)]


def test_few_items_are_not_worth_a_process() -> None:
    assert set(map_in_processes(where, range(20), 4)) == {os.getpid()}
    assert os.getpid() not in set(map_in_processes(where, range(200), 4))


def test_a_killed_process_is_an_error_of_one_line() -> None:
    with pytest.raises(ClickException, match="a process was killed; there may be too little memory"):
        list(map_in_processes(die_at_sixty, range(200), 2))


def test_a_caller_that_takes_no_more_leaves_no_process_behind() -> None:
    # Python's own, which it starts with the first pool and keeps.
    resource_tracker.ensure_running()
    before = _children()
    results = map_in_processes(where, range(10_000), 2)
    next(results)
    results.close()  # type: ignore[attr-defined]
    assert _children() <= before


def _works(child: psutil.Process) -> bool:
    """Whether a process has been at work for longer than it takes to start."""
    return bool(child.cpu_times().user >= 1)


def _children() -> set[int]:
    return {process.pid for process in psutil.Process().children(recursive=True)}


@pytest.mark.parametrize("to_group", [True, False])
def test_an_interrupt_ends_all_at_once(tmp_path: Path, to_group: bool) -> None:
    steps = "".join(f"{number}. [act] Turn page {number}\n" for number in range(1, 80_000))
    (tmp_path / "0.md").write_text(f"Goal: g\n## Steps\n{steps}", encoding="utf-8")
    for number in range(1, 60):
        (tmp_path / f"{number}.md").hardlink_to(tmp_path / "0.md")
    command = [sys.executable, "-m", "planspec_lark", "check", "--jobs", "2", *map(str, tmp_path.iterdir())]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    end = time.monotonic() + 60
    while len(at_work := [child for child in psutil.Process(process.pid).children() if _works(child)]) < 2:
        assert time.monotonic() < end
        time.sleep(0.05)
    (os.killpg if to_group else os.kill)(process.pid, signal.SIGINT)
    start = time.monotonic()
    _, complaint = process.communicate(timeout=60)
    # Checking one lot of them takes most of a minute.
    assert time.monotonic() - start < 20
    assert not any(child.is_running() for child in at_work)
    assert (process.returncode, complaint.strip()) == (130, "Aborted!")
