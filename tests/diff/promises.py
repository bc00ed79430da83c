"""What is promised of differences and merges, each as a function that raises where the promise does not hold."""

from __future__ import annotations

import json
import re
from collections import Counter

from planspec_lark import PlanSpec, diff_plans, iter_steps, merge_plans, parse_plan, serialize_plan
from planspec_lark.diff import MergeResult, diff_to_dict, merge_texts
from planspec_lark.diff.render import show_diff
from planspec_lark.syntax.safe_text import visible

__all__ = ["are_told_apart", "come_together", "take_what_one_side_changed", "work_from_either_side"]

_MARKERS = re.compile(r"^<{7} ours\r?\n(.*?)^={7}\r?\n(.*?)^>{7} theirs\r?\n", re.DOTALL | re.MULTILINE)


def are_told_apart(old: PlanSpec, new: PlanSpec) -> None:
    """Plans differ unless they are equal; a difference has every step once, and nothing that steers a terminal."""
    diff = diff_plans(old, new)
    assert bool(diff) is (old != new)
    assert not diff_plans(new, new)
    rows = ["".join(piece.text for piece in line) for line in show_diff(diff)]
    assert bool(rows) is bool(diff)
    assert all(row == visible(row) and "\n" not in row for row in rows)
    assert diff_to_dict(diff) == diff_to_dict(diff_plans(old, new))
    json.dumps(diff_to_dict(diff))
    for plan, steps in ((old, [change.old for change in diff.steps]), (new, [change.new for change in diff.steps])):
        found = Counter(id(step) for step in steps if step is not None)
        assert set(found.values()) <= {1}
        assert set(found) <= {id(step) for step in iter_steps(plan)}
    gone, come = (sum(getattr(change, side) is None for change in diff.steps) for side in ("new", "old"))
    assert len(list(iter_steps(new))) - len(list(iter_steps(old))) == come - gone


def take_what_one_side_changed(base: PlanSpec, new: PlanSpec) -> None:
    """Where only one side has changed something, or both the same, the merge is what that has become."""
    for ours, theirs in ((new, base), (base, new), (new, new)):
        result = merge_plans(base, ours, theirs)
        assert (result.plan, result.conflicts) == (new, ())
        # Texts of which no two are the same.
        result = merge_texts(serialize_plan(base) + "\n", serialize_plan(ours), serialize_plan(theirs) + " \n")
        assert (result.plan, result.conflicts) == (new, ())
        assert parse_plan(result.text) == new


def _resolve(result: MergeResult, side: int) -> PlanSpec:
    return parse_plan(_MARKERS.sub(lambda match: match[side], result.text))


def come_together(base: PlanSpec, ours: PlanSpec, theirs: PlanSpec) -> None:
    """A merged text says what the merged plan does. A conflict is marked, and either side of it makes a plan."""
    texts = list(map(serialize_plan, (base, ours, theirs)))
    result = merge_texts(texts[0] + "\n", texts[1].removesuffix("\n"), texts[2].replace("\n", "\r\n"))
    again = merge_plans(base, ours, theirs)
    assert (again.plan, again.conflicts) == (result.plan, result.conflicts)
    assert parse_plan(serialize_plan(result.plan)) == result.plan
    if not result.conflicts:
        assert parse_plan(result.text) == result.plan
        return
    assert _MARKERS.search(result.text)
    _resolve(result, 2)
    left = _resolve(result, 1)
    if not any(conflict.message.startswith("ours removed") for conflict in result.conflicts):
        assert left == result.plan


def work_from_either_side(base: PlanSpec, ours: PlanSpec, theirs: PlanSpec) -> None:
    """The sides may change places: the conflicts are the same, and so is how much there is."""
    one, other = merge_plans(base, ours, theirs), merge_plans(base, theirs, ours)
    assert Counter(c.names for c in one.conflicts) == Counter(c.names for c in other.conflicts)
    assert len(list(iter_steps(one.plan))) == len(list(iter_steps(other.plan)))
