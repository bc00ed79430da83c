"""Differences and merges of any plans."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from planspec_lark import PlanSpec, PlanStatus, PlanStep, iter_steps, merge_plans
from planspec_lark.diff import merge_texts, text_merge
from tests.diff import promises
from tests.diff.variants import pairs, triples

Pair = tuple[PlanSpec, PlanSpec]
Triple = tuple[PlanSpec, PlanSpec, PlanSpec]


@given(pairs)
def test_only_equal_plans_do_not_differ(both: Pair) -> None:
    promises.are_told_apart(*both)


@given(pairs)
def test_what_only_one_side_has_changed_is_taken(both: Pair) -> None:
    promises.take_what_one_side_changed(*both)


@given(triples)
def test_a_merge_and_its_text_say_the_same(versions: Triple) -> None:
    promises.come_together(*versions)


@given(triples)
def test_either_side_may_come_first(versions: Triple) -> None:
    promises.work_from_either_side(*versions)


_STATUSES = st.sampled_from([PlanStatus.DONE, PlanStatus.BLOCKED, PlanStatus.SKIPPED])


def _plan(count: int) -> PlanSpec:
    return PlanSpec(steps=[PlanStep(str(n), step_type="act", description=f"word{n} only") for n in range(1, count + 1)])


@given(st.integers(2, 9), st.data())
def test_what_both_sides_do_in_different_places_is_all_there(count: int, data: st.DataObject) -> None:
    """Of each step only one side changes the status; both put in new ones wherever they like."""
    sides = _plan(count), _plan(count)
    expected: dict[str, PlanStatus] = {}
    for number in range(count):
        side = data.draw(st.integers(0, 1))
        step = sides[side].steps[number]
        step.status = expected[step.description] = data.draw(_STATUSES)
    for which, side_plan in zip(("ours", "theirs"), sides, strict=True):
        for extra in range(data.draw(st.integers(0, 3))):
            text = f"{which}{extra}"
            new = PlanStep("0", step_type="act", description=text)
            side_plan.steps.insert(data.draw(st.integers(0, len(side_plan.steps))), new)
            expected[text] = PlanStatus.PENDING
        for at, step in enumerate(side_plan.steps, 1):
            step.step_id = str(at)
    result = merge_plans(_plan(count), *sides)
    assert result.conflicts == ()
    found = list(iter_steps(result.plan))
    assert {step.description: step.status for step in found} == expected
    assert [step.step_id for step in found] == [str(n) for n in range(1, len(expected) + 1)]
    for side_plan in sides:
        order = [step.description for step in side_plan.steps]
        assert [step.description for step in found if step.description in order] == order


WORDS = ["paint", "sand", "cut", "door", "wall", "big", "old", "new"]
_PHRASES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
_MARKS = st.sampled_from(["", "[ ] ", "[x] ", "[>] "])
_SHAPES = ["1", "2", "2.1", "2.2", "2.3", "2.3.1", "2.3.2", "3", "4", "4.1", "5"]


@st.composite
def _lines_of_a_plan(draw: st.DrawFn) -> list[list[str]]:
    """The lines of its head, and of each step."""
    parts = [["Goal: g", "Constraints:", "- one", "- two", "## Steps"]]
    for step_id in _SHAPES:
        kind = "subtask" if any(other.startswith(f"{step_id}.") for other in _SHAPES) else "act"
        name = draw(st.sampled_from(["", "", "n1 ", "n2 "]))
        indent = "  " * step_id.count(".")
        row = f"{indent}{step_id}. {draw(_MARKS)}{name}[{kind}] {draw(_PHRASES)}{draw(st.sampled_from(['', ' → a']))}"
        parts.append([row, *(f"{indent}  > {text}" for text in draw(st.lists(_PHRASES, max_size=1)))])
    return parts


def _edited(draw: Callable[[st.SearchStrategy[Any]], Any], parts: list[list[str]]) -> str:
    """The text with some of its lines changed, and the same steps in the same places."""
    parts = [[*rows] for rows in parts]
    for _ in range(draw(st.integers(1, 4))):
        rows = draw(st.sampled_from(parts))
        head = rows is parts[0]
        kind = draw(st.sampled_from(["word", "words", "mark", "result", "name", "detail", "blank", "space"]))
        if kind == "detail":
            rows.insert(3 if head else 1, f"{'-' if head else '>'} {draw(_PHRASES)}")
        elif kind == "blank":
            rows.append("")
        elif kind == "space":
            rows[0] += " \t"
        elif head:
            rows[0] = f"Goal: {draw(_PHRASES)}"
        elif kind == "word":
            rows[0] = rows[0].replace(*draw(st.permutations(WORDS))[:2])
        elif kind == "words":
            rows[0] = f"{rows[0].rpartition('] ')[0]}] {draw(_PHRASES)}"
        elif kind == "mark":
            rows[0] = re.sub(r"\. (\[.\] )?", f". {draw(_MARKS)}", rows[0], count=1)
        elif kind == "name":
            rows[0] = rows[0].replace("n1 ", "n2 ")
        else:
            rows[0] += " | done"
    end: str = draw(st.sampled_from(["\n", ""]))
    return "\n".join(row for rows in parts for row in rows) + end


@given(st.data(), _lines_of_a_plan())
def test_steps_that_have_stayed_are_merged_as_all_others_are(data: st.DataObject, parts: list[list[str]]) -> None:
    draw = data.draw
    texts = ["\n".join(row for rows in parts for row in rows), _edited(draw, parts), _edited(draw, parts)]
    found = merge_texts(*texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_merge, "_merge_in_place", lambda *_: None)
        expected = merge_texts(*texts)
    assert (found.text, found.plan, found.conflicts) == (expected.text, expected.plan, expected.conflicts)
