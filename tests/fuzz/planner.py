"""What the fuzz job does with messages, contexts and lists of executors."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from hypothesis import strategies as st

from planspec_lark import Diagnostic, parse_plan, render_all, serialize_plan, validate_plan
from planspec_lark.plan_next import (
    Block,
    Context,
    ContextError,
    DoneItem,
    DoneStatus,
    ExecutorsError,
    MessageError,
    Phase,
    PlanNext,
    PlanReturn,
    check_message,
    context_from_json,
    context_to_json,
    context_to_plan,
    parse_message,
    scan_message,
)
from planspec_lark.plan_next.context import close_block, open_block
from planspec_lark.plan_next.executors import read_executors
from planspec_lark.plan_next.results import status_of
from planspec_lark.syntax.safe_text import visible
from tests import strategies
from tests.property import promises

__all__ = ["context_texts", "executors_texts", "message_texts", "try_context", "try_executors", "try_message"]

_FAILED = Context(Block("g", ["a"], [DoneItem("a", "no", DoneStatus.FAILED, ["b"])]))


def _look_at(diagnostics: list[Diagnostic], text: str) -> None:
    promises.are_placed(diagnostics, text)
    shown = render_all(diagnostics)
    assert shown == visible(shown)


def try_message(text: str) -> None:
    """Strictly and tolerantly, in both phases: what strict reading takes, tolerant reading takes as it is."""
    for phase in Phase:
        scan = scan_message(text, phase)
        _look_at(scan.diagnostics, text)
        try:
            message = parse_message(text, phase)
        except MessageError as error:
            assert error.diagnostics
            _look_at(error.diagnostics, text)
        else:
            _look_at(list(message.warnings), text)
            assert scan.message == message
        if scan.message is not None:
            _use(scan.message)


def _use(message: PlanNext | PlanReturn) -> None:
    render_all(check_message(message, _FAILED))
    if isinstance(message, PlanNext):
        _is_sound(open_block(_FAILED, message))
    else:
        status_of(message)
        _is_sound(close_block(_FAILED, message.result, DoneStatus.DONE))


def _is_sound(context: Context) -> None:
    assert context_from_json(context_to_json(context)) == context
    plan = context_to_plan(context)
    assert validate_plan(plan) == []
    assert parse_plan(serialize_plan(plan)) == plan


def try_context(text: str) -> None:
    """A context, with all that is made of it."""
    try:
        context = context_from_json(text)
    except ContextError as error:
        assert error.diagnostics
        _look_at(error.diagnostics, text)
    else:
        _is_sound(context)


def try_executors(text: str) -> None:
    """A list of executors; each of them can be named."""
    try:
        executors = read_executors(text)
    except ExecutorsError as error:
        assert error.diagnostics
        _look_at(error.diagnostics, text)
    else:
        assert all(executors.find(one.id) is one for one in executors.items)


# ---------------------------------------------------------------- inputs

_KEYS = [
    "type", "plan_type", "new_block", "goal", "plan", "done", "success_signal", "executor_call", "command", "inputs",
    "expected_observations", "update_plan", "result", "status", "think", "path", "max_depth", "revision", "outcome",
    "opened_with", "takes_item", "left", "id", "intent", "deliverable", "metric", "constraint", "executors",
    "guarantees", "limits", "side_effects", "description", "",
]  # fmt: skip
_scalars: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 3),
    st.sampled_from([float("nan"), 1e308, 10**400, "plan-next", "plan-return", "EXECUTE", "PLAN_STEPS", "done", ""]),
    strategies.wild,
)
_values: st.SearchStrategy[Any] = st.recursive(
    _scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(_KEYS), inner, max_size=5)),
    max_leaves=10,
)
_block: dict[str, Any] = {"goal": "g", "plan": ["a", "b", "c"], "done": []}
_call = {"command": "shell: x", "inputs": {}, "expected_observations": []}
_item = {"goal": "g", "result": {"a": 1}, "status": "failed", "plan": ["a"], "done": ["b"], "left": ["c"]}
_MESSAGES: list[Any] = [
    {"type": "plan-next", "plan_type": "PLAN_STEPS", "new_block": _block, "success_signal": "s", "update_plan": ["d"]},
    {"type": "plan-next", "plan_type": "EXECUTE", "new_block": {**_block, "plan": []}, "executor_call": _call},
    {"type": "plan-return", "result": "### 完成情况\n未完成\n**提交物**：a\n## Metrics\n约束：b", "status": "done"},
]
_CONTEXTS: list[Any] = [
    {"think": {**_block, "done": ["a", _item]}, "path": [{**_block, "takes_item": False}], "max_depth": 3},
    {"think": _block, "outcome": _item, "revision": 4},
]
_EXECUTORS: list[Any] = [[{"id": "a", "limits": ["b"], "more": 1}], {"executors": [{"id": "a"}, {"id": "b"}]}]


@st.composite
def _changed(draw: st.DrawFn, wholes: list[Any]) -> str:
    """One of some values with others in some of its places, or with a few characters changed, as JSON."""
    root = json.loads(json.dumps(draw(st.sampled_from(wholes))))
    for _ in range(draw(st.integers(0, 3))):
        place = root
        while True:
            keys: list[Any] = [*(place if isinstance(place, dict) else range(len(place)))]
            key = draw(st.sampled_from([*keys, *(_KEYS if isinstance(place, dict) else [])] or [0]))
            if isinstance(place, list) and not keys:
                place.append(draw(_values))
                break
            if key in keys and isinstance(place[key], dict | list) and draw(st.booleans()):
                place = place[key]
                continue
            place[key] = draw(_values)
            break
    text = json.dumps(root, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 2])))
    for _ in range(draw(st.integers(0, 2)) if draw(st.booleans()) else 0):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(strategies.wild) + text[at + draw(st.integers(0, 3)) :]
    return text


_bombs = st.builds(
    lambda head, piece, times, end: head + piece * times + end,
    st.sampled_from(["", '{"think":', '{"type":"plan-next","update_plan":', "executors: "]),
    st.sampled_from(["[", '{"done":[', '{"a":', '"', '"a",', ',"id":1', "- ", "&a ", "x" * 50, "\\"]),
    st.sampled_from([1, 50, 300, 20_000]),
    st.sampled_from(["", "]", "}", "]}"]),
)


@cache
def message_texts() -> st.SearchStrategy[str]:
    """Messages with faults, and other things."""
    fenced = _changed(_MESSAGES).map("Here it is:\n```json\n{}\n```\n".format)
    return st.one_of(_changed(_MESSAGES), _changed(_MESSAGES), fenced, _bombs, strategies.wild)


@cache
def context_texts() -> st.SearchStrategy[str]:
    """Contexts with faults, and other things."""
    return st.one_of(_changed(_CONTEXTS), _changed(_CONTEXTS), _changed(_CONTEXTS), _bombs, strategies.wild)


@cache
def executors_texts() -> st.SearchStrategy[str]:
    """Lists of executors with faults, as JSON, which YAML reads too, and other things."""
    return st.one_of(_changed(_EXECUTORS), _changed(_EXECUTORS), _bombs, strategies.wild)
