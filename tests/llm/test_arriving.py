"""Bytes of a stream, in pieces of any size."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given, strategies as st

from planspec_lark.llm import LlmError, Reply
from planspec_lark.llm.arriving import Arriving
from planspec_lark.llm.server_events import EventReader
from planspec_lark.llm.transport import Endpoint
from planspec_lark.syntax.source import visible
from tests.llm.serving import DONE, USAGE, delta, event, pieces_of

ENDPOINT = Endpoint("http://host/v1", "key", 1.0, 10_000)
LINES = st.sampled_from([b"\n", b"\r\n", b"\r"])


def read(*chunks: bytes) -> tuple[list[str], Reply | str]:
    """The pieces of text, and the reply or what is wrong."""
    arriving = Arriving(ENDPOINT, "asked")
    texts: list[str] = []
    try:
        for chunk in chunks:
            texts += arriving.feed(chunk)
            if arriving.is_over:
                break
        texts += arriving.finish()
    except LlmError as error:
        return texts, str(error)
    reply = arriving.reply()
    return texts, str(reply) if isinstance(reply, LlmError) else reply


@st.composite
def split(draw: st.DrawFn, data: bytes) -> list[bytes]:
    places = sorted(draw(st.lists(st.integers(0, len(data)), max_size=12)))
    return [data[start:end] for start, end in zip([0, *places], [*places, len(data)], strict=True)]


@given(data=st.data(), text=st.text(min_size=1, max_size=20), end=LINES)
def test_no_split_matters(data: st.DataObject, text: str, end: bytes) -> None:
    whole = b"".join(pieces_of(text)).replace(b"\n", end)
    texts, reply = read(*data.draw(split(whole)))
    assert (texts, reply) == read(whole)
    if text.strip():
        assert isinstance(reply, Reply)
        assert "".join(texts) == reply.text == text


@given(text=st.text(max_size=30), end=LINES)
@example("\U0001f44b", b"\r\n")
def test_nor_does_any_single_byte(text: str, end: bytes) -> None:
    raw = (
        b'data: {"choices": [{"delta": {"content": "' + text.replace("\\", "").replace('"', "").encode() + b'"}}]}\n\n'
    )
    whole = (raw + delta(reason="stop") + DONE).replace(b"\n", end)
    assert read(*(whole[at : at + 1] for at in range(len(whole)))) == read(whole)


JUNK = st.lists(
    st.sampled_from(
        [
            *pieces_of("a"),
            delta("\ud83d"),
            delta("\udc4b"),
            delta(refusal="no"),
            delta("x" * 3000),
            event({"error": 1}),
            event([]),
            event({"choices": [{"delta": {"content": {}}}], "usage": 3, "model": 4}),
            b"data: ",
            b"data",
            b"\n",
            b"\r",
            b"\xff",
            b": \n",
            b"\xef\xbb\xbf",
            b"[" * 2000,
        ]
    )
    | st.binary(max_size=5),
    max_size=12,
)


@given(JUNK)
def test_any_bytes_are_a_reply_or_one_error(chunks: list[bytes]) -> None:
    texts, outcome = read(*chunks)
    for text in texts:
        text.encode("utf-8")
        assert text
    if isinstance(outcome, Reply):
        assert outcome.text == "".join(texts)
    else:
        assert visible(outcome) == " ".join(outcome.split()) == outcome != ""


@given(JUNK, st.data())
def test_no_split_of_any_bytes_matters(chunks: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(chunks)
    assert read(*data.draw(split(whole))) == read(whole)


# ---------------------------------------------------------------- events


def events(*chunks: bytes, most: int = 100) -> list[bytes]:
    reader = EventReader(most)
    return [data for chunk in chunks for data in reader.feed(chunk)] + list(reader.close())


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (b"\n\n\n", []),
        (b"data: a\n\n", [b"a"]),
        (b"data:a\n\n", [b"a"]),
        (b"data:  a\n\n", [b" a"]),
        (b"data\n\n", [b""]),
        (b"data: a\ndata: b\n\ndata: c", [b"a\nb", b"c"]),
        (b"data: a: b\n\n", [b"a: b"]),
        (b"datas: a\n data: b\n\n", []),
        (b"\xef\xbb\xbfdata: a\n\n", [b"a"]),
        (b"data: a\r\rdata: b\r\n\r\n", [b"a", b"b"]),
        (b"data: a\r\ndata: b\r\n\r\n", [b"a\nb"]),
    ],
)
def test_events(data: bytes, expected: list[bytes]) -> None:
    assert events(data) == expected
    assert events(*(data[at : at + 1] for at in range(len(data)))) == expected


@pytest.mark.parametrize("data", [b"x" * 101, b"data: " + b"x" * 95, b"data: x\n" * 40, b"data\n" * 101], ids=range(4))
def test_an_event_that_is_too_long(data: bytes) -> None:
    with pytest.raises(LlmError) as caught:
        events(data)
    assert str(caught.value) == "an event of the endpoint's stream has more than the 100 bytes that are allowed"
    assert len(events(b"data: " + b"x" * 80 + b"\n\n")) == 1


def test_a_long_line_in_small_pieces_takes_no_longer() -> None:
    line = b"data: " + b"x" * 1_000_000
    start = time.monotonic()
    events(*(line[at : at + 1] for at in range(len(line))), most=2_000_000)
    assert time.monotonic() - start < 10


def test_tokens_are_those_told_last() -> None:
    first = event({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 0}})
    _, reply = read(delta("a", "stop"), first, USAGE, event({"choices": [], "usage": None}), DONE)
    assert isinstance(reply, Reply)
    assert reply.usage is not None
    assert reply.usage.total_tokens == 5
