"""What is asynchronous and comes too late."""

from __future__ import annotations

import inspect

__all__ = ["drop"]


def drop(value: object) -> None:
    """Let go of what nobody waits for; Python warns of a coroutine that was just forgotten."""
    if inspect.iscoroutine(value):
        value.close()
