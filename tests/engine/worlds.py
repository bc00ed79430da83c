"""Worlds for the engine to work in: what an operator, a reflector, a planner and a person say, written down before."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

import pytest
from attrs import define, field, frozen

from planspec_lark import PlanSpec, parse_plan, serialize_plan
from planspec_lark.engine import (
    EngineLimits,
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

__all__ = ["Story", "World", "chosen", "each_story", "failed", "lacking", "ok", "plan", "shown", "unsure"]

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


_WORDS = {*("plan", "limits", "planner", "person"), *("log", "left", "ends", "outputs", "given", "heard")}
_SAID = re.compile(r"([A-Z_]+)(?: ([^{>]*[^{> ]))?(?: (\{.*\}))?(?: > (.*))?")


@frozen
class Story:
    """What is said in a world, and what is expected of it; a ``;`` is the end of a line, a ``/`` that of what is said.

    Attributes:
        told: what stands behind these words.

            - `plan`: its steps; `limits`: the engine's; `planner`, `person`: what these say.
            - `log`: who was asked, one after the other; `left`: the steps in the end; `ends`: how and why the run ends,
              where it does not converge; `outputs`: of the run; `given`: the inputs of each call; `heard`: the results
              that were reflected on.
            - anything else is the description of a step, and what the operator says of it, as `STATUS RESULT {OUTPUTS}
              > BRANCH`, each but the status if need be; behind a `?` what the reflector says then.
    """

    told: Mapping[str, str]

    def play(self) -> tuple[dict[str, str], dict[str, str]]:
        """What comes of it, as far as it was told, and what was told of that."""
        said = {word: told.replace("; ", "\n").split(" / ") for word, told in self.told.items()}
        own = {word: [f" {one}".partition(" ? ") for one in said[word]] for word in said.keys() - _WORDS}
        world = World(
            {
                word: [_read_said(one.strip()) for one, _, _ in all_said if one.strip()]
                for word, all_said in own.items()
            },
            {word: answers for word in own if (answers := [answer for _, mark, answer in own[word] if mark])},
            said.get("planner", ()),
            said.get("person", ()),
        )
        limits = {name: int(most) for name, most in re.findall(r"(\w+) (\d+)", self.told.get("limits", ""))}
        result = world.run(self.told["plan"].replace("; ", "\n"), limits=EngineLimits(**limits))
        found = {
            "log": ", ".join(world.log),
            "left": "; ".join(line.strip() for line in shown(result.plan).splitlines()),
            "ends": f"{result.outcome.value}: {result.reason}".removesuffix(": "),
            "outputs": json.dumps(dict(result.outputs)),
            "given": " / ".join(map(json.dumps, world.inputs)),
            "heard": " / ".join(call.result for call in world.reflections),
        }
        expected = {"ends": "converged", **self.told}
        told = found.keys() & expected.keys()
        return {name: found[name] for name in told}, {name: expected[name] for name in told}


def _read_said(text: str) -> OperatorResult:
    found = _SAID.fullmatch(text)
    assert found is not None, text
    status, result, outputs, branch = found.groups(default="")
    return OperatorResult(HopStatus(status), result, json.loads(outputs or "{}"), branch)


def each_story(text: str, plan: str = "") -> pytest.MarkDecorator:
    """A test for each paragraph: its first line is a name, each other one a word, a colon and what is told by that.

    A line that is indented further belongs to the one before. The plan is that of those who tell no other one.
    """
    stories = [re.sub(r"\n {8,}", " ", story).splitlines() for story in text.strip().split("\n\n")]
    told = [dict(line.strip().split(": ", 1) for line in lines) for _, *lines in stories]
    return pytest.mark.parametrize(
        "story", [Story({"plan": plan, **one}) for one in told], ids=[name for name, *_ in stories]
    )


def _say(said: Said) -> Said:
    if isinstance(said, BaseException):
        raise said
    return said
