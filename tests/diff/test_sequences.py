"""Orders and lists of three versions."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from planspec_lark.diff.sequences import longest_rising, merge_items, merge_order, weave


@pytest.mark.parametrize(
    ("numbers", "kept"),
    [([], set()), ([5], {0}), ([1, 2, 3], {0, 1, 2}), ([3, 2, 1], {2}), ([2, 5, 3, 4, 1], {0, 2, 3})],
)
def test_longest_rising(numbers: list[int], kept: set[int]) -> None:
    assert longest_rising(numbers) == kept


@given(st.lists(st.integers(), unique=True, max_size=8))
def test_nothing_longer_rises(numbers: list[int]) -> None:
    found = [numbers[index] for index in sorted(longest_rising(numbers))]
    assert found == sorted(found)
    best = [1] * len(numbers)
    for index, number in enumerate(numbers):
        best[index] += max((best[other] for other in range(index) if numbers[other] < number), default=0)
    assert len(found) == max(best, default=0)


@pytest.mark.parametrize(
    ("ours", "theirs", "woven"),
    [
        ("abc", "abc", "abc"),
        ("abc", "xaybzc", "xaybzc"),
        ("axb", "ayb", "axyb"),
        ("xa", "ya", "xya"),
        ("ax", "ay", "axy"),
        ("", "ab", "ab"),
    ],
)
def test_weave(ours: str, theirs: str, woven: str) -> None:
    assert "".join(weave(ours, theirs)) == woven


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "order", "clashes"),
    [
        ("abcd", "abcd", "dabc", "dabc", ""),
        ("abcd", "dabc", "abcd", "dabc", ""),
        ("abcd", "bcda", "dabc", "dbca", ""),
        ("abcde", "eabcd", "abecd", "eabcd", "e"),
        ("abc", "bac", "bac", "bac", ""),
        ("abcd", "dabc", "dbac", "dbac", ""),
        ("ab", "axb", "bya", "xbya", ""),
    ],
)
def test_merge_order(base: str, ours: str, theirs: str, order: str, clashes: str) -> None:
    found, disputed = merge_order(base, ours, theirs)
    assert ("".join(found), "".join(disputed)) == (order, clashes)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "items"),
    [
        ("abc", "axbc", "abcy", "axbcy"),
        ("abc", "ac", "ab", "a"),
        ("abc", "axc", "abyc", "axyc"),
        ("abc", "cab", "abcy", "cyab"),
        ("ab", "ba", "abb", "bba"),
        ("aa", "a", "aab", "ab"),
        ("a", "b", "b", "b"),
        ("", "ab", "ba", "ab"),
    ],
)
def test_merge_items(base: str, ours: str, theirs: str, items: str) -> None:
    assert merge_items(base, ours, theirs) == (list(items), False)


def test_an_item_that_both_have_reworded() -> None:
    assert merge_items("abc", "axc", "ayc") == (list("axc"), True)
    assert merge_items("abc", "ayc", "axc") == (list("ayc"), True)
    assert merge_items("abc", "ac", "ayc") == (list("ac"), True)


_lists = st.lists(st.sampled_from("abcde"), max_size=5)


@given(_lists, _lists, _lists)
def test_lists_of_items_keep_the_laws_of_merging(base: list[str], ours: list[str], theirs: list[str]) -> None:
    assert (
        merge_items(base, ours, base) == merge_items(base, base, ours) == merge_items(base, ours, ours) == (ours, False)
    )
    merged, is_disputed = merge_items(base, ours, theirs)
    other, is_disputed_too = merge_items(base, theirs, ours)
    assert is_disputed is is_disputed_too
    if not is_disputed:
        assert sorted(merged) == sorted(other)
        assert set(ours) - set(base) <= set(merged) <= set(ours) | set(theirs)
