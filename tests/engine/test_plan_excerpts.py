"""What a prompt shows of a long plan."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from planspec_lark import PlanSpec, PlanStatus, PlanStep, find_step, iter_steps, parse_plan, serialize_plan
from planspec_lark.engine.plan_excerpts import MAX_PLAN, plan_excerpt
from planspec_lark.engine.requests import request_execution, request_reflection, request_replan
from planspec_lark.planspec.fold import folded
from tests.engine.worlds import plan
from tests.strategies import workable_plans


def flat(size: int) -> PlanSpec:
    """Each step takes what the one in front produces; the step in the middle is at hand."""
    rows = [f"{at}. [act] Weigh row {at} → v{at}\n  > ← v{at - 1}\n" for at in range(1, size + 1)]
    made = plan("".join(rows))
    made.steps[size // 2].status = PlanStatus.ACTIVE
    return made


def shown(text: str) -> list[str]:
    """The ids of the steps that a text shows."""
    return re.findall(r"^ *([\d.]+)\. ", text, flags=re.MULTILINE)


# ---------------------------------------------------------------- what is shown


def test_what_has_room_is_shown_whole() -> None:
    made = flat(20)
    whole = serialize_plan(made, fold=True)
    for said in (made, whole):
        assert plan_excerpt(said, "11", len(whole)) == whole
        assert plan_excerpt(said, "11", len(whole) - 1) != whole


def test_what_is_near_is_shown() -> None:
    """Active or not, the step itself is."""
    made = flat(1000)
    text = plan_excerpt(made, "900", 300)
    assert {"1", "501", "900"} <= {*shown(text)}
    assert "> … left out: 993 pending steps\n" in text
    made.steps[0].status = PlanStatus.DONE
    assert shown(plan_excerpt(made, "501", 300))[-4:] == ["499", "500", "501", "502"]


def test_the_start_of_what_has_to_stay_is_shown() -> None:
    made = flat(1000)
    for step in made.steps:
        step.status = PlanStatus.BLOCKED
    text = plan_excerpt(made, None, 600)
    assert shown(text)[:3] == ["1", "2", "3"]
    assert re.search(r"\n… left out: [\d,]+ characters\n\Z", text)
    assert len(text) < 640


@pytest.mark.parametrize(
    ("text", "kept"), [("x" * 1_000, "x" * 90), ("Goal: g\n" + "what is this\n" * 99, "Goal: g\nwhat")]
)
def test_what_is_no_plan_is_cut(text: str, kept: str) -> None:
    cut = plan_excerpt(text, "1", 90)
    assert cut.startswith(kept)
    assert cut.endswith(f"\n… left out: {len(text) - 90} characters\n")
    assert plan_excerpt("x" * 90, "1", 90) == "x" * 90
    with pytest.raises(ValueError, match=r"^max_plan: -1 is less than 0$"):
        plan_excerpt(flat(1), "1", -1)


@given(workable_plans, st.data())
def test_any_plan(made: PlanSpec, data: st.DataObject) -> None:
    ids = [step.step_id for step in iter_steps(made)]
    step_id = data.draw(st.sampled_from([*ids, None]))
    most = data.draw(st.integers(0, 400))
    text = plan_excerpt(made, step_id, most)
    cut, mark, _ = text.partition("\n… left out: ")
    assert len(cut) <= most
    if not mark:
        # What is below a step that was collapsed is folded away.
        is_shown = step_id in {step.step_id for step in iter_steps(folded(made))}
        assert (f"{step_id}. " in text) or not is_shown
        assert plan_excerpt(text, step_id, len(text)) == text


# ---------------------------------------------------------------- how much, and how long it takes


def test_prompts_grow_with_the_number_of_steps() -> None:
    """And not with its square, as they do where each shows the whole plan."""

    def total(size: int) -> int:
        made = flat(size)
        return sum(len(request_execution(step, {}, [], made, max_plan=2_000).prompt) for step in made.steps)

    assert total(400) <= 4.2 * total(100)


# ---------------------------------------------------------------- where it is used


def test_requests_show_what_is_near() -> None:
    made = flat(1000)
    step = find_step(made, "501")
    assert isinstance(step, PlanStep)
    for said in (made, serialize_plan(made, fold=True)):
        for request in (
            request_execution(step, {}, [], said, max_plan=500),
            request_reflection("FAIL", "no", said, step, False, attempt=1, max_plan=500),
            request_replan(said, container=step, max_plan=500),
            request_replan(said, max_plan=500),
        ):
            excerpt = plan_excerpt(made, "501" if "step" in request.data or "container" in request.data else None, 500)
            assert request.data["plan_state"] == excerpt
            assert excerpt in request.prompt


def test_the_plan_of_a_prompt_has_room_by_default() -> None:
    made = flat(2_000)
    assert len(parse_plan(plan_excerpt(made, "1001", MAX_PLAN)).steps) > 100
    assert len(request_execution(made.steps[1000], {}, [], made).prompt) < MAX_PLAN + 4_000
