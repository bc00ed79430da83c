"""Three versions of a plan → one, in which both sides' changes are, and what they do not agree on."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from planspec_lark.diff.differ import head_values
from planspec_lark.diff.keeping import Removal, find_removals
from planspec_lark.diff.models import (
    FRESH,
    HEAD_FIELDS,
    MergeConflict,
    MergeResult,
    Value,
    label_of,
    step_of,
)
from planspec_lark.diff.nodes import BASE, OURS, SIDES, THEIRS, Node, Versions
from planspec_lark.diff.numbering import number
from planspec_lark.diff.placing import PLACE, hang
from planspec_lark.diff.values import merge_items, merge_value
from planspec_lark.planspec.models import CONTAINER_TYPES, PlanSpec
from planspec_lark.planspec.printer import serialize_plan

__all__ = ["ENDING", "Merged", "merge_plans", "merge_versions"]

# What goes with a status in dispute.
ENDING = ("result", "progress")

# Touched steps that are named.
_NAMED = 3


@frozen(eq=False)
class Merged:
    """A merge and all that its text needs.

    Attributes:
        versions: what was merged.
        head: what the merged plan says above its steps.
        disputed: the fields there that both sides have changed.
        plan: the merged plan.
        conflicts: what both sides have changed.
    """

    versions: Versions
    head: dict[str, Value]
    disputed: list[str]
    plan: PlanSpec
    conflicts: tuple[MergeConflict, ...]


def merge_plans(base: PlanSpec, ours: PlanSpec, theirs: PlanSpec) -> MergeResult:
    """Merge what two sides have made of a plan.

    A value that one side has changed is as that side has it: each field of each step by itself, and the title, the goal
    and its detail. Steps that either side has added are there; both get ids of their own. A step that one side has
    removed is gone, unless the other side has changed it. Constraints are taken one by one. What both have changed in
    different ways is a conflict.

    Args:
        base: the version that both sides started from.
        ours: what one side has made of it.
        theirs: what the other side has made of it.

    Raises:
        ValueError: one of them is no plan that can be written down.
    """
    for plan in (base, ours, theirs):
        serialize_plan(plan)
    merged = merge_versions(base, ours, theirs)
    return MergeResult(merged.plan, merged.conflicts)


def merge_versions(base: PlanSpec, ours: PlanSpec, theirs: PlanSpec) -> Merged:
    """The same, for plans that can be written down and callers that need to know more."""
    versions = Versions.of(base, ours, theirs)
    removals = find_removals(versions)
    for node in versions:
        _merge_values(versions, node)
    hang(versions)
    for node in versions:
        _find_lost_type(versions, node)
    number(versions)
    head, disputed = _merge_head(base, ours, theirs)
    told = [MergeConflict("", (name,), f"{label_of(name)}: both changed it") for name in disputed]
    told += _conflicts(versions, removals)
    return Merged(versions, head, disputed, _build(versions, head), tuple(told))


def _merge_head(base: PlanSpec, ours: PlanSpec, theirs: PlanSpec) -> tuple[dict[str, Value], list[str]]:
    was, left, right = map(head_values, (base, ours, theirs))
    head: dict[str, Value] = {}
    disputed = []
    for name in HEAD_FIELDS:
        if name == "constraints":
            items, is_disputed = merge_items(base.constraints, ours.constraints, theirs.constraints)
            head[name] = tuple(items)
        else:
            head[name], is_disputed = merge_value(was[name], left[name], right[name])
        if is_disputed:
            disputed.append(name)
    return head, disputed


def _merge_values(versions: Versions, node: Node) -> None:
    """Merge what a step says itself."""
    if not (node.is_in(OURS) and node.is_in(THEIRS)):
        node.values = dict(versions.values(node, OURS if node.is_in(OURS) else THEIRS if node.is_in(THEIRS) else BASE))
        return
    was = versions.values(node, BASE) if node.is_in(BASE) else FRESH
    ours, theirs = versions.values(node, OURS), versions.values(node, THEIRS)
    for name, value in ours.items():
        node.values[name], is_disputed = merge_value(was.get(name), value, theirs[name])
        if is_disputed:
            node.disputed.append(name)
    if "status" in node.disputed:
        # How a step has ended belongs to the status that it has ended with.
        node.values |= {name: ours[name] for name in ENDING}


def _find_lost_type(versions: Versions, node: Node) -> None:
    """A step that one side has made a leaf, and below which the other side has some, is of a type in dispute."""
    if node.is_gone or not node.children or node.values["step_type"] in CONTAINER_TYPES or "step_type" in node.disputed:
        return
    steps = [versions.step(node, side) for side in (OURS, THEIRS) if node.is_in(side)]
    is_meant = any(step.children and step.step_type == node.values["step_type"] for step in steps)
    if not is_meant and any(step.step_type in CONTAINER_TYPES for step in steps):
        node.values["step_type"] = steps[0].step_type
        node.disputed.append("step_type")


def _build(versions: Versions, head: dict[str, Value]) -> PlanSpec:
    values = {name: list(value) if isinstance(value, tuple) else value for name, value in head.items()}
    plan = PlanSpec(**values)  # type: ignore[arg-type]  # they are values of a plan
    todo = [(plan.steps, node) for node in reversed(versions.root.children)]
    while todo:
        siblings, node = todo.pop()
        step = step_of(node.step_id, node.values)
        step.expanded = versions.step(node, OURS if node.is_in(OURS) else THEIRS).expanded
        siblings.append(step)
        todo += [(step.children, child) for child in reversed(node.children)]
    return plan


# ---------------------------------------------------------------- conflicts in words


def _conflicts(versions: Versions, removals: list[Removal]) -> Iterator[MergeConflict]:
    """The conflicts of all steps, in their order."""
    of = {id(removal.top): removal for removal in removals}
    todo = versions.root.children[::-1]
    while todo:
        node = todo.pop()
        todo += reversed(node.children)
        if id(node) in of:
            yield MergeConflict(node.step_id, ("removal",), _tell_removal(of[id(node)]))
        if fields := [name for name in node.disputed if name != PLACE]:
            yield MergeConflict(node.step_id, tuple(fields), f"both changed {_join(fields)}")
        if PLACE in node.disputed:
            yield MergeConflict(node.step_id, (PLACE,), "both moved it, each to another place")


def _join(fields: list[str]) -> str:
    names = [f"the {label_of(name)}" for name in fields]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _tell_removal(removal: Removal) -> str:
    keeper = SIDES[OURS if removal.side == THEIRS else THEIRS]
    below = [node for node in removal.touched if node is not removal.top]
    named = ", ".join(node.step_id for node in below[:_NAMED])
    more = f" and {len(below) - _NAMED} more" if len(below) > _NAMED else ""
    what = ["it"] if len(below) < len(removal.touched) else []
    what += [f"what is below it ({named}{more})"] if below else []
    return f"{SIDES[removal.side]} removed it, {keeper} changed {' and '.join(what)}"
