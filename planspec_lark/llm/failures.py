"""What the package `openai` raises, as one kind of error with a sentence for each."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from planspec_lark.llm.models import LlmError
from planspec_lark.llm.patience import read_retry_after
from planspec_lark.llm.transport import Endpoint, http_package, load
from planspec_lark.syntax.source import visible_name

__all__ = ["failure_of"]


def failure_of(error: Exception, endpoint: Endpoint, model: str) -> LlmError:
    """What has gone wrong, without the key, and not chained to what was raised: the key is in the request of that."""
    if isinstance(error, LlmError):
        # Where it comes from there may be an answer with the key in it.
        return error.with_traceback(None)
    openai, http = load(), http_package()
    host = visible_name(urlsplit(endpoint.base_url).netloc)
    if isinstance(error, openai.APITimeoutError | http.TimeoutException):
        return LlmError(f"{host} gave no answer within {endpoint.timeout:g} seconds", retryable=True)
    if isinstance(error, openai.APIConnectionError):
        why = endpoint.quote(str(error.__cause__ or ""))
        return LlmError(f"no connection to {host}" + (f": {why}" if why else ""), retryable=True)
    if isinstance(error, http.TransportError):
        # Only a stream comes to this: what reads whole answers is inside the package.
        why = endpoint.quote(str(error))
        return LlmError(f"the connection to {host} is lost" + (f": {why}" if why else ""), retryable=True)
    if isinstance(error, openai.APIStatusError):
        return _refusal_of(error, endpoint, visible_name(model))
    why = endpoint.quote(str(error))
    return LlmError(f"the call of {host} failed: {type(error).__name__}" + (f": {why}" if why else ""))


def _refusal_of(error: Any, endpoint: Endpoint, model: str) -> LlmError:
    status = int(error.status_code)
    text = f"{_SENTENCES.get(status, '') or _sentence_of(status)} ({status})".replace("{model}", model)
    where = error.response.headers.get("location") if status < 400 else None
    said = endpoint.quote(where or _said_in(error.body))
    if said:
        text += f": {said}"
    # Some endpoints know better than their status says.
    usual = status in (408, 409, 429) or status >= 500
    again = {"true": True, "false": False}.get(error.response.headers.get("x-should-retry", ""), usual)
    # A quota that is used up does not come back by waiting a little.
    again = again and error.code != "insufficient_quota"
    return LlmError(text, retryable=again, status=status, retry_after=read_retry_after(error.response.headers))


_SENTENCES = {
    401: "the endpoint refuses the API key",
    403: "the endpoint does not allow this with the API key",
    404: "the endpoint knows no model `{model}`, or the base URL is wrong",
    408: "the endpoint waited too long for the request",
    413: "the prompt is too long for the endpoint",
    429: "the endpoint refuses more calls for now",
}


def _sentence_of(status: int) -> str:
    if status < 400:
        return "the endpoint redirects, which is not followed; set the base URL to where it leads"
    return "the endpoint refuses the request" if status < 500 else "the endpoint has failed"


def _said_in(body: object) -> str:
    """What an endpoint says of an error, in any of the ways in which endpoints do."""
    if isinstance(body, dict):
        body = next((body[key] for key in ("message", "error", "detail") if isinstance(body.get(key), str)), "")
    # A page for browsers says less than the status.
    return body if isinstance(body, str) and not body.lstrip().startswith("<") else ""
