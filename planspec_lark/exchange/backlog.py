"""Backlog.md's task files: title and status in front matter, and criteria as boxes with numbers such as `#1`.

The file itself is a task, and the criteria are below it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from attrs import evolve

from planspec_lark.exchange import marks
from planspec_lark.exchange.conversion import plain_text
from planspec_lark.exchange.dialect import FRONT_MATTER, Dialect
from planspec_lark.exchange.markdown import markdown_format
from planspec_lark.exchange.markdown_writer import change_markdown, write_markdown
from planspec_lark.exchange.models import Addition, Task, TaskChange, TaskList, TaskReading
from planspec_lark.exchange.numbers import number_by_place
from planspec_lark.planspec.models import PlanStatus
from planspec_lark.syntax.diagnostics import Diagnostic, shorten
from planspec_lark.syntax.safe_text import visible
from planspec_lark.syntax.source import Source

__all__ = ["FORMAT"]

_TITLE = re.compile(r"^title:[ \t]*+(?P<quote>['\"]?)(?P<title>[^\n]*?)(?P=quote)[ \t]*\r?$", re.MULTILINE)
_ID = re.compile(r"^id:[ \t]*\S", re.MULTILINE)
_STATUS = re.compile(r"^status:[ \t]*+(?P<quote>['\"]?)(?P<status>[^\n]*?)(?P=quote)[ \t]*(?=\r?$)", re.MULTILINE)
_NUMBER = re.compile(r"#([0-9]{1,9})\s+")
_SAID = 60
# Those of a board that nobody has changed.
_STATUSES: Mapping[str, PlanStatus] = {
    "To Do": PlanStatus.PENDING,
    "In Progress": PlanStatus.ACTIVE,
    "Done": PlanStatus.DONE,
}


def _guess(source: Source) -> int:
    head = FRONT_MATTER.match(source.text)
    is_one = head is not None and all(one.search(head["fields"]) for one in (_ID, _TITLE, _STATUS))
    return 91 if is_one else 0


def _read(source: Source, choice: int) -> TaskReading:
    reading = _MARKDOWN.read(source, choice)
    head, tasks = FRONT_MATTER.match(source.text), reading.tasks
    title, status = (one.search(head["fields"] if head else "") for one in (_TITLE, _STATUS))
    if head and title and status:
        tasks.title = plain_text(title["title"])
        line = source.text.count("\n", 0, head.start("fields") + status.start()) + 1
        task = Task(tasks.title, notes=[marks.FILE], children=tasks.children, line=line)
        task.status = _STATUSES.get(status["status"], PlanStatus.PENDING)
        tasks.children = [task]
        if status["status"] not in _STATUSES:
            said = f"unknown status `{shorten(visible(status['status']), _SAID)}`, read as pending"
            span = source.span(head.start("fields") + status.start(), head.start("fields") + status.end())
            reading.found.append(Diagnostic("EX101", said, span=span, source=source))
    return reading


def _file_of(tasks: TaskList) -> Task | None:
    return next((task for task in tasks.children if marks.FILE in task.notes), None)


def _write(tasks: TaskList) -> str:
    if (task := _file_of(tasks)) is None:
        return write_markdown(tasks, _DIALECT)
    # The front matter has the title.
    goal = "" if tasks.goal == tasks.title else tasks.goal
    text = write_markdown(evolve(tasks, title="", goal=goal, children=task.children), _DIALECT)
    return _put_status(text, task.status)


def _put_status(text: str, status: PlanStatus) -> str:
    """A file with another status in its front matter; the same where there is no word for it."""
    word = next((word for word, meant in _STATUSES.items() if meant is status), "")
    head = FRONT_MATTER.match(text)
    if not word or head is None:
        return text
    return text[: head.start("fields")] + _STATUS.sub(f"status: {word}", text[head.start("fields") :], count=1)


def _change(source: Source, changes: Sequence[TaskChange | Addition]) -> tuple[str, list[str]]:
    rest: list[TaskChange | Addition] = []
    status, said = None, list[str]()
    for change in changes:
        if isinstance(change, Addition):
            below = change.below if isinstance(change.below, Task) else _file_of(change.below)
            if below is None or marks.FILE not in below.notes:
                rest.append(change)
            elif below.children:
                # Another section would be no criterion.
                while below.children[-1].children:
                    below = below.children[-1]
                rest.append(Addition(change.new, below.children[-1], below))
            else:
                said += (f"{task.text}: the file has no criteria that it could be beside" for task in change.new)
        elif marks.FILE not in change.old.notes:
            rest.append(change)
        else:
            status = change.new.status
            if status not in _STATUSES.values():
                said.append(f"line {change.old.line}: there is no status for {status.value}")
            if change.new.text != change.was.text:
                said.append("the title of the file stays")
    text, more = change_markdown(source, rest, _DIALECT)
    return text if status is None else _put_status(text, status), [*said, *more]


def _number(tasks: TaskList) -> None:
    """Give numbers to the criteria."""
    task = _file_of(tasks)
    number_by_place(evolve(tasks, children=task.children) if task else tasks)


_DIALECT = Dialect(lead=_NUMBER, write_id="#{}".format, level=2)
_MARKDOWN = markdown_format("backlog", _DIALECT, _guess, _number)
FORMAT = evolve(_MARKDOWN, read=_read, write=_write, change=_change)
