"""The canonical text of commands, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from planspec_lark import PlanCommand, parse_plan_commands, serialize_commands


@pytest.mark.parametrize(
    ("command", "text"),
    [
        (PlanCommand("DONE", "1"), "PLAN_CMD: DONE 1\n"),
        (PlanCommand("BLOCKED", "1.2", result="a | b"), "PLAN_CMD: BLOCKED 1.2 | a | b\n"),
        (PlanCommand("SKIP", "0", result="\\| x"), "PLAN_CMD: SKIP 0 | \\| x\n"),
        (PlanCommand("DONE", "1", result="| a |"), "PLAN_CMD: DONE 1 | | a |\n"),
        (PlanCommand("DONE", "1", result="Progress: 3"), "PLAN_CMD: DONE 1 | Progress: 3\n"),
        (PlanCommand("REPLAN", "4"), "PLAN_CMD: REPLAN 4\n"),
        (PlanCommand("REPLAN", "all", result="why"), "PLAN_CMD: REPLAN ALL | why\n"),
        (PlanCommand("EXPAND", "4"), "PLAN_CMD: EXPAND 4\n"),
        (PlanCommand("COLLAPSE", "4"), "PLAN_CMD: COLLAPSE 4\n"),
        (PlanCommand("ADD", "1", "act"), "PLAN_CMD: ADD 1 [act]\n"),
        (PlanCommand("ADD", "1", "x", "a | b → c"), "PLAN_CMD: ADD 1 [x] a | b → c\n"),
        (PlanCommand("ADD", "1", "act", "→ c"), "PLAN_CMD: ADD 1 [act] → c\n"),
        (
            PlanCommand("REVISE", "1", "act", "a", detail=["", "  b ", "← c", "> d"]),
            "PLAN_CMD: REVISE 1 [act] a\n>\n>   b \n> ← c\n> > d\n",
        ),
    ],
)
def test_a_command_is_printed_and_reads_back(command: PlanCommand, text: str) -> None:
    assert serialize_commands([command]) == text
    assert parse_plan_commands(text) == [command]


def test_commands_stand_below_each_other() -> None:
    commands = [PlanCommand("ADD", "1", "act", detail=["a"]), PlanCommand("DONE", "1")]
    text = "PLAN_CMD: ADD 1 [act]\n> a\nPLAN_CMD: DONE 1\n"
    assert serialize_commands(commands) == text
    assert serialize_commands(iter(commands)) == text
    assert serialize_commands([]) == ""


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
