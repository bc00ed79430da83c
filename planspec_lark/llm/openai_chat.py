"""Endpoints that speak the protocol of OpenAI's chat completions, hosted or local."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import field, frozen
from attrs.validators import ge, instance_of, lt, optional

from planspec_lark.llm.call import Call
from planspec_lark.llm.http_endpoint import Endpoint
from planspec_lark.llm.models import Reply, encode
from planspec_lark.llm.replies import read_reply
from planspec_lark.llm.streams import ReplyStream

__all__ = ["OpenAIChat"]

_NOT_NEGATIVE: Any = [instance_of((int, float)), ge(0), lt(math.inf)]
_ROLES = ("system", "developer", "user", "assistant")


@frozen
class OpenAIChat(Endpoint):
    """A language model at an endpoint with OpenAI's chat completions: ``OpenAIChat("name")("prompt")``.

    Needs the extra ``llm``. A call opens a connection and closes it, so that there is nothing to close, and one
    object serves threads and event loops alike.

    Attributes:
        model: its name; by default PLANSPEC_MODEL of the environment.
        base_url: of the endpoint, as far as ``/v1``; by default OPENAI_BASE_URL, or else that of OpenAI.
        api_key: by default OPENAI_API_KEY. An endpoint that is named by a base URL may do without.
        timeout: seconds for connecting, for each wait for bytes, and for all waits for the body of an answer together.
            What the reader of a stream does between two pieces is not counted.
        max_retries: attempts after the first one, for lost connections, timeouts and the statuses 408, 409, 429 and
            from 500. The waits before them are those of the package openai: they grow, or are as long as the endpoint
            asks.
        temperature, max_tokens: are sent where they are given.
        system: a message that is before all others.
        max_reply_bytes: an answer with more bytes is not read to its end. Of a stream the text counts.

    Raises:
        LlmError: there is no model or no key, or the URL or the key cannot be one.
        TypeError, ValueError: another setting is out of range.
    """

    temperature: float | None = field(default=None, validator=optional(_NOT_NEGATIVE), kw_only=True)
    max_tokens: int | None = field(default=None, validator=optional([instance_of(int), ge(1)]), kw_only=True)
    system: str | None = field(default=None, validator=optional(instance_of(str)), kw_only=True)

    def __call__(self, prompt: str) -> str:
        """The text of the answer to a prompt."""
        return self.complete(prompt).text

    def complete(self, prompt: str | Sequence[Mapping[str, str]]) -> Reply:
        """The answer to a prompt, or to messages such as ``{"role": "user", "content": "…"}``.

        Raises:
            LlmError: there is no whole answer, for whatever reason. Where one was cut off, ``reply`` is what came.
        """
        request = self._request(prompt)
        with Call(self) as call, call.span.at_hand(), self.client(call.bounds) as client:
            call.reply = read_reply(self.post(client, request).content, self)
        return call.end()

    async def acomplete(self, prompt: str | Sequence[Mapping[str, str]]) -> Reply:
        """The same, for asyncio."""
        request = self._request(prompt)
        with Call(self) as call, call.span.at_hand():
            async with self.async_client(call.bounds) as client:
                call.reply = read_reply((await self.post(client, request)).content, self)
        return call.end()

    def stream(self, prompt: str | Sequence[Mapping[str, str]]) -> ReplyStream:
        """The answer piece by piece, as it comes: ``for text in chat.stream("prompt")``.

        The pieces put together are the answer of :meth:`complete`, and what keeps that from being one ends the stream
        with the same error. After the last piece, ``reply`` is there.

        Raises:
            LlmError: the prompt cannot be sent. All other errors are raised by the stream.
        """
        return ReplyStream(self, self._request(prompt))

    def _request(self, prompt: str | Sequence[Mapping[str, str]]) -> dict[str, Any]:
        messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(map(_message_of, prompt))
        if not messages:
            raise ValueError("prompt: there are no messages")
        if self.system is not None:
            messages.insert(0, {"role": "system", "content": self.system})
        for message in messages:
            encode(message["content"])
        request = {"model": self.model, "messages": messages}
        chosen = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        return request | {name: value for name, value in chosen.items() if value is not None}


def _message_of(message: Mapping[str, str]) -> dict[str, str]:
    if not isinstance(message, Mapping) or set(message) != {"role", "content"}:
        raise ValueError("prompt: a message has a role and a content, and nothing else")
    if message["role"] not in _ROLES or not isinstance(message["content"], str):
        raise ValueError(f"prompt: a message has a text, and a role of {', '.join(_ROLES)}")
    return dict(message)
