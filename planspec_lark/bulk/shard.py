"""One shard: its records → rows in a file, and their sums beside it. The one function that every engine runs."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attrs import asdict
from cattrs import BaseValidationError, structure

from planspec_lark.bulk import parquet
from planspec_lark.bulk.analysis import Analysis, analyze_text
from planspec_lark.bulk.models import COLUMNS, BulkOptions, Record, Shard
from planspec_lark.bulk.records import read_lines, split_lines
from planspec_lark.bulk.report import BulkReport
from planspec_lark.files import reason_of, writing
from planspec_lark.syntax.safe_text import safe_json, visible_name

__all__ = ["perform", "read_sums", "split", "write_json"]

_PARQUET = b"PAR1"
# How files begin that are not read here.
_PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2", b"\xfd7zX": "xz", b"PK\x03\x04": "zip"}


def split(path: str, options: BulkOptions) -> list[Shard]:
    """An input as shards: JSON Lines is split between lines, Parquet between row groups.

    Raises:
        OSError: it cannot be read.
        ValueError: it is of another format, or damaged.
        BulkError: it is Parquet, and the extra for that is missing.
    """
    stamp = _stamp_of(path)
    with open(path, "rb") as file:
        head = file.read(len(_PARQUET))
    for magic, packing in _PACKED.items():
        if head.startswith(magic):
            raise ValueError(f"this is packed with {packing}, which is not read here: unpack it")
    is_parquet = head == _PARQUET
    pieces = parquet.split_groups(path, options) if is_parquet else split_lines(path, options.shard_bytes)
    # The same in every locale.
    name = visible_name(os.fsencode(path).decode("utf-8", "backslashreplace"))
    # A file without records is a shard as well, so that the manifest knows it.
    return [Shard(os.path.abspath(path), name, stamp, is_parquet, *piece) for piece in [*pieces] or [(0, 0, 0)]]


def _stamp_of(path: str) -> list[int]:
    known = os.stat(path)
    if not stat.S_ISREG(known.st_mode):
        raise ValueError("this is no regular file")
    return [known.st_size, known.st_mtime_ns]


def perform(shard: Shard, options: BulkOptions) -> str:
    """Analyse a shard; the empty text, or in a sentence why it failed, so that the other shards continue."""
    try:
        _analyze(shard, options)
    except Exception as error:
        return reason_of(error)
    return ""


def _analyze(shard: Shard, options: BulkOptions) -> None:
    """Write the rows, and then the sums: a shard that has these is done. Both are written whole or not at all."""
    sums = BulkReport(shards=1)
    rows = _rows(shard, options, sums)
    target = Path(shard.target)
    with writing(target) as file:
        if options.format == "parquet":
            parquet.write_rows(file, rows)
        else:
            file.writelines(safe_json(row).encode() + b"\n" for row in rows)
        if _stamp_of(shard.path) != shard.stamp:
            raise ValueError("the input has changed since it was split")
    write_json(_sums_of(target), asdict(sums))


def _rows(shard: Shard, options: BulkOptions, sums: BulkReport) -> Iterator[dict[str, Any]]:
    read = parquet.read_groups if shard.is_parquet else read_lines
    for record in read(shard, options):
        place = {"file": shard.name, "record": record.number}
        found = _analyze_record(record, options)
        sums.add(place, found)
        yield {**dict.fromkeys(COLUMNS), **place, "id": record.id, **found.columns}


def _analyze_record(record: Record, options: BulkOptions) -> Analysis:
    problem, message = record.problem, record.message
    if not problem:
        try:
            return analyze_text(record.text, read=options.read, finish_reason=record.finish_reason)
        except (MemoryError, OSError):
            raise
        except Exception as error:  # one record in a million must not stop the others
            problem, message = "internal", f"{type(error).__name__}: {error}"
    return Analysis({"problem": problem, "message": message})


# ---------------------------------------------------------------- sums


def read_sums(shard: Shard) -> BulkReport | None:
    """The sums of a shard that is done; None for any other."""
    target = Path(shard.target)
    try:
        sums = structure(json.loads(_sums_of(target).read_bytes()), BulkReport)
    except (OSError, ValueError, RecursionError, BaseValidationError):
        return None
    return sums if sums.shards and target.exists() else None


def _sums_of(target: Path) -> Path:
    return target.with_name(f"{target.stem}.sums.json")


def write_json(path: Path, value: object) -> None:
    """Put a value into a file."""
    with writing(path) as file:
        file.write(safe_json(value, indent=1).encode() + b"\n")
