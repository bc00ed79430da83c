"""Runs a plan: the driver asks the planner for blocks and the executor for results, within a budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from attrs import field, frozen
from attrs.validators import ge, instance_of

from planspec_lark.awaitables import ignore
from planspec_lark.plan_next.context import Context
from planspec_lark.plan_next.judge import Judge
from planspec_lark.planner.kernel import LOG, open_state
from planspec_lark.planner.language import (
    ExecutorCallable,
    PlannerCallable,
    PlannerEvent,
    PlannerLanguage,
    PlannerState,
)
from planspec_lark.runs.driver import Driver
from planspec_lark.runs.ledger import Ledger, is_name
from planspec_lark.runs.limits import Budget, StepPolicy
from planspec_lark.runs.telemetry import telling

__all__ = ["MAX_CALLS", "Runtime"]

# A planner that splits and splits again is to be noticed before it has cost much.
MAX_CALLS = 100

_Driver = Driver[PlannerState, Context]


@frozen
class Runtime:
    """Opens and closes blocks until the root has ended.

    Args:
        state_dir: the folder that holds the context; see :func:`planspec_lark.planner.kernel.create_state`.
        planner: gives plan-next messages.
        executor: gives plan-return messages.
        judge: what their answers are held to.
        max_refusals: how often a planner may be refused for one block before the block counts as failed.
        max_failures: how many attempts in a row may fail inside a block before it counts as failed itself.
        policy: how long one call of either may take, and how often it is tried.
        budget: how much one run may spend: by default 100 calls of both, however many tokens they take. An answer that
            is not an :class:`~planspec_lark.runs.Answer` counts as one call, and nothing is known of its tokens.
        on_event: told of everything that happens.
        ledger: where the plan is written down, such as a database; by default a file in the folder.
        run_id: the run of that ledger that has the plan.

    A callable that raises ends the run with what it raised; the state stays as it was, and the run can be resumed
    later. So does a planner that takes too long (OverdueError), and one that gives something else than a message
    (TypeError). An executor that takes too long has failed at the block. If a run is interrupted while the executor is
    at work, it is asked again for the same block later on: the context's ``revision`` is the same then.
    """

    state_dir: Path = field(converter=Path)
    planner: PlannerCallable
    executor: ExecutorCallable
    judge: Judge = field(factory=Judge, kw_only=True)
    max_refusals: int = field(default=2, validator=[instance_of(int), ge(0)], kw_only=True)
    max_failures: int = field(default=3, validator=[instance_of(int), ge(1)], kw_only=True)
    policy: StepPolicy = field(default=StepPolicy(), kw_only=True)
    budget: Budget = field(default=Budget(llm_calls=MAX_CALLS), kw_only=True)
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
        """Continue until the root has ended, the budget is used up, or so many blocks were opened and closed.

        Returns:
            The state of the plan after that. Its ``outcome`` is None as long as the plan has not ended; another run
            continues it.

        Raises:
            StateError: there is no plan, or another process is working on it.
            ContextError: what is there is no context.
            RuntimeError: a callable is asynchronous, and this is called where an event loop runs already.
        """
        with self._opened(max_turns) as driver:
            return driver.run("arun() or astep()")

    async def arun(self, *, max_turns: int | None = None) -> Context:
        """As :meth:`run`, for callables that are asynchronous; others are run in a thread.

        One that is cancelled while a thread is at work holds the plan's lease until that has ended, and keeps its
        answer. To cancel it once more lets the lease go at once.
        """
        with self._opened(max_turns) as driver:
            return await driver.arun()

    @contextmanager
    def _opened(self, max_turns: int | None) -> Iterator[_Driver]:
        with open_state(self.state_dir, ledger=self.ledger, run_id=self.run_id) as kernel:
            context = kernel.context
            language = PlannerLanguage(
                kernel,
                self.planner,
                self.executor,
                self.judge,
                self.policy,
                self.max_refusals,
                self.max_failures,
                self.on_event,
                None if max_turns is None else context.revision + max_turns,
            )
            with telling(LOG, kernel.log.telemetry.run, "planner") as kernel.log.telemetry:
                yield _Driver(language, kernel.log, PlannerState(context), self.budget)
                if kernel.context.outcome is not None:
                    kernel.log.telemetry.outcome = kernel.context.outcome.status.value
