"""Parquet: records out of it, rows into it. The only module that knows pyarrow, and it loads it when it is needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any, BinaryIO

from planspec_lark.bulk.models import COLUMNS, BulkError, BulkOptions, Shard
from planspec_lark.bulk.records import (
    DAMAGED,
    NO_COLUMN,
    NOT_TEXT,
    TOO_LONG,
    InputRecord,
    NoTextError,
    decode_text,
    name_missing_column,
    spell_id,
    spell_reason,
)
from planspec_lark.syntax.safe_text import visible

__all__ = ["load", "read_groups", "read_rows", "sizes_of_groups", "write_rows"]

# Records that are decoded at once, and about how many bytes of them; rows that are written as one group.
_BATCH = 64
_BATCH_BYTES = 1 << 24
_GROUP = 4096


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
        raise OSError(0, f"this is not a Parquet that can be read: {_brief(error)}") from None


def _brief(error: Exception) -> str:
    return visible(str(error).split("\n")[0])[:200]


# ---------------------------------------------------------------- records


def read_groups(shard: Shard, options: BulkOptions) -> Iterator[InputRecord]:
    """The records of a shard of Parquet. Where the data of a row group are damaged, one record tells of the rest of it.

    Raises:
        OSError: the file cannot be read.
        BulkError: pyarrow is missing.
    """
    arrow, _ = load()
    with _open(shard.path) as file:
        fault = _check_column(file.schema_arrow, options.text, arrow)
        number = shard.first
        for group in range(shard.start, shard.stop):
            end = number + file.metadata.row_group(group).num_rows
            try:
                for id, reason, data in _values(file, group, options, has_text=fault is None):
                    yield _make_record(number, id, reason, data, fault, options)
                    number += 1
            except (arrow.ArrowException, OSError) as error:
                if isinstance(error, OSError) and error.errno is not None:
                    raise
                message = f"{end - number} records, this one and the next ones, are lost, as the data are damaged"
                yield InputRecord(number, problem=DAMAGED, message=f"{message}: {_brief(error)}")
                number = end


def _check_column(schema: Any, name: str, arrow: Any) -> tuple[str, str] | None:
    """What is wrong with the column of the text, if anything is: the kind of problem, and a message."""
    if name not in schema.names:
        return NO_COLUMN, name_missing_column(name, schema.names)
    kind = schema.field(name).type
    inner = kind.value_type if arrow.types.is_dictionary(kind) else kind
    tests = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")
    if any(getattr(arrow.types, f"is_{test}")(inner) for test in tests):
        return None
    return NOT_TEXT, f"the column holds {visible(str(kind))[:80]}, not a text"


def _values(file: Any, group: int, options: BulkOptions, *, has_text: bool) -> Iterator[tuple[Any, Any, bytes | None]]:
    """The id and the finish reason, as pyarrow has them, and the text, as bytes, of each record of a row group."""
    wanted = {options.id, options.finish_reason} & {*file.schema_arrow.names}
    wanted |= {options.text} if has_text else set()
    known = file.metadata.row_group(group)
    size = known.total_byte_size // max(1, known.num_rows)
    most = max(1, min(_BATCH, _BATCH_BYTES // max(1, size)))
    for batch in file.iter_batches(most, row_groups=[group], columns=[*wanted], use_threads=False):
        nothing = [None] * batch.num_rows
        ids, reasons = (
            batch.column(name) if name in wanted else nothing for name in (options.id, options.finish_reason)
        )
        # Nothing but this holds the texts, so that they go before the next ones come.
        yield from zip(ids, reasons, _texts(batch.column(options.text)) if has_text else nothing, strict=True)


def _texts(column: Any) -> Any:
    """The texts as bytes: what is not UTF-8 is found record by record."""
    arrow, _ = load()
    if arrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column.cast(arrow.large_binary()).to_pylist()


def _make_record(  # noqa: PLR0913, PLR0917  (what a row holds)
    number: int, id: Any, reason: Any, data: bytes | None, fault: tuple[str, str] | None, options: BulkOptions
) -> InputRecord:
    record = InputRecord(number)
    with record.hold_problems():
        record.id = None if id is None else spell_id(_plain(id))
        if fault is not None:
            raise NoTextError(*fault)
        if data is None:
            raise NoTextError(NOT_TEXT, "the column holds null, not a text")
        if len(data) > options.max_bytes:
            raise NoTextError(TOO_LONG, f"the text has more than {options.max_bytes} bytes")
        record.text = decode_text(data, "text")
        record.finish_reason = "" if reason is None else spell_reason(_plain(reason))
    return record


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


# ---------------------------------------------------------------- rows


def write_rows(file: BinaryIO, rows: Iterable[dict[str, Any]]) -> None:
    """Write rows into a Parquet file."""
    arrow, parquet = load()

    def type_of(kind: str) -> Any:
        item = arrow.type_for_alias(kind.removesuffix("[]"))
        return arrow.list_(item) if kind.endswith("[]") else item

    schema = arrow.schema([(name, type_of(kind)) for name, (kind, _) in COLUMNS.items()])
    with parquet.ParquetWriter(file, schema, compression="snappy") as writer:
        for group in _group(rows):
            writer.write_table(arrow.Table.from_pylist(group, schema=schema))


def _group(rows: Iterable[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    group: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        group.append(row)
        size += len(row["canonical"] or "")
        if len(group) >= _GROUP or size > _BATCH_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def read_rows(path: str, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """These columns of the rows of a part that :func:`write_rows` has written."""
    arrow, _ = load()
    with _open(path) as file:
        try:
            for batch in file.iter_batches(_GROUP, columns=list(columns), use_threads=False):
                yield from batch.to_pylist()
        except arrow.ArrowException as error:
            raise OSError(0, f"the part is damaged: {_brief(error)}") from None
