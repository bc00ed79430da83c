"""Tool plans of up to a million steps: what checking them costs, and the order of their steps beside two libraries.

Each orders a graph that it is given as plain numbers, and builds whatever it needs for that. Only ours also gives the
waves, and among steps that are ready the first in the document.
"""

from __future__ import annotations

from collections.abc import Callable
from graphlib import TopologicalSorter
from importlib import import_module
from typing import Any

from benchmarks.findings import Findings, Settings
from benchmarks.measure import Task, Timing, race
from benchmarks.tables import Table, ratio, seconds
from planspec_lark.toolplan import validate_plan_doc
from planspec_lark.toolplan.graph import order

__all__ = ["measure_toolplans"]

SIZES = (10, 1_000, 100_000, 1_000_000)
_QUICK_SIZES = SIZES[:2]
# Graphs of networkx weigh some kilobytes a node.
_NETWORKX_MOST = 100_000
_BUDGET = 20.0
_ROUNDS = 3
_NEIGHBOURS = 5

Graph = list[list[int]]

ATOMS = [
    {
        "id": "weigh",
        "inputs": [{"name": "item", "type": "string", "required": True}],
        "outputs": [{"name": "note", "type": "string"}],
    }
]


def _chain(count: int) -> Graph:
    return [[at - 1] if at else [] for at in range(count)]


def _fan_out(count: int) -> Graph:
    return [[0] if at else [] for at in range(count)]


def _dense(count: int) -> Graph:
    """Each depends on the five in front of it."""
    return [list(range(max(at - _NEIGHBOURS, 0), at)) for at in range(count)]


def _backwards(graph: Graph) -> Graph:
    """The same with the last node first, so that no order is there already."""
    last = len(graph) - 1
    return [[last - other for other in others] for others in reversed(graph)]


SHAPES: dict[str, Callable[[int], Graph]] = {
    "chain": _chain,
    "chain, last first": lambda count: _backwards(_chain(count)),
    "fan-out": _fan_out,
    "dense": _dense,
    "dense, last first": lambda count: _backwards(_dense(count)),
}


def _document(graph: Graph) -> dict[str, Any]:
    """A plan whose steps depend on one another like that: each refers to the first that it depends on."""
    steps = [
        {
            "step_id": f"s{at}",
            "id": "weigh",
            "target": "Weigh it",
            "inputs": {"item": f"${{s{others[0]}.outputs.note}}" if others else "rye"},
            "depends_on": [f"s{other}" for other in others],
        }
        for at, others in enumerate(graph)
    ]
    return {"target": "Bread", "plan": {"steps": steps}}


def _order_networkx(graph: Graph) -> list[int]:
    networkx = import_module("networkx")
    made = networkx.DiGraph()
    made.add_nodes_from(range(len(graph)))
    made.add_edges_from((other, node) for node, others in enumerate(graph) for other in others)
    return list(networkx.topological_sort(made))


def _order_graphlib(graph: Graph) -> list[int]:
    return list(TopologicalSorter(dict(enumerate(graph))).static_order())


def _tasks(graph: Graph) -> dict[str, Task]:
    tasks = {
        "validate": Task.on(lambda plan: validate_plan_doc(plan, ATOMS), _document(graph)),
        "order": Task.on(order, graph),
        "graphlib": Task.on(_order_graphlib, graph),
    }
    if len(graph) <= _NETWORKX_MOST:
        tasks["networkx"] = Task.on(_order_networkx, graph)
    return tasks


def measure_toolplans(settings: Settings) -> Findings:
    """Checking and ordering, by shape and size."""
    table = Table(
        "Tool plans", ["steps", "count", "validate, a step", "order, a step", "graphlib / order", "networkx / order"]
    )
    findings = Findings([table])
    for shape, make in SHAPES.items():
        for count in _QUICK_SIZES if settings.quick else SIZES:
            # One plan at a time, as the largest take a gigabyte.
            timings = race(_tasks(make(count)), rounds=_ROUNDS, budget=_BUDGET)
            findings.note(f"toolplans/{shape}/{count}", timings)
            table.rows.append([shape, f"{count:,}", *_cells(timings, count)])
    table.notes.append(f"dense: each step depends on the {_NEIGHBOURS} next to it. networkx sits out a million steps.")
    return findings


def _cells(timings: dict[str, Timing], count: int) -> list[str]:
    ours = timings["order"].best
    peers = (ratio(timings[name].best / ours) if name in timings else "-" for name in ("graphlib", "networkx"))
    return [seconds(timings["validate"].best / count), seconds(ours / count), *peers]
