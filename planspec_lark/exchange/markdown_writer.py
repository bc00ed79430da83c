"""The writer of task lists in Markdown: whole texts, or changes of a text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import dropwhile, takewhile
from typing import TypeAlias

from attrs import evolve, frozen

from planspec_lark.exchange import marks
from planspec_lark.exchange.blocks import read_blocks
from planspec_lark.exchange.conversion import DEFAULT_GOAL
from planspec_lark.exchange.dialect import (
    BEGINS_BLOCK,
    BOX,
    FRONT_MATTER,
    NO_GOAL,
    SYMBOL,
    SYMBOLS,
    Dialect,
    find_box,
    join_lines,
)
from planspec_lark.exchange.models import Addition, Task, TaskChange, TaskList
from planspec_lark.planspec.models import PlanStatus
from planspec_lark.syntax.diagnostics import shorten
from planspec_lark.syntax.fences import FENCES
from planspec_lark.syntax.source import Source, newline_of
from planspec_lark.syntax.tree import iter_tree

__all__ = ["change_markdown", "write_markdown"]


def write_markdown(tasks: TaskList, dialect: Dialect) -> str:
    """A text in Markdown that holds tasks."""
    return "\n".join([*_write_rows(tasks, dialect, _Style()), ""]).lstrip("\n")


def _write_rows(tasks: TaskList, dialect: Dialect, style: _Style, number: int = 1) -> list[str]:
    """The lines of tasks; the first item has this number where a list has numbers."""
    said = dialect.find_needs(tasks)
    for task in tasks:
        known = {one.id if isinstance(one, Task) else one for one in said.get(task, ())}
        if missing := [one for one in task.needs if isinstance(one, str) and one not in known]:
            dialect.add_needs(task, missing)
    return _Writer(dialect, style).write(tasks, number)


_DEEPEST = 6
# What writes the tasks below a task, once it is asked for the next of them.
_Below: TypeAlias = "Iterator[_Below]"


@frozen
class _Style:
    """How the items of a list are written.

    Attributes:
        sign: what is before an item, or behind its number.
        has_boxes: whether there are check boxes.
    """

    sign: str = "-"
    has_boxes: bool = True

    def mark(self, number: int) -> str:
        """What is before an item, the white space included."""
        return f"{number}{self.sign} " if self.sign in ".)" else f"{self.sign} "


class _Writer:
    def __init__(self, dialect: Dialect, style: _Style) -> None:
        self.dialect, self.style = dialect, style
        self.rows: list[str] = []
        self.level = 0
        # Whether the last row belongs to a list.
        self.is_list = False

    def write(self, tasks: TaskList, number: int) -> list[str]:
        notes = self._write_head(tasks)
        self.level = self._choose_level(tasks)
        # The tasks that are left at each level, with what is between them.
        todo: list[_Below] = [self._iterate(tasks.children, notes, "", 0, number)]
        while todo:
            below = next(todo[-1], None)
            if below is None:
                todo.pop()
            else:
                todo.append(below)
        while self.rows and not self.rows[-1]:
            self.rows.pop()
        return self.rows

    def _choose_level(self, tasks: TaskList) -> int:
        """The level of headings for containers without marks; 0 where a task after them would fall below one."""
        after = dropwhile(lambda task: not task.children, tasks.children)
        return self.dialect.level if all(task.children for task in after) else 0

    def _write_head(self, tasks: TaskList) -> list[str]:
        """Write all that is before the tasks and the notes; returns these."""
        head = FRONT_MATTER.match("".join(f"{line}\n" for line in tasks.notes))
        end = head[0].count("\n") if head else 0
        notes = tasks.notes[end:]
        self._note(tasks.notes[:end], "")
        if tasks.title:
            self._block([f"# {tasks.title}"])
        first = next(filter(None, notes), "Constraints:" if tasks.constraints else "")
        is_goal = first and not first.startswith(NO_GOAL) and not BEGINS_BLOCK.match(first)
        if tasks.goal not in ("", tasks.title, DEFAULT_GOAL) or is_goal:
            # A code block would take in all that comes after it.
            self._block([f"\\{tasks.goal}" if tasks.goal.startswith(FENCES) else tasks.goal])
        if tasks.constraints:
            self._block(["Constraints:"])
            self._block([f"- {line}" for line in tasks.constraints])
        return notes

    def _iterate(self, tasks: Sequence[Task], notes: Sequence[str], indent: str, level: int, number: int = 1) -> _Below:
        """Write tasks and the notes beside them; what is below one of them is yielded, to be written first."""
        end = len(notes) if indent else self._end_before(notes, tasks, level)
        self._note(notes[:end], indent)
        style = self._style_after(notes[:end], indent)
        for at, task in enumerate(tasks):
            if self.dialect.is_loose and at and self.is_list:
                self._end()
            yield self._write_task(task, indent, level, style.mark(number + at))
        self._note(notes[end:], indent)

    def _end_before(self, notes: Sequence[str], tasks: Sequence[Task], level: int) -> int:
        """How many notes may come before tasks: all up to a heading that would take these in."""
        most = self._level_of(tasks[0], level) or _DEEPEST + 1 if tasks else 1
        headings = (block for block in read_blocks(notes) if block.kind == "heading")
        return next((block.first for block in headings if block.level < most), len(notes))

    def _level_of(self, task: Task, level: int) -> int:
        """The level of the heading that a task becomes, which is no item and below a heading of this level, or none."""
        return marks.level_of(task.notes) or (self.level if task.children and not level else 0)

    def _style_after(self, notes: Sequence[str], indent: str) -> _Style:
        """The style of items that are no part of a list in the notes before them."""
        # Where tasks have ids, an item without a box is a note.
        is_beside = _sign_at_end(notes) == self.style.sign and not (indent and self.dialect.lead)
        return evolve(self.style, sign="-" if self.style.sign == "*" else "*") if is_beside else self.style

    def _write_task(self, task: Task, indent: str, level: int, mark: str) -> _Below:
        lead, notes = ([line for line in task.notes if _is_own_mark(line) is is_own] for is_own in (True, False))
        more = [*takewhile(lambda line: line and not BEGINS_BLOCK.match(line), notes)]
        if more and join_lines([task.text, *more]) is not None:
            # It would be read as the rest of the text.
            notes.insert(0, "")
        own = 0 if indent else self._level_of(task, level)
        if own:
            self._block([f"{'#' * own} {self.dialect.join(task, is_heading=True)}".rstrip()])
            return self._iterate(task.children, notes, "", own)
        if not self.is_list:
            self._end()
        star = "*" if marks.OPTIONAL in lead and self.dialect.has_optional else ""
        sign = self.dialect.boxes.get(task.status, self.dialect.boxes[PlanStatus.PENDING])
        box = f"[{sign}]{star} " if self.style.has_boxes and marks.NO_BOX not in lead else ""
        self.rows.append(f"{indent}{mark}{box}{self.dialect.join(task)}".rstrip())
        self.is_list = True
        return self._iterate(task.children, notes, indent + " " * len(mark), level)

    def _end(self) -> None:
        """Put a blank line after what there is."""
        if self.rows and self.rows[-1]:
            self.rows.append("")

    def _note(self, lines: Sequence[str], indent: str) -> None:
        if not lines:
            return
        rows = [f"{indent}{marks.unescape(line)}" if line else "" for line in lines]
        if indent:
            self.rows += rows
        else:
            self._block(rows)

    def _block(self, rows: list[str]) -> None:
        self._end()
        self.rows += rows
        self.is_list = False


def _sign_of(line: str) -> str:
    """The sign of the item that a line begins with; empty where it begins with none."""
    return line[0] if line[:2] in ("- ", "* ", "+ ") else ""


def _sign_at_end(lines: Sequence[str]) -> str:
    """The sign of the list that some lines end with; empty where they end with none."""
    sign, is_after_blank = "", False
    for line in lines:
        if not line.strip() or line[0] in " \t":
            is_after_blank = is_after_blank or not line.strip()
        elif (own := _sign_of(line)) or is_after_blank or BEGINS_BLOCK.match(line):
            sign, is_after_blank = own, False
    return sign


def _is_own_mark(line: str) -> bool:
    """Whether a note is a mark of the task itself."""
    return line in (marks.OPTIONAL, marks.NO_BOX) or marks.heading_level(line) > 0


# ---------------------------------------------------------------- changing


# So much of a task's text is said.
_SAID = 80
# What is before the text of an item, but for its box.
_ITEM = re.compile(r"([ \t]*)(?:([0-9]{1,9})(?=[.)])|(?=[-+*•◦▪‣●]))([-+*•◦▪‣●.)])([ \t]++)")
_BOX_ITEM = re.compile(r"^[ \t]*+(?:[-+*]|[0-9]{1,9}[.)])[ \t]++\[[ xX]?\]", re.MULTILINE)
# A box that is put where none was, and what is put there in a text that has signs in place of boxes.
_EMPTY = ("[ ]", "☐")
_BOXED_ITEM = re.compile(rf"(?:{_ITEM.pattern})+{BOX.pattern}")


def change_markdown(
    source: Source, changes: Iterable[TaskChange | Addition], dialect: Dialect
) -> tuple[str, list[str]]:
    """A text in which nothing but these changes has changed.

    Returns:
        The new text, and what could not be changed in it.
    """
    lines = source.text.split("\n")
    said: list[str] = []
    has_symbols = SYMBOL.search(source.text) is not None and _BOX_ITEM.search(source.text) is None
    end = newline_of(source.text).removesuffix("\n")
    # What comes after each line.
    added: dict[int, list[str]] = {}
    for change in changes:
        if isinstance(change, TaskChange):
            said += _change_task(lines, change, dialect, has_symbols=has_symbols)
        else:
            for at, rows in _place_tasks(lines, change, dialect, said):
                added.setdefault(at, []).extend(f"{row}{end}" for row in rows)
    if end and len(lines) in added:
        # The last line has no end, and gets one in place of the new last line.
        lines[-1] += end
        added[len(lines)][-1] = added[len(lines)][-1].removesuffix(end)
    made = [*added.get(0, ())]
    for number, line in enumerate(lines, start=1):
        made.append(line)
        made += added.get(number, ())
    return "\n".join(made), said


def _tick(line: str, box: re.Match[str] | None, status: PlanStatus, dialect: Dialect) -> tuple[str, str]:
    """A line with the sign for a status in its box, or in place of it; and why it has none, if it has none."""
    if box is None:
        return line, f"there is no box to say that it is {status.value}"
    is_symbol = box[0][:1] != "["
    sign = (SYMBOLS if is_symbol else dialect.boxes).get(status)
    if sign is None:
        return line, f"there is no box for {status.value}"
    start, end = box.span("sign") if is_symbol else (box.start() + 1, line.index("]", box.start()))
    if is_symbol and status is PlanStatus.DONE and box["sign"] in "☐☑":
        sign = "☑"
    kept = "X" if sign == "x" and "[X]" in line else sign
    return f"{line[:start]}{kept}{line[end:]}", ""


def _change_task(lines: list[str], change: TaskChange, dialect: Dialect, *, has_symbols: bool) -> Iterator[str]:
    """Change the line of a task; returns what could not be changed."""
    new, old, was = change.new, change.old, change.was
    line = lines[old.line - 1]
    if was.notes != new.notes or not {*new.needs} <= {*was.needs}:
        yield f"line {old.line}: its notes and what it needs stay as they are"
    level = marks.level_of(old.notes)
    if level:
        if was.status is not new.status and not was.children:
            yield f"line {old.line}: there is no box to say that it is {new.status.value}"
        if was.text != new.text and not line.lstrip().startswith("#"):
            yield f"line {old.line}: its text stays, since it is no heading"
        elif was.text != new.text:
            lines[old.line - 1] = f"{'#' * level} {dialect.join(new, is_heading=True)}" + "\r" * line.endswith("\r")
        return
    match = _ITEM.match(line)
    start = match.end() if match else len(line) - len(line.lstrip())
    box = find_box(line, BOX, start)
    if box is None and marks.NO_BOX not in old.notes:
        box = find_box(line, SYMBOL, start)
    if was.status is not new.status and (was.is_counted or not was.children):
        if box is None and marks.NO_BOX in old.notes and match:
            line = f"{line[:start]}{_EMPTY[has_symbols]} {line[start:]}"
            box = (SYMBOL if has_symbols else BOX).match(line, start)
        line, why_not = _tick(line, box, new.status, dialect)
        if why_not:
            yield f"line {old.line}: {why_not}"
        box = box and box.re.match(line, box.start())
    if was.text != new.text and (match or box):
        # A number before the box belongs to the text.
        line = f"{line[:start]}{line[box.start() : box.end()]}" if box else line[:start]
        line += " " * (box is not None and line[-1] in "]*")
        line = f"{line}{dialect.join(new)}" + "\r" * lines[old.line - 1].endswith("\r")
        if old.end > old.line and lines[old.line].strip() and not BEGINS_BLOCK.match(lines[old.line]):
            yield f"line {old.line}: its text has changed, and what continues in line {old.line + 1} stays"
    lines[old.line - 1] = line


def _place_tasks(
    lines: Sequence[str], change: Addition, dialect: Dialect, said: list[str]
) -> Iterator[tuple[int, list[str]]]:
    """The lines after which new tasks come, each with their own lines."""
    after, below = change.after, change.below
    near = after or (below.children[0] if below.children else below)
    # A list has tasks, and so has a section that is one.
    assert isinstance(near, Task)
    dialect = evolve(dialect, is_loose=False, level=marks.level_of(near.notes))
    # What is among items is one, and what is among headings is a heading of their level, whatever it has been.
    for task in change.new:
        task.notes = [one for one in task.notes if not marks.heading_level(one)]
    if not _first_item(near).id:
        for task, _ in iter_tree(change.new):
            task.id = ""
    if not dialect.level:
        yield _write_items(lines, change, near, dialect, said)
        return
    # A heading without tasks would be text, and an item behind a heading belongs to that one.
    if single := [task for task in change.new if not task.children]:
        *_, last = [None, *takewhile(lambda task: not marks.level_of(task.notes), below.children)]
        if last is not None:
            yield from _place_tasks(lines, evolve(change, new=single, after=last), dialect, said)
        else:
            at = below.children[0].line - 1
            rows = _write_new(single, dialect, _style_of(lines, near), said)
            yield at, [*[""] * bool(at and lines[at - 1].strip()), *rows, ""]
        if after:
            said += (f"{shorten(task.text, _SAID)}: it comes before the headings that it is after" for task in single)
    if groups := [task for task in change.new if task.children]:
        rows = _write_new(groups, dialect, _style_of(lines, near), said)
        yield (after.end, ["", *rows]) if after else (near.line - 1, [*rows, ""])


def _write_items(
    lines: Sequence[str], change: Addition, near: Task, dialect: Dialect, said: list[str]
) -> tuple[int, list[str]]:
    """The line after which new items come that are beside an item, or below it, and their own lines."""
    line = lines[near.line - 1]
    match = _ITEM.match(line)
    indent, number = (match[1], int(match[2] or 0)) if match else ("", 0)
    at = near.end
    if near is change.below:
        indent, number = _indent_below(line), 1
    elif near is change.after:
        number += 1
    else:
        at = near.line - 1
    rows = _write_new(change.new, dialect, _style_of(lines, near), said, number)
    return at, [f"{indent}{row}" if row else "" for row in rows]


def _write_new(tasks: Sequence[Task], dialect: Dialect, style: _Style, said: list[str], number: int = 1) -> list[str]:
    """The lines of new tasks; what they cannot say is said."""
    for task, above in iter_tree(tasks):
        is_heading = dialect.level and above is None and task.children
        if task.status is PlanStatus.PENDING or not task.is_counted or is_heading:
            continue
        if not style.has_boxes:
            said.append(f"{shorten(task.text, _SAID)}: there is no box to say that it is {task.status.value}")
        elif task.status not in dialect.boxes:
            said.append(f"{shorten(task.text, _SAID)}: there is no box for {task.status.value}")
    return _write_rows(TaskList(children=[*tasks]), dialect, style, number)


def _first_item(task: Task) -> Task:
    """An item itself, or the first one below a heading."""
    while marks.level_of(task.notes) and task.children:
        task = task.children[0]
    return task


def _style_of(lines: Sequence[str], task: Task) -> _Style:
    """How an item is written, or the first one below a heading."""
    task = _first_item(task)
    line = lines[task.line - 1]
    match = _ITEM.match(line)
    return _Style(match[3] if match else "-", not task.is_counted or _BOXED_ITEM.match(line) is not None)


def _indent_below(line: str) -> str:
    """What is before the items below an item."""
    match = _ITEM.match(line.expandtabs(4))
    if match is None:
        return ""
    # White space that is wider belongs to the text.
    return " " * (match.start(4) + (len(match[4]) if len(match[4]) <= 4 else 1))
