"""Every fixture runs every invariant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import Diagnostic, PlanSyntaxError, check_text, extract_plan, parse_plan, scan_plan, serialize_plan
from planspec_lark.answers import Verdict
from planspec_lark.planspec import PlanTransformer, parse_tree, plan_from_dict, plan_to_dict
from planspec_lark.planspec.render import show_plan
from planspec_lark.syntax import decode
from tests.cases import in_one_test
from tests.corpus import FIXTURES, each, expected_codes, find, read
from tests.reporting import told

VALID = each("planspec/valid", ".md")
INVALID = each("planspec/invalid", ".md")
ANSWERS = each("planspec/answers", ".md")
# Plans that show all that views of them can have: levels, statuses, bodies, names, signs of other widths.
SHOWN = pytest.mark.parametrize(
    "path",
    [
        path
        for path in find("planspec/valid", ".md")
        if path.stem in ("harbour_crane_overhaul", "emoji_street_party", "gaps_and_missing_parents", "unknown_types")
    ],
    ids=lambda path: path.stem,
)


def _told(kind: str, find_faults: Callable[[Path], list[Diagnostic]]) -> str:
    """The findings of all fixtures of a kind that have some."""
    found = ((path.stem, told(find_faults(path))) for path in find(f"planspec/{kind}", ".md"))
    return "\n".join(f"{name}\n{rows}" for name, rows in found if rows)


def test_there_are_enough() -> None:
    assert len(find("planspec/valid", ".md")) >= 25
    assert len(find("planspec/invalid", ".md")) >= 40


def test_every_invalid_text_has_its_codes() -> None:
    texts = {path.stem for path in find("planspec/invalid", ".md")}
    codes = {path.stem for path in find("planspec/invalid", ".codes")}
    assert texts == codes
    strays = [p for p in (FIXTURES / "planspec").rglob("*.*") if p.suffix not in (".md", ".codes")]
    assert not strays


def test_canonical_text(snapshot: SnapshotAssertion) -> None:
    """Of those that are not canonical as they are."""
    texts = {path.stem: read(path) for path in find("planspec/valid", ".md")}
    printed = {name: serialize_plan(parse_plan(text)) for name, text in texts.items()}
    assert "\n".join(f"{name}\n{text}" for name, text in printed.items() if text != texts[name]) == snapshot


@in_one_test
@VALID
def test_canonical_text_reads_back(path: Path) -> None:
    plan = parse_plan(read(path))
    text = serialize_plan(plan)
    assert parse_plan(text) == plan
    assert serialize_plan(parse_plan(text)) == text


@SHOWN
def test_folded_text(path: Path, snapshot: SnapshotAssertion) -> None:
    assert serialize_plan(parse_plan(read(path)), fold=True) == snapshot


@SHOWN
def test_show(path: Path, snapshot: SnapshotAssertion) -> None:
    lines = show_plan(parse_plan(read(path)))
    assert "\n".join("".join(piece.text for piece in line) for line in lines) == snapshot


def test_findings(snapshot: SnapshotAssertion) -> None:
    assert _told("valid", lambda path: check_text(read(path))) == snapshot


@in_one_test
@VALID
def test_tree_is_lossless(path: Path) -> None:
    text = read(path)
    tree = parse_tree(text)
    assert "".join(tree.scan_values(lambda value: value is not None)) == text
    assert PlanTransformer().transform(tree) == parse_plan(text, accelerate=False) == parse_plan(text)


# What the grammar takes for text, and a reader of answers for what it looks like.
FOREIGN = {
    "arrow_text_that_is_no_variable_list": {"PS305"},
    "unknown_types": {"PS111", "PS112", "PS202"},
}


# The grammar counts ids alone; a reader of answers goes by how far in a plain number stands, which is unclear here.
BY_DEPTH = "odd_indentation"


@in_one_test
@VALID
def test_scan_reads_the_same(path: Path) -> None:
    if path.stem == BY_DEPTH:
        assert extract_plan(read(path)).verdict is Verdict.NEEDS_REVIEW
        return
    result = scan_plan(read(path))
    if found := FOREIGN.get(path.stem):
        assert {one.code for one in result.diagnostics} == found
        return
    assert result.plan == parse_plan(read(path))
    assert result.diagnostics == []


@in_one_test
@VALID
def test_json_reads_back(path: Path) -> None:
    plan = parse_plan(read(path))
    assert plan_from_dict(plan_to_dict(plan)) == plan


@in_one_test
@VALID
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_line_ends_do_not_matter(path: Path, line_end: str) -> None:
    text = read(path)
    plan = parse_plan(text)
    same = text.replace("\r\n", "\n").replace("\n", line_end)
    assert parse_plan(same) == plan
    assert parse_plan(same.removesuffix("\n").removesuffix("\r")) == plan


@in_one_test
@INVALID
def test_codes(path: Path) -> None:
    with pytest.raises(PlanSyntaxError) as caught:
        parse_plan(decode(path.read_bytes()))
    assert [(found.line, found.code) for found in caught.value.diagnostics] == expected_codes(path)


def test_messages(snapshot: SnapshotAssertion) -> None:
    def refuse(path: Path) -> list[Diagnostic]:
        with pytest.raises(PlanSyntaxError) as caught:
            parse_plan(decode(path.read_bytes()))
        return caught.value.diagnostics

    assert _told("invalid", refuse) == snapshot


# Repeated ids and bytes that are no UTF-8 are no matter of the grammar.
UNGRAMMATICAL = [
    path for path in find("planspec/invalid", ".md") if expected_codes(path)[0][1] not in ("PS117", "PS119")
]


@in_one_test
@pytest.mark.parametrize("path", UNGRAMMATICAL, ids=lambda path: path.stem)
def test_the_parser_refuses_it_too(path: Path) -> None:
    """What the patterns refuse and the scan complains about, the LALR parser refuses as well."""
    with pytest.raises(PlanSyntaxError):
        parse_tree(decode(path.read_bytes()))


@in_one_test
@INVALID
def test_fixes_fix(path: Path) -> None:
    """A fix in place of its line makes that line right: the others complain as before, that one no more."""
    text = path.read_bytes().decode("utf-8", "replace")
    for found in scan_plan(text).diagnostics:
        if found.fix is not None:
            span = found.fix.span
            fixed = text[: span.start] + found.fix.text + text[span.end :]
            again = [(d.line, d.code) for d in scan_plan(fixed).diagnostics]
            assert (found.line, found.code) not in again


@ANSWERS
def test_answers(path: Path, snapshot: SnapshotAssertion) -> None:
    result = scan_plan(read(path))
    assert f"{serialize_plan(result.plan)}\n{told(result.diagnostics)}" == snapshot


@in_one_test
@ANSWERS
def test_nothing_of_an_answer_is_lost_in_silence(path: Path) -> None:
    text = read(path)
    result = scan_plan(text)
    covered = [found.span for found in result.diagnostics if found.span]
    covered += [span for spans in result.positions.fields.values() for span in spans]
    covered += [step.span for step in result.positions.steps.values()]
    lines = {line for span in covered for line in range(span.line, span.end_line + 1)}
    # Headers have no field, and the fences of the plan say nothing.
    signs = ("## Steps", "Constraints:", "## Constraints", "Goal:", "**Goal**:", "```", "~~~")
    for number, row in enumerate(text.split("\n"), start=1):
        bare = row.strip("> \t\r")
        assert not bare or number in lines or bare.startswith(signs), f"line {number}: {row!r}"
