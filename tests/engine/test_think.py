"""Plans that run in a scripted world: what is done with each result, and how a run ends."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planspec_lark import PlanStatus, parse_plan
from planspec_lark.document import PlanFile
from planspec_lark.engine import (
    Answer,
    Budget,
    Effort,
    EngineLimits,
    FatalError,
    HopStatus,
    OperatorResult,
    Outcome,
    PlanRunError,
    RunResult,
    StepCall,
    ThinkEngine,
    TransientError,
)
from planspec_lark.engine.models import Operator
from planspec_lark.planspec.models import hash_of
from planspec_lark.runs import MemoryLedger
from tests.cases import in_one_test
from tests.engine.worlds import Story, World, each_story, failed, lacking, ok, plan, shown, unsure

TWO = "1. [act] dig → hole\n2. [act] fill\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "plan").write_text("Goal: g\n## Steps\n1. [act] dig\n")
    return tmp_path / "plan"


# ---------------------------------------------------------------- what goes well


def test_steps_run_in_the_order_of_the_plan() -> None:
    world = World({"dig": [ok("deep", hole=3)]})
    given = plan("1. [subtask] s\n  1.1. [act] dig → hole\n  1.2. [reason] look\n2. [act] fill\n")
    before = shown(given)
    result = world.run(given)
    assert (result.outcome, result.reason, result.rounds) == (Outcome.CONVERGED, "", 1)
    assert (world.ran, result.outputs) == (["1.1", "1.2", "2"], {"hole": 3})
    assert shown(result.plan) == (
        "1. [x] [subtask] s\n  1.1. [x] [act] dig → hole | deep\n  1.2. [x] [reason] look\n2. [x] [act] fill\n"
    )
    assert shown(given) == before


def test_events_come_behind_what_they_tell() -> None:
    world = World({"fill": [failed("no")]}, {"fill": ["ACCEPT"]})
    world.run(TWO)
    assert world.kinds == ["begun", "started 1", "done 1", "started 2", "failed 2", "reflected 2", "ended"]


def test_what_an_operator_is_told() -> None:
    world = World()
    world.run(
        parse_plan("Goal: g\nConstraints:\n- c\n## Steps\n1. [act] dig → hole\n2. [act] fill\n  > ← hole\n  > d\n")
    )
    first, second = world.calls
    assert (first.goal, first.constraints, dict(first.inputs), first.missing) == ("g", ("c",), {}, ())
    assert (first.attempt, first.branches) == (1, ())
    assert (dict(second.inputs), second.step.inputs, second.step.detail) == ({"hole": "dig"}, ["hole"], ["d"])
    assert first.step.status is PlanStatus.ACTIVE
    assert first.key != second.key
    assert [(event.kind.value, event.step, event.description) for event in second.history] == [
        ("done", "1", "dig"),
        ("done", "2", "fill"),
    ]


def test_the_plan_as_the_operator_sees_it_is_folded() -> None:
    seen: list[str] = []

    def operate(call: StepCall) -> OperatorResult:
        seen.append(call.plan_state())
        return ok()

    ThinkEngine(plan("1. [act] a\n  > how\n2. [act] b\n  > why\n"), operate).run()
    assert seen == [
        "Goal: g\n## Steps\n1. [>] [act] a\n  > how\n2. [act] b\n",
        "Goal: g\n## Steps\n1. [x] [act] a\n2. [>] [act] b\n  > why\n",
    ]


def test_a_result_is_shown_in_one_line_that_steers_nothing() -> None:
    world = World({"dig": [ok(f"\x1b[2J a\n|  b → c \u202e{'x' * 400}", hole=1)], "fill": [ok("Progress: 1/2 | y")]})
    result = world.run(TWO)
    first, second = result.plan.steps
    assert first.result == "\\x1b[2J a | b → c \\u202e" + "x" * 176 + "…"
    assert second.result == "Progress: 1/2 | y"
    assert shown(parse_plan(f"Goal: g\n## Steps\n{shown(result.plan)}")) == shown(result.plan)


# ---------------------------------------------------------------- status × decision × command


def test_what_an_operator_raises_is_reflected_on_and_no_result() -> None:
    world = World({"dig": [ValueError("x"), ok(hole=1)]}, {"dig": ["ACCEPT", "RETRY"]})
    assert world.run(TWO).outcome is Outcome.CONVERGED
    call, again = world.reflections
    assert (call.status, call.result, call.can_accept) == (HopStatus.FAIL, "ValueError: x", False)
    assert again.refusal is not None
    assert [found.message for found in again.refusal.diagnostics] == [
        "ACCEPT is not possible here: the step has no result that could be accepted"
    ]


@pytest.mark.parametrize("said", [failed("x"), unsure("x"), lacking("x")])
def test_a_step_that_is_not_ok_is_reflected_on(said: OperatorResult) -> None:
    world = World({"dig": [said]}, {"dig": ["ACCEPT | fine"]})
    result = world.run(TWO)
    assert world.log == ["run 1", "reflect 1", "run 2"]
    (call,) = world.reflections
    assert (call.status, call.result, call.step.step_id, call.attempt) == (said.status, "x", "1", 1)
    assert call.plan_state == "Goal: g\n## Steps\n1. [>] [act] dig → hole\n2. [act] fill\n"
    assert (call.can_interact, call.can_retry, call.can_accept, call.refusal) == (False, True, True, None)
    assert call.commands == ("SKIP", "REVISE", "ADD", "REPLAN")
    assert result.outcome is Outcome.CONVERGED
    assert result.plan.steps[0].result == "x"


@in_one_test
@pytest.mark.parametrize("said", [failed("no"), unsure("no"), lacking("no")])
@pytest.mark.parametrize(
    ("answer", "log", "left"),
    [
        ("RETRY", "run 1, reflect 1, run 1, run 2", "1. [x] [act] a → x | now; 2. [x] [act] b"),
        ("ACCEPT", "run 1, reflect 1, run 2", "1. [x] [act] a → x | no; 2. [x] [act] b"),
        ("INTERACT | where?", "run 1, reflect 1, ask 1, run 1, run 2", "1. [x] [act] a → x | now; 2. [x] [act] b"),
        ("PLAN_CMD: SKIP 1 | rock", "run 1, reflect 1, run 2", "1. [~] [act] a → x | rock; 2. [x] [act] b"),
        ("PLAN_CMD: REVISE 1 [act] c", "run 1, reflect 1, run 1, run 2", "1. [x] [act] c; 2. [x] [act] b"),
        ("ACCEPT; PLAN_CMD: REVISE 2 [act] c", "run 1, reflect 1, run 2", "1. [x] [act] a → x | no; 2. [x] [act] c"),
        (
            "RETRY; PLAN_CMD: ADD 1 [act] c",
            "run 1, reflect 1, run 1, run 2, run 3",
            "1. [x] [act] c; 2. [x] [act] a → x | now; 3. [x] [act] b",
        ),
        (
            "PLAN_CMD: SKIP 1; PLAN_CMD: ADD 2 [act] c → x",
            "run 1, reflect 1, run 2, run 3",
            "1. [~] [act] a → x; 2. [x] [act] c → x; 3. [x] [act] b",
        ),
    ],
)
def test_what_is_decided_is_done(said: OperatorResult, answer: str, log: str, left: str) -> None:
    world = World({"a": [said, ok("now", x=1)]}, {"a": [answer.replace("; ", "\n")]}, replies=["there"])
    result = world.run("1. [act] a → x\n2. [act] b\n")
    assert (result.outcome, ", ".join(world.log)) == (Outcome.CONVERGED, log)
    assert shown(result.plan) == left.replace("; ", "\n") + "\n"


def test_an_answer_of_a_person_is_in_the_history() -> None:
    world = World({"dig": [lacking("where?"), ok(hole=1)]}, {"dig": ["INTERACT"]}, replies=["by the tree"])
    world.run(TWO)
    (question,) = world.questions
    assert (question.text, question.step.description) == ("where?", "dig")
    assert world.reflections[0].can_interact
    told = [event for event in world.calls[1].history if event.kind.value == "told"]
    assert [(event.step, event.text) for event in told] == [("1", "by the tree")]
    assert world.calls[1].attempt == 2


def test_a_question_without_an_answer() -> None:
    world = World({"dig": [lacking()]}, {"dig": ["INTERACT | where?"]}, replies=[None])
    result = world.run(TWO)
    assert (result.outcome, result.reason) == (Outcome.BLOCKED, "steps are blocked: 1")
    assert result.plan.steps[0].result == "no answer to the question: where?"


@each_story(
    """
what is asked comes before what commands make of the step
    dig: LACK_OF_INFO ? INTERACT | where?; PLAN_CMD: REVISE 1 [act] dig there
    person: x
    log: run 1, reflect 1, ask 1, run 1, run 2
    left: 1. [x] [act] dig there; 2. [x] [act] fill

a step that is put before it runs before the question
    dig: LACK_OF_INFO ? INTERACT | where?; PLAN_CMD: ADD 1 [act] look / OK {"hole": 1}
    person: x
    log: run 1, reflect 1, run 1, ask 2, run 2, run 3

refused too often a step is blocked
    dig: FAIL broken ? hm / ? nothing / ? PLAN_CMD: SKIP 9
    log: run 1, reflect 1, reflect 1, reflect 1, run 2
    left: 1. [!] [act] dig → hole | broken;
        the reflector was refused 3 times, the last time for: SKIP 9: step 9 does not exist; 2. [x] [act] fill
    ends: blocked: steps are blocked: 1

refused once and for all
    limits: max_repairs 0
    dig: FAIL ? hm
    log: run 1, reflect 1, run 2
    left: 1. [!] [act] dig → hole | the operator says FAIL;
        the reflector was refused once, the last time for: the answer has no decision and no command; 2. [x] [act] fill
    ends: blocked: steps are blocked: 1

questions count as retries
    dig: LACK_OF_INFO ? INTERACT | where?
    person: x
    log: run 1, reflect 1, ask 1, run 1, reflect 1, ask 1, run 1, reflect 1, reflect 1, reflect 1, run 2
    ends: blocked: steps are blocked: 1

a step that is revised for ever is blocked
    limits: max_attempts 4, max_same_failures 9
    dig: FAIL no ? PLAN_CMD: REVISE 1 [act] dig
    log: run 1, reflect 1, run 1, reflect 1, run 1, reflect 1, run 1, reflect 1, run 2
    left: 1. [!] [act] dig | it was begun 4 times; 2. [x] [act] fill
    ends: blocked: steps are blocked: 1

a container that is revised for ever is blocked
    plan: 1. [subtask] s → z; 1.1. [act] dig
    limits: max_attempts 4, max_same_failures 9
    s: ? PLAN_CMD: REVISE 1 [subtask] s → z
    log: run 1.1, reflect 1, reflect 1, reflect 1, reflect 1
    left: 1. [!] [subtask] s → z | declared outputs are missing: z: no step below produced them;
        it was reflected on 4 times; 1.1. [x] [act] dig
    ends: blocked: steps are blocked: 1

a container that is planned again for ever is blocked
    plan: 1. [subtask] s → z; 1.1. [act] dig
    limits: max_attempts 4, max_same_failures 9
    s: ? PLAN_CMD: REPLAN 1
    log: run 1.1, reflect 1, reflect 1, reflect 1, reflect 1
    ends: blocked: steps are blocked: 1

where what stands above is revised for ever, a step is tried as often as it may be begun
    plan: 1. [subtask] s; 1.1. [act] dig
    limits: max_attempts 4, max_same_failures 9
    dig: FAIL no ? PLAN_CMD: REVISE 1 [subtask] s
    log: run 1.1, reflect 1.1, run 1.1, reflect 1.1, run 1.1, reflect 1.1, run 1.1, reflect 1.1
    left: 1. [!] [subtask] s | step 1.1 is blocked; 1.1. [!] [act] dig | it was begun 4 times
    ends: blocked: steps are blocked: 1, 1.1

commands that cannot all be performed change nothing
    dig: FAIL no ? PLAN_CMD: SKIP 1; PLAN_CMD: SKIP 7 / ? ACCEPT
    left: 1. [x] [act] dig → hole | no; 2. [x] [act] fill

a container that is emptied can become a leaf
    plan: 1. [subtask] s; 1.1. [x] [act] a; 1.2. [act] dig
    dig: FAIL ? PLAN_CMD: REPLAN 1 | x; PLAN_CMD: REVISE 1 [act] t
    log: run 1.2, reflect 1.2, run 1
    left: 1. [x] [act] t

a container that becomes an act step needs no plan
    plan: 1. [act] dig; 2. [subtask] build; 2.1. [act] wall
    dig: FAIL ? PLAN_CMD: REPLAN 2 | no stones; RETRY / OK
    build: ? PLAN_CMD: REVISE 2 [act] tent
    planner: nonsense / nonsense / nonsense
    log: run 1, reflect 1, run 1, plan children 2, plan children 2, plan children 2, reflect 2, run 2

declared outputs have to be there
    dig: OK deep ? RETRY / OK deep {"hole": 1}
    heard: declared outputs are missing: hole; the operator says: deep

what is accepted keeps its outputs
    dig: UNCERTAIN x {"hole": 5} ? ACCEPT
    given: {} / {"hole": 5}
    outputs: {"hole": 5}
""",
    "1. [act] dig → hole; 2. [act] fill",
)
def test_decisions(story: Story) -> None:
    found, expected = story.play()
    assert found == expected


# ---------------------------------------------------------------- refused answers


def test_interact_is_refused_without_a_person_to_ask() -> None:
    world = World({"dig": [lacking()]}, {"dig": ["INTERACT | where?", "ACCEPT"]})
    assert world.run(TWO).outcome is Outcome.CONVERGED
    refusal = world.reflections[1].refusal
    assert refusal is not None
    assert refusal.answer == "INTERACT | where?"
    assert [found.message for found in refusal.diagnostics] == [
        "INTERACT is not possible here: no operator can be asked"
    ]


def test_retries_are_bounded() -> None:
    world = World({"dig": [failed()]}, {"dig": ["RETRY"]})
    result = world.run(TWO)
    assert world.ran == ["1", "1", "1", "2"]
    assert [call.can_retry for call in world.reflections] == [True, True, False, False, False]
    assert [call.can_interact for call in world.reflections] == [False] * 5
    assert "RETRY is no longer possible" in result.plan.steps[0].result
    assert [call.attempt for call in world.calls] == [1, 2, 3, 1]
    assert len({call.key for call in world.calls}) == 4


def test_commands_are_bounded() -> None:
    many = "ACCEPT\n" + "PLAN_CMD: REVISE 2 [act] x\n" * 4
    more = "ACCEPT\n" + "PLAN_CMD: ADD 3 [act] x\n" * 3
    world = World({"dig": [failed()]}, {"dig": [many, more, "ACCEPT\nPLAN_CMD: ADD 3 [act] x"]})
    limits = EngineLimits(max_commands=3, max_added=2)
    result = world.run(TWO, limits=limits)
    messages = [call.refusal.diagnostics[0].message for call in world.reflections if call.refusal]
    assert messages == [
        "4 commands: an answer may have at most 3",
        "too many ADD commands: 2 more steps may be added in this run",
    ]
    assert len(result.plan.steps) == 3


def test_commands_that_are_used_up_are_not_offered() -> None:
    world = World({"dig": [failed()]}, {"dig": ["RETRY\nPLAN_CMD: ADD 1 [act] x", "ACCEPT"]})
    world.run(TWO, limits=EngineLimits(max_added=1, max_plannings=0, max_same_failures=3))
    assert [call.commands for call in world.reflections] == [("SKIP", "REVISE", "ADD"), ("SKIP", "REVISE")]


# ---------------------------------------------------------------- results that are none


@pytest.mark.parametrize("answer", ["ACCEPT", "hm"])
def test_line_ends_of_other_systems_in_what_is_not_ok(answer: str) -> None:
    world = World({"dig": [unsure("rock\r\nand\rmud", hole=5)]}, {"dig": [answer] * 3})
    assert world.run(TWO).plan.steps[0].result.startswith("rock and mud")


UNWRITABLE = "output 'hole' cannot be written as JSON:"
_LOOP: list[Any] = []
_LOOP.append(_LOOP)
_DEEP: list[Any] = []
for _ in range(100_000):
    _DEEP = [_DEEP]


@in_one_test
@pytest.mark.parametrize(
    ("outputs", "message"),
    [
        ({"hole": object()}, f"{UNWRITABLE} Object of type object is not JSON serializable"),
        ({"hole": {"x": [{1: "one", "1": "uno"}]}}, f"{UNWRITABLE} keys must be texts, not int"),
        ({"hole": math.nan}, f"{UNWRITABLE} Out of range float values are not JSON compliant"),
        ({"hole": math.inf}, f"{UNWRITABLE} Out of range float values are not JSON compliant"),
        ({"hole": _LOOP}, f"{UNWRITABLE} Circular reference detected"),
        ({"hole": b"x"}, f"{UNWRITABLE} Object of type bytes is not JSON serializable"),
        ({1: "x"}, "an output is named by a int, not by a text"),
        ({"hole": "x" * 99}, "the outputs have more than 100 bytes"),
        ({"hole": _DEEP}, UNWRITABLE),
        ({"hole": "\ud800"}, UNWRITABLE),
        ({"\ud800": 1}, "output '\\ud800' cannot be written as JSON:"),
        ({"hole": 10**5000}, UNWRITABLE),
    ],
)
def test_outputs_that_cannot_be_kept(outputs: Any, message: str) -> None:
    world = World({"dig": [OperatorResult(outputs=outputs)]}, {"dig": ["PLAN_CMD: SKIP 1"]})
    assert world.run(TWO, limits=EngineLimits(max_output_bytes=100)).outcome is Outcome.CONVERGED
    assert world.reflections[0].result.startswith(message)


def test_unusable_ends_the_run() -> None:
    world = World({"dig": [FatalError("no key")]}, {"dig": ["ACCEPT"]})
    with pytest.raises(FatalError, match="no key"):
        world.run(TWO)
    assert world.log == ["run 1"]


@pytest.mark.parametrize("said", [OSError("no net"), KeyError("x"), TransientError("busy", retry_after=0.01), 7])
@pytest.mark.parametrize(
    ("who", "world", "message"),
    [
        ("answers", {}, "a reflector gives a text or an Answer, not int"),
        ("plannings", {}, "a planner gives a text or an Answer, not int"),
        ("replies", {"answers": {"dig": ["INTERACT"]}}, "what is asked for is a text or None, not int"),
    ],
)
def test_what_others_raise_ends_the_run(said: Any, who: str, world: dict[str, Any], message: str, path: Path) -> None:
    """So does what is no answer."""
    said_by = {**world, who: {"dig": [said]} if who == "answers" else [said]}
    for given in (plan("1. [act] dig\n"), path):
        with pytest.raises(TypeError if said == 7 else type(said)) as raised:
            World({"dig": [failed()]}, **said_by).run(given)
        assert str(raised.value) == message if said == 7 else raised.value is said


_NO_NAME = "is not a variable (a letter or `_`, then letters, digits and `_`)"


@in_one_test
@pytest.mark.parametrize(
    ("steps", "options", "said"),
    [
        (
            "1. [act] a\n  1.1. [act] b\n2. [LLM] c\n",
            {},
            "the plan cannot be run: step 2: invalid type 'LLM' (and 1 more)",
        ),
        # What JSON cannot say.
        *((TWO, {"inputs": inputs}, "inputs: ") for inputs in ({"a": object()}, {"a": math.nan}, {"a": _LOOP})),
        *((TWO, {"inputs": inputs}, "inputs: ") for inputs in ({"a": "\ud800"}, {1: "a"}, {"a": {None: 1}})),
        # What no step can declare.
        *((TWO, {"inputs": {"b": 1, name: 1}}, f"inputs: '{name}' {_NO_NAME}") for name in ("a b", "a-b", "1a", "")),
        # What no ledger can hold.
        (TWO, {"run_id": "a\ud800"}, "run_id: the character U+D800 cannot be written as UTF-8"),
        (TWO, {"run_name": "a\ud800"}, "run_name: the character U+D800 cannot be written as UTF-8"),
        (TWO, {"required": "hole"}, "required: expected names, not one text"),
    ],
)
def test_a_run_that_cannot_begin(steps: str, options: dict[str, Any], said: str) -> None:
    world = World()
    with pytest.raises((PlanRunError, ValueError, TypeError)) as error:
        world.run(steps, **options)
    assert str(error.value).startswith(said)
    assert world.log == []


@pytest.mark.parametrize("run_id", ["", "nightly"])
def test_to_resume_begins_a_run_where_there_is_none(run_id: str) -> None:
    ledger, world = MemoryLedger(), World()
    first = world.run(TWO, resume=True, ledger=ledger, run_id=run_id, budget=Budget(steps=1), inputs={"x": 1})
    second = world.run(first.plan, resume=True, ledger=ledger, run_id=run_id)
    assert (world.ran, second.outcome, len(ledger.runs())) == (["1", "2"], Outcome.CONVERGED, 1)
    assert second.run == (run_id or first.run)
    # So does that of a subtask.
    world = World()
    result = world.engine(plan("1. [act] a\n2. [subtask] s\n  2.1. [act] b\n")).run_subtask("2", resume=True)
    assert (result.outcome, world.ran) == (Outcome.CONVERGED, ["2.1"])


# ---------------------------------------------------------------- budgets


@pytest.mark.parametrize(
    ("budget", "reason", "log"),
    [
        (Budget(steps=1), "the budget is used up: steps: 1", ["run 1"]),
        (Budget(llm_calls=1), "the budget is used up: calls of programs and models: 1", ["run 1"]),
        (Budget(tokens=10), "the budget is used up: tokens: 10", ["run 1", "reflect 1"]),
        (Budget(cost=0.5), "the budget is used up: cost: 0.5", ["run 1", "reflect 1"]),
        (Budget(seconds=1e-9), "the budget is used up: seconds: 1e-09", []),
    ],
)
def test_a_budget_that_is_used_up(budget: Budget, reason: str, log: list[str]) -> None:
    spent = OperatorResult(HopStatus.FAIL, "x", effort=Effort(1, 4, 0.2))
    world = World({"dig": [spent]}, {"dig": [Answer("ACCEPT", Effort(1, 6, 0.3))]})
    result = world.run(TWO, budget=budget)
    assert (result.outcome, result.reason, world.log) == (Outcome.BUDGET, reason, log)
    assert result.effort == Effort(len(log), *[(0, 0), (4, 0.2), (10, 0.5)][len(log)])


# ---------------------------------------------------------------- asynchronous callables


@pytest.mark.parametrize("run", [ThinkEngine.run, lambda engine: asyncio.run(engine.arun())])
def test_all_callables_may_be_asynchronous(run: Callable[[ThinkEngine], RunResult]) -> None:
    steps: dict[str, Any] = {"dig": [lacking(), failed()]}
    world = World(steps, {"dig": ["INTERACT", "ACCEPT"]}, ["PLAN_CMD: ADD 3 [act] x → z"], ["y"])

    def late(call: Any) -> Any:
        async def answer(given: Any) -> Any:
            await asyncio.sleep(0)
            return call(given)

        return answer

    roles = [late(role) for role in (world.operator, world.reflector, world.planner)]
    assert run(ThinkEngine(plan(TWO), *roles, ask=late(world.ask), required=["z"])).outcome is Outcome.CONVERGED
    assert world.log == ["run 1", "reflect 1", "ask 1", "run 1", "reflect 1", "run 2", "plan changes", "run 3"]


def test_what_is_asynchronous_needs_arun_in_a_loop() -> None:
    async def operate(_: StepCall) -> OperatorResult:
        return ok()

    async def main() -> None:
        ThinkEngine(plan(TWO), operate).run()

    with pytest.raises(RuntimeError, match=r"an event loop is running already, so await arun\(\) here"):
        asyncio.run(main())


def test_a_runner_calls_the_operator() -> None:
    calls: list[str] = []

    def operate(call: StepCall) -> OperatorResult:
        return OperatorResult(outputs=dict.fromkeys(call.step.outputs, call.attempt))

    def run(operator: Operator, call: StepCall) -> OperatorResult:
        calls.append(call.key)
        result = operator(call)
        assert isinstance(result, OperatorResult)
        return result

    given = plan(TWO)
    done = ThinkEngine(given, operate, runner=run).run()
    assert done.outputs == {"hole": 1}
    assert calls == [f"{done.run}:{at}:{hash_of(step)}:{at}" for at, step in enumerate(given.steps, 1)]


def test_a_run_in_the_same_loop_is_waited_for(path: Path) -> None:
    async def operate(_call: StepCall) -> OperatorResult:
        await asyncio.sleep(0.3)
        return OperatorResult()

    async def run_twice() -> list[Outcome]:
        engines = [ThinkEngine(PlanFile(path, wait=30), operate) for _ in range(2)]
        async with asyncio.timeout(20):
            return [one.outcome for one in await asyncio.gather(*(engine.arun() for engine in engines))]

    assert asyncio.run(run_twice()) == [Outcome.CONVERGED] * 2
