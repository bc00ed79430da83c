"""`planspec focus`."""

from __future__ import annotations

import click

from planspec_lark.cli.arguments import folder_option, plan_argument, step_argument
from planspec_lark.cli.output import read_plan
from planspec_lark.cli.step_view import view_options, write_view
from planspec_lark.planspec.views import focus_view

__all__ = ["command"]


@click.command("focus")
@plan_argument()
@step_argument("step_id")
@view_options
@folder_option
def command(file: str, step_id: str, as_json: bool, max_tokens: int | None) -> None:
    """Show one step with what it needs, and what depends on it.

    What stands beside and below it is shown as well.
    """
    _, plan = read_plan(file)
    try:
        view = focus_view(plan, step_id)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    write_view(view, as_json=as_json, max_tokens=max_tokens)
