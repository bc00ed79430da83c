"""Which steps can be done now, and why each other one cannot."""

from __future__ import annotations

import pytest

from planspec_lark import PlanStatus, next_step, parse_plan
from planspec_lark.planspec import ready_steps, step_states
from planspec_lark.planspec.agenda import Agenda, next_state
from planspec_lark.planspec.data_flow import Order

# ---------------------------------------------------------------- what comes next


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        pytest.param("", None, id="no steps"),
        pytest.param("1. [x] [act] a\n2. [~] [act] b\n3. [!] [act] c\n", None, id="nothing is open"),
        pytest.param("1. [x] [act] a\n2. [act] b\n3. [>] [act] c\n", ("do", "3"), id="what was begun"),
        pytest.param("1. [subtask] a\n1.1. [act] b\n", ("do", "1.1"), id="below a container"),
        pytest.param("1. [x] [subtask] a\n1.1. [act] b\n2. [act] c\n", ("do", "1.1"), id="below a finished one"),
        pytest.param("1. [act] a\n1.1. [act] b\n", ("do", "1.1"), id="below a leaf that has children"),
        pytest.param("1. [subtask] a\n", ("plan", "1"), id="a bare subtask"),
        pytest.param("1. [decide] a\n", ("plan", "1"), id="a bare decision"),
        pytest.param("1. [subtask] a | Progress: 1/3\n", ("do", "1"), id="a bare loop"),
        pytest.param("1. [subtask] a | Progress: 1\n", ("do", "1"), id="rounds without a total"),
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
        pytest.param("1. [>] [decide] a\n1.1. [act] b\n1.2. [>] [act] c\n", ("do", "1.2"), id="a branch has begun"),
        pytest.param("1. [>] [decide] a\n1.1. [~] [act] b\n1.2. [!] [act] c\n", ("close", "1"), id="no branch is open"),
        pytest.param("1. [other] a\n", ("do", "1"), id="another type"),
    ],
)
def test_what_comes_next(steps: str, expected: tuple[str, str] | None) -> None:
    found = next_state(parse_plan(f"## Steps\n{steps}"))
    assert (found and found.todo and (found.todo.value, found.step.step_id)) == expected


# ---------------------------------------------------------------- what can be begun


def ready(steps: str) -> list[str]:
    return [step.step_id for step in ready_steps(parse_plan(f"## Steps\n{steps}"))]


@pytest.mark.parametrize(
    ("steps", "ids"),
    [
        ("1. [x] [act] a\n", []),
        # The next one, whatever it needs; others only with inputs that are there.
        ("1. [act] a → x\n2. [act] b\n3. [act] c\n> ← x\n4. [act] d\n> ← outside\n", ["1", "4"]),
        ("1. [x] [act] a → x\n2. [act] b\n3. [act] c\n> ← x\n", ["2", "3"]),
        # What is at work is listed as well, what is blocked or skipped is not.
        ("1. [>] [act] a\n2. [>] [act] b\n> ← k\n3. [!] [act] c\n> ← k\n4. [~] [act] d\n> ← k\n", ["1", "2"]),
        # Nothing has produced it that is blocked, or skipped, or done only later.
        ("1. [act] a\n2. [!] [act] b → x\n3. [act] c\n> ← x\n", ["1"]),
        ("1. [act] a\n2. [act] b\n> ← x\n3. [act] c → x\n", ["1"]),
        # Containers are entered; decisions and loops only once they have begun.
        ("1. [act] a\n2. [subtask] b\n 2.1. [act] c\n > ← k\n", ["1", "2.1"]),
        ("1. [act] a\n2. [decide] b\n 2.1. [act] c\n > ← k\n 2.2. [act] d\n", ["1"]),
        ("1. [act] a\n2. [subtask] b | Progress: 0/3\n 2.1. [act] c\n > ← k\n", ["1"]),
        ("1. [act] a\n2. [>] [subtask] b | Progress: 1/3\n 2.1. [act] c\n > ← k\n", ["1", "2.1"]),
        ("1. [act] a\n2. [~] [subtask] b\n 2.1. [act] c\n > ← k\n", ["1"]),
        # The next step is listed also where it is what begins a loop or a branch.
        ("1. [subtask] a | Progress: 0/3\n 1.1. [act] b → x\n 1.2. [act] c\n > ← x\n2. [act] d\n> ← k\n", ["1.1", "2"]),
        ("1. [decide] a\n 1.1. [x] [act] b\n 1.2. [subtask] c\n  1.2.1. [act] d\n", ["1.2.1"]),
        # The next thing to do may be with a container.
        ("1. [subtask] a\n 1.1. [x] [act] b → x\n2. [act] c\n> ← x\n", ["1", "2"]),
        ("1. [subtask] a\n2. [act] c\n> ← k\n", ["1", "2"]),
        # What a finished container has left open.
        ("1. [x] [subtask] a\n 1.1. [x] [subtask] b\n  1.1.1. [act] c\n 1.2. [act] d\n> ← k\n", ["1.1.1", "1.2"]),
        ("1. [>] [act] a\n2. [>] [act] b\n3. [act] c\n", ["1", "2"]),
    ],
)
def test_what_can_be_begun(steps: str, ids: list[str]) -> None:
    assert ready(steps) == ids


@pytest.mark.parametrize(
    ("steps", "ids"),
    [
        ("1. [act] a\n2. [act] b\n3. [act] c → x\n4. [act] d\n> ← x\n", ["1", "2", "3"]),
        # What a container needs holds back all below it, in both orders.
        ("1. [act] a → x\n2. [subtask] b\n> ← x\n 2.1. [act] c\n 2.2. [act] d\n", ["1"]),
        ("1. [x] [act] a → x\n2. [subtask] b\n> ← x\n 2.1. [act] c\n 2.2. [act] d\n", ["2.1", "2.2"]),
        (
            "1. [act] a\n2. [subtask] b | Progress: 0/3\n 2.1. [act] c\n3. [decide] d\n 3.1. [act] e\n",
            ["1", "2.1", "3"],
        ),
        # Both produce the same: the second would be overwritten by the first.
        ("1. [act] a → x\n2. [act] b → x\n", ["1"]),
    ],
)
def test_only_inputs_order_steps_where_that_is_asked_for(steps: str, ids: list[str]) -> None:
    assert [step.step_id for step in ready_steps(parse_plan(f"## Steps\n{steps}"), order="data")] == ids


def reasons(steps: str, order: Order = "text") -> dict[str, str]:
    return {one.step.step_id: one.why for one in step_states(parse_plan(f"## Steps\n{steps}"), order=order)}


def test_each_step_that_cannot_be_done_has_a_reason() -> None:
    said = reasons(
        "1. [!] [act] a → x | no key\n2. [act] b → y\n> ← x, key\n3. [act] c → z\n> ← y\n4. [~] [act] d → w\n"
        "5. [act] e\n> ← w, late\n6. [act] f → g\n7. [act] g → late\n> ← g\n8. [act] h\n"
    )
    assert said == {
        "1": "it is blocked: no key",
        "2": "inputs are missing: x (step 1 is blocked)",
        "3": "inputs are missing: y (step 2 cannot be done)",
        "5": "inputs are missing: w (step 4 is skipped), late (step 7 comes later)",
        "6": "",
        "7": "its input `g` comes from step 6, which is pending",
        "8": "step 6 comes first",
    }


def test_what_is_above_a_step_holds_it_back() -> None:
    said = reasons(
        "1. [!] [subtask] a | no\n 1.1. [act] b\n2. [decide] c\n 2.1. [act] d\n 2.2. [subtask] e\n  2.2.1. [act] f\n"
        "3. [subtask] g | Progress: 0/2\n 3.1. [act] h\n> ← k\n4. [subtask] i\n> ← x\n 4.1. [act] j\n5. [act] k → x\n"
    )
    assert said == {
        "1": "it is blocked: no",
        "1.1": "step 1 above it is blocked",
        "2": "",
        **dict.fromkeys(("2.1", "2.2", "2.2.1"), "step 2 has not chosen a branch"),
        "3": "steps below it come first",
        "3.1": "step 3 above it has not begun",
        "4": "inputs are missing: x (step 5 comes later)",
        "4.1": "step 4 above it waits: inputs are missing: x (step 5 comes later)",
        "5": "step 2 comes first",
    }


def test_in_a_loop_what_comes_from_the_round_before_is_not_waited_for() -> None:
    loop = "1. [>] [subtask] a | Progress: {}/3\n 1.1. [act] b → x\n > ← y\n 1.2. [act] c → y\n > ← x\n"
    assert reasons(loop.format(0))["1.1"] == ""
    # What is to be done once more is not there yet for what comes after the loop.
    said = reasons(f"{loop.format(1)}2. [act] d\n > ← y\n").values()
    assert "its input `y` comes from step 1.2, which is pending" in said
    done = loop.format(1).replace("[act]", "[x] [act]")
    assert reasons(f"{done}2. [act] d\n > ← y\n")["2"] == "its input `y` comes from step 1, which is active"


def test_a_step_that_was_begun_is_given_back_first() -> None:
    crashed = "## Steps\n1. [act] a\n2. [>] [act] b\n3. [act] c\n"
    assert next_step(parse_plan(crashed)).step_id == "2"  # type: ignore[union-attr]
    assert next_step(parse_plan("## Steps\n1. [!] [act] a → x\n2. [act] b\n> ← x\n")) is None


def test_what_was_left_open_below_a_finished_step_is_closed_with_it() -> None:
    """An agenda is asked again and again, while steps end."""
    plan = parse_plan("## Steps\n1. [>] [subtask] a\n 1.1. [x] [subtask] b\n  1.1.1. [act] c\n  1.1.2. [act] d\n")
    agenda, seen = Agenda(plan), []
    while found := next((state for state in agenda.states() if state.is_ready), None):
        seen.append(found.step.step_id)
        found.step.status = PlanStatus.DONE
    assert seen == ["1.1.1", "1.1.2", "1"]
