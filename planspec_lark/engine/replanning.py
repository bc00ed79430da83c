"""What the planner is asked for: changes at the end of a round, steps below a container, a whole new plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from functools import partial
from typing import TypeVar

from attrs import frozen

from planspec_lark.awaitables import Turn
from planspec_lark.diagnostics import Severity
from planspec_lark.engine.desk import Desk
from planspec_lark.engine.generating import Generated, make_pending, read_children, read_new_plan
from planspec_lark.engine.identity import hash_of
from planspec_lark.engine.ledger import Kind
from planspec_lark.engine.models import (
    Answer,
    Effort,
    EngineLimits,
    HopStatus,
    OperatorResult,
    Planner,
    PlanningCall,
    Purpose,
    Refusal,
    take_answer,
)
from planspec_lark.engine.reflecting import note_refusal
from planspec_lark.engine.reflection import Reflection, read_replan
from planspec_lark.engine.reshaping import reshape
from planspec_lark.engine.stepping import Stepper, fold_plan
from planspec_lark.plan_cmd.printing import serialize_commands
from planspec_lark.planspec.folding import replace_children
from planspec_lark.planspec.models import PlanStatus, PlanStep, iter_steps

__all__ = ["Replanning"]

_VERBS = ("ADD", "REVISE", "REPLAN")
_Read = TypeVar("_Read", Generated, Reflection)


@frozen
class Replanning:
    """Asks the planner.

    Attributes:
        before_call: raises what ends the run where a budget is used up.
        missing: the outputs that are asked for and are not there.
    """

    desk: Desk
    stepper: Stepper
    planner: Planner | None
    limits: EngineLimits
    before_call: Callable[[], None]
    missing: Callable[[], tuple[str, ...]]

    def plan_children(self, step: PlanStep) -> Turn[None]:
        """Let the planner write the steps below a container; without them it has failed."""
        state = self.desk.state
        if self.planner is None:
            self._fail(step, "there are no steps below it, and no planner to write them")
            return
        if state.plannings >= self.limits.max_plannings:
            self._fail(step, f"the planner was asked for steps {state.plannings} times")
            return
        names = [one.step_name for one in iter_steps(self.desk.plan) if one.step_name and not _is_below(one, step)]
        reason = state.unplanned.get(step.step_id, "")
        read, answer, refusal = yield from self._ask(
            Purpose.CHILDREN, step, reason, lambda text: read_children(text, step, names, self.limits)
        )
        if read is None:
            self._fail(step, f"the planner was refused: {_why(refusal)}")
            return
        make_pending(read.plan.steps)
        replace_children(self.desk.plan, step.step_id, [*step.children, *read.plan.steps])
        for above in self.desk.ancestors(step.step_id):
            above.status = PlanStatus.ACTIVE
        self.desk.note_shape(
            Kind.PLANNED, step.step_id, own=hash_of(step), effort=answer.effort, description=step.description
        )

    def _fail(self, step: PlanStep, reason: str) -> None:
        self.stepper.fail(step, OperatorResult(HopStatus.FAIL, reason, effort=Effort()))

    def change(self, reason: str) -> Turn[bool]:
        """Let the planner change the plan at the end of a round; gives whether it did."""
        read, answer, _ = yield from self._ask(
            Purpose.CHANGES, None, reason, lambda text: read_replan(text, self.desk.plan)
        )
        if read is None:
            return False
        if any(command.op == "REPLAN" and command.step_id == "ALL" for command in read.commands):
            return (yield from self._renew(read, answer))
        before = self.desk.digest
        done = reshape(self.desk, read.commands)
        text = serialize_commands(read.commands)
        self.desk.note_shape(Kind.REPLANNED, effort=answer.effort, commands=text, **done.data())
        return before != self.desk.digest or bool(done.unplanned)

    def _renew(self, asked: Reflection, first: Answer) -> Turn[bool]:
        """Put a whole new plan in place of the old one, which the ledger keeps."""
        reason = next(one.result for one in asked.commands if one.op == "REPLAN" and one.step_id == "ALL")
        if self.desk.state.plannings >= self.limits.max_plannings:
            return False
        read, answer, _ = yield from self._ask(
            Purpose.PLAN, None, reason, lambda text: read_new_plan(text, self.limits)
        )
        if read is None:
            return False
        plan, old = self.desk.plan, self.desk.text.text
        kept = self._find_done(read)
        make_pending(read.plan.steps, frozenset(kept))
        plan.title = read.plan.title or plan.title
        plan.steps = read.plan.steps
        effort = first.effort + answer.effort
        self.desk.note_shape(Kind.RENEWED, effort=effort, reason=reason, old=old, kept=kept)
        return True

    def _find_done(self, read: Generated) -> dict[str, str]:
        """Steps of a new plan that were done in the old one, with the ids that they had: their texts are the same."""
        known: dict[str, list[PlanStep]] = {}
        for step in iter_steps(self.desk.plan):
            if step.status is PlanStatus.DONE and not step.children:
                known.setdefault(hash_of(step), []).append(step)
        kept = {}
        for step in iter_steps(read.plan):
            same = known.get(hash_of(step), ())
            if step.step_id in read.done and not step.children and len(same) == 1:
                kept[step.step_id] = same[0].step_id
                step.result = same[0].result
        # Of two that are the same, one was done.
        times = Counter(kept.values())
        return {new: old for new, old in kept.items() if times[old] == 1}

    # ---------------------------------------------------------------- the planner itself

    def _ask(
        self, purpose: Purpose, step: PlanStep | None, reason: str, read: Callable[[str], _Read]
    ) -> Turn[tuple[_Read | None, Answer, Refusal | None]]:
        """Ask until an answer can be used, or has been refused too often."""
        assert self.planner is not None
        refusal: Refusal | None = None
        answer = Answer("")
        for _ in range(self.limits.max_repairs + 1):
            self.before_call()
            call = self._call(purpose, step, reason, refusal)
            answer = take_answer((yield partial(self.planner, call)), "planner")
            found = read(answer.text)
            if found.is_usable:
                return found, answer, None
            refusal = Refusal(answer.text, found.diagnostics)
            note_refusal(self.desk, step, answer, refusal)
        return None, answer, refusal

    def _call(self, purpose: Purpose, step: PlanStep | None, reason: str, refusal: Refusal | None) -> PlanningCall:
        desk = self.desk
        verbs = _VERBS if purpose is Purpose.CHANGES else ()
        return PlanningCall(
            purpose,
            deepcopy(desk.plan),
            fold_plan(desk),
            deepcopy(step),
            reason,
            self.missing(),
            verbs,
            desk.history,
            refusal,
        )


def _is_below(step: PlanStep, above: PlanStep) -> bool:
    return step.step_id.startswith(f"{above.step_id}.")


def _why(refusal: Refusal | None) -> str:
    found = refusal.diagnostics if refusal else []
    return next((one.message for one in found if one.severity is Severity.ERROR), "it gave nothing usable")
