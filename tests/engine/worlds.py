"""Worlds for the engine to work in: what an operator, a reflector, a planner and a person say, written down before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

from attrs import define, field

from planspec_lark import PlanSpec, parse_plan, serialize_plan
from planspec_lark.engine import (
    HopStatus,
    OperatorResult,
    PlanningCall,
    Question,
    ReflectionCall,
    RunResult,
    StepCall,
    ThinkEngine,
    ThinkEvent,
)

__all__ = ["World", "chosen", "failed", "lacking", "ok", "plan", "shown", "unsure"]

# What is given back, or an exception that is raised.
Said: TypeAlias = Any


def ok(result: str = "", **outputs: Any) -> OperatorResult:
    return OperatorResult(HopStatus.OK, result, outputs)


def chosen(branch: str, result: str = "", **outputs: Any) -> OperatorResult:
    return OperatorResult(HopStatus.OK, result, outputs, branch)


def failed(result: str = "it broke", **outputs: Any) -> OperatorResult:
    return OperatorResult(HopStatus.FAIL, result, outputs)


def unsure(result: str = "perhaps", **outputs: Any) -> OperatorResult:
    return OperatorResult(HopStatus.UNCERTAIN, result, outputs)


def lacking(result: str = "who knows") -> OperatorResult:
    return OperatorResult(HopStatus.LACK_OF_INFO, result)


def plan(steps: str, goal: str = "g") -> PlanSpec:
    """A plan of these steps, whose indentation does not count."""
    return parse_plan(f"Goal: {goal}\n## Steps\n{steps}")


def shown(made: PlanSpec) -> str:
    """The steps of a plan as text."""
    return serialize_plan(made).partition("## Steps\n")[2]


@define
class World:
    """Says what is written down, and remembers what it was asked.

    Attributes:
        steps: results by the description of a step, one for each call; the last one stays. A step without any is OK and
            produces its own description for each of its outputs; a decide step chooses its first branch.
        answers: of the reflector, by description in the same way.
        plannings: of the planner, one after the other; what comes behind them is empty.
        replies: of the person who is asked.
        log: what was asked, by whom.
        calls, inputs: of the operator; a ledger can be read as long as a run goes on.
    """

    steps: Mapping[str, Sequence[Said]] = field(factory=dict)
    answers: Mapping[str, Sequence[Said]] = field(factory=dict)
    plannings: Sequence[Said] = ()
    replies: Sequence[Said] = ()
    log: list[str] = field(factory=list)
    calls: list[StepCall] = field(factory=list)
    inputs: list[dict[str, Any]] = field(factory=list)
    reflections: list[ReflectionCall] = field(factory=list)
    planned: list[PlanningCall] = field(factory=list)
    questions: list[Question] = field(factory=list)
    events: list[ThinkEvent] = field(factory=list)
    _times: Counter[tuple[str, str]] = field(factory=Counter)

    def operator(self, call: StepCall) -> OperatorResult:
        self.calls.append(call)
        self.inputs.append(dict(call.inputs))
        self.log.append(f"run {call.step.step_id}")
        said: Any = self._next("run", call.step.description, self.steps.get(call.step.description, ()))
        if said is None:
            branch = call.branches[0].step_id if call.branches else ""
            said = chosen(branch, **dict.fromkeys(call.step.outputs, call.step.description))
        return cast(OperatorResult, said)

    def reflector(self, call: ReflectionCall) -> str:
        self.reflections.append(call)
        self.log.append(f"reflect {call.step.step_id}")
        said = self._next("reflect", call.step.description, self.answers.get(call.step.description, ()))
        return "ACCEPT" if said is None else said

    def planner(self, call: PlanningCall) -> str:
        self.planned.append(call)
        self.log.append(f"plan {call.purpose.value}" + (f" {call.step.step_id}" if call.step else ""))
        at = self._times["plan", ""]
        self._times["plan", ""] += 1
        return _say(self.plannings[at]) if at < len(self.plannings) else ""

    def ask(self, question: Question) -> str | None:
        self.questions.append(question)
        self.log.append(f"ask {question.step.step_id}")
        return cast("str | None", self._next("ask", "", self.replies))

    def _next(self, who: str, what: str, said: Sequence[Said]) -> Said:
        if not said:
            return None
        at = min(self._times[who, what], len(said) - 1)
        self._times[who, what] += 1
        return _say(said[at])

    def engine(self, made: Any, **options: Any) -> ThinkEngine:
        """An engine in this world; a role with nothing to say is not there, unless the options say so."""
        given: dict[str, Any] = {
            "reflector": self.reflector if self.answers else None,
            "planner": self.planner if self.plannings else None,
            "ask": self.ask if self.replies else None,
            "on_event": self.events.append,
        }
        return ThinkEngine(made, self.operator, **{**given, **options})

    def run(self, made: Any, *, resume: bool = False, **options: Any) -> RunResult:
        """Run a plan, or the text of its steps."""
        return self.engine(plan(made) if isinstance(made, str) else made, **options).run(resume=resume)

    @property
    def ran(self) -> list[str]:
        """The steps that were run, by their ids."""
        return [call.step.step_id for call in self.calls]

    @property
    def kinds(self) -> list[str]:
        """What has happened."""
        return [f"{event.kind.value} {event.step_id}".strip() for event in self.events]


def _say(said: Said) -> Said:
    if isinstance(said, BaseException):
        raise said
    return said
