"""What differs between two plans: which step is which, and what became of it."""

from __future__ import annotations

import pytest

from planspec_lark import PlanSpec, PlanStatus, diff_plans, parse_plan
from planspec_lark.diff import ChangeKind, diff_to_dict
from tests.diff import promises

BASE = """\
# Plan: Move the library
Goal: All books stand in the new house
Constraints:
- No book leaves its shelf unlabelled
## Steps
1. [act] Label the shelves → labels
2. [subtask] Move the books → moved
  2.1. [act] Hire a lorry → lorry
  2.2. [reason] Find the best order of the rooms → room_order
    > ← labels
3. [act] Paint the old shelves → paint
4. [act] Check
5. [subtask] Return the keys
  5.1. [act] Check
"""


def plan(text: str = BASE, *changes: tuple[str, str]) -> PlanSpec:
    """The plan of a text in which each first is replaced by its second."""
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return parse_plan(text)


def told(old: PlanSpec, new: PlanSpec) -> list[tuple[object, ...]]:
    """Every change of a step in short: kind, both ids, whether it moved, and the fields."""
    return [
        (
            change.kind.value,
            change.old and change.old.step_id,
            change.new and change.new.step_id,
            change.is_moved,
            [field.name for field in change.fields],
        )
        for change in diff_plans(old, new).steps
    ]


def steps(*lines: str) -> PlanSpec:
    return parse_plan("## Steps\n" + "".join(f"{line}\n" for line in lines))


def test_equal_plans_do_not_differ() -> None:
    diff = diff_plans(plan(), plan())
    assert not diff
    assert (diff.head, diff.steps) == ((), ())


def test_expanding_is_no_difference() -> None:
    new = plan()
    new.steps[0].expanded = True
    assert not diff_plans(plan(), new)


@pytest.mark.parametrize(
    ("old", "new", "name", "values"),
    [
        ("2.1. [act]", "2.1. [x] [act]", "status", (PlanStatus.PENDING, PlanStatus.DONE)),
        ("2.1. [act]", "2.1. lorry [act]", "step_name", ("", "lorry")),
        ("2.1. [act]", "2.1. [reason]", "step_type", ("act", "reason")),
        ("Hire a lorry", "Hire a big lorry", "description", ("Hire a lorry", "Hire a big lorry")),
        ("→ lorry", "→ lorry, driver", "outputs", (("lorry",), ("lorry", "driver"))),
        ("→ lorry", "→ lorry\n> ← labels", "inputs", ((), ("labels",))),
        ("→ lorry", "→ lorry\n> Twelve tonnes.", "detail", ((), ("Twelve tonnes.",))),
        ("→ lorry", "→ lorry | None is free", "result", ("", "None is free")),
        ("→ lorry", "→ lorry | Progress: 1/3", "progress", ((0, None), (1, 3))),
    ],
)
def test_every_value_of_a_step(old: str, new: str, name: str, values: tuple[object, object]) -> None:
    (change,) = diff_plans(plan(), plan(BASE, (old, new))).steps
    (found,) = change.fields
    assert (change.kind, change.is_moved, change.step.step_id) == (ChangeKind.CHANGED, False, "2.1")
    assert (found.name, found.old, found.new) == (name, *values)


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("Move the library", "Move", "title"),
        ("All books stand", "The books stand", "goal"),
        ("Constraints", "> soon\nConstraints", "goal_detail"),
        ("- No book", "- Wear gloves\n- No book", "constraints"),
    ],
)
def test_every_value_of_the_plan_itself(old: str, new: str, name: str) -> None:
    diff = diff_plans(plan(), plan(BASE, (old, new)))
    assert ([field.name for field in diff.head], diff.steps) == ([name], ())


def test_a_new_step_only_gives_others_new_ids() -> None:
    old, new = (
        steps("1. [act] a", "2. [subtask] b", "2.1. [act] c"),
        steps("1. [act] x", "2. [act] a", "3. [subtask] b", "3.1. [act] c"),
    )
    assert told(old, new) == [
        ("added", None, "1", False, []),
        ("renumbered", "1", "2", False, []),
        ("renumbered", "2", "3", False, []),
        ("renumbered", "2.1", "3.1", False, []),
    ]


def test_a_step_that_is_gone_stands_behind_the_one_in_front_of_it() -> None:
    old = steps("1. [act] a", "2. [act] b", "3. [act] c")
    assert told(old, steps("1. [act] a", "2. [act] c")) == [
        ("removed", "2", None, False, []),
        ("renumbered", "3", "2", False, []),
    ]
    assert told(old, steps("1. [act] c", "2. [act] d")) == [
        ("removed", "1", None, False, []),
        ("removed", "2", None, False, []),
        ("renumbered", "3", "1", False, []),
        ("added", None, "2", False, []),
    ]


def test_of_steps_in_another_order_as_few_as_possible_have_moved() -> None:
    old = steps("1. [act] a", "2. [act] b", "3. [act] c", "4. [act] d")
    new = steps("1. [act] d", "2. [act] a", "3. [act] b", "4. [act] c")
    assert [row[:4] for row in told(old, new)] == [
        ("changed", "4", "1", True),
        ("renumbered", "1", "2", False),
        ("renumbered", "2", "3", False),
        ("renumbered", "3", "4", False),
    ]


def test_a_step_below_another_one_has_moved_and_what_is_below_it_has_not() -> None:
    old = steps("1. [subtask] a", "2. [subtask] b", "2.1. [act] c")
    new = steps("1. [subtask] a", "1.1. [subtask] b", "1.1.1. [act] c")
    assert told(old, new) == [("changed", "2", "1.1", True, []), ("renumbered", "2.1", "1.1.1", False, [])]


def test_the_name_is_what_counts_first() -> None:
    old = steps("1. paint [act] Paint the shelves", "2. sell [act] Sell the shelves")
    new = steps("1. sell [act] Paint the shelves", "2. paint [act] Sell the shelves")
    assert [row[1:3] for row in told(old, new)] == [("2", "1"), ("1", "2")]


def test_a_name_that_comes_twice_tells_nothing() -> None:
    old = steps("1. a [act] Paint the shelves", "2. a [act] Hire a lorry")
    new = steps("1. a [act] Hire a lorry", "2. a [act] Paint the shelves")
    assert [row[1:3] for row in told(old, new)] == [("2", "1"), ("1", "2")]


def test_steps_that_say_the_same_are_told_apart_by_what_is_around_them() -> None:
    assert told(plan(), plan(BASE, ("4. [act] Check\n", ""))) == [("removed", "4", None, False, [])]
    assert told(plan(), plan(BASE, ("  5.1. [act] Check\n", "  5.1. [act] Ring\n  5.2. [x] [act] Check\n"))) == [
        ("added", None, "5.1", False, []),
        ("changed", "5.1", "5.2", False, ["status"]),
    ]


def test_other_words_are_another_step() -> None:
    old, new = steps("1. [act] Paint the shelves"), steps("1. [act] Hire a lorry")
    assert [row[0] for row in told(old, new)] == ["removed", "added"]


def test_fewer_words_in_common_are_enough_in_the_same_place() -> None:
    old, new = steps("1. [act] Paint all shelves"), steps("1. [act] Paint no desks")
    assert [row[0] for row in told(old, new)] == ["changed"]
    far = steps("1. [act] Hire a lorry", "2. [subtask] b", "2.1. [act] Paint no desks")
    assert [row[0] for row in told(old, far)] == ["removed", "added", "added", "added"]


def test_steps_with_two_names_have_to_be_more_alike() -> None:
    old, new = steps("1. a [act] Paint all shelves"), steps("1. b [act] Paint no desks")
    assert [row[0] for row in told(old, new)] == ["removed", "added"]
    assert told(old, steps("1. b [act] Paint all shelves")) == [("changed", "1", "1", False, ["step_name"])]


def test_chinese_words_are_compared_sign_by_sign() -> None:
    old, new = steps("1. [act] 给所有书架贴上标签"), steps("1. [act] 给全部书架贴标签")
    assert [row[0] for row in told(old, new)] == ["changed"]


def test_a_container_is_known_by_what_is_below_it() -> None:
    old = steps("1. [subtask] Prepare", "1.1. [act] a", "1.2. [act] b", "1.3. [act] c")
    new = steps("1. [subtask] Before all else", "1.1. [act] a", "1.2. [act] b", "1.3. [act] c")
    assert told(old, new) == [("changed", "1", "1", False, ["description"])]


def test_every_step_has_one_partner_at_most() -> None:
    promises.are_told_apart(plan(), plan(BASE, ("Check", "Check all"), ("Hire", "Rent")))
    old = steps("1. [act] Paint all shelves", "2. [act] Paint all shelves now")
    promises.are_told_apart(old, steps("1. [act] Paint the shelves"))


def test_as_json() -> None:
    diff = diff_plans(plan(), plan(BASE, ("# Plan: Move the library\n", ""), ("2.1. [act]", "2.1. [>] [act]")))
    assert diff_to_dict(diff) == {
        "head": [{"name": "title", "old": "Move the library", "new": ""}],
        "steps": [
            {
                "kind": "changed",
                "old_id": "2.1",
                "new_id": "2.1",
                "name": "",
                "description": "Hire a lorry",
                "moved": False,
                "fields": [{"name": "status", "old": "pending", "new": "active"}],
            }
        ],
    }
