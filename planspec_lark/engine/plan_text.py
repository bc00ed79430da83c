"""The text of a plan that changes step by step: what has not changed is not printed again."""

from __future__ import annotations

import hashlib

from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.planspec.printer import canonical_step, serialize_plan
from planspec_lark.planspec.tree import iter_with_parents

__all__ = ["PlanText"]

_BYTES = 16


class PlanText:
    """A plan, its canonical text, and a hash of that which is soon brought up to date.

    Raises:
        ValueError: no text could spell the plan.
    """

    def __init__(self, plan: PlanSpec) -> None:
        self.plan = plan
        self.renew()

    def renew(self) -> None:
        """Print the plan again, whatever has changed in it."""
        # Whether ids fit and none comes twice shows in the whole only.
        self._text: str | None = serialize_plan(self.plan)
        self._steps: dict[str, tuple[PlanStep, int, str]] = {}
        self._rows: dict[str, str] = {}
        self._hash, before = 0, ""
        for step, parent in iter_with_parents(self.plan):
            depth = 0 if parent is None else self._steps[parent.step_id][1] + 1
            self._steps[step.step_id] = step, depth, before
            before = step.step_id
            self._add(before)
        self._head = self._text[: len(self._text) - sum(map(len, self._rows.values()))]
        self._hash += _hash("", self._head)

    def update(self, *step_ids: str) -> None:
        """Print some steps again, of which status, result or rounds have changed."""
        for step_id in step_ids:
            self._hash -= _hash(self._steps[step_id][2], self._rows[step_id])
            self._add(step_id)
        self._text = None

    def _add(self, step_id: str) -> None:
        step, depth, before = self._steps[step_id]
        self._rows[step_id] = canonical_step(step, depth)
        self._hash += _hash(before, self._rows[step_id])

    @property
    def text(self) -> str:
        """The canonical text."""
        if self._text is None:
            self._text = self._head + "".join(self._rows.values())
        return self._text

    @property
    def digest(self) -> str:
        """A hash of the text, of 32 hexadecimal digits: the sum of those of its parts, each with what it follows."""
        return f"{self._hash % (1 << 8 * _BYTES):0{2 * _BYTES}x}"

    def find(self, step_id: str) -> PlanStep | None:
        """The step with this id."""
        found = self._steps.get(step_id)
        return found and found[0]

    def order(self) -> dict[str, int]:
        """The place of each step in the document, from 0."""
        return {step_id: at for at, step_id in enumerate(self._steps)}


def _hash(before: str, part: str) -> int:
    made = hashlib.blake2b(f"{before}\n{part}".encode(), digest_size=_BYTES)
    return int.from_bytes(made.digest(), "big")
