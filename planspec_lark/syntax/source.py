"""A text with its line index, and places in it.

Columns count code points from 1; lines count from 1 and end with ``\\n`` (a ``\\r`` in front belongs to the break).
Nothing here knows any of the languages.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any

from attrs import define, field, frozen

__all__ = [
    "BLANKS",
    "WHITE",
    "GrowingSource",
    "Remark",
    "Source",
    "Span",
    "end_last_line",
    "find_remarks",
    "newline_of",
]

_NEWLINE = re.compile("\n")
# The characters that count as white space; nothing else is ever trimmed.
BLANKS = " \t"
# With line ends.
WHITE = BLANKS + "\r\n"


@frozen
class Span:
    """A part of a text: offsets ``start`` (included) to ``end`` (excluded), in code points, with both positions."""

    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int


@define(eq=False, slots=False)
class Source:
    """A text and, if it has one, the name of its file."""

    text: str = field(repr=False)
    name: str = "<text>"
    # The line that was asked for last: a long line may have many findings, and each shows some of it.
    _last_line: tuple[int, str] = field(default=(0, ""), init=False, repr=False)

    @cached_property
    def _starts(self) -> array[int]:
        # An array, since a text may consist of line breaks: a list would weigh forty times as much as that text.
        starts = array("q", [0])
        starts.extend(map(re.Match.end, _NEWLINE.finditer(self.text)))
        return starts

    @property
    def length(self) -> int:
        """How many characters the text has."""
        return len(self.text)

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def start_of(self, line: int) -> int:
        """The offset at which a line begins."""
        return self._starts[line - 1]

    def span(self, start: int, end: int) -> Span:
        """The span from ``start`` to ``end``, both kept inside the text."""
        length = self.length
        start = min(start, length)
        end = max(start, min(end, length))
        starts = self._starts
        line = bisect_right(starts, start)
        end_line = bisect_right(starts, end, line)
        return Span(start, end, line, start - starts[line - 1] + 1, end_line, end - starts[end_line - 1] + 1)

    def line(self, number: int) -> str:
        """Line ``number`` without its line break."""
        last, line = self._last_line
        if number != last:
            line = self._cut_line(number)
            self._last_line = number, line
        return line

    def _cut_line(self, number: int) -> str:
        start = self._starts[number - 1]
        if number == len(self._starts):
            return self.text[start:]
        return self.text[start : self._starts[number] - 1].removesuffix("\r")


class GrowingSource(Source):
    """A text that comes line by line. Each costs what it is long, whatever was asked for in between.

    Only ``text`` puts all lines together, once for all that there are.
    """

    def __init__(self, name: str) -> None:
        self._lines: list[str] = []
        self._length = 0
        self._joined = ""
        self._index = array("q", [0])
        super().__init__("", name)

    def add(self, line: str) -> None:
        """Take the next line, its line break included, which only the last one may lack."""
        self._lines.append(line)
        self._length += len(line)
        if line.endswith("\n"):
            self._index.append(self._length)

    @property
    def text(self) -> str:
        """All lines so far."""
        if len(self._joined) < self._length:
            self._joined = "".join(self._lines)
        return self._joined

    @text.setter
    def text(self, text: str) -> None:
        if text:
            raise ValueError("a text that grows starts empty")

    @property
    def _starts(self) -> array[int]:
        return self._index

    @property
    def length(self) -> int:
        """How many characters there are so far."""
        return self._length

    def line(self, number: int) -> str:
        """Line ``number`` without its line break; empty where it has not come yet."""
        line = self._lines[number - 1] if number <= len(self._lines) else ""
        return line.removesuffix("\n").removesuffix("\r") if line.endswith("\n") else line


@frozen
class Remark:
    """A stretch of an answer outside of what is read, verbatim.

    Attributes:
        text: the text, code blocks with their signs included.
        span: where it stands.
    """

    text: str
    span: Span

    def to_dict(self) -> dict[str, Any]:
        """The remark as a JSON value."""
        return {"line": self.span.line, "end_line": self.span.end_line, "text": self.text}


def find_remarks(source: Source, text: str, bounds: Iterable[tuple[int, int]]) -> Iterator[Remark]:
    """What stands between some bounds, without the blank lines around it.

    Args:
        source: the answer.
        text: the same with white space in place of what was set aside, which is no remark.
        bounds: from where to where.
    """
    # A byte-order mark is none of the text.
    origin = int(text.startswith("\ufeff"))
    for start, end in bounds:
        left = text[max(start, origin) : end]
        bare = left.strip(f"{BLANKS}\r\n")
        if bare:
            first = max(start, origin) + left.index(bare[0])
            yield Remark(source.text[first : first + len(bare)], source.span(first, first + len(bare)))


def end_last_line(text: str) -> str:
    """The text with its last line ended. A ``\\r`` at the very end stays alone: it is not part of a line break."""
    if not text or text.endswith("\n"):
        return text
    return text + (" \n" if text.endswith("\r") else "\n")


def newline_of(text: str) -> str:
    """How a text ends its lines, as its first line does."""
    end = text.find("\n")
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"
