"""Tasks that are numbered by their place: `1`, `1.1`, `1.2`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from planspec_lark.exchange import marks
from planspec_lark.exchange.conversion import NUMBERS
from planspec_lark.exchange.models import Task, TaskList

__all__ = ["NUMBER", "number_by_place", "number_nameless", "write_number"]

# A number before a text: `1.2`, `1.` or `1.2a.`.
NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)+[a-z]?|[0-9]+[a-z]?(?=\.))\.?(?=\s|$)\s*")

_NUMBER = re.compile(r"[0-9]{1,9}")
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def write_number(task_id: str) -> str:
    """A number as it is before a text: `1.` or `1.2`."""
    return task_id if "." in task_id else f"{task_id}."


def number_by_place(tasks: TaskList) -> None:
    """Give a number to each task that has none, unless a mark says that it had none in its source.

    What has been a heading stays without, and what is below it counts as if it were at its place.
    """
    for task in tasks:
        if not NUMBERS.fullmatch(task.id):
            task.id = ""
    if marks.NO_ID in tasks.notes:
        return
    todo = [("", [*_flatten(tasks)])]
    while todo:
        head, siblings = todo.pop()
        number_nameless([task for task, is_named in siblings if is_named], head)
        todo += ((f"{task.id}.", [*_flatten(task)]) for task, _ in siblings)


def _flatten(around: Task | TaskList) -> Iterator[tuple[Task, bool]]:
    """Tasks that are counted together, each with whether it gets a number."""
    stack = [(task, marks.NO_IDS not in around.notes) for task in reversed(around.children)]
    while stack:
        task, is_named = stack.pop()
        if not task.id and marks.level_of(task.notes):
            stack += ((child, marks.NO_IDS not in task.notes) for child in reversed(task.children))
        else:
            yield task, bool(task.id) or (is_named and marks.NO_ID not in task.notes)


def number_nameless(tasks: Sequence[Task], head: str, width: int = 1) -> None:
    """Give the next numbers to tasks without an id, behind what the ids of all beside one another begin with."""
    tails = [task.id.removeprefix(head).rstrip(_LETTERS) for task in tasks if task.id.startswith(head)]
    last = max((int(tail) for tail in tails if _NUMBER.fullmatch(tail)), default=0)
    for number, task in enumerate((task for task in tasks if not task.id), start=last + 1):
        task.id = f"{head}{number:0{width}}"
