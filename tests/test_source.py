"""Lines, columns and spans of a text; and what is made visible in it."""

from __future__ import annotations

import json
import tracemalloc

import pytest

from planspec_lark.syntax import Source, Span
from planspec_lark.syntax.safe_text import columns, escape_json, visible


@pytest.mark.parametrize(
    ("text", "offset", "position"),
    [
        ("", 0, (1, 1)),
        ("a", 0, (1, 1)),
        ("a", 1, (1, 2)),
        ("a\n", 1, (1, 2)),
        ("a\n", 2, (2, 1)),
        ("a\nb", 2, (2, 1)),
        ("a\r\nb", 1, (1, 2)),
        ("a\r\nb", 2, (1, 3)),
        ("a\r\nb", 3, (2, 1)),
        ("\n\n\n", 2, (3, 1)),
        ("a\rb\x0b\x0c\x85\u2028\u2029c", 8, (1, 9)),
        ("\ufeffa", 1, (1, 2)),
        ("\ud800\udc00a", 2, (1, 3)),
        ("👍a", 1, (1, 2)),
        ("e\u0301a", 2, (1, 3)),
    ],
)
def test_the_position_of_an_offset_counts_code_points_and_line_feeds(
    text: str, offset: int, position: tuple[int, int]
) -> None:
    assert Source(text).position(offset) == position


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("a", ["a"]),
        ("a\n", ["a", ""]),
        ("a\nb", ["a", "b"]),
        ("a\r\nb\r\n", ["a", "b", ""]),
        ("a\r\r\nb\r", ["a\r", "b\r"]),
        ("\r\n", ["", ""]),
        ("a\u2028b\x85c\n\td ", ["a\u2028b\x85c", "\td "]),
        ("\ufeffa\n\ud800", ["\ufeffa", "\ud800"]),
    ],
)
def test_a_line_is_without_its_break(text: str, lines: list[str]) -> None:
    source = Source(text)
    assert [source.line(number) for number in range(1, len(lines) + 1)] == lines
    with pytest.raises(IndexError):
        source.line(len(lines) + 1)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (0, 1, Span(0, 1, 1, 1, 1, 2)),
        (1, 1, Span(1, 1, 1, 2, 1, 2)),
        (0, 5, Span(0, 5, 1, 1, 2, 3)),
        (3, 5, Span(3, 5, 2, 1, 2, 3)),
        (5, 5, Span(5, 5, 2, 3, 2, 3)),
        (3, 99, Span(3, 5, 2, 1, 2, 3)),
        (99, 99, Span(5, 5, 2, 3, 2, 3)),
        (4, 2, Span(4, 4, 2, 2, 2, 2)),
    ],
)
def test_a_span_stays_inside_the_text(start: int, end: int, expected: Span) -> None:
    assert Source("a\r\nbc").span(start, end) == expected


def test_a_span_is_a_value() -> None:
    span = Source("abc").span(0, 2)
    assert span == Span(0, 2, 1, 1, 1, 3)
    assert len({span, Source("abc").span(0, 2)}) == 1
    with pytest.raises(AttributeError):
        span.start = 1  # type: ignore[misc]


def test_a_source_has_a_name_and_does_not_show_its_text() -> None:
    assert Source("secret").name == "<text>"
    assert repr(Source("secret", "a.md")) == "Source(name='a.md')"


@pytest.mark.parametrize(
    ("char", "shown"),
    [
        ("\x00", "\\x00"),
        ("\x08", "\\x08"),
        ("\x0b", "\\x0b"),
        ("\r", "\\x0d"),
        ("\x1b", "\\x1b"),
        ("\x1f", "\\x1f"),
        ("\x7f", "\\x7f"),
        ("\x85", "\\x85"),
        ("\x9f", "\\x9f"),
        ("\u034f", "\\u034f"),
        ("\u061c", "\\u061c"),
        ("\u200e", "\\u200e"),
        ("\u2028", "\\u2028"),
        ("\u202e", "\\u202e"),
        ("\u2069", "\\u2069"),
        ("\ud800", "\\ud800"),
        ("\ufeff", "\\ufeff"),
    ],
    ids=ascii,
)
def test_what_could_steer_a_terminal_is_shown_as_an_escape(char: str, shown: str) -> None:
    assert visible(f"a{char}b") == f"a{shown}b"


@pytest.mark.parametrize("text", ["\t", "\n", " ~", "\xa0é", "文👩‍👩‍👧", "\u3000", "\\x1b", "\u200d\u0301"], ids=ascii)
def test_other_text_is_shown_as_it_is(text: str) -> None:
    assert visible(text) == text


@pytest.mark.parametrize("text", ["\x7f\x85\u202e\u2028\ufeff", "a\x1b\n", "é文"], ids=ascii)
def test_escaped_json_means_the_same_and_is_safe_to_show(text: str) -> None:
    encoded = escape_json(json.dumps({"text": text}, ensure_ascii=False))
    assert json.loads(encoded) == {"text": text}
    assert visible(encoded) == encoded


@pytest.mark.parametrize(
    ("text", "width"),
    [("ab", 2), ("计划", 4), ("e\u0301", 1), ("a\u20dd", 1), ("a\u200db", 2), ("ﬀ", 1), ("\uff21", 2), ("", 0)],
)
def test_columns_are_those_of_a_terminal(text: str, width: int) -> None:
    assert columns(text) == width


def test_a_line_is_cut_out_once_for_many_findings_in_it() -> None:
    source = Source("a\n" + "b" * 10_000 + "\nc")
    assert source.line(2) is source.line(2)
    assert [source.line(number) for number in (1, 3, 2, 3)] == ["a", "c", "b" * 10_000, "c"]


def test_the_index_of_a_text_of_line_breaks_weighs_little() -> None:
    tracemalloc.start()
    try:
        assert Source("\n" * 100_000).position(99_999) == (100_000, 1)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()
