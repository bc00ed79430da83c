"""The text of an open document as its client sees it. Positions are converted here and nowhere else.

A client counts lines from 0, which end with a line feed, a carriage return or both, and columns in units of the
encoding that it has agreed on: UTF-8, UTF-16 or UTF-32. Everything else counts characters from the start of the text.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable
from io import StringIO
from itertools import accumulate

from lsprotocol import types

__all__ = ["ClientText", "Edits", "tighten"]

# Texts to put in place of what is between two offsets.
Edits = list[tuple[int, int, str]]

# Whether all characters of a line are one unit each, and how many units one takes.
_UNITS: dict[types.PositionEncodingKind | str, tuple[Callable[[str], bool], Callable[[str], int]]] = {
    types.PositionEncodingKind.Utf8: (str.isascii, lambda char: len(char.encode("utf-8", "surrogatepass"))),
    types.PositionEncodingKind.Utf16: (
        lambda line: line.isascii() or max(line) <= "\uffff",
        lambda char: 1 + (char > "\uffff"),
    ),
    types.PositionEncodingKind.Utf32: (lambda _: True, lambda _: 1),
}


class ClientText:
    """A text that its client changes piece by piece.

    Args:
        text: the text at first.
        encoding: what columns count units of.
    """

    def __init__(
        self, text: str, encoding: types.PositionEncodingKind | str = types.PositionEncodingKind.Utf16
    ) -> None:
        self._lines = _split(text)
        self._is_plain, self._width = _UNITS[encoding]
        self._forget()

    def _forget(self) -> None:
        """All that was made of the lines is of no use any more."""
        self._text: str | None = None
        self._starts: array[int] | None = None
        self._last_units: tuple[int, array[int] | None] = (-1, None)

    @property
    def text(self) -> str:
        """All of it."""
        if self._text is None:
            self._text = "".join(self._lines)
        return self._text

    def change(self, changes: Iterable[types.TextDocumentContentChangeEvent]) -> None:
        """Make changes, one after the other. Each costs what it is long, however long the text is."""
        for change in changes:
            if isinstance(change, types.TextDocumentContentChangePartial):
                self._replace(change.range, change.text)
            else:
                self._lines = _split(change.text)
            self._forget()

    def _replace(self, place: types.Range, text: str) -> None:
        (first, start), (last, end) = sorted(map(self._place, (place.start, place.end)))
        # A line feed that ends up after a carriage return ends that line, so their neighbours are split again.
        above, below = max(first - 1, 0), min(last + 2, len(self._lines))
        head = "".join(self._lines[above:first]) + self._lines[first][:start]
        tail = self._lines[last][end:] + "".join(self._lines[last + 1 : below])
        made = _split(head + text + tail)
        if below < len(self._lines):
            # What follows is the rest of the text: there is no line between the two.
            made.pop()
        self._lines[above:below] = made

    def _place(self, position: types.Position) -> tuple[int, int]:
        """Line and column of a position. One after the end of a line is at that end, as the protocol has it."""
        if position.line >= len(self._lines):
            last = len(self._lines) - 1
            return last, len(self._lines[last])
        length, units = self._length(position.line), self._units(position.line)
        if units is None:
            return position.line, min(position.character, length)
        # Inside a character is before it.
        return position.line, min(bisect_right(units, position.character) - 1, length)

    def _length(self, line: int) -> int:
        """How long a line is without its break."""
        text = self._lines[line]
        return len(text) - (text.endswith("\r\n") + text.endswith(("\n", "\r")))

    def _units(self, line: int) -> array[int] | None:
        """How many units there are before each character of a line, and before its end; None where as many.

        A long line may have many places, asked for one after the other.
        """
        if self._last_units[0] != line:
            text = self._lines[line]
            is_plain = self._is_plain(text)
            self._last_units = line, None if is_plain else array("q", accumulate(map(self._width, text), initial=0))
        return self._last_units[1]

    def _line_starts(self) -> array[int]:
        if self._starts is None:
            self._starts = array("q", accumulate(map(len, self._lines), initial=0))
        return self._starts

    def offset(self, position: types.Position) -> int:
        """The offset of a position; of one outside the text, that of the place next to it."""
        line, column = self._place(position)
        return self._line_starts()[line] + column

    def offsets(self, place: types.Range) -> tuple[int, int]:
        """From where to where a range goes, whichever of its ends is named first."""
        start, end = sorted((self.offset(place.start), self.offset(place.end)))
        return start, end

    def position(self, offset: int) -> types.Position:
        """The position of an offset inside the text."""
        starts = self._line_starts()
        line = min(bisect_right(starts, offset), len(self._lines)) - 1
        column, units = min(offset - starts[line], self._length(line)), self._units(line)
        return types.Position(line, column if units is None else units[column])

    def range(self, start: int, end: int) -> types.Range:
        """The range between two offsets."""
        return types.Range(self.position(start), self.position(end))

    def edits(self, edits: Edits) -> list[types.TextEdit]:
        """Edits as the client takes them."""
        return [types.TextEdit(self.range(start, end), text) for start, end, text in edits]


def _split(text: str) -> list[str]:
    """The lines of a text, each with its break; the last one has none."""
    lines = list(StringIO(text, newline=""))
    if not lines or lines[-1].endswith(("\n", "\r")):
        lines.append("")
    return lines


def tighten(before: str, after: str) -> Edits:
    """The edit of whole lines that makes one text of another: what they begin and end with alike stays."""
    if before == after:
        return []
    old, new = _split(before), _split(after)
    most = min(len(old), len(new))
    head = next((at for at in range(most) if old[at] != new[at]), most)
    tail = next((at for at in range(most - head) if old[-1 - at] != new[-1 - at]), most - head)
    start, end = sum(map(len, old[:head])), len(before) - sum(map(len, old[len(old) - tail :]))
    return [(start, end, "".join(new[head : len(new) - tail]))]
