"""Diagrams in the language of Mermaid: boxes, frames around them, and arrows, whatever they stand for.

Names of boxes and styles are those of the caller. Labels are texts of strangers: none ends its label, or begins HTML.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from attrs import frozen

__all__ = ["Diagram", "Line", "ShapeStyle"]

Line = Literal["solid", "dashed"]


@frozen
class ShapeStyle:
    """How a box or a frame looks: colours as `#rrggbb`, and whether its edge is dashed."""

    fill: str
    edge: str
    text: str
    is_dashed: bool = False


# What ends a label, begins HTML in it, or is a code of Mermaid's own goes in by its number; all else is text as it is.
_SPECIAL = re.compile(r"[#;\"'`()\[\]{}<>]")


class Diagram:
    """A flowchart, which grows from top to bottom.

    Args:
        styles: by the name that boxes and frames ask for.
    """

    def __init__(self, styles: Mapping[str, ShapeStyle] | None = None) -> None:
        self._rows = ["flowchart TD"]
        self._depth = 1
        # The frames of each style.
        self._frames: dict[str, list[str]] = {}
        for name, style in (styles or {}).items():
            dashes = ",stroke-dasharray:5 4" if style.is_dashed else ""
            self._add(f"classDef {name} fill:{style.fill},stroke:{style.edge},color:{style.text}{dashes}")

    def _add(self, row: str) -> None:
        # A diagram in which thousands of frames hold each other would else be mostly white.
        self._rows.append("  " * min(self._depth, 20) + row)

    def box(self, name: str, label: Sequence[str], style: str = "", *, is_round: bool = False) -> None:
        """A box, its label in lines; a round one stands for something else than the others."""
        start, end = ("([", "])") if is_round else ("[", "]")
        self._add(f'{name}{start}"{_write_label(label)}"{end}{f":::{style}" if style else ""}')

    def open_frame(self, name: str, label: Sequence[str], style: str) -> None:
        """Begin a frame around all boxes up to where it is closed."""
        self._add(f'subgraph {name}["{_write_label(label)}"]')
        self._frames.setdefault(style, []).append(name)
        self._depth += 1

    def close_frame(self) -> None:
        """End the frame that was begun last."""
        self._depth -= 1
        self._add("end")

    def arrow(self, tail: str, head: str, label: str = "", line: Line = "solid") -> None:
        """An arrow between boxes, or frames that are closed."""
        said = f'|"{_write_label([label])}"|' if label else ""
        self._add(f"{tail} {_LINES[line]}{said} {head}")

    def text(self) -> str:
        """The whole diagram."""
        # After all arrows: a frame that is named in one later loses its style.
        classes = [f"  class {','.join(names)} {style}" for style, names in self._frames.items() if style]
        return "\n".join([*([_ROOM] if self._frames else []), *self._rows, *classes]) + "\n"


# Without it, what is in a frame covers the second line of its label.
_ROOM = '%%{init: {"flowchart": {"subGraphTitleMargin": {"bottom": 22}}}}%%'
_LINES = {"solid": "-->", "dashed": "-.->"}


def _write_label(label: Iterable[str]) -> str:
    return "<br/>".join(_SPECIAL.sub(lambda sign: f"#{ord(sign[0])};", row) for row in label)
