"""What is to be done next, as the plan says it."""

from __future__ import annotations

import pytest

from planspec_lark import parse_plan
from planspec_lark.planspec import Todo
from planspec_lark.planspec.tree import find_next


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        pytest.param("", None, id="no steps"),
        pytest.param("1. [x] [act] a\n2. [~] [act] b\n3. [!] [act] c\n", None, id="nothing is open"),
        pytest.param("1. [x] [act] a\n2. [act] b\n3. [>] [act] c\n", ("do", "2"), id="the first open step"),
        pytest.param("1. [subtask] a\n1.1. [act] b\n", ("do", "1.1"), id="below a container"),
        pytest.param("1. [x] [subtask] a\n1.1. [act] b\n2. [act] c\n", ("do", "2"), id="not below a finished one"),
        pytest.param("1. [act] a\n1.1. [act] b\n", ("do", "1.1"), id="below a leaf that has children"),
        pytest.param("1. [subtask] a\n", ("plan", "1"), id="a bare subtask"),
        pytest.param("1. [decide] a\n", ("plan", "1"), id="a bare decision"),
        pytest.param("1. [subtask] a | Progress: 1/3\n", ("do", "1"), id="a bare loop"),
        pytest.param("1. [subtask] a | Progress: 1\n", ("plan", "1"), id="rounds without a total"),
        pytest.param("1. [>] [subtask] a | Progress: 3/3\n1.1. [act] b\n", ("close", "1"), id="a loop at its end"),
        pytest.param("1. [>] [subtask] a | Progress: 2/3\n1.1. [act] b\n", ("do", "1.1"), id="a loop at work"),
        pytest.param(
            "1. [>] [subtask] a\n1.1. [x] [act] b\n1.2. [~] [act] c\n", ("close", "1"), id="all below is done"
        ),
        pytest.param("1. [>] [subtask] a\n1.1. [!] [act] b\n", ("close", "1"), id="all below is blocked"),
        pytest.param("1. [decide] a\n1.1. [act] b\n1.2. [act] c\n", ("decide", "1"), id="an open decision"),
        pytest.param("1. [>] [decide] a\n1.1. [act] b\n", ("decide", "1"), id="one branch, not chosen"),
        pytest.param("1. [decide] a\n1.1. [act] b\n1.2. [~] [act] c\n", ("decide", "1"), id="one is left, not begun"),
        pytest.param("1. [>] [decide] a\n1.1. [act] b\n1.2. [~] [act] c\n", ("do", "1.1"), id="a chosen branch"),
        pytest.param("1. [>] [decide] a\n1.1. [act] b\n1.2. [>] [act] c\n", ("do", "1.1"), id="a branch has begun"),
        pytest.param("1. [>] [decide] a\n1.1. [~] [act] b\n1.2. [!] [act] c\n", ("close", "1"), id="no branch is open"),
        pytest.param("1. [other] a\n", ("do", "1"), id="another type"),
    ],
)
def test_what_comes_next(steps: str, expected: tuple[str, str] | None) -> None:
    found = find_next(parse_plan(f"## Steps\n{steps}"))
    assert (None if found is None else (found[0].value, found[1].step_id)) == expected


def test_what_there_is_to_do() -> None:
    assert [todo.value for todo in Todo] == ["do", "decide", "plan", "close"]
