"""What can be the name of a plan, and what a description becomes."""

from __future__ import annotations

import sys

import pytest
from hypothesis import example, given, strategies as st

from planspec_lark.folder import FolderError, FolderErrorReason
from planspec_lark.folder.names import check_name, fold_name, forms, is_name, name_from
from tests.cases import in_one_test


@pytest.mark.parametrize(
    "name", ["a", "implement_auth", "v1.2", "Two words", "车险", "приём", "x-y", "a..b", "a" * 200]
)
def test_a_name(name: str) -> None:
    assert check_name(name) == name
    assert is_name(name)


REFUSED = {
    "": "it is empty",
    ".": "it begins with a `.`",
    "..": "it begins with a `.`",
    ".hidden": "it begins with a `.`",
    "-rf": "it begins with a `-`",
    "/etc/passwd": "it has a `/`",
    "../up": "it has a `/`",
    "a/b": "it has a `/`",
    "a\\b": "it has a `\\`",
    "C:x": "it has a `:`",
    "what?": "it has a `?`",
    " a": "it begins or ends with a space",
    "a ": "it begins or ends with a space",
    "a.": "it ends with a `.`",
    "a.md": "it ends with `.md`, which is added to every name",
    "a.MD": "it ends with `.md`, which is added to every name",
    "a\0b": "it has the character U+0000, which cannot be seen",
    "a\nb": "it has the character U+000A, which cannot be seen",
    "a\tb": "it has the character U+0009, which cannot be seen",
    "a\x1b[2J": "it has the character U+001B, which cannot be seen",
    "a\x9bb": "it has the character U+009B, which cannot be seen",
    "a\u202eb": "it has the character U+202E, which cannot be seen",
    "a\u200bb": "it has the character U+200B, which cannot be seen",
    "a\u2028b": "it has the character U+2028, which cannot be seen",
    "a\u3000b": "it has the character U+3000, which cannot be seen",
    "a\ud800": "it has the character U+D800, which cannot be seen",
    "a\ue000": "it has the character U+E000, which cannot be seen",
    "NUL": "Windows keeps it for a device",
    "con": "Windows keeps it for a device",
    "Com1.log": "Windows keeps it for a device",
    "lpt¹": "Windows keeps it for a device",
    "aux .x": "Windows keeps it for a device",
    "a" * 201: "it has more than 200 bytes",
    "车" * 67: "it has more than 200 bytes",
}


@in_one_test
@pytest.mark.parametrize("name", REFUSED, ids=ascii)
def test_no_name(name: str) -> None:
    with pytest.raises(FolderError) as caught:
        check_name(name)
    assert str(caught.value).partition(" cannot be the name of a plan: ")[2] == REFUSED[name]
    assert caught.value.reason is FolderErrorReason.NAME
    assert not is_name(name)


def test_what_is_quoted_is_harmless_and_short() -> None:
    with pytest.raises(FolderError) as caught:
        check_name("\x1b]0;x\n" + "y" * 1000)
    assert str(caught.value) == (f"`\\x1b]0;x\\n{'y' * 54}…` cannot be the name of a plan: it has more than 200 bytes")


def test_names_are_composed() -> None:
    assert check_name("cafe\u0301") == "café"
    assert forms("cafe\u0301") == ["cafe\u0301", "café"]
    assert forms("café") == ["café", "cafe\u0301"]
    assert forms("a") == ["a"]


def test_what_some_systems_take_for_the_same() -> None:
    assert fold_name("CAFE\u0301") == fold_name("café")
    assert fold_name("Straße") == fold_name("STRASSE")
    assert fold_name("a_b") != fold_name("ab")


@given(st.text(max_size=220))
@example("..")
@example("a/../b")
def test_no_name_leads_anywhere(name: str) -> None:
    if is_name(name):
        assert not set(name) & set("/\\\0:\n\x1b")
        assert name not in (".", "..")
        assert len(f"{name}.md.ledger-wal".encode()) <= 255


# ---------------------------------------------------------------- out of a description


MADE = {
    "Implement auth": "implement_auth",
    "  Move   the bookings, quickly! ": "move_the_bookings_quickly",
    "车险赔付率预测": "che_xian_pei_fu_lv_yu_ce",
    "用XGBoost预测车险": "yong_xgboost_yu_ce_che_xian",
    "Café Zoë: über-straße": "cafe_zoe_uber_strasse",
    "Don't panic": "dont_panic",
    "don’t_panic": "dont_panic",
    "Ｆｕｌｌ ｗｉｄｔｈ": "full_width",
    "Приём й": "приём_й",
    "2024 budget v1.2": "2024_budget_v1_2",
    "../../etc/passwd": "etc_passwd",
    "con": "con_plan",
    "Aux!": "aux_plan",
    "a\0b\x1b[2Jc": "a_b_2jc",
    "x" * 100: "x" * 60,
    "one " * 40: "_".join(["one"] * 15),
    "short " + "y" * 100: "short",
    "预" * 300: "_".join(["yu"] * 20),
}


@pytest.mark.parametrize("description", MADE, ids=lambda text: ascii(text[:20]))
def test_name_from(description: str) -> None:
    assert name_from(description) == MADE[description]


@pytest.mark.parametrize("description", ["", "   ", "!?…", "🙂🙂", "\0", "___"])
def test_nothing_to_make_a_name_of(description: str) -> None:
    with pytest.raises(FolderError, match=r"^no name can be made of this description: give one$"):
        name_from(description)


def test_chinese_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypinyin", None)
    assert name_from("Implement auth") == "implement_auth"
    with pytest.raises(FolderError) as caught:
        name_from("车险")
    assert str(caught.value) == (
        "a name in pinyin needs an extra, pip install 'planspec-lark[zh]': install it, or give a name"
    )


@given(st.text(max_size=80))
def test_whatever_is_made_is_a_name(description: str) -> None:
    try:
        name = name_from(description)
    except FolderError:
        return
    assert check_name(name) == name
    assert len(name) <= 65
    assert name_from(description) == name


def test_a_long_description_takes_no_time() -> None:
    assert name_from("测试 " * 1_000_000).startswith("ce_shi_ce_shi")
