"""From an endpoint's answer to a reply, or to what is wrong with it."""

from __future__ import annotations

import json
from typing import Any

from attrs import evolve

from planspec_lark.engine.models import Answer, Effort
from planspec_lark.llm.failures import told_failure
from planspec_lark.llm.http_endpoint import Endpoint
from planspec_lark.llm.models import LlmError, Reply, Usage
from planspec_lark.syntax.diagnostics import brief

__all__ = ["answer_of", "cut_answer", "lone_surrogate", "read_answer", "read_reply"]

_NO_COMPLETION = "the endpoint's answer is not a chat completion"


def read_reply(body: bytes, endpoint: Endpoint) -> Reply:
    """The reply in the bytes of a chat completion.

    Raises:
        LlmError: there is none. Its traceback knows the body, which may hold the key.
    """
    try:
        answer = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        # What is in it is no help, and a chained error would keep all of it alive.
        answer = None
    if not isinstance(answer, dict):
        raise LlmError("the endpoint's answer is not a JSON object: is the base URL right?")
    return read_answer(answer, endpoint)


def read_answer(answer: dict[str, Any], endpoint: Endpoint) -> Reply:
    """The reply in a chat completion.

    Raises:
        LlmError: there is none.
    """
    message, reason = _choice_of(answer, endpoint)
    named, refusal, text = answer.get("model"), message.get("refusal"), message.get("content")
    if isinstance(refusal, str) and refusal.strip():
        raise LlmError(f"the model refuses to answer: {endpoint.quote(refusal)}", has_answered=True)
    if reason == "content_filter":
        raise LlmError("the endpoint's content filter stopped the answer", has_answered=True)
    reason = reason if isinstance(reason, str) else None
    reply = None
    if isinstance(text, str) and text.strip():
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise lone_surrogate()
        usage = _usage_of(answer.get("usage"))
        reply = Reply(text, named if isinstance(named, str) and named else endpoint.model, reason, usage)
    if reason == "length":
        said = "the answer is cut off: it reached the limit of tokens"
        raise LlmError(said, reply=reply, is_cut=True, has_answered=True)
    if reply is None:
        why = f" (it ended with {brief(reason)})" if reason else ""
        raise LlmError(f"the model's answer holds no text{why}", retryable=True, has_answered=True)
    return reply


def _choice_of(answer: dict[str, Any], endpoint: Endpoint) -> tuple[dict[str, Any], object]:
    """The message of the first choice of a chat completion, and why it ended.

    Raises:
        LlmError: there is none.
    """
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        if answer.get("error"):
            raise told_failure(answer["error"], endpoint)
        raise LlmError(f"{_NO_COMPLETION}: it has no choices", retryable=choices == [])
    message = choices[0].get("message")
    if not isinstance(message, dict):
        raise LlmError(f"{_NO_COMPLETION}: its choice has no message")
    return message, choices[0].get("finish_reason")


def answer_of(reply: Reply) -> Answer:
    """A reply as an answer to a run."""
    usage, effort = reply.usage, Effort(1, model=reply.model)
    if usage is not None:
        tokens = {"input_tokens": usage.prompt_tokens, "output_tokens": usage.completion_tokens}
        effort = evolve(effort, tokens=usage.total_tokens, **tokens)
    return Answer(reply.text, effort, reply.finish_reason or "")


def cut_answer(error: LlmError) -> Answer:
    """What came of an answer that was cut off, as an answer to a run."""
    return Answer("", finish_reason="length") if error.reply is None else answer_of(error.reply)


def lone_surrogate() -> LlmError:
    """That an answer has half of a surrogate pair."""
    return LlmError("the model's answer has a lone surrogate", retryable=True, has_answered=True)


def _usage_of(value: object) -> Usage | None:
    if not isinstance(value, dict):
        return None
    prompt, completion, total = (_count(value.get(f"{name}_tokens")) for name in ("prompt", "completion", "total"))
    if prompt is None or completion is None:
        return None
    return Usage(prompt, completion, prompt + completion if total is None else total)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
