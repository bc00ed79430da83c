"""What depends on a step that is opened again."""

from __future__ import annotations

import pytest

from planspec_lark import PlanStatus, iter_steps
from planspec_lark.engine.dependents import find_dependents
from planspec_lark.runs import MemoryLedger
from tests.cases import in_one_test
from tests.engine.worlds import World, plan

STEPS = """\
1. [x] [act] a → x
2. [x] [subtask] s → y
  2.1. [x] [act] b → y
    > ← x
  2.2. [x] [act] c → z
3. [x] [act] d
  > ← y
4. [act] e → w
  > ← x
5. [x] [subtask] t
  > ← z
  5.1. [x] [act] f
    > ← y
6. [x] [act] g
7. [x] [act] h
  > ← w
"""


BRANCHES = "1. [x] [decide] d\n1.1. [x] [act] a → x\n1.2. [x] [act] b → x\n2. [x] [act] c\n> ← x\n"


@in_one_test
@pytest.mark.parametrize(
    ("steps", "opened", "found"),
    [
        (STEPS, "1", "2.1 3 5.1"),
        (STEPS, "2", "3 5"),
        (STEPS, "2.1", "3 5.1"),
        (STEPS, "2.2 2.1", "3 5"),
        (STEPS, "3", ""),
        (STEPS, "4", "7"),
        (STEPS, "1 3", "2.1 5.1"),
        (STEPS, "9", ""),
        (BRANCHES, "1.2", "2"),
        (BRANCHES, "1.1", ""),
        (BRANCHES.replace("1.2. [x]", "1.2. [~]"), "1.1", "2"),
    ],
)
def test_what_depends_on_a_step(steps: str, opened: str, found: str) -> None:
    assert find_dependents(plan(steps), opened.split()) == found.split()


def test_dependents_are_done_again() -> None:
    world, ledger = World(), MemoryLedger()
    result = world.run(
        "1. first [act] a → x\n2. [act] b → y\n  > ← x\n3. [act] c\n  > ← y\n4. [act] d\n", ledger=ledger
    )
    for dependents, opened in ((False, ["1"]), (True, ["1", "2", "3"])):
        made = world.engine(result.plan, ledger=ledger).reopen("first", dependents=dependents)
        assert [step.step_id for step in iter_steps(made) if step.status is PlanStatus.PENDING] == opened
        result = world.run(made, ledger=ledger, resume=True)
    assert world.ran == ["1", "2", "3", "4", "1", "1", "2", "3"]
