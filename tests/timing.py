"""Limits of time in tests, whose outcome must not depend on the speed of the machine."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest


def with_longer_limits(check: Callable[[float], None], first: float) -> None:
    """Check with a short limit of time, so that no test waits for long, and where that fails with longer ones.

    On a machine that is held up, a limit may be over before that has begun which it is to end. What is wrong fails with
    every limit. Of what one check leaves behind, the next one may see nothing.
    """
    for limit in (first, 5.0):
        with suppress(Exception, pytest.fail.Exception):
            check(limit)
            return
    check(30.0)
