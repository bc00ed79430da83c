"""Trying again: how long the waits are, and when there is none."""

from __future__ import annotations

import asyncio
import time
from email.utils import formatdate

import pytest
from hypothesis import given, strategies as st

from planspec_lark.llm import LlmError
from planspec_lark.llm.patience import Patience, read_retry_after
from tests.llm.asking import Ask, chat_with, failure
from tests.llm.serving import Scripted, Served, answer, fault, fine

PATIENCE = Patience(max_retries=20, max_wait=120.0)
LOST = LlmError("lost", retryable=True)


def told(seconds: float) -> LlmError:
    return LlmError("busy", retryable=True, status=429, retry_after=seconds)


# ---------------------------------------------------------------- how long


def test_waits_double_up_to_the_longest() -> None:
    longest = [PATIENCE.wait_after(LOST, attempts, chance=1.0) for attempts in range(1, 8)]
    assert longest == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]
    shortest = [PATIENCE.wait_after(LOST, attempts, chance=0.0) for attempts in range(1, 8)]
    assert shortest == [0.25, 0.5, 1.0, 2.0, 4.0, 4.0, 4.0]


def test_chance_decides() -> None:
    waits = {PATIENCE.wait_after(LOST, 1) for _ in range(50)}
    assert len(waits) > 40
    assert all(0.25 <= wait <= 0.5 for wait in waits)


def test_no_wait_is_longer_than_the_most() -> None:
    assert Patience(3, 0.3).wait_after(LOST, 3, chance=1.0) == 0.3
    assert Patience(3, 0.0).wait_after(LOST, 3, chance=1.0) == 0.0


def test_what_the_endpoint_asks_for_is_waited_for() -> None:
    assert PATIENCE.wait_after(told(30.0), 1, chance=0.0) == 30.0
    assert PATIENCE.wait_after(told(30.0), 5, chance=1.0) == pytest.approx(33.0)
    assert PATIENCE.wait_after(told(0.0), 1) == 0.0
    assert PATIENCE.wait_after(told(120.0), 1, chance=0.0) == 120.0


@pytest.mark.parametrize(
    ("error", "attempts"),
    [(told(120.1), 1), (told(float("inf")), 1), (LOST, 21), (told(1.0), 21), (LlmError("no key", status=401), 1)],
    ids=range(5),
)
def test_there_is_no_other_attempt(error: LlmError, attempts: int) -> None:
    with pytest.raises(LlmError) as caught:
        PATIENCE.wait_after(error, attempts)
    assert caught.value is error


@given(attempts=st.integers(1, 10**9), chance=st.floats(0, 1), most=st.floats(0, 1e6))
def test_waits_are_bounded(attempts: int, chance: float, most: float) -> None:
    assert 0 <= Patience(10**9, most).wait_after(LOST, attempts, chance=chance) <= min(most, 8.0)


# ---------------------------------------------------------------- what endpoints ask for

NOW = 1_800_000_000.0
HEADERS: list[tuple[dict[str, str], float | None]] = [
    ({}, None),
    ({"retry-after": "7"}, 7.0),
    ({"retry-after": " 1.5 "}, 1.5),
    ({"retry-after": "0"}, 0.0),
    ({"retry-after-ms": "250"}, 0.25),
    ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
    ({"retry-after-ms": "soon", "retry-after": "9"}, 9.0),
    ({"retry-after": "9" * 400}, float("9" * 100)),
    ({"retry-after": formatdate(NOW + 60, usegmt=True)}, 60.0),
    ({"retry-after": formatdate(NOW - 60, usegmt=True)}, 0.0),
    ({"retry-after": "Fri, 31 Dec 99999999999 23:59:59 GMT"}, None),
    ({"retry-after": "-1"}, None),
    ({"retry-after": "nan"}, None),
    ({"retry-after": "inf"}, None),
    ({"retry-after": "1e9"}, None),
    ({"retry-after": "1_0"}, None),
    ({"retry-after": "٣"}, None),
    ({"retry-after": "tomorrow"}, None),
    ({"retry-after": ""}, None),
]


@pytest.mark.parametrize(("headers", "seconds"), HEADERS, ids=range(len(HEADERS)))
def test_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert read_retry_after(headers, now=NOW) == seconds


def test_dates_are_compared_to_the_clock() -> None:
    seconds = read_retry_after({"retry-after": formatdate(time.time() + 100, usegmt=True)})
    assert seconds is not None
    assert 95 < seconds <= 100


@given(st.text(), st.text())
def test_any_header_is_a_number_or_nothing(said: str, milliseconds: str) -> None:
    seconds = read_retry_after({"retry-after": said, "retry-after-ms": milliseconds}, now=NOW)
    assert seconds is None or seconds >= 0


# ---------------------------------------------------------------- over HTTP


def busy(headers: dict[str, str], status: int = 429, **error: object) -> Scripted:
    return answer({"error": {"message": "busy", **error}}, status=status, headers=headers)


def test_waits_over_http(served: Served, ask: Ask, waits: list[float]) -> None:
    served.play(busy({"Retry-After": "100"}), busy({}, 503), Scripted(hang_up=True), fine())
    assert ask(chat_with(served, max_retries=3)).text == "Hello."
    assert len(served.asked) == 4
    first, second, third = waits
    assert 100 <= first <= 110
    assert 0.5 <= second <= 1.0
    assert 1.0 <= third <= 2.0


def test_an_endpoint_that_asks_for_too_much(served: Served, ask: Ask, waits: list[float]) -> None:
    served.play(busy({"Retry-After": "100"}))
    error = failure(ask, chat_with(served, max_wait=99.5))
    assert str(error) == "the endpoint refuses more calls for now (429): busy"
    assert (error.retryable, error.retry_after, waits) == (True, 100.0, [])
    assert len(served.asked) == 1


def test_an_endpoint_that_knows_better(served: Served, ask: Ask, waits: list[float]) -> None:
    served.play(busy({"x-should-retry": "false"}, 500))
    assert not failure(ask, chat_with(served)).retryable
    assert len(served.asked) == 1
    served.play(busy({"x-should-retry": "true"}, 400), fine())
    assert ask(chat_with(served)).text == "Hello."
    assert len(waits) == 1


def test_a_quota_that_is_used_up_is_asked_for_once(served: Served, ask: Ask, waits: list[float]) -> None:
    served.play(busy({"x-should-retry": "true"}, code="insufficient_quota"))
    assert not failure(ask, chat_with(served)).retryable
    assert (len(served.asked), waits) == (1, [])


def test_without_retries_there_is_one_attempt(served: Served, ask: Ask, waits: list[float]) -> None:
    served.play(fault(500))
    failure(ask, chat_with(served, max_retries=0))
    assert (len(served.asked), waits) == (1, [])


def test_a_call_that_waits_can_be_cancelled(served: Served) -> None:
    served.play(busy({"Retry-After": "60"}))

    async def cancelled() -> None:
        await asyncio.wait_for(chat_with(served).acomplete("Hi"), 0.3)

    start = time.monotonic()
    with pytest.raises(TimeoutError):
        asyncio.run(cancelled())
    assert time.monotonic() - start < 3
