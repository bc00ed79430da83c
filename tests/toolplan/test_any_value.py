"""Whatever a plan and a registry are, the result has one of its two shapes, and its order keeps its promises."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings, strategies as st

from planspec_lark import render_all
from planspec_lark.syntax import CODES
from planspec_lark.toolplan import check_tool_plan, validate_plan_doc
from tests.toolplan.plans import ATOMS, document
from tests.toolplan.test_schema import BASE, changed

NAMES = {code.name: code for code in CODES.values() if code.code.startswith("PT")}
TEXTS = st.sampled_from(
    [
        "",
        "a",
        "b",
        "0",
        "1",
        "weigh",
        "${a.outputs.weight}",
        "x ${0.outputs.note}",
        "${",
        "${b.outputs.q} ${}",
        "\ud800",
    ]
)
KEYS = st.sampled_from(
    [
        *("target", "plan", "steps", "outputs", "id", "inputs", "step_id", "depends_on"),
        *("item", "dough", "atoms", "name", "type", "required"),
    ]
)
ANY = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 3), st.floats(allow_nan=False), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=20,
)
STEPS = st.fixed_dictionaries(
    {
        "id": st.sampled_from(["weigh", "bake", "sweep", "fry"]),
        "target": st.just(""),
        "inputs": st.dictionaries(KEYS, ANY, max_size=3),
    },
    optional={"step_id": st.sampled_from(["a", "b", "c", "0", "2"]), "depends_on": st.lists(TEXTS, max_size=3)},
)
PLANS = st.one_of(ANY, changed(BASE), st.lists(STEPS, min_size=1, max_size=5).map(lambda steps: document(*steps)))
REGISTRIES = st.one_of(st.just(ATOMS), changed(ATOMS), ANY)


def has_a_shape(result: dict[str, Any]) -> None:
    key = "warnings" if result["valid"] else "errors"
    order = {"execution_order", "execution_waves"} if result["valid"] else set()
    assert set(result) == {"valid", key, *order}
    assert result["valid"] or result["errors"]
    for found in result[key]:
        assert set(found) == {"code", "message", "path"}
        assert all(type(one) is str and one for one in found.values())
        assert (NAMES[found["code"]].severity.value == "error") == (key == "errors")


@settings(max_examples=8 * settings().max_examples)
@given(PLANS, REGISTRIES)
def test_any_value_gives_a_result(plan: Any, registry: Any) -> None:
    result = validate_plan_doc(plan, registry)
    has_a_shape(result)
    assert validate_plan_doc(plan, registry) == result
    if not result["valid"]:
        return
    steps = plan["plan"]["steps"]
    names = [step.get("step_id", str(index)) for index, step in enumerate(steps)]
    order = result["execution_order"]
    assert sorted(order) == sorted(names)
    assert sorted(name for wave in result["execution_waves"] for name in wave) == sorted(names)
    for name, step in zip(names, steps, strict=True):
        for other in step.get("depends_on", ()):
            assert order.index(other) < order.index(name)


@given(PLANS)
def test_a_text_has_the_same_findings(plan: Any) -> None:
    try:
        text = json.dumps(plan, ensure_ascii=False, allow_nan=False)
        text.encode()
    except (ValueError, UnicodeEncodeError):
        return
    if text[0] not in "{[":
        return
    found = check_tool_plan(text, ATOMS)
    result = validate_plan_doc(plan, ATOMS)
    reported = result["warnings"] if result["valid"] else result["errors"]
    expected = [(NAMES[one["code"]].code, one["path"]) for one in reported]
    listed = [(one.code, one.path) for one in found]
    assert set(expected) <= set(listed)
    assert len(listed) == len(expected) or not result["valid"]
    render_all(found)
