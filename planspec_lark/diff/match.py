"""Which step of one version of a plan is which of another.

Ids do not tell, as a new step gives all behind it new ones. What tells, from the surest to the least sure:

1. the same name, where only one step of each version has it;
2. the same own text (name, type, description, inputs, outputs, detail), where it is clear which is which: only one step
   has it, or only one with such steps below or above it;
3. among the steps below two that are the same: the same own text, in their order, between the same neighbours;
4. there as well: similar words, and less similar ones where the id is the same;
5. for a container whose words have changed: most of its steps are found again below one other container;
6. anywhere: the same own text, and then words that are very similar.

Each step is compared with a few others that are likely, never with all, so that the time grows with the plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import chain

from attrs import define, field, frozen

from planspec_lark.diff.sequences import longest_rising
from planspec_lark.diff.trees import ROOT, Tree
from planspec_lark.diff.words import likeness, words_of

__all__ = ["NONE", "Matching", "match_trees"]

NONE = -1
# How alike the words of two steps have to be: between the same neighbours, there with the same id, and anywhere.
_NEAR, _SAME_PLACE, _ANYWHERE = 0.45, 0.25, 0.65
# Steps with two different names are rather two different steps.
_RENAMED = 0.66
# How many words of a step are looked up, and how many steps are compared for each.
_LOOKED_UP, _COMPARED = 6, 8


@frozen(eq=False)
class Matching:
    """For the places of one tree those of another, NONE where a step is not there; and the other way round."""

    there: list[int]
    back: list[int]


def match_trees(old: Tree, new: Tree) -> Matching:
    """Find the steps of one version in another. The same two versions give the same answer."""
    return _Matcher(old, new).run()


@define(eq=False)
class _Side:
    """One of the two trees, and what is known of its steps."""

    tree: Tree
    partner: list[int] = field(init=False)
    hashes: list[str] = field(init=False)
    _words: dict[int, frozenset[str]] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        self.partner = [NONE] * len(self.tree.steps)
        self.hashes = self.tree.hashes

    def words(self, place: int) -> frozenset[str]:
        """The words of a step."""
        if place not in self._words:
            self._words[place] = words_of(self.tree.steps[place])
        return self._words[place]

    def free(self) -> Iterator[int]:
        """The places of steps that have not been found yet."""
        return (place for place in range(1, len(self.partner)) if self.partner[place] == NONE)

    def with_above(self) -> list[Hashable]:
        """What each step and all above it say."""
        keys: list[Hashable] = [0]
        for place in range(1, len(self.hashes)):
            keys.append(hash((keys[self.tree.parents[place]], self.hashes[place])))
        return keys

    def with_below(self) -> list[Hashable]:
        """What each step and all below it say; None where nothing is below it."""
        keys: list[Hashable] = [None] * len(self.hashes)
        sums: list[int] = [0] * len(self.hashes)
        for place in range(len(self.hashes) - 1, 0, -1):
            below = self.tree.children[place]
            sums[place] = hash((self.hashes[place], *(sums[child] for child in below)))
            keys[place] = sums[place] if below else None
        return keys


class _Matcher:
    def __init__(self, old: Tree, new: Tree) -> None:
        self._old, self._new = _Side(old), _Side(new)
        self._todo: list[int] = []
        self._pair(ROOT, ROOT)

    def run(self) -> Matching:
        """All kinds of matching, one after the other."""
        self._by_key(lambda side: [step.step_name for step in side.tree.steps], most=1)
        self._by_key(lambda side: side.hashes, most=1)
        self._by_key(_Side.with_below)
        self._by_key(_Side.with_above)
        self._containers()
        self._below_pairs()
        self._in_order(self._old.free(), self._new.free())
        self._by_likeness([*self._old.free()], [*self._new.free()], anywhere=True)
        self._below_pairs()
        return Matching(self._old.partner, self._new.partner)

    def _pair(self, old: int, new: int) -> None:
        self._old.partner[old], self._new.partner[new] = new, old
        self._todo.append(old)

    def _by_key(self, keys_of: Callable[[_Side], Sequence[Hashable]], most: int | None = None) -> None:
        """Pair steps with the same key, where as many have it on both sides, and no more than ``most``."""
        found = [_group(side.free(), keys_of(side)) for side in (self._old, self._new)]
        for key, ours in found[0].items():
            theirs = found[1].get(key, [])
            if len(ours) == len(theirs) and (most is None or len(ours) <= most):
                for old, new in zip(ours, theirs, strict=True):
                    self._pair(old, new)

    def _in_order(self, ours: Iterable[int], theirs: Iterable[int]) -> None:
        """Pair steps that say the same, the first with the first."""
        there = _group(theirs, self._new.hashes)
        used: Counter[Hashable] = Counter()
        for old in ours:
            key = self._old.hashes[old]
            others = there.get(key, [])
            if used[key] < len(others):
                self._pair(old, others[used[key]])
                used[key] += 1

    def _containers(self) -> None:
        """Pair containers by what is below them, the lowest first."""
        old, new = self._old, self._new
        for place in reversed([*old.free()]):
            below = [old.partner[child] for child in old.tree.children[place] if old.partner[child] != NONE]
            votes = Counter(new.tree.parents[child] for child in below)
            if not votes:
                continue
            parent, count = votes.most_common(1)[0]
            is_same_id = old.tree.steps[place].step_id == new.tree.steps[parent].step_id
            if new.partner[parent] == NONE and 2 * count > len(below) and (count > 1 or is_same_id):
                self._pair(place, parent)

    def _below_pairs(self) -> None:
        """Pair what is below steps that are paired, and go on below those."""
        while self._todo:
            place = self._todo.pop()
            for ours, theirs in self._gaps(place):
                self._in_order(ours, theirs)
                left = [[place for place in ours if self._old.partner[place] == NONE]]
                left.append([place for place in theirs if self._new.partner[place] == NONE])
                self._by_likeness(*left, anywhere=False)

    def _gaps(self, place: int) -> Iterator[tuple[list[int], list[int]]]:
        """The steps not found yet below two that are the same, between neighbours that are."""
        ours = self._old.tree.children[place]
        theirs = self._new.tree.children[self._old.partner[place]]
        inside = set(theirs)
        met = [one for one in ours if self._old.partner[one] in inside]
        kept = longest_rising([self._old.partner[one] for one in met])
        at = iter(theirs)
        anchors = {met[index] for index in kept}
        gap: list[int] = []
        for one in chain(ours, [NONE]):
            if one in anchors or one == NONE:
                end = self._old.partner[one] if one != NONE else NONE
                there = []
                for other in at:
                    if other == end:
                        break
                    if self._new.partner[other] == NONE:
                        there.append(other)
                if gap and there:
                    yield gap, there
                gap = []
            elif self._old.partner[one] == NONE:
                gap.append(one)

    def _by_likeness(self, ours: list[int], theirs: list[int], *, anywhere: bool) -> None:
        """Pair steps by their words, the most alike first."""
        if not ours or not theirs:
            return
        found: list[tuple[float, int, int, int]] = []
        likely = _Likely(self._new, theirs)
        for rank, old in enumerate(ours):
            for new in likely.of(self._old, old, rank, len(ours)):
                score = self._score(old, new, anywhere=anywhere)
                if score:
                    found.append((-score, abs(rank - likely.ranks[new]), old, new))
        for _, _, old, new in sorted(found):
            if self._old.partner[old] == self._new.partner[new] == NONE:
                self._pair(old, new)

    def _score(self, old: int, new: int, *, anywhere: bool) -> float:
        """How alike two steps are; 0 where that is not enough."""
        one, other = self._old.tree.steps[old], self._new.tree.steps[new]
        words = self._old.words(old), self._new.words(new)
        score = likeness(*words)
        if one.step_name and other.step_name and one.step_name != other.step_name:
            score *= _RENAMED
        if anywhere:
            return score if score >= _ANYWHERE and all(words) else 0
        is_same_id = one.step_id == other.step_id
        enough = _SAME_PLACE if is_same_id else _NEAR
        return score + is_same_id * 0.1 if score >= enough else 0


class _Likely:
    """Finds among steps those that a step may be: by its words that are rare among them, by its id and its place."""

    def __init__(self, side: _Side, places: list[int]) -> None:
        self._places = places
        self.ranks = {place: rank for rank, place in enumerate(places)}
        self._ids = {side.tree.steps[place].step_id: place for place in places}
        self._by_word: dict[str, list[int]] = {}
        for place in places:
            for word in side.words(place):
                self._by_word.setdefault(word, []).append(place)

    def of(self, side: _Side, place: int, rank: int, count: int) -> list[int]:
        """The steps that the one at a place, the so manieth of its own, may be."""
        known = [word for word in side.words(place) if word in self._by_word]
        rarest = sorted(known, key=lambda word: (len(self._by_word[word]), word))[:_LOOKED_UP]
        found = [other for word in rarest for other in self._by_word[word][:_COMPARED]]
        found += [self._ids[step_id] for step_id in [side.tree.steps[place].step_id] if step_id in self._ids]
        found += self._places[rank : rank + 1]
        from_end = len(self._places) - (count - rank)
        found += self._places[from_end : from_end + 1] if from_end >= 0 else []
        return list(dict.fromkeys(found))


def _group(places: Iterable[int], keys: Sequence[Hashable]) -> dict[Hashable, list[int]]:
    """Places by their keys; those without a key are left out."""
    found: dict[Hashable, list[int]] = {}
    for place in places:
        if keys[place]:
            found.setdefault(keys[place], []).append(place)
    return found
