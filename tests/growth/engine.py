"""Hostile answers in a run and streams of any size, and what reads them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from planspec_lark import Limits, PlanStep, render_all
from planspec_lark.engine import build_execution_prompt, read_execution, request_reflection
from planspec_lark.llm import LlmError
from planspec_lark.llm.arriving import Arriving
from planspec_lark.llm.transport import Endpoint
from tests.growth.work import Work

__all__ = ["ENGINE_SHAPES", "ENGINE_WORK"]

# The default ones would refuse the long texts at once.
_LONG = Limits(max_depth=64, max_findings=1000)
_STEP = PlanStep("2", step_type="act", outputs=["a"])
_KEY = '"k{0}": 1, '
_ENDPOINT = Endpoint("http://host/v1", "key", 1.0, 10**8)


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
    "events": lambda n: 'data: {"choices": [{"delta": {"content": "ab"}}]}\n\n' * (n // 52),
    "empty events": lambda n: "data:\n\n" * (n // 7),
    "comments": lambda n: ": x\r\n" * (n // 5),
    "one long event": lambda n: 'data: {"choices": [{"delta": {"content": "' + "a" * n,
    "an event of many lines": lambda n: "data: x\n" * (n // 8),
    "refusals": lambda n: 'data: {"choices": [{"delta": {"refusal": "no"}}]}\n\n' * (n // 52),
    "fences": lambda n: "```\n`" * (n // 5),
}


def _receive(text: str, step: int) -> None:
    data = text.encode()
    arriving = Arriving(_ENDPOINT, "model")
    with suppress(LlmError):
        for at in range(0, len(data), step):
            for _ in arriving.feed(data[at : at + step]):
                pass
        for _ in arriving.finish():
            pass
        arriving.reply()


def _prompt(text: str) -> None:
    build_execution_prompt(_STEP, {"a": text}, text.split(" "), text)
    request_reflection("FAIL", text, text, _STEP, True, attempt=1).to_json()


ENGINE_WORK = {
    "read_execution": Work(lambda text: render_all(read_execution(text, _STEP, limits=_LONG).diagnostics)),
    "a stream in large pieces": Work(lambda text: _receive(text, 1 << 16)),
    "a stream in small pieces": Work(lambda text: _receive(text, 3)),
    "prompts of a run": Work(_prompt),
}
