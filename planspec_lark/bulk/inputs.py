"""Inputs → shards. The same inputs give the same shards, on any machine."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from attrs import evolve

from planspec_lark.bulk import parquet
from planspec_lark.bulk.models import Shard

__all__ = ["even", "spell_name", "split", "stamp_of", "whole"]

_BLOCK = 1 << 20
# How files begin that are neither JSONL nor anything else that is read here.
_FOREIGN = {b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"PK\x03\x04": "zip"}


def stamp_of(path: str) -> tuple[int, int]:
    """Size and time of change (ns) of a file.

    Raises:
        OSError: there is none that can be read.
    """
    known = os.stat(path)
    if not stat.S_ISREG(known.st_mode):
        raise OSError(0, "this is a folder" if stat.S_ISDIR(known.st_mode) else "this is not a regular file")
    return known.st_size, known.st_mtime_ns


def whole(path: str) -> Shard:
    """A file as one shard.

    Raises:
        OSError: it cannot be read.
    """
    stamp = stamp_of(path)
    with open(path, "rb") as file:
        head = file.read(8)
    kind = "gzip" if head.startswith(b"\x1f\x8b") else "parquet" if head.startswith(b"PAR1") else "jsonl"
    for magic, packing in _FOREIGN.items():
        if head.startswith(magic):
            raise OSError(0, f"this is packed with {packing}, which is not read here: unpack it, or use gzip")
    size = stamp[0]
    stop = len(parquet.sizes_of_groups(path)) if kind == "parquet" else size
    return Shard(str(Path(path).absolute()), spell_name(path), kind, 0, stop, 0, size, stamp)


def spell_name(path: str) -> str:
    """The name of a file as rows have it, whatever the locale: its bytes as UTF-8, those that are none as escapes."""
    try:
        return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        return path.encode("utf-8", "backslashreplace").decode("utf-8")


def split(path: str, shard_bytes: int) -> list[Shard]:
    """A file as even shards of about ``shard_bytes`` bytes or less.

    JSONL is split between lines and Parquet between row groups; gzip is one shard.

    Raises:
        OSError: it cannot be read.
        BulkError: it is Parquet, and the extra for that is missing.
    """
    it = whole(path)
    if it.kind == "gzip":
        return [it]
    pieces = (_split_groups if it.kind == "parquet" else _split_lines)(it, shard_bytes)
    return [evolve(it, start=start, stop=stop, first=first, weight=weight) for start, stop, first, weight in pieces]


def even(size: int, most: int) -> int:
    """The size of pieces that are as large as each other, so that no process waits for the others at the end."""
    count = max(1, -(-size // most))
    return max(1, -(-size // count))


# Start, stop, number of the first record, bytes.
_Piece = tuple[int, int, int, int]


def _split_lines(it: Shard, shard_bytes: int) -> Iterator[_Piece]:
    start = first = at = lines = 0
    size = even(it.stop, shard_bytes)
    with open(it.path, "rb") as file:
        # Up to where a piece has its size, and on to the end of the line.
        while block := file.read(min(start + size - at, _BLOCK)) if at < start + size else file.readline(_BLOCK):
            at += len(block)
            lines += block.count(b"\n")
            if at >= start + size and block.endswith(b"\n"):
                yield start, at, first, at - start
                start, first = at, lines
    if at > start or not start:
        yield start, at, first, at - start


def _split_groups(it: Shard, shard_bytes: int) -> Iterator[_Piece]:
    start = first = records = weight = 0
    groups = parquet.sizes_of_groups(it.path)
    least = even(sum(size for _, size in groups), shard_bytes)
    for at, (rows, size) in enumerate(groups, 1):
        records += rows
        weight += size
        if weight >= least or at == len(groups):
            yield start, at, first, weight
            start, first, weight = at, records, 0
    if not groups:
        yield 0, 0, 0, 0
