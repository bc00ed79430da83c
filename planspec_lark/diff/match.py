"""Which step of one version of a plan is which of another.

Ids do not tell, as a new step gives all after it new ones. What tells, from the surest to the least sure:

1. the same name, where only one step of each version has it;
2. the same own text (name, type, description, inputs, outputs, detail), where it is clear which is which: only one step
   has it, or only one with such steps below it;
3. among the steps below two that are the same: the same own text, in their order, between the same neighbours;
4. there as well: similar words, and less similar ones where the id is the same;
5. for a container whose words have changed: most of its steps are found again below one other container;
6. anywhere: the same own text, and then words that are very similar.

Each step is compared with a few others that are likely, never with all, so that the time grows with the plan.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cached_property
from typing import Any

from attrs import define, field

from planspec_lark.diff.models import Value, values_of
from planspec_lark.diff.sequences import cut_at, longest_common
from planspec_lark.planspec.models import PlanSpec, PlanStep, task_of
from planspec_lark.planspec.tree import iter_with_parents

__all__ = ["Matching", "StepNode", "match_nodes", "number_nodes"]

# How alike the words of two steps have to be: between the same neighbours, there with the same id, and anywhere.
_NEAR, _SAME_PLACE, _ANYWHERE = 0.45, 0.25, 0.65
# Steps with two different names are rather two different steps.
_RENAMED = 0.66
# How many words of a step are looked up, and how many steps are compared for each.
_LOOKED_UP, _COMPARED = 6, 8
# Characters of a step that are looked at, and different words that are kept, so that each step costs the same at most.
_READ, _KEPT = 2_000, 64
# A word, or a sign of a script that sets no spaces between words.
_WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]|[^\W\u2e80-\u9fff\uac00-\ud7af]+")


@define(eq=False)
class StepNode:
    """A step in its place in one version of a plan.

    Attributes:
        index: its rank in document order. At 0 is the plan itself, with a step that is not its own.
        step: the step.
        task: what the step asks for, in one text.
        parent: the node above it; None for the plan itself.
        rank: its place among those below that one, from 0.
        suffix: what the id of the step adds to that of the step above it.
        children: the nodes below it, in their order.
        plan: the plan, where it is that.
        merged: what it is part of where versions are merged.
    """

    index: int
    step: PlanStep
    task: str
    parent: StepNode | None
    rank: int
    suffix: str = ""
    children: list[StepNode] = field(factory=list)
    plan: PlanSpec | None = None
    merged: Any = None

    @cached_property
    def values(self) -> dict[str, Value]:
        """What it says itself, but for its id."""
        return values_of(self.plan or self.step)

    @property
    def before(self) -> StepNode | None:
        """The node before it, below the same one."""
        return self.parent.children[self.rank - 1] if self.parent and self.rank else None

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that say what the step asks for, at most so many as needed. A variable is unlike any word."""
        text = "\n".join([self.step.description[:_READ], *self.step.detail[:_KEPT]])[:_READ].casefold()
        outputs, inputs = self.step.outputs[:_KEPT], self.step.inputs[:_KEPT]
        found = [*_WORD.findall(text), *(f"→ {name}" for name in outputs), *(f"← {name}" for name in inputs)]
        return frozenset([*dict.fromkeys(found)][:_KEPT])


def number_nodes(plan: PlanSpec) -> list[StepNode]:
    """The plan itself and its steps, in document order."""
    nodes = [StepNode(0, PlanStep("0"), "", None, 0, plan=plan)]
    known = {id(None): nodes[0]}
    for step, parent in iter_with_parents(plan):
        above = known[id(parent)]
        suffix = step.step_id if parent is None else step.step_id[len(parent.step_id) + 1 :]
        node = known[id(step)] = StepNode(len(nodes), step, task_of(step), above, len(above.children), suffix)
        nodes.append(node)
        above.children.append(node)
    return nodes


def match_nodes(old: list[StepNode], new: list[StepNode]) -> Matching:
    """Find the steps of one version in another. The same two versions give the same answer."""
    found = Matching(old, new)
    found.match_all()
    return found


@define(eq=False)
class Matching:
    """For the nodes of one version those of another that are the same step (``there``); and the other way round."""

    _old: list[StepNode]
    _new: list[StepNode]
    there: dict[StepNode, StepNode] = field(factory=dict, init=False)
    back: dict[StepNode, StepNode] = field(factory=dict, init=False)
    _todo: list[StepNode] = field(factory=list, init=False)

    def match_all(self) -> None:
        """All kinds of matching, one after the other."""
        self._pair(self._old[0], self._new[0])
        self._by_key(lambda node: node.step.step_name, is_single=True)
        self._by_key(lambda node: node.task, is_single=True)
        if all(self._free(self._old, self._new)):
            self._by_key((_with_below(self._old) | _with_below(self._new)).get)
        self._containers()
        self._below_pairs()
        self._in_order(*self._free(self._old, self._new))
        self._by_likeness(*self._free(self._old, self._new), anywhere=True)
        self._below_pairs()

    def _pair(self, old: StepNode, new: StepNode) -> None:
        self.there[old], self.back[new] = new, old
        if old.children and new.children:
            self._todo.append(old)

    def _free(self, ours: Iterable[StepNode], theirs: Iterable[StepNode]) -> tuple[list[StepNode], list[StepNode]]:
        """Those that have not been found yet."""
        return [node for node in ours if node not in self.there], [node for node in theirs if node not in self.back]

    def _by_key(self, key: Callable[[StepNode], Hashable], *, is_single: bool = False) -> None:
        """Pair steps with the same key, where as many have it on both sides, or only one."""
        ours, theirs = (_group(nodes, key) for nodes in self._free(self._old, self._new))
        for same, nodes in ours.items():
            others = theirs.get(same, [])
            if len(nodes) == len(others) and not (is_single and len(nodes) > 1):
                for old, new in zip(nodes, others, strict=True):
                    self._pair(old, new)

    def _in_order(self, ours: list[StepNode], theirs: list[StepNode]) -> None:
        """Pair steps that say the same, the first with the first."""
        there = _group(reversed(theirs), lambda node: node.task)
        for old in ours:
            if others := there.get(old.task):
                self._pair(old, others.pop())

    def _containers(self) -> None:
        """Pair containers by what is below them, the lowest first."""
        for old in reversed(self._free(self._old, ())[0]):
            parents = [self.there[child].parent for child in old.children if child in self.there]
            for new, count in Counter(parents).most_common(1):
                is_sure = count > 1 or (new is not None and old.step.step_id == new.step.step_id)
                if new and new not in self.back and 2 * count > len(parents) and is_sure:
                    self._pair(old, new)

    def _below_pairs(self) -> None:
        """Pair what is below steps that are paired, and then what is below those."""
        while self._todo:
            old = self._todo.pop()
            for ours, theirs in self._gaps(old) if old.children else ():
                self._in_order(ours, theirs)
                self._by_likeness(*self._free(ours, theirs), anywhere=False)

    def _gaps(self, old: StepNode) -> Iterator[tuple[list[StepNode], list[StepNode]]]:
        """The steps not found yet below two that are the same, between neighbours that are."""
        ours, theirs = old.children, self.there[old].children
        met = longest_common((self.there[node] for node in ours if node in self.there), theirs)
        cuts = cut_at(ours, {self.back[node] for node in met}), cut_at(theirs, set(met))
        for between in zip(*cuts, strict=True):
            free = self._free(*between)
            if all(free):
                yield free

    def _by_likeness(self, ours: list[StepNode], theirs: list[StepNode], *, anywhere: bool) -> None:
        """Pair steps by their words, the most alike first."""
        found: list[tuple[float, int, int, int]] = []
        for old, new, apart in _likely_pairs(ours, theirs) if ours and theirs else ():
            if score := _score(old, new, anywhere=anywhere):
                found.append((-score, apart, old.index, new.index))
        for *_, at, there in sorted(found):
            if self._old[at] not in self.there and self._new[there] not in self.back:
                self._pair(self._old[at], self._new[there])


def _score(old: StepNode, new: StepNode, *, anywhere: bool) -> float:
    """How alike two steps are; 0 where that is not enough."""
    one, other = old.step, new.step
    count = len(old.words) + len(new.words)
    score = 2 * len(old.words & new.words) / count if count else 1.0
    if one.step_name and other.step_name and one.step_name != other.step_name:
        score *= _RENAMED
    if anywhere:
        return score if score >= _ANYWHERE and old.words and new.words else 0
    is_same_id = one.step_id == other.step_id
    return score + is_same_id * 0.1 if score >= (_SAME_PLACE if is_same_id else _NEAR) else 0


def _likely_pairs(ours: list[StepNode], theirs: list[StepNode]) -> Iterator[tuple[StepNode, StepNode, int]]:
    """Each step with some that it may be: by its words that are rare among them, by its id and its place.

    The number is how far apart the two are.
    """
    ranks = {node: rank for rank, node in enumerate(theirs)}
    by_id = {node.step.step_id: node for node in theirs}
    by_word: defaultdict[str, list[StepNode]] = defaultdict(list)
    for node in theirs:
        for word in node.words:
            by_word[word].append(node)
    for rank, node in enumerate(ours):
        known = [word for word in node.words if word in by_word]
        rarest = sorted(known, key=lambda word: (len(by_word[word]), word))[:_LOOKED_UP]
        found = [other for word in rarest for other in by_word[word][:_COMPARED]]
        found += filter(None, [by_id.get(node.step.step_id)])
        for at in (rank, len(theirs) - len(ours) + rank):
            found += theirs[at : at + 1] if at >= 0 else []
        yield from ((node, other, abs(rank - ranks[other])) for other in dict.fromkeys(found))


def _with_below(nodes: list[StepNode]) -> dict[StepNode, Hashable]:
    """What each step and all below it say, where something is below it."""
    keys: dict[StepNode, Hashable] = {}
    for node in reversed(nodes):
        keys[node] = hash((node.task, *(keys[child] for child in node.children)))
    return {node: key for node, key in keys.items() if node.children}


def _group(nodes: Iterable[StepNode], key: Callable[[StepNode], Hashable]) -> dict[Hashable, list[StepNode]]:
    """Nodes by their keys; those without a key are left out."""
    found: dict[Hashable, list[StepNode]] = {}
    for node in nodes:
        if same := key(node):
            found.setdefault(same, []).append(node)
    return found
