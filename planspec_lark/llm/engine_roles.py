"""Language models and programs as the operator, the reflector and the planner of an engine."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeAlias, TypeVar

from attrs import evolve

from planspec_lark.engine.execution_answer import read_execution
from planspec_lark.engine.history_excerpts import Excerpt, take_newest
from planspec_lark.engine.models import (
    Answer,
    AnswerRefusal,
    FatalError,
    HopStatus,
    Operator,
    OperatorResult,
    Planner,
    PlanningCall,
    PlanningPurpose,
    ReflectionCall,
    Reflector,
    StepCall,
    UnavailableError,
    take_answer,
)
from planspec_lark.engine.plan_excerpts import MAX_PLAN, plan_excerpt
from planspec_lark.engine.requests import (
    MAX_HISTORY,
    Request,
    request_execution,
    request_generation,
    request_reflection,
    request_replan,
)
from planspec_lark.llm.models import LlmError, Reply, with_schema
from planspec_lark.llm.program import Program
from planspec_lark.llm.replies import answer_of, cut_answer
from planspec_lark.planspec.models import PlanStep
from planspec_lark.runs.history import History, HistoryEvent
from planspec_lark.syntax.diagnostics import Severity

__all__ = ["Model", "chat_model", "model_operator", "model_planner", "model_reflector", "program_model"]

# Takes a request and gives the answer, at once or later.
Model: TypeAlias = "Callable[[Request], str | Answer | Awaitable[str | Answer]]"
Value = TypeVar("Value")
# Of a run's history, so many events are looked at: no prompt has room for more.
_EVENTS = 500


def chat_model(complete: Callable[..., Reply | Awaitable[Reply]]) -> Model:
    """A language model that gets prompts.

    Args:
        complete: such as :meth:`OpenAIChat.complete <planspec_lark.llm.openai_chat.OpenAIChat.complete>` or its
            ``acomplete``. Where it has a parameter ``schema``, it gets the JSON schema of the answer, or None.
    """
    put = with_schema(complete)

    def ask(request: Request) -> Answer | Awaitable[Answer]:
        reply = put(request.prompt, request.schema)
        return _wait(reply) if inspect.isawaitable(reply) else answer_of(reply)

    return ask


async def _wait(reply: Awaitable[Reply]) -> Answer:
    return answer_of(await reply)


def program_model(program: Program) -> Model:
    """A program that gets requests as JSON and writes its answer to standard output."""

    def ask(request: Request) -> Answer:
        environment = {"PLANSPEC_PHASE": request.phase.value}
        if key := request.data.get("key"):
            environment["PLANSPEC_KEY"] = str(key)
        return Answer(program.complete(request.to_json(), env=environment))

    return ask


# ---------------------------------------------------------------- for each part


def model_operator(
    model: Model,
    *,
    language: str = "en",
    max_history: int = MAX_HISTORY,
    max_plan: int = MAX_PLAN,
) -> Operator:
    """An operator that lets a model do the steps.

    A step has failed where its answer cannot be read, a program ends badly, or a model refuses. The question is not
    repeated within the attempt, as what was asked for may be done; the ledger keeps the answer, and reflection
    decides. Where no model could be asked at all, the run ends, and the step has not failed: it is carried out when
    the run is resumed. Before that it is tried again, as the engine's policy says, where that may help.
    """

    def operate(call: StepCall) -> OperatorResult | Awaitable[OperatorResult]:
        step = evolve(call.step, children=list(call.branches))
        request = request_execution(
            step,
            dict(call.inputs),
            _excerpt(call.history, max_history),
            call.plan_state(max_plan),
            language=language,
            branches=call.branches,
            loop=call.loop,
            key=call.key,
            attempt=call.attempt,
            max_plan=max_plan,
            missing=call.missing,
        )
        return _ask(model, request, partial(_take_result, step), _fail)

    return operate


def _fail(error: LlmError) -> OperatorResult:
    if not error.has_answered:
        raise (UnavailableError if error.retryable else FatalError)(str(error)) from error
    return OperatorResult(HopStatus.FAIL, str(error))


def _take_result(step: PlanStep, said: str | Answer) -> OperatorResult:
    answer = take_answer(said, "model")
    effort, read = answer.effort, read_execution(answer.text, step)
    if not effort.tokens:
        # Only this counts them.
        effort += evolve(read.effort, llm_calls=0, model=effort.model or read.effort.model)
    if read.answer is not None:
        return evolve(read.answer, effort=effort)
    # It is not asked again: what it was asked for may be done.
    why = next((one.message for one in read.diagnostics if one.severity is Severity.ERROR), "")
    return OperatorResult(HopStatus.FAIL, f"the answer cannot be read: {why}", effort=effort, answer=answer.text)


def model_reflector(model: Model, *, language: str = "en", max_plan: int = MAX_PLAN) -> Reflector:
    """A reflector that asks a model."""

    def reflect(call: ReflectionCall) -> str | Answer | Awaitable[str | Answer]:
        request = request_reflection(
            call.status,
            call.result,
            call.plan_state,
            call.step,
            call.can_interact,
            call.commands,
            attempt=call.attempt,
            language=language,
            can_retry=call.can_retry,
            can_accept=call.can_accept,
            max_plan=max_plan,
        )
        return _ask(model, _again(request, call.refusal), _take, _take_cut)

    return reflect


def model_planner(
    model: Model, *, language: str = "en", max_history: int = MAX_HISTORY, max_plan: int = MAX_PLAN
) -> Planner:
    """A planner that asks a model."""

    def plan(call: PlanningCall) -> str | Answer | Awaitable[str | Answer]:
        if call.purpose is PlanningPurpose.PLAN:
            task = "\n".join([call.plan.goal, *call.plan.goal_detail])
            previous = plan_excerpt(call.plan_state, None, max_plan)
            request = request_generation(task, constraints=call.plan.constraints, language=language, previous=previous)
        else:
            request = request_replan(
                call.plan_state,
                container=call.step,
                history=_excerpt(call.history, max_history),
                commands=call.commands,
                missing=call.missing,
                finished=call.finished,
                language=language,
                max_history=max_history,
                max_plan=max_plan,
            )
        return _ask(model, _again(request, call.refusal), _take, _take_cut)

    return plan


def _ask(
    model: Model, request: Request, take: Callable[[str | Answer], Value], fail: Callable[[LlmError], Value]
) -> Value | Awaitable[Value]:
    """What an answer comes to, or what the model has raised; at once or later, as the model answers."""
    try:
        answer = model(request)
    except LlmError as error:
        return fail(error)
    return _ask_later(answer, take, fail) if inspect.isawaitable(answer) else take(answer)


async def _ask_later(
    answer: Awaitable[str | Answer], take: Callable[[str | Answer], Value], fail: Callable[[LlmError], Value]
) -> Value:
    try:
        said = await answer
    except LlmError as error:
        return fail(error)
    return take(said)


def _take(answer: str | Answer) -> str | Answer:
    return answer


def _take_cut(error: LlmError) -> Answer:
    """An answer that was cut off is of no use, but it is one: the engine asks again."""
    if not error.is_cut:
        raise error
    return cut_answer(error)


def _again(request: Request, refusal: AnswerRefusal | None) -> Request:
    return request if refusal is None else request.refuse(refusal.answer, refusal.diagnostics)


def _excerpt(history: History, most: int) -> Excerpt:
    newest = take_newest([_event_value(event) for event in history.last(_EVENTS)], most)
    return evolve(newest, left_out=len(history) - len(newest.entries))


def _event_value(event: HistoryEvent) -> dict[str, Any]:
    value = {
        "step": event.step,
        "what": event.kind.value,
        "task": event.description,
        "status": event.status,
        "text": event.text,
    }
    return {name: text for name, text in value.items() if text}
