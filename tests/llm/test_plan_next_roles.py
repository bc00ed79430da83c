"""Language models and programs as planner and executor: what they are sent, and what becomes of their answers."""

from __future__ import annotations

import asyncio
import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from planspec_lark import Diagnostic, Severity
from planspec_lark.llm import (
    Program,
    ProgramError,
    ProgramInput,
    Reply,
    chat_executor,
    chat_planner,
    counted,
    program_executor,
    program_planner,
)
from planspec_lark.plan_next import (
    Context,
    Executor,
    Executors,
    Judge,
    Phase,
    PlanReturn,
    build_executor_prompt,
    build_planner_prompt,
    build_repair_prompt,
    context_from_json,
    start_context,
)
from planspec_lark.planner import MessageRefusal, Runtime, create_state
from planspec_lark.runs import Answer, Effort

TOOLS = Executors([Executor("oven", limits=["250 degrees"], extra={"cost": 2})])
REFUSAL = MessageRefusal(
    "oh \x1b[31m", [Diagnostic("PN106", "the goal is empty", Severity.ERROR, path="new_block.goal")]
)
STEPS = """{"type": "plan-next", "plan_type": "PLAN_STEPS", "success_signal": "s",
 "new_block": {"goal": "Bake", "plan": ["Mix", "Rest", "Heat"], "done": []}}"""


@pytest.fixture
def context() -> Context:
    return start_context("Bake \u202e bread")


def received(text: str) -> Any:
    return json.loads(text)


# ---------------------------------------------------------------- models


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_model_gets_the_prompt(context: Context, language: str) -> None:
    planner = chat_planner(str, TOOLS, language=language)
    assert planner(context, None) == build_planner_prompt(context, TOOLS, language=language)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_refused_model_gets_the_reasons_as_well(context: Context, language: str) -> None:
    asked = chat_planner(str, TOOLS, language=language)(context, REFUSAL)
    repair = build_repair_prompt(REFUSAL.diagnostics, answer=REFUSAL.answer, language=language)
    assert asked == f"{build_planner_prompt(context, TOOLS, language=language)}\n\n{repair}"
    assert "PN106" in repair
    assert "\x1b" not in repair


def test_a_model_that_takes_a_schema_gets_that_of_the_message(context: Context) -> None:
    def ask(_: str, *, schema: Any) -> str:
        return str(schema["properties"]["type"]["const"])

    assert chat_planner(ask)(context, None) == "plan-next"
    assert chat_executor(ask)(context) == "plan-return"

    def complete(prompt: str, *, schema: Any = None) -> Reply:
        return Reply(ask(prompt, schema=schema), "m")

    assert chat_planner(counted(complete))(context, None) == Answer("plan-next", Effort(1, model="m"))
    assert chat_planner(counted(lambda prompt: Reply(prompt[:5], "m")))(context, None) == Answer(
        build_planner_prompt(context)[:5], Effort(1, model="m")
    )


def test_a_model_may_be_asynchronous(context: Context, tmp_path: Path) -> None:
    async def ask(prompt: str) -> str:
        await asyncio.sleep(0)
        assert prompt == build_planner_prompt(context)
        return STEPS

    planner = chat_planner(ask)
    assert inspect.isawaitable(waiting := planner(context, None))
    assert asyncio.run(_wait(waiting)) == STEPS
    create_state(tmp_path, context)
    runtime = Runtime(tmp_path, planner, lambda _: "")
    assert asyncio.run(runtime.astep()).think.plan == ["Mix", "Rest", "Heat"]


async def _wait(waiting: Any) -> Any:
    return await waiting


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_model_gets_the_strategy(context: Context, language: str) -> None:
    asked = chat_planner(str, TOOLS, strategy="Small steps", language=language)(context, None)
    assert asked == build_planner_prompt(context, TOOLS, strategy="Small steps", language=language)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_model_may_carry_out_a_block(context: Context, language: str) -> None:
    assert chat_executor(str, language=language)(context) == build_executor_prompt(context, language=language)


# ---------------------------------------------------------------- programs


def test_a_program_gets_the_context(context: Context) -> None:
    text = str(program_planner(Program(["cat"]), TOOLS)(context, None))
    value = received(text)
    assert value.pop("phase") == "planning"
    assert value.pop("executors") == [{"id": "oven", "limits": ["250 degrees"], "cost": 2}]
    assert context_from_json(json.dumps(value)) == context
    assert "\u202e" not in text
    assert text.endswith("}\n")


def test_without_a_list_there_are_no_executors(context: Context) -> None:
    assert "executors" not in received(str(program_planner(Program(["cat"]))(context, None)))
    assert received(str(program_planner(Program(["cat"]), Executors())(context, None)))["executors"] == []


def test_a_refused_program_gets_the_reasons(context: Context) -> None:
    refused = received(str(program_planner(Program(["cat"]), language="zh")(context, REFUSAL)))["refused"]
    assert refused["answer"] == "oh \x1b[31m"
    assert [(found["code"], found["path"]) for found in refused["diagnostics"]] == [("PN106", "new_block.goal")]
    assert refused["prompt"] == build_repair_prompt(REFUSAL.diagnostics, answer=REFUSAL.answer, language="zh")


def test_a_program_gets_the_strategy(context: Context) -> None:
    planner = program_planner(Program(["cat"]), strategy="Small steps")
    assert received(str(planner(context, None)))["strategy"] == "Small steps"
    assert "strategy" not in received(str(program_planner(Program(["cat"]))(context, None)))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_an_executor_may_get_the_prompt(context: Context, language: str) -> None:
    execute = program_executor(Program(["cat"]), sent=ProgramInput.PROMPT, language=language)
    assert execute(context) == build_executor_prompt(context, language=language)


@pytest.mark.parametrize("refusal", [None, REFUSAL])
def test_a_program_may_get_the_prompt(context: Context, refusal: MessageRefusal | None) -> None:
    planner = program_planner(Program(["cat"]), TOOLS, sent=ProgramInput.PROMPT, language="zh")
    assert planner(context, refusal) == chat_planner(str, TOOLS, language="zh")(context, refusal)


def test_variables_say_the_phase_and_the_revision(context: Context) -> None:
    program = Program(["sh", "-c", 'echo "$PLANSPEC_PHASE $PLANSPEC_REVISION"'])
    assert program_planner(program)(context, None) == "planning 0\n"
    inside = start_context("Bake", [])
    assert inside.phase is Phase.EXECUTION
    assert program_executor(program)(inside) == "execution 0\n"


def test_an_executor_gets_the_context_as_well(context: Context) -> None:
    value = received(str(program_executor(Program(["cat"]), TOOLS)(context)))
    assert value["think"]["goal"] == "Bake \u202e bread"
    assert [one["id"] for one in value["executors"]] == ["oven"]
    assert "refused" not in value


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'no gas' >&2; exit 3", "`sh` ended with exit code 3:\nno gas"),
        ("kill -9 $$", "`sh` was killed by SIGKILL, and wrote nothing to standard error"),
        ("sleep 60", "`sh` did not end within 0.2 seconds"),
        ("head -c 2000 /dev/zero", "`sh` wrote more than 1,000 bytes"),
        ("printf '\\377'", "`sh` wrote something that is not UTF-8, at byte 0"),
    ],
)
def test_an_executor_that_fails_has_failed_at_the_block(context: Context, script: str, said: str) -> None:
    program = Program(["sh", "-c", script], timeout=0.2 if "sleep" in script else 30, max_bytes=1000)
    assert program_executor(program)(context) == PlanReturn(said, "failed")
    with pytest.raises(ProgramError):
        program_planner(program)(context, None)


def test_a_program_that_cannot_be_run_has_failed_at_nothing(context: Context) -> None:
    program = Program(["no-such-program"])
    said = "`no-such-program` cannot be run: there is no such program"
    with pytest.raises(ProgramError, match=said):
        program_executor(program)(context)
    with pytest.raises(ProgramError, match=said):
        program_planner(program)(context, None)


def test_programs_run_a_plan(tmp_path: Path) -> None:
    create_state(tmp_path, start_context("Bake"))
    planner = Program(["sh", "-c", f"cat > /dev/null; echo 'Sure: {STEPS}'"])
    executor = Program(["sh", "-c", "cat > /dev/null; exit 1"])
    runtime = Runtime(tmp_path, program_planner(planner), program_executor(executor), judge=Judge(tolerant=True))
    assert runtime.run(max_turns=2).phase is Phase.PLANNING
    context = Runtime(tmp_path, program_planner(planner), program_executor(executor)).run()
    assert context.outcome is not None
    assert context.outcome.failed
