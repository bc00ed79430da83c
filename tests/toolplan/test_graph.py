"""Orders, waves, circles and who depends on whom, beside the standard library and plain searches."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from planspec_lark.toolplan.graph import Graph, depend, find_cycles, find_groups, order


@st.composite
def graphs(draw: st.DrawFn) -> list[list[int]]:
    """Graphs of up to 12 nodes, half of them without circles, in any order."""
    size = draw(st.integers(0, 12))
    names = draw(st.permutations(range(size)))
    is_plain = draw(st.booleans())
    graph: list[list[int]] = [[] for _ in range(size)]
    for at, node in enumerate(names):
        some = names[:at] if is_plain else names
        if some:
            graph[node] = draw(st.lists(st.sampled_from(some), max_size=4))
    return graph


def reach(graph: Graph, node: int) -> set[int]:
    """All that a node depends on, directly or not."""
    found: set[int] = set()
    todo = [*graph[node]]
    while todo:
        other = todo.pop()
        if other not in found:
            found.add(other)
            todo += graph[other]
    return found


def slow_order(graph: Graph) -> list[int]:
    """The lowest that is ready, again and again."""
    done: list[int] = []
    while True:
        ready = [node for node in range(len(graph)) if node not in done and set(graph[node]) <= set(done)]
        if not ready:
            return done
        done.append(ready[0])


@given(graphs())
def test_orders_are_stable_and_respect_all_dependencies(graph: Graph) -> None:
    found = order(graph)
    assert found.order == slow_order(graph)
    assert sorted([*found.order, *found.stuck]) == list(range(len(graph)))
    assert found.stuck == sorted(found.stuck)


@given(graphs())
def test_waves_are_as_early_as_can_be(graph: Graph) -> None:
    found = order(graph)
    assert sorted(node for wave in found.waves for node in wave) == sorted(found.order)
    done: set[int] = set()
    for wave in found.waves:
        assert wave == [node for node in range(len(graph)) if node not in done and set(graph[node]) <= done]
        done.update(wave)


def test_a_circle_starts_at_its_lowest_member_wherever_it_is_met() -> None:
    # From 0 the way leads to 2 first; the circle is that of 1 and 2.
    assert find_cycles([[2], [2, 0], [1]], [0, 1, 2]) == [[1, 2]]


@given(graphs())
def test_circles(graph: Graph) -> None:
    found = order(graph)
    cycles = find_cycles(graph, found.stuck)
    assert cycles == sorted(cycles)
    for cycle in cycles:
        assert len(set(cycle)) == len(cycle)
        assert cycle[0] == min(cycle)
        assert all(other in graph[node] for node, other in zip(cycle, [*cycle[1:], cycle[0]], strict=True))
    # One for each group of nodes that depend on one another.
    circular = [node for node in range(len(graph)) if node in reach(graph, node)]
    groups = {
        min(other for other in circular if node in reach(graph, other) and other in reach(graph, node))
        for node in circular
    }
    assert len(cycles) == len(groups)
    for cycle in cycles:
        assert sum(1 for group in groups if group in reach(graph, cycle[0]) and cycle[0] in reach(graph, group)) == 1


@given(graphs())
def test_groups_depend_on_lower_ones(graph: Graph) -> None:
    groups = find_groups(graph, range(len(graph)))
    for node in range(len(graph)):
        for other in range(len(graph)):
            together = node == other or (node in reach(graph, other) and other in reach(graph, node))
            assert (groups[node] == groups[other]) == together
            assert other not in graph[node] or groups[other] <= groups[node]


@pytest.mark.parametrize("at_a_time", [1, 3, 1000])
@given(graphs())
def test_which_steps_depend_on_which(at_a_time: int, graph: Graph) -> None:
    questions = [(node, other) for node in range(len(graph)) for other in range(len(graph))]
    answers = depend(graph, order(graph), questions, at_a_time=at_a_time)
    assert answers == [other in reach(graph, node) for node, other in questions]


# ---------------------------------------------------------------- size


def chain_backwards(size: int) -> Graph:
    return [[node + 1] if node + 1 < size else [] for node in range(size)]


def test_far_ancestors_in_a_long_chain() -> None:
    graph = chain_backwards(100_000)
    questions = [(node, 99_999) for node in range(99_999)] + [(99_999, node) for node in range(99_999)]
    assert depend(graph, order(graph), questions) == [True] * 99_999 + [False] * 99_999
