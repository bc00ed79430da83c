"""A text with its line index, and places in it.

Columns count code points from 1; lines count from 1 and end with ``\\n`` (a ``\\r`` in front belongs to the break).
Nothing here knows any of the languages.
"""

from __future__ import annotations

import json
import re
import unicodedata
from array import array
from bisect import bisect_right
from functools import cached_property
from typing import Any

from attrs import define, field, frozen

__all__ = [
    "BLANKS",
    "GrowingSource",
    "Source",
    "Span",
    "columns",
    "cut_columns",
    "end_last_line",
    "escape_json",
    "newline_of",
    "one_line",
    "safe_json",
    "visible",
    "visible_name",
]

_NEWLINE = re.compile("\n")
# The characters that count as white space; nothing else is ever trimmed.
BLANKS = " \t"


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

    def add_all(self, text: str) -> None:
        """Take all lines of a text, which need not be read."""
        *lines, last = text.split("\n")
        for line in lines:
            self.add(f"{line}\n")
        self.add(last)

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


def end_last_line(text: str) -> str:
    """The text with its last line ended. A ``\\r`` at the very end stays alone: it is not part of a line break."""
    if not text or text.endswith("\n"):
        return text
    return text + (" \n" if text.endswith("\r") else "\n")


def newline_of(text: str) -> str:
    """How a text ends its lines, as its first line does."""
    end = text.find("\n")
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


# C0 and C1 controls, DEL; soft hyphen and other characters without width; marks of writing direction; line and
# paragraph separators; lone surrogates; tags. Joiners and variation selectors stay: emoji are made of them.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape_in_json(match: re.Match[str]) -> str:
    if match[0] in "\r\n\t":
        return match[0]
    units = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def visible(text: str) -> str:
    """``text`` with every character that could steer a terminal or hide text written as an escape.

    That is: C0 (tab and line feed stay) and C1 controls, DEL, line and paragraph separators, marks that turn the
    writing direction, characters without width (but for joiners and variation selectors), lone surrogates.
    """
    # Most of what is shown is plain, which is seen sooner than found.
    return text if text.isascii() and text.isprintable() else _UNSAFE.sub(_escape, text)


# What breaks lines or fills them.
_SPACE = re.compile(r"[\x09-\x0d\x1c-\x20\x85\u2028\u2029]+")


def one_line(text: str) -> str:
    """One line of any text, which every field of a plan takes that holds a line: ``step.result = one_line(answer)``.

    Line breaks and the white space around them become one space, white space at both ends goes, and whatever could
    steer a terminal or hide text is written as an escape (``\\x1b``), as :func:`visible` does.
    """
    return visible(_SPACE.sub(" ", text)).strip(" ")


def visible_name(name: str) -> str:
    """The name of a file as :func:`visible` shows it, and in one line."""
    return visible(name).replace("\n", "\\n").replace("\t", "\\t")


def escape_json(encoded: str) -> str:
    """JSON text with the same characters written as escapes of JSON, so that it means the same and is safe to show."""
    return _UNSAFE.sub(_escape_in_json, encoded)


def safe_json(value: object, **how: Any) -> str:
    """A value as JSON in any script that is safe to show; ``how`` is for :func:`json.dumps`."""
    return escape_json(json.dumps(value, ensure_ascii=False, **how))


def columns(text: str) -> int:
    """How many columns a text takes on a terminal; a tab counts as one."""
    return len(text) if text.isascii() else sum(map(_width, text))


def cut_columns(text: str, most: int) -> str:
    """A text, or its beginning and an ellipsis, in at most ``most`` columns."""
    if columns(text) <= most:
        return text
    used = 1
    kept = next(at for at, char in enumerate(text) if (used := used + _width(char)) > most)
    return f"{text[:kept].rstrip(' ')}…"


def _width(char: str) -> int:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
