"""Conflicts in a merged text: the lines of both sides, between markers as git writes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from planspec_lark.syntax.safe_text import one_line

__all__ = ["LABELS", "MARKER_SIZE", "Chunk", "put_together"]

# How many signs make a marker: as many as git writes, unless told otherwise.
MARKER_SIZE = 7
# What markers call the two sides, unless told otherwise.
LABELS = "ours", "theirs"


class Chunk(NamedTuple):
    """Some whole lines.

    Attributes:
        ours: the lines, or those of ours where the sides do not agree.
        theirs: those of theirs then.
        topic: what a conflict is about, None where there is none; neighbours with the same topic are one conflict.
    """

    ours: str
    theirs: str = ""
    topic: object = None


def put_together(chunks: Iterable[Chunk], newline: str, marker_size: int, labels: Sequence[str]) -> str:
    """The text of all chunks. Where there is one conflict at least, it is not a plan."""
    start, between, end = (sign * marker_size for sign in "<=>")
    left, right = map(one_line, labels)
    parts: list[str] = []
    for topic, group in groupby(chunks, key=attrgetter("topic")):
        ours, theirs, _ = zip(*group, strict=True)
        if topic is None:
            parts += ours
        else:
            parts += [f"{start} {left}{newline}", *ours, between + newline, *theirs, f"{end} {right}{newline}"]
    return "".join(parts)
