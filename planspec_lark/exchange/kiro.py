"""Kiro's `tasks.md`: check boxes with nested numbers, `_Requirements: …_`, `- [ ]*` for what may be left out."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress

from planspec_lark.exchange import marks
from planspec_lark.exchange.conversion import NUMBERS
from planspec_lark.exchange.dialect import BOXES, Dialect, find_parallel
from planspec_lark.exchange.formats import share_of
from planspec_lark.exchange.markdown import markdown_format
from planspec_lark.exchange.models import Task, TaskList
from planspec_lark.exchange.numbers import NUMBER, number_by_place, write_number
from planspec_lark.planspec.models import PlanStatus
from planspec_lark.syntax.fences import find_fences
from planspec_lark.syntax.source import Source

__all__ = ["FORMAT"]

# A line of spec-driven development with Kiro: `_Depends: 1.1, 2.3_`
_DEPENDS = re.compile(r"[ \t]*(?:[-*+][ \t]+)?_Depends(?: on)?:([^_]*)_[ \t]*", re.IGNORECASE)

# More between two waves is a mistake.
_MOST_PAIRS = 1000

_TASK = re.compile(r"^[ \t]*- \[[ xX~-]\]\*? [0-9]+(?:\.[0-9]+)*\.? ", re.MULTILINE)
_OPTIONAL = re.compile(r"^[ \t]*- \[[ xX~-]\]\* ", re.MULTILINE)
_REQUIREMENTS = re.compile(r"^[ \t]*- _?(?:Requirements|Validates)[:\w ]", re.MULTILINE)
_TITLE = re.compile(r"^# .*(?:Implementation Plan|实施计划|実装計画)", re.MULTILINE | re.IGNORECASE)


def _find_needs(tasks: TaskList) -> dict[Task, Sequence[str | Task]]:
    """What each task needs, by its notes; else by the waves of the list; else by its place, if it is parallel."""
    by_place: dict[Task, Sequence[str | Task]] = {task: [last] for task, last in find_parallel(tasks)}
    said = {
        task: [one for line in task.notes if (match := _DEPENDS.fullmatch(line)) for one in NUMBERS.findall(match[1])]
        for task in tasks
    }
    return (_read_waves(tasks) or by_place) | {task: several for task, several in said.items() if several}


def _read_waves(tasks: TaskList) -> dict[Task, Sequence[str | Task]]:
    """What is in a wave needs all that is in the one before it, but for what may be left out."""
    by_id = {task.id: task for task in tasks if task.id}
    needs: dict[Task, Sequence[str | Task]] = {}
    for notes in (tasks.notes, *(task.notes for task in tasks)):
        before: list[Task] = []
        for names in _find_waves("\n".join(notes)):
            wave = [by_id[name] for name in names if name in by_id]
            if len(before) * len(wave) > _MOST_PAIRS:
                return {}
            needs |= {task: before for task in wave if before}
            before = [task for task in wave if marks.OPTIONAL not in task.notes] or before
    return needs


def _find_waves(text: str) -> list[list[str]]:
    """The ids of each wave, as a code block says them in JSON."""
    for fence in find_fences(text) if '"waves"' in text else ():
        with suppress(ValueError, RecursionError, KeyError, TypeError):
            waves = json.loads(text[fence.body_start : fence.body_end])["waves"]
            return [[str(name) for name in wave["tasks"]] for wave in waves]
    return []


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
