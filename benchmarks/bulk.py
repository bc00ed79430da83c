"""Corpora: records a second in one process and in two, and what a process weighs."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

from benchmarks.findings import Findings, Settings
from benchmarks.measure import Timing, time_processes
from benchmarks.plans import plan_text
from benchmarks.tables import Table, ratio, seconds, size

__all__ = ["measure_bulk", "write_corpus"]

_COUNT, _QUICK_COUNT = 100_000, 4_000
_JOBS = (1, 2)
# Steps of the plans: like most that are written, with a few long ones.
_SIZES = (3, 5, 8, 8, 12, 17, 17, 25, 40)


def write_corpus(path: Path, count: int) -> None:
    """Write answers as JSONL: plans, plans in prose, plans with faults, refusals, and one broken line in a hundred."""
    plans = [plan_text(steps) for steps in _SIZES]
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            text = _answer(number, plans[number * 7 % len(plans)])
            line = json.dumps({"id": number, "text": text}, ensure_ascii=False)
            file.write(f"{line[: len(line) // 2] if number % 100 == 99 else line}\n")


def _answer(number: int, plan: str) -> str:
    kind = number % 10
    if kind == 9:
        return "I am afraid I cannot help with that."
    if kind in (6, 7):
        return f"Here is the plan:\n\n```\n{plan}```\n\nTell me what to change.\n"
    if kind == 8:
        return plan.replace("Goal: ", "Goal：", 1).replace("[reason]", "[Reason", 1)
    return plan


def measure_bulk(settings: Settings) -> Findings:
    """The command line on one corpus, in fresh processes that take turns; time on the clock."""
    count = _QUICK_COUNT if settings.quick else _COUNT
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.jsonl"
        write_corpus(corpus, count)
        length = corpus.stat().st_size
        commands = {str(jobs): _command(corpus, Path(folder) / f"out-{jobs}", jobs) for jobs in _JOBS}
        timings = time_processes(commands, rounds=2 if settings.quick else 1)
        results = {_digest(Path(folder) / f"out-{name}") for name in commands}
        peak = _measure_peak(corpus, Path(folder) / "out-peak")
    assert len(results) == 1, "the number of jobs must not matter"
    return _report(timings, count, length, peak)


def _command(corpus: Path, out: Path, jobs: int) -> list[str]:
    code = "from planspec_lark.cli import main; main()"
    return [sys.executable, "-c", code, "bulk", str(corpus), "--out", str(out), "--jobs", str(jobs), "--overwrite"]


def _digest(out: Path) -> str:
    digest = sha256()
    for path in sorted(out.glob("part-*.jsonl")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _measure_peak(corpus: Path, out: Path) -> int:
    """Bytes that one process holds at its peak, as it says itself: what its parent holds would count as well."""
    code = (
        "import resource, sys; from planspec_lark.bulk import run_bulk; run_bulk([sys.argv[1]], sys.argv[2], jobs=1); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-c", code, corpus, out], check=True, capture_output=True, text=True)
    return int(done.stdout) * 1024


def _report(timings: dict[str, Timing], count: int, length: int, peak: int) -> Findings:
    table = Table(f"Bulk: {count:,} records, {size(length)}", ["jobs", "time", "records per second", "to one job"])
    findings = Findings([table])
    findings.note("bulk", timings)
    alone = timings["1"].best
    for name, timing in timings.items():
        speed = f"{count / timing.best:,.0f}"
        table.rows.append([name, seconds(timing.best), speed, ratio(timing.best / alone)])
    findings.figures["bulk on two processes"] = timings["2"].best / alone
    findings.figures["bulk peak"] = peak
    table.notes.append(f"One process holds {size(peak)} at its peak, interpreter and report included.")
    return findings
