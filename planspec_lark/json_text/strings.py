"""What stands between the quotes of a string: what it says, character by character, and how it is written."""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator

from attrs import frozen

from planspec_lark.syntax.source import escape_json

__all__ = ["OffsetMap", "Piece", "decode", "irregular_pieces", "map_doubled", "map_offsets", "spell"]

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
_SURROGATE = re.compile(r"[\ud800-\udfff]")


@frozen
class Piece:
    """Characters of a raw string that JSON does not allow: where they stand, what is wrong, what they say."""

    start: int
    end: int
    code: str
    value: str


def _read(piece: str) -> tuple[str, str]:
    """What a piece says, and the code of what is wrong with it."""
    if piece[0] != "\\":
        return (piece, "PJ124") if piece < " " else (_LOST, "PJ126")
    if len(piece) == 12:
        high, low = int(piece[2:6], 16), int(piece[8:], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)), ""
    if len(piece) == 6:
        char = chr(int(piece[2:], 16))
        return (_LOST, "PJ126") if _SURROGATE.match(char) else (char, "")
    mark = piece[1:]
    if mark in _SIMPLE:
        return _SIMPLE[mark], ""
    # In a wrong escape the backslash was most likely meant as one.
    return _FOREIGN.get(mark, f"\\{mark}"), "PJ125"


def decode(raw: str) -> str:
    """What the characters between the quotes say, wrong ones by what they most likely mean."""
    return _PIECE.sub(lambda match: _read(match[0])[0], raw)


def irregular_pieces(raw: str) -> Iterator[Piece]:
    """The pieces of a raw string that JSON does not allow, in order."""
    for match in _PIECE.finditer(raw):
        value, code = _read(match[0])
        if code:
            yield Piece(match.start(), match.end(), code, value)


@frozen
class OffsetMap:
    """Offsets in what a string says → offsets in its raw characters."""

    # Where each escape's characters begin in what the string says, and how much the raw text is ahead from there.
    _decoded: array[int]
    _raw: array[int]

    def find(self, offset: int) -> int:
        """The offset in the raw characters at which that character of the string is written."""
        at = bisect_right(self._decoded, offset) - 1
        return self._raw[at] + (offset - self._decoded[at])


def map_offsets(raw: str) -> OffsetMap:
    """The offsets of what these raw characters say."""
    decoded, starts = array("q", [0]), array("q", [0])
    said = end = 0
    for match in _PIECE.finditer(raw):
        said += match.start() - end
        end = match.end()
        decoded.append(said)
        starts.append(match.start())
        said += len(_read(match[0])[0])
        decoded.append(said)
        starts.append(end)
    return OffsetMap(decoded, starts)


def map_doubled(raw: str) -> OffsetMap:
    """The offsets of what these raw characters of YAML say, where two single quotes are one."""
    ends = [match.end() for match in re.finditer("''", raw)]
    return OffsetMap(array("q", [0, *(end - number for number, end in enumerate(ends, 1))]), array("q", [0, *ends]))


def spell(value: object) -> str:
    """A value as JSON, safe to show."""
    return escape_json(json.dumps(value, ensure_ascii=False))
