"""The text of an open document as its client sees it. Positions are converted here and nowhere else.

A client counts lines from 0, which end with a line feed, a carriage return or both, and columns in units of the
encoding that it has agreed on: UTF-8, UTF-16 or UTF-32. Everything else counts characters from the start of the text.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from io import StringIO
from itertools import accumulate, takewhile
from operator import eq

from lsprotocol import types

from planspec_lark.syntax.source import Source

__all__ = ["ClientText", "Edits", "tighten"]

# Texts to put in place of what is between two offsets.
Edits = list[tuple[int, int, str]]

# A carriage return that ends a line by itself.
_ALONE = re.compile(r"\r(?!\n)")
# How a text is encoded whose bytes are counted, and how many of them are one unit.
_CODECS: dict[types.PositionEncodingKind | str, tuple[str, int]] = {
    types.PositionEncodingKind.Utf8: ("utf-8", 1),
    types.PositionEncodingKind.Utf16: ("utf-16-le", 2),
    types.PositionEncodingKind.Utf32: ("utf-32-le", 4),
}


class ClientText:
    """A text, and what its client calls the places in it.

    Attributes:
        text: all of it.

    Args:
        text: all of it.
        encoding: what columns count units of.
    """

    def __init__(
        self, text: str, encoding: types.PositionEncodingKind | str = types.PositionEncodingKind.Utf16
    ) -> None:
        self.text = text
        # As long as the text is, with breaks that the source of a plan takes as well.
        self._source = Source(_ALONE.sub("\n", text))
        self._codec, self._size = _CODECS[encoding]
        # Where each character is a unit, and each line break a character, no line is looked at.
        self._is_plain = self._width(text) == len(text) and "\r" not in text
        self._last_units: tuple[int, array[int] | None] = (0, None)

    def _width(self, text: str) -> int:
        """How many units a text takes."""
        return len(text.encode(self._codec, "surrogatepass")) // self._size

    def _units(self, line: int) -> array[int] | None:
        """How many units there are before each character of a line, and before its end; None where as many.

        A long line may have many places, asked for one after the other.
        """
        if self._last_units[0] != line:
            text = self._source.line(line)
            is_plain = self._width(text) == len(text)
            self._last_units = line, None if is_plain else array("q", accumulate(map(self._width, text), initial=0))
        return self._last_units[1]

    def offset(self, position: types.Position) -> int:
        """The offset of a position; of one after the end of a line or of the text, that of this end."""
        line = position.line + 1
        if line > self._source.position(len(self.text))[0]:
            return len(self.text)
        column, units = position.character, self._units(line)
        if units is not None:
            # Inside a character is before it.
            column = bisect_right(units, column) - 1
        return self._source.start_of(line) + min(column, len(self._source.line(line)))

    def offsets(self, place: types.Range) -> tuple[int, int]:
        """From where to where a range goes, whichever of its ends is named first."""
        start, end = sorted((self.offset(place.start), self.offset(place.end)))
        return start, end

    def replaced(self, place: types.Range, text: str) -> str:
        """The whole text with another one in place of a range."""
        start, end = self.offsets(place)
        return self.text[:start] + text + self.text[end:]

    def position(self, offset: int) -> types.Position:
        """The position of an offset inside the text."""
        line, column, _ = self.stretch(offset, offset)
        return types.Position(line, column)

    def stretch(self, start: int, end: int) -> tuple[int, int, int]:
        """Line, column and width of a part of a line, between two offsets."""
        line, column = self._source.position(start)
        first, width = column - 1, end - start
        if self._is_plain:
            return line - 1, first, width
        first, units = min(first, len(self._source.line(line))), self._units(line)
        return line - 1, *((first, width) if units is None else (units[first], units[first + width] - units[first]))

    def range(self, start: int, end: int) -> types.Range:
        """The range between two offsets."""
        return types.Range(self.position(start), self.position(end))

    def edits(self, edits: Edits) -> list[types.TextEdit]:
        """Edits as the client takes them."""
        return [types.TextEdit(self.range(start, end), text) for start, end, text in edits]


def tighten(before: str, after: str) -> Edits:
    """The edit of whole lines that makes one text of another: what they begin and end with alike stays."""
    if before == after:
        return []
    old, new = ([*StringIO(text, newline="")] for text in (before, after))
    head = sum(takewhile(bool, map(eq, old, new)))
    tail = sum(takewhile(bool, map(eq, old[head:][::-1], new[head:][::-1])))
    start, end = sum(map(len, old[:head])), len(before) - sum(map(len, old[len(old) - tail :]))
    return [(start, end, "".join(new[head : len(new) - tail]))]
