"""Every fixture runs every invariant. A file's name begins with the id of the step that its text answers to."""

from __future__ import annotations

import json
from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from planspec_lark import PlanStep, Severity, check_text, find_step, parse_plan, render_all
from planspec_lark.engine import OperatorResult, read_execution
from planspec_lark.syntax import CODES
from tests.corpus import FIXTURES, each, expected_codes, find, read

PLAN_FILE = FIXTURES / "execution" / "plan.md"
PLAN = parse_plan(read(PLAN_FILE))
VALID = each("execution/valid", ".txt")
INVALID = each("execution/invalid", ".txt")


def step_of(path: Path) -> PlanStep:
    step = find_step(PLAN, path.stem.partition("_")[0])
    assert step is not None
    return step


def test_the_plan_is_one() -> None:
    assert {found.severity for found in check_text(read(PLAN_FILE))} == {Severity.INFO}


def test_there_are_all_kinds() -> None:
    texts = [*find("execution/valid", ".txt"), *find("execution/invalid", ".txt")]
    assert {path.stem[-3:] for path in texts} == {"_zh", "_en"}
    codes = {path.stem for path in find("execution/invalid", ".codes")}
    assert {path.stem for path in find("execution/invalid", ".txt")} == codes
    strays = {path.suffix for path in (FIXTURES / "execution").rglob("*.*")} - {".txt", ".codes", ".md"}
    assert not strays


def test_every_code_is_found_somewhere() -> None:
    texts = [*find("execution/valid", ".txt"), *find("execution/invalid", ".txt")]
    found = {one.code for path in texts for one in read_execution(read(path), step_of(path)).diagnostics}
    assert {code for code in CODES if code.startswith("PE1")} <= found


@VALID
def test_what_is_read(path: Path, snapshot: SnapshotAssertion) -> None:
    scan = read_execution(read(path), step_of(path), name=path.name)
    assert scan.answer is not None
    answer = {"status": scan.answer.status.value, "result": scan.answer.result, "outputs": dict(scan.answer.outputs)}
    shown = json.dumps({**answer, "branch": scan.answer.branch}, ensure_ascii=False, indent=1)
    assert f"{shown}\n\n{render_all(scan.diagnostics)}" == snapshot


@VALID
def test_what_is_read_reads_back(path: Path) -> None:
    answer = read_execution(read(path), step_of(path)).answer
    assert isinstance(answer, OperatorResult)
    value = {"status": answer.status.value, "result": answer.result, "outputs": dict(answer.outputs)}
    if answer.branch:
        value["branch"] = answer.branch
    scan = read_execution(json.dumps(value, ensure_ascii=False), step_of(path))
    assert scan.answer == answer
    # What was not there can not come back.
    assert {found.code for found in scan.diagnostics} <= {"PE109"}


@INVALID
def test_codes(path: Path) -> None:
    scan = read_execution(read(path), step_of(path))
    assert scan.answer is None
    assert [(found.line, found.code) for found in scan.diagnostics] == expected_codes(path)


@INVALID
def test_messages(path: Path, snapshot: SnapshotAssertion) -> None:
    assert render_all(read_execution(read(path), step_of(path), name=path.name).diagnostics) == snapshot
