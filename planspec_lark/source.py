"""A text with its line index, and places in it.

Columns count code points from 1; lines count from 1 and end with ``\\n`` (a ``\\r`` in front belongs to the break).
Nothing here knows any of the languages.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from functools import cached_property

from attrs import define, field, frozen

__all__ = ["Source", "Span", "columns", "end_last_line", "escape_json", "visible", "visible_name"]


@frozen
class Span:
    """A stretch of a text: offsets ``start`` (included) to ``end`` (excluded), in code points, with both positions."""

    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int


@define(eq=False, slots=False)
class Source:
    """A text and, where it has one, the name of the file that it came from."""

    text: str = field(repr=False)
    name: str = "<text>"

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        find = self.text.find
        at = find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = find("\n", at + 1)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both from 1."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """The span from ``start`` to ``end``, both kept inside the text."""
        start = min(start, len(self.text))
        end = max(start, min(end, len(self.text)))
        return Span(start, end, *self.position(start), *self.position(end))

    def line(self, number: int) -> str:
        """Line ``number`` without its line break."""
        start = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:end].removesuffix("\r") if number < len(self._starts) else self.text[start:end]


def end_last_line(text: str) -> str:
    """The text with its last line ended. A ``\\r`` at the very end stays alone: it is no part of a line break."""
    if not text or text.endswith("\n"):
        return text
    return text + (" \n" if text.endswith("\r") else "\n")


def _unsafe() -> list[int]:
    # Joiners and variation selectors stay: emoji and some scripts are made of them.
    ranges = [(0x00, 0x09), (0x0B, 0x20), (0x7F, 0xA0), (0xAD, 0xAE), (0x34F, 0x350), (0x61C, 0x61D), (0x180E, 0x180F)]
    ranges += [(0x200B, 0x200C), (0x200E, 0x2010), (0x2028, 0x202F), (0x2060, 0x2070), (0xD800, 0xE000)]
    ranges += [(0xFEFF, 0xFF00), (0xFFF9, 0xFFFC), (0xE0000, 0xE0080)]
    return [code for low, high in ranges for code in range(low, high)]


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape_in_json(code: int) -> str:
    units = chr(code).encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


_VISIBLE = {code: _escape(code) for code in _unsafe()}
_JSON = {code: _escape_in_json(code) for code in _unsafe() if code >= 0x7F}


def visible(text: str) -> str:
    """``text`` with every character that could steer a terminal or hide text written as an escape.

    That is: C0 (tab and line feed stay) and C1 controls, DEL, line and paragraph separators, marks that turn the
    writing direction, characters without width (but for joiners and variation selectors), lone surrogates.
    """
    return text.translate(_VISIBLE)


def visible_name(name: str) -> str:
    """The name of a file as :func:`visible` shows it, and in one line."""
    return visible(name).replace("\n", "\\n").replace("\t", "\\t")


def escape_json(encoded: str) -> str:
    """JSON text with the same characters written as escapes of JSON, so that it means the same and is safe to show."""
    return encoded.translate(_JSON)


def columns(text: str) -> int:
    """How many columns a text takes on a terminal; a tab counts as one."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
