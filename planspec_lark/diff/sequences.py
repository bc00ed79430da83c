"""Orders and lists: what two have in the same order, and how what two sides have made of one becomes one again."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

__all__ = ["cut_at", "longest_common", "longest_rising", "merge_items", "merge_order", "weave"]

Item = TypeVar("Item", bound=Hashable)


def longest_rising(numbers: Sequence[int]) -> set[int]:
    """The indices of a longest run of rising numbers, not necessarily neighbours; all numbers differ."""
    ends: list[int] = []
    at: list[int] = []
    before: list[int] = []
    for index, number in enumerate(numbers):
        length = bisect_left(ends, number)
        before.append(at[length - 1] if length else -1)
        ends[length : length + 1] = [number]
        at[length : length + 1] = [index]
    kept: set[int] = set()
    index = at[-1] if at else -1
    while index >= 0:
        kept.add(index)
        index = before[index]
    return kept


def longest_common(items: Iterable[Item], others: Iterable[Item]) -> list[Item]:
    """As many items as possible that two lists have in the same order; an item comes only once in each."""
    ranks = {item: rank for rank, item in enumerate(others)}
    both = [item for item in items if item in ranks]
    kept = longest_rising([ranks[item] for item in both])
    return [item for index, item in enumerate(both) if index in kept]


def cut_at(items: Iterable[Item], anchors: Container[Item]) -> list[list[Item]]:
    """The items cut before each anchor."""
    found: list[list[Item]] = [[]]
    for item in items:
        if item in anchors:
            found.append([])
        found[-1].append(item)
    return found


def weave(ours: Sequence[Item], theirs: Sequence[Item]) -> list[Item]:
    """``ours``, and what only ``theirs`` has after the item that is before it there.

    Where both have something of their own in the same place, it is ours first. An item comes only once in each.
    """
    shared = set(ours) & set(theirs)
    pending, *others = cut_at(theirs, shared)
    behind = {item: rest for item, *rest in others}
    woven: list[Item] = []
    for item in ours:
        if item in shared:
            woven += pending
            pending = behind[item]
        woven.append(item)
    return woven + pending


def merge_order(base: Sequence[Item], ours: Sequence[Item], theirs: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """Merge what two versions have made of an order; an item comes only once in each list.

    Returns:
        All items that ``ours`` or ``theirs`` has; and those that both have put elsewhere, and not to the same place,
        which are here as in ``ours``.
    """
    both = set(ours) & set(theirs)
    known, left, right = ([item for item in items if item in both] for items in (base, ours, theirs))
    if left == right:
        return weave(ours, theirs), []
    moved_left, moved_right = (set(known).difference(longest_common(known, order)) for order in (left, right))
    before_left, before_right = (dict(zip(order, [None, *order], strict=False)) for order in (left, right))
    moved_by_both, free = moved_left & moved_right, moved_right - moved_left
    clashes = [item for item in known if item in moved_by_both and before_left[item] != before_right[item]]
    return weave([item for item in ours if item not in free], theirs), clashes


# ---------------------------------------------------------------- items that stand for themselves


def merge_items(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> tuple[list[str], bool]:
    """Merge a list of items that stand for themselves, such as constraints.

    What either side has added is there, what either has taken out is not. Where both have taken out the same item and
    put in something different, each may have reworded it, and that is a conflict.

    Returns:
        The list, and whether there is a conflict; then the list is ours.
    """
    old, mine, other = ([*_number(items)] for items in (base, ours, theirs))
    gone_left, gone_right = set(old).difference(mine), set(old).difference(other)
    if gone_left & gone_right and set(mine).difference(old) != set(other).difference(old):
        return [*ours], True
    left, right = (
        [item for item in side if item not in gone] for side, gone in ((mine, gone_right), (other, gone_left))
    )
    return [text for text, _ in merge_order(old, left, right)[0]], False


def _number(items: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Each item, and its number among those of its kind."""
    seen: Counter[str] = Counter()
    for item in items:
        seen[item] += 1
        yield item, seen[item]
