"""Task lists in JSON, in JSON Lines, or in YAML above a text: a row of a table has a tool's fields and words.

What a step has no field for is in its detail: `priority: high` for texts that the row names, their further lines
indented by two spaces; `complexity = 7`, with a JSON value, for everything else. A file is changed by edits of the
values that differ, each in its place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import define, field, frozen

from planspec_lark.exchange import marks
from planspec_lark.exchange.conversion import plain_text
from planspec_lark.exchange.dialect import FRONT_MATTER, Dialect
from planspec_lark.exchange.formats import Format
from planspec_lark.exchange.markdown import read_markdown
from planspec_lark.exchange.markdown_writer import change_markdown
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
from planspec_lark.exchange.numbers import number_nameless
from planspec_lark.json_text import JsonText, read_json
from planspec_lark.json_text.findings import Path, word_of
from planspec_lark.json_text.models import write_path
from planspec_lark.json_text.yaml_text import read_yaml
from planspec_lark.planspec.models import PlanStatus
from planspec_lark.syntax.diagnostics import Diagnostic, Edit, PlanSyntaxError, apply_edits, shorten
from planspec_lark.syntax.fields import has_forbidden
from planspec_lark.syntax.limits import Limits
from planspec_lark.syntax.safe_text import safe_json, visible
from planspec_lark.syntax.source import Source, Span, newline_of
from planspec_lark.syntax.tree import iter_tree

__all__ = ["FORMATS"]

_LIMITS = Limits(max_depth=64)
_STAYS = "it stays in the file, and is no part of the plan"
_FIELD = re.compile(r"([A-Za-z_][A-Za-z0-9_]*|\"(?:[^\"\\]|\\.)*\") = (.*)")
_NUMBER = re.compile(r"[1-9][0-9]{0,8}|0")
# Between two values in JSON Lines.
_LINE_END = re.compile(r"\n(?=[ \t\r]*\S)")
_IS_LINES = re.compile(r"\s*+\{[^\n]*\}[ \t\r]*+(?:\n\s*+\{|\s*+\Z)")
_INDENT = re.compile(r"\n([ \t]+)\S")
_BLANKS = re.compile(r"[ \t]*")
# So much of a task's text is said.
_SAID = 80
_LONGEST = 500


# ---------------------------------------------------------------- the table


@frozen
class _Form:
    """What is special about a tool's list.

    Attributes:
        holder: what the list is called; the first one is written. Without one, it is in JSON Lines.
        text: the fields that may hold the text of a task; the first one is written.
        statuses: what the words of `status` mean; the first word for a status is written.
        needs: the field with the ids of the tasks that have to be done before, and what an id is called in it.
        below: the field with the tasks below a task. Then their ids are numbers among those beside them, and there
            may be several lists, each below the name of a tag.
        has_ids: whether each task has an id.
        texts: fields that are read as lines. What a person has written below a step goes to the last of them.
        fresh: the fields of a new task besides; `{}` is its text.
        around: what is beside the list where it is written alone.
        head: the fields beside the list that hold title and goal, in YAML above a text.
        markdown: the field of an object of the type `markdown` that may be in place of a list, or of the type `file`.
    """

    holder: Sequence[str]
    text: Sequence[str]
    statuses: Mapping[str, PlanStatus]
    needs: tuple[str, str] = ("", "")
    below: str = ""
    has_ids: bool = False
    texts: Sequence[str] = ()
    fresh: Mapping[str, str] = field(factory=dict)
    around: Mapping[str, str] = field(factory=dict)
    head: Sequence[str] = ()
    markdown: str = ""

    def text_of(self, task: Any) -> str:
        """The field with the text of a task; empty where what is one has none."""
        return next((key for key in self.text if isinstance(task, dict) and isinstance(task.get(key), str)), "")

    def word_for(self, status: PlanStatus) -> str:
        """The word for a status; empty where there is none."""
        return next((word for word, meant in self.statuses.items() if meant is status), "")

    def find_lists(self, value: Any) -> list[Path]:
        """The ways to the lists: the value itself, or what objects around it hold; several only below tags."""
        found = [
            path
            for path, one in _walk(value)
            if isinstance(one, list) and (not path or path[-1] in self.holder) and any(map(self.text_of, one))
        ]
        return found if self.below and found and len(found[0]) > 1 else found[:1]


def _walk(value: Any) -> Iterator[tuple[Path, Any]]:
    """The objects around a list, and the lists in them, each with its path; those outside come first."""
    todo: list[tuple[Path, Any]] = [((), value)]
    for path, one in todo:
        yield path, one
        if isinstance(one, dict) and len(path) < _MOST_AROUND:
            todo += (((*path, key), below) for key, below in one.items() if isinstance(below, list | dict))


def _find_markdown(form: _Form, document: _Document) -> Path | None:
    """The way to a plan in Markdown that is in the place of a list.

    Raises:
        PlanSyntaxError: a file is named in place of one. It is not opened: the list may be of anybody.
    """
    for path, one in _walk(document.value) if form.markdown else ():
        kind = one.get("type") if isinstance(one, dict) else ""
        if kind == "markdown":
            return (*path, form.markdown)
        if kind == "file" and "uri" in one:
            said = f"the plan is in a file of its own: {shorten(visible(str(one['uri'])), _LONGEST)}"
            span, source = document.span((*path, "uri")), document.source
            raise PlanSyntaxError([Diagnostic("EX110", said, span=span, help="name that file", source=source)], source)
    return None


_MOST_AROUND = 9
_MARKDOWN = Dialect()
_OPEN = {"pending": PlanStatus.PENDING, "in_progress": PlanStatus.ACTIVE}
_WORDS = {**_OPEN, "completed": PlanStatus.DONE}
_FORMS: Mapping[str, _Form] = {
    "task-master": _Form(
        ("tasks",),
        ("title",),
        {
            "pending": PlanStatus.PENDING,
            "in-progress": PlanStatus.ACTIVE,
            "review": PlanStatus.ACTIVE,
            "done": PlanStatus.DONE,
            "completed": PlanStatus.DONE,
            "blocked": PlanStatus.BLOCKED,
            "deferred": PlanStatus.BLOCKED,
            "cancelled": PlanStatus.SKIPPED,
        },
        needs=("dependencies", ""),
        below="subtasks",
        has_ids=True,
        texts=("description", "priority", "testStrategy", "details"),
    ),
    "cursor": _Form(
        ("todos",),
        ("content",),
        {**_WORDS, "cancelled": PlanStatus.SKIPPED},
        needs=("dependencies", ""),
        has_ids=True,
        head=("name", "overview"),
    ),
    "todowrite": _Form(
        ("todos", "tasks"), ("content", "subject"), _WORDS, needs=("blockedBy", ""), fresh={"activeForm": "{}"}
    ),
    "codex": _Form(("plan",), ("step",), _WORDS),
    "acp": _Form(
        ("entries",),
        ("content",),
        _WORDS,
        fresh={"priority": "medium"},
        around={"sessionUpdate": "plan"},
        markdown="content",
    ),
    "beads": _Form(
        (),
        ("title",),
        {
            "open": PlanStatus.PENDING,
            "in_progress": PlanStatus.ACTIVE,
            "closed": PlanStatus.DONE,
            "blocked": PlanStatus.BLOCKED,
            "deferred": PlanStatus.BLOCKED,
        },
        needs=("dependencies", "depends_on_id"),
    ),
}


def _guess(form: _Form, source: Source) -> int:
    text = source.text.removeprefix("\ufeff").lstrip()
    if form.head:
        head = FRONT_MATTER.match(text)
        has_todos = head is not None and re.search(r"^todos:", head["fields"], re.MULTILINE) is not None
        return 93 if has_todos else 0
    has_text = any(re.search(rf'"{key}"\s*:', text) for key in form.text)
    if not form.holder:
        is_one = has_text and '"status"' in text and _IS_LINES.match(text) is not None
        return 90 if is_one else 0
    if form.markdown and '"plan_update"' in text and any(kind in text for kind in ('"markdown"', '"file"')):
        return 92
    has_list = text[:1] == "{" and any(re.search(rf'"{name}"\s*:\s*\[', text) for name in form.holder)
    # A list alone does not say what it is called.
    has_list = has_list or (text[:1] == "[" and form in (_FORMS["todowrite"], _FORMS["codex"]))
    return 92 if has_list and has_text else 0


# ---------------------------------------------------------------- fields as lines of detail


def _write_note(form: _Form, key: str, value: Any) -> Iterator[str]:
    """A field as lines of detail."""
    if key in form.texts and isinstance(value, str) and not has_forbidden(value.replace("\n", "")):
        first, *more = value.split("\n")
        yield f"{key}: {first}" if first else f"{key}:"
        yield from (f"  {line}" if line else "" for line in more)
    else:
        name = key if key.isidentifier() and key.isascii() else _spell(key)
        yield f"{name} = {_spell(value)}"


def _spell(value: Any) -> str:
    return safe_json(value).replace("\x7f", "\\u007f")


def _read_notes(form: _Form, notes: Iterable[str]) -> dict[str, Any]:
    """The fields that lines of detail say; all others are lines of the last text, where there is one."""
    fields: dict[str, Any] = {}
    texts: dict[str, list[str]] = {}
    free: list[str] = []
    rows = free
    for line in notes:
        key, colon, said = line.partition(":")
        if rows is not free and (not line or line.startswith("  ")):
            rows.append(line[2:])
        elif colon and key in form.texts and said[:1] in ("", " "):
            fields[key] = rows = texts[key] = [said[1:]]
        else:
            rows = free
            if (one := _read_field(line)) is not None:
                fields[one[0]] = one[1]
            elif not marks.is_mark(line):
                free.append(marks.unescape(line))
    fields |= {key: "\n".join(lines) for key, lines in texts.items()}
    if free and form.texts:
        last = form.texts[-1]
        fields[last] = "\n".join(filter(None, [fields.get(last, ""), *free]))
    return fields


def _read_field(line: str) -> tuple[str, Any] | None:
    match = _FIELD.fullmatch(line)
    try:
        return match and ((json.loads(match[1]) if match[1].startswith('"') else match[1]), json.loads(match[2]))
    except (ValueError, RecursionError):
        return None


# ---------------------------------------------------------------- ids


def _full_id(raw: Any, head: str) -> str:
    """The id of a task among all; empty where it has none."""
    if isinstance(raw, bool) or not isinstance(raw, int | str) or raw == "":
        return ""
    said = str(raw) if isinstance(raw, str) or abs(raw) < 10**18 else ""
    own = head.rpartition("/")[2]
    return said and f"{head}{said.removeprefix(own) if own else said}"


def _split_id(form: _Form, task: Task, depth: int) -> tuple[str, str]:
    """What the ids of all tasks beside a task begin with, and its own."""
    at = task.id.rfind("." if depth else "/") + 1 if form.below else 0
    return task.id[:at], task.id[at:]


def _resolve(said: str, head: str, siblings: set[str]) -> str:
    """The id that a dependency means. A number below a task means one beside it, if there is one."""
    beside = f"{head}{said}"
    return beside if beside in siblings else f"{head[: head.rfind('/') + 1]}{said}"


def _refer(needed: str, head: str) -> str:
    """What a task calls another one, given what the ids beside it begin with."""
    own = needed.removeprefix(head)
    return own if needed.startswith(head) and "." not in own else needed.rpartition("/")[2]


def _number(form: _Form, tasks: TaskList) -> None:
    """Give each task the next number among those beside it, where it has no id that fits."""
    if not form.below:
        number_nameless([*_leaves(tasks.children)] if form.has_ids else [], "")
        return
    lists = {"": [task for task in tasks.children if marks.TAG not in task.notes]}
    for tag in tasks.children:
        if marks.TAG in tag.notes:
            # What is beside the tags belongs to the first list.
            lists.setdefault(_head_of(tag), []).extend(tag.children)
    todo = [(head, several, 0) for head, several in lists.items()]
    while todo:
        head, siblings, depth = todo.pop()
        for task in siblings:
            own = task.id.removeprefix(head)
            if not task.id.startswith(head) or (depth and ("." in own or not own)):
                task.id = ""
        number_nameless(siblings, head)
        todo += ((f"{task.id}.", task.children, depth + 1) for task in siblings)


def _head_of(tag: Task) -> str:
    """What the ids of most tasks of a tag begin with."""
    heads = [one.id[: one.id.rfind("/") + 1] for one in tag.children if one.id]
    return max(heads, key=heads.count, default=f"{tag.text}/")


# ---------------------------------------------------------------- reading


@define
class _Document:
    """A text with its value, and the places of all that is in it."""

    source: Source
    read: JsonText
    # How far these are from those in the text.
    shift: int = 0

    @property
    def value(self) -> Any:
        return self.read.value

    def at(self, path: Path) -> Any:
        """What is at a path; None where nothing is."""
        value = self.value
        for key in path:
            try:
                value = value[key]
            except (KeyError, IndexError, TypeError):
                return None
        return value

    def span(self, path: Path, *, is_key: bool = False) -> Span:
        """Where a value is, or its key."""
        span = self.read.key_span(path) if is_key else self.read.span(path)
        return self.source.span(span.start - self.shift, span.end - self.shift)


def _load(form: _Form, source: Source) -> _Document:
    text, shift, start = source.text, 0, 0
    if form.head:
        head = FRONT_MATTER.match(text)
        read = read_yaml(text[: head.end("fields")], within=head.span("fields")) if head else read_yaml("")
    elif form.holder:
        read = read_json(text, name=source.name, limits=_LIMITS, allow_list=True)
        if read.has_errors or not read.has_value:
            raise PlanSyntaxError(read.diagnostics, read.source)
    else:
        start = text.startswith("\ufeff")
        read = read_json(f"[{_LINE_END.sub(',', text[start:].rstrip())}]", limits=_LIMITS, allow_list=True)
        shift = 1 - start
    if read.has_errors or not isinstance(read.value, dict if form.head else dict | list):
        said = f"the list cannot be read: {read.diagnostics[0].message}" if read.diagnostics else "there is no list"
        fault = read.diagnostics[0].span if read.diagnostics else None
        at = max(fault.start - shift, 0) if fault else 0
        raise PlanSyntaxError([Diagnostic("EX110", said, span=source.span(at, at), source=source)], source)
    return _Document(source, read, shift)


def _in_order(tasks: Sequence[Task]) -> list[Task]:
    """Tasks beside one another so that none comes before one that it needs, but in a circle; else as they are."""
    by_id = {task.id: task for task in reversed(tasks)}
    begun: set[Task] = set()
    made: list[Task] = []
    for task in tasks:
        stack = [(task, iter(task.needs))] if task not in begun else []
        begun.add(task)
        while stack:
            needed = next((by_id[one] for one in stack[-1][1] if one in by_id and by_id[one] not in begun), None)
            if needed is None:
                made.append(stack.pop()[0])
            else:
                begun.add(needed)
                stack.append((needed, iter(needed.needs)))
    return made


class _Reader:
    def __init__(self, form: _Form, source: Source) -> None:
        self.form, self.document = form, _load(form, source)
        self.account = Account(source, is_of_fields=True)
        self.found: list[Diagnostic] = []
        self.tasks = TaskList()

    def read(self) -> TaskReading:
        if (path := _find_markdown(self.form, self.document)) is not None:
            reading = read_markdown(Source(str(self.document.at(path)), self.document.source.name), _MARKDOWN, 0)
            self._note(Fate.CARRIED, path, "the plan")
            self._leave_others([path])
            return TaskReading(reading.tasks, self.account, reading.found)
        lists = self.form.find_lists(self.document.value)
        tags = [str(path[-2]) for path in lists] if len(lists) > 1 else [""]
        main = "master" if "master" in tags else tags[0]
        for tag, path in zip(tags, lists, strict=False):
            if not tag:
                self._read_list(path, self.tasks.children, "")
                continue
            task = Task(tag, tag, is_counted=False, line=self._line(path[:-1]), path=path[:-1], notes=[marks.TAG])
            self.tasks.children.append(task)
            self._note(Fate.CARRIED, task.path, "{}, a tag", task)
            # A list that gets a second tag later keeps its ids.
            self._read_list(path, task.children, "" if tag == main else f"{tag}/")
        self._leave_others(lists)
        if self.form.head:
            self._read_head()
        return TaskReading(self.tasks, self.account, self.found)

    def _read_head(self) -> None:
        """Take title and goal, and as notes the text below."""
        value, source = self.document.value, self.document.source
        title, goal = (plain_text(str(value.get(key) or "")) for key in self.form.head)
        self.tasks.title, self.tasks.goal = title, goal
        match = FRONT_MATTER.match(source.text)
        assert match is not None
        first = source.text.count("\n", 0, match.end()) + 1
        rows = [row.removesuffix("\r") for row in source.text[match.end() :].split("\n")]
        said = [at for at, row in enumerate(rows) if row.strip()]
        if said:
            self.tasks.notes += map(marks.escape_detail, rows[said[0] : said[-1] + 1])
        self.account.note(Fate.KEPT, (first + at for at in said), "detail of {}")

    def _read_list(self, top: Path, tasks: list[Task], lead: str) -> None:
        todo = [(top, tasks, lead)]
        for path, target, head in todo:
            read: list[tuple[Task, dict[str, Any]]] = []
            for at, value in enumerate(self.document.at(path)):
                place = (*path, at)
                if key := self.form.text_of(value):
                    task = Task(plain_text(value[key]), _full_id(value.get("id"), head), path=place)
                    task.line = self._line(place)
                    read.append((task, value))
                else:
                    self._find("EX107", "expected an object with a text for a task; it is left out", place)
                    self._note(Fate.LEFT_OUT, place, "it is not a task")
            target.extend(task for task, _ in read)
            if self.form.below:
                number_nameless(target, head)
            # What a number means is known only now.
            siblings = {task.id for task in target}
            for task, value in read:
                self._read_fields(task, value, head, siblings)
            target[:] = _in_order(target)
            for task, value in read:
                if task.path and isinstance(value.get(self.form.below), list):
                    todo.append(((*task.path, self.form.below), task.children, f"{task.id}."))

    def _read_fields(self, task: Task, value: Mapping[str, Any], head: str, siblings: set[str]) -> None:
        key = self.form.text_of(value)
        for name, one in value.items():
            is_read = name == key or (name == "id" and task.id != "")
            if name == "status":
                is_read = self._read_status(task, one)
            elif name == self.form.needs[0]:
                is_read = self._read_needs(task, one, head, siblings)
            elif name == self.form.below:
                is_read = isinstance(one, list) or self._refuse(name, "a list", one, task)
            if is_read:
                self._note(Fate.CARRIED, (*task.path, name), "{}", task)
            else:
                self._note(Fate.KEPT, (*task.path, name), "detail of {}", task)
                task.notes += _write_note(self.form, name, one)

    def _read_status(self, task: Task, word: Any) -> bool:
        if not isinstance(word, str):
            return self._refuse("status", "a string", word, task)
        if word not in self.form.statuses:
            said = f"unknown status `{shorten(visible(word), 60)}`, read as pending"
            self._find("EX101", said, (*task.path, "status"))
            return False
        task.status = self.form.statuses[word]
        return True

    def _read_needs(self, task: Task, raw: Any, head: str, siblings: set[str]) -> bool:
        """Take what a task needs; returns whether that is all that the field says."""
        key = self.form.needs[1]
        if not isinstance(raw, list):
            return self._refuse(self.form.needs[0], "a list", raw, task)
        if key:
            raw = [one.get(key) for one in raw if isinstance(one, dict) and one.get("type", "blocks") == "blocks"]
        said = [str(one) if isinstance(one, str | int) else _spell(one) for one in raw]
        task.needs = [*dict.fromkeys(_resolve(one, head, siblings) for one in said)]
        return not key

    def _refuse(self, name: str, kind: str, value: Any, task: Task) -> bool:
        self._find("EX107", f"expected {kind} for `{name}`, not {word_of(value)}", (*task.path, name))
        return False

    def _leave_others(self, lists: Sequence[Path]) -> None:
        """What is beside the lists stays where it is."""
        around = {path[:end] for path in lists for end in range(len(path) + 1)}
        for path in sorted(around, key=len):
            value = self.document.at(path)
            for key in value if isinstance(value, dict) else ():
                if path not in lists and (*path, key) not in around:
                    is_head = not path and key in self.form.head
                    fate, said = (Fate.CARRIED, "the head of {}") if is_head else (Fate.LEFT_OUT, _STAYS)
                    self._note(fate, (*path, key), said)

    def _line(self, path: Path) -> int:
        return self.document.span(path, is_key=True).line

    def _note(self, fate: Fate, path: Path, reason: str, task: Task | None = None) -> None:
        self.account.note(fate, [path], reason, task, self._line(path))

    def _find(self, code: str, message: str, path: Path) -> None:
        span, source = self.document.span(path), self.document.source
        self.found.append(Diagnostic(code, message, span=span, path=write_path(path), source=source))


def _read(form: _Form, source: Source, choice: int) -> TaskReading:
    if choice:
        raise NoListError("a list in JSON or YAML is read as a whole")
    return _Reader(form, source).read()


# ---------------------------------------------------------------- writing


def _leaves(tasks: Sequence[Task]) -> Iterator[Task]:
    return (task for task, _ in iter_tree(tasks) if not task.children)


def _items(form: _Form, tasks: Sequence[Task], depth: int, siblings: set[str], said: list[str]) -> list[dict[str, Any]]:
    """New tasks with all below them, beside others with these ids; what they cannot say is said."""
    if not form.below:
        return [_item(form, task, 0, siblings, said) | _fresh(form, task) for task in _leaves(tasks)]
    made: list[dict[str, Any]] = []
    todo = [(tasks, made, depth, siblings)]
    while todo:
        source, target, depth, siblings = todo.pop()
        siblings = siblings | {task.id for task in source}
        for task in source:
            item = _item(form, task, depth, siblings, said)
            target.append(item)
            if task.children or not depth:
                item[form.below] = []
                todo.append((task.children, item[form.below], depth + 1, set()))
    return made


def _fresh(form: _Form, task: Task) -> dict[str, Any]:
    """The fields that a new task has besides, unless its detail says others."""
    has_own = any(map(_read_field, task.notes))
    return {} if has_own else {key: said.replace("{}", task.text) for key, said in form.fresh.items()}


def _item(form: _Form, task: Task, depth: int, siblings: set[str], said: list[str]) -> dict[str, Any]:
    """A task without those below it."""
    head, own = _split_id(form, task, depth)
    made: dict[str, Any] = {"id": _id_value(form, own)} if own else {}
    made[form.text[0]] = task.text
    made["status"] = form.word_for(task.status) or form.word_for(PlanStatus.PENDING)
    if not form.word_for(task.status):
        said.append(f"{shorten(task.text, _SAID)}: there is no status for {task.status.value}")
    name, key = form.needs
    needed = [one for one in task.needs if isinstance(one, str) and not key]
    if needed or form.below:
        refs = {one: _refer(one, head) if form.below else one for one in needed}
        made[name] = [_id_value(form, ref) for one, ref in refs.items() if _resolve(ref, head, siblings) == one]
        said += (
            f"task {task.id} cannot say that it needs {ref}: the number is that of a task beside it"
            for one, ref in refs.items()
            if _resolve(ref, head, siblings) != one
        )
    fields = _read_notes(form, task.notes)
    return made | {key: one for key, one in fields.items() if key not in made and key != form.below}


def _id_value(form: _Form, own: str) -> int | str:
    return int(own) if form.below and _NUMBER.fullmatch(own) else own


def _write(form: _Form, tasks: TaskList) -> str:
    if form.below:
        tags = {tag.text: tag.children for tag in tasks.children if marks.TAG in tag.notes}
        if others := [task for task in tasks.children if marks.TAG not in task.notes]:
            tags["master"] = [*tags.get("master", ()), *others]
        value = {tag: {form.holder[0]: _items(form, several, 0, set(), [])} for tag, several in tags.items()}
        return json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    items = _items(form, tasks.children, 0, set(), [])
    if form.head:
        values = zip(form.head, (tasks.title, tasks.goal), strict=True)
        rows = [f"{key}: {_dump(said)}" for key, said in values if said]
        todos = [_yaml_item(form, item, "  ") for item in items]
        notes = [marks.unescape(line) for line in tasks.notes if not marks.is_mark(line)]
        return "\n".join(["---", *rows, "todos:", *todos, "---", *[""] * bool(notes), *notes, ""])
    if not form.holder:
        return "".join(f"{_dump(item)}\n" for item in items)
    return json.dumps({**form.around, form.holder[0]: items}, ensure_ascii=False, indent=2) + "\n"


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _yaml_item(form: _Form, item: Mapping[str, Any], indent: str) -> str:
    rows = [f"{key}: {_yaml_value(form, value)}" for key, value in item.items()]
    return f"{indent}- " + f"\n{indent}  ".join(rows)


def _yaml_value(form: _Form, value: Any) -> str:
    return str(value) if isinstance(value, str) and value in form.statuses else _dump(value)


# ---------------------------------------------------------------- changing


class _Editor:
    """Writes into a text in JSON what is another value of it now, or is new in it, and moves nothing else."""

    def __init__(self, form: _Form, document: _Document) -> None:
        self.form, self.document, self.text = form, document, document.source.text
        self.edits: list[Edit] = []
        self.newline = newline_of(self.text)
        # Between two values of a list, before the white space; in JSON Lines a line end is all.
        self.comma = "," if form.holder else ""
        indent = _INDENT.search(self.text) if form.holder else None
        self.indent = indent[1] if indent else None
        self.blank = " " * (indent is not None or '": ' in self.text)
        self.is_ascii = self.text.isascii() and "\\u" in self.text
        self.ids: dict[Path, set[str]] = {}

    def bounds(self, path: Path) -> tuple[int, int]:
        """Where a value begins and ends."""
        span = self.document.span(path)
        return span.start, span.end

    def say(self, value: Any, at: int, *, is_long: bool) -> str:
        """A value at a place, in one line or in several."""
        indent = self.indent if is_long else None
        separators = None if indent else (f",{self.blank}", f":{self.blank}")
        text = json.dumps(value, ensure_ascii=self.is_ascii, indent=indent, separators=separators)
        # A text without line ends is looked through only once.
        return text.replace("\n", f"{self.newline}{self.lead_of(at)}") if "\n" in text else text

    def lead_of(self, at: int) -> str:
        """The blanks at the start of a line."""
        match = _BLANKS.match(self.text, self.text.rfind("\n", 0, at) + 1)
        return match[0] if match else ""

    def gap_before(self, at: int) -> str:
        """The white space before a place."""
        start = at
        while start and self.text[start - 1].isspace():
            start -= 1
        return self.text[start:at] or self.blank

    def ids_in(self, path: Path, head: str) -> set[str]:
        """The ids of the tasks in a list, which begin so."""
        if path not in self.ids and self.form.below:
            tasks = (task for task in self.document.at(path) or () if isinstance(task, dict))
            self.ids[path] = {_full_id(task.get("id"), head) for task in tasks}
        return self.ids.get(path, set())

    def put(self, start: int, end: int, text: str) -> None:
        self.edits.append(Edit(self.document.source.span(start, end), text))

    def set_value(self, path: Path, value: Any) -> None:
        """Put another value in the place of one."""
        start, end = self.bounds(path)
        self.put(start, end, self.say(value, start, is_long="\n" in self.text[start:end]))

    def add_field(self, path: Path, key: str, value: Any) -> None:
        """Put a new field behind the last one of an object."""
        last = (*path, [*self.document.at(path)][-1])
        start, end = self.document.span(last, is_key=True).start, self.bounds(last)[1]
        gap = self.gap_before(start)
        said = self.say(value, start, is_long="\n" in gap)
        self.put(end, end, f",{gap}{_dump(key)}:{self.blank}{said}")

    def insert(self, path: Path, at: int, values: Sequence[dict[str, Any]]) -> None:
        """Put new values into a list."""
        if not self.document.at(path):
            start, end = self.bounds(path)
            self.put(start, end, self.say(values, start, is_long=True))
            return
        start, end = self.bounds((*path, max(at - 1, 0)))
        gap = f"{self.comma}{self.gap_before(start)}" if self.comma else self.newline
        rows = [self.say(value, start, is_long="\n" in self.text[start:end]) for value in values]
        if at:
            self.put(end, end, "".join(f"{gap}{row}" for row in rows))
        else:
            self.put(start, start, "".join(f"{row}{gap}" for row in rows))


class _YamlEditor(_Editor):
    """Writes into YAML: what is not in brackets in lines of its own."""

    def bounds(self, path: Path) -> tuple[int, int]:
        start, end = super().bounds(path)
        return start, start + len(self.text[start:end].rstrip())

    def say(self, value: Any, at: int, *, is_long: bool) -> str:
        del at, is_long
        return _yaml_value(self.form, value)

    def add_field(self, path: Path, key: str, value: Any) -> None:
        start, end = self.bounds(path)
        if self.text[start] == "{":
            super().add_field(path, key, value)
        else:
            column = start - self.text.rfind("\n", 0, start) - 1
            self.add_rows(end, f"{' ' * column}{key}: {_yaml_value(self.form, value)}")

    def insert(self, path: Path, at: int, values: Sequence[dict[str, Any]]) -> None:
        if self.text[self.bounds(path)[0]] == "[":
            super().insert(path, at, values)
            return
        start, end = self.bounds((*path, max(at - 1, 0)))
        lead = self.lead_of(start)
        self.add_rows(
            end if at else self.text.rfind("\n", 0, start), *(_yaml_item(self.form, value, lead) for value in values)
        )

    def add_rows(self, at: int, *rows: str) -> None:
        """Put lines after the one in which a place is."""
        end = self.text.find("\n", at)
        end -= self.text[end - 1] == "\r"
        self.put(end, end, "".join(f"\n{row}" for row in rows).replace("\n", self.newline))


def _change(form: _Form, source: Source, changes: Sequence[TaskChange | Addition]) -> tuple[str, list[str]]:
    """A text with these changes, and what could not be changed in it."""
    document = _load(form, source)
    editor = (_YamlEditor if form.head else _Editor)(form, document)
    if (path := _find_markdown(form, document)) is not None:
        text, said = change_markdown(Source(str(document.at(path)), source.name), changes, _MARKDOWN)
        if changes:
            editor.set_value(path, text)
        return apply_edits(source.text, editor.edits), said
    said = list[str]()
    for change in changes:
        if isinstance(change, TaskChange):
            said += _change_task(editor, change)
        else:
            _add(editor, change, said)
    return apply_edits(source.text, editor.edits), said


def _change_task(editor: _Editor, change: TaskChange) -> Iterator[str]:
    """Change the fields of a task; returns what could not be changed."""
    form, path = editor.form, change.old.path
    if marks.TAG in change.old.notes:
        if change.was.text != change.new.text:
            yield f"the tag {change.was.text} keeps its name"
        return
    depth = path.count(form.below)
    value = editor.document.at(path)
    siblings = editor.ids_in(path[:-1], _split_id(form, change.old, depth)[0])
    before, after = list[str](), list[str]()
    was, new = _item(form, change.was, depth, siblings, before), _item(form, change.new, depth, siblings, after)
    yield from (line for line in after if line not in before)
    if not form.word_for(change.new.status):
        new["status"] = was["status"]
    for key in dict.fromkeys([*new, *was]):
        name = form.text_of(value) if key == form.text[0] else key
        if key == "id" or new.get(key) == was.get(key):
            continue
        if key not in new and key != form.needs[0]:
            yield f"{shorten(change.new.text, _SAID)}: its field `{visible(key)}` stays"
        elif name in value:
            editor.set_value((*path, name), new.get(key, []))
        else:
            editor.add_field(path, name, new[key])


def _add(editor: _Editor, change: Addition, said: list[str]) -> None:
    """Put in new tasks; what they cannot say is said."""
    form, near, below = editor.form, change.after, change.below
    if isinstance(below, TaskList) and marks.TAG in below.children[0].notes:
        # Beside tags there are no tasks.
        below = next(tag for tag in below.children if not _head_of(tag))
        near = below.children[-1]
    if not form.below or not isinstance(below, Task):
        near = near or (below if isinstance(below, Task) else None)
        path = (near or below.children[0]).path[:-1]
    else:
        path = (*below.path, form.holder[0] if marks.TAG in below.notes else form.below)
    depth = path.count(form.below) if form.below else 0
    beside = editor.document.at(path)
    ids = editor.ids_in(path, _split_id(form, change.new[0], depth)[0])
    key = form.text_of(beside[0]) if beside else ""
    items = [
        {key if key and name == form.text[0] else name: value for name, value in item.items()}
        for item in _items(form, change.new, depth, ids, said)
    ]
    if beside is None:
        editor.add_field(path[:-1], str(path[-1]), items)
    else:
        editor.insert(path, int(near.path[-1]) + 1 if near is not None else 0, items)


def _format(name: str, form: _Form) -> Format:
    guess, read, write = partial(_guess, form), partial(_read, form), partial(_write, form)
    return Format(name, guess, read, write, partial(_change, form), is_text=False, number=partial(_number, form))


FORMATS: Mapping[str, Format] = {name: _format(name, form) for name, form in _FORMS.items()}
