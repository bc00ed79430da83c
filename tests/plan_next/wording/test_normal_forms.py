"""Texts as they are compared."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from planspec_lark.plan_next.wording.normal_forms import NormalText, WordingMatch, normalize


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("", ""),
        (" \n\t", ""),
        ("  mend   the\n login\u00a0page ", "mend the login page"),
        ("ｍｅｎｄ　ｉｔ", "mend it"),
        ("修复 login 页面", "修复login页面"),
        ("修复\n登录 页面", "修复登录页面"),
        ("修复，登录", "修复,登录"),
        ("修复。 再试", "修复。再试"),
        ("第 3 步", "第3步"),
        ("ログイン ページ", "ログインページ"),
        ("로그인 화면", "로그인 화면"),
        ("a\u200bb\ufeff", "ab"),
        ("か \u3099", "が"),
    ],
)
def test_normal_form(text: str, normal: str) -> None:
    assert normalize(text) == normal


@given(st.text(max_size=60))
def test_the_normal_form_is_its_own(text: str) -> None:
    assert normalize(normalize(text)) == normalize(text)


@given(st.text(max_size=40), st.text(alphabet=" \t\n\u3000\u00a0", min_size=1, max_size=5))
def test_white_space_does_not_count(text: str, space: str) -> None:
    assert normalize(space + text.replace(" ", space) + space) == normalize(text)


@given(st.text(max_size=60))
def test_every_character_leads_back(text: str) -> None:
    normal = NormalText.of(text)
    end = 0
    for at in range(len(normal.text)):
        found = normal.found(at, at + 1)
        assert len(found.text) == 1
        assert text[found.start : found.end] == found.text
        assert end <= found.end
        end = found.end


def test_positions_with_more_and_fewer_characters() -> None:
    normal = NormalText.of("㎏\u200b：ａ")
    assert normal.text == "kg:a"
    assert normal.found(1, 3) == WordingMatch("㎏\u200b：", 0, 3)
    assert NormalText.of("a b").found(0, 1) == WordingMatch("a", 0, 1)
