"""Two plans → what differs between them, step by step."""

from __future__ import annotations

from collections.abc import Iterator

from planspec_lark.diff.match import NONE, Matching, match_trees
from planspec_lark.diff.models import HEAD_FIELDS, ChangeKind, FieldChange, PlanDiff, StepChange, Value, own_values
from planspec_lark.diff.sequences import longest_rising
from planspec_lark.diff.trees import Tree
from planspec_lark.planspec.models import PlanSpec

__all__ = ["diff_plans", "find_moved", "head_values"]


def diff_plans(old: PlanSpec, new: PlanSpec) -> PlanDiff:
    """Compare two versions of a plan.

    A step is the same in both if it has the same name, says the same, or nearly so, whatever its id is. What two equal
    plans differ in is nothing, and for any other two there is something; ``expanded`` takes no part, as in comparing.
    """
    before, after = Tree.of(old), Tree.of(new)
    matching = match_trees(before, after)
    head = tuple(_changes(head_values(old), head_values(new)))
    return PlanDiff(head, tuple(_step_changes(before, after, matching)))


def head_values(plan: PlanSpec) -> dict[str, Value]:
    """What a plan says above its steps."""
    values = [getattr(plan, name) for name in HEAD_FIELDS]
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in zip(HEAD_FIELDS, values, strict=True)
    }


def _changes(old: dict[str, Value], new: dict[str, Value]) -> Iterator[FieldChange]:
    return (FieldChange(name, value, new[name]) for name, value in old.items() if value != new[name])


def find_moved(old: Tree, new: Tree, matching: Matching) -> set[int]:
    """The places in ``old`` of the steps that stand elsewhere in ``new``: below another step, or in another order.

    Among steps that have changed their order, as few as possible count as moved.
    """
    moved: set[int] = set()
    for place in range(len(old.steps)):
        here = [child for child in old.children[place] if matching.there[child] != NONE]
        stayed = [child for child in here if new.parents[matching.there[child]] == matching.there[place]]
        kept = longest_rising([new.ranks[matching.there[child]] for child in stayed])
        moved.update(here)
        moved.difference_update(stayed[index] for index in kept)
    return moved


def _step_changes(old: Tree, new: Tree, matching: Matching) -> Iterator[StepChange]:
    moved = find_moved(old, new, matching)
    gone = _gone(matching)
    yield from (StepChange(ChangeKind.REMOVED, old.steps[place], None) for place in gone.get(0, ()))
    for place in range(1, len(new.steps)):
        was = matching.back[place]
        if was == NONE:
            yield StepChange(ChangeKind.ADDED, None, new.steps[place])
            continue
        one, other = old.steps[was], new.steps[place]
        fields = tuple(_changes(own_values(one), own_values(other)))
        if fields or was in moved:
            yield StepChange(ChangeKind.CHANGED, one, other, was in moved, fields)
        elif one.step_id != other.step_id:
            yield StepChange(ChangeKind.RENUMBERED, one, other)
        yield from (StepChange(ChangeKind.REMOVED, old.steps[lost], None) for lost in gone.get(was, ()))


def _gone(matching: Matching) -> dict[int, list[int]]:
    """The steps that are gone, by the place of the last one in front of them that is not."""
    found: dict[int, list[int]] = {}
    last = 0
    for place, there in enumerate(matching.there):
        if there == NONE:
            found.setdefault(last, []).append(place)
        else:
            last = place
    return found
