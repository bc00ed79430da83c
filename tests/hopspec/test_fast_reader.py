"""The quick way through a text without faults, and through the lines around one."""

from __future__ import annotations

import re

import pytest

from planspec_lark import PlanSyntaxError
from planspec_lark.hopspec import (
    HopSpec,
    StepInfo,
    fast_reader,
    fix_hopspec,
    parse_hopspec,
    parse_hopspec_tree,
    scan_hopspec,
    serialize_hopspec,
)
from planspec_lark.hopspec.parser import scan_strictly
from planspec_lark.syntax import Severity, grammars
from planspec_lark.syntax.lalr import load_rules
from planspec_lark.syntax.patterns import RegularRules, TerminalPattern
from tests.cases import in_one_test
from tests.hopspec.promises import hopspec_readers_agree

STEP = "## Execution Flow\n#### Step1: a\n- Type: LLM\n"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("## Overview\na\n", "en"),
        ("## 任务概述\na\n", "zh"),
        ("## 任务概述\na\n## Execution Flow\n", "zh"),
    ],
)
def test_the_headers_say_the_language(text: str, language: str) -> None:
    assert parse_hopspec(text).language == language


def test_nothing_is_an_empty_document() -> None:
    for text in ("", " \n\n", "\ufeff", "## Execution Flow\n"):
        found = fast_reader.read(text)
        assert found is not None
        assert found[0] == HopSpec()


@pytest.mark.parametrize(
    "text",
    [
        f"{STEP}- Type: code\n",
        f"{STEP}#### Step1: b\n",
        f"{STEP}## Execution Flow\n",
        f"{STEP}- Task: a\n  b\nc\n",
        f"{STEP}  - Task: a\n  b\n",
        f"{STEP}- Task:\n  ```\n",
        f"{STEP}- Input: a\n  b\n",
        f"{STEP}> a\n  b\n",
        "## Execution Flow\n- Type: LLM\n",
        "## Overview\n## Overview\n",
        "## Overview\n```\na\n",
        "## Overview\n### Step 1\n",
        "a\n",
        # A carriage return alone, at the very end.
        "\r",
        "## Overview\r",
        "## Overview\na\n  \r",
        "## Overview\r\na\r\n\r",
        f"{STEP}- Task: a\r",
        f"{STEP}- Task: a\n  ```\n  ```\r",
    ],
)
def test_what_the_parser_refuses(text: str) -> None:
    assert fast_reader.read(text) is None
    hopspec_readers_agree(text)


@pytest.mark.parametrize(
    "text",
    [
        f"{STEP}- Task: a\n  - Task: b\n",
        f"{STEP}- Task: a\n  - Input: b\n  - Max steps: 3\n",
        f"{STEP}- Task:\n```\n- Task: b\n  ```\n\n  b\n\n",
        f"{STEP}- Task: a\n  \\- Task: b\n  \\\\> c\n",
        f"{STEP}- Task: ```\n",
        "## Overview\n```\n## a\n```\n```\n\n```\n",
        "## Overview\n``` `a\n```a`\n",
        "Mode: AOT\n## Overview\r\n  a  \r\n\r\n\tb\r\n",
        f"\n\n{STEP}",
    ],
)
def test_what_could_be_read_in_two_ways(text: str) -> None:
    hopspec_readers_agree(text)


MARKERS = (">>>>>>> theirs", "<<<<<<< ours", "=======", "||||||| base", ">>>>>>>", "  <<<<<<< \t", "=======\r")


@in_one_test
@pytest.mark.parametrize("marker", MARKERS, ids=repr)
@pytest.mark.parametrize(
    "text", ["{}\n", "## Overview\na\n{}\nb\n", f"{STEP}{{}}\n", f"{STEP}- Task: a\n  b\n{{}}\n  c\n"]
)
def test_a_conflict_marker_is_no_text(text: str, marker: str) -> None:
    text = text.format(marker)
    hopspec_readers_agree(text)
    for found in (scan_hopspec(text), scan_strictly(text)):
        assert [(one.code, one.severity, one.fix) for one in found.diagnostics] == [("HS117", Severity.ERROR, None)]
    assert marker.strip() in fix_hopspec(text, unsafe=True).text
    with pytest.raises(PlanSyntaxError):
        parse_hopspec_tree(text)


@pytest.mark.parametrize("line", [*MARKERS[:5], "========", ">>>>>>>x", "> so"])
def test_a_text_that_says_what_a_marker_says_is_written_so_that_it_is_read(line: str) -> None:
    step = StepInfo("1", "a", task=f"so\n{line}")
    document = HopSpec(overview=f"so\n{line}", steps=[step])
    text = serialize_hopspec(document)
    assert parse_hopspec(text) == document
    hopspec_readers_agree(text)
    assert parse_hopspec(f"## Overview\n```\n{line}\n```\n").overview == f"```\n{line}\n```"


def test_the_indentation_of_a_comment_is_no_part_of_it() -> None:
    (step,) = parse_hopspec(f"{STEP}  > so\n\t>>>>>>so\n").steps
    assert step.comments == ["> so", ">>>>>>so"]


@pytest.mark.parametrize("comment", [">>>>>>> theirs", ">>>>>>>"])
def test_a_marker_cannot_be_a_comment(comment: str) -> None:
    with pytest.raises(ValueError, match=r"comments: .* conflict marker"):
        serialize_hopspec(HopSpec(steps=[StepInfo("1", "a", comments=[comment])]))


@pytest.mark.parametrize(
    ("terminal", "bare", "text"),
    [
        ("CODE_LINE", r"[^\n]*\n", f"{STEP}- Task:\n  ```\n  a\n  ```\n"),
        ("TEXT_LINE", r"[ \t]*\S[^\n]*", "## Overview\n```\na\n"),
        ("MORE", r"[ \t]+\S[^\n]*", f"{STEP}- Task: a\n  - Input: b\n"),
    ],
)
def test_a_terminal_that_does_not_look_ahead_is_noticed(
    terminal: str, bare: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hopspec_readers_agree(text)
    rules = load_rules(grammars.grammar_path("hopspec"))
    loose = RegularRules(rules._rules, dict(rules._terminals) | {terminal: TerminalPattern("", bare, "")})
    patterns = (
        re.compile(loose.pattern("document", "_part", ("title_TEXT", "mode_MODE_WORD"))),
        re.compile(loose.pattern("section", groups=("section_header_SECTION", "_text"))),
        re.compile(loose.pattern("flow_header", groups=("FLOW",))),
        re.compile(loose.pattern("row", groups=fast_reader._ROW)),
    )
    monkeypatch.setattr(fast_reader, "_patterns", lambda: patterns)
    with pytest.raises(AssertionError):
        hopspec_readers_agree(text)


@pytest.mark.parametrize("text", ["x \r", "\ufeffx \r", "x\x07 \n", "x \x07 \x07\r\n", "a\nx \r"], ids=repr)
def test_a_control_character_in_white_space_at_an_end_goes_with_its_fix(text: str) -> None:
    fix = next(one.fix for one in scan_strictly(text).diagnostics if one.code == "HS102")
    assert fix is not None
    fixed = text[: fix.span.start] + fix.text + text[fix.span.end :]
    assert len(fixed) < len(text)
    assert not {"\x07", "\r"} & {*fixed.removesuffix("\r\n")}
