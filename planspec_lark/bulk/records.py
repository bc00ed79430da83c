"""Records out of JSONL, plain or in gzip: a line each, and a broken one is a record too.

Lines end with ``\\n``. The number of a record is that of its line, from 0; blank lines count and are no records.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from io import BufferedReader, RawIOBase
from typing import Any, BinaryIO

from attrs import evolve, frozen

from planspec_lark.bulk.models import BulkOptions, Shard
from planspec_lark.syntax.source import visible

__all__ = [
    "DAMAGED",
    "NOT_TEXT",
    "NO_COLUMN",
    "TOO_LONG",
    "Record",
    "decode_text",
    "failed_record",
    "name_missing_column",
    "read_lines",
    "spell_id",
]

NOT_JSON = "not-json"
NOT_AN_OBJECT = "not-an-object"
NO_COLUMN = "no-column"
NOT_TEXT = "not-text"
INVALID_UTF_8 = "invalid-utf-8"
TOO_LONG = "too-long"
DAMAGED = "damaged"
INTERNAL = "internal"

_MARK = b"\xef\xbb\xbf"
_BUFFER = 1 << 18
_EXCERPT = 300
# What the beginning of a line may look like. What is an object is all of its line.
_CUT = (NOT_JSON, NOT_AN_OBJECT, INVALID_UTF_8)
_WHAT = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "a truth value",
    int: "a number",
    float: "a number",
    type(None): "null",
}


@frozen
class Record:
    """One record: its text, or the kind of problem that there is instead, with a message and how the line starts."""

    number: int
    id: str | None = None
    text: str | None = None
    problem: str | None = None
    message: str | None = None
    excerpt: bytes = b""


def read_lines(shard: Shard, options: BulkOptions) -> Iterator[Record]:
    """The records of a shard of JSONL.

    Raises:
        OSError: the file cannot be read. That gzip data end early or are damaged is the last record instead.
    """
    if shard.kind == "gzip":
        yield from _read_gzip(shard, options)
        return
    with open(shard.path, "rb", buffering=_BUFFER) as file:
        file.seek(shard.start)
        for number, line in enumerate(_split(file, shard.stop - shard.start, options.max_bytes), shard.first):
            if record := _read_line(number, line, options):
                yield record


def _read_gzip(shard: Shard, options: BulkOptions) -> Iterator[Record]:
    following = shard.first
    with open(shard.path, "rb") as packed, gzip.GzipFile(fileobj=packed) as file:
        unpacked = _Unpacked(file)
        buffer = BufferedReader(unpacked, _BUFFER)
        for number, line in enumerate(_split(buffer, None, options.max_bytes), shard.first):
            record = _read_line(number, line, options)
            if unpacked.is_cut and not buffer.peek(1) and (record is None or record.problem in _CUT):
                break
            following = number + 1
            if record:
                yield record
    if unpacked.damage is not None:
        message = f"the gzip data end or are damaged here, what follows is lost: {unpacked.damage}"
        yield Record(following, problem=DAMAGED, message=message)


class _Unpacked(RawIOBase):
    """What gzip data hold, up to their end or to where they are damaged."""

    def __init__(self, file: gzip.GzipFile) -> None:
        self._file = file
        self._ended = True
        self.damage: Exception | None = None

    @property
    def is_cut(self) -> bool:
        """Whether the last line may have been longer: it has no end, and the member that it is in does not end well."""
        return not self._ended and isinstance(self.damage, EOFError | zlib.error)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = b""
        if self.damage is None:
            try:
                data = self._file.read1(len(buffer))
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                self.damage = error
        buffer[: len(data)] = data
        if data:
            self._ended = data.endswith(b"\n")
        return len(data)


def _split(file: BinaryIO | BufferedReader, left: int | None, most: int) -> Iterator[bytes | None]:
    """The lines of the next ``left`` bytes (None: of all), without their ends; None for one of more than ``most``."""
    while (left is None or left > 0) and (line := file.readline(most + 1)):
        size = len(line)
        is_whole = line.endswith(b"\n") or size <= most
        yield line.removesuffix(b"\n") if is_whole else None
        while not is_whole and (more := file.readline(_BUFFER)):
            size += len(more)
            is_whole = more.endswith(b"\n")
        if left is not None:
            left -= size


def _read_line(number: int, line: bytes | None, options: BulkOptions) -> Record | None:
    """The record of a line, or None for a blank one."""
    if line is None:
        return Record(number, problem=TOO_LONG, message=f"the line has more than {options.max_bytes} bytes")
    if number == 0:
        line = line.removeprefix(_MARK)
    if not line.strip():
        return None
    try:
        record = _decode_line(number, line, options)
    except RecursionError:
        # Values can be read to about the same depth as they can be written, not to the same.
        record = Record(number, problem=NOT_JSON, message="it is nested too deeply")
    except (MemoryError, OSError):
        raise
    except Exception as error:  # one record in a million must not stop the others
        record = failed_record(number, error)
    return record if record.problem is None else evolve(record, excerpt=line[:_EXCERPT])


def _decode_line(number: int, line: bytes, options: BulkOptions) -> Record:
    decoded = decode_text(number, None, line, "line")
    if decoded.text is None:
        return decoded
    try:
        value = json.loads(decoded.text)
    except json.JSONDecodeError as error:
        return Record(number, problem=NOT_JSON, message=f"{error.msg}, at column {error.colno}")
    except ValueError as error:  # a number with thousands of digits
        return Record(number, problem=NOT_JSON, message=str(error))
    return _take_columns(number, value, options)


def _take_columns(number: int, value: object, options: BulkOptions) -> Record:
    if not isinstance(value, dict):
        message = f"the line holds {_WHAT[type(value)]}, not an object"
        return Record(number, problem=NOT_AN_OBJECT, message=message)
    id = spell_id(value.get(options.id)) if options.id is not None else None
    if options.text not in value:
        return Record(number, id, problem=NO_COLUMN, message=name_missing_column(options.text, value))
    text = value[options.text]
    if not isinstance(text, str):
        return Record(number, id, problem=NOT_TEXT, message=f"the column holds {_WHAT[type(text)]}, not a text")
    return Record(number, id, text)


def decode_text(number: int, id: str | None, data: bytes, what: str) -> Record:
    """The record with these data as its text, or with the problem that they are not UTF-8."""
    try:
        return Record(number, id, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        message = f"byte {error.start} of the {what} (0x{data[error.start]:02x}) is not UTF-8: {error.reason}"
        return Record(number, id, problem=INVALID_UTF_8, message=message)


def name_missing_column(name: str, names: Iterable[str]) -> str:
    """What is said where a record has other columns than that of the text."""
    listed = ", ".join(visible(name)[:40] for name in list(names)[:10]) or "none"
    return f"there is no column {visible(name)[:40]}, the columns are: {listed}"


def failed_record(number: int, error: Exception, what: str = "reader") -> Record:
    """The record instead of one over which its reader failed, or ``what`` else."""
    message = f"the {what} failed: {type(error).__name__}: {error}"
    return Record(number, problem=INTERNAL, message=message[:500])


def spell_id(value: object) -> str | None:
    """An id as text: lists, objects, numbers and truth values as JSON, all else as Python spells it.

    What UTF-8 cannot say becomes an escape.
    """
    if value is None:
        return None
    is_json = isinstance(value, dict | list | tuple | bool | int | float)
    text = json.dumps(value, ensure_ascii=False, default=_spell) if is_json else _spell(value)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _spell(value: object) -> str:
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
