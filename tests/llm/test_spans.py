"""What calls of language models tell OpenTelemetry."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

pytest.importorskip("opentelemetry.sdk")

from opentelemetry import trace
from opentelemetry.trace import SpanKind, StatusCode

from tests.llm.asking import KEY, Ask, chat_with, failure
from tests.llm.serving import Served, fault, fine, pieces_of, streamed
from tests.runs.traced import Traced, at_hand, parent_of, set_up


@pytest.fixture
def traced() -> Traced:
    return set_up()


def test_a_call_of_a_model(traced: Traced, served: Served, ask: Ask) -> None:
    served.play(fine("Hi"))
    with trace.get_tracer("app").start_as_current_span("request") as request:
        ask(chat_with(served))
        assert trace.get_current_span() is request
    (call,) = traced.find("chat asked-model")
    assert (call.kind, parent_of(call)) == (SpanKind.CLIENT, request.get_span_context().span_id)
    assert dict(call.attributes or {}) == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "asked-model",
        "gen_ai.response.model": "served-model",
        "gen_ai.response.finish_reasons": ("stop",),
        "gen_ai.usage.input_tokens": 3,
        "gen_ai.usage.output_tokens": 2,
        "server.address": "127.0.0.1",
        "server.port": urlsplit(served.url).port,
    }


def test_a_call_that_fails(traced: Traced, served: Served, ask: Ask) -> None:
    served.play(fault(401, "secret"))
    failure(ask, chat_with(served))
    (call,) = traced.find("chat asked-model")
    assert ((call.attributes or {})["error.type"], call.status.status_code) == ("401", StatusCode.ERROR)
    assert "secret" not in call.to_json()
    assert KEY not in call.to_json()


def test_a_stream(traced: Traced, served: Served) -> None:
    served.play(streamed(*pieces_of("Hi")))
    chat = chat_with(served)
    assert [at_hand() for _ in chat.stream("Hi")] == [0] * 2
    (call,) = traced.find("chat asked-model")
    assert (call.attributes or {})["gen_ai.request.stream"] is True
    assert (call.attributes or {})["gen_ai.response.model"] == "served-model"


def test_a_stream_that_is_not_read_to_its_end(traced: Traced, served: Served) -> None:
    served.play(streamed(*pieces_of("Hi")))
    with chat_with(served).stream("Hi") as pieces:
        next(pieces)
    (call,) = traced.find("chat asked-model")
    assert "error.type" not in (call.attributes or {})
