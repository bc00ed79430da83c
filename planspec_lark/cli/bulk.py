"""`planspec bulk`."""

from __future__ import annotations

import sys

import click

from planspec_lark.bulk.engines import run_on_dask
from planspec_lark.bulk.models import MOST_BYTES, BulkError, BulkOptions
from planspec_lark.bulk.report import show_report
from planspec_lark.bulk.runner import run_bulk
from planspec_lark.cli.output import UNREADABLE, fail, write_text
from planspec_lark.cli.progress import progress_bar

__all__ = ["command"]

_DEFAULTS = BulkOptions()


@click.command("bulk")
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("--out", required=True, metavar="FOLDER", help="Where the rows and the report go.")
@click.option("--text", default="text", show_default=True, metavar="COLUMN", help="The column with the text.")
@click.option("--id", metavar="COLUMN", help="A column that identifies a record, kept in the rows.")
@click.option(
    "--read",
    type=click.Choice(["scan", "strict"]),
    default="scan",
    show_default=True,
    help="Find the plan in each text, or take each text for a plan.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "parquet"]),
    default="jsonl",
    show_default=True,
    help="What to write the rows as.",
)
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="How many processes; by default one for each core.")
@click.option(
    "--max-bytes",
    type=click.IntRange(1, MOST_BYTES),
    default=_DEFAULTS.max_bytes,
    show_default=True,
    help="Do not read records that are longer.",
)
@click.option(
    "--shard-bytes",
    type=click.IntRange(1, MOST_BYTES),
    default=_DEFAULTS.shard_bytes,
    show_default=True,
    help="Split inputs into shards of about this size.",
)
@click.option(
    "--overwrite",
    is_flag=True,
    help="Discard all that an earlier run has left in the folder, also one that could go on.",
)
@click.option("--progress/--no-progress", default=None, help="Show how far it is; by default on a terminal.")
@click.option(
    "--engine",
    type=click.Choice(["local", "dask"]),
    default="local",
    show_default=True,
    help="What carries out the work.",
)
@click.option("--address", metavar="ADDRESS", help="The scheduler of the engine dask.")
def command(  # noqa: PLR0913, PLR0917  (its options)
    inputs: tuple[str, ...],
    out: str,
    text: str,
    id: str | None,
    read: str,
    form: str,
    jobs: int | None,
    max_bytes: int,
    shard_bytes: int,
    overwrite: bool,
    progress: bool | None,
    engine: str,
    address: str | None,
) -> None:
    """Check a corpus of plans or answers, and write a report.

    Beside it there is a row for each record. INPUT is JSONL, plain or in gzip, or Parquet. A second call with the same
    inputs and options does what is missing only, however the first one has ended. Exits with 0 once all is analysed,
    whatever was found, and with 2 where something could not be.
    """
    if "-" in inputs:
        raise click.UsageError("Standard input cannot be taken up again after a break: name files.")
    if (engine == "dask") != (address is not None):
        raise click.UsageError("--engine dask and --address belong together.")
    if address is not None and jobs is not None:
        raise click.UsageError("--jobs is for the engine local.")
    try:
        options = BulkOptions(text, id, read, form, max_bytes, shard_bytes)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    chosen = run_on_dask(address) if address is not None else None
    try:
        with progress_bar(shown=sys.stderr.isatty() if progress is None else progress) as show:
            report = run_bulk(
                inputs, out, options=options, jobs=jobs, engine=chosen, overwrite=overwrite, progress=show
            )
    except (BulkError, OSError) as error:
        said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        fail(f"Error: {said}", UNREADABLE)
    write_text(show_report(report))
    if report.failed:
        raise click.exceptions.Exit(UNREADABLE)
