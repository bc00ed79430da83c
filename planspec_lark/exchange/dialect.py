"""Dialects: what differs between the formats that are written in Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from attrs import field, frozen

from planspec_lark.exchange.models import Task, TaskList
from planspec_lark.planspec.models import PlanStatus
from planspec_lark.syntax.fences import FENCE

__all__ = [
    "BEGINS_BLOCK",
    "BOX",
    "BOXES",
    "FRONT_MATTER",
    "NEAR_BOX",
    "NO_GOAL",
    "STRUCK",
    "SYMBOL",
    "SYMBOLS",
    "Dialect",
    "find_box",
    "find_parallel",
    "join_lines",
]

# White space in a box says nothing.
BOX = re.compile(r"\[[ \t]{0,9}(?P<sign>[^\[\]\s]?)[ \t]{0,9}\](?P<star>\*?)(?=\s|$)\s*")
# What may be meant as one, and is text: a word in a box, or no white space behind it.
NEAR_BOX = re.compile(r"\[(?:[ \t]{0,9}[^\[\]\s]{2,8}[ \t]{0,9}\](?=\s)|[ xX]?\](?=[^\s(\[]))")
# What stands for a box in a text that has none.
SYMBOL = re.compile(r"(?P<sign>[☐☑⬜⚪✅✔✓🟢⏳🔄🟡❌✗])\ufe0f?(?P<star>)(?=\s)\s*")
# What a task begins with that may be worked on beside others: `[P]`, also among other words in brackets, or `(P)`.
_PARALLEL = re.compile(r"(?:\[[^\[\]]{1,40}\]\s*)*?(?:\[P\]|\(P\))(?=\s|$)")
STRUCK = re.compile(r"~~(?=\S).*~~")
# A number may be before a box.
BOX_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})*+\.?[ \t]++")
BEGINS_BLOCK = re.compile(rf"[ \t]*(?:[-+*][ \t]|[0-9]{{1,9}}[.)][ \t]|{FENCE}|>|#{{1,6}}[ \t]|<|---)")
# A line that begins so is not the rest of the sentence before it.
LABEL = ("**", "__", "_", "*", "<", "|", "→", "✅", "❌")
# A paragraph that begins so is not a goal.
NO_GOAL = (*LABEL, "[", "#", "`")
FRONT_MATTER = re.compile(r"\ufeff?---[ \t]*\r?\n(?P<fields>(?:(?!---)[^\n]*\n)*+)---[ \t]*(?:\r?\n|\Z)")
_WIDE = 60

# What a box holds, or what stands for it.
BOXES: Mapping[str, PlanStatus] = {
    **dict.fromkeys(["", *"☐⬜⚪"], PlanStatus.PENDING),
    **dict.fromkeys("xX✓✔✅☑🟢", PlanStatus.DONE),
    **dict.fromkeys("/>⏳🔄🟡", PlanStatus.ACTIVE),
    **dict.fromkeys("-~", PlanStatus.SKIPPED),
    **dict.fromkeys("!❌✗", PlanStatus.BLOCKED),
}

# What is written in place of a box.
SYMBOLS: Mapping[PlanStatus, str] = {PlanStatus.PENDING: "☐", PlanStatus.DONE: "✅", PlanStatus.ACTIVE: "⏳"}


def _find_none(_tasks: TaskList) -> Mapping[Task, Sequence[str | Task]]:
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
        lead: what an item begins with if it has an id, which is the first group.
        heading_lead: the same of a heading.
        write_id: an id as it is before a text.
        find_needs: what texts, notes and places say of what each task needs.
        add_needs: lets the text or the notes of a task say that it needs something.
        is_loose: whether a blank line is between tasks.
        level: the level of headings for containers at the top that have no mark; 0 where they are tasks as well.
        is_free: whether lines in bold, tables and numbered paragraphs say as much as headings and lists.
    """

    statuses: Mapping[str, PlanStatus] = BOXES
    boxes: Mapping[PlanStatus, str] = field(factory=lambda: {PlanStatus.PENDING: " ", PlanStatus.DONE: "x"})
    has_optional: bool = False
    lead: re.Pattern[str] | None = None
    heading_lead: re.Pattern[str] | None = None
    write_id: Callable[[str], str] = str
    find_needs: Callable[[TaskList], Mapping[Task, Sequence[str | Task]]] = _find_none
    add_needs: Callable[[Task, Sequence[str]], None] = _add_none
    is_loose: bool = False
    level: int = 0
    is_free: bool = False

    def split(self, text: str, *, is_heading: bool = False) -> tuple[str, str]:
        """The id in a text, and what is left of it."""
        lead = self.heading_lead if is_heading else self.lead
        match = lead.match(text) if lead else None
        return (match[1], text[match.end() :]) if match else ("", text)

    def join(self, task: Task, *, is_heading: bool = False) -> str:
        """The text of a task with its id."""
        has_id = task.id and (self.heading_lead if is_heading else self.lead)
        return f"{self.write_id(task.id)} {task.text}" if has_id else task.text


def find_box(text: str, pattern: re.Pattern[str] = BOX, at: int = 0) -> re.Match[str] | None:
    """The box that a text begins with from a place on, or that comes behind its number."""
    number = BOX_NUMBER.match(text, at)
    return pattern.match(text, number.end() if number else at)


def find_parallel(tasks: TaskList) -> Iterator[tuple[Task, Task]]:
    """The tasks that may be worked on beside others, each with the last one before it that may not: it waits for that.

    That is one beside it, or else beside what it is below. What is skipped is not waited for.
    """
    todo: list[tuple[Sequence[Task], Task | None]] = [(tasks.children, None)]
    while todo:
        siblings, last = todo.pop()
        for task in siblings:
            todo.append((task.children, last))
            if not _PARALLEL.match(task.text):
                last = last if task.status is PlanStatus.SKIPPED else task
            elif last is not None:
                yield task, last


def join_lines(lines: Sequence[str]) -> str | None:
    """The lines of a paragraph as one, if all of them seem to continue a sentence; None where they do not.

    It is decided by all of them at once, so that what is written again is read in the same way.
    """
    rows = [line.strip() for line in lines]
    for before, row in pairwise(rows):
        if row.startswith(LABEL) or not (row[:1].islower() or len(before) >= _WIDE):
            return None
    return " ".join(rows)
