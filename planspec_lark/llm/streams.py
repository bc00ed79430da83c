"""Answers that are read while they come: the iterators, and what opens, feeds and closes them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping
from time import monotonic
from types import TracebackType
from typing import Any

from attrs import define, field, frozen

from planspec_lark.llm import patience
from planspec_lark.llm.arriving import Arriving
from planspec_lark.llm.failures import failure_of
from planspec_lark.llm.metering import Meter
from planspec_lark.llm.models import LlmError, Reply
from planspec_lark.llm.patience import Patience
from planspec_lark.llm.transport import Endpoint, async_client, http_package, sync_client

__all__ = ["AsyncReplyStream", "Call", "ReplyStream"]


@frozen
class Call:
    """What a call is: whom to ask for what, and how patiently."""

    endpoint: Endpoint
    request: Mapping[str, Any]
    model: str
    patience: Patience
    meter: Meter | None

    def begin(self) -> Arriving:
        """An answer of which nothing has come yet."""
        return Arriving(self.endpoint, self.model, self.meter)


class ReplyStream(Iterator[str]):
    """The pieces of an answer's text, as they come, and then the reply.

    The call is made by the first piece that is asked for. As long as there has been none, it is made again as often as
    :meth:`OpenAIChat.complete` would make it. Whoever stops early closes it, or uses it in a ``with`` statement, which
    ends the connection; so does forgetting it.
    """

    def __init__(self, call: Call) -> None:
        self._pieces = _pieces(call)
        self._reply: Reply | None = None

    def __next__(self) -> str:
        """The next piece of text, never empty.

        Raises:
            LlmError: there is no whole answer, for whatever reason. What has come of one is its ``reply``.
        """
        for piece in self._pieces:
            if isinstance(piece, str):
                return piece
            self._reply = piece
        raise StopIteration

    @property
    def reply(self) -> Reply:
        """The whole reply, once the pieces have come to their end; its text is theirs put together.

        Raises:
            RuntimeError: they have not.
        """
        return _whole(self._reply)

    def close(self) -> None:
        """End the call, wherever it is."""
        self._pieces.close()

    def __enter__(self) -> ReplyStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncReplyStream(AsyncIterator[str]):
    """The same, for asyncio. Use it in an ``async with`` statement, or close it, where you may stop early."""

    def __init__(self, call: Call) -> None:
        self._pieces = _async_pieces(call)
        self._reply: Reply | None = None

    async def __anext__(self) -> str:
        """The next piece of text: see :meth:`ReplyStream.__next__`."""
        async for piece in self._pieces:
            if isinstance(piece, str):
                return piece
            self._reply = piece
        raise StopAsyncIteration

    @property
    def reply(self) -> Reply:
        """The whole reply: see :attr:`ReplyStream.reply`."""
        return _whole(self._reply)

    async def aclose(self) -> None:
        """End the call, wherever it is."""
        await self._pieces.aclose()

    async def __aenter__(self) -> AsyncReplyStream:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _whole(reply: Reply | None) -> Reply:
    if reply is None:
        raise RuntimeError("the reply is there once the stream has come to its end")
    return reply


@define
class _Clock:
    """The time that an answer may still take. What its reader does with a piece of it is not counted."""

    left: float
    _since: float = field(factory=monotonic, init=False)

    def go_on(self) -> None:
        self._since = monotonic()

    def hold(self) -> None:
        now = monotonic()
        self.left -= now - self._since
        self._since = now

    def check(self) -> None:
        self.hold()
        if self.left <= 0:
            raise http_package().ReadTimeout("the answer takes too long")


# In both: a failure is raised outside of what has caught it. Raised inside, it would take along, as its context, an
# error whose request holds the key.


def _pieces(call: Call) -> Generator[str | Reply]:
    attempts = 0
    while True:
        attempts += 1
        arriving, failure = call.begin(), None
        try:
            yield from _attempt(call, arriving)
        except Exception as error:
            failure = failure_of(error, call.endpoint, call.model)
        except BaseException:
            arriving.abandon()
            raise
        if failure is None or arriving.is_whole:
            break
        patience.pause(_wait_after(failure, arriving, attempts, call))
    yield from _rest(arriving)


def _attempt(call: Call, arriving: Arriving) -> Iterator[str]:
    create: Any
    with sync_client(call.endpoint) as client:
        create = client.chat.completions.with_streaming_response.create
        with create(**call.request) as response:
            arriving.begin(_content_type(response))
            clock = _Clock(call.endpoint.timeout)
            for chunk in response.http_response.iter_raw():
                for piece in arriving.feed(chunk):
                    clock.hold()
                    yield piece
                    clock.go_on()
                if arriving.is_over:
                    break
                clock.check()
            yield from arriving.finish()


async def _async_pieces(call: Call) -> AsyncGenerator[str | Reply]:
    attempts = 0
    while True:
        attempts += 1
        arriving, failure = call.begin(), None
        attempt = _async_attempt(call, arriving)
        try:
            async for piece in attempt:
                yield piece
        except Exception as error:
            failure = failure_of(error, call.endpoint, call.model)
        except BaseException:
            arriving.abandon()
            raise
        finally:
            await attempt.aclose()
        if failure is None or arriving.is_whole:
            break
        await patience.apause(_wait_after(failure, arriving, attempts, call))
    for last in _rest(arriving):
        yield last


async def _async_attempt(call: Call, arriving: Arriving) -> AsyncGenerator[str]:
    create: Any
    async with async_client(call.endpoint) as client:
        create = client.chat.completions.with_streaming_response.create
        async with create(**call.request) as response:
            arriving.begin(_content_type(response))
            clock = _Clock(call.endpoint.timeout)
            chunks = response.http_response.aiter_raw()
            while (chunk := await _next_chunk(chunks, clock)) is not None:
                for piece in arriving.feed(chunk):
                    clock.hold()
                    yield piece
                    clock.go_on()
                if arriving.is_over:
                    break
                clock.check()
            for piece in arriving.finish():
                yield piece


async def _next_chunk(chunks: AsyncIterator[bytes], clock: _Clock) -> bytes | None:
    try:
        async with asyncio.timeout(clock.left):
            return await anext(chunks, None)
    except TimeoutError:
        raise http_package().ReadTimeout("the answer takes too long") from None


def _content_type(response: Any) -> str:
    return str(response.http_response.headers.get("content-type", ""))


def _wait_after(failure: LlmError, arriving: Arriving, attempts: int, call: Call) -> float:
    """How long to wait before another attempt; raises the failure where there can be none."""
    arriving.abandon()
    if arriving.has_text:
        failure.reply = failure.reply or arriving.partial()
        raise failure
    return call.patience.wait_after(failure, attempts)


def _rest(arriving: Arriving) -> Iterator[str | Reply]:
    reply = arriving.reply()
    if isinstance(reply, LlmError):
        raise reply
    if not arriving.is_stream:
        yield reply.text
    yield reply
