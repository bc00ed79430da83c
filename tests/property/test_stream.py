"""Reading a text while it is being written: at every split, the events and the end are those of the whole text."""

from __future__ import annotations

from hypothesis import example, given, strategies as st

from tests import strategies
from tests.property import streams

# What was read is known to end with comments only when the header comes.
COMMENTS = "Goal: a  # b\n> c  # d\nConstraints:\n- e  # f\n## Steps  # g\n1. [act] h → i  # j\n> k  # l\n"
_SIZES = st.lists(st.integers(1, 12), min_size=1, max_size=6)


def _pieces(text: str, sizes: list[int]) -> list[str]:
    pieces: list[str] = []
    at = 0
    while at < len(text):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(text[at : at + size])
        at += size
    return pieces


@example("## Steps\n1. [act] a\n1. [act] b\n> c\n\n> d\n> e\n")
@example("Goal: a\nGoal: b\n> c\n> d\nConstraints:\n- e\nConstraints:\n- f\n- g\n")
@example("## Steps\n1. [act] a\nConstraints:\n- 1. [act] b\n- c\nGoal: d\n> e\n")
@example("## Steps\n1. [act] a -> b\n> <- c\n> d\n\n\nso\n> e\n> f\n")
@example("\ufeff\r\nGoal: a\r\n> b\r\r\n> c\r")
@example(f"# a  # b\n\n{COMMENTS}")
@example(COMMENTS.replace("## Steps", "### Steps"))
@example(f"{COMMENTS}# a  # b\n{COMMENTS}")
@example("So.\n# a  # b\nGoal: c  # d\n")
@example("1. [act] a\n# Plan: V")
@example("2[t]\n# Plan:Plan:t")
@example("2[t]\n# Plan:e\n# Plan:t")
@given(strategies.any_plan_text)
def test_one_piece_is_as_good_as_the_whole(text: str) -> None:
    streams.ends_as_extracted(text, [text])


@given(strategies.any_plan_text, _SIZES)
def test_pieces_of_any_size_tell_the_same(text: str, sizes: list[int]) -> None:
    assert streams.ends_as_extracted(text, _pieces(text, sizes)) == streams.ends_as_extracted(text, [text])


@given(strategies.soup)
def test_the_place_of_a_split_does_not_matter(text: str) -> None:
    expected, end = streams.read_all([text])
    for at in range(len(text) + 1):
        events, found = streams.read_all([text[:at], text[at:]])
        assert events == expected
        assert found.superseded == end.superseded


@example(f"So.\n{COMMENTS}")
@example(COMMENTS.replace("## Steps", "### Steps"))
@example(f"{COMMENTS}# a  # b\n{COMMENTS}")
@given(strategies.any_plan_text)
def test_what_was_told_is_never_taken_back(text: str) -> None:
    streams.is_never_taken_back(text)
