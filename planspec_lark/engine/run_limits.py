"""What a run may do: its limits, and what is left of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from planspec_lark.engine.models import EngineLimits
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.plan_cmd.models import PlanCommand
from planspec_lark.syntax.diagnostics import shorten

__all__ = ["RunLimits"]


class RunLimits:
    """Holds a run to its limits.

    Attributes:
        given: the limits.
    """

    def __init__(self, writer: RunWriter, given: EngineLimits) -> None:
        self._writer, self.given = writer, given

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

    def find_excess(self, commands: Sequence[PlanCommand]) -> str:
        """What commands do that a run may not, in words; empty where they may be performed."""
        writer, given = self._writer, self.given
        for command in commands:
            is_own = command.op == "REPLAN" and command.step_id == writer.scope
            if not is_own and not writer.is_inside(command.step_id):
                what = f"{command.op} {shorten(command.step_id)}"
                return f"{what}: only steps below step {writer.scope} can be changed here"
        if len(commands) > given.max_commands:
            return f"{len(commands):,} commands: an answer may have at most {given.max_commands:,}"
        added, left = sum(command.op == "ADD" for command in commands), given.max_added - writer.state.added
        if added > left:
            return f"too many ADD commands: {max(left, 0)} more steps may be added in this run"
        if not self.can_plan() and any(command.op == "REPLAN" for command in commands):
            return "REPLAN is no longer possible: the run has used all of its replans"
        return ""
