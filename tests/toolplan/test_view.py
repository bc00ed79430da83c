"""Tool plans as PlanSpec documents, and as diagrams."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from syrupy.assertion import SnapshotAssertion

from planspec_lark import parse_plan, serialize_plan, validate_plan
from planspec_lark.toolplan import (
    ToolPlanError,
    draw_toolplan,
    load_plan_doc,
    tool_plan_from_dict,
    tool_plan_to_dict,
    toolplan_to_plan,
    validate_plan_doc,
)
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


def test_a_plan(snapshot: SnapshotAssertion) -> None:
    plan = toolplan_to_plan(tool_plan_from_dict(PLAN), ATOMS)
    assert validate_plan(plan) == []
    assert serialize_plan(plan) == snapshot
    assert parse_plan(serialize_plan(plan)) == plan


def test_steps_without_names_keep_their_index() -> None:
    plan = document(weigh(item="${1.outputs.note}"), weigh(), weigh(item="${0.outputs.note}"))
    shown = toolplan_to_plan(tool_plan_from_dict(plan))
    assert [step.step_name for step in shown.steps] == ["1", "0", ""]


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


@pytest.mark.parametrize(
    ("step", "output", "variable"),
    [
        ("flour", "weight", "flour_weight"),
        ("0", "weight", "step_0_weight"),
        ("_", "x", "step___x"),
        ("称重", "克", "step____"),
        ("a-b.c", "d e", "a_b_c_d_e"),
    ],
)
def test_names_of_variables(step: str, output: str, variable: str) -> None:
    atoms: dict[str, Any] = {"weigh": {"inputs": {}, "outputs": {output: {}}}}
    (shown,) = toolplan_to_plan(tool_plan_from_dict(document(weigh(step))), atoms).steps
    assert shown.outputs == [variable]


def test_a_circle_is_shown_last() -> None:
    plan = document(
        weigh("a", "${b.outputs.note}"), weigh("b", "${a.outputs.note}"), weigh("c"), weigh("d", "${q.outputs.r}")
    )
    shown = toolplan_to_plan(tool_plan_from_dict(plan))
    assert [step.step_name for step in shown.steps] == ["c", "d", "a", "b"]
    assert (shown.steps[1].inputs, shown.steps[2].inputs) == ([], ["b_note"])


@pytest.mark.parametrize("name", OF_PLANS)
def test_every_example(name: str) -> None:
    plan, atoms = load_plan_doc(plan_file(name, "good")), atoms_of(name)
    shown = toolplan_to_plan(tool_plan_from_dict(plan), atoms)
    assert validate_plan(shown) == []
    order = validate_plan_doc(plan, atoms)["execution_order"]
    assert [step.step_name or str(at) for at, step in enumerate(shown.steps)] == order
    try:
        bad = tool_plan_from_dict(load_plan_doc(plan_file(name, "bad")))
    except ToolPlanError:
        return
    assert parse_plan(serialize_plan(toolplan_to_plan(bad, atoms))).steps


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
def test_any_plan_is_shown(plan: Any, registry: Any) -> None:
    try:
        model = tool_plan_from_dict(plan)
    except ToolPlanError:
        return
    assert tool_plan_to_dict(model)["plan"]["steps"] == plan["plan"]["steps"]
    shown = toolplan_to_plan(model, registry)
    assert parse_plan(serialize_plan(shown)) == shown
    draw_toolplan(model)


@given(st.one_of(TEXTS, VALUES, st.sampled_from(["NaN", "Infinity", "true", math.inf])))
def test_any_value_can_be_told_from_others(value: Any) -> None:
    """A word is a text; all else is JSON."""
    (shown,) = toolplan_to_plan(tool_plan_from_dict(document(weigh() | {"inputs": {"item": value}}))).steps
    said = next(line for line in shown.detail if line.startswith("Input item: ")).removeprefix("Input item: ")
    assert "\n" not in said
    is_word = re.fullmatch(r"[^\W\d][\w./-]*", said) and said not in ("true", "false", "null", "NaN", "Infinity")
    assert json.dumps(said if is_word else json.loads(said)) == json.dumps(value)


@pytest.mark.parametrize("value", [{1, 2}, 10**5000], ids=["set", "long"])
def test_what_no_note_can_say(value: Any) -> None:
    plan = tool_plan_from_dict(document(weigh(item=value)))
    assert toolplan_to_plan(plan).steps[0].detail == ["Atom: weigh"]


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
        ("1. 称重 é *b* a_b $ % & | \\", "1. 称重 é *b* a_b $ % & | \\"),
        ("#35; <b>", "#35;35#59; #60;b#62;"),
        ("\"a\" 'b' `c`", "#34;a#34; #39;b#39; #96;c#96;"),
        ("[a] (b) {c}", "#91;a#93; #40;b#41; #123;c#125;"),
    ],
)
def test_labels_of_mermaid(name: str, label: str) -> None:
    """Versions 10.9 and 11.17 of Mermaid show all of these as they are written; 11.4 reads Markdown in them."""
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
    assert not set(inside) & set("\"'`<>[]{}()\n")
    assert not re.search(r"#(?![0-9]+;)|(?<!#[0-9]{2})(?<!#[0-9]{3});", inside)
