"""`planspec bulk`, with its progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import click

from planspec_lark.bulk import BulkOptions, BulkProgress, run_bulk, run_on_dask
from planspec_lark.bulk.models import MOST_BYTES
from planspec_lark.bulk.records import DAMAGED
from planspec_lark.bulk.report import show_report
from planspec_lark.cli.arguments import count_option, flag, format_option
from planspec_lark.cli.help import Choice, command
from planspec_lark.cli.output import UNREADABLE, CliError, complain, leave, stop_at, write_text
from planspec_lark.files import reason_of
from planspec_lark.syntax.diagnostics import count_of

__all__ = ["progress_bar", "speed_of"]

_DEFAULTS = BulkOptions()
_BYTES = click.IntRange(1, MOST_BYTES)


@command(
    "bulk",
    examples=[
        "planspec bulk answers.jsonl --out results",
        "planspec bulk answers.jsonl --text answer --id key --out results --overwrite",
    ],
    files={
        "INPUT": "JSONL, plain or in gzip, or Parquet, with one text in each record; not standard input. Parquet "
        "needs the extra bulk.",
        "--out FOLDER": "Rows (a file for each shard), manifest.json, and report.json once all is done.",
        "standard output": "The report as text.",
        "standard error": "The progress bar; and that records are lost, where an input is damaged.",
    },
    exits={
        0: "All records were analysed, whatever was found.",
        2: "An input cannot be read, or is damaged; something else could not be analysed; or the call is wrong.",
    },
)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("--out", required=True, metavar="FOLDER", help="The folder for the rows and the report.")
@click.option("--text", default="text", metavar="COLUMN", help="The column with the text.")
@click.option("--id", metavar="COLUMN", help="A column that identifies a record; it is kept in the rows.")
@click.option(
    "--finish-reason",
    default=_DEFAULTS.finish_reason,
    metavar="COLUMN",
    help="A column that says why the model stopped; records need not have it.",
)
@click.option(
    "--read",
    type=Choice(["scan", "strict"]),
    default="scan",
    help="scan: find the plan in each text. strict: take each text for a plan.",
)
@format_option("jsonl", "parquet", help="The format of the rows.")
@count_option("--jobs", metavar="N", show_default="one for each core", help="Use N processes.")
@click.option(
    "--max-bytes", type=_BYTES, default=_DEFAULTS.max_bytes, metavar="N", help="Do not read records with more bytes."
)
@click.option(
    "--shard-bytes",
    type=_BYTES,
    default=_DEFAULTS.shard_bytes,
    metavar="N",
    help="Split inputs into shards of about N bytes.",
)
@flag("--overwrite", help="Delete what an earlier call has left in the folder, and start again.")
@click.option("--progress/--no-progress", default=None, show_default="on a terminal", help="Show a progress bar.")
@click.option(
    "--engine", type=Choice(["local", "dask"]), default="local", help="Work on this machine, or on a cluster."
)
@click.option("--address", metavar="ADDRESS", help="The scheduler of the Dask cluster, with --engine dask.")
def bulk_command(  # noqa: PLR0913, PLR0917  (its options)
    inputs: tuple[str, ...],
    out: str,
    jobs: int | None,
    overwrite: bool,
    progress: bool | None,
    engine: str,
    address: str | None,
    form: str,
    **reading: Any,
) -> None:
    """Check a corpus of plans or answers, and write a report.

    There is a row for each record with its verdict, score and findings, and one report on all of them. A second call
    with the same inputs and options does only what is missing, however the first call has ended.
    """
    if "-" in inputs:
        raise click.UsageError("Standard input cannot be taken up again after a break: name files.")
    if (engine == "dask") != (address is not None):
        raise click.UsageError("--engine dask and --address belong together.")
    if address is not None and jobs is not None:
        raise click.UsageError("--jobs is for the engine local.")
    with stop_at(ValueError, kind=click.UsageError):
        options = BulkOptions(format=form, **reading)
    chosen = run_on_dask(address) if address is not None else None
    try:
        with progress_bar(shown=sys.stderr.isatty() if progress is None else progress) as show:
            report = run_bulk(
                inputs, out, options=options, jobs=jobs, engine=chosen, overwrite=overwrite, progress=show
            )
    except OSError as error:
        raise CliError(reason_of(error)) from None
    write_text(show_report(report))
    damaged = sum(one.records for one in report.problems if one.problem == DAMAGED)
    if damaged:
        complain(f"Records are lost: the inputs are damaged in {count_of(damaged, 'place')}")
    if report.failed or damaged:
        leave(UNREADABLE)


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
    """Records a second and the time that is left, after ``elapsed`` seconds of this run; empty where they are unknown.

    Shards end in bursts, since processes begin at the same time, so only the whole run says how fast it is.
    """
    done = state.bytes - state.kept
    rate = f"{state.records / elapsed:,.0f} records/s" if state.records and elapsed else ""
    if not (done and elapsed):
        return rate, ""
    minutes, seconds = divmod(round(elapsed * (state.all_bytes - state.bytes) / done), 60)
    return rate, f"{minutes // 60}:{minutes % 60:02}:{seconds:02} left"
