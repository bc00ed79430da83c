"""Which of the words that there are somebody may have meant by another."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["find_near"]

# Of each word, no more is compared.
_COMPARED = 40


def find_near(word: str, known: Iterable[str]) -> str:
    """The known word that is most like one, or "" where none is like it."""
    from difflib import get_close_matches  # noqa: PLC0415  (most calls misspell nothing)

    starts = {one[:_COMPARED]: one for one in known}
    near = get_close_matches(word[:_COMPARED], starts, n=1)
    return starts[near[0]] if near else ""
