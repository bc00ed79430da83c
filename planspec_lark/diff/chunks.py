"""Stretches of a merged text: what both sides agree on, and what they do not, between markers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import frozen

__all__ = ["MARKER_SIZE", "Chunk", "put_together", "with_newlines"]

# As long as git makes them, unless told otherwise.
MARKER_SIZE = 7


@frozen
class Chunk:
    """Some whole lines.

    Attributes:
        ours: the lines, or those of ours where the sides do not agree.
        theirs: those of theirs then; None where there is nothing to agree on.
        topic: what a conflict is about; neighbours with the same topic are one conflict.
    """

    ours: str
    theirs: str | None = None
    topic: object = None


def with_newlines(lines: str, newline: str) -> str:
    """A text whose lines all end like this."""
    return lines.replace("\r\n", "\n").replace("\n", newline)


def put_together(chunks: Iterable[Chunk], newline: str, marker_size: int) -> str:
    """The text of all chunks. Where there is one conflict at least, it is no plan."""
    rows: list[str] = []
    for chunk in _joined(chunks, newline):
        if chunk.theirs is None:
            _add(rows, chunk.ours, newline)
            continue
        _add(rows, f"{'<' * marker_size} ours{newline}", newline)
        _add(rows, chunk.ours, newline)
        _add(rows, f"{'=' * marker_size}{newline}", newline)
        _add(rows, chunk.theirs, newline)
        _add(rows, f"{'>' * marker_size} theirs{newline}", newline)
    return "".join(rows)


def _add(rows: list[str], lines: str, newline: str) -> None:
    if not lines:
        return
    if rows and not rows[-1].endswith("\n"):
        rows.append(newline)
    rows.append(lines)


def _joined(chunks: Iterable[Chunk], newline: str) -> Iterator[Chunk]:
    """The chunks, those of one conflict that follow each other as one."""
    open_chunks: list[Chunk] = []
    for chunk in chunks:
        if open_chunks and (chunk.topic is None or chunk.topic is not open_chunks[0].topic):
            yield _join(open_chunks, newline)
            open_chunks = []
        if chunk.topic is None:
            yield chunk
        else:
            open_chunks.append(chunk)
    if open_chunks:
        yield _join(open_chunks, newline)


def _join(chunks: list[Chunk], newline: str) -> Chunk:
    ours: list[str] = []
    theirs: list[str] = []
    for chunk in chunks:
        _add(ours, chunk.ours, newline)
        _add(theirs, chunk.theirs or "", newline)
    return Chunk("".join(ours), "".join(theirs))
