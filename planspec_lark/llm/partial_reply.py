"""A reply of which some events have come. Nothing here waits or reads: what does, hands them in."""

from __future__ import annotations

from codecs import getincrementaldecoder
from typing import Any

from planspec_lark.llm.failures import no_event
from planspec_lark.llm.http_endpoint import Endpoint
from planspec_lark.llm.models import LlmError, Reply, too_long
from planspec_lark.llm.replies import lone_surrogate, read_answer

__all__ = ["PartialReply"]


class PartialReply:
    """The part of a streamed answer that has arrived."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self._parts: dict[str, list[str]] = {"content": [], "refusal": []}
        # Keeps the first half of a surrogate pair: some endpoints write a character as two escapes, in two events.
        self._units = {name: getincrementaldecoder("utf-16-le")() for name in self._parts}
        self._last: dict[str, Any] = {}
        self._reason: str | None = None
        self._bytes = 0

    def add(self, event: object) -> str:
        """The piece of text in an event; "" where there is none.

        Raises:
            LlmError: it is no part of an answer, or the answer is too long.
        """
        if not isinstance(event, dict):
            raise no_event()
        # The event that has the tokens has no choice.
        self._last |= {name: event[name] for name in ("model", "usage") if event.get(name)}
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return ""
        reason, delta = choice.get("finish_reason"), choice.get("delta")
        parts = delta if isinstance(delta, dict) else {}
        self._keep("refusal", parts.get("refusal"))
        piece = self._keep("content", parts.get("content"))
        self._reason = reason if isinstance(reason, str) and reason else self._reason
        return piece

    def _keep(self, name: str, text: object) -> str:
        if not isinstance(text, str):
            return ""
        try:
            piece = self._units[name].decode(text.encode("utf-16-le", "surrogatepass"))
        except UnicodeDecodeError:
            raise lone_surrogate() from None
        self._bytes += len(piece.encode())
        if self._bytes > self.endpoint.max_reply_bytes:
            raise too_long(self.endpoint.max_reply_bytes)
        self._parts[name].append(piece)
        return piece

    def finish(self, failure: LlmError | None) -> Reply | LlmError:
        """The reply that has come, or why it is none.

        Args:
            failure: what has ended the stream, if it has not ended by itself. Where the model has said before why it
                stops, that comes too late to matter.
        """
        if any(units.getstate()[0] for units in self._units.values()):
            failure = failure or lone_surrogate()
        elif self._reason is None:
            failure = failure or LlmError("the endpoint's stream ended before the answer did", retryable=True)
        if failure is not None and (self._reason is None or failure.has_answered):
            failure.reply = failure.reply or self._so_far()
            return failure
        message = {name: "".join(parts) for name, parts in self._parts.items()}
        try:
            choice = {"message": message, "finish_reason": self._reason}
            return read_answer({**self._last, "choices": [choice]}, self.endpoint)
        except LlmError as error:
            return error.with_traceback(None)

    def _so_far(self) -> Reply | None:
        text, named = "".join(self._parts["content"]), self._last.get("model")
        return Reply(text, named if isinstance(named, str) else self.endpoint.model) if text.strip() else None
