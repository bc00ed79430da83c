"""The difference between two plans, as lines: what has become of which step, and what has changed in it.

A step that only has another number, since another has come in front of it, does not count as changed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator, Sequence

from attrs import field, frozen

from planspec_lark.planspec.models import PlanSpec, PlanStep
from planspec_lark.planspec.printing import canonical_step, serialize_plan
from planspec_lark.planspec.tree import iter_with_parents

__all__ = ["Change", "diff_rows"]

# A list of ids has so many.
_LISTED = 8


@frozen
class Change:
    """A line of a difference: `-` was there, `+` has come, a space says where, and "" speaks of the whole."""

    sign: str
    text: str


@frozen(eq=False)
class _Entry:
    """A step with its own lines, and with what makes it the same step wherever it stands."""

    step: PlanStep
    parent: _Entry | None
    depth: int
    rows: tuple[str, ...]
    key: tuple[object, ...] = field(init=False)

    def __attrs_post_init__(self) -> None:
        behind_id = self.rows[0][2 * self.depth + len(self.step.step_id) :]
        object.__setattr__(self, "key", (self.depth, behind_id, *self.rows[1:]))


def _entries(plan: PlanSpec) -> list[_Entry]:
    found: dict[int, _Entry] = {}
    for step, parent in iter_with_parents(plan):
        above = found[id(parent)] if parent is not None else None
        depth = above.depth + 1 if above else 0
        rows = tuple(canonical_step(step, depth).rstrip("\n").split("\n"))
        found[id(step)] = _Entry(step, above, depth, rows)
    return list(found.values())


def diff_rows(before: PlanSpec, after: PlanSpec) -> list[Change]:
    """What differs, from top to bottom; empty where nothing does."""
    old, new = _entries(before), _entries(after)
    alike = match([entry.key for entry in old], [entry.key for entry in new])
    regions = [(old[a:b], new[c:d]) for a, b, c, d in _between(alike, len(old), len(new))]
    pairs = _pair(regions)
    summary = _summarize(regions, pairs, [(old[a], new[b]) for a, b in alike])
    return [*summary, *_diff_heads(before, after), *_diff_regions(regions, pairs)]


def match(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Which items of one sequence stay in the other, as pairs of places in ascending order.

    Of items that come several times, the first belongs to the first, and so on: then each has one partner at most, and
    the most that keep their order are found in n log n, whatever the texts.
    """
    least = min(len(old), len(new))
    head = next((at for at in range(least) if old[at] != new[at]), least)
    tail = next((at for at in range(least - head) if old[-1 - at] != new[-1 - at]), least - head)
    places = {item: head + at for at, item in enumerate(_count(old[head : len(old) - tail]))}
    inner = [(places.get(item), head + at) for at, item in enumerate(_count(new[head : len(new) - tail]))]
    kept = _longest_rise([(a, b) for a, b in inner if a is not None])
    behind = [(len(old) - at, len(new) - at) for at in range(tail, 0, -1)]
    return [*((at, at) for at in range(head)), *kept, *behind]


def _count(items: Sequence[Hashable]) -> Iterator[tuple[Hashable, int]]:
    """Each item with how often it has come before."""
    seen: dict[Hashable, int] = {}
    for item in items:
        seen[item] = seen.get(item, -1) + 1
        yield item, seen[item]


def _longest_rise(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The most pairs, in their order, whose first numbers rise."""
    lowest: list[int] = []  # the lowest number that a rise of each length ends with
    ends: list[int] = []  # where that is
    before: list[int] = []  # for each pair, the one in front of it in its rise
    for at, (number, _) in enumerate(pairs):
        length = bisect_left(lowest, number)
        before.append(ends[length - 1] if length else -1)
        lowest[length : length + 1] = [number]
        ends[length : length + 1] = [at]
    rise = []
    at = ends[-1] if ends else -1
    while at >= 0:
        rise.append(pairs[at])
        at = before[at]
    return rise[::-1]


def _between(alike: list[tuple[int, int]], old: int, new: int) -> Iterator[tuple[int, int, int, int]]:
    """The stretches that lie between what is alike, in both."""
    a = b = 0
    for c, d in [*alike, (old, new)]:
        if c > a or d > b:
            yield a, c, b, d
        a, b = c + 1, d + 1


def _diff_heads(before: PlanSpec, after: PlanSpec) -> Iterator[Change]:
    """Title, goal and constraints."""
    old, new = (_head_rows(plan) for plan in (before, after))
    yield from _diff_lines(old, new)


def _head_rows(plan: PlanSpec) -> list[str]:
    head = PlanSpec(plan.title, plan.goal, plan.goal_detail, plan.constraints)
    return serialize_plan(head).split("\n")[:-1]


def _diff_lines(old: list[str], new: list[str]) -> Iterator[Change]:
    for a, b, c, d in _between(match(old, new), len(old), len(new)):
        yield from (Change("-", row) for row in old[a:b])
        yield from (Change("+", row) for row in new[c:d])


# ---------------------------------------------------------------- steps

_Regions = list[tuple[list[_Entry], list[_Entry]]]


@frozen(eq=False)
class _Pairs:
    """Which step of the one plan has become which of the other: by the ids that they have there."""

    old_of: dict[str, _Entry] = field(factory=dict)
    new_of: dict[str, _Entry] = field(factory=dict)
    moved: set[str] = field(factory=set)

    def add(self, old: list[_Entry], new: list[_Entry], by: Callable[[_Entry], object], *, moved: bool) -> None:
        """Pair those of these steps that are alike in something and have no partner yet, in their order."""
        free: dict[object, list[_Entry]] = {}
        for entry in reversed(old):
            if entry.step.step_id not in self.new_of and by(entry):
                free.setdefault(by(entry), []).append(entry)
        for entry in new:
            if entry.step.step_id not in self.old_of and (found := free.get(by(entry))):
                before = found.pop()
                self.old_of[entry.step.step_id], self.new_of[before.step.step_id] = before, entry
                if moved:
                    self.moved.add(entry.step.step_id)


def _words_of(entry: _Entry) -> object:
    name, text = entry.step.step_name, entry.step.description
    return (name, text) if name or text else None


def _pair(regions: _Regions) -> _Pairs:
    pairs = _Pairs()
    for old, new in regions:
        pairs.add(old, new, _words_of, moved=False)
        pairs.add(old, new, lambda entry: tuple(entry.step.outputs), moved=False)
        pairs.add(old, new, lambda entry: entry.step.step_id, moved=False)
    all_old = [entry for old, _ in regions for entry in old]
    all_new = [entry for _, new in regions for entry in new]
    pairs.add(all_old, all_new, lambda entry: entry.key[1:], moved=True)
    pairs.add(all_old, all_new, lambda entry: entry.step.description, moved=True)
    return pairs


def _summarize(regions: _Regions, pairs: _Pairs, alike: list[tuple[_Entry, _Entry]]) -> list[Change]:
    """What has become of the steps, in a line for each kind of change."""
    gone = [entry.step.step_id for old, _ in regions for entry in old]
    come = [entry.step.step_id for _, new in regions for entry in new]
    both = {new_id: _name_both(pairs.old_of[new_id], new_id) for new_id in come if new_id in pairs.old_of}
    listed = {
        "new": [step_id for step_id in come if step_id not in both],
        "gone": [step_id for step_id in gone if step_id not in pairs.new_of],
        "changed": [name for new_id, name in both.items() if new_id not in pairs.moved],
        "moved": [name for new_id, name in both.items() if new_id in pairs.moved],
        "renumbered": [_name_both(a, b.step.step_id) for a, b in alike if a.step.step_id != b.step.step_id],
    }
    return [Change("", f"{word}: {_list(ids)}") for word, ids in listed.items() if ids]


def _name_both(old: _Entry, new_id: str) -> str:
    return new_id if old.step.step_id == new_id else f"{old.step.step_id} → {new_id}"


def _list(ids: list[str]) -> str:
    more = f" and {len(ids) - _LISTED} more" if len(ids) > _LISTED else ""
    return f"{', '.join(ids[:_LISTED])}{more}"


def _diff_regions(regions: _Regions, pairs: _Pairs) -> Iterator[Change]:
    shown: set[str] = set()
    # What stays in its place is shown where it stands now.
    staying = {id(pairs.old_of[one]) for one in pairs.old_of.keys() - pairs.moved}
    for old, new in regions:
        for entry in old:
            if id(entry) not in staying:
                yield from _place(entry, shown)
                yield from (Change("-", row) for row in entry.rows)
                shown.add(entry.rows[0])
        for entry in new:
            before = pairs.old_of.get(entry.step.step_id)
            yield from _place(entry, shown)
            if before is None or entry.step.step_id in pairs.moved:
                yield from (Change("+", row) for row in entry.rows)
            else:
                yield from _diff_step(before, entry)
            shown.add(entry.rows[0])


def _place(entry: _Entry, shown: set[str]) -> Iterator[Change]:
    """The steps above one, as far as they have not been shown."""
    above = []
    parent = entry.parent
    while parent is not None and parent.rows[0] not in shown:
        above.append(parent.rows[0])
        parent = parent.parent
    shown.update(above)
    yield from (Change(" ", row) for row in reversed(above))


def _diff_step(before: _Entry, after: _Entry) -> Iterator[Change]:
    if before.rows[0] == after.rows[0]:
        yield Change(" ", after.rows[0])
    else:
        yield Change("-", before.rows[0])
        yield Change("+", after.rows[0])
    yield from _diff_lines([*before.rows[1:]], [*after.rows[1:]])
