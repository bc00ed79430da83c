"""One shard: its records → rows in a file. The one function that every engine runs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import evolve

from planspec_lark.bulk import parquet
from planspec_lark.bulk.analysing import analyze_text
from planspec_lark.bulk.examples import Examples, examples_beside
from planspec_lark.bulk.models import BulkOptions, BulkTask, Shard, ShardReport
from planspec_lark.bulk.reasons import reason_of
from planspec_lark.bulk.records import INTERNAL, Record, read_lines
from planspec_lark.bulk.splitting import stamp_of, whole
from planspec_lark.bulk.writing import open_rows
from planspec_lark.files import writing
from planspec_lark.syntax.diagnostics import Severity

__all__ = ["analyze_shard", "perform"]

_DEFAULTS = BulkOptions()


def analyze_shard(
    src: Shard | str | os.PathLike[str], dst: str | os.PathLike[str], *, options: BulkOptions = _DEFAULTS
) -> ShardReport:
    """Analyse the records of one shard and write a row for each.

    The rows are written to a file beside ``dst``, which takes the name ``dst`` once it is complete: there is a whole
    result or none, and whoever calls this twice, even at once, gets the same bytes. A broken record is a row as well.
    A few examples of what was found go to ``….examples.json`` beside ``dst``, before the rows.

    Args:
        src: a shard, or the path of a file that is one as a whole: JSONL, plain or in gzip, or Parquet.
        dst: the path of the result; its folder has to exist.
        options: what to read and what to write.

    Raises:
        OSError: ``src`` cannot be read or has changed since it was split, or ``dst`` cannot be written.
        BulkError: an extra is missing.
    """
    shard = src if isinstance(src, Shard) else whole(os.fspath(src))
    target = Path(dst)
    examples = Examples()
    records = problems = valid = 0
    with writing(target) as file:
        rows = open_rows(file, options.format)
        for record in _read(shard, options):
            row = _analyze(record, shard.name, options, examples)
            rows.write(row)
            records += 1
            problems += row["problem"] is not None
            valid += row["valid"]
        rows.close()
        if stamp_of(shard.path) != shard.stamp:
            raise OSError(0, "the input has changed since it was split")
        size = file.tell()
        if not Path(file.name).exists():
            # A task that nobody waits for any more must not replace what a new run writes here.
            raise OSError(0, "another run has begun to write here")
        with writing(examples_beside(target)) as beside:
            beside.write(examples.encode(size))
    return ShardReport(records, problems, valid)


def perform(task: BulkTask) -> ShardReport | str:
    """Carry out a task: its report, or in a sentence why there is none. This is what engines send to their workers."""
    try:
        return analyze_shard(task.src, task.dst, options=task.options)
    except Exception as error:  # the other shards go on
        return reason_of(error)


def _read(shard: Shard, options: BulkOptions) -> Iterator[Record]:
    return parquet.read_groups(shard, options) if shard.kind == "parquet" else read_lines(shard, options)


def _analyze(record: Record, name: str, options: BulkOptions, examples: Examples) -> dict[str, Any]:
    if record.text is not None:
        try:
            analysis = analyze_text(record.text, read=options.read)
            examples.add(name, record, analysis)
        except MemoryError:
            # Of the machine rather than of the record: another try may well succeed.
            raise
        except Exception as error:  # one record in a million must not stop the others
            message = f"the analysis failed: {type(error).__name__}: {error}"
            record = evolve(record, text=None, problem=INTERNAL, message=message[:500])
    if record.text is None:
        examples.add_problem(name, record)
        return _row(record, name)
    codes = analysis.codes()
    return _row(
        record,
        name,
        parsed=analysis.parsed,
        valid=analysis.valid,
        score=analysis.score,
        steps=analysis.steps,
        depth=analysis.depth,
        errors=analysis.count(Severity.ERROR),
        warnings=analysis.count(Severity.WARNING),
        infos=analysis.count(Severity.INFO),
        codes=[code for code, _, _ in codes],
        counts=[count for _, count, _ in codes],
        severities=[severity.value for _, _, severity in codes],
        canonical=analysis.canonical,
    )


def _row(record: Record, name: str, **found: Any) -> dict[str, Any]:
    """A row with all columns in their order; what was not found is that of a record without a text."""
    return {
        "file": name,
        "record": record.number,
        "id": record.id,
        "problem": record.problem,
        "message": record.message,
        "parsed": False,
        "valid": False,
        "score": 0.0,
        "steps": 0,
        "depth": 0,
        "errors": 0,
        "warnings": 0,
        "infos": 0,
        "codes": [],
        "counts": [],
        "severities": [],
        "canonical": None,
        **found,
    }
