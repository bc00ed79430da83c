"""Dialects: what differs between the formats that are written in Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from attrs import field, frozen

from planspec_lark.exchange.models import Task, TaskList
from planspec_lark.planspec.models import PlanStatus
from planspec_lark.syntax.fences import FENCE

__all__ = ["BEGINS_BLOCK", "BOX", "BOXES", "LABEL", "Dialect", "join_lines"]

BOX = re.compile(r"\[(.?)\](\*?)(?=\s|$)\s*")
BEGINS_BLOCK = re.compile(rf"[ \t]*(?:[-+*][ \t]|[0-9]{{1,9}}[.)][ \t]|{FENCE}|>|#{{1,6}}[ \t]|<|---)")
# A line that begins so is not the rest of the sentence before it.
LABEL = ("**", "__", "_", "*", "<", "|", "→", "✅", "❌")
_WIDE = 60

# What a box holds, in the formats that have no others.
BOXES: Mapping[str, PlanStatus] = {
    " ": PlanStatus.PENDING,
    "": PlanStatus.PENDING,
    **dict.fromkeys("xX✓✔✅☑", PlanStatus.DONE),
}


def _no_id(text: str, _is_heading: bool) -> tuple[str, str]:
    return "", text


def _plain(task: Task, _is_heading: bool) -> str:
    return task.text


def _find_none(_tasks: TaskList) -> Mapping[Task, Sequence[str]]:
    return {}


def _add_none(_task: Task, _needs: Sequence[str]) -> None:
    return


@frozen
class Dialect:
    """What is special about a format in Markdown.

    Attributes:
        statuses: what the sign in a box means.
        boxes: the sign for each status; one that is missing is written as the pending one.
        has_optional: whether `- [ ]*` is a task that may be left out.
        split: the id in a text, and what is left of it.
        join: the text of a task with its id.
        find_needs: what texts and notes say of what each task needs.
        add_needs: lets the text or the notes of a task say that it needs something.
        is_loose: whether a blank line is between tasks.
        level: the level of headings for containers at the top that have no mark; 0 where they are tasks as well.
    """

    statuses: Mapping[str, PlanStatus] = BOXES
    boxes: Mapping[PlanStatus, str] = field(factory=lambda: {PlanStatus.PENDING: " ", PlanStatus.DONE: "x"})
    has_optional: bool = False
    split: Callable[[str, bool], tuple[str, str]] = _no_id
    join: Callable[[Task, bool], str] = _plain
    find_needs: Callable[[TaskList], Mapping[Task, Sequence[str]]] = _find_none
    add_needs: Callable[[Task, Sequence[str]], None] = _add_none
    is_loose: bool = False
    level: int = 0

    @property
    def has_ids(self) -> bool:
        """Whether tasks of the format have ids."""
        return self.split is not _no_id


def join_lines(lines: Sequence[str]) -> str | None:
    """The lines of a paragraph as one, if all of them seem to continue a sentence; None where they do not.

    It is decided by all of them at once, so that what is written again is read in the same way.
    """
    rows = [line.strip() for line in lines]
    for before, row in pairwise(rows):
        if row.startswith(LABEL) or not (row[:1].islower() or len(before) >= _WIDE):
            return None
    return " ".join(rows)
