"""What tokens cost: a table of models, by which the cost of a run is computed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

from planspec_lark.syntax.diagnostics import PlanSpecError, shorten
from planspec_lark.syntax.safe_text import one_line, visible_name

__all__ = ["Price", "Prices", "PricesError"]

_TABLE, _PRICE = ("currency", "models"), ("input", "output")
# The unit of prices: so many tokens.
_MILLION = 1_000_000
_LONGEST_CURRENCY = 20
# No money is worth less. What is computed with more could be more than a float can be, and JSON has no infinity.
_HIGHEST_PRICE = 10**15


class PricesError(PlanSpecError):
    """A table that holds no prices; the text says why."""


@frozen
class Price:
    """What a million tokens of a model cost: those of prompts, and those of answers."""

    input: float
    output: float


@frozen
class Prices:
    """Prices by the names of models, in one currency."""

    currency: str = ""
    models: Mapping[str, Price] = field(factory=dict)

    @classmethod
    def from_value(cls, value: object) -> Prices:
        """The table that a value of JSON or TOML holds.

        It is ``{"currency": "EUR", "models": {"qwen3-8b": {"input": 0.1, "output": 0.4}}}``; the currency may be
        missing.

        Raises:
            PricesError: it holds something else.
        """
        table = _fields(value, "the table", _TABLE)
        currency = table.get("currency", "")
        if not isinstance(currency, str) or len(currency) > _LONGEST_CURRENCY:
            raise PricesError(f"currency: expected a text of at most {_LONGEST_CURRENCY} characters")
        models = table.get("models")
        if not isinstance(models, dict) or not models:
            raise PricesError("models: expected an object with a price for each model")
        return cls(one_line(currency), {name: _price(one, f"models.{_named(name)}") for name, one in models.items()})

    def cost_of(self, data: Mapping[str, Any]) -> tuple[float, str]:
        """What a record says that was spent, as cost; and why that is not known, or ""."""
        if cost := data.get("cost"):
            return cost, ""
        if not data.get("tokens"):
            return 0.0, "calls without tokens" if data.get("llm_calls") else ""
        model = data.get("model", "")
        if not model:
            return 0.0, "tokens of no named model"
        price = self.models.get(model)
        if price is None:
            return 0.0, f"no price for model {_named(model)}"
        sent, written = data.get("input_tokens", 0), data.get("output_tokens", 0)
        if not sent and not written:
            return 0.0, f"input and output tokens of model {_named(model)} not told apart"
        return (sent * price.input + written * price.output) / _MILLION, ""


def _fields(value: object, what: str, known: tuple[str, ...]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise PricesError(f"{what}: expected an object with {' and '.join(known)}")
    for name in value:
        if name not in known:
            raise PricesError(f"{what}: there is no field {_named(name)} here, only {' and '.join(known)}")
    return value


def _price(value: object, where: str) -> Price:
    given = _fields(value, where, _PRICE)
    for name in _PRICE:
        amount = given.get(name)
        if isinstance(amount, bool) or not isinstance(amount, int | float) or not 0 <= amount <= _HIGHEST_PRICE:
            raise PricesError(
                f"{where}.{name}: expected what a million tokens cost, a number from 0 to {_HIGHEST_PRICE:,}"
            )
    return Price(given["input"], given["output"])


def _named(name: str) -> str:
    return shorten(visible_name(name))
