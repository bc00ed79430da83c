"""Plans as diagrams."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from syrupy.assertion import SnapshotAssertion

from planspec_lark import PlanSpec, PlanStep, iter_steps, parse_plan
from planspec_lark.planspec import draw_plan
from planspec_lark.syntax.safe_text import visible
from tests import strategies
from tests.planspec.test_models import DEPTH, chain
from tests.toolplan.measuring import grows_evenly

PLAN = """\
# Plan: Open the bakery
## Steps
1. [x] [act] Light the oven, and wait until the stones are hot all the way through → heat
  > ← wood
2. [>] mixing [subtask] Make the dough, and let it rest → dough | Progress: 1/2
  > ← heat, verdict
  2.1. [!] [act] Weigh → flour
  2.2. [~] [act] Knead → dough, crumbs
    > ← flour, dough
3. [reason] Taste → verdict | Progress: 1/4
  > ← dough
"""
HOSTILE = '"]; click s0 "javascript:alert(1)" <b>&lt;`#\\ \u202e</script> end %%{init'


def test_a_diagram(snapshot: SnapshotAssertion) -> None:
    assert draw_plan(parse_plan(PLAN)) == snapshot


def test_no_steps() -> None:
    assert "s0" not in draw_plan(PlanSpec())


def arrows(steps: str) -> list[str]:
    rows = draw_plan(parse_plan(f"## Steps\n{steps}")).split("\n")
    return [row.strip() for row in rows if "->" in row]


def test_a_step_has_one_arrow_from_each_other() -> None:
    assert arrows("1. [act] a → x, y\n2. [act] b\n> ← x, y\n") == ['s0 -->|"x, y"| s1']


def test_what_comes_later_is_dashed() -> None:
    assert arrows("1. [act] a\n> ← x\n2. [act] b → x\n") == ['s1 -.->|"next round: x"| s0']


@pytest.mark.parametrize(
    "steps",
    [
        "1. [subtask] a → x\n1.1. [act] b\n> ← x\n",
        "1. [subtask] a\n> ← x\n1.1. [act] b → x\n",
    ],
)
def test_nothing_leads_from_a_frame_into_it(steps: str) -> None:
    first, second = arrows(steps)
    assert {first.split()[0], second.split()[-1]} == {"s0", "s1"}
    assert (first.split()[-1], second.split()[0]) == ("round1", "round1")


def test_a_container_that_takes_what_it_puts_out() -> None:
    steps = "1. [subtask] a → x\n> ← x\n1.1. [act] b\n"
    assert arrows(steps) == ["s0 -.-> round1", "round1 -.-> s0"]


def test_what_is_passed_on_and_not_taken_has_one_arrow() -> None:
    assert arrows("1. [subtask] a → x\n1.1. [act] b → x, y\n1.1.1. [act] c → x\n2. [act] d → x\n") == [
        "s0 --> unused0",
        "s1 --> unused1",
        "s3 --> unused0",
    ]


def test_what_stands_out_says_so() -> None:
    diagram = draw_plan(parse_plan(PLAN))
    assert 'missing0(["wood<br/>no step produces it"]):::missing' in diagram
    assert 'unused0(["crumbs<br/>no step takes it"]):::unused' in diagram


def test_frames_end_at_some_depth() -> None:
    diagram = draw_plan(chain())
    assert (diagram.count("subgraph "), diagram.count("  end\n")) == (30, 30)
    assert diagram.count(":::pending") == DEPTH - 30
    assert max(map(len, diagram.split("\n"))) < 400


_NAME = r"(?:s|missing|unused|round)\d+"
_PLAIN = r'"(?:[^"<>\[\]{}()`]|<br/>)*"'
# What each row of a diagram may be.
ROWS = re.compile(
    rf"""%%\{{init:[ ][^%]*\}}%% | flowchart[ ]TD | [ ]+(
            classDef[ ]\w+[ ][\w#,:-]+([ ]4)? | class[ ][\w,]+[ ]\w+ | subgraph[ ]s\d+\[{_PLAIN}\] | end
            | {_NAME}(\[{_PLAIN}\]|\(\[{_PLAIN}\]\)):::\w+
            | {_NAME}[ ](-->|-\.->)(\|{_PLAIN}\|)?[ ]{_NAME}
        ) |""",
    re.VERBOSE,
)


@given(strategies.plans)
def test_labels_are_only_text(plan: PlanSpec) -> None:
    diagram = draw_plan(plan)
    assert diagram == visible(diagram)
    rows = diagram.split("\n")
    assert [row for row in rows if not ROWS.fullmatch(row)] == []
    named = {match[1] for row in rows if (match := re.match(r" +(?:subgraph )?(s\d+)(?=\[|\(| \[)", row))}
    assert named == {f"s{at}" for at, _ in enumerate(iter_steps(plan))}


def test_time_grows_evenly() -> None:
    def make(size: int) -> PlanSpec:
        rows = (f"{at}. [act] a → v{at}\n> ← v{at // 2}, w{at}, v{at + 1}\n" for at in range(1, size))
        return parse_plan("## Steps\n" + "".join(rows))

    assert grows_evenly(make, draw_plan, 300)


def test_a_long_id_is_cut() -> None:
    step = PlanStep(".".join(["1"] * 100), step_type="act", description="a")
    assert f'["…{step.step_id[-40:]} act, pending<br/>a"]' in draw_plan(PlanSpec(steps=[step])).replace("#8230;", "…")
