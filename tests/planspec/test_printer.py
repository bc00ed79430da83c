"""The canonical text: its exact form, what is escaped in it, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from planspec_lark import (
    PlanSpec,
    PlanStatus,
    PlanStep,
    lint_plan,
    parse_plan,
    plan_to_json,
    serialize_plan,
    validate_plan,
)
from planspec_lark.planspec import plan_to_dict
from tests.cases import in_one_test


def act(step_id: str = "1", **values: Any) -> PlanStep:
    return PlanStep(step_id, **{"step_type": "act", **values})


def printed(step: PlanStep) -> list[str]:
    """The lines of one step of a printed plan, which is read back on the way."""
    plan = PlanSpec(steps=[step])
    text = serialize_plan(plan)
    assert parse_plan(text) == plan
    header, *rows, end = text.split("\n")
    assert (header, end) == ("## Steps", "")
    return rows


def refusal(plan: PlanSpec, write: Callable[[PlanSpec], object] = serialize_plan) -> str:
    with pytest.raises(ValueError, match=r".") as caught:
        write(plan)
    return str(caught.value)


WAYS_OUT: list[Callable[[PlanSpec], object]] = [serialize_plan, plan_to_dict, plan_to_json]


# ---------------------------------------------------------------- the form


def test_a_whole_plan() -> None:
    plan = PlanSpec(
        "Boats",
        "Launch",
        ["  by noon ", ""],
        ["no rain", "two crews"],
        [
            PlanStep(
                "1",
                "dock",
                "subtask",
                "Clear the dock",
                ["crew", "tide"],
                ["dock_free", "log"],
                ["  slowly ", ""],
                "half",
                PlanStatus.ACTIVE,
                None,
                1,
                2,
                [act("1.1", description="Sweep", detail=["wet"], children=[act("1.1.1", description="Dry")])],
            ),
            act("2", description="Launch"),
        ],
    )
    text = serialize_plan(plan)
    assert text == (
        "# Plan: Boats\n"
        "Goal: Launch\n"
        ">   by noon \n"
        ">\n"
        "Constraints:\n"
        "- no rain\n"
        "- two crews\n"
        "## Steps\n"
        "1. [>] dock [subtask] Clear the dock → dock_free, log | half | Progress: 1/2\n"
        "  > ← crew, tide\n"
        "  >   slowly \n"
        "  >\n"
        "  1.1. [act] Sweep\n"
        "    > wet\n"
        "    1.1.1. [act] Dry\n"
        "2. [act] Launch\n"
    )
    assert parse_plan(text) == plan


@pytest.mark.parametrize(
    ("plan", "text"),
    [
        (PlanSpec(), ""),
        (PlanSpec(title="t"), "# Plan: t\n"),
        (PlanSpec(title="Plan: t"), "# Plan: Plan: t\n"),
        (PlanSpec(goal="g"), "Goal: g\n"),
        (PlanSpec(goal_detail=["d"]), "Goal:\n> d\n"),
        (PlanSpec(goal="g", goal_detail=["← a", " "]), "Goal: g\n> ← a\n>  \n"),
        (PlanSpec(constraints=["a | b → c"]), "Constraints:\n- a | b → c\n"),
        (PlanSpec(steps=[act()]), "## Steps\n1. [act]\n"),
    ],
)
def test_an_absent_part_is_not_printed(plan: PlanSpec, text: str) -> None:
    assert serialize_plan(plan) == text
    assert parse_plan(text) == plan


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("# Title\n", "# Plan: Title\n"),
        ("**Goal**:   g\n", "Goal: g\n"),
        ("Goal:\n", ""),
        ("## Constraints\n-   c\n", "Constraints:\n- c\n"),
        ("Constraints:\n", ""),
        ("## Steps\n", ""),
        (
            "## Steps\n1.  [ ]  [act]  a  →  b ,c  |  r  |  Progress:  01/2",
            "## Steps\n1. [act] a → b, c | r | Progress: 1/2\n",
        ),
        ("## Steps\n1. [act] a | Progress: 1/2 | r\n", "## Steps\n1. [act] a | r | Progress: 1/2\n"),
        ("## Steps\n1. [act] a | b \\| c | d\t| e\n", "## Steps\n1. [act] a | b | c | d | e\n"),
        ("## Steps\n1. [act] a | Progress: 0\n", "## Steps\n1. [act] a\n"),
        ("## Steps\n1. [act] a→ b\n", "## Steps\n1. [act] a → b\n"),
        ("## Steps\n1. [act] a\n> x\n> ← b\n>y\n> ← c\n", "## Steps\n1. [act] a\n  > ← b, c\n  > x\n  > y\n"),
        ("## Steps\n    2. [act] a\n1. [act] b\n", "## Steps\n2. [act] a\n1. [act] b\n"),
        ("## Steps\n2.1.3. [act] a\n2. [act] b\n", "## Steps\n2. [act] b\n  2.1.3. [act] a\n"),
        ("\ufeffGoal: g\r\n\r\n", "Goal: g\n"),
    ],
)
def test_what_canonical_text_is(text: str, canonical: str) -> None:
    assert serialize_plan(parse_plan(text)) == canonical
    assert serialize_plan(parse_plan(canonical)) == canonical


@pytest.mark.parametrize(
    ("step", "line"),
    [
        (PlanStep("1", step_type="x", description="a"), "1. [ ] [x] a"),
        (PlanStep("1", step_type="x"), "1. [ ] [x]"),
        (PlanStep("1", step_type="x", status=PlanStatus.DONE), "1. [x] [x]"),
        (PlanStep("1", step_type="x", status=PlanStatus.ACTIVE), "1. [>] [x]"),
        (PlanStep("1", "n", "x", "a"), "1. n [x] a"),
        (PlanStep("1", step_type="X", description="a"), "1. [X] a"),
        (PlanStep("1", step_type="X", description="[act] a"), "1. [ ] [X] [act] a"),
        (PlanStep("1", step_type="X", description="n [act] a"), "1. [ ] [X] n [act] a"),
        (PlanStep("1", step_type="X", description="n m [act] a"), "1. [X] n m [act] a"),
        (PlanStep("1", step_type="X", description="[act"), "1. [X] [act"),
        (PlanStep("1", "n", "X", "[act] a"), "1. n [X] [act] a"),
        (PlanStep("1", step_type="X", description="[act]", status=PlanStatus.SKIPPED), "1. [~] [X] [act]"),
    ],
)
def test_a_type_that_would_be_read_as_a_mark_gets_one_in_front(step: PlanStep, line: str) -> None:
    assert printed(step) == [line]


# ---------------------------------------------------------------- escapes, written


@in_one_test
@pytest.mark.parametrize(
    ("description", "line"),
    [
        ("cat a | sort", r"cat a \| sort"),
        (r"cat a \| sort", r"cat a \\| sort"),
        ("| a", r"\| a"),
        ("a |", r"a \|"),
        ("|", r"\|"),
        ("| |", r"\| \|"),
        ("a\t|\tb", "a\t\\|\tb"),
        ("a|b", "a|b"),
        ("a |b", "a |b"),
        ("a| b", "a| b"),
        ("||", "||"),
        (r'grep "a\|b"', r'grep "a\|b"'),
        (r"a \|b", r"a \|b"),
        (r"a\| b", r"a\| b"),
        (r"say \→ leave now", r"say \→ leave now"),
        (r"\← b", r"\← b"),
        (r"\Progress: 3", r"\Progress: 3"),
        ("a → 变量", "a → 变量"),
        ("a → b,", "a → b,"),
        ("a → ,b", "a → ,b"),
        ("a → b，c", "a → b，c"),
        ("a → 1b", "a → 1b"),
        ("a → b-c", "a → b-c"),
        ("a → b.", "a → b."),
        ("a →", "a →"),
        (r"C:\data \n \\", r"C:\data \n \\"),
        ("say → b", r"say \→ b"),
        ("say→b", r"say\→b"),
        (r"say \→ b", r"say \\→ b"),
        ("→ b , c", r"\→ b , c"),
        ("a → b → c", r"a → b \→ c"),
        ("a → leave now", "a → leave now"),
        ("a → b → leave now", "a → b → leave now"),
        ("a → b | c → d", r"a → b \| c \→ d"),
        ("a → b | c", r"a → b \| c"),
        ("← a", "← a"),
        ("Progress: 3", "Progress: 3"),
        ("[act] a", "[act] a"),
        ("> a", "> a"),
    ],
)
def test_a_description_is_escaped_only_where_it_must(description: str, line: str) -> None:
    assert printed(act(description=description)) == [f"1. [act] {line}"]


@pytest.mark.parametrize(
    ("description", "line"),
    [
        ("say → b", "say → b → v"),
        (r"say \→ b", r"say \→ b → v"),
        ("a | b", r"a \| b → v"),
        ("", "→ v"),
        ("→", "→ → v"),
        (r"a \ ".strip(), r"a \ → v"),
    ],
)
def test_arrows_in_front_of_outputs_are_plain(description: str, line: str) -> None:
    assert printed(act(description=description, outputs=["v"])) == [f"1. [act] {line}"]


@pytest.mark.parametrize(
    ("result", "line"),
    [
        ("3 ok | 1 failed", "3 ok | 1 failed"),
        ("a | b | c", "a | b | c"),
        ("| a", r"\| a"),
        ("a |", r"a \|"),
        ("|", r"\|"),
        ("a | | b", r"a \| \| b"),
        ("a  | b", r"a  \| b"),
        ("a |  b", r"a \|  b"),
        ("a\t| b", "a\t\\| b"),
        (r"a \| b", r"a \\| b"),
        ("a|b", "a|b"),
        (r"a\|b", r"a\|b"),
        (r"a \Progress: 3", r"a \Progress: 3"),
        (r"\progress: 3", r"\progress: 3"),
        ("Progress 1/2", "Progress 1/2"),
        (r"\→ b", r"\→ b"),
        ("Progress: 3/5", r"\Progress: 3/5"),
        ("Progress: soon", r"\Progress: soon"),
        ("Progress:", r"\Progress:"),
        (r"\Progress: 3", r"\\Progress: 3"),
        ("a | Progress: 3", r"a | \Progress: 3"),
        ("a Progress: 3", "a Progress: 3"),
        ("a | Progress", "a | Progress"),
        ("→ a", "→ a"),
        ("a | → b", "a | → b"),
        ("| Progress: 3", r"\| Progress: 3"),
    ],
)
def test_a_result_is_escaped_only_where_it_must(result: str, line: str) -> None:
    assert printed(act(result=result)) == [f"1. [act] | {line}"]
    assert printed(act(result=result, outputs=["v"], done_count=1)) == [f"1. [act] → v | {line} | Progress: 1"]


@pytest.mark.parametrize(
    ("detail", "line"),
    [
        ("", ">"),
        (" ", ">  "),
        ("  x ", ">   x "),
        ("\tx", "> \tx"),
        ("← a", r"> \← a"),
        ("  ← a, b ", r">   \← a, b "),
        (r"\← a", r"> \\← a"),
        ("← a b", "> ← a b"),
        (r"\← a b", r"> \← a b"),
        ("x ← a", "> x ← a"),
        ("a | b → c", "> a | b → c"),
        ("1. [act] a", "> 1. [act] a"),
        ("> x", "> > x"),
        ("← b,", "> ← b,"),
        ("← 变量", "> ← 变量"),
        ("<- b", "> <- b"),
        (r"x \← a", r"> x \← a"),
        (">>>>>> theirs", "> >>>>>> theirs"),
    ],
)
def test_a_detail_line_is_escaped_only_where_it_would_declare_inputs(detail: str, line: str) -> None:
    assert printed(act(detail=[detail])) == ["1. [act]", f"  {line}"]


# ---------------------------------------------------------------- what is refused


def test_an_empty_type_is_refused() -> None:
    assert (
        refusal(PlanSpec(steps=[PlanStep("4")]))
        == "step_type: step 4 has none; give it one: reason, act, decide, subtask"
    )


@pytest.mark.parametrize(
    "steps",
    [[act("1"), act("1")], [act("1", children=[act("1.1"), act("1.1")])], [act("1", children=[act("1")])]],
    ids=["siblings", "children", "below itself"],
)
def test_an_id_that_comes_twice_is_refused(steps: list[PlanStep]) -> None:
    assert refusal(PlanSpec(steps=steps)) in ("step_id: 1 comes twice", "step_id: 1.1 comes twice")


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        ([act("1", children=[act("2")])], "step_id: 2 is below 1 and would be read at the top level"),
        ([act("1"), act("1.1")], "step_id: 1.1 is at the top level and would be read below 1"),
        ([act("1", children=[act("2.1")]), act("2")], "step_id: 2.1 is below 1 and would be read below 2"),
        (
            [act("1", children=[act("1.1"), act("1.1.1")])],
            "step_id: 1.1.1 is below 1 and would be read below 1.1",
        ),
        ([act("1", children=[act("10.1")])], "step_id: 10.1 is below 1 and would be read at the top level"),
        ([act("1", children=[act("10")])], "step_id: 10 is below 1 and would be read at the top level"),
        ([act("1.1", children=[act("1")])], "step_id: 1.1 is at the top level and would be read below 1"),
    ],
)
def test_an_id_that_does_not_fit_its_place_is_refused(steps: list[PlanStep], message: str) -> None:
    assert refusal(PlanSpec(steps=steps)) == message


def _change(name: str, *items: Any) -> Callable[[PlanSpec], None]:
    def change(plan: PlanSpec) -> None:
        owner = plan.steps[0] if hasattr(plan.steps[0], name) else plan
        getattr(owner, name).extend(items)

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_change("inputs", "a b"), "inputs: 'a b' is not a variable (a letter or `_`, then letters, digits and `_`)"),
        (_change("outputs", ""), "outputs: '' is not a variable (a letter or `_`, then letters, digits and `_`)"),
        (
            _change("detail", "a\nb"),
            "detail: a line break cannot be written in a plan; one_line() makes one line of any text",
        ),
        (
            _change("goal_detail", "a\n"),
            "goal_detail: a line break cannot be written in a plan; one_line() makes one line of any text",
        ),
        (_change("constraints", ""), "constraints: an empty item cannot be written in a plan"),
    ],
)
@pytest.mark.parametrize("write", WAYS_OUT)
def test_a_list_that_was_changed_behind_the_validators_back_is_refused(
    write: Callable[[PlanSpec], object], change: Callable[[PlanSpec], None], message: str
) -> None:
    plan = PlanSpec(goal="g", steps=[act()])
    change(plan)
    assert refusal(plan, write) == message


@pytest.mark.parametrize(
    "change",
    [
        _change("goal_detail", 5),
        _change("goal_detail", 0),
        _change("detail", 5),
        _change("detail", None),
        _change("inputs", None),
        _change("outputs", 5),
        _change("children", "1.1"),
    ],
    ids=["goal_detail", "falsy goal_detail", "detail", "falsy detail", "inputs", "outputs", "children"],
)
@pytest.mark.parametrize("write", WAYS_OUT)
def test_an_item_of_a_wrong_type_is_refused_by_the_name_of_its_field(
    write: Callable[[PlanSpec], object], change: Callable[[PlanSpec], None]
) -> None:
    plan = PlanSpec(goal="g", steps=[act()])
    change(plan)
    with pytest.raises(TypeError, match=r"\A(goal_detail|detail|inputs|outputs|children): expected a"):
        write(plan)


@pytest.mark.parametrize("item", [None, "1", PlanSpec()], ids=repr)
@pytest.mark.parametrize("name", ["steps", "children"])
@pytest.mark.parametrize(
    "use",
    [
        *WAYS_OUT,
        lambda plan: serialize_plan(plan, fold=True, max_tokens=99),
        validate_plan,
        lint_plan,
    ],
    ids=["text", "value", "json", "folded", "validate", "lint"],
)
def test_what_is_no_step_is_refused_by_its_type(use: Callable[[PlanSpec], object], name: str, item: Any) -> None:
    plan = PlanSpec(goal="g", steps=[act()])
    _change(name, item)(plan)
    with pytest.raises(TypeError) as refused:
        use(plan)
    assert str(refused.value) == f"{name}: expected a PlanStep, not {type(item).__name__}"


@pytest.mark.parametrize("fold", [False, True])
def test_a_step_that_is_its_own_child_is_refused_and_does_not_hang(fold: bool) -> None:
    step = act("1")
    step.children.append(step)
    with pytest.raises(ValueError, match="step_id: 1 comes twice"):
        serialize_plan(PlanSpec(steps=[step]), fold=fold)


def test_printing_changes_nothing() -> None:
    plan = PlanSpec(steps=[act("1", detail=["← a"], description="a | b", expanded=False)])
    serialize_plan(plan)
    assert plan == PlanSpec(steps=[act("1", detail=["← a"], description="a | b")])
    assert plan.steps[0].expanded is False
