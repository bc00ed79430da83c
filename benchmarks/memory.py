"""What a plan weighs, and what reading it takes on top."""

from __future__ import annotations

from functools import partial

from benchmarks import regex_parser
from benchmarks.findings import Findings, Settings
from benchmarks.measure import measure_memory
from benchmarks.plans import BLOCK, chain_text, plan_text
from benchmarks.sizes import SIZES
from benchmarks.tables import Table, size
from planspec_lark import parse_plan, scan_plan

__all__ = ["measure_memory_use"]

_READERS = (("parse_plan", parse_plan), ("scan_plan", scan_plan), ("hand-written regex parser", regex_parser.parse))


def measure_memory_use(settings: Settings) -> Findings:
    """Peak and lasting memory of reading, per step, without the text itself."""
    table = Table("Memory", ["reader", "plan", "peak, per step", "kept, per step"])
    findings = Findings([table])
    counts = SIZES[1:2] if settings.quick else SIZES[1:]
    plans = [(f"{count:,} steps", count, plan_text(count)) for count in counts]
    plans.append(("chain of 100", 100, chain_text(100)))
    for name, read in _READERS:
        # What is loaded once, such as the grammar, is not what a plan weighs.
        read(plan_text(BLOCK))
        for words, count, text in plans:
            peak, kept = measure_memory(partial(read, text))
            findings.figures[f"memory/{name}/{words}/peak"] = peak / count
            findings.figures[f"memory/{name}/{words}/kept"] = kept / count
            table.rows.append([name, words, size(peak / count), size(kept / count)])
    return findings
