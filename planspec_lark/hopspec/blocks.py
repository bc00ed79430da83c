"""Texts of sections and attributes: lines, with the code blocks and escapes in them; and lists.

A line that would be structure has a backslash before that, which reading drops. Nothing in a code block is
structure, from its first line of three backticks to the one that ends it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from re import Pattern

from planspec_lark.syntax import grammars
from planspec_lark.syntax.fields import has_forbidden
from planspec_lark.syntax.source import BLANKS

__all__ = [
    "escape_line",
    "indent_of",
    "is_code_end",
    "is_conflict_marker",
    "is_fence",
    "read_block",
    "read_value",
    "split_names",
    "write_block",
    "write_value",
]

_COMMA = re.compile("[,，、]")
# Where backslashes escape: in lines of free text, and in those below a value.
_TEXT, _MORE = "TEXT_PLACE", "MORE_PLACE"


@cache
def _pattern(terminal: str) -> Pattern[str]:
    return grammars.pattern("hopspec", terminal)


def indent_of(line: str) -> int:
    """How many characters of white space come before a line."""
    return len(line) - len(line.lstrip(BLANKS))


def is_fence(line: str) -> bool:
    """Whether a line without its line break may open a code block."""
    return "```" in line and _pattern("FENCE").fullmatch(f"{line}\n") is not None


def is_code_end(line: str) -> bool:
    """Whether a line without its line break ends a code block that is open."""
    return "```" in line and _pattern("CODE_END").match(f"{line}\n") is not None


def is_conflict_marker(line: str) -> bool:
    """Whether a line without its line break is one that a merge leaves where two versions exclude each other."""
    return _pattern("CONFLICT").match(f"{line.lstrip(BLANKS)}\n") is not None


# ---------------------------------------------------------------- reading


def read_block(lines: str, place: str = _TEXT, indent: int = -1) -> str:
    """The text that these lines of free text spell, or those below a value, without blank lines around it.

    Raises:
        ValueError: a line outside of code blocks is not indented more than ``indent``.
    """
    found: list[str] = []
    is_code = False
    for row in lines.split("\n"):
        line = row.removesuffix("\r")
        if is_code:
            is_code = not is_code_end(line)
            found.append(line if is_code else line.rstrip(BLANKS))
            continue
        line = line.rstrip(BLANKS)
        is_code = is_fence(line)
        if line and not is_code:
            start = indent_of(line)
            if start <= indent:
                raise ValueError("a line is not indented more than the name of its attribute")
            line = _unescape(line, start, place)
        found.append(line)
    return "\n".join(found).strip("\n")


def read_value(first: str, lines: str, indent: int) -> str:
    """A value: what is in its first line, if anything, and the text below without what all its lines begin with.

    Raises:
        ValueError: as :func:`read_block` does.
    """
    below = read_block(lines, _MORE, indent)
    if not below:
        return first
    rows = below.split("\n")
    cut = min(indent_of(row) for row in rows if row.strip(BLANKS))
    text = "\n".join(row[cut:] for row in rows)
    return f"{first}\n{text}" if first else text


def split_names(said: str) -> list[str]:
    """The items of a list."""
    return [item.strip() for item in _COMMA.split(said)]


def _unescape(line: str, start: int, place: str) -> str:
    is_escaped = line.startswith("\\", start) and _pattern(place).match(line)
    return line[:start] + line[start + 1 :] if is_escaped else line


# ---------------------------------------------------------------- writing


def write_block(name: str, text: str, place: str = _TEXT, indent: str = "") -> Iterator[str]:
    """The lines that spell a text, each after an indentation.

    Raises:
        ValueError: none would be read back as this text. The message starts with the name of the field.
    """
    lines = text.split("\n")
    if has_forbidden(text):
        raise ValueError(f"{name}: a control character cannot be written in a document")
    if not (lines[0].strip(BLANKS) and lines[-1].strip(BLANKS)):
        raise ValueError(f"{name}: blank lines around a text would be lost")
    ends = _code_ends(lines)
    at = 0
    while at < len(lines):
        end = ends.get(at, at)
        if at == end:
            lines[at] = escape_line(lines[at]) if _pattern(place).match(lines[at]) else lines[at]
        if any(line != line.rstrip(BLANKS) for line in (lines[at], lines[end])):
            raise ValueError(f"{name}: white space at the end of a line would be lost")
        yield from (f"{indent}{line}" if line else "" for line in lines[at : end + 1])
        at = end + 1


def write_value(name: str, text: str) -> Iterator[str]:
    """The lines of a value of several lines, below that of its name.

    Raises:
        ValueError: as :func:`write_block` does.
    """
    if all(indent_of(line) for line in text.split("\n") if line.strip(BLANKS)):
        raise ValueError(f"{name}: white space before a text would be lost")
    return write_block(name, text, _MORE, "  ")


def _code_ends(lines: list[str]) -> dict[int, int]:
    """Of each line that opens a code block, if there were none above it, the line that ends it."""
    found: dict[int, int] = {}
    end = None
    for at in range(len(lines) - 1, -1, -1):
        if end is not None and is_fence(lines[at]):
            found[at] = end
        if is_code_end(lines[at]):
            end = at
    return found


def escape_line(line: str) -> str:
    """The line of text that spells what would be structure."""
    start = indent_of(line)
    return f"{line[:start]}\\{line[start:]}"
