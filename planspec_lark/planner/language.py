"""The planner's protocol as a language of the driver: who is asked next, and what comes of the answers."""

from __future__ import annotations

import json
import pickle
from collections.abc import Awaitable, Callable
from enum import Enum
from functools import partial
from typing import Any, TypeAlias, TypeVar, cast

from attrs import evolve, field, frozen

from planspec_lark.awaitables import OverdueError, ignore
from planspec_lark.plan_next.context import Context
from planspec_lark.plan_next.conversion import message_to_value
from planspec_lark.plan_next.judge import Judge
from planspec_lark.plan_next.models import DoneItem, DoneStatus, Phase, PlanNext, PlanReturn
from planspec_lark.plan_next.results import status_of
from planspec_lark.planner.kernel import Closed, Kernel, Opened, Refused, closed, fold, number_of
from planspec_lark.runs.driver import CallOutcome, End, Work, describe
from planspec_lark.runs.entries import Entry
from planspec_lark.runs.ledger import Record
from planspec_lark.runs.limits import Answer, Effort, StepPolicy
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, render_all
from planspec_lark.syntax.safe_text import visible

__all__ = [
    "ExecutorCallable",
    "MessageRefusal",
    "PlannerAnswer",
    "PlannerCallable",
    "PlannerEvent",
    "PlannerEventKind",
    "PlannerLanguage",
    "PlannerState",
]


@frozen
class MessageRefusal:
    """An answer that was refused, and why. ``diagnostics`` go to the planner or executor, so that the next one is
    better.

    ``answer`` is the text that they are about; of a message that is a model, its JSON.
    """

    answer: str
    diagnostics: list[Diagnostic]


# A message as text, such a text with what it took, or a model that a program has put together.
PlannerAnswer: TypeAlias = str | Answer | PlanNext | PlanReturn
# Gets the context and, where the last answer was refused, why. May be asynchronous.
PlannerCallable: TypeAlias = "Callable[[Context, MessageRefusal | None], PlannerAnswer | Awaitable[PlannerAnswer]]"
# Gets the context. May be asynchronous.
ExecutorCallable: TypeAlias = "Callable[[Context], PlannerAnswer | Awaitable[PlannerAnswer]]"


class PlannerEventKind(str, Enum):
    """What a watcher is told."""

    ASKED = "asked"
    REFUSED = "refused"
    OPENED = "opened"
    CLOSED = "closed"
    ENDED = "ended"
    STOPPED = "stopped"


@frozen
class PlannerEvent:
    """Something that has happened; the ledger has it already.

    Attributes:
        kind: what it is.
        context: the state of the plan now.
        phase: of an answer that was asked for or refused.
        refusal: an answer that was refused.
        item: the block that was closed.
        diagnostics: what was found in the message that opened or closed the block, and did not refuse it.
        reason: why the run was left before the plan has ended, such as its budget.
        record: what the ledger has of it, if that is anything.
    """

    kind: PlannerEventKind
    context: Context
    phase: Phase | None = None
    refusal: MessageRefusal | None = None
    item: DoneItem | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    reason: str = ""
    record: Record | None = field(default=None, eq=False)


@frozen(kw_only=True)
class Asked(Entry):
    """The planner or the executor is asked."""


# Characters and errors of a refused answer that a result keeps: it goes into every later context.
_KEPT = 10_000
_LISTED = 20

_Copied = TypeVar("_Copied", bound="Context | tuple[Context, DoneItem | None]")


@frozen
class PlannerState:
    """How far a run is.

    Attributes:
        context: the state of the plan.
        refused: how often the planner was refused for the block that is open.
        refusal: its last answer, if that was refused.
    """

    context: Context
    refused: int = 0
    refusal: MessageRefusal | None = None


@frozen(eq=False)
class PlannerLanguage:
    """A plan, and who is asked for it; see :class:`~planspec_lark.planner.runtime.Runtime`.

    Attributes:
        last_revision: where the run is left, though the plan has not ended; None for nowhere.
    """

    kernel: Kernel
    planner: PlannerCallable
    executor: ExecutorCallable
    judge: Judge
    policy: StepPolicy
    max_refusals: int
    max_failures: int
    on_event: Callable[[PlannerEvent], None]
    last_revision: int | None = field(default=None)

    # ---------------------------------------------------------------- what is next

    def next(self, state: PlannerState) -> Work | Entry | End[Context]:
        """Whom to ask, or how the block ends without that."""
        context, most = state.context, self.max_refusals
        if context.outcome is not None or context.revision == self.last_revision:
            return End(context)
        if context.phase is Phase.EXECUTION:
            call = partial(_call, self.executor, context)
            return self._work(context, call, self._end_execution, step_type="block")
        if context.failures >= self.max_failures:
            return closed(context, f"{context.failures} attempts in a row have failed", DoneStatus.FAILED)
        if state.refusal is not None and state.refused > most:
            times = "once, " if most == 0 else f"{most + 1} times, the last time "
            said = f"the planner was refused {times}for:\n\n{_why(state.refusal)}"
            return closed(context, said, DoneStatus.FAILED)
        return self._work(
            context, partial(_call, self.planner, context, state.refusal), self._end_planning, asks="plan"
        )

    def _work(self, context: Context, call: Callable[[], Any], end: Any, **more: Any) -> Work:
        step = number_of(context)
        return Work(call, partial(end, context), Asked(step=step), step=step, policy=self.policy, **more)

    def _end_planning(self, context: Context, outcome: CallOutcome) -> list[Entry]:
        message, found, effort = self._read(context, outcome)
        if isinstance(found, MessageRefusal):
            return [_refused(context, found, effort)]
        assert isinstance(message, PlanNext)
        inside = fold(context, Opened(message=message))
        return [Opened(step=number_of(inside), message=message, found=tuple(found), effort=effort)]

    def _end_execution(self, context: Context, outcome: CallOutcome) -> list[Entry]:
        if isinstance(outcome.error, OverdueError):
            said = describe(outcome.error, who="the executor")
            return [closed(context, said, DoneStatus.FAILED, effort=Effort(llm_calls=1))]
        message, found, effort = self._read(context, outcome)
        if not isinstance(found, MessageRefusal):
            assert isinstance(message, PlanReturn)
            return [closed(context, message.result, status_of(message), found=tuple(found), effort=effort)]
        # Whatever the executor has done is done: to ask again would do it twice.
        said = f"the executor's answer was refused:\n\n{_why(found)}\n\nIt was:\n\n{visible(found.answer[:_KEPT])}"
        return [_refused(context, found, effort), closed(context, said, DoneStatus.FAILED)]

    def _read(
        self, context: Context, outcome: CallOutcome
    ) -> tuple[PlanNext | PlanReturn | None, MessageRefusal | list[Diagnostic], Effort]:
        """The message that an answer is, with all that was found, or else why it is refused; and what it took."""
        if outcome.error is not None:
            raise outcome.error
        answer: Any = outcome.value
        effort = Effort(llm_calls=1)
        if isinstance(answer, Answer):
            answer, effort = answer.text, answer.effort
        if not isinstance(answer, str | PlanNext | PlanReturn):
            raise TypeError(f"an answer is a text or a message, not {type(answer).__name__}")
        # A model may hold what JSON cannot, such as NaN, and what is written has to be read again.
        text = answer if isinstance(answer, str) else _to_json(answer)
        message, found = self.judge.judge(text, context.phase, context, name="<answer>")
        return message, MessageRefusal(text, found) if message is None else found, effort

    # ---------------------------------------------------------------- what has happened

    def fold(self, state: PlannerState, entry: Entry) -> PlannerState:
        """The state after this has happened."""
        if isinstance(entry, Refused):
            return evolve(state, refused=state.refused + 1, refusal=entry.refusal)
        return PlannerState(fold(state.context, entry)) if isinstance(entry, Opened | Closed) else state

    def tell(self, state: PlannerState, entry: Entry) -> None:
        """Have the file show it, and tell the watcher."""
        context = state.context
        record = self.kernel.log.types.write(entry) if entry.kind is not None else None
        if isinstance(entry, Asked):
            refusal = state.refusal if context.phase is Phase.PLANNING else None
            self._tell(PlannerEvent(PlannerEventKind.ASKED, context, context.phase, refusal))
        elif isinstance(entry, Refused):
            self._tell(PlannerEvent(PlannerEventKind.REFUSED, context, context.phase, entry.refusal, record=record))
        elif isinstance(entry, Opened):
            self.kernel.show(context)
            self._tell(PlannerEvent(PlannerEventKind.OPENED, context, diagnostics=entry.found, record=record))
        elif isinstance(entry, Closed):
            self.kernel.show(context)
            item = context.outcome or context.think.done[-1]
            found = entry.found
            self._tell(PlannerEvent(PlannerEventKind.CLOSED, context, item=item, diagnostics=found, record=record))
            if context.outcome is not None:
                self._tell(PlannerEvent(PlannerEventKind.ENDED, context, item=item))

    def stop(self, state: PlannerState, why: str) -> End[Context]:
        """The run is left here."""
        self._tell(PlannerEvent(PlannerEventKind.STOPPED, state.context, reason=why))
        return End(state.context)

    def _tell(self, event: PlannerEvent) -> None:
        if self.on_event is not ignore:
            context, item = _copy((event.context, event.item))
            self.on_event(evolve(event, context=context, item=item))


def _call(asked: Callable[..., Any], context: Context, *more: object) -> Any:
    return asked(_copy(context), *more)


def _copy(value: _Copied) -> _Copied:
    """A copy for a callable or a watcher: what they do to it must not be written.

    Nothing that is hostile is unpickled here, and it takes a third of the time of `deepcopy`.
    """
    return cast(_Copied, pickle.loads(pickle.dumps(value, pickle.HIGHEST_PROTOCOL)))  # noqa: S301


def _refused(context: Context, refusal: MessageRefusal, effort: Effort) -> Refused:
    faults = [f"{one.code}: {one.message}" for one in _errors(refusal)[:_LISTED]]
    step, answer = number_of(context), refusal.answer[:_KEPT]
    return Refused(step=step, answer=answer, faults=faults, refusal=refusal, effort=effort)


def _errors(refusal: MessageRefusal) -> list[Diagnostic]:
    return [one for one in refusal.diagnostics if one.severity is Severity.ERROR]


def _why(refusal: MessageRefusal) -> str:
    errors = _errors(refusal)
    more = f"\n\nErrors besides these: {len(errors) - _LISTED}" if len(errors) > _LISTED else ""
    return render_all(errors[:_LISTED]) + more


def _to_json(message: PlanNext | PlanReturn) -> str:
    try:
        return json.dumps(message_to_value(message), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"an answer holds what JSON cannot say: {error}") from None
