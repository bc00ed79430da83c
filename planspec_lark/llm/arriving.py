"""An answer that arrives in pieces: from the bytes of a stream to pieces of text, and to the reply that they make.

Nothing here waits or reads: what does, feeds it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import define, field

from planspec_lark.llm.metering import Meter
from planspec_lark.llm.models import LlmError, Reply
from planspec_lark.llm.replies import decode_object, lone_surrogate, raise_error_in, read_reply, reply_in, too_long
from planspec_lark.llm.server_events import EventReader
from planspec_lark.llm.transport import Endpoint

__all__ = ["Arriving"]

# What an event may have besides its piece of text.
_ENVELOPE = 1 << 16


@define
class Arriving:
    """What has come of an answer so far.

    Attributes:
        endpoint: whose answer it is. Its most bytes are those of the text, or of all where that is no stream.
        model: the model that was asked, and as soon as it is known the one that the endpoint names.
        meter: gets to know the tokens, if it is given.
        is_stream: whether the answer comes as events. An endpoint that knows no streams sends one chat completion.
        is_over: whether nothing more is to come.
    """

    endpoint: Endpoint
    model: str
    meter: Meter | None = None
    is_stream: bool = field(default=True, init=False)
    is_over: bool = field(default=False, init=False)
    _has_begun: bool = field(default=False, init=False)
    # What an endpoint sends may hold the key, and so is not shown.
    _events: EventReader = field(init=False, repr=False)
    _whole: bytearray = field(factory=bytearray, init=False, repr=False)
    _texts: list[str] = field(factory=list, init=False, repr=False)
    _refusals: list[str] = field(factory=list, init=False, repr=False)
    _bytes: int = field(default=0, init=False)
    _characters: int = field(default=0, init=False)
    # The first half of a surrogate pair, whose second half has not come yet.
    _half: str = field(default="", init=False)
    _reason: str | None = field(default=None, init=False)
    _usage: Any = field(default=None, init=False, repr=False)
    _is_noted: bool = field(default=False, init=False)

    def __attrs_post_init__(self) -> None:
        self._events = EventReader(self.endpoint.max_bytes + _ENVELOPE)

    @property
    def has_text(self) -> bool:
        """Whether a piece of text has come."""
        return bool(self._texts)

    @property
    def is_whole(self) -> bool:
        """Whether the model has said why it stops, so that whatever goes wrong then comes too late to matter."""
        return self._reason is not None

    def begin(self, content_type: str) -> None:
        """Note that the endpoint answers, and in which form."""
        self._has_begun = True
        self.is_stream = "application/json" not in content_type.lower()

    def feed(self, chunk: bytes) -> Iterator[str]:
        """The pieces of text in these bytes.

        Raises:
            LlmError: they are no part of an answer, or the answer is too long.
        """
        if self.is_stream:
            for data in self._events.feed(chunk):
                yield from self._read(data)
        else:
            self._whole += chunk
            self.is_over = len(self._whole) > self.endpoint.max_bytes

    def finish(self) -> Iterator[str]:
        """What is left of the text once there are no more bytes.

        Raises:
            LlmError: the bytes have ended before the answer did.
        """
        if not self.is_stream:
            return
        for data in self._events.close():
            yield from self._read(data)
        if not self.is_whole and not self.is_over:
            raise LlmError("the endpoint's stream ended before the answer did", retryable=True)

    def reply(self) -> Reply | LlmError:
        """The reply that has come, or why it is none, for any reason that an answer in one piece can have."""
        self._is_noted = True
        if not self.is_stream:
            return read_reply(bytes(self._whole), self.endpoint, self.model, self.meter)
        if self._half:
            return lone_surrogate(self._characters)
        message = {"content": "".join(self._texts), "refusal": "".join(self._refusals)}
        choice = {"message": message, "finish_reason": self._reason}
        answer = {"model": self.model, "choices": [choice], "usage": self._usage}
        return reply_in(answer, self.endpoint, self.model, self.meter)

    def partial(self) -> Reply | None:
        """What has come of a reply that is none, where that is something."""
        text = "".join(self._texts)
        return Reply(text, self.model, self._reason) if text.strip() else None

    def abandon(self) -> None:
        """Let the meter know of an answer that has begun, and that nobody has read to its end."""
        if self.meter is not None and self._has_begun and not self._is_noted:
            self.meter.note(None)
        self._is_noted = True

    def _read(self, data: bytes) -> Iterator[str]:
        if self.is_over or data.strip() == b"[DONE]":
            self.is_over = True
            return
        if not data.strip():
            return
        event = decode_object(data)
        if event is None:
            raise LlmError("the endpoint's stream has an event that is no JSON object")
        raise_error_in(event, self.endpoint)
        named, usage, choices = event.get("model"), event.get("usage"), event.get("choices")
        self.model = named if isinstance(named, str) and named else self.model
        self._usage = usage if isinstance(usage, dict) else self._usage
        # The event that has the tokens has no choice.
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            yield from self._read_choice(choices[0])

    def _read_choice(self, choice: dict[str, Any]) -> Iterator[str]:
        delta, reason = choice.get("delta"), choice.get("finish_reason")
        self._reason = reason if isinstance(reason, str) and reason else self._reason
        if not isinstance(delta, dict):
            return
        refusal, text = delta.get("refusal"), delta.get("content")
        if isinstance(refusal, str) and refusal:
            self._count(refusal)
            self._refusals.append(refusal)
        if isinstance(text, str) and (piece := self._join(text)):
            self._count(piece)
            self._characters += len(piece)
            self._texts.append(piece)
            yield piece

    def _join(self, text: str) -> str:
        """A piece with the half that was kept back of the one before, and without the half that it ends with.

        Some endpoints write a character as two escapes, in two events.
        """
        text = self._half + text
        self._half = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        if text.isascii():
            return text
        units = text.encode("utf-16-le", "surrogatepass")
        try:
            return units.decode("utf-16-le")
        except UnicodeDecodeError as error:
            before = len(units[: error.start].decode("utf-16-le"))
        raise lone_surrogate(self._characters + before)

    def _count(self, text: str) -> None:
        self._bytes += len(text.encode("utf-8", "surrogatepass"))
        if self._bytes > self.endpoint.max_bytes:
            raise too_long(self.endpoint.max_bytes)
