"""Models of the engine: what it hands to operators, reflectors and planners, what they answer, and its limits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

from attrs import Attribute, field, frozen
from attrs.validators import ge, in_, instance_of, optional

from planspec_lark.cancellation import stop_event
from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.runs.limits import (
    Answer,
    Budget,
    Effort,
    FatalError,
    StepPolicy,
    TransientError,
    UnavailableError,
    is_number,
    take_answer,
)
from planspec_lark.syntax.diagnostics import Diagnostic

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
        STOPPED: it was asked to stop, such as by `planspec stop`; it can be resumed.
    """

    CONVERGED = "converged"
    BLOCKED = "blocked"
    BUDGET = "budget"
    WAITING = "waiting"
    STOPPED = "stopped"


def _is_mapping(_instance: object, attribute: Attribute[Any], value: object) -> None:
    if not isinstance(value, Mapping):
        raise TypeError(f"{attribute.name}: expected a mapping, not {type(value).__name__}")


@frozen
class OperatorResult:
    """The result of a step.

    Attributes:
        status: how it went.
        result: what was done, or why not, in words. The plan shows the beginning in one line.
        outputs: values by name, such as JSON can hold.
        branch: for a decide step, the id of the child to take.
        effort: what it took.
        answer: an answer that could not be read; the ledger keeps its beginning.
        loop: "again" repeats the nearest subtask around the step (or the step itself, if it is a subtask) after this
            round, "done" ends it. The last word of a round counts.
        retry_after: nothing was done, and the same call may be made again after this number of seconds; see
            :class:`StepPolicy`. Ignored if the status is OK.
    """

    status: HopStatus = field(default=HopStatus.OK, converter=HopStatus)
    result: str = field(default="", validator=instance_of(str))
    outputs: Mapping[str, Any] = field(factory=dict, validator=_is_mapping)
    branch: str = field(default="", validator=instance_of(str))
    effort: Effort = field(default=Effort(llm_calls=1), validator=instance_of(Effort))
    answer: str = field(default="", validator=instance_of(str))
    loop: str = field(default="", validator=in_(("", *LOOP_WORDS)))
    retry_after: float | None = field(default=None, validator=optional(is_number))


@frozen
class AnswerRefusal:
    """An answer that was refused, and why."""

    answer: str
    diagnostics: list[Diagnostic]


@frozen
class StepCall:
    """What an operator is asked to do.

    It can be pickled: another process gets all inputs, the plan as it was, and the last events of the history. On a
    Dask cluster it gets these when it asks for them.

    Attributes:
        step: a copy of the step.
        goal, constraints: those of the plan.
        inputs: values by name: of the declared inputs, or else of all outputs of earlier steps. Each is read on demand.
        missing: declared inputs that no step produces and that were not given.
        history: what has happened in this run.
        branches: for a decide step, copies of the children to choose from.
        attempt: from 1; how often this step, as it is written, was begun.
        key: unique in all runs; a call that is made again, after a crash or because the operator asked for it, has the
            same.
        plan_state: gives the folded plan; with a number, an excerpt of so many characters around the step.
        loop: the id of the subtask that ``loop`` in the result is about; empty if none is.
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


def _count(default: int, least: int = 0) -> Any:
    return field(default=default, validator=[instance_of(int), ge(least)])


@frozen
class EngineLimits:
    """What keeps a run from continuing for ever.

    Attributes:
        max_rounds: passes through the plan, the first included.
        max_retries: tries of a step by RETRY or INTERACT.
        max_repairs: refused answers before the step is blocked.
        max_attempts: how often a step is begun and reflected on in a round of a loop, for any reason.
        max_same_failures: how often a step, or one with the same text, may fail for the same reason. White space and
            numbers make no other reason; failures that were just retried do not count.
        max_plannings: how often the planner is asked for steps, each time with ``max_repairs``.
        max_commands: commands in an answer.
        max_added: steps that commands add.
        max_steps: steps that the planner writes at a time.
        max_loop: rounds of a loop that the planner writes, or whose total is not known. After them it is blocked.
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
