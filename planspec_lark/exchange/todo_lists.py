"""Flat lists of tasks in JSON or JSON Lines: a row of a table says what a tool calls the list, its fields and words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import field, frozen

from planspec_lark.exchange.conversion import plain_text
from planspec_lark.exchange.formats import Format, Guess
from planspec_lark.exchange.json_fields import (
    LIMITS,
    compare_fields,
    dump_like,
    is_lines,
    load,
    read_value,
    value_at,
    value_line,
    write_changes,
)
from planspec_lark.exchange.models import (
    Account,
    Addition,
    Fate,
    NoListError,
    Task,
    TaskChange,
    TaskList,
    TaskReading,
)
from planspec_lark.json_text import read_json
from planspec_lark.json_text.findings import Path
from planspec_lark.json_text.models import write_path
from planspec_lark.planspec.models import PlanStatus
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSyntaxError, shorten
from planspec_lark.syntax.safe_text import visible
from planspec_lark.syntax.source import Source
from planspec_lark.syntax.tree import iter_tree

__all__ = ["FORMATS"]

_STAYS = "it stays in the file, and is no part of the plan"
_WORDS: Mapping[str, PlanStatus] = {
    "pending": PlanStatus.PENDING,
    "in_progress": PlanStatus.ACTIVE,
    "completed": PlanStatus.DONE,
}


@frozen
class _Form:
    """What is special about a tool's list.

    Attributes:
        holder: what the list is called; the first one is written.
        text: the fields that may hold the text of a task; the first one is written.
        statuses: what the words of `status` mean; the first word for a status is written.
        fresh: the fields of a new task besides, given its text.
        around: what is beside the list where it is written alone.
        needs: the field with the ids of the tasks that have to be done before, and what an id is called in it.
        is_lines: whether each line is a task.
    """

    holder: Sequence[str]
    text: Sequence[str]
    statuses: Mapping[str, PlanStatus] = _WORDS
    fresh: Callable[[str], Mapping[str, Any]] = field(default=lambda _text: {})
    around: Mapping[str, Any] = field(factory=dict)
    needs: tuple[str, str] = ("", "")
    is_lines: bool = False

    def text_of(self, task: Any) -> str:
        """The field with the text of a task; empty where what is one has none."""
        return next((key for key in self.text if isinstance(task, dict) and isinstance(task.get(key), str)), "")

    def word_for(self, status: PlanStatus) -> str:
        """The word for a status; empty where there is none."""
        return next((word for word, meant in self.statuses.items() if meant is status), "")

    def find_list(self, value: Any) -> Path | None:
        """The way to the list: the value itself, or one in objects that are around it."""
        todo: list[tuple[Path, Any]] = [((), value)]
        for path, one in todo:
            if isinstance(one, list) and (not path or path[-1] in self.holder) and any(map(self.text_of, one)):
                return path
            if isinstance(one, dict) and len(path) < (LIMITS.max_depth or 0):
                todo += (((*path, key), below) for key, below in one.items() if isinstance(below, list | dict))
        return None


_FORMS: Mapping[str, _Form] = {
    "todowrite": _Form(
        ("todos", "tasks"), ("content", "subject"), fresh=lambda text: {"activeForm": text}, needs=("blockedBy", "")
    ),
    "codex": _Form(("plan",), ("step",)),
    "acp": _Form(
        ("entries",),
        ("content",),
        fresh=lambda _text: {"priority": "medium"},
        around={"sessionUpdate": "plan"},
    ),
    "beads": _Form(
        (),
        ("title",),
        statuses={
            "open": PlanStatus.PENDING,
            "in_progress": PlanStatus.ACTIVE,
            "closed": PlanStatus.DONE,
            "blocked": PlanStatus.BLOCKED,
            "deferred": PlanStatus.BLOCKED,
        },
        needs=("dependencies", "depends_on_id"),
        is_lines=True,
    ),
}


def _guess(form: _Form, source: Source) -> Guess:
    text = source.text.removeprefix("\ufeff").lstrip()
    if form.is_lines:
        is_one = is_lines(text) and '"title"' in text and '"status"' in text
        return Guess(90 * is_one, "it has an object with title and status in each line" if is_one else "it has none")
    if not text.startswith(("{", "[")):
        return Guess(0, "it is not JSON")
    has_list = text[0] == "[" or any(re.search(rf'"{name}"\s*:\s*\[\s*\{{', text) for name in form.holder)
    fits = has_list and any(re.search(rf'"{key}"\s*:\s*"', text) for key in form.text) and '"status"' in text
    is_own = text[0] != "[" or form is _FORMS["todowrite"] or '"step"' in text
    return Guess(92, "it has such a list") if fits and is_own else Guess(0, "it has no such list")


# ---------------------------------------------------------------- reading


def _read(form: _Form, source: Source, choice: int) -> TaskReading:
    if choice:
        raise NoListError("a list in JSON is read as a whole")
    value, line_of = _load(form, source)
    tasks, account, found = TaskList(), Account(source, is_of_fields=True), list[Diagnostic]()
    path = form.find_list(value)
    tasks.notes = ["[not here: title, goal]"]
    for at, one in enumerate(value_at(value, path) if path is not None else ()):
        place = (*(path or ()), at)
        key = form.text_of(one)
        if not key:
            account.note_field(Fate.LEFT_OUT, place, line_of(place), "it is not a task", None)
            found.append(
                _find("EX107", "expected an object with a text for a task; it is left out", place, line_of, source)
            )
            continue
        task = Task(plain_text(one[key]), _id_of(one), line=line_of(place), path=place)
        tasks.children.append(task)
        word = one.get("status", "pending")
        if word in form.statuses if isinstance(word, str) else False:
            task.status = form.statuses[word]
        elif "status" in one:
            said = f"unknown status `{shorten(visible(str(word)), 60)}`, read as pending"
            found.append(_find("EX101", said, (*place, "status"), line_of, source))
        task.needs = [*_needs_of(form, one)]
        for name, below in one.items():
            is_carried = name in (key, "status", form.needs[0]) or (name == "id" and task.id)
            if not is_carried or name == form.needs[0] or (name == key and task.text != below):
                task.notes.append(value_line(name, below))
            fate = Fate.CARRIED if is_carried else Fate.KEPT
            account.note_field(
                fate, (*place, name), line_of((*place, name)), "{}" if is_carried else "detail of {}", task
            )
    for name in value if isinstance(value, dict) else ():
        if not path or name != path[0] or len(path) > 1:
            account.note_field(Fate.LEFT_OUT, (name,), line_of((name,)), _STAYS, None)
    return TaskReading(tasks, account, found)


def _load(form: _Form, source: Source) -> tuple[Any, Callable[[Path], int]]:
    """The value of a text, and what tells the line of each of its parts."""
    text = source.text.removeprefix("\ufeff")
    if not form.is_lines:
        read = read_json(text, name=source.name, limits=LIMITS, allow_list=True)
        if read.has_errors or not read.has_value:
            raise PlanSyntaxError(read.diagnostics, read.source)
        return read.value, lambda path: read.key_span(path).line
    rows = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    values = []
    for number, line in rows:
        read = read_json(line, name=source.name, limits=LIMITS)
        if read.has_errors or not read.has_value:
            message = f"this line is no object in JSON: {read.diagnostics[0].message}"
            span = source.span(source.start_of(number), source.start_of(number) + len(source.line(number)))
            raise PlanSyntaxError([Diagnostic("EX110", message, span=span, source=source)], source)
        values.append(read.value)
    return values, lambda path: rows[int(path[0])][0]


def _find(code: str, message: str, path: Path, line_of: Callable[[Path], int], source: Source) -> Diagnostic:
    start = source.start_of(line_of(path))
    return Diagnostic(code, message, span=source.span(start, start), path=write_path(path), source=source)


def _id_of(task: Mapping[str, Any]) -> str:
    raw = task.get("id")
    return str(raw) if isinstance(raw, str | int) and not isinstance(raw, bool) else ""


def _needs_of(form: _Form, task: Mapping[str, Any]) -> Iterator[str]:
    name, key = form.needs
    raw = task.get(name)
    for one in raw if isinstance(raw, list) else ():
        if isinstance(one, dict) and one.get("type", "blocks") != "blocks":
            continue
        needed = one.get(key) if isinstance(one, dict) else one
        if isinstance(needed, str | int):
            yield str(needed)


# ---------------------------------------------------------------- writing


def _leaves(tasks: Sequence[Task]) -> Iterator[Task]:
    return (task for task, _ in iter_tree(tasks) if not task.children)


def _item(form: _Form, task: Task) -> dict[str, Any]:
    fields = dict(filter(None, map(read_value, task.notes)))
    key = form.text_of(fields) or next((key for key in form.text if key in fields), form.text[0])
    made: dict[str, Any] = {"id": task.id} if task.id else {}
    made |= {key: task.text, "status": form.word_for(task.status) or form.word_for(PlanStatus.PENDING)}
    others = {name: one for name, one in fields.items() if name not in made}
    return {**made, **(others or form.fresh(task.text))}


def _write(form: _Form, tasks: TaskList) -> str:
    items = [_item(form, task) for task in _leaves(tasks.children)]
    if form.is_lines:
        return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items)
    return json.dumps({**form.around, form.holder[0]: items}, ensure_ascii=False, indent=2) + "\n"


def _change(form: _Form, source: Source, changes: Sequence[TaskChange | Addition]) -> tuple[str, list[str]]:
    """Each task gets the text and the status that it has now; those that are new come after the others."""
    value = load(source.text)
    path = form.find_list(value) or ()
    items, said = value_at(value, path), list[str]()
    touched = set[int]()
    for change in changes:
        if isinstance(change, TaskChange):
            item = value_at(value, change.old.path)
            touched.add(int(change.old.path[-1]))
            item[form.text_of(item)] = (
                change.new.text if change.new.text != change.was.text else item[form.text_of(item)]
            )
            if change.new.status is not change.was.status:
                if word := form.word_for(change.new.status):
                    item["status"] = word
                else:
                    said.append(f"{shorten(change.new.text, 80)}: there is no status for {change.new.status.value}")
    new: list[tuple[int, list[dict[str, Any]]]] = []
    for change in changes:
        if isinstance(change, Addition):
            near = change.after or (change.below if isinstance(change.below, Task) else None)
            new.append((int(near.path[-1]) + 1 if near else 0, [_item(form, task) for task in _leaves(change.new)]))
    if form.is_lines:
        return _change_lines(source.text, items, touched, new), said
    for at, several in reversed(new):
        items[at:at] = several
    text, lost = write_changes(source.text, value)
    return text, [*said, *lost]


def _change_lines(text: str, items: Sequence[Any], touched: set[int], new: Sequence[tuple[int, list[Any]]]) -> str:
    rows = text.split("\n")
    places = [number for number, row in enumerate(rows) if row.strip("\ufeff \t\r")]
    for at in touched:
        rows[places[at]] = dump_like(items[at], rows[places[at]])
    for at, several in reversed(new):
        place = places[at] if at < len(places) else places[-1] + 1
        rows[place:place] = [dump_like(item, rows[places[0]].rstrip("\r")) for item in several]
    return "\n".join(rows)


def _format(name: str, form: _Form) -> Format:
    guess, read, write = partial(_guess, form), partial(_read, form), partial(_write, form)
    return Format(name, guess, read, write, compare_fields, partial(_change, form), is_text=False)


FORMATS: Mapping[str, Format] = {name: _format(name, form) for name, form in _FORMS.items()}
