"""Models of other formats: a tree of tasks, and an account of where each line has gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from functools import cached_property
from typing import Any

from attrs import define, field, frozen

from planspec_lark.json_text.findings import Path
from planspec_lark.json_text.models import write_path
from planspec_lark.planspec.models import PlanStatus, PlanStep
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSpecError
from planspec_lark.syntax.source import Source
from planspec_lark.syntax.tree import iter_tree

__all__ = [
    "Account",
    "Addition",
    "ExchangeReport",
    "Fate",
    "NoListError",
    "ReportEntry",
    "Task",
    "TaskChange",
    "TaskList",
    "TaskReading",
]


class NoListError(PlanSpecError, ValueError):
    """The list that was asked for is none of those of a text."""


@define(eq=False)
class Task:
    """One task of a source, or what holds tasks.

    Attributes:
        text: what it says, in one line.
        id: what the source calls it, such as `T001` or `1.2`; empty where it has no name.
        status: where it is.
        notes: lines that say more, as the source has them; :mod:`.marks` among them.
        needs: the tasks that have to be done before: their ids, or themselves where the place of all of them says so.
        children: the tasks below it.
        line: where the source has it, from 1; 0 where there is no source.
        end: the last line of it and of all below it.
        path: the way to it, where the source is JSON.
        is_counted: whether it is a task by itself, and not only a heading of others.
    """

    text: str = ""
    id: str = ""
    status: PlanStatus = PlanStatus.PENDING
    notes: list[str] = field(factory=list)
    needs: Sequence[str | Task] = field(default=(), repr=False)
    children: list[Task] = field(factory=list, repr=False)
    line: int = 0
    end: int = 0
    path: Path = ()
    is_counted: bool = True


@define(eq=False)
class TaskList:
    """All that a source holds. ``notes`` belong to the goal."""

    title: str = ""
    goal: str = ""
    notes: list[str] = field(factory=list)
    constraints: list[str] = field(factory=list)
    children: list[Task] = field(factory=list)

    def __iter__(self) -> Iterator[Task]:
        """All tasks in document order."""
        return (task for task, _ in iter_tree(self.children))


@frozen
class TaskChange:
    """A task of a source that says something else now.

    Attributes:
        new: the task as it is to be.
        old: the same task as the source has it.
        was: what an export would write for that one.
    """

    new: Task
    old: Task
    was: Task


@frozen
class Addition:
    """Tasks beside one another that are new in a source.

    Attributes:
        new: the tasks.
        after: the task of the source before them, on the same level.
        below: the task of the source that they belong to, or all of it.
    """

    new: Sequence[Task]
    after: Task | None
    below: Task | TaskList


# ---------------------------------------------------------------- the account


class Fate(str, Enum):
    """What became of a line or a field."""

    CARRIED = "carried"
    KEPT = "kept"
    LEFT_OUT = "left_out"


@frozen
class ReportEntry:
    """What became of a line or a field of a source.

    Attributes:
        line: its line, from 1.
        reason: what it is now, or why it is lost.
        path: the way to it, where the source is JSON.
    """

    line: int
    reason: str
    path: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The entry as a report has it."""
        return {"line": self.line} | ({"path": self.path} if self.path else {}) | {"reason": self.reason}


@frozen
class _Said:
    """What is said of a line or a field, which is in this line."""

    fate: Fate
    reason: str
    task: Task | TaskList | None = None
    line: int = 0


_UNREAD = _Said(Fate.LEFT_OUT, "nothing has read this line")


@define
class Account:
    """What has become of each line of a text, or of each field (``is_of_fields``). What is said first holds.

    In a reason, ``{}`` is replaced by the step of a task. Of a text with fields, only lines that are noted count.
    """

    source: Source
    is_of_fields: bool = False
    _said: dict[int | Path, _Said] = field(factory=dict, repr=False)
    # By its number, what is said of each line.
    _rows: list[_Said] = field(factory=list, repr=False)

    def __attrs_post_init__(self) -> None:
        self._rows = [] if self.is_of_fields else [_UNREAD] * (self.source.text.count("\n") + 2)

    def note(
        self, fate: Fate, places: Iterable[int | Path], reason: str, task: Task | TaskList | None = None, line: int = 0
    ) -> None:
        """Say what has become of lines, counted from 1, or of fields that are in this line."""
        said = _Said(fate, reason, task, line)
        for place in places:
            if self.is_of_fields or not isinstance(place, int):
                self._said.setdefault(place, said)
            elif self._rows[place] is _UNREAD:
                self._rows[place] = said

    def _iterate(self) -> Iterator[tuple[int | Path, _Said]]:
        """What is said of every field that counts, or of every line that is not blank."""
        if self.is_of_fields:
            yield from self._said.items()
            return
        for number, text in enumerate(self.source.text.removeprefix("\ufeff").split("\n"), start=1):
            if text.strip():
                yield number, self._rows[number]

    def count(self) -> Counter[Fate]:
        """How many fields and lines have become what."""
        return Counter(said.fate for _, said in self._iterate())

    def close(self, steps: Mapping[Task, PlanStep]) -> Iterator[tuple[Fate, ReportEntry]]:
        """What has become of everything, given the step of each task."""
        for place, said in self._iterate():
            step = steps.get(said.task) if isinstance(said.task, Task) else None
            reason = said.reason.replace("{}", f"step {step.step_id}" if step else "the goal")
            line, path = (place, "") if isinstance(place, int) else (said.line, write_path(place))
            yield said.fate, ReportEntry(line, reason, path)


@define(eq=False)
class TaskReading:
    """What was read of a text: its tasks, where everything has gone, and what is wrong with it.

    ``similar`` are the lines that are kept as text, and look like tasks.
    """

    tasks: TaskList
    account: Account
    found: list[Diagnostic]
    similar: list[int] = field(factory=list)


@define
class ExchangeReport:
    """Where everything has gone. Its entries are made when they are first asked for.

    Attributes:
        format: the format that was read.
        tasks: how many tasks there are, without headings.
        done: how many of them are done.
        similar: the lines that are kept as text, and look like tasks.
        changes: what an update has changed in the plan that was there.
        found: what is wrong with the source.
        summary: how many lines or fields are carried, kept and left out.
    """

    format: str
    tasks: int = 0
    done: int = 0
    similar: list[int] = field(factory=list)
    changes: list[str] = field(factory=list)
    found: list[Diagnostic] = field(factory=list, repr=False)
    summary: str = ""
    _settle: Callable[[], Iterable[tuple[Fate, ReportEntry]]] = field(default=list, repr=False, eq=False)

    @cached_property
    def _entries(self) -> list[tuple[Fate, ReportEntry]]:
        return [*self._settle()]

    def _of(self, wanted: Fate) -> list[ReportEntry]:
        return [entry for fate, entry in self._entries if fate is wanted]

    @property
    def carried(self) -> list[ReportEntry]:
        """What became a part of the plan's structure."""
        return self._of(Fate.CARRIED)

    @property
    def kept(self) -> list[ReportEntry]:
        """What is in it as text."""
        return self._of(Fate.KEPT)

    @property
    def left_out(self) -> list[ReportEntry]:
        """What is lost."""
        return self._of(Fate.LEFT_OUT)

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON has it."""
        lists = {fate.value: [entry.to_dict() for entry in self._of(fate)] for fate in Fate}
        findings = [
            {
                "code": one.code,
                "severity": one.severity.value,
                "message": one.message,
                "line": one.line,
                "column": one.column,
            }
            for one in self.found
        ]
        head = {"format": self.format, "tasks": self.tasks, "done": self.done, "changes": self.changes}
        return {**head, "findings": findings, **lists, "similar": self.similar}
