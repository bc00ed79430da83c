"""A plan that a language model writes, read while it is written, so that a failed one is stopped early."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from typing import Any

from attrs import evolve, frozen

from planspec_lark.answers.extract import Extraction, Remark, Repair
from planspec_lark.answers.stream import PlanEvent, PlanStream
from planspec_lark.answers.truncation import CUT
from planspec_lark.answers.verdict import Verdict
from planspec_lark.awaitables import ignore
from planspec_lark.engine.models import Answer, Effort, take_answer
from planspec_lark.engine.requests import Request, request_generation
from planspec_lark.llm.replies import answer_of
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.syntax.diagnostics import Diagnostic
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Limits

__all__ = ["DraftedPlan", "draft_plan"]


@frozen
class DraftedPlan:
    """What has come of it.

    Attributes:
        plan: the plan as far as it could be read, from the last answer.
        verdict: whether it is safe to act on.
        holds: what keeps it from being accepted. Of an answer that was stopped, what it has up to there.
        repairs, remarks, findings: as in :class:`planspec_lark.Extraction`.
        answers: how many answers there were, those included that were stopped.
        effort: what they took, as far as the endpoint has counted it: of an answer that was stopped it says nothing.
    """

    plan: PlanSpec
    verdict: Verdict
    holds: tuple[Diagnostic, ...]
    repairs: tuple[Repair, ...]
    remarks: tuple[Remark, ...]
    findings: list[Diagnostic]
    answers: int
    effort: Effort

    @property
    def is_usable(self) -> bool:
        """Whether the plan is accepted."""
        return self.verdict is Verdict.ACCEPTED


def draft_plan(  # noqa: PLR0913  (all but the first two are options)
    model: Callable[[Request], object],
    task: str,
    *,
    constraints: Iterable[str] = (),
    language: str = "en",
    max_repairs: int = 1,
    limits: Limits = DEFAULT_LIMITS,
    on_event: Callable[[PlanEvent], None] = ignore,
    on_text: Callable[[int, str], None] = ignore,
) -> DraftedPlan:
    """Let a language model write a plan.

    An answer is stopped at the first fault that nothing after it can cure, and as soon as the plan is complete. One
    that cannot be used goes back with what is wrong.

    Args:
        model: gives a `ReplyStream`, such as ``lambda request: chat.stream(request.prompt)``, or an answer in one
            piece, such as :func:`~planspec_lark.llm.engine_roles.program_model` makes of a program.
        task: what the plan is for.
        constraints: what it has to keep to.
        language: of the prompt, "en" or "zh".
        max_repairs: how many times an answer may go back.
        limits: how much to read of an answer.
        on_event: told of every part of the plan as soon as it is certain; of each answer from its beginning.
        on_text: told of every piece of text as soon as it is there, with the number of its answer, from 1.

    Raises:
        LlmError: the model gives no answer.
        TypeError: it gives something else.
    """
    request = request_generation(task, constraints=constraints, language=language)
    answers, effort = 0, Effort()
    while True:
        answers += 1
        reader = PlanStream(name="<plan>", limits=limits)
        answer = _hear(model(request), reader, on_event, partial(on_text, answers))
        effort += answer.effort
        read = _judge(reader, answer.finish_reason, on_event)
        if read.is_usable or answers > max_repairs:
            return DraftedPlan(
                read.plan, read.verdict, read.holds, read.repairs, read.remarks, read.findings, answers, effort
            )
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

    is_stream = isinstance(given, Iterable) and not isinstance(given, str)
    if not is_stream:
        whole = take_answer(given, "model")
        return Answer(whole.text, whole.effort) if is_all(whole.text) else whole
    pieces: list[str] = []
    with closing(given):
        for piece in given:
            pieces.append(piece)
            if is_all(piece):
                return Answer("".join(pieces), Effort(1))
        return answer_of(given.reply)


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
