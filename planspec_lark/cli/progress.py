"""A progress bar on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from planspec_lark.bulk.running import BulkProgress

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(*, shown: bool) -> Iterator[Callable[[BulkProgress], None] | None]:
    """A bar with records a second and the time that is left, as long as the block runs; None where it is not shown."""
    if not shown:
        yield None
        return
    from rich.console import Console  # noqa: PLC0415  (only a bar needs it)
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = (
        TextColumn("{task.fields[shards]}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    # The rate of the last half hour, so that a slow start does not spoil it.
    with Progress(*columns, console=Console(file=sys.stderr), speed_estimate_period=1800) as bar:
        task = bar.add_task("", total=None, shards="splitting", rate="")

        def show(state: BulkProgress) -> None:
            elapsed = bar.tasks[0].elapsed or 0.0
            rate = f"{state.records / elapsed:,.0f} records/s" if state.records and elapsed else ""
            shards = f"{state.shards}/{state.all_shards} shards"
            bar.update(task, total=state.all_bytes, completed=state.bytes, shards=shards, rate=rate)

        yield show
