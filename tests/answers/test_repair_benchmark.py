"""The benchmark of repair: its scripted model knows what was meant, and slips at the rate that it is told."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.repair import FAULTS, ScriptedModel, compare
from planspec_lark import serialize_plan
from tests.answers.plans import random_plan


def texts_of(fault: str, count: int) -> list[tuple[str, str]]:
    texts = []
    for number in range(count):
        random = Random(f"{fault} {number}")
        truth = serialize_plan(random_plan(random, language="en", is_full=True))
        texts.append((truth, FAULTS[fault](truth, random)))
    return texts


@pytest.mark.parametrize("fault", FAULTS)
def test_without_slips_one_round_is_enough_either_way(fault: str) -> None:
    texts = texts_of(fault, 2)
    asked, lines, whole = compare(iter(texts), 0.0, "a")
    for spent in (lines, whole):
        assert (spent.texts, spent.usable, spent.right, spent.rounds) == (asked, asked, asked, asked)


def test_fewer_lines_that_are_written_need_fewer_rounds() -> None:
    asked, lines, whole = compare(iter(texts_of("types left out", 6)), 0.3, "a")
    assert asked == 6
    assert lines.rounds < whole.rounds
    assert lines.tokens < whole.tokens
    # The same seed gives the same answers.
    assert compare(iter(texts_of("types left out", 6)), 0.3, "a") == (asked, lines, whole)


def test_a_slip_is_a_wrong_line() -> None:
    model = ScriptedModel("Goal: g\n## Steps\n1. [x] [act] a\n", "", 1.0, Random(0))
    assert model.write_all() == "```planspec\nAnd so on: Goal: g\nAnd so on: Steps\n1. [x] a\n```\n"
