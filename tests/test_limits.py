"""Limits: what is more than a caller wants is refused or counted, never read or listed in part without a word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from planspec_lark import (
    Diagnostic,
    PlanSpec,
    PlanSyntaxError,
    Severity,
    check_text,
    extract_plan,
    parse_plan,
    parse_plan_commands,
    scan_plan,
    scan_plan_commands,
)
from planspec_lark.planspec import positions
from planspec_lark.syntax import Limits
from planspec_lark.syntax.limits import Findings

_ROWS = positions.iter_rows
HEAD = "Goal: g\n## Steps\n"
CHAIN = HEAD + "1. [subtask] a → a\n1.1. [subtask] b → b\n1.1.1. [act] c → c\n"


def codes(text: str, **most: Any) -> list[str]:
    return [found.code for found in scan_plan(text, limits=Limits(**most)).diagnostics]


@pytest.mark.parametrize("text", ["Goal: abc\n", "Goal: 目标\n", "Goal: \U0001f600\n", "Goal: \ud800\n"])
def test_bytes_are_counted_in_utf_8(text: str) -> None:
    size = len(text.encode("utf-8", "surrogatepass"))
    assert "PS121" not in codes(text, max_bytes=size)
    assert codes(text, max_bytes=size - 1) == ["PS121"]
    assert scan_plan(text, limits=Limits(max_bytes=size - 1)).plan == PlanSpec()


def test_steps_are_counted_on_all_levels() -> None:
    assert codes(CHAIN, max_steps=3) == []
    assert codes(CHAIN, max_steps=2) == ["PS122"]
    (found,) = scan_plan(CHAIN, limits=Limits(max_steps=2)).diagnostics
    assert (found.line, found.step_id, found.severity) == (5, "1.1.1", Severity.ERROR)
    assert found.message == "the plan has 3 steps, and the limit is 2"


def test_levels_are_those_of_the_tree_and_not_of_the_ids() -> None:
    assert codes(CHAIN, max_depth=3) == []
    assert codes(CHAIN, max_depth=2) == ["PS123"]
    assert codes(HEAD + "1.1.1.1. [act] a\n", max_depth=1) == []


def test_a_thousand_levels_are_refused_without_recursion() -> None:
    text = HEAD + "".join(f"{'1.' * depth} [subtask] a\n" for depth in range(1, 1200))
    assert codes(text, max_depth=50) == ["PS123"]


@pytest.mark.parametrize("most", [{"max_bytes": 10}, {"max_steps": 2}, {"max_depth": 2}])
def test_all_readers_of_plans_refuse_alike(most: dict[str, int]) -> None:
    limits = Limits(**most)
    found = scan_plan(CHAIN, name="a.md", limits=limits)
    assert found.plan == PlanSpec()
    assert check_text(CHAIN, name="a.md", limits=limits) == found.diagnostics
    with pytest.raises(PlanSyntaxError) as error:
        parse_plan(CHAIN, name="a.md", limits=limits)
    assert error.value.diagnostics == found.diagnostics
    assert str(error.value).split("\n")[1].startswith(" --> a.md:")


def test_an_answer_with_prose_around_a_plan_has_the_same_limits() -> None:
    answer = f"Here you are:\n\n{CHAIN}\nGood luck!\n"
    assert codes(answer, max_steps=3) == ["PS101", "PS101"]
    # Of what is too large, nothing else is told.
    assert codes(answer, max_steps=2) == ["PS122"]


def test_a_repaired_step_counts() -> None:
    assert codes(HEAD + "1. [X] [act] a\n2. [act] b\n", max_steps=1) == ["PS111", "PS122"]


# ---------------------------------------------------------------- findings


FAULTY = HEAD + "".join(f"{number}. [X] [act] a\n" for number in range(1, 1501))
PLAIN = HEAD + "".join(f"{number}. [act] a\n" for number in range(1, 1502))
COMMANDS = "PLAN_CMD: drop 1\n" * 1500
Reader = Callable[[str, Limits], list[Diagnostic]]
READERS: dict[str, tuple[str, Reader]] = {
    "scan_plan": (FAULTY, lambda text, limits: scan_plan(text, limits=limits).diagnostics),
    "check_text, syntax": (FAULTY, lambda text, limits: check_text(text, limits=limits)),
    "check_text, lint": (PLAIN, lambda text, limits: check_text(text, limits=limits)),
    "scan_plan_commands": (COMMANDS, lambda text, limits: scan_plan_commands(text, limits=limits).diagnostics),
}


@pytest.mark.parametrize("reader", READERS)
def test_findings_beyond_the_limit_are_counted(reader: str) -> None:
    text, read = READERS[reader]
    everything = read(text, Limits(max_findings=None))
    assert len(everything) == 1500
    for most in (1, 7, 1499):
        *listed, note = read(text, Limits(max_findings=most))
        assert listed == everything[:most]
        assert note.code == "PS120"
        more = f"{1500 - most:,} more findings are" if most < 1499 else "1 more finding is"
        assert note.message == f"{more} not listed"
        assert (note.span, note.severity) == (everything[most].span, everything[most].severity)
    assert read(text, Limits(max_findings=1500)) == everything


@pytest.mark.parametrize("reader", READERS)
def test_a_thousand_findings_are_listed_by_default(reader: str) -> None:
    text, read = READERS[reader]
    found = read(text, Limits())
    assert len(found) == 1001
    assert found[-1].message == "500 more findings are not listed"


def test_an_exception_says_how_many_more_there_are() -> None:
    with pytest.raises(PlanSyntaxError) as error:
        parse_plan(FAULTY)
    assert str(error.value).endswith("\n\nand 980 more; 500 more findings are not listed")


def test_the_note_weighs_as_much_as_the_worst_that_it_stands_for() -> None:
    text = HEAD + "1. [act] a\n" * 1 + "2. [act] b\n3. [foo] c\n4. [act] d\n"
    found = check_text(text, limits=Limits(max_findings=2))
    assert [one.code for one in found] == ["PS313", "PS313", "PS120"]
    assert found[-1].severity is Severity.ERROR


def test_a_stretch_of_remarks_is_one_finding_however_many_lines_it_has() -> None:
    remarks = "prose\n```\nprose\n```\nprose\nprose\n"
    assert codes(remarks + CHAIN, max_findings=1) == ["PS101"]
    assert codes(f"{remarks}```\n{FAULTY}```\n{remarks}", max_findings=2) == ["PS101", "PS111", "PS120"]


def test_of_several_plans_only_the_last_has_its_findings_listed() -> None:
    other = "# Plan: other\n" + HEAD + "1. [X] [act] a\n2. [X] [act] b\n3. oops\n"
    everything = scan_plan(other + "# Plan: this\n" + FAULTY, limits=Limits(max_findings=None)).diagnostics
    assert [one.code for one in everything] == ["PS101", *["PS111"] * 1500]
    limited = scan_plan(other + "# Plan: this\n" + FAULTY, limits=Limits(max_findings=5)).diagnostics
    assert limited[:5] == everything[:5]
    assert limited[-1].message == f"{len(everything) - 5:,} more findings are not listed"


def test_counts_survive_being_put_together() -> None:
    (found,) = check_text(HEAD)
    first, second = Findings(1), Findings(1)
    for _ in range(3):
        first.add(found)
        second.add(found)
    first.extend(second)
    assert first.close()[-1].message == "5 more findings are not listed"


# ---------------------------------------------------------------- limits themselves


@pytest.mark.parametrize("name", ["max_bytes", "max_steps", "max_depth", "max_findings"])
def test_a_limit_is_a_whole_number_from_one(name: str) -> None:
    assert getattr(Limits(**{name: 1}), name) == 1
    with pytest.raises(ValueError, match=f"{name}: 0 is less than 1"):
        Limits(**{name: 0})
    for wrong in (True, "3", 1.5):
        with pytest.raises(TypeError, match=f"{name}: expected a whole number or None"):
            Limits(**{name: wrong})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "read", [parse_plan, scan_plan, extract_plan, check_text, parse_plan_commands, scan_plan_commands]
)
@pytest.mark.parametrize(("given", "kind"), [(None, "NoneType"), (b"x", "bytes")])
def test_what_is_no_text(read: Callable[[Any], object], given: object, kind: str) -> None:
    with pytest.raises(TypeError, match=f"^text: expected a string, not {kind}$"):
        read(given)
