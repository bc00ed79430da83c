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

# Mermaid reads HTML, Markdown and codes of its own in labels, so nothing but plain characters goes in as it is.
_SPECIAL = re.compile(r"[^\w .,:/-]", re.ASCII)


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
    return _SPECIAL.sub(lambda match: match[0] if match[0].isalnum() else f"#{ord(match[0])};", text)


def _escape_dot(text: str) -> str:
    # Graphviz reads the names of characters that HTML has.
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


_FORMS = {
    "mermaid": _Form("flowchart TD", '  s{}["{}"]', "  s{} --> s{}", "<br/>", _escape_mermaid),
    "dot": _Form(
        "digraph plan {\n  node [shape=box];", '  s{} [label="{}"];', "  s{} -> s{};", "\\n", _escape_dot, ("}",)
    ),
}
