"""Views of a bounded size: what goes first, what never does, and how many parts are left out."""

from __future__ import annotations

from itertools import pairwise

import pytest

from planspec_lark import PlanSpec, PlanStep, collapse_step, parse_plan, serialize_plan
from planspec_lark.planspec.token_budget import shorten_result
from planspec_lark.syntax import estimate_tokens

PLAN = """\
# Plan: Move the library
Goal: All books stand in the new house
> The old lease ends in May.
Constraints:
- No book leaves its shelf unlabelled
## Steps
1. [x] [subtask] Get ready → ready
  > Everything that can be done before the van comes.
  1.1. [x] [act] Label the shelves → labels | 212 shelves
    > ← floor_plan
    > Two colours, one a floor.
  1.2. [~] [act] Sell → money | Nobody wants them, and nobody has ever wanted them since we began to ask around
2. [x] [act] Hire a van → van | A long one, with a tail lift, from Friday to Monday, paid until Sunday evening at eight
3. [>] [subtask] Move the books → moved
  > ← labels, van
  3.1. [x] [act] Pack the ground floor → boxes
    > Forty books a box, no more.
  3.2. [act] Load the van → loaded
    > ← boxes, van
    > Heavy boxes at the bottom.
  3.3. [act] Drive → arrived
    > ← loaded
    > Not over the bridge, which is closed.
4. [subtask] Settle in → settled
  4.1. [act] Put up the shelves → shelves
    > By floor and colour.
  4.2. [act] Unpack → settled
    > ← arrived, shelves
5. [act] Give the keys back → receipt
"""


def views(text: str) -> list[str]:
    """All views of a plan, from the whole text to the least that there is."""
    plan, found = parse_plan(text), [text]
    while True:
        try:
            view = serialize_plan(plan, max_tokens=len(found[-1]) - 1, count_tokens=len)
        except ValueError:
            return found
        found.append(view)


def lost(before: str, after: str) -> list[str]:
    """The lines that one view has and the next has not, but for marks."""
    rows = after.split("\n")
    return [row.strip() for row in before.split("\n") if row not in rows and "… left out" not in row]


def test_with_room_nothing_is_left_out() -> None:
    plan = parse_plan(PLAN)
    assert serialize_plan(plan, max_tokens=estimate_tokens(PLAN)) == PLAN
    assert serialize_plan(plan, max_tokens=len(PLAN), count_tokens=len) == PLAN


def test_the_order_in_which_parts_are_left_out() -> None:
    found = views(PLAN.replace("ask around", "ask around the town"))
    firsts = [
        [row.partition(" [")[0] if row[0].isdigit() else row for row in lost(before, after)]
        for before, after in pairwise(found)
    ]
    assert firsts == [
        # The bodies of finished steps, the farthest first; one that is short takes no more room than its mark.
        ["> Everything that can be done before the van comes."],
        ["> ← floor_plan", "> Two colours, one a floor."],
        ["> Forty books a box, no more."],
        # Details of steps that are still to be done.
        ["> By floor and colour."],
        ["> Not over the bridge, which is closed."],
        # Ends of results.
        ["1.2."],
        ["2."],
        # What is below finished steps, and below steps that are far away.
        ["1.2."],
        ["1.1."],
        ["4.2.", "> ← arrived, shelves"],
        ["4.1."],
        # Finished steps, then open ones; those whose outputs are needed go last.
        ["1."],
        ["3.1."],
        ["2."],
        ["5."],
        ["4."],
        ["3.3.", "> ← loaded"],
    ]


def test_the_least_view() -> None:
    assert (
        views(PLAN)[-1]
        == """\
# Plan: Move the library
Goal: All books stand in the new house
> The old lease ends in May.
> … left out: 8 steps (4 pending, 3 done, 1 skipped)
Constraints:
- No book leaves its shelf unlabelled
## Steps
3. [>] [subtask] Move the books → moved
  > ← labels, van
  > … left out: 2 steps below (1 pending, 1 done)
  3.2. [act] Load the van → loaded
    > ← boxes, van
    > Heavy boxes at the bottom.
"""
    )


def test_blocked_steps_and_what_is_above_them_stay() -> None:
    least = views(PLAN.replace("4.2. [act]", "4.2. [!] [act]"))[-1]
    assert "  4.2. [!] [act] Unpack → settled\n    > ← arrived, shelves\n" in least
    assert "Settle in → settled\n  > … left out: 1 pending step below\n" in least


def test_where_nothing_is_open_the_end_stays_longest() -> None:
    text = "Goal: g\n## Steps\n" + "".join(f"{number}. [x] [act] Step number {number}\n" for number in range(1, 31))
    view = serialize_plan(parse_plan(text), max_tokens=100)
    assert view.startswith("Goal: g\n> … left out: ")
    assert view.endswith("29. [x] [act] Step number 29\n30. [x] [act] Step number 30\n")
    assert "\n1. [x]" not in view


def test_a_plan_without_a_goal_has_a_place_for_the_mark() -> None:
    text = "## Steps\n1. [act] one\n" + "".join(f"{number}. [act] other\n" for number in range(2, 9))
    view = views(text)[-1]
    assert view == "Goal:\n> … left out: 7 pending steps\n## Steps\n1. [act] one\n"
    assert parse_plan(view).goal == ""


def test_too_few_tokens_are_refused_with_the_least() -> None:
    plan = parse_plan(PLAN)
    least = views(PLAN)[-1]
    with pytest.raises(ValueError, match=f"^max_tokens: 10 is too few: what is never left out takes {len(least)}$"):
        serialize_plan(plan, max_tokens=10, count_tokens=len)
    assert serialize_plan(plan, max_tokens=len(least), count_tokens=len) == least


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        (0, ValueError, "max_tokens: 0 is less than 1"),
        (True, TypeError, "max_tokens: expected a whole number, not bool"),
        (1.5, TypeError, "max_tokens: expected a whole number, not float"),
    ],
)
def test_a_budget_is_a_whole_number(wrong: int, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=f"^{message}$"):
        serialize_plan(parse_plan(PLAN), max_tokens=wrong)


def test_a_slow_counter_is_called_a_few_times() -> None:
    text = "Goal: g\n## Steps\n" + "".join(f"{number}. [x] [act] Step number {number}\n" for number in range(1, 2001))
    calls = 0

    def count(view: str) -> int:
        nonlocal calls
        calls += 1
        return len(view)

    serialize_plan(parse_plan(text), max_tokens=20_000, count_tokens=count)
    # 2,000 parts can be halved 11 times.
    assert calls <= 13


def test_what_a_folded_view_hides_is_not_there_to_begin_with() -> None:
    plan = parse_plan(PLAN)
    collapse_step(plan, "1")
    folded = serialize_plan(plan, fold=True)
    assert serialize_plan(plan, fold=True, max_tokens=10_000) == folded
    bounded = serialize_plan(plan, fold=True, max_tokens=len(folded) - 1, count_tokens=len)
    assert len(bounded) < len(folded)
    assert "1.1." not in bounded


def test_a_plan_that_no_text_could_spell_is_refused() -> None:
    twice = PlanSpec(steps=[PlanStep("1", step_type="act"), PlanStep("1", step_type="act")])
    with pytest.raises(ValueError, match=r"^step_id: 1 comes twice$"):
        serialize_plan(twice, max_tokens=1000)
    wrong = PlanSpec(steps=[PlanStep("1", step_type="act")])
    wrong.steps[0].detail.append(7)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^detail: expected a string, not int$"):
        serialize_plan(wrong, max_tokens=1000)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("", ""),
        ("x" * 80, "x" * 80),
        ("x" * 90, "x" * 60 + "… (30 more characters)"),
        ("x" * 59 + " " + "y" * 40, "x" * 59 + "… (41 more characters)"),
    ],
)
def test_a_long_result_is_shortened(result: str, expected: str) -> None:
    assert shorten_result(result) == expected
