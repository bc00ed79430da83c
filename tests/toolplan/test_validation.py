"""Plans as plain values: both shapes of a result, and every rule."""

from __future__ import annotations

import copy
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


def warnings(*steps: Any, **plan: Any) -> list[tuple[str, str]]:
    result = validate(*steps, **plan)
    assert set(result) == {"valid", "warnings", "execution_order", "execution_waves"}
    assert result["valid"] is True
    return paths(result["warnings"])


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


def test_nothing_of_the_arguments_is_changed() -> None:
    plan = document(weigh("a", "${a.outputs.none}", depends_on=["q"]), outputs={"x": ["${}"]})
    before = copy.deepcopy((plan, ATOMS))
    validate_plan_doc(plan, ATOMS)
    assert (plan, ATOMS) == before


# ---------------------------------------------------------------- structure


@pytest.mark.parametrize("value", [None, True, 1, 1.5, "plan", []])
def test_s1_s2_the_top_is_an_object(value: object) -> None:
    assert paths(validate_plan_doc(value, ATOMS)["errors"]) == [("INVALID_TYPE", "$")]


def test_s1_s2_target_and_plan() -> None:
    assert validate_plan_doc({}, ATOMS)["errors"] == [
        {"code": "MISSING_FIELD", "message": "The field `target` is missing", "path": "target"},
        {"code": "MISSING_FIELD", "message": "The field `plan` is missing", "path": "plan"},
    ]
    assert validate_plan_doc({"target": 1, "plan": []}, ATOMS)["errors"] == [
        {"code": "INVALID_TYPE", "message": "Expected a string, not a whole number", "path": "target"},
        {"code": "INVALID_TYPE", "message": "Expected an object, not a list", "path": "plan"},
    ]


def test_s3_steps() -> None:
    plan: dict[str, Any] = {"target": "", "plan": {}}
    assert paths(validate_plan_doc(plan, ATOMS)["errors"]) == [("MISSING_FIELD", "plan.steps")]
    plan["plan"]["steps"] = {}
    assert paths(validate_plan_doc(plan, ATOMS)["errors"]) == [("INVALID_TYPE", "plan.steps")]
    plan["plan"]["steps"] = []
    assert paths(validate_plan_doc(plan, ATOMS)["errors"]) == [("EMPTY_STEPS", "plan.steps")]


@pytest.mark.parametrize("field", ["id", "target", "inputs"])
def test_s4_fields_of_a_step(field: str) -> None:
    step = weigh("a")
    del step[field]
    assert errors(step) == [("MISSING_FIELD", f"plan.steps[0].{field}")]
    wrong: object
    for wrong in (None, 1, []):
        assert errors({**step, field: wrong}) == [("INVALID_TYPE", f"plan.steps[0].{field}")]


@pytest.mark.parametrize("step", [None, "weigh", [], 3])
def test_s4_a_step_is_an_object(step: object) -> None:
    assert errors(weigh("a"), step) == [("INVALID_TYPE", "plan.steps[1]")]


def test_s4_inputs_may_be_empty() -> None:
    assert warnings({"id": "sweep", "target": "", "inputs": {}}) == []


@pytest.mark.parametrize("name", [None, 1, ["a"], True])
def test_s5_a_step_id_is_a_string(name: object) -> None:
    assert errors({**weigh(), "step_id": name}) == [("INVALID_TYPE", "plan.steps[0].step_id")]


def test_s5_a_step_id_is_not_empty() -> None:
    assert errors({**weigh(), "step_id": ""}) == [("EMPTY_STEP_ID", "plan.steps[0].step_id")]


def test_s6_dependencies_are_a_list_of_strings() -> None:
    wrong: object
    for wrong in (None, "a", {}):
        assert errors(weigh("a", depends_on=wrong)) == [("INVALID_TYPE", "plan.steps[0].depends_on")]
    assert errors(weigh("a"), weigh("b", depends_on=[0, "a", None])) == [
        ("INVALID_TYPE", "plan.steps[1].depends_on[0]"),
        ("INVALID_TYPE", "plan.steps[1].depends_on[2]"),
    ]


@pytest.mark.parametrize("outputs", [None, [], "loaf"])
def test_s7_outputs_are_an_object(outputs: object) -> None:
    assert errors(weigh("a"), outputs=outputs) == [("INVALID_TYPE", "plan.outputs")]


def test_other_fields_of_a_plan_are_ignored() -> None:
    plan = document({**weigh("a"), "note": None}, notes=[], outputs={"w": "${a.outputs.weight}"})
    assert codes(validate_plan_doc({**plan, "version": 1}, ATOMS)) == []


# ---------------------------------------------------------------- names


def test_u1_a_step_id_comes_once() -> None:
    result = validate(weigh("a"), bake("b"), bake("a"), weigh("a"))
    assert result["errors"] == [
        {
            "code": "DUPLICATE_STEP_ID",
            "message": "Duplicate `step_id` `a`: plan.steps[0] already has it",
            "path": f"plan.steps[{index}].step_id",
        }
        for index in (2, 3)
    ]


def test_u1_a_step_id_is_no_index_of_another_step() -> None:
    expected = "Duplicate `step_id` `1`: plan.steps[1] has this index and no `step_id`"
    assert [one["message"] for one in validate(weigh("1"), weigh())["errors"]] == [expected]
    assert errors(weigh(), weigh("0")) == [("DUPLICATE_STEP_ID", "plan.steps[1].step_id")]


def test_u1_an_index_is_free_where_its_step_has_another_name() -> None:
    assert validate(weigh("1"), weigh("0"))["execution_order"] == ["1", "0"]
    assert validate(weigh("0"), weigh("7"))["valid"]


# ---------------------------------------------------------------- tools


def test_a1_ids_match_exactly() -> None:
    for wrong in ("Weigh", "weigh ", "", "weigh.v2"):
        assert errors({**weigh("a"), "id": wrong}) == [("UNKNOWN_ATOM_ID", "plan.steps[0].id")]


def test_a1_an_unknown_id_may_be_a_slip() -> None:
    """It is compared with a bounded number of ids, and only the first unknown ones are."""

    def helps(*ids: str, atoms: object = ATOMS) -> list[str]:
        text = json.dumps(document(*({**weigh(), "id": one} for one in ids)))
        return [one.help for one in check_tool_plan(text, atoms) if one.code == "PT201"]

    assert helps("wiegh", "thaw", "Weigh") == ["did you mean `weigh`?", "", "did you mean `weigh`?"]
    assert helps(*(f"weigh{n}" for n in range(30)), "weigh0").count("") == 10
    assert helps("wiegh", atoms={7: {}, "weigh": {}}) == ["did you mean `weigh`?"]


def test_a2_inputs_are_those_of_the_tool() -> None:
    step = weigh("a")
    step["inputs"] |= {"salt": 1, "a b": 2}
    assert errors(step) == [
        ("UNKNOWN_INPUT_FIELD", "plan.steps[0].inputs.salt"),
        ("UNKNOWN_INPUT_FIELD", 'plan.steps[0].inputs["a b"]'),
    ]


@pytest.mark.parametrize(("value", "how"), [(None, "null"), ("", "empty")])
def test_a3_null_and_empty_texts_count_as_missing(value: object, how: str) -> None:
    assert validate(weigh("a", value))["errors"] == [
        {
            "code": "MISSING_REQUIRED_INPUT",
            "message": f"Required input 'item' is {how}",
            "path": "plan.steps[0].inputs.item",
        }
    ]


@pytest.mark.parametrize("value", [0, False, [], {}, " ", "${a.outputs.weight}"])
def test_a3_anything_else_is_something(value: object) -> None:
    assert "MISSING_REQUIRED_INPUT" not in codes(validate(weigh("a"), weigh("b", value)))


def test_a3_required_is_true_and_nothing_else() -> None:
    for required in ("true", 1, None, False):
        atoms = [{"id": "a", "inputs": [{"name": "x", "required": required}]}]
        assert validate_plan_doc(document({"id": "a", "target": "", "inputs": {}}), atoms)["valid"]


# ---------------------------------------------------------------- references


def test_r1_the_step_is_there() -> None:
    assert validate(weigh("a"), bake("b", "${c.outputs.weight}"))["errors"] == [
        {
            "code": "UNKNOWN_STEP_REF",
            "message": "Reference to unknown step `c`",
            "path": "plan.steps[1].inputs.dough",
        }
    ]


def test_r1_a_named_step_has_no_index() -> None:
    assert warnings(weigh(), bake("b", "${0.outputs.weight}"), outputs={"": "${b.outputs.loaf}"}) == []
    assert errors(weigh("a"), bake("b", "${0.outputs.weight}")) == [("UNKNOWN_STEP_REF", "plan.steps[1].inputs.dough")]


def test_r2_the_output_is_one_of_the_tool() -> None:
    assert validate(weigh("a"), bake("b", "${a.outputs.loaf}"))["errors"] == [
        {
            "code": "UNKNOWN_OUTPUT_FIELD",
            "message": "Unknown output `loaf` of step `a`: its atom is `weigh`",
            "path": "plan.steps[1].inputs.dough",
        }
    ]


def test_r2_a_tool_may_have_no_outputs() -> None:
    sweep = {"step_id": "a", "id": "sweep", "target": "", "inputs": {}}
    assert errors(sweep, bake("b", "${a.outputs.dust}")) == [("UNKNOWN_OUTPUT_FIELD", "plan.steps[1].inputs.dough")]


def test_r2_nothing_is_said_about_a_step_of_an_unknown_tool() -> None:
    assert errors({**weigh("a"), "id": "fry"}, bake("b", "${a.outputs.loaf}")) == [
        ("UNKNOWN_ATOM_ID", "plan.steps[0].id")
    ]


def test_r3_a_reference_is_covered_by_the_dependencies_that_are_given() -> None:
    text = "${a.outputs.weight}"
    assert validate(weigh("a"), weigh("c"), bake("b", text, depends_on=["c"]))["errors"] == [
        {
            "code": "REF_BEFORE_DEPENDENCY",
            "message": "Step `b` refers to `a`, but does not depend on it",
            "path": "plan.steps[2].inputs.dough",
        }
    ]
    assert errors(weigh("a"), bake("b", text, depends_on=[])) == [
        ("REF_BEFORE_DEPENDENCY", "plan.steps[1].inputs.dough")
    ]
    assert validate(weigh("a"), bake("b", text, depends_on=["a"]))["valid"]


def test_r3_indirect_dependencies_do_as_well() -> None:
    chain = [weigh("a"), weigh("b", depends_on=["a"]), weigh("c", "${b.outputs.note}")]
    assert validate(*chain, bake("d", "${a.outputs.weight}", depends_on=["c"]))["valid"]
    # What is above it in a branch of its own is none.
    side = [weigh("e", depends_on=["a"]), bake("d", "${b.outputs.weight}", depends_on=["e"])]
    assert errors(*chain, *side) == [("REF_BEFORE_DEPENDENCY", "plan.steps[4].inputs.dough")]


def test_r3_the_other_way_round_is_none() -> None:
    assert errors(weigh("a", "${b.outputs.weight}", depends_on=[]), weigh("b", depends_on=["a"])) == [
        ("REF_BEFORE_DEPENDENCY", "plan.steps[0].inputs.item")
    ]
    assert errors(weigh("a", "${a.outputs.note}", depends_on=[])) == [
        ("REF_BEFORE_DEPENDENCY", "plan.steps[0].inputs.item")
    ]


def test_r3_inside_a_circle_all_depend_on_all() -> None:
    ring = [weigh(name, depends_on=[other]) for name, other in (("a", "b"), ("b", "c"), ("c", "a"))]
    ring[0]["inputs"]["item"] = "${c.outputs.note} ${a.outputs.note}"
    assert errors(*ring, bake("d", "${a.outputs.note}", depends_on=["b"]), bake("e", "${d.outputs.loaf}")) == [
        ("CIRCULAR_DEPENDENCY", "plan.steps[0].depends_on")
    ]
    outside = weigh("b", "${x.outputs.note}", depends_on=["c"])
    assert errors(ring[0], outside, ring[2], weigh("x")) == [
        ("REF_BEFORE_DEPENDENCY", "plan.steps[1].inputs.item"),
        ("CIRCULAR_DEPENDENCY", "plan.steps[0].depends_on"),
    ]


def test_references_count_wherever_they_are() -> None:
    inner = {"list": ["no", {"deep": "from ${a.outputs.note} and ${q.outputs.note}"}]}
    step = {**weigh("b"), "inputs": {"item": "x", "rest": inner}}
    assert errors(weigh("a"), step) == [("UNKNOWN_STEP_REF", "plan.steps[1].inputs.rest.list[1].deep")]


def test_an_escaped_reference_is_none() -> None:
    assert warnings(weigh("a", "$${q.outputs.note}"), outputs={"": "${a.outputs.note}"}) == []


# ---------------------------------------------------------------- dependencies


def test_d1_dependencies_name_steps() -> None:
    assert validate(weigh("a"), weigh("b", depends_on=["a", "c", "0"]))["errors"] == [
        {
            "code": "UNKNOWN_DEPENDENCY",
            "message": f"Dependency on unknown step `{name}`",
            "path": f"plan.steps[1].depends_on[{at}]",
        }
        for at, name in ((1, "c"), (2, "0"))
    ]


def test_d2_a_circle_names_its_steps_in_order() -> None:
    steps = [weigh("a", depends_on=["c"]), weigh("b", depends_on=["a"]), weigh("c", depends_on=["b"])]
    assert validate(weigh("x"), *steps, weigh("y", depends_on=["a"]))["errors"] == [
        {
            "code": "CIRCULAR_DEPENDENCY",
            "message": "Circular dependency: a → c → b → a",
            "path": "plan.steps[1].depends_on",
        }
    ]


def test_d2_a_step_that_depends_on_itself_is_a_circle() -> None:
    assert [one["message"] for one in validate(weigh("a", depends_on=["a"]))["errors"]] == [
        "Circular dependency: a → a"
    ]
    assert errors(weigh("a", "${a.outputs.note}")) == [("CIRCULAR_DEPENDENCY", "plan.steps[0].inputs")]


def test_d2_every_circle_is_found() -> None:
    pairs = [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")]
    steps = [weigh(name, depends_on=[other]) for name, other in pairs]
    # The second circle depends on the first one.
    steps[2]["depends_on"].insert(0, "a")
    assert [one["message"] for one in validate(*steps)["errors"]] == [
        "Circular dependency: a → b → a",
        "Circular dependency: c → d → c",
    ]


def test_d2_a_long_circle_is_cut_in_its_middle() -> None:
    steps = [weigh(f"s{index}", depends_on=[f"s{(index + 1) % 100}"]) for index in range(100)]
    [found] = validate(*steps)["errors"]
    shown = [f"s{index}" for index in (*range(10), *range(91, 100), 0)]
    assert found["message"] == f"Circular dependency: {' → '.join([*shown[:10], '(81 more)', *shown[10:]])}"


# ---------------------------------------------------------------- warnings


def test_malformed_references() -> None:
    result = validate(weigh("a", "${a.output.b} ${} ${a.outputs.note", rest=1), outputs={"x": ["${y}"]})
    assert result["warnings"][:4] == [
        {"code": "MALFORMED_REFERENCE", "message": f"`{text}` is not a reference", "path": path}
        for text, path in (
            ("${a.output.b}", "plan.steps[0].inputs.item"),
            ("${}", "plan.steps[0].inputs.item"),
            ("${a.outputs.note", "plan.steps[0].inputs.item"),
            ("${y}", "plan.outputs.x[0]"),
        )
    ]


def test_unused_outputs() -> None:
    assert warnings(weigh("a"), weigh("b", "${a.outputs.note}"), outputs={"x": "b"}) == [
        ("UNUSED_STEP_OUTPUT", "plan.steps[1]")
    ]
    assert warnings(weigh("a"), outputs={"x": ["so: ${a.outputs.note}"]}) == []
    # To come after it is no use of what it produces.
    assert warnings(weigh("a"), weigh("b", depends_on=["a"]), outputs={"x": "${b.outputs.note}"}) == [
        ("UNUSED_STEP_OUTPUT", "plan.steps[0]")
    ]


def test_unresolved_outputs() -> None:
    result = validate(weigh("a"), outputs={"x": "${a.outputs.note}", "y": "${b.outputs.note} ${a.outputs.loaf}"})
    assert result["warnings"] == [
        {"code": "UNRESOLVED_OUTPUT", "message": "Reference to unknown step `b`", "path": "plan.outputs.y"},
        {
            "code": "UNRESOLVED_OUTPUT",
            "message": "Unknown output `loaf` of step `a`: its atom is `weigh`",
            "path": "plan.outputs.y",
        },
    ]


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


@pytest.mark.parametrize(("dough", "right"), [("x", True), (1, True), (1.5, True), (None, False), (True, False)])
def test_one_of_several_types(dough: object, right: bool) -> None:
    result = validate(bake("a", dough), outputs={"x": "${a.outputs.loaf}"})
    assert (codes(result) == []) == right


def test_outputs_of_the_right_type() -> None:
    assert warnings(weigh("a"), bake("b", "${a.outputs.weight}"), outputs={"": "${b.outputs.loaf}"}) == []


# ---------------------------------------------------------------- order


def test_the_documents_order_among_those_that_are_ready() -> None:
    result = validate(
        weigh("e", depends_on=["b"]), weigh("d"), weigh("c", depends_on=["d"]), weigh("b"), weigh("a", depends_on=["e"])
    )
    assert result["execution_order"] == ["d", "c", "b", "e", "a"]
    assert result["execution_waves"] == [["d", "b"], ["e", "c"], ["a"]]


def test_names_without_step_ids_are_indices() -> None:
    result = validate(weigh(item="${1.outputs.note}"), weigh())
    assert result["execution_order"] == ["1", "0"]


def test_a_dependency_that_is_named_twice() -> None:
    assert validate(weigh("a", depends_on=["b", "b"]), weigh("b"))["execution_order"] == ["b", "a"]


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


def test_of_two_inputs_with_one_name_the_first_counts() -> None:
    atoms = [{"id": "weigh", "inputs": [{"name": "item", "type": "integer"}, {"name": "item", "required": True}]}]
    assert codes(validate_plan_doc(document(weigh("a", "x")), atoms)) == ["INPUT_TYPE_MISMATCH"]
    assert codes(validate_plan_doc(document(weigh("a", "")), atoms)) == ["INPUT_TYPE_MISMATCH"]


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


def test_keys_that_are_no_texts() -> None:
    step = weigh("a")
    step["inputs"][3] = "${q.outputs.x}"
    step["inputs"][None] = {1: "${q.outputs.x}"}
    assert errors(step) == [
        ("UNKNOWN_INPUT_FIELD", 'plan.steps[0].inputs["3"]'),
        ("UNKNOWN_INPUT_FIELD", "plan.steps[0].inputs.None"),
        ("UNKNOWN_STEP_REF", 'plan.steps[0].inputs["3"]'),
        ("UNKNOWN_STEP_REF", 'plan.steps[0].inputs.None["1"]'),
    ]
