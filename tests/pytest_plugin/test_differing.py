"""The difference between two plans."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from planspec_lark import PlanSpec, PlanStep, apply_commands, iter_steps, parse_plan, parse_plan_commands, plan_without
from planspec_lark.pytest_plugin.differing import diff_rows, match
from tests import strategies
from tests.pytest_plugin.plans import PLAN

CHANGES = {
    "status": "DONE 2.3 | brown\n",
    "added at the end": "ADD 4 [act] Count the money → money\n> ← customers\n",
    "added in front": "ADD 1 [act] Switch on the light → light\n",
    "removed": "SKIP 3.2\n",
}


def show(before: PlanSpec, after: PlanSpec) -> str:
    return "\n".join(f"{change.sign}|{change.text}" for change in diff_rows(before, after))


@pytest.mark.parametrize("command", CHANGES.values(), ids=CHANGES)
def test_commands(command: str, snapshot: SnapshotAssertion) -> None:
    plan = parse_plan(PLAN)
    assert apply_commands(plan, parse_plan_commands(f"PLAN_CMD: {command}")) == []
    assert show(parse_plan(PLAN), plan) == snapshot


TEXTS = {
    "reworded": PLAN.replace("Knead the dough", "Knead the dough twice"),
    "body": PLAN.replace("    > Up to 250 degrees\n", "    > Up to 230 degrees\n    > And wait\n"),
    "gone": PLAN.replace(
        "  2.2. [>] warm_up [act] Heat the oven → heat | Progress: 2/3\n    > Up to 250 degrees\n", ""
    ),
    "reworded behind a new one": PLAN.replace(
        "3. [decide] Is the bread good?", "3. [act] Cool the loaves → cold\n4. [decide] Good?"
    )
    .replace("3.1. [act] Yes: open the door → customers", "4.1. [act] Open up → customers")
    .replace("3.2. [act] No", "4.2. [act] No"),
    "moved": PLAN.replace("  3.2. [act] No: call the baker → baker\n", "").replace(
        "2. [>] [subtask]", "4. [act] No: call the baker → baker\n2. [>] [subtask]"
    ),
    "lifted": PLAN.replace("  3.2. [act] No", "4. [act] No"),
    "moved and changed": PLAN.replace("  3.2. [act] No: call the baker → baker\n", "").replace(
        "1. [x] [reason]", "4. [act] No: call the baker → miller\n1. [x] [reason]"
    ),
    "head": PLAN.replace("at six", "at seven").replace("- Only flour from the mill\n", "- No sugar\n- No salt\n"),
    "other": "Goal: Something else\n## Steps\n1. [act] Sleep\n",
    "empty": "",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_texts(text: str, snapshot: SnapshotAssertion) -> None:
    assert show(parse_plan(PLAN), parse_plan(text)) == snapshot


def test_steps_without_words_are_told_apart_by_id() -> None:
    before = plan_without("wording")(parse_plan(PLAN))
    after = plan_without("wording", "statuses")(parse_plan(PLAN))
    assert show(before, after).split("\n")[0] == "|changed: 1, 2, 2.1, 2.2"


def test_steps_without_words_can_move() -> None:
    before = parse_plan("## Steps\n1. [act] → a\n2. [act] → b\n3. [act] → c\n")
    after = parse_plan("## Steps\n4. [act] → c\n1. [act] → a\n2. [act] → b\n")
    assert show(before, after).split("\n")[0] == "|moved: 3 → 4"


def test_a_step_is_known_by_its_words() -> None:
    before = parse_plan("## Steps\n1. [act] Knead\n2. [act] Bake\n")
    after = parse_plan("## Steps\n1. [act] Weigh\n2. [act] Knead\n3. [x] [act] Bake\n")
    assert show(before, after).split("\n")[:3] == ["|new: 1", "|changed: 2 → 3", "|renumbered: 1 → 2"]


def test_many_ids_are_counted() -> None:
    plan = PlanSpec(steps=[PlanStep(str(number), step_type="act") for number in range(1, 13)])
    assert show(PlanSpec(), plan).startswith("|new: 1, 2, 3, 4, 5, 6, 7, 8 and 4 more\n")


def count_up(words: Iterable[str]) -> PlanSpec:
    return PlanSpec(steps=[PlanStep(str(at), step_type="act", description=one) for at, one in enumerate(words, 1)])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["x"] * 5000, ["x", "y"] * 2500),
        ([f"{number}" for number in range(5000)], [f"{number}" for number in range(5000, 0, -1)]),
        (["x"] * 5000, ["y"] * 5000),
    ],
    ids=["every other", "reversed", "all"],
)
def test_long_plans_take_no_time(before: list[str], after: list[str]) -> None:
    started = time.process_time()
    assert diff_rows(count_up(before), count_up(after))
    assert time.process_time() - started < 5


words = st.lists(st.sampled_from("abcdefgh"), max_size=8, unique=True) | st.lists(st.sampled_from("abc"), max_size=8)


@given(words, words)
def test_what_is_matched_is_alike_and_in_order(old: list[str], new: list[str]) -> None:
    found = match(old, new)
    assert all(old[a] == new[b] for a, b in found)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(found))
    assert match(old, old) == [(at, at) for at in range(len(old))]
    if len(set(old)) == len(old) and len(set(new)) == len(new):
        # Then it is the most that there can be.
        best = max(len(rise) for rise in rises([old.index(one) for one in new if one in old]))
        assert len(found) == best


def rises(numbers: list[int]) -> Iterator[tuple[int, ...]]:
    for size in range(len(numbers) + 1):
        for chosen in combinations(numbers, size):
            if list(chosen) == sorted(chosen):
                yield chosen


@given(strategies.plans, strategies.plans)
def test_a_difference_has_every_line_that_differs(before: PlanSpec, after: PlanSpec) -> None:
    assert diff_rows(before, before) == []
    changes = diff_rows(before, after)
    assert bool(changes) == (before != after)
    named = "".join(change.text for change in changes if not change.sign)
    gone = {change.text.lstrip(" ") for change in changes if change.sign == "-"}
    kept = {step.step_id for step in iter_steps(after)}
    for step in iter_steps(before):
        if step.step_id not in kept:
            assert any(row.startswith(f"{step.step_id}. ") for row in gone) or f"{step.step_id} → " in named
