"""Where inputs come from."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings, strategies as st

from planspec_lark import PlanSpec, PlanStatus, PlanStep, iter_steps, parse_plan
from planspec_lark.planspec import find_data_flow
from planspec_lark.planspec.tree import walk
from tests.planspec.test_models import DEPTH, chain


def origins(steps: str) -> list[tuple[str, str, str | None]]:
    """Each input: its step, its name, and the step it comes from, with ↻ where that is in a later round."""
    return list(_origins(parse_plan(f"## Steps\n{steps}")))


def _origins(plan: PlanSpec) -> Iterator[tuple[str, str, str | None]]:
    for step_id, found in find_data_flow(plan).origins.items():
        for name, origin in found.items():
            mark = "↻" if origin is not None and origin.is_feedback else ""
            yield step_id, name, None if origin is None else mark + origin.step.step_id


DECIDE = "1. [act] a → x\n2. [decide] b\n2.1. [act] c → x\n2.2. [act] d → x\n> ← x\n"


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("1. [act] a → x\n2. [act] b → x\n3. [act] c\n> ← x, x\n", [("3", "x", "2")]),
        ("1. [act] a\n> ← x\n", [("1", "x", None)]),
        ("1. [act] a\n> ← x\n2. [act] b → x\n3. [act] c → x\n", [("1", "x", "↻2")]),
        ("1. [act] a → x\n> ← x\n", [("1", "x", "↻1")]),
        ("1. [subtask] a → x\n1.1. [act] b\n> ← x\n", [("1.1", "x", "↻1")]),
        # A container passes on what a step in it has produced, once it is through.
        (
            "1. [subtask] a → x\n1.1. [act] b → x\n1.2. [act] c\n> ← x\n2. [act] d\n> ← x\n",
            [("1.2", "x", "1.1"), ("2", "x", "1")],
        ),
        ("1. [act] a → x\n2. [~] [act] b → x\n3. [act] c\n> ← x\n", [("3", "x", "1")]),
        ("1. [~] [act] a → x\n2. [act] b\n> ← x\n", [("2", "x", "1")]),
        # Branches of a decision do not see each other; after it, it stands for them.
        (DECIDE, [("2.2", "x", "1")]),
        (DECIDE + "3. [act] e\n> ← x\n", [("2.2", "x", "1"), ("3", "x", "2")]),
        (DECIDE.replace("2.1. [act] c → x\n", "") + "3. [act] e\n> ← x\n", [("2.2", "x", "1"), ("3", "x", "2.2")]),
        (DECIDE.replace("decide", "subtask"), [("2.2", "x", "2.1")]),
        # Where there is nothing else, another branch is better than nothing.
        (DECIDE.replace("1. [act] a → x\n", ""), [("2.2", "x", "2.1")]),
        (
            DECIDE.replace("2. [decide] b", "2. [decide] b → x") + "3. [act] e\n> ← x\n",
            [("2.2", "x", "1"), ("3", "x", "2")],
        ),
    ],
)
def test_origins(steps: str, expected: list[tuple[str, str, str | None]]) -> None:
    assert origins(steps) == expected


def test_decisions_in_decisions() -> None:
    steps = """\
1. [decide] a
  1.1. [subtask] b
    1.1.1. [act] c → x
    1.1.2. [decide] d
      1.1.2.1. [act] e → x
      1.1.2.2. [act] f → x
        > ← x
    1.1.3. [act] g
      > ← x
  1.2. [decide] h
    1.2.1. [act] i → x
    1.2.2. [act] j → x
2. [act] k
  > ← x
"""
    assert origins(steps) == [("1.1.2.2", "x", "1.1.1"), ("1.1.3", "x", "1.1.2"), ("2", "x", "1")]


def test_nothing_of_another_branch_is_seen() -> None:
    steps = """\
1. [act] a → x
2. [decide] b
  2.1. [subtask] c
    2.1.1. [act] d → x
    2.1.2. [decide] e
      2.1.2.1. [act] f → x
  2.2. [act] g
    > ← x
"""
    assert origins(steps) == [("2.2", "x", "1")]


def test_links_missing_and_unused() -> None:
    text = "1. [act] a → x, y, z, z\n2. [act] b → v\n> ← x, q, y, w\n3. [act] c → w\n> ← v\n"
    plan = parse_plan(f"## Steps\n{text}")
    flow = find_data_flow(plan)
    first, second, third = plan.steps
    assert [(link.source, link.target, link.names, link.is_feedback) for link in flow.links(second)] == [
        (first, second, ("x", "y"), False),
        (third, second, ("w",), True),
    ]
    assert [*flow.links(first)] == []
    assert [flow.missing(step) for step in plan.steps] == [[], ["q"], []]
    assert [flow.unused(step) for step in plan.steps] == [["z"], [], []]
    assert flow.producers == {"x": [first], "y": [first], "z": [first], "v": [second], "w": [third]}
    assert flow.consumers == {"x": [second], "q": [second], "y": [second], "w": [second], "v": [third]}


# ---------------------------------------------------------------- the same, slowly


Table = dict[str, str]


def slow(plan: PlanSpec) -> Iterator[tuple[str, str, str | None]]:
    """The same by tables of what reaches each step: every branch begins with the one from before its decision."""
    steps = {step.step_id: step for step in iter_steps(plan)}
    first: Table = {}
    for step in steps.values():
        for name in step.outputs:
            first.setdefault(name, step.step_id)
    # What has a value, what has one from a skipped step, and the same wherever that stands.
    now: list[Table] = [{}, {}]
    left: list[Table] = [{}, {}]
    saved: dict[str, tuple[list[Table], list[list[Table]]]] = {}
    for step, is_entered in walk(plan):
        if is_entered:
            for name in dict.fromkeys(step.inputs):
                found = next((table[name] for table in (*now, *left) if name in table), None)
                yield step.step_id, name, found or (f"↻{first[name]}" if name in first else None)
            saved[step.step_id] = ([dict(table) for table in now], [])
            continue
        if step.step_type == "decide":
            before, branches = saved[step.step_id]
            now = [join(before[at], [branch[at] for branch in branches], step.step_id) for at in (0, 1)]
        for name in step.outputs:
            at = step.status is PlanStatus.SKIPPED
            now[at][name] = left[at][name] = step.step_id
        above = steps.get(step.step_id.rpartition(".")[0])
        if above is not None and above.step_type == "decide":
            before, branches = saved[above.step_id]
            branches.append(now)
            now = [dict(table) for table in before]


def join(before: Table, branches: list[Table], decision: str) -> Table:
    joined = dict(before)
    for name in {name for branch in branches for name in branch}:
        others = [branch[name] for branch in branches if branch.get(name) != before.get(name)]
        if others:
            joined[name] = others[0] if len(others) == 1 else decision
    return joined


@st.composite
def plans(draw: st.DrawFn) -> PlanSpec:
    made: list[PlanStep] = []
    path: list[list[PlanStep]] = [made]
    owners = [""]
    for _ in range(draw(st.integers(1, 14))):
        depth = draw(st.integers(0, len(path) - 1))
        del path[depth + 1 :], owners[depth + 1 :]
        step_id = f"{owners[-1]}.{len(path[-1]) + 1}".lstrip(".")
        step = PlanStep(
            step_id,
            step_type=draw(st.sampled_from(["decide", "decide", "subtask"])),
            inputs=draw(st.lists(st.sampled_from("xy"), max_size=2)),
            outputs=draw(st.lists(st.sampled_from("xy"), max_size=2, unique=True)),
            status=draw(st.sampled_from(["pending", "pending", "pending", "skipped"])),
        )
        path[-1].append(step)
        path.append(step.children)
        owners.append(step_id)
    return PlanSpec(steps=made)


@settings(max_examples=5 * settings().max_examples)
@given(plans())
def test_any_origins(plan: PlanSpec) -> None:
    assert [*_origins(plan)] == [*slow(plan)]


def test_a_plan_of_a_thousand_levels() -> None:
    plan = chain()
    for step in iter_steps(plan):
        step.step_type = "decide"
        step.inputs, step.outputs = ["x"], ["x"]
    found = [*_origins(plan)]
    assert len(found) == DEPTH
    assert found[-1] == (plan.steps[0].step_id + ".1" * (DEPTH - 1), "x", "↻1")
