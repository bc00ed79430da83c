"""Task Master's `tasks.json`: lists of tasks by tag (or one list without a tag, as it once was), with subtasks.

What a step has no field for is in its detail: `priority: high` for the texts that Task Master knows, their further
lines indented by two spaces; `complexity = 7` with a JSON value for everything else, and for a field whose value has
become another one: `status = "deferred"` beside a step that is blocked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from attrs import define, evolve, field

from planspec_lark.exchange import marks
from planspec_lark.exchange.conversion import plain_text
from planspec_lark.exchange.formats import Format, Guess
from planspec_lark.exchange.json_fields import (
    LIMITS,
    NOTHING,
    VALUE_LINE,
    compare_fields,
    read_value,
    spell,
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
from planspec_lark.json_text import JsonText, read_json
from planspec_lark.json_text.findings import Path, word_of
from planspec_lark.json_text.models import write_path
from planspec_lark.planspec.models import PlanStatus
from planspec_lark.syntax.diagnostics import Diagnostic, PlanSyntaxError, shorten
from planspec_lark.syntax.fields import has_forbidden
from planspec_lark.syntax.safe_text import visible
from planspec_lark.syntax.source import Source

__all__ = ["FORMAT"]


_STATUSES: Mapping[str, PlanStatus] = {
    "pending": PlanStatus.PENDING,
    "in-progress": PlanStatus.ACTIVE,
    "review": PlanStatus.ACTIVE,
    "done": PlanStatus.DONE,
    "completed": PlanStatus.DONE,
    "blocked": PlanStatus.BLOCKED,
    "deferred": PlanStatus.BLOCKED,
    "cancelled": PlanStatus.SKIPPED,
}
# The first word for each status.
_WORDS = {status: word for word, status in reversed([*_STATUSES.items()])}

# The fields that a step has a place for, and in which order all are written where a list does not say otherwise.
_STRUCTURE = ("id", "title", "status", "dependencies", "subtasks")
_ORDER = ("id", "title", "description", "status", "dependencies", "priority", "details", "testStrategy", "subtasks")
_TEXTS = ("description", "details", "testStrategy", "priority")
# Where a plan comes from that says no more.
_TAG = "master"

_NUMBER = re.compile(r"[0-9]{1,9}")
_TEXT_LINE = re.compile(rf"({'|'.join(_TEXTS)}):(?: (.*))?")
_FIELDS_MARK = re.compile(r"\[(subtask )?fields: (.*)\]")
_WITHOUT_MARK = re.compile(r"\[without: (.*)\]")


# ---------------------------------------------------------------- notes


def _write_note(key: str, value: Any) -> list[str]:
    """A field as lines of detail."""
    if key in _TEXTS and isinstance(value, str) and not has_forbidden(value.replace("\n", "")):
        first, *more = value.split("\n")
        return [f"{key}: {first}" if first else f"{key}:", *(f"  {line}" if line else "" for line in more)]
    return [value_line(key, value)]


@define(eq=False)
class _Notes:
    """What the detail of a step says: fields, and lines of free text."""

    fields: dict[str, Any] = field(factory=dict)
    free: list[str] = field(factory=list)
    tag: str | None = None
    has_no_tag: bool = False
    orders: dict[int, list[str]] = field(factory=dict)
    without: list[str] = field(factory=list)
    also: list[str] = field(factory=list)


def _read_notes(notes: Iterable[str]) -> _Notes:
    found = _Notes()
    key = ""
    texts: dict[str, list[str]] = {}
    for line in notes:
        if key and (not line or line.startswith("  ")):
            texts[key].append(line[2:])
            continue
        key = ""
        if match := _TEXT_LINE.fullmatch(line):
            key = match[1]
            texts[key] = [match[2] or ""]
        elif (value := read_value(line)) is not None:
            found.fields[value[0]] = value[1]
        elif not _read_mark(line, found):
            found.free.append(marks.unescape(line))
    found.fields |= {name: "\n".join(lines) for name, lines in texts.items()}
    return found


def _read_mark(line: str, found: _Notes) -> bool:
    if line == marks.NO_TAG:
        found.has_no_tag = True
    elif (tag := marks.tag_of(line)) is not None:
        found.tag = tag
    elif match := _FIELDS_MARK.fullmatch(line):
        found.orders[1 if match[1] else 0] = match[2].split(", ")
    elif match := _WITHOUT_MARK.fullmatch(line):
        found.without = match[1].split(", ")
    elif match := marks.ALSO_NEEDS.fullmatch(line):
        found.also = match[1].split(", ")
    else:
        # What other formats note down means nothing here.
        return marks.is_mark(line)
    return True


# ---------------------------------------------------------------- reading


def _guess(source: Source) -> Guess:
    if not source.text.lstrip("\ufeff \t\r\n").startswith("{"):
        return Guess(0, "it is not a JSON object")
    if re.search(r'"tasks"\s*:\s*\[', source.text) and '"title"' in source.text:
        return Guess(95, "it is JSON with a list of tasks")
    return Guess(0, "it has no list of tasks with titles")


def _read(source: Source, choice: int) -> TaskReading:
    if choice:
        raise NoListError("a list of Task Master is read as a whole")
    read = read_json(source.text.removeprefix("\ufeff"), name=source.name, limits=LIMITS)
    if read.has_errors or not read.has_value:
        raise PlanSyntaxError(read.diagnostics, read.source)
    return _Reader(source, read).read()


class _Reader:
    def __init__(self, source: Source, origin: JsonText) -> None:
        self.origin = origin
        self.account = Account(source, is_of_fields=True)
        self.found: list[Diagnostic] = []
        self.tasks = TaskList()
        # The fields of tasks, and those of subtasks, in the order in which they come first.
        self.orders: dict[int, dict[str, int]] = {0: {}, 1: {}}

    def read(self) -> TaskReading:
        value = self.origin.value
        lists = _find_lists(value)
        if not any(isinstance(one, dict) and "title" in one for _, _, below in lists for one in below["tasks"]):
            # Others have lists of tasks as well, such as editors.
            return TaskReading(self.tasks, self.account, self.found)
        is_one = len(lists) < 2
        head = marks.not_here(["title", "goal"])
        for tag, path, below in lists:
            if is_one:
                head.append(marks.NO_TAG if tag is None else f"[tag {spell(tag)}]")
                self._read_list(path, below, "", self.tasks.children)
                self.tasks.notes += self._keep_others(path, below, ["tasks"])
            else:
                assert tag is not None
                self._read_tag(tag, path, below)
        if not any(tag is None for tag, _, _ in lists):
            self.tasks.notes += [f"$.{line}" for line in self._keep_others((), value, [tag for tag, _, _ in lists])]
        for depth, word in enumerate(("fields", "subtask fields")):
            order = self.orders[depth]
            if [*order] != [key for key in _ORDER if key in order] and all(map(str.isidentifier, order)):
                head.append(f"[{word}: {', '.join(order)}]")
        self.tasks.notes[:0] = head
        return TaskReading(self.tasks, self.account, self.found)

    def _read_tag(self, tag: str, path: Path, below: Mapping[str, Any]) -> None:
        line = self.origin.key_span(path).line
        task = Task(tag, tag, line=line, path=path, is_counted=False, notes=[f"[tag {spell(tag)}]"])
        self._note(Fate.CARRIED, path, "{}, a tag", task)
        if not below["tasks"]:
            self._note(Fate.CARRIED, (*path, "tasks"), "{}, which has no tasks", task)
        self.tasks.children.append(task)
        self._read_list(path, below, f"{tag}/", task.children)
        task.notes += self._keep_others(path, below, ["tasks"], task)

    def _read_list(self, path: Path, below: Mapping[str, Any], head: str, target: list[Task]) -> None:
        todo = [((*path, "tasks"), below["tasks"], target, head, 0)]
        while todo:
            path, values, target, head, depth = todo.pop()
            read: list[tuple[Task, Mapping[str, Any]]] = []
            for at, value in enumerate(values):
                place = (*path, at)
                if not isinstance(value, dict):
                    self._find("EX107", f"expected an object for a task, not {word_of(value)}; it is left out", place)
                    self._note(Fate.LEFT_OUT, place, "it is not a task")
                    continue
                task = Task(line=self.origin.span(place).line, path=place)
                target.append(task)
                read.append((task, value))
                self._read_fields(task, value, head)
                order = self.orders[min(depth, 1)]
                for key in value:
                    order.setdefault(key, len(order))
            _name_nameless([task for task, _ in read], head)
            # What a number means is known only now.
            siblings = {task.id for task, _ in read}
            for task, value in read:
                self._read_needs(task, value, head, siblings)
                self._note_fields(task, value, depth)
                if value.get("subtasks") and isinstance(value["subtasks"], list):
                    where = (*task.path, "subtasks")
                    todo.append((where, value["subtasks"], task.children, f"{task.id}.", depth + 1))

    def _read_fields(self, task: Task, value: Mapping[str, Any], head: str) -> None:
        task.id = _full_id(value.get("id"), head)
        if not task.id:
            self._wrong("id", "a number or a string", value, task)
        title = value.get("title")
        if not isinstance(title, str):
            self._wrong("title", "a string", value, task)
            title = ""
        task.text = plain_text(title)
        status = value.get("status")
        if isinstance(status, str) and status in _STATUSES:
            task.status = _STATUSES[status]
        elif isinstance(status, str):
            shown = shorten(visible(status), 60)
            self._find("EX101", f"unknown status `{shown}`, read as pending", (*task.path, "status"))
        elif "status" in value:
            self._wrong("status", "a string", value, task)

    def _read_needs(self, task: Task, value: Mapping[str, Any], head: str, siblings: set[str]) -> None:
        raw = value.get("dependencies")
        if raw is not None and not isinstance(raw, list):
            self._wrong("dependencies", "a list", value, task)
        elif raw:
            task.needs = _resolve(raw, head, siblings)
        subtasks = value.get("subtasks")
        if subtasks is not None and not isinstance(subtasks, list):
            self._wrong("subtasks", "a list", value, task)

    def _note_fields(self, task: Task, value: Mapping[str, Any], depth: int) -> None:
        if missing := [key for key in (_STRUCTURE[:-1] if depth else _STRUCTURE) if key not in value]:
            task.notes.append(f"[without: {', '.join(missing)}]")
        written = _structure(task, {}, depth)
        order = self.orders[min(depth, 1)]
        for key in sorted(value, key=order.__getitem__):
            one = value[key]
            where = (*task.path, key)
            if key == "subtasks" and isinstance(one, list) and (one or depth == 0):
                self._note(Fate.CARRIED, where, "the steps below {}", task)
            elif key in written and written[key] == one and type(written[key]) is type(one):
                self._note(Fate.CARRIED, where, "{}", task)
            else:
                task.notes += _write_note(key, one)
                is_carried = key in _STRUCTURE[:-1]
                said = "{}, and its detail" if is_carried else "detail of {}"
                self._note(Fate.CARRIED if is_carried else Fate.KEPT, where, said, task)

    # ------------------------------------------------------------ the account

    def _keep_others(
        self, path: Path, below: Mapping[str, Any], known: Sequence[str | None], task: Task | None = None
    ) -> list[str]:
        """Fields beside those that are known, as lines of detail."""
        others = {key: value for key, value in below.items() if key not in known}
        for key in others:
            self._note(Fate.KEPT, (*path, key), "detail of {}", task)
        return [f"{spell(key)} = {spell(value)}" for key, value in others.items()]

    def _note(self, fate: Fate, path: Path, reason: str, task: Task | None = None) -> None:
        self.account.note_field(fate, path, self.origin.key_span(path).line, reason, task)

    def _wrong(self, key: str, kind: str, value: Mapping[str, Any], task: Task) -> None:
        if key in value:
            self._find("EX107", f"expected {kind} for `{key}`, not {word_of(value[key])}", (*task.path, key))
        else:
            self._find("EX107", f"the field `{key}` is missing", task.path)

    def _find(self, code: str, message: str, path: Path) -> None:
        span = self.origin.span(path)
        self.found.append(Diagnostic(code, message, span=span, path=write_path(path), source=self.origin.source))


def _find_lists(value: Mapping[str, Any]) -> list[tuple[str | None, Path, Mapping[str, Any]]]:
    """The lists of tasks: the tag of each, its path, and what holds it."""
    if isinstance(value.get("tasks"), list):
        return [(None, (), value)]
    return [
        (tag, (tag,), below)
        for tag, below in value.items()
        if isinstance(below, dict) and isinstance(below.get("tasks"), list)
    ]


def _full_id(raw: Any, head: str) -> str:
    """The id of a task among all; empty where it has none."""
    if isinstance(raw, bool) or not isinstance(raw, int | str) or raw == "":
        return ""
    said = str(raw) if isinstance(raw, str) or abs(raw) < 10**18 else ""
    own = head.rpartition("/")[2]
    return said and (f"{head}{said.removeprefix(own)}" if own and said.startswith(own) else f"{head}{said}")


def _name_nameless(tasks: Sequence[Task], head: str) -> None:
    """Give the next numbers to tasks without an id."""
    numbers = [task.id.removeprefix(head) for task in tasks]
    last = max((int(number) for number in numbers if _NUMBER.fullmatch(number)), default=0)
    for task in tasks:
        if not task.id:
            last += 1
            task.id = f"{head}{last}"


def _resolve(raw: Iterable[Any], head: str, siblings: set[str]) -> list[str]:
    """The ids that dependencies mean. A number in a subtask means one beside it, if there is one."""
    tag = head[: head.rfind("/") + 1]
    found = []
    for one in raw:
        said = str(one) if isinstance(one, str) or (isinstance(one, int) and abs(one) < 10**18) else spell(one)
        beside = f"{head}{said}"
        found.append(beside if beside in siblings else f"{tag}{said}")
    return [*dict.fromkeys(found)]


# ---------------------------------------------------------------- writing


def _structure(task: Task, fields: Mapping[str, Any], depth: int) -> dict[str, Any]:
    """The fields of a task that are not only text. Where a raw value still means the same, it is that."""
    head, _, own = task.id.rpartition("." if depth else "/")
    head = f"{head}{'.' if depth else '/'}" if head else ""
    made: dict[str, Any] = {"id": _number_of(own), "title": task.text, "status": _WORDS[task.status]}
    made["dependencies"] = [_reference(one, head, depth) for one in task.needs]
    raw = fields.get("id")
    if raw is not None and _full_id(raw, head) == task.id:
        made["id"] = raw
    if isinstance(fields.get("title"), str) and plain_text(fields["title"]) == task.text:
        made["title"] = fields["title"]
    raw = fields.get("status")
    meant = _STATUSES.get(raw, PlanStatus.PENDING) if isinstance(raw, str) else PlanStatus.PENDING
    if raw is not None and meant is task.status:
        made["status"] = raw
    return made


def _number_of(own: str) -> int | str:
    return int(own) if _NUMBER.fullmatch(own) and str(int(own)) == own else own


def _reference(needed: str, head: str, depth: int) -> int | str:
    if depth and needed.startswith(head) and "." not in needed.removeprefix(head):
        return _number_of(needed.removeprefix(head))
    return _number_of(needed.rpartition("/")[2])


def _write(tasks: TaskList) -> str:
    head = _read_head(tasks)
    orders = [{key: at for at, key in enumerate(head.orders.get(depth) or _ORDER)} for depth in (0, 1)]
    value: dict[str, Any] = {}
    if _has_tags(tasks):
        value = dict(_write_tag(task, orders) for task in tasks.children)
    else:
        below = _hold(_write_list(tasks.children, orders), head)
        value = below if head.has_no_tag else {head.tag or _TAG: below}
    # Nothing is in the place of a list.
    value |= {key: one for key, one in _read_head(tasks, "$.").fields.items() if key not in value}
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _read_head(tasks: TaskList, lead: str = "") -> _Notes:
    """What the detail of the goal says of a list; with a lead, of what is beside the tags.

    Fields are lines of a plan that comes from Task Master, as its marks say.
    """
    is_ours = _has_tags(tasks) or any(line == marks.NO_TAG or marks.tag_of(line) is not None for line in tasks.notes)
    lines = (line.removeprefix(lead) for line in tasks.notes if line.startswith("$.") is bool(lead))
    return _read_notes(line for line in lines if line.startswith("[") or (is_ours and VALUE_LINE.fullmatch(line)))


def _write_tag(task: Task, orders: Sequence[Mapping[str, int]]) -> tuple[str, dict[str, Any]]:
    notes = _read_notes(task.notes)
    return str(notes.tag), _hold(_write_list(task.children, orders), notes)


def _hold(tasks: list[dict[str, Any]], notes: _Notes) -> dict[str, Any]:
    """A list with the fields beside it."""
    return {"tasks": tasks} | notes.fields | {"tasks": tasks}


def _has_tags(tasks: TaskList) -> bool:
    """Whether all that is at the top are tags."""
    return bool(tasks.children) and all(_read_notes(task.notes).tag is not None for task in tasks.children)


def _write_list(
    tasks: Sequence[Task], orders: Sequence[Mapping[str, int]], depth: int = 0, beside: Iterable[str] = ()
) -> list[dict[str, Any]]:
    """Tasks with all below them; others with the ids ``beside`` are in the same list."""
    made: list[dict[str, Any]] = []
    todo = [(tasks, made, depth, {*beside})]
    while todo:
        source, target, depth, siblings = todo.pop()
        siblings |= {task.id for task in source}
        for task in source:
            below: list[dict[str, Any]] = []
            target.append(_write_task(task, below, depth, siblings, orders[min(depth, 1)]))
            todo.append((task.children, below, depth + 1, set()))
    return made


def _head(task_id: str, depth: int) -> str:
    """What the ids of a task and of those beside it begin with."""
    return task_id[: task_id.rfind("." if depth else "/") + 1]


def _is_sayable(needed: str, task: Task, depth: int, siblings: set[str]) -> bool:
    """Whether the number of a task that is needed does not mean one beside this one."""
    head = _head(task.id, depth)
    return _resolve([_reference(needed, head, depth)], head, siblings) == [needed]


def _write_task(
    task: Task, below: list[dict[str, Any]], depth: int, siblings: set[str], order: Mapping[str, int]
) -> dict[str, Any]:
    notes = _read_notes(task.notes)
    needs = [one for one in task.needs if _is_sayable(one, task, depth, siblings)]
    fields = _structure(evolve(task, needs=needs), notes.fields, depth)
    fields["dependencies"] += [_reference(one, "", 0) for one in notes.also]
    raw = notes.fields.get("dependencies")
    if isinstance(raw, list):
        is_same = {*_resolve(raw, _head(task.id, depth), siblings)} == {*task.needs, *notes.also}
    else:
        is_same = raw is not None and not task.needs
    if is_same:
        fields["dependencies"] = raw
    if task.children or depth == 0:
        fields["subtasks"] = below
    fields |= {key: value for key, value in notes.fields.items() if key not in _STRUCTURE[:-1]}
    # What was missing may say something by now.
    said = {"status": task.status is not PlanStatus.PENDING, "title": task.text, "subtasks": task.children}
    said["dependencies"] = fields["dependencies"]
    for key in notes.without:
        if not said.get(key):
            fields.pop(key, None)
    if notes.free:
        fields["details"] = "\n".join(filter(None, [fields.get("details", ""), *notes.free]))
    return dict(sorted(fields.items(), key=lambda item: order.get(item[0], len(order))))


def _number(tasks: TaskList) -> None:
    """Give each task the next number among those beside it, where it has none that fits."""
    lists = [("", tasks.children)]
    if _has_tags(tasks):
        lists = [(_head_of(task), task.children) for task in tasks.children]
    todo = [(head, siblings, 0) for head, siblings in lists]
    while todo:
        head, siblings, depth = todo.pop()
        for task in siblings:
            own = task.id.removeprefix(head)
            if not task.id.startswith(head) or (depth and ("." in own or not own)):
                task.id = ""
        _name_nameless(siblings, head)
        todo += ((f"{task.id}.", task.children, depth + 1) for task in siblings)


def _head_of(task: Task) -> str:
    """What the ids of the tasks of a tag begin with: the tag, or the name of its step where that is another one now."""
    heads = (f"{task.id}/", f"{_read_notes(task.notes).tag}/")
    return next((head for head in heads if any(one.id.startswith(head) for one in task.children)), heads[0])


# ---------------------------------------------------------------- the format


def _change(source: Source, changes: Sequence[TaskChange | Addition]) -> tuple[str, list[str]]:
    """Each task gets the fields that it has now; those that are new come after the others."""
    if not changes:
        return source.text, []
    value = json.loads(source.text.removeprefix("\ufeff"))
    said: list[str] = []
    # The ids in each list that has a change.
    ids: dict[Path, set[str]] = {}
    for change in changes:
        if isinstance(change, TaskChange) and _is_tag(change.old):
            said += _change_tag(value_at(value, change.old.path), change)
        elif isinstance(change, TaskChange):
            path = change.old.path[:-1]
            if path not in ids:
                ids[path] = _ids_in(value_at(value, path), _head(change.old.id, path.count("subtasks")))
            said += _change_task(value_at(value, change.old.path), change, ids[path])
    # What is new comes last, and from the end on, so that no path of what is still to come moves.
    for change in reversed(changes):
        if isinstance(change, Addition):
            said += _insert(value, change)
    text, lost = write_changes(source.text, value)
    return text, [*said, *lost]


def _ids_in(tasks: Iterable[Any], head: str) -> set[str]:
    """The ids of the tasks in a list, which begin so."""
    return {_full_id(task.get("id"), head) for task in tasks if isinstance(task, dict)}


def _change_task(task: dict[str, Any], change: TaskChange, siblings: set[str]) -> Iterator[str]:
    """Change the fields of a task itself; returns what could not be changed."""
    depth = change.old.path.count("subtasks")
    was, new = (_write_task(one, [], depth, siblings, {}) for one in (change.was, change.new))
    for fields in (was, new):
        fields.pop("subtasks", None)
    _change_fields(task, was, new)
    if change.was.needs != change.new.needs:
        yield from _find_unsaid(change.new, depth, siblings)


def _find_unsaid(task: Task, depth: int, siblings: set[str]) -> Iterator[str]:
    for needed in task.needs:
        if not _is_sayable(needed, task, depth, siblings):
            yield f"task {task.id} cannot say that it needs {needed}: the number is that of a task beside it"


def _change_fields(task: dict[str, Any], was: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    for key, value in new.items():
        if was.get(key, NOTHING) != value:
            task[key] = value
    for key in was.keys() - new.keys():
        task.pop(key, None)


def _is_tag(task: Task) -> bool:
    return len(task.path) == 1


def _change_tag(holder: dict[str, Any], change: TaskChange) -> Iterator[str]:
    """Change the fields beside the list of a tag; returns what could not be changed."""
    was, new = _read_notes(change.was.notes), _read_notes(change.new.notes)
    new.fields.pop("tasks", None)
    _change_fields(holder, was.fields, new.fields)
    if (was.tag, change.was.text) != (new.tag, change.new.text):
        yield f"the tag {spell(was.tag)} keeps its name"
    if was.free != new.free:
        yield f"the tag {spell(was.tag)} has no place for notes"


def _insert(value: dict[str, Any], change: Addition) -> Iterator[str]:
    """Put in what is new; returns what could not be."""
    near, below = change.after, change.below
    lists = _find_lists(value)
    orders = [{key: number for number, key in enumerate(_ORDER)}] * 2
    if not isinstance(below, Task) and len(lists) > 1:
        for tag, made in (_write_tag(task, orders) for task in change.new):
            if value.setdefault(tag, made) is not made:
                yield f"the tag {spell(tag)} is not added: the file has it"
        return
    if isinstance(below, Task):
        path: Path = (*below.path, "tasks" if _is_tag(below) else "subtasks")
        siblings = value_at(value, below.path).setdefault(path[-1], [])
    else:
        _, above, holder = lists[0]
        path, siblings = (*above, "tasks"), holder["tasks"]
    at = int(near.path[-1]) + 1 if near is not None else 0
    depth = path.count("subtasks")
    ids = _ids_in(siblings, _head(change.new[0].id, depth))
    siblings[at:at] = _write_list(change.new, orders, depth, ids)
    todo = [(change.new, depth, ids)]
    while todo:
        tasks, depth, ids = todo.pop()
        ids |= {task.id for task in tasks}
        for task in tasks:
            yield from _find_unsaid(task, depth, ids)
            todo.append((task.children, depth + 1, set()))


FORMAT = Format("task-master", _guess, _read, _write, compare_fields, _change, is_text=False, number=_number)
