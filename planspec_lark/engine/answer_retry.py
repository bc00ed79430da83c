"""Retry of refused answers: an answer goes back with what is wrong with it, up to a limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, Protocol, TypeVar

from attrs import define, evolve, field

from planspec_lark.engine.models import Answer, EngineLimits, Refusal
from planspec_lark.engine.plan_changes import find_refusal
from planspec_lark.engine.reflection import Reflection
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.planspec.models import PlanStep
from planspec_lark.runs.ledger import Kind
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, brief, shorten

__all__ = ["AnswerRetry", "allowed_verbs", "try_commands"]

# Of an answer that was refused, the ledger keeps so many characters and faults.
_KEPT, _LISTED = 100_000, 20


def allowed_verbs(writer: RunWriter, limits: EngineLimits, verbs: Iterable[str]) -> tuple[str, ...]:
    """Those of the verbs that a run has not used up."""
    used_up = {
        "ADD": writer.state.added >= limits.max_added,
        "REPLAN": writer.state.plannings >= limits.max_plannings,
    }
    left = (verb for verb in verbs if not used_up.get(verb.partition(" ")[0]))
    return tuple(verb for verb in left if not writer.scope or verb != "REPLAN ALL")


def try_commands(writer: RunWriter, read: Reflection, limits: EngineLimits) -> Reflection:
    """What was read, with what keeps its commands from being performed."""
    if not (read.is_usable and read.commands):
        return read
    found = _find_excess(writer, read, limits)
    if found is None and (error := find_refusal(writer.plan, read.commands)):
        found = error.code, str(error)
    if found is None:
        return read
    span = read.source.span(0, 0)
    fault = Diagnostic(found[0], found[1], Severity.ERROR, span, source=read.source)
    return evolve(read, diagnostics=[*read.diagnostics, fault])


def _find_excess(writer: RunWriter, read: Reflection, limits: EngineLimits) -> tuple[str, str] | None:
    for command in read.commands:
        is_own = command.op == "REPLAN" and command.step_id == writer.scope
        if not is_own and not writer.is_inside(command.step_id):
            what = f"{command.op} {shorten(command.step_id)}"
            return "PE205", f"{what}: only steps below step {writer.scope} can be changed here"
    count = len(read.commands)
    if count > limits.max_commands:
        return "PE205", f"{count:,} commands: an answer may have at most {limits.max_commands:,}"
    added, left = sum(command.op == "ADD" for command in read.commands), limits.max_added - writer.state.added
    if added > left:
        return "PE205", f"too many ADD commands: {max(left, 0)} more steps may be added in this run"
    if writer.state.plannings >= limits.max_plannings and any(command.op == "REPLAN" for command in read.commands):
        return "PE205", "REPLAN is no longer possible: the run has used all of its replans"
    return None


class _Read(Protocol):
    @property
    def diagnostics(self) -> list[Diagnostic]: ...

    @property
    def is_usable(self) -> bool: ...


_T = TypeVar("_T", bound=_Read)


@define
class AnswerRetry(Generic[_T]):
    """The answers to one question. How many were refused is known to the ledger, so that a crash changes nothing.

    Attributes:
        writer: where the run is.
        step: the step that is asked about; None where it is the plan.
        most: how often an answer may be refused before the last one.
        read: reads an answer.
    """

    writer: RunWriter
    step: PlanStep | None
    most: int
    read: Callable[[Answer], _T]
    refusal: Refusal | None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        count, answer = self._known
        if count:
            self.refusal = Refusal(answer.text, self.read(answer).diagnostics)

    @property
    def _known(self) -> tuple[int, Answer]:
        return self.writer.state.refused.get(self.step.step_id if self.step else "", (0, Answer("")))

    @property
    def are_left(self) -> bool:
        """Whether there may be one more answer."""
        return self._known[0] <= self.most

    def try_answer(self, answer: Answer) -> _T | None:
        """What an answer says; None where it is refused."""
        read = self.read(answer)
        if read.is_usable:
            return read
        self.refusal = Refusal(answer.text, read.diagnostics)
        data: dict[str, Any] = {"answer": answer.text[:_KEPT], "faults": self._faults()[:_LISTED]}
        if answer.finish_reason:
            data["finish_reason"] = answer.finish_reason
        self.writer.note(Kind.REFUSED, self.step, effort=answer.effort, **data)
        return None

    def _faults(self) -> list[str]:
        found = self.refusal.diagnostics if self.refusal else []
        return [brief(one.message) for one in found if one.severity is Severity.ERROR]

    def explain(self) -> str:
        """How often answers were refused, and why the last one was."""
        count, _ = self._known
        why = "".join(f", the last time for: {fault}" for fault in self._faults()[:1])
        return f"refused {'once' if count == 1 else f'{count} times'}{why}"
