"""`planspec bulk`, with its progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from planspec_lark.bulk import BulkOptions, run_bulk
from planspec_lark.bulk.models import MOST_BYTES
from planspec_lark.bulk.report import show_report
from planspec_lark.cli.arguments import count_option, flag, format_option
from planspec_lark.cli.help import Choice, command
from planspec_lark.cli.output import UNREADABLE, CliError, leave, write_text
from planspec_lark.files import reason_of

_DEFAULTS = BulkOptions()
_BYTES = click.IntRange(1, MOST_BYTES)


@command(
    "bulk",
    examples=[
        "planspec bulk answers.jsonl --out results",
        "planspec bulk answers.jsonl --text answer --id key --out results --overwrite",
    ],
    files={
        "INPUT": "JSON Lines or Parquet, with one text in each record; not standard input. Parquet needs the extra "
        "bulk.",
        "--out FOLDER": "Rows (a file for each shard), manifest.json, and report.json once all is done.",
        "standard output": "The report as text.",
        "standard error": "The progress bar.",
    },
    exits={
        0: "All records were analysed, whatever was found.",
        2: "An input cannot be read, a shard could not be analysed, or the arguments are wrong.",
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
@flag("--overwrite", help="Delete what an earlier call left there, and start again.")
@click.option(
    "--dask", default="", show_default=False, metavar="ADDRESS", help="Work on the Dask cluster of this scheduler."
)
def bulk_command(  # noqa: PLR0913, PLR0917  (its options)
    inputs: tuple[str, ...],
    out: str,
    jobs: int | None,
    overwrite: bool,
    dask: str,
    form: str,
    **reading: Any,
) -> None:
    """Check a corpus of plans or answers, and write a report.

    Each record gets a row with its verdict and findings; a report sums them up. A second call with the same inputs and
    options does only what is missing, however the first one ended.
    """
    if "-" in inputs:
        raise click.UsageError("Standard input cannot be taken up again after a break: name files.")
    if dask and jobs is not None:
        raise click.UsageError("--jobs is for processes of this machine, not for --dask.")
    options = BulkOptions(format=form, **reading)
    try:
        with _progress_bar(shown=sys.stderr.isatty()) as show:
            report = run_bulk(inputs, out, options=options, jobs=jobs, dask=dask, overwrite=overwrite, progress=show)
    except OSError as error:
        raise CliError(reason_of(error)) from None
    write_text(show_report(report))
    if report.failed:
        leave(UNREADABLE)


@contextmanager
def _progress_bar(*, shown: bool) -> Iterator[Callable[[int, int], object] | None]:
    """A bar with the time that is left, as long as the block runs; None where it is not shown."""
    if not shown:
        yield None
        return
    from rich.console import Console  # noqa: PLC0415  (only a bar needs it)
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn  # noqa: PLC0415

    columns = (MofNCompleteColumn(), "shards", BarColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=sys.stderr)) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, count: bar.update(task, completed=done, total=count)
