"""Models of bulk analysis: plain values that other processes can be sent."""

from __future__ import annotations

from attrs import field, frozen
from attrs.validators import ge, in_, instance_of, le, optional

from planspec_lark.syntax.diagnostics import PlanSpecError

__all__ = ["COLUMNS", "MOST_BYTES", "BulkError", "BulkOptions", "Record", "Shard"]

# More than any file has, and less than what a machine cannot count to.
MOST_BYTES = 10**12

# The columns of a row, in their order, and what Arrow calls their types.
COLUMNS = {
    "file": "string",
    "record": "int64",
    "id": "string",
    "problem": "string",
    "message": "string",
    "parsed": "bool",
    "verdict": "string",
    "truncated": "bool",
    "repairs": "int64",
    "steps": "int64",
    "depth": "int64",
    "errors": "int64",
    "warnings": "int64",
    "infos": "int64",
    "codes": "string[]",
    "canonical": "string",
}


class BulkError(PlanSpecError):
    """A run that cannot start, or not end: what is asked for cannot be done, or does not fit what the folder holds."""


@frozen
class BulkOptions:
    """What decides on the rows. Two runs with equal options and inputs write the same bytes.

    Attributes:
        text: the column with the text.
        id: a column that identifies a record.
        finish_reason: a column that says why the model stopped, which records need not have.
        read: ``scan`` finds the plan in an answer; for ``strict`` the text has to be a plan.
        format: that of the rows, ``jsonl`` or ``parquet``.
        max_bytes: a line of JSON Lines or a text of Parquet that has more is not read.
        shard_bytes: inputs are split into shards of about so many bytes.
    """

    text: str = field(default="text", validator=instance_of(str))
    id: str | None = field(default=None, validator=optional(instance_of(str)))
    finish_reason: str = field(default="finish_reason", validator=instance_of(str))
    read: str = field(default="scan", validator=in_(("scan", "strict")))
    format: str = field(default="jsonl", validator=in_(("jsonl", "parquet")))
    max_bytes: int = field(default=1_000_000, validator=[instance_of(int), ge(1), le(MOST_BYTES)])
    shard_bytes: int = field(default=4_000_000, validator=[instance_of(int), ge(1), le(MOST_BYTES)])


@frozen
class Record:
    """The text of a record, or the kind of problem that there is instead, with a message. Numbers count from 0."""

    number: int
    id: str | None = None
    text: str = ""
    finish_reason: str = ""
    problem: str | None = None
    message: str | None = None


@frozen
class Shard:
    """A part of an input.

    Attributes:
        path: where the input lies.
        name: the input as the user wrote it, and rows have it.
        stamp: its size and time of change (ns) when it was split.
        is_parquet: whether it is Parquet.
        start: where the shard begins: a byte offset, or the number of a row group.
        stop: where it ends.
        first: the number of its first record.
        target: where its rows go.
    """

    path: str
    name: str
    stamp: list[int]
    is_parquet: bool
    start: int
    stop: int
    first: int
    target: str = ""
