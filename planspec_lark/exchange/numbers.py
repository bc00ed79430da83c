"""Tasks that are numbered by their place: `1`, `1.1`, `1.2`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from planspec_lark.exchange import marks
from planspec_lark.exchange.models import Task, TaskList

__all__ = ["number_by_place"]

_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)*[a-z]?")
_MOST_DIGITS = 9


def number_by_place(tasks: TaskList) -> None:
    """Give a number to each task that has none: where one beside it has one, or where none has any at all.

    What has been a heading stays without, and what is below it counts as if it stood at its place.
    """
    for task in tasks:
        if not _NUMBERS.fullmatch(task.id):
            task.id = ""
    is_new = not any(task.id for task in tasks) and marks.NO_ID not in tasks.notes
    todo = [("", tasks.tasks)]
    while todo:
        head, siblings = todo.pop()
        siblings = [*_flatten(siblings)]
        if is_new or any(task.id for task in siblings):
            _number(head, siblings)
        todo += ((task.id, task.children) for task in siblings)


def _flatten(siblings: Sequence[Task]) -> Iterable[Task]:
    stack = [*siblings][::-1]
    while stack:
        task = stack.pop()
        if not task.id and any(map(marks.heading_level, task.notes)):
            stack += task.children[::-1]
        else:
            yield task


def _number(head: str, siblings: Sequence[Task]) -> None:
    last = 0
    for task in siblings:
        tail = task.id.rpartition(".")[2].rstrip("abcdefghijklmnopqrstuvwxyz")
        if tail:
            last = max(last, int(tail)) if len(tail) <= _MOST_DIGITS else last
    taken = {task.id for task in siblings}
    number = 0 if not any(taken) else last
    for task in siblings:
        if not task.id and marks.NO_ID not in task.notes:
            number += 1
            task.id = f"{head}.{number}" if head else str(number)
