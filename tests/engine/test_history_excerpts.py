"""How much of a history a prompt has room for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, overload

import pytest
from hypothesis import given, strategies as st

from planspec_lark.engine.history_excerpts import take_newest

ENTRIES = st.lists(
    st.text(max_size=12) | st.integers() | st.dictionaries(st.text(max_size=5), st.text(max_size=30)), max_size=12
)


def test_the_newest_are_kept() -> None:
    shown = take_newest(["a", "b", "c"], 10)
    assert (shown.entries, shown.left_out) == (('"b"', '"c"'), 1)
    assert shown.text == '[\n"b",\n"c"\n]'
    assert shown.data == {"history": ["b", "c"], "left_out": 1}
    # What has been taken stays.
    assert take_newest(shown, 1000) is shown
    assert take_newest([], 10).data == {"history": [], "left_out": 0}
    assert take_newest(iter(["a", "b"]), 0).data == {"history": [], "left_out": 2}


@pytest.mark.parametrize("most", [100, 41])
def test_of_an_entry_that_is_too_long_the_beginning_is_kept(most: int) -> None:
    for history in (["a", {"result": "x" * 500}], iter(["a", {"result": "x" * 500}])):
        (entry,) = take_newest(history, most).data["history"]
        begin = entry["cut_off"]
        assert json.dumps({"result": "x" * 500}).startswith(begin)
        assert len(begin) == (most - 22) // 2


@given(ENTRIES, st.integers(0, 120))
def test_both_ways_take_the_same(history: list[Any], most: int) -> None:
    shown = take_newest(history, most)
    assert take_newest(iter(history), most) == shown
    assert sum(map(len, shown.entries)) <= most
    assert len(shown.entries) + shown.left_out == len(history)
    kept = shown.data["history"]
    if kept != history[shown.left_out :]:
        (cut,) = kept
        assert [*cut] == ["cut_off"]
        assert json.dumps(history[-1], ensure_ascii=False).startswith(cut["cut_off"][:1])
    assert json.loads(shown.text) == kept


@given(ENTRIES, st.integers(0, 120))
def test_no_entry_is_left_out_that_would_fit(history: list[Any], most: int) -> None:
    shown = take_newest(history, most)
    if shown.left_out and "cut_off" not in shown.text:
        one_more = take_newest(history[shown.left_out - 1 :], 10**6).entries
        assert sum(len(entry) + 2 for entry in one_more) > most


class Ledger(Sequence[str]):
    """A long history of which no more is read than is needed."""

    def __init__(self) -> None:
        self.read = 0

    def __len__(self) -> int:
        return 10**6

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        raise AssertionError(at)

    def __reversed__(self) -> Iterator[str]:
        for at in range(10**6, 0, -1):
            self.read += 1
            yield f"{at:07}"


def test_a_sequence_is_read_no_further_than_there_is_room() -> None:
    ledger = Ledger()
    shown = take_newest(ledger, 1000)
    assert shown.left_out == 10**6 - len(shown.entries)
    assert ledger.read == len(shown.entries) + 1 == 1000 // 11 + 1
