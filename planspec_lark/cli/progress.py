"""A progress bar on standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from planspec_lark.bulk.runner import BulkProgress

__all__ = ["progress_bar", "speed_of"]


@contextmanager
def progress_bar(*, shown: bool) -> Iterator[Callable[[BulkProgress], None] | None]:
    """A bar with records a second and the time that is left, as long as the block runs; None where it is not shown."""
    if not shown:
        yield None
        return
    from rich.console import Console  # noqa: PLC0415  (only a bar needs it)
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (
        TextColumn("{task.fields[shards]}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TextColumn("{task.fields[rate]}"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=Console(file=sys.stderr)) as bar:
        task = bar.add_task("", total=None, shards="splitting", rate="", left="")
        # The work begins when the inputs are split, which is told by the first state.
        begin: float | None = None

        def show(state: BulkProgress) -> None:
            nonlocal begin
            now = monotonic()
            begin = now if begin is None else begin
            rate, left = speed_of(state, now - begin)
            shards = f"{state.shards}/{state.all_shards} shards"
            bar.update(task, total=state.all_bytes, completed=state.bytes, shards=shards, rate=rate, left=left)

        yield show


def speed_of(state: BulkProgress, elapsed: float) -> tuple[str, str]:
    """Records a second, and the time that is left, after so many seconds of this run; empty where nothing is known.

    Shards end in bursts, since processes begin at the same time, so only the whole run says how fast it is.
    """
    done = state.bytes - state.kept
    rate = f"{state.records / elapsed:,.0f} records/s" if state.records and elapsed else ""
    if not (done and elapsed):
        return rate, ""
    minutes, seconds = divmod(round(elapsed * (state.all_bytes - state.bytes) / done), 60)
    return rate, f"{minutes // 60}:{minutes % 60:02}:{seconds:02} left"
