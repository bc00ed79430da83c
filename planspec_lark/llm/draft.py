"""A plan that a language model writes, read while it is written, so that nobody waits for one that is lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from typing import Protocol

from attrs import frozen

from planspec_lark.answers.extract import Extraction, extract_plan
from planspec_lark.answers.verdict import Verdict
from planspec_lark.engine.models import Answer, Effort, take_answer
from planspec_lark.engine.requests import Request, request_generation
from planspec_lark.llm.streams import ReplyStream
from planspec_lark.planspec.check import locate
from planspec_lark.planspec.models import PlanSpec
from planspec_lark.planspec.rules import check_rules
from planspec_lark.planspec.stream import PlanEvent, PlanStream
from planspec_lark.syntax.diagnostics import Diagnostic, has_errors
from planspec_lark.syntax.limits import DEFAULT_LIMITS, Limits

__all__ = ["DraftedPlan", "draft_plan", "draft_plan_at_once"]


@frozen
class DraftedPlan:
    """What has come of it.

    Attributes:
        plan: the plan as far as it could be read, from the last answer.
        verdict: whether what was read of that answer is safe to act on.
        diagnostics: what was found in that; where one is an error, the plan cannot be used.
        answers: how many answers there were, those included that were stopped.
        effort: what they took, as far as the endpoint has counted it: of an answer that was stopped it says nothing.
    """

    plan: PlanSpec
    verdict: Verdict
    diagnostics: list[Diagnostic]
    answers: int
    effort: Effort

    @property
    def is_usable(self) -> bool:
        """Whether the verdict is ``accepted``, and it is a valid plan."""
        return self.verdict is Verdict.ACCEPTED and not has_errors(self.diagnostics)


def _ignore(*_: object) -> None:
    pass


def draft_plan(  # noqa: PLR0913  (all but the first two are options)
    stream: Callable[[str], ReplyStream],
    task: str,
    *,
    constraints: Iterable[str] = (),
    language: str = "en",
    max_repairs: int = 1,
    end_mark: str = "",
    limits: Limits = DEFAULT_LIMITS,
    on_event: Callable[[PlanEvent], None] = _ignore,
    on_text: Callable[[int, str], None] = _ignore,
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
        end_mark: a line that ends the plan, as the task tells the model; see :class:`planspec_lark.PlanStream`.
        limits: how much to read of an answer.
        on_event: told of every line as soon as it is complete; of each answer from its beginning.
        on_text: told of every piece of text as soon as it is there, with the number of its answer, from 1.

    Raises:
        LlmError: the model gives no answer.
    """
    drafting = _Drafting(
        lambda asked: _Streamed(stream(asked.prompt)), max_repairs, end_mark, limits, on_event, on_text
    )
    return drafting.run(task, constraints, language)


def draft_plan_at_once(  # noqa: PLR0913  (as above)
    model: Callable[[Request], object],
    task: str,
    *,
    constraints: Iterable[str] = (),
    language: str = "en",
    max_repairs: int = 1,
    end_mark: str = "",
    limits: Limits = DEFAULT_LIMITS,
    on_event: Callable[[PlanEvent], None] = _ignore,
    on_text: Callable[[int, str], None] = _ignore,
) -> DraftedPlan:
    """The same with a model that gives an answer in one piece, as a program does.

    Args:
        model: such as :func:`~planspec_lark.llm.agents.program_model` makes of a program; it gives a text or an
            :class:`~planspec_lark.engine.models.Answer`.
        task: what the plan is for.
        constraints, language, max_repairs, end_mark, limits, on_event, on_text: as for :func:`draft_plan`.

    Raises:
        LlmError: the model gives no answer.
    """
    drafting = _Drafting(
        lambda asked: _Whole(take_answer(model(asked), "model")), max_repairs, end_mark, limits, on_event, on_text
    )
    return drafting.run(task, constraints, language)


# ---------------------------------------------------------------- answers


class _Pieces(Protocol):
    """An answer while it comes."""

    def __iter__(self) -> Iterator[str]: ...
    def close(self) -> None: ...
    def effort(self, *, is_whole: bool) -> Effort:
        """What it has taken, as far as that is known of one that may have been stopped."""

    def finish_reason(self) -> str:
        """Why one that has come whole ends; "" where that is not known."""


@frozen
class _Streamed:
    stream: ReplyStream

    def __iter__(self) -> Iterator[str]:
        return iter(self.stream)

    def close(self) -> None:
        self.stream.close()

    def effort(self, *, is_whole: bool) -> Effort:
        usage = self.stream.reply.usage if is_whole else None
        return Effort(1, usage.total_tokens if usage is not None else 0)

    def finish_reason(self) -> str:
        reply = self.stream.reply
        return (reply.finish_reason if reply is not None else None) or ""


@frozen
class _Whole:
    answer: Answer

    def __iter__(self) -> Iterator[str]:
        return iter([self.answer.text])

    def close(self) -> None:
        pass

    def effort(self, *, is_whole: bool) -> Effort:  # noqa: ARG002  (it has come whole)
        return self.answer.effort

    def finish_reason(self) -> str:
        return self.answer.finish_reason


@frozen
class _Drafting:
    """Asking, reading and asking again."""

    ask: Callable[[Request], _Pieces]
    max_repairs: int
    end_mark: str
    limits: Limits
    on_event: Callable[[PlanEvent], None]
    on_text: Callable[[int, str], None]

    def run(self, task: str, constraints: Iterable[str], language: str) -> DraftedPlan:
        request = request_generation(task, constraints=constraints, language=language)
        answers, effort = 0, Effort()
        while True:
            answers += 1
            text, read, found, spent = self._read(request, answers)
            effort += spent
            if not has_errors(found) or answers > self.max_repairs:
                return DraftedPlan(read.plan, read.verdict, found, answers, effort)
            request = request.refuse(text, found)

    def _read(self, request: Request, number: int) -> tuple[str, Extraction, list[Diagnostic], Effort]:
        """One answer, as far as it is of use."""
        reader = PlanStream(name="<plan>", end_mark=self.end_mark, limits=self.limits)
        pieces, is_whole = [], False
        with closing(self.ask(request)) as answer:
            for piece in answer:
                pieces.append(piece)
                self.on_text(number, piece)
                # What stands behind the end of the plan in the same piece is none of it.
                for line in piece.splitlines(keepends=True):
                    for event in reader.feed(line):
                        self.on_event(event)
                    if reader.is_settled:
                        break
                if reader.is_hopeless or reader.is_settled:
                    break
            else:
                is_whole = True
            effort = answer.effort(is_whole=is_whole)
            why = answer.finish_reason() if is_whole else ""
        text = reader.text
        end = reader.finish()
        for event in end.events:
            self.on_event(event)
        read = extract_plan(text, finish_reason=why, name="<plan>", limits=self.limits)
        # What is lost for a stream may be less for a whole text.
        # What rules say as well is said by them.
        found = end.result.diagnostics if reader.is_hopeless else read.readings
        rules = [] if has_errors(found) else list(locate(check_rules(read.plan), read.scan.places))
        return "".join(pieces), read, [*found, *rules], effort
