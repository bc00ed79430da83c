"""Plans and tools in texts and files, and what no file may do."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from planspec_lark.json_text.yaml_text import MissingYamlError
from planspec_lark.toolplan import (
    Atom,
    AtomInput,
    AtomOutput,
    AtomsError,
    Registry,
    ToolPlanError,
    ToolStep,
    check_tool_plan,
    load_atoms,
    load_plan_doc,
    registry_from_value,
    registry_to_value,
    tool_plan_from_dict,
    tool_plan_to_dict,
)
from planspec_lark.toolplan.parser import read_doc, scan_doc
from tests.cases import in_one_test
from tests.toolplan.plans import ATOMS, bake, document, weigh

PLAN = document(weigh("a"), bake("b", "${a.outputs.weight}"), outputs={"x": "${b.outputs.loaf}"})
YAML = """\
target: Bread
plan:
  steps:
    - {step_id: a, id: weigh, target: Weigh it, inputs: {item: rye}}
    - step_id: b
      id: bake
      target: Bake it
      inputs:
        dough: ${a.outputs.weight}
  outputs:
    x: ${b.outputs.loaf}
"""


# ---------------------------------------------------------------- plans


def test_a_plan_in_json_and_in_yaml(tmp_path: Path) -> None:
    assert load_plan_doc(json.dumps(PLAN)) == PLAN
    assert load_plan_doc("\ufeff\n " + json.dumps(PLAN)) == PLAN
    assert load_plan_doc(YAML) == PLAN
    for name, text in (("a.json", json.dumps(PLAN)), ("plan.dsl.yaml", YAML), ("b.YML", json.dumps(PLAN)), ("c", YAML)):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert load_plan_doc(tmp_path / name) == PLAN


def test_a_text_is_never_a_path(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(json.dumps(PLAN), encoding="utf-8")
    assert load_plan_doc(str(tmp_path / "plan.json")) == str(tmp_path / "plan.json")


def test_the_suffix_says_what_a_file_is(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text(YAML, encoding="utf-8")
    with pytest.raises(ToolPlanError) as caught:
        load_plan_doc(tmp_path / "plan.json")
    assert {found.code for found in caught.value.diagnostics} == {"PJ102", "PJ127", "PJ131"}
    assert f"{tmp_path / 'plan.json'}:1:1" in str(caught.value)


@pytest.mark.parametrize(("suffix", "most"), [("json", 20_000_000), ("yaml", 512_000)])
def test_large_files_are_not_read(tmp_path: Path, suffix: str, most: int) -> None:
    path = tmp_path / f"plan.{suffix}"
    with open(path, "wb") as file:
        file.truncate(100_000_000)
    with pytest.raises(ToolPlanError, match=rf"more than {most:,} bytes") as caught:
        load_plan_doc(path)
    assert [found.code for found in caught.value.diagnostics] == ["PS121"]


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_bytes(b'{"target": "\xff"}')
    with pytest.raises(ToolPlanError, match=r"PS119.*byte 12 \(0xff\)"):
        load_plan_doc(tmp_path / "plan.json")


def test_yaml_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ruamel.yaml", None)
    with pytest.raises(MissingYamlError):
        load_plan_doc(YAML)
    assert load_plan_doc(json.dumps(PLAN)) == PLAN


# ---------------------------------------------------------------- findings with places


def places(text: str) -> list[tuple[str, str, str]]:
    """Code, path and the text at the place of each finding."""
    found = check_tool_plan(text, ATOMS)
    assert all(one.source is not None and one.span is not None for one in found)
    return [(one.code, one.path, text[one.span.start : one.span.end]) for one in found if one.span]


def test_positions_in_json() -> None:
    step = {**weigh("a"), "inputs": {"item": "so: ${q.outputs.x} \u00e9 ${}", "salt": 1}, "depends_on": ["a"]}
    text = json.dumps(document(step), indent=1)
    whole = text[text.index('{\n    "step_id"') : text.rindex("\n  ]")]
    assert places(text) == [
        ("PT502", "plan.steps[0]", whole),
        ("PT301", "plan.steps[0].inputs.item", "${q.outputs.x}"),
        ("PT501", "plan.steps[0].inputs.item", "${}"),
        ("PT202", "plan.steps[0].inputs.salt", '"salt"'),
        ("PT402", "plan.steps[0].depends_on", '[\n     "a"\n    ]'),
    ]


def test_positions_in_yaml() -> None:
    text = YAML.replace("weight}", "height}").replace("item: rye", "item: ''").replace("plan:", "plans:\nplan:")
    assert places(text) == [
        ("PT203", "plan.steps[0].inputs.item", "item"),
        ("PT302", "plan.steps[1].inputs.dough", "${a.outputs.height}"),
    ]


def test_a_text_that_is_neither_has_only_that() -> None:
    assert [found.code for found in check_tool_plan('{"target": 1, "plan": }', ATOMS)] == ["PJ114"]
    assert [found.code for found in check_tool_plan("a: *b", ATOMS)] == ["PY102"]
    assert [found.code for found in check_tool_plan("", ATOMS)] == ["PT102"]
    assert [found.code for found in check_tool_plan("[]", ATOMS)] == ["PT102"]


def test_a_text_that_has_been_read() -> None:
    text = json.dumps(document(3))
    assert check_tool_plan(read_doc(text, name="plan.json"), ATOMS) == check_tool_plan(text, ATOMS, name="plan.json")
    assert (
        str(check_tool_plan(text, ATOMS, name="plan.json")[0]).split("\n")[1] == " --> plan.json:1:40 (plan.steps[0])"
    )


def test_findings_are_counted_beyond_a_limit() -> None:
    found = check_tool_plan(json.dumps(document(*[None] * 30)), ATOMS, max_findings=10)
    assert [one.code for one in found] == ["PT102"] * 10 + ["PS120"]
    assert found[-1].message == "20 more findings are not listed"


# ---------------------------------------------------------------- tools


def write(folder: Path, **files: Any) -> Path:
    for name, value in files.items():
        stem, _, suffix = name.rpartition("_")
        text = value if isinstance(value, str) else json.dumps(value)
        (folder / f"{stem}.{suffix}").write_text(text, encoding="utf-8")
    return folder


def test_a_folder_in_the_order_of_names(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        b_json={"atoms": [{"id": "b1"}, {"id": "a1"}]},
        a_yaml="z: {inputs: {x: string}}\n",
        c_yml="- id: c\n",
        d_json={"d": {"description": "By id"}},
        e_txt="not looked at",
    )
    (folder / "sub.json").mkdir()
    registry = load_atoms(folder)
    assert [atom.id for atom in registry] == ["z", "b1", "a1", "c", "d"]
    assert len(registry) == 5
    assert registry.find("d") == Atom("d", description="By id")
    assert registry.find("e") is None
    assert [atom.id for atom in load_atoms(folder / "d.json", str(folder / "c.yml"))] == ["d", "c"]


def test_no_files_and_files_that_are_not_there(tmp_path: Path) -> None:
    assert load_atoms() == load_atoms(tmp_path) == Registry()
    with pytest.raises(FileNotFoundError):
        load_atoms(tmp_path / "atoms")


def test_shapes_of_a_definition(tmp_path: Path) -> None:
    folder = write(
        tmp_path,
        a_json=[
            {
                "id": "a",
                "description": "A tool",
                "version": 2,
                "inputs": [{"name": "x", "type": ["string", "null"], "required": True, "default": 1}, {"name": "y"}],
                "outputs": {"p": "string", "q": {"type": "object", "description": "Q", "unit": "m"}},
            }
        ],
    )
    atom = Atom(
        "a",
        (AtomInput("x", ("string", "null"), required=True, extra={"default": 1}), AtomInput("y")),
        (AtomOutput("p", "string"), AtomOutput("q", "object", "Q", {"unit": "m"})),
        "A tool",
        {"version": 2},
    )
    registry = load_atoms(folder)
    assert registry == Registry([atom])
    assert registry_from_value(registry_to_value(registry)) == registry
    assert registry_to_value(registry)["atoms"][0]["inputs"] == [
        {"name": "x", "type": ["string", "null"], "required": True, "default": 1},
        {"name": "y"},
    ]


def test_an_id_in_two_files_is_reported_with_both_places(tmp_path: Path) -> None:
    folder = write(tmp_path, a_json=[{"id": "x"}], b_yaml="- id: y\n- id: x\n", c_json={"x": {}})
    with pytest.raises(AtomsError) as caught:
        load_atoms(folder)
    first = f"duplicate atom `x`, first seen at {folder / 'a.json'}:1:2"
    assert [(found.code, found.message) for found in caught.value.diagnostics] == [("PT601", first)] * 2
    assert [(found.source and found.source.name, found.line, found.column) for found in caught.value.diagnostics] == [
        (str(folder / "b.yaml"), 2, 7),
        (str(folder / "c.json"), 1, 7),
    ]


def test_the_faults_of_all_files_are_reported(tmp_path: Path) -> None:
    folder = write(tmp_path, a_json="{", b_yaml="3: x", c_json=[{"name": "c"}], d_json=[{"id": "d"}])
    (folder / "e.json").write_bytes(b"\xff")
    with pytest.raises(AtomsError) as caught:
        load_atoms(folder)
    assert [found.code for found in caught.value.diagnostics] == ["PJ106", "PY104", "PT101", "PS119"]


FAULTS: list[tuple[Any, list[tuple[str, str]]]] = [
    (None, [("PT102", "$")]),
    ({"atoms": [], "version": 1}, [("PT102", "version")]),
    ({"a": None}, [("PT102", "a")]),
    ([{}], [("PT101", "[0].id")]),
    ([{"id": None}], [("PT102", "[0].id")]),
    ([{"id": ""}], [("PT602", "[0].id")]),
    ({"": {}}, [("PT602", '[""]')]),
    ({"a": {"id": "b"}}, [("PT602", "a.id")]),
    ({"a": {"id": 1}}, [("PT102", "a.id")]),
    ([{"id": "a", "description": 1}], [("PT102", "[0].description")]),
    ([{"id": "a", "inputs": None, "outputs": "x"}], [("PT102", "[0].inputs"), ("PT102", "[0].outputs")]),
    ([{"id": "a", "inputs": [1, {}]}], [("PT102", "[0].inputs[0]"), ("PT101", "[0].inputs[1].name")]),
    ([{"id": "a", "inputs": [{"name": "x", "required": 1}]}], [("PT102", "[0].inputs[0].required")]),
    ([{"id": "a", "inputs": {"x": {"required": "yes"}}}], [("PT102", "[0].inputs.x.required")]),
    ([{"id": "a", "inputs": {"x": 1}}], [("PT102", "[0].inputs.x")]),
    ([{"id": "a", "outputs": [{"name": "x", "type": 1}]}], [("PT102", "[0].outputs[0].type")]),
    ([{"id": "a", "outputs": [{"name": "x", "type": ["a", 1]}]}], [("PT102", "[0].outputs[0].type[1]")]),
    ([{"id": "a", "outputs": [{"name": "x"}, {"name": "x"}]}], [("PT603", "[0].outputs[1].name")]),
    ([{"id": "a"}, {"id": "a"}], [("PT601", "[1].id")]),
]


# What Python can say and JSON cannot.
NO_JSON: list[tuple[Any, list[tuple[str, str]]]] = [
    ({1: {}}, [("PT102", '["1"]')]),
    ({(1, 2): 1}, [("PT102", '["(1, 2)"]')]),
    ([{"id": "a", "inputs": {1: {}}}], [("PT102", '[0].inputs["1"]')]),
    ([{"id": "a", "outputs": {True: "string"}}], [("PT102", "[0].outputs.True")]),
]


@in_one_test
@pytest.mark.parametrize(("value", "expected"), [*FAULTS, *NO_JSON])
def test_faults_of_definitions(value: object, expected: list[tuple[str, str]]) -> None:
    with pytest.raises(AtomsError) as caught:
        registry_from_value(value)
    assert [(found.code, found.path) for found in caught.value.diagnostics] == expected


def test_findings_of_a_file_are_counted_beyond_a_thousand(tmp_path: Path) -> None:
    folder = write(tmp_path, a_json=[1] * 1100, b_json=[{"id": "x"}] * 1003, c_json=[{}])
    with pytest.raises(AtomsError) as caught:
        load_atoms(folder)
    assert [found.code for found in caught.value.diagnostics] == [
        *["PT102"] * 1000,
        "PS120",
        *["PT601"] * 1000,
        "PS120",
        "PT101",
    ]
    counts = [found.message for found in caught.value.diagnostics if found.code == "PS120"]
    assert counts == ["100 more findings are not listed", "2 more findings are not listed"]


# ---------------------------------------------------------------- models of plans


def test_what_a_plan_says_besides_is_kept() -> None:
    value = document({**weigh("a"), "note": ["x"]}, {"id": "sweep", "target": "", "inputs": {}}, outputs={}, hint=1)
    plan = tool_plan_from_dict({**value, "version": 3})
    assert plan.extra == {"version": 3}
    assert plan.plan_extra == {"hint": 1}
    assert plan.steps[0] == ToolStep("weigh", "Weigh it", {"item": "rye"}, "a", extra={"note": ["x"]})
    assert plan.names() == ["a", "1"]
    assert tool_plan_to_dict(plan) == {**value, "version": 3}


def test_dependencies_are_a_list_again() -> None:
    value = document(weigh("a", depends_on=[]), weigh("b", depends_on=["a"]))
    plan = tool_plan_from_dict(value)
    assert [step.depends_on for step in plan.steps] == [(), ("a",)]
    assert tool_plan_to_dict(plan) == value


def test_a_value_that_is_no_plan() -> None:
    with pytest.raises(ToolPlanError) as caught:
        tool_plan_from_dict(document(weigh("a"), {**bake("a"), "inputs": None}))
    assert str(caught.value) == (
        "error[PT102 INVALID_TYPE]: expected an object, not null\n --> (plan.steps[1].inputs)\n\n"
        "error[PT105 DUPLICATE_STEP_ID]: duplicate `step_id` `a`: plan.steps[0] already has it\n"
        " --> (plan.steps[1].step_id)\n"
        "  help: give each step its own name"
    )


def test_reasoning_does_not_decide_what_a_text_is() -> None:
    read = read_doc('<think>\nWhich form?\n</think>\n{"plan_id": "p"}')
    assert (read.value, [found.code for found in read.diagnostics]) == ({"plan_id": "p"}, ["PS125"])
    # A comma at the end is an error of JSON, and none of YAML.
    read = read_doc('<think>\nWhich form?\n</think>\n{"plan_id": "p",}')
    assert [found.code for found in read.diagnostics] == ["PS125", "PJ112"]


# ---------------------------------------------------------------- answers of models

IN_JSON = json.dumps(document(weigh("a")), indent=1)
IN_YAML = "target: Bake\nplan:\n  steps:\n    - id: weigh\n      target: Weigh it\n      inputs: {item: flour}\n"


def found_in(text: str, **how: Any) -> list[tuple[str, str]]:
    return [(one.code, one.severity.value) for one in scan_doc(text, **how).diagnostics]


def test_a_code_fence_is_called_one() -> None:
    for text in (f"```json\n{IN_JSON}\n```\n", f"Here it is:\n```\n{IN_JSON}\n```\n"):
        assert "PJ103" in [one.code for one in read_doc(text).diagnostics]
    for text in (f"```yaml\n{IN_YAML}```\n", f"{IN_YAML}```\n"):
        (found,) = read_doc(text).diagnostics
        assert (found.code, found.message) == ("PJ103", "a code fence is not allowed in YAML")


@pytest.mark.parametrize(
    ("before", "text", "behind", "found"),
    [
        ("", IN_JSON, "", []),
        ("", IN_YAML, "", []),
        ("```json\n", IN_JSON, "\n```\n", [("PJ103", "info")] * 2),
        ("Here it is:\n\n", IN_JSON, "\nDone!", [("PJ102", "info")] * 2),
        ("Here it is:\n```yaml\n", IN_YAML, "```\nDone!\n", [("PJ102", "info"), ("PJ103", "info"), ("PJ102", "info")]),
        (
            "<think>\n```yaml\nplan: {}\n```\n</think>\n```YAML\n",
            IN_YAML,
            "```",
            [("PJ102", "info"), ("PJ103", "info")],
        ),
    ],
)
def test_a_plan_is_taken_out_of_an_answer(before: str, text: str, behind: str, found: list[tuple[str, str]]) -> None:
    answer = before + text + behind
    assert scan_doc(answer).value == read_doc(text).value
    assert found_in(answer) == found
    assert [one.severity.value for one in check_tool_plan(answer, ATOMS, tolerant=True) if one.code[:2] != "PT"] == [
        "info"
    ] * len(found)


def test_what_an_answer_does_not_say_is_not_made_up() -> None:
    other = IN_JSON.replace("rye", "yeast")
    assert found_in(f"{IN_JSON}\n\n{other}") == [("PJ104", "error")]
    assert ("PY101", "error") in found_in("Sorry: I can not: do that")
    assert ("PJ112", "warning") in found_in(IN_JSON.replace("\n}", ",\n}"))
    broken = f"Here it is:\n```yaml\n{IN_YAML}  - [\n```\n"
    error = scan_doc(broken).diagnostics[-1]
    assert (error.code, error.line) == ("PY101", 9)
