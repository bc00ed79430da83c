"""Texts that speak of steps by ids that these have no more."""

from __future__ import annotations

import pytest

from planspec_lark import PlanDocument, parse_plan_commands

TEXT = """\
Goal: Bake as in step 2
Constraints:
- Not before STEP 1.
## Steps
1. [act] Knead
2. [act] Bake what step 1 gave | better than step 3
  > Steps 1, 2 and 3.1; as misstep 2 and step 2b say
3. [subtask] Sell
  3.1. [act] Open
"""


def told(document: PlanDocument) -> list[str]:
    return [f"{one.line}: {one.step_id} → {one.new_id}".rstrip() for one in document.stale_mentions()]


def test_what_makes_room() -> None:
    document = PlanDocument.from_text(TEXT)
    document.add("2", "act", "Do step 2 again")
    assert told(document) == ["1: 2 → 3", "7: 3 → 4", "8: 2 → 3", "8: 3.1 → 4.1"]
    assert next(map(str, document.stale_mentions())) == 'line 1 says "step 2", which is step 3 now'


def test_what_closes_a_gap() -> None:
    document = PlanDocument.from_text(TEXT)
    document.remove("1")
    assert told(document) == []
    document = PlanDocument.from_text(TEXT)
    document.remove("1", renumber=True)
    assert told(document) == ["1: 2 → 1", "3: 1 →", "5: 1 →", "5: 3 → 2", "6: 1 →", "6: 2 → 1", "6: 3.1 → 2.1"]
    assert str(document.stale_mentions()[1]) == 'line 3 says "step 1", which is another step now'


def test_what_is_back_at_its_place_is_no_matter() -> None:
    document = PlanDocument.from_text(TEXT)
    document.add("1", "act", "Order flour")
    document.remove("1", renumber=True)
    assert told(document) == []


def test_what_moves() -> None:
    document = PlanDocument.from_text(TEXT)
    document.move("1", "3.2")
    assert told(document) == ["3: 1 → 3.2", "5: 1 → 3.2", "6: 1 → 3.2"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_commands_that_add_many(end: str) -> None:
    document = PlanDocument.from_text(TEXT.replace("\n", end))
    commands = "PLAN_CMD: ADD 1 [act] As step 1\nPLAN_CMD: ADD 1 [act] As step 2\nPLAN_CMD: ADD 2 [act] As step 3\n"
    document.apply(parse_plan_commands(commands))
    found = ["1: 2 → 5", "3: 1 → 4", "9: 1 → 4", "9: 3 → 6", "10: 1 → 4", "10: 2 → 5", "10: 3.1 → 6.1"]
    assert told(document) == found
