"""What the planner is asked for: changes at the end of a round, steps below a container, a whole new plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

from attrs import frozen

from planspec_lark.engine.answer_retry import AnswerRetry, Read
from planspec_lark.engine.entries import PlanEntry, Planned, Renewed, Replanned, about
from planspec_lark.engine.generated_plan import GeneratedPlan, make_pending, read_children, read_new_plan
from planspec_lark.engine.models import (
    REPLAN_VERBS,
    Answer,
    AnswerRefusal,
    Effort,
    HopStatus,
    OperatorResult,
    Planner,
    PlanningCall,
    PlanningPurpose,
)
from planspec_lark.engine.plan_changes import reshape
from planspec_lark.engine.reflection import Reflection, read_replan
from planspec_lark.engine.step_runner import fold_plan
from planspec_lark.plan_cmd.printer import serialize_commands
from planspec_lark.planspec.fold import replace_children
from planspec_lark.planspec.models import PlanSpec, PlanStatus, PlanStep, hash_of, iter_steps
from planspec_lark.planspec.parser import parse_plan
from planspec_lark.runs.driver import Work

__all__ = ["Replanner"]


@frozen
class Replanner(AnswerRetry):
    """Asks the planner.

    Attributes:
        missing: the outputs that are asked for and are not there.
    """

    planner: Planner | None
    missing: Callable[[], tuple[str, ...]]

    def plan_children(self, step: PlanStep) -> Work | PlanEntry:
        """Let the planner write the steps below a container; without them it has failed."""
        state = self.writer.state
        if self.planner is None:
            return self._fail(step, "there are no steps below it, and no planner to write them")
        if not self.limits.can_plan():
            return self._fail(step, f"the planner was asked for steps {state.plannings} times")
        names = [one.step_name for one in iter_steps(self.writer.plan) if one.step_name]
        reason = state.unplanned.get(step.step_id, "")
        read = partial(read_children, container=step, names=names, limits=self.limits.given)
        asked = self._ask(PlanningPurpose.CHILDREN, step, reason, read, partial(self._take_children, step))
        return self._fail(step, asked, cause="planner") if isinstance(asked, str) else asked

    def _take_children(self, step: PlanStep, read: GeneratedPlan, answer: Answer) -> Planned:
        make_pending(read.plan.steps)
        at = len(step.children)
        replace_children(self.writer.plan, step.step_id, [*step.children, *read.plan.steps])
        taken = self._take_over(step, step.children[at:])
        for above in self.writer.ancestors(step.step_id):
            if self.writer.is_run(above.step_id):
                above.status = PlanStatus.ACTIVE
        return Planned(**about(step), effort=answer.effort, description=step.description, taken=taken)

    def _take_over(self, container: PlanStep, steps: list[PlanStep]) -> dict[str, int]:
        """Count steps as done that say exactly what a finished one said; gives which one that was."""
        finished = self._finished(container)
        taken = {}
        for step, at in _match(finished, iter_steps(PlanSpec(steps=steps))):
            taken[step.step_id], old = at, finished[at]
            step.status, step.result, step.done_count = old.status, old.result, old.done_count
        return taken

    def _finished(self, container: PlanStep | None) -> list[PlanStep]:
        """What was done below a container that is planned again, in its order."""
        cleared = self.writer.state.cleared.get(container.step_id, ()) if container else ()
        return [parse_plan(f"## Steps\n{one.text}").steps[0] for one in cleared]

    def _fail(self, step: PlanStep, reason: str, cause: str = "no planner") -> PlanEntry:
        return self.step_runner.fail(step, OperatorResult(HopStatus.FAIL, reason, effort=Effort()), cause=cause)

    def change(self, reason: str) -> Work | str:
        """Let the planner change the plan at the end of a round; gives why it could not, if so."""
        return self._ask(PlanningPurpose.CHANGES, None, reason, self._read, self._take_changes)

    def _read(self, text: str, *, finish_reason: str) -> Reflection:
        return self.hold_to_limits(read_replan(text, self.writer.plan, finish_reason=finish_reason))

    def _take_changes(self, read: Reflection, answer: Answer) -> Replanned:
        more: dict[str, Any] = {"effort": answer.effort, "warnings": read.warnings}
        more["commands"] = serialize_commands(read.commands)
        renewing = next((one.result for one in read.commands if one.step_id == "ALL"), None)
        if renewing is not None:
            # What was decided is kept before the new plan is asked for.
            return Replanned(**more, renewing=renewing or "REPLAN ALL")
        return Replanned(**more, **reshape(self.writer, read.commands).said())

    def renew(self, reason: str) -> Work | str:
        """Let the planner write a whole new plan; gives why it could not, if so."""
        read = partial(read_new_plan, limits=self.limits.given)
        return self._ask(PlanningPurpose.PLAN, None, reason, read, partial(self._take_plan, reason))

    def _take_plan(self, reason: str, read: GeneratedPlan, answer: Answer) -> Renewed:
        """The new plan is in the place of the old one, which the ledger keeps."""
        plan, old = self.writer.plan, self.writer.text.text
        kept = self._find_done(read)
        make_pending(read.plan.steps, frozenset(kept))
        plan.title = read.plan.title or plan.title
        plan.steps = read.plan.steps
        return Renewed(effort=answer.effort, reason=reason, old=old, kept=kept)

    def _find_done(self, read: GeneratedPlan) -> dict[str, str]:
        """Steps of a new plan that were done in the old one, with the ids that they had: their texts are the same."""
        old, new = (
            [step for step in iter_steps(plan) if step.status is PlanStatus.DONE]
            for plan in (self.writer.plan, read.plan)
        )
        kept = {}
        for step, at in _match(old, new):
            kept[step.step_id], step.result = old[at].step_id, old[at].result
        return kept

    def _ask(
        self,
        purpose: PlanningPurpose,
        step: PlanStep | None,
        reason: str,
        read: Callable[..., Read],
        take: Callable[[Read, Answer], PlanEntry],
    ) -> Work | str:
        planner = self.planner
        assert planner is not None
        return self.put(
            lambda refusal: partial(planner, self._call(purpose, step, reason, refusal)),
            read,
            take,
            "planner",
            "plan",
            step,
            purpose=purpose.value,
        )

    def _call(
        self, purpose: PlanningPurpose, step: PlanStep | None, reason: str, refusal: AnswerRefusal | None
    ) -> PlanningCall:
        writer = self.writer
        verbs = self.limits.allowed_verbs(REPLAN_VERBS) if purpose is PlanningPurpose.CHANGES else ()
        return PlanningCall(
            purpose,
            deepcopy(writer.plan),
            fold_plan(writer),
            deepcopy(step),
            reason,
            self.missing(),
            verbs,
            writer.history,
            refusal,
            tuple(self._finished(step)),
        )


def _match(old: Sequence[PlanStep], new: Iterable[PlanStep]) -> Iterator[tuple[PlanStep, int]]:
    """The new leaves that say exactly what an old one says, each with the number of that. Each was done once."""
    known: dict[str, list[int]] = {}
    for at in reversed(range(len(old))):
        if not old[at].children:
            known.setdefault(hash_of(old[at]), []).append(at)
    for step in new:
        same = known.get(hash_of(step))
        if same and not step.children and old[same[-1]].total_count == step.total_count:
            yield step, same.pop()
