"""What comes next in a run: the agenda of its plan, with what the ledger knows besides."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from planspec_lark.engine.inputs import Values
from planspec_lark.engine.run_state import RunState
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.planspec.agenda import Agenda, NextAction, StepState
from planspec_lark.planspec.data_flow import Order
from planspec_lark.planspec.models import CONTAINER_TYPES, OPEN, PlanSpec, PlanStep

__all__ = ["RunAgenda", "StateAgenda"]

# How many steps are looked at, besides those that run, for one that can run beside these.
_LOOK_AHEAD = 200


class StateAgenda(Agenda):
    """The agenda of a plan whose run has come to a state."""

    def __init__(self, plan: PlanSpec, state: RunState, *, order: Order, given: Collection[str]) -> None:
        self.state = state
        super().__init__(plan, order=order, given=given)

    def is_loop(self, step: PlanStep) -> bool:
        """Also one of unknown number that was begun again, which its text does not show."""
        return self.state.is_loop(step)

    def is_undecided(self, step: PlanStep) -> bool:
        """Whether the run has chosen no branch, and one can still be chosen."""
        return step.step_id not in self.state.chosen and any(child.status in OPEN for child in step.children)

    def todo(self, step: PlanStep) -> NextAction | None:
        """What is to be done with an open step, as its records have it."""
        if step.step_id in self.state.failures:
            return NextAction.REFLECT
        # One that was revised may be no container any more.
        if step.step_id in self.state.unplanned and step.step_type in CONTAINER_TYPES:
            return NextAction.PLAN
        return super().todo(step)


class RunAgenda(StateAgenda):
    """Finds what comes next. It remembers how far it has come, until a step is open again that was not."""

    def __init__(self, writer: RunWriter, values: Values, order: Order) -> None:
        self._writer, self._values = writer, values
        self._version, self._shape = writer.version, writer.shape
        super().__init__(writer.plan, writer.state, order=order, given=values.given)

    def find(self, at_work: Collection[str]) -> StepState | None:
        """What can be done now, beside the steps that are at work; None where there is nothing, for now or at all.

        A step that lacks inputs for good counts as well, as it is to be blocked. Reflectors and planners may change
        whatever has not been begun, and so wait until nothing is at work.
        """
        self._follow()
        for looked, state in enumerate(self.states()):
            if at_work and looked > _LOOK_AHEAD + len(at_work):
                return None
            if state.step.step_id in at_work or (at_work and state.todo in (NextAction.REFLECT, NextAction.PLAN)):
                continue
            if state.is_ready or state.lacks:
                return state
        return None

    def find_lack(self, name: str, step: PlanStep) -> PlanStep | None:
        """The same, of the plan as it is now."""
        self._follow()
        return super().find_lack(name, step)

    def _late(self, one: PlanStep, place: Any) -> PlanStep | None:
        # What is not run now is not waited for.
        return super()._late(one, place) if self._writer.is_run(one.step_id) else None

    def _follow(self) -> None:
        writer = self._writer
        if self._shape != writer.shape:
            self.plan = writer.plan
            self.renew()
        elif self._version != writer.version:
            self.forget()
        self._version, self._shape = writer.version, writer.shape

    # ---------------------------------------------------------------- what the ledger knows

    def top(self) -> list[PlanStep]:
        """The subtask that is run, or the plan's steps."""
        root = self._writer.root
        return [root] if isinstance(root, PlanStep) else root.steps

    def is_there(self, name: str, step: PlanStep) -> bool:
        """Whether it was really produced."""
        return self._values.find(name, step) is not None
