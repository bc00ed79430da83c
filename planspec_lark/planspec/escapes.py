"""Where a backslash escapes: reading drops one in those places, writing adds one.

The places themselves are terminals of the grammar (``SEPARATOR_PLACE`` and its neighbours), and the start of a
description that looks like a field of one word; everywhere else a backslash is a character like any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from planspec_lark.planspec.models import BLANKS, STEP_FIELDS, WORDS
from planspec_lark.syntax import grammars

__all__ = [
    "read_description",
    "read_detail",
    "read_segment",
    "write_description",
    "write_detail",
    "write_segments",
]


def _place(name: str) -> re.Pattern[str]:
    return grammars.pattern("planspec", name)


@cache
def _word_place() -> re.Pattern[str]:
    """The backslashes before a field of one word, as the grammar has it, at the start of a description."""
    rules = grammars.regular("planspec")
    words = (re.escape(sign) + rules.make("parts", STEP_FIELDS[name].token)[1] for name, sign in WORDS.items())
    return re.compile(rf"\\*(?={'|'.join(words)})")


def _drop(match: re.Match[str]) -> str:
    return match[0].removeprefix("\\")


def _add(match: re.Match[str]) -> str:
    return "\\" + match[0]


def _change_arrow(text: str, change: Callable[[re.Match[str]], str]) -> str:
    match = _place("ARROW_PLACE").search(text)
    return text if match is None else text[: match.start()] + change(match) + text[match.end() :]


def read_description(raw: str, *, has_outputs: bool) -> str:
    """The description that ``raw`` (trimmed) stands for. With outputs after it, its own arrows are plain text."""
    if "\\" not in raw:
        return raw
    text = raw.removeprefix("\\") if WORDS and _word_place().match(raw) else raw
    text = text if has_outputs or "→" not in text else _change_arrow(text, _drop)
    return _place("SEPARATOR_PLACE").sub(_drop, text) if "\\|" in text else text


def write_description(text: str, *, has_outputs: bool) -> str:
    """The inverse of :func:`read_description`."""
    if "|" in text:
        text = _place("SEPARATOR_PLACE").sub(_add, text)
    text = text if has_outputs or "→" not in text else _change_arrow(text, _add)
    return "\\" + text if WORDS and _word_place().match(text) else text


def read_detail(raw: str) -> str:
    """The detail line that ``raw`` (what is after ``>`` and one space) stands for."""
    match = _place("INPUTS_PLACE").match(raw) if "←" in raw else None
    return raw if match is None else raw[: match.end()] + raw[match.end() :].removeprefix("\\")


def write_detail(text: str) -> str:
    """The inverse of :func:`read_detail`."""
    match = _place("INPUTS_PLACE").match(text) if "←" in text else None
    return text if match is None else f"{text[: match.end()]}\\{text[match.end() :]}"


def read_segment(raw: str) -> str:
    """The piece of a result that the segment ``raw`` (trimmed, its ``|`` taken off) stands for."""
    if "\\" not in raw:
        return raw
    text = _place("SEPARATOR_PLACE").sub(_drop, raw)
    return text.removeprefix("\\") if _place("PROGRESS_PLACE").match(raw) else text


def write_segments(result: str) -> str:
    """A non-empty result as it is after its first `` | ``, the inverse of reading all its segments."""
    if "|" not in result:
        return _write_segment(result)
    pieces = list(_plain_pieces(result))
    return " | ".join(_write_segment(piece) for piece in pieces)


def _write_segment(piece: str) -> str:
    text = _place("SEPARATOR_PLACE").sub(_add, piece) if "|" in piece else piece
    return "\\" + text if _place("PROGRESS_PLACE").match(piece) else text


def _plain_pieces(result: str) -> Iterator[str]:
    """Cut a result at every `` | `` between two non-empty pieces; all other separators stay inside a piece."""
    cuts = [match.start() for match in _place("SEPARATOR").finditer(result)]
    bounds = [-1, *cuts, len(result)]
    start = 0
    for before, cut, after in zip(bounds, cuts, bounds[2:], strict=False):
        left = result[before + 1 : cut]
        right = result[cut + 1 : after]
        if _ends_plain(left, left[-1:], left[-2:-1]) and _ends_plain(right, right[:1], right[1:2]):
            yield result[start : cut - 1]
            start = cut + 2
    yield result[start:]


def _ends_plain(piece: str, edge: str, inside: str) -> bool:
    """Whether a piece is not empty and meets the separator with exactly one space."""
    return edge == " " and inside not in ("", *BLANKS) and piece.strip(BLANKS) != ""
