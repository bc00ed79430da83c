"""Parquet: records out of it, rows into it. The only room that knows pyarrow, and it loads it when it is needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import repeat
from typing import Any, BinaryIO

from planspec_lark.bulk.models import BulkError, BulkOptions, Shard
from planspec_lark.bulk.records import (
    DAMAGED,
    INVALID_UTF_8,
    NO_COLUMN,
    NOT_TEXT,
    TOO_LONG,
    Record,
    failed_record,
    spell_id,
)
from planspec_lark.syntax.source import visible

__all__ = ["ParquetRows", "load", "read_groups", "read_rows", "sizes_of_groups"]

# Records that are decoded at once, and about how many bytes of them; rows that are written as one group.
_BATCH = 64
_BATCH_BYTES = 1 << 24
_GROUP = 4096
_LISTS = {"codes": "string", "counts": "int64", "severities": "string"}
_TYPES = {"parsed": "bool_", "valid": "bool_", "score": "float64"}
_INTEGERS = ("record", "steps", "depth", "errors", "warnings", "infos")


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


def sizes_of_groups(path: str) -> list[tuple[int, int]]:
    """Records and bytes of each row group of a file.

    Raises:
        OSError: it cannot be read.
        BulkError: pyarrow is missing.
    """
    with _open(path) as file:
        groups = [file.metadata.row_group(at) for at in range(file.num_row_groups)]
        return [(group.num_rows, group.total_byte_size) for group in groups]


def _open(path: str) -> Any:
    arrow, parquet = load()
    try:
        return parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20)
    except arrow.ArrowException as error:
        raise OSError(0, f"this is no Parquet that can be read: {_brief(error)}") from None


def _brief(error: Exception) -> str:
    return visible(str(error).split("\n")[0])[:200]


def read_groups(shard: Shard, options: BulkOptions) -> Iterator[Record]:
    """The records of a shard of Parquet. Where the data of a row group are damaged, one record tells of the rest of it.

    Raises:
        OSError: the file cannot be read.
        BulkError: pyarrow is missing.
    """
    arrow, _ = load()
    with _open(shard.path) as file:
        flaw = _check_column(file, options.text, arrow)
        number = shard.first
        for group in range(shard.start, shard.stop):
            end = number + file.metadata.row_group(group).num_rows
            try:
                for id, value in _values(file, group, options, arrow, flaw):
                    yield _take(number, id, value, flaw, options)
                    number += 1
            except (arrow.ArrowException, OSError) as error:
                if isinstance(error, OSError) and error.errno is not None:
                    raise
                message = f"{end - number} records, this one and the next ones, are lost, as the data are damaged"
                yield Record(number, problem=DAMAGED, message=f"{message}: {_brief(error)}")
                number = end


def _values(
    file: Any, group: int, options: BulkOptions, arrow: Any, flaw: object
) -> Iterator[tuple[Any, bytes | None]]:
    """The id, as pyarrow has it, and the text, as bytes, of each record of a row group."""
    names = file.schema_arrow.names
    wanted = [name for name in names if name == options.id or (name == options.text and not flaw)]
    if not wanted:
        yield from repeat((None, None), file.metadata.row_group(group).num_rows)
        return
    known = file.metadata.row_group(group)
    size = known.total_byte_size // max(1, known.num_rows)
    most = max(1, min(_BATCH, _BATCH_BYTES // max(1, size)))
    for batch in file.iter_batches(most, row_groups=[group], columns=wanted, use_threads=False):
        yield from zip(_ids(batch, options), _texts(batch, options, arrow, flaw), strict=True)


def _check_column(file: Any, name: str, arrow: Any) -> tuple[str, str] | None:
    """What is wrong with the column of the text, if anything is."""
    names = file.schema_arrow.names
    shown = visible(name)[:40]
    if name not in names:
        listed = ", ".join(visible(name)[:40] for name in names[:10]) or "none"
        return NO_COLUMN, f"there is no column {shown}, the columns are: {listed}"
    kind = file.schema_arrow.field(name).type
    inner = kind.value_type if arrow.types.is_dictionary(kind) else kind
    tests = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")
    if any(getattr(arrow.types, f"is_{test}")(inner) for test in tests):
        return None
    return NOT_TEXT, f"the column holds {visible(str(kind))[:80]}, not a text"


def _ids(batch: Any, options: BulkOptions) -> Iterable[Any]:
    if options.id is None or options.id not in batch.schema.names:
        return repeat(None, batch.num_rows)
    column: Iterable[Any] = batch.column(options.id)
    return column


def _plain(scalar: Any) -> Any:
    """A value of pyarrow as one of Python, also where pyarrow itself cannot say it, or cannot without pandas."""
    try:
        return scalar.as_py()
    except (ValueError, ImportError):
        arrow, _ = load()
        if isinstance(scalar, arrow.DictionaryScalar | arrow.ExtensionScalar):
            return _plain(scalar.value)
        if isinstance(scalar, arrow.StructScalar):
            return {field.name: _plain(scalar[at]) for at, field in enumerate(scalar.type)}
        if isinstance(scalar, arrow.ListScalar):
            return [_plain(value) for value in scalar.values]
        if hasattr(scalar, "as_buffer"):
            return scalar.as_buffer().to_pybytes()
        return scalar.cast(arrow.string()).as_py()


def _take(number: int, id: Any, value: bytes | None, flaw: tuple[str, str] | None, options: BulkOptions) -> Record:
    try:
        return _judge(number, None if id is None else spell_id(_plain(id)), value, flaw, options)
    except (MemoryError, OSError):
        raise
    except Exception as error:  # one record in a million must not stop the others
        return failed_record(number, error)


def _texts(batch: Any, options: BulkOptions, arrow: Any, flaw: object) -> list[bytes | None]:
    """The texts as bytes: what is not UTF-8 is found record by record."""
    if flaw:
        return [None] * int(batch.num_rows)
    column = batch.column(options.text)
    if arrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    values: list[bytes | None] = column.cast(arrow.large_binary()).to_pylist()
    return values


def _judge(
    number: int, id: str | None, value: bytes | None, flaw: tuple[str, str] | None, options: BulkOptions
) -> Record:
    if flaw:
        return Record(number, id, problem=flaw[0], message=flaw[1])
    if value is None:
        return Record(number, id, problem=NOT_TEXT, message="the column holds null, not a text")
    if len(value) > options.max_bytes:
        return Record(number, id, problem=TOO_LONG, message=f"the text has more than {options.max_bytes} bytes")
    try:
        return Record(number, id, value.decode("utf-8"))
    except UnicodeDecodeError as error:
        message = f"byte {error.start} of the text (0x{value[error.start]:02x}) is not UTF-8: {error.reason}"
        return Record(number, id, problem=INVALID_UTF_8, message=message)


class ParquetRows:
    """Writes rows into a Parquet file."""

    def __init__(self, file: BinaryIO, columns: Sequence[str]) -> None:
        arrow, parquet = load()
        self._arrow = arrow
        self._schema = arrow.schema([(name, _type_of(arrow, name)) for name in columns])
        self._writer = parquet.ParquetWriter(file, self._schema, compression="snappy")
        self._rows: list[dict[str, Any]] = []
        self._size = 0

    def write(self, row: dict[str, Any]) -> None:
        """Add a row."""
        self._rows.append(row)
        self._size += len(row["canonical"] or "")
        if len(self._rows) >= _GROUP or self._size > 1 << 24:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(self._arrow.Table.from_pylist(self._rows, schema=self._schema))
        self._rows = []
        self._size = 0

    def close(self) -> None:
        """Write what is left and the end of the file."""
        self._flush()
        self._writer.close()


def _type_of(arrow: Any, name: str) -> Any:
    if name in _LISTS:
        return arrow.list_(getattr(arrow, _LISTS[name])())
    if name in _INTEGERS:
        return arrow.int64()
    return getattr(arrow, _TYPES.get(name, "string"))()


def read_rows(path: str, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """These columns of the rows of a part that :class:`ParquetRows` has written."""
    arrow, _ = load()
    with _open(path) as file:
        try:
            for batch in file.iter_batches(_GROUP, columns=list(columns), use_threads=False):
                yield from batch.to_pylist()
        except arrow.ArrowException as error:
            raise OSError(0, f"the part is damaged: {_brief(error)}") from None
