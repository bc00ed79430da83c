"""Where the steps of a merged plan stand: below which other, and in which order."""

from __future__ import annotations

from itertools import count

from planspec_lark.diff.nodes import BASE, OURS, THEIRS, Node, Versions
from planspec_lark.diff.sequences import merge_order

__all__ = ["PLACE", "hang"]

# Putting back what stands below itself may let other steps do so. After so many times, all are put back.
_ATTEMPTS = 3
# The name of a place among the values of a step.
PLACE = "place"


def hang(versions: Versions) -> None:
    """Hang all nodes below each other and put them in order; one that both sides have moved apart stays with ours."""
    for node in versions:
        if not node.is_gone:
            _find_parent(versions, node)
    _break_rings(versions)
    todo = [versions.root]
    while todo:
        parent = todo.pop()
        _find_order(versions, parent)
        todo += parent.children


def _find_parent(versions: Versions, node: Node) -> None:
    above = [versions.parent(node, side) if node.is_in(side) else None for side in (BASE, OURS, THEIRS)]
    base, ours, theirs = above
    if ours is None or theirs is None:
        node.parent = ours or theirs
    elif ours is theirs or theirs is base:
        node.parent = ours
    elif ours is base:
        node.parent = theirs
    else:
        node.parent = ours
        node.disputed.append(PLACE)


def _break_rings(versions: Versions) -> None:
    """Where one side has put a step below another and the other side has done the opposite, both are in dispute."""
    for attempt in count():
        ring = _find_ring(versions)
        if not ring:
            return
        if attempt == _ATTEMPTS:
            ring = [node for node in versions if not node.is_gone]
        for node in ring:
            was = node.parent
            if node.is_in(OURS):
                _put_back(versions, node)
            if attempt < _ATTEMPTS or node.parent is not was:
                _dispute(versions, node)


def _put_back(versions: Versions, node: Node) -> None:
    """Let a step stand where ours has it, and what is above it there be there as well."""
    node.parent = versions.parent(node, OURS)
    while node.parent.is_gone:
        node = node.parent
        node.is_gone = False
        node.parent = versions.parent(node, OURS)


def _dispute(versions: Versions, node: Node) -> None:
    is_moved = node.is_in(BASE) and any(node.places[BASE] in versions.moved[side] for side in (OURS, THEIRS))
    if is_moved and PLACE not in node.disputed:
        node.disputed.append(PLACE)


def _find_ring(versions: Versions) -> list[Node]:
    """All nodes that stand below themselves."""
    rooted, found = {id(versions.root)}, []
    for node in versions:
        path: dict[int, Node] = {}
        one = node
        while not node.is_gone and id(one) not in rooted and id(one) not in path:
            path[id(one)] = one
            assert one.parent is not None
            one = one.parent
        if id(one) in path:
            nodes = list(path.values())
            found += nodes[list(path).index(id(one)) :]
        rooted.update(path)
    return found


def _find_order(versions: Versions, parent: Node) -> None:
    if not any(versions.children(parent, side) for side in (OURS, THEIRS)):
        return
    lists = [[one for one in versions.children(parent, side) if one.parent is parent] for side in (OURS, THEIRS)]
    base = versions.children(parent, BASE)
    parent.children, clashes = merge_order(base, *lists)
    for node in clashes:
        if PLACE not in node.disputed:
            node.disputed.append(PLACE)
