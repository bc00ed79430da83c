"""A plan that a language model writes, read while it is written, so that nobody waits for one that is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import closing

from attrs import frozen

from planspec_lark.diagnostics import Diagnostic, Severity
from planspec_lark.engine.models import Effort
from planspec_lark.engine.requests import Request, request_generation
from planspec_lark.limits import DEFAULT_LIMITS, Limits
from planspec_lark.llm.streams import ReplyStream
from planspec_lark.planspec.checking import locate
from planspec_lark.planspec.events import PlanEvent
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.streaming import PlanStream
from planspec_lark.planspec.validation import check_rules

__all__ = ["DraftedPlan", "draft_plan"]


@frozen
class DraftedPlan:
    """What has come of it.

    Attributes:
        plan: the plan as far as it could be read, from the last answer.
        diagnostics: what was found in that; where one is an error, the plan cannot be used.
        answers: how many answers there were, those included that were stopped.
        effort: what they took, as far as the endpoint has counted it: of an answer that was stopped it says nothing.
    """

    plan: PlanSpec
    diagnostics: list[Diagnostic]
    answers: int
    effort: Effort

    @property
    def is_usable(self) -> bool:
        """Whether it is a valid plan."""
        return _is_usable(self.diagnostics)


def _ignore(_: PlanEvent) -> None:
    pass


def draft_plan(  # noqa: PLR0913  (all but the first two are options)
    stream: Callable[[str], ReplyStream],
    task: str,
    *,
    constraints: Iterable[str] = (),
    language: str = "en",
    max_repairs: int = 1,
    limits: Limits = DEFAULT_LIMITS,
    on_event: Callable[[PlanEvent], None] = _ignore,
) -> DraftedPlan:
    """Let a language model write a plan.

    An answer is stopped at the first fault that nothing behind it can cure, and as soon as the plan is complete. One
    that cannot be used goes back with what is wrong.

    Args:
        stream: such as :meth:`OpenAIChat.stream <planspec_lark.llm.openai_chat.OpenAIChat.stream>`.
        task: what the plan is for.
        constraints: what it has to keep to.
        language: of the prompt, "en" or "zh".
        max_repairs: how many times an answer may go back.
        limits: how much to read of an answer.
        on_event: told of every line as soon as it is complete; of each answer from its beginning.

    Raises:
        LlmError: the model gives no answer.
    """
    request, effort = request_generation(task, constraints=constraints, language=language), Effort()
    answers = 0
    while True:
        text, plan, found, spent = _read(stream, request, limits, on_event)
        answers, effort = answers + 1, effort + spent
        if _is_usable(found) or answers > max_repairs:
            return DraftedPlan(plan, found, answers, effort)
        request = request.refuse(text, found)


def _read(
    stream: Callable[[str], ReplyStream], request: Request, limits: Limits, on_event: Callable[[PlanEvent], None]
) -> tuple[str, PlanSpec, list[Diagnostic], Effort]:
    """One answer, as far as it is of use."""
    reader, pieces, tokens = PlanStream(name="<plan>", limits=limits), [], 0
    with closing(stream(request.prompt)) as reply:
        for piece in reply:
            pieces.append(piece)
            for event in reader.feed(piece):
                on_event(event)
            if reader.is_hopeless or reader.is_settled:
                break
        else:
            usage = reply.reply.usage
            tokens = usage.total_tokens if usage is not None else 0
    end = reader.finish()
    for event in end.events:
        on_event(event)
    result = end.result
    rules = [] if not _is_usable(result.diagnostics) else list(locate(check_rules(result.plan), result.places))
    return "".join(pieces), result.plan, [*result.diagnostics, *rules], Effort(1, tokens)


def _is_usable(found: Iterable[Diagnostic]) -> bool:
    return all(one.severity is not Severity.ERROR for one in found)
