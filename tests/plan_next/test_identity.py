"""What counts as the same goal or item, and what as nearly the same."""

from __future__ import annotations

import pytest

from planspec_lark.plan_next.identity import Phrase


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("清洗数据", "请重新清洗数据。"),
        ("清洗数据", "继续 清洗 数据！"),
        ("Clean the data", "Please clean the data again."),
        ("Clean the data", "retry: CLEAN the data"),
        ("Clean the data", "Ｃlean - the data"),
        ("Retry!", "retry"),
    ],
)
def test_words_of_repetition_make_no_other_goal(one: str, other: str) -> None:
    assert Phrase(one).core == Phrase(other).core


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Read chapter 1, 2", "Read chapter 12"),
        ("Wait 1.5 hours", "Wait 15 hours"),
        ("Set retry_count", "Set _count"),
        ("Compile C", "Compile C++"),
        ("कि", "क"),
        ("…", "!"),
        ("再次", "继续"),
    ],
)
def test_anything_else_makes_another_goal(one: str, other: str) -> None:
    assert Phrase(one).core != Phrase(other).core


def test_an_item_that_is_to_be_done_again_is_not_the_same_item() -> None:
    assert Phrase("Water the plants").is_same(Phrase("water the plants."))
    assert not Phrase("Water the plants").is_same(Phrase("Water the plants again"))
    assert not Phrase("").is_same(Phrase(" "))
    assert not Phrase("!").is_same(Phrase(""))


@pytest.mark.parametrize(
    ("one", "other", "is_near"),
    [
        ("Clean the data", "Clean all the data", True),
        ("清洗数据", "清洗全部数据", True),
        ("Clean data", "Clean all of data", False),
        ("Bake", "Bake bread", False),
        ("测试", "测试部署", False),
        ("Read chapter", "Read chapter 2", False),
        ("", "Clean", False),
    ],
)
def test_a_word_more_is_nearly_the_same(one: str, other: str, is_near: bool) -> None:
    assert Phrase(one).is_near(Phrase(other)) is is_near
    assert Phrase(other).is_near(Phrase(one)) is is_near
