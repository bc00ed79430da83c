"""`planspec show`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import click

from planspec_lark.cli.arguments import complete_steps, folder_option, plan_argument
from planspec_lark.cli.output import Row, Unusable, read_plan, terminal_width, write_rows, write_text
from planspec_lark.cli.step_view import max_tokens_option
from planspec_lark.planspec.fold import collapse_step, expand_step
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.planspec.render import Piece, show_plan, show_steps, wrap
from planspec_lark.syntax.prompt_templates import LANGUAGES

__all__ = ["command", "lang_option", "step_rows", "write_tree"]

_STYLES = {
    "title": "bold",
    "label": "bold",
    "tree": "dim",
    "id": "bold",
    "pending": "",
    "active": "bold yellow",
    "done": "green",
    "blocked": "bold red",
    "skipped": "dim",
    "type": "cyan",
    "body": "dim",
    "note": "dim",
}


def _steps(name: str, help: str) -> Callable[[Any], Any]:
    return click.option(name, multiple=True, metavar="ID", shell_complete=complete_steps, help=help)


lang_option = click.option(
    "--lang", "language", type=click.Choice(LANGUAGES), help="Of the labels; by default that of the plan."
)


@click.command("show")
@plan_argument()
@_steps("--expand", "Show this step's body and children, whatever its status.")
@_steps("--collapse", "Hide this step's body and children.")
@click.option("--full", is_flag=True, help="Hide nothing.")
@lang_option
@max_tokens_option
@folder_option
def command(  # noqa: PLR0913, PLR0917  (one for each option)
    file: str,
    expand: tuple[str, ...],
    collapse: tuple[str, ...],
    full: bool,
    language: str | None,
    max_tokens: int | None,
) -> None:
    """Show a plan as a tree.

    FILE may be a name: then it is planspec/NAME.md, or else Tasks/NAME/plan.md.

    Active and blocked steps show their body, all others only their line. With --max-tokens it is written as a plan
    instead, for a language model: with everything for which there is room.
    """
    _, plan = read_plan(file)
    _unfold(plan, expand, collapse)
    if max_tokens is None:
        write_tree(plan, full=full, language=language)
        return
    try:
        write_text(serialize_plan(plan, fold=bool(expand or collapse) and not full, max_tokens=max_tokens))
    except ValueError as error:
        raise Unusable(str(error)) from None


def write_tree(plan: PlanSpec, *, full: bool, language: str | None = None) -> None:
    """Write a plan as a tree, with all bodies and children or those that its steps ask for; labels as it has words."""
    width = terminal_width()
    lines = (
        row
        for line in show_plan(plan, fold=not full, language=language)
        for row in (wrap(line, width) if width else [line])
    )
    write_rows(map(_style, lines))


def step_rows(plan: PlanSpec, first: int, last: int) -> Iterator[Row]:
    """Some of the steps that a folded tree shows, in lines of any length."""
    return map(_style, show_steps(plan, first=first, last=last))


def _style(line: Iterable[Piece]) -> Row:
    return [(piece.text, _STYLES.get(piece.role, "")) for piece in line]


def _unfold(plan: PlanSpec, expand: tuple[str, ...], collapse: tuple[str, ...]) -> None:
    for change, ids in ((expand_step, expand), (collapse_step, collapse)):
        for step_id in ids:
            if message := change(plan, step_id):
                raise click.UsageError(message)
