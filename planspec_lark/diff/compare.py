"""Two plans → what differs between them, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from planspec_lark.diff.match import Matching, StepNode, match_nodes, number_nodes
from planspec_lark.diff.models import ChangeKind, FieldChange, PlanDiff, StepChange, Value, values_of
from planspec_lark.diff.sequences import longest_common
from planspec_lark.planspec.models import PlanSpec, are_alike

__all__ = ["diff_plans", "find_moved"]


def diff_plans(old: PlanSpec, new: PlanSpec) -> PlanDiff:
    """Compare two versions of a plan.

    A step is the same in both if it has the same name or nearly the same text, whatever its id is. Equal plans have no
    difference, all others have one; ``expanded`` is ignored.
    """
    return PlanDiff(
        _changes(values_of(old), values_of(new)), tuple(_step_changes(number_nodes(old), number_nodes(new)))
    )


def _changes(old: dict[str, Value], new: dict[str, Value]) -> tuple[FieldChange, ...]:
    return tuple(FieldChange(name, value, new[name]) for name, value in old.items() if value != new[name])


def find_moved(old: list[StepNode], matching: Matching) -> set[StepNode]:
    """The nodes of ``old`` whose steps are elsewhere in the other version: below another step, or in another order.

    Among steps that have changed their order, as few as possible count as moved.
    """
    there = matching.there
    moved: set[StepNode] = set()
    for parent in filter(attrgetter("children"), old):
        here = [there[child] for child in parent.children if child in there]
        beside = there[parent].children if parent in there else []
        moved.update(matching.back[node] for node in set(here).difference(longest_common(here, beside)))
    return moved


def _step_changes(old: list[StepNode], new: list[StepNode]) -> Iterator[StepChange]:
    matching = match_nodes(old, new)
    moved = find_moved(old, matching)
    # What is gone, by the last step before it that is not.
    gone: dict[StepNode, list[StepChange]] = {}
    last = old[0]
    for node in old:
        if node in matching.there:
            last = node
        else:
            gone.setdefault(last, []).append(StepChange(ChangeKind.REMOVED, node.step, None))
    for node in new:
        was = matching.back.get(node)
        if was is None:
            yield StepChange(ChangeKind.ADDED, None, node.step)
            continue
        is_same = are_alike(was.step, node.step)
        fields = () if is_same else _changes(values_of(was.step), values_of(node.step))
        if fields or was in moved:
            yield StepChange(ChangeKind.CHANGED, was.step, node.step, was in moved, fields)
        elif was.step.step_id != node.step.step_id:
            yield StepChange(ChangeKind.RENUMBERED, was.step, node.step)
        yield from gone.get(was, ())
