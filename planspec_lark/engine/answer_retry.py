"""Questions to a reflector or a planner: an answer that is refused goes back with what is wrong, up to a limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from attrs import evolve, frozen

from planspec_lark.awaitables import Call, Turn
from planspec_lark.engine.generated_plan import GeneratedPlan
from planspec_lark.engine.models import Answer, AnswerRefusal, take_answer
from planspec_lark.engine.plan_changes import find_refusal
from planspec_lark.engine.reflection import Reflection
from planspec_lark.engine.run_limits import RunLimits
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.engine.step_runner import StepRunner
from planspec_lark.planspec.models import PlanStep
from planspec_lark.runs.ledger import RecordKind
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

    def put(
        self,
        call: Callable[[AnswerRefusal | None], Call],
        read: Callable[..., Read],
        who: str,
        operation: str,
        step: PlanStep | None,
        **attributes: str,
    ) -> Turn[tuple[Read | None, Answer, str]]:
        """Ask until an answer can be used, or too many were refused; then the last item says why.

        How many were refused is known to the ledger, so that a crash changes nothing.

        Args:
            call: gives what is to be called, with the last answer if that was refused.
            read: reads the text of an answer, with its ``finish_reason``.
            who: is asked.
            operation: what for, as the span is called.
            step: the step that is asked about; None where it is the plan.
            attributes: of the span.
        """
        step_id = step.step_id if step else ""
        count, answer = self.writer.state.refused.get(step_id, (0, Answer("")))
        found = read(answer.text, finish_reason=answer.finish_reason).diagnostics if count else []
        while count <= self.limits.given.max_repairs:
            self.limits.before_call()
            asked = call(AnswerRefusal(answer.text, found) if count else None)
            with self.writer.telemetry.asking(operation, step_id, **attributes):
                given = yield asked
            answer = take_answer(given, who)
            made = read(answer.text, finish_reason=answer.finish_reason)
            if made.is_usable:
                return made, answer, ""
            found, count = made.diagnostics, count + 1
            self.writer.note(
                RecordKind.REFUSED,
                step,
                effort=answer.effort,
                answer=answer.text[:_KEPT],
                faults=_faults(found)[:_LISTED],
                finish_reason=answer.finish_reason,
            )
        why = "".join(f", the last time for: {fault}" for fault in _faults(found)[:1])
        return None, answer, f"the {who} was refused {'once' if count == 1 else f'{count} times'}{why}"

    def try_commands(self, read: Reflection) -> Reflection:
        """What was read, with what keeps its commands from being performed."""
        if not (read.is_usable and read.commands):
            return read
        found = self.limits.find_excess(read.commands)
        if found is None and (error := find_refusal(self.writer.plan, read.commands)):
            found = error.code, str(error)
        if found is None:
            return read
        fault = Diagnostic(*found, Severity.ERROR, read.source.span(0, 0), source=read.source)
        return evolve(read, diagnostics=[*read.diagnostics, fault])


def _faults(found: Iterable[Diagnostic]) -> list[str]:
    return [brief(one.message) for one in found if one.severity is Severity.ERROR]
