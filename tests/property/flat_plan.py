"""A plan as a flat list of steps, and what each change makes of it: written to be plain, without regard to speed."""

from __future__ import annotations

from attrs import evolve

from planspec_lark import PlanSpec, PlanStatus, PlanStep, iter_steps
from planspec_lark.syntax.tree import find_parents, grow

_CONTAINERS = ("subtask", "decide")
_LAST = 999_999_999


class Refusal(Exception):  # noqa: N818  (no error: what the documents are to answer)
    """A change that is to be refused, with this code."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class FlatPlan:
    """All steps of a plan in document order, none with children: the tree follows from the ids.

    A change gives the same steps, so that one can see what became of each; a refused change leaves all as it was.
    """

    def __init__(self, plan: PlanSpec) -> None:
        self._head = evolve(plan, steps=[])
        self.steps: list[PlanStep] = [evolve(step, children=[]) for step in iter_steps(plan)]

    @property
    def plan(self) -> PlanSpec:
        """The plan that the ids spell."""
        return evolve(self._head, steps=grow([evolve(step, children=[]) for step in self.steps]))

    def _sort(self) -> None:
        """Bring the steps into document order."""
        by_id = {step.step_id: step for step in self.steps}
        self.steps = [by_id[step.step_id] for step in iter_steps(self.plan)]

    def find(self, step_id: str) -> PlanStep:
        """The step with this id."""
        for step in self.steps:
            if step.step_id == step_id:
                return step
        raise Refusal("PC111")

    def below(self, step_id: str) -> list[PlanStep]:
        """All steps whose ids start with this one."""
        return [step for step in self.steps if step.step_id.startswith(f"{step_id}.")]

    def set_status(self, step_id: str, status: PlanStatus, result: str | None) -> None:
        """As the method of documents does."""
        step = self.find(step_id)
        step.status = status
        step.result = step.result if result is None else result

    def rename(self, step_id: str, name: str) -> None:
        """The same."""
        step = self.find(step_id)
        if name != step.step_name and name.isdecimal():
            raise Refusal("PC118")
        if name not in {"", step.step_name} and any(other.step_name == name for other in self.steps):
            raise Refusal("PC120")
        step.step_name = name

    def add(self, step: PlanStep) -> None:
        """The same."""
        if step.step_name.isdecimal():
            raise Refusal("PC118")
        if step.step_name and any(other.step_name == step.step_name for other in self.steps):
            raise Refusal("PC120")
        self._insert([step], step.step_id)

    def remove(self, step_id: str, *, renumber: bool) -> None:
        """The same."""
        gone = [self.find(step_id), *self.below(step_id)]
        siblings = self._beside(step_id)
        self.steps = [step for step in self.steps if not _is_in(step, gone)]
        head, _, last = step_id.rpartition(".")
        if renumber:
            self._shift(head, self._run({_number(head, other) for other in siblings}, int(last) + 1), -1)

    def move(self, step_id: str, to: str) -> None:
        """The same."""
        moved = [self.find(step_id), *self.below(step_id)]
        if to == step_id:
            return
        if to.startswith(f"{step_id}."):
            raise Refusal("PC119")
        before = self.steps
        self.steps = [step for step in self.steps if not _is_in(step, moved)]
        try:
            self._insert(moved, to)
        except Refusal:
            self.steps = before
            raise

    def _parent_of(self, step_id: str) -> str:
        """The id of the step that one with this id stands below, or nothing."""
        ids = {step.step_id for step in self.steps} | {step_id}
        found = find_parents(sorted(ids))[sorted(ids).index(step_id)]
        return found or ""

    def _beside(self, step_id: str) -> list[PlanStep]:
        """The other steps with the same parent whose ids start as this one does, up to its last number."""
        parent, head = self._parent_of(step_id), step_id.rpartition(".")[0]
        lead = f"{head}." if head else ""
        return [
            other
            for other in self.steps
            if other.step_id != step_id and other.step_id.startswith(lead) and self._parent_of(other.step_id) == parent
        ]

    def _insert(self, block: list[PlanStep], to: str) -> None:
        head, _, last = to.rpartition(".")
        number = int(last)
        if head:
            if all(step.step_id != head for step in self.steps):
                raise Refusal("PC112")
            if self.find(head).step_type not in _CONTAINERS:
                raise Refusal("PC113")
        siblings = self._beside(to)
        if any(step.step_id == to for step in self.steps):
            siblings = [*siblings, self.find(to)]
            run = self._run({_number(head, other) for other in siblings}, number)
            if _LAST in run:
                raise Refusal("PC117")
        elif adopted := self.below(to):
            siblings += adopted
            run = set()
            if block[0].step_type not in _CONTAINERS:
                raise Refusal("PC113")
            if len(block) > 1:
                raise Refusal("PC117")
        else:
            run = set()
        behind = [step for step in self.steps if _is_in(step, siblings) and _number(head, step) >= number]
        at = self.steps.index(behind[0]) if behind else len(self.steps)
        self._shift(head, run, 1)
        old = block[0].step_id
        for step in block:
            step.step_id = to + step.step_id[len(old) :]
        self.steps[at:at] = block
        self._sort()

    def _run(self, taken: set[int], first: int) -> set[int]:
        """The unbroken run of numbers that are taken, from this one on."""
        run = set()
        while first in taken:
            run.add(first)
            first += 1
        return run

    def _shift(self, head: str, numbers: set[int], by: int) -> None:
        lead = f"{head}." if head else ""
        for step in self.steps:
            if step.step_id.startswith(lead) and _number(head, step) in numbers:
                number, dot, rest = step.step_id[len(lead) :].partition(".")
                step.step_id = f"{lead}{int(number) + by}{dot}{rest}"


def _is_in(step: PlanStep, steps: list[PlanStep]) -> bool:
    return any(step is other for other in steps)


def _number(head: str, step: PlanStep) -> int:
    return int(step.step_id[len(head) + 1 if head else 0 :].partition(".")[0])
