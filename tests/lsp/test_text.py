"""Positions of clients."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from lsprotocol.types import (
    Position,
    PositionEncodingKind as Encoding,
    Range,
)

from planspec_lark.lsp.text import ClientText, tighten
from planspec_lark.syntax.diagnostics import Edit, apply_edits
from planspec_lark.syntax.source import Source

# A word in ASCII, an emoji of two UTF-16 units, Chinese, a letter of two bytes, and a line separator, which ends none.
LINE = "ab😀中é\u2028c"
ENCODINGS = [Encoding.Utf8, Encoding.Utf16, Encoding.Utf32]


@pytest.mark.parametrize(
    ("encoding", "units"),
    [
        (Encoding.Utf8, [0, 1, 2, 6, 9, 11, 14, 15]),
        (Encoding.Utf16, [0, 1, 2, 4, 5, 6, 7, 8]),
        (Encoding.Utf32, [0, 1, 2, 3, 4, 5, 6, 7]),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_columns_are_in_the_units_of_the_encoding(encoding: Encoding, units: list[int], newline: str) -> None:
    text = ClientText(f"x{newline}{LINE}{newline}", encoding)
    start = 1 + len(newline)
    for column, unit in enumerate(units):
        assert text.position(start + column) == Position(1, unit)
        assert text.offset(Position(1, unit)) == start + column


def test_inside_of_a_character_is_in_front_of_it() -> None:
    assert ClientText(LINE, Encoding.Utf16).offset(Position(0, 3)) == 2
    assert [ClientText(LINE, Encoding.Utf8).offset(Position(0, at)) for at in (3, 4, 5, 6)] == [2, 2, 2, 3]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_behind_a_line_is_its_end_and_behind_the_text_as_well(newline: str) -> None:
    text = ClientText(f"ab{newline}{LINE}{newline}cd")
    assert text.offset(Position(0, 99)) == 2
    assert text.offset(Position(1, 99)) == 2 + len(newline) + len(LINE)
    assert text.offset(Position(2, 99)) == text.offset(Position(9, 0)) == text.offset(Position(9, 9)) == len(text.text)


def test_between_the_two_characters_of_a_line_break_is_in_front_of_it() -> None:
    assert ClientText("ab\r\ncd").position(3) == Position(0, 2)


def test_the_end_of_a_text_is_a_place() -> None:
    assert ClientText("").position(0) == Position(0, 0)
    assert ClientText("a\n").position(2) == Position(1, 0)
    assert ClientText("a").position(1) == Position(0, 1)


def test_a_range_that_is_the_wrong_way_round() -> None:
    text = ClientText("ab\ncd\n")
    assert text.offsets(Range(Position(1, 1), Position(0, 1))) == (1, 4)


@given(st.text("ab\n\r", max_size=20), st.text("ab\n\r", max_size=20))
def test_the_edit_between_two_texts_makes_one_of_the_other(before: str, after: str) -> None:
    edits = [Edit(Source(before).span(start, end), text) for start, end, text in tighten(before, after)]
    assert apply_edits(before, edits) == after


def test_the_edit_between_two_texts_has_no_more_than_it_must() -> None:
    assert tighten("a\nb\nc\n", "a\nx\nc\n") == [(2, 4, "x\n")]
    assert tighten("a\n", "a\n") == []
