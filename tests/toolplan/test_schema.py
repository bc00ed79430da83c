"""The schemas and the readers agree: what one takes the other takes, whatever a plan or a registry looks like."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import example, given, strategies as st
from jsonschema import Draft7Validator

from planspec_lark.syntax.grammars import schema_path
from planspec_lark.toolplan import AtomsError, registry_from_value, validate_plan_doc
from tests.toolplan.plans import ATOMS, bake, document, weigh
from tests.toolplan.test_parser import FAULTS

PLAN = Draft7Validator(json.loads(schema_path("tool_plan").read_text(encoding="utf-8")))
REGISTRY = Draft7Validator(json.loads(schema_path("atoms").read_text(encoding="utf-8")))
# What a schema can say of a plan: rules S1 to S7.
STRUCTURAL = {"MISSING_FIELD", "INVALID_TYPE", "EMPTY_STEPS", "EMPTY_STEP_ID"}
# And what it can not say of a registry: what is the same somewhere else.
ELSEWHERE = {"PT601", "PT603"}

BASE = document(
    weigh("a"), bake("b", "${a.outputs.weight}", depends_on=["a"]), {**weigh(), "note": 1}, outputs={"x": [1]}
)


def is_structured(plan: object) -> bool:
    return not {found["code"] for found in validate_plan_doc(plan, ATOMS).get("errors", [])} & STRUCTURAL


def is_registry(value: object) -> bool:
    try:
        registry_from_value(value)
    except AtomsError as error:
        # So is an id that is another one than its key.
        return all(found.code in ELSEWHERE or "the key" in found.message for found in error.diagnostics)
    return True


def places_in(value: Any) -> list[tuple[Any, Any]]:
    """All containers and keys of a value."""
    found, todo = [], [value]
    while todo:
        one = todo.pop()
        steps = list(one) if isinstance(one, dict) else range(len(one)) if isinstance(one, list) else []
        found += [(one, step) for step in steps]
        todo += [one[step] for step in steps]
    return found


_SIMPLE: list[Any] = [None, True, 0, 1.5, "", "a", [], {}, [1], ["a"], {"a": 1}, [{}], {"name": "x"}, {"id": "x"}]
# A copy, as changes may continue inside.
VALUES = st.sampled_from(_SIMPLE).map(copy.deepcopy)


KEYS = ["", *["atoms", "type", "required", "step_id", "depends_on", "outputs", "id", "parameters", "inputSchema"]]


@st.composite
def changed(draw: st.DrawFn, base: Any) -> Any:
    """A value with up to three changes: something left out, replaced or added."""
    value = copy.deepcopy(base)
    for _ in range(draw(st.integers(0, 3))):
        places = places_in(value)
        if not places:
            break
        owner, step = draw(st.sampled_from(places))
        how = draw(st.integers(0, 2))
        if how == 0:
            del owner[step]
        elif how == 1:
            owner[step] = draw(VALUES)
        elif isinstance(owner, dict):
            owner[draw(st.sampled_from(KEYS))] = draw(VALUES)
        else:
            owner.append(draw(VALUES))
    return value


def test_the_schemas_are_schemas() -> None:
    for validator in (PLAN, REGISTRY):
        Draft7Validator.check_schema(validator.schema)


@given(st.one_of(changed(BASE), VALUES))
@example(BASE)
@example(document())
@example(document({**weigh(), "step_id": ""}))
@example(document(weigh("a", depends_on=[1])))
def test_plans(plan: Any) -> None:
    assert PLAN.is_valid(plan) == is_structured(plan)


BY_ID = {"a": {"inputs": {"x": {"type": "string", "required": True}, "y": "integer"}, "outputs": {}}, "b": {"id": "b"}}


@given(st.one_of(changed(ATOMS), changed({"atoms": ATOMS}), changed(BY_ID), VALUES))
@example({"atoms": {}})
@example({"atoms": {"id": "atoms"}})
def test_registries(value: Any) -> None:
    assert REGISTRY.is_valid(value) == is_registry(value)


@pytest.mark.parametrize(("value", "expected"), FAULTS)
def test_faults_of_registries(value: object, expected: list[tuple[str, str]]) -> None:
    codes = {code for code, _ in expected}
    assert REGISTRY.is_valid(value) == is_registry(value)
    assert not REGISTRY.is_valid(value) or codes <= {*ELSEWHERE, "PT602"}
