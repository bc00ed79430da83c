"""References in texts: the grammar, the patterns that are made of it, and the texts in a value."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, strategies as st

from planspec_lark.syntax import grammars
from planspec_lark.toolplan.references import ReferencePiece, read_pieces, texts_in


def references(text: str) -> list[tuple[str, str]]:
    return [(piece.step, piece.output) for piece in read_pieces(text) if piece.kind == "REFERENCE"]


def malformed(text: str) -> list[str]:
    return [piece.text for piece in read_pieces(text) if piece.kind == "MALFORMED"]


def says(text: str) -> str:
    return "".join(piece.text for piece in read_pieces(text))


def test_pieces_have_their_positions() -> None:
    assert read_pieces("so ${a.outputs.b}$${}${c") == [
        ReferencePiece("TEXT", "so ", 0, 3),
        ReferencePiece("REFERENCE", "${a.outputs.b}", 3, 17, "a", "b"),
        ReferencePiece("ESCAPED", "${", 17, 20),
        ReferencePiece("TEXT", "}", 20, 21),
        ReferencePiece("MALFORMED", "${c", 21, 24),
    ]


@pytest.mark.parametrize(
    ("inside", "step", "output"),
    [
        ("step_1.outputs.text", "step_1", "text"),
        ("a.outputs.b.outputs.c", "a", "b.outputs.c"),
        ("a.outputs..outputs.", "a", ".outputs."),
        ("Schritt 1.outputs.Länge in m", "Schritt 1", "Länge in m"),
        ("a-b/c:d.outputs.e-f", "a-b/c:d", "e-f"),
    ],
)
def test_steps_and_outputs(inside: str, step: str, output: str) -> None:
    assert references(f"${{{inside}}}") == [(step, output)]


@pytest.mark.parametrize(
    "text",
    [
        *("${}", "${a}", "${a.output.b}", "${a.outputs}", "${a.outputs.}", "${.outputs.b}", "${a outputs b}"),
        *("${ a.outputs.b}", "${a.outputs.b }", "${a .outputs.b}", "${a.outputs. b}", "${a.outputs\t.b}"),
        *(
            "${a.Outputs.b}",
            "${a.outputs[b]}",
            "${a{b}",
            "${a$b.outputs.c}",
            "${a.outputs.b",
            "${",
            "${a.outputs.\x07}",
        ),
    ],
)
def test_what_is_no_reference(text: str) -> None:
    assert malformed(text) == [text]
    assert references(text) == []


def test_what_is_malformed_ends_soon() -> None:
    assert malformed("${a ${b.outputs.c}") == ["${a "]
    assert references("${a ${b.outputs.c}") == [("b", "c")]
    assert malformed("${a\n.outputs.b}") == ["${a"]
    assert malformed("${a\r\n.outputs.b}") == ["${a"]
    assert malformed("${a $${b}") == ["${a "]
    assert malformed("${a}}") == ["${a}"]
    assert malformed("${${${") == ["${"] * 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *(("$", "$"), ("$$", "$$"), ("5 $ {x}", "5 $ {x}"), ("$$$", "$$$"), ("$a", "$a"), ("{}", "{}"), ("", "")),
        *(("$${", "${"), ("$${a.outputs.b}", "${a.outputs.b}"), ("$$${a.outputs.b}", "$${a.outputs.b}")),
        *(("$${$${", "${${"), ("a $${b} c", "a ${b} c")),
    ],
)
def test_texts_without_references(text: str, said: str) -> None:
    assert says(text) == said
    assert references(text) == []
    assert malformed(text) == []


_PARTS = st.sampled_from(
    ["${", "$${", "$", "{", "}", ".outputs.", ".", "outputs", "a", "step 1", " ", "\t", "\n", "文"]
)
_TEXTS = st.one_of(st.lists(_PARTS, max_size=14).map("".join), st.text())


@given(_TEXTS)
@example("${a.outputs.b}${a.outputs.b}")
def test_the_pattern_reads_what_the_parser_reads(text: str) -> None:
    tree = grammars.parser("reference").parse(text, start="value")
    tokens: list[Any] = list(tree.children)
    pieces = read_pieces(text)
    assert [(token.type, token.start_pos, token.end_pos) for token in tokens] == [
        (piece.kind, piece.start, piece.end) for piece in pieces
    ]
    assert "".join(text[piece.start : piece.end] for piece in pieces) == text
    for piece in pieces:
        if piece.kind == "REFERENCE":
            inside: list[Any] = list(grammars.parser("reference").parse(piece.text[2:-1], start="path").children)
            assert [(token.type, str(token)) for token in inside] == [
                ("STEP", piece.step),
                ("OUTPUTS", ".outputs."),
                ("NAME", piece.output),
            ]


@given(_TEXTS)
def test_no_two_kinds_begin_at_one_place(text: str) -> None:
    """But for references, which would be malformed were they not tried first."""
    kinds = {name: grammars.pattern("reference", name) for name in ("TEXT", "ESCAPED", "MALFORMED")}
    for at in range(len(text)):
        assert len([name for name, pattern in kinds.items() if pattern.match(text, at)]) == 1


# ---------------------------------------------------------------- values


def test_texts_in_a_value() -> None:
    value: Any = {"a": "$1", "b": ["x", "$2", {"c": "$3", "d": 4}, [], ["$5"]], "e": None, "f": {"g": {}}}
    assert list(texts_in(value, ("top",))) == [
        (("top", "a"), "$1"),
        (("top", "b", 1), "$2"),
        (("top", "b", 2, "c"), "$3"),
        (("top", "b", 4, 0), "$5"),
    ]
    assert list(texts_in("$", ("top",))) == [(("top",), "$")]
    assert list(texts_in("x", ())) == list(texts_in(3, ())) == list(texts_in(None, ())) == []


def test_paths_of_deep_texts_are_cut() -> None:
    value: Any = "$"
    for _ in range(1000):
        value = [value]
    [(path, text)] = texts_in(value, ("top",))
    assert text == "$"
    assert len(path) == 1 + 2 * 26 + 1
