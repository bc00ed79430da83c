"""Differences and merges of any plans."""

from __future__ import annotations

import re
from collections import Counter

from hypothesis import given

from planspec_lark import PlanSpec, iter_steps, parse_plan, serialize_plan
from planspec_lark.comparing.diffing import diff_plans
from planspec_lark.comparing.merging import merge_plans
from planspec_lark.comparing.models import MergeResult
from planspec_lark.comparing.showing import diff_to_dict, show_diff
from planspec_lark.comparing.texts import merge_texts
from tests.comparing.variants import pairs, triples

_MARKERS = re.compile(r"^<{7} ours\r?\n(.*?)^={7}\r?\n(.*?)^>{7} theirs\r?\n", re.DOTALL | re.MULTILINE)


@given(pairs)
def test_only_equal_plans_do_not_differ(both: tuple[PlanSpec, PlanSpec]) -> None:
    old, new = both
    diff = diff_plans(old, new)
    assert bool(diff) is (old != new)
    assert not diff_plans(new, new)
    assert bool(list(show_diff(diff))) is bool(diff)
    assert diff_to_dict(diff) == diff_to_dict(diff_plans(old, new))


@given(pairs)
def test_a_difference_has_every_step_once(both: tuple[PlanSpec, PlanSpec]) -> None:
    old, new = both
    changes = diff_plans(old, new).steps
    for plan, steps in ((old, [c.old for c in changes]), (new, [c.new for c in changes])):
        found = Counter(id(step) for step in steps if step is not None)
        assert set(found.values()) <= {1}
        assert set(found) <= {id(step) for step in iter_steps(plan)}
    gone, come = sum(c.new is None for c in changes), sum(c.old is None for c in changes)
    assert len(list(iter_steps(new))) - len(list(iter_steps(old))) == come - gone


def _untouched(plan: PlanSpec) -> str:
    """A text that says the same as the canonical one, and is not that."""
    return serialize_plan(plan) + "\n"


@given(pairs)
def test_what_only_one_side_has_changed_is_taken(both: tuple[PlanSpec, PlanSpec]) -> None:
    base, new = both
    for ours, theirs in ((new, base), (base, new), (new, new)):
        result = merge_plans(base, ours, theirs)
        assert (result.plan, result.conflicts) == (new, ())
        result = merge_texts(_untouched(base), serialize_plan(ours), serialize_plan(theirs) + " \n")
        assert (result.plan, result.conflicts) == (new, ())
        assert parse_plan(result.text) == new


def _resolve(result: MergeResult, side: int) -> str:
    return _MARKERS.sub(lambda match: match[side], result.text)


@given(triples)
def test_a_merge_and_its_text_say_the_same(versions: tuple[PlanSpec, PlanSpec, PlanSpec]) -> None:
    base, ours, theirs = map(serialize_plan, versions)
    result = merge_texts(base + "\n", ours.removesuffix("\n"), theirs.replace("\n", "\r\n"))
    again = merge_plans(*versions)
    assert (again.plan, again.conflicts) == (result.plan, result.conflicts)
    serialize_plan(result.plan)
    if not result.conflicts:
        assert parse_plan(result.text) == result.plan
        return
    assert _MARKERS.search(result.text)
    assert parse_plan(_resolve(result, 2)) != PlanSpec("never")
    ours = parse_plan(_resolve(result, 1))
    if not any(conflict.message.startswith("ours removed") for conflict in result.conflicts):
        assert ours == result.plan


@given(triples)
def test_either_side_may_come_first(versions: tuple[PlanSpec, PlanSpec, PlanSpec]) -> None:
    base, ours, theirs = versions
    one, other = merge_plans(base, ours, theirs), merge_plans(base, theirs, ours)
    assert Counter(c.names for c in one.conflicts) == Counter(c.names for c in other.conflicts)
    assert len(list(iter_steps(one.plan))) == len(list(iter_steps(other.plan)))
