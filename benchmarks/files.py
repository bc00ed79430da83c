"""What `planspec check` costs on many small files: in one process, and in several."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from benchmarks.findings import Findings, Settings
from benchmarks.measure import Task, race
from benchmarks.plans import plan_text
from benchmarks.tables import Table, ratio, seconds

__all__ = ["measure_files"]

_FIXTURES = Path(__file__).parent.parent / "fixtures" / "planspec" / "valid"
# Bytes; what is longer is no small file.
_SMALL = 4_000
_COUNT = 1_000


def measure_files(settings: Settings) -> Findings:
    """1,000 small files: the valid fixtures again and again, most with something to be said about them."""
    with tempfile.TemporaryDirectory() as folder:
        files = _write_files(Path(folder))
        timing = race({"check": Task.on(_check, files)}, rounds=settings.rounds)["check"]
        table = Table("planspec check on small files", ["what", "time", "files per second"])
        table.rows.append(["1,000 files, one process", seconds(timing.best), f"{_COUNT / timing.best:,.0f}"])
        findings = Findings([table], {"check a file": 1000 * timing.best / _COUNT}, {"files/check": timing})
        times = 2 if settings.quick else 20
        one, several = (_run(files * times, jobs) for jobs in (1, os.cpu_count() or 1))
    words = f"{_COUNT * times:,} files, the whole process"
    for jobs, time in ((1, one), (os.cpu_count(), several)):
        table.rows.append([f"{words}, --jobs {jobs}", seconds(time), f"{_COUNT * times / time:,.0f}"])
    table.notes.append(f"--jobs {os.cpu_count()} takes {ratio(several / one)} of the clock time of --jobs 1.")
    return findings


def _write_files(folder: Path) -> list[str]:
    texts = [data for path in sorted(_FIXTURES.glob("*.md")) if len(data := path.read_bytes()) <= _SMALL]
    texts.append(plan_text(17).encode())
    paths = [folder / f"{number:04}.md" for number in range(_COUNT)]
    for number, path in enumerate(paths):
        path.write_bytes(texts[number % len(texts)])
    return list(map(str, paths))


def _check(files: list[str]) -> None:
    from planspec_lark.cli.app import cli  # noqa: PLC0415  (needs the extra `cli`)

    with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), "utf-8")):
        cli.main(["check", *files], standalone_mode=False)


def _run(files: list[str], jobs: int) -> float:
    """Seconds on the clock for a whole process."""
    command = [sys.executable, "-m", "planspec_lark", "check", "--jobs", str(jobs), *files]
    start = perf_counter()
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
    return perf_counter() - start
