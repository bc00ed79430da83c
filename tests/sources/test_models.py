"""What the source of PlanSpec says of models, HopSpec, views and the folder, where the project once deviated."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planspec_lark import PlanSpec, PlanStep, one_line, parse_plan, serialize_plan

_ANY_CHARACTER = st.characters(exclude_categories=[])


@given(st.text(_ANY_CHARACTER, max_size=60))
@example("two\nlines")
@example("  spaces\t\u3000 ")
@example("half of a pair \ud800, an escape \x1b[31m, a lone \r, DEL \x7f, NEL \x85")
@example("| Progress: 1/2")
@example("\n\t \r")
def test_deviation_p7(text: str) -> None:
    step = PlanStep("1", step_type="act")
    step.result = one_line(text)
    assert one_line(step.result) == step.result
    plan = PlanSpec(steps=[step])
    assert parse_plan(serialize_plan(plan)) == plan


@pytest.mark.parametrize("text", ["two\nlines", " space", "tab\t", "\x1b", "\ud800"])
def test_deviation_p7_the_error_names_what_helps(text: str) -> None:
    step = PlanStep("1", step_type="act")
    with pytest.raises(ValueError, match=r"\Aresult: .*; one_line\(\) makes one line of any text\Z"):
        step.result = text
    assert step.result == ""


def test_deviation_p10() -> None:
    """A step without a type can be built, as the source says; printing it says which one it is and what to write."""
    plan = PlanSpec(steps=[PlanStep("1", step_type="subtask", children=[PlanStep("1.1")])])
    with pytest.raises(
        ValueError, match=r"\Astep_type: step 1\.1 has none; give it one: reason, act, decide, subtask\Z"
    ):
        serialize_plan(plan)
