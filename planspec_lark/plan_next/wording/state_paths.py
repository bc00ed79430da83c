"""Paths into the folder that holds the planner's state, which a planner never makes up."""

from __future__ import annotations

import re

from planspec_lark.plan_next.wording.normal_forms import NormalText, WordingMatch

__all__ = ["find_state_paths"]

# Slashes and dots that look like those of a path, and the codes of a URL for them, count as well. The folder's own name
# is such a path, too, with or without a slash after it; `my.thinkon`, `.thinkonrc` and `.thinkon.bak` are other names.
_FOLDER = re.compile(
    r"(?<![0-9A-Za-z_.\-])(?:\.|%2e)thinkon(?=[/\\\u2215\u2044\u29f5\u29f8]|%2f|%5c|(?![0-9A-Za-z_\-]|\.[0-9A-Za-z_]))",
    re.IGNORECASE,
)
_INSIDE = r"[0-9A-Za-z_.~%$@+\-/\\\u2215\u2044\u29f5\u29f8]"
_AHEAD = re.compile(f"{_INSIDE}*")
_BEHIND = re.compile(_INSIDE)


def find_state_paths(text: str) -> list[WordingMatch]:
    """All paths of a text that lead to or into ``.thinkon``, each as far as it goes, in the order of the text."""
    normal, found = NormalText.of(text), []
    at = 0
    while match := _FOLDER.search(normal.text, at):
        start = match.start()
        while start and _BEHIND.match(normal.text, start - 1):
            start -= 1
        ahead = _AHEAD.match(normal.text, match.end())
        assert ahead is not None
        # A full stop after a path ends a sentence.
        at = match.end() + len(ahead[0].rstrip("."))
        found.append(normal.found(start, at))
    return found
