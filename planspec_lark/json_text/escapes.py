"""What is between the quotes of a string: what it says, character by character, and how it is written."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable

from attrs import frozen

__all__ = [
    "DOUBLED_QUOTES",
    "JSON_ESCAPES",
    "NO_ESCAPES",
    "Notation",
    "read_piece",
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

    def offsets(self, raw: str, start: int) -> array[int]:
        """Where each character of what they say is written, and where they end, if they begin at ``start``."""
        offsets = array("q")
        at = 0
        for match in self.pieces.finditer(raw):
            offsets.extend(range(start + at, start + match.start()))
            offsets.extend(range(start + match.start(), start + match.start() + len(self.read(match))))
            at = match.end()
        offsets.extend(range(start + at, start + len(raw) + 1))
        return offsets


JSON_ESCAPES = Notation(_PIECE, lambda piece: read_piece(piece[0])[0])
# In single quotes of YAML, two of them are one.
DOUBLED_QUOTES = Notation(re.compile("''"), lambda _: "'")
NO_ESCAPES = Notation(re.compile(r"(?!)"), lambda piece: piece[0])
