"""Hostile answers in a run and streams of any size, and what reads them."""

from __future__ import annotations

import json
from collections.abc import Callable

from planspec_lark import PlanStep, render_all
from planspec_lark.engine import read_execution, request_execution, request_reflection
from planspec_lark.llm import LlmError
from planspec_lark.llm.http_endpoint import Endpoint
from planspec_lark.llm.partial_reply import PartialReply
from planspec_lark.syntax import Limits
from tests.growth.work import Work

__all__ = ["ENGINE_SHAPES", "ENGINE_WORK"]

# The default ones would refuse the long texts at once.
_LONG = Limits(max_depth=64, max_findings=1000)
_STEP = PlanStep("2", step_type="act", outputs=["a"])
_KEY = '"k{0}": 1, '
_ENDPOINT = Endpoint("model", base_url="http://host/v1", api_key="key", max_reply_bytes=10**8)


def _many(piece: str, size: int) -> str:
    return "".join(piece.format(number) for number in range(1 + size // len(piece)))


def _answer(size: int, piece: str) -> str:
    return f'{{"status": "OK", {_many(piece, size)}"result": "x", "outputs": {{"a": 1}}}}'


# Name → the text of about so many characters.
ENGINE_SHAPES: dict[str, Callable[[int], str]] = {
    "unknown fields": lambda n: _answer(n, _KEY),
    "unknown outputs": lambda n: f'{{"status": "OK", "result": "x", "outputs": {_answer(n, _KEY)}}}',
    "a long status": lambda n: f'{{"status": "{"_ " * (n // 2)}", "result": "x"}}',
    "a long result": lambda n: f'{{"status": "OK", "result": "{"x " * (n // 2)}"}}',
    "many objects": lambda n: '{"status": "OK"} ' * (n // 17),
    "events": lambda n: '{"choices": [{"delta": {"content": "ab"}}]}\n' * (n // 45),
    "halves of characters": lambda n: '{"choices": [{"delta": {"content": "\\ud83d"}}]}\n' * (n // 49),
    "one long event": lambda n: f'{{"choices": [{{"delta": {{"content": "{"a" * n}"}}}}]}}',
    "refusals": lambda n: '{"choices": [{"delta": {"refusal": "no"}}]}\n' * (n // 45),
    "fences": lambda n: "```\n`" * (n // 5),
}


def _receive(text: str) -> None:
    partial, failure = PartialReply(_ENDPOINT), None
    try:
        for event in map(json.loads, text.splitlines()):
            partial.add(event)
    except LlmError as error:
        failure = error
    except ValueError:
        pass
    partial.finish(failure)


def _prompt(text: str) -> None:
    request_execution(_STEP, {"a": text}, text.split(" "), text).to_json()
    request_reflection("FAIL", text, text, _STEP, True, attempt=1).to_json()


ENGINE_WORK = {
    "read_execution": Work(lambda text: render_all(read_execution(text, _STEP, limits=_LONG).diagnostics)),
    "a stream": Work(_receive),
    "prompts of a run": Work(_prompt),
}
