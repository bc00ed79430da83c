"""The data flow of a plan as SVG: boxes in columns along the flow, in each in document order, and edges between them.

A step is to the right of all that it takes something from, and not to the left of the container that it is in. What
takes something from a container is to the right of all steps in that container. Lengths are in pixels, and colours
those of the page's style sheet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest

from attrs import define, field, frozen

from planspec_lark.html.markup import GLYPHS, MISSING, UNUSED, cut_id, cut_text, escape_attribute, escape_text
from planspec_lark.planspec.data_flow import DataFlow
from planspec_lark.planspec.models import PlanSpec, PlanStep, iter_steps
from planspec_lark.planspec.printer import task_text
from planspec_lark.planspec.tree import walk

__all__ = ["WIDTH", "Box", "Edge", "Layout", "Port", "draw", "lay_out"]

WIDTH = 232
# The head of a box; a row with an input, an output or both, and how much more it takes to say something about them.
_HEAD, _ROW, _NOTE = 50, 20, 13
_BELOW = 8
# Between columns, and between boxes.
_GAP = (76, 20)
_MARGIN = 16
# Columns of text that fit into a box, and beside another text in the same row.
_WIDE, _HALF = 30, 14
# Of a step with many variables, the first are read out.
_NAMED = 20


# ---------------------------------------------------------------- layout


@define(eq=False)
class Port:
    """An input or an output of a box; ``stands_out`` where no step produces it, or takes it.

    ``y`` says how far below the top of its box it is.
    """

    name: str
    stands_out: bool
    y: float = 0


@define(eq=False)
class Box:
    """A step in the diagram. Its inputs enter on the left, its outputs leave on the right, one of each in a row."""

    step: PlanStep
    column: int
    inputs: list[Port]
    outputs: list[Port]
    y: float = 0
    height: float = field(init=False, default=_HEAD + _BELOW)

    def __attrs_post_init__(self) -> None:
        for row in self.rows():
            ports = [*filter(None, row)]
            for port in ports:
                port.y = self.height - _BELOW + _ROW / 2
            self.height += _ROW + (_NOTE if any(port.stands_out for port in ports) else 0)

    def rows(self) -> Iterator[tuple[Port | None, Port | None]]:
        """What is in each row: an input, an output or both."""
        return zip_longest(self.inputs, self.outputs)

    @property
    def x(self) -> float:
        """Its left side."""
        return _MARGIN + self.column * (WIDTH + _GAP[0])


@frozen(eq=False)
class Edge:
    """An output that is taken: where it leaves and enters its boxes, and whether it leads to a later round."""

    source: Box
    target: Box
    outlet: Port
    inlet: Port
    is_feedback: bool

    @property
    def start(self) -> tuple[float, float]:
        """Where it begins."""
        return self.source.x + WIDTH, self.source.y + self.outlet.y

    @property
    def end(self) -> tuple[float, float]:
        """Where it ends."""
        return self.target.x, self.target.y + self.inlet.y


@frozen(eq=False)
class Layout:
    """A diagram: boxes in document order, and edges between them."""

    boxes: list[Box]
    edges: list[Edge]

    @property
    def width(self) -> float:
        """How wide it is."""
        return max((box.x + WIDTH for box in self.boxes), default=0) + _MARGIN

    @property
    def height(self) -> float:
        """How high it is."""
        return max((box.y + box.height for box in self.boxes), default=0) + _MARGIN


def lay_out(plan: PlanSpec, flow: DataFlow) -> Layout:
    """Place all steps that take something or put something out."""
    boxes = _make_boxes(plan, flow)
    outlets = {(step_id, port.name): port for step_id, box in boxes.items() for port in box.outputs}
    layout = Layout([*boxes.values()], [])
    ends: dict[int, float] = {}
    for box in layout.boxes:
        edges: list[Edge] = []
        for port in box.inputs:
            if origin := flow.origins[box.step.step_id][port.name]:
                source_id = origin.step.step_id
                outlet = outlets[source_id, port.name]
                edges.append(Edge(boxes[source_id], box, outlet, port, origin.is_feedback))
        # As low that its edges are level on average.
        drops = [edge.start[1] - edge.inlet.y for edge in edges if not edge.is_feedback]
        box.y = max(ends.get(box.column, _MARGIN), sum(drops) / len(drops) if drops else 0)
        ends[box.column] = box.y + box.height + _GAP[1]
        layout.edges.extend(edges)
    return layout


def _make_boxes(plan: PlanSpec, flow: DataFlow) -> dict[str, Box]:
    """A box for each step that has variables, or has branches that have some, by its id."""
    columns = _find_columns(plan, flow)
    # What each step gives to others: of decisions, also what only their branches produce.
    given: dict[str, dict[str, None]] = {}
    for origins in flow.origins.values():
        for name, origin in origins.items():
            if origin is not None:
                given.setdefault(origin.step.step_id, {})[name] = None
    boxes: dict[str, Box] = {}
    for step in iter_steps(plan):
        inputs = [Port(name, name not in flow.producers) for name in dict.fromkeys(step.inputs)]
        names = dict.fromkeys([*step.outputs, *given.get(step.step_id, ())])
        outputs = [Port(name, name not in flow.consumers) for name in names]
        if inputs or outputs:
            boxes[step.step_id] = Box(step, columns[step.step_id], inputs, outputs)
    return boxes


def _find_columns(plan: PlanSpec, flow: DataFlow) -> dict[str, int]:
    first: dict[str, int] = {}
    # The column of the last step in each step that is through, and so far in those that are open; 0 is outside of all.
    last: dict[str, int] = {}
    path, deepest = [0], [0]
    for step, is_entered in walk(plan):
        if is_entered:
            links = [link for link in flow.links(step) if not link.is_feedback]
            column = max([path[-1], *(last[link.source.step_id] + 1 for link in links)])
            first[step.step_id] = column
            path.append(column)
            deepest.append(column)
        else:
            path.pop()
            last[step.step_id] = deepest.pop()
            deepest[-1] = max(deepest[-1], last[step.step_id])
    return first


# ---------------------------------------------------------------- SVG


def draw(layout: Layout, indices: Mapping[str, int]) -> Iterator[str]:
    """The diagram, piece by piece; ``indices`` are the numbers of the rows that boxes lead to."""
    width, height = round(layout.width), round(layout.height)
    yield (
        f'<svg class="flow" xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="group" aria-label="Data flow">'
    )
    for name in ("wire", "late"):
        yield (
            f'<marker id="{name}-end" class="{name}-end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            'markerHeight="7" orient="auto"><path d="M0 0.5 7.5 4 0 7.5z"/></marker>'
        )
    for edge in layout.edges:
        yield _draw_edge(edge, indices)
    for box in layout.boxes:
        yield from _draw_box(box, indices[box.step.step_id])
    yield "</svg>"


def _draw_edge(edge: Edge, indices: Mapping[str, int]) -> str:
    (x1, y1), (x2, y2) = edge.start, edge.end
    if edge.is_feedback:
        # Around below both, so that it is seen where it goes back.
        kind, bend = "late", 70.0
        low = high = max(box.y + box.height for box in (edge.source, edge.target)) + 12
    else:
        kind, bend = "wire", min(max((x2 - x1) / 2, 28), 120)
        low, high = y1, y2
    path = f"M{x1:g} {y1:g}C{x1 + bend:g} {low:g} {x2 - bend:g} {high:g} {x2 - 2:g} {y2:g}"
    ends = f'data-a="{indices[edge.source.step.step_id]}" data-b="{indices[edge.target.step.step_id]}"'
    return f'<path class="{kind}" d="{path}" {ends}/>'


def _draw_box(box: Box, index: int) -> Iterator[str]:
    step, x, y = box.step, box.x, box.y
    size = f'y="{y:g}" height="{box.height:g}"'
    head = cut_text(f"{cut_id(step.step_id)}  {step.step_type} {step.step_name}".rstrip(" "), _WIDE - 4)
    yield f'<a class="box {step.status.value}" href="#s{index}" data-step="{index}" aria-label="{_describe(box)}">'
    yield f"<title>{escape_text(cut_text(step.description or step.step_id, 300))}</title>"
    yield f'<rect class="card" x="{x:g}" width="{WIDTH}" {size} rx="6"/>'
    yield f'<rect class="side" x="{x:g}" width="4" {size} rx="2"/>'
    yield f'<text class="head" x="{x + 14:g}" y="{y + 19:g}">{escape_text(head)}</text>'
    yield f'<text class="sign" x="{x + WIDTH - 14:g}" y="{y + 19:g}">{GLYPHS[step.status]}</text>'
    yield f'<text class="said" x="{x + 14:g}" y="{y + 37:g}">{escape_text(cut_text(task_text(step), _WIDE))}</text>'
    for taken, given in box.rows():
        room = _HALF if taken and given else _WIDE - 3
        if taken:
            yield _draw_port(taken, "in", x, y + taken.y, room)
        if given:
            yield _draw_port(given, "out", x + WIDTH, y + given.y, room)
    yield "</a>"


def _draw_port(port: Port, side: str, x: float, y: float, room: int) -> str:
    text_x = x + 12 if side == "in" else x - 12
    shown = cut_text(port.name, room)
    title = "" if shown == port.name else f"<title>{escape_text(port.name)}</title>"
    name = f'x="{text_x:g}" y="{y + 4:g}">{escape_text(shown)}{title}</text>'
    if not port.stands_out:
        return f'<circle class="port" cx="{x:g}" cy="{y:g}" r="3.5"/><text class="port-name {side}" {name}'
    # Beside the colour, a shape and words.
    kind, note = ("missing", MISSING) if side == "in" else ("unused", UNUSED)
    return (
        f'<path class="port {kind}" d="M{x - 6:g} {y:g}l6-6 6 6-6 6z"/><text class="port-name {side} {kind}" {name}'
        f'<text class="note {side} {kind}" x="{text_x:g}" y="{y + 17:g}">{note}</text>'
    )


def _describe(box: Box) -> str:
    step = box.step
    said = [f"{cut_id(step.step_id)}, {step.status.value}: {cut_text(step.description, 200)}"]
    for verb, ports, note in (("takes", box.inputs, MISSING), ("produces", box.outputs, UNUSED)):
        names = [cut_text(port.name, 60) + (f" ({note})" if port.stands_out else "") for port in ports[:_NAMED]]
        if len(ports) > _NAMED:
            names.append(f"{len(ports) - _NAMED} more")
        if names:
            said.append(f"{verb} {', '.join(names)}")
    return escape_attribute("; ".join(said))
