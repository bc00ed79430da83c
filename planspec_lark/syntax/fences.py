"""Code blocks of Markdown: where each begins and ends. Nobody else looks for their signs.

Fences are CommonMark's, with two differences: one may be indented by any amount, and it may stand behind the signs of
quotes and the bullet of a list.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from attrs import frozen

__all__ = ["FENCE", "FENCES", "Fence", "find_fences", "read_fence", "unquote"]

# What a line begins with that opens or closes a code block; and the same as an expression.
FENCES = ("```", "~~~")
FENCE = f"(?:{'|'.join(FENCES)})"

_LINE = re.compile(
    r"^(?P<lead>[ \t>]*+(?:(?:[-*+•]|[0-9]{1,3}[.)])[ \t]++)?+)(?P<sign>`{3,}+|~{3,}+)(?P<info>[^\n]*+)$", re.MULTILINE
)
_QUOTE = re.compile(r"^[ \t]*+>[ \t]?", re.MULTILINE)


@frozen
class Fence:
    """A code block.

    Attributes:
        start, end: from the start of the line that opens it to the end of the one that closes it, its line break
            included; or to the end of the text.
        body_start, body_end: the lines in it.
        indent: how far it is indented, the signs of quotes and lists included.
        is_closed: whether a line closes it.
        is_quoted: whether it stands in a quote.
    """

    start: int
    end: int
    body_start: int
    body_end: int
    indent: int
    is_closed: bool
    is_quoted: bool = False


def _is_none(_: re.Match[str]) -> bool:
    return False


def find_fences(text: str, is_text: Callable[[re.Match[str]], bool] = _is_none) -> Iterator[Fence]:
    """The code blocks of a text, in its order.

    ``is_text`` says of a line that may open one that it does not, as something else goes on with it. What is in front
    of its sign is the group ``lead``.
    """
    opening: re.Match[str] | None = None
    for match in _LINE.finditer(text):
        if opening is None:
            opening = match if _opens(match) and not is_text(match) else None
        elif _closes(opening, match):
            yield _fence(text, opening, match)
            opening = None
    if opening is not None:
        yield _fence(text, opening, None)


def read_fence(line: str, opening: re.Match[str] | None = None) -> re.Match[str] | None:
    """What a line says that opens a code block, or, where one is open, closes it; None for any other line."""
    match = _LINE.match(line)
    is_sign = match is not None and (_opens(match) if opening is None else _closes(opening, match))
    return match if is_sign else None


def _opens(match: re.Match[str]) -> bool:
    # What is between backticks in one line is code in that line.
    return match["sign"][0] != "`" or "`" not in match["info"]


def _closes(opening: re.Match[str], match: re.Match[str]) -> bool:
    sign = opening["sign"]
    is_same = match["sign"][0] == sign[0] and len(match["sign"]) >= len(sign)
    # Behind a bullet, it would open another one.
    return is_same and not match["info"].strip(" \t\r") and not match["lead"].strip(" \t>")


def _fence(text: str, opening: re.Match[str], closing: re.Match[str] | None) -> Fence:
    body = min(opening.end() + 1, len(text))
    end = len(text) if closing is None else min(closing.end() + 1, len(text))
    body_end = len(text) if closing is None else max(closing.start(), body)
    lead = opening["lead"]
    return Fence(opening.start(), end, body, body_end, len(lead), closing is not None, ">" in lead)


def unquote(text: str) -> str:
    """A text with white space in place of the signs of one quote, so that all places are the same."""
    return _QUOTE.sub(lambda sign: " " * len(sign[0]), text)
