"""Plans as plain values: both shapes of a result, and what test_oracle.py and the fixtures do not have of the rules."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planspec_lark.toolplan import check_tool_plan, registry_from_value, validate_plan_doc
from tests.toolplan.plans import ATOMS, bake, codes, document, paths, weigh


def validate(*steps: Any, **plan: Any) -> dict[str, Any]:
    return validate_plan_doc(document(*steps, **plan), ATOMS)


def errors(*steps: Any, **plan: Any) -> list[tuple[str, str]]:
    result = validate(*steps, **plan)
    assert set(result) == {"valid", "errors"}
    assert result["valid"] is False
    assert result["errors"]
    assert all(set(one) == {"code", "message", "path"} for one in result["errors"])
    return paths(result["errors"])


@pytest.mark.parametrize(("count", "is_more"), [(9, False), (12, True)])
def test_of_many_circles_the_first_are_named(count: int, is_more: bool) -> None:
    steps = [{**weigh(f"s{at}"), "depends_on": [f"s{at}"]} for at in range(count)]
    found = [one for one in check_tool_plan(json.dumps(document(*steps)), ATOMS) if one.code == "PT402"]
    assert len(found) == min(count, 10)
    assert ["more circles" in one.help for one in found] == [*[False] * (len(found) - 1), is_more]


# ---------------------------------------------------------------- results


def test_a_valid_plan() -> None:
    plan = document(weigh("a"), bake("b", "${a.outputs.weight}"), outputs={"loaf": "${b.outputs.loaf}"})
    assert validate_plan_doc(plan, ATOMS) == {
        "valid": True,
        "warnings": [],
        "execution_order": ["a", "b"],
        "execution_waves": [["a"], ["b"]],
    }


def test_a_valid_plan_with_a_warning() -> None:
    assert validate_plan_doc(document(weigh()), ATOMS) == {
        "valid": True,
        "warnings": [
            {"code": "UNUSED_STEP_OUTPUT", "message": "No output of step `0` is used", "path": "plan.steps[0]"}
        ],
        "execution_order": ["0"],
        "execution_waves": [["0"]],
    }


def test_an_invalid_plan() -> None:
    plan = document({**weigh(), "inputs": {}}, weigh(), {**bake(), "id": "fry"})
    assert validate_plan_doc(plan, ATOMS) == {
        "valid": False,
        "errors": [
            {
                "code": "MISSING_REQUIRED_INPUT",
                "message": "Required input 'item' is missing",
                "path": "plan.steps[0].inputs",
            },
            {"code": "UNKNOWN_ATOM_ID", "message": "Unknown atom id: fry", "path": "plan.steps[2].id"},
        ],
    }


def test_stages_come_in_their_order() -> None:
    """Structure, names, tools, references, dependencies; inside of a stage the document's order."""
    plan = document(
        weigh("a", "${z.outputs.weight}", depends_on=["y"]),
        {**bake("b"), "inputs": {"salt": 1}},
        {**bake("a"), "id": "fry"},
        {**weigh("c"), "target": 1},
        weigh("d", depends_on=["d"]),
    )
    assert paths(validate_plan_doc({**plan, "target": None}, ATOMS)["errors"]) == [
        ("INVALID_TYPE", "target"),
        ("INVALID_TYPE", "plan.steps[3].target"),
        ("DUPLICATE_STEP_ID", "plan.steps[2].step_id"),
        ("UNKNOWN_INPUT_FIELD", "plan.steps[1].inputs.salt"),
        ("MISSING_REQUIRED_INPUT", "plan.steps[1].inputs"),
        ("UNKNOWN_ATOM_ID", "plan.steps[2].id"),
        ("UNKNOWN_STEP_REF", "plan.steps[0].inputs.item"),
        ("UNKNOWN_DEPENDENCY", "plan.steps[0].depends_on[0]"),
        ("CIRCULAR_DEPENDENCY", "plan.steps[4].depends_on"),
    ]


# ---------------------------------------------------------------- structure and names


@pytest.mark.parametrize("value", [None, 1, "plan", []])
def test_the_top_is_an_object(value: object) -> None:
    assert paths(validate_plan_doc(value, ATOMS)["errors"]) == [("INVALID_TYPE", "$")]


def test_other_fields_of_a_plan_are_ignored() -> None:
    plan = document({**weigh("a"), "note": None}, notes=[], outputs={"w": "${a.outputs.weight}"})
    assert codes(validate_plan_doc({**plan, "version": 1}, ATOMS)) == []


def test_u1_a_step_id_is_no_index_of_another_step() -> None:
    expected = "Duplicate `step_id` `1`: plan.steps[1] has this index and no `step_id`"
    assert [one["message"] for one in validate(weigh("1"), weigh())["errors"]] == [expected]
    assert validate(weigh("1"), weigh("0"))["execution_order"] == ["1", "0"]


# ---------------------------------------------------------------- tools


def test_a1_an_unknown_id_may_be_a_slip() -> None:
    """It is compared with a bounded number of ids, and only the first unknown ones are."""

    def helps(*ids: str, atoms: object = ATOMS) -> list[str]:
        text = json.dumps(document(*({**weigh(), "id": one} for one in ids)))
        return [one.help for one in check_tool_plan(text, atoms) if one.code == "PT201"]

    assert helps("wiegh", "thaw", "Weigh") == ["did you mean `weigh`?", "", "did you mean `weigh`?"]
    assert helps(*(f"weigh{n}" for n in range(30)), "weigh0").count("") == 10
    assert helps("wiegh", atoms={7: {}, "weigh": {}}) == ["did you mean `weigh`?"]


@pytest.mark.parametrize(("value", "how"), [(None, "null"), ("", "empty")])
def test_a3_null_and_empty_texts_count_as_missing(value: object, how: str) -> None:
    assert validate(weigh("a", value))["errors"] == [
        {
            "code": "MISSING_REQUIRED_INPUT",
            "message": f"Required input 'item' is {how}",
            "path": "plan.steps[0].inputs.item",
        }
    ]


def test_a3_required_is_true_and_nothing_else() -> None:
    for required in ("true", 1, None, False):
        atoms = [{"id": "a", "inputs": [{"name": "x", "required": required}]}]
        assert validate_plan_doc(document({"id": "a", "target": "", "inputs": {}}), atoms)["valid"]


# ---------------------------------------------------------------- references and dependencies


def test_r3_is_not_judged_where_a_step_waits_for_a_circle() -> None:
    ring = [weigh(name, "${x.outputs.note}", depends_on=[other]) for name, other in ("ab", "bc", "ca")]
    behind = bake("d", "${x.outputs.note}", depends_on=["a"])
    assert errors(*ring, behind, weigh("x")) == [("CIRCULAR_DEPENDENCY", "plan.steps[0].depends_on")]
    free = bake("y", "${a.outputs.note}", depends_on=["x"])
    assert errors(*ring, weigh("x"), free) == [
        ("REF_BEFORE_DEPENDENCY", "plan.steps[4].inputs.dough"),
        ("CIRCULAR_DEPENDENCY", "plan.steps[0].depends_on"),
    ]


def test_references_count_wherever_they_are() -> None:
    inner = {"list": ["no", {"deep": "from ${a.outputs.note} and ${q.outputs.note}"}]}
    step = {**weigh("b"), "inputs": {"item": "x", "rest": inner}}
    assert errors(weigh("a"), step) == [("UNKNOWN_STEP_REF", "plan.steps[1].inputs.rest.list[1].deep")]


def test_d2_a_long_circle_is_cut_in_its_middle() -> None:
    steps = [weigh(f"s{index}", depends_on=[f"s{(index + 1) % 100}"]) for index in range(100)]
    [found] = validate(*steps)["errors"]
    shown = [f"s{index}" for index in (*range(10), *range(91, 100), 0)]
    assert found["message"] == f"Circular dependency: {' → '.join([*shown[:10], '(81 more)', *shown[10:]])}"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("10", "not string"),
        (True, "not boolean"),
        (1.5, "not number"),
        ([1], "not array"),
        (["${a.outputs.weight}"], "not array"),
        ({}, "not object"),
        ("${a.outputs.note}", "and this output is of type string"),
        ("${a.outputs.weight} g", "not string"),
    ],
)
def test_values_of_another_type(value: object, message: str) -> None:
    step = weigh("b")
    step["inputs"]["grams"] = value
    result = validate(weigh("a"), step, outputs={"x": "${a.outputs.note}${b.outputs.note}"})
    assert result["warnings"] == [
        {
            "code": "INPUT_TYPE_MISMATCH",
            "message": f"The input `grams` is of type integer, {message}",
            "path": "plan.steps[1].inputs.grams",
        }
    ]


# ---------------------------------------------------------------- registries


@pytest.mark.parametrize(
    "registry",
    [
        ATOMS,
        {"atoms": ATOMS},
        {atom["id"]: atom for atom in ATOMS},
        {atom["id"]: {key: value for key, value in atom.items() if key != "id"} for atom in ATOMS},
        {
            atom["id"]: {side: {one["name"]: one for one in atom[side]} for side in ("inputs", "outputs")}
            for atom in ATOMS
        },
        registry_from_value(ATOMS),
        tuple(ATOMS),
        list(registry_from_value(ATOMS)),
        {atom.id: atom for atom in registry_from_value(ATOMS)},
    ],
    ids=["list", "object with list", "by id", "by id alone", "by name", "model", "tuple", "models", "models by id"],
)
def test_shapes_of_a_registry(registry: object) -> None:
    plans = [
        document(weigh("a"), bake("b", "${a.outputs.weight}")),
        document(weigh("a", "", depends_on=[]), bake("b", "${a.outputs.loaf} ${b.outputs.loaf}")),
        document({**weigh("a"), "inputs": {"grams": "x", "salt": 1}}),
    ]
    for plan in plans:
        assert validate_plan_doc(plan, registry) == validate_plan_doc(plan, ATOMS)


@pytest.mark.parametrize("registry", [None, [], {}, 3, "weigh", [None, 1, {}, {"id": 3}], {"weigh": None}])
def test_no_registry(registry: object) -> None:
    result = validate_plan_doc(document(weigh("a")), registry)
    assert codes(result) == ([] if isinstance(registry, dict) and registry else ["UNKNOWN_ATOM_ID"])


@pytest.mark.parametrize("inputs", [None, "item", 3, [None], ["item"], [{"name": 1}], [{}]])
def test_of_a_definition_that_makes_no_sense_nothing_is_asked(inputs: object) -> None:
    atoms = [{"id": "weigh", "inputs": inputs, "outputs": inputs}]
    assert codes(validate_plan_doc(document(weigh("a", "${a.outputs.x}", depends_on=["b"]), weigh("b")), atoms)) == [
        "REF_BEFORE_DEPENDENCY"
    ]


def test_of_two_tools_with_one_id_the_first_counts() -> None:
    assert validate_plan_doc(document(weigh("a")), [*ATOMS, {"id": "weigh"}])["valid"]
    assert codes(validate_plan_doc(document(weigh("a")), [{"id": "weigh"}, *ATOMS])) == ["UNKNOWN_INPUT_FIELD"]


# ---------------------------------------------------------------- hostile values


def test_what_is_shown_is_safe_and_short() -> None:
    name = "\x1b[31m\u202e\n" + "x" * 10_000
    step = {**weigh(name, "${\u202e.outputs.x}", depends_on=[name]), "id": name}
    step["inputs"][name] = "${" + name
    result = validate_plan_doc(document(step, {**weigh(), "inputs": {"item": "x", name: 1}}), ATOMS)
    assert codes(result) == ["UNKNOWN_ATOM_ID", "UNKNOWN_INPUT_FIELD", "UNKNOWN_STEP_REF", "CIRCULAR_DEPENDENCY"]
    shown = json.dumps(result, ensure_ascii=False)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert len(shown) < 5_000


def test_deep_inputs_need_no_recursion() -> None:
    value: Any = "${q.outputs.x}"
    for level in range(20_000):
        value = [value, "${q.outputs.y}"] if level % 2 else {"a": value}
    result = validate(weigh("a"), {**weigh("b"), "inputs": {"item": "x", "rest": value}})
    assert len(result["errors"]) == 10_001
    assert max(len(one["path"]) for one in result["errors"]) < 500


def test_a_value_that_is_in_many_places_is_looked_at_once() -> None:
    value: Any = ["${q.outputs.x}"]
    for _ in range(100):
        value = [value, value]
    value.append(value)
    assert codes(validate(weigh("a"), {**weigh("b"), "inputs": {"item": "x", "rest": value}})) == ["UNKNOWN_STEP_REF"]


class Unwritable:
    """What can neither be compared nor written."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError

    def __str__(self) -> str:
        raise RuntimeError

    __hash__ = object.__hash__


@pytest.mark.parametrize(
    "value", [Unwritable(), {1, 2}, b"", 10**5000, float("nan")], ids=lambda value: type(value).__name__
)
def test_values_that_are_no_json(value: object) -> None:
    step = weigh("b", rest=value)
    step["inputs"]["item"] = value
    assert "MISSING_REQUIRED_INPUT" not in codes(validate(weigh("a"), step))


@pytest.mark.parametrize(
    ("key", "said"),
    [(Unwritable(), ".Unwritable"), (10**5000, '["a whole number"]')],
    ids=lambda value: type(value).__name__,
)
def test_keys_that_cannot_be_written(key: object, said: str) -> None:
    step = weigh("a")
    step["inputs"] |= {key: 1, "item": {key: "${q.outputs.x}"}}
    path = f"plan.steps[0].inputs{said}"
    assert errors(step, outputs={key: "${"}) == [
        ("UNKNOWN_INPUT_FIELD", path),
        ("UNKNOWN_STEP_REF", path.replace(".inputs", ".inputs.item")),
    ]


def test_names_of_types_are_safe_to_show() -> None:
    [found] = validate_plan_doc(type("\x1b[31m\n" + "x" * 10_000, (), {})(), ATOMS)["errors"]
    assert found["message"].startswith("Expected an object, not \\x1b[31m\\nxxx")
    assert len(found["message"]) < 300
