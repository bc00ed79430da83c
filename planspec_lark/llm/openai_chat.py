"""Endpoints that speak the protocol of OpenAI's chat completions, hosted or local."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from attrs import Attribute, field, frozen
from attrs.validators import ge, instance_of, optional

from planspec_lark.llm import patience
from planspec_lark.llm.failures import failure_of
from planspec_lark.llm.metering import Meter
from planspec_lark.llm.models import LlmError, Reply, encode
from planspec_lark.llm.patience import Patience
from planspec_lark.llm.replies import read_reply
from planspec_lark.llm.streams import AsyncReplyStream, Call, ReplyStream
from planspec_lark.llm.transport import Endpoint, async_client, load, sync_client

__all__ = ["OpenAIChat"]

_OPENAI = "https://api.openai.com/v1"
# Local endpoints ask for no key, but the package does.
_NO_KEY = "no-key"
_ROLES = ("system", "developer", "user", "assistant")


def _model_of(value: str | None) -> str:
    name = value or os.environ.get("PLANSPEC_MODEL")
    if not name:
        raise LlmError("no model is given: pass `model`, or set PLANSPEC_MODEL")
    encode(name)
    return name


def _base_url_of(value: str | None) -> str | None:
    url = value or os.environ.get("OPENAI_BASE_URL") or None
    if url is not None:
        _check_url(url)
    return url


def _check_url(url: str) -> None:
    # The URL is not shown: somebody may have put a password into it.
    if not url.isascii() or not url.isprintable() or " " in url:
        raise LlmError("the base URL has characters that no URL has")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host or parts.scheme not in ("http", "https"):
        raise LlmError("the base URL has to start with http:// or https:// and a host")
    if parts.username is not None or parts.password is not None:
        raise LlmError("the base URL must not hold a user or a password: pass a key as `api_key`")
    if "?" in url or "#" in url:
        raise LlmError("the base URL must end before any `?` or `#`")


def _key_of(value: str | None) -> str | None:
    key = value or os.environ.get("OPENAI_API_KEY") or None
    if key is not None and (not key.isascii() or not key.isprintable() or " " in key):
        raise LlmError("the API key has characters that no key has, perhaps a line break at its end")
    return key


def _is_finite(_: object, attribute: Attribute[Any], value: float | None) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{attribute.name}: expected a number, not {type(value).__name__}")
    if not math.isfinite(value) or value < 0 or (attribute.name == "timeout" and value == 0):
        raise ValueError(f"{attribute.name}: {value} is out of range")


@frozen
class OpenAIChat:
    """A language model behind an endpoint with OpenAI's chat completions: ``OpenAIChat("name")("prompt")``.

    Needs the extra ``llm``. A call opens a connection and closes it, so that there is nothing to close, and one
    object serves threads and event loops alike.

    Attributes:
        model: its name; by default PLANSPEC_MODEL of the environment.
        base_url: of the endpoint, as far as ``/v1``; by default OPENAI_BASE_URL, or else that of OpenAI.
        api_key: by default OPENAI_API_KEY. An endpoint that is named by a base URL may do without.
        timeout: seconds for each attempt. For :meth:`acomplete` that is the most that one takes; :meth:`complete` gives
            as much to connecting, to each wait for the head of the answer, and to its body as a whole. Streams do the
            same; what their reader does between two pieces is not counted.
        max_retries: attempts after the first one, for lost connections, timeouts and the statuses 408, 409, 429 and
            from 500. The waits before them grow, or are as long as the endpoint asks.
        max_wait: the most seconds to wait before an attempt. Where the endpoint asks for more, the call has failed; the
            error's ``retry_after`` says how long.
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
    timeout: float = field(default=60.0, validator=[instance_of((int, float)), _is_finite], kw_only=True)
    max_retries: int = field(default=2, validator=[instance_of(int), ge(0)], kw_only=True)
    max_wait: float = field(default=120.0, validator=[instance_of((int, float)), _is_finite], kw_only=True)
    temperature: float | None = field(default=None, validator=_is_finite, kw_only=True)
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
        return _given(self._read(self._ask(self._request(prompt))))

    async def acomplete(self, prompt: str | Sequence[Mapping[str, str]]) -> Reply:
        """The same, for asyncio."""
        return _given(self._read(await self._aask(self._request(prompt))))

    def stream(self, prompt: str | Sequence[Mapping[str, str]]) -> ReplyStream:
        """The answer piece by piece, as it comes: ``for text in chat.stream("prompt")``.

        The pieces put together are the answer of :meth:`complete`, and what keeps that from being one ends the stream
        with the same error. Behind the last piece, ``reply`` is there.

        Raises:
            LlmError: the prompt cannot be sent. All other errors are raised by the stream.
        """
        return ReplyStream(self._call(prompt))

    def astream(self, prompt: str | Sequence[Mapping[str, str]]) -> AsyncReplyStream:
        """The same, for asyncio: ``async for text in chat.astream("prompt")``."""
        return AsyncReplyStream(self._call(prompt))

    def _ask(self, request: Mapping[str, Any]) -> bytes:
        attempts = 0
        while isinstance(outcome := self._send(request), LlmError):
            attempts += 1
            patience.pause(self._patience.wait_after(outcome, attempts))
        return outcome

    async def _aask(self, request: Mapping[str, Any]) -> bytes:
        attempts = 0
        while isinstance(outcome := await self._asend(request), LlmError):
            attempts += 1
            await patience.apause(self._patience.wait_after(outcome, attempts))
        return outcome

    # What fails is returned and raised by the caller: raised here, it would take along, as its context, an error whose
    # request holds the key, or a body that says the key.

    def _read(self, body: bytes) -> Reply | LlmError:
        return read_reply(body, self._endpoint(), self.model, self.meter)

    def _send(self, request: Mapping[str, Any]) -> bytes | LlmError:
        endpoint = self._endpoint()
        try:
            with sync_client(endpoint) as client:
                response = client.chat.completions.with_raw_response.create(**request)
        except Exception as error:
            return failure_of(error, endpoint, self.model)
        return bytes(response.content)

    async def _asend(self, request: Mapping[str, Any]) -> bytes | LlmError:
        endpoint = self._endpoint()
        try:
            async with async_client(endpoint) as client:
                response = await client.chat.completions.with_raw_response.create(**request)
        except Exception as error:
            return failure_of(error, endpoint, self.model)
        return bytes(response.content)

    def _call(self, prompt: str | Sequence[Mapping[str, str]]) -> Call:
        request = {**self._request(prompt), "stream": True, "stream_options": {"include_usage": True}}
        return Call(self._endpoint(), request, self.model, self._patience, self.meter)

    @property
    def _patience(self) -> Patience:
        return Patience(self.max_retries, self.max_wait)

    def _endpoint(self) -> Endpoint:
        load()
        key, url = self.api_key or _NO_KEY, self.base_url or _OPENAI
        return Endpoint(url, key, self.timeout, self.max_reply_bytes)

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
