"""Questions to a reflector or a planner: an answer that is refused goes back with what is wrong, up to a limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from attrs import evolve, frozen

from planspec_lark.engine.entries import PlanEntry, Refused, about
from planspec_lark.engine.generated_plan import GeneratedPlan
from planspec_lark.engine.models import Answer, AnswerRefusal, take_answer
from planspec_lark.engine.reflection import Reflection
from planspec_lark.engine.run_limits import RunLimits
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.engine.step_runner import StepRunner
from planspec_lark.planspec.models import PlanStep
from planspec_lark.runs.driver import ONCE, CallOutcome, Work
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, brief

__all__ = ["AnswerRetry", "Read"]

# Characters and faults of a refused answer that the ledger keeps.
_KEPT, _LISTED = 100_000, 20

Read = TypeVar("Read", GeneratedPlan, Reflection)


@frozen
class AnswerRetry:
    """Asks until an answer can be used."""

    writer: RunWriter
    step_runner: StepRunner
    limits: RunLimits

    def put(  # noqa: PLR0913, PLR0917  (who is asked for what, and what follows)
        self,
        call: Callable[[AnswerRefusal | None], Callable[[], Any]],
        read: Callable[..., Read],
        take: Callable[[Read, Answer], PlanEntry],
        who: str,
        operation: str,
        step: PlanStep | None,
        **labels: str,
    ) -> Work | str:
        """A question, unless too many answers were refused; then why.

        How many were refused is known to the ledger, so that a crash changes nothing.

        Args:
            call: gives what is to be called, with the last answer if that was refused.
            read: reads the text of an answer, with its ``finish_reason``.
            take: what follows from an answer that can be used.
            who: is asked.
            operation: what for, as the span is called.
            step: the step that is asked about; None where it is the plan.
            labels: of the span.
        """
        count, answer = self.writer.state.refused.get(step.step_id if step else "", (0, Answer("")))
        found = read(answer.text, finish_reason=answer.finish_reason).diagnostics if count else []
        if count > self.limits.given.max_repairs:
            why = "".join(f", the last time for: {fault}" for fault in _faults(found)[:1])
            return f"the {who} was refused {'once' if count == 1 else f'{count} times'}{why}"
        return Work(
            call(AnswerRefusal(answer.text, found) if count else None),
            partial(self._end, read, take, who, step),
            step=step.step_id if step else "",
            asks=operation,
            labels=labels,
            policy=ONCE,
        )

    def _end(
        self,
        read: Callable[..., Read],
        take: Callable[[Read, Answer], PlanEntry],
        who: str,
        step: PlanStep | None,
        outcome: CallOutcome,
    ) -> list[PlanEntry]:
        if outcome.error is not None:
            raise outcome.error
        answer = take_answer(outcome.value, who)
        made = read(answer.text, finish_reason=answer.finish_reason)
        if made.is_usable:
            return [take(made, answer)]
        refused = Refused(
            **(about(step) if step else {}),
            effort=answer.effort,
            answer=answer.text[:_KEPT],
            faults=_faults(made.diagnostics)[:_LISTED],
            finish_reason=answer.finish_reason,
        )
        return [refused]

    def hold_to_limits(self, read: Reflection) -> Reflection:
        """What was read, with what its commands do that the run may not."""
        if not (read.is_usable and read.commands):
            return read
        excess = self.limits.find_excess(read.commands)
        if not excess:
            return read
        fault = Diagnostic("PE205", excess, Severity.ERROR, read.source.span(0, 0), source=read.source)
        return evolve(read, diagnostics=[*read.diagnostics, fault])


def _faults(found: Iterable[Diagnostic]) -> list[str]:
    return [brief(one.message) for one in found if one.severity is Severity.ERROR]
