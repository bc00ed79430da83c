"""What a prompt shows of a long plan."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from types import FrameType

import pytest
from hypothesis import given, strategies as st

from planspec_lark import PlanSpec, PlanStatus, PlanStep, find_step, iter_steps, parse_plan, serialize_plan
from planspec_lark.engine.plan_excerpts import MAX_PLAN, plan_excerpt
from planspec_lark.engine.requests import request_execution, request_reflection, request_replan
from tests.engine.test_growth import crowded, deep
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
    text = plan_excerpt(flat(1000), "501", 400)
    assert text == (
        "Goal: g\n"
        "> … left out: 993 steps at the top level\n"
        "## Steps\n"
        "498. [act] Weigh row 498 → v498\n"
        "499. [act] Weigh row 499 → v499\n"
        "500. [act] Weigh row 500 → v500\n"
        "501. [>] [act] Weigh row 501 → v501\n"
        "  > ← v500\n"
        "502. [act] Weigh row 502 → v502\n"
        "503. [act] Weigh row 503 → v503\n"
        "504. [act] Weigh row 504 → v504\n"
    )


def test_goal_and_constraints_stay() -> None:
    made = flat(100)
    made.goal_detail, made.constraints = ["why" * 200], ["never" * 200]
    text = plan_excerpt(made, "51", 10)
    assert all(said in text for said in (*made.goal_detail, *made.constraints))
    assert shown(text) == ["51"]


def test_what_puts_out_the_inputs_is_shown() -> None:
    made = crowded(1000)
    made.steps[1].children[6].outputs = ["far"]
    made.steps[8].children[6].outputs = ["behind", "far"]
    made.steps[4].children[49].inputs = ["far", "behind", "nowhere"]
    found = shown(plan_excerpt(made, "5.50", 600))
    assert {"5", "5.50", "2.7", "9.7"} <= {*found}
    made.steps[4].children[49].inputs = ["far"]
    found = shown(plan_excerpt(made, "5.50", 600))
    assert "2.7" in found
    assert "9.7" not in found


def test_all_levels_are_shown_before_what_is_far_away() -> None:
    found = shown(plan_excerpt(crowded(1000), "5.50", 2_000))
    assert {*map(str, range(1, 11)), "5", "5.30", "5.70"} <= {*found}


def test_of_a_container_what_is_below_is_shown() -> None:
    assert {"5.1", "5.2"} <= {*shown(plan_excerpt(crowded(10_000), "5", 1_500))}


@pytest.mark.parametrize("step_id", [None, "9999", "1.1", "x", ""])
def test_without_a_step_what_is_at_work_counts(step_id: str | None) -> None:
    made = flat(1000)
    for at in range(500):
        made.steps[at].status = PlanStatus.DONE
    made.steps[99].status = PlanStatus.BLOCKED
    found = shown(plan_excerpt(made, step_id, 500))
    assert {"100", "501", "99", "101"} <= {*found}


def test_of_very_many_that_are_blocked_the_first_are_shown() -> None:
    made = flat(1000)
    for step in made.steps:
        step.status = PlanStatus.BLOCKED
    text = plan_excerpt(made, None, 600)
    assert len(text) <= 600
    assert shown(text)[:3] == ["1", "2", "3"]


def test_long_steps_are_cut() -> None:
    made = plan(f"1. [>] [act] {'long ' * 500}\n" + "  > detail\n" * 500 + "2. [act] b\n")
    text = plan_excerpt(made, "1", 1_000)
    assert len(text) <= 1_000
    assert "more characters)\n  > … left out: 500 lines\n2. [act] b\n" in text


def test_a_very_deep_plan_has_room() -> None:
    made = deep(300)
    text = plan_excerpt(made, ".".join("1" * 200), 6_000)
    assert len(text) <= 6_000
    assert "> … left out: 198 steps above these, and all beside them\n" in text
    assert text.endswith("> … left out: 1 step directly below\n")
    assert len(plan_excerpt(made, None, 6_000)) <= 6_000


def test_a_text_is_read() -> None:
    made = flat(1000)
    assert plan_excerpt(serialize_plan(made, fold=True), "501", 900) == plan_excerpt(made, "501", 900)


@pytest.mark.parametrize(
    ("text", "kept"), [("x" * 1_000, "x" * 90), ("Goal: g\n" + "what is this\n" * 99, "Goal: g\nwhat")]
)
def test_what_is_no_plan_is_cut(text: str, kept: str) -> None:
    cut = plan_excerpt(text, "1", 90)
    assert cut.startswith(kept)
    assert cut.endswith(f"\n… left out: {len(text) - 90} characters\n")
    assert plan_excerpt("x" * 90, "1", 90) == "x" * 90


def test_there_can_not_be_less_than_nothing() -> None:
    with pytest.raises(ValueError, match=r"^max_plan: -1 is less than 0$"):
        plan_excerpt(flat(1), "1", -1)


@given(workable_plans, st.data())
def test_any_plan(made: PlanSpec, data: st.DataObject) -> None:
    ids = [step.step_id for step in iter_steps(made)]
    step_id = data.draw(st.sampled_from([*ids, None]))
    most = data.draw(st.integers(0, 400))
    text, least = plan_excerpt(made, step_id, most), plan_excerpt(made, step_id, 0)
    assert len(text) <= max(most, len(least))
    if "steps above these" not in text and "step above these" not in text:
        rows = re.findall(r"^[\d.]+\. ", text.partition("## Steps\n")[2], flags=re.MULTILINE)
        mark = re.search(r"^> … left out: (\d+) steps? at the top level$", text, flags=re.MULTILINE)
        assert len(rows) + (int(mark[1]) if mark else 0) == len(made.steps)
    if step_id is not None:
        assert f"{step_id}. " in text
    assert plan_excerpt(text, step_id, len(text)) == text


# ---------------------------------------------------------------- how much, and how long it takes


def test_prompts_grow_with_the_number_of_steps() -> None:
    """And not with its square, as they do where each shows the whole plan."""

    def total(size: int) -> int:
        made = flat(size)
        return sum(len(request_execution(step, {}, [], made, max_plan=2_000).prompt) for step in made.steps)

    assert total(400) <= 4.2 * total(100)


def _work(function: Callable[[], object]) -> int:
    """How many functions are called."""
    calls = 0

    def count(_frame: FrameType, what: str, _argument: object) -> None:
        nonlocal calls
        calls += what in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(before)
    return calls


@pytest.mark.parametrize("size", [2_000, 16_000])
def test_a_longer_plan_takes_no_more_work(size: int) -> None:
    made, small = flat(size), flat(500)
    work = _work(lambda: plan_excerpt(made, str(size // 2 + 1), MAX_PLAN))
    assert work <= 1.2 * _work(lambda: plan_excerpt(small, "251", MAX_PLAN))


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


def test_a_goal_that_has_no_room_is_shown_all_the_same() -> None:
    made = flat(100)
    made.goal = "far" * 100
    request = request_execution(made.steps[50], {}, [], made, max_plan=100)
    assert request.data["plan_state"] in request.prompt
    assert request.prompt.count("left out: 99 steps") == 1


def test_the_plan_of_a_prompt_has_room_by_default() -> None:
    made = flat(2_000)
    assert len(parse_plan(plan_excerpt(made, "1001", MAX_PLAN)).steps) > 100
    assert len(request_execution(made.steps[1000], {}, [], made).prompt) < MAX_PLAN + 4_000
