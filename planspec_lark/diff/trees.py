"""A plan as numbered places, so that what is found out about its steps can be kept in lists.

The place 0 is the plan itself; the steps follow in document order.
"""

from __future__ import annotations

from attrs import frozen

from planspec_lark.planspec.identity import hash_of
from planspec_lark.planspec.models import PlanSpec, PlanStep

__all__ = ["ROOT", "Tree", "number_of"]

ROOT = 0


@frozen(eq=False)
class Tree:
    """The steps of a plan by their places.

    Attributes:
        steps: the step at each place. What stands at ROOT is a step that is none of the plan's.
        parents: the place above each.
        children: the places below each, in their order.
        ranks: where each stands among its siblings, from 0.
        ends: the place behind all that is below each.
        hashes: what tells the own text of each from others.
    """

    steps: list[PlanStep]
    parents: list[int]
    children: list[list[int]]
    ranks: list[int]
    ends: list[int]
    hashes: list[str]

    @classmethod
    def of(cls, plan: PlanSpec) -> Tree:
        """Number the steps of a plan."""
        tree = cls([PlanStep("0")], [ROOT], [[]], [0], [1], [])
        todo = [(step, ROOT) for step in reversed(plan.steps)]
        while todo:
            step, parent = todo.pop()
            place = len(tree.steps)
            tree.steps.append(step)
            tree.parents.append(parent)
            tree.ranks.append(len(tree.children[parent]))
            tree.children[parent].append(place)
            tree.children.append([])
            tree.ends.append(place + 1)
            todo += [(child, place) for child in reversed(step.children)]
        for place in range(len(tree.steps) - 1, 0, -1):
            parent = tree.parents[place]
            tree.ends[parent] = max(tree.ends[parent], tree.ends[place])
        tree.hashes.extend(map(hash_of, tree.steps))
        return tree

    def suffix(self, place: int) -> str:
        """What the id of a step adds to that of the step above it."""
        parent = self.parents[place]
        own = self.steps[place].step_id
        return own if parent == ROOT else own[len(self.steps[parent].step_id) + 1 :]


def number_of(suffix: str) -> int | None:
    """The number that a suffix is, where it is a single one."""
    return None if "." in suffix else int(suffix)
