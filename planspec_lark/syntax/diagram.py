"""Diagrams in the languages of Mermaid and Graphviz: boxes, frames around them, and arrows, whatever they stand for.

Names of boxes and styles are those of the caller; labels are texts of strangers, and stay nothing but text.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from attrs import frozen

from planspec_lark.syntax.diagnostics import PlanSpecError
from planspec_lark.syntax.safe_text import one_line

__all__ = ["Diagram", "DiagramLanguage", "GraphvizError", "Line", "ShapeStyle", "dot_to_svg", "new_diagram"]

DiagramLanguage = Literal["mermaid", "dot"]
# Where arrows lead: down, or to the right.
Direction = Literal["TD", "LR"]
Line = Literal["solid", "dashed", "plain"]


@frozen
class ShapeStyle:
    """How a box or a frame looks: colours as `#rrggbb`, and whether its edge is dashed."""

    fill: str
    edge: str
    text: str
    is_dashed: bool = False


class _Rows:
    """The rows of a diagram, which grow from top to bottom.

    Args:
        styles: by the name that boxes and frames ask for.
    """

    def __init__(self, styles: Mapping[str, ShapeStyle]) -> None:
        self._styles = styles
        self._rows: list[str] = []
        self._depth = 1

    def _add(self, row: str) -> None:
        # A diagram in which thousands of frames hold each other would else be mostly white.
        self._rows.append("  " * min(self._depth, 20) + row)


# ---------------------------------------------------------------- Mermaid

# Mermaid reads HTML, Markdown, formulas, names of icons and codes of its own in labels, each version others of them. So
# only plain characters go in as they are, all others by their numbers. As some versions put these back before they look
# for Markdown, characters without width are beside what could mean something: 65279, which counts as white space, on
# both sides of a sign; 8203, which is never cut off, before what would begin a list, and inside of addresses and icons.
_SPECIAL = re.compile(
    r"""
    [^\w .,:/-]
    | (?<![A-Za-z0-9_])_+ | _+(?![A-Za-z0-9_])
    | ^(?=\d+\.|-) | (?<=:)(?=//|fa-) | (?<=www)(?=\.)
    """,
    re.ASCII | re.VERBOSE,
)
# Nothing can be beside a backtick that would take its meaning away.
_BACKTICK = "\u02cb"


class MermaidDiagram(_Rows):
    """A flowchart of Mermaid."""

    def __init__(self, direction: Direction, styles: Mapping[str, ShapeStyle]) -> None:
        super().__init__(styles)
        # The frames of each style.
        self._frames: dict[str, list[str]] = {}
        self._rows.append(f"flowchart {direction}")
        for name, style in self._styles.items():
            dashes = ",stroke-dasharray:5 4" if style.is_dashed else ""
            self._add(f"classDef {name} fill:{style.fill},stroke:{style.edge},color:{style.text}{dashes}")

    def box(self, name: str, label: Sequence[str], style: str = "", *, is_round: bool = False) -> None:
        """A box, its label in lines; a round one stands for something else than the others."""
        start, end = ("([", "])") if is_round else ("[", "]")
        self._add(f'{name}{start}"{_mermaid_label(label)}"{end}{f":::{style}" if style else ""}')

    def open_frame(self, name: str, label: Sequence[str], style: str) -> None:
        """Begin a frame around all boxes up to where it is closed."""
        self._add(f'subgraph {name}["{_mermaid_label(label)}"]')
        self._frames.setdefault(style, []).append(name)
        self._depth += 1

    def close_frame(self) -> None:
        """End the frame that was begun last."""
        self._depth -= 1
        self._add("end")

    def arrow(self, tail: str, head: str, label: str = "", line: Line = "solid") -> None:
        """An arrow between boxes, or frames that are closed."""
        said = f'|"{_mermaid_label([label])}"|' if label else ""
        self._add(f"{tail} {_MERMAID_LINES[line]}{said} {head}")

    def text(self) -> str:
        """The whole diagram."""
        # After all arrows: a frame that is named in one later loses its style.
        classes = [f"  class {','.join(names)} {style}" for style, names in self._frames.items() if style]
        return "\n".join([*([_ROOM] if self._frames else []), *self._rows, *classes]) + "\n"


# Without it, what is in a frame covers the second line of its label.
_ROOM = '%%{init: {"flowchart": {"subGraphTitleMargin": {"bottom": 22}}}}%%'
_MERMAID_LINES = {"solid": "-->", "dashed": "-.->", "plain": "---"}


def _mermaid_label(label: Iterable[str]) -> str:
    return "<br/>".join(_SPECIAL.sub(_say_in_mermaid, row.replace("`", _BACKTICK)) for row in label)


def _say_in_mermaid(match: re.Match[str]) -> str:
    found = match[0]
    if found.isalnum():
        return found
    numbers = "".join(f"#{ord(char)};" for char in found)
    if not found:
        return "#8203;"
    # From there on, signs belong to the letters beside them.
    return f"#65279;{numbers}#65279;" if found < "\u0300" else numbers


# ---------------------------------------------------------------- Graphviz


class DotDiagram(_Rows):
    """A directed graph of Graphviz."""

    def __init__(self, direction: Direction, styles: Mapping[str, ShapeStyle]) -> None:
        super().__init__(styles)
        # All frames, and those that are open, each with the links that keep its boxes and frames in it.
        self._frames: set[str] = set()
        self._open: list[tuple[str, list[str]]] = []
        self._rows.append("digraph plan {")
        if not self._styles:
            self._add("node [shape=box];")
            return
        font = 'fontname="Helvetica,Arial,sans-serif"'
        self._add(f"graph [rankdir={'TB' if direction == 'TD' else direction}, compound=true, {font}, fontsize=11];")
        self._add(f"node [shape=box, style=filled, {font}, fontsize=11];")
        self._add(f'edge [color="#5b6472", fontcolor="#3a4250", {font}, fontsize=10];')

    def box(self, name: str, label: Sequence[str], style: str = "", *, is_round: bool = False) -> None:
        """See :class:`MermaidDiagram`."""
        self._add(f"{name} [{self._look(label, style, 'rounded' if is_round else '')}];")
        self._belong(name, name)

    def open_frame(self, name: str, label: Sequence[str], style: str) -> None:
        """See :class:`MermaidDiagram`."""
        self._belong(name, _end(name))
        self._frames.add(name)
        self._open.append((name, []))
        self._add(f"subgraph cluster_{name} {{")
        self._depth += 1
        self._add(f"graph [{self._look(label, style, 'rounded')}];")
        # An arrow to a frame has to lead to something in it, and all else is to be between its two ends.
        for end in (name, _end(name)):
            self._add(f'{end} [shape=point, style=invis, width=0, height=0, label=""];')

    def close_frame(self) -> None:
        """See :class:`MermaidDiagram`."""
        _, links = self._open.pop()
        for link in links:
            self._add(f"{link} [style=invis, weight=0];")
        self._depth -= 1
        self._add("}")

    def _belong(self, first: str, last: str) -> None:
        if self._open:
            name, links = self._open[-1]
            links += [f"{name} -> {first}", f"{last} -> {_end(name)}"]

    def arrow(self, tail: str, head: str, label: str = "", line: Line = "solid") -> None:
        """See :class:`MermaidDiagram`."""
        found = [f'label="{_escape_dot(label)}"'] if label else []
        found += {"solid": [], "dashed": ["style=dashed", "constraint=false"], "plain": ["arrowhead=none"]}[line]
        if tail in self._frames:
            found.append(f"ltail=cluster_{tail}")
            tail = _end(tail)
        if head in self._frames:
            found.append(f"lhead=cluster_{head}")
        said = f" [{', '.join(found)}]" if found else ""
        self._add(f"{tail} -> {head}{said};")

    def text(self) -> str:
        """See :class:`MermaidDiagram`."""
        return "\n".join([*self._rows, "}"]) + "\n"

    def _look(self, label: Sequence[str], style: str, shape: str) -> str:
        found = [f'label="{_dot_label(label)}"']
        if style:
            look = self._styles[style]
            words = ["filled", *([shape] if shape else []), *(["dashed"] if look.is_dashed else [])]
            found.append(f'style="{",".join(words)}", fillcolor="{look.fill}"')
            found.append(f'color="{look.edge}", fontcolor="{look.text}"')
        return ", ".join(found)


def _end(frame: str) -> str:
    """The last thing in a frame."""
    return f"{frame}_end"


def _dot_label(label: Iterable[str]) -> str:
    return "\\n".join(map(_escape_dot, label))


def _escape_dot(text: str) -> str:
    # Graphviz reads the names of characters that HTML has.
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


Diagram = MermaidDiagram | DotDiagram


def new_diagram(
    language: DiagramLanguage, direction: Direction = "TD", styles: Mapping[str, ShapeStyle] | None = None
) -> Diagram:
    """An empty diagram in a language."""
    return (DotDiagram if language == "dot" else MermaidDiagram)(direction, styles or {})


# ---------------------------------------------------------------- images, made by Graphviz's program `dot`

# What XML does not allow, and the grammar of plans does.
_NO_XML = re.compile("[\ufffe\uffff]")
_MOST_SAID = 200


class GraphvizError(PlanSpecError, RuntimeError):
    """An image that was not made; the text says why, and is safe to show."""


def dot_to_svg(diagram: str, *, timeout: float = 60.0) -> str:
    """A diagram as SVG.

    Args:
        diagram: what :func:`planspec_lark.planspec.draw_plan` gives for ``dot``.
        timeout: how many seconds that may take. Large diagrams take long.

    Raises:
        GraphvizError: there is no `dot`, it does not end in time, or it fails.
    """
    program = shutil.which("dot")
    if program is None:
        raise GraphvizError("SVG is made by Graphviz, and its program `dot` is not installed here")
    try:
        done = subprocess.run(  # noqa: S603  (no shell, no arguments of strangers)
            [program, "-Tsvg"],
            input=_NO_XML.sub("\ufffd", diagram).encode("utf-8", "replace"),
            capture_output=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise GraphvizError(f"Graphviz has not ended after {timeout:g} seconds") from None
    except OSError as error:
        raise GraphvizError(f"Graphviz cannot be run: {error.strerror}") from None
    if done.returncode != 0:
        said = one_line(done.stderr.decode("utf-8", "replace"))[:_MOST_SAID]
        raise GraphvizError(f"Graphviz has failed with {done.returncode}: {said}")
    return done.stdout.decode("utf-8")
