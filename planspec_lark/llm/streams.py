"""Answers that are read while they come."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

from planspec_lark.llm.call import Call
from planspec_lark.llm.http_endpoint import Endpoint
from planspec_lark.llm.models import Reply
from planspec_lark.llm.replies import read_reply

__all__ = ["ReplyStream"]


class ReplyStream(Iterator[str]):
    """The pieces of an answer, and then the reply.

    The call is made by the first piece that is asked for. A caller that stops early closes it, or uses it in a ``with``
    statement, which ends the connection; so does forgetting it.

    A call that fails before anything has come is made again, as by ``complete``; one that breaks off later is not. The
    time that the reader spends between two pieces does not count for the timeout. Between two pieces, as many bytes as
    ``max_reply_bytes`` and 128 KiB may come. A stream that breaks off after the model's reason to stop is whole. An
    endpoint that knows no streams gives a stream of one piece.
    """

    _reply: Reply | None = None

    def __init__(self, endpoint: Endpoint, request: dict[str, Any]) -> None:
        self._pieces = _pieces(endpoint, request)

    @property
    def reply(self) -> Reply:
        """The whole reply, once the pieces have ended; its text is theirs put together.

        Raises:
            RuntimeError: they have not.
        """
        if self._reply is None:
            raise RuntimeError("the reply is there once the stream has come to its end")
        return self._reply

    def __next__(self) -> str:
        """The next piece of text, never empty.

        Raises:
            LlmError: there is no whole answer, for whatever reason. The part that has arrived is its ``reply``.
        """
        piece = next(self._pieces)
        if isinstance(piece, str):
            return piece
        self._reply = piece
        raise StopIteration

    def close(self) -> None:
        """End the call, wherever it is."""
        self._pieces.close()

    def __enter__(self) -> ReplyStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


# The span is never the current one, as the caller does other work between two pieces. Nor is there a variable for an
# event, which may say the key.
def _pieces(endpoint: Endpoint, request: dict[str, Any]) -> Generator[str | Reply]:
    call = Call(endpoint, is_stream=True)
    with call, endpoint.client(call.bounds) as client, endpoint.open(client, request) as stream:
        if call.bounds.has_events:
            for piece in map(call.partial.add, stream):
                if piece:
                    call.bounds.renew()
                    yield piece
        else:
            call.reply = read_reply(stream.response.read(), endpoint)
            yield call.reply.text
    yield call.end()
