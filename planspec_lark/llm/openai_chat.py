"""Endpoints that speak the protocol of OpenAI's chat completions, hosted or local."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from attrs import field, frozen
from attrs.validators import ge, instance_of, lt, optional

from planspec_lark.llm.endpoint import Bounds, Endpoint, load
from planspec_lark.llm.failures import failure_of
from planspec_lark.llm.meter import Meter
from planspec_lark.llm.models import LlmError, Reply, encode, is_amount
from planspec_lark.llm.replies import read_reply
from planspec_lark.llm.streams import AsyncReplyStream, ReplyStream

__all__ = ["OpenAIChat"]

_OPENAI = "https://api.openai.com/v1"
# Local endpoints ask for no key, but the package does.
_NO_KEY = "no-key"
_NOT_NEGATIVE: Any = [instance_of((int, float)), ge(0), lt(math.inf)]
_ROLES = ("system", "developer", "user", "assistant")


def _model_of(value: str | None) -> str:
    name = value or os.environ.get("PLANSPEC_MODEL")
    if not name:
        raise LlmError("no model is given: pass `model`, or set PLANSPEC_MODEL")
    encode(name)
    return name


def _base_url_of(value: str | None) -> str | None:
    url = value or os.environ.get("OPENAI_BASE_URL") or None
    # The URL is not shown: somebody may have put a password into it.
    if url is None:
        return None
    if not url.isascii() or not url.isprintable() or " " in url:
        raise LlmError("the base URL has characters that no URL has")
    try:
        parts = urlsplit(url)
        is_http = parts.scheme in ("http", "https") and parts.hostname and (parts.port or True)
    except ValueError:
        is_http = False
    if not is_http:
        raise LlmError("the base URL has to start with http:// or https:// and a host")
    if "@" in parts.netloc:
        raise LlmError("the base URL must not hold a user or a password: pass a key as `api_key`")
    if "?" in url or "#" in url:
        raise LlmError("the base URL must end before any `?` or `#`")
    return url


def _key_of(value: str | None) -> str | None:
    key = value or os.environ.get("OPENAI_API_KEY") or None
    if key is not None and (not key.isascii() or not key.isprintable() or " " in key):
        raise LlmError("the API key has characters that no key has, perhaps a line break at its end")
    return key


@frozen
class OpenAIChat:
    """A language model behind an endpoint with OpenAI's chat completions: ``OpenAIChat("name")("prompt")``.

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
        system: a message that stands before all others.
        max_reply_bytes: an answer with more bytes is not read to its end. Of a stream the text counts.
        meter: gets to know the tokens of all answers. It takes no part in comparing, and a copy that another process
            gets counts by itself.

    Raises:
        LlmError: there is no model or no key, or the URL or the key cannot be one.
        TypeError, ValueError: another setting is out of range.
    """

    model: str = field(default=None, converter=_model_of)
    base_url: str | None = field(default=None, converter=_base_url_of, kw_only=True)
    api_key: str | None = field(default=None, converter=_key_of, kw_only=True, repr=False)
    timeout: float = field(default=60.0, validator=is_amount, kw_only=True)
    max_retries: int = field(default=2, validator=[instance_of(int), ge(0)], kw_only=True)
    temperature: float | None = field(default=None, validator=optional(_NOT_NEGATIVE), kw_only=True)
    max_tokens: int | None = field(default=None, validator=optional([instance_of(int), ge(1)]), kw_only=True)
    system: str | None = field(default=None, validator=optional(instance_of(str)), kw_only=True)
    max_reply_bytes: int = field(default=1_000_000, validator=[instance_of(int), ge(1)], kw_only=True)
    meter: Meter | None = field(
        default=None, validator=optional(instance_of(Meter)), kw_only=True, eq=False, repr=False
    )

    def __attrs_post_init__(self) -> None:
        if self.api_key is None and self.base_url is None:
            raise LlmError("no API key is given: pass `api_key`, or set OPENAI_API_KEY")

    def __call__(self, prompt: str) -> str:
        """The text of the answer to a prompt."""
        return self.complete(prompt).text

    def complete(self, prompt: str | Sequence[Mapping[str, str]]) -> Reply:
        """The answer to a prompt, or to messages such as ``{"role": "user", "content": "…"}``.

        Raises:
            LlmError: there is no whole answer, for whatever reason. Where one was cut off, ``reply`` is what came.
        """
        return _given(self._send(self._request(prompt)))

    async def acomplete(self, prompt: str | Sequence[Mapping[str, str]]) -> Reply:
        """The same, for asyncio."""
        return _given(await self._asend(self._request(prompt)))

    def stream(self, prompt: str | Sequence[Mapping[str, str]]) -> ReplyStream:
        """The answer piece by piece, as it comes: ``for text in chat.stream("prompt")``.

        The pieces put together are the answer of :meth:`complete`, and what keeps that from being one ends the stream
        with the same error. Behind the last piece, ``reply`` is there.

        Raises:
            LlmError: the prompt cannot be sent. All other errors are raised by the stream.
        """
        return ReplyStream(self._endpoint(), self._request(prompt))

    def astream(self, prompt: str | Sequence[Mapping[str, str]]) -> AsyncReplyStream:
        """The same, for asyncio: ``async for text in chat.astream("prompt")``."""
        return AsyncReplyStream(self._endpoint(), self._request(prompt))

    # What fails is returned and raised by the caller: raised here, it would take along, as its context, an error whose
    # request holds the key.

    def _send(self, request: dict[str, Any]) -> Reply | LlmError:
        endpoint = self._endpoint()
        try:
            with endpoint.client(Bounds(endpoint)) as client:
                return read_reply(endpoint.post(client, request).content, endpoint)
        except Exception as error:
            return failure_of(error, endpoint)

    async def _asend(self, request: dict[str, Any]) -> Reply | LlmError:
        endpoint = self._endpoint()
        try:
            async with endpoint.async_client(Bounds(endpoint)) as client:
                return read_reply((await endpoint.post(client, request)).content, endpoint)
        except Exception as error:
            return failure_of(error, endpoint)

    def _endpoint(self) -> Endpoint:
        load()
        key, url = self.api_key or _NO_KEY, self.base_url or _OPENAI
        return Endpoint(url, key, self.model, self.timeout, self.max_retries, self.max_reply_bytes, self.meter)

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


def _given(outcome: Reply | LlmError) -> Reply:
    if isinstance(outcome, LlmError):
        raise outcome
    return outcome


def _message_of(message: Mapping[str, str]) -> dict[str, str]:
    if not isinstance(message, Mapping) or set(message) != {"role", "content"}:
        raise ValueError("prompt: a message has a role and a content, and nothing else")
    if message["role"] not in _ROLES or not isinstance(message["content"], str):
        raise ValueError(f"prompt: a message has a text, and a role of {', '.join(_ROLES)}")
    return dict(message)
