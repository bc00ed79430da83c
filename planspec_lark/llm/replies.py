"""From the body of an endpoint's answer to a reply, or to what is wrong with it."""

from __future__ import annotations

import json
from typing import Any

from planspec_lark.llm.models import LlmError, Reply, Usage, brief

__all__ = ["read_reply"]


def read_reply(body: bytes, most: int, model: str) -> Reply:
    """The reply in a chat completion of at most so many bytes.

    Raises:
        LlmError: it is too long, no chat completion, or without a whole text, which was cut off, filtered or refused.
    """
    if len(body) > most:
        raise LlmError(f"the endpoint's answer has more than the {most:,} bytes that are allowed")
    answer = _decode(body)
    choice = _first_choice(answer)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise LlmError("the endpoint's answer is no chat completion: its choice has no message")
    reason = choice.get("finish_reason")
    reason = reason if isinstance(reason, str) else None
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal.strip():
        raise LlmError(f"the model refuses to answer: {brief(refusal)}")
    if reason == "content_filter":
        raise LlmError("the endpoint's content filter stopped the answer")
    text = _text_of(message)
    named = answer.get("model")
    reply = Reply(text, named if isinstance(named, str) and named else model, reason, _usage_of(answer.get("usage")))
    if reason == "length":
        raise LlmError("the answer is cut off: it reached the limit of tokens", reply=reply if text else None)
    if not text:
        why = f" (it ended with {brief(reason)})" if reason else ""
        raise LlmError(f"the model's answer holds no text{why}", retryable=True)
    return reply


def _decode(body: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        # What is in it is no help, and a chained error would keep all of it alive.
        answer = None
    if not isinstance(answer, dict):
        raise LlmError("the endpoint's answer is no JSON object: is the base URL right?")
    return answer


def _first_choice(answer: dict[str, Any]) -> dict[str, Any]:
    choices = answer.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    error = answer.get("error")
    if error:
        named = error.get("message") if isinstance(error, dict) else error
        said = brief(named) if isinstance(named, str) else ""
        raise LlmError(f"the endpoint answers with an error: {said or 'unnamed'}")
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
    raise LlmError(f"the model's answer has a lone surrogate at character {at + 1:,}", retryable=True)


def _usage_of(value: object) -> Usage | None:
    if not isinstance(value, dict):
        return None
    prompt, completion, total = (_count(value.get(f"{name}_tokens")) for name in ("prompt", "completion", "total"))
    if prompt is None or completion is None:
        return None
    return Usage(prompt, completion, prompt + completion if total is None else total)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
