"""From the body of an endpoint's answer to a reply, or to what is wrong with it."""

from __future__ import annotations

import json
from typing import Any

from planspec_lark.llm.metering import Meter
from planspec_lark.llm.models import LlmError, Reply, Usage, brief
from planspec_lark.llm.transport import Endpoint

__all__ = ["decode_object", "lone_surrogate", "raise_error_in", "read_reply", "reply_in", "too_long"]


def read_reply(body: bytes, endpoint: Endpoint, model: str, meter: Meter | None = None) -> Reply | LlmError:
    """The reply in a chat completion of so many bytes as are allowed; or why there is none.

    That is returned, without a traceback, as the body may hold the key.
    """
    try:
        return _read_body(body, endpoint, model, meter)
    except LlmError as error:
        return error.with_traceback(None)


def reply_in(answer: dict[str, Any], endpoint: Endpoint, model: str, meter: Meter | None = None) -> Reply | LlmError:
    """The same for a chat completion that is decoded already. The meter gets to know its tokens, whatever is wrong."""
    try:
        return _read_answer(answer, endpoint, model, meter)
    except LlmError as error:
        return error.with_traceback(None)


def _read_body(body: bytes, endpoint: Endpoint, model: str, meter: Meter | None) -> Reply:
    if len(body) > endpoint.max_bytes:
        raise too_long(endpoint.max_bytes)
    answer = decode_object(body)
    if answer is None:
        raise LlmError("the endpoint's answer is no JSON object: is the base URL right?")
    return _read_answer(answer, endpoint, model, meter)


def _read_answer(answer: dict[str, Any], endpoint: Endpoint, model: str, meter: Meter | None) -> Reply:
    choice = _first_choice(answer, endpoint)
    usage = _usage_of(answer.get("usage"))
    if meter is not None:
        meter.note(usage)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise LlmError("the endpoint's answer is no chat completion: its choice has no message")
    reason = choice.get("finish_reason")
    reason = reason if isinstance(reason, str) else None
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal.strip():
        raise LlmError(f"the model refuses to answer: {endpoint.quote(refusal)}", has_answered=True)
    if reason == "content_filter":
        raise LlmError("the endpoint's content filter stopped the answer", has_answered=True)
    text = _text_of(message)
    named = answer.get("model")
    reply = Reply(text, named if isinstance(named, str) and named else model, reason, usage)
    if reason == "length":
        why = "the answer is cut off: it reached the limit of tokens"
        raise LlmError(why, reply=reply if text else None, has_answered=True)
    if not text:
        why = f" (it ended with {brief(reason)})" if reason else ""
        raise LlmError(f"the model's answer holds no text{why}", retryable=True, has_answered=True)
    return reply


def too_long(most: int) -> LlmError:
    """That an answer is longer than is allowed."""
    return LlmError(f"the endpoint's answer has more than the {most:,} bytes that are allowed", has_answered=True)


def lone_surrogate(before: int) -> LlmError:
    """That an answer has half of a surrogate pair behind so many characters."""
    why = f"the model's answer has a lone surrogate at character {before + 1:,}"
    return LlmError(why, retryable=True, has_answered=True)


def decode_object(body: bytes) -> dict[str, Any] | None:
    """The JSON object that these bytes are, or None."""
    try:
        value = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        # What is in it is no help, and a chained error would keep all of it alive.
        return None
    return value if isinstance(value, dict) else None


def raise_error_in(answer: dict[str, Any], endpoint: Endpoint) -> None:
    """Raise what an endpoint says of an error, where it says something."""
    error = answer.get("error")
    if error:
        named = error.get("message") if isinstance(error, dict) else error
        said = endpoint.quote(named) if isinstance(named, str) else ""
        raise LlmError(f"the endpoint answers with an error: {said or 'unnamed'}")


def _first_choice(answer: dict[str, Any], endpoint: Endpoint) -> dict[str, Any]:
    choices = answer.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    raise_error_in(answer, endpoint)
    raise LlmError("the endpoint's answer is no chat completion: it has no choices", retryable=choices == [])


def _text_of(message: dict[str, Any]) -> str:
    """The text, or "" if there is none but white space."""
    text = message.get("content")
    if not isinstance(text, str) or not text.strip():
        return ""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        at = error.start
    else:
        return text
    raise lone_surrogate(at)


def _usage_of(value: object) -> Usage | None:
    if not isinstance(value, dict):
        return None
    prompt, completion, total = (_count(value.get(f"{name}_tokens")) for name in ("prompt", "completion", "total"))
    if prompt is None or completion is None:
        return None
    return Usage(prompt, completion, prompt + completion if total is None else total)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
