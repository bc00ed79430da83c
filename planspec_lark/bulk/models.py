"""Models of bulk analysis: plain values that any engine can pickle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from attrs import Attribute, field, frozen
from attrs.validators import ge, in_, instance_of, le, optional

from planspec_lark.syntax.diagnostics import PlanSpecError
from planspec_lark.syntax.safe_text import safe_json

__all__ = [
    "COLUMNS",
    "MOST_BYTES",
    "BulkError",
    "BulkOptions",
    "BulkTask",
    "Engine",
    "Outcome",
    "Shard",
    "ShardReport",
    "describe_error",
    "encode_json",
]


# More than any file has, and less than what a machine cannot count to.
MOST_BYTES = 10**12

# The columns of a row, in their order: what they hold, as Arrow calls it, and what that is of a record without a text.
COLUMNS: dict[str, tuple[str, Any]] = {
    "file": ("string", None),
    "record": ("int64", 0),
    "id": ("string", None),
    "problem": ("string", None),
    "message": ("string", None),
    "parsed": ("bool", False),
    "verdict": ("string", None),
    "truncated": ("bool", False),
    "valid": ("bool", False),
    "score": ("float64", 0.0),
    "steps": ("int64", 0),
    "depth": ("int64", 0),
    "errors": ("int64", 0),
    "warnings": ("int64", 0),
    "infos": ("int64", 0),
    "codes": ("string[]", []),
    "counts": ("int64[]", []),
    "severities": ("string[]", []),
    "canonical": ("string", None),
}


class BulkError(PlanSpecError):
    """A run that cannot start, or not end: what is asked for cannot be done, or does not fit what the folder holds."""


def describe_error(error: BaseException) -> str:
    """Why something failed, in a sentence."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def encode_json(value: object, *, indent: int | None = None, sort_keys: bool = False) -> bytes:
    """A value as JSON that is safe to show, and the end of a line."""
    return safe_json(value, indent=indent, sort_keys=sort_keys).encode() + b"\n"


def _is_named(_: object, attribute: Attribute[Any], value: object) -> None:
    if value == "":
        raise ValueError(f"{attribute.name} must not be empty")


@frozen
class BulkOptions:
    """What decides on the rows. Two runs with equal options and inputs write the same bytes.

    ``text`` names the column with the text, ``id`` one that identifies a record, if there is one, and ``finish_reason``
    one that says why the model stopped, which records need not have. ``read`` is
    ``scan`` (find the plan in an answer) or ``strict`` (the text has to be a plan), ``format`` that of the rows,
    ``jsonl`` or ``parquet``. A record of more than ``max_bytes`` bytes (a line of JSONL, a text of Parquet) is not
    read. Inputs that can be split are split into shards of about ``shard_bytes`` bytes. Neither is more than 10**12.
    """

    text: str = field(default="text", validator=[instance_of(str), _is_named])
    id: str | None = field(default=None, validator=[optional(instance_of(str)), _is_named])
    finish_reason: str = field(default="finish_reason", validator=[instance_of(str), _is_named], kw_only=True)
    read: str = field(default="scan", validator=in_(("scan", "strict")))
    format: str = field(default="jsonl", validator=in_(("jsonl", "parquet")))
    max_bytes: int = field(default=1_000_000, validator=[instance_of(int), ge(1), le(MOST_BYTES)])
    shard_bytes: int = field(default=4_000_000, validator=[instance_of(int), ge(1), le(MOST_BYTES)])


@frozen
class Shard:
    """A part of an input, or all of it.

    ``name`` is the input as the user wrote it, ``path`` where it lies. ``start`` and ``stop`` are byte offsets of lines
    (``jsonl``), numbers of row groups (``parquet``), or 0 and the size (``gzip``); ``first`` is the number of the first
    record, from 0, and ``weight`` the bytes of the input that the shard covers. ``stamp`` is the input's size
    and time of change (ns) as they were when it was split.
    """

    path: str
    name: str
    kind: str
    start: int
    stop: int
    first: int
    weight: int
    stamp: tuple[int, int]


@frozen
class BulkTask:
    """One call of :func:`~planspec_lark.bulk.analyze_shard` to be made: ``analyze_shard(src, dst, options=…)``."""

    src: Shard
    dst: str
    options: BulkOptions


@frozen
class ShardReport:
    """What became of one shard: how many rows were written, how many of them tell of a broken record, how many of a
    valid plan.
    """

    records: int
    problems: int
    valid: int


# A task and its report, or in a sentence why there is none.
Outcome = tuple[BulkTask, ShardReport | str]
# Carries out tasks, in any order, and hands out each with what became of it.
Engine = Callable[[Sequence[BulkTask]], Iterator[Outcome] | Iterable[Outcome]]
