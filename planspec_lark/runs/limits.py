"""What a run may take: budgets, time limits and tries of its calls; and what its calls say of that, and took."""

from __future__ import annotations

import math
import random
import sys
from collections.abc import Mapping
from time import monotonic
from typing import Any

from attrs import Attribute, asdict, define, field, fields, frozen
from attrs.validators import and_, deep_iterable, ge, instance_of, le, optional

from planspec_lark.syntax.diagnostics import PlanSpecError
from planspec_lark.syntax.fields import require_number
from planspec_lark.syntax.safe_text import one_line

__all__ = [
    "NO_EFFORT",
    "Account",
    "Answer",
    "Budget",
    "Effort",
    "FatalError",
    "StepPolicy",
    "TransientError",
    "UnavailableError",
    "is_amount",
    "is_number",
    "take_answer",
]

# Characters of a model's name.
_LONGEST_MODEL = 200


def _check_number(name: str, value: object) -> None:
    # An integer may be larger than any float.
    if not 0 <= require_number(name, value) <= sys.float_info.max:
        raise ValueError(f"{name}: {value} is out of range")


def is_number(_instance: object, attribute: Attribute[Any], value: object) -> None:
    """A validator: a finite number from 0 on."""
    _check_number(attribute.name, value)


def is_amount(_instance: object, attribute: Attribute[Any], value: object) -> None:
    """A validator: a number above 0."""
    if not require_number(attribute.name, value) > 0:
        raise ValueError(f"{attribute.name}: {value} is not above 0")


class FatalError(PlanSpecError):
    """Raised by an operator that cannot work at all: the run ends, and the step has not failed."""


class TransientError(PlanSpecError):
    """Raised by an operator that has done nothing, and may succeed where it is called once more with the same key.

    Attributes:
        retry_after: seconds until then, at least; 0 if unknown.
    """

    def __init__(self, message: str = "", *, retry_after: float = 0) -> None:
        _check_number("retry_after", retry_after)
        super().__init__(message)
        self.retry_after = retry_after


class UnavailableError(TransientError, FatalError):
    """Raised by an operator that cannot work for now: where another time does not do either, the run ends."""


def _to_model(value: object) -> object:
    """A model's name as it can be kept and shown: an endpoint may call it anything."""
    # Escapes take more room than what they stand for.
    return one_line(value[:_LONGEST_MODEL])[:_LONGEST_MODEL] if isinstance(value, str) else value


@frozen
class Effort:
    """What was spent: calls of language models, tokens and cost, as far as they were counted.

    The cost is in any unit, such as a currency, that is always the same.

    Attributes:
        input_tokens, output_tokens: the tokens of prompts and of answers, where they are told apart.
        llm_calls, tokens, cost: see above. The tokens are by default those of prompts and answers together.
        model: which model has taken the tokens; empty if unknown, and for the sum of several models.
    """

    # In front, as the default of the tokens needs them.
    input_tokens: int = field(default=0, validator=[instance_of(int), ge(0)], kw_only=True)
    output_tokens: int = field(default=0, validator=[instance_of(int), ge(0)], kw_only=True)
    llm_calls: int = field(default=0, validator=[instance_of(int), ge(0)])
    tokens: int = field(validator=[instance_of(int), ge(0)])
    cost: float = field(default=0.0, validator=is_number)
    model: str = field(default="", validator=instance_of(str), converter=_to_model, kw_only=True)

    @tokens.default
    def _sum(self) -> int:
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Effort) -> Effort:
        models = {one.model for one in (self, other) if one.tokens or one.model}
        return Effort(
            self.llm_calls + other.llm_calls,
            self.tokens + other.tokens,
            min(self.cost + other.cost, sys.float_info.max),
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            model=models.pop() if len(models) == 1 else "",
        )

    def to_data(self) -> dict[str, Any]:
        """What a record of a ledger says of it."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Effort:
        """What a record says, also one that was written before models were named."""
        return cls(**{"tokens": 0, **{one.name: data[one.name] for one in fields(cls) if one.name in data}})


NO_EFFORT = Effort()


@frozen
class Answer:
    """A text from a reflector or a planner, what it took, and why it ends, where that is known.

    ``finish_reason`` is what the interface of a model calls it; "length" means that the answer is cut off.
    """

    text: str = field(validator=instance_of(str))
    effort: Effort = field(default=Effort(llm_calls=1), validator=instance_of(Effort))
    finish_reason: str = field(default="", validator=instance_of(str))


def take_answer(given: object, who: str) -> Answer:
    """An answer as one, whether it came as a text or not.

    Raises:
        TypeError: it is something else.
    """
    if isinstance(given, str):
        return Answer(given)
    if isinstance(given, Answer):
        return given
    raise TypeError(f"a {who} gives a text or an Answer, not {type(given).__name__}")


_MOST = optional([instance_of(int), ge(1)])


@frozen
class Budget:
    """How much one call of ``run`` may spend; None is no limit.

    What is at work when a budget is used up is finished first.

    Attributes:
        steps: calls of the operator.
        seconds: on the clock.
        llm_calls, tokens, cost: as :class:`Effort` counts them. With a limit of the cost, a run stops at the first
            answer that took tokens and does not say what they cost.
    """

    steps: int | None = field(default=None, validator=_MOST)
    seconds: float | None = field(default=None, validator=optional(is_amount))
    llm_calls: int | None = field(default=None, validator=_MOST)
    tokens: int | None = field(default=None, validator=_MOST)
    cost: float | None = field(default=None, validator=optional(is_amount))


def _are_exceptions(_instance: object, attribute: Attribute[Any], value: object) -> None:
    is_right = isinstance(value, tuple) and all(isinstance(one, type) and issubclass(one, Exception) for one in value)
    if not is_right:
        raise TypeError(f"{attribute.name}: expected a tuple of classes of exceptions")


# More makes no sense, and clocks have limits.
_LONGEST_PAUSE = 10_000_000


@frozen
class StepPolicy:
    """Time limit of a step, and how it is tried again where the operator says that it is safe to.

    An operator says so with :class:`TransientError`, or ``retry_after`` in its result. The same call is then made
    again, with the same key.

    Attributes:
        timeout: seconds for each call; None is no limit. After that the step has failed.
        max_tries: calls in one attempt.
        pause: seconds before the second try, unless the operator asks for more.
        factor: by which each further pause is longer.
        max_pause: the longest pause in seconds. If the operator asks for more, the step has failed.
        jitter: the part by which a pause may be shorter at random, so that not all steps come back at once.
        retry_on: exceptions of an operator that count as :class:`TransientError`.
        uses: names of what the step uses, such as "gpu"; see ``resources`` of
            :class:`~planspec_lark.engine.ThinkEngine`.
    """

    timeout: float | None = field(default=None, validator=optional(and_(is_amount, is_number)))
    max_tries: int = field(default=3, validator=[instance_of(int), ge(1)])
    pause: float = field(default=1.0, validator=is_number)
    factor: float = field(default=2.0, validator=[is_number, ge(1)])
    max_pause: float = field(default=300.0, validator=[is_number, le(_LONGEST_PAUSE)])
    jitter: float = field(default=0.5, validator=[is_number, le(1)])
    retry_on: tuple[type[Exception], ...] = field(default=(), validator=_are_exceptions)
    uses: tuple[str, ...] = field(default=(), validator=deep_iterable(instance_of(str), instance_of(tuple)))

    def pause_after(self, tries: int) -> float:
        """Seconds to wait after this number of tries."""
        try:
            pause = min(self.pause * self.factor ** (tries - 1), self.max_pause)
        except OverflowError:
            pause = self.max_pause
        return pause * (1 - self.jitter * random.random())  # noqa: S311  (guessing it does no harm)


@define
class Account:
    """What a run has spent since this was made, beside what it may spend.

    Attributes:
        budget: what it may.
        steps, effort: what it has.
    """

    budget: Budget
    steps: int = 0
    effort: Effort = Effort()
    _began: float = field(factory=monotonic, init=False)
    _is_cost_unknown: bool = field(default=False, init=False)

    def spend(self, effort: Effort) -> None:
        """Add what something has taken."""
        if effort is not NO_EFFORT:
            self.effort += effort
            # A sum of costs says nothing then.
            self._is_cost_unknown |= effort.tokens > 0 and not effort.cost

    def seconds_left(self) -> float:
        """How many seconds the run has left."""
        seconds = self.budget.seconds
        return math.inf if seconds is None else max(seconds - (monotonic() - self._began), 0)

    def spent(self, under_way: int = 0) -> dict[str, tuple[float, float | None]]:
        """What was spent, and what may be, once so many calls that are under way have ended; each may count as one."""
        budget, effort = self.budget, self.effort
        return {
            "steps": (self.steps, budget.steps),
            "seconds": (monotonic() - self._began, budget.seconds),
            "calls of programs and models": (effort.llm_calls + under_way, budget.llm_calls),
            "tokens": (effort.tokens, budget.tokens),
            "cost": (effort.cost, budget.cost),
        }

    def find_excess(self, under_way: int) -> str:
        """What is used up then, or cannot be held."""
        if self.budget.cost is not None and self._is_cost_unknown:
            return "the budget of the cost cannot be held: an answer took tokens, and did not say what they cost"
        for name, (used, most) in self.spent(under_way).items():
            if most is not None and used >= most:
                return f"the budget is used up: {name}: {most:,}"
        return ""
