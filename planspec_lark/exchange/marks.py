"""Lines of a plan's detail that say what a plan has no field for.

They are in brackets, alone in their line. A line of a source that looks like one gets a backslash in front.

`[2 steps]`
    The lines before it were before the first two of the steps below, those after it after them.
`[heading 2]`
    The step was a heading of this level.
`[optional]`
    The step need not be done.
`[title]`
    The lines before it were before the title.
`[not here: title, goal]`
    The source does not say these: they come from elsewhere.
`[no id]`
    The step had no number or id, although others had. In the detail of the goal: no step had.
`[no ids]`
    The steps below had none.
`[no box]`
    The step was an item without a check box.
`[file]`
    The step was the file itself.
`[tag]`
    The step was the name of a list in JSON beside others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from planspec_lark.syntax.diagnostics import count_of

__all__ = [
    "FILE",
    "NO_BOX",
    "NO_ID",
    "NO_IDS",
    "OPTIONAL",
    "TAG",
    "TITLE",
    "escape_detail",
    "heading",
    "heading_level",
    "is_mark",
    "level_of",
    "missing_parts",
    "not_here",
    "read_not_here",
    "split_steps",
    "steps",
    "unescape",
]

OPTIONAL = "[optional]"
TITLE = "[title]"
NO_BOX = "[no box]"
NO_ID = "[no id]"
NO_IDS = "[no ids]"
TAG = "[tag]"
FILE = "[file]"

_STEPS = re.compile(r"\[([1-9][0-9]{0,8}) steps?\]")
_HEADING = re.compile(r"\[heading ([1-6])\]")
_NOT_HERE = re.compile(r"\[not here: ((?:title|goal)(?:, (?:title|goal))*)\]")
_ANY = re.compile(
    r"\\*\[(?:[1-9][0-9]{0,8} steps?|heading [1-6]|optional|title|no box|no ids?|tag|file"
    r"|not here: [a-z, ]+)\]"
)


def steps(count: int) -> str:
    """The mark before lines that follow so many steps."""
    return f"[{count_of(count, 'step')}]"


def heading(level: int) -> str:
    """The mark of a heading."""
    return f"[heading {level}]"


def heading_level(line: str) -> int:
    """The level in the mark of a heading; 0 for any other line."""
    match = _HEADING.fullmatch(line)
    return int(match[1]) if match else 0


def level_of(notes: Iterable[str]) -> int:
    """The level of the heading that a task once was, by its notes; 0 where it was not a heading."""
    return next(filter(None, map(heading_level, notes)), 0)


def not_here(parts: Iterable[str]) -> list[str]:
    """The mark that these parts come from elsewhere, if there are any."""
    said = ", ".join(parts)
    return [f"[not here: {said}]"] if said else []


def read_not_here(line: str) -> list[str]:
    """The parts that come from elsewhere; none where a line is no such mark."""
    match = _NOT_HERE.fullmatch(line)
    return match[1].split(", ") if match else []


def missing_parts(notes: Iterable[str]) -> list[str]:
    """All parts that come from elsewhere."""
    return [part for line in notes for part in read_not_here(line)]


def is_mark(line: str) -> bool:
    """Whether a line is one of these marks."""
    return not line.startswith("\\") and _ANY.fullmatch(line) is not None


def escape_detail(line: str) -> str:
    """A line of a source as detail has it."""
    return f"\\{line}" if _ANY.fullmatch(line) else line


def unescape(line: str) -> str:
    """A line of detail as a source has it."""
    return line[1:] if line.startswith("\\") and _ANY.fullmatch(line) else line


def split_steps(notes: Iterable[str]) -> Iterator[tuple[list[str], int | None]]:
    """Notes in pieces, each with how many steps follow it; None for the last: all that are left."""
    piece: list[str] = []
    for line in notes:
        if match := _STEPS.fullmatch(line):
            yield piece, int(match[1])
            piece = []
        else:
            piece.append(line)
    yield piece, None
