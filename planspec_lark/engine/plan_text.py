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
        text = serialize_plan(self.plan)
        self._text: str | None = text
        self._steps: dict[str, tuple[PlanStep, int, str]] = {}
        self._rows: dict[str, str] = {}
        self._hash, before = 0, ""
        steps = list(iter_with_parents(self.plan))
        lines = text.split("\n")
        at = len(lines) - 1 - sum(_count_lines(step) for step, _ in steps)
        self._head = "".join(f"{line}\n" for line in lines[:at])
        self._hash += _hash("", self._head)
        for step, parent in steps:
            depth = 0 if parent is None else self._steps[parent.step_id][1] + 1
            self._steps[step.step_id] = step, depth, before
            end = at + _count_lines(step)
            self._put(step.step_id, "\n".join([*lines[at:end], ""]), before)
            at, before = end, step.step_id

    def update(self, *step_ids: str) -> None:
        """Print some steps again, of which status, result or rounds have changed."""
        for step_id in step_ids:
            step, depth, before = self._steps[step_id]
            self._hash -= _hash(before, self._rows[step_id])
            self._put(step_id, canonical_step(step, depth), before)
        self._text = None

    def _put(self, step_id: str, rows: str, before: str) -> None:
        self._rows[step_id] = rows
        self._hash += _hash(before, rows)

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

    def __len__(self) -> int:
        """How many steps the plan has."""
        return len(self._steps)

    def find(self, step_id: str) -> PlanStep | None:
        """The step with this id."""
        found = self._steps.get(step_id)
        return found and found[0]

    def order(self) -> dict[str, int]:
        """The place of each step in the document, from 0."""
        return {step_id: at for at, step_id in enumerate(self._steps)}


def _count_lines(step: PlanStep) -> int:
    """Lines of a step itself: its summary, its inputs, and its detail."""
    return 1 + bool(step.inputs) + len(step.detail)


def _hash(before: str, part: str) -> int:
    made = hashlib.blake2b(f"{before}\n{part}".encode(), digest_size=_BYTES)
    return int.from_bytes(made.digest(), "big")
