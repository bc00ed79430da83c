"""Runs a plan: asks the planner for blocks and the executor for results, and lets the kernel write what comes of it."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from enum import Enum
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

from attrs import define, evolve, field, frozen
from attrs.validators import and_, ge, instance_of, optional

from planspec_lark.awaitables import Turn, adrive, drive, ignore
from planspec_lark.plan_next.context import Context
from planspec_lark.plan_next.conversion import to_value
from planspec_lark.plan_next.judge import Judge
from planspec_lark.plan_next.models import DoneItem, DoneStatus, Phase, PlanNext, PlanReturn
from planspec_lark.plan_next.results import status_of
from planspec_lark.planner.kernel import LOG, Kernel, open_state
from planspec_lark.runs.ledger import Ledger, is_name
from planspec_lark.runs.telemetry import telling
from planspec_lark.syntax.diagnostics import Diagnostic, Severity, render_all
from planspec_lark.syntax.safe_text import visible

__all__ = [
    "MAX_CALLS",
    "Answer",
    "ExecutorCallable",
    "MessageRefusal",
    "PlannerCallable",
    "PlannerEvent",
    "PlannerEventKind",
    "Runtime",
]


@frozen
class MessageRefusal:
    """An answer that was refused, and why. ``diagnostics`` go to the planner or executor, so that the next one is
    better.

    ``answer`` is the text that they are about; of a message that is a model, its JSON.
    """

    answer: str
    diagnostics: list[Diagnostic]


# A message as text, or as a model that a program has put together.
Answer: TypeAlias = str | PlanNext | PlanReturn
# Gets the context and, where the last answer was refused, why. May be asynchronous.
PlannerCallable: TypeAlias = "Callable[[Context, MessageRefusal | None], Answer | Awaitable[Answer]]"
# Gets the context. May be asynchronous.
ExecutorCallable: TypeAlias = "Callable[[Context], Answer | Awaitable[Answer]]"


class PlannerEventKind(str, Enum):
    """What a watcher is told."""

    ASKED = "asked"
    REFUSED = "refused"
    OPENED = "opened"
    CLOSED = "closed"
    ENDED = "ended"


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
    """

    kind: PlannerEventKind
    context: Context
    phase: Phase | None = None
    refusal: MessageRefusal | None = None
    item: DoneItem | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


# A planner that splits and splits again is to be noticed before it has cost much.
MAX_CALLS: int | None = 100
# Characters and errors of a refused answer that a result keeps: it goes into every later context.
_KEPT = 10_000
_LISTED = 20

_Copied = TypeVar("_Copied", bound="Context | tuple[Context, DoneItem | None]")


@define
class _Calls:
    """The calls of a run, counted."""

    most: int | None
    made: int = 0

    @property
    def is_over(self) -> bool:
        """Whether no other call may be made."""
        return self.most is not None and self.made >= self.most


@frozen
class Runtime:
    """Takes a plan on, one block after the other, until its root has ended.

    Args:
        state_dir: the folder that holds the context; see :func:`planspec_lark.planner.kernel.create_state`.
        planner: gives plan-next messages.
        executor: gives plan-return messages.
        judge: what their answers are held to.
        max_refusals: how often a planner may be refused for one block before the block counts as failed.
        max_failures: how many attempts in a row may fail inside a block before it counts as failed itself.
        max_calls: how many calls of both there may be in one run; None for any number.
        on_event: told of everything that happens.
        ledger: where the plan is written down, such as a database; by default a file in the folder.
        run_id: the run of that ledger that has the plan.

    A callable that raises ends the run with what it raised; the state stays as it was, and the run can be resumed
    later. So does one that gives something else than a message (TypeError). If a run is interrupted while the executor
    is at work, it is asked again for the same block later on: the context's ``revision`` is the same then.
    """

    state_dir: Path = field(converter=Path)
    planner: PlannerCallable
    executor: ExecutorCallable
    judge: Judge = field(factory=Judge, kw_only=True)
    max_refusals: int = field(default=2, validator=[instance_of(int), ge(0)], kw_only=True)
    max_failures: int = field(default=3, validator=[instance_of(int), ge(1)], kw_only=True)
    max_calls: int | None = field(default=MAX_CALLS, validator=optional(and_(instance_of(int), ge(1))), kw_only=True)
    on_event: Callable[[PlannerEvent], None] = field(default=ignore, kw_only=True)
    ledger: Ledger | None = field(default=None, kw_only=True)
    run_id: str = field(default="planner", validator=is_name, kw_only=True)

    def step(self) -> Context:
        """Open one block, or close one. Returns the state of the plan after that."""
        return self.run(max_turns=1)

    async def astep(self) -> Context:
        """As :meth:`step`, for callables that are asynchronous."""
        return await self.arun(max_turns=1)

    def run(self, *, max_turns: int | None = None) -> Context:
        """Continue until the root has ended, or for so many turns, or calls. Each turn opens a block or closes one.

        Returns:
            The state of the plan after that. Its ``outcome`` is None as long as the plan has not ended; another run
            continues it.

        Raises:
            StateError: there is no plan, or another process is working on it.
            ContextError: what is there is no context.
            RuntimeError: a callable is asynchronous, and this is called where an event loop runs already.
        """
        with self._opened() as kernel, closing(asyncio.Runner()) as runner:
            return drive(self._turns(kernel, max_turns), runner, "arun() or astep()")

    async def arun(self, *, max_turns: int | None = None) -> Context:
        """As :meth:`run`, for callables that are asynchronous; others are run in a thread.

        One that is cancelled while a thread is at work holds the plan's lease until that has ended: no other run is to
        begin the same block meanwhile. To cancel it once more lets the lease go at once.
        """
        with self._opened() as kernel:
            return await adrive(self._turns(kernel, max_turns))

    @contextmanager
    def _opened(self) -> Iterator[Kernel]:
        """The plan, and the observers of the run."""
        with (
            open_state(self.state_dir, ledger=self.ledger, run_id=self.run_id) as kernel,
            telling(LOG, kernel.telemetry.run, "planner") as kernel.telemetry,
        ):
            yield kernel
            if kernel.context.outcome is not None:
                kernel.telemetry.outcome = kernel.context.outcome.status.value

    # ---------------------------------------------------------------- turns

    def _turns(self, kernel: Kernel, most: int | None) -> Turn[Context]:
        """Open and close blocks. Yields what is to be called, and is sent its answer."""
        turns, calls = 0, _Calls(self.max_calls)
        while kernel.context.outcome is None and not calls.is_over and (most is None or turns < most):
            yield from self._turn(kernel, calls)
            turns += 1
        return kernel.context

    def _turn(self, kernel: Kernel, calls: _Calls) -> Turn[None]:
        """Open or close one block."""
        if kernel.context.phase is Phase.EXECUTION:
            calls.made += 1
            yield from self._execute(kernel)
        elif kernel.context.failures >= self.max_failures:
            self._close(kernel, f"{kernel.context.failures} attempts in a row have failed", DoneStatus.FAILED)
        else:
            yield from self._plan(kernel, calls)

    def _plan(self, kernel: Kernel, calls: _Calls) -> Turn[None]:
        context = kernel.context
        refusal: MessageRefusal | None = None
        for _ in range(self.max_refusals + 1):
            if calls.is_over:
                return
            calls.made += 1
            self._tell(PlannerEvent(PlannerEventKind.ASKED, context, Phase.PLANNING, refusal))
            last = refusal
            with kernel.telemetry.asking("plan", kernel.number):
                answer = yield lambda: self.planner(_copy(context), last)  # noqa: B023  (called before the next round)
            message, refusal, found = self._judge(answer, context)
            if refusal is None:
                assert isinstance(message, PlanNext)
                self._tell(PlannerEvent(PlannerEventKind.OPENED, kernel.open_block(message), diagnostics=found))
                return
            self._refuse(kernel, refusal)
        assert refusal is not None
        times = "once, " if self.max_refusals == 0 else f"{self.max_refusals + 1} times, the last time "
        said = f"the planner was refused {times}for:\n\n"
        self._close(kernel, said + _why(refusal), DoneStatus.FAILED)

    def _execute(self, kernel: Kernel) -> Turn[None]:
        context = kernel.context
        self._tell(PlannerEvent(PlannerEventKind.ASKED, context, Phase.EXECUTION))
        with kernel.telemetry.at_work(kernel.number, "block"):
            answer = yield lambda: self.executor(_copy(context))
        message, refusal, found = self._judge(answer, context)
        if refusal is None:
            assert isinstance(message, PlanReturn)
            self._close(kernel, message.result, status_of(message), found)
            return
        # Whatever the executor has done is done: to ask again would do it twice.
        self._refuse(kernel, refusal)
        said = f"the executor's answer was refused:\n\n{_why(refusal)}\n\nIt was:\n\n{visible(refusal.answer[:_KEPT])}"
        self._close(kernel, said, DoneStatus.FAILED)

    def _refuse(self, kernel: Kernel, refusal: MessageRefusal) -> None:
        faults = [f"{one.code}: {one.message}" for one in _errors(refusal)[:_LISTED]]
        kernel.note_refusal(refusal.answer[:_KEPT], faults)
        self._tell(PlannerEvent(PlannerEventKind.REFUSED, kernel.context, kernel.context.phase, refusal))

    def _judge(
        self, answer: object, context: Context
    ) -> tuple[PlanNext | PlanReturn | None, MessageRefusal | None, tuple[Diagnostic, ...]]:
        """The message that an answer is, or why it is refused; and all that was found."""
        if not isinstance(answer, str | PlanNext | PlanReturn):
            raise TypeError(f"an answer is a text or a message, not {type(answer).__name__}")
        # A model may hold what JSON cannot, such as NaN, and what is written has to be read again.
        text = answer if isinstance(answer, str) else _to_json(answer)
        message, found = self.judge.judge(text, context.phase, context, name="<answer>")
        return message, None if message is not None else MessageRefusal(text, found), tuple(found)

    def _close(
        self,
        kernel: Kernel,
        result: str | dict[str, Any],
        status: DoneStatus,
        found: tuple[Diagnostic, ...] = (),
    ) -> None:
        context = kernel.close_block(result, status)
        item = context.outcome or context.think.done[-1]
        self._tell(PlannerEvent(PlannerEventKind.CLOSED, context, item=item, diagnostics=found))
        if context.outcome is not None:
            self._tell(PlannerEvent(PlannerEventKind.ENDED, context, item=item))

    def _tell(self, event: PlannerEvent) -> None:
        if self.on_event is not ignore:
            context, item = _copy((event.context, event.item))
            self.on_event(evolve(event, context=context, item=item))


def _copy(value: _Copied) -> _Copied:
    """A copy for a callable or a watcher: what they do to it must not be written.

    Nothing that is hostile is unpickled here, and it takes a third of the time of `deepcopy`.
    """
    return cast(_Copied, pickle.loads(pickle.dumps(value, pickle.HIGHEST_PROTOCOL)))  # noqa: S301


def _errors(refusal: MessageRefusal) -> list[Diagnostic]:
    return [one for one in refusal.diagnostics if one.severity is Severity.ERROR]


def _why(refusal: MessageRefusal) -> str:
    errors = _errors(refusal)
    more = f"\n\nErrors besides these: {len(errors) - _LISTED}" if len(errors) > _LISTED else ""
    return render_all(errors[:_LISTED]) + more


def _to_json(message: PlanNext | PlanReturn) -> str:
    try:
        return json.dumps(to_value(message), ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(f"an answer holds what JSON cannot say: {error}") from None
