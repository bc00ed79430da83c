"""Answers that come in pieces, over HTTP from a local endpoint."""

from __future__ import annotations

import gc
import time
import traceback
from collections.abc import Callable

import pytest

from planspec_lark.llm import OpenAIChat, Reply, Usage, http_endpoint
from tests.llm.asking import KEY, Ask, chat_with, failure
from tests.llm.serving import (
    DONE,
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
from tests.timing import with_longer_limits

WHOLE = Reply("Hello.", "served-model", "stop", Usage(3, 2, 5))
END = (delta(reason="stop"), USAGE, DONE)


def read(chat: OpenAIChat, pieces: list[str]) -> Reply:
    with chat.stream("Hi") as stream:
        pieces.extend(stream)
        return stream.reply


@pytest.fixture
def ask() -> Ask:
    """Streams as any other question."""
    return lambda chat: read(chat, [])


# ---------------------------------------------------------------- whole answers


def test_pieces_and_then_the_reply(served: Served) -> None:
    served.play(streamed(*pieces_of("Grüße 👋\n")))
    pieces: list[str] = []
    assert read(chat_with(served), pieces) == Reply("Grüße 👋\n", "served-model", "stop", Usage(3, 2, 5))
    assert pieces == list("Grüße 👋\n")
    (asked,) = served.asked
    assert asked.body == {
        "model": "asked-model",
        "messages": [{"role": "user", "content": "Hi"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.headers["accept-encoding"] == "identity"


STREAMS = {
    "byte by byte": tuple(bytes([byte]) for byte in b"".join(pieces_of())),
    "keep-alives": tuple(b": keep-alive\n\n" + piece for piece in pieces_of()),
    "no [DONE]": pieces_of()[:-1],
    "[DONE] not ended": (*pieces_of()[:-1], b"data: [DONE]"),
    "something behind [DONE]": (*pieces_of(), delta("more"), b"data: {\n\n", event({"error": "late"})),
    "tokens with the reason": (
        *map(delta, "Hello."),
        event({**completion(), "choices": [{"delta": {}, "finish_reason": "stop"}]}),
        DONE,
    ),
    "odd events": (
        event({}),
        event({"choices": None}),
        event({"choices": [3]}),
        event({"choices": [{"delta": 3}]}),
        event({"choices": [{}]}),
        delta(7, 7, refusal=7),
        *pieces_of(),
    ),
    "not streamed": None,
}


@pytest.mark.parametrize("pieces", STREAMS.values(), ids=STREAMS)
def test_forms_of_the_same_answer(served: Served, ask: Ask, pieces: tuple[bytes, ...] | None) -> None:
    served.play(fine() if pieces is None else streamed(*pieces))
    assert ask(chat_with(served)) == WHOLE


def test_no_tokens_are_known(served: Served, ask: Ask) -> None:
    served.play(streamed(delta("Hello.", "stop"), DONE))
    assert ask(chat_with(served)) == Reply("Hello.", "served-model", "stop")


def test_pieces_come_when_they_are_written(served: Served) -> None:
    served.play(streamed(delta("a"), 90.0, *END))
    start = time.monotonic()
    with chat_with(served).stream("Hi") as stream:
        assert next(stream) == "a"
        with pytest.raises(RuntimeError, match=r"^the reply is there once the stream has come to its end$"):
            stream.reply  # noqa: B018
    assert time.monotonic() - start < 30


def test_nothing_is_asked_before_the_first_read(served: Served) -> None:
    chat_with(served).stream("Hi").close()
    assert served.asked == []


def test_behind_the_end_there_is_nothing(served: Served) -> None:
    served.play(streamed(*pieces_of()))
    stream = chat_with(served).stream("Hi")
    assert "".join(stream) == "Hello."
    assert list(stream) == []
    assert stream.reply == WHOLE


# ---------------------------------------------------------------- who stops early


def endless() -> tuple[bytes, ...]:
    return (delta("x" * 1000),) * 5000


def close(chat: OpenAIChat) -> None:
    with chat.stream("Hi") as stream:
        next(stream)


def drop(chat: OpenAIChat) -> None:
    for _ in chat.stream("Hi"):
        break
    gc.collect()


@pytest.mark.parametrize("stop", [close, drop])
def test_the_connection_ends(served: Served, stop: Callable[[OpenAIChat], None]) -> None:
    served.play(streamed(*endless(), drip=0.005))
    stop(chat_with(served, max_reply_bytes=10**7))
    assert served.left.wait(30)


def test_what_a_reader_does_between_pieces_is_not_counted(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    passed = 0.0
    monkeypatch.setattr(http_endpoint, "monotonic", lambda: time.monotonic() + passed)
    served.play(streamed(*pieces_of("ab"), drip=0.001))
    text = ""
    for piece in chat_with(served).stream("Hi"):
        passed += 3600
        text += piece
    assert text == "ab"


# ---------------------------------------------------------------- failures


def test_statuses_are_those_of_whole_answers(served: Served, ask: Ask) -> None:
    served.play(fault(404))
    error = failure(ask, chat_with(served))
    assert str(error) == "the endpoint knows no model `asked-model`, or the base URL is wrong (404): so it is"
    assert (error.status, error.reply, len(served.asked)) == (404, None, 1)


@pytest.mark.parametrize("status", [400, 503])
def test_no_more_of_a_refusal_is_read_than_is_allowed(served: Served, ask: Ask, status: int) -> None:
    """Nor is it waited for."""
    served.play(Scripted(b"x" * 60_000, status, drip=0.001))
    start = time.monotonic()
    failure(ask, chat_with(served, max_reply_bytes=50, max_retries=0))
    assert time.monotonic() - start < 30


@pytest.mark.parametrize(
    "given", [fine("x" * 3000), Scripted(fine().body * 3000, headers={"Content-Type": "application/json"})]
)
def test_no_more_of_one_piece_is_read_than_is_allowed(served: Served, ask: Ask, given: Scripted) -> None:
    served.play(given)
    error = failure(ask, chat_with(served, max_reply_bytes=1000))
    assert str(error) == "the endpoint's answer has more than 1,000 bytes"


FAULTS: dict[str, tuple[tuple[bytes, ...], str, bool, str | None]] = {
    "no JSON": (
        (delta("Half"), b"data: {'a'}\n\n"),
        "the endpoint's stream has an event that is not a JSON object",
        False,
        "Half",
    ),
    "not UTF-8": (
        (b'data: {"a": "\xff"}\n\n',),
        "the endpoint's stream has an event that is not a JSON object",
        False,
        None,
    ),
    "an error": (
        (delta("Half"), event({"error": {"message": "busy\x07"}})),
        r"the endpoint answers with an error: busy\x07",
        False,
        "Half",
    ),
    "a refusal": (
        (delta(refusal="I "), delta(refusal="won't."), *END),
        "the model refuses to answer: I won't.",
        False,
        None,
    ),
    "length": (
        (delta("Half"), delta(reason="length"), USAGE, DONE),
        "the answer is cut off: it reached the limit of tokens",
        False,
        "Half",
    ),
    "nothing": ((*END,), "the model's answer holds no text (it ended with stop)", True, None),
    "a lone surrogate": (
        (delta("ab"), delta("👋\ud800c"), *END),
        "the model's answer has a lone surrogate",
        True,
        "ab",
    ),
    "a lone surrogate at the end": (
        (delta("ab\ud83d"), *END),
        "the model's answer has a lone surrogate",
        True,
        "ab",
    ),
    "an early end": ((delta("Half"),), "the endpoint's stream ended before the answer did", True, "Half"),
    "too long": (
        (delta("文" * 333 + "ab"),),
        "the endpoint's answer has more than 1,000 bytes",
        False,
        None,
    ),
    "a refusal without end": (
        (*(delta(refusal="no" * 300),) * 2,),
        "the endpoint's answer has more than 1,000 bytes",
        False,
        None,
    ),
    "an event without end": (
        (b"data: " + b"x" * 140_000,),
        "the endpoint's answer has more than 1,000 bytes",
        False,
        None,
    ),
}


@pytest.mark.parametrize(("pieces", "message", "retryable", "half"), FAULTS.values(), ids=FAULTS)
def test_streams_without_a_whole_answer(
    served: Served, ask: Ask, pieces: tuple[bytes, ...], message: str, retryable: bool, half: str | None
) -> None:
    served.play(streamed(*pieces))
    error = failure(ask, chat_with(served, max_retries=0, max_reply_bytes=1000))
    assert (str(error), error.retryable, error.status) == (message, retryable, None)
    assert (error.reply and error.reply.text) == half
    assert len(served.asked) == 1


def test_an_answer_as_long_as_is_allowed(served: Served, ask: Ask) -> None:
    served.play(streamed(delta("文" * 333), delta("a"), *END))
    assert len(ask(chat_with(served, max_reply_bytes=1000)).text) == 334
    served.play(fine("文" * 333))
    error = failure(ask, chat_with(served, max_reply_bytes=1000))
    assert str(error) == "the endpoint's answer has more than 1,000 bytes"


def test_a_lost_connection(served: Served, ask: Ask) -> None:
    served.play(streamed(delta("Half"), cut=True))
    error = failure(ask, chat_with(served))
    lost = "peer closed connection without sending complete message body (incomplete chunked read)"
    assert str(error) == f"the connection to {served.url[7:-3]} failed: {lost}"
    assert (error.retryable, error.reply) == (True, Reply("Half", "served-model"))
    # What has begun is not tried again.
    assert len(served.asked) == 1


def test_a_connection_lost_behind_the_reason_is_no_loss(served: Served, ask: Ask) -> None:
    served.play(streamed(delta("Hello."), delta(reason="stop"), cut=True))
    assert ask(chat_with(served)) == Reply("Hello.", "served-model", "stop")
    served.play(streamed(delta("Half"), delta(reason="length"), cut=True))
    assert str(failure(ask, chat_with(served))) == "the answer is cut off: it reached the limit of tokens"


def test_a_slow_stream(served: Served, ask: Ask) -> None:

    def check(limit: float) -> None:
        served.play(streamed(delta("Half"), 2 * limit + 3))
        error = failure(ask, chat_with(served, timeout=limit))
        assert str(error) == f"{served.url[7:-3]} gave no answer within {limit:g} seconds"
        assert (error.retryable, error.reply) == (True, Reply("Half", "served-model"))

    with_longer_limits(check, 0.3)


@pytest.mark.parametrize("piece", [delta("a"), b": keep-alive\n\n", event({}), b"data:\n"], ids=range(4))
def test_a_stream_that_never_ends(served: Served, ask: Ask, piece: bytes) -> None:
    """No single wait for it is long."""

    def check(limit: float) -> None:
        served.play(streamed(delta("Half"), *(piece,) * int((2 * limit + 3) / 0.02), drip=0.02))
        error = failure(ask, chat_with(served, timeout=limit, max_retries=0))
        assert str(error) == f"{served.url[7:-3]} gave no answer within {limit:g} seconds"
        assert error.reply is not None

    with_longer_limits(check, 0.3)


def test_a_stream_that_never_ends_and_never_waits(served: Served, ask: Ask) -> None:
    """Nor has it any text."""
    served.play(streamed(*(event({}) * 1000,) * 5000))
    error = failure(ask, chat_with(served, max_reply_bytes=100_000))
    assert str(error) == "the endpoint's answer has more than 100,000 bytes"


def test_what_stands_around_the_text_is_not_counted(served: Served, ask: Ask) -> None:
    served.play(streamed(*(delta("ab", name="x" * 400),) * 500, *END))
    assert ask(chat_with(served, max_reply_bytes=1000)).text == "ab" * 500


# ---------------------------------------------------------------- trying again


def test_it_tries_again_as_long_as_nothing_has_come(served: Served, ask: Ask) -> None:
    served.play(fault(503), fault(429), streamed(*pieces_of()))
    assert ask(chat_with(served)) == WHOLE
    assert len(served.asked) == 3


# ---------------------------------------------------------------- what else has to hold


@pytest.mark.parametrize(
    "given",
    [
        fault(401, f"Incorrect key {KEY}."),
        streamed(delta("a"), cut=True),
        streamed(delta("a"), 90.0),
        streamed(event({"error": {"message": f"Not {KEY}"}})),
        streamed(b"data: {\n\n"),
        answer({"error": KEY}),
    ],
    ids=range(6),
)
def test_the_key_is_nowhere(served: Served, ask: Ask, given: Scripted, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    served.play(given)
    error = failure(ask, chat_with(served, max_retries=0, timeout=0.5))
    told = "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())
    for text in (told, repr(error), str(error.__dict__), caplog.text):
        assert KEY not in text
    assert error.__cause__ is None
    assert error.__context__ is None
