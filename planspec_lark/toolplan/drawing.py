"""A tool plan as a drawing, in the language of Mermaid or of Graphviz."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from attrs import frozen

from planspec_lark.diagnostics import shorten
from planspec_lark.source import one_line
from planspec_lark.toolplan.interchange import tool_plan_to_dict
from planspec_lark.toolplan.models import ToolPlan
from planspec_lark.toolplan.registry import Signatures
from planspec_lark.toolplan.rules import prepare
from planspec_lark.toolplan.structure import outline

__all__ = ["Drawing", "draw_toolplan"]

Drawing = Literal["mermaid", "dot"]

# Mermaid reads HTML, Markdown, formulas, names of icons and codes of its own in labels, each version others of them. So
# only plain characters go in as they are, all others by their numbers. As some versions put these back before they look
# for Markdown, characters without width stand beside what could mean something: 65279, which counts as white space, on
# both sides of a sign; 8203, which nobody cuts off, before what would begin a list, and inside of addresses and icons.
_SPECIAL = re.compile(
    r"""
    [^\w .,:/-]
    | (?<![A-Za-z0-9_])_+ | _+(?![A-Za-z0-9_])
    | ^(?=\d+\.|-) | (?<=:)(?=//|fa-) | (?<=www)(?=\.)
    """,
    re.ASCII | re.VERBOSE,
)
# Nothing can stand beside a backtick that would take its meaning away.
_BACKTICK = "\u02cb"


def draw_toolplan(plan: ToolPlan, language: Drawing = "mermaid") -> str:
    """The text of a drawing: a box with the name and the tool of each step, and an arrow to each that depends on it.

    Whether the plan can be run makes no difference; steps that are not there are not drawn. Names are cut where they
    are long, and nothing in them is more than text.
    """
    form = _FORMS[language]
    names = plan.names()
    lines = [form.head]
    for index, step in enumerate(plan.steps):
        label = form.line_break.join(form.escape(shorten(one_line(text))) for text in (names[index], step.id) if text)
        lines.append(form.box.format(index, label))
    graph = prepare(outline(tool_plan_to_dict(plan)), Signatures({})).graph
    lines += (form.arrow.format(other, index) for index, others in enumerate(graph) for other in others)
    return "\n".join([*lines, *form.tail]) + "\n"


@frozen
class _Form:
    """How a language says it."""

    head: str
    box: str
    arrow: str
    line_break: str
    escape: Callable[[str], str]
    tail: tuple[str, ...] = ()


def _escape_mermaid(text: str) -> str:
    return _SPECIAL.sub(_say_in_mermaid, text.replace("`", _BACKTICK))


def _say_in_mermaid(match: re.Match[str]) -> str:
    found = match[0]
    if found.isalnum():
        return found
    numbers = "".join(f"#{ord(char)};" for char in found)
    if not found:
        return "#8203;"
    # From there on, signs belong to the letters beside them.
    return f"#65279;{numbers}#65279;" if found < "\u0300" else numbers


def _escape_dot(text: str) -> str:
    # Graphviz reads the names of characters that HTML has.
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


_FORMS = {
    "mermaid": _Form("flowchart TD", '  s{}["{}"]', "  s{} --> s{}", "<br/>", _escape_mermaid),
    "dot": _Form(
        "digraph plan {\n  node [shape=box];", '  s{} [label="{}"];', "  s{} -> s{};", "\\n", _escape_dot, ("}",)
    ),
}
