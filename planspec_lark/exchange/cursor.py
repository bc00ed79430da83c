"""Cursor's `.plan.md`: `todos:` in front matter, each with `id`, `content` and `status`, above a text in Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from planspec_lark.exchange import marks
from planspec_lark.exchange.conversion import plain_text
from planspec_lark.exchange.formats import Format, Guess
from planspec_lark.exchange.markdown_writer import compare_lines
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
from planspec_lark.json_text.yaml_text import read_yaml
from planspec_lark.planspec.models import PlanStatus
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSyntaxError, shorten
from planspec_lark.syntax.source import Source, newline_of
from planspec_lark.syntax.tree import iter_tree

__all__ = ["FORMAT"]

_FENCE = re.compile(r"---[ \t]*")
_TODOS = re.compile(r"\ufeff?---[ \t]*\r?\n(?:[^\n]*\n){0,200}?todos:")
_STATUSES: Mapping[str, PlanStatus] = {
    "pending": PlanStatus.PENDING,
    "in_progress": PlanStatus.ACTIVE,
    "completed": PlanStatus.DONE,
    "cancelled": PlanStatus.SKIPPED,
}
_WORDS = {status: word for word, status in _STATUSES.items()}
# How a field of a task begins.
_FIELD = r"[ \t]*(?:-[ \t]+)?{}:"


def _guess(source: Source) -> Guess:
    has_todos = _TODOS.match(source.text) is not None
    return Guess(93, "its front matter has todos") if has_todos else Guess(0, "it has no todos in front matter")


def _read(source: Source, choice: int) -> TaskReading:
    if choice:
        raise NoListError("the todos of a text are read as a whole")
    lines = [line.removesuffix("\r") for line in source.text.removeprefix("\ufeff").split("\n")]
    end = next((at for at, line in enumerate(lines[1:], start=1) if _FENCE.fullmatch(line)), 0)
    read = read_yaml("\n".join(lines[1:end]), name=source.name)
    if not end or read.has_errors or not isinstance(read.value, dict):
        found = _find("EX110", "the front matter is no list of fields in YAML", 1, source)
        raise PlanSyntaxError([*read.diagnostics, found], source)
    tasks, account, faults = TaskList(), Account(source), list[Diagnostic]()
    tasks.title, tasks.goal = (plain_text(str(read.value.get(key) or "")) for key in ("name", "overview"))
    todos = read.value.get("todos")
    for at, todo in enumerate(todos if isinstance(todos, list) else ()):
        line = read.span(("todos", at)).line + 1
        if not isinstance(todo, dict) or not isinstance(todo.get("content"), str):
            faults.append(_find("EX107", "expected a task with `content`; it is left out", line, source))
            continue
        task = Task(plain_text(todo["content"]), str(todo.get("id") or ""), line=line, path=("todos", at))
        status = str(todo.get("status", "pending"))
        task.status = _STATUSES.get(status, PlanStatus.PENDING)
        if status not in _STATUSES:
            faults.append(_find("EX101", f"unknown status `{shorten(status, 60)}`, read as pending", line, source))
        needs = todo.get("dependencies")
        task.needs = [str(one) for one in needs] if isinstance(needs, list) else []
        tasks.children.append(task)
    starts = [*(task.line for task in tasks.children), _end_of_todos(lines, tasks, end) + 1]
    for task, following in zip(tasks.children, starts[1:], strict=True):
        task.end = following - 1
        account.note(Fate.CARRIED, range(task.line, following), "{}", task)
    body = [*range(end + 1, len(lines))]
    while body and not lines[body[0]].strip():
        body.pop(0)
    while body and not lines[body[-1]].strip():
        body.pop()
    tasks.notes = [marks.escape_detail(lines[at]) for at in body]
    account.note(Fate.KEPT, (at + 1 for at in body), "detail of the goal")
    account.note(Fate.LEFT_OUT, range(1, end + 2), "it stays in the file, and is no part of the plan")
    return TaskReading(tasks, account, faults)


def _end_of_todos(lines: Sequence[str], tasks: TaskList, end: int) -> int:
    """The line after the last task: the next field, or the end of the front matter."""
    last = tasks.children[-1].line if tasks.children else end
    return next((at for at in range(last, end) if lines[at][:1] not in ("", " ", "\t", "-", "#")), end)


def _find(code: str, message: str, line: int, source: Source) -> Diagnostic:
    start = source.start_of(line)
    return Diagnostic(code, message, span=source.span(start, start + len(source.line(line))), source=source)


# ---------------------------------------------------------------- writing


def _rows(tasks: Sequence[Task], indent: str = "  ") -> Iterator[str]:
    for task, _ in iter_tree(tasks):
        if not task.children:
            yield f"{indent}- id: {_say(task.id or f'todo-{task.text}'[:40])}"
            yield f"{indent}  content: {_say(task.text)}"
            yield f"{indent}  status: {_WORDS.get(task.status, 'pending')}"
            if task.needs:
                yield f"{indent}  dependencies: {_say(task.needs)}"


def _say(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _write(tasks: TaskList) -> str:
    head = [f"{key}: {_say(said)}" for key, said in (("name", tasks.title), ("overview", tasks.goal)) if said]
    notes = [marks.unescape(line) for line in tasks.notes if not marks.is_mark(line)]
    return "\n".join(["---", *head, "todos:", *_rows(tasks.children), "---", *[""] * bool(notes), *notes, ""])


def _change(source: Source, changes: Sequence[TaskChange | Addition]) -> tuple[str, list[str]]:
    """The lines of what has changed; new tasks come after the others."""
    lines, said, added = source.text.split("\n"), list[str](), dict[int, list[str]]()
    for change in changes:
        if isinstance(change, Addition):
            near = change.after or (change.below.children[0] if change.below.children else None)
            at = near.end if near else next(at for at, line in enumerate(lines, start=1) if line.startswith("todos:"))
            indent = re.match(r"[ \t]*", lines[near.line - 1])[0] if near else "  "  # type: ignore[index]
            added.setdefault(at, []).extend(_rows(change.new, indent))
            continue
        fields = {"status": (change.was.status, change.new.status), "content": (change.was.text, change.new.text)}
        for key, (was, new) in fields.items():
            word = _WORDS.get(new) if isinstance(new, PlanStatus) else _say(new)
            if was == new:
                continue
            where = range(change.old.line - 1, change.old.end)
            at = next((at for at in where if re.match(_FIELD.format(key), lines[at])), -1)
            if at < 0 and word is not None and key == "status":
                # Its block of fields has none; where it is written in one line, there is no place for one.
                at = next((at for at in where if re.match(_FIELD.format("content"), lines[at])), -1)
                lead = re.match(r"[ \t]*(?:-[ \t]+)?", lines[at]) if at >= 0 else None
                if lead is not None:
                    added.setdefault(change.old.end, []).append(f"{' ' * len(lead[0])}status: {word}")
                    continue
            if at < 0 or word is None:
                missing = "there is no status for it" if word is None else f"it has no line for its {key}"
                said.append(f"line {change.old.line}: {missing}")
            else:
                start = lines[at].index(f"{key}:") + len(key) + 1
                lines[at] = f"{lines[at][:start]} {word}" + "\r" * lines[at].endswith("\r")
    made = []
    end = newline_of(source.text).removesuffix("\n")
    for number, line in enumerate(lines, start=1):
        made += [line, *(f"{row}{end}" for row in added.get(number, ()))]
    return "\n".join(made), said


FORMAT = Format("cursor", _guess, _read, _write, compare_lines, _change)
