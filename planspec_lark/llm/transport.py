"""Clients of the package `openai` that take no more than they may. The only room that loads it, when it is needed."""

from __future__ import annotations

import asyncio
from functools import cache
from importlib import import_module
from time import monotonic
from typing import Any

from attrs import field, frozen

from planspec_lark.llm.models import LlmError, brief

__all__ = ["Endpoint", "async_client", "http_package", "load", "sync_client"]


@frozen
class Endpoint:
    """Where to ask, and within which bounds: seconds for each attempt, bytes of an answer."""

    base_url: str
    api_key: str = field(repr=False)
    timeout: float
    max_bytes: int

    def quote(self, text: str) -> str:
        """What the endpoint says, in one line and without the key."""
        return brief(text.replace(self.api_key, "[key]"))


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


def sync_client(endpoint: Endpoint) -> Any:
    """A client for one call, to be used in a `with` statement."""
    return load().OpenAI(http_client=_sync_class()(endpoint), **_settings(endpoint))


def async_client(endpoint: Endpoint) -> Any:
    """The same for `async with`. It belongs to the running event loop, as its connections do."""
    return load().AsyncOpenAI(http_client=_async_class()(endpoint), **_settings(endpoint))


def _settings(endpoint: Endpoint) -> dict[str, Any]:
    # Nothing compressed: a small body could grow to any size while it is unpacked.
    headers = {"Accept-Encoding": "identity"}
    return {
        "base_url": endpoint.base_url,
        "api_key": endpoint.api_key,
        "timeout": endpoint.timeout,
        # Whoever uses the client tries again: see `patience`.
        "max_retries": 0,
        "default_headers": headers,
    }


# Both kinds of client follow no redirect, as a key is meant for one host. They read an answer themselves, whatever its
# status, and at most one byte more than is allowed, which tells those who look at it that it is too long. An answer
# that is to come as a stream is left to those who asked for it, unless its status says that it is none.


@cache
def _sync_class() -> Any:
    base: Any = load().DefaultHttpxClient
    http = _http_below(base)

    class BoundedClient(base):  # type: ignore[misc]  # what is loaded late has no type
        def __init__(self, endpoint: Endpoint) -> None:
            super().__init__(timeout=endpoint.timeout, follow_redirects=False, verify=_trusted(http))
            self._endpoint = endpoint

        def send(self, request: Any, *, stream: bool = False, **more: Any) -> Any:
            end = monotonic() + self._endpoint.timeout
            response = super().send(request, stream=True, **more)
            if stream and response.is_success:
                return response
            body = bytearray()
            try:
                for chunk in response.iter_raw():
                    body += chunk
                    if len(body) > self._endpoint.max_bytes:
                        break
                    # Each wait has its own limit; many short ones make a long one.
                    if monotonic() > end:
                        raise http.ReadTimeout("the answer takes too long", request=request)
            finally:
                response.close()
            return _rebuild(http, response, body, self._endpoint)

    return BoundedClient


@cache
def _async_class() -> Any:
    base: Any = load().DefaultAsyncHttpxClient
    http = _http_below(base)

    class AsyncBoundedClient(base):  # type: ignore[misc]  # what is loaded late has no type
        def __init__(self, endpoint: Endpoint) -> None:
            super().__init__(timeout=endpoint.timeout, follow_redirects=False, verify=_trusted(http))
            self._endpoint = endpoint

        async def send(self, request: Any, *, stream: bool = False, **more: Any) -> Any:
            try:
                async with asyncio.timeout(self._endpoint.timeout):
                    return await self._send_bounded(request, stream, **more)
            except TimeoutError:
                raise http.ReadTimeout("the answer takes too long", request=request) from None

        async def _send_bounded(self, request: Any, stream: bool, **more: Any) -> Any:
            response = await super().send(request, stream=True, **more)
            if stream and response.is_success:
                return response
            body = bytearray()
            try:
                async for chunk in response.aiter_raw():
                    body += chunk
                    if len(body) > self._endpoint.max_bytes:
                        break
            finally:
                await response.aclose()
            return _rebuild(http, response, body, self._endpoint)

    return AsyncBoundedClient


def http_package() -> Any:
    """The package on which the package openai stands.

    Raises:
        LlmError: openai is not installed.
    """
    return _http_below(load().DefaultHttpxClient)


def _http_below(client: Any) -> Any:
    """The package on which openai stands: httpx, or from openai 3 on its successor."""
    return import_module(client.__bases__[0].__module__)


@cache
def _trusted(http: Any) -> Any:
    """What is needed to know a host by its certificate. To load that takes longer than all else that a client needs."""
    return http.create_ssl_context()


def _rebuild(http: Any, response: Any, body: bytearray, endpoint: Endpoint) -> Any:
    """A response as it came, but read, and with nothing to unpack."""
    coding = ("content-encoding", "content-length", "transfer-encoding")
    headers = [(name, value) for name, value in response.headers.multi_items() if name.lower() not in coding]
    content = bytes(body[: endpoint.max_bytes + 1])
    return http.Response(response.status_code, headers=headers, content=content, request=response.request)
