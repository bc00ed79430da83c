"""Files that have the name of a plan and are those of another tool, such as an editor's, which nobody here judges."""

from __future__ import annotations

import os
import re

__all__ = ["is_foreign", "is_foreign_file", "is_hidden"]

# `../` and `./` lead somewhere, and hide nothing.
_HIDDEN = re.compile(r"(?:^|/)\.(?!\.?/)[^/]+/")
_FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*+\r?\n")
_OWN = re.compile(r"^[ \t>*_#]{0,9}(?:Goal[*_]{0,2}[ \t]?[:：]|Steps[ \t]*+\r?$)", re.MULTILINE | re.IGNORECASE)


def is_hidden(path: str) -> bool:
    """Whether a file is in a folder whose name begins with a dot."""
    return _HIDDEN.search(path.replace(os.sep, "/")) is not None


def is_foreign(text: str) -> bool:
    """Whether a text begins with front matter, and has neither a goal nor a header of steps."""
    return _FRONT_MATTER.match(text) is not None and _OWN.search(text) is None


def is_foreign_file(path: str) -> bool:
    """Whether a file has such a text."""
    if not os.path.isfile(path):
        return False
    try:
        with open(path, "rb") as file:
            head = file.read(6)
            if not head.removeprefix(b"\xef\xbb\xbf").startswith(b"---"):
                return False
            return is_foreign((head + file.read()).decode("utf-8", "replace"))
    except OSError:
        # Who reads it says why.
        return False
