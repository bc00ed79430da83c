"""Models: what can be built can be printed, and everything else is refused by the field's name."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import attrs
import pytest
from hypothesis import example, given, strategies as st

from planspec_lark import (
    PlanCommand,
    PlanSpec,
    PlanStatus,
    PlanStep,
    iter_steps,
    parse_plan,
    serialize_commands,
    serialize_plan,
)
from tests import strategies
from tests.property import promises

_scalars: st.SearchStrategy[Any] = st.one_of(
    strategies.wild,
    strategies.lines,
    strategies.ids,
    strategies.types,
    strategies.names,
    st.none(),
    st.booleans(),
    st.integers(-2, 10**10),
    st.floats(),
    st.binary(max_size=2),
    st.sampled_from(["done", "", "x\n", "١", "1.", "a b", "\ud800", "ß"]),
)
_values = st.one_of(
    _scalars,
    st.lists(_scalars, max_size=3),
    st.tuples(_scalars),
    st.dictionaries(strategies.types, _scalars, max_size=1),
)
_rows = st.lists(st.one_of(strategies.lines, strategies.wild), max_size=3)


def _is_refused_by_name(build: Callable[[], object], name: str) -> bool:
    try:
        build()
    except (TypeError, ValueError) as error:
        message = str(error)
    else:
        return False
    assert message.startswith(name), f"{name} is not named: {message}"
    return True


@given(st.sampled_from(attrs.fields(PlanStep)), _values)
def test_a_step_is_refused_by_name_or_reads_back(field: attrs.Attribute[Any], value: Any) -> None:
    values = {"step_id": "1", "step_type": "act", field.name: value}
    if not _is_refused_by_name(lambda: PlanStep(**values), field.name):
        step = PlanStep(**values)
        if step.step_type:
            promises.reads_back(PlanSpec(steps=[step]))


@given(st.sampled_from(attrs.fields(PlanStep)), _values)
def test_setting_refuses_what_building_refuses(field: attrs.Attribute[Any], value: Any) -> None:
    step = PlanStep("1", step_type="act")
    before = copy.deepcopy(step)
    values = {"step_id": "1", "step_type": "act", field.name: value}
    refused = _is_refused_by_name(lambda: PlanStep(**values), field.name)
    assert _is_refused_by_name(lambda: setattr(step, field.name, value), field.name) == refused
    assert not refused or step == before


@given(st.sampled_from(attrs.fields(PlanSpec)), _values)
def test_a_plan_is_refused_by_name_or_reads_back(field: attrs.Attribute[Any], value: Any) -> None:
    values = {field.name: value}
    if not _is_refused_by_name(lambda: PlanSpec(**values), field.name):
        promises.reads_back(PlanSpec(**values))


@given(st.sampled_from(attrs.fields(PlanCommand)), _values)
def test_a_command_is_refused_by_name_or_built(field: attrs.Attribute[Any], value: Any) -> None:
    values = {"op": "ADD", "step_id": "1", "step_type": "act", field.name: value}
    if not _is_refused_by_name(lambda: PlanCommand(**values), field.name):
        command = PlanCommand(**values)
        try:
            serialize_commands([command])
        except ValueError:
            return
        promises.command_reads_back(command)


@pytest.mark.parametrize("name", ["title", "goal", "goal_detail", "constraints"])
def test_a_status_as_a_text_is_refused_or_reads_back(name: str) -> None:
    value: Any = [PlanStatus.DONE] if name in ("goal_detail", "constraints") else PlanStatus.DONE
    if not _is_refused_by_name(lambda: PlanSpec(**{name: value}), name):
        promises.reads_back(PlanSpec(**{name: value}))


@example("outputs", ["a", " b"])
@example("inputs", ["a ", "b"])
@given(st.sampled_from(["inputs", "outputs", "detail"]), _rows)
def test_a_list_that_was_changed_reads_back_or_is_refused(name: str, items: list[str]) -> None:
    step = PlanStep("1", step_type="act", description="a")
    getattr(step, name).extend(items)
    _reads_back_or_is_refused(PlanSpec(steps=[step]))


@given(st.sampled_from(["goal_detail", "constraints"]), _rows)
def test_a_list_of_a_plan_that_was_changed_reads_back_or_is_refused(name: str, items: list[str]) -> None:
    plan = PlanSpec()
    getattr(plan, name).extend(items)
    _reads_back_or_is_refused(plan)


@given(strategies.plans, strategies.ids, st.data())
def test_an_id_that_was_changed_reads_back_or_is_refused(plan: PlanSpec, step_id: str, data: st.DataObject) -> None:
    steps = list(iter_steps(plan))
    if steps:
        data.draw(st.sampled_from(steps)).step_id = step_id
        _reads_back_or_is_refused(plan)


def _reads_back_or_is_refused(plan: PlanSpec) -> None:
    try:
        text = serialize_plan(plan)
    except ValueError:
        return
    assert parse_plan(text) == plan
