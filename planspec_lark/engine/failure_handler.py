"""What becomes of a step that is not OK: the reflector decides, the engine holds it to what is allowed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from itertools import takewhile
from typing import Any

from attrs import asdict, frozen

from planspec_lark.awaitables import Turn
from planspec_lark.engine.answer_retry import AnswerRetry
from planspec_lark.engine.decisions import Decision
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
from planspec_lark.engine.run_writer import StepPatch
from planspec_lark.engine.step_runner import fold_plan, own_step
from planspec_lark.plan_cmd.printer import serialize_commands
from planspec_lark.planspec.models import PlanStatus, PlanStep, hash_of, iter_steps
from planspec_lark.runs.ledger import RecordKind
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

    def reflect(self, step: PlanStep) -> Turn[None]:
        """Deal with a failure."""
        state, id = self.writer.state, step.step_id
        failure = state.failures[id]
        if id in state.questions:
            yield from self._interact(step, state.questions[id])
            return
        reflector = self.reflector
        if reflector is None:
            self.step_runner.block(step, failure.result)
            return
        if not self.limits.can_reflect(id):
            self.step_runner.block(step, f"{failure.result}; it was reflected on {state.reflected[id]} times")
            return
        if self.limits.stalls(id):
            count = self.limits.count_alike(id)
            self.step_runner.block(step, f"{failure.result}; stalled: it has failed {count} times for the same reason")
            return
        read, answer, why = yield from self.put(
            lambda refusal: partial(reflector, self._call(step, failure, refusal)),
            partial(self._read, step=step),
            "reflector",
            "reflect",
            step,
        )
        if read is None:
            self.step_runner.block(step, f"{failure.result}; {why}")
        else:
            # The plan also says next which person to ask: a command may have put another step before this one.
            self._record(step, read, answer)

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
        return self.try_commands(read)

    # ---------------------------------------------------------------- what was decided

    def _record(self, step: PlanStep, read: Reflection, answer: Answer) -> None:
        """Let a reflection take effect: what was decided and the commands are one record."""
        was, own = step.step_id, hash_of(step)
        data: dict[str, Any] = {
            "reason": read.reason,
            "answer": answer.text[:_KEPT],
            "decision": read.decision and read.decision.value,
            "warnings": read.warnings,
        }
        if read.decision is Decision.INTERACT:
            failure = self.writer.state.failures[was]
            data["question"] = read.reason or failure.result
        if read.decision is Decision.ACCEPT:
            patches, more = self.step_runner.acceptance(step)
            data |= more
        elif read.decision is Decision.RETRY and step.children:
            patches = self.step_runner.again(step)
        else:
            patches = []
        if not read.commands:
            self.writer.note(RecordKind.REFLECTED, step, patches=patches, effort=answer.effort, **data)
        else:
            settle = (
                partial(self._settle, step, self.writer.state.failures[was].result) if read.decision is None else None
            )
            done = reshape(self.writer, read.commands, patches, settle)
            data["blocked"] = step.status is PlanStatus.BLOCKED
            text = serialize_commands(read.commands)
            self.writer.note_shape(
                RecordKind.REFLECTED,
                was,
                own=own,
                effort=answer.effort,
                commands=text,
                **data,
                **asdict(done, recurse=False),
            )
        if read.decision is Decision.ACCEPT:
            self.step_runner.values.add(step)

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

    def _interact(self, step: PlanStep, question: str) -> Turn[None]:
        """Ask a person, and try the step again with the answer."""
        answer = None
        if self.ask is not None:
            answer = yield partial(self.ask, Question(own_step(step), question))
        if answer is None:
            self.step_runner.block(step, f"no answer to the question: {question}")
            return
        if not isinstance(answer, str):
            raise TypeError(f"what is asked for is a text or None, not {type(answer).__name__}")
        self.writer.note(
            RecordKind.TOLD,
            step,
            patches=self.step_runner.again(step),
            question=question,
            answer=answer[: 10 * _KEPT],
            description=step.description,
        )
