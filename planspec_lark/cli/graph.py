"""`planspec graph`."""

from __future__ import annotations

import click

from planspec_lark.cli.arguments import folder_option, plan_argument
from planspec_lark.cli.output import Unusable, out_option, read_plan, write_out
from planspec_lark.cli.waiting import SECONDS
from planspec_lark.planspec.diagram import View, draw_plan
from planspec_lark.syntax.diagram import GraphvizError, dot_to_svg

__all__ = ["command"]


@click.command("graph")
@plan_argument()
@click.option(
    "--format",
    "form",
    type=click.Choice(["mermaid", "dot", "svg"]),
    default="mermaid",
    show_default=True,
    help="The language of the drawing, or a picture made by Graphviz.",
)
@click.option("--flow", "view", flag_value="flow", default=None, help="Draw who takes what from whom, and no frames.")
@click.option("--tree", "view", flag_value="tree", default=None, help="Draw what stands below what, and no variables.")
@click.option("--timeout", default=60.0, show_default=True, type=SECONDS, help="Seconds for Graphviz.")
@out_option
@folder_option
def command(file: str, form: str, view: View | None, timeout: float, out: str) -> None:
    """Write a plan as a drawing.

    Steps stand in the frames of their containers, and arrows say what they take from others. Inputs that no step puts
    out and outputs that no step takes stand out. Exits with 1 where the file is no plan, and with 2 where it cannot be
    read or there is no Graphviz for a picture.
    """
    _, plan = read_plan(file)
    drawing = draw_plan(plan, "mermaid" if form == "mermaid" else "dot", view=view or "both")
    try:
        write_out(out, dot_to_svg(drawing, timeout=timeout) if form == "svg" else drawing)
    except GraphvizError as error:
        raise Unusable(str(error)) from None
