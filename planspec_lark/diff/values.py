"""What three versions of one value become."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planspec_lark.diff.models import Value
from planspec_lark.diff.sequences import longest_rising, weave
from planspec_lark.planspec.models import PlanStatus

__all__ = ["merge_items", "merge_value"]

# An item of a list, and the how manieth of its kind it is.
_Item = tuple[str, int]


def merge_value(base: Value | None, ours: Value, theirs: Value) -> tuple[Value, bool]:
    """Merge a value; a side that has not changed it yields to the one that has.

    Of two statuses that a pending step has got, `active` yields: it is on the way to the other one.

    Args:
        base: what it was; None where nothing was.
        ours: what one side has made of it.
        theirs: what the other side has made of it.

    Returns:
        The value, and whether both have changed it to something different; then the value is ours.
    """
    if theirs in (ours, base):
        return ours, False
    if ours == base:
        return theirs, False
    if base is PlanStatus.PENDING and PlanStatus.ACTIVE in (ours, theirs):
        return (theirs if ours is PlanStatus.ACTIVE else ours), False
    return ours, True


def merge_items(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> tuple[list[str], bool]:
    """Merge a list of items that stand for themselves, such as constraints.

    What either side has added is there, what either has taken out is not. Where both have taken out the same item and
    put something different in its place, each has reworded it, and that is a conflict.

    Returns:
        The list, and whether there is a conflict; then the list is ours.
    """
    if list(ours) == list(theirs) or list(theirs) == list(base):
        return list(ours), False
    if list(ours) == list(base):
        return list(theirs), False
    versions = [[*_numbered(items)] for items in (base, ours, theirs)]
    merged: list[_Item] = []
    anchors = _anchors(*versions)
    for was, left, right in zip(*(_stretches(items, anchors) for items in versions), strict=True):
        gone_left, gone_right = set(was) - set(left), set(was) - set(right)
        new_left, new_right = set(left) - set(was), set(right) - set(was)
        if gone_left & gone_right and new_left != new_right:
            return list(ours), True
        merged += weave(
            [item for item in left if item not in gone_right], [item for item in right if item not in gone_left]
        )
    return [text for text, _ in dict.fromkeys(merged)], False


def _numbered(items: Sequence[str]) -> Iterator[_Item]:
    seen: dict[str, int] = {}
    for item in items:
        seen[item] = seen.get(item, 0) + 1
        yield item, seen[item]


def _anchors(base: Sequence[_Item], ours: Sequence[_Item], theirs: Sequence[_Item]) -> set[_Item]:
    """Items that all three have, in the same order."""
    kept = set(base)
    for side in (ours, theirs):
        ranks = {item: rank for rank, item in enumerate(side)}
        known = [item for item in base if item in ranks]
        rising = longest_rising([ranks[item] for item in known])
        kept &= {known[index] for index in rising}
    return kept


def _stretches(items: Sequence[_Item], anchors: set[_Item]) -> list[list[_Item]]:
    """The items cut in front of each anchor."""
    found: list[list[_Item]] = [[]]
    for item in items:
        if item in anchors:
            found.append([])
        found[-1].append(item)
    return found
