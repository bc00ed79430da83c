"""Every valid text goes through a set of edits."""

from __future__ import annotations

from operator import methodcaller
from pathlib import Path

from planspec_lark import PlanCommand, PlanDocument, PlanStatus, parse_plan, step_order
from tests.cases import in_one_test
from tests.corpus import each, read
from tests.property import documents

VALID = each("planspec/valid", ".md")


def _commands(step_id: str) -> list[PlanCommand]:
    head, dot, last = step_id.rpartition(".")
    behind = f"{head}{dot}{min(int(last) + 1, 999_999_999)}"
    return [
        PlanCommand("DONE", step_id, result="well | Progress: done"),
        PlanCommand("DONE", step_id),
        PlanCommand("BLOCKED", step_id, result="no"),
        PlanCommand("ADD", step_id, "subtask", "new | text → made", detail=["← a", "and so on"]),
        PlanCommand("ADD", behind, "act", "new"),
        PlanCommand("ADD", f"{step_id}.1", "decide", ""),
        PlanCommand("REVISE", step_id, "subtask", "revised → \\→ made"),
        PlanCommand("REVISE", step_id, "subtask", "revised", detail=["\\← b", "", "← c, d"]),
        PlanCommand("REPLAN", step_id),
        PlanCommand("COLLAPSE", step_id),
    ]


@VALID
def test_commands(path: Path) -> None:
    text = read(path)
    documents.is_lossless(text)
    ids = step_order(parse_plan(text))[:12]
    for command in [PlanCommand("ADD", "1", "act", "first"), *(one for step_id in ids for one in _commands(step_id))]:
        documents.keeps_the_rest(text, command)


@VALID
def test_commands_together(path: Path) -> None:
    text = read(path)
    commands = [one for step_id in step_order(parse_plan(text))[:6] for one in _commands(step_id)]
    documents.goes_on(text, commands, atomic=False)


@VALID
def test_methods(path: Path) -> None:
    text = read(path)
    for step_id in step_order(parse_plan(text))[:8]:
        changes: list[documents.Change] = [
            methodcaller("set_status", step_id, PlanStatus.ACTIVE, "so"),
            methodcaller("rename", step_id, "renamed"),
            methodcaller("move", step_id, "2"),
            methodcaller("move", "2", "77"),
            methodcaller("remove", "77"),
            methodcaller("remove", "1", renumber=True),
        ]
        documents.changes_or_refuses(text, changes)


@in_one_test
@VALID
def test_every_step_can_be_taken_out(path: Path) -> None:
    document = PlanDocument.from_text(read(path))
    while document.plan.steps:
        document.remove(document.plan.steps[-1].step_id)
        assert parse_plan(document.text) == document.plan
