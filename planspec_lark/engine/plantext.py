"""The text of a plan that changes step by step: what has not changed is not printed again."""

from __future__ import annotations

from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.planspec.printing import canonical_step, serialize_plan

__all__ = ["PlanText"]


class PlanText:
    """A plan and its canonical text.

    Raises:
        ValueError: no text could spell the plan.
    """

    def __init__(self, plan: PlanSpec) -> None:
        self.plan = plan
        self.renew()

    def renew(self) -> None:
        """Print the plan again, whatever has changed in it."""
        # Whether ids fit and none comes twice shows in the whole only.
        self.text = serialize_plan(self.plan)
        self._steps: dict[str, tuple[PlanStep, int]] = {}
        self._rows: dict[str, str] = {}
        stack = [(step, 0) for step in reversed(self.plan.steps)]
        while stack:
            step, depth = stack.pop()
            self._steps[step.step_id] = step, depth
            self._rows[step.step_id] = canonical_step(step, depth)
            stack.extend((child, depth + 1) for child in reversed(step.children))
        self._head = self.text[: len(self.text) - sum(map(len, self._rows.values()))]

    def update(self, *step_ids: str) -> None:
        """Print some steps again, of which status, result or rounds have changed."""
        for step_id in step_ids:
            self._rows[step_id] = canonical_step(*self._steps[step_id])
        self.text = self._head + "".join(self._rows.values())

    def find(self, step_id: str) -> PlanStep | None:
        """The step with this id."""
        found = self._steps.get(step_id)
        return found and found[0]

    def order(self) -> dict[str, int]:
        """The place of each step in the document, from 0."""
        return {step_id: at for at, step_id in enumerate(self._steps)}
