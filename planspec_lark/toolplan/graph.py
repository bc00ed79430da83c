"""The order of steps that depend on one another: plain graphs, each node a number, no recursion.

A graph is a list with, for each node, those that it depends on.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter

from attrs import frozen

__all__ = ["Graph", "Ordering", "depend", "find_cycles", "find_groups", "order"]

Graph = Sequence[Sequence[int]]

# In one pass through a graph, each node keeps a bit for each of so many nodes that are asked for.
_AT_A_TIME = 4096


@frozen
class Ordering:
    """What comes when.

    Attributes:
        order: all nodes whose turn comes, each after all that it depends on; among those that are ready, the lowest
            first.
        waves: the same nodes in groups. Nodes of a group depend on none of the same group, and each is in the first
            group in which it can be.
        stuck: those whose turn never comes: they are in a circle, or depend on one.
    """

    order: list[int]
    waves: list[list[int]]
    stuck: list[int]


def order(graph: Graph) -> Ordering:
    """The order of a graph's nodes."""
    ordered = _sort(graph)
    level = [-1] * len(graph)
    for node in ordered:
        level[node] = 1 + max((level[other] for other in graph[node]), default=-1)
    waves: list[list[int]] = [[] for _ in range(1 + max(level, default=-1))]
    stuck: list[int] = []
    for node, at in enumerate(level):
        (waves[at] if at >= 0 else stuck).append(node)
    return Ordering(ordered, waves, stuck)


def _sort(graph: Graph) -> list[int]:
    sorter = TopologicalSorter(dict(enumerate(graph)))
    # All but circles, and what depends on them, is sorted in spite of these.
    with suppress(CycleError):
        sorter.prepare()
    ready: list[int] = []
    ordered = []
    while sorter.is_active():
        for node in sorter.get_ready():
            heapq.heappush(ready, node)
        ordered.append(heapq.heappop(ready))
        sorter.done(ordered[-1])
    return ordered


# ---------------------------------------------------------------- circles


def find_cycles(graph: Graph, stuck: Sequence[int]) -> list[list[int]]:
    """A circle of each group of nodes that depend on one another, sorted by their lowest nodes.

    Every node of a circle depends on the next one, and the last one on the first, which is the lowest. ``stuck`` are
    the nodes to look at.
    """
    group_of = find_groups(graph, stuck)
    firsts: dict[int, int] = {}
    for node in stuck:
        firsts.setdefault(group_of[node], node)
    circles = (_find_cycle(graph, group_of, first) for first in firsts.values())
    return sorted(circle for circle in circles if circle)


def _find_cycle(graph: Graph, group_of: dict[int, int], node: int) -> list[int]:
    """A circle inside the group of this node; none where it is alone, and not its own dependency."""
    group, way, places = group_of[node], [node], {node: 0}
    while True:
        following = next((other for other in graph[node] if group_of.get(other) == group), None)
        if following is None:
            return []
        if following in places:
            cycle = way[places[following] :]
            at = cycle.index(min(cycle))
            return cycle[at:] + cycle[:at]
        places[following] = len(way)
        way.append(following)
        node = following


def find_groups(graph: Graph, nodes: Sequence[int]) -> dict[int, int]:
    """The group of each of these nodes: two are in one if each depends on the other, directly or not.

    Groups are numbered so that one depends on lower ones only (Kosaraju's algorithm with stacks of its own).
    """
    dependants: dict[int, list[int]] = {node: [] for node in nodes}
    for node in nodes:
        for other in graph[node]:
            if other in dependants:
                dependants[other].append(node)
    group_of: dict[int, int] = {}
    # What others depend on is finished before them, but in circles: the last one is in a group that none depends on.
    for group, root in enumerate(reversed(_finish(graph, dependants))):
        todo = [root]
        while todo:
            node = todo.pop()
            if node not in group_of:
                group_of[node] = -group
                todo += dependants[node]
    return group_of


def _finish(graph: Graph, among: Collection[int]) -> list[int]:
    """These nodes in the order in which a search into the depth leaves them."""
    seen: set[int] = set()
    finished = []
    for root in among:
        stack = [] if root in seen else [(root, iter(graph[root]))]
        while stack:
            node, others = stack[-1]
            seen.add(node)
            following = next((other for other in others if other in among and other not in seen), None)
            if following is None:
                finished.append(node)
                stack.pop()
            else:
                stack.append((following, iter(graph[following])))
    return finished


# ---------------------------------------------------------------- which node depends on which


def depend(
    graph: Graph, ordering: Ordering, questions: Sequence[tuple[int, int]], *, at_a_time: int = _AT_A_TIME
) -> list[bool]:
    """For each pair of nodes whether the first depends on the second, directly or not."""
    groups = find_groups(graph, ordering.stuck)
    # Circles come last, as nothing outside depends on them but what is stuck as well; each counts as one node.
    sequence = [*ordering.order, *sorted(ordering.stuck, key=groups.__getitem__)]
    position = [0] * len(graph)
    heads: dict[int, int] = {}
    for at, node in enumerate(sequence):
        position[node] = heads.setdefault(groups[node], at) if node in groups else at
    asking: dict[int, list[int]] = {}
    for node, other in questions:
        # Nothing depends on what comes later.
        if position[node] >= position[other]:
            asking.setdefault(other, []).append(node)
    targets = sorted(asking, key=position.__getitem__)
    found: set[tuple[int, int]] = set()
    for first in range(0, len(targets), at_a_time):
        bits = {other: 1 << at for at, other in enumerate(targets[first : first + at_a_time])}
        last = max(position[node] for other in bits for node in asking[other])
        nodes = sequence[position[targets[first]] : bisect_right(sequence, last, key=position.__getitem__)]
        masks = _spread(graph, nodes, position, bits)
        found.update(
            (node, other) for other, bit in bits.items() for node in asking[other] if masks.get(position[node], 0) & bit
        )
    return [question in found for question in questions]


def _spread(graph: Graph, nodes: Iterable[int], position: Sequence[int], bits: Mapping[int, int]) -> dict[int, int]:
    """The bits of those that each of these nodes depends on, by position."""
    masks: dict[int, int] = {}
    for node in nodes:
        mask = masks.get(position[node], 0)
        for other in graph[node]:
            mask |= masks.get(position[other], 0) | bits.get(other, 0)
        if mask:
            masks[position[node]] = mask
    return masks
