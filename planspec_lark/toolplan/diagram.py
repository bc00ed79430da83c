"""A tool plan as a diagram in the language of Mermaid."""

from __future__ import annotations

from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.diagram import Diagram
from planspec_lark.syntax.safe_text import one_line
from planspec_lark.toolplan.interchange import tool_plan_to_dict
from planspec_lark.toolplan.models import ToolPlan
from planspec_lark.toolplan.rules import prepare

__all__ = ["draw_toolplan"]


def draw_toolplan(plan: ToolPlan) -> str:
    """The text of a diagram of steps and what they depend on. A box has the name and the tool of a step, an arrow leads
    to each step that depends on it.

    Whether the plan can be run makes no difference; steps that are not there are not drawn. Names are cut where they
    are long, and nothing in them is more than text.
    """
    names = plan.names()
    diagram = Diagram()
    for index, step in enumerate(plan.steps):
        diagram.box(f"s{index}", [shorten(one_line(text)) for text in (names[index], step.id) if text])
    for index, others in enumerate(prepare(tool_plan_to_dict(plan)).graph):
        for other in others:
            diagram.arrow(f"s{other}", f"s{index}")
    return diagram.text()
