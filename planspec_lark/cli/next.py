"""`planspec next`."""

from __future__ import annotations

import click

from planspec_lark.cli.arguments import folder_option, plan_argument
from planspec_lark.cli.output import complain, fail, label, read_plan
from planspec_lark.cli.step_view import view_options, write_view
from planspec_lark.planspec.models import PlanStatus, iter_steps
from planspec_lark.planspec.views import next_step_view
from planspec_lark.syntax.source import visible_name

__all__ = ["command"]

_NOTHING_LEFT = 3


@click.command("next")
@plan_argument()
@view_options
@folder_option
def command(file: str, as_json: bool, max_tokens: int | None) -> None:
    """Show the next step to do with all that it needs.

    That is the first open step in document order, with goal, constraints, what it belongs to, and for each input the
    step that produces it and what came of that. Exits with 3 where no step is open.
    """
    _, plan = read_plan(file)
    view = next_step_view(plan)
    if view is not None:
        write_view(view, as_json=as_json, max_tokens=max_tokens)
        return
    blocked = [step.step_id for step in iter_steps(plan) if step.status is PlanStatus.BLOCKED]
    if blocked:
        complain(f"Steps are blocked: {', '.join(blocked[:20])}{' and more' if len(blocked) > 20 else ''}")
    fail(f"{visible_name(label(file))}: no step is left to do", _NOTHING_LEFT)
