"""Answers to an execution prompt: what is read, what is repaired, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, strategies as st
from syrupy.assertion import SnapshotAssertion

from planspec_lark import Diagnostic, PlanStep, Severity, check_text, find_step, parse_plan, render_all
from planspec_lark.engine import Effort, HopStatus, OperatorResult, read_execution
from planspec_lark.engine.execution_answer import execution_schema
from planspec_lark.syntax import CODES, Limits
from tests.cases import in_one_test
from tests.corpus import FIXTURES, expected_codes, find, read as read_text
from tests.property import promises

ACT = PlanStep("2", step_type="act", outputs=["pumps", "price"])
PLAIN = PlanStep("4", step_type="reason")
DECIDE = PlanStep(
    "3.1",
    step_type="decide",
    children=[PlanStep("3.1.1", step_type="act"), PlanStep("3.1.2", step_type="act")],
)
FINE: dict[str, Any] = {"status": "OK", "result": "Two pumps", "outputs": {"pumps": [1, 2], "price": 310.5}}
CHOSEN: dict[str, Any] = {"status": "OK", "result": "Rain until Friday", "branch": "3.1.1"}


def read(value: object, step: PlanStep = ACT) -> OperatorResult | None:
    return read_execution(json.dumps(value), step).answer


def codes(value: object, step: PlanStep = ACT) -> list[tuple[str, str]]:
    scan = read_execution(json.dumps(value), step)
    return [(found.code, found.severity.value) for found in scan.diagnostics]


# ---------------------------------------------------------------- answers


@in_one_test
@pytest.mark.parametrize(
    ("value", "step", "expected"),
    [
        (FINE, ACT, OperatorResult(HopStatus.OK, "Two pumps", {"pumps": [1, 2], "price": 310.5})),
        (CHOSEN, DECIDE, OperatorResult(HopStatus.OK, "Rain until Friday", branch="3.1.1")),
        ({"status": "FAIL", "result": "x"}, DECIDE, OperatorResult(HopStatus.FAIL, "x")),
        ({"status": "LACK_OF_INFO", "result": "  x  "}, PLAIN, OperatorResult(HopStatus.LACK_OF_INFO, "x")),
        ({"status": "OK"}, PLAIN, OperatorResult(HopStatus.OK)),
        ({"status": "OK", "result": "x" * 2000}, PLAIN, OperatorResult(HopStatus.OK, "x" * 2000)),
        # A step that failed need not produce anything.
        (
            {"status": "UNCERTAIN", "result": "one", "outputs": {"pumps": [1]}},
            ACT,
            OperatorResult(HopStatus.UNCERTAIN, "one", {"pumps": [1]}),
        ),
        # An output may be null.
        (
            {**FINE, "outputs": {"pumps": None, "price": 0}},
            ACT,
            OperatorResult(HopStatus.OK, "Two pumps", {"pumps": None, "price": 0}),
        ),
        # It asks for another try.
        *(
            ({"status": "FAIL", "retry_after": seconds}, PLAIN, OperatorResult(HopStatus.FAIL, retry_after=seconds))
            for seconds in (0, 2.5, None)
        ),
    ],
)
def test_answers(value: Any, step: PlanStep, expected: OperatorResult) -> None:
    assert read(value, step) == expected
    if value.get("retry_after", 0) is not None:
        assert codes(value, step) == []


@pytest.mark.parametrize(
    ("told", "effort"),
    [
        ({"tokens": 7, "cost": 0.5}, Effort(1, 7, 0.5)),
        ({"cost": 2}, Effort(1, 0, 2)),
        ({"tokens": 10**15, "cost": 0}, Effort(1, 10**15)),
        (
            {"model": "m", "input_tokens": 5, "output_tokens": 6},
            Effort(1, 11, model="m", input_tokens=5, output_tokens=6),
        ),
        ({"model": "a\x1b\nb", "tokens": 20, "output_tokens": 6}, Effort(1, 20, model="a\\x1b b", output_tokens=6)),
    ],
)
def test_what_it_took(told: dict[str, Any], effort: Effort) -> None:
    scan = read_execution(json.dumps({**FINE, **told}), ACT)
    assert scan.answer is not None
    assert (scan.answer.effort, scan.effort, scan.diagnostics) == (effort, effort, [])
    # It was spent, also where the answer is of no use.
    scan = read_execution(json.dumps({**told, "status": "odd"}), ACT)
    assert (scan.answer, scan.effort) == (None, effort)


@in_one_test
@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"tokens": 1.5}, "expected a whole number, not a number"),
        ({"input_tokens": 1.5}, "expected a whole number, not a number"),
        ({"output_tokens": -1}, "expected a whole number from 0 to 1,000,000,000,000,000"),
        ({"model": 7}, "expected a string, not a whole number"),
        ({"tokens": "7"}, "expected a whole number, not a string"),
        ({"tokens": True}, "expected a whole number, not true or false"),
        ({"tokens": 10**15 + 1}, "expected a whole number from 0 to 1,000,000,000,000,000"),
        ({"tokens": -1}, "expected a whole number from 0 to 1,000,000,000,000,000"),
        ({"cost": "7 EUR"}, "expected a number, not a string"),
        ({"cost": -0.5}, "expected a number from 0 to 1,000,000,000,000,000"),
        ({"cost": 10**16}, "expected a number from 0 to 1,000,000,000,000,000"),
        ({"retry_after": "soon"}, "expected a number, not a string"),
        ({"retry_after": -1}, "expected a number from 0 to 1,000,000,000,000,000"),
    ],
)
def test_what_it_cannot_have_taken(told: dict[str, Any], message: str) -> None:
    scan = read_execution(json.dumps({**FINE, **told}), ACT)
    assert [(found.code, found.message, found.path) for found in scan.diagnostics] == [("PE103", message, *told)]
    assert (scan.answer, scan.effort) == (None, Effort(1))


def test_what_is_asked_for_has_a_schema() -> None:
    schema = execution_schema(ACT.outputs, ["3.1.1", "3.1.2"], is_loop=True)
    is_valid = jsonschema.Draft202012Validator(schema).is_valid
    fine = {**FINE, "branch": "3.1.1", "loop": "done"}
    assert is_valid(fine)
    for name, wrong in {"status": "ok", "result": 7, "outputs": {"c": 1}, "branch": "2", "loop": "on", "x": 1}.items():
        assert not is_valid({**fine, name: wrong})
    assert not is_valid({"status": "OK"})
    # A step that is neither a decision nor in a loop is not asked for more than these.
    assert [*execution_schema([], [], is_loop=False)["properties"]] == ["status", "result", "outputs"]


def test_an_answer_in_prose() -> None:
    thoughts = '<think>{"status": "FAIL"}?</think>'
    text = f"{thoughts}\nSure:\n```json\n{json.dumps(FINE)}\n```\nDone."
    scan = read_execution(text, ACT)
    assert scan.answer == read(FINE)
    assert {found.severity for found in scan.diagnostics} == {Severity.INFO}


# ---------------------------------------------------------------- repairs

REPAIRED: dict[str, tuple[Any, PlanStep, Any, list[str]]] = {
    "lower case": ({**FINE, "status": "ok"}, ACT, FINE, ["PE104"]),
    "blanks": ({"status": "Lack-of info ", "result": "x"}, PLAIN, {"status": "LACK_OF_INFO", "result": "x"}, ["PE104"]),
    "nulls": ({**FINE, "branch": None}, ACT, FINE, ["PE103"]),
    "no outputs": (
        {"status": "OK", "result": "x", "outputs": None},
        PLAIN,
        {"status": "OK", "result": "x"},
        ["PE103"],
    ),
    "a dot": ({**CHOSEN, "branch": " 3.1.1. "}, DECIDE, CHOSEN, ["PE106"]),
    "another field": ({**FINE, "thoughts": "long"}, ACT, FINE, ["PE102"]),
    "another output": ({**FINE, "outputs": {**FINE["outputs"], "glue": 1}}, ACT, FINE, ["PE110"]),
    "a branch of no decision": ({**FINE, "branch": "3.1.1"}, ACT, FINE, ["PE107"]),
    "a branch of a failure": (
        {"status": "FAIL", "result": "x", "branch": "3.1.1"},
        DECIDE,
        {"status": "FAIL", "result": "x"},
        ["PE107"],
    ),
    "lines": ({**FINE, "result": "\nTwo\r\n\tpumps\u2028"}, ACT, {**FINE, "result": "Two pumps"}, ["PE108"]),
    "controls": (
        {**FINE, "result": "Two\x1b[31m \u202epumps"},
        ACT,
        {**FINE, "result": "Two\\x1b[31m \\u202epumps"},
        ["PE108"],
    ),
    "too long": ({**FINE, "result": "x" * 2001}, ACT, {**FINE, "result": "x" * 1999 + "…"}, ["PE108"]),
    "an output is missing": ({**FINE, "outputs": {"pumps": 1}}, ACT, None, ["PE109"]),
    "all outputs are missing": ({"status": "OK", "result": ""}, ACT, None, ["PE109", "PE109"]),
}


@in_one_test
@pytest.mark.parametrize(("value", "step", "meant", "found"), REPAIRED.values())
def test_repairs(value: Any, step: PlanStep, meant: Any, found: list[str]) -> None:
    answer = read(value, step)
    assert answer is not None
    assert codes(value, step) == [(code, "warning") for code in found]
    if meant is not None:
        assert answer == read(meant, step)


# ---------------------------------------------------------------- faults

FAULTS: dict[str, tuple[Any, PlanStep, list[str]]] = {
    "empty": ({}, ACT, ["PE101"]),
    "no status": ({"result": "x"}, ACT, ["PE101"]),
    "status of another kind": ({"status": True, "result": "x"}, PLAIN, ["PE103"]),
    "no such status": ({"status": "DONE", "result": "x"}, PLAIN, ["PE104"]),
    "an empty status": ({"status": "", "result": "x"}, PLAIN, ["PE104"]),
    "a long status": ({"status": "OK" * 10_000, "result": "x"}, PLAIN, ["PE104"]),
    "result of another kind": ({"status": "OK", "result": {"a": 1}}, PLAIN, ["PE103"]),
    "a null result": ({"status": "OK", "result": None}, PLAIN, ["PE103"]),
    "outputs of another kind": ({"status": "OK", "result": "x", "outputs": ["pumps"]}, ACT, ["PE103"]),
    "no branch": ({"status": "OK", "result": "x"}, DECIDE, ["PE105"]),
    "a null branch": ({"status": "OK", "result": "x", "branch": None}, DECIDE, ["PE105", "PE103"]),
    "no such branch": ({**CHOSEN, "branch": "3.1.3"}, DECIDE, ["PE106"]),
    "a branch by its words": ({**CHOSEN, "branch": "Rain"}, DECIDE, ["PE106"]),
    "a branch of another kind": ({**CHOSEN, "branch": 3.1}, DECIDE, ["PE103"]),
    "no branches at all": ({**CHOSEN, "branch": "1"}, PlanStep("1", step_type="decide"), ["PE106"]),
}


def test_faults(snapshot: SnapshotAssertion) -> None:
    told: list[str] = []
    for name, (value, step, expected) in FAULTS.items():
        scan = read_execution(json.dumps(value), step)
        assert scan.answer is None
        assert sorted(found.code for found in scan.diagnostics) == sorted(expected)
        told += [f"{name}: {one.code} at {one.path or '-'}: {one.message} ({one.help})" for one in scan.diagnostics]
    assert "\n".join(told) == snapshot


@in_one_test
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["PJ101"]),
        ("I could not do it.", ["PJ101"]),
        ('["OK"]', ["PJ105"]),
        ('{"status": "OK", "result": "x", "outputs": {"pumps": [1', ["PE109", "PE109", "PJ106"]),
        ('{"status": "OK", "result": "\\ud800"}', ["PE109", "PE109", "PJ126"]),
    ],
)
def test_no_answer_at_all(text: str, expected: list[str]) -> None:
    scan = read_execution(text, ACT)
    assert scan.answer is None
    assert set(expected) >= {found.code for found in scan.diagnostics}
    assert expected[-1] in {found.code for found in scan.diagnostics}


def test_limits() -> None:
    text = json.dumps({**FINE, "outputs": {"pumps": "x" * 1000, "price": 1}})
    scan = read_execution(text, ACT, limits=Limits(max_bytes=500))
    assert (scan.answer, [found.code for found in scan.diagnostics]) == (None, ["PS121"])
    many = {**FINE, **{f"k{at}": 1 for at in range(50)}}
    scan = read_execution(json.dumps(many), ACT, limits=Limits(max_findings=5))
    assert [found.code for found in scan.diagnostics] == ["PE102"] * 5 + ["PS120"]


# ---------------------------------------------------------------- any text

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 10**20) | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["pumps", "price", "x"]), inner),
    max_leaves=6,
)
ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "status": st.sampled_from(["OK", "FAIL", "ok", "UNCERTAIN", "LACK_OF_INFO", "no"]) | VALUES,
        "result": st.text(max_size=20) | VALUES,
        "outputs": st.dictionaries(st.sampled_from(["pumps", "price", "x"]), VALUES) | VALUES,
        "branch": st.sampled_from(["3.1.1", "3.1.2.", "3"]) | VALUES,
        "x": VALUES,
    },
)


@given(ANSWERS.map(json.dumps) | st.text(max_size=30), st.sampled_from([ACT, DECIDE, PLAIN]))
def test_any_text_is_an_answer_or_an_error(text: str, step: PlanStep) -> None:
    scan = read_execution(text, step)
    assert (scan.answer is None) == any(found.severity is Severity.ERROR for found in scan.diagnostics)
    promises.are_placed(scan.diagnostics, text)
    if scan.answer is not None:
        # The result can be written into the plan, and the outputs into a journal.
        PlanStep("1", step_type="act", result=scan.answer.result)
        json.dumps(scan.answer.outputs, allow_nan=False)
        assert set(scan.answer.outputs) <= set(step.outputs)
        assert (scan.answer.branch != "") == (step is DECIDE and scan.answer.status is HopStatus.OK)


def test_of_two_different_answers_none_counts() -> None:
    first, second = '{"status": "OK", "result": "a"}', '{"status": "FAIL", "result": "b"}'
    found = read_execution(f"{first}\nor\n{second}\n", PLAIN)
    assert found.answer is None
    assert [one.message for one in found.diagnostics if one.severity is Severity.ERROR] == [
        "two different objects, in lines 1 and 3: which one counts?"
    ]
    assert read_execution(f"{first}\nor\n{first}\n", PLAIN).answer is not None


# ---------------------------------------------------------------- fixtures
# A file's name begins with the id of the step that its text answers to.

PLAN_FILE = FIXTURES / "execution" / "plan.md"
VALID, INVALID = (find(f"execution/{folder}", ".txt") for folder in ("valid", "invalid"))


def step_of(path: Path) -> PlanStep:
    step = find_step(parse_plan(read_text(PLAN_FILE)), path.stem.partition("_")[0])
    assert step is not None
    return step


def test_there_are_all_kinds() -> None:
    assert {found.severity for found in check_text(read_text(PLAN_FILE))} == {Severity.INFO}
    assert {path.stem[-3:] for path in (*VALID, *INVALID)} == {"_zh", "_en"}
    assert {path.stem for path in INVALID} == {path.stem for path in find("execution/invalid", ".codes")}
    found = {
        one.code for path in (*VALID, *INVALID) for one in read_execution(read_text(path), step_of(path)).diagnostics
    }
    assert {code for code in CODES if code.startswith("PE1")} <= found


def test_what_is_read(snapshot: SnapshotAssertion) -> None:
    told: list[str] = []
    for path in VALID:
        scan = read_execution(read_text(path), step_of(path))
        assert scan.answer is not None
        value = {"status": scan.answer.status.value, "result": scan.answer.result, "outputs": dict(scan.answer.outputs)}
        if scan.answer.branch:
            value["branch"] = scan.answer.branch
        text = json.dumps(value, ensure_ascii=False)
        again = read_execution(text, step_of(path))
        assert again.answer == scan.answer
        # What was not there can not come back.
        assert {found.code for found in again.diagnostics} <= {"PE109"}
        told += [
            f"{path.stem}: {text}",
            *(f"  {found.line}: {found.code}: {found.message}" for found in scan.diagnostics),
        ]
    assert "\n".join(told) == snapshot


def test_codes() -> None:
    for path in INVALID:
        scan = read_execution(read_text(path), step_of(path))
        assert scan.answer is None
        assert [(found.line, found.code) for found in scan.diagnostics] == expected_codes(path), path


def test_messages(snapshot: SnapshotAssertion) -> None:
    """One of each code, as it is shown."""
    first: dict[str, Diagnostic] = {}
    for path in (*INVALID, *VALID):
        for found in read_execution(read_text(path), step_of(path), name=path.name).diagnostics:
            first.setdefault(found.code, found)
    assert render_all([first[code] for code in sorted(first)]) == snapshot
