"""An endpoint, and clients for it that read no more than they may. The only module that loads the package `openai`."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Iterator
from functools import cache
from importlib import import_module
from logging import getLogger
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from attrs import field, frozen
from attrs.validators import ge, instance_of

from planspec_lark.llm.models import LlmError, encode, is_amount, too_long
from planspec_lark.runs.telemetry import ModelSpan, calling_model
from planspec_lark.syntax.diagnostics import brief
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["Bounds", "Endpoint", "http_package", "load"]

_LOG = getLogger("planspec_lark.llm")

_OPENAI = "https://api.openai.com/v1"
# Local endpoints ask for no key, but the package does.
_NO_KEY = "no-key"
_URL = re.compile(r"https?://([\w.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?(/[!\"$->@-~]*)?", re.ASCII | re.IGNORECASE)
_PATH = "/chat/completions"
# Characters of what the endpoint says within one of our sentences.
_MOST_QUOTED = 300
# What a stream may have around its text: an event, and whatever else is read at once.
_ENVELOPE = 1 << 17


def load() -> Any:
    """The package openai.

    Raises:
        LlmError: it is not installed.
    """
    try:
        return import_module("openai")
    except ModuleNotFoundError as error:
        if error.name != "openai":
            raise
    raise LlmError("OpenAIChat needs the extra `llm`: pip install 'planspec-lark[llm]'")


def http_package() -> Any:
    """The HTTP package that openai uses: httpx, or from openai 3 on its successor."""
    return import_module(load().DefaultHttpxClient.__base__.__module__)


def _model_of(value: str | None) -> str:
    name = value or os.environ.get("PLANSPEC_MODEL")
    if not name:
        raise LlmError("no model is given: pass `model`, or set PLANSPEC_MODEL")
    encode(name)
    return name


def _base_url_of(value: str | None) -> str | None:
    url = value or os.environ.get("OPENAI_BASE_URL") or None
    if url is not None and not _URL.fullmatch(url):
        # It is not shown: it may contain a password.
        raise LlmError("the base URL has to be like https://host/v1, without a user, a password, `?` or `#`")
    return url


def _key_of(value: str | None) -> str | None:
    key = value or os.environ.get("OPENAI_API_KEY") or None
    if key is not None and (not key.isascii() or not key.isprintable() or " " in key):
        raise LlmError("the API key has characters that no key has, perhaps a line break at its end")
    return key


@frozen
class Endpoint:
    """Which model to ask, and within which bounds. All about it is said by OpenAIChat."""

    model: str = field(default=None, converter=_model_of)
    base_url: str | None = field(default=None, converter=_base_url_of, kw_only=True)
    api_key: str | None = field(default=None, converter=_key_of, kw_only=True, repr=False)
    timeout: float = field(default=60.0, validator=is_amount, kw_only=True)
    max_retries: int = field(default=2, validator=[instance_of(int), ge(0)], kw_only=True)
    max_reply_bytes: int = field(default=1_000_000, validator=[instance_of(int), ge(1)], kw_only=True)

    def __attrs_post_init__(self) -> None:
        if self.api_key is None and self.base_url is None:
            message = "set the environment variable OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint that needs none"
            raise LlmError(f"there is no API key: {message}")

    @property
    def host(self) -> str:
        """The host, safe to show."""
        return visible_name(urlsplit(self.base_url or _OPENAI).netloc)

    @property
    def _key(self) -> str:
        return self.api_key or _NO_KEY

    def quote(self, text: str) -> str:
        """What the endpoint says, in one line and without the key."""
        return brief(text.replace(self._key, "[key]"), _MOST_QUOTED)

    def span(self, *, is_stream: bool = False) -> ModelSpan:
        """Begin the span of a call."""
        _LOG.debug("asks %s at %s", visible_name(self.model), self.host)
        return calling_model(self.model, self.host, is_stream=is_stream)

    def bounds(self, *, is_stream: bool = False) -> Bounds:
        """For one call."""
        return _bounds_class()(self, is_stream)  # type: ignore[no-any-return]  # what is loaded late has no type

    def client(self, bounds: Bounds) -> Any:
        """A client for one call, to be used in a `with` statement."""
        return self._client(load().OpenAI, load().DefaultHttpxClient, bounds.ask, bounds.hold)

    def async_client(self, bounds: Bounds) -> Any:
        """The same for `async with`. It belongs to the running event loop, as its connections do."""
        return self._client(load().AsyncOpenAI, load().DefaultAsyncHttpxClient, bounds.aask, bounds.ahold)

    def _client(self, kind: Any, http: Any, ask: Any, hold: Any) -> Any:
        return kind(
            base_url=self.base_url or _OPENAI,
            api_key=self._key,
            timeout=self.timeout,
            max_retries=self.max_retries,
            # Nothing compressed: a small body could grow to any size while it is unpacked.
            default_headers={"Accept-Encoding": "identity"},
            # No redirect is followed, as a key is meant for one host.
            http_client=http(
                event_hooks={"request": [ask], "response": [hold]}, follow_redirects=False, verify=_trusted()
            ),
        )

    def post(self, client: Any, request: dict[str, Any]) -> Any:
        """The response to a request, or what to await for it."""
        return client.post(_PATH, cast_to=http_package().Response, body=request)

    def open(self, client: Any, request: dict[str, Any]) -> Any:
        """The stream of events that answers a request."""
        body = {**request, "stream": True, "stream_options": {"include_usage": True}}
        return client.post(_PATH, cast_to=object, body=body, stream=True, stream_cls=load().Stream[object])


class Bounds:
    """The bytes of an answer, which end with an error where they are too many, or take too long to wait for.

    Attributes:
        endpoint: whose answer it is.
        is_stream: whether a stream was asked for. Of its events, the bytes between two pieces of text count.
        has_events: whether one comes. An endpoint that knows no streams sends one chat completion.
    """

    _source: Any = None

    def __init__(self, endpoint: Endpoint, is_stream: bool) -> None:
        self.endpoint, self.is_stream, self.has_events = endpoint, is_stream, False
        self._attempts = self._bytes = 0
        self._seconds = 0.0

    def ask(self, _: Any) -> None:
        """Say where a request is made again."""
        self._attempts += 1
        if self._attempts > 1:
            _LOG.warning("%s is asked again: attempt %d", self.endpoint.host, self._attempts)

    async def aask(self, request: Any) -> None:
        """The same, for asyncio."""
        self.ask(request)

    def hold(self, response: Any) -> None:
        """Keep an answer that begins within the bounds."""
        self._bytes, self._seconds = 0, 0.0
        is_json = "application/json" in response.headers.get("content-type", "").lower()
        self.has_events = self.is_stream and response.is_success and not is_json
        response.headers.pop("content-encoding", None)
        self._source, response.stream = response.stream, self

    async def ahold(self, response: Any) -> None:
        """The same, for asyncio."""
        self.hold(response)

    def renew(self) -> None:
        """Count the bytes again, as a piece of text has come."""
        self._bytes = 0

    def _take(self, chunk: bytes, began: float) -> None:
        """Count bytes that were waited for.

        Raises:
            LlmError: they are too many.
            ReadTimeout: it takes too long. Each wait has its own limit; many short ones make a long one.
        """
        self._bytes += len(chunk)
        self._seconds += monotonic() - began
        if self._bytes > self.endpoint.max_reply_bytes + (_ENVELOPE if self.has_events else 0):
            raise too_long(self.endpoint.max_reply_bytes)
        if self._seconds > self.endpoint.timeout:
            raise http_package().ReadTimeout("the answer takes too long")

    def __iter__(self) -> Iterator[bytes]:
        began = monotonic()
        for chunk in self._source:
            self._take(chunk, began)
            yield chunk
            began = monotonic()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        began = monotonic()
        async for chunk in self._source:
            self._take(chunk, began)
            yield chunk
            began = monotonic()

    def close(self) -> None:
        """As streams of the package are closed."""
        self._source.close()

    async def aclose(self) -> None:
        """The same, for asyncio."""
        await self._source.aclose()


def _trusted() -> Any:
    """What connections trust. To read all certificates for each call takes longer than all else that is done here."""
    return _read_certificates(*map(os.environ.get, ("SSL_CERT_FILE", "SSL_CERT_DIR")))


@cache
def _read_certificates(*_: str | None) -> Any:
    """Again only where the environment names others."""
    return http_package().create_ssl_context()


@cache
def _bounds_class() -> Any:
    http = http_package()
    return type("Bounds", (Bounds, http.SyncByteStream, http.AsyncByteStream), {})
