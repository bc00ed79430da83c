"""What stands between the quotes of a string: what it says, character by character, and how it is written."""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable

from attrs import frozen

from planspec_lark.syntax.source import escape_json

__all__ = [
    "DOUBLED_QUOTES",
    "JSON_ESCAPES",
    "NO_ESCAPES",
    "Notation",
    "OffsetMap",
    "read_piece",
    "spell",
]

# What a piece says that is no character: half a surrogate pair.
_LOST = "\ufffd"
_SIMPLE = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
# What a backslash keeps from ending the string elsewhere, and a line break from being one.
_FOREIGN = {"'": "'", "`": "`", "\n": "", "\r": ""}
# Pieces that do not say what they are. All others are characters that stand for themselves.
_PIECE = re.compile(
    r"""
    \\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
    | \\u[0-9a-fA-F]{4}
    | \\[^\ud800-\udfff]?
    | [\x00-\x1f\ud800-\udfff]
    """,
    re.VERBOSE,
)


def read_piece(piece: str) -> tuple[str, str]:
    """What a piece says, and the code of what is wrong with it."""
    if piece[0] != "\\":
        return (piece, "PJ124") if piece < " " else (_LOST, "PJ126")
    if len(piece) == 12:
        return json.loads(f'"{piece}"'), ""
    if len(piece) == 6:
        char = chr(int(piece[2:], 16))
        return (_LOST, "PJ126") if "\ud800" <= char <= "\udfff" else (char, "")
    sign = piece[1:]
    if sign in _SIMPLE:
        return _SIMPLE[sign], ""
    # In a wrong escape the backslash was most likely meant as one.
    return _FOREIGN.get(sign, f"\\{sign}"), "PJ125"


@frozen
class Notation:
    """A way to write characters in a string: which pieces do not stand for themselves, and what these say."""

    pieces: re.Pattern[str]
    read: Callable[[re.Match[str]], str]

    def decode(self, raw: str) -> str:
        """What the characters between the quotes say, wrong ones by what they most likely mean."""
        return self.pieces.sub(self.read, raw)


JSON_ESCAPES = Notation(_PIECE, lambda piece: read_piece(piece[0])[0])
# In single quotes of YAML, two of them are one.
DOUBLED_QUOTES = Notation(re.compile("''"), lambda _: "'")
NO_ESCAPES = Notation(re.compile(r"(?!)"), lambda piece: piece[0])


@frozen
class OffsetMap:
    """Offsets in what a string says → offsets in the text."""

    # Where the characters behind each piece begin in what the string says, and in the text.
    _said: array[int]
    _written: array[int]
    _end: int

    @classmethod
    def of(cls, raw: str, start: int, notation: Notation) -> OffsetMap:
        """The map of raw characters that begin at an offset of the text."""
        said, written = array("q", [0]), array("q", [start])
        for match in notation.pieces.finditer(raw):
            # The piece itself is one stretch, and what is behind it the next.
            said.append(said[-1] + start + match.start() - written[-1])
            written.append(start + match.start())
            said.append(said[-1] + len(notation.read(match)))
            written.append(start + match.end())
        return cls(said, written, start + len(raw))

    def find(self, offset: int) -> int:
        """The offset at which that character of the string is written; at most where the string ends."""
        at = bisect_right(self._said, offset) - 1
        return min(self._written[at] + offset - self._said[at], self._end)


def spell(value: object) -> str:
    """A value as JSON, safe to show."""
    return escape_json(json.dumps(value, ensure_ascii=False))
