"""Records out of JSON Lines: a line each, and a broken one is a record too.

Lines end with ``\\n``. The number of a record is that of its line, from 0; blank lines count and are no records.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from planspec_lark.bulk.models import BulkOptions, Record, Shard
from planspec_lark.syntax.diagnostics import first_of, shorten
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["read_lines", "refuse_long", "split_lines"]

_BLOCK = 1 << 20


def split_lines(path: str, shard_bytes: int) -> Iterator[tuple[int, int, int]]:
    """Pieces of a file that end with a line: first byte, last byte, and the number of the first line."""
    start = first = at = lines = 0
    with open(path, "rb") as file:
        while True:
            # Up to where a piece has its size, and on to the end of the line.
            left = start + shard_bytes - at
            block = file.read(min(left, _BLOCK)) if left > 0 else file.readline(_BLOCK)
            at += len(block)
            lines += block.count(b"\n")
            if at > start and (not block or (at >= start + shard_bytes and block.endswith(b"\n"))):
                yield start, at, first
                start, first = at, lines
            if not block:
                return


def read_lines(shard: Shard, options: BulkOptions) -> Iterator[Record]:
    """The records of a shard."""
    with open(shard.path, "rb") as file:
        file.seek(shard.start)
        number, left = shard.first, shard.stop - shard.start
        while left > 0 and (line := file.readline(options.max_bytes + 1)):
            is_too_long = len(line) > options.max_bytes and not line.endswith(b"\n")
            left -= len(line) + (_skip_line(file) if is_too_long else 0)
            if is_too_long:
                yield refuse_long(number, options)
            elif line.strip():
                yield _read_line(number, line, options)
            number += 1


def _skip_line(file: BinaryIO) -> int:
    """Go to the end of a line, which need not fit into memory; how many bytes that were."""
    size = 0
    while block := file.readline(_BLOCK):
        size += len(block)
        if block.endswith(b"\n"):
            break
    return size


def refuse_long(number: int, options: BulkOptions, id: str | None = None) -> Record:
    """What stands for a record that is too long."""
    return Record(number, id, problem="too-long", message=f"it has more than {options.max_bytes:,} bytes")


def _read_line(number: int, line: bytes, options: BulkOptions) -> Record:
    try:
        value = json.loads(line.removesuffix(b"\n"))
        if isinstance(value, dict):
            return _take_record(number, value, options)
        message = "it is no object"
    except ValueError as error:
        message = str(error)
    except RecursionError:
        message = "it is nested too deeply"
    return Record(number, problem="not-json", message=message)


def _take_record(number: int, values: Mapping[str, object], options: BulkOptions) -> Record:
    """The record with these values."""
    id = None if options.id is None else _spell(values.get(options.id))
    text, reason = values.get(options.text), values.get(options.finish_reason)
    if isinstance(text, str):
        return Record(number, id, text, reason if isinstance(reason, str) else "")
    columns = (
        "" if options.text in values else f", only: {first_of([shorten(visible_name(one), 40) for one in values])}"
    )
    return Record(number, id, problem="no-text", message=f"there is no text in the column {options.text}{columns}")


def _spell(value: object) -> str | None:
    """An id as text: a text as it is, all else as JSON. What UTF-8 cannot say becomes an escape."""
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
