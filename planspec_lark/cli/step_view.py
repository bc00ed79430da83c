"""What `planspec next` and `planspec focus` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from planspec_lark.cli.output import Unusable, json_text, write_text
from planspec_lark.planspec.views import StepView

__all__ = ["max_tokens_option", "view_options", "write_view"]

max_tokens_option = click.option(
    "--max-tokens",
    type=click.IntRange(min=1),
    metavar="N",
    help="Leave parts out, and say how many, until it has at most so many tokens by an estimate.",
)


def view_options(function: Callable[..., None]) -> Callable[..., Any]:
    """The options of both commands."""
    return click.option("--json", "as_json", is_flag=True, help="Write it as JSON.")(max_tokens_option(function))


def write_view(view: StepView, *, as_json: bool, max_tokens: int | None) -> None:
    """Write a view as JSON or as text of a bounded size."""
    if as_json:
        if max_tokens is not None:
            raise click.UsageError("--max-tokens bounds the text, and --json leaves nothing out.")
        write_text(json_text(view.to_dict()))
        return
    try:
        text = view.to_text(max_tokens=max_tokens)
    except ValueError as error:
        raise Unusable(str(error)) from None
    write_text(text)
