"""What the engine adds to the work itself: an operator that does nothing, in memory and with plan file and ledger."""

from __future__ import annotations

import os
import sqlite3
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from statistics import median
from time import perf_counter

from benchmarks.durable import COMPETITORS, read_settings
from benchmarks.findings import Findings, Settings
from benchmarks.measure import Timing
from benchmarks.tables import Table, ratio, seconds, size
from planspec_lark import parse_plan
from planspec_lark.engine import Budget, OperatorResult, Outcome, RunResult, StepCall, ThinkEngine
from planspec_lark.runs import SqliteLedger, ledger_path

__all__ = ["measure_engine"]

# Steps of the run that is compared with those of others.
_COMPARED, _QUICK_COMPARED = 300, 30
# The sizes of plans whose steps are compared. Of small ones, so many are run that each sample has these steps.
_SIZES, _QUICK_SIZES = (100, 1_000, 5_000), (30, 100)
_SAMPLE = 2_000
# Each round takes half a minute.
_ROUNDS = 3
# Records of a long history, and of one ten times as long.
_HISTORIES, _QUICK_HISTORIES = (200, 1_000), (30, 300)


def measure_engine(settings: Settings) -> Findings:
    """Time on the clock, as much of it is waiting for the disk; and memory beside the history's length."""
    findings = Findings()
    findings.tables += [
        _compare(settings, findings),
        _measure_sizes(settings, findings),
        _measure_resuming(settings, findings),
        _measure_history(settings, findings),
    ]
    return findings


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


def _write_plan(folder: Path, count: int) -> Path:
    path = folder / "plan.md"
    path.write_text(plan_text(count), encoding="utf-8")
    return path


def _run(path: Path, count: int, *, resume: bool = False) -> RunResult:
    result = ThinkEngine(path, _operate, budget=Budget(steps=count)).run(resume=resume)
    assert result.outcome is Outcome.CONVERGED
    assert len(result.outputs) == count
    return result


# ---------------------------------------------------------------- beside others


def _compare(settings: Settings, findings: Findings) -> Table:
    """The same steps, each kept on the disk before the next one begins; all take turns."""
    count = _QUICK_COMPARED if settings.quick else _COMPARED
    table = Table(f"Engine, {count} steps beside others", ["", "best", "middle", "to ours", "journal, syncs"])
    others = [one for one in COMPETITORS if one.is_installed]
    timings = {name: Timing() for name in ("ours", *(one.name for one in others))}
    for _ in range(settings.rounds):
        with _folder() as folder:
            timings["ours"].samples.append(_time_run(folder, count))
        for one in others:
            with _folder() as folder:
                timings[one.name].samples.append(one.run(folder, count))
    findings.note(f"engine/{count} steps", timings)
    ours = timings["ours"].best
    table.rows.append(["ours, file and ledger", seconds(ours), seconds(timings["ours"].median), "", _our_settings()])
    for one in COMPETITORS:
        if not one.is_installed:
            table.rows.append([one.title, f"{one.package} is not installed", "", "", ""])
            continue
        timing = timings[one.name]
        findings.figures[f"engine, {count} steps to {one.name}"] = ours / timing.best
        row = [f"{one.title}, {one.version}", seconds(timing.best), seconds(timing.median)]
        table.rows.append([*row, ratio(timing.best / ours), one.settings])
    table.notes.append("ours: from opening the files to the end of the run; of the others, the run alone")
    return table


def _time_run(folder: Path, count: int) -> float:
    path = _write_plan(folder, count)
    start = perf_counter()
    _run(path, count)
    return perf_counter() - start


def _our_settings() -> str:
    with _folder() as folder, closing(SqliteLedger(folder / "ledger")) as ledger:
        return read_settings(ledger._base)


# ---------------------------------------------------------------- sizes


def _measure_sizes(settings: Settings, findings: Findings) -> Table:
    """What a step costs between the first one and the last, in plans of several sizes."""
    sizes = _QUICK_SIZES if settings.quick else _SIZES
    columns = ["steps", "in memory, a step", "on disk, a step", "a commit alone", "ledger, a step"]
    table = Table("Engine, a step", columns)
    timings = {count: {name: Timing() for name in ("memory", "disk", "commits")} for count in sizes}
    kept: dict[int, float] = {}
    for _ in range(_ROUNDS):
        for count, timed in timings.items():
            times = max(1, min(_SAMPLE, sizes[-1]) // count)
            timed["memory"].samples.append(_mean(times, lambda: _time_in_memory(count)))  # noqa: B023  (called here)
            timed["commits"].samples.append(_time_commits())
            timed["disk"].samples.append(_mean(times, lambda: _time_on_disk(count, kept)))  # noqa: B023  (as above)
    for count, timed in timings.items():
        findings.note(f"engine/{count}", timed)
        table.rows.append([f"{count:,}", *(seconds(timing.median) for timing in timed.values()), size(kept[count])])
    few, many = sizes[0], sizes[-1]
    pairs = zip(timings[many]["disk"].samples, timings[few]["disk"].samples, strict=True)
    findings.figures[f"engine, growth of a step to {many}"] = median(slow / fast for slow, fast in pairs)
    findings.figures[f"engine, growth of the ledger to {many}"] = kept[many] / kept[few]
    table.notes.append(f"the middle of {_ROUNDS} rounds; {os.cpu_count()} processors")
    return table


def _mean(times: int, measure: Callable[[], float]) -> float:
    return sum(measure() for _ in range(times)) / times


class _Clock:
    """An operator that does nothing, and knows when."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def __call__(self, call: StepCall) -> OperatorResult:
        self.times.append(perf_counter())
        return _operate(call)

    @property
    def mean(self) -> float:
        """Seconds from one step to the next."""
        return (self.times[-1] - self.times[0]) / (len(self.times) - 1)


def _time_in_memory(count: int) -> float:
    clock = _Clock()
    ThinkEngine(parse_plan(plan_text(count)), clock, budget=Budget(steps=count)).run()
    return clock.mean


def _time_on_disk(count: int, kept: dict[int, float]) -> float:
    """Seconds a step, and into ``kept`` the bytes that a step takes in the ledger."""
    clock = _Clock()
    with _folder() as folder:
        path = _write_plan(folder, count)
        ThinkEngine(path, clock, budget=Budget(steps=count)).run()
        kept[count] = (ledger_path(path).stat().st_size - _empty_ledger()) / count
    return clock.mean


@cache
def _empty_ledger() -> int:
    """Bytes of a ledger without runs."""
    with _folder() as folder:
        SqliteLedger(folder / "ledger").close()
        return (folder / "ledger").stat().st_size


def _time_commits(steps: int = 100) -> float:
    """What a step waits for the disk at least: that it has ended, and that the next one begins, is one commit."""
    with _folder() as folder, closing(sqlite3.connect(folder / "ledger", isolation_level=None)) as base:
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("PRAGMA synchronous = FULL")
        base.execute("CREATE TABLE records (seq INTEGER PRIMARY KEY, data TEXT)")
        start = perf_counter()
        for _ in range(steps):
            base.execute("INSERT INTO records VALUES (NULL, ?)", ("x" * 600,))
        return (perf_counter() - start) / steps


# ---------------------------------------------------------------- resuming


def _measure_resuming(settings: Settings, findings: Findings) -> Table:
    """Going on with a run that has ended: all that it has put out is read, and there is nothing to do."""
    sizes = _QUICK_SIZES if settings.quick else _SIZES
    table = Table("Engine, resuming a finished run", ["steps", "best", "middle"])
    timings = {count: Timing() for count in sizes}
    with _folder() as folder:
        paths = {}
        for count in sizes:
            (folder / str(count)).mkdir()
            paths[count] = _write_plan(folder / str(count), count)
            _run(paths[count], count)
        for _ in range(settings.rounds):
            for count, path in paths.items():
                start = perf_counter()
                _run(path, count, resume=True)
                timings[count].samples.append(perf_counter() - start)
    for count, timing in timings.items():
        findings.note("engine/resume", {str(count): timing})
        findings.figures[f"engine, resuming {count}"] = timing.best
        table.rows.append([f"{count:,}", seconds(timing.best), seconds(timing.median)])
    return table


# ---------------------------------------------------------------- memory


def _measure_history(settings: Settings, findings: Findings) -> Table:
    """One step again and again: the plan stays as it is, and the ledger grows."""
    table = Table("Engine, memory", ["rounds of a loop", "peak"])
    for rounds in _QUICK_HISTORIES if settings.quick else _HISTORIES:
        text = f"Goal: g\n## Steps\n1. [subtask] Stir → soup | Progress: 0/{rounds}\n  1.1. [act] Stir once → soup\n"
        # What the interpreter keeps once and for all, such as its table of names, is not the run's.
        peak = min(_measure_peak(text) for _ in range(2))
        findings.figures[f"engine/history/{rounds}/peak"] = float(peak)
        table.rows.append([f"{rounds:,}", size(peak)])
    return table


def _measure_peak(text: str) -> int:
    with _folder() as folder:
        path = folder / "plan.md"
        path.write_text(text, encoding="utf-8")
        tracemalloc.start()
        ThinkEngine(path, _operate).run()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak
