"""What the fuzz job does with answers in a run, and with streams of language models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache

from hypothesis import strategies as st

from planspec_lark import PlanStep, Severity, render_all
from planspec_lark.engine import (
    OperatorResult,
    build_answer_repair_prompt,
    read_execution,
    request_execution,
    request_generation,
    request_reflection,
    request_replan,
)
from planspec_lark.llm import LlmError
from planspec_lark.llm.http_endpoint import Endpoint
from planspec_lark.llm.partial_reply import PartialReply
from planspec_lark.syntax.safe_text import visible
from tests import strategies
from tests.property import promises

__all__ = ["answer_texts", "stream_texts", "try_answer", "try_stream"]

_STEPS = [
    PlanStep("2", step_type="act", outputs=["a", "b"]),
    PlanStep("3", step_type="decide", children=[PlanStep("3.1", step_type="act"), PlanStep("3.2", step_type="act")]),
    PlanStep("4", step_type="reason"),
]
_PARTS = [
    '"status": "OK"', '"status": "fail"', '"status": null', '"result": "x"', '"result": "\\u001b\\n"', '"result": {}',
    '"outputs": {"a": 1, "b": [2]}', '"outputs": {"c": 1}', '"outputs": [', '"branch": "3.1"', '"branch": 3.1',
    '"branch": "3.2."', '"x": NaN', '"status"', "{", "}", ",", "\\ud800", "```json\n", "</think>", "\x1b", "\u202e",
]  # fmt: skip


@cache
def answer_texts() -> st.SearchStrategy[str]:
    """Answers to an execution prompt with faults, and other things."""
    parts = st.lists(st.sampled_from(_PARTS) | strategies.wild, max_size=6)
    return st.one_of(parts.map(lambda some: "{" + ", ".join(some) + "}"), parts.map("".join), strategies.wild)


def try_answer(text: str) -> None:
    """As an answer to each kind of step, and as whatever else a prompt shows."""
    for step in _STEPS:
        scan = read_execution(text, step)
        promises.are_placed(scan.diagnostics, text)
        shown = render_all(scan.diagnostics)
        assert shown == visible(shown)
        assert (scan.answer is None) == any(found.severity is Severity.ERROR for found in scan.diagnostics)
        if scan.answer is not None:
            _use(scan.answer, step)
        prompt = build_answer_repair_prompt(text, scan.diagnostics, "execution")
        assert prompt == visible(prompt)
    _show(text)


def _use(answer: OperatorResult, step: PlanStep) -> None:
    PlanStep("1", result=answer.result)
    again = {"status": answer.status.value, "result": answer.result, "outputs": answer.outputs}
    if answer.branch:
        again["branch"] = answer.branch
    assert read_execution(json.dumps(again), step).answer == answer


def _show(text: str) -> None:
    step = _STEPS[0]
    for request in (
        request_generation(text, constraints=[text], previous=text),
        request_execution(step, {"a": text}, [text] * 3, text, max_history=len(text), max_plan=len(text) // 2),
        request_reflection("FAIL", text, text, step, True, attempt=1),
        request_replan(text, history=[{"a": text}], missing=[text]),
        request_replan(text, container=step),
    ):
        assert request.prompt == visible(request.prompt)
        assert request.to_json() == visible(request.to_json())
        assert json.loads(request.to_json())["prompt"] == request.prompt


# ---------------------------------------------------------------- streams

_EVENTS = [
    '{"choices": [{"delta": {"content": "a"}}]}',
    '{"choices": [{"delta": {"content": "\\ud83d"}}]}',
    '{"choices": [{"delta": {"content": "\\udc4b"}, "finish_reason": "stop"}]}',
    '{"choices": [{"delta": {"refusal": "no"}}]}', '{"choices": [3]}', '{"choices": [{"delta": 3}]}', "[]",
    '{"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2}}', '{"model": 3}', "{", "[" * 500,
]  # fmt: skip


@cache
def stream_texts() -> st.SearchStrategy[str]:
    """Streams with faults, and other things."""
    return st.lists(st.sampled_from(_EVENTS) | strategies.wild, max_size=8).map("\n".join)


def try_stream(text: str) -> None:
    """Each line is an event, where it is JSON."""
    partial, pieces, failure = (
        PartialReply(Endpoint("model", base_url="http://host/v1", api_key="key", max_reply_bytes=5000)),
        "",
        None,
    )
    try:
        for event in _events_of(text):
            pieces += partial.add(event)
    except LlmError as error:
        failure = error
    reply = partial.finish(failure)
    if isinstance(reply, LlmError):
        assert str(reply) == visible(str(reply))
    else:
        assert reply.text == pieces


def _events_of(text: str) -> Iterator[object]:
    for line in text.splitlines():
        try:
            yield json.loads(line)
        except (ValueError, RecursionError):
            yield line
