"""Kiro's `tasks.md`: check boxes with nested numbers, `_Requirements: …_`, `- [ ]*` for what may be left out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planspec_lark.exchange.conversion import NUMBERS
from planspec_lark.exchange.dialect import BOXES, Dialect
from planspec_lark.exchange.formats import share_of
from planspec_lark.exchange.markdown import markdown_format
from planspec_lark.exchange.models import Task, TaskList
from planspec_lark.exchange.numbers import NUMBER, number_by_place, write_number
from planspec_lark.planspec.models import PlanStatus
from planspec_lark.syntax.source import Source

__all__ = ["FORMAT"]

# A line of spec-driven development with Kiro: `_Depends: 1.1, 2.3_`
_DEPENDS = re.compile(r"[ \t]*(?:[-*+][ \t]+)?_Depends(?: on)?:([^_]*)_[ \t]*", re.IGNORECASE)

_TASK = re.compile(r"^[ \t]*- \[[ xX~-]\]\*? [0-9]+(?:\.[0-9]+)*\.? ", re.MULTILINE)
_OPTIONAL = re.compile(r"^[ \t]*- \[[ xX~-]\]\* ", re.MULTILINE)
_REQUIREMENTS = re.compile(r"^[ \t]*- _?(?:Requirements|Validates)[:\w ]", re.MULTILINE)
_TITLE = re.compile(r"^# .*(?:Implementation Plan|实施计划|実装計画)", re.MULTILINE | re.IGNORECASE)


def _find_needs(tasks: TaskList) -> dict[Task, list[str]]:
    return {
        task: [one for line in task.notes if (match := _DEPENDS.fullmatch(line)) for one in NUMBERS.findall(match[1])]
        for task in tasks
    }


def _add_needs(task: Task, needs: Sequence[str]) -> None:
    task.notes.append(f"- _Depends: {', '.join(needs)}_")


_DIALECT = Dialect(
    # What is queued has not begun.
    statuses={**BOXES, "-": PlanStatus.ACTIVE, "~": PlanStatus.PENDING},
    boxes={PlanStatus.PENDING: " ", PlanStatus.DONE: "x", PlanStatus.ACTIVE: "-"},
    has_optional=True,
    lead=NUMBER,
    write_id=write_number,
    find_needs=_find_needs,
    add_needs=_add_needs,
    is_loose=True,
)


def _guess(source: Source) -> int:
    if not _TASK.search(source.text):
        return 0
    if _OPTIONAL.search(source.text) or _REQUIREMENTS.search(source.text):
        return 80
    if _TITLE.search(source.text):
        return 70
    if share_of(_TASK, source) < 2 / 3:
        return 20
    return 40


FORMAT = markdown_format("kiro", _DIALECT, _guess, number_by_place)
