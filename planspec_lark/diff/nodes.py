"""Three versions of a plan as one set of nodes: each step once, with its place in every version that has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator

from attrs import define, field, frozen

from planspec_lark.diff.differ import find_moved
from planspec_lark.diff.match import NONE, Matching, match_trees
from planspec_lark.diff.models import Value, own_values
from planspec_lark.diff.trees import ROOT, Tree
from planspec_lark.planspec.models import PlanSpec, PlanStep

__all__ = ["BASE", "OURS", "SIDES", "THEIRS", "Node", "Versions"]

BASE, OURS, THEIRS = range(3)
SIDES = ("base", "ours", "theirs")


@define(eq=False)
class Node:
    """A step, or (with three times ROOT) the plan itself.

    Attributes:
        places: its place in each version, NONE where that has no such step.
        is_gone: whether the merged plan has it no more.
        parent: the node above it in the merged plan; None for the plan itself.
        children: the nodes below it there.
        step_id: its id there.
        values: what it says there; where both sides disagree, as ours does.
        disputed: the names of the values that both have changed differently, ``place`` where that is the place.
        removal: where one side has removed it and the other has not left it alone, the topmost node of what that is
            about.
    """

    places: list[int]
    is_gone: bool = False
    parent: Node | None = None
    children: list[Node] = field(factory=list)
    step_id: str = ""
    values: dict[str, Value] = field(factory=dict)
    disputed: list[str] = field(factory=list)
    removal: Node | None = None

    def is_in(self, side: int) -> bool:
        """Whether a version has it."""
        return self.places[side] != NONE


@frozen(eq=False)
class Versions:
    """Three versions of a plan.

    Attributes:
        plans, trees: each version.
        nodes: the nodes by their places, version by version.
        moved: for both sides the places in the base of what they have moved.
    """

    plans: tuple[PlanSpec, PlanSpec, PlanSpec]
    trees: tuple[Tree, Tree, Tree]
    nodes: tuple[list[Node], list[Node], list[Node]]
    moved: dict[int, set[int]]
    _all: list[Node] = field(factory=list)
    # What steps say, by version and place, as far as it was asked for.
    _values: tuple[dict[int, dict[str, Value]], ...] = field(factory=lambda: ({}, {}, {}))

    @classmethod
    def of(cls, base: PlanSpec, ours: PlanSpec, theirs: PlanSpec) -> Versions:
        """Find out which steps are the same."""
        trees = Tree.of(base), Tree.of(ours), Tree.of(theirs)
        left, right = match_trees(trees[BASE], trees[OURS]), match_trees(trees[BASE], trees[THEIRS])
        nodes = [Node([place, left.there[place], right.there[place]]) for place in range(len(trees[BASE].steps))]
        known = nodes, _place(nodes, trees[OURS], OURS, left), _place(nodes, trees[THEIRS], THEIRS, right)
        versions = cls(
            (base, ours, theirs),
            trees,
            known,
            {
                OURS: find_moved(trees[BASE], trees[OURS], left),
                THEIRS: find_moved(trees[BASE], trees[THEIRS], right),
            },
        )
        versions._join_additions()
        for side, found in enumerate(known):
            new = (node for node in found[1:] if not any(node.is_in(earlier) for earlier in range(side)))
            versions._all.extend(new)
        return versions

    def __iter__(self) -> Iterator[Node]:
        """All steps: those of the base, what ours adds, what theirs adds."""
        return iter(self._all)

    @property
    def root(self) -> Node:
        """The plan itself."""
        return self.nodes[BASE][ROOT]

    def step(self, node: Node, side: int) -> PlanStep:
        """A step as a version that has it says it."""
        return self.trees[side].steps[node.places[side]]

    def values(self, node: Node, side: int) -> dict[str, Value]:
        """What a step says itself in a version that has it."""
        known, place = self._values[side], node.places[side]
        if place not in known:
            known[place] = own_values(self.trees[side].steps[place])
        return known[place]

    def parent(self, node: Node, side: int) -> Node:
        """The node above a step in a version that has it."""
        return self.nodes[side][self.trees[side].parents[node.places[side]]]

    def children(self, node: Node, side: int) -> list[Node]:
        """The nodes below one in a version; none where that has it not."""
        if not node.is_in(side):
            return []
        return [self.nodes[side][place] for place in self.trees[side].children[node.places[side]]]

    def is_changed(self, node: Node, side: int) -> bool:
        """Whether a side has changed what a step of the base says, or moved it."""
        return node.places[BASE] in self.moved[side] or self.values(node, BASE) != self.values(node, side)

    def _join_additions(self) -> None:
        """Make one of what both sides have added alike: in the same place and with the same text, or the same name."""
        ours: dict[Hashable, Node] = {}
        for key, node in self._keys(OURS):
            ours[key] = node
        for key, node in self._keys(THEIRS):
            twin = ours.get(key)
            if twin is not None:
                twin.places[THEIRS] = node.places[THEIRS]
                self.nodes[THEIRS][node.places[THEIRS]] = twin

    def _keys(self, side: int) -> Iterator[tuple[Hashable, Node]]:
        """The steps that a side has added, above before below, each with what tells it from all others."""
        counts: Counter[Hashable] = Counter()
        tree, nodes = self.trees[side], self.nodes[side]
        behind: dict[int, int] = {}
        for place in range(1, len(nodes)):
            parent = nodes[tree.parents[place]]
            if nodes[place].is_in(BASE):
                behind[id(parent)] = nodes[place].places[BASE]
                continue
            step = tree.steps[place]
            key: Hashable = step.step_name or (id(parent), behind.get(id(parent), ROOT), tree.hashes[place])
            counts[key] += 1
            yield (key, counts[key]), nodes[place]


def _place(nodes: list[Node], tree: Tree, side: int, matching: Matching) -> list[Node]:
    """The nodes of a side by their places there, with new ones for what it adds."""
    found = []
    for place, was in enumerate(matching.back):
        if was != NONE:
            found.append(nodes[was])
        else:
            found.append(Node([place if side == version else NONE for version in range(3)]))
    assert len(found) == len(tree.steps)
    return found
