"""What each operation costs per step and per byte: on small and large plans, on flat and deep ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks import regex_parser
from benchmarks.findings import Findings, Settings
from benchmarks.measure import Task, Timing, collector_off, race
from benchmarks.plans import chain_text, make_commands, plan_text
from benchmarks.tables import Table, ratio, seconds, size
from planspec_lark import PlanSpec, apply_commands, lint_plan, parse_plan, scan_plan, serialize_plan, validate_plan

__all__ = ["MIDDLE", "OPERATIONS", "SIZES", "measure_chains", "measure_collector", "measure_sizes"]

SIZES = (17, 1_700, 170_000)
MIDDLE, LARGE = SIZES[1:]
_QUICK_SIZES = SIZES[:2]
_DEPTHS = (10, 100, 1_000)
_QUICK_DEPTHS = _DEPTHS[:2]
_COMMANDS = 50
# Seconds for one operation on one plan, its preparation included; the largest plans sit out the last rounds.
_BUDGET = 10.0

OPERATIONS = ("parse", "serialize", "validate", "lint", "scan", "apply")


def _tasks(text: str) -> dict[str, Task]:
    def plan() -> PlanSpec:
        return parse_plan(text)

    def plan_and_commands() -> tuple[PlanSpec, list[Any]]:
        made = plan()
        return made, make_commands(made, _COMMANDS)

    return {
        "parse": Task.on(parse_plan, text),
        "serialize": Task(serialize_plan, plan),
        "validate": Task(validate_plan, plan),
        "lint": Task(lint_plan, plan),
        "scan": Task.on(scan_plan, text),
        "apply": Task(lambda both: apply_commands(*both), plan_and_commands, fresh=True),
    }


def _measure(make: Callable[[int], str], counts: tuple[int, ...], settings: Settings) -> dict[str, Timing]:
    tasks = {f"{name}/{count}": task for count in counts for name, task in _tasks(make(count)).items()}
    return race(tasks, rounds=settings.rounds, budget=_BUDGET)


def _table(title: str, make: Callable[[int], str], counts: tuple[int, ...], timings: dict[str, Timing]) -> Table:
    table = Table(title, ["operation", "steps", "best, per step", "median, per step", "bytes per second"])
    for name in OPERATIONS:
        for count in counts:
            timing = timings[f"{name}/{count}"]
            if name == "apply":
                per, speed = _COMMANDS, "-"
            else:
                per, speed = count, size(len(make(count).encode()) / timing.best)
            table.rows.append([name, f"{count:,}", seconds(timing.best / per), seconds(timing.median / per), speed])
    table.notes.append(f"apply: per command, of {_COMMANDS} mixed ones.")
    return table


def measure_sizes(settings: Settings) -> Findings:
    """Realistic plans of growing size."""
    counts = _QUICK_SIZES if settings.quick else SIZES
    timings = _measure(plan_text, counts, settings)
    findings = Findings([_table("Plans on three levels", plan_text, counts, timings)])
    findings.note("sizes", timings)
    parse = timings[f"parse/{MIDDLE}"].best
    for name in ("serialize", "scan"):
        findings.figures[f"{name} to parse"] = timings[f"{name}/{MIDDLE}"].best / parse
    if LARGE in counts:
        for name in OPERATIONS:
            growth = timings[f"{name}/{LARGE}"].best / timings[f"{name}/{MIDDLE}"].best
            findings.figures[f"growth of {name}"] = growth * MIDDLE / LARGE
    return findings


def measure_chains(settings: Settings) -> Findings:
    """Plans in which every step is the only child of the one before it. Their ids alone are quadratic in the depth."""
    counts = _QUICK_DEPTHS if settings.quick else _DEPTHS
    timings = _measure(chain_text, counts, settings)
    findings = Findings([_table("Chains: as many levels as steps", chain_text, counts, timings)])
    findings.note("chains", timings)
    return findings


def measure_collector(settings: Settings) -> Findings:
    """What the cyclic garbage collector has to do with it: the two parsers with it and without it."""
    large = MIDDLE * 10 if settings.quick else LARGE
    tasks = {}
    for count in (MIDDLE, large):
        text = plan_text(count)
        for name, run in (("parse", parse_plan), ("regex", regex_parser.parse)):
            tasks[f"{name}/{count}"] = Task.on(run, text)
    with_it = race(tasks, rounds=settings.rounds, budget=_BUDGET)
    with collector_off():
        without = race(tasks, rounds=settings.rounds, budget=_BUDGET)
    findings = Findings([_collector_table(large, with_it, without)])
    findings.note("collector on", with_it)
    findings.note("collector off", without)
    return findings


def _collector_table(large: int, with_it: dict[str, Timing], without: dict[str, Timing]) -> Table:
    columns = ["what", "steps", "collector on, per step", "off, per step", "on / off"]
    table = Table("The garbage collector", columns)
    for name, words in (("parse", "parse_plan"), ("regex", "hand-written regex parser")):
        for count in (MIDDLE, large):
            on, off = with_it[f"{name}/{count}"].best, without[f"{name}/{count}"].best
            row = [words, f"{count:,}", seconds(on / count), seconds(off / count), ratio(on / off)]
            table.rows.append(row)
    for count in (MIDDLE, large):
        on, off = (timings[f"parse/{count}"].best / timings[f"regex/{count}"].best for timings in (with_it, without))
        table.notes.append(
            f"parse_plan to the regex parser, {count:,} steps: {ratio(on)} with it, {ratio(off)} without."
        )
    for words, timings in (("with it", with_it), ("without", without)):
        growth = timings[f"parse/{large}"].best / timings[f"parse/{MIDDLE}"].best * MIDDLE / large
        table.notes.append(f"parse_plan per step, {large:,} against {MIDDLE:,} steps: {ratio(growth)} {words}.")
    return table
