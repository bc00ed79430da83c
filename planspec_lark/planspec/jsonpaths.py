"""Paths to the steps in the JSON value of a plan, such as ``$.steps[0].children[2]``."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Place", "write_path"]

# So many levels of a path are written out at either end.
_LEVELS = 25


class Place(NamedTuple):
    """Where a step stands: below which, the how manieth there, how deep, and its path's first levels.

    Whole paths would come to the square of the depth, and a value may be as deep as it is long.
    """

    parent: Place | None
    number: int
    depth: int
    head: str

    @classmethod
    def below(cls, parent: Place | None, number: int) -> Place:
        """The place of a child; of a step at the top level where there is no parent."""
        if parent is None:
            return cls(None, number, 1, f".steps[{number}]")
        head = parent.head + f".children[{number}]" if parent.depth < _LEVELS else parent.head
        return cls(parent, number, parent.depth + 1, head)


def write_path(place: Place | None) -> str:
    """The path to a step, or to the plan itself (None)."""
    if place is None:
        return "$"
    head = place.head
    tail: list[str] = []
    for _ in range(min(place.depth - _LEVELS, _LEVELS)):
        assert place is not None
        tail.append(f".children[{place.number}]")
        place = place.parent
    gap = "…" if place is not None and place.depth > _LEVELS else ""
    return f"${head}{gap}{''.join(reversed(tail))}"
