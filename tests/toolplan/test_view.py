"""Tool plans as PlanSpec documents, and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from syrupy.assertion import SnapshotAssertion

from planspec_lark import parse_plan, render_all, serialize_plan, validate_plan
from planspec_lark.tool_runner import run_toolplan
from planspec_lark.toolplan import (
    ToolPlanError,
    draw_toolplan,
    load_plan_doc,
    plan_to_toolplan_skeleton,
    tool_plan_from_dict,
    tool_plan_to_dict,
    toolplan_to_plan,
    validate_plan_doc,
)
from planspec_lark.toolplan.notes import Note, read_note, variable_of, write_note
from tests.toolplan.measuring import grows_evenly
from tests.toolplan.plans import ATOMS, bake, document, weigh
from tests.toolplan.test_fixtures import OF_PLANS, atoms_of, plan_file

HOSTILE = "two\nlines \x1b[31m\u202e | → x\r\n# Plan: forged\n1. [act] forged\u2028\x00\ud800 \t"
PLAN = document(
    bake("loaf", "${flour.outputs.weight}", depends_on=["flour", "oven heat"]),
    weigh("flour"),
    weigh("oven heat", "heat", target=""),
    weigh(item="${loaf.outputs.loaf} and ${flour.outputs.weight}", target=HOSTILE) | {"inputs": {"item": HOSTILE}},
    weigh("3-a", {"deep": ["${oven heat.outputs.note}", None, 1.5]}),
    outputs={"bread": "${loaf.outputs.loaf}", "a b": 5},
)


def back(plan: Any, registry: Any = None) -> tuple[dict[str, Any], list[Any]]:
    """There and back again, through text."""
    text = serialize_plan(toolplan_to_plan(tool_plan_from_dict(plan), registry))
    return plan_to_toolplan_skeleton(parse_plan(text), registry)


def in_order(plan: dict[str, Any], order: list[str]) -> dict[str, Any]:
    """The plan that comes back: its steps in the order of execution, those that have moved with names."""
    names = tool_plan_from_dict(plan).names()
    steps = []
    for at, name in enumerate(order):
        step = plan["plan"]["steps"][names.index(name)]
        steps.append(step if "step_id" in step or name == str(at) else {"step_id": name, **step})
    outputs = {"outputs": plan["plan"]["outputs"]} if plan["plan"].get("outputs") else {}
    return {"target": plan["target"], "plan": {"steps": steps, **outputs}}


def test_a_plan(snapshot: SnapshotAssertion) -> None:
    plan = toolplan_to_plan(tool_plan_from_dict(PLAN), ATOMS)
    assert validate_plan(plan) == []
    assert serialize_plan(plan) == snapshot
    assert parse_plan(serialize_plan(plan)) == plan


def test_a_plan_comes_back() -> None:
    made, missing = back(PLAN, ATOMS)
    order = ["flour", "oven heat", "loaf", "3", "3-a"]
    assert made == in_order(PLAN, order)
    assert [(one.code, one.step_id) for one in missing] == [("PT504", "5")]
    assert validate_plan_doc(made, ATOMS)["execution_order"] == order


def test_steps_without_names_keep_their_index() -> None:
    plan = document(weigh(item="${1.outputs.note}"), weigh(), weigh(item="${0.outputs.note}"))
    shown = toolplan_to_plan(tool_plan_from_dict(plan))
    assert [step.step_name for step in shown.steps] == ["1", "0", ""]
    assert back(plan)[0] == in_order(plan, ["1", "0", "2"])


def test_variables_differ() -> None:
    plan = document(
        weigh("a.b"),
        weigh("a b"),
        weigh("a_b"),
        bake("x", "${a.b.outputs.note} ${a b.outputs.note} ${a_b.outputs.note}"),
    )
    shown = toolplan_to_plan(tool_plan_from_dict(plan))
    assert [step.outputs for step in shown.steps[:3]] == [["a_b_note"], ["a_b_note_2"], ["a_b_note_3"]]
    assert shown.steps[3].inputs == ["a_b_note", "a_b_note_2", "a_b_note_3"]
    assert back(plan)[0] == plan


@pytest.mark.parametrize(
    ("step", "output", "variable"),
    [
        ("flour", "weight", "flour_weight"),
        ("0", "weight", "step_0_weight"),
        ("", "", "step__"),
        ("_", "x", "step___x"),
        ("称重", "克", "step____"),
        ("a-b.c", "d e", "a_b_c_d_e"),
    ],
)
def test_names_of_variables(step: str, output: str, variable: str) -> None:
    assert variable_of(step, output) == variable


def test_a_circle_is_shown_last() -> None:
    plan = document(
        weigh("a", "${b.outputs.note}"), weigh("b", "${a.outputs.note}"), weigh("c"), weigh("d", "${q.outputs.r}")
    )
    shown = toolplan_to_plan(tool_plan_from_dict(plan))
    assert [step.step_name for step in shown.steps] == ["c", "d", "a", "b"]
    assert (shown.steps[1].inputs, shown.steps[2].inputs) == ([], ["b_note"])


def test_many_steps_with_one_variable() -> None:
    size = 2_000
    plan = document(*[weigh("a" + "-" * at) for at in range(size)])
    shown = toolplan_to_plan(tool_plan_from_dict(plan), ATOMS)
    assert len({name for step in shown.steps for name in step.outputs}) == 2 * size


@pytest.mark.parametrize("name", OF_PLANS)
def test_every_example(name: str) -> None:
    plan, atoms = load_plan_doc(plan_file(name, "good")), atoms_of(name)
    shown = toolplan_to_plan(tool_plan_from_dict(plan), atoms)
    assert validate_plan(shown) == []
    order = validate_plan_doc(plan, atoms)["execution_order"]
    made, missing = back(plan, atoms)
    assert (made["plan"], missing) == (in_order(plan, order)["plan"], [])
    try:
        bad = tool_plan_from_dict(load_plan_doc(plan_file(name, "bad")))
    except ToolPlanError:
        return
    parse_plan(serialize_plan(toolplan_to_plan(bad, atoms)))
    assert plan_to_toolplan_skeleton(toolplan_to_plan(bad, atoms), atoms)[0]["plan"]["steps"]


# ---------------------------------------------------------------- any plan

NAMES = st.one_of(
    st.sampled_from(["a", "b", "0", "1", "a b", "x.y", "true", '"', ": ", "", "Input a"]), st.text(max_size=8)
)
TEXTS = st.one_of(
    st.sampled_from(["${a.outputs.note}", "x ${0.outputs.q} $${", "${b.outputs.note_2}", "true", "5", "NaN", HOSTILE]),
    st.text(max_size=12),
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=6,
)
STEPS = st.fixed_dictionaries(
    {
        "id": st.one_of(st.sampled_from(["weigh", "bake"]), NAMES),
        "target": TEXTS,
        "inputs": st.dictionaries(NAMES, VALUES, max_size=3),
    },
    optional={"step_id": NAMES.filter(bool), "depends_on": st.lists(NAMES, max_size=2)},
)
PLANS = st.builds(
    lambda target, steps, outputs: {"target": target, "plan": {"steps": steps, "outputs": outputs}},
    TEXTS,
    st.lists(STEPS, min_size=1, max_size=5),
    st.dictionaries(NAMES, VALUES, max_size=2),
)


@settings(max_examples=5 * settings().max_examples)
@given(PLANS, st.sampled_from([None, ATOMS]))
def test_any_plan_comes_back(plan: Any, registry: Any) -> None:
    try:
        model = tool_plan_from_dict(plan)
    except ToolPlanError:
        return
    assert tool_plan_to_dict(model)["plan"]["steps"] == plan["plan"]["steps"]
    shown = toolplan_to_plan(model, registry)
    assert parse_plan(serialize_plan(shown)) == shown
    made, missing = back(plan, registry)
    names = model.names()
    moved = [step.get("step_id", str(at)) for at, step in enumerate(made["plan"]["steps"])]
    assert sorted(moved) == sorted(names)
    assert json.dumps(made) == json.dumps(in_order(plan, moved)) or made == in_order(plan, moved)
    render_all(missing)
    draw_toolplan(model)


@given(st.one_of(TEXTS, VALUES), st.one_of(st.none(), NAMES))
def test_any_note_is_read_as_it_was_written(value: Any, name: str | None) -> None:
    line = write_note("Input", value, name)
    assert line is not None
    assert "\n" not in line
    assert read_note(line) == Note("Input", name, value)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", float("inf"), float("-inf")])
def test_numbers_that_are_none(value: Any) -> None:
    line = write_note("Input", value)
    assert line is not None
    assert read_note(line) == Note("Input", None, value)


def test_time_grows_evenly() -> None:
    def make(size: int) -> Any:
        steps = [weigh(f"s{at}", f"${{s{max(at - 2, 0)}.outputs.note}}" if at else "x") for at in range(size)]
        return tool_plan_from_dict(document(*steps[::-1]))

    def there_and_back(plan: Any) -> None:
        shown = toolplan_to_plan(plan, ATOMS)
        plan_to_toolplan_skeleton(shown, ATOMS)
        draw_toolplan(plan)
        run_toolplan(plan, ATOMS, {}, dry_run=True)

    assert grows_evenly(make, there_and_back, 500)


@pytest.mark.parametrize(
    "line", ["", "Input", "Input x", "Input x: ", "input x: 5", "Input x y: 5", "Input x: {", "Atom: " + "[" * 100_000]
)
def test_what_is_no_note(line: str) -> None:
    assert read_note(line) is None


@pytest.mark.parametrize("value", [{1, 2}, 10**5000], ids=["set", "long"])
def test_what_no_note_can_say(value: Any) -> None:
    assert write_note("Input", value, "x") is None
    plan = tool_plan_from_dict(document(weigh(item=value)))
    assert toolplan_to_plan(plan).steps[0].detail == ["Atom: weigh"]


# ---------------------------------------------------------------- plans that people write

WRITTEN = """\
# Plan: Bread
## Steps
1. [x] flour [act] Weigh the flour → flour_weight, scale
  > Atom: weigh
  > Take the old scale.
2. [reason] Think → thought
3. [subtask] Bake → baked
  3.1. [act] Bake it → loaf
    > ← flour_weight, thought
    > Atom: bake
  3.2. [act] Eat → full
    > ← loaf, scale
"""


def test_a_plan_that_was_written_by_hand(snapshot: SnapshotAssertion) -> None:
    made, missing = plan_to_toolplan_skeleton(parse_plan(WRITTEN), ATOMS)
    assert made == {
        "target": "Bread",
        "plan": {
            "steps": [
                {"step_id": "flour", "id": "weigh", "target": "Weigh the flour", "inputs": {}},
                {
                    "id": "bake",
                    "target": "Bake it",
                    "inputs": {"weight": "${flour.outputs.weight}", "thought": "${thought.outputs.thought}"},
                },
                {"target": "Eat", "inputs": {"loaf": "${1.outputs.loaf}", "scale": "${flour.outputs.scale}"}},
            ]
        },
    }
    assert [(one.step_id, one.code, one.path) for one in missing] == [
        ("3.2", "PT101", "plan.steps[2].id"),
        ("1", "PT203", "plan.steps[0].inputs"),
        ("3.1", "PT202", "plan.steps[1].inputs.weight"),
        ("3.1", "PT202", "plan.steps[1].inputs.thought"),
        ("3.1", "PT203", "plan.steps[1].inputs"),
        ("3.1", "PT301", "plan.steps[1].inputs.thought"),
        ("3.2", "PT302", "plan.steps[2].inputs.scale"),
    ]
    assert render_all(missing) == snapshot


def test_without_tools_nothing_is_said_about_them() -> None:
    _, missing = plan_to_toolplan_skeleton(parse_plan(WRITTEN))
    assert [(one.step_id, one.code) for one in missing] == [("3.2", "PT101"), ("3.1", "PT301")]


def test_an_input_of_the_tool_has_the_name_of_the_variable() -> None:
    text = "## Steps\n1. [act] Weigh → dough\n  > Atom: weigh\n2. [act] Bake → loaf\n  > ← dough\n  > Atom: bake\n"
    made, _ = plan_to_toolplan_skeleton(parse_plan(text), ATOMS)
    assert made["plan"]["steps"][1]["inputs"] == {"dough": "${0.outputs.dough}"}


def test_no_steps() -> None:
    made, missing = plan_to_toolplan_skeleton(parse_plan("Goal: Rest\n## Steps\n"))
    assert made == {"target": "Rest", "plan": {"steps": []}}
    assert [one.code for one in missing] == ["PT103"]


# ---------------------------------------------------------------- diagrams


def test_a_diagram(snapshot: SnapshotAssertion) -> None:
    steps = [
        *PLAN["plan"]["steps"],
        weigh('"]; click s0 "javascript:alert(1)" <b>&lt;`#\\'),
        weigh("称\n重"),
        weigh("x" * 500),
    ]
    assert draw_toolplan(tool_plan_from_dict(document(*steps))) == snapshot


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("files.read_all, 2", "files.read_all, 2"),
        ("称重 é", "称重 é"),
        ("1. mix", "#8203;1. mix"),
        ("- a - b", "#8203;- a - b"),
        ("3-a", "3-a"),
        ("__init__", "#65279;#95;#95;#65279;init#65279;#95;#95;#65279;"),
        ("*b*", "#65279;#42;#65279;b#65279;#42;#65279;"),
        ("# a", "#65279;#35;#65279; a"),
        ("$$x$$", "#65279;#36;#65279;#65279;#36;#65279;x#65279;#36;#65279;#65279;#36;#65279;"),
        ("C:\\new", "C:#65279;#92;#65279;new"),
        ("`a`", "ˋaˋ"),
        ("fa:fa-user", "fa:#8203;fa-user"),
        ("http://www.a.b", "http:#8203;//www#8203;.a.b"),
        ("ﬂ°°46¶ß", "ﬂ#65279;#176;#65279;#65279;#176;#65279;46#65279;#182;#65279;ß"),
        ("e\u0301", "e#769;"),
    ],
)
def test_labels_of_mermaid(name: str, label: str) -> None:
    """Version 10.9, 11.4 and 11.17 of Mermaid show all of these as they are written, but for the backticks."""
    plan = tool_plan_from_dict(document(weigh(name)))
    assert draw_toolplan(plan) == f'flowchart TD\n  s0["{label}<br/>weigh"]\n'


@given(st.text(), st.text())
def test_labels_are_only_text(name: str, atom_id: str) -> None:
    step = {**weigh(), "id": atom_id, **({"step_id": name} if name else {})}
    plan = tool_plan_from_dict(document(step))
    head, box, end = draw_toolplan(plan).split("\n")
    assert (head, end) == ("flowchart TD", "")
    assert box.startswith('  s0["')
    assert box.endswith('"]')
    inside = box[6:-2].replace("<br/>", "")
    assert not set(inside) & set('"<>[]{}()`|\\\n')
