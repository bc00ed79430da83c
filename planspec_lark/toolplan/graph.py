"""The order of steps that depend on one another: plain graphs, each node a number, no recursion.

A graph is a list with, for each node, those that it depends on.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter

from attrs import frozen

__all__ = ["MOST_CYCLES", "Graph", "Ordering", "depend", "find_cycles", "order"]

Graph = Sequence[Sequence[int]]

# In one pass through a graph, each node keeps a bit for each of so many nodes that are asked for.
_AT_A_TIME = 4096
# So many circles are looked for: each takes one more look at all nodes.
MOST_CYCLES = 10


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


def find_cycles(graph: Graph, stuck: Sequence[int]) -> list[list[int]]:
    """Some circles that have no node in common, sorted by their lowest nodes.

    Every node of a circle depends on the next one, and the last one on the first, which is the lowest. ``stuck`` are
    the nodes to look at.
    """
    left = {node: graph[node] for node in stuck}
    found: list[list[int]] = []
    for _ in range(MOST_CYCLES):
        try:
            TopologicalSorter(left).prepare()
            break
        except CycleError as error:
            # Here each node is a dependency of the next one, and the last one is the first.
            cycle = error.args[1][:0:-1]
        at = cycle.index(min(cycle))
        found.append(cycle[at:] + cycle[:at])
        gone = {*cycle}
        left = {node: others for node, others in left.items() if node not in gone}
    return sorted(found)


def depend(
    graph: Graph, ordered: Sequence[int], questions: Iterable[tuple[int, int]], *, at_a_time: int = _AT_A_TIME
) -> set[tuple[int, int]]:
    """The pairs of nodes of which the first, which has its turn, depends on the second, directly or not."""
    position = {node: at for at, node in enumerate(ordered)}
    asking: dict[int, list[int]] = {}
    for node, other in questions:
        # Nothing depends on what comes later, or never.
        if position.get(other, len(graph)) < position[node]:
            asking.setdefault(other, []).append(node)
    targets = sorted(asking, key=position.__getitem__)
    found: set[tuple[int, int]] = set()
    for first in range(0, len(targets), at_a_time):
        some = targets[first : first + at_a_time]
        bits = {other: 1 << at for at, other in enumerate(some)}
        last = max(position[node] for other in some for node in asking[other])
        masks = _spread(graph, ordered[position[some[0]] : last + 1], bits)
        found.update((node, other) for other in some for node in asking[other] if masks.get(node, 0) & bits[other])
    return found


def _spread(graph: Graph, nodes: Iterable[int], bits: Mapping[int, int]) -> dict[int, int]:
    """The bits of those that each of these nodes depends on."""
    masks: dict[int, int] = {}
    for node in nodes:
        mask = 0
        for other in graph[node]:
            mask |= masks.get(other, 0) | bits.get(other, 0)
        if mask:
            masks[node] = mask
    return masks
