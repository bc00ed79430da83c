"""How long a command waits: for whoever it asks, and for who is at work on the same plan."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import click

from planspec_lark.document.file import WAIT

__all__ = ["SECONDS", "timeout_option", "wait_option", "wait_seconds"]

SECONDS = click.FloatRange(min=0, min_open=True)


def timeout_option(asked: str) -> Callable[[Any], Any]:
    """The option --timeout of a command that asks somebody, such as "a program"."""
    return click.option(
        "--timeout",
        type=SECONDS,
        default=300.0,
        show_default=True,
        metavar="SECONDS",
        help=f"The most that {asked} takes for an answer.",
    )


_WAIT = "wait"


def _note_wait(ctx: click.Context, param: click.Parameter, value: float) -> None:
    if math.isnan(value):
        raise click.BadParameter("this is no number of seconds", ctx, param)
    ctx.meta[_WAIT] = value


wait_option = click.option(
    "--wait",
    type=click.FloatRange(min=0),
    default=WAIT,
    show_default=True,
    metavar="SECONDS",
    expose_value=False,
    callback=_note_wait,
    help="The most to wait for a process that runs the plan, or writes in its folder.",
)


def wait_seconds(ctx: click.Context) -> float:
    """What --wait says in a call."""
    seconds: float = ctx.meta.get(_WAIT, WAIT)
    return seconds
