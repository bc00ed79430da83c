"""An endpoint, and clients for it that read no more than they may. The only module that loads the package `openai`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from functools import cache
from importlib import import_module
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from attrs import define, field, frozen

from planspec_lark.llm.meter import Meter
from planspec_lark.llm.models import LlmError, brief, too_long
from planspec_lark.syntax.source import visible_name

__all__ = ["Bounds", "Endpoint", "http_package", "load"]

_PATH = "/chat/completions"
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
    """The package on which openai stands: httpx, or from openai 3 on its successor."""
    return import_module(load().DefaultHttpxClient.__base__.__module__)


@frozen
class Endpoint:
    """Whom to ask, and within which bounds: seconds for each attempt, bytes of an answer."""

    base_url: str
    api_key: str = field(repr=False)
    model: str
    timeout: float = 60.0
    max_retries: int = 0
    max_bytes: int = 1_000_000
    meter: Meter | None = None

    @property
    def host(self) -> str:
        """The host, safe to show."""
        return visible_name(urlsplit(self.base_url).netloc)

    def quote(self, text: str) -> str:
        """What the endpoint says, in one line and without the key."""
        return brief(text.replace(self.api_key, "[key]"))

    def note(self, usage: Any) -> None:
        """Let the meter know of an answer."""
        if self.meter is not None:
            self.meter.note(usage)

    def client(self, bounds: Bounds) -> Any:
        """A client for one call, to be used in a `with` statement."""
        http = load().DefaultHttpxClient(event_hooks={"response": [bounds.hold]}, follow_redirects=False)
        return load().OpenAI(http_client=http, **self._settings())

    def async_client(self, bounds: Bounds) -> Any:
        """The same for `async with`. It belongs to the running event loop, as its connections do."""

        async def hold(response: Any) -> None:
            bounds.hold(response)

        # No redirect is followed, as a key is meant for one host.
        http = load().DefaultAsyncHttpxClient(event_hooks={"response": [hold]}, follow_redirects=False)
        return load().AsyncOpenAI(http_client=http, **self._settings())

    def _settings(self) -> dict[str, Any]:
        return {
            "base_url": self.base_url,
            "api_key": self.api_key,
            "timeout": self.timeout,
            "max_retries": self.max_retries,
            # Nothing compressed: a small body could grow to any size while it is unpacked.
            "default_headers": {"Accept-Encoding": "identity"},
        }

    def post(self, client: Any, request: dict[str, Any]) -> Any:
        """The response to a request, or what to await for it."""
        return client.post(_PATH, cast_to=http_package().Response, body=request)

    def open(self, client: Any, request: dict[str, Any]) -> Any:
        """The stream of events that answers a request, or what to await for it."""
        package = load()
        kind = package.Stream if isinstance(client, package.OpenAI) else package.AsyncStream
        body = {**request, "stream": True, "stream_options": {"include_usage": True}}
        return client.post(_PATH, cast_to=object, body=body, stream=True, stream_cls=kind[object])


@define
class Bounds:
    """How much of an answer is read: so many bytes, for so many seconds of waiting.

    Attributes:
        endpoint: whose answer it is.
        is_stream: whether a stream was asked for. Of its events, the bytes between two pieces of text count.
        has_events: whether one comes. An endpoint that knows no streams sends one chat completion.
    """

    endpoint: Endpoint
    is_stream: bool = False
    has_events: bool = field(default=False, init=False)
    _bytes: int = field(default=0, init=False)
    _seconds: float = field(default=0.0, init=False)

    def hold(self, response: Any) -> None:
        """Keep an answer that begins within the bounds."""
        self._bytes, self._seconds = 0, 0.0
        is_json = "application/json" in response.headers.get("content-type", "").lower()
        self.has_events = self.is_stream and response.is_success and not is_json
        response.headers.pop("content-encoding", None)
        response.stream = _bounded_class()(response.stream, self)

    def renew(self) -> None:
        """Count the bytes anew, as a piece of text has come."""
        self._bytes = 0

    def take(self, chunk: bytes, began: float) -> None:
        """Count bytes that somebody has waited for.

        Raises:
            LlmError: they are too many.
            ReadTimeout: it takes too long. Each wait has its own limit; many short ones make a long one.
        """
        self._bytes += len(chunk)
        self._seconds += monotonic() - began
        if self._bytes > self.endpoint.max_bytes + (_ENVELOPE if self.has_events else 0):
            raise too_long(self.endpoint.max_bytes)
        if self._seconds > self.endpoint.timeout:
            raise http_package().ReadTimeout("the answer takes too long")


@define
class _Bounded:
    """The bytes of an answer within bounds. What their reader does in between is not counted."""

    source: Any
    bounds: Bounds

    def __iter__(self) -> Iterator[bytes]:
        began = monotonic()
        for chunk in self.source:
            self.bounds.take(chunk, began)
            yield chunk
            began = monotonic()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        began = monotonic()
        async for chunk in self.source:
            self.bounds.take(chunk, began)
            yield chunk
            began = monotonic()

    def close(self) -> None:
        self.source.close()

    async def aclose(self) -> None:
        await self.source.aclose()


@cache
def _bounded_class() -> Any:
    http = http_package()
    return type("BoundedStream", (_Bounded, http.SyncByteStream, http.AsyncByteStream), {})
