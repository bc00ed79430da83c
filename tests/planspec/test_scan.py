"""The tolerant reading without a verdict: what stands around a plan, what is read of it, and that nothing is lost."""

from __future__ import annotations

import pytest

from planspec_lark import PlanSpec, parse_plan, scan_plan, serialize_plan
from planspec_lark.planspec import ScanResult
from planspec_lark.syntax import Limits
from tests.cases import in_one_test

PLAN = "Goal: g\n## Steps\n1. [act] a\n"


def said(result: ScanResult) -> list[tuple[str, str, str]]:
    """Severity, code and place (as text) of every diagnostic."""
    text = result.source.text
    rows = []
    for found in result.diagnostics:
        assert found.span is not None
        rows.append((found.severity.value, found.code, text[found.span.start : found.span.end]))
    return rows


def named_lines(result: ScanResult) -> set[int]:
    spans = [found.span for found in result.diagnostics if found.span]
    return {line for span in spans for line in range(span.line, span.end_line + 1)}


# ---------------------------------------------------------------- a plan by itself


@pytest.mark.parametrize("text", [PLAN, "# t\n" + PLAN, f"\n\n{PLAN}> d\n> ← c\n", PLAN.replace("\n", "\r\n")])
def test_what_is_a_plan_is_read_the_same_in_silence(text: str) -> None:
    result = scan_plan(text)
    assert result.plan == parse_plan(text)
    assert result.diagnostics == []


@pytest.mark.parametrize("text", ["", "\n", "\ufeff"])
def test_an_empty_text_is_the_empty_plan(text: str) -> None:
    assert (scan_plan(text).plan, scan_plan(text).diagnostics) == (PlanSpec(), [])


@pytest.mark.parametrize("text", ["no plan", "\x00\ud800", "> a\n- b", "1.", "[", "PLAN_CMD: DONE 1", "Steps: none"])
def test_a_text_without_a_plan_is_named_line_by_line(text: str) -> None:
    result = scan_plan(text)
    assert result.plan.steps == []
    assert named_lines(result) == set(range(1, text.count("\n") + 2))


def test_the_source_keeps_its_name() -> None:
    result = scan_plan("prose", name="answer.txt")
    assert result.source.name == "answer.txt"
    assert result.diagnostics[0].source is result.source


def test_a_text_over_the_limit_is_not_read() -> None:
    result = scan_plan(PLAN, limits=Limits(max_bytes=3))
    assert (result.plan, [found.code for found in result.diagnostics]) == (PlanSpec(), ["PS121"])


# ---------------------------------------------------------------- what is set aside first


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (f"<think>1. [act] not this</think>\n{PLAN}", "PS125"),
        (f"\ufeff{PLAN}", ""),
        (f"<|im_start|>\n{PLAN}", "PS101"),
    ],
)
def test_what_is_no_part_of_an_answer(text: str, code: str) -> None:
    result = scan_plan(text)
    assert serialize_plan(result.plan) == PLAN
    assert {found.code for found in result.diagnostics} == ({code} if code else set())


# ---------------------------------------------------------------- the block


@pytest.mark.parametrize("fence", ["```", "~~~", "```text", "````markdown", "> ```"])
def test_a_plan_in_a_fence_ends_with_it(fence: str) -> None:
    quote = "> " if fence.startswith(">") else ""
    sign = fence.removeprefix(quote)
    closing = sign[: len(sign) - len(sign.lstrip("`~"))]
    rows = [f"{quote}{row}" for row in (sign, *PLAN.splitlines(), closing)]
    result = scan_plan("\n".join(["Look:", *rows, "Is that fine?", "- and this?", ""]))
    assert serialize_plan(result.plan) == PLAN
    assert {(severity, code) for severity, code, _ in said(result)} == {("info", "PS101")}
    assert {1, len(rows) + 2, len(rows) + 3} <= named_lines(result)


def test_quoted_lines_are_a_fence() -> None:
    result = scan_plan("He wrote:\n" + "".join(f"> {row}\n" for row in PLAN.splitlines()) + "\nBye\n")
    assert serialize_plan(result.plan) == PLAN


def test_a_fence_without_a_line_of_a_plan_is_no_block() -> None:
    result = scan_plan(f"```\nls -l\n```\n```\n{PLAN}```\n")
    assert serialize_plan(result.plan) == PLAN
    assert {severity for severity, _, _ in said(result)} == {"info"}


@pytest.mark.parametrize("end", ["So it is.\n", "\nAnd so on.\n- one\n- two\n", "\n- a list\n"])
def test_a_block_ends_before_what_is_no_line_of_a_plan(end: str) -> None:
    result = scan_plan(f"Sure!\n\nHere it is:\n\n{PLAN}{end}")
    assert serialize_plan(result.plan) == PLAN
    assert {(severity, code) for severity, code, _ in said(result)} == {("info", "PS101")}


# ---------------------------------------------------------------- all is read


@in_one_test
@pytest.mark.parametrize(
    ("rows", "written"),
    [
        (["1) [act] a", "   - b"], ["1. [act] a", "  > b"]),
        (["1. [subtask] a", "   1. [act] b", "   2. [act] c"], ["1. [subtask] a", "  1.1. [act] b", "  1.2. [act] c"]),
        (["- [subtask] a", "  - [act] b", "- [act] c"], ["1. [subtask] a", "  1.1. [act] b", "2. [act] c"]),
        (
            ["1.1. [subtask] a", "- [act] b", "1.2. [subtask] c", "- [act] d"],
            ["1.1. [subtask] a", "  1.1.1. [act] b", "1.2. [subtask] c", "  1.2.1. [act] d"],
        ),
        (["1. [act] a", "   → b"], ["1. [act] a → b"]),
        (["1. [act] a", "   | b"], ["1. [act] a | b"]),
        (["1. [act] Sand the", "   floor → floor"], ["1. [act] Sand the floor → floor"]),
        (["1. [act] Trace → traces", "   each of them"], ["1. [act] Trace → traces", "  > each of them"]),
        (["1. [act] a", "   Status: done", "   Progress: 1/2"], ["1. [x] [act] a | Progress: 1/2"]),
        (["1. [act] a", "   - Inputs: b", "   - Outputs: c, d"], ["1. [act] a → c, d", "  > ← b"]),
        (["1. [x] [act] a", "   - Status: blocked"], ["1. [x] [act] a", "  > Status: blocked"]),
        (["1. [act] a", "   Progress: 60%"], ["1. [act] a", "  > Progress: 60%"]),
        (["| # | Type | Task | Outputs |", "|---|---|---|---|", "| 1 | act | a | b |"], ["1. [act] a → b"]),
    ],
)
def test_lines_of_steps(rows: list[str], written: list[str]) -> None:
    result = scan_plan("\n".join(["Goal: g", "## Steps", *rows, ""]))
    assert serialize_plan(result.plan).split("\n")[2:-1] == written
    assert result.diagnostics


@in_one_test
@pytest.mark.parametrize(
    ("rows", "written"),
    [
        (["Constraints:", "* b", "1. c", "• d"], ["Constraints:", "- b", "- c", "- d"]),
        (["Constraints: no rain", "- c"], ["Constraints:", "- no rain", "- c"]),
        (["Constraints: none"], []),
        (["Constraints:", "- stored", "  in the cellar"], ["Constraints:", "- stored in the cellar"]),
    ],
)
def test_lines_of_constraints(rows: list[str], written: list[str]) -> None:
    result = scan_plan("\n".join(["Goal: g", *rows, "## Steps", "1. [act] a", ""]))
    assert serialize_plan(result.plan).split("\n")[1:-3] == written


@pytest.mark.parametrize(
    "line",
    ["1. a", "1..2. [act] a", "1. [act a", "1. [x] [>] a", "## Appendix [act]", "* [act", "<<<<<<< ours", "..."],
)
def test_what_cannot_be_read_is_named(line: str) -> None:
    result = scan_plan(f"{PLAN}{line}\n2. [act] b\n")
    assert 4 in named_lines(result)


@pytest.mark.parametrize("line", ["a -> leave the loop", "a->b", "a `-> b`", r"a \→ b", "a -> 变量", "a # b", "a | b"])
def test_other_text_stays_text(line: str) -> None:
    text = f"{PLAN}2. [act] {line}\n"
    assert (scan_plan(text).plan, scan_plan(text).diagnostics) == (parse_plan(text), [])


def test_what_belongs_to_something_refused_is_named_with_it() -> None:
    result = scan_plan(f"{PLAN}1. [act] b -> c\n> <- d\n> e\n2. [act] f\n")
    assert serialize_plan(result.plan) == f"{PLAN}2. [act] f\n"
    assert {found.code for found in result.diagnostics} >= {"PS117", "PS107"}
    assert {4, 5, 6} <= named_lines(result)
    assert "outputs" not in result.positions.step("1").fields


def test_what_counts_the_rest_names_the_first_that_is_not_listed() -> None:
    rows = "".join(f"{number}) [act] a\n" for number in range(1, 9))
    result = scan_plan(f"Goal: g\n## Steps\n{rows}", limits=Limits(max_findings=3))
    assert [found.code for found in result.diagnostics] == ["PS110"] * 3 + ["PS120"]
    assert len(result.plan.steps) == 8


@pytest.mark.parametrize("text", ["Constraints:\n- 1[act]\n", "Constraints:\n- 1) [act] Bake\n- 2) [act] Sell\n"])
def test_constraints_that_look_like_steps_are_constraints_of_a_plan_without_steps(text: str) -> None:
    scan = scan_plan(text)
    assert (scan.plan, scan.diagnostics) == (parse_plan(text), [])


def test_escapes_are_undone_for_a_plan_alone() -> None:
    text = "\\#\n2"
    (found,) = scan_plan(text).diagnostics
    assert found.span is not None
    assert text[found.span.start : found.span.end] == text
    assert scan_plan("\\#\\# Steps\n1\\. [act] Bake\n").plan.steps[0].description == "Bake"


def test_an_escaped_plan_that_cannot_be_used_is_told_of_as_it_is() -> None:
    text = "Goal: g\n\\## Steps\n1\\. [act] a\n<<<<<<< a\n2\\. [act] b\n=======\n2\\. [act] c\n>>>>>>> b\n"
    assert [found.code for found in scan_plan(text).diagnostics].count("PS128") == 3


def test_an_untyped_line_with_the_number_of_a_step_is_told_of_types() -> None:
    steps = "Goal: g\n## Steps\n1. [subtask] A\n  1.1. [act] Do b\n  1.2. Do c\n  Without a number\n"
    step, other = scan_plan(steps).diagnostics
    assert step.help == "give a step its type, as in `1.2. [TYPE] …`, or write `> ` before detail"
    assert "TYPE" not in other.help
