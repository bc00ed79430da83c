"""The two forms that rows take in a file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from planspec_lark.bulk import parquet
from planspec_lark.syntax.source import escape_json

__all__ = ["COLUMNS", "Rows", "open_rows", "read_rows"]

# The columns of a row, in their order.
COLUMNS = (
    "file",
    "record",
    "id",
    "problem",
    "message",
    "parsed",
    "valid",
    "score",
    "steps",
    "depth",
    "errors",
    "warnings",
    "infos",
    "codes",
    "counts",
    "severities",
    "canonical",
)


class Rows(Protocol):
    """Something that rows are written to."""

    def write(self, row: dict[str, Any]) -> None:
        """Add a row."""

    def close(self) -> None:
        """Write what is left."""


class _JsonRows:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, row: dict[str, Any]) -> None:
        self._file.write(escape_json(json.dumps(row, ensure_ascii=False)).encode("utf-8") + b"\n")

    def close(self) -> None:
        pass


def open_rows(file: BinaryIO, form: str) -> Rows:
    """Rows of this form into a file."""
    return parquet.ParquetRows(file, COLUMNS) if form == "parquet" else _JsonRows(file)


def read_rows(path: Path, form: str, columns: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """The rows of a part, with at least these columns.

    Raises:
        OSError: it cannot be read, or is damaged.
    """
    if form == "parquet":
        yield from parquet.read_rows(str(path), columns)
        return
    with open(path, "rb") as file:
        for line in file:
            try:
                row = json.loads(line)
            except ValueError:
                raise OSError(0, "the part is damaged") from None
            yield row
