"""Plans in frameworks, each with the real package."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import FakeListChatModel
from langchain_core.prompts import ChatPromptTemplate
from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from planspec_lark import PlanSpec, PlanStep, parse_plan, serialize_plan
from planspec_lark.frameworks import PlanOutputParser, describe_format, plan_output

TEXT = "Goal: The hall is white\n## Steps\n1. [act] Paint the hall → hall\n"
ANSWER = f"Here it is:\n\n```planspec\n{TEXT}```\n"
WRONG = TEXT.replace("[act] ", "")


class Job(BaseModel):
    name: str
    plan: PlanSpec


# ---------------------------------------------------------------- pydantic


@pytest.mark.parametrize("given", [TEXT, ANSWER, parse_plan(TEXT)])
def test_a_plan_is_a_field(given: object) -> None:
    job = Job.model_validate({"name": "paint", "plan": given})
    assert job.plan == parse_plan(TEXT)
    assert job.model_dump()["plan"] is job.plan
    assert job.model_dump(mode="json") == {"name": "paint", "plan": TEXT}
    assert Job.model_validate_json(job.model_dump_json()) == job


@pytest.mark.parametrize(
    ("given", "said"),
    [(WRONG, "PS112"), (5, "not int"), (None, "not NoneType"), ("Hello", "this is no plan that is accepted")],
)
def test_what_is_wrong_is_the_validation_error(given: object, said: str) -> None:
    with pytest.raises(ValidationError, match="plan") as caught:
        Job.model_validate({"name": "paint", "plan": given})
    [error] = caught.value.errors()
    assert error["loc"] == ("plan",)
    assert said in error["msg"]


@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_its_schema_is_a_text_with_the_format(mode: Any) -> None:
    schema = Job.model_json_schema(mode=mode)["properties"]["plan"]
    assert schema["type"] == "string"
    assert "## Steps" in schema["description"]
    assert TypeAdapter(list[PlanSpec]).json_schema(mode=mode)["items"]["type"] == "string"


def test_pydantic_is_not_imported_for_it() -> None:
    code = (
        "import sys; from planspec_lark import PlanSpec, parse_plan; parse_plan('');"
        "assert PlanSpec.__get_pydantic_core_schema__(None, None)['type'] == 'function-plain';"
        "assert not {'pydantic', 'pydantic_core'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# ---------------------------------------------------------------- pydantic-ai


def test_an_agent_asks_again() -> None:
    answers, asked = [WRONG, ANSWER], []

    def model(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        asked.append(str(messages[-1]))
        return ModelResponse([TextPart(answers.pop(0))])

    agent = Agent(FunctionModel(model), output_type=plan_output(), instructions=describe_format())
    assert agent.run_sync("Paint the hall").output == parse_plan(TEXT)
    assert len(asked) == 2
    assert "PS112" in asked[1]


def test_a_risk_may_be_too_high() -> None:
    def model(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        # A sign of an arrow that is not the format's.
        return ModelResponse([TextPart(TEXT.replace("→", "->") if len(messages) == 1 else TEXT)])

    assert len(Agent(FunctionModel(model), output_type=plan_output()).run_sync("x").all_messages()) == 2
    strict = Agent(FunctionModel(model), output_type=plan_output(max_risk="none"))
    assert len(strict.run_sync("x").all_messages()) == 4


# ---------------------------------------------------------------- LangChain


def test_a_chain_ends_in_a_plan() -> None:
    parser = PlanOutputParser()
    prompt = ChatPromptTemplate.from_messages([("system", "{format}"), ("user", "{task}")])
    chain = prompt | FakeListChatModel(responses=[ANSWER]) | parser
    plan = chain.invoke({"format": parser.get_format_instructions(), "task": "Paint the hall"})
    assert serialize_plan(plan) == TEXT
    assert plan.steps == [PlanStep("1", step_type="act", description="Paint the hall", outputs=["hall"])]


def test_a_parser_says_what_to_ask_for() -> None:
    with pytest.raises(OutputParserException) as caught:
        PlanOutputParser(language="zh").parse(WRONG)
    assert "PS112" in str(caught.value)
    assert caught.value.llm_output == WRONG
    assert caught.value.send_to_llm
    assert "PS112" in (caught.value.observation or "")
