"""Endpoints that speak the protocol of OpenAI's chat completions, hosted or local."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import field, frozen
from attrs.validators import ge, instance_of, lt, optional

from planspec_lark.llm.call import Call
from planspec_lark.llm.http_endpoint import Endpoint
from planspec_lark.llm.models import LlmError, Reply, encode
from planspec_lark.llm.replies import read_reply
from planspec_lark.llm.streams import ReplyStream

__all__ = ["OpenAIChat"]

_NOT_NEGATIVE: Any = [instance_of((int, float)), ge(0), lt(math.inf)]
_ROLES = ("system", "developer", "user", "assistant")
# Says which form the answer has. Not all endpoints know it.
_FORMAT = "response_format"


@frozen
class OpenAIChat(Endpoint):
    """A language model at an endpoint with OpenAI's chat completions: ``OpenAIChat("name")("prompt")``.

    Needs the extra ``llm``. Each call opens and closes a connection, so one object serves threads and event loops
    alike.

    Attributes:
        model: its name; by default PLANSPEC_MODEL of the environment.
        base_url: of the endpoint, up to ``/v1``; by default OPENAI_BASE_URL, or else OpenAI's.
        api_key: by default OPENAI_API_KEY. With a base URL it may be missing.
        timeout: seconds for connecting, for each wait for bytes, and for all waits for the body of an answer. Time that
            the reader of a stream takes is not counted.
        max_retries: further attempts after lost connections, timeouts and the statuses 408, 409, 429 and from 500.
            Pauses grow, or are what the endpoint asks for.
        temperature, max_tokens: sent if given.
        system: a message before all others.
        max_reply_bytes: a longer answer is not read to its end. Of a stream, the text counts.

    Raises:
        LlmError: there is no model or no key, or the URL or the key is malformed.
        TypeError, ValueError: another setting is out of range.
    """

    temperature: float | None = field(default=None, validator=optional(_NOT_NEGATIVE), kw_only=True)
    max_tokens: int | None = field(default=None, validator=optional([instance_of(int), ge(1)]), kw_only=True)
    system: str | None = field(default=None, validator=optional(instance_of(str)), kw_only=True)

    # What the endpoint has refused to read in a request.
    _refused: set[str] = field(factory=set, init=False, repr=False, eq=False)

    def __call__(self, prompt: str, *, schema: Mapping[str, Any] | None = None) -> str:
        """The text of the answer to a prompt; for ``schema`` see :meth:`complete`."""
        return self.complete(prompt, schema=schema).text

    def complete(self, prompt: str | Sequence[Mapping[str, str]], *, schema: Mapping[str, Any] | None = None) -> Reply:
        """The answer to a prompt, or to messages such as ``{"role": "user", "content": "…"}``.

        Args:
            prompt: the prompt, or the messages.
            schema: the JSON schema of the answer, sent as ``response_format``. An endpoint that refuses it (status 400
                or 422) is asked again without, and from then on never with it. The answer may still be any text.

        Raises:
            LlmError: there is no whole answer; ``reply`` is what came of one that was cut off.
        """
        request = self._request(prompt, schema)
        try:
            return self._complete(request)
        except LlmError as error:
            if not _may_be_of_format(request, error):
                raise
        reply = self._complete(_without_format(request))
        self._refused.add(_FORMAT)
        return reply

    def _complete(self, request: dict[str, Any]) -> Reply:
        with Call(self) as call, call.span.at_hand(), self.client(call.bounds) as client:
            call.reply = read_reply(self.post(client, request).content, self)
        return call.end()

    async def acomplete(
        self, prompt: str | Sequence[Mapping[str, str]], *, schema: Mapping[str, Any] | None = None
    ) -> Reply:
        """The same, for asyncio."""
        request = self._request(prompt, schema)
        try:
            return await self._acomplete(request)
        except LlmError as error:
            if not _may_be_of_format(request, error):
                raise
        reply = await self._acomplete(_without_format(request))
        self._refused.add(_FORMAT)
        return reply

    async def _acomplete(self, request: dict[str, Any]) -> Reply:
        with Call(self) as call, call.span.at_hand():
            async with self.async_client(call.bounds) as client:
                call.reply = read_reply((await self.post(client, request)).content, self)
        return call.end()

    def stream(self, prompt: str | Sequence[Mapping[str, str]]) -> ReplyStream:
        """The answer piece by piece: ``for text in chat.stream("prompt")``.

        The pieces together are the answer of :meth:`complete`; the stream ends with the same errors. After the last
        piece, ``reply`` is there.

        Raises:
            LlmError: the prompt cannot be sent. All other errors are raised by the stream.
        """
        return ReplyStream(self, self._request(prompt))

    def _request(
        self, prompt: str | Sequence[Mapping[str, str]], schema: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        messages = [{"role": "user", "content": prompt}] if isinstance(prompt, str) else list(map(_message_of, prompt))
        if not messages:
            raise ValueError("prompt: there are no messages")
        if self.system is not None:
            messages.insert(0, {"role": "system", "content": self.system})
        for message in messages:
            encode(message["content"])
        request = {"model": self.model, "messages": messages}
        chosen: dict[str, Any] = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        if schema is not None and _FORMAT not in self._refused:
            chosen[_FORMAT] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": dict(schema)}}
        return request | {name: value for name, value in chosen.items() if value is not None}


def _may_be_of_format(request: Mapping[str, Any], error: LlmError) -> bool:
    """Whether it may be the format of the answer for which a request was refused."""
    return _FORMAT in request and error.status in (400, 422)


def _without_format(request: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in request.items() if name != _FORMAT}


def _message_of(message: Mapping[str, str]) -> dict[str, str]:
    if not isinstance(message, Mapping) or set(message) != {"role", "content"}:
        raise ValueError("prompt: a message has a role and a content, and nothing else")
    if message["role"] not in _ROLES or not isinstance(message["content"], str):
        raise ValueError(f"prompt: a message has a text, and a role of {', '.join(_ROLES)}")
    return dict(message)
