"""How long a command waits for whoever it asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

__all__ = ["SECONDS", "timeout_option"]

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
