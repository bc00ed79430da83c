"""Answers to an execution prompt: what is read, what is repaired, what is refused."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, strategies as st
from syrupy.assertion import SnapshotAssertion

from planspec_lark import PlanStep, Severity, render_all
from planspec_lark.engine import Effort, HopStatus, OperatorResult, read_execution
from planspec_lark.engine.execution_answer import execution_schema
from planspec_lark.syntax import Limits
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


def test_a_whole_answer() -> None:
    scan = read_execution(json.dumps(FINE), ACT)
    assert scan.answer == OperatorResult(HopStatus.OK, "Two pumps", {"pumps": [1, 2], "price": 310.5})
    assert scan.diagnostics == []


@pytest.mark.parametrize("status", HopStatus)
def test_every_status(status: HopStatus) -> None:
    value = {"status": status.value, "result": "so"}
    assert read(value, PLAIN) == OperatorResult(status, "so")
    assert codes(value, PLAIN) == []


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


def test_an_answer_asks_for_another_try() -> None:
    busy = {"status": "FAIL", "result": "busy"}
    for seconds in (0, 2.5):
        value = {**busy, "retry_after": seconds}
        assert (read(value), codes(value)) == (OperatorResult(HopStatus.FAIL, "busy", retry_after=seconds), [])
    assert read({**busy, "retry_after": None}) == OperatorResult(HopStatus.FAIL, "busy")


def test_a_decision() -> None:
    assert read(CHOSEN, DECIDE) == OperatorResult(HopStatus.OK, "Rain until Friday", branch="3.1.1")
    assert codes(CHOSEN, DECIDE) == []
    failed = {"status": "FAIL", "result": "no forecast"}
    assert read(failed, DECIDE) == OperatorResult(HopStatus.FAIL, "no forecast")
    assert codes(failed, DECIDE) == []


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


def test_a_step_that_failed_need_not_produce_anything() -> None:
    value = {"status": "UNCERTAIN", "result": "one pump", "outputs": {"pumps": [1]}}
    assert read(value) == OperatorResult(HopStatus.UNCERTAIN, "one pump", {"pumps": [1]})
    assert codes(value) == []


def test_an_output_may_be_null() -> None:
    value = {**FINE, "outputs": {"pumps": None, "price": 0}}
    assert read(value) == OperatorResult(HopStatus.OK, "Two pumps", {"pumps": None, "price": 0})
    assert codes(value) == []


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


@pytest.mark.parametrize(("value", "step", "meant", "found"), REPAIRED.values(), ids=REPAIRED)
def test_repairs(value: Any, step: PlanStep, meant: Any, found: list[str]) -> None:
    answer = read(value, step)
    assert answer is not None
    assert codes(value, step) == [(code, "warning") for code in found]
    if meant is not None:
        assert answer == read(meant, step)


def test_a_result_as_long_as_may_be() -> None:
    assert codes({**FINE, "result": "x" * 2000}) == []
    assert codes({**FINE, "result": "  x  "}) == []
    answer = read({**FINE, "result": "  x  "})
    assert answer is not None
    assert answer.result == "x"


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


@pytest.mark.parametrize(("value", "step", "expected"), FAULTS.values(), ids=FAULTS)
def test_faults(value: Any, step: PlanStep, expected: list[str], snapshot: SnapshotAssertion) -> None:
    scan = read_execution(json.dumps(value, indent=1), step)
    assert scan.answer is None
    assert sorted(found.code for found in scan.diagnostics) == sorted(expected)
    assert render_all(scan.diagnostics) == snapshot


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


def test_without_a_result_it_has_no_text() -> None:
    answer = read({"status": "OK"}, PLAIN)
    assert answer is not None
    assert (answer.status, answer.result) == (HopStatus.OK, "")


def test_of_two_different_answers_none_counts() -> None:
    first, second = '{"status": "OK", "result": "a"}', '{"status": "FAIL", "result": "b"}'
    found = read_execution(f"{first}\nor\n{second}\n", PLAIN)
    assert found.answer is None
    assert [one.message for one in found.diagnostics if one.severity is Severity.ERROR] == [
        "two different objects, in lines 1 and 3: which one counts?"
    ]
    assert read_execution(f"{first}\nor\n{first}\n", PLAIN).answer is not None
