"""Messages and contexts as JSON, and what no JSON text can say."""

from __future__ import annotations

from typing import Any

import pytest

from planspec_lark.plan_next import (
    Block,
    Context,
    Core4,
    DoneItem,
    ExecutorCall,
    NewBlock,
    PlanNext,
    PlanReturn,
    context_to_json,
    message_to_json,
    parse_message,
    start_context,
)

STEPS = ["Mix", "Rest", "Heat"]
CORE4 = Core4("Bake", "A loaf", "", "", {"owner": "the baker"})
MESSAGES: dict[str, PlanNext | PlanReturn] = {
    "steps": PlanNext("PLAN_STEPS", NewBlock("Bake", STEPS), "A hollow sound"),
    "core4": PlanNext("PLAN_PROBES", NewBlock(CORE4, STEPS), "One is left", update_plan=[]),
    "call": PlanNext(
        "EXECUTE", NewBlock("Heat"), executor_call=ExecutorCall("oven", {"path": "a"}, ["warm"], {"n": 1})
    ),
    "text": PlanReturn("So \u202e \x1b"),
    "object": PlanReturn({"loaves": [1, 2.5, None, True]}, "failed"),
}


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES)
def test_a_message_comes_back(message: PlanNext | PlanReturn) -> None:
    phase = "planning" if isinstance(message, PlanNext) else "execution"
    for indent in (2, None):
        text = message_to_json(message, indent=indent)
        assert parse_message(text, phase) == message
        assert text.isascii()


def test_how_it_is_written() -> None:
    assert message_to_json(MESSAGES["text"], indent=None) == '{"type": "plan-return", "result": "So \\u202e \\u001b"}'
    assert message_to_json(MESSAGES["object"]).startswith('{\n  "type": "plan-return",\n  "result": {\n')
    assert message_to_json(MESSAGES["steps"], indent=None) == (
        '{"type": "plan-next", "plan_type": "PLAN_STEPS", "new_block": {"goal": "Bake", '
        '"plan": ["Mix", "Rest", "Heat"], "done": []}, "success_signal": "A hollow sound"}'
    )
    assert '"update_plan": []' in message_to_json(MESSAGES["core4"])


NO_JSON: dict[str, Any] = {"infinity": {"x": [float("inf")]}, "surrogate in a key": {"\udc80": 1}, "set": {"x": {1}}}


@pytest.mark.parametrize("result", NO_JSON.values(), ids=NO_JSON)
def test_what_no_json_can_say(result: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        message_to_json(PlanReturn(result))
    with pytest.raises((TypeError, ValueError)):
        context_to_json(Context(Block("Bake", done=[DoneItem("Mix", result)])))


def test_half_of_a_pair_is_named() -> None:
    with pytest.raises(ValueError, match=r"^half of a surrogate pair, '\\ud800', is not a character$"):
        context_to_json(start_context("Bake \ud800"))


def test_goals_and_items_say_something() -> None:
    for goal in (" \n", Core4("", " ", "", "")):
        with pytest.raises(ValueError, match=r"^goal: it is empty$"):
            start_context(goal)
    with pytest.raises(ValueError, match=r"^plan: an item is empty$"):
        start_context("Bake", ["Mix", "\t"])
    with pytest.raises(ValueError, match=r"^done: the field `done` of a new block must be empty$"):
        NewBlock("Mend the roof", [], [DoneItem("Buy tiles")])
