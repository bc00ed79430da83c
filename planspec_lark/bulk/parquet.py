"""Parquet: records out of it, rows into it. The only module that knows pyarrow, and it loads it when it is needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import chain, islice, repeat
from typing import Any, BinaryIO

from planspec_lark.bulk.models import COLUMNS, BulkError, BulkOptions, Record, Shard
from planspec_lark.bulk.records import refuse_long
from planspec_lark.syntax.diagnostics import first_of

__all__ = ["load", "read_groups", "split_groups", "write_rows"]

# Records that are decoded at once, and rows that are written at once: texts may be long.
_BATCH = 16
_GROUP = 1024


def load() -> Any:
    """The packages pyarrow and pyarrow.parquet.

    Raises:
        BulkError: they are not installed.
    """
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ModuleNotFoundError as error:
        if error.name != "pyarrow":
            raise
        raise BulkError("Parquet needs the extra `bulk`: pip install 'planspec-lark[bulk]'") from None


def split_groups(path: str, options: BulkOptions) -> Iterator[tuple[int, int, int]]:
    """Pieces of a file of whole row groups: the first, the one after the last, and the number of the first record.

    Raises:
        ValueError: the file cannot be read, or does not have the column of the text.
    """
    _, parquet = load()
    with parquet.ParquetFile(path) as file:
        names = file.schema_arrow.names
        if options.text not in names:
            raise ValueError(f"there is no column {options.text}, only: {first_of(names) or 'none'}")
        start = first = records = size = 0
        for at in range(file.num_row_groups):
            group = file.metadata.row_group(at)
            records, size = records + group.num_rows, size + group.total_byte_size
            if size >= options.shard_bytes or at + 1 == file.num_row_groups:
                yield start, at + 1, first
                start, first, size = at + 1, records, 0


def read_groups(shard: Shard, options: BulkOptions) -> Iterator[Record]:
    """The records of a shard.

    Raises:
        Exception: the data are damaged, or a column is of a type that no text can be made of.
    """
    arrow, parquet = load()
    # As bytes, since what is not UTF-8 is found record by record.
    wanted = [
        (options.text, arrow.large_binary()),
        (options.id, arrow.string()),
        (options.finish_reason, arrow.string()),
    ]
    with parquet.ParquetFile(shard.path, pre_buffer=False, buffer_size=1 << 20) as file:
        names = {name for name, _ in wanted} & {*file.schema_arrow.names}
        groups = range(shard.start, shard.stop)
        batches = file.iter_batches(_BATCH, row_groups=groups, columns=[*names], use_threads=False)
        rows = chain.from_iterable(
            zip(*(_values(batch, name, kind) if name in names else repeat(None) for name, kind in wanted), strict=False)
            for batch in batches
        )
        for number, (data, id, reason) in enumerate(rows, shard.first):
            yield _take_row(number, data, id, reason or "", options)


def _values(batch: Any, name: str | None, kind: Any) -> list[Any]:
    column = batch.column(name)
    # Texts that repeat are often stored as numbers, with a dictionary.
    column = column.dictionary_decode() if hasattr(column, "dictionary_decode") else column
    return column.cast(kind).to_pylist()  # type: ignore[no-any-return]


def _take_row(number: int, data: bytes | None, id: str | None, reason: str, options: BulkOptions) -> Record:
    if data is None:
        return Record(number, id, problem="no-text", message=f"there is no text in the column {options.text}")
    if len(data) > options.max_bytes:
        return refuse_long(number, options, id)
    try:
        return Record(number, id, data.decode(), reason)
    except UnicodeDecodeError as error:
        return Record(number, id, problem="no-text", message=str(error))


def write_rows(file: BinaryIO, rows: Iterable[dict[str, Any]]) -> None:
    """Write rows into a Parquet file."""
    arrow, parquet = load()
    texts = arrow.list_(arrow.string())
    types = {name: texts if kind == "string[]" else arrow.type_for_alias(kind) for name, kind in COLUMNS.items()}
    schema = arrow.schema(types.items())
    left = iter(rows)
    with parquet.ParquetWriter(file, schema) as writer:
        while group := list(islice(left, _GROUP)):
            writer.write_table(arrow.Table.from_pylist(group, schema=schema))
