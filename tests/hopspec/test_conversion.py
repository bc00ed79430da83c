"""Plans to HopSpec steps and back: both tables, names, ids, and what each side can not say."""

from __future__ import annotations

from typing import Any

import pytest

from planspec_lark import PlanSpec, PlanStep, parse_plan, serialize_plan
from planspec_lark.hopspec import (
    HopSpec,
    StepInfo,
    hopspec_to_plan,
    plan_to_steps,
    serialize_hopspec,
    steps_to_plan,
)
from tests.planspec.test_models import DEPTH, chain


def info(**values: Any) -> StepInfo:
    return StepInfo(**{"step_id": "1", "step_name": "n", **values})


def step_of(step: StepInfo) -> PlanStep:
    """The only step of the plan that one HopSpec step gives."""
    (found,) = steps_to_plan([step]).steps
    return found


# ---------------------------------------------------------------- plan → HopSpec


@pytest.mark.parametrize(
    ("step_type", "expected"),
    [
        ("reason", StepInfo("1", "n", "LLM", task="Do")),
        ("act", StepInfo("1", "n", "code", description="Do")),
        ("decide", StepInfo("1", "n", "branch", condition="Do")),
        ("subtask", StepInfo("1", "n", "subtask", description="Do", expand_mode="static")),
    ],
)
def test_each_type_of_a_plan_has_its_counterpart(step_type: str, expected: StepInfo) -> None:
    expected.inputs, expected.outputs = ["a"], ["b", "c"]
    plan = PlanSpec(steps=[PlanStep("1", "n", step_type, "Do", ["a"], ["b", "c"])])
    assert plan_to_steps(plan)[0] == expected


def test_state_and_detail_are_lost() -> None:
    text = "## Steps\n1. [x] n [act] a → b | r | Progress: 1/2\n> ← c\n> d\n"
    bare = "## Steps\n1. n [act] a → b\n> ← c\n"
    assert plan_to_steps(parse_plan(text)) == plan_to_steps(parse_plan(bare))


def test_the_lists_are_copies() -> None:
    plan = parse_plan("## Steps\n1. [act] a → b\n> ← c\n")
    step = plan_to_steps(plan)[0]
    step.inputs.append("x")
    step.outputs.append("x")
    assert plan == parse_plan("## Steps\n1. [act] a → b\n> ← c\n")


@pytest.mark.parametrize(
    ("steps", "names"),
    [
        ("1. [act] a\n2. [act] b\n", ["step_1", "step_2", "step_3"]),
        ("1. load [act] a\n2. [act] b\n", ["load", "step_2", "step_3"]),
        ("1. step_2 [act] a\n2. [act] b\n", ["step_2", "step_2_", "step_3"]),
        ("1. step_2 [act] a\n2. [act] b\n3. step_2_ [act] c\n", ["step_2", "step_2__", "step_2_", "step_4"]),
        ("1. step_2 [act] a\n", ["step_2", "step_2_"]),
        ("10.0.2. [act] a\n", ["step_10_0_2", "step_11"]),
    ],
)
def test_names_are_generated_and_never_collide(steps: str, names: list[str]) -> None:
    found = plan_to_steps(parse_plan(f"## Steps\n{steps}"))
    assert [step.step_name for step in found] == names
    assert len({step.step_name for step in found}) == len(found)


@pytest.mark.parametrize(
    ("steps", "step_id"), [("1. [act] a\n", "2"), ("3. [act] a\n1. [act] b\n", "4"), ("5.1. [act] a\n", "6"), ("", "1")]
)
def test_a_step_that_exits_ends_the_list(steps: str, step_id: str) -> None:
    last = plan_to_steps(parse_plan(f"## Steps\n{steps}"))[-1]
    assert last == StepInfo(step_id, f"step_{step_id}", "flow", action="exit", exit_id="EXIT_OK")


def test_there_is_one_exit_at_the_top_level_only() -> None:
    steps = plan_to_steps(parse_plan("## Steps\n1. [subtask] a\n1.1. [act] b\n2. [act] c\n"))
    assert [step.step_type for step in steps] == ["subtask", "code", "flow"]
    assert [step.step_type for step in steps[0].children] == ["code"]


@pytest.mark.parametrize("step_type", ["LLM", "flow", "x", ""])
def test_another_type_has_no_counterpart(step_type: str) -> None:
    plan = PlanSpec(steps=[PlanStep("1", step_type="subtask", children=[PlanStep("1.1", step_type=step_type)])])
    with pytest.raises(ValueError, match=r".") as caught:
        plan_to_steps(plan)
    assert str(caught.value) == f"step_type: step 1.1 has the type '{step_type}', and HopSpec has none like it"


# ---------------------------------------------------------------- HopSpec → plan


@pytest.mark.parametrize(
    ("step_type", "text", "expected"),
    [
        ("LLM", "task", "reason"),
        ("code", "description", "act"),
        ("call", "task", "act"),
        ("branch", "condition", "decide"),
        ("loop", "description", "subtask"),
        ("subtask", "description", "subtask"),
    ],
)
def test_each_type_of_hopspec_has_its_counterpart(step_type: str, text: str, expected: str) -> None:
    other = {"task", "description", "condition"} - {text, "condition" if step_type == "loop" else ""}
    values = {text: "Do", "inputs": ["a"], "outputs": ["b"], **dict.fromkeys(other, "not this")}
    found = step_of(info(step_type=step_type, verifier="v", return_format="f", call_target="c", **values))
    assert found == PlanStep("1", "n", expected, "Do", ["a"], ["b"])


def test_flow_steps_are_left_out_at_every_level() -> None:
    steps = [
        info(step_id="1", step_type="loop", children=[info(step_id="1.1", step_type="flow", children=[info()])]),
        info(step_id="2", step_type="flow"),
        info(step_id="3", step_name="", step_type="code"),
    ]
    assert serialize_plan(steps_to_plan(steps)) == "## Steps\n1. n [subtask]\n3. [act]\n"
    assert steps_to_plan([info(step_type="flow")]) == PlanSpec()


def test_the_lists_of_the_plan_are_copies() -> None:
    step = info(step_type="code", inputs=["a"], outputs=["b"])
    found = step_of(step)
    found.inputs.append("x")
    found.outputs.append("x")
    assert (step.inputs, step.outputs) == (["a"], ["b"])


@pytest.mark.parametrize(
    ("values", "description"),
    [
        ({"description": "Do"}, "Do"),
        ({"task": "Do"}, "Do"),
        ({"description": "Do", "task": "not this"}, "Do"),
        ({"collection": "rows"}, "for each element of rows"),
        ({"collection": "rows", "element_var": "row"}, "for each row of rows"),
        ({"element_var": "row"}, "for each row"),
        ({"condition": "x < 3"}, "while x < 3"),
        ({"max_iterations": 5}, "at most 5 times"),
        ({"max_iterations": 0}, "at most 0 times"),
        ({"description": "Do", "condition": "x < 3", "max_iterations": 5}, "Do (while x < 3, at most 5 times)"),
        (
            {"description": "Do", "collection": "rows", "element_var": "row", "condition": "c", "max_iterations": 2},
            "Do (for each row of rows, while c, at most 2 times)",
        ),
        ({}, ""),
    ],
)
def test_a_loop_says_what_it_runs_over(values: dict[str, Any], description: str) -> None:
    assert step_of(info(step_type="loop", **values)).description == description


@pytest.mark.parametrize(
    ("text", "description", "detail"),
    [
        ("one\ntwo\nthree", "one", ["two", "three"]),
        ("one\r\ntwo", "one", ["two"]),
        ("one\n\ntwo\n", "one", ["", "two", ""]),
        ("  one  ", "one", []),
        ("\none", "", ["one"]),
        ("one\n← a", "one", ["← a"]),
        ("one | two → three", "one | two → three", []),
        ("one\u2028two", "one\u2028two", []),
    ],
)
def test_a_text_of_several_lines_is_description_and_detail(text: str, description: str, detail: list[str]) -> None:
    found = step_of(info(step_type="code", description=text))
    assert (found.description, found.detail, found.inputs, found.outputs) == (description, detail, [], [])
    plan = PlanSpec(steps=[found])
    assert parse_plan(serialize_plan(plan)) == plan


@pytest.mark.parametrize(
    ("step_id", "step_name", "kept"),
    [
        ("2", "step_2", ""),
        ("2", "step_2_", "step_2_"),
        ("2", "step_2__", "step_2__"),
        ("2", "step_1", "step_1"),
        ("2", "step_21", "step_21"),
        ("2", "load", "load"),
        ("2", "", ""),
        ("2.1", "step_2_1", ""),
    ],
)
def test_a_generated_name_is_dropped_again(step_id: str, step_name: str, kept: str) -> None:
    assert step_of(info(step_id=step_id, step_name=step_name, step_type="code")).step_name == kept


def test_a_generated_name_is_known_by_the_names_beside_it() -> None:
    """Step 1 is given `step_1_` only because another step has the name `step_1` already."""
    plan = PlanSpec(steps=[PlanStep("1", step_type="act"), PlanStep("2", "step_1", "act"), PlanStep("3", "x", "act")])
    steps = plan_to_steps(plan)
    assert [step.step_name for step in steps] == ["step_1_", "step_1", "x", "step_4"]
    assert [step.step_name for step in steps_to_plan(steps).steps] == ["", "step_1", "x"]


def ids(steps: list[StepInfo]) -> str:
    found = []
    todo = list(steps_to_plan(steps).steps)
    while todo:
        step = todo.pop(0)
        found.append(step.step_id)
        todo = [*step.children, *todo]
    return " ".join(found)


def code(step_id: str, *children: StepInfo) -> StepInfo:
    return StepInfo(step_id, "", "subtask", children=list(children))


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([code("1", code("1.1")), code("2")], "1 1.1 2"),
        ([code("3", code("3.7.1")), code("1")], "3 3.7.1 1"),
        ([code(""), code("")], "1 2"),
        ([code("a", code("b"), code("c", code("d")))], "1 1.1 1.2 1.2.1"),
        ([code("1"), code("1")], "1 2"),
        ([code("5", code("6"))], "1 1.1"),
        ([code("5"), code("5.1")], "1 2"),
        ([code("5"), code("06")], "1 2"),
        ([code("1", code("1.1"), code("1.1.1"))], "1 1.1 1.2"),
        ([code("4"), StepInfo("4", "", "flow"), code("9")], "4 9"),
        ([code("x"), StepInfo("4", "", "flow"), code("9")], "1 2"),
    ],
)
def test_ids_are_kept_if_they_all_fit_and_else_all_are_new(steps: list[StepInfo], expected: str) -> None:
    assert ids(steps) == expected


@pytest.mark.parametrize("step_type", ["", "llm", "act", "Flow"])
def test_an_unknown_type_is_refused(step_type: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        steps_to_plan([info(step_type="subtask", children=[info(step_id="1.1", step_type=step_type)])])
    assert str(caught.value) == f"step_type: step 1.1 has the type '{step_type}', which HopSpec does not have"


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"step_name": "a b"}, "step_name"),
        ({"inputs": ["a\nb"]}, "inputs"),
        ({"outputs": ["变\ud800"]}, "outputs"),
        ({"description": "a\x00b"}, "description"),
        ({"description": "a\nb\x1b"}, "detail"),
        ({"description": "a\rb"}, "description"),
    ],
)
def test_what_a_plan_cannot_hold_is_refused_by_the_name_of_its_field(values: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=rf"\A{name}: "):
        steps_to_plan([info(step_type="code", **values)])


# ---------------------------------------------------------------- both ways


def test_a_thousand_levels_go_there_and_back() -> None:
    steps = plan_to_steps(chain())
    assert steps == plan_to_steps(chain())
    plan = steps_to_plan(steps, goal="down")
    assert plan == chain()
    assert repr(steps[0]).endswith("children=[step_1_1])")
    assert plan.progress["total"] == DEPTH


def test_hopspec_steps_compare_by_value() -> None:
    def build() -> StepInfo:
        return info(step_type="loop", children=[info(step_id="1.1", max_iterations=3)])

    other = build()
    assert build() == other
    other.children[0].max_iterations = 4
    assert build() != other
    other.children.append(info())
    assert build() != other
    assert build() != "loop"


def test_variables_that_a_plan_would_call_the_same_get_names_of_their_own() -> None:
    steps = [StepInfo("1", "a", "LLM", outputs=["a b", "a-b", "a_b"])]
    plan = steps_to_plan(steps)
    assert plan.steps[0].outputs == ["a_b_2", "a_b_3", "a_b"]
    assert plan_to_steps(plan)[0].outputs == ["a b", "a-b", "a_b"]


def test_a_name_that_a_plan_cannot_hold_stays_readable() -> None:
    steps = [StepInfo("1", "a", "LLM", outputs=["船 数", "a (b)"])]
    plan = steps_to_plan(steps)
    first, second = plan.steps[0].outputs
    assert plan.steps[0].description == f'(hop: {first} = "船 数", {second} = "a \\u0028b)")'
    assert plan_to_steps(plan)[0].outputs == ["船 数", "a (b)"]


# ---------------------------------------------------------------- documents


def exit_step(step_id: str, **values: Any) -> StepInfo:
    return StepInfo(
        **{"step_id": step_id, "step_name": f"step_{step_id}", "step_type": "flow", "action": "exit", **values}
    )


OK = {"exit_id": "EXIT_OK"}
COUNT = StepInfo("1", "", "code", description="Count")
DEEPEST = StepInfo("1.1", "", "subtask", children=[StepInfo("1.1.1", "", "code", description="Count")])
OTHERS = {"description": "Tell", "comments": ["> ring"], "label": "exit", "step_name": "leave", "outputs": ["boats"]}


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ([COUNT, exit_step("2", **OK)], []),
        *(([COUNT, exit_step("2", **OK, **{name: value})], ["step 2: flow exit"]) for name, value in OTHERS.items()),
        ([COUNT, exit_step("2", exit_id="EXIT_LATE")], ["step 2: flow exit"]),
        # Below another step, before others, and with some below it.
        (
            [StepInfo("1", "", "branch", children=[exit_step("1.1", **OK)]), exit_step("2", **OK)],
            ["step 1.1: flow exit"],
        ),
        ([exit_step("1", **OK), StepInfo("2", "", "code")], ["step 1: flow exit"]),
        (
            [exit_step("1", children=[DEEPEST]), exit_step("2")],
            ["step 1: flow exit", "step 1.1: subtask", "step 1.1.1: code", "step 2: flow exit"],
        ),
    ],
)
def test_only_the_exit_that_each_plan_gets_is_left_out_without_a_loss(
    steps: list[StepInfo], expected: list[str]
) -> None:
    assert [str(loss) for loss in hopspec_to_plan(HopSpec(steps=steps))[1]] == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"step_type": "LLM", "task": "Do not open the gate", "description": "open the gate"}, ["description"]),
        ({"step_type": "branch", "condition": "storm", "description": "storm"}, ["description"]),
        ({"step_type": "call", "task": "a\n  b\nc", "description": "b"}, ["step_type", "description"]),
        ({"step_type": "code", "description": "a\n  b", "task": "a"}, ["task"]),
        ({"step_type": "subtask", "description": "a\nb", "task": "b"}, ["task"]),
        ({"step_type": "subtask", "task": "a\nb"}, []),
        ({"step_type": "loop", "description": "a", "task": "a", "condition": "b"}, ["step_type", "task"]),
        ({"step_type": "loop", "task": "a", "condition": "b\nc"}, ["step_type"]),
    ],
)
def test_each_text_that_a_plan_does_not_say_is_lost(values: dict[str, Any], expected: list[str]) -> None:
    _, losses = hopspec_to_plan(HopSpec(steps=[StepInfo("1", "", **values)]))
    assert [loss.field for loss in losses] == expected


@pytest.mark.parametrize(
    ("constraints", "expected"),
    [
        ("- a\n- b", ["a", "b"]),
        ("- a\n  which goes on\n- b", ["a which goes on", "b"]),
        ("- a\n  - nested\n    deeper\n\n  more\n- b", ["a - nested deeper more", "b"]),
        ("- a\n  ```\n  code:\n    1\n  ```", ["a ``` code: 1 ```"]),
        ("1. a\n   more\n2. b", ["1. a more", "2. b"]),
        ("a\nb\n\tc", ["a", "b c"]),
        ("  - a\n    more\n  - b\n- c", ["a more", "b", "c"]),
        ("-\n  a\n  b", ["a b"]),
        ("", []),
    ],
)
def test_a_constraint_has_the_lines_that_are_indented_more(constraints: str, expected: list[str]) -> None:
    assert hopspec_to_plan(HopSpec(constraints=constraints))[0].constraints == expected


@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        (["none"], "outputs: step 2 has 'none' alone, which would be read as no names; rename it"),
        (["a,b"], "outputs: step 2 has ['a,b']; no name of a list is empty or has commas, "),
    ],
)
def test_a_list_that_no_text_could_spell_is_refused_by_its_step(outputs: list[str], message: str) -> None:
    steps = [StepInfo("1", "a", "code", description="Do"), StepInfo("2", "b", "code", outputs=outputs)]
    with pytest.raises(ValueError, match=r".") as caught:
        serialize_hopspec(HopSpec(steps=steps))
    assert str(caught.value).startswith(message)
