"""What the engine adds to the work itself: an operator that does nothing, in memory and with plan file and ledger."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import perf_counter

from benchmarks.findings import Findings, Settings
from benchmarks.measure import Timing
from benchmarks.tables import Table, ratio, seconds, size
from planspec_lark import parse_plan
from planspec_lark.engine import Budget, OperatorResult, StepCall, ThinkEngine
from planspec_lark.files import writing

__all__ = ["measure_engine"]

_SIZES, _QUICK_SIZES = (100, 1_000, 10_000), (30, 100)
_ROUNDS = 2
# Steps that are run of the plan with a file: each waits for the disk several times.
_MOST_ON_DISK = 100
# Records of a long history, and of one ten times as long.
_HISTORIES, _QUICK_HISTORIES = (200, 1_000), (30, 300)


def plan_text(count: int) -> str:
    """A flat plan, in which every step uses what the one before it has put out."""
    rows = [f"{at}. [act] Weigh the crates of row {at} → row_{at}\n" for at in range(1, count + 1)]
    inputs = ["", *(f"  > ← row_{at}\n" for at in range(1, count))]
    return "Goal: All is weighed\n## Steps\n" + "".join(map("".join, zip(rows, inputs, strict=True)))


def _operate(call: StepCall) -> OperatorResult:
    return OperatorResult(result="weighed", outputs=dict.fromkeys(call.step.outputs, 1))


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def _time(run: Callable[[], object]) -> float:
    start = perf_counter()
    run()
    return perf_counter() - start


def _run_in_memory(text: str, count: int) -> float:
    plan = parse_plan(text)
    return _time(lambda: ThinkEngine(plan, _operate, budget=Budget(steps=count)).run())


def _run_on_disk(text: str, count: int) -> float:
    with _folder() as folder:
        path = folder / "plan.md"
        path.write_text(text)
        return _time(lambda: ThinkEngine(path, _operate, budget=Budget(steps=count)).run())


def _write(path: Path, text: str) -> None:
    with writing(path, path.stat()) as file:
        file.write(text.encode())


def _write_alone(text: str, count: int) -> float:
    """What has to be on the disk for each step: two records, and the plan twice."""
    with _folder() as folder, closing(sqlite3.connect(folder / "ledger", isolation_level=None)) as base:
        path = folder / "plan.md"
        path.write_text(text)
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = FULL")
        base.execute("CREATE TABLE records (seq INTEGER PRIMARY KEY, data TEXT)")

        def write() -> None:
            for _ in range(2 * count):
                base.execute("INSERT INTO records VALUES (NULL, ?)", ("x" * 300,))
                _write(path, text)

        return _time(write)


def measure_engine(settings: Settings) -> Findings:
    """Time on the clock, as most of it is waiting for the disk; and memory beside the history's length."""
    table = Table(
        "Engine", ["steps", "in memory, a step", "on disk, a step", "writing alone, a step", "ours / writing"]
    )
    findings = Findings([table])
    for count in _QUICK_SIZES if settings.quick else _SIZES:
        text, on_disk = plan_text(count), min(count, _MOST_ON_DISK)
        timings = {name: Timing() for name in ("memory", "disk", "writing")}
        for _ in range(_ROUNDS):
            timings["memory"].samples.append(_run_in_memory(text, count) / count)
            timings["disk"].samples.append(_run_on_disk(text, on_disk) / on_disk)
            timings["writing"].samples.append(_write_alone(text, on_disk) / on_disk)
        findings.note(f"engine/{count}", timings)
        best = [timings[name].best for name in timings]
        table.rows.append([f"{count:,}", *map(seconds, best), ratio(best[1] / best[2])])
    table.notes.append(f"on disk: the first {_MOST_ON_DISK} steps of the plan; {os.cpu_count()} processors")
    findings.tables.append(_measure_history(settings, findings))
    return findings


def _measure_history(settings: Settings, findings: Findings) -> Table:
    """One step again and again: the plan stays as it is, and the ledger grows."""
    table = Table("Engine, memory", ["rounds of a loop", "peak"])
    for rounds in _QUICK_HISTORIES if settings.quick else _HISTORIES:
        text = f"Goal: g\n## Steps\n1. [subtask] Stir → soup | Progress: 0/{rounds}\n  1.1. [act] Stir once → soup\n"
        # What the interpreter keeps once and for all, such as its table of names, is not the run's.
        peak = min(_measure_peak(text) for _ in range(_ROUNDS))
        findings.figures[f"engine/history/{rounds}/peak"] = float(peak)
        table.rows.append([f"{rounds:,}", size(peak)])
    return table


def _measure_peak(text: str) -> int:
    with _folder() as folder:
        path = folder / "plan.md"
        path.write_text(text)
        tracemalloc.start()
        ThinkEngine(path, _operate).run()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak
