"""Which steps another one depends on, directly or not: many such questions about one graph.

Many are answered by two numbers each, more by a short walk. What is left is put to the whole graph, many questions at a
time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from planspec_lark.toolplan.graph import Graph, Ordering, find_groups

__all__ = ["Ancestry"]

# Each node keeps a bit for every node that is asked for at a time: so many of these, and bits for all nodes together.
_FEWEST, _MOST, _BITS = 512, 8192, 2**30
# The nodes that a walk for one question looks at.
_WALK = 32


class Ancestry:
    """Answers whether one node depends on another.

    Args:
        graph: those that each node depends on.
        ordering: its order.
        at_a_time: how many nodes to ask for in one pass through the graph; by default, as many as memory is there for.
        walk: how many nodes to look at for one question before it is left to such a pass.
    """

    def __init__(self, graph: Graph, ordering: Ordering, *, at_a_time: int | None = None, walk: int = _WALK) -> None:
        self._longest = walk
        self._graph = graph
        self._at_a_time = at_a_time or max(_FEWEST, min(_MOST, _BITS // max(len(graph), 1)))
        groups = find_groups(graph, ordering.stuck) if ordering.stuck else {}
        # Circles come last, as nothing outside depends on them but what is stuck as well; each counts as one node.
        self._sequence = [*ordering.order, *sorted(ordering.stuck, key=groups.__getitem__)]
        self._position = [0] * len(graph)
        heads: dict[int, int] = {}
        for at, node in enumerate(self._sequence):
            self._position[node] = heads.setdefault(groups[node], at) if node in groups else at
        self._start, self._end = self._lay_out_tree()

    def _lay_out_tree(self) -> tuple[list[int], list[int]]:
        """For each node a range, inside that of one of those that it depends on: the one whose turn is last."""
        position, size = self._position, [1] * len(self._graph)
        parent = [-1] * len(self._graph)
        for node in reversed(self._sequence):
            above = max(self._graph[node], key=position.__getitem__, default=-1)
            if above >= 0 and position[above] < position[node]:
                parent[node] = above
                size[above] += size[node]
        start = [0] * len(self._graph)
        # Where the range of the next child begins; the last is that of nodes without a parent.
        free = [0] * (len(self._graph) + 1)
        for node in self._sequence:
            start[node] = free[parent[node]]
            free[parent[node]] += size[node]
            free[node] = start[node] + 1
        return start, [first + count for first, count in zip(start, size, strict=True)]

    def answer(self, questions: Sequence[tuple[int, int]]) -> list[bool]:
        """For each pair whether the first depends on the second, directly or not."""
        answers = [self._guess(*question) for question in questions]
        left = [question for question, known in zip(questions, answers, strict=True) if known is None]
        found = self._search(left)
        return [
            question in found if known is None else known for question, known in zip(questions, answers, strict=True)
        ]

    def _guess(self, node: int, other: int) -> bool | None:
        """The answer, where it is plain."""
        here, there = self._position[node], self._position[other]
        if here < there:
            return False
        if here > there and self._start[other] <= self._start[node] < self._end[other]:
            return True
        return self._walk(node, other)

    def _walk(self, node: int, other: int) -> bool | None:
        """The answer, where all that lies between the two is a few nodes: those that come before the other cannot lead
        to it.
        """
        graph, position, there = self._graph, self._position, self._position[other]
        seen, waiting = {node}, [node]
        while waiting:
            for above in graph[waiting.pop()]:
                if above == other:
                    return True
                if position[above] >= there and above not in seen:
                    seen.add(above)
                    waiting.append(above)
            if len(seen) > self._longest:
                return None
        return False

    def _search(self, questions: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
        """The questions that are to be answered with yes."""
        asking: dict[int, list[int]] = {}
        for node, other in questions:
            asking.setdefault(other, []).append(node)
        targets = sorted(asking, key=self._position.__getitem__)
        found: set[tuple[int, int]] = set()
        for at in range(0, len(targets), self._at_a_time):
            some = targets[at : at + self._at_a_time]
            last = max(self._position[node] for other in some for node in asking[other])
            masks = self._spread({other: 1 << bit for bit, other in enumerate(some)}, last)
            found.update(self._pick(some, asking, masks))
        return found

    def _spread(self, bits: dict[int, int], last: int) -> dict[int, int]:
        """Which of these nodes all others up to a position depend on, by position."""
        position = self._position
        masks: dict[int, int] = {}
        for at in range(min(position[other] for other in bits), len(self._sequence)):
            node = self._sequence[at]
            where = position[node]
            if where > last:
                break
            mask = masks.get(where, 0)
            for other in self._graph[node]:
                mask |= masks.get(position[other], 0) | bits.get(other, 0)
            if mask:
                masks[where] = mask
        return masks

    def _pick(
        self, targets: list[int], asking: dict[int, list[int]], masks: dict[int, int]
    ) -> Iterator[tuple[int, int]]:
        for bit, other in enumerate(targets):
            for node in asking[other]:
                if masks.get(self._position[node], 0) >> bit & 1:
                    yield node, other
