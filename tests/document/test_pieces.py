"""A text cut into its head and the lines of each step."""

from __future__ import annotations

from pathlib import Path

import pytest

from planspec_lark import parse_plan, serialize_plan, step_order
from planspec_lark.document.pieces import Piece, cut_accepted
from tests.cases import in_one_test
from tests.corpus import SHOWCASE, each, read

CASES = {
    "nothing": ("", [Piece(None, "")]),
    "blank lines only": (" \n\r\n ", [Piece(None, "", " \n\r\n ")]),
    "a byte-order mark only": ("\ufeff", [Piece(None, "\ufeff")]),
    "a head only": ("\ufeff\nGoal: g\n\n", [Piece(None, "\ufeff\nGoal: g\n", "\n")]),
    "a head that does not end": ("Goal: g  ", [Piece(None, "Goal: g  ")]),
    "steps": (
        "## Steps\n1. [act] a\n2. [act] b\n",
        [Piece(None, "## Steps\n"), Piece("1", "1. [act] a\n"), Piece("2", "2. [act] b\n")],
    ),
    "steps without a header": (
        "1. [act] a\n2. [act] b\n",
        [Piece(None, ""), Piece("1", "1. [act] a\n"), Piece("2", "2. [act] b\n")],
    ),
    "a step right behind a byte-order mark": (
        "\ufeff \t1. [act] a",
        [Piece(None, "\ufeff"), Piece("1", " \t1. [act] a")],
    ),
    "indentation and trailing white space": (
        "## Steps  \r\n \t1. [act] a \t\r\n  2. [act] b ",
        [Piece(None, "## Steps  \r\n"), Piece("1", " \t1. [act] a \t\r\n"), Piece("2", "  2. [act] b ")],
    ),
    "blank lines everywhere": (
        "\n## Steps\n \n1. [act] a\n\n  > b\n\n\t\n  2. [act] b\n\n  ",
        [
            Piece(None, "\n## Steps\n", " \n"),
            Piece("1", "1. [act] a\n\n  > b\n", "\n\t\n"),
            Piece("2", "  2. [act] b\n", "\n  "),
        ],
    ),
    "details that look empty": (
        "## Steps\n1. [act] a\n>  \n>\n2. [act] b",
        [Piece(None, "## Steps\n"), Piece("1", "1. [act] a\n>  \n>\n"), Piece("2", "2. [act] b")],
    ),
    "a child far from its parent": (
        "## Steps\n1.1. [act] a\n2. [act] b\n1. [subtask] c\n",
        [
            Piece(None, "## Steps\n"),
            Piece("1.1", "1.1. [act] a\n"),
            Piece("2", "2. [act] b\n"),
            Piece("1", "1. [subtask] c\n"),
        ],
    ),
    "other line separators are text": (
        "## Steps\n1. [act] a\u2028\x851. [act] b\n",
        [Piece(None, "## Steps\n"), Piece("1", "1. [act] a\u2028\x851. [act] b\n")],
    ),
}


@pytest.mark.parametrize(("text", "pieces"), CASES.values(), ids=CASES)
def test_pieces(text: str, pieces: list[Piece]) -> None:
    assert cut_accepted(text) == pieces
    assert "".join(piece.text for piece in pieces) == text


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


def test_the_steps_of_a_canonical_text_stand_in_the_order_of_the_tree() -> None:
    plan = parse_plan(read(SHOWCASE))
    assert [piece.step_id for piece in cut_accepted(serialize_plan(plan))[1:]] == step_order(plan)
