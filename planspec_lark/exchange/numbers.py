"""Tasks that are numbered by their place: `1`, `1.1`, `1.2`."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from itertools import count

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
    """Give a number to each task that has none.

    What has been a heading stays without, and what is below it counts as if it were at its place.
    """
    for task in tasks:
        if not NUMBERS.fullmatch(task.id):
            task.id = ""
    taken = {task.id for task in tasks}
    todo = [("", [*_flatten(tasks.children)])]
    while todo:
        head, siblings = todo.pop()
        number_nameless(siblings, head, taken=taken)
        todo += ((f"{task.id}.", [*_flatten(task.children)]) for task in siblings)


def _flatten(tasks: Sequence[Task]) -> Iterator[Task]:
    """Tasks that are counted together."""
    stack = [*reversed(tasks)]
    while stack:
        task = stack.pop()
        if not task.id and marks.level_of(task.notes):
            stack += reversed(task.children)
        else:
            yield task


def number_nameless(tasks: Sequence[Task], head: str, width: int = 1, *, taken: Container[str] = ()) -> None:
    """Give the next free numbers to tasks without an id, behind what the ids of all beside one another begin with."""
    tails = [task.id.removeprefix(head).rstrip(_LETTERS) for task in tasks if task.id.startswith(head)]
    last = max((int(tail) for tail in tails if _NUMBER.fullmatch(tail)), default=0)
    ids = (f"{head}{number:0{width}}" for number in count(last + 1))
    free = (one for one in ids if one not in taken)
    for task in tasks:
        task.id = task.id or next(free)
