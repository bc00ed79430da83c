"""Language models and programs as the planner and the executor of a runtime."""

from __future__ import annotations

import inspect
import json
from collections.abc import Awaitable, Callable, Mapping
from enum import Enum
from functools import cache
from typing import Any, TypeAlias

from planspec_lark.json_text.model_values import to_value
from planspec_lark.llm.models import LlmError, ProgramError, Reply, with_schema
from planspec_lark.llm.program import Program
from planspec_lark.llm.replies import answer_of, cut_answer
from planspec_lark.plan_next.context import Context
from planspec_lark.plan_next.executors import Executors
from planspec_lark.plan_next.models import DoneStatus, PlanReturn
from planspec_lark.plan_next.prompts import build_executor_prompt, build_planner_prompt, build_repair_prompt
from planspec_lark.planner.language import ExecutorCallable, MessageRefusal, PlannerCallable
from planspec_lark.runs.limits import Answer, TransientError
from planspec_lark.syntax import machine_reports
from planspec_lark.syntax.grammars import schema_path
from planspec_lark.syntax.safe_text import safe_json

__all__ = ["ProgramInput", "chat_executor", "chat_planner", "counted", "program_executor", "program_planner"]

# Takes a prompt and gives the answer, such as an OpenAIChat; an Answer says what it took as well.
Chat: TypeAlias = "Callable[..., str | Answer | Awaitable[str | Answer]]"


class ProgramInput(str, Enum):
    """What a program gets on its standard input."""

    CONTEXT = "context"
    PROMPT = "prompt"


def counted(complete: Callable[..., Reply | Awaitable[Reply]]) -> Chat:
    """A language model whose answers count their tokens, for budgets.

    An answer that was cut off is given as far as it came. Where there is none for now, the driver asks once more.

    Args:
        complete: such as :meth:`OpenAIChat.complete <planspec_lark.llm.openai_chat.OpenAIChat.complete>` or its
            ``acomplete``.
    """
    put = with_schema(complete)

    def ask(prompt: str, *, schema: Mapping[str, Any] | None = None) -> Answer | Awaitable[Answer]:
        try:
            reply = put(prompt, schema)
            return _wait(reply) if inspect.isawaitable(reply) else answer_of(reply)
        except LlmError as error:
            return _instead(error)

    return ask


async def _wait(reply: Awaitable[Reply]) -> Answer:
    try:
        return answer_of(await reply)
    except LlmError as error:
        return _instead(error)


def _instead(error: LlmError) -> Answer:
    if error.is_cut:
        return cut_answer(error)
    if error.retryable:
        raise TransientError(str(error)) from error
    raise error


def chat_planner(
    chat: Chat,
    executors: Executors | None = None,
    *,
    strategy: str | None = None,
    language: str = "en",
) -> PlannerCallable:
    """A planner that asks a language model.

    Args:
        chat: takes a prompt and gives the answer, such as an :class:`~planspec_lark.llm.openai_chat.OpenAIChat`, or
            :func:`counted`. Where it has a parameter ``schema``, it gets the JSON schema of the answer.
        executors: the tools that the prompt lists.
        strategy: how to plan here, which the prompt shows.
        language: of the prompt, "en" or "zh".
    """

    put = with_schema(chat)
    return lambda context, refusal: put(_prompt(context, refusal, executors, strategy, language), _schema("plan_next"))


def chat_executor(chat: Chat, *, language: str = "en") -> ExecutorCallable:
    """An executor that asks a language model: for work whose result is a text.

    Args:
        chat: as for :func:`chat_planner`.
        language: of the prompt, "en" or "zh".
    """

    put = with_schema(chat)
    return lambda context: put(build_executor_prompt(context, language=language), _schema("plan_return"))


def program_planner(
    program: Program,
    executors: Executors | None = None,
    *,
    sent: ProgramInput = ProgramInput.CONTEXT,
    strategy: str | None = None,
    language: str = "en",
) -> Callable[[Context, MessageRefusal | None], str]:
    """A planner that is a program.

    It gets on its standard input the context as JSON, with the fields ``phase``, ``executors`` (a list, if there is
    one), ``strategy`` (how to plan here, if that is said) and, where its last answer was refused, ``refused``
    (``answer``, ``diagnostics`` and a ``prompt`` that asks for a better one); or else the whole prompt for a language
    model. It writes its message to standard output.
    """

    def plan(context: Context, refusal: MessageRefusal | None) -> str:
        if sent is ProgramInput.PROMPT:
            text = _prompt(context, refusal, executors, strategy, language)
        else:
            text = _request(context, executors, strategy, _refused(refusal, language))
        return program.complete(text, env=_environment(context))

    return plan


def program_executor(
    program: Program,
    executors: Executors | None = None,
    *,
    sent: ProgramInput = ProgramInput.CONTEXT,
    language: str = "en",
) -> Callable[[Context], str | PlanReturn]:
    """An executor that is a program.

    It gets the context as a planner does, or else the executor's prompt for a language model, and writes a plan-return
    message.

    A program that ends with another exit code than 0, or is killed, has failed at the block; one that cannot be run at
    all is an error of the call.
    """

    def execute(context: Context) -> str | PlanReturn:
        prompted = sent is ProgramInput.PROMPT
        text = build_executor_prompt(context, language=language) if prompted else _request(context, executors)
        try:
            return program.complete(text, env=_environment(context))
        except ProgramError as error:
            if not error.has_answered:
                raise
            return PlanReturn(str(error), DoneStatus.FAILED)

    return execute


@cache
def _schema(message: str) -> Mapping[str, Any]:
    """The JSON schema of a message."""
    schema: dict[str, Any] = json.loads(schema_path(message).read_text(encoding="utf-8"))
    return schema


def _prompt(
    context: Context, refusal: MessageRefusal | None, executors: Executors | None, strategy: str | None, language: str
) -> str:
    prompt = build_planner_prompt(context, executors, strategy=strategy, language=language)
    if refusal is None:
        return prompt
    return f"{prompt}\n\n{build_repair_prompt(refusal.diagnostics, answer=refusal.answer, language=language)}"


def _refused(refusal: MessageRefusal | None, language: str) -> dict[str, Any] | None:
    if refusal is None:
        return None
    return {
        "answer": refusal.answer,
        "diagnostics": [machine_reports.json_item(found) for found in refusal.diagnostics],
        "prompt": build_repair_prompt(refusal.diagnostics, answer=refusal.answer, language=language),
    }


def _request(
    context: Context,
    executors: Executors | None,
    strategy: str | None = None,
    refused: dict[str, Any] | None = None,
) -> str:
    value: dict[str, Any] = {**to_value(context), "phase": context.phase.value}
    if executors is not None:
        value["executors"] = to_value(list(executors.items))
    if strategy is not None:
        value["strategy"] = strategy
    if refused is not None:
        value["refused"] = refused
    return safe_json(value, indent=2) + "\n"


def _environment(context: Context) -> dict[str, str]:
    # The revision tells a call that is made again after a crash from a new one.
    return {"PLANSPEC_PHASE": context.phase.value, "PLANSPEC_REVISION": str(context.revision)}
