"""Models and programs as operator, reflector and planner: what they are sent, and what becomes of their answers."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Iterable
from inspect import isawaitable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from planspec_lark import parse_plan, serialize_plan
from planspec_lark.engine import (
    Answer,
    Effort,
    FatalError,
    HopStatus,
    OperatorResult,
    Outcome,
    PlanningCall,
    PlanningPurpose,
    ReflectionCall,
    Request,
    RunPhase,
    StepCall,
    StepPolicy,
    ThinkEngine,
    plan_prompt,
    request_replan,
)
from planspec_lark.engine.models import AnswerRefusal, Operator
from planspec_lark.llm import (
    LlmError,
    OpenAIChat,
    Program,
    ProgramError,
    Reply,
    Usage,
    chat_model,
    model_operator,
    model_planner,
    model_reflector,
    program_model,
)
from planspec_lark.llm.engine_roles import Model
from planspec_lark.runs import MemoryLedger, RecordKind as Kinds
from tests.llm.serving import Scripted, Served, answer, completion, fault, fine

PLAN = """\
Goal: Ripe plums in the hall
> Before Sunday.
Constraints:
- No lorry
## Steps
1. [act] Weigh the plums → weights
2. [act] Rent boxes → boxes, van
  > ← weights, money
3. [decide] Look at the forecast
  3.1. [act] Dry: pick everything
  3.2. [act] Rain: pick only the ripe ones
"""

# The type checker takes what attrs converts to a tuple for a tuple of anything.
REQUIRED: Any = ["boxes"]

RENTED = '{"status": "OK", "result": "Rented", "outputs": {"boxes": 40, "van": "white"}}'
UNREADABLE = "I have rented them."


class Script:
    """A model that answers from a list, errors included, and keeps what it was asked."""

    def __init__(self, *answers: str | Answer | Exception) -> None:
        self.answers, self.asked = list(answers), list[Request]()

    def __call__(self, request: Request) -> str | Answer:
        self.asked.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def at_once(script: Script) -> Model:
    return script


def later(script: Script) -> Model:
    async def ask(request: Request) -> str | Answer:
        await asyncio.sleep(0)
        return script(request)

    return ask


Kind = Callable[[Script], Model]


@pytest.fixture(params=[at_once, later])
def kind(request: pytest.FixtureRequest) -> Kind:
    made: Kind = request.param
    return made


def calls_of(operator: Operator, steps: int = 1) -> tuple[list[OperatorResult], list[StepCall]]:
    """What an operator gives for the second step of the plan, and what it was called with."""
    given: list[OperatorResult] = []
    calls: list[StepCall] = []

    async def operate(call: StepCall) -> OperatorResult:
        if call.step.step_id == "1":
            return OperatorResult("OK", "12 trees", {"weights": [310, 95]})
        calls.append(call)
        result = operator(call)
        given.append(await result if isawaitable(result) else result)
        if len(given) == steps:
            raise FatalError("enough")
        return given[-1]

    with pytest.raises(FatalError):
        ThinkEngine(parse_plan(PLAN), operate, inputs={"money": 100}).run()
    return given, calls


def operate(model: Model, **settings: Any) -> OperatorResult:
    return calls_of(model_operator(model, **settings))[0][0]


# ---------------------------------------------------------------- operators


def test_an_operator_reads_the_answer(kind: Kind) -> None:
    script = Script(Answer(f"Here:\n{RENTED}", Effort(1, 7)))
    expected = OperatorResult("OK", "Rented", {"boxes": 40, "van": "white"}, effort=Effort(1, 7))
    assert operate(kind(script)) == expected
    (request,) = script.asked
    assert request.phase is RunPhase.EXECUTION
    assert request.data["inputs"] == {"weights": [310, 95], "money": 100}
    assert request.data["attempt"] == 1
    assert request.data["missing"] == []
    assert request.data["history"] == [{"step": "1", "what": "done", "task": "Weigh the plums", "text": "12 trees"}]
    assert request.data["left_out"] == 0
    assert request.data["plan_state"].splitlines()[6] == "2. [>] [act] Rent boxes → boxes, van"


def test_the_key_is_that_of_the_call() -> None:
    script = Script(RENTED)
    _, (call,) = calls_of(model_operator(script))
    assert script.asked[0].data["key"] == call.key
    assert call.key


def test_an_answer_that_cannot_be_read_is_a_failure_and_the_model_is_not_asked_again(kind: Kind) -> None:
    """What was asked for may be done."""
    script = Script(Answer(UNREADABLE, Effort(1, 3)), RENTED)
    result = operate(kind(script))
    assert (result.status, result.outputs) == (HopStatus.FAIL, {})
    assert result.result == "the answer cannot be read: the text has no JSON object"
    assert (result.answer, result.effort) == (UNREADABLE, Effort(1, 3))
    assert script.answers == [RENTED]


def test_the_ledger_keeps_an_answer_that_cannot_be_read() -> None:
    ledger = MemoryLedger()
    plan = parse_plan("Goal: g\n## Steps\n1. [act] a\n")
    ThinkEngine(plan, model_operator(Script(UNREADABLE)), ledger=ledger).run()
    (failed,) = ledger.records(ledger.runs()[0].run, kinds=[Kinds.FAILED])
    assert failed.data["answer"] == UNREADABLE


TOLD = RENTED.replace("{", '{"tokens": 70, "cost": 0.5, "model": "other", ', 1)


@pytest.mark.parametrize(
    ("answer", "effort"),
    [
        (RENTED, Effort(1, 0)),
        (TOLD, Effort(1, 70, 0.5, model="other")),
        # Also of one that cannot be read.
        (TOLD.replace("OK", "odd"), Effort(1, 70, 0.5, model="other")),
        # What an endpoint has counted, or named, holds.
        (Answer(TOLD, Effort(1, 7)), Effort(1, 7)),
        (Answer(TOLD, Effort(1, model="m")), Effort(1, 70, 0.5, model="m")),
    ],
)
def test_an_answer_tells_what_it_took(answer: str | Answer, effort: Effort) -> None:
    assert operate(Script(answer)).effort == effort


def test_a_decision_is_asked_for_its_branch(kind: Kind) -> None:
    script = Script(RENTED, '{"status": "OK", "result": "It rains", "branch": "3.2"}')
    given, (_, decision) = calls_of(model_operator(kind(script)), 2)
    assert given[1] == OperatorResult("OK", "It rains", branch="3.2")
    assert [branch.step_id for branch in decision.branches] == ["3.1", "3.2"]
    assert [branch["id"] for branch in script.asked[1].data["branches"]] == ["3.1", "3.2"]
    script = Script(RENTED, '{"status": "OK", "result": "so", "branch": "3.3"}')
    given, _ = calls_of(model_operator(kind(script)), 2)
    assert given[1].status is HopStatus.FAIL
    assert "3.3" in given[1].result


@pytest.mark.parametrize(
    "error",
    [
        ProgramError("`sh` ended with exit code 3", has_answered=True, exit_code=3),
        LlmError("the model refuses to answer: no", has_answered=True),
    ],
)
def test_a_role_that_has_been_asked_and_fails_has_failed_at_the_step(kind: Kind, error: Exception) -> None:
    assert operate(kind(Script(error))) == OperatorResult("FAIL", str(error), effort=Effort(1, 0))


@pytest.mark.parametrize(
    "error",
    [
        ProgramError("`nope` cannot be run: there is no such program"),
        LlmError("no connection to localhost", retryable=True),
        LlmError("the endpoint refuses the API key (401)", status=401),
    ],
)
def test_without_a_model_to_ask_the_run_ends(kind: Kind, error: Exception) -> None:
    script = Script(error, error, RENTED)
    policy = StepPolicy(max_tries=2, pause=0)
    with pytest.raises(FatalError) as caught:
        ThinkEngine(parse_plan(PLAN), model_operator(kind(script)), step_policy=policy).run()
    assert str(caught.value) == str(error)
    # Where the same call may succeed at another time, it is made once more.
    assert len(script.asked) == 1 + (isinstance(error, LlmError) and error.retryable)


def test_a_model_that_gives_something_else(kind: Kind) -> None:
    given: Any = 3
    result = ThinkEngine(parse_plan("Goal: g\n## Steps\n1. [act] a\n"), model_operator(kind(Script(given)))).run()
    assert result.plan.steps[0].result == "TypeError: a model gives a text or an Answer, not int"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_language_of_prompts(language: str) -> None:
    script = Script(RENTED)
    operate(script, language=language)
    assert script.asked[0].language == language
    assert script.asked[0].prompt.startswith({"en": "# Carry out one step\n", "zh": "# 执行一个步骤\n"}[language])


def test_a_long_history_is_cut() -> None:
    steps = "".join(f"{number}. [act] Step {number}\n" for number in range(1, 8))
    script = Script(*['{"status": "OK", "result": "so"}'] * 7)
    ThinkEngine(parse_plan(f"Goal: g\n## Steps\n{steps}"), model_operator(script, max_history=150)).run()
    last = script.asked[-1].data
    assert [entry["step"] for entry in last["history"]] == ["5", "6"]
    assert last["left_out"] == 4


# ---------------------------------------------------------------- reflectors and planners


def reflection(refusal: AnswerRefusal | None = None) -> ReflectionCall:
    calls: list[ReflectionCall] = []

    def reflect(call: ReflectionCall) -> str:
        calls.append(call)
        return "ACCEPT"

    def fail(_: StepCall) -> OperatorResult:
        return OperatorResult("FAIL", "no boxes")

    ThinkEngine(parse_plan("Goal: g\n## Steps\n1. [act] a\n"), fail, reflect).run()
    call = calls[0]
    return ReflectionCall(
        call.step, call.status, call.result, call.plan_state, call.can_interact, call.can_retry,
        call.can_accept, call.commands, call.attempt, call.history, refusal,
    )  # fmt: skip


def wait(answer: str | Answer | Awaitable[str | Answer]) -> str | Answer:
    async def go_on() -> str | Answer:
        return await answer if isawaitable(answer) else answer

    return asyncio.run(go_on())


def test_a_reflector_asks(kind: Kind) -> None:
    script = Script(Answer("RETRY | again", Effort(1, 9)))
    assert wait(model_reflector(kind(script))(reflection())) == Answer("RETRY | again", Effort(1, 9))
    (request,) = script.asked
    assert request.phase is RunPhase.REFLECTION
    names = ("status", "result", "attempt", "can_retry", "can_accept", "can_interact", "commands")
    said = {name: request.data[name] for name in names}
    assert said == {
        "status": "FAIL",
        "result": "no boxes",
        "attempt": 1,
        "can_retry": True,
        "can_accept": True,
        "can_interact": False,
        "commands": ["SKIP", "REVISE", "ADD", "REPLAN"],
    }


def test_a_reflector_is_told_why_it_was_refused() -> None:
    script = Script("ACCEPT")
    model_reflector(script, language="zh")(reflection(AnswerRefusal("oh \x1b", [])))
    (request,) = script.asked
    assert request.refused is not None
    assert request.refused["answer"] == "oh \x1b"
    assert request.language == "zh"


def planning(purpose: PlanningPurpose, refusal: AnswerRefusal | None = None) -> PlanningCall:
    plan = parse_plan(PLAN)
    seen: list[PlanningCall] = []

    def keep(call: PlanningCall) -> str:
        seen.append(call)
        return ""

    ThinkEngine(plan, lambda _: OperatorResult("FAIL", "no"), None, keep, required=REQUIRED).run()
    step = plan.steps[2] if purpose is PlanningPurpose.CHILDREN else None
    commands = ("REVISE", "ADD", "REPLAN", "REPLAN ALL") if purpose is PlanningPurpose.CHANGES else ()
    state = serialize_plan(plan, fold=True)
    return PlanningCall(purpose, plan, state, step, "why", ("boxes",), commands, seen[0].history, refusal)


def test_a_planner_writes_a_whole_plan(kind: Kind) -> None:
    script = Script("Goal: g")
    call = planning(PlanningPurpose.PLAN)
    assert wait(model_planner(kind(script))(call)) == "Goal: g"
    (request,) = script.asked
    assert (request.phase, request.data["task"]) == (RunPhase.GENERATION, "Ripe plums in the hall\nBefore Sunday.")
    assert (request.data["constraints"], request.data["previous"]) == (["No lorry"], call.plan_state)
    task, previous = request.data["task"], call.plan_state
    assert request.prompt == plan_prompt(task, constraints=["No lorry"], previous=previous)


def test_a_planner_changes_the_plan(kind: Kind) -> None:
    script = Script("PLAN_CMD: REPLAN ALL")
    wait(model_planner(kind(script), max_history=200)(planning(PlanningPurpose.CHANGES)))
    (request,) = script.asked
    assert request.phase is RunPhase.REPLAN
    assert request.data["commands"] == ["REVISE", "ADD", "REPLAN", "REPLAN ALL"]
    assert request.data["missing"] == ["boxes"]
    assert request.data["left_out"] > 0
    assert len(json.dumps(request.data["history"])) <= 220


def test_a_planner_writes_the_steps_of_a_container() -> None:
    script = Script("1. [act] x", "1. [act] y")
    planner = model_planner(script, language="zh")
    call = planning(PlanningPurpose.CHILDREN)
    planner(call)
    planner(planning(PlanningPurpose.CHILDREN, AnswerRefusal("1. [ act] x", [])))
    first, second = script.asked
    assert first.data["container"]["id"] == "3"
    assert (first.refused, first.language) == (None, "zh")
    assert second.refused is not None
    expected = request_replan(
        call.plan_state, container=call.step, history=first.data["history"], missing=["boxes"], language="zh"
    ).prompt
    assert first.prompt.splitlines()[0] == expected.splitlines()[0]


# ---------------------------------------------------------------- programs

PROGRAM = """
import json, os, sys
request = json.load(sys.stdin)
open("asked", "a").write(json.dumps([request, os.environ["PLANSPEC_PHASE"], os.environ.get("PLANSPEC_KEY")]) + "\\n")
if request["phase"] == "execution":
    outputs = {name: 1 for name in request["step"].get("outputs", [])}
    print(json.dumps({"status": "FAIL" if request["step"]["id"] == "2" else "OK", "result": "so", "outputs": outputs,
                      **({"branch": "3.1"} if "branches" in request else {})}))
elif request["phase"] == "reflection":
    print("PLAN_CMD: SKIP 2 | not today")
"""


def test_programs_do_it_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLANSPEC_KEY", raising=False)
    model = program_model(Program([sys.executable, "-c", PROGRAM], cwd=tmp_path))
    parts = model_operator(model), model_reflector(model), model_planner(model)
    result = ThinkEngine(parse_plan(PLAN), *parts, required=REQUIRED).run()
    assert result.outcome is Outcome.BLOCKED
    asked = [json.loads(line) for line in (tmp_path / "asked").read_text().splitlines()]
    assert [phase for _, phase, _ in asked] == ["execution", "execution", "reflection", *["execution"] * 2, "replan"]
    for request, phase, key in asked:
        assert request["phase"] == phase
        assert request.get("key") == key
        assert (key is not None) is (phase == "execution")
    assert result.effort == Effort(6, 0)


# ---------------------------------------------------------------- endpoints


def reply(text: str, usage: Usage | None) -> Callable[[str], Reply]:
    return lambda _: Reply(text, "m", usage=usage)


@pytest.mark.parametrize(
    ("usage", "effort"),
    [
        (None, Effort(1, model="m")),
        (Usage(3, 2, 5), Effort(1, 5, model="m", input_tokens=3, output_tokens=2)),
        (Usage(3, 2, 9), Effort(1, 9, model="m", input_tokens=3, output_tokens=2)),
    ],
)
def test_a_model_counts_its_tokens(usage: Usage | None, effort: Effort) -> None:
    request = Request(RunPhase.EXECUTION, "en", {}, "Hi")
    assert chat_model(reply("Hello.", usage))(request) == Answer("Hello.", effort)


def answers(*texts: str) -> Iterable[Any]:
    return map(fine, texts)


@pytest.mark.parametrize("name", ["complete", "acomplete"])
def test_an_endpoint_does_it_all(served: Served, name: str) -> None:
    so = '{"status": "OK", "result": "so", "outputs": {"weights": 1}}'
    branch = '{"status": "OK", "result": "dry", "branch": "3.1"}'
    done = '{"status": "OK", "result": "so"}'
    served.play(
        *answers(
            so, UNREADABLE, "RETRY", '{"status": "FAIL", "result": "no"}', "PLAN_CMD: SKIP 2 | later", branch, done
        )
    )
    chat = OpenAIChat("m", base_url=served.url)
    model = chat_model(getattr(chat, name))
    result = ThinkEngine(parse_plan(PLAN), model_operator(model), model_reflector(model), model_planner(model)).run()
    assert result.outcome is Outcome.CONVERGED
    assert result.effort == Effort(7, 35, model="served-model", input_tokens=21, output_tokens=14)
    heads = [request.body["messages"][0]["content"].splitlines()[0] for request in served.asked]
    step, failure = "# Carry out one step", "# A step did not succeed"
    assert heads == [step, step, failure, step, failure, step, step]
    # What is an object has a schema.
    assert ["response_format" in request.body for request in served.asked] == [head == step for head in heads]
    asked = served.asked[0].body["response_format"]["json_schema"]["schema"]
    assert asked["properties"]["outputs"]["properties"] == {"weights": {}}
    assert served.asked[5].body["response_format"]["json_schema"]["schema"]["properties"]["branch"]["enum"][0] == "3.1"


@pytest.mark.parametrize(
    ("played", "has_answered"),
    [
        (answer(completion("x", "content_filter")), True),
        (answer(completion("x", "length")), True),
        (answer(completion("")), True),
        (answer(completion("x" * 2000)), True),
        (answer(completion("\ud800")), True),
        (answer(completion(None, refusal="no")), True),
        (answer({"choices": []}), False),
        (answer([]), False),
        (answer({"error": {"message": "no"}}), False),
        (fault(401), False),
        (fault(500), False),
        (Scripted(hang_up=True), False),
    ],
)
def test_whether_a_model_has_answered(served: Served, played: Scripted, has_answered: bool) -> None:
    served.play(played)
    with pytest.raises(LlmError) as caught:
        OpenAIChat("m", base_url=served.url, max_retries=0, max_reply_bytes=1000).complete("Hi")
    assert caught.value.has_answered is has_answered


@pytest.mark.parametrize("name", ["complete", "acomplete"])
@pytest.mark.parametrize("cut", ["PLAN_CMD: SKIP 1 | bro", ""])
def test_what_is_cut_off_is_asked_for_again(served: Served, name: str, cut: str) -> None:
    said = [
        '{"status": "FAIL", "result": "no"}',
        "PLAN_CMD: SKIP 1",
        '{"status": "OK", "result": "", "outputs": {"x": 1}}',
    ]
    first, reflected, last = (answer(completion(text)) for text in said)
    half, added = answer(completion(cut, "length")), answer(completion("PLAN_CMD: ADD 2 [act] b → x"))
    served.play(first, half, reflected, half, added, last)
    model = chat_model(getattr(OpenAIChat("m", base_url=served.url), name))
    roles = model_operator(model), model_reflector(model), model_planner(model)
    result = ThinkEngine(parse_plan("Goal: g\n## Steps\n1. [act] a\n"), *roles, required=["x"]).run()
    assert len(served.asked) == 6
    assert "# Your answer was refused" in served.asked[2].body["messages"][0]["content"]
    assert result.plan.steps[1].description == "b"


def test_a_long_plan_is_cut() -> None:
    steps = "".join(f"{number}. [act] Step {number}\n" for number in range(1, 30))
    script = Script(*['{"status": "OK", "result": "so"}'] * 29)
    ThinkEngine(parse_plan(f"Goal: g\n## Steps\n{steps}"), model_operator(script, max_plan=300)).run()
    for number, request in enumerate(script.asked, 1):
        state = request.data["plan_state"]
        assert len(state) <= 300
        assert f"{number}. [>] [act] Step {number}\n" in state
        assert "> … left out: " in state


def test_a_planner_sees_a_part_of_a_long_plan() -> None:
    script = Script(*["PLAN_CMD: SKIP 1"] * 3)
    for purpose in PlanningPurpose:
        wait(model_planner(script, max_plan=100)(planning(purpose)))
        data = script.asked[-1].data
        assert "… left out: " in data["previous" if purpose is PlanningPurpose.PLAN else "plan_state"]


def test_a_reflector_sees_a_part_of_a_long_plan() -> None:
    script = Script("ACCEPT")
    call = evolve(reflection(), plan_state=f"Goal: g\n## Steps\n1. [>] [act] a\n2. [act] {'b' * 99}\n")
    wait(model_reflector(script, max_plan=99)(call))
    left = "Goal: g\n> … left out: 1 pending step\n## Steps\n1. [>] [act] a\n"
    assert script.asked[0].data["plan_state"] == left
    assert left in script.asked[0].prompt


def test_prompts_name_the_inputs_that_are_missing() -> None:
    script = Script(RENTED)
    ThinkEngine(
        parse_plan("Goal: g\n## Steps\n1. [act] Rent boxes → boxes, van\n  > ← money\n"), model_operator(script)
    ).run()
    assert script.asked[0].data["missing"] == ["money"]
    assert '```json\n[\n  "money"\n]\n```' in script.asked[0].prompt
