"""Models of the engine: what it hands to operators, reflectors and planners, what they answer, and its limits."""

from __future__ import annotations

import random
import sys
from collections.abc import Awaitable, Callable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

from attrs import Attribute, asdict, field, fields, frozen
from attrs.validators import and_, ge, in_, instance_of, le, optional

from planspec_lark.awaitables import stop_event
from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSpecError
from planspec_lark.syntax.fields import require_number
from planspec_lark.syntax.safe_text import one_line

if TYPE_CHECKING:
    from planspec_lark.runs.history import History

__all__ = [
    "LOOP_WORDS",
    "REFLECTION_VERBS",
    "REPLAN_VERBS",
    "Answer",
    "AnswerRefusal",
    "Budget",
    "Effort",
    "EngineLimits",
    "FatalError",
    "HopStatus",
    "Operator",
    "OperatorResult",
    "Outcome",
    "Planner",
    "PlanningCall",
    "PlanningPurpose",
    "Question",
    "ReflectionCall",
    "Reflector",
    "Runner",
    "StepCall",
    "StepPolicy",
    "TransientError",
    "UnavailableError",
    "stop_event",
    "take_answer",
]

# The commands that language models may give while a plan runs: about a step that has not gone well,
REFLECTION_VERBS = ("SKIP", "REVISE", "ADD", "REPLAN")
# and at the end of a round. Planning the whole plan again is offered as a verb of its own.
REPLAN_VERBS = ("REVISE", "ADD", "REPLAN", "REPLAN ALL")
# What a result says of the loop around its step.
LOOP_WORDS = ("again", "done")
# Characters of a model's name.
_LONGEST_MODEL = 200


def _check_number(name: str, value: object) -> None:
    # An integer may be larger than any float.
    if not 0 <= require_number(name, value) <= sys.float_info.max:
        raise ValueError(f"{name}: {value} is out of range")


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


class HopStatus(str, Enum):
    """How a step went."""

    OK = "OK"
    FAIL = "FAIL"
    UNCERTAIN = "UNCERTAIN"
    LACK_OF_INFO = "LACK_OF_INFO"


class Outcome(str, Enum):
    """How a run has ended.

    Attributes:
        CONVERGED: all outputs that are asked for are there; where none are, all steps are done or skipped.
        BLOCKED: nothing is left that can be done.
        BUDGET: a budget is used up; the run can be resumed later.
        WAITING: the next step is a person's; the run can be resumed once that is done.
    """

    CONVERGED = "converged"
    BLOCKED = "blocked"
    BUDGET = "budget"
    WAITING = "waiting"


def _is_number(_instance: object, attribute: Attribute[Any], value: object) -> None:
    _check_number(attribute.name, value)


def _is_amount(_instance: object, attribute: Attribute[Any], value: object) -> None:
    if not require_number(attribute.name, value) > 0:
        raise ValueError(f"{attribute.name}: {value} is not above 0")


def _to_model(value: object) -> object:
    """A model's name as it can be kept and shown: an endpoint may call it anything."""
    return one_line(value[:_LONGEST_MODEL]) if isinstance(value, str) else value


@frozen
class Effort:
    """What was spent: calls of language models, and their tokens and cost as far as they were counted.

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
    cost: float = field(default=0.0, validator=_is_number)
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


def _is_mapping(_instance: object, attribute: Attribute[Any], value: object) -> None:
    if not isinstance(value, Mapping):
        raise TypeError(f"{attribute.name}: expected a mapping, not {type(value).__name__}")


@frozen
class OperatorResult:
    """What came of a step.

    Attributes:
        status: how it went.
        result: what was done, or why not, in words. The plan shows the beginning of it in one line.
        outputs: values by name; JSON has to be able to say them.
        branch: of a decide step, the id of the child that holds.
        effort: what it took.
        answer: what was answered, where that could not be read; the ledger keeps the beginning of it.
        loop: "again" to have the nearest subtask around the step, or the step itself if it is one, done again when all
            below it is; "done" to end it then, however many rounds it has. Of what is said in a round, the last counts.
        retry_after: nothing was done, and the same call may be made once more in so many seconds, at the earliest; see
            :class:`StepPolicy`. It means nothing where the status is OK.
    """

    status: HopStatus = field(default=HopStatus.OK, converter=HopStatus)
    result: str = field(default="", validator=instance_of(str))
    outputs: Mapping[str, Any] = field(factory=dict, validator=_is_mapping)
    branch: str = field(default="", validator=instance_of(str))
    effort: Effort = field(default=Effort(llm_calls=1), validator=instance_of(Effort))
    answer: str = field(default="", validator=instance_of(str))
    loop: str = field(default="", validator=in_(("", *LOOP_WORDS)))
    retry_after: float | None = field(default=None, validator=optional(_is_number))


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


@frozen
class AnswerRefusal:
    """An answer that was refused, and why."""

    answer: str
    diagnostics: list[Diagnostic]


@frozen
class StepCall:
    """What an operator is asked to do.

    It can be pickled: another process gets plain data, with all inputs, the plan as it was then, and of the history
    the last events.

    Attributes:
        step: a copy of the step.
        goal, constraints: those of the plan.
        inputs: values by name: of the declared inputs, or else of all outputs of earlier steps. Each is read when
            it is asked for.
        missing: declared inputs that no step of the plan produces and that were not given.
        history: what has happened in this run.
        branches: of a decide step, copies of the children to choose from.
        attempt: from 1; how often this step, as it is written, was begun.
        key: no other attempt in any run has the same; what a crash has cut off is begun again with the one it had, and
            so is what an operator has asked to try once more.
        plan_state: gives the plan as it is, folded; with a number, an excerpt around the step with so many
            characters.
        loop: the id of the subtask that ``loop`` in the result is asked about; empty if it is not asked for.
    """

    step: PlanStep
    goal: str
    constraints: tuple[str, ...]
    inputs: Mapping[str, Any]
    missing: tuple[str, ...]
    history: History
    branches: tuple[PlanStep, ...]
    attempt: int
    key: str
    plan_state: Callable[..., str] = field(repr=False)
    loop: str = ""


@frozen
class ReflectionCall:
    """What a reflector is asked about.

    Attributes:
        step: a copy of the step that is not OK.
        status, result: what the operator said of it.
        plan_state: the plan as it is, folded.
        can_interact: whether a person can be asked.
        can_retry: whether RETRY is allowed once more.
        can_accept: whether there is a result that ACCEPT could take.
        commands: the verbs of PLAN_CMD that may be used.
        attempt: how often the step was tried.
        history: what has happened in this run.
        refusal: the last answer, if that was refused.
    """

    step: PlanStep
    status: HopStatus
    result: str
    plan_state: str
    can_interact: bool
    can_retry: bool
    can_accept: bool
    commands: tuple[str, ...]
    attempt: int
    history: History
    refusal: AnswerRefusal | None = None


class PlanningPurpose(str, Enum):
    """What a planner is asked for.

    Attributes:
        CHANGES: PLAN_CMD lines, at the end of a round that has not converged.
        CHILDREN: the steps below a container that has none.
        PLAN: a whole new plan.
    """

    CHANGES = "changes"
    CHILDREN = "children"
    PLAN = "plan"


@frozen
class PlanningCall:
    """What a planner is asked for.

    Attributes:
        purpose: see there.
        plan: a copy of the plan as it is.
        plan_state: the same as text, folded.
        step: a copy of the container that needs steps, with those that it has already.
        reason: why, in words.
        missing: outputs that are asked for and are not there.
        commands: the verbs of PLAN_CMD that may be used.
        history: what has happened in this run.
        refusal: the last answer, if that was refused.
        finished: what was done below the container before it was to be planned again. A new step that says exactly what
            one of these says is not done again.
    """

    purpose: PlanningPurpose
    plan: PlanSpec
    plan_state: str
    step: PlanStep | None
    reason: str
    missing: tuple[str, ...]
    commands: tuple[str, ...]
    history: History
    refusal: AnswerRefusal | None = None
    finished: tuple[PlanStep, ...] = ()


@frozen
class Question:
    """A question for a person, because a step needs to know the answer."""

    step: PlanStep
    text: str


# Each may be asynchronous.
Runner: TypeAlias = "Callable[[Operator, StepCall], Any]"
Operator: TypeAlias = "Callable[[StepCall], Any]"
"""Does a step, and gives an :class:`OperatorResult`, or what stands for one that is OK.

A mapping, or a model of attrs or pydantic, has the outputs by name; one that has ``status`` and only fields of
:class:`OperatorResult` is one, where none of them is declared as an output. A text is the result in words, and any
value but None that of the output, where the step declares one and no more; of a ``decide`` step, a text is the id of
the branch.
"""
Reflector: TypeAlias = "Callable[[ReflectionCall], str | Answer | Awaitable[str | Answer]]"
Planner: TypeAlias = "Callable[[PlanningCall], str | Answer | Awaitable[str | Answer]]"


_MOST = optional([instance_of(int), ge(1)])


@frozen
class Budget:
    """How much one call of ``run`` may spend; None is no limit.

    What is at work when a budget is used up is finished first.

    Attributes:
        steps: calls of the operator.
        seconds: on the clock.
        llm_calls, tokens, cost: as :class:`Effort` counts them.
    """

    steps: int | None = field(default=None, validator=_MOST)
    seconds: float | None = field(default=None, validator=optional(_is_amount))
    llm_calls: int | None = field(default=None, validator=_MOST)
    tokens: int | None = field(default=None, validator=_MOST)
    cost: float | None = field(default=None, validator=optional(_is_amount))


def _are_exceptions(_instance: object, attribute: Attribute[Any], value: object) -> None:
    is_right = isinstance(value, tuple) and all(isinstance(one, type) and issubclass(one, Exception) for one in value)
    if not is_right:
        raise TypeError(f"{attribute.name}: expected a tuple of classes of exceptions")


# More makes no sense, and clocks have limits.
_LONGEST_PAUSE = 10_000_000


@frozen
class StepPolicy:
    """How long a step may take, and how often it is tried where the operator says that it is safe to.

    An operator says so with :class:`TransientError`, or ``retry_after`` in its result. Then it is called once more, in
    the same attempt and with the same key.

    Attributes:
        timeout: seconds for each call of the operator; None is no limit. A step that takes longer has failed.
        max_tries: how often the operator is called in one attempt.
        pause: seconds before the second try, where the operator does not ask for more.
        factor: by which each further pause is longer.
        max_pause: seconds of the longest pause. Where the operator asks for a longer one, the step has failed.
        jitter: by which part a pause may be shorter, by chance, so that not all steps come back at the same moment.
        retry_on: exceptions that mean the same as :class:`TransientError`, where an operator raises them.
    """

    timeout: float | None = field(default=None, validator=optional(and_(_is_amount, _is_number)))
    max_tries: int = field(default=3, validator=[instance_of(int), ge(1)])
    pause: float = field(default=1.0, validator=_is_number)
    factor: float = field(default=2.0, validator=[_is_number, ge(1)])
    max_pause: float = field(default=300.0, validator=[_is_number, le(_LONGEST_PAUSE)])
    jitter: float = field(default=0.5, validator=[_is_number, le(1)])
    retry_on: tuple[type[Exception], ...] = field(default=(), validator=_are_exceptions)

    def pause_after(self, tries: int) -> float:
        """Seconds to wait after this number of tries."""
        try:
            pause = min(self.pause * self.factor ** (tries - 1), self.max_pause)
        except OverflowError:
            pause = self.max_pause
        return pause * (1 - self.jitter * random.random())  # noqa: S311  (guessing it does no harm)


def _count(default: int, least: int = 0) -> Any:
    return field(default=default, validator=[instance_of(int), ge(least)])


@frozen
class EngineLimits:
    """What keeps a run from continuing for ever.

    Attributes:
        max_rounds: passes through the plan, the first included.
        max_retries: how often one step may be tried again by RETRY or INTERACT.
        max_repairs: how often an answer may be refused before the step is blocked.
        max_attempts: how often one step may be begun, and be reflected on, in a round of a loop, for whatever reason.
        max_same_failures: how often a step, or another one with the same text, may fail for the same reason, whatever
            reflections have changed in between. White space and numbers do not make another reason, and failures after
            which it was just retried do not count.
        max_plannings: how often the planner may be asked for steps, each time with ``max_repairs``.
        max_commands: how many commands an answer may have.
        max_added: how many steps commands may add.
        max_steps: how many steps the planner may write at a time.
        max_loop: how many rounds a loop may have that the planner writes, or whose total is not known. Where that is to
            go on then, it is blocked.
        max_output_bytes: of all outputs of a step as JSON.
    """

    max_rounds: int = _count(5, 1)
    max_retries: int = _count(2)
    max_repairs: int = _count(2)
    max_attempts: int = _count(20, 1)
    max_same_failures: int = _count(2, 2)
    max_plannings: int = _count(50)
    max_commands: int = _count(1_000)
    max_added: int = _count(200)
    max_steps: int = _count(1_000, 1)
    max_loop: int = _count(1_000)
    max_output_bytes: int = _count(20_000_000)
