"""Records out of JSONL, plain or in gzip: a line each, and a broken one is a record too.

Lines end with ``\\n``. The number of a record is that of its line, from 0; blank lines count and are no records.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader, RawIOBase
from typing import Any, BinaryIO

from attrs import define

from planspec_lark.bulk.models import BulkOptions, Shard
from planspec_lark.syntax.safe_text import visible

__all__ = [
    "DAMAGED",
    "NOT_TEXT",
    "NO_COLUMN",
    "TOO_LONG",
    "InputRecord",
    "NoTextError",
    "decode_text",
    "name_missing_column",
    "read_lines",
    "spell_id",
    "spell_reason",
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


class NoTextError(Exception):
    """A record has no text: the kind of problem, and a message."""


@define
class InputRecord:
    """One record: its text, and why that ends, if it says so.

    Or the kind of problem that there is instead, with a message and how the line starts.
    """

    number: int
    id: str | None = None
    text: str | None = None
    finish_reason: str = ""
    problem: str | None = None
    message: str | None = None
    excerpt: bytes = b""

    @contextmanager
    def hold_problems(self, what: str = "reader") -> Iterator[None]:
        """What goes wrong over this record in ``what`` is its problem; not so what the machine lacks."""
        try:
            yield
        except NoTextError as error:
            self.problem, self.message = error.args
        except (MemoryError, OSError):
            raise
        except Exception as error:  # one record in a million must not stop the others
            self.problem, self.message = INTERNAL, f"the {what} failed: {type(error).__name__}: {error}"[:500]


def read_lines(shard: Shard, options: BulkOptions) -> Iterator[InputRecord]:
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


def _read_gzip(shard: Shard, options: BulkOptions) -> Iterator[InputRecord]:
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
        yield InputRecord(following, problem=DAMAGED, message=message)


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


def _read_line(number: int, line: bytes | None, options: BulkOptions) -> InputRecord | None:
    """The record of a line, or None for a blank one."""
    if line is not None and number == 0:
        line = line.removeprefix(_MARK)
    if line is not None and not line.strip():
        return None
    record = InputRecord(number)
    with record.hold_problems():
        if line is None:
            raise NoTextError(TOO_LONG, f"the line has more than {options.max_bytes} bytes")
        try:
            _take_columns(record, _decode_line(line), options)
        except RecursionError:
            # Values can be read to about the same depth as they can be written, not to the same.
            raise NoTextError(NOT_JSON, "it is nested too deeply") from None
    if record.problem is not None and line is not None:
        record.excerpt = line[:_EXCERPT]
    return record


def _decode_line(line: bytes) -> object:
    try:
        return json.loads(decode_text(line, "line"))
    except json.JSONDecodeError as error:
        raise NoTextError(NOT_JSON, f"{error.msg}, at column {error.colno}") from None
    except ValueError as error:  # a number with thousands of digits
        raise NoTextError(NOT_JSON, str(error)) from None


def _take_columns(record: InputRecord, value: object, options: BulkOptions) -> None:
    if not isinstance(value, dict):
        raise NoTextError(NOT_AN_OBJECT, f"the line holds {_WHAT[type(value)]}, not an object")
    if options.id is not None:
        record.id = spell_id(value.get(options.id))
    if options.text not in value:
        raise NoTextError(NO_COLUMN, name_missing_column(options.text, value))
    text = value[options.text]
    if not isinstance(text, str):
        raise NoTextError(NOT_TEXT, f"the column holds {_WHAT[type(text)]}, not a text")
    record.text = text
    record.finish_reason = spell_reason(value.get(options.finish_reason))


def decode_text(data: bytes, what: str) -> str:
    """The text that these data are.

    Raises:
        NoTextError: they are not UTF-8.
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"byte {error.start} of the {what} (0x{data[error.start]:02x}) is not UTF-8: {error.reason}"
        raise NoTextError(INVALID_UTF_8, message) from None


def name_missing_column(name: str, names: Iterable[str]) -> str:
    """What is said where a record has other columns than that of the text."""
    listed = ", ".join(visible(name)[:40] for name in list(names)[:10]) or "none"
    return f"there is no column {visible(name)[:40]}, the columns are: {listed}"


def spell_reason(value: object) -> str:
    """Why a model stopped; empty where a record does not say so in words."""
    return value if isinstance(value, str) else ""


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
