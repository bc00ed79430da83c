"""What calls have taken in all."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from planspec_lark.llm import LlmError, Meter, OpenAIChat, Usage
from tests.llm.asking import KEY, Ask, chat_with, failure
from tests.llm.serving import (
    USAGE,
    Scripted,
    Served,
    answer,
    completion,
    delta,
    event,
    fault,
    fine,
    pieces_of,
    streamed,
)


def test_tokens_are_summed(served: Served, ask: Ask) -> None:
    served.play(fine())
    meter = Meter()
    for chat in (chat_with(served, meter=meter), chat_with(served, meter=meter, temperature=0.5)):
        ask(chat)
    assert meter == Meter(answers=2, prompt_tokens=6, completion_tokens=4, total_tokens=10)
    assert meter.usage == Usage(6, 4, 10)


CASES: list[tuple[Scripted, Meter]] = [
    (answer({**completion(), "usage": None}), Meter(1, 1)),
    (answer(completion("Half", "length")), Meter(1, 0, 3, 2, 5)),
    (answer(completion(None, refusal="no")), Meter(1, 0, 3, 2, 5)),
    (answer(completion(" ")), Meter(1, 0, 3, 2, 5)),
    (answer({"error": "busy"}), Meter()),
    (Scripted(b"{"), Meter()),
    (fault(500), Meter()),
    (Scripted(hang_up=True), Meter()),
]


@pytest.mark.parametrize(("given", "expected"), CASES, ids=range(len(CASES)))
def test_every_answer_counts(served: Served, ask: Ask, given: Scripted, expected: Meter) -> None:
    served.play(given)
    meter = Meter()
    with suppress(LlmError):
        ask(chat_with(served, meter=meter, max_retries=0))
    assert meter == expected


STREAMS: list[tuple[Scripted, Meter]] = [
    (streamed(*pieces_of()), Meter(1, 0, 3, 2, 5)),
    (streamed(delta("Hello.", "stop")), Meter(1, 1)),
    (streamed(delta("Half", "length"), USAGE), Meter(1, 0, 3, 2, 5)),
    (streamed(delta("Half"), cut=True), Meter(1, 1)),
    (streamed(delta("Half"), event({"error": "busy"})), Meter(1, 1)),
    (fault(500), Meter()),
    (fine(), Meter(1, 0, 3, 2, 5)),
]


@pytest.mark.parametrize(("given", "expected"), STREAMS, ids=range(len(STREAMS)))
def test_every_stream_counts(served: Served, given: Scripted, expected: Meter) -> None:
    served.play(given)
    meter = Meter()
    with suppress(LlmError):
        list(chat_with(served, meter=meter, max_retries=0).stream("Hi"))
    assert meter == expected


def test_a_meter_goes_on_counting() -> None:
    meter = Meter(answers=4, uncounted=1, prompt_tokens=10, completion_tokens=5, total_tokens=15)
    meter.note(Usage(1, 2, 3))
    meter.note(None)
    assert meter == Meter(6, 2, 11, 7, 18)


def test_threads_count_together() -> None:
    meter = Meter()
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda _: meter.note(Usage(1, 1, 2)), range(2000)))
    assert meter == Meter(2000, 0, 2000, 2000, 4000)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda chat: pickle.loads(pickle.dumps(chat))])
def test_a_chat_with_a_meter_can_be_copied(copied: Any) -> None:
    chat = OpenAIChat("m", api_key=KEY, meter=Meter(answers=1))
    assert copied(chat) == chat == OpenAIChat("m", api_key=KEY)
    assert copied(chat).meter == chat.meter
    assert "meter" not in repr(chat)
    with pytest.raises(TypeError, match="meter"):
        OpenAIChat("m", api_key=KEY, meter=7)  # type: ignore[arg-type]


def test_a_failure_keeps_what_it_has_cost(served: Served, ask: Ask) -> None:
    served.play(answer(completion("Half", "length")))
    error = failure(ask, chat_with(served))
    assert error.reply is not None
    assert error.reply.usage == Usage(3, 2, 5)
