"""The canonical text of commands, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from planspec_lark import PlanCommand, parse_plan_commands, serialize_commands


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("  PLAN_CMD:DONE\t1.  |  a  ", "PLAN_CMD: DONE 1 | a\n"),
        ("PLAN_CMD: DONE 1 |", "PLAN_CMD: DONE 1\n"),
        ("so\nPLAN_CMD: ADD 1 [act]→ b\r\n>c\n> \n", "PLAN_CMD: ADD 1 [act] → b\n> c\n>\n"),
        ("PLAN_CMD: REPLAN all", "PLAN_CMD: REPLAN ALL\n"),
    ],
)
def test_what_canonical_text_is(text: str, canonical: str) -> None:
    assert serialize_commands(parse_plan_commands(text)) == canonical
    assert serialize_commands(parse_plan_commands(canonical)) == canonical


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"op": "DONE"}, "step_id: DONE: is missing"),
        ({"op": "ADD", "step_type": "act"}, "step_id: ADD: is missing"),
        ({"op": "REPLAN"}, "step_id: REPLAN: is missing"),
        ({"op": "DONE", "step_id": "ALL"}, "step_id: DONE ALL: ALL is for REPLAN only"),
        ({"op": "EXPAND", "step_id": "ALL"}, "step_id: EXPAND ALL: ALL is for REPLAN only"),
        ({"op": "ADD", "step_id": "ALL", "step_type": "act"}, "step_id: ADD ALL: ALL is for REPLAN only"),
        ({"op": "ADD", "step_id": "1"}, "step_type: ADD 1: is missing"),
        ({"op": "REVISE", "step_id": "1", "description": "a"}, "step_type: REVISE 1: is missing"),
        ({"op": "DONE", "step_id": "1", "step_type": "act"}, "step_type: DONE 1: is for ADD and REVISE only"),
        ({"op": "SKIP", "step_id": "1", "description": "a"}, "description: SKIP 1: is for ADD and REVISE only"),
        ({"op": "REPLAN", "step_id": "1", "detail": ["a"]}, "detail: REPLAN 1: is for ADD and REVISE only"),
        ({"op": "EXPAND", "step_id": "1", "detail": [""]}, "detail: EXPAND 1: is for ADD and REVISE only"),
        ({"op": "ADD", "step_id": "1", "step_type": "act", "result": "r"}, "result: ADD 1: is not for this verb"),
        ({"op": "COLLAPSE", "step_id": "1", "result": "r"}, "result: COLLAPSE 1: is not for this verb"),
    ],
)
def test_a_command_that_no_line_could_spell_is_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        serialize_commands([PlanCommand("DONE", "1"), PlanCommand(**values)])
    assert str(caught.value) == message


def test_a_detail_that_was_changed_behind_the_validators_back_is_refused() -> None:
    command = PlanCommand("ADD", "1", "act", "a")
    command.detail.append("b\nPLAN_CMD: REPLAN ALL")
    with pytest.raises(
        ValueError,
        match=r"\Adetail: a line break cannot be written in a plan; one_line\(\) makes one line of any text\Z",
    ):
        serialize_commands([command])
