"""The estimate of tokens: what it counts, and that a text in pieces takes as much."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from planspec_lark.syntax import estimate_tokens
from tests import strategies


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("the", 1),
        ("plan", 2),
        ("the plan", 3),
        ("PlanStep", 4),
        ("HTTP", 2),
        ("load_data", 5),
        ("41 GB", 3),
        ("Step 41", 5),
        ("a    b", 3),
        ("        b", 3),
        ("→ a", 3),
        ("\n\n", 2),
        ("1. [x] [act]", 8),
        ("计划", 3),
        ("一份计划", 6),
        ("é", 1),
        ("🎉", 3),
        ("\ud800", 2),
    ],
)
def test_what_is_counted(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@given(strategies.wild)
def test_any_text_is_counted_and_none_takes_more_than_its_bytes(text: str) -> None:
    assert 0 <= estimate_tokens(text) <= len(text.encode("utf-8", "surrogatepass"))


# What is a token of ASCII, as one pattern.
TOKEN = re.compile(r"[A-Z]{2,3}|[A-Z][a-z]{0,2}|[a-z]{1,3}|[ \t]{2,4}|[ \t](?![!-/:-~])|[!-~\n]")


@given(st.text("abCD \t\n01-~/é中🚚\x00\x7f"))
def test_each_token_is_counted_once(text: str) -> None:
    sizes = [len(char.encode()) for char in text]
    near = sum(size for size in sizes if size in (2, 3))
    assert estimate_tokens(text) == len(TOKEN.findall(text)) + 3 * sizes.count(4) + (near + 1) // 2
