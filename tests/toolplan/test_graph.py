"""Orders, waves, circles and who depends on whom, beside the standard library and plain searches."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from planspec_lark.toolplan.graph import Graph, depend, find_cycles, order


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


@given(graphs())
def test_circles(graph: Graph) -> None:
    stuck = order(graph).stuck
    cycles = find_cycles(graph, stuck)
    assert cycles == sorted(cycles)
    nodes = [node for cycle in cycles for node in cycle]
    assert len({*nodes}) == len(nodes)
    for cycle in cycles:
        assert cycle[0] == min(cycle)
        assert all(other in graph[node] for node, other in zip(cycle, [*cycle[1:], cycle[0]], strict=True))
    # Without them there is none.
    assert order([[] if node in nodes else others for node, others in enumerate(graph)]).stuck == []


def test_of_many_circles_some_are_told() -> None:
    graph = [[node ^ 1] for node in range(100)]
    assert len(find_cycles(graph, range(100))) == 10


@pytest.mark.parametrize("at_a_time", [1, 3, 1000])
@given(graphs())
def test_which_steps_depend_on_which(at_a_time: int, graph: Graph) -> None:
    ordered = order(graph).order
    questions = [(node, other) for node in ordered for other in range(len(graph))]
    assert depend(graph, ordered, questions, at_a_time=at_a_time) == {
        (node, other) for node, other in questions if other in reach(graph, node)
    }


# ---------------------------------------------------------------- size


def chain_backwards(size: int) -> Graph:
    return [[node + 1] if node + 1 < size else [] for node in range(size)]


def test_far_ancestors_in_a_long_chain() -> None:
    graph = chain_backwards(100_000)
    questions = {(node, 99_999) for node in range(99_999)}
    assert depend(graph, order(graph).order, [*questions, *((99_999, node) for node in range(99_999))]) == questions
