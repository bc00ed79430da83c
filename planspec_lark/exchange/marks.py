"""Lines of a plan's detail that say what a plan has no field for.

They are in brackets, alone in their line. A line of a source that looks like one gets a backslash in front.

`[heading 2]`
    The step was a heading of this level.
`[optional]`
    The step need not be done.
`[no box]`
    The step was an item without a check box.
`[file]`
    The step was the file itself.
`[tag]`
    The step was the name of a list in JSON beside others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = [
    "FILE",
    "NO_BOX",
    "OPTIONAL",
    "TAG",
    "escape_detail",
    "heading",
    "heading_level",
    "is_mark",
    "level_of",
    "unescape",
]

OPTIONAL = "[optional]"
NO_BOX = "[no box]"
TAG = "[tag]"
FILE = "[file]"

_HEADING = re.compile(r"\[heading ([1-6])\]")
_ANY = re.compile(r"\\*\[(?:heading [1-6]|optional|no box|tag|file)\]")


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


def is_mark(line: str) -> bool:
    """Whether a line is one of these marks."""
    return not line.startswith("\\") and _ANY.fullmatch(line) is not None


def escape_detail(line: str) -> str:
    """A line of a source as detail has it."""
    return f"\\{line}" if _ANY.fullmatch(line) else line


def unescape(line: str) -> str:
    """A line of detail as a source has it."""
    return line[1:] if line.startswith("\\") and _ANY.fullmatch(line) else line
