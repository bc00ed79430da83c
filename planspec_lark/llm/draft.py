"""A plan that a language model writes, read while it is written, so that a failed one is stopped early."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, nullcontext
from functools import partial
from typing import Any

from attrs import evolve, fields, frozen

from planspec_lark.answers.extract import Extraction
from planspec_lark.answers.stream import PlanEvent, PlanStream
from planspec_lark.answers.truncation import CUT
from planspec_lark.awaitables import ignore, wait_for
from planspec_lark.engine.models import Answer, Effort, take_answer
from planspec_lark.engine.requests import request_generation
from planspec_lark.llm.models import Reply
from planspec_lark.llm.replies import answer_of
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Limits

__all__ = ["DraftedPlan", "draft_plan"]


@frozen(slots=False, kw_only=True)
class DraftedPlan(Extraction):
    """A plan that a language model has written: what was found in its last answer, and what it took.

    Attributes:
        holds: what keeps it from being accepted. Of an answer that was stopped, what it has up to there.
        answers: how many answers there were, those included that were stopped.
        effort: what they took, as far as the endpoint has counted it: of an answer that was stopped it says nothing.
    """

    answers: int
    effort: Effort


def draft_plan(  # noqa: PLR0913  (all but the first two are options)
    ask: Callable[[Any], object],
    task: str,
    *,
    constraints: Iterable[str] = (),
    language: str = "en",
    max_repairs: int = 1,
    whole_request: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    on_event: Callable[[PlanEvent], None] = ignore,
    on_text: Callable[[int, str], None] = ignore,
) -> DraftedPlan:
    """Let a language model write a plan.

    An answer that comes in pieces is stopped once the plan is complete, or has a fault that nothing after it can cure.
    One that cannot be used goes back with all its findings.

    >>> answers = ["Goal: Open\\n## Steps\\n1. Light the oven\\n", "Goal: Open\\n## Steps\\n1. [act] Light the oven\\n"]
    >>> drafted = draft_plan(lambda prompt: answers.pop(0), "Open the bakery at six")
    >>> drafted.is_usable, drafted.answers, drafted.plan.steps[0].description
    (True, 2, 'Light the oven')

    Args:
        ask: takes a prompt and gives the answer: a text, a :class:`~planspec_lark.llm.Reply`, or pieces, such as
            :meth:`OpenAIChat.stream <planspec_lark.llm.openai_chat.OpenAIChat.stream>` gives. It may be asynchronous.
        task: what the plan is for.
        constraints: what it has to keep to.
        language: of the prompt, "en" or "zh".
        max_repairs: how many times an answer may go back.
        whole_request: whether ``ask`` takes the whole :class:`~planspec_lark.engine.Request`, such as
            :func:`~planspec_lark.llm.engine_roles.program_model` makes, and not its prompt alone.
        limits: how much to read of an answer.
        on_event: told of every part of the plan once it is certain; for each answer from its beginning.
        on_text: told of every piece of text, with the number of its answer, from 1.

    Raises:
        LlmError: the model gives no answer; and whatever else ``ask`` raises.
        TypeError: it gives something else.
        RuntimeError: it is asynchronous, and an event loop runs already.
    """

    request = request_generation(task, constraints=constraints, language=language)
    answers, effort = 0, Effort()
    with closing(asyncio.Runner()) as runner:
        while True:
            answers += 1
            reader = PlanStream(name="<plan>", limits=limits)
            call = partial(ask, request if whole_request else request.prompt)
            given = wait_for(call, runner, "asyncio.to_thread(draft_plan, …)")
            answer = _hear(given, reader, on_event, partial(on_text, answers))
            effort += answer.effort
            read = _judge(reader, answer.finish_reason, on_event)
            if read.is_usable or answers > max_repairs:
                found = {one.name: getattr(read, one.name) for one in fields(Extraction)}
                return DraftedPlan(**found, answers=answers, effort=effort)
            request = request.refuse(answer.text, read.holds)


def _hear(
    given: Any, reader: PlanStream, on_event: Callable[[PlanEvent], None], on_text: Callable[[str], None]
) -> Answer:
    """An answer, as far as it is of use."""

    def is_all(piece: str) -> bool:
        on_text(piece)
        # What is after the end of the plan in the same piece is none of it.
        for line in piece.splitlines(keepends=True):
            for event in reader.feed(line):
                on_event(event)
            if reader.is_settled:
                break
        return reader.is_hopeless or reader.is_settled

    is_stream = isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping))
    if not is_stream:
        whole = answer_of(given) if isinstance(given, Reply) else take_answer(given, "model")
        on_text(whole.text)
        for event in reader.feed(whole.text):
            on_event(event)
        return whole
    pieces: list[str] = []
    # A generator and a stream of a model can be closed, a list of pieces needs not.
    with closing(given) if hasattr(given, "close") else nullcontext():
        for piece in given:
            if not isinstance(piece, str):
                raise TypeError(f"a piece of an answer is a text, not {type(piece).__name__}")
            pieces.append(piece)
            if is_all(piece):
                return Answer("".join(pieces), Effort(1))
        reply = getattr(given, "reply", None)
        return Answer("".join(pieces)) if reply is None else answer_of(reply)


def _judge(reader: PlanStream, finish_reason: str, on_event: Callable[[PlanEvent], None]) -> Extraction:
    """What has been read, and what is wrong with it."""
    end = reader.finish(finish_reason=finish_reason)
    for event in end.events:
        on_event(event)
    if not reader.is_hopeless:
        return end.result
    # Where it ends, it was stopped.
    holds = tuple(one for one in end.result.holds if one.code != CUT)
    return evolve(end.result, holds=holds or end.result.holds)
