"""What can be built and what can not, and how plans compare, copy and count."""

from __future__ import annotations

import copy
import weakref
from functools import cache
from typing import Any

import pytest

from planspec_lark import PlanSpec, PlanStatus, PlanStep, iter_steps, parse_plan
from tests.cases import in_one_test

DEPTH = 1000

STEP_VALUES: dict[str, Any] = {
    "step_id": "2.1",
    "step_name": "load_data",
    "step_type": "act",
    "description": "Load",
    "inputs": ["a"],
    "outputs": ["b"],
    "detail": ["one"],
    "result": "fine",
    "status": PlanStatus.DONE,
    "expanded": True,
    "done_count": 1,
    "total_count": 2,
    "children": [],
}


def chain(depth: int = DEPTH) -> PlanSpec:
    """A new plan in which every step has one child, down to the given depth."""
    return copy.deepcopy(_chain(depth))


@cache
def _chain(depth: int) -> PlanSpec:
    top = below = PlanStep("1", step_type="subtask", description="deep")
    for _ in range(depth - 1):
        child = PlanStep(f"{below.step_id}.1", step_type="subtask", description="deep")
        below.children = [child]
        below = child
    return PlanSpec(goal="down", steps=[top])


def wrong(name: str, value: object, kind: type[Exception], message: str) -> Any:
    shown = repr(value) if len(repr(value)) < 40 else repr(value)[:40]
    return pytest.param(name, value, kind, message, id=f"{name}={shown}".encode("ascii", "backslashreplace").decode())


_ID = "numbers joined by dots, such as '2.1'"
_NAME = "a name (letters, digits, `_` and `-`)"
_TYPE = "a type (a letter or `_`, then letters, digits and `_`)"
_VARIABLE = "a variable (a letter or `_`, then letters, digits and `_`)"
_NO_BREAK = "a line break cannot be written in a plan"
_FORBIDDEN = "the forbidden character U+{:04X} cannot be written in a plan"
_ADVICE = "one_line() makes one line of any text"
_STATUSES = "pending, active, done, blocked, skipped"

WRONG_STEPS = [
    *(
        wrong("step_id", value, ValueError, f"step_id: {value!r} is not {_ID}")
        for value in (
            "",
            "1 ",
            *["1.", ".1", "1..2", "01", "1.02", "00", "1234567890", "a", "1.a", "-1", "+1", "1,2", "١"],
        )
    ),
    wrong("step_id", "1\n", ValueError, f"step_id: {_NO_BREAK}"),
    wrong("step_id", 1, TypeError, "step_id: expected a string, not int"),
    wrong("step_id", None, TypeError, "step_id: expected a string, not NoneType"),
    *(
        wrong("step_name", value, ValueError, f"step_name: {value!r} is not {_NAME}")
        for value in ("a b", " a", "a.b", "[a]", "a/b", "→", "\u3000", "|")
    ),
    wrong("step_name", "a\n", ValueError, f"step_name: {_NO_BREAK}"),
    wrong("step_name", None, TypeError, "step_name: expected a string, not NoneType"),
    *(
        wrong("step_type", value, ValueError, f"step_type: {value!r} is not {_TYPE}")
        for value in ("1act", "a-b", "a b", "[act]", " act", "行动", "é", ">", "~")
    ),
    wrong("step_type", 1, TypeError, "step_type: expected a string, not int"),
    *(
        wrong(name, value, ValueError, f"{name}: white space around {value!r} would be lost; {_ADVICE}")
        for name in ("description", "result")
        for value in (" a", "a ", "\ta", "a\t", " ")
    ),
    *(
        wrong(name, value, ValueError, f"{name}: {_NO_BREAK}; {_ADVICE}")
        for name in ("description", "result")
        for value in ("a\nb", "a\r\nb", "a\rb")
    ),
    *(
        wrong(name, f"a{char}b", ValueError, f"{name}: {_FORBIDDEN.format(ord(char))}; {_ADVICE}")
        for name in ("description", "result")
        for char in "\0\v\f\x7f\ud800"
    ),
    wrong("description", None, TypeError, "description: expected a string, not NoneType"),
    wrong("result", 5, TypeError, "result: expected a string, not int"),
    *(
        wrong(name, [value], ValueError, f"{name}: {value!r} is not {_VARIABLE}")
        for name in ("inputs", "outputs")
        for value in ("", "a b", "1a", "a-b", " a", "变量", "a,b")
    ),
    *(
        wrong(name, value, TypeError, f"{name}: expected a list, not {kind}")
        for name in ("inputs", "outputs", "detail", "children")
        for value, kind in (("a", "str"), (("a",), "tuple"), (None, "NoneType"))
    ),
    *(
        wrong(name, ["a", 1], TypeError, f"{name}: expected a string, not int")
        for name in ("inputs", "outputs", "detail")
    ),
    wrong("detail", ["fine", "a\nb"], ValueError, f"detail: {_NO_BREAK}; {_ADVICE}"),
    wrong("detail", ["\x1b[31m"], ValueError, f"detail: {_FORBIDDEN.format(0x1B)}; {_ADVICE}"),
    *(
        wrong("status", value, ValueError, f"status: {value!r} is not one of {_STATUSES}")
        for value in ("finished", "x", None)
    ),
    wrong("expanded", 1, TypeError, "expanded: expected True, False or None, not int"),
    wrong("expanded", "yes", TypeError, "expanded: expected True, False or None, not str"),
    *(
        wrong(name, value, ValueError, f"{name}: {value} is not between 0 and 999999999")
        for name in ("done_count", "total_count")
        for value in (-1, 1_000_000_000)
    ),
    *(
        wrong(name, value, TypeError, f"{name}: expected a whole number, not {kind}")
        for name in ("done_count", "total_count")
        for value, kind in ((True, "bool"), (1.0, "float"), ("1", "str"))
    ),
    wrong("done_count", None, TypeError, "done_count: expected a whole number, not NoneType"),
    wrong("children", ["a"], TypeError, "children: expected a PlanStep, not str"),
    wrong("children", [PlanSpec()], TypeError, "children: expected a PlanStep, not PlanSpec"),
]

WRONG_PLANS = [
    *(
        wrong(name, value, ValueError, f"{name}: white space around {value!r} would be lost; {_ADVICE}")
        for name in ("title", "goal")
        for value in (" a", "a\t")
    ),
    *(wrong(name, "a\nb", ValueError, f"{name}: {_NO_BREAK}; {_ADVICE}") for name in ("title", "goal")),
    *(wrong(name, None, TypeError, f"{name}: expected a string, not NoneType") for name in ("title", "goal")),
    wrong("goal_detail", ["a\r"], ValueError, f"goal_detail: {_NO_BREAK}; {_ADVICE}"),
    wrong("goal_detail", [None], TypeError, "goal_detail: expected a string, not NoneType"),
    wrong("constraints", ["a", ""], ValueError, "constraints: an empty item cannot be written in a plan"),
    wrong("constraints", [" a"], ValueError, f"constraints: white space around ' a' would be lost; {_ADVICE}"),
    wrong("constraints", ["a\nb"], ValueError, f"constraints: {_NO_BREAK}; {_ADVICE}"),
    *(
        wrong(name, "a", TypeError, f"{name}: expected a list, not str")
        for name in ("goal_detail", "constraints", "steps")
    ),
    wrong("steps", [{}], TypeError, "steps: expected a PlanStep, not dict"),
]


@in_one_test
@pytest.mark.parametrize(("name", "value", "kind", "message"), WRONG_STEPS)
def test_a_step_that_no_text_could_hold_is_not_built(
    name: str, value: Any, kind: type[Exception], message: str
) -> None:
    step = PlanStep(**STEP_VALUES)
    for change in (lambda: PlanStep(**{**STEP_VALUES, name: value}), lambda: setattr(step, name, value)):
        with pytest.raises(kind) as caught:
            change()
        assert str(caught.value) == message
    assert getattr(step, name) == STEP_VALUES[name]


@in_one_test
@pytest.mark.parametrize(("name", "value", "kind", "message"), WRONG_PLANS)
def test_a_plan_that_no_text_could_hold_is_not_built(
    name: str, value: Any, kind: type[Exception], message: str
) -> None:
    plan = PlanSpec()
    for change in (lambda: PlanSpec(**{name: value}), lambda: setattr(plan, name, value)):
        with pytest.raises(kind) as caught:
            change()
        assert str(caught.value) == message
    assert plan == PlanSpec()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("step_id", "0"),
        ("step_id", "0.0.1"),
        ("step_id", "999999999.999999999"),
        ("step_name", "a1b2c3d4"),
        ("step_name", "-"),
        ("step_name", "加载_数据-2"),
        ("step_type", "LLM"),
        ("step_type", "_"),
        ("step_type", "x"),
        ("description", ""),
        ("description", "a\tb"),
        ("description", "\u3000full width\u3000"),
        ("description", "\x85\u2028\u2029"),
        ("result", "Progress: 3/5 | | "[:-1]),
        ("inputs", ["_", "a1", "a1"]),
        ("outputs", ["Progress"]),
        ("detail", ["", " ", "\tx  "]),
        ("status", PlanStatus.SKIPPED),
        ("expanded", None),
        ("expanded", False),
        ("done_count", 999_999_999),
        ("total_count", 0),
        ("total_count", None),
    ],
)
def test_what_a_step_may_hold(name: str, value: Any) -> None:
    step = PlanStep("1")
    setattr(step, name, value)
    assert getattr(step, name) == value
    assert getattr(PlanStep(**{"step_id": "1", name: value}), name) == value


def test_a_status_may_be_given_by_its_word() -> None:
    step = PlanStep("1", status="blocked")
    assert step.status is PlanStatus.BLOCKED
    step.status = "done"  # type: ignore[assignment]
    assert step.status is PlanStatus.DONE


def test_statuses_are_these_words() -> None:
    assert [status.value for status in PlanStatus] == ["pending", "active", "done", "blocked", "skipped"]
    assert isinstance(PlanStatus.DONE, str)


def test_what_a_new_step_holds() -> None:
    step = PlanStep("1")
    assert (step.step_name, step.step_type, step.description, step.result) == ("", "", "", "")
    assert (step.inputs, step.outputs, step.detail, step.children) == ([], [], [], [])
    assert (step.status, step.expanded, step.done_count, step.total_count) == (PlanStatus.PENDING, None, 0, None)


def test_new_models_share_no_lists() -> None:
    first, second = PlanStep("1"), PlanStep("1")
    first.outputs.append("a")
    assert second.outputs == []
    PlanSpec().steps.append(first)
    assert PlanSpec().steps == []


def test_there_are_no_other_fields() -> None:
    with pytest.raises(AttributeError):
        PlanStep("1").state = PlanStatus.DONE  # type: ignore[attr-defined]


# ---------------------------------------------------------------- comparing


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("step_id", "3"),
        ("step_name", "other"),
        ("step_type", "reason"),
        ("description", "other"),
        ("inputs", ["b"]),
        ("outputs", []),
        ("detail", ["one", "two"]),
        ("result", ""),
        ("status", PlanStatus.PENDING),
        ("done_count", 2),
        ("total_count", None),
        ("children", [PlanStep("2.1.1")]),
    ],
)
def test_steps_that_differ_in_a_field_differ(name: str, value: Any) -> None:
    step = PlanStep(**STEP_VALUES)
    assert step == PlanStep(**STEP_VALUES)
    assert step != PlanStep(**{**STEP_VALUES, name: value})
    assert PlanSpec(steps=[step]) != PlanSpec(steps=[PlanStep(**{**STEP_VALUES, name: value})])


@pytest.mark.parametrize(
    ("name", "value"),
    [("title", "t"), ("goal", "g"), ("goal_detail", [""]), ("constraints", ["c"]), ("steps", [PlanStep("1")])],
)
def test_plans_that_differ_in_a_field_differ(name: str, value: Any) -> None:
    assert PlanSpec(**{name: value}) != PlanSpec()
    assert PlanSpec(**{name: value}) == PlanSpec(**{name: value})


def test_models_equal_nothing_else() -> None:
    assert PlanSpec() != PlanStep("1")
    assert PlanStep("1") != "1"
    assert PlanSpec() != {}


def test_models_have_no_hash() -> None:
    for model in (PlanStep("1"), PlanSpec()):
        with pytest.raises(TypeError, match="unhashable"):
            hash(model)


# ---------------------------------------------------------------- copying and changing


def test_a_deep_copy_shares_nothing() -> None:
    plan = PlanSpec(
        "t", "g", ["d"], ["c"], [PlanStep(**{**STEP_VALUES, "children": [PlanStep("2.1.1", outputs=["z"])]})]
    )
    twin = copy.deepcopy(plan)
    assert twin == plan
    assert twin.steps[0].expanded is True
    for name in ("goal_detail", "constraints", "steps"):
        assert getattr(twin, name) is not getattr(plan, name)
    for name in ("inputs", "outputs", "detail", "children"):
        assert getattr(twin.steps[0], name) is not getattr(plan.steps[0], name)
    assert twin.steps[0].children[0] is not plan.steps[0].children[0]
    twin.steps[0].children[0].outputs.append("new")
    assert plan.steps[0].children[0].outputs == ["z"]


# ---------------------------------------------------------------- counting and traversal


def branched() -> PlanSpec:
    done, active, blocked, skipped = (PlanStatus(s) for s in ("done", "active", "blocked", "skipped"))
    return PlanSpec(
        steps=[
            PlanStep("1", status=done, children=[PlanStep("1.1", status=done), PlanStep("1.2", status=skipped)]),
            PlanStep("2", status=active, children=[PlanStep("2.1", children=[PlanStep("2.1.1", status=blocked)])]),
            PlanStep("3"),
        ]
    )


def test_steps_are_walked_in_document_order() -> None:
    plan = branched()
    assert [step.step_id for step in iter_steps(plan)] == ["1", "1.1", "1.2", "2", "2.1", "2.1.1", "3"]
    assert [step.step_id for step in iter_steps(plan.steps[1])] == ["2", "2.1", "2.1.1"]


def test_progress_counts_every_step_by_status() -> None:
    expected = {"total": 7, "done": 2, "active": 1, "blocked": 1, "pending": 2, "skipped": 1}
    assert branched().progress == expected
    assert list(branched().progress) == ["total", "done", "active", "blocked", "pending", "skipped"]


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        ([], True),
        (["done"], True),
        (["done", "blocked", "skipped"], True),
        (["done", "pending"], False),
        (["active"], False),
    ],
)
def test_a_plan_has_converged_once_nothing_is_pending_or_active(statuses: list[str], expected: bool) -> None:
    steps = [PlanStep(str(n), status=PlanStatus(status)) for n, status in enumerate(statuses)]
    assert PlanSpec(steps=steps).is_converged is expected
    assert PlanSpec(steps=[PlanStep("9", status=PlanStatus.DONE, children=steps)]).is_converged is expected


# ---------------------------------------------------------------- depth


def test_models_can_be_referenced_weakly() -> None:
    plan = parse_plan("## Steps\n1. [act] a\n")
    for value in (plan, plan.steps[0], PlanStep("1"), copy.deepcopy(plan.steps[0])):
        assert weakref.ref(value)() is value
