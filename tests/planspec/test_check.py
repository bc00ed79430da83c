"""Findings of every kind stand at the very field they speak of."""

from __future__ import annotations

import pytest

from planspec_lark import Diagnostic, Severity, check_text
from planspec_lark.syntax import Limits


def marked(found: Diagnostic, text: str) -> str:
    assert found.span is not None
    return text[found.span.start : found.span.end]


def places(text: str, code: str) -> list[str]:
    """What each finding with this code points at."""
    return [marked(found, text) for found in check_text(text) if found.code == code]


def test_a_finding_has_its_line_and_column_and_the_name_of_the_text() -> None:
    text = "Goal: g\n## Steps\n  1. [x] foo [LLM] a → b\n"
    found = next(one for one in check_text(text, name="a.md") if one.code == "PS202")
    assert (found.line, found.column, found.step_id) == (3, 14, "1")
    assert marked(found, text) == "[LLM]"
    assert found.source is not None
    assert found.source.name == "a.md"
    assert found.source_line == "  1. [x] foo [LLM] a → b"


@pytest.mark.parametrize(
    ("code", "steps", "expected"),
    [
        ("PS202", "1. [>] n [LLM] a", ["[LLM]"]),
        ("PS203", "1. n [act] a\n  2. [x]  n  [act] b", ["n"]),
        ("PS204", "1. [reason] a\n1.1. [act] b", ["[reason]"]),
        ("PS206", "1. [~]\t[decide]\ta", ["[decide]"]),
        ("PS301", "1.1. [act] a", ["1.1"]),
        ("PS302", "1. [act] a\n 3. [act] b", ["3"]),
        ("PS303", "10. [act] a\n9. [act] b", ["9"]),
        ("PS305", "1. [act] a -> b | r", ["a -> b"]),
        ("PS305", "1. [act] a\n> b\n >  <- c", [">  <- c"]),
        ("PS306", "1. [act] a\n> ← x, late, y\n2. [act] b → late", ["late"]),
        ("PS307", "1. [act] a\n> b\n>\t←\tone ,two\n> ← three", ["one", "two", "three"]),
        ("PS308", "1. [act] a → x\n2. [act] x → y, x", ["x"]),
        ("PS309", "1. [act] a → x ,  yy  | r\n2. [act] b", ["x", "yy"]),
        ("PS310", "1. [x] [subtask] a\n1.1. [act] b", ["[x]"]),
        ("PS311", "1. [subtask] a | r |  Progress: 3/2  | s", ["Progress: 3/2"]),
        ("PS312", "1. [act] → b", ["1"]),
        ("PS313", "1. [act] a\n2. [act] b", ["1"]),
        ("PS314", "1. [act]  a → 变量 | r", ["a → 变量"]),
        ("PS316", "1. [act] a → rows\n2. [act] b\n> ← x, row,y", ["row"]),
    ],
)
def test_a_finding_points_at_the_very_field(code: str, steps: str, expected: list[str]) -> None:
    text = f"Goal: g\r\n## Steps\r\n{steps}\r\n"
    assert places(text, code) == expected


@pytest.mark.parametrize("code", ["PS201", "PS205"])
def test_what_is_missing_altogether_stands_at_the_start(code: str) -> None:
    (found,) = (one for one in check_text("# t\nConstraints:\n- c\n") if one.code == code)
    assert (found.line, found.column) == (1, 1)
    assert found.span is not None
    assert (found.span.start, found.span.end) == (0, 0)


# ---------------------------------------------------------------- texts with syntax faults


def provisional(text: str) -> list[tuple[str, int | None]]:
    """What rules and lint find in a text with syntax faults, but for infos."""
    found = [one for one in check_text(text) if one.is_provisional]
    return [(one.code, one.line) for one in found if one.severity is not Severity.INFO]


def test_rules_and_lint_look_at_what_could_be_read() -> None:
    text = "## Steps\n1. [LLM] a\n2) [zzz] b -> c_d\n1.1. [act] c\n> ← late\n3. [act] d → late\n4. [subtask] e\n"
    found = [one for one in check_text(text) if one.severity is not Severity.INFO]
    assert [(one.code, one.line, one.is_provisional) for one in found] == [
        ("PS205", 1, True),
        ("PS202", 2, True),
        ("PS204", 2, True),
        ("PS110", 3, False),
        ("PS202", 3, True),
        ("PS305", 3, False),
        ("PS306", 5, True),
        ("PS206", 7, True),
    ]


def test_to_repair_a_line_brings_up_no_other_error() -> None:
    text = "## Steps\n1. [LLM] a\n2) [zzz] b\n1.1. [act] c\n3. n [act] d\n4. n [act] e\n"
    repaired = check_text(text.replace("2)", "2."))
    assert not any(one.is_provisional for one in repaired)
    before = {(one.code, one.line) for one in check_text(text)}
    assert {(one.code, one.line) for one in repaired if one.severity is not Severity.INFO} < before


def test_that_a_finding_is_provisional_is_data() -> None:
    (found,) = [one for one in check_text("Goal：g\n## Steps\n1. [foo] a → b\n") if one.code == "PS202"]
    assert found.is_provisional
    assert str(found).startswith("error[PS202]: step 1: invalid type 'foo'\n")


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        pytest.param("1. [subtask] a\n1.1. b", "PS206", id="a child"),
        pytest.param("1. a\n1.1. [act] b → c", "PS301", id="a parent"),
        pytest.param("1. [act] a\n1. [subtask] b\n1.1. [act] c", "PS204", id="a container with an id that is taken"),
        pytest.param("1. [act] a → x\n2. b → x\n> ← y\n3. [act] c → y", "PS308", id="a variable"),
    ],
)
def test_what_a_line_that_could_not_be_read_explains_is_not_reported(steps: str, code: str) -> None:
    assert code not in {found for found, _ in provisional(f"Goal: g\n## Steps\n{steps}\n")}


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        pytest.param("1. [subtask] a\n2.1. b", "PS206", id="a child of another"),
        pytest.param("2. a\n1.1. [act] b → c", "PS301", id="another parent"),
        pytest.param("2. [act] a\n2. [act] b\n1. [act] a\n1.1. [act] c", "PS204", id="another id that is taken"),
        pytest.param("1. [act] a → x\n2. b → y\n> ← y\n3. [act] c → x", "PS308", id="another variable"),
    ],
)
def test_what_it_does_not_explain_is_reported(steps: str, code: str) -> None:
    assert code in {found for found, _ in provisional(f"Goal: g\n## Steps\n{steps}\n")}


def test_without_a_line_that_could_be_read_there_may_be_steps_or_a_goal() -> None:
    assert provisional("## Goal\n## Steps\n1. a\n") == []
    assert [code for code, _ in provisional("Hello\n")] == ["PS201", "PS205"]


def test_a_text_that_was_not_read_has_no_goal_that_is_missing() -> None:
    assert [one.code for one in check_text("x\n" * 9, limits=Limits(max_findings=3))] == ["PS101"] * 3 + ["PS120"]
    assert [one.code for one in check_text("x\n" * 9, limits=Limits(max_bytes=3))] == ["PS121"]


def test_faults_and_findings_share_the_limit() -> None:
    text = "## Steps\n1) [foo] a → b\n2. [foo] a → b\n3. [foo] a → b\n"
    found = check_text(text, limits=Limits(max_findings=3))
    assert [one.code for one in found] == ["PS205", "PS110", "PS202", "PS120"]
    assert found[-1].message.startswith(f"{len(check_text(text)) - 3} more")


def test_a_finding_in_a_step_that_had_to_be_repaired_has_no_fix() -> None:
    """Where its items stand is not known exactly."""
    text = "Goal: g\n## Steps\n2. [act] a → b\n\xa0> x\n> <- c\n"
    (found,) = [one for one in check_text(text) if one.code == "PS305"]
    assert (found.fix, marked(found, text)) == (None, "2")
    (found,) = [one for one in check_text(text.replace("\xa0", " ")) if one.code == "PS305"]
    assert (found.fix is None, marked(found, text)) == (False, "> <- c")


# ---------------------------------------------------------------- in order


def test_findings_come_in_the_order_of_the_text() -> None:
    text = "## Steps\n1. [LLM] a\n2. [subtask] b → x\n> ← x\n3. n [act]\n4. n [code] d\n"
    found = check_text(text)
    assert [(one.code, one.line, one.column) for one in found] == [
        ("PS205", 1, 1),
        ("PS313", 2, 1),
        ("PS202", 2, 4),
        ("PS206", 3, 4),
        ("PS306", 4, 5),
        ("PS312", 5, 1),
        ("PS313", 5, 1),
        ("PS203", 6, 4),
        ("PS202", 6, 6),
    ]


@pytest.mark.parametrize(
    ("line", "code", "fixed"),
    [
        ("1. [reson] a → b", "PS202", "1. [reason] a → b"),
        ("1. [>] n [LLM] a → b", "PS202", "1. [>] n [reason] a → b"),
        ("1. [act] a -> b", "PS305", "1. [act] a → b"),
        (r"1. [act] a \| c => b，d | done", "PS305", r"1. [act] a \| c → b, d | done"),
        ("1. [act] a\n  > <- b", "PS305", "1. [act] a\n  > ← b"),
        (
            "1. [act] a → sales_data\n2. [act] b\n> ← x, salse_data",
            "PS316",
            "1. [act] a → sales_data\n2. [act] b\n> ← x, sales_data",
        ),
    ],
)
def test_a_finding_that_knows_better_has_a_fix(line: str, code: str, fixed: str) -> None:
    text = f"Goal: g\n## Steps\n{line}\n"
    (found,) = [found for found in check_text(text) if found.code == code]
    assert found.fix is not None
    span = found.fix.span
    assert text[: span.start] + found.fix.text + text[span.end :] == f"Goal: g\n## Steps\n{fixed}\n"


def test_a_type_that_is_meant_as_a_mark_has_a_fix_where_a_type_follows() -> None:
    found = check_text("Goal: g\n## Steps\n1. [done] [act] a → b\n2. [X] a\n3. [zzz] a\n")
    assert [one.fix and one.fix.text for one in found if one.code == "PS202"] == ["[x]", None, None]


def test_an_error_is_what_it_is_however_findings_are_weighed() -> None:
    text = "Goal: x\n## Steps\n1. [bake] Sow → bed\n2. [act] Weed → bed\n"
    assert {one.code for one in check_text(text)} >= {"PS202", "PS308"}
    assert [one.code for one in check_text(text, weigh=lambda _: None)] == ["PS202"]
