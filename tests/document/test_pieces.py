"""A text cut into its head and the lines of each step."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec_lark import parse_plan, step_order
from planspec_lark.document.pieces import cut_accepted
from tests.cases import in_one_test
from tests.corpus import each, read

# Pieces of texts: whose they are, the lines, and the blank lines after them.
CASES: list[list[tuple[str | None, str, str]]] = [
    [(None, "", "")],
    [(None, "", " \n\r\n ")],
    [(None, "\ufeff", "")],
    [(None, "\ufeff\nGoal: g\n", "\n")],
    [(None, "Goal: g  ", "")],
    [(None, "## Steps\n", ""), ("1", "1. [act] a\n", ""), ("2", "2. [act] b\n", "")],
    [(None, "", ""), ("1", "1. [act] a\n", ""), ("2", "2. [act] b\n", "")],
    [(None, "\ufeff", ""), ("1", " \t1. [act] a", "")],
    [(None, "## Steps  \r\n", ""), ("1", " \t1. [act] a \t\r\n", ""), ("2", "  2. [act] b ", "")],
    [(None, "\n## Steps\n", " \n"), ("1", "1. [act] a\n\n  > b\n", "\n\t\n"), ("2", "  2. [act] b\n", "\n  ")],
    # Details that look empty, a child far from its parent, and separators of lines that are text.
    [(None, "## Steps\n", ""), ("1", "1. [act] a\n>  \n>\n", ""), ("2", "2. [act] b", "")],
    [(None, "", ""), ("1.1", "1.1. [act] a\n", ""), ("2", "2. [act] b\n", ""), ("1", "1. [subtask] c\n", "")],
    [(None, "## Steps\n", ""), ("1", "1. [act] a\u2028\x851. [act] b\n", "")],
]


@in_one_test
@pytest.mark.parametrize("pieces", CASES)
def test_pieces(pieces: list[tuple[str | None, str, str]]) -> None:
    assert cut_accepted("".join(lines + gap for _, lines, gap in pieces)) == pieces


@in_one_test
@each("planspec/valid", ".md")
def test_the_pieces_of_every_valid_text(path: Path) -> None:
    text = read(path)
    head, *steps = cut_accepted(text)
    assert "".join(piece.text for piece in [head, *steps]) == text
    assert head.step_id is None
    assert sorted(str(piece.step_id) for piece in steps) == sorted(step_order(parse_plan(text)))
    for piece in steps:
        [step] = parse_plan(f"## Steps\n{piece.text}").steps
        assert step.step_id == piece.step_id
    assert parse_plan(head.text).steps == []
