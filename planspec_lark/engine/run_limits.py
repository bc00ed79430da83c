"""What a run may do and spend: its limits, its budget, and what is left of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from time import monotonic

from planspec_lark.engine.models import Budget, EngineLimits
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.plan_cmd.models import PlanCommand
from planspec_lark.syntax.diagnostics import shorten

__all__ = ["OutOfBudget", "RunLimits"]


class OutOfBudget(Exception):  # noqa: N818  (it is no error)
    """A budget is used up; the text says which."""


class RunLimits:
    """Holds a run to its limits, and to its budget, which counts from when this was made.

    Attributes:
        given: the limits.
    """

    def __init__(self, writer: RunWriter, given: EngineLimits, budget: Budget) -> None:
        self._writer, self.given, self._budget = writer, given, budget
        self._began, self._before = monotonic(), writer.state.effort
        self._steps = writer.state.steps

    def seconds_left(self) -> float:
        """How many seconds the run has left."""
        seconds = self._budget.seconds
        return math.inf if seconds is None else max(seconds - (monotonic() - self._began), 0)

    def before_call(self) -> None:
        """Raises OutOfBudget where nothing is left for a call."""
        budget, state = self._budget, self._writer.state
        spent = {
            "steps": (state.steps - self._steps, budget.steps),
            "seconds": (monotonic() - self._began, budget.seconds),
            "calls of programs and models": (state.effort.llm_calls - self._before.llm_calls, budget.llm_calls),
            "tokens": (state.effort.tokens - self._before.tokens, budget.tokens),
            "cost": (state.effort.cost - self._before.cost, budget.cost),
        }
        for name, (used, most) in spent.items():
            if most is not None and used >= most:
                raise OutOfBudget(f"the budget is used up: {name}: {most:,}")

    def allows_beside(self, under_way: int) -> bool:
        """Whether there may be a call beside so many under way, of which each may count as one when it has ended."""
        most = self._budget.llm_calls
        used = self._writer.state.effort.llm_calls - self._before.llm_calls
        return not under_way or most is None or used + under_way < most

    # ------------------------------------------------------------ steps

    def can_begin(self, step_id: str) -> bool:
        """Whether a step may be begun once more; one that is at work has been begun."""
        state = self._writer.state
        return state.begun.get(step_id, 0) < self.given.max_attempts or step_id in state.running

    def can_reflect(self, step_id: str) -> bool:
        """Whether a failed step may be reflected on once more."""
        return self._writer.state.reflected.get(step_id, 0) < self.given.max_attempts

    def can_retry(self, step_id: str) -> bool:
        """Whether a failed step may be tried again."""
        state = self._writer.state
        tried = state.retries.get(step_id, 0) < self.given.max_retries
        return tried and state.begun.get(step_id, 0) < self.given.max_attempts

    def can_accept(self, step_id: str) -> bool:
        """Whether anything came of a failed step that can count as its result."""
        return self._writer.state.failures[step_id].has_result

    def stalls(self, step_id: str) -> bool:
        """Whether a step has failed for the same reason too often."""
        return self.count_alike(step_id) >= self.given.max_same_failures

    def count_alike(self, step_id: str) -> int:
        """How often a step that has failed, or one with its text, has failed for this reason."""
        failure = self._writer.state.failures[step_id]
        return self._writer.state.alike.get(failure.hash, {}).get(failure.reason, 0)

    # ------------------------------------------------------------ changes of the plan

    def can_begin_round(self) -> bool:
        """Whether there may be another pass through the plan."""
        return self._writer.state.round < self.given.max_rounds

    def can_plan(self) -> bool:
        """Whether the planner may be asked for steps once more."""
        return self._writer.state.plannings < self.given.max_plannings

    def allowed_verbs(self, verbs: Iterable[str]) -> tuple[str, ...]:
        """Those of the verbs that a run has not used up."""
        used_up = {"ADD": self._writer.state.added >= self.given.max_added, "REPLAN": not self.can_plan()}
        left = (verb for verb in verbs if not used_up.get(verb.partition(" ")[0]))
        return tuple(verb for verb in left if not self._writer.scope or verb != "REPLAN ALL")

    def find_excess(self, commands: Sequence[PlanCommand]) -> tuple[str, str] | None:
        """The code and the text of what commands do that a run may not; None where they may be performed."""
        writer, given = self._writer, self.given
        for command in commands:
            is_own = command.op == "REPLAN" and command.step_id == writer.scope
            if not is_own and not writer.is_inside(command.step_id):
                what = f"{command.op} {shorten(command.step_id)}"
                return "PE205", f"{what}: only steps below step {writer.scope} can be changed here"
        if len(commands) > given.max_commands:
            return "PE205", f"{len(commands):,} commands: an answer may have at most {given.max_commands:,}"
        added, left = sum(command.op == "ADD" for command in commands), given.max_added - writer.state.added
        if added > left:
            return "PE205", f"too many ADD commands: {max(left, 0)} more steps may be added in this run"
        if not self.can_plan() and any(command.op == "REPLAN" for command in commands):
            return "PE205", "REPLAN is no longer possible: the run has used all of its replans"
        return None
