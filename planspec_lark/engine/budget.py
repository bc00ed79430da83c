"""The budget of a run: what it may spend, and what is left."""

from __future__ import annotations

import math
from time import monotonic

from planspec_lark.engine.models import Budget
from planspec_lark.engine.run_writer import RunWriter

__all__ = ["BudgetMeter", "OutOfBudget"]


class OutOfBudget(Exception):  # noqa: N818  (it is no error)
    """A budget is used up; the text says which."""


class BudgetMeter:
    """Holds a run to its budget, counting from when this was made."""

    def __init__(self, budget: Budget, writer: RunWriter) -> None:
        self._budget, self._writer = budget, writer
        self._began, self._before = monotonic(), writer.state.effort
        self._steps = writer.state.steps

    def seconds_left(self) -> float:
        """How many seconds the run has left."""
        seconds = self._budget.seconds
        return math.inf if seconds is None else max(seconds - (monotonic() - self._began), 0)

    def check(self) -> None:
        """Raises OutOfBudget before a call where nothing is left for it."""
        budget, state = self._budget, self._writer.state
        spent = {
            "steps": (state.steps - self._steps, budget.steps),
            "seconds": (monotonic() - self._began, budget.seconds),
            "calls of language models": (state.effort.llm_calls - self._before.llm_calls, budget.llm_calls),
            "tokens": (state.effort.tokens - self._before.tokens, budget.tokens),
            "cost": (state.effort.cost - self._before.cost, budget.cost),
        }
        for name, (used, most) in spent.items():
            if most is not None and used >= most:
                raise OutOfBudget(f"the budget is used up: {name}: {most:,}")
