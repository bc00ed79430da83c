"""Paths into the folder of the planner's state."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from planspec_lark.plan_next.wording.normal_forms import WordingMatch
from planspec_lark.plan_next.wording.state_paths import find_state_paths
from tests.cases import in_one_test


@in_one_test
@pytest.mark.parametrize(
    ("text", "paths"),
    [
        (".thinkon/", [".thinkon/"]),
        ("read .thinkon/state.json.", [".thinkon/state.json"]),
        ("read ./.thinkon/a/b.json, and more", ["./.thinkon/a/b.json"]),
        ("read /home/me/.thinkon/s.json", ["/home/me/.thinkon/s.json"]),
        ("read $HOME/.thinkon/s.json", ["$HOME/.thinkon/s.json"]),
        ("read C:\\.thinkon\\s.json", ["\\.thinkon\\s.json"]),
        ("写入．ｔｈｉｎｋｏｎ／ｓ", ["．ｔｈｉｎｋｏｎ／ｓ"]),
        ("写入.thin\u200bkon/x", [".thin\u200bkon/x"]),
        (".thinkon\u2215x", [".thinkon\u2215x"]),
        ("get %2ethinkon%2Fs.json", ["%2ethinkon%2Fs.json"]),
        ("(`.thinkon/x`)", [".thinkon/x"]),
        ('{"a":".thinkon/x"}', [".thinkon/x"]),
        # The folder itself is a path as well.
        ("cd .thinkon && ls", [".thinkon"]),
        ("删除.thinkon目录", [".thinkon"]),
        ("Look into .thinkon.", [".thinkon"]),
        # Other names.
        ("thinkon", []),
        ("x.thinkons/", []),
        (".thinkonrc", []),
        (".thinkon-old/x", []),
        (".thinkon.bak", []),
        ("my.thinkon/x", []),
        ("..thinkon/x", []),
        ("Thinkon. / then", []),
        ("", []),
    ],
)
def test_paths(text: str, paths: list[str]) -> None:
    assert [found.text for found in find_state_paths(text)] == paths


def test_positions() -> None:
    assert find_state_paths("a .thinkon/b ．thinkon／") == [
        WordingMatch(".thinkon/b", 2, 12),
        WordingMatch("．thinkon／", 13, 22),
    ]


PIECES = [".thinkon", "/", "\\", ".", " ", "a", "．", "／", "%2e", "thinkon", "\u200b", "状"]


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PIECES), max_size=20).map("".join)))
def test_positions_are_right_and_in_order(text: str) -> None:
    end = 0
    for one in find_state_paths(text):
        assert end <= one.start < one.end <= len(text)
        assert text[one.start : one.end] == one.text
        end = one.end


@given(st.text(max_size=20), st.text(max_size=20))
def test_none_hides_in_other_text(before: str, behind: str) -> None:
    found = find_state_paths(f"{before} .thinkon/{behind}")
    assert any(one.start <= len(before) + 1 < one.end for one in found)
