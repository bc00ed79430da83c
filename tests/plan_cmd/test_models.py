"""What a command may hold."""

from __future__ import annotations

from typing import Any

import pytest

from planspec_lark import PlanCommand
from tests.cases import in_one_test

COMMAND: dict[str, Any] = {
    "op": "ADD",
    "step_id": "2.1",
    "step_type": "act",
    "description": "a → b",
    "result": "r",
    "detail": ["← c"],
}
_OPS = "DONE, BLOCKED, SKIP, ADD, REVISE, REPLAN, EXPAND, COLLAPSE"
_TYPE = "a type (a letter or `_`, then letters, digits and `_`)"
_ADVICE = "one_line() makes one line of any text"

WRONG = [
    *(
        ("op", value, ValueError, f"op: {value!r} is not one of {_OPS}")
        for value in ("", "done", "DROP", " DONE", None, 1)
    ),
    *(
        ("step_id", value, ValueError, f"step_id: {value!r} is not numbers joined by dots, such as '2.1', or 'ALL'")
        for value in ("1.", "01", "a", "ALL 1", " ALL", "1234567890")
    ),
    ("step_id", "1\n", ValueError, "step_id: a line break cannot be written in a plan"),
    ("step_id", None, TypeError, "step_id: expected a string, not NoneType"),
    ("step_id", 1, TypeError, "step_id: expected a string, not int"),
    *(
        ("step_type", value, ValueError, f"step_type: {value!r} is not {_TYPE}")
        for value in ("[act]", "a b", "行动", " ")
    ),
    ("step_type", None, TypeError, "step_type: expected a string, not NoneType"),
    (
        "description",
        " a",
        ValueError,
        f"description: white space around ' a' would be lost; {_ADVICE}",
    ),
    (
        "description",
        "a\nb",
        ValueError,
        f"description: a line break cannot be written in a plan; {_ADVICE}",
    ),
    (
        "description",
        "a\x7f",
        ValueError,
        f"description: the forbidden character U+007F cannot be written in a plan; {_ADVICE}",
    ),
    (
        "result",
        "a\t",
        ValueError,
        f"result: white space around 'a\\t' would be lost; {_ADVICE}",
    ),
    (
        "result",
        "\udc00",
        ValueError,
        f"result: the forbidden character U+DC00 cannot be written in a plan; {_ADVICE}",
    ),
    ("result", None, TypeError, "result: expected a string, not NoneType"),
    ("detail", "a", TypeError, "detail: expected a list, not str"),
    (
        "detail",
        ["a\nb"],
        ValueError,
        f"detail: a line break cannot be written in a plan; {_ADVICE}",
    ),
    ("detail", [1], TypeError, "detail: expected a string, not int"),
]


@in_one_test
@pytest.mark.parametrize(
    ("name", "value", "kind", "message"), WRONG, ids=[f"{name}={value!a}" for name, value, *_ in WRONG]
)
def test_a_command_that_no_line_could_hold_is_not_built(
    name: str, value: Any, kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind) as caught:
        PlanCommand(**{**COMMAND, name: value})
    assert str(caught.value) == message
    command = PlanCommand(**COMMAND)
    with pytest.raises(kind) as caught:
        setattr(command, name, value)
    assert str(caught.value) == message
    assert command == PlanCommand(**COMMAND)


@pytest.mark.parametrize("word", ["ALL", "all", "All", "aLL"])
def test_all_in_any_case(word: str) -> None:
    assert PlanCommand("REPLAN", word).step_id == "ALL"
    command = PlanCommand("REPLAN", "1")
    command.step_id = word
    assert command.step_id == "ALL"
