"""What `planspec run --dry-run` writes: the steps that would be done, and where their inputs come from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from planspec_lark.cli.output import Row, complain, write_rows
from planspec_lark.engine.ledger import RunInfo
from planspec_lark.engine.previews import InputSource, Planned, preview, preview_resumed
from planspec_lark.engine.resuming import Edited
from planspec_lark.engine.sqlite_ledger import SqliteLedger
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.syntax.source import one_line

__all__ = ["write_preview"]


def write_preview(
    plan: PlanSpec, ledger_file: Path, info: RunInfo | None, inputs: Mapping[str, Any], edited: Edited
) -> None:
    """Write what a run would do.

    Args:
        plan: as its file says it.
        ledger_file: of the plan.
        info: the run that would go on, or None for a new one.
        inputs: values that are given now.
        edited: what becomes of finished steps whose text was edited.

    Raises:
        EditedError, LedgerError: as a run would.
    """
    if info is None:
        found = preview(plan, inputs)
    else:
        with closing(SqliteLedger(ledger_file, read_only=True)) as ledger:
            found = preview_resumed(plan, ledger, info, inputs, edited)
    if not found:
        complain("There is nothing to do.")
    write_rows(row for one in found for row in _rows(one))


def _rows(one: Planned) -> Iterator[Row]:
    step = one.step
    yield [(f"{step.step_id}  ", "bold"), (f"[{step.step_type}] ", "cyan"), (one_line(step.description), "")]
    for name, source in one.sources.items():
        yield [(f"    ← {name}: {_spell(source)}", "bold yellow" if source.is_missing else "dim")]
    if one.is_planning:
        yield [("    the planner writes the steps below it", "dim")]


def _spell(source: InputSource) -> str:
    if source.steps:
        return f"step {' or '.join(source.steps)}"
    return "given" if source.is_given else "missing"
