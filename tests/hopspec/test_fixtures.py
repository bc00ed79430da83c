"""Every fixture of HopSpec documents runs every invariant."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import PlanSyntaxError, iter_steps, render_all, serialize_plan
from planspec_lark.hopspec import (
    HopSpecTransformer,
    check_hopspec,
    fix_hopspec,
    hopspec_to_plan,
    parse_hopspec,
    parse_hopspec_tree,
    plan_to_hopspec,
    scan_hopspec,
    serialize_hopspec,
)
from planspec_lark.hopspec.models import iter_infos
from planspec_lark.hopspec.vocabulary import LANGUAGES
from planspec_lark.syntax import Severity
from planspec_lark.syntax.diagnostics import has_errors
from tests.cases import in_one_test
from tests.corpus import FIXTURES, changes, each, expected_codes, find, read
from tests.hopspec.promises import hopspec_is_read

VALID = each("hopspec/valid", ".md")
INVALID = each("hopspec/invalid", ".md")
UNSAID = ("input_definition", "output_format", "input_example")


def differ(before: str, after: str) -> str:
    """What differs, but for blank lines of which there are several."""
    return changes(*(re.sub(r"\n\n\n+", "\n\n", text) for text in (before, after)))


def test_there_are_enough() -> None:
    assert len(find("hopspec/valid", ".md")) >= 25
    assert len(find("hopspec/invalid", ".md")) >= 40


def test_every_invalid_text_has_its_codes() -> None:
    texts = {path.stem for path in find("hopspec/invalid", ".md")}
    codes = {path.stem for path in find("hopspec/invalid", ".codes")}
    assert texts == codes
    strays = [p for p in (FIXTURES / "hopspec").rglob("*.*") if p.suffix not in (".md", ".codes")]
    assert not strays


def test_all_codes_of_the_syntax_are_there() -> None:
    found = {code for path in find("hopspec/invalid", ".md") for _, code in expected_codes(path)}
    assert found == {f"HS{number}" for number in range(101, 118)}


@VALID
def test_what_it_says(path: Path, snapshot: SnapshotAssertion) -> None:
    """What the canonical text has otherwise, what is found, and the plan, with what that cannot hold."""
    text = read(path)
    document = parse_hopspec(text)
    plan, losses = hopspec_to_plan(document)
    said = [differ(text, serialize_hopspec(document)), render_all(check_hopspec(text, name=path.name))]
    lost = [str(loss) for loss in losses if loss.step_id or loss.field in ("mode", "comments")]
    assert "\n".join(filter(None, [*said, serialize_plan(plan), *lost])) == snapshot
    # No plan has a place for these.
    assert {loss.field for loss in losses} >= {name for name in UNSAID if getattr(document, name)}


@in_one_test
@VALID
def test_canonical_text_reads_back_in_both_languages(path: Path) -> None:
    document = parse_hopspec(read(path))
    for language in LANGUAGES:
        text = serialize_hopspec(document, language=language)
        again = parse_hopspec(text)
        assert (again, again.language) == (document, language)
        assert serialize_hopspec(again) == text


@in_one_test
@VALID
def test_tree_is_lossless(path: Path) -> None:
    text = read(path)
    tree = parse_hopspec_tree(text)
    assert "".join(tree.scan_values(lambda value: value is not None)) == text
    assert HopSpecTransformer().transform(tree) == parse_hopspec(text)


@in_one_test
@VALID
def test_scan_reads_the_same(path: Path) -> None:
    result = scan_hopspec(read(path))
    assert result.document == parse_hopspec(read(path))
    assert result.diagnostics == []


@in_one_test
@VALID
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_line_ends_do_not_matter(path: Path, line_end: str) -> None:
    text = read(path)
    document = parse_hopspec(text)
    same = text.replace("\r\n", "\n").replace("\n", line_end)
    assert parse_hopspec(same) == document
    assert parse_hopspec(same.removesuffix("\n").removesuffix("\r")) == document


@in_one_test
@VALID
def test_a_plan_becomes_the_same_plan_again(path: Path) -> None:
    plan, _ = hopspec_to_plan(parse_hopspec(read(path)))
    again, _ = plan_to_hopspec(plan)
    for step in iter_steps(plan):
        # What the other lines of a text have become, and no document has.
        step.detail.clear()
    assert serialize_plan(hopspec_to_plan(again)[0]) == serialize_plan(plan)


@in_one_test
@VALID
def test_positions_are_those_of_the_text(path: Path) -> None:
    result = scan_hopspec(read(path))
    lines = read(path).removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    assert [*result.positions.steps] == [step.step_id for step in iter_infos(result.document.steps)]
    for step_id, positions in result.positions.steps.items():
        assert re.search(rf"#### (?:步骤|Step) ?{re.escape(step_id)}\b", lines[positions["step_id"] - 1])
        assert all(re.match(r" *- ", lines[line - 1]) for name, line in positions.items() if name != "step_id")


@in_one_test
@INVALID
def test_codes(path: Path) -> None:
    with pytest.raises(PlanSyntaxError) as caught:
        parse_hopspec(read(path))
    assert [(found.line, found.code) for found in caught.value.diagnostics] == expected_codes(path)


@INVALID
def test_what_is_told_read_and_fixed(path: Path, snapshot: SnapshotAssertion) -> None:
    """The messages, what a tolerant reader has otherwise, what the fixer changes in the text, and what it could."""
    text = read(path)
    with pytest.raises(PlanSyntaxError) as caught:
        parse_hopspec(text, name=path.name)
    scanned, safe, unsafe = scan_hopspec(text), fix_hopspec(text), fix_hopspec(text, unsafe=True)
    was_read, fixed = differ(text, serialize_hopspec(scanned.document)), differ(text, safe.text)
    said = [
        render_all(caught.value.diagnostics),
        "read:",
        was_read,
        "fixed:",
        "the same" * (fixed == was_read) or fixed,
    ]
    codes = " ".join(one.code for one in unsafe.fixed)
    assert "\n".join(filter(None, [*said, f"could be fixed: {codes}"])) == snapshot
    # Only what was left out is an error.
    kept = [one for one in scanned.diagnostics if one.fix and one.fix.text]
    assert all(one.severity is Severity.WARNING for one in kept)
    assert all(one.fix is not None and one.fix.is_safe for one in safe.fixed)


# What no grammar without a memory can see: that something comes twice, and how far a line is indented.
UNGRAMMATICAL = {"HS104", "HS106", "HS108", "HS116", "HS110"}


UNREADABLE = [
    path for path in find("hopspec/invalid", ".md") if not {code for _, code in expected_codes(path)} <= UNGRAMMATICAL
]


@in_one_test
@pytest.mark.parametrize("path", UNREADABLE, ids=lambda path: path.stem)
def test_the_parser_refuses_it_too(path: Path) -> None:
    with pytest.raises(PlanSyntaxError):
        parse_hopspec_tree(read(path))


@in_one_test
@INVALID
def test_fixes_fix(path: Path) -> None:
    """A fix in place of its line makes that line right: that complaint comes no more."""
    text = read(path)
    for found in scan_hopspec(text).diagnostics:
        if found.fix is not None and found.code != "HS101":
            span = found.fix.span
            fixed = text[: span.start] + found.fix.text + text[span.end :]
            again = [(one.line, one.code) for one in scan_hopspec(fixed).diagnostics]
            assert (found.line, found.code) not in again


@in_one_test
@pytest.mark.parametrize("path", [*find("hopspec/valid", ".md"), *find("hopspec/invalid", ".md")], ids=lambda p: p.stem)
def test_promises(path: Path) -> None:
    hopspec_is_read(read(path))


# ---------------------------------------------------------------- the definition's own examples

# A git directory of github.com/hoplogic/hoplogic, whose pages are under the Mozilla Public License 2.0.
DEFINITION = os.environ.get("PLANSPEC_HOPLOGIC", "")


def _examples() -> list[str]:
    if not DEFINITION:
        return []
    pages = ["HopSpec格式规范.md", "HopSpec格式规范_en.md", "HopSpec i18n 方案.md"]
    shown = [["git", f"--git-dir={DEFINITION}", "show", f"HEAD:Terms/{page}"] for page in pages]
    texts = [subprocess.run(call, capture_output=True, check=True).stdout.decode("utf-8") for call in shown]
    return [block for text in texts for block in re.findall(r"```markdown\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)]


@pytest.mark.skipif(not DEFINITION, reason="PLANSPEC_HOPLOGIC names no checkout of the definition")
def test_the_documents_of_the_definition_are_documents() -> None:
    documents = [text for text in _examples() if text.startswith("## ")]
    assert len(documents) >= 4
    for text in documents:
        assert not has_errors(check_hopspec(text))
        hopspec_is_read(text)


@pytest.mark.skipif(not DEFINITION, reason="PLANSPEC_HOPLOGIC names no checkout of the definition")
def test_the_steps_of_the_definition_are_steps() -> None:
    """Its templates, with numbers where they have N or words for one."""
    templates = [text for text in _examples() if not text.startswith("## ")]
    assert len(templates) >= 20
    for text in templates:
        numbers = iter(range(1, 10))
        rows, top = [], 0
        for row in text.split("\n"):
            match = re.match(r"( *)(#### (?:步骤|Step))\(?N(?:\+1\))?((?:\.\d)?)(.*)", row)
            if match:
                top = top if match[3] else next(numbers)
                rows.append(f"{match[1]}{match[2]}{top}{match[3]}{match[4].removeprefix('+1')}")
            elif row.strip() != "- ...":
                rows.append(re.sub(r"((?:最大轮次|Max iterations)[:：] ?)<.*>", r"\g<1>10", row))
        parse_hopspec("## Execution Flow\n" + "\n".join(rows))
