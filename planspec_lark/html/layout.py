"""Where the boxes of a data-flow picture stand: in columns along the flow, in each in document order.

A step stands to the right of all that it takes something from, and not to the left of the container that it is in. What
takes something from a container stands to the right of all steps in that container. Lengths are in pixels.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from attrs import define, field, frozen

from planspec_lark.planspec.data_flow import DataFlow
from planspec_lark.planspec.models import PlanSpec, PlanStep, iter_steps
from planspec_lark.planspec.tree import walk

__all__ = ["WIDTH", "Box", "Layout", "Port", "Wire", "lay_out"]

WIDTH = 232
# The head of a box; a row with an input, an output or both, and how much more it takes to say something about them.
_HEAD, _ROW, _NOTE = 50, 20, 13
_BELOW = 8
# Between columns, and between boxes.
_GAP = (76, 20)
_MARGIN = 16


@frozen(eq=False)
class Port:
    """An input or an output of a box; ``stands_out`` where no step puts it out, or takes it."""

    name: str
    stands_out: bool


@define(eq=False)
class Box:
    """A step in the picture. Its inputs enter on the left, its outputs leave on the right."""

    step: PlanStep
    column: int
    inputs: list[Port]
    outputs: list[Port]
    x: float = 0
    y: float = 0
    height: float = field(init=False)

    @height.default
    def _add_up(self) -> float:
        return _HEAD + sum(height for height, _, _ in self._heights()) + _BELOW

    def rows(self) -> Iterator[tuple[float, Port | None, Port | None]]:
        """The rows of the box: how low their names stand, with an input, an output or both."""
        top = self.y + _HEAD
        for height, taken, given in self._heights():
            yield top + _ROW / 2, taken, given
            top += height

    def _heights(self) -> Iterator[tuple[float, Port | None, Port | None]]:
        for taken, given in zip_longest(self.inputs, self.outputs):
            stands_out = any(port is not None and port.stands_out for port in (taken, given))
            yield _ROW + (_NOTE if stands_out else 0), taken, given


@frozen(eq=False)
class Wire:
    """An output that is taken: two ends, and whether it leads to a later round."""

    source: Box
    target: Box
    start: tuple[float, float]
    end: tuple[float, float]
    is_feedback: bool


@define(eq=False)
class Layout:
    """A picture: boxes in document order, and wires between them."""

    boxes: list[Box] = field(factory=list)
    wires: list[Wire] = field(factory=list)
    width: float = 0
    height: float = 0


def lay_out(plan: PlanSpec, flow: DataFlow) -> Layout:
    """Place all steps that take something or put something out."""
    layout = Layout()
    boxes = _make_boxes(plan, flow)
    ends: dict[int, float] = {}
    gives: dict[str, dict[str, float]] = {}
    for box in boxes.values():
        box.x = _MARGIN + box.column * (WIDTH + _GAP[0])
        box.y = max(ends.get(box.column, _MARGIN), _level(box, flow, gives))
        ends[box.column] = box.y + box.height + _GAP[1]
        gives[box.step.step_id] = {given.name: y for y, _, given in box.rows() if given is not None}
        layout.boxes.append(box)
        layout.width = max(layout.width, box.x + WIDTH + _MARGIN)
        layout.height = max(layout.height, box.y + box.height + _MARGIN)
    for box in layout.boxes:
        layout.wires += _wires(box, boxes, flow, gives)
    return layout


def _make_boxes(plan: PlanSpec, flow: DataFlow) -> dict[str, Box]:
    """A box for each step that has variables, or stands for branches that have, by its id."""
    columns = _find_columns(plan, flow)
    given = _find_outputs(flow)
    boxes: dict[str, Box] = {}
    for step in iter_steps(plan):
        outputs = [*dict.fromkeys([*step.outputs, *given.get(step.step_id, ())])]
        if step.inputs or outputs:
            boxes[step.step_id] = Box(
                step,
                columns[step.step_id],
                [Port(name, name not in flow.producers) for name in dict.fromkeys(step.inputs)],
                [Port(name, name not in flow.consumers) for name in outputs],
            )
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


def _find_outputs(flow: DataFlow) -> dict[str, list[str]]:
    """What each step gives to others: of decisions, also what only their branches put out."""
    found: dict[str, dict[str, None]] = {}
    for origins in flow.origins.values():
        for name, origin in origins.items():
            if origin is not None:
                found.setdefault(origin.step.step_id, {})[name] = None
    return {step_id: [*names] for step_id, names in found.items()}


def _level(box: Box, flow: DataFlow, gives: dict[str, dict[str, float]]) -> float:
    """How low a box has to stand so that its wires are level on average."""
    drops = [
        gives[origin.step.step_id][taken.name] - y
        for y, taken, _ in box.rows()
        if taken is not None
        and (origin := flow.origins[box.step.step_id][taken.name]) is not None
        and not origin.is_feedback
    ]
    return sum(drops) / len(drops) if drops else 0


def _wires(box: Box, boxes: dict[str, Box], flow: DataFlow, gives: dict[str, dict[str, float]]) -> Iterator[Wire]:
    for y, taken, _ in box.rows():
        origin = None if taken is None else flow.origins[box.step.step_id][taken.name]
        if taken is not None and origin is not None:
            source = boxes[origin.step.step_id]
            start = (source.x + WIDTH, gives[origin.step.step_id][taken.name])
            yield Wire(source, box, start, (box.x, y), origin.is_feedback)
