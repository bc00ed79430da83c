"""Tables whose rows are steps: what a row says, and what of it no step has."""

from __future__ import annotations

import pytest

from planspec_lark import extract_plan
from planspec_lark.answers import Verdict


def _table(header: str, *rows: str) -> str:
    return "\n".join([header, "|".join(["", *["---"] * (header.count("|") - 1), ""]), *rows, ""])


@pytest.mark.parametrize(
    ("header", "row", "why"),
    [
        ("| Step | Output |", "| Sand the doors | smooth doors, no dust |", "`smooth doors, no dust` is not a list of"),
        ("| Task | Status |", "| Sand the doors | Partially done |", "`Partially done` is not a status"),
        ("| Task | Status |", "| Sand the doors | 50% |", "`50%` is not a status"),
        ("| Task | Status |", "| Sand the doors |", "it has 1 cell, and the header 2"),
        ("| Task | Status |", "| Sand | the doors | done |", "it has 3 cells, and the header 2"),
        ("| Task | Outputs |", "| **Doors** | |", "it does not say what is to be done"),
        ("| # | Task |", "| 1a | Sand the doors |", "`1a` is not a number of a step"),
        ("| # | Task |", "| | Total |", "it has no number"),
        ("| Task | Type |", "| Sand the doors | 2 doors |", "`2 doors` is not a type"),
    ],
)
def test_a_row_that_is_no_step_holds_those_below_it_and_above_it(header: str, row: str, why: str) -> None:
    good = {"Output": "white_doors", "Outputs": "white_doors", "Status": "open", "Type": "act", "Task": "Paint"}
    cells = ["1" if cell == "#" else good.get(cell, "Paint") for cell in header.strip("| ").split(" | ")]
    right = f"| {' | '.join(cells)} |"
    assert extract_plan(_table(header, right), default_type="act").verdict is Verdict.ACCEPTED
    for rows in ((row, right), (row, row, right), (right, row)):
        found = extract_plan(_table(header, *rows), default_type="act")
        assert found.verdict is Verdict.NEEDS_REVIEW
        assert any(why in f"{entry.message} {entry.diagnostic.help}" for entry in found.deciding)


def test_rows_of_another_table_hold_nothing() -> None:
    plan = "# Plan: Doors\nGoal: White doors\n## Steps\n1. [act] Paint\n"
    text = _table("| Task | Status |", "| Doors | half of them |") + f"\n```\n{plan}```\n"
    found = extract_plan(text)
    assert [entry.message for entry in found.repairs] == ["left out: the header row of a table"] * 2
