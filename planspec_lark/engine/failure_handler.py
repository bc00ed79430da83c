"""What becomes of a step that is not OK: the reflector decides, the engine holds it to what is allowed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from itertools import takewhile
from typing import Any

from attrs import frozen

from planspec_lark.engine.answer_retry import AnswerRetry
from planspec_lark.engine.decisions import Decision
from planspec_lark.engine.entries import PlanEntry, Reflected, StepPatch, Told, about
from planspec_lark.engine.models import (
    REFLECTION_VERBS,
    Answer,
    AnswerRefusal,
    Question,
    ReflectionCall,
    Reflector,
)
from planspec_lark.engine.plan_changes import reshape
from planspec_lark.engine.reflection import Reflection, read_reflection
from planspec_lark.engine.run_state import StepFailure
from planspec_lark.engine.step_runner import fold_plan, own_step
from planspec_lark.plan_cmd.printer import serialize_commands
from planspec_lark.planspec.models import PlanStatus, PlanStep, iter_steps
from planspec_lark.runs import driver
from planspec_lark.runs.driver import CallOutcome, Work
from planspec_lark.syntax.diagnostics import brief

__all__ = ["Ask", "FailureHandler"]

Ask = Callable[[Question], "str | Awaitable[str | None] | None"]


# Characters of an answer that the ledger keeps.
_KEPT = 10_000


@frozen
class FailureHandler(AnswerRetry):
    """Reflects on failures.

    Attributes:
        ask: asks a person a question; None if no person can be asked.
    """

    reflector: Reflector | None
    ask: Ask | None

    def reflect(self, step: PlanStep) -> Work | driver.Question | PlanEntry:
        """Whom to ask about a failure, or what follows from it without that."""
        state, id = self.writer.state, step.step_id
        failure = state.failures[id]
        if id in state.questions:
            return self._interact(step, state.questions[id])
        reflector = self.reflector
        if reflector is None:
            return self.step_runner.block(step, failure.result)
        if not self.limits.can_reflect(id):
            return self.step_runner.block(step, f"{failure.result}; it was reflected on {state.reflected[id]} times")
        if self.limits.stalls(id):
            count = self.limits.count_alike(id)
            why = f"stalled: it has failed {count} times for the same reason"
            return self.step_runner.block(step, f"{failure.result}; {why}")
        asked = self.put(
            lambda refusal: partial(reflector, self._call(step, failure, refusal)),
            partial(self._read, step=step),
            # The plan also says next which person to ask: a command may have put another step before this one.
            partial(self._take, step),
            "reflector",
            "reflect",
            step,
        )
        return self.step_runner.block(step, f"{failure.result}; {asked}") if isinstance(asked, str) else asked

    def _call(self, step: PlanStep, failure: StepFailure, refusal: AnswerRefusal | None) -> ReflectionCall:
        can_retry = self.limits.can_retry(step.step_id)
        return ReflectionCall(
            own_step(step),
            failure.status,
            failure.result,
            fold_plan(self.writer),
            self.ask is not None and can_retry,
            can_retry,
            self.limits.can_accept(step.step_id),
            self.limits.allowed_verbs(REFLECTION_VERBS),
            max(failure.attempt, 1),
            self.writer.history,
            refusal,
        )

    def _read(self, text: str, *, step: PlanStep, finish_reason: str) -> Reflection:
        can_retry = self.limits.can_retry(step.step_id)
        read = read_reflection(
            text,
            self.writer.plan,
            step,
            can_interact=self.ask is not None and can_retry,
            can_retry=can_retry,
            can_accept=self.limits.can_accept(step.step_id),
            finish_reason=finish_reason,
        )
        return self.hold_to_limits(read)

    # ---------------------------------------------------------------- what was decided

    def _take(self, step: PlanStep, read: Reflection, answer: Answer) -> Reflected:
        """What a reflection comes to: what was decided and the commands are one record."""
        failure = self.writer.state.failures[step.step_id]
        more: dict[str, Any] = {"effort": answer.effort, "answer": answer.text[:_KEPT], "warnings": read.warnings}
        more |= {"reason": read.reason, "decision": read.decision.value if read.decision else ""}
        patches: list[StepPatch] = []
        if read.decision is Decision.INTERACT:
            more["question"] = read.reason or failure.result
        elif read.decision is Decision.ACCEPT:
            patches, accepted = self.step_runner.acceptance(step)
            more |= accepted
        elif read.decision is Decision.RETRY and step.children:
            patches = self.step_runner.again(step)
        if not read.commands:
            return Reflected(**about(step, *patches), **more)
        # The step may be another one then.
        meant = about(step)
        settle = partial(self._settle, step, failure.result) if read.decision is None else None
        done = reshape(self.writer, read.commands, patches, settle)
        more |= {"commands": serialize_commands(read.commands), **done.said()}
        return Reflected(**meant, **more, blocked=step.status is PlanStatus.BLOCKED)

    def _settle(self, step: PlanStep, result: str, opened: Iterable[PlanStep]) -> list[StepPatch]:
        """What becomes of a step that the answer does not mention: another try if something has changed for it."""
        if step.status is not PlanStatus.ACTIVE:
            return []  # the commands have said so
        ids = {id(one) for one in opened}
        if any(id(below) in ids for below in iter_steps(step)):
            return [StepPatch(step, PlanStatus.PENDING)]
        in_front = takewhile(lambda one: one is not step, iter_steps(self.writer.plan))
        if any(id(one) in ids for one in in_front):
            return [*self.step_runner.again(step), StepPatch(step, PlanStatus.PENDING)]
        return [StepPatch(step, PlanStatus.BLOCKED, brief(result))]

    def _interact(self, step: PlanStep, question: str) -> driver.Question | PlanEntry:
        """Ask a person, and try the step again with the answer."""
        if self.ask is None:
            return self._unanswered(step, question)
        return driver.Question(step.step_id, question, partial(self._told, step, question))

    def ask_person(self, asked: driver.Question) -> Any:
        """Put a question of the run to a person."""
        step = self.writer.find(asked.step)
        assert step is not None
        assert self.ask is not None
        return self.ask(Question(own_step(step), asked.text))

    def _told(self, step: PlanStep, question: str, outcome: CallOutcome) -> list[PlanEntry]:
        answer = outcome.value
        if outcome.error is not None:
            raise outcome.error
        if answer is None:
            return [self._unanswered(step, question)]
        if not isinstance(answer, str):
            raise TypeError(f"what is asked for is a text or None, not {type(answer).__name__}")
        again = about(step, *self.step_runner.again(step))
        return [Told(**again, question=question, answer=answer[: 10 * _KEPT], description=step.description)]

    def _unanswered(self, step: PlanStep, question: str) -> PlanEntry:
        return self.step_runner.block(step, f"no answer to the question: {question}")
