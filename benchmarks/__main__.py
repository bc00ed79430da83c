"""The command line of the benchmarks: ``python -m benchmarks``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.answers import measure_answers
from benchmarks.bulk import measure_bulk
from benchmarks.engine import measure_engine
from benchmarks.files import measure_files
from benchmarks.findings import Findings, Settings, Suite
from benchmarks.formats import measure_formats
from benchmarks.memory import measure_memory_use
from benchmarks.repair import measure_repair
from benchmarks.sizes import measure_chains, measure_collector, measure_sizes
from benchmarks.startup import measure_startup
from benchmarks.tables import show
from benchmarks.targets import TARGETS, failed, target_table
from benchmarks.toolplans import measure_toolplans

SUITES: dict[str, Suite] = {
    "startup": measure_startup,
    "formats": measure_formats,
    "sizes": measure_sizes,
    "chains": measure_chains,
    "answers": measure_answers,
    "collector": measure_collector,
    "memory": measure_memory_use,
    "files": measure_files,
    "bulk": measure_bulk,
    "toolplans": measure_toolplans,
    "engine": measure_engine,
    "repair": measure_repair,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the suites, print their tables; 1 where a target is missed and that was asked for, else 0."""
    options = _parse_options(arguments)
    findings = Findings()
    for name in options.only or SUITES:
        found = SUITES[name](Settings(quick=options.quick))
        for table in found.tables:
            show(table)
        findings.add(found)
    show(target_table(findings.figures, everything=not options.only))
    if options.json:
        options.json.write_text(json.dumps(_to_json(findings), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return 1 if options.strict and failed(findings.figures) else 0


def _parse_options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure how fast plans are handled.")
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds")
    parser.add_argument("--only", action="append", choices=list(SUITES), metavar="NAME", help=", ".join(SUITES))
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all times and figures to this file")
    parser.add_argument("--assert", dest="strict", action="store_true", help="fail where a target is missed")
    return parser.parse_args(arguments)


def _to_json(findings: Findings) -> dict[str, Any]:
    return {
        "seconds": {
            name: {"best": timing.best, "median": timing.median, "rounds": len(timing.samples)}
            for name, timing in findings.timings.items()
        },
        "figures": findings.figures,
        "targets": [
            {
                "what": target.words,
                "measured": findings.figures.get(target.figure),
                "limit": target.limit,
                "reached": target.reached(findings.figures),
            }
            for target in TARGETS
        ],
    }


if __name__ == "__main__":
    sys.exit(main())
