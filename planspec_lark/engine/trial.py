"""Commands tried on a copy of a plan, one after the other, with an eye on one step wherever they move it."""

from __future__ import annotations

from copy import deepcopy

from planspec_lark.plan_cmd.apply import Finder, perform
from planspec_lark.plan_cmd.models import PlanCommand
from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.planspec.tree import find_step
from planspec_lark.syntax.diagnostics import CommandError

__all__ = ["Trial"]


class Trial:
    """A copy of a plan, and what becomes of it.

    Args:
        plan: the plan, which stays as it is.
        step: a step of it to follow, if there is one.
    """

    def __init__(self, plan: PlanSpec, step: PlanStep | None = None) -> None:
        self._plan, self._finder = plan, Finder(plan)
        self._own = None if step is None else find_step(plan, step.step_id)
        self._is_there = self._own is not None
        self._is_copy = False

    @property
    def step_id(self) -> str:
        """The id that the step has by now, or had when it was removed; "" if there is none to follow."""
        return self._own.step_id if self._own else ""

    def find(self, step_id: str) -> PlanStep | None:
        """The step that has this id by now."""
        self._copy()
        return self._finder.find(step_id)

    def is_above(self, step_id: str) -> bool:
        """Whether this id is that of the step, or of one that it stands below."""
        # Cut first: a text may have many commands, and an id many characters.
        own = self.step_id
        return self._is_there and (own == step_id or own[: len(step_id) + 1] == f"{step_id}.")

    def perform(self, command: PlanCommand) -> CommandError | None:
        """Perform a command; why it is refused, or None."""
        self._copy()
        removes = command.op == "REPLAN" and command.step_id != self.step_id and self.is_above(command.step_id)
        try:
            perform(self._plan, command, self._finder)
        except CommandError as error:
            return error
        self._is_there = self._is_there and not removes
        return None

    def _copy(self) -> None:
        """Copy the plan before anything is done to it: many answers do nothing."""
        if not self._is_copy:
            self._is_copy = True
            self._plan = deepcopy(self._plan)
            self._finder = Finder(self._plan)
            self._own = None if self._own is None else find_step(self._plan, self._own.step_id)
