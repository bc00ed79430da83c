"""The layout of a shown plan, and how it is fitted to a terminal."""

from __future__ import annotations

import pytest

from planspec_lark import PlanSpec, PlanStep, collapse_step, expand_step, parse_plan
from planspec_lark.planspec.render import StyledText, show_plan, show_steps, wrap
from planspec_lark.syntax.safe_text import columns


def shown(plan: PlanSpec, *, fold: bool = True, width: int | None = None) -> str:
    lines = show_plan(plan, fold=fold)
    rows = [row for line in lines for row in (wrap(line, width) if width else [line])]
    return "\n".join("".join(piece.text for piece in row) for row in rows)


PLAN = """\
# Plan: Repair the organ
Goal: Play at Easter
> Twelve stops of forty are silent.
Constraints:
- No glue on leather
## Steps
1. [x] [act] Take out the pipes → pipes | 700 of them
  > Label each.
2. [>] bellows [subtask] Mend the bellows → wind | Progress: 1/3
  > ← pipes
  2.1. [!] [act] Order leather
    > Sheep, not goat.
  2.2. [reason] Find the leaks
10. [LLM]
"""


def test_the_whole_layout() -> None:
    assert (
        shown(parse_plan(PLAN))
        == f"""\
═══ PlanSpec: Repair the organ ═══

Goal: Play at Easter
  > Twelve stops of forty are silent.

Constraints:
  - No glue on leather

Progress: 1/5 (20%)

1   [x]  [ACT]      Take out the pipes → pipes | 700 of them
2   [>]  [SUBTASK]  bellows: Mend the bellows → wind | Progress: 1/3
│                   > ← pipes
├─ 2.1  [!]  [ACT]      Order leather
│                       > Sheep, not goat.
└─ 2.2  [ ]  [REASON]   Find the leaks
10  [ ]  [LLM]{" " * 6}

───
Steps: 5 | reason: 1 | act: 2 | decide: 0 | subtask: 1 | LLM: 1
Progress: 1/5 (20%)"""
    )


def test_an_empty_plan() -> None:
    counts = "Steps: 0 | reason: 0 | act: 0 | decide: 0 | subtask: 0\nProgress: 0/0 (0%)"
    assert shown(PlanSpec()) == f"═══ PlanSpec ═══\n\nProgress: 0/0 (0%)\n\n───\n{counts}"


def test_flags_unfold_and_fold() -> None:
    plan = parse_plan(PLAN)
    expand_step(plan, "1")
    collapse_step(plan, "2")
    lines = shown(plan).split("\n")
    assert "                    > Label each." in lines
    assert not any("2.1" in line for line in lines)
    assert "> ← pipes" not in shown(plan)
    assert "2.1" in shown(plan, fold=False)


@pytest.mark.parametrize(
    ("done", "total", "percent"),
    [(0, 3, 0), (1, 3, 33), (2, 3, 67), (3, 3, 100), (1, 300, 1), (299, 300, 99), (1, 1000, 1), (5, 8, 62)],
)
def test_all_is_said_only_of_all_and_nothing_only_of_nothing(done: int, total: int, percent: int) -> None:
    steps = [PlanStep(str(n), step_type="act", status="done" if n <= done else "pending") for n in range(1, total + 1)]
    assert f"Progress: {done}/{total} ({percent}%)" in shown(PlanSpec(steps=steps))


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_line_is_broken_to_the_width_and_keeps_its_words(width: int) -> None:
    plan = parse_plan(PLAN.replace("Order leather", "Order leather and " * 12 + "thread"))
    rows = shown(plan, width=width).split("\n")
    assert max(map(columns, rows)) <= width
    text = " ".join(row.strip("│├─└ ") for row in rows)
    assert "Order leather and " * 12 + "thread" in text


def test_tree_lines_go_on_beside_a_broken_line() -> None:
    plan = parse_plan(PLAN.replace("Order leather", "Order leather and thread and wax"))
    rows = shown(plan, width=46).split("\n")
    at = next(number for number, row in enumerate(rows) if "2.1" in row)
    assert rows[at : at + 3] == [
        "├─ 2.1  [!]  [ACT]      Order leather and",
        "│                       thread and wax",
        "│                       > Sheep, not goat.",
    ]


def test_wide_characters_are_broken_by_their_columns() -> None:
    (first, second) = wrap((StyledText("id", "1  "), StyledText("text", "风琴修理风琴修理")), 13)
    assert [piece.text for piece in first] == ["1  ", "风琴修理风"]
    assert [piece.text for piece in second] == ["   ", "琴修理"]


def test_a_line_with_too_little_room_is_left_alone() -> None:
    line = (StyledText("tree", " " * 30), StyledText("text", "word " * 20))
    assert list(wrap(line, 40)) == [line]


def test_an_empty_line_stays_one() -> None:
    assert list(wrap((), 20)) == [()]


def test_a_long_id_does_not_widen_the_lines_beside_it() -> None:
    step_id = ".".join("2" * 1000)
    text = shown(parse_plan(f"## Steps\n1. [act] a\n> d\n{step_id}. [act] b\n"), fold=False)
    first, body, second = (next(row for row in text.split("\n") if part in row) for part in ("] ", "> d", " b"))
    first = next(row for row in text.split("\n") if row.startswith("1 "))
    assert first == "1" + " " * 41 + "[ ]  [ACT]      a"
    assert len(body) < 80
    assert second == f"{step_id}  [ ]  [ACT]      b"


def test_some_of_the_steps() -> None:
    plan = parse_plan(PLAN)
    plan.steps[0].children = [PlanStep("1.1", step_type="act", description="a\u202e", detail=["b"])]
    whole = list(show_plan(plan))
    steps = list(show_steps(plan, 0, 9))
    assert steps == whole[10:-4]
    for first in range(7):
        for last in range(first, 7):
            before, after = list(show_steps(plan, 0, first)), list(show_steps(plan, last, 9))
            assert before + list(show_steps(plan, first, last)) + after == steps
