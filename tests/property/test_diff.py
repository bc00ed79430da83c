"""Differences and merges of any plans."""

from __future__ import annotations

from hypothesis import given, strategies as st

from planspec_lark import PlanSpec, PlanStatus, PlanStep, iter_steps, merge_plans
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
