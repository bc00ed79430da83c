"""Every fixture runs every invariant: answers about step 2.2 of one plan, and answers at the end of a round."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import (
    PlanSpec,
    apply_commands,
    find_step,
    parse_plan,
    render_all,
    serialize_commands,
    validate_plan,
)
from planspec_lark.engine import Reflection, read_reflection, read_replan
from tests.cases import in_one_test
from tests.corpus import FIXTURES, expected_codes, find, read

FOLDERS = ["reflection/valid", "reflection/invalid", "reflection/unattended", "replan/valid", "replan/invalid"]
# A test for every answer of some folders.
each_valid, each_invalid, each_any = (
    pytest.mark.parametrize(
        "path",
        [
            pytest.param(path, id=f"{folder}/{path.stem}")
            for folder in FOLDERS
            if folder.endswith("/valid") in wanted
            for path in find(folder, ".txt")
        ],
    )
    for wanted in ({True}, {False}, {True, False})
)


def plan_for(path: Path) -> PlanSpec:
    name = "chinese_plan.md" if path.stem.startswith("chinese_") else "plan.md"
    return parse_plan(read(FIXTURES / "reflection" / name))


def look(path: Path, text: str) -> Reflection:
    plan = plan_for(path)
    if path.parents[1].name == "replan":
        return read_replan(text, plan, name=path.name)
    step = find_step(plan, "2.2")
    assert step is not None
    is_attended = path.parent.name != "unattended"
    return read_reflection(text, plan, step, can_interact=is_attended, can_retry=is_attended, name=path.name)


def test_there_are_enough() -> None:
    assert len(find("reflection/valid", ".txt")) >= 15
    assert len(find("reflection/invalid", ".txt")) >= 15


def test_every_invalid_text_has_its_codes() -> None:
    for folder in FOLDERS:
        files = {path.name for path in (FIXTURES / folder).iterdir()}
        texts = {path.stem for path in find(folder, ".txt")}
        suffixes = (".txt",) if folder.endswith("/valid") else (".txt", ".codes")
        assert files == {f"{name}{suffix}" for name in texts for suffix in suffixes}


def test_the_plans_are_valid_and_alike() -> None:
    english, chinese = (parse_plan(read(FIXTURES / "reflection" / f"{name}plan.md")) for name in ("", "chinese_"))
    assert validate_plan(english) == validate_plan(chinese) == []
    assert english.progress == chinese.progress


@each_valid
def test_what_is_said(path: Path, snapshot: SnapshotAssertion) -> None:
    found = look(path, read(path))
    assert (found.diagnostics, found.is_usable) == ([], True)
    assert (found.decision and found.decision.value, found.reason, serialize_commands(found.commands)) == snapshot


@each_valid
def test_the_plan_takes_it(path: Path) -> None:
    assert apply_commands(plan_for(path), look(path, read(path)).commands, atomic=True) == []


@in_one_test
@each_any
@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_line_ends_do_not_matter(path: Path, line_end: str) -> None:
    text = read(path)
    found, same = look(path, text), look(path, text.replace("\r\n", "\n").replace("\n", line_end))
    assert (same.decision, same.reason, same.commands) == (found.decision, found.reason, found.commands)
    assert [(one.code, one.line, one.column) for one in same.diagnostics] == [
        (one.code, one.line, one.column) for one in found.diagnostics
    ]


@in_one_test
@each_invalid
def test_codes(path: Path) -> None:
    found = look(path, read(path))
    assert [(one.line, one.code) for one in found.diagnostics] == expected_codes(path)
    assert not found.is_usable


@each_invalid
def test_messages(path: Path, snapshot: SnapshotAssertion) -> None:
    assert render_all(look(path, read(path)).diagnostics) == snapshot


@in_one_test
@each_invalid
def test_fixes_fix(path: Path) -> None:
    """A fix in place of its line leaves no finding of that line that was there before."""
    text = read(path)
    for found in look(path, text).diagnostics:
        if found.fix is not None:
            span = found.fix.span
            fixed = look(path, text[: span.start] + found.fix.text + text[span.end :])
            assert (found.code, found.line) not in {(one.code, one.line) for one in fixed.diagnostics}
