"""What the package `openai` raises, as one kind of error with a sentence for each."""

from __future__ import annotations

from typing import Any

from planspec_lark.llm.http_endpoint import Endpoint, http_package, load
from planspec_lark.llm.models import LlmError
from planspec_lark.syntax.safe_text import visible_name

__all__ = ["failure_of", "no_event", "told_failure"]


def failure_of(error: Exception, endpoint: Endpoint) -> LlmError:
    """What has gone wrong, without the key, and not chained to what was raised: the key is in the request of that."""
    if isinstance(error, LlmError):
        # Where it comes from there may be an answer with the key in it.
        return error.with_traceback(None)
    openai, http = load(), http_package()
    if isinstance(error, openai.APIStatusError):
        return _refusal_of(error, endpoint)
    why = endpoint.quote(str(error.__cause__ or error))
    if isinstance(error, openai.APITimeoutError | http.TimeoutException):
        return LlmError(f"{endpoint.host} gave no answer within {endpoint.timeout:g} seconds", retryable=True)
    if isinstance(error, openai.APIConnectionError | http.TransportError):
        return LlmError(f"the connection to {endpoint.host} failed: {why}", retryable=True)
    if isinstance(error, openai.APIError):
        return told_failure(error.body, endpoint)
    is_no_json = isinstance(error, ValueError | RecursionError)
    return no_event() if is_no_json else LlmError(f"the call of {endpoint.host} failed: {type(error).__name__}: {why}")


def _refusal_of(error: Any, endpoint: Endpoint) -> LlmError:
    status = int(error.status_code)
    sentence = _SENTENCES.get(status) or next(text for least, text in _OTHERS.items() if status >= least)
    text = f"{sentence} ({status})".replace("{model}", visible_name(endpoint.model))
    said = endpoint.quote(_said_in(error.body) if status >= 400 else error.response.headers.get("location", ""))
    # A quota that is used up does not come back by waiting a little.
    again = (status in (408, 409, 429) or status >= 500) and error.code != "insufficient_quota"
    return LlmError(f"{text}: {said}" if said else text, retryable=again, status=status)


_SENTENCES = {
    401: "the endpoint refuses the API key",
    403: "the endpoint does not allow this with the API key",
    404: "the endpoint knows no model `{model}`, or the base URL is wrong",
    408: "the endpoint waited too long for the request",
    413: "the prompt is too long for the endpoint",
    429: "the endpoint refuses more calls for now",
}
# By the least status.
_OTHERS = {
    500: "the endpoint has failed",
    400: "the endpoint refuses the request",
    0: "the endpoint redirects, which is not followed; set the base URL to where it leads",
}


def no_event() -> LlmError:
    """That a stream has something in it that is no event of an answer."""
    return LlmError("the endpoint's stream has an event that is not a JSON object")


def told_failure(said: object, endpoint: Endpoint) -> LlmError:
    """That an answer holds an error in place of a reply."""
    return LlmError(f"the endpoint answers with an error: {endpoint.quote(_said_in(said)) or 'unnamed'}")


def _said_in(body: object) -> str:
    """What an endpoint says of an error, in any of the ways in which endpoints do."""
    if isinstance(body, dict):
        body = next((body[key] for key in ("message", "error", "detail") if isinstance(body.get(key), str)), "")
    # A page for browsers says less than the status.
    return body if isinstance(body, str) and not body.lstrip().startswith("<") else ""
