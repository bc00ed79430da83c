"""Events of a stream, of any kind."""

from __future__ import annotations

from typing import Any

from hypothesis import given, strategies as st

from planspec_lark.llm import LlmError, Reply
from planspec_lark.llm.http_endpoint import Endpoint
from planspec_lark.llm.partial_reply import PartialReply
from planspec_lark.syntax.safe_text import visible

ENDPOINT = Endpoint("asked", base_url="http://host/v1", api_key="key", max_reply_bytes=10_000)


def read(events: list[Any]) -> tuple[list[str], Reply | LlmError]:
    """The pieces of text, and the reply or what is wrong."""
    partial, failure = PartialReply(ENDPOINT), None
    pieces: list[str] = []
    try:
        pieces.extend(piece for event in events if (piece := partial.add(event)))
    except LlmError as error:
        failure = error
    return pieces, partial.finish(failure)


def piece(text: object = None, reason: object = None, **more: object) -> dict[str, Any]:
    return {"choices": [{"delta": {"content": text, **more}, "finish_reason": reason}]}


@given(st.lists(st.text(max_size=5), min_size=1))
def test_all_pieces_are_the_reply(texts: list[str]) -> None:
    pieces, reply = read([*map(piece, texts), piece(reason="stop")])
    if "".join(texts).strip():
        assert isinstance(reply, Reply)
        assert "".join(pieces) == reply.text == "".join(texts)


@given(st.text(st.characters(min_codepoint=0xD000, max_codepoint=0x10FFFF, exclude_categories=[]), max_size=8))
def test_escapes_in_any_two_events_are_characters_or_an_error(text: str) -> None:
    """Each half of a surrogate pair is an event of its own."""
    units = text.encode("utf-16-le", "surrogatepass")
    halves = [units[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(units), 2)]
    _, reply = read([*map(piece, ["x", *halves]), piece(reason="stop")])
    try:
        assert reply == Reply("x" + units.decode("utf-16-le"), "asked", "stop")
    except UnicodeDecodeError:
        assert str(reply) == "the model's answer has a lone surrogate"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["delta", "content", "usage"]), inner),
    max_leaves=8,
)
DELTA = st.fixed_dictionaries({}, optional={"content": JSON, "refusal": JSON})
CHOICE = st.fixed_dictionaries({}, optional={"delta": DELTA | JSON, "finish_reason": st.just("stop") | JSON})
EVENT = st.fixed_dictionaries({}, optional={"choices": st.lists(CHOICE) | JSON, "model": JSON, "usage": JSON})


@given(st.lists(EVENT | JSON, max_size=8))
def test_any_events_are_a_reply_or_one_error(events: list[Any]) -> None:
    pieces, outcome = read(events)
    for text in pieces:
        text.encode("utf-8")
        assert text
    if isinstance(outcome, Reply):
        assert outcome.text == "".join(pieces)
    else:
        assert visible(str(outcome)) == " ".join(str(outcome).split()) == str(outcome) != ""


def test_text_that_is_too_long_behind_the_reason_is_no_reply() -> None:
    """Nothing of it is lost in silence."""
    _, outcome = read([piece("Hello.", "stop"), piece("x" * 10_000)])
    assert str(outcome) == "the endpoint's answer has more than 10,000 bytes"


def test_tokens_are_those_told_last() -> None:
    first = {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 0}}
    last = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}
    _, reply = read([piece("a", "stop"), first, last, {"choices": [], "usage": None}])
    assert isinstance(reply, Reply)
    assert reply.usage is not None
    assert reply.usage.total_tokens == 5
