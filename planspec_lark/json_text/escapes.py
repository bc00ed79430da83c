"""What is between the quotes of a string: what it says, character by character, and how it is written."""

from __future__ import annotations

import json
import re
from array import array
from itertools import accumulate

__all__ = ["LOST", "PIECES", "offsets_of", "read_piece", "read_string"]

# What a piece says that is no character: half a surrogate pair.
LOST = "\ufffd"
# What a backslash keeps from ending the string elsewhere, and a line break from being one.
_FOREIGN = {"'": "'", "`": "`", "\n": "", "\r": ""}
# Pieces that do not say what they are. All others are characters that stand for themselves.
PIECES = re.compile(
    r"""
    \\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}
    | \\u[0-9a-fA-F]{4}
    | \\[^\ud800-\udfff]?
    | [\x00-\x1f\ud800-\udfff]
    """,
    re.VERBOSE,
)
# One character, or what stands for it.
_CHARACTER = re.compile(f"{PIECES.pattern} | .", re.VERBOSE | re.DOTALL)


def read_piece(piece: str) -> tuple[str, str]:
    """What a piece says, and the code of what is wrong with it."""
    if piece[0] != "\\":
        return (piece, "PJ124") if piece < " " else (LOST, "PJ126")
    try:
        char: str = json.loads(f'"{piece}"')
    except ValueError:
        # In a wrong escape the backslash was most likely meant as one.
        return _FOREIGN.get(piece[1:], piece), "PJ125"
    return (LOST, "PJ126") if "\ud800" <= char <= "\udfff" else (char, "")


def read_string(raw: str) -> str:
    """What the characters between the quotes say, wrong ones by what they most likely mean."""
    return PIECES.sub(lambda piece: read_piece(piece[0])[0], raw)


def offsets_of(raw: str, start: int) -> array[int]:
    """Where each character is written of what is between the quotes, and where the last one ends."""
    return array("q", accumulate((len(one[0]) for one in _CHARACTER.finditer(raw)), initial=start))
