"""Standard output kept for a protocol."""

from __future__ import annotations

import os

__all__ = ["take_output"]

_STDOUT, _STDERR = 1, 2


def take_output() -> int:
    """What messages are written to: another number for standard output. Nothing else gets there any more.

    Until the process ends, all else that is written to standard output goes to standard error, also what a buffer gives
    back only at the end.

    Raises:
        OSError: standard output or standard error is closed.
    """
    messages = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)
    return messages
