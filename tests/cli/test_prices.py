"""`planspec log --summary --prices`: what tokens cost, as a table says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planspec_lark.cli.run_output import _write_summary
from planspec_lark.runs.prices import Prices
from planspec_lark.runs.summary import StepSum
from tests.cli.engine_world import OPERATOR, make_world, say
from tests.cli.running import run


@pytest.fixture(autouse=True)
def world() -> None:
    make_world()


PRICES = '{"currency": "EUR", "models": {"m": {"input": 2, "output": 10}}}'
TOML = 'currency = "EUR"\n[models.m]\ninput = 2\noutput = 10\n'


def spent(**more: object) -> str:
    """A script that has done its step, and says what it took."""
    return say({"status": "OK", "result": "r", "outputs": {"goods": 1}, **more})


def summed(**more: object) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """What `planspec log --summary --prices` says of a run in which step 2 took this."""
    make_world(_2=spent(**more))
    assert run("run", "bakery.md", *OPERATOR).exit_code == 0
    Path("prices.json").write_text(PRICES)
    found = run("log", "bakery.md", "--summary", "--prices", "prices.json", "--json")
    shown = run("log", "bakery.md", "--summary", "--prices", "prices.json")
    assert (found.exit_code, shown.exit_code) == (0, 0)
    return {one["step"]: one for one in map(json.loads, found.stdout.splitlines())}, shown.stdout.splitlines()


def test_the_cost_of_tokens() -> None:
    sums, lines = summed(model="m", input_tokens=500_000, output_tokens=100_000)
    assert (sums["2"]["tokens"], sums["2"]["cost"], sums["2"]["unpriced"]) == (600_000, 2.0, {})
    assert (sums[""]["cost"], sums[""]["currency"]) == (2.0, "EUR")
    assert any(line.startswith("2 ") and line.endswith("600000 tokens  cost 2 EUR") for line in lines)
    Path("prices.toml").write_text(TOML)
    assert run("log", "bakery.md", "--summary", "--prices", "prices.toml").stdout.splitlines() == lines
    # Without a table no cost is computed, and nothing is said of it.
    plainly = [json.loads(line) for line in run("log", "bakery.md", "--summary", "--json").stdout.splitlines()]
    assert plainly[-1]["cost"] == 0
    assert set(plainly[-1]) == {"step", "attempts", "seconds", "llm_calls", "tokens", "cost", "errors"}


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"model": "x", "input_tokens": 5, "output_tokens": 6}, "no price for model x"),
        ({"model": "x\x1b[2J", "input_tokens": 5}, "no price for model x\\x1b[2J"),
        ({"model": "m", "tokens": 11}, "input and output tokens of model m not told apart"),
        ({"tokens": 11}, "tokens of no named model"),
        ({}, "calls without tokens"),
    ],
)
def test_what_has_no_price_is_said(more: dict[str, object], why: str) -> None:
    sums, lines = summed(**more)
    assert (sums["2"]["cost"], sums["2"]["unpriced"]) == (0, {why: 1})
    # The other four steps say nothing of tokens.
    assert sums[""]["unpriced"] == ({"calls without tokens": 4, why: 1} if more else {why: 5})
    at = next(number for number, line in enumerate(lines) if line.startswith("2 "))
    assert lines[at + 1].strip() == why
    assert any(line.strip().startswith("calls without tokens (") for line in lines[-2:])


def test_many_reasons_are_cut_short(capsys: pytest.CaptureFixture[str]) -> None:
    reasons = {f"no price for model {number}": 1 for number in range(25)}
    _write_summary([StepSum("1", unpriced=reasons)], Prices(), as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 22
    assert lines[-1].strip() == "(5 more)"


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("prices.json", "{", "object"),
        ("prices.json", "[]", "object"),
        ("prices.json", "{}", "models: expected an object with a price for each model"),
        ("prices.json", '{"models": {"m": 3}}', "models.m: expected an object with input and output"),
        ("prices.json", '{"models": {"m": {"input": 3}}}', "models.m.output: expected what a million tokens cost"),
        ("prices.json", '{"models": {"m": {"input": true, "output": 1}}}', "models.m.input: expected"),
        ("prices.json", '{"models": {"m": {"input": -1, "output": 1}}}', "models.m.input: expected"),
        ("prices.json", '{"models": {"m": {"in": 3}}}', "models.m: there is no field in here, only input and output"),
        ("prices.json", '{"currency": 3, "models": {}}', "currency: expected a text"),
        ("prices.json", '{"m": 3}', "the table: there is no field m here, only currency and models"),
        ("prices.toml", "models = ", "Invalid value"),
        ("prices.toml", "a = " + "[" * 5000, ""),
        ("prices.toml", "[models.m]\ninput = nan\noutput = 1\n", "models.m.input: expected"),
        ("prices.toml", "[models.m]\ninput = 1e308\noutput = 1\n", "models.m.input: expected"),
        ("prices.toml", f"[models.m]\ninput = 1\noutput = {10**400}\n", "models.m.output: expected"),
        ("prices.json", " " * 1_000_001, "bytes"),
    ],
)
def test_a_table_that_holds_no_prices(name: str, text: str, why: str) -> None:
    Path(name).write_text(text)
    result = run("log", "bakery.md", "--summary", "--prices", name)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"Error: {name}: this is not a table of prices: ")
    assert why in result.stderr
    assert result.stderr.count("\n") == 1
