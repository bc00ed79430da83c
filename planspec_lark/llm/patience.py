"""Trying again: how long to wait before the next attempt of a call, and when to give up.

The package `openai` could try again by itself. Here it does not: one place knows what is worth another attempt, and its
waits can be tested without waiting.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from email.utils import mktime_tz, parsedate_tz
from random import random

from attrs import frozen

from planspec_lark.llm.models import LlmError

__all__ = ["Patience", "apause", "pause", "read_retry_after"]

# Seconds before the second attempt, at most; each further wait is twice as long, up to the longest.
_FIRST_WAIT = 0.5
_LONGEST_WAIT = 8.0
# Beyond this many doublings nothing changes any more.
_DOUBLINGS = 10
# What is added, at most, to a wait that an endpoint has asked for: it may have asked many at once.
_SPREAD = 0.1
_SECONDS = re.compile(r"[0-9]+(\.[0-9]*)?")


@frozen
class Patience:
    """How often and how long to wait.

    Attributes:
        max_retries: attempts after the first one.
        max_wait: seconds before an attempt. Where an endpoint asks for more, there is no other attempt.
    """

    max_retries: int
    max_wait: float

    def wait_after(self, error: LlmError, attempts: int, *, chance: float | None = None) -> float:
        """The seconds to wait after so many attempts, the last of which has failed.

        What the endpoint asks for is waited for, and up to a tenth more. Otherwise a wait is as long as the longest of
        its turn, or down to half of that. Chance decides how much, so that many who failed together do not come back
        together.

        Args:
            error: why the last attempt has failed.
            attempts: those made so far, from 1.
            chance: a number from 0 to 1 in place of a random one.

        Raises:
            LlmError: ``error`` itself, where there is to be no other attempt.
        """
        asked = error.retry_after
        if not error.retryable or attempts > self.max_retries or (asked or 0) > self.max_wait:
            raise error
        chance = random() if chance is None else chance  # noqa: S311  (no secret depends on it)
        if asked is not None:
            return asked * (1 + _SPREAD * chance)
        doubled = _FIRST_WAIT * float(1 << min(attempts - 1, _DOUBLINGS))
        longest = min(doubled, _LONGEST_WAIT, self.max_wait)
        return longest * (1 + chance) / 2


def pause(seconds: float) -> None:
    """Wait."""
    time.sleep(seconds)


async def apause(seconds: float) -> None:
    """The same, for asyncio."""
    await asyncio.sleep(seconds)


def read_retry_after(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """The seconds for which an answer's headers ask to wait, from 0; None where they do not say, or nothing readable.

    Args:
        headers: of the answer, with names in lower case or without regard to case.
        now: the time, in seconds since 1970, that dates are compared to; by default the clock's.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    said = headers.get("retry-after")
    seconds = _number(said)
    if seconds is not None or said is None:
        return seconds
    date = parsedate_tz(said[:100])
    if date is None:
        return None
    try:
        return max(0.0, mktime_tz(date) - (time.time() if now is None else now))
    except (ValueError, OverflowError):
        return None


def _number(said: str | None) -> float | None:
    match = _SECONDS.fullmatch(said.strip()[:100]) if said else None
    return float(match[0]) if match else None
