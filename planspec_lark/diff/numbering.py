"""The ids of a merged plan: each as it was, as far as no other step has come in its way."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from planspec_lark.diff.nodes import BASE, OURS, THEIRS, Node, Versions
from planspec_lark.diff.trees import number_of
from planspec_lark.planspec.fields import COUNT_LIMIT
from planspec_lark.planspec.tree import find_parents

__all__ = ["Suffixes", "number", "suffix_of"]


def number(versions: Versions) -> None:
    """Give all nodes their ids."""
    todo = [versions.root]
    while todo:
        parent = todo.pop()
        if not parent.children:
            continue
        suffixes = _suffixes(versions, parent)
        for node, suffix in zip(parent.children, suffixes, strict=True):
            node.step_id = f"{parent.step_id}.{suffix}" if parent.step_id else suffix
        todo += parent.children


def suffix_of(versions: Versions, node: Node, side: int) -> str:
    """What the id of a step adds, in a version that has it, to the id above it."""
    return versions.trees[side].suffix(node.places[side])


class Suffixes:
    """The suffixes below one step, and those that are still free."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._numbers = {int(suffix.partition(".")[0]) for suffix in self._taken}
        self._next = max(self._numbers, default=0) + 1

    def take(self, wanted: str) -> str:
        """The suffix that is wanted if it is a free number, else a number behind all others or, at the end, any."""
        if "." in wanted or int(wanted) in self._numbers:
            while self._next > COUNT_LIMIT or self._next in self._numbers:
                self._next = self._next + 1 if self._next < COUNT_LIMIT else 1
            wanted = str(self._next)
        self._numbers.add(int(wanted))
        return wanted


def _suffixes(versions: Versions, parent: Node) -> list[str]:
    """The suffixes of the steps below one."""
    if all(_is_counted(versions, parent, side) for side in (BASE, OURS, THEIRS)):
        suffixes = _count_up(versions, parent)
    else:
        suffixes = _keep(versions, parent)
    if _are_sound(suffixes):
        return suffixes
    return [str(number) for number in range(1, len(parent.children) + 1)]


def _are_sound(suffixes: list[str]) -> bool:
    """Whether no two are the same, and none would put its step below another."""
    if any(len(suffix) > len(str(COUNT_LIMIT)) and "." not in suffix for suffix in suffixes):
        return False
    return len(set(suffixes)) == len(suffixes) and not any(find_parents(suffixes))


def _is_counted(versions: Versions, parent: Node, side: int) -> bool:
    """Whether the steps below one have single numbers in a version, in their order."""
    numbers = [number_of(suffix_of(versions, child, side)) for child in versions.children(parent, side)]
    known = [found for found in numbers if found is not None]
    return len(known) == len(numbers) and all(a < b for a, b in pairwise(known))


def _count_up(versions: Versions, parent: Node) -> list[str]:
    """Numbers in order: every step keeps its own, moved by all that has come or gone in front of it on either side."""
    final: dict[int, int] = {}
    last = -1
    for node in parent.children:
        wanted = _wanted(versions, parent, node, final)
        last = wanted if wanted > last else last + 1
        final[id(node)] = last
    return [str(final[id(node)]) for node in parent.children]


def _wanted(versions: Versions, parent: Node, node: Node, final: dict[int, int]) -> int:
    at = {
        side: int(suffix_of(versions, node, side))
        for side in (BASE, OURS, THEIRS)
        if node.is_in(side) and versions.parent(node, side) is parent
    }
    movers = [side for side in (OURS, THEIRS) if side in at and node.places[BASE] in versions.moved[side]]
    if OURS in at and THEIRS in at:
        ours, theirs = at[OURS], at[THEIRS]
        if ours == theirs or BASE not in at:
            return ours
        if not movers:
            return max(1, ours + theirs - at[BASE]) if ours != at[BASE] != theirs else ours + theirs - at[BASE]
    side = movers[0] if movers else OURS if OURS in at else THEIRS
    if BASE in at and not movers:
        return at[side]
    # It is new here: as far behind the step in front of it as it is there.
    siblings = versions.trees[side].children[parent.places[side]]
    rank = versions.trees[side].ranks[node.places[side]]
    if rank:
        before = versions.nodes[side][siblings[rank - 1]]
        if id(before) in final:
            return final[id(before)] + at[side] - int(suffix_of(versions, before, side))
    return at[side]


def _keep(versions: Versions, parent: Node) -> list[str]:
    """Suffixes of any kind: every step keeps its own, unless one of ours has it."""
    wanted: list[str] = []
    for node in parent.children:
        at = {
            side: suffix_of(versions, node, side)
            for side in (BASE, OURS, THEIRS)
            if node.is_in(side) and versions.parent(node, side) is parent
        }
        ours, theirs = at.get(OURS), at.get(THEIRS)
        is_theirs = ours is None or (theirs is not None and ours == at.get(BASE))
        wanted.append(str(theirs if is_theirs else ours))
    taken = {suffix for suffix, node in zip(wanted, parent.children, strict=True) if node.is_in(OURS)}
    free = Suffixes(wanted)
    for index, node in enumerate(parent.children):
        if not node.is_in(OURS):
            if wanted[index] in taken:
                wanted[index] = free.take(wanted[index])
            taken.add(wanted[index])
    return wanted
