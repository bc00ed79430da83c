"""The data flow of a plan as a picture: SVG that stands in a page, with the colours of the page's style sheet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from planspec_lark.html.layout import WIDTH, Box, Layout, Port, Wire
from planspec_lark.html.markup import GLYPHS, MISSING, UNUSED, cut, cut_id, quote, say

__all__ = ["draw"]

# Columns of text that fit into a box, and beside another text in the same row.
_WIDE, _HALF = 30, 14
# Of a step with many variables, the first are read out.
_NAMED = 20


def draw(layout: Layout, indices: Mapping[str, int]) -> Iterator[str]:
    """The picture, piece by piece; ``indices`` are the numbers of the rows that boxes lead to."""
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
    for wire in layout.wires:
        yield _draw_wire(wire, indices)
    for box in layout.boxes:
        yield from _draw_box(box, indices[box.step.step_id])
    yield "</svg>"


def _draw_wire(wire: Wire, indices: Mapping[str, int]) -> str:
    (x1, y1), (x2, y2) = wire.start, wire.end
    if wire.is_feedback:
        # Around below both, so that it is seen where it goes back.
        low = max(wire.source.y + wire.source.height, wire.target.y + wire.target.height) + 12
        path = f"M{x1:g} {y1:g}C{x1 + 70:g} {low:g} {x2 - 70:g} {low:g} {x2 - 2:g} {y2:g}"
    else:
        bend = min(max((x2 - x1) / 2, 28), 120)
        path = f"M{x1:g} {y1:g}C{x1 + bend:g} {y1:g} {x2 - bend:g} {y2:g} {x2 - 2:g} {y2:g}"
    kind = "late" if wire.is_feedback else "wire"
    ends = f'data-a="{indices[wire.source.step.step_id]}" data-b="{indices[wire.target.step.step_id]}"'
    return f'<path class="{kind}" d="{path}" {ends}/>'


def _draw_box(box: Box, index: int) -> Iterator[str]:
    step, x, y = box.step, box.x, box.y
    size = f'y="{y:g}" height="{box.height:g}"'
    head = cut(f"{cut_id(step.step_id)}  {step.step_type} {step.step_name}".rstrip(" "), _WIDE - 4)
    yield f'<a class="box {step.status.value}" href="#s{index}" data-step="{index}" aria-label="{_describe(box)}">'
    yield f"<title>{say(cut(step.description or step.step_id, 300))}</title>"
    yield f'<rect class="card" x="{x:g}" width="{WIDTH}" {size} rx="6"/>'
    yield f'<rect class="side" x="{x:g}" width="4" {size} rx="2"/>'
    yield f'<text class="head" x="{x + 14:g}" y="{y + 19:g}">{say(head)}</text>'
    yield f'<text class="sign" x="{x + WIDTH - 14:g}" y="{y + 19:g}">{GLYPHS[step.status]}</text>'
    yield f'<text class="said" x="{x + 14:g}" y="{y + 37:g}">{say(cut(step.description, _WIDE))}</text>'
    for middle, taken, given in box.rows():
        room = _HALF if taken is not None and given is not None else _WIDE - 3
        if taken is not None:
            yield _draw_port(taken, "in", x, middle, room)
        if given is not None:
            yield _draw_port(given, "out", x + WIDTH, middle, room)
    yield "</a>"


def _draw_port(port: Port, side: str, x: float, y: float, room: int) -> str:
    text_x = x + 12 if side == "in" else x - 12
    shown = cut(port.name, room)
    title = "" if shown == port.name else f"<title>{say(port.name)}</title>"
    name = f'x="{text_x:g}" y="{y + 4:g}">{say(shown)}{title}</text>'
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
    said = [f"{cut_id(step.step_id)}, {step.status.value}: {cut(step.description, 200)}"]
    for verb, ports, note in (("takes", box.inputs, MISSING), ("puts out", box.outputs, UNUSED)):
        names = [cut(port.name, 60) + (f" ({note})" if port.stands_out else "") for port in ports[:_NAMED]]
        more = [f"{len(ports) - _NAMED} more"] if len(ports) > _NAMED else []
        if names:
            said.append(f"{verb} {', '.join([*names, *more])}")
    return quote("; ".join(said))
