"""Diagnostics as data, and the whole of their rendered text."""

from __future__ import annotations

import re
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from planspec_lark import CommandError, Diagnostic, PlanSyntaxError, Severity, check_text, render, render_all
from planspec_lark.syntax import CODES, Fix, Source, decode
from planspec_lark.syntax.diagnostics import Edit, apply_edits, brief


def found(text: str, start: int, end: int, **more: Any) -> Diagnostic:
    """A diagnostic of a part of a text."""
    source = Source(text, more.pop("name", "plan.md"))
    return Diagnostic("PS101", "look here", Severity.ERROR, source.span(start, end), source=source, **more)


def of(text: str, part: str, **more: Any) -> Diagnostic:
    """A diagnostic of the first place of ``part`` in a text."""
    start = text.index(part)
    return found(text, start, start + len(part), **more)


# ---------------------------------------------------------------- rendering


RENDERED = {
    "plain": of("Goal: g\n1) [act] a\n", "1)"),
    "CRLF": of("## Steps\r\n1) a\r\n", "1)"),
    "wide characters in front": of("目标：造一艘船 here\n", "here"),
    "wide characters marked": of("Goal: 造一艘船 now\n", "一艘"),
    "full width forms": of("ｆｕｌｌ｜width x\n", "x"),
    "joined emoji": of("👩‍👩‍👧 x\n", "x"),
    "combining marks": of("e\u0301e\u0301 x\n", "x"),
    "tabs in front": of("\ta\tb\n", "b"),
    "tab marked": of("a\tb\n", "\tb"),
    "control characters in front": of("a\x1b[31mb x\n", "x"),
    "control character marked": of("a\x1bb\n", "\x1b"),
    "marks of direction": of("a \u202e\u2028 x\n", "x"),
    "lone surrogate": of("a\ud800 x\n", "x"),
    "span over lines": of("a\nbcd\ne\n", "bcd\ne"),
    "empty span": found("a b", 2, 2),
    "empty text": found("", 0, 0),
    "end of a text without line break": found("a b", 3, 3),
    "line break": found("a b\n", 3, 4),
    "end of a text": found("a b\n", 4, 4),
    "middle of a long line": of("x" * 300 + "HERE" + "y" * 300, "HERE"),
    "start of a long line": of("HERE" + "y" * 300, "HERE"),
    "end of a long line": of("x" * 300 + "HERE", "HERE"),
    "long span": found("x" * 300, 0, 300),
    "long line of wide characters": of("船" * 120 + "HERE" + "船" * 200, "HERE"),
    "line 100": of("\n" * 99 + "a b\n", "b"),
    "name that steers": of("a\n", "a", name="bad\x1b[2Jname"),
    "expected and help": of("1) a\n", "1)", expected=("an id", "a mark", "a type"), help="write an id"),
    "one thing expected": of("a\n", "a", expected=("one thing",)),
    "two things expected": of("a\n", "a", expected=("this", "that")),
    "fix": of("a\n", "a", fix=Fix(Source("a").span(0, 1), "b")),
    "fix of two lines": of("a\n", "a", fix=Fix(Source("a").span(0, 1), "b\nc")),
    "fix that removes": of("a\n", "a", fix=Fix(Source("a").span(0, 1), "")),
    "long fix that steers": of("a\n", "a", fix=Fix(Source("a").span(0, 1), "\x1b" * 3 + "z" * 300)),
    "no place": Diagnostic("PS205", "plan has no goal", Severity.ERROR, help="write one"),
    "long message and help": Diagnostic("PS301", "m" * 300 + "\x07", Severity.WARNING, help="h" * 300),
    "info": Diagnostic("PS313", "it declares no outputs", Severity.INFO),
}


def test_rendered(snapshot: SnapshotAssertion) -> None:
    assert "\n\n".join(f"{name}\n{render(one)}" for name, one in RENDERED.items()) == snapshot
    assert [str(one) for one in RENDERED.values()] == [render(one) for one in RENDERED.values()]


@pytest.mark.parametrize(
    ("text", "part"), [("a b", "b"), ("\tab cd", "cd"), ("1. [act] a |", "|"), ("x" * 150 + " b " + "y" * 150, "b")]
)
def test_the_caret_stands_below_its_character(text: str, part: str) -> None:
    excerpt, caret = render(of(text, part)).split("\n")[2:4]
    assert excerpt[caret.index("^")] == part[0]
    assert caret.count("^") == len(part)


def test_no_row_ends_in_white_space() -> None:
    text = render(of("a   \n", "a", help="", expected=()))
    assert [row for row in text.split("\n") if row != row.rstrip()] == []


def test_several_are_rendered_with_a_blank_line_between() -> None:
    one, two = of("a b", "a"), of("a b", "b")
    assert render_all([one, two]) == f"{render(one)}\n\n{render(two)}"
    assert render_all([]) == ""


def test_a_real_one(snapshot: SnapshotAssertion) -> None:
    text = "Goal: 造船\n## Steps\n\t1. [completed!] [act] 切割\t木板 → planks\n2. [行动] 上漆 | \n"
    assert render_all(check_text(text, name="boat.md")) == snapshot


# ---------------------------------------------------------------- data


def test_line_column_and_source_line() -> None:
    diagnostic = of("Goal: g\r\n  bad line\r\n", "bad")
    assert (diagnostic.line, diagnostic.column, diagnostic.source_line) == (2, 3, "  bad line")


def test_without_a_place_there_is_neither_line_nor_column() -> None:
    diagnostic = Diagnostic("PS201", "plan has no steps", Severity.ERROR)
    assert (diagnostic.line, diagnostic.column, diagnostic.source_line) == (None, None, "")


def test_the_source_takes_no_part_in_equality() -> None:
    first, second = of("a", "a", name="one"), of("a", "a", name="two")
    assert first == second
    assert first != of("a ", "a", help="more")


def test_codes_are_stable() -> None:
    assert [code for code, entry in CODES.items() if code != entry.code] == []
    assert list(CODES) == sorted(
        CODES, key=lambda code: (("PS", "PC", "PE", "EX", "HS", "PJ", "PM", "PN", "PY", "PT").index(code[:2]), code)
    )
    # Those of tool plans are what their source calls them.
    words = {"PT": r"[A-Z]+(?:_[A-Z]+)*"}
    assert [
        entry.name
        for code, entry in CODES.items()
        if not re.fullmatch(words.get(code[:2], r"[a-z0-9]+(?:-[a-z0-9]+)*"), entry.name)
    ] == []
    assert {code: entry.severity for code, entry in CODES.items() if entry.severity is not Severity.ERROR} == {
        "PS206": Severity.WARNING,
        "PS301": Severity.WARNING,
        "PS302": Severity.INFO,
        "PS303": Severity.WARNING,
        "PS305": Severity.WARNING,
        "PS306": Severity.WARNING,
        "PS307": Severity.INFO,
        "PS308": Severity.WARNING,
        "PS309": Severity.INFO,
        "PS310": Severity.WARNING,
        "PS311": Severity.WARNING,
        "PS312": Severity.WARNING,
        "PS313": Severity.INFO,
        "PS314": Severity.INFO,
        "PS315": Severity.INFO,
        "PS316": Severity.WARNING,
        "PS320": Severity.WARNING,
        "PS321": Severity.WARNING,
        "PE102": Severity.WARNING,
        "PE107": Severity.WARNING,
        "PE108": Severity.WARNING,
        "PE109": Severity.WARNING,
        "PE110": Severity.WARNING,
        **{f"EX1{number:02}": Severity.WARNING for number in [*range(1, 5), 7, 8, *range(12, 17)]},
        **dict.fromkeys(("HS206", "HS217", "HS218", "HS221", "HS223", "HS226"), Severity.WARNING),
        **dict.fromkeys(("HS224",), Severity.INFO),
        "PM102": Severity.WARNING,
        "PN206": Severity.WARNING,
        "PN210": Severity.WARNING,
        "PN212": Severity.WARNING,
        "PN214": Severity.WARNING,
        "PN215": Severity.WARNING,
        "PN216": Severity.WARNING,
        "PN304": Severity.WARNING,
        "PN306": Severity.WARNING,
        "PT501": Severity.WARNING,
        "PT502": Severity.WARNING,
        "PT503": Severity.WARNING,
        "PT504": Severity.WARNING,
        "PT606": Severity.WARNING,
        "PT608": Severity.WARNING,
        "PT609": Severity.WARNING,
    }


def test_a_refusal_holds_all_and_shows_twenty() -> None:
    source = Source("a\n" * 22)
    many = [found(source.text, 2 * n, 2 * n + 1) for n in range(22)]
    assert str(PlanSyntaxError(many[:20], source)) == render_all(many[:20])
    error = PlanSyntaxError(many, source)
    assert error.diagnostics == many
    assert error.source is source
    assert str(error) == render_all(many[:20]) + "\n\nand 2 more"
    assert isinstance(error, ValueError)


def test_a_refused_command_has_a_code() -> None:
    error = CommandError("PC111", "DONE 8: step 8 does not exist")
    assert (error.code, str(error)) == ("PC111", "DONE 8: step 8 does not exist")


# ---------------------------------------------------------------- bytes


@pytest.mark.parametrize("data", [b"", "é文👍".encode(), b"\xef\xbb\xbfa", b"a\r\n\x00"])
def test_utf_8_is_decoded_as_it_is(data: bytes) -> None:
    assert decode(data).encode() == data


@pytest.mark.parametrize(
    ("data", "offset", "line", "column"),
    [
        (b"\xff", 0, 1, 1),
        (b"ab\xffcd", 2, 1, 3),
        ("é文\n".encode() + b"a\x80", 7, 2, 2),
        ("文".encode()[:2], 0, 1, 1),
        (b"a\xed\xa0\x80", 1, 1, 2),
        (b"a\xc0\xaf\xff", 1, 1, 2),
        (b"a\r\n\r\n\xe9", 5, 3, 1),
    ],
)
def test_the_first_byte_that_is_no_utf_8_is_named(data: bytes, offset: int, line: int, column: int) -> None:
    with pytest.raises(PlanSyntaxError) as caught:
        decode(data, "plan.md")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "PS119"
    assert diagnostic.message.startswith(f"byte {offset} (0x{data[offset]:02x}) is not UTF-8: ")
    assert (diagnostic.line, diagnostic.column) == (line, column)
    assert diagnostic.source is not None
    assert diagnostic.source.name == "plan.md"


# ---------------------------------------------------------------- edits


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([], "one two three"),
        ([(4, 7, "2")], "one 2 three"),
        ([(8, 13, "3"), (0, 3, "1")], "1 two 3"),
        ([(4, 4, "a "), (4, 7, "2")], "one a 2 three"),
        ([(0, 4, ""), (4, 8, "")], "three"),
        ([(0, 6, ""), (4, 8, "")], "three"),
        ([(0, 13, ""), (4, 7, "")], ""),
    ],
)
def test_edits_are_put_into_a_text(edits: list[tuple[int, int, str]], expected: str) -> None:
    source = Source("one two three")
    assert apply_edits(source.text, [Edit(source.span(start, end), new) for start, end, new in edits]) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("two\n lines \x1b ", "two lines \\x1b"),
        ("12345678", "12345678"),
        ("1234567 9", "1234567…"),
        ("x" + " " * 40, "x…"),
    ],
)
def test_the_beginning_of_a_text_in_one_line(text: str, said: str) -> None:
    assert brief(text, 15 if "x1b" in said else 8) == said
