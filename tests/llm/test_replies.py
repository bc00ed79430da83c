"""What an endpoint answers, and what of it is a reply."""

from __future__ import annotations

import gzip
import json
import time
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from planspec_lark.llm import LlmError, Reply, Usage
from planspec_lark.llm.http_endpoint import Endpoint
from planspec_lark.llm.replies import read_reply
from planspec_lark.syntax.safe_text import visible
from tests.llm.asking import Ask, chat_with, failure
from tests.llm.serving import SOON, Scripted, Served, answer, completion, fine

NO_JSON = "the endpoint's answer is not a JSON object: is the base URL right?"


NO_TEXT = "the model's answer holds no text (it ended with stop)"


BODIES: dict[str, tuple[bytes | dict[str, Any], str, bool]] = {
    "empty": (b"", NO_JSON, False),
    "page": (b"<html></html>", NO_JSON, False),
    "cut": (b'{"choices": [', NO_JSON, False),
    "list": (b"[]", NO_JSON, False),
    "not UTF-8": (b'{"choices": "\xff"}', NO_JSON, False),
    "deep": (b"[" * 100_000, NO_JSON, False),
    "long number": (b'{"choices": ' + b"9" * 5000 + b"}", NO_JSON, False),
    "no choices": ({}, "the endpoint's answer is not a chat completion: it has no choices", False),
    "empty choices": ({"choices": []}, "the endpoint's answer is not a chat completion: it has no choices", True),
    "odd choice": ({"choices": [1]}, "the endpoint's answer is not a chat completion: it has no choices", False),
    "error": ({"error": {"message": "busy\x07"}}, r"the endpoint answers with an error: busy\x07", False),
    "plain error": ({"error": "busy"}, "the endpoint answers with an error: busy", False),
    "odd error": ({"error": 7}, "the endpoint answers with an error: unnamed", False),
    "blank error": ({"error": " "}, "the endpoint answers with an error: unnamed", False),
    "no message": (
        {"choices": [{}]},
        "the endpoint's answer is not a chat completion: its choice has no message",
        False,
    ),
    "no content": ({"choices": [{"message": {}}]}, "the model's answer holds no text", True),
    "null content": (completion(None), NO_TEXT, True),
    "blank content": (completion(" \n"), NO_TEXT, True),
    "odd content": (completion([{"type": "text", "text": "x"}]), NO_TEXT, True),
    "tool": (completion(None, "tool_calls"), "the model's answer holds no text (it ended with tool_calls)", True),
    "refusal": (completion(None, refusal="I won't.\x1b"), r"the model refuses to answer: I won't.\x1b", False),
    "filter": (completion("Half", "content_filter"), "the endpoint's content filter stopped the answer", False),
    "length": (completion("Half", "length"), "the answer is cut off: it reached the limit of tokens", False),
    "surrogate": (completion("ab\ud800"), "the model's answer has a lone surrogate", True),
}


@pytest.mark.parametrize(("body", "message", "retryable"), BODIES.values(), ids=BODIES)
def test_answers_without_a_whole_text(
    served: Served, ask: Ask, body: bytes | dict[str, Any], message: str, retryable: bool
) -> None:
    served.play(Scripted(body) if isinstance(body, bytes) else answer(body))
    error = failure(ask, chat_with(served))
    assert (str(error), error.retryable, error.status) == (message, retryable, None)
    assert len(served.asked) == 1


def test_what_was_cut_off_is_kept(served: Served, ask: Ask) -> None:
    served.play(answer(completion("Half", "length")))
    error = failure(ask, chat_with(served))
    assert error.reply == Reply("Half", "served-model", "length", Usage(3, 2, 5))
    served.play(answer(completion("", "length")))
    assert failure(ask, chat_with(served)).reply is None


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, None),
        ([], None),
        ({"prompt_tokens": 3}, None),
        ({"prompt_tokens": 3, "completion_tokens": True}, None),
        ({"prompt_tokens": -3, "completion_tokens": 2}, None),
        ({"prompt_tokens": 3, "completion_tokens": 2}, Usage(3, 2, 5)),
        ({"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 9}, Usage(3, 2, 9)),
    ],
)
def test_usage_is_counted_or_unknown(served: Served, usage: object, expected: Usage | None) -> None:
    value = {**completion(), "usage": usage, "model": None}
    served.play(answer(value))
    assert chat_with(served).complete("Hi") == Reply("Hello.", "asked-model", "stop", expected)


def test_an_answer_as_long_as_is_allowed(served: Served, ask: Ask) -> None:
    given = fine("x" * 10_000)
    served.play(given)
    most = len(given.body)
    assert len(ask(chat_with(served, max_reply_bytes=most)).text) == 10_000
    error = failure(ask, chat_with(served, max_reply_bytes=most - 1))
    assert str(error) == f"the endpoint's answer has more than {most - 1:,} bytes"


@pytest.mark.parametrize("status", [200, 400])
def test_no_more_is_read_than_is_allowed(served: Served, ask: Ask, status: int) -> None:
    """Nor is it waited for."""
    served.play(Scripted(b"x" * 60_000, status, SOON, drip=0.001))
    start = time.monotonic()
    failure(ask, chat_with(served, max_reply_bytes=50))
    assert time.monotonic() - start < 30


def test_nothing_is_unpacked(served: Served, ask: Ask) -> None:
    served.play(Scripted(gzip.compress(fine().body), headers={"Content-Encoding": "gzip"}))
    assert str(failure(ask, chat_with(served))) == NO_JSON


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted(completion())), inner),
    max_leaves=8,
)


CHOICE = st.fixed_dictionaries({}, optional={"message": JSON, "finish_reason": JSON})


MESSAGE = st.fixed_dictionaries({}, optional={"content": JSON, "refusal": JSON})


CHOICES = st.lists(CHOICE | st.fixed_dictionaries({"message": MESSAGE, "finish_reason": JSON}), max_size=2)


ANSWERS = st.fixed_dictionaries({}, optional={"choices": CHOICES | JSON, "model": JSON, "usage": JSON, "error": JSON})


ENDPOINT = Endpoint("m", base_url="http://host/v1", api_key="key", max_reply_bytes=10_000)


def reply_or_message(body: bytes) -> Reply | str:
    try:
        return read_reply(body, ENDPOINT)
    except LlmError as error:
        return str(error)


@settings(deadline=None)
@given(ANSWERS.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=40))
def test_any_body_is_a_reply_or_one_error(body: bytes) -> None:
    outcome = reply_or_message(body)
    if isinstance(outcome, str):
        assert visible(outcome) == " ".join(outcome.split()) == outcome != ""
    else:
        assert outcome.text.strip()
        outcome.text.encode("utf-8")
