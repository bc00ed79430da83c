"""Orders: which items of a list have kept theirs, and how two orders become one."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from typing import TypeVar

__all__ = ["longest_rising", "merge_order", "weave"]

Item = TypeVar("Item", bound=Hashable)


def longest_rising(numbers: Sequence[int]) -> set[int]:
    """The indices of a longest run of rising numbers, not necessarily neighbours; all numbers differ."""
    ends: list[int] = []
    at: list[int] = []
    before: list[int] = []
    for index, number in enumerate(numbers):
        length = bisect_left(ends, number)
        before.append(at[length - 1] if length else -1)
        if length == len(ends):
            ends.append(number)
            at.append(index)
        else:
            ends[length], at[length] = number, index
    kept: set[int] = set()
    index = at[-1] if at else -1
    while index >= 0:
        kept.add(index)
        index = before[index]
    return kept


def weave(ours: Sequence[Item], theirs: Sequence[Item]) -> list[Item]:
    """``ours``, and what only ``theirs`` has behind the item that stands in front of it there.

    Where both have something of their own in the same place, it is ours first. An item comes only once in each.
    """
    known, shared = set(ours), set(theirs)
    behind: dict[Item | None, list[Item]] = {}
    last = None
    for item in theirs:
        if item in known:
            last = item
        else:
            behind.setdefault(last, []).append(item)
    woven: list[Item] = []
    pending = behind.get(None, [])
    for item in ours:
        if item in shared:
            woven += [*pending, item]
            pending = behind.get(item, [])
        else:
            woven.append(item)
    return woven + pending


def merge_order(base: Sequence[Item], ours: Sequence[Item], theirs: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """Merge what two versions have made of an order; an item comes only once in each list.

    Returns:
        All items that ``ours`` or ``theirs`` has; and those that both have put elsewhere, and not to the same place,
        which stand here as in ``ours``.
    """
    in_ours, in_theirs = set(ours), set(theirs)
    both = in_ours & in_theirs
    left, right = [[item for item in items if item in both] for items in (ours, theirs)]
    if left == right:
        return weave(ours, theirs), []
    known = [item for item in base if item in both]
    gone_left, gone_right = _displaced(known, left), _displaced(known, right)
    before_left, before_right = _predecessors(left), _predecessors(right)
    moved = gone_left & gone_right
    clashes = [item for item in known if item in moved and before_left[item] != before_right[item]]
    free = gone_right - gone_left
    return weave([item for item in ours if item not in free], theirs), clashes


def _displaced(known: Sequence[Item], order: Sequence[Item]) -> set[Item]:
    """The items that stand elsewhere in ``order`` than they did."""
    ranks = {item: rank for rank, item in enumerate(order)}
    kept = longest_rising([ranks[item] for item in known])
    return {item for index, item in enumerate(known) if index not in kept}


def _predecessors(order: Sequence[Item]) -> dict[Item, Item | None]:
    return dict(zip(order, [None, *order], strict=False))
