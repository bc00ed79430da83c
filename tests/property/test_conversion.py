"""JSON values, the JSON Schema and HopSpec: nothing changes on the way there and back."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, strategies as st
from jsonschema import Draft202012Validator

from planspec_lark import PlanSpec, PlanValueError, iter_steps, plan_from_json, plan_json_schema, plan_to_json
from planspec_lark.hopspec import StepInfo, plan_to_steps, steps_to_plan
from planspec_lark.planspec import plan_from_dict, plan_to_dict
from tests import strategies
from tests.property import promises

_SCHEMA = Draft202012Validator(plan_json_schema())

_texts = st.one_of(
    strategies.lines,
    strategies.ids,
    strategies.types,
    st.sampled_from(["", " a", "a\n", "\n", "01", "1.", "a b", "a\x00", "done"]),
)
_json: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(-1, 10**9), st.just(0.5), _texts, st.lists(_texts, max_size=2),
    st.just({}), st.just([{}]), st.just([{"step_id": "1"}]),
)  # fmt: skip


@given(strategies.plans)
def test_a_plan_survives_its_json_value(plan: PlanSpec) -> None:
    promises.dict_reads_back(plan)


@given(strategies.plans, st.sampled_from([None, 0, 2]))
def test_a_plan_survives_its_json_text(plan: PlanSpec, indent: int | None) -> None:
    text = plan_to_json(plan, indent=indent)
    assert plan_from_json(text) == plan
    assert json.loads(text) == plan_to_dict(plan)


@given(strategies.plans)
def test_the_schema_accepts_every_plan(plan: PlanSpec) -> None:
    assert _SCHEMA.is_valid(plan_to_dict(plan))


@st.composite
def _mutated_values(draw: st.DrawFn) -> dict[str, Any]:
    value = plan_to_dict(draw(strategies.plans))
    todo = [value]
    for row in todo:
        todo += row.get("steps", []) + row.get("children", [])
    row = draw(st.sampled_from(todo))
    key = draw(st.sampled_from([*row, "extra"]))
    if draw(st.booleans()):
        row.pop(key, None)
    elif key == "step_name":
        row[key] = draw(st.one_of(strategies.ascii_names, st.sampled_from(["a b", "a.b", "[a]", "a|b", None, 1])))
    elif isinstance(row.get(key), list) and row[key] and draw(st.booleans()):
        row[key] = [draw(_json), *row[key]]
    else:
        row[key] = draw(_json)
    return value


@given(_mutated_values())
def test_the_schema_accepts_what_is_read(value: dict[str, Any]) -> None:
    problems = _problems(value)
    assert _SCHEMA.is_valid(value) == (not problems), problems
    assert all(" @ $" in problem for problem in problems)


def _problems(value: object) -> list[str]:
    try:
        plan_from_dict(value)
    except PlanValueError as error:
        return error.problems or ["refused without a reason"]
    return []


_keys = st.sampled_from(["steps", "children", "step_id", "title"])


def _objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(_keys, st.one_of(inner, st.lists(inner, max_size=2)), max_size=3)


@given(st.recursive(_json, _objects))
def test_no_json_value_raises_anything_else(value: Any) -> None:
    assert "refused without a reason" not in _problems(value)


@given(strategies.named_plans)
def test_hopspec_and_back_keeps_what_both_have(plan: PlanSpec) -> None:
    for step in iter_steps(plan):
        # A name that is just like the one made from the id cannot be told from it, and counts as none.
        if step.step_name == f"step_{step.step_id.replace('.', '_')}":
            step.step_name = ""
    again = steps_to_plan(plan_to_steps(plan), plan.title, plan.goal, plan.constraints)
    kept = ("step_id", "step_name", "step_type", "description", "inputs", "outputs")
    said = [[getattr(step, name) for name in kept] for step in iter_steps(plan)]
    assert [[getattr(step, name) for name in kept] for step in iter_steps(again)] == said
    assert (again.title, again.goal, again.constraints) == (plan.title, plan.goal, plan.constraints)
    promises.reads_back(again)


@given(st.lists(strategies.infos, max_size=3))
def test_any_hopspec_steps_become_a_plan_or_are_refused(steps: list[StepInfo]) -> None:
    promises.reads_back(steps_to_plan(steps))
