"""Which steps a merged plan has: what one side has removed is gone, unless the other side has not left it alone."""

from __future__ import annotations

from attrs import define, field

from planspec_lark.diff.nodes import BASE, OURS, THEIRS, Node, Versions
from planspec_lark.diff.trees import ROOT

__all__ = ["Removal", "find_removals"]


@define(eq=False)
class Removal:
    """Steps that one side has removed, all below one of them, and what the other side has done to them.

    Attributes:
        top: the topmost of them.
        side: who has removed them.
        nodes: all of them.
        touched: what the other side has changed, moved or put there.
    """

    top: Node
    side: int
    nodes: list[Node] = field(factory=list)
    touched: list[Node] = field(factory=list)


def find_removals(versions: Versions) -> list[Removal]:
    """Mark all nodes that are gone; returns the removals that are in dispute, whose nodes stay."""
    disputed = []
    for node in versions:
        node.is_gone = not (node.is_in(OURS) or node.is_in(THEIRS))
    for remover, keeper in ((THEIRS, OURS), (OURS, THEIRS)):
        for removal in _collect(versions, remover, keeper):
            if removal.touched:
                disputed.append(removal)
                _keep(versions, removal, keeper)
            else:
                for node in removal.nodes:
                    node.is_gone = True
    return disputed


def _is_removed(node: Node, remover: int) -> bool:
    return node.is_in(BASE) and not node.is_in(remover) and node.places[BASE] != ROOT


def _collect(versions: Versions, remover: int, keeper: int) -> list[Removal]:
    """What one side has removed and the other has not, by the topmost step that it has there."""
    found: dict[int, Removal] = {}
    of: dict[int, Removal] = {}
    for node in versions.nodes[keeper][1:]:
        above = of.get(id(versions.parent(node, keeper)))
        if _is_removed(node, remover):
            removal = above or found.setdefault(id(node), Removal(node, remover))
            of[id(node)] = removal
            removal.nodes.append(node)
            if versions.is_changed(node, keeper):
                removal.touched.append(node)
        elif above is not None and (not node.is_in(BASE) or node.places[BASE] in versions.moved[keeper]):
            above.touched.append(node)
    return list(found.values())


def _keep(versions: Versions, removal: Removal, keeper: int) -> None:
    """Note on all that only the other side has there whose removal is in dispute."""
    todo = [removal.top]
    while todo:
        node = todo.pop()
        node.removal = removal.top
        todo += [child for child in versions.children(node, keeper) if not child.is_in(removal.side)]
