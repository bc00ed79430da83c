"""What was spent: sums of it, and what records of a ledger say of it."""

from __future__ import annotations

import math

import pytest

from planspec_lark.engine import Effort


@pytest.mark.parametrize(
    ("one", "other", "model"),
    [
        (Effort(1, 5, model="a"), Effort(1, 6, model="a"), "a"),
        (Effort(1, 5, model="a"), Effort(1, 6, model="b"), ""),
        # Tokens of a model without a name are not those of the other one.
        (Effort(1, 5, model="a"), Effort(1, 6), ""),
        # What has taken no tokens says nothing of a model.
        (Effort(1, 5, model="a"), Effort(1), "a"),
        (Effort(), Effort(1, model="b"), "b"),
    ],
)
def test_a_sum_has_the_model_of_all(one: Effort, other: Effort, model: str) -> None:
    for made in (one + other, other + one):
        assert (made.llm_calls, made.tokens) == (one.llm_calls + other.llm_calls, one.tokens + other.tokens)
        assert made.model == model


def test_parts_are_summed() -> None:
    assert Effort(1, 20, input_tokens=5, output_tokens=6).tokens == 20
    made = Effort(1, cost=0.5, input_tokens=5, output_tokens=6) + Effort(2, cost=1, input_tokens=50, output_tokens=60)
    assert made == Effort(3, 121, 1.5, input_tokens=55, output_tokens=66)


def test_a_cost_that_is_too_much_for_a_sum_ends_no_run() -> None:
    most = Effort(1, cost=1.7e308)
    assert (most + most).cost == (most + most + most).cost < math.inf
    with pytest.raises(ValueError, match="cost"):
        Effort(1, cost=10**400)


def test_a_name_is_cut_and_can_be_shown() -> None:
    made = Effort(model="a\x1b" + "b" * 500)
    assert made.model == "a\\x1b" + "b" * 195
    assert Effort.from_data(made.to_data()) == made


def test_records_say_it_and_old_ones_less() -> None:
    made = Effort(1, 20, 0.5, model="m", input_tokens=5, output_tokens=6)
    assert Effort.from_data(made.to_data()) == made
    assert Effort.from_data({"llm_calls": 1, "tokens": 20, "cost": 0.5}) == Effort(1, 20, 0.5)
