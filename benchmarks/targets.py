"""What the package wants to reach, and whether it does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.tables import Table, ratio

__all__ = ["TARGETS", "Target", "failed", "target_table"]


@dataclass(frozen=True)
class Target:
    """A figure and the most that it may be."""

    words: str
    figure: str
    limit: float

    def reached(self, figures: Mapping[str, float]) -> bool | None:
        """Whether it is, or None where that was not measured."""
        return figures[self.figure] <= self.limit if self.figure in figures else None


_GROWTH = 1.3

TARGETS = (
    *(
        Target(f"{name}, per step: 170,000 steps to 1,700", f"growth of {name}", _GROWTH)
        for name in ("parse", "serialize", "validate")
    ),
    Target("apply, per command and step: 170,000 steps to 1,700", "growth of apply", _GROWTH),
    Target("parse_plan to the hand-written regex parser", "parse to regex", 1.0),
    Target("parse_plan to the sloppy parser", "parse to sloppy", 1.5),
    Target("serialize to parse", "serialize to parse", 0.5),
    Target("scan to parse", "scan to parse", 2.0),
    Target("a clean answer of 20 steps: extract_plan to parse_plan", "clean to parse, 20 steps", 8.0),
    Target("the same with 300 steps", "clean to parse, 300 steps", 3.0),
    Target("a messy answer of 20 steps: extract_plan to parse_plan", "messy to parse, 20 steps", 25.0),
    Target("the same with 300 steps", "messy to parse, 300 steps", 15.0),
    Target("a clean plan of 20 steps: check_text to parse_plan", "check to parse, 20 steps", 3.0),
    Target("the same with 300 steps", "check to parse, 300 steps", 1.5),
    Target("planspec check, 1,000 small files in one process: milliseconds a file", "check a file", 0.5),
    Target("a first faulty plan, grammars ready-made to made anew", "ready-made", 1.0),
    Target("import planspec_lark to lark, attrs and cattrs", "import", 1.5),
    Target("planspec check FILE, cold, in seconds", "cold start", 0.25),
    Target("a run of 300 steps that do nothing to DBOS on SQLite", "engine, 300 steps to DBOS", 0.5),
    Target("the same to LangGraph with SqliteSaver", "engine, 300 steps to LangGraph", 1.2),
    Target("a step of a run: plan of 5,000 steps to 100", "engine, growth of a step to 5000", _GROWTH),
    Target("bytes of a step in the ledger: the same", "engine, growth of the ledger to 5000", _GROWTH),
    Target("resuming a finished run of 5,000 steps, in seconds", "engine, resuming 5000", 0.3),
)
_WORDS = {True: "pass", False: "FAIL", None: "not measured"}


def failed(figures: Mapping[str, float]) -> list[Target]:
    """The targets that were measured and missed."""
    return [target for target in TARGETS if target.reached(figures) is False]


def target_table(figures: Mapping[str, float], *, everything: bool = True) -> Table:
    """The targets with what was measured; without ``everything`` only those that were."""
    table = Table("Targets", ["what", "measured", "at most", "verdict"])
    for target in TARGETS:
        if not everything and target.reached(figures) is None:
            continue
        measured = ratio(figures[target.figure]) if target.figure in figures else "-"
        table.rows.append([target.words, measured, ratio(target.limit), _WORDS[target.reached(figures)]])
    return table
