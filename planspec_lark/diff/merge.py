"""Three versions of a plan → one, in which both sides' changes are, and what they do not agree on.

Each step is one node, whichever versions have it. What one side has removed is gone, unless the other side has not left
it alone. All others get the values, the place and the order that a side has given them, and ids as they had, as far as
no other step has come in their way.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator
from itertools import chain, count, pairwise
from typing import cast

from attrs import define, evolve, field, frozen

from planspec_lark.diff.compare import find_moved
from planspec_lark.diff.match import StepNode, match_nodes, number_nodes
from planspec_lark.diff.models import FRESH, MergeConflict, MergeResult, Value, fields_of, label_of
from planspec_lark.diff.sequences import merge_items, merge_order
from planspec_lark.planspec.models import CONTAINER_TYPES, PlanSpec, PlanStatus, PlanStep, are_alike, copy_own
from planspec_lark.planspec.printer import serialize_plan
from planspec_lark.syntax.diagnostics import join_words, name_some
from planspec_lark.syntax.fields import COUNT_LIMIT
from planspec_lark.syntax.tree import find_parents, iter_tree

__all__ = [
    "OURS",
    "THEIRS",
    "FreeNumbers",
    "MergeNode",
    "Merged",
    "dispute_as_theirs",
    "merge_plans",
    "merge_versions",
]

BASE, OURS, THEIRS = "base", "ours", "theirs"
# The name of a place among the values of a step.
PLACE = "place"
# What goes with a status in dispute.
ENDING = ("result", "progress")

# Touched steps that are named.
_NAMED = 3
# Putting back what is below itself may let other steps do so. After so many times, all are put back.
_ATTEMPTS = 3


@define(eq=False)
class Removal:
    """Steps that one side has removed, all below one of them, and what the other side has done to them.

    Attributes:
        top: the topmost of them.
        remover: the side that has removed them.
        keeper: the other one.
        touched: what that has changed, moved or put there.
    """

    top: MergeNode
    remover: str
    keeper: str
    touched: list[MergeNode] = field(factory=list)


@define(eq=False)
class MergeNode:
    """A step, or (where nothing is above it) the plan itself.

    Attributes:
        versions: it in each version that has it.
        moved: the sides that have moved it.
        is_gone: whether the merged plan has it no more.
        parent: the node above it in the merged plan.
        children: the nodes below it there.
        step: what it has become there.
        step_id: its id there; empty for the plan itself.
        suffix: what its id adds there to that of the step above it.
        changed: what it says there and not in the version that it is taken from; where both sides disagree, it says
            what ours does.
        disputed: the names of the values that both have changed differently, ``place`` where that is the place.
        removal: the one that it is about, where one side has removed it and the other has not left it alone.
    """

    versions: dict[str, StepNode] = field(factory=dict)
    moved: tuple[str, ...] = ()
    is_gone: bool = False
    parent: MergeNode | None = None
    children: list[MergeNode] = field(factory=list)
    step: PlanStep | None = None
    step_id: str = ""
    suffix: str = ""
    changed: dict[str, Value] = field(factory=dict)
    disputed: tuple[str, ...] = ()
    removal: Removal | None = None

    @property
    def side(self) -> str:
        """The side that it is taken from where there is no reason for another one."""
        return OURS if OURS in self.versions else THEIRS

    def value(self, name: str) -> Value:
        """What it says there of a kind."""
        return self.changed.get(name, self.versions[self.side].values[name])

    def above(self, side: str) -> MergeNode | None:
        """The node above it in a version; None where that has no such step."""
        node = self.versions.get(side)
        return node.parent.merged if node and node.parent else None

    def below(self, side: str) -> list[MergeNode]:
        """The nodes below it in a version; none where that has no such step."""
        node = self.versions.get(side)
        return [child.merged for child in node.children] if node else []

    def dispute(self, name: str) -> None:
        """Note that the sides do not agree on a value."""
        if name not in self.disputed:
            self.disputed += (name,)

    def id_below(self, suffix: str) -> str:
        """The id of a step below it that ends like this."""
        return f"{self.step_id}.{suffix}" if self.step_id else suffix

    def subtree(self) -> Iterator[MergeNode]:
        """It and all below it in the merged plan, in document order; its children are looked up once it has come."""
        return (node for node, _ in iter_tree([self]))


@frozen(eq=False)
class Merged:
    """A merge and all that its text needs.

    Attributes:
        plans: the three versions.
        order: the nodes of the merged plan.
        plan: the merged plan.
        conflicts: what both sides have changed.
    """

    plans: dict[str, PlanSpec]
    order: list[MergeNode]
    plan: PlanSpec
    conflicts: tuple[MergeConflict, ...]


def merge_plans(base: PlanSpec, ours: PlanSpec, theirs: PlanSpec, *, keep_statuses: bool = False) -> MergeResult:
    """Merge what two sides have made of a plan.

    A value that one side changed is taken: each field of each step, the title, the goal and its detail. Steps that
    either side added get ids of their own. A step that one side removed is gone, unless the other side changed it.
    Constraints are merged one by one. What both changed differently is a conflict, and so is a status beside a change
    of what is to be done.

    Args:
        base: the version that both sides started from.
        ours: one side.
        theirs: the other side.
        keep_statuses: whether a status holds whatever the other side made of the step.

    Raises:
        ValueError: one of them cannot be written down as a plan.
    """
    for plan in (base, ours, theirs):
        serialize_plan(plan)
    merged = merge_versions(base, ours, theirs, keep_statuses=keep_statuses)
    return MergeResult(merged.plan, merged.conflicts)


def merge_versions(base: PlanSpec, ours: PlanSpec, theirs: PlanSpec, *, keep_statuses: bool = False) -> Merged:
    """The same, for plans that can be written down and callers that need to know more."""
    plans = {BASE: base, OURS: ours, THEIRS: theirs}
    trees = _join_versions(plans)
    nodes = dict.fromkeys(node.merged for tree in trees.values() for node in tree)
    # What both have removed is not looked at any more.
    root, *steps = (node for node in nodes if node.side in node.versions)
    _find_removals(trees[OURS], OURS, THEIRS)
    _find_removals(trees[THEIRS], THEIRS, OURS)
    for node in (root, *steps):
        _merge_values(node, keep_statuses=keep_statuses)
    for node in steps:
        if not node.is_gone:
            _find_parent(node)
    _break_rings(steps)
    order = []
    for node in root.subtree():
        _find_order(node)
        if node.children:
            _number_children(node)
        order.append(node)
    for node in order[1:]:
        _find_lost_type(node)
    return Merged(plans, order, _build(order), tuple(chain.from_iterable(map(_conflicts, order))))


def _build(order: list[MergeNode]) -> PlanSpec:
    root, *nodes = order
    plan = PlanSpec(**fields_of(root.versions[OURS].values | root.changed))
    siblings: dict[MergeNode | None, list[PlanStep]] = {root: plan.steps}
    for node in nodes:
        step = node.step = copy_own(node.versions[node.side].step)
        if step.step_id != node.step_id:
            step.step_id = node.step_id
        step.children = []
        for name, value in fields_of(node.changed).items():
            setattr(step, name, value)
        siblings[node.parent].append(step)
        siblings[node] = step.children
    return plan


# ---------------------------------------------------------------- which steps are the same


def _join_versions(plans: dict[str, PlanSpec]) -> dict[str, list[StepNode]]:
    """The steps of three versions, each of which knows what it is part of."""
    trees = {side: number_nodes(plan) for side, plan in plans.items()}
    for node in trees[BASE]:
        node.merged = MergeNode({BASE: node})
    for side in (OURS, THEIRS):
        matching = match_nodes(trees[BASE], trees[side])
        for node in trees[side]:
            node.merged = matching.back[node].merged if node in matching.back else MergeNode()
            node.merged.versions[side] = node
        for node in find_moved(trees[BASE], matching):
            node.merged.moved += (side,)
    # What both have added alike is one: in the same place and with the same text, or the same name.
    added = dict(_find_additions(trees[OURS]))
    for key, node in _find_additions(trees[THEIRS]):
        if key in added:
            node.merged = added[key].merged
            node.merged.versions[THEIRS] = node
    return trees


def _find_additions(tree: list[StepNode]) -> Iterator[tuple[Hashable, StepNode]]:
    """The steps that a side has added, above before below, each with what tells it from all others."""
    counts: Counter[Hashable] = Counter()
    behind: dict[StepNode | None, MergeNode] = {}
    for node in tree[1:]:
        if BASE in node.merged.versions:
            behind[node.parent] = node.merged
            continue
        above = node.parent and node.parent.merged
        key = node.step.step_name or (above, behind.get(node.parent), node.task)
        counts[key] += 1
        yield (key, counts[key]), node


def _find_removals(tree: list[StepNode], keeper: str, remover: str) -> None:
    """Find out which nodes of one side are gone, and note the removals that are in dispute, whose nodes stay."""
    for node, merged in ((node, node.merged) for node in tree[1:]):
        above = merged.above(keeper)
        removal = above.removal if BASE in above.versions else None
        is_touched = keeper in merged.moved or BASE not in merged.versions
        if remover not in merged.versions:
            merged.removal = above.removal
            if BASE in merged.versions:
                merged.removal = removal = removal or Removal(merged, remover, keeper)
                is_touched = is_touched or merged.versions[BASE].values != node.values
        if removal and is_touched:
            removal.touched.append(merged)
    for merged in (node.merged for node in tree):
        if merged.removal and not merged.removal.touched:
            merged.is_gone, merged.removal = True, None


# ---------------------------------------------------------------- what they say


def _merge_values(node: MergeNode, *, keep_statuses: bool) -> None:
    """Merge what the plan or a step says itself."""
    if OURS not in node.versions or THEIRS not in node.versions:
        return
    ours, theirs = node.versions[OURS], node.versions[THEIRS]
    if (ours.parent and are_alike(ours.step, theirs.step)) or ours.values == theirs.values:
        return
    for name, value in ours.values.items():
        said, is_disputed = _merge_value(name, _base_value(node, name), value, theirs.values[name])
        if is_disputed:
            node.dispute(name)
        elif said != value:
            node.changed[name] = said
    if "status" in ours.values and "status" not in node.disputed and not keep_statuses:
        _find_overtaken(node)
    if "status" in node.disputed:
        # How a step has ended belongs to the status that it has ended with.
        for name in ENDING:
            node.changed.pop(name, None)


def _find_overtaken(node: MergeNode) -> None:
    """A status that one side has given a step says nothing of what the other one has made of the step: a dispute."""
    ours, theirs = node.versions[OURS].values, node.versions[THEIRS].values
    status = node.value("status")
    # What a step asks for.
    asked = [name for name in ours if name not in FRESH and name != "step_name" and ours[name] != theirs[name]]
    is_same = ours["status"] == theirs["status"]
    if is_same or status in (PlanStatus.PENDING, _base_value(node, "status")):
        return
    teller = ours if ours["status"] == status else theirs
    # No side says what is in dispute.
    if not any(name in node.disputed or teller[name] != node.value(name) for name in asked):
        return
    for name in ("status", *asked):
        node.changed.pop(name, None)
        node.dispute(name)


def _base_value(node: MergeNode, name: str) -> Value | None:
    return (node.versions[BASE].values if BASE in node.versions else FRESH).get(name)


def _merge_value(name: str, base: Value | None, ours: Value, theirs: Value) -> tuple[Value, bool]:
    """Merge a value; a side that has not changed it yields to the one that has.

    Of two statuses that a pending step has got, `active` yields: it is on the way to the other one.

    Returns:
        The value, and whether both have changed it to something different; then the value is ours.
    """
    if theirs in (ours, base):
        return ours, False
    if ours == base:
        return theirs, False
    if name == "constraints":
        items, is_disputed = merge_items(*(cast("tuple[str, ...]", said) for said in (base, ours, theirs)))
        return tuple(items), is_disputed
    if base is PlanStatus.PENDING and PlanStatus.ACTIVE in (ours, theirs):
        return (theirs if ours is PlanStatus.ACTIVE else ours), False
    return ours, True


def _find_lost_type(node: MergeNode) -> None:
    """A step that one side has made a leaf, and below which the other side has some, is of a type in dispute."""
    if not node.children:
        return
    kind = node.value("step_type")
    if kind in CONTAINER_TYPES or "step_type" in node.disputed:
        return
    steps = [node.versions[side].step for side in (OURS, THEIRS) if side in node.versions]
    is_meant = any(step.children and step.step_type == kind for step in steps)
    if not is_meant and any(step.step_type in CONTAINER_TYPES for step in steps):
        node.changed["step_type"] = steps[0].step_type
        node.dispute("step_type")


# ---------------------------------------------------------------- where they are


def _find_parent(node: MergeNode) -> None:
    """Hang a node below another one; where both sides have moved it apart, as ours does."""
    base, ours, theirs = map(node.above, (BASE, OURS, THEIRS))
    is_theirs = ours is None or (ours is base and theirs is not None)
    node.parent = theirs if is_theirs else ours
    if not is_theirs and theirs not in (None, base, ours):
        node.dispute(PLACE)


def _break_rings(steps: list[MergeNode]) -> None:
    """Where one side has put a step below another and the other side has done the opposite, both are in dispute."""
    for attempt in count():
        ring = _find_ring(steps)
        if not ring:
            return
        if attempt == _ATTEMPTS:
            ring = [node for node in steps if not node.is_gone]
        for node in ring:
            was = node.parent
            if OURS in node.versions:
                _put_back(node)
            if node.moved and (attempt < _ATTEMPTS or node.parent is not was):
                node.dispute(PLACE)


def _put_back(node: MergeNode) -> None:
    """Put a step where ours has it, and what is above it there back as well."""
    above = node.parent = node.above(OURS)
    while above and above.is_gone:
        above.is_gone = False
        above.parent = above.above(OURS)
        above = above.parent


def _find_ring(steps: list[MergeNode]) -> list[MergeNode]:
    """All nodes that are below themselves."""
    seen: set[MergeNode] = set()
    found = []
    for node in steps:
        path: list[MergeNode] = []
        above: MergeNode | None = None if node.is_gone else node
        while above and above not in seen:
            seen.add(above)
            path.append(above)
            above = above.parent
        if above in path:
            found += path[path.index(above) :]
    return found


def _find_order(parent: MergeNode) -> None:
    """Put the nodes below one in order."""
    if not any(version.children for version in parent.versions.values()):
        return
    ours, theirs = ([node for node in parent.below(side) if node.parent is parent] for side in (OURS, THEIRS))
    parent.children, clashes = merge_order(parent.below(BASE), ours, theirs)
    for node in clashes:
        node.dispute(PLACE)


# ---------------------------------------------------------------- their ids


class FreeNumbers:
    """The suffixes below one step, and the numbers that are still free."""

    def __init__(self, suffixes: Iterable[str]) -> None:
        self._taken = {int(suffix.partition(".")[0]) for suffix in suffixes}
        # After all others or, at the end, any.
        self._numbers = chain(range(max(self._taken, default=0) + 1, COUNT_LIMIT + 1), count(1))

    def take(self, wanted: str = "") -> str:
        """The suffix that is wanted if it is a free number, else one that is."""
        if not wanted.isdecimal() or int(wanted) in self._taken:
            wanted = str(next(number for number in self._numbers if number not in self._taken))
        self._taken.add(int(wanted))
        return wanted


def _number_children(parent: MergeNode) -> None:
    """Give the nodes below one their ids."""
    told = [[(own.merged, own.suffix) for own in version.children] for version in parent.versions.values()]
    suffixes = [suffix for _, suffix in told[0]]
    # Mostly, no side has changed them.
    if any(other != told[0] for other in told[1:]) or [node for node, _ in told[0]] != parent.children:
        is_counted = all(map(_is_counted, parent.versions.values()))
        suffixes = (_count_up if is_counted else _keep_suffixes)(parent)
        if not _are_sound(suffixes):
            suffixes = [str(number) for number in range(1, len(parent.children) + 1)]
    for node, suffix in zip(parent.children, suffixes, strict=True):
        node.suffix, node.step_id = suffix, parent.id_below(suffix)


def _are_sound(suffixes: list[str]) -> bool:
    """Whether no two are the same, and none would put its step below another."""
    if any(len(suffix) > len(str(COUNT_LIMIT)) and "." not in suffix for suffix in suffixes):
        return False
    return len(set(suffixes)) == len(suffixes) and not any(find_parents(suffixes))


def _is_counted(version: StepNode) -> bool:
    """Whether the steps below one have single numbers in a version, in their order."""
    suffixes = [own.suffix for own in version.children]
    return not any("." in suffix for suffix in suffixes) and all(int(a) < int(b) for a, b in pairwise(suffixes))


def _find_place(node: MergeNode) -> StepNode:
    """A step where it is below the same one: in the version of the side that has changed its id or its order."""
    here = {side: own for side, own in node.versions.items() if node.above(side) is node.parent}
    if OURS not in here or THEIRS not in here:
        return here.get(OURS) or here[THEIRS]
    told = {side: (own.suffix, _behind(own)) for side, own in here.items()}
    for at, (ours, theirs) in enumerate(zip(told[OURS], told[THEIRS], strict=True)):
        if ours != theirs:
            return here[THEIRS if BASE in told and ours == told[BASE][at] else OURS]
    return here[OURS]


def _behind(own: StepNode) -> MergeNode | None:
    """What a step comes behind in its version."""
    return own.before.merged if own.before else None


def _count_up(parent: MergeNode) -> list[str]:
    """Numbers in order: every step is as far after the one before it as a side has it."""
    numbers: dict[MergeNode | None, int] = {None: 0}
    last = -1
    for node in parent.children:
        place = _find_place(node)
        gap = int(place.suffix) - (int(place.before.suffix) if place.before else 0)
        above = numbers.get(_behind(place), max(last, 0))
        last = numbers[node] = max(above + gap, last + 1)
    return [str(numbers[node]) for node in parent.children]


def _keep_suffixes(parent: MergeNode) -> list[str]:
    """Suffixes of any kind: every step keeps its own, unless one of ours has it."""
    wanted = {node: _find_place(node).suffix for node in parent.children}
    taken = {suffix for node, suffix in wanted.items() if OURS in node.versions}
    free = FreeNumbers(wanted.values())
    for node, suffix in wanted.items():
        if OURS not in node.versions:
            wanted[node] = free.take(suffix) if suffix in taken else suffix
            taken.add(wanted[node])
    return [*wanted.values()]


# ---------------------------------------------------------------- conflicts as theirs has them


def dispute_as_theirs(merged: Merged) -> Merged:
    """The same merge, with all that is in dispute as theirs has it. The nodes are the same, and change."""
    for node in merged.order:
        disputed = {name for name in node.disputed if name != PLACE}
        if "status" in disputed:
            disputed.update(ENDING)
        node.changed |= {name: node.versions[THEIRS].values[name] for name in disputed}
    _place_as_theirs([node for node in merged.order if PLACE in node.disputed])
    order = [*merged.order[0].subtree()]
    for node in order[1:]:
        assert node.parent is not None, "only the plan itself is below nothing"
        node.step_id = node.parent.id_below(node.suffix)
    return evolve(merged, order=order, plan=_build(order))


def _place_as_theirs(nodes: list[MergeNode]) -> None:
    """Put steps that both sides have moved below what they are below in theirs, after all others."""
    moved: defaultdict[MergeNode, list[MergeNode]] = defaultdict(list)
    # What they are to be below comes before them.
    for node in sorted(nodes, key=lambda node: node.versions[THEIRS].index):
        above = node.above(THEIRS)
        if node.parent and above and not above.is_gone and not _is_around(node, above):
            moved[node.parent] += ()
            moved[above].append(node)
            node.parent = above
    placed = {*chain.from_iterable(moved.values())}
    for parent, last in moved.items():
        parent.children = [node for node in parent.children if node not in placed]
        free = FreeNumbers(node.suffix for node in parent.children)
        for node in last:
            node.suffix = free.take(node.versions[THEIRS].suffix)
        parent.children += last


def _is_around(node: MergeNode, other: MergeNode) -> bool:
    """Whether a step is another one, or somewhere above it."""
    above: MergeNode | None = other
    while above is not None and above is not node:
        above = above.parent
    return above is node


# ---------------------------------------------------------------- conflicts in words


def _conflicts(node: MergeNode) -> Iterator[MergeConflict]:
    """What the sides do not agree on in the plan itself or in a step."""
    if node.parent is None:
        yield from (MergeConflict("", (name,), f"{label_of(name)}: both changed it") for name in node.disputed)
        return
    if node.removal and node.removal.top is node:
        yield MergeConflict(node.step_id, ("removal",), _tell_removal(node.removal))
    if names := tuple(name for name in node.disputed if name != PLACE):
        changed: dict[str, list[str]] = {}
        for name in names:
            changed.setdefault(_changer(node, name), []).append(f"the {label_of(name)}")
        said = (f"{who} changed {join_words(listed, 'and')}" for who, listed in changed.items())
        yield MergeConflict(node.step_id, names, ", ".join(said))
    if PLACE in node.disputed:
        yield MergeConflict(node.step_id, (PLACE,), "both moved it, each to another place")


def _changer(node: MergeNode, name: str) -> str:
    """Who has changed a value that is in dispute."""
    changers = [side for side in (OURS, THEIRS) if node.versions[side].values[name] != _base_value(node, name)]
    return changers[0] if len(changers) == 1 and "status" in node.disputed else "both"


def _tell_removal(removal: Removal) -> str:
    below = [node.step_id for node in removal.touched if node is not removal.top]
    what = ["it"] if len(below) < len(removal.touched) else []
    what += [f"what is below it ({name_some(below, _NAMED)})"] if below else []
    return f"{removal.remover} removed it, {removal.keeper} changed {' and '.join(what)}"
