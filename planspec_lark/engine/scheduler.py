"""What comes next: the first step in document order that is open, so that the plan itself says how far it is."""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import Enum

from planspec_lark.engine.run_state import RunState
from planspec_lark.engine.run_writer import RunWriter
from planspec_lark.planspec.models import CONTAINER_TYPES, OPEN, PlanStatus, PlanStep, has_progress

__all__ = ["NextStep", "StepScheduler", "is_loop", "is_open_loop"]


# How many open steps are searched, besides those that run, for one that can run beside these.
_LOOK_AHEAD = 200


class NextStep(Enum):
    """What is to be done with a step."""

    # The operator does it; of a decide step, it chooses a branch.
    RUN = "run"
    # Its failure is reflected on.
    REFLECT = "reflect"
    # The planner writes its children.
    PLAN = "plan"
    # Its children are begun.
    OPEN = "open"
    # Its children have all been dealt with.
    CLOSE = "close"


def is_loop(step: PlanStep, state: RunState) -> bool:
    """Whether a step counts rounds: ``Progress: 0/3``, or ``Progress: 1`` where their number is unknown.

    One of unknown number that was begun again counts from 0, which its text does not show.
    """
    return step.step_type == "subtask" and (has_progress(step) or state.loops.get(step.step_id, False))


def is_open_loop(step: PlanStep, state: RunState) -> bool:
    """Whether a loop goes on until an operator says that it is done."""
    return is_loop(step, state) and step.total_count is None and state.loops.get(step.step_id, True)


class StepScheduler:
    """Finds what comes next. It remembers how far it has come, until a step is open again that was not."""

    def __init__(self, writer: RunWriter) -> None:
        self._writer = writer
        # Where the first open step may be among those below a step ("" for the top level).
        self._first: dict[str, int] = {}
        self._version = -1

    def find(self) -> tuple[NextStep, PlanStep] | None:
        """What comes next; None where nothing is open."""
        if self._version != self._writer.version:
            self._version = self._writer.version
            self._first.clear()
        above: PlanStep | None = None
        siblings = self._top()
        while True:
            step = self._first_open("" if above is None else above.step_id, siblings)
            if step is None:
                return None if above is None else (NextStep.CLOSE, above)
            what = self._look_at(step)
            if what is not None:
                return what, step
            above, siblings = step, step.children

    def find_more(self, at_work: Collection[str], is_ready: Callable[[PlanStep], bool]) -> PlanStep | None:
        """A step that can be done beside those that are at work: one whose inputs are there already.

        Steps that declare none wait for all before them. So does what is in a loop or below a decision that has not
        begun, and whatever comes after a container that is to be planned or reflected on.
        """
        looked, rows = 0, [iter(self._top())]
        while rows and looked < _LOOK_AHEAD + len(at_work):
            step = next(rows[-1], None)
            if step is None:
                rows.pop()
                continue
            if step.status not in OPEN:
                continue
            looked += 1
            what = self._look_at(step)
            if what in (NextStep.REFLECT, NextStep.PLAN):
                return None
            if what is NextStep.RUN and step.step_id not in at_work and step.inputs and is_ready(step):
                return step
            has_begun = step.status is PlanStatus.ACTIVE or (
                step.step_type != "decide" and not is_loop(step, self._writer.state)
            )
            if step.children and what is not NextStep.RUN and has_begun:
                rows.append(iter(step.children))
        return None

    def _top(self) -> list[PlanStep]:
        root = self._writer.root
        return [root] if isinstance(root, PlanStep) else root.steps

    def _first_open(self, owner: str, siblings: list[PlanStep]) -> PlanStep | None:
        for at in range(self._first.get(owner, 0), len(siblings)):
            if siblings[at].status in OPEN:
                self._first[owner] = at
                return siblings[at]
        self._first[owner] = len(siblings)
        return None

    def _look_at(self, step: PlanStep) -> NextStep | None:  # noqa: PLR0911  (a table)
        """What is to be done with an open step; None where one below it comes first."""
        state = self._writer.state
        if step.step_id in state.failures:
            return NextStep.REFLECT
        if step.step_type not in CONTAINER_TYPES:
            return NextStep.RUN
        if step.step_id in state.unplanned:
            return NextStep.PLAN
        if is_loop(step, state) and step.total_count is not None and step.done_count >= step.total_count:
            return NextStep.CLOSE
        if not step.children:
            return NextStep.RUN if is_loop(step, state) else NextStep.PLAN
        is_undecided = step.step_type == "decide" and step.step_id not in state.chosen
        if is_undecided and any(child.status in OPEN for child in step.children):
            return NextStep.RUN
        return NextStep.OPEN if step.status is PlanStatus.PENDING else None
